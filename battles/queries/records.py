"""What the readers of battles hand out: frozen values that know nothing of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any

from battles.combatants import LockedCombatant
from battles.models import BattleStatus
from battles.results import ResultState
from engine.battles import Summary, summary
from engine.battles.rules import BattleRules
from engine.battles.types import BattleState, CombatantState, Event, Field, SideState
from engine.types.systems import Scenario
from warbands.queries.records import RowsPage

NO_NAME = "a side without a name"


@dataclass(frozen=True, slots=True)
class BattleSideRecord:
    """A side.

    ``state`` is what the events came to; ``warband`` the token of a roster the reader may open, or
    "".

    ``is_mine``: its warband is the reader's. ``speaks``: the reader may speak for it when the
    result is told.
    """

    key: str
    position: int
    name: str
    army: str
    army_name: str
    warband_id: int | None
    warband: str
    snapshot_id: int | None
    owner_id: int | None
    owner_key: str = field(repr=False)
    owner_name: str
    is_quick: bool
    size: int
    models: int
    leadership: int | None
    points: int | None
    fighters: tuple[LockedCombatant, ...]
    state: SideState
    is_mine: bool
    speaks: bool

    @property
    def out(self) -> int:
        return self.state.out


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event as it was stored.

    ``verdict``: "" it counts, "undone", or why it was set aside; ``author`` a name or "".

    ``position`` is the order of arrival; the order that counts is the fold's.
    """

    id: str
    position: int
    device: str
    seq: int
    at: datetime
    kind: str
    payload: Mapping[str, Any]
    author: str
    received_at: datetime
    verdict: str

    @property
    def counts(self) -> bool:
        return not self.verdict


@dataclass(frozen=True, slots=True)
class ResultStepRecord:
    """One entry of the result's history.

    ``winner`` is a side's key, None for nobody; ``side`` for whom it was said.

    ``figures`` are what the events came to then: ``{"turn", "sides": {key: {"out", "size"}}}``.
    """

    number: int
    verb: str
    side: str
    winner: str | None
    how: str
    reason: str
    figures: Mapping[str, Any]
    confirm_by: datetime | None
    is_silent: bool
    author: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """The result as it is now.

    ``status`` is open, proposed, confirmed, disputed or void; ``number`` how many steps.

    ``may_*`` say what this reader may do next. ``how_name`` is the ending in words.
    """

    status: str
    winner: str | None
    winner_name: str
    how: str
    how_name: str
    side: str
    confirm_by: datetime | None
    number: int
    steps: tuple[ResultStepRecord, ...]
    may_propose: bool
    may_confirm: bool
    may_dispute: bool
    may_correct: bool
    may_void: bool
    may_restore: bool

    @property
    def status_label(self) -> str:
        return str(BattleStatus(self.status).label)

    @property
    def stands(self) -> bool:
        """Whether it counts for records and careers."""
        return self.status == BattleStatus.CONFIRMED

    @property
    def is_drawn(self) -> bool:
        return self.status != BattleStatus.OPEN and self.winner is None


@dataclass(frozen=True)
class BattleRecord:
    """A battle with everything in it, for the page, the report, the JSON and every export.

    ``key`` is the battle's key, empty for those who may not record. ``position`` counts the events
    stored, those that were set aside included. ``state`` is the fold of ``log`` under ``rules``.
    """

    id: int
    token: str
    key: str = field(repr=False)
    system: str
    variant: str | None
    system_name: str
    scenario: str | None
    scenario_name: str
    scenario_record: Scenario | None
    house_rules: Mapping[str, bool]
    house_rule_names: tuple[str, ...]
    note: str
    attacker: str
    first: str
    fought_date: date
    visibility: str
    owner_id: int | None
    owner_key: str = field(repr=False)
    owner_name: str
    club_id: int | None
    club_name: str
    confirm_days: int
    version: int
    position: int
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    sides: tuple[BattleSideRecord, ...]
    rules: BattleRules
    field: Field
    events: tuple[EventRecord, ...]
    log: tuple[Event, ...]
    state: BattleState
    standing: ResultState
    result: ResultRecord
    may_record: bool
    may_share: bool
    may_organise: bool
    takes_part: bool

    @cached_property
    def summary(self) -> Summary:
        """Timeline, casualties, kills, tests and dice, out of the same fold."""
        return summary(self.rules, self.field, self.log)

    @property
    def title(self) -> str:
        """The sides against each other: "The Ferrymen against Night Watch"."""
        return " against ".join(side.name or NO_NAME for side in self.sides)

    @property
    def is_closed(self) -> bool:
        """Whether no more events are taken: the result stands or was made void."""
        return self.result.status in (BattleStatus.CONFIRMED, BattleStatus.VOID)

    @cached_property
    def fighters(self) -> Mapping[str, LockedCombatant]:
        """Combatant id to combatant, of all sides."""
        return {fighter.id: fighter for side in self.sides for fighter in side.fighters}

    def side(self, key: str | None) -> BattleSideRecord | None:
        return next((side for side in self.sides if side.key == key), None)

    def side_name(self, key: str | None) -> str:
        """The name of a side, "" for none."""
        side = self.side(key)
        return side.name if side else ""

    def combatant_name(self, key: str | None) -> str:
        """The name of a combatant, "" for none."""
        fighter = self.fighters.get(key or "")
        return fighter.name if fighter else ""

    def combatant_state(self, key: str) -> CombatantState:
        return self.state.combatants[key]


@dataclass(frozen=True, slots=True)
class RowSide:
    """A side as a list names it.

    ``out`` of ``size`` are out; ``is_winner`` under the present result.
    """

    key: str
    name: str
    army_name: str
    owner_name: str
    size: int
    out: int
    points: int | None
    is_quick: bool
    is_mine: bool
    is_winner: bool


@dataclass(frozen=True, slots=True)
class BattleRow:
    """One line of a list of battles. ``turn_told`` is "turn 3", or empty before the first."""

    token: str
    system: str
    system_name: str
    scenario_name: str
    sides: tuple[RowSide, ...]
    status: str
    winner: str | None
    how: str
    how_name: str
    turn_told: str
    events: int
    visibility: str
    club_name: str
    is_mine: bool
    waits_for_me: bool
    confirm_by: datetime | None
    fought_date: date
    updated_at: datetime

    @property
    def title(self) -> str:
        return " against ".join(side.name or NO_NAME for side in self.sides)

    @property
    def status_label(self) -> str:
        return str(BattleStatus(self.status).label)


BattlePage = RowsPage[BattleRow]
