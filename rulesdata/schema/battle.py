"""The file battle.yaml: what a battle in a system records, and what follows by itself."""

from typing import Annotated, Any, Literal

from pydantic import Field

from engine.battles import guard_rules, rules
from engine.types.mechanics import Transition
from rulesdata.schema.base import (
    Count,
    Key,
    Marked,
    Name,
    NonEmpty,
    PairRecord,
    PrintedRecord,
    Sentence,
    State,
    StateKey,
    StrictModel,
    refers_to,
)

# A test may be thrown with a D20, which no table of charts.yaml is.
Throw = Annotated[str, Field(pattern=r"^[1-9]?D(3|4|6|10|20)$")]
OneDie = Annotated[str, Field(pattern=r"^D(3|4|6|10|20)$")]
Phase = Annotated[Key, refers_to("phase of this system", "phases")]
Test = Annotated[StateKey, refers_to("test of this file", "tests")]
Mark = Annotated[StateKey, refers_to("mark of this file", "marks")]
CounterKey = Annotated[StateKey, refers_to("counter of this file", "counters")]
MarkOrState = Annotated[StateKey, refers_to("mark or state", "marks", "states")]
Table = Annotated[Key, refers_to("table of charts.yaml", "tables")]
Amount = Annotated[int, Field(ge=0, le=9999)]
Score = Annotated[int, Field(ge=1, le=99)]
# A phase, and whose turn it is: ``recovery.own``, ``movement.enemy``, ``shooting``, ``.own``.
Moment = Annotated[str, Field(pattern=r"^[a-z-]*(\.(own|enemy))?$", max_length=60)]
Reason = Annotated[str, Field(pattern=r"^\S+( \S+){0,11}$", max_length=100)]
Lasting = Literal["battle", "round", "turn", "phase"]
Whose = Literal["combatant", "side"]
Pose = Literal[
    "stand", "hide", "flee", "rally", "down", "rise", "stun",
    "out", "left", "done", "charge", "broken", "stuck"
]  # fmt: skip
EndingKey = Literal["rout", "objective", "wiped_out", "conceded", "time", "drawn"]


class TurnRecord(StrictModel):
    """What a turn number is called, and the phases that a new number and any other player turn
    begin with.

    ``end_phase``: the phase taken once, when the round is over, and not in every player turn.
    """

    name: Name
    alternates: bool
    round_phase: Phase | None = None
    turn_phase: Phase | None = None
    end_phase: Phase | None = None


class BecomeRecord(PrintedRecord):
    """A state that changes by itself, when its side's turn starts or ends, or when the turn number
    changes.
    """

    engine_class = rules.Become
    state: State
    to: State
    at: Literal["own_turn_start", "own_turn_end", "turn_end", "turn_change"]


class MarkRecord(PrintedRecord):
    """A mark on a combatant: how long it stands, and in which states (left out: any that is not
    out).

    ``shown_by`` is a state that says the same, ``left_by`` are those that leave the mark behind to
    who has the ``traits``. ``carries`` is a state that goes on under those of ``when``.
    """

    engine_class = rules.MarkRule
    id: StateKey
    name: Name
    lasts: Lasting
    when: list[State] = []
    shown_by: State | None = None
    left_by: list[State] = []
    traits: list[StateKey] = []
    carries: State | None = None
    flight: Count | None = None
    not_with: list[Mark] = []
    ends: list[MarkOrState] = []


class CounterRecord(PrintedRecord):
    """A number kept for a combatant or a side, from ``least`` to ``most`` (left out: to its
    models).

    At ``out_at`` the combatant goes into the state ``out_to``; below ``warns_below`` the
    ``warning`` is shown.
    """

    engine_class = rules.CounterRule
    id: StateKey
    name: Name
    of: Whose
    begins: Amount | Literal["models"]
    least: Amount = 0
    most: Amount | None = None
    lasts: Lasting = "battle"
    out_at: Amount | None = None
    out_to: State | None = None
    warns_below: Amount | None = None
    warning: Sentence | None = None
    pays: CounterKey | None = None
    prices: list[Amount] = []


class ExtraRecord(StrictModel):
    """Further dice that may join a throw, and how many at most."""

    die: OneDie
    most: Count


# A test that only somebody may take whose counter is high enough.
class LeastRecord(PairRecord):
    counter: CounterKey
    least: Amount


class CauseRecord(StrictModel):
    """What may bring a test about."""

    engine_class = rules.TestCause
    id: StateKey
    name: Name
    fewer: Amount = 0


class LendRecord(StrictModel):
    """The tests that friends within so many inches of the leader may take on his
    Leadership, and the states in which he lends it to nobody.
    """

    engine_class = rules.LendRule
    within: Count
    tests: NonEmpty[Test]
    barred: list[State]
    source: Name


