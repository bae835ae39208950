"""What a correction, a void or a decision would move in a table: everybody whose place or points
change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from django.utils import timezone

from accounts.errors import NotFound
from accounts.owner import Owner
from battles.models import Battle, BattleStatus
from battles.replay import is_token
from battles.results import ResultState
from battles.tallies import PlaceChange, TableChange
from campaigns.fixture_totals import fixture_columns, side_entries
from campaigns.models import Fixture
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import (
    entrants_of,
    load_fixture_records,
    results_of,
    status_now,
)
from campaigns.queries.records import ClubEventRecord, EntryRecord, FixtureRecord
from engine.tournament.standings import standings


def preview_decision(
    actor: Owner, token: str, fixture: str, *, decision: str, decided_for: str = ""
) -> TableChange:
    """What a decision, or with "" taking one back, would move. Four queries. Raises NotFound."""
    event = load_event(actor, token)
    rows = Fixture.objects.filter(token=fixture, round__event__token=token).select_related("battle")
    row = rows.order_by().first() if event is not None and is_token(fixture) else None
    if event is None or row is None:
        raise NotFound("fixture")
    entries = load_entries(actor, event)
    row.decision = decision
    row.decided_for_id = next((one.id for one in entries if one.token == decided_for), None)
    return _table_change(
        event,
        entries,
        row.token,
        {**fixture_columns(row, row.battle, None, {}), "decision": decision},
    )


def preview_report(
    actor: Owner,
    token: str,
    fixture: str,
    *,
    winner: str,
    how: str,
    figures: Mapping[str, Mapping[str, int | None]],
) -> TableChange:
    """What another result would move once it stands; the arguments are those of the report.

    Four queries.

    Raises NotFound.
    """
    event = load_event(actor, token)
    rows = Fixture.objects.filter(token=fixture, round__event__token=token).select_related("battle")
    row = rows.order_by().first() if event is not None and is_token(fixture) else None
    if event is None or row is None or row.battle is None:
        raise NotFound("fixture")
    entries = load_entries(actor, event)
    ids = {one.token: one.id for one in entries}
    keys = {pk: key for key, pk in side_entries(row).items()}
    row.told = {
        **row.told,
        **{keys[ids[one]]: typed for one, typed in figures.items() if ids.get(one) in keys},
    }
    after = copy(row.battle)
    after.status, after.confirm_by, after.how = BattleStatus.CONFIRMED, None, how
    after.winner = keys.get(ids.get(winner, 0), "")
    columns = {**fixture_columns(row, after, None, {}), "decision": row.decision}
    return _table_change(event, entries, row.token, columns)


def preview_friendly(actor: Owner, token: str, fixture: str, *, is_friendly: bool) -> TableChange:
    """What would move if a game counted, or counted no more. Three queries. Raises NotFound."""
    event = load_event(actor, token)
    if event is None:
        raise NotFound("fixture")
    before = load_fixture_records(event.id, timezone.now())
    after = tuple(
        replace(one, is_friendly=is_friendly) if one.token == fixture else one for one in before
    )
    return TableChange(
        event.token, event.name, place_changes(event, load_entries(actor, event), before, after)
    )


def preview_battle(
    actor: Owner, battle: Battle, standing: ResultState, state: Mapping[str, Any]
) -> TableChange | None:
    """What another result, and another state, of a battle would move.

    None for a battle that counts in no event.

    One query for a battle of a club, none for others; three more for one that is played for a
    fixture.
    """
    if battle.club_id is None:
        return None
    row = Fixture.objects.filter(battle=battle).select_related("round__event").order_by().first()
    event = load_event(actor, row.round.event.token) if row is not None else None
    if row is None or event is None:
        return None
    after = copy(battle)
    after.state = dict(state)
    for name, value in standing.columns.items():
        setattr(after, name, value)
    columns = {**fixture_columns(row, after, None, {}), "decision": row.decision}
    return _table_change(event, load_entries(actor, event), row.token, columns)


def _table_change(
    event: ClubEventRecord, entries: Sequence[EntryRecord], fixture: str, columns: dict[str, Any]
) -> TableChange:
    """The table as it is against the same with one fixture's totals as they would be."""
    now = timezone.now()
    before = load_fixture_records(event.id, now)
    after = tuple(_with_columns(one, columns) if one.token == fixture else one for one in before)
    return TableChange(event.token, event.name, place_changes(event, entries, before, after))


def _with_columns(one: FixtureRecord, columns: dict[str, Any]) -> FixtureRecord:
    """A row with other totals."""
    names = ("waits_until", "how", "out_one", "out_other", "destroyed_one", "destroyed_other")
    status = status_now(
        columns["status"], columns["waits_until"], timezone.now(), is_bye=one.is_bye
    )
    told = {name: columns[name] for name in names}
    return replace(
        one, **told, status=status, winner_id=columns["winner_id"], decision=columns["decision"]
    )


def place_changes(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    before: Sequence[FixtureRecord],
    after: Sequence[FixtureRecord],
) -> tuple[PlaceChange, ...]:
    """Everybody whose place or points differ between two sets of fixtures, in the order of the new
    table.
    """
    ranked = entrants_of(entries)
    old = {
        one.id: one
        for one in standings(ranked, results_of(before), event.scoring, event.tie_breaks)
    }
    new = standings(ranked, results_of(after), event.scoring, event.tie_breaks)
    return tuple(
        PlaceChange(one.name, old[one.id].place, one.place, old[one.id].points, one.points)
        for one in new
        if (one.place, one.points) != (old[one.id].place, old[one.id].points)
    )
