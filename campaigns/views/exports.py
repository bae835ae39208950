"""An event as files and papers: exports, calendar, and the slips of a round."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import NotAllowed
from accounts.owner import NOBODY
from accounts.requests import owner_of, read_page, refused_as_message
from battles.pdf import ways_to_win
from campaigns import exports
from campaigns.exports import LeagueFiles
from campaigns.growth.queries.figures import load_growth_figures
from campaigns.growth.queries.ledger_pages import load_ledger_rows
from campaigns.models import EventVisibility
from campaigns.models.rounds import play_moment
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import renew_calendars, renew_own_calendar
from campaigns.pdf import Slip, slips_pdf
from campaigns.queries.event_page import load_event_page
from campaigns.queries.fixture_page import FixturePage, load_fixture
from campaigns.queries.fixtures import (
    ScheduledFixture,
    load_calendar_key,
    load_calendar_reader,
    load_schedule,
)
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.rounds import FixtureLine, load_round
from campaigns.queries.standings import standings_in
from campaigns.views.requests import (
    change_request,
    event_for,
    organised_event_for,
    paper_asked,
)
from rulesdata import registry
from warbands.pdf.preview import rows_preview
from warbands.views.manage import as_file, file_name
from warbands.views.sheets import as_pdf, as_preview

# An event as files: tables as CSV and JSON, a summary in Markdown, and calendars.

DRAW = {
    "csv": (exports.as_csv, "text/csv"),
    "json": (exports.as_json, "application/json"),
}


@require_safe
def event_preview(request: HttpRequest, token: str) -> HttpResponse:
    """The picture of a link to an event: its table, before it the next games.

    For whoever may read the event: a chat asks signed out.
    """
    page = load_event_page(owner_of(request), token)
    event, table = page.event, page.table
    if table.round or not page.next:
        facts = table.after_words if table.round else event.status_name
        rows = [
            (f"{row.standing.place}  {row.entry.name}", f"{row.standing.points}")
            for row in table.rows
        ]
    else:
        facts = f"{event.kind_name}, games to play"
        rows = [
            (game.title, f"Table {game.record.table}" if game.record.table else "")
            for game in page.next
        ]
    return as_preview(request, rows_preview(event.system_name, event.name, facts, rows))


@read_page
def event_files(request: HttpRequest, token: str) -> HttpResponse:
    """Where everything is to be had, with the addresses for calendars."""
    owner, event = event_for(request, token)
    is_club = event.visibility == EventVisibility.CLUB
    key: dict[str, Any] = {}
    # A calendar cannot sign in, so the address of a club's own event says whose it is, with a key.
    if is_club and owner.user_id is not None:
        key = {"reader": owner.user_id, "key": load_calendar_key(event, owner.user_id)}
    address = request.build_absolute_uri(reverse("event-calendar", args=[token]))
    queries = [("All games", key)]
    if event.mine:
        queries.insert(0, ("Your games", {"entry": event.mine, **key}))
    feeds = [
        {"label": label, "address": f"{address}?{urlencode(query)}" if query else address}
        for label, query in queries
    ]
    context = {
        "event": event,
        "feeds": feeds,
        "files": exports.file_names(event),
        "kinds": list(DRAW),
        "is_club": is_club,
    }
    return render(request, "campaigns/files.html", context)


@require_safe
def event_export(request: HttpRequest, token: str, what: str, kind: str) -> HttpResponse:
    """Standings, fixtures, results, or what a campaign has of warbands, as CSV or JSON."""
    files = _files_for(request, token)
    event = files.schedule.event
    if what not in exports.file_names(event):
        raise Http404
    if what == "ledger":
        files = replace(files, ledger=load_ledger_rows(event))
    draw, media_type = DRAW[kind]
    body = draw(files, what).encode("utf-8", "replace")
    name = file_name(f"{event.name} {what}", kind)
    return as_file(body, f"{media_type}; charset=utf-8", name, attached=True)


@require_safe
def event_summary(request: HttpRequest, token: str) -> HttpResponse:
    """Standings, the latest round and what comes next, as Markdown."""
    files = _files_for(request, token)
    body = exports.as_markdown(files).encode("utf-8", "replace")
    name = file_name(files.schedule.event.name, "md")
    return as_file(body, "text/markdown; charset=utf-8", name, attached=False)


@require_safe
def event_calendar(request: HttpRequest, token: str) -> HttpResponse:
    """The fixtures that have a day, for a calendar to read now and again; of one entry with
    ``?entry=``.

    A calendar has no session: for an event that only the club reads its address holds a key to this
    feed alone, for as long as its person may read the event.
    """
    person, key = (request.GET.get(name, "") for name in ("reader", "key"))
    is_shared = load_calendar_reader(token, person, key) != NOBODY
    # With a key the feed is as the public sees it, for addresses are handed on.
    reader = NOBODY if is_shared else owner_of(request)
    schedule = load_schedule(reader, token, is_shared=is_shared)

    def address(fixture: ScheduledFixture | None) -> str:
        """Return the absolute address of a fixture's page, or of the event's."""
        to = reverse("event-read", args=[token])
        if fixture:
            to = reverse("fixture-read", args=[token, fixture.record.token])
        return request.build_absolute_uri(to)

    body = exports.as_calendar(schedule, address, request.GET.get("entry", ""))
    name = file_name(schedule.event.name, "ics")
    return as_file(body, "text/calendar; charset=utf-8", name, attached=False)


@require_POST
def calendar_renew(request: HttpRequest, token: str) -> HttpResponse:
    """End one's own calendar address for another one."""
    owner, _ = event_for(request, token)
    if owner.user_id is None:
        return redirect("account_login")
    renew_own_calendar(ChangeRequest(owner, token), owner.user_id)
    messages.success(request, "Address renewed. The old address no longer works.")
    return redirect("event-files", token)


