"""What a result, or a decision, of one fixture would move in the table of its event."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

from django.utils import timezone

from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.tokens import is_token
from battles.models import Battle, BattleStatus
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
from campaigns.queries.records import ClubEventRecord, EntryRecord, Outcome
from engine.records import Fields, NamedValues
from engine.tournament.standings import standings

TOTALS = (
    "waits_until",
    "winner_id",
    "how",
    "out_one",
    "out_other",
    "destroyed_one",
    "destroyed_other",
)


def preview_decision(
    actor: Owner, token: str, fixture: str, *, decision: str, decided_for: str = ""
) -> TableChange:
    """What a decision, or with "" taking one back, would move. Four queries. Raises NotFound."""
    event, row = _fixture_in(actor, token, fixture)
    entries = load_entries(actor, event)
    row.decision = decision
    row.decided_for_id = next((one.id for one in entries if one.token == decided_for), None)
    return _table_change(event, entries, row, row.battle)


def preview_report(actor: Owner, token: str, fixture: str, told: Outcome) -> TableChange:
    """What another result would move once it stands.

    Four queries. Raises NotFound.
    """
    event, row = _fixture_in(actor, token, fixture)
    if row.battle is None:
        raise NotFound("fixture")
    entries = load_entries(actor, event)
    keys = {pk: key for key, pk in side_entries(row).items()}
    sides = {one.token: keys[one.id] for one in entries if one.id in keys}
    # Figures of somebody who is not in the fixture are left out.
    typed = {sides[one]: typed for one, typed in told.figures.items() if one in sides}
    row.told = {**row.told, **typed}
    # A copy, so that nothing of the preview can be saved with the row.
    after = copy(row.battle)
    after.status, after.confirm_by, after.how = BattleStatus.CONFIRMED, None, told.how
    after.winner = sides.get(told.winner, "")
    return _table_change(event, entries, row, after)


def _fixture_in(actor: Owner, token: str, fixture: str) -> tuple[ClubEventRecord, Fixture]:
    """The event and a fixture of it with its battle. Two queries. Raises NotFound."""
    event = load_event(actor, token)
    rows = Fixture.objects.filter(token=fixture, round__event__token=token).select_related(
        "battle"
    )
    row = rows.order_by().first() if event is not None and is_token(fixture) else None
    if event is None or row is None:
        raise NotFound("fixture")
    return event, row


def preview_friendly(
    actor: Owner, token: str, fixture: str, *, is_friendly: bool
) -> TableChange:
    """What would move if a game counted, or counted no more. Three queries. Raises NotFound."""
    event = load_event(actor, token)
    if event is None:
        raise NotFound("fixture")
    return _change_with(
        event, load_entries(actor, event), fixture, {"is_friendly": is_friendly}
    )


def preview_battle(
    actor: Owner, battle: Battle, standing: ResultState, state: NamedValues
) -> TableChange | None:
    """What another result, and another state, of a battle would move.

    None for a battle that counts in no event.

    One query for a battle of a club, none for others; three more for one that is played for a
    fixture.
    """
    if battle.club_id is None:
        return None
    row = (
        Fixture.objects.filter(battle=battle)
        .select_related("round__event")
        .order_by()
        .first()
    )
    event = load_event(actor, row.round.event.token) if row is not None else None
    if row is None or event is None:
        return None
    # The caller's battle stays as it is.
    after = copy(battle)
    after.state = dict(state)
    for name, value in standing.columns.items():
        setattr(after, name, value)
    return _table_change(event, load_entries(actor, event), row, after)


def _table_change(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    row: Fixture,
    battle: Battle | None,
) -> TableChange:
    """What moves where a fixture has the totals of this battle, or of the decision it has now."""
    columns = fixture_columns(row, battle, None, {})
    # The preview tells what a result would count as later, so silence is heard as it is now.
    is_bye = row.other_id is None
    status = status_now(
        columns["status"], columns["waits_until"], timezone.now(), is_bye=is_bye
    )
    told = {name: columns[name] for name in TOTALS}
    return _change_with(
        event, entries, row.token, {**told, "status": status, "decision": row.decision}
    )


def _change_with(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    fixture: str,
    values: Fields,
) -> TableChange:
    """The table as it is against the same with other values of one fixture. One query.

    Told of is everybody whose place or points differ, in the order of the new table.
    """
    before = load_fixture_records(event.id, timezone.now())
    after = [replace(one, **values) if one.token == fixture else one for one in before]
    ranked, rules = entrants_of(entries), (event.scoring, event.tie_breaks)
    old = {one.id: one for one in standings(ranked, results_of(before), *rules)}
    moved = [
        PlaceChange(one.name, old[one.id].place, one.place, old[one.id].points, one.points)
        for one in standings(ranked, results_of(after), *rules)
        if (one.place, one.points) != (old[one.id].place, old[one.id].points)
    ]
    return TableChange(event.token, event.name, tuple(moved))
