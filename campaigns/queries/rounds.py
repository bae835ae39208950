"""A round as its page shows it: who is here, who meets whom and why, and what may be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.owner import Owner
from campaigns.models import (
    Fixture,
    FixtureStatus,
    ListLock,
    PairingMethod,
    Presence,
    Round,
    RoundStatus,
)
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.results import SHOWN, status_now

OVERDUE = (FixtureStatus.OPEN, FixtureStatus.WAITING, FixtureStatus.DISPUTED)


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """A round among the others. ``name`` is its own, or its number in words."""

    number: int
    name: str
    status: str
    starts_at: datetime | None
    lists_due_at: datetime | None
    points_limit: int | None
    scenarios: tuple[str, ...]
    seed: str

    @property
    def status_name(self) -> str:
        return str(RoundStatus(self.status).label)

    @property
    def is_unnamed(self) -> bool:
        return self.name == f"Round {self.number}"

    @property
    def is_planned(self) -> bool:
        return self.status == RoundStatus.PLANNED

    @property
    def is_draft(self) -> bool:
        return self.status == RoundStatus.DRAFT

    @property
    def is_published(self) -> bool:
        return self.status == RoundStatus.PUBLISHED

    @property
    def is_closed(self) -> bool:
        return self.status == RoundStatus.CLOSED

    @property
    def is_shown(self) -> bool:
        return self.status in SHOWN


@dataclass(frozen=True, slots=True)
class PresentEntry:
    """Somebody at a table.

    ``points`` are those of the list that was handed in for the round, None without one.
    """

    entry: EntryRecord
    points: int | None
    attacks: bool
    is_away: bool

    @property
    def note(self) -> str:
        """What they bring, in a few words."""
        brings = (
            self.entry.warband_name
            or self.entry.army_name
            or ("guest" if self.entry.is_guest else "")
        )
        return ", ".join(filter(None, (brings, "" if self.points is None else f"{self.points}")))


@dataclass(frozen=True, slots=True)
class FixtureLine:
    """One game of a round, or who sits out."""

    token: str
    table: int | None
    sitters: tuple[PresentEntry, ...]
    scenario: str
    scenario_name: str
    reason: str
    is_rematch: bool
    is_kept: bool
    is_friendly: bool
    plays_at: datetime | None
    status: str
    winner: str
    has_battle: bool
    is_decided: bool

    @property
    def is_bye(self) -> bool:
        return len(self.sitters) == 1

    @property
    def is_mine(self) -> bool:
        return any(one.entry.is_mine for one in self.sitters)

    @property
    def is_begun(self) -> bool:
        return self.has_battle or self.is_decided

    @property
    def attacker(self) -> str:
        return next((one.entry.name for one in self.sitters if one.attacks), "")

    @property
    def title(self) -> str:
        names = [one.entry.name for one in self.sitters]
        return " against ".join(names) if len(names) == 2 else ", ".join(names)

    @property
    def outcome(self) -> str:
        """How it stands in words; "" while it is to be played."""
        if self.is_bye or self.status == FixtureStatus.OPEN:
            return ""
        if self.status == FixtureStatus.FINAL:
            return f"{self.winner} won" if self.winner else "Nobody won"
        return str(FixtureStatus(self.status).label)

    @property
    def away(self) -> tuple[str, ...]:
        """Who is not here although they are to play."""
        return () if self.is_begun else tuple(one.entry.name for one in self.sitters if one.is_away)


@dataclass(frozen=True, slots=True)
class PresenceRow:
    """Somebody who may be here. ``is_here`` None: nobody has said so yet."""

    entry: EntryRecord
    is_here: bool | None
    is_paired: bool
    has_list: bool

    @property
    def note(self) -> str:
        if self.is_here is False and not self.entry.is_guest:
            return "away"
        if self.has_list:
            return "list handed in"
        return "guest" if self.entry.is_guest else self.entry.warband_name or self.entry.army_name


@dataclass(frozen=True, slots=True)
class RoundPage:
    """Everything the page of a round is drawn from.

    Fixtures of a draft are there for organisers only.
    """

    event: ClubEventRecord
    round: RoundSummary
    rounds: tuple[RoundSummary, ...]
    ticks: tuple[PresenceRow, ...]
    fixtures: tuple[FixtureLine, ...]
    waiting: int

    @property
    def is_ticked(self) -> bool:
        """Whether only those who are ticked are paired."""
        return self.event.method == PairingMethod.PRESENT

    @property
    def games(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if not one.is_bye)

    @property
    def byes(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if one.is_bye)

    @property
    def mine(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if one.is_mine)

    @property
    def others(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if not one.is_mine)

    @property
    def here(self) -> tuple[PresenceRow, ...]:
        return tuple(
            one for one in self.ticks if one.is_here or (one.is_here is None and not self.is_ticked)
        )

    @property
    def guests_here(self) -> int:
        return sum(one.entry.is_guest for one in self.here)

    @property
    def members(self) -> int:
        return sum(not one.entry.is_guest for one in self.ticks)

    @property
    def members_here(self) -> int:
        return len(self.here) - self.guests_here

    @property
    def unpaired(self) -> tuple[PresenceRow, ...]:
        """Who is here and has neither a game nor a bye."""
        return tuple(one for one in self.here if not one.is_paired)

    @property
    def rematches(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.games if one.is_rematch)

    @property
    def without_table(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.games if one.table is None)

    @property
    def split(self) -> tuple[FixtureLine, ...]:
        """Games somebody is away from."""
        return tuple(one for one in self.games if one.away)

    @property
    def my_tick(self) -> PresenceRow | None:
        return next((one for one in self.ticks if one.entry.is_mine), None)

    @property
    def before(self) -> RoundSummary | None:
        return max(
            (one for one in self.rounds if one.number < self.round.number),
            key=_number,
            default=None,
        )

    @property
    def after(self) -> RoundSummary | None:
        return min(
            (one for one in self.rounds if one.number > self.round.number),
            key=_number,
            default=None,
        )

    @property
    def of(self) -> int:
        """How many rounds there will be; 0 where nobody knows."""
        return self.event.rounds_planned or (
            len(self.rounds) if self.event.method == PairingMethod.ROBIN else 0
        )

    @property
    def limit(self) -> int | None:
        return (
            self.event.points_limit if self.round.points_limit is None else self.round.points_limit
        )

    @property
    def may_be_drawn(self) -> bool:
        return (
            not self.round.is_shown
            and not self.event.is_finished
            and self.event.method != PairingMethod.CHALLENGE
        )

    @property
    def may_be_withdrawn(self) -> bool:
        return self.round.is_draft or (
            self.round.is_published and not any(one.is_begun for one in self.games)
        )

    def fixture(self, token: str) -> FixtureLine | None:
        return next((one for one in self.fixtures if one.token == token), None)


@dataclass(frozen=True, slots=True)
class SchedulePageRound:
    """A round of the schedule with its games in words, where the reader may see them."""

    round: RoundSummary
    fixtures: tuple[FixtureLine, ...]

    @property
    def games(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if not one.is_bye)

    @property
    def byes(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if one.is_bye)

    @property
    def open_games(self) -> int:
        return sum(one.status in OVERDUE for one in self.games)


@dataclass(frozen=True, slots=True)
class SchedulePage:
    """All rounds of an event."""

    event: ClubEventRecord
    rounds: tuple[SchedulePageRound, ...]


def _number(one: RoundSummary) -> int:
    return one.number


def load_round(
    actor: Owner, token: str, number: int, now: datetime | None = None
) -> RoundPage | None:
    """The page of a round, or None where there is none or the actor may not read the event.

    Six queries.
    """
    event = load_event(actor, token)
    if event is None:
        return None
    rounds = _rounds(event)
    asked = next((one for one in rounds.values() if one.number == number), None)
    if asked is None:
        return None
    entries = {one.id: one for one in load_entries(actor, event)}
    pk = next(key for key, one in rounds.items() if one is asked)
    ticks = dict(Presence.objects.filter(round_id=pk).values_list("entry_id", "is_here"))
    lists = dict(
        ListLock.objects.filter(round_id=pk, snapshot__isnull=False).values_list(
            "entry_id", "points"
        )
    )
    rows = list(
        Fixture.objects.filter(round__event_id=event.id).order_by("round__number", "position", "id")
    )
    drawn = _FixtureLines(
        entries,
        ticks,
        {} if event.is_secret and not event.may_organise else lists,
        now or timezone.now(),
    )
    shown = _may_see(event, asked)
    own = [row for row in rows if row.round_id == pk]
    paired = {entry for row in own for entry in (row.one_id, row.other_id, row.third_id) if entry}
    return RoundPage(
        event=event,
        round=asked,
        rounds=tuple(rounds.values()),
        ticks=tuple(
            PresenceRow(one, ticks.get(one.id), shown and one.id in paired, one.id in lists)
            for one in sorted(entries.values(), key=lambda one: (one.is_guest, one.id))
            if not one.is_dropped
        ),
        fixtures=tuple(drawn.line(row, is_shown=asked.is_shown) for row in own) if shown else (),
        waiting=sum(
            _is_waiting(row, rounds[row.round_id], drawn.now) for row in rows if row.round_id != pk
        ),
    )


def load_schedule(actor: Owner, token: str, now: datetime | None = None) -> SchedulePage | None:
    """Every round with its games, or None where the actor may not read the event. Four queries."""
    event = load_event(actor, token)
    if event is None:
        return None
    rounds = _rounds(event)
    entries = {one.id: one for one in load_entries(actor, event)}
    drawn = _FixtureLines(entries, {}, {}, now or timezone.now())
    games: dict[int, list[FixtureLine]] = {pk: [] for pk in rounds}
    for row in Fixture.objects.filter(round__event_id=event.id).order_by("position", "id"):
        if _may_see(event, rounds[row.round_id]):
            games[row.round_id].append(drawn.line(row, is_shown=rounds[row.round_id].is_shown))
    return SchedulePage(
        event, tuple(SchedulePageRound(one, tuple(games[pk])) for pk, one in rounds.items())
    )


def _may_see(event: ClubEventRecord, one: RoundSummary) -> bool:
    """A draft is the organisers'; the schedule of a round robin is everybody's from the beginning."""
    return (
        event.may_organise
        or one.is_shown
        or (one.is_planned and event.method == PairingMethod.ROBIN)
    )


def _rounds(event: ClubEventRecord) -> dict[int, RoundSummary]:
    rows = Round.objects.filter(event_id=event.id).order_by("number")
    return {
        row.pk: RoundSummary(
            number=row.number,
            name=str(row),
            status=row.status,
            starts_at=row.starts_at,
            lists_due_at=row.lists_due_at,
            points_limit=row.points_limit,
            scenarios=tuple(row.scenarios),
            seed=row.seed,
        )
        for row in rows
    }


def _is_waiting(row: Fixture, one: RoundSummary, now: datetime) -> bool:
    """Whether a game of a published round has no result that counts."""
    if not one.is_shown or row.is_friendly or row.other_id is None:
        return False
    return status_now(row.status, row.waits_until, now) in OVERDUE


@dataclass(frozen=True, slots=True)
class _FixtureLines:
    """What a fixture's line needs besides its row."""

    entries: Mapping[int, EntryRecord]
    ticks: Mapping[int, bool]
    lists: Mapping[int, int]
    now: datetime

    def line(self, row: Fixture, *, is_shown: bool) -> FixtureLine:
        ids = [pk for pk in (row.one_id, row.other_id, row.third_id) if pk is not None]
        winner = self.entries.get(row.winner_id or 0)
        return FixtureLine(
            token=row.token,
            table=row.table,
            sitters=tuple(self._sitter(pk, row.attacker_id) for pk in ids),
            scenario=row.scenario,
            scenario_name=row.scenario_name,
            reason=row.reason,
            is_rematch=row.is_rematch,
            is_kept=row.is_kept,
            is_friendly=row.is_friendly,
            plays_at=row.plays_at,
            status=status_now(
                row.status, row.waits_until, self.now, is_bye=is_shown and row.other_id is None
            ),
            winner=winner.name if winner else "",
            has_battle=row.battle_id is not None,
            is_decided=bool(row.decision),
        )

    def _sitter(self, pk: int, attacker: int | None) -> PresentEntry:
        entry = self.entries[pk]
        is_away = entry.is_dropped or self.ticks.get(pk) is False
        return PresentEntry(entry, self.lists.get(pk), pk == attacker, is_away)
