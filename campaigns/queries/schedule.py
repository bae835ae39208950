"""Rounds and fixtures as programs, calendars and files take them: with everybody's names, silence
heard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from accounts.owner import Owner
from battles.replay import is_token
from campaigns.models import Fixture, FixtureStatus, Round, RoundStatus
from campaigns.queries.events import load_entries, load_event, load_event_unchecked
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.results import SHOWN, load_fixture_records, status_now
from campaigns.queries.standings import StandingsRecord, standings_of


@dataclass(frozen=True, slots=True)
class ScheduledRound:
    """A round. ``points_limit`` and ``scenarios`` are its own or else the event's."""

    id: int
    number: int
    name: str
    status: str
    points_limit: int | None
    scenarios: tuple[str, ...]
    starts_at: datetime | None
    lists_due_at: datetime | None
    published_at: datetime | None
    seed: str

    @property
    def title(self) -> str:
        return self.name or f"Round {self.number}"

    @property
    def is_shown(self) -> bool:
        """Whether everybody who reads the event sees its fixtures."""
        return self.status in SHOWN


@dataclass(frozen=True, slots=True)
class ScheduledFixture:
    """Who meets whom. ``status`` has silence heard; ``plays_at`` is its own or else its round's.

    ``battle`` is the token of the battle that holds its result, "" without one.
    """

    token: str
    round: ScheduledRound
    table: int | None
    one: EntryRecord
    other: EntryRecord | None
    third: EntryRecord | None
    attacker: EntryRecord | None
    scenario: str
    scenario_name: str
    reason: str
    status: str
    decision: str
    waits_until: datetime | None
    winner: EntryRecord | None
    how: str
    out_one: int
    out_other: int
    destroyed_one: int
    destroyed_other: int
    is_friendly: bool
    is_rematch: bool
    plays_at: datetime | None
    played_at: datetime | None
    battle: str
    version: int

    @property
    def sides(self) -> tuple[EntryRecord, ...]:
        return tuple(one for one in (self.one, self.other, self.third) if one is not None)

    @property
    def is_bye(self) -> bool:
        return self.other is None

    @property
    def is_final(self) -> bool:
        return self.status == FixtureStatus.FINAL

    @property
    def title(self) -> str:
        """Who meets whom in words."""
        return (
            f"{self.one.name} has a bye"
            if self.is_bye
            else " against ".join(side.name for side in self.sides)
        )


@dataclass(frozen=True, slots=True)
class Schedule:
    """An event's rounds and fixtures, in their order.

    Fixtures of drafts are only its organisers'.
    """

    event: ClubEventRecord
    entries: tuple[EntryRecord, ...]
    rounds: tuple[ScheduledRound, ...]
    fixtures: tuple[ScheduledFixture, ...]

    def of_round(self, number: int) -> tuple[ScheduledFixture, ...]:
        return tuple(fixture for fixture in self.fixtures if fixture.round.number == number)


def load_rounds(event: ClubEventRecord) -> tuple[ScheduledRound, ...]:
    """The rounds of a loaded event by number. One query."""
    return tuple(
        _round(event, row) for row in Round.objects.filter(event_id=event.id).order_by("number")
    )


def load_schedule(
    actor: Owner, token: str, number: int | None = None, *, is_shared: bool = False
) -> Schedule | None:
    """An event with its rounds and fixtures, or those of one round; None where it may not be read.

    Four queries.

    ``is_shared``: the actor has shown a key to it, so nobody asks whether they may read it.
    """
    event = load_event_unchecked(actor, token) if is_shared else load_event(actor, token)
    if event is None:
        return None
    entries, rounds = load_entries(actor, event), load_rounds(event)
    rows = Fixture.objects.filter(round__event_id=event.id)
    if number is not None:
        rows = rows.filter(round__number=number)
    return Schedule(event, entries, rounds, _fixtures(event, entries, rounds, rows))


def standings_in(schedule: Schedule) -> StandingsRecord:
    """The table of a loaded event. One query."""
    return standings_of(
        schedule.event, schedule.entries, load_fixture_records(schedule.event.id, timezone.now())
    )


def load_scheduled(actor: Owner, token: str) -> tuple[ClubEventRecord, ScheduledFixture] | None:
    """One fixture by its token, with its event; None where the actor may not read it.

    Five queries.
    """
    rows = Fixture.objects.filter(token=token)
    of = (
        rows.values_list("round__event__token", flat=True).order_by().first()
        if is_token(token)
        else None
    )
    event = load_event(actor, of) if of else None
    if event is None:
        return None
    found = _fixtures(event, load_entries(actor, event), load_rounds(event), rows)
    return (event, found[0]) if found else None


def _fixtures(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    rounds: Sequence[ScheduledRound],
    rows: QuerySet[Fixture],
) -> tuple[ScheduledFixture, ...]:
    seen = {one.id: one for one in rounds if one.is_shown or event.may_organise}
    known = {one.id: one for one in entries}
    now = timezone.now()
    shown = (
        rows.filter(round_id__in=seen)
        .select_related("battle")
        .order_by("round__number", "position")
    )
    return tuple(_fixture(row, seen[row.round_id], known, now) for row in shown)


def _round(event: ClubEventRecord, row: Round) -> ScheduledRound:
    return ScheduledRound(
        id=row.pk,
        number=row.number,
        name=row.name,
        status=row.status,
        points_limit=event.points_limit if row.points_limit is None else row.points_limit,
        scenarios=tuple(row.scenarios) or event.scenarios,
        starts_at=row.starts_at,
        lists_due_at=row.lists_due_at,
        published_at=row.published_at,
        seed=row.seed if event.may_organise else "",
    )


def _fixture(
    row: Any, of: ScheduledRound, known: Mapping[int, EntryRecord], now: datetime
) -> ScheduledFixture:
    is_bye = row.other_id is None and of.status != RoundStatus.DRAFT
    return ScheduledFixture(
        token=row.token,
        round=of,
        table=row.table,
        one=known[row.one_id],
        other=known.get(row.other_id),
        third=known.get(row.third_id),
        attacker=known.get(row.attacker_id),
        scenario=row.scenario,
        scenario_name=row.scenario_name,
        reason=row.reason,
        status=status_now(row.status, row.waits_until, now, is_bye=is_bye),
        decision=row.decision,
        waits_until=row.waits_until,
        winner=known.get(row.winner_id),
        how=row.how,
        out_one=row.out_one,
        out_other=row.out_other,
        destroyed_one=row.destroyed_one,
        destroyed_other=row.destroyed_other,
        is_friendly=row.is_friendly,
        is_rematch=row.is_rematch,
        plays_at=row.plays_at or of.starts_at,
        played_at=row.played_at,
        battle=row.battle.token if row.battle else "",
        version=row.version,
    )
