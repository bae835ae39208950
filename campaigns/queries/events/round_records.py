"""What the readers of rounds hand out: a round, who is here for it, its games, and the whole schedule."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from campaigns.models import FixtureStatus, PairingMethod, RoundStatus
from campaigns.queries.events.records import ClubEventRecord, EntryRecord
from campaigns.queries.events.tables import SHOWN

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
    """Somebody at a table. ``points`` are those of the list that was handed in for the round, None without one."""

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
    """Everything the page of a round is drawn from. Fixtures of a draft are there for organisers only."""

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
