"""What the readers of battles hand out: frozen values that know nothing of the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property

from battles.combatants import LockedCombatant
from battles.models import BattleStatus
from battles.results import ResultState, ResultStep
from engine.battles.battle_summary import Summary, summary
from engine.battles.rules import BattleRules
from engine.battles.types import (
    BattleState,
    CombatantState,
    Event,
    Field,
    SideState,
)
from engine.records import (
    NamedValues,
    Texts,
    frozen_dataclass,
    keyword_dataclass,
)
from engine.types.systems import Scenario
from rulesdata.agreements import PlayedRuling
from warbands.queries.records import RowsPage

NO_NAME = "a side without a name"


@keyword_dataclass
class SideHeader:
    """A side as lists name it.

    ``is_mine``: its warband is the reader's. ``points`` is None where nobody counts them.
    """

    key: str
    name: str
    army_name: str
    owner_name: str
    is_quick: bool
    size: int
    points: int | None
    is_mine: bool


@keyword_dataclass
class BattleSideRecord(SideHeader):
    """A side with everybody in it.

    ``is_secret``: its list is secret from the reader, who is told counts and results alone.
    ``state`` is what the events came to; ``warband`` the token of a roster the reader may open, or
    "".
    """

    army: str
    warband_id: int | None
    warband: str
    snapshot_id: int | None
    models: int
    leadership: int | None
    fighters: tuple[LockedCombatant, ...]
    state: SideState
    is_secret: bool = False

    @property
    def out(self) -> int:
        return self.state.out


@keyword_dataclass
class EventRecord(Event):
    """An event as it was stored.

    ``verdict``: "" it counts, "undone", or why it was set aside; ``author`` a name or "".

    ``position`` is the order of arrival; the order that counts is the fold's.
    """

    position: int
    author: str
    verdict: str


@keyword_dataclass
class ResultStepRecord(ResultStep):
    """One entry of the result's history.

    ``winner`` is a side's key, None for nobody.

    ``figures`` are what the events came to then: ``{"turn", "sides": {key: {"out", "size"}}}``.
    """

    # Readers know nobody as None, as everywhere in records; rows and rules as "".
    winner: str | None  # type: ignore[assignment]
    number: int
    figures: NamedValues
    author: str


@frozen_dataclass
class ResultRecord:
    """The result as it is now.

    ``status`` is open, proposed, confirmed, disputed or void; ``number`` how many steps.

    ``may_*`` say what this reader may do next; ``may_accept``: they confirm as an organiser.
    ``how_name`` is the ending in words.
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
    may_accept: bool = False

    @property
    def status_label(self) -> str:
        return str(BattleStatus(self.status).label)

    @property
    def stands(self) -> bool:
        """Whether it counts for records and careers."""
        return self.status == BattleStatus.CONFIRMED


@dataclass(frozen=True, kw_only=True)
class BattleHeader:
    """What lists and pages name a battle by."""

    token: str
    system: str
    system_name: str
    scenario_name: str
    sides: Sequence[SideHeader]
    visibility: str
    club_name: str
    fought_date: date

    @property
    def title(self) -> str:
        """The sides against each other: "The Ferrymen against Night Watch"."""
        return " against ".join(side.name or NO_NAME for side in self.sides)


@dataclass(frozen=True, kw_only=True)
class BattleRecord(BattleHeader):
    """A battle with everything in it, for the page, the report, the JSON and every export.

    ``key`` is the battle's key, empty for those who may not record. ``position`` counts the events
    stored, those that were set aside included. ``state`` is the fold of ``events`` under ``rules``.
    """

    key: str = field(repr=False)
    variant: str | None
    scenario: str | None
    scenario_record: Scenario | None
    house_rules: Mapping[str, bool]
    house_rule_names: Texts
    ruling_layers: NamedValues
    played_rulings: tuple[PlayedRuling, ...]
    note: str
    attacker: str
    first: str
    owner_name: str
    club_id: int | None
    confirm_days: int
    version: int
    position: int
    sides: tuple[BattleSideRecord, ...]
    rules: BattleRules
    field: Field
    events: tuple[EventRecord, ...]
    state: BattleState
    standing: ResultState
    result: ResultRecord
    may_record: bool
    may_share: bool
    may_organise: bool

    @cached_property
    def summary(self) -> Summary:
        """Timeline, casualties, kills, tests and dice, by a fold of its own."""
        return summary(self.rules, self.field, self.events)

    @property
    def is_closed(self) -> bool:
        """Whether no more events are taken: the result is final or void."""
        return self.result.status in (BattleStatus.CONFIRMED, BattleStatus.VOID)

    @cached_property
    def fighters(self) -> Mapping[str, LockedCombatant]:
        """Combatant id to combatant, of all sides."""
        return {fighter.id: fighter for side in self.sides for fighter in side.fighters}

    @property
    def open_sides(self) -> tuple[BattleSideRecord, ...]:
        """The sides without a list that this reader may still bring one for.

        Nothing is recorded yet, and no side is theirs.
        """
        has_begun = self.position or self.result.status != BattleStatus.OPEN
        if has_begun or not self.may_record or any(side.is_mine for side in self.sides):
            return ()
        return tuple(side for side in self.sides if side.is_quick and not side.owner_name)

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


@keyword_dataclass
class RowSide(SideHeader):
    """A side of a row: ``out`` of ``size`` are out; ``is_winner`` under the present result."""

    out: int
    is_winner: bool


@dataclass(frozen=True, kw_only=True)
class BattleRow(BattleHeader):
    """One line of a list of battles. ``turn_told`` is "turn 3", or empty before the first."""

    sides: tuple[RowSide, ...]
    status: str
    winner: str | None
    how: str
    how_name: str
    turn_told: str
    events: int
    is_mine: bool
    waits_for_me: bool
    confirm_by: datetime | None
    updated_at: datetime

    @property
    def status_label(self) -> str:
        return str(BattleStatus(self.status).label)


BattlePage = RowsPage[BattleRow]
