"""Result slips to print: of one game, and of all games of a round."""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.requests import record_or_404
from battles.table_pack import ways_to_win
from campaigns.models.rounds import moment_of
from campaigns.pdf import Slip, slips_pdf
from campaigns.queries.fixture_page import load_fixture
from campaigns.queries.records import (
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
)
from campaigns.views.requests import paper_asked
from campaigns.views.rounds import round_for
from engine.records import Texts
from rulesdata import registry
from warbands.views.manage import file_name
from warbands.views.sheets import as_pdf


@require_safe
def fixture_slip(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Return the slip for the table, with a code that leads to the page of the result.

    ``?paper=a4|letter``.
    """
    _, page = record_or_404(load_fixture, request, token, fixture)
    paper = paper_asked(request.GET.get("paper"))
    # A bye has no result to write down.
    if page.record.is_bye:
        raise Http404
    game = SlipGame(page.round, page.record, tuple(side.entry for side in page.sides))
    slip = _slip(request, page.event, game)
    return as_pdf(
        request,
        lambda: slips_pdf(f"Result slip, {page.title}", [slip], paper),
        file_name(f"Slip {page.title}", "pdf"),
        (reverse("fixture-read", args=[token, fixture]), page.title),
    )


@require_safe
def round_slips(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Return the slips of all games of a round, four to a page; ``?paper=a4|letter``."""
    _, page = round_for(request, token, number)
    paper = paper_asked(request.GET.get("paper"))
    if not page.games:
        raise Http404
    title = f"Result slips, {page.round.title}"
    games = [
        SlipGame(page.round, line.record, tuple(one.entry for one in line.sitters))
        for line in page.by_table
    ]
    slips = [_slip(request, page.event, game) for game in games]
    return as_pdf(
        request,
        lambda: slips_pdf(title, slips, paper),
        file_name(title, "pdf"),
        (reverse("round-read", args=[token, number]), page.round.title),
    )


class SlipGame(NamedTuple):
    """A game of a round, with those who play it."""

    round: RoundRecord
    record: FixtureRecord
    entries: tuple[EntryRecord, ...]

    @property
    def facts(self) -> Texts:
        """Table, scenario and day; "" for what nobody set."""
        record, when = self.record, moment_of(self.record, self.round)
        day = timezone.localtime(when).date() if when else None
        return (
            f"Table {record.table}" if record.table else "",
            record.scenario_name,
            f"{day.day} {day:%B %Y}" if day else "",
        )


def _slip(request: HttpRequest, event: ClubEventRecord, game: SlipGame) -> Slip:
    """What stands on the slip of a game."""
    rules = registry.rules_of(event)
    address = reverse("fixture-result", args=[event.token, game.record.token])
    return Slip(
        title=f"{event.name}, {game.round.name or game.round.title.lower()}",
        facts=game.facts,
        sides=tuple((one.name, one.warband_name) for one in game.entries),
        url=request.build_absolute_uri(address),
        rout=rules.rout is not None,
        endings=ways_to_win(rules),
    )