class BattleTestRecord(StrictModel):
    """A test that can be recorded.

    ``table`` names one of charts.yaml that its dice are read off. ``at_last_wound``: whoever loses
    its last Wound must take it.
    """

    engine_class = rules.BattleTest
    id: StateKey
    name: Name
    of: Whose
    dice: Throw
    passes: Literal["at_most", "at_least", "table", "none"]
    against: Literal["leadership", "initiative"] | None = None
    needs: Score | None = None
    extra: ExtraRecord | None = None
    takes: Literal["sum", "highest"] = "sum"
    rerolls: bool = False
    when: list[State] = []
    passes_to: State | None = None
    fails_to: State | None = None
    loses: bool = False
    spares: list[Key] = []
    asks: Test | None = None
    lapses: bool = False
    table: Table | None = None
    needs_counter: LeastRecord | None = None
    alone: list[Key] = []
    once: Marked = None
    sets: StateKey | None = None
    sets_from: Amount = 0
    at_last_wound: bool = False
    worsens: bool = False
    fails_on: Score | None = None
    throws: Literal["flight"] | None = None
    rerolls_near: list[StateKey] = []
    extra_from: CounterKey | None = None
    subtracts: Name | None = None
    leaves: list[Mark] = []
    causes: list[CauseRecord] = []
    note: Sentence | None = None
    source: Name

    def build(self, **others: Any) -> Any:
        """Make the test, with a number of sides for each of its dice."""
        count, _, sides = self.dice.rpartition("D")
        extra = self.extra
        return super().build(
            dice=(int(sides),) * int(count or 1),
            extra=int(extra.die[1:]) if extra else 0,
            extra_most=extra.most if extra else 0,
            **others,
        )


class PromptRecord(PrintedRecord):
    """One line of the order in which things are done in a phase, by the side on turn (own) or by
    all.

    With ``test`` and ``when`` it is offered for everybody in those states, with ``to`` and ``when``
    the step is; a side's ``test`` is offered when it is due; anything else is a reminder.
    """

    engine_class = guard_rules.Prompt
    phase: Phase | None = None
    text: Sentence
    whose: Literal["own", "all"] = "own"
    test: Test | None = None
    when: list[State] = []
    to: State | None = None
    must: bool = False
    traits: list[StateKey] = []
    others: list[Key] = []
    not_with: list[Mark] = []
    below: LeastRecord | None = None
    after: list[State] = []
    leader: bool = False
    enemies: list[StateKey] = []
    mark: Mark | None = None
    after_row: Name | None = None
    quarter: CounterKey | Literal["wounds"] | None = None
    friends: list[State] = []
    near: bool = False

    def build(self, **others: Any) -> Any:
        """Make the prompt, of no phase where it is for every one."""
        return super().build(phase=self.phase or "", **others)


class HurtRecord(StrictModel):
    """A Wound of these kinds that leaves a mark in its place, or ends them without a test."""

    engine_class = rules.HurtRule
    id: StateKey
    kinds: NonEmpty[Key]
    mark: Mark | None = None
    to: State | None = None
    source: Name


class StepBarRecord(PrintedRecord):
    """A state that nobody comes to in the turn that found them in another."""

    engine_class = guard_rules.StepBar
    id: StateKey
    began: State
    to: State


class GuardRecord(StrictModel):
    """What stands against acts: about whom it is, what must hold, and what it ``says`` otherwise.

    Acts are ``tests``, ``marks`` that are set, states to come ``to``, ``counters`` that rise and
    ``phases`` that begin. ``moments`` are ``recovery.own``, ``movement.enemy``, ``close-combat`` or
    ``.own``. ``felled``: only who fell in this phase by the same hand; only by another; by nobody;
    only who has come to no worse state since its own turn began; only who has in this phase.
    ``in_order``: no earlier phase.
    """

    engine_class = guard_rules.Guard
    id: StateKey
    says: Reason
    tests: list[Test] = []
    marks: list[Mark] = []
    to: list[State] = []
    counters: list[CounterKey] = []
    phases: list[Phase] = []
    before: list[State] = []
    during: list[Phase] = []
    kinds: list[Key] = []
    traits: list[StateKey] = []
    others: list[Key] = []
    moments: list[Moment] = []
    when: list[State] = []
    not_with: list[Mark] = []
    needs: list[Mark] = []
    wounds: Amount | None = None
    least: LeastRecord | None = None
    not_failed: Test | None = None
    felled: Literal["same", "other", "anybody", "nobody", "earlier", "now"] | None = None
    never: bool = False
    once: bool = False
    follow_up: bool = False
    untaken: Test | None = None
    began: list[State] = []
    until_row: Name | None = None
    next_turn: bool = False
    in_order: bool = False
    source: Name


class PartRecord(StrictModel):
    """What a scenario has for the side that plays the part of this id: no Rout test, or none while
    anybody of it is in a state.
    """

    engine_class = rules.PartRule
    id: Key
    takes_rout: bool = True
    waits_for: State | None = None
    source: Name


class StepRecord(PrintedRecord):
    """A step between states that a scenario has beside those of states.yaml."""

    engine_class = Transition
    id: StateKey
    before: NonEmpty[State]
    after: State
    by: Sentence


class BattleFile(StrictModel):
    """battle.yaml: turns, the states a battle begins, taps and ends with, marks, counters, tests
    and endings. ``away``, ``steps`` and ``parts`` are a scenario's. Rout is counted
    ``rout_by_points``, and tested ``rout_anew`` only after further losses, where that is agreed.
    """

    engine_class = rules.BattleRules
    turn: TurnRecord
    begins: State
    taps: Annotated[list[State], Field(min_length=3, max_length=5)]
    out: NonEmpty[State]
    poses: dict[State, Pose]
    becomes: list[BecomeRecord] = []
    marks: list[MarkRecord] = []
    counters: list[CounterRecord] = []
    tests: list[BattleTestRecord] = []
    prompts: list[PromptRecord] = []
    bars: list[StepBarRecord] = []
    guards: list[GuardRecord] = []
    hurts: list[HurtRecord] = []
    ranks: list[State] = []
    away: list[State] = []
    steps: list[StepRecord] = []
    parts: list[PartRecord] = []
    lends: LendRecord | None = None
    rout_by_points: bool = False
    rout_anew: bool = False
    endings: NonEmpty[EndingKey]