@require_POST
def calendar_renew_all(request: HttpRequest, token: str) -> HttpResponse:
    """End every calendar address of the event."""
    owner, _ = organised_event_for(request, token)
    with refused_as_message(request, passing=NotAllowed):
        renew_calendars(change_request(request, owner, token))
        messages.success(
            request, "All addresses renewed. The old addresses no longer work."
        )
    return redirect("event-files", token)


def _files_for(request: HttpRequest, token: str) -> LeagueFiles:
    """Return the tables of an event as files, with growth where the event has it."""
    schedule = load_schedule(owner_of(request), token)
    table = standings_in(schedule)
    growth = load_growth_figures(schedule.event)
    return LeagueFiles(schedule, growth.beside(table) if growth else table, growth)


# Result slips to print: of one game, and of all games of a round.


@require_safe
def fixture_slip(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Return the slip for the table, with a code that leads to the page of the result.

    ``?paper=a4|letter``.
    """
    page = load_fixture(owner_of(request), token, fixture)
    paper = paper_asked(request.GET.get("paper"))
    # A bye has no result to write down.
    if page.record.is_bye:
        raise Http404
    slip = _slip(request, page.event, page, [side.entry for side in page.sides])
    return as_pdf(
        request,
        lambda: slips_pdf(f"Result slip, {page.title}", [slip], paper),
        file_name(f"Slip {page.title}", "pdf"),
        (reverse("fixture-read", args=[token, fixture]), page.title),
    )


@require_safe
def round_slips(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Return the slips of all games of a round, four to a page; ``?paper=a4|letter``."""
    page = load_round(owner_of(request), token, number)
    paper = paper_asked(request.GET.get("paper"))
    if not page.games:
        raise Http404
    title = f"Result slips, {page.round.title}"
    slips = [_slip(request, page.event, line, line.sides) for line in page.by_table]
    return as_pdf(
        request,
        lambda: slips_pdf(title, slips, paper),
        file_name(title, "pdf"),
        (reverse("round-read", args=[token, number]), page.round.title),
    )


def _slip(
    request: HttpRequest,
    event: ClubEventRecord,
    fixture: FixturePage | FixtureLine,
    entries: Sequence[EntryRecord],
) -> Slip:
    """What stands on the slip of a game."""
    record, rules = fixture.record, registry.rules_of(event)
    address = reverse("fixture-result", args=[event.token, record.token])
    moment = play_moment(record, fixture.round)
    day = timezone.localtime(moment).date() if moment else None
    return Slip(
        title=f"{event.name}, {fixture.round.name or fixture.round.title.lower()}",
        facts=(
            f"Table {record.table}" if record.table else "",
            record.scenario_name,
            f"{day.day} {day:%B %Y}" if day else "",
        ),
        sides=tuple((entry.name, entry.warband_name) for entry in entries),
        url=request.build_absolute_uri(address),
        rout=rules.rout is not None,
        endings=ways_to_win(rules),
    )
