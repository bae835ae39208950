"""The front page.

It shows a starter warband, the rule systems and public events and, once somebody has some, their
own warbands and the battles that wait for them. A player of a league sees their next fixture first.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import date as written
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.owner import Owner
from accounts.requests import owner_of
from battles.models import BattleStatus
from battles.queries.index import current_battles
from campaigns.models import EventStatus
from campaigns.queries.events import own_events, public_events
from campaigns.queries.fixtures import NextSide, UpcomingFixture, load_upcoming_fixtures
from campaigns.queries.records import EventRow
from campaigns.queries.standings import StandingRow, StandingsRecord, load_standings
from engine.records import Fields
from rulesdata import registry
from rulesdata.queries.book import load_systems
from warbands.queries.lists import starters, warbands_of

SHOWN = 6
PLAYING = 3
LEAGUES = 5
LEADERS = 4
PUBLIC = 3
SOON_DAYS = 7


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The front page."""
    owner = owner_of(request)
    battles = () if owner.is_nobody else current_battles(owner)
    playing = [row for row in battles if row.status == BattleStatus.OPEN]
    context: dict[str, Any] = {
        "warbands": () if owner.is_nobody else warbands_of(owner, per_page=SHOWN).rows,
        "waiting": [row for row in battles if row.waits_for_me],
        "playing": playing[:PLAYING],
    }
    leagues = own_events(owner, per_page=LEAGUES).rows if owner.is_person else ()
    if leagues:
        return render(request, "home_member.html", {**context, **_member(owner, leagues)})
    # The starter with the fewest issues, the first by its army's name.
    context["example"] = min(
        starters(registry.rulesets()[0].address),
        key=lambda s: (s.sheet.errors, s.sheet.warnings, s.sheet.army_name),
        default=None,
    )
    context["systems"] = [(card["system"], _summary(card)) for card in load_systems()]
    # Whoever has an account finds them under “Events”.
    if not owner.is_person:
        context["events"] = public_events(owner, per_page=PUBLIC).rows
    return render(request, "home.html", context)


def _member(owner: Owner, leagues: Sequence[EventRow]) -> dict[str, Any]:
    """Return a league player's part: the next fixtures, and the standings of that league."""
    fixtures = load_upcoming_fixtures(owner)
    # Without a fixture the first league with a round that is not over.
    begun = (row for row in leagues if row.is_mine and row.round)
    tokens = (row.token for row in begun if row.status != EventStatus.FINISHED)
    token = fixtures[0].event if fixtures else next(tokens, "")
    table = load_standings(owner, token) if token else None
    first = fixtures[0] if fixtures else None
    return {
        "leagues": leagues,
        "next": first,
        "later": fixtures[1:],
        "heading": heading(first, timezone.localtime()) if first else "",
        "table": table,
        "leaders": leaders(table) if table else (),
        "sides": sides(first, table) if first else (),
    }


def heading(fixture: UpcomingFixture, now: datetime) -> str:
    """ "Wednesday, against Piet": the day as somebody would say it, where it is agreed."""
    if fixture.starts_at is None:
        return f"Next game: against {fixture.against}"
    day = timezone.localtime(fixture.starts_at, now.tzinfo)
    ahead = (day.date() - now.date()).days
    if ahead in (0, 1):
        return f"{'Tomorrow' if ahead else 'Today'}, against {fixture.against}"
    return f"{written(day, 'l' if 0 < ahead < SOON_DAYS else 'j F')}, against {fixture.against}"


def sides(
    fixture: UpcomingFixture, table: StandingsRecord | None
) -> tuple[tuple[NextSide, int | None], ...]:
    """Who meets, the reader first, each with their place in the table once anything counts in it."""
    places = (
        {row.entry.id: row.standing.place for row in table.rows}
        if table and table.round
        else {}
    )
    return tuple(
        (side, places.get(side.entry_id)) for side in (fixture.mine, *fixture.others)
    )


def leaders(table: StandingsRecord) -> tuple[StandingRow, ...]:
    """The first lines of a table, the reader's own among them."""
    first = table.rows[:LEADERS]
    mine = next((row for row in table.rows if row.entry.is_mine), None)
    return first if mine is None or mine in first else (*first[:-1], mine)


def _summary(card: Fields) -> str:
    counts = (
        (card["armies"], "army list"),
        (card["units"], "unit"),
        (len(card["system"].scenarios), "scenario"),
    )
    return ", ".join(f"{count} {word}{pluralize(count)}" for count, word in counts if count)
