"""Fixtures and rounds of an event as records, with silence heard."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import F, QuerySet

from accounts.owner import Owner
from battles.hooks import EventOfBattle
from battles.results import is_overdue
from campaigns import access
from campaigns.models import SHOWN, ClubEvent, Fixture, FixtureStatus, Round, RoundStatus
from campaigns.queries.records import EntryRecord, FixtureRecord, RoundRecord, round_of
from engine.records import Fields, named_values
from engine.tournament.types import Entrant, Result

UNTOLD = (FixtureStatus.OPEN, FixtureStatus.ASKED)


def load_event_of_battle(actor: Owner, token: str) -> EventOfBattle | None:
    """The fixture this battle plays, or None where it plays none or lists may not name its event to
    this actor.
    """
    shown = ClubEvent.objects.filter(access.listed_to(actor))
    rows = Fixture.objects.filter(battle__token=token, round__event__in=shown)
    row = rows.select_related("round__event").order_by().first()
    if row is None:
        return None
    event = row.round.event
    has_aftermath = bool(event.growth_position) and row.status not in UNTOLD
    return EventOfBattle(event.token, event.name, row.token, str(row.round), has_aftermath)


ELSEWHERE = {
    "round_number": "round__number",
    "battle_token": "battle__token",
    "round_status": "round__status",
}
"""What is read of other rows than the fixture's own. The status of its round is no field of the
record, but a bye counts only once the round is no draft.
"""
OWN = tuple(name for name in FixtureRecord.__dataclass_fields__ if name not in ELSEWHERE)


def load_round_records(event_id: int) -> tuple[RoundRecord, ...]:
    """The rounds of an event by their numbers. One query."""
    rows = Round.objects.filter(event_id=event_id).order_by("number")
    return tuple(round_of(row, RoundRecord) for row in rows)


def load_fixture_records(event_id: int, now: datetime) -> tuple[FixtureRecord, ...]:
    """Every fixture of the event's published rounds, in the order of rounds and tables.

    One query.
    """
    rows = Fixture.objects.filter(round__event_id=event_id, round__status__in=SHOWN)
    return fixtures_of(rows, now)


def fixtures_of(rows: QuerySet[Fixture], now: datetime) -> tuple[FixtureRecord, ...]:
    """The records of these rows, in the order of rounds and tables. One query."""
    # Values instead of rows: an event has thousands of fixtures, and rows cost more.
    ordered = rows.order_by("round__number", "position", "id")
    columns = {name: F(path) for name, path in ELSEWHERE.items()}
    return tuple(_fixture_record(row, now) for row in ordered.values(*OWN, **columns))


def fixture_of(row: Fixture, now: datetime) -> FixtureRecord:
    """The record of a row whose round and battle are at hand."""
    values = named_values(row, *OWN)
    elsewhere = {"round_number": row.round.number, "round_status": row.round.status}
    token = row.battle.token if row.battle else ""
    return _fixture_record({**values, **elsewhere, "battle_token": token}, now)


def _fixture_record(values: Fields, now: datetime) -> FixtureRecord:
    """``values`` by the names of the record, with the status of the round."""
    round_status = values.pop("round_status")
    is_bye = values["other_id"] is None and round_status != RoundStatus.DRAFT
    values["status"] = status_now(
        values["status"], values["waits_until"], now, is_bye=is_bye
    )
    values["battle_token"] = values["battle_token"] or ""
    return FixtureRecord(**values)


def status_now(
    status: str, waits_until: datetime | None, now: datetime, *, is_bye: bool = False
) -> str:
    """The status a fixture of a published round has now, silence heard."""
    # No row is written when silence confirms a result: each reader works it out.
    is_silent = is_overdue(waits_until, now, is_waiting=status == FixtureStatus.WAITING)
    return FixtureStatus.FINAL if is_silent or is_bye else status


def results_of(played: Iterable[FixtureRecord]) -> list[Result]:
    """What of it counts, as the engine takes it."""
    return [one.result() for one in played if one.counts]


def entrants_of(entries: Sequence[EntryRecord]) -> list[Entrant]:
    """Everybody in the event as the engine takes them; their id is the key of their row in words."""
    return [
        Entrant(
            str(one.id),
            one.name,
            one.is_dropped,
            one.play_off,
            one.joined,
            one.campaign_points,
        )
        for one in entries
    ]
