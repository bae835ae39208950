"""A battle while its events are folded: the tables and the field by key, and the values that
change.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from engine.battles.rules import (
    BattleRules,
    BattleTest,
    CounterRule,
    Lasting,
    Moment,
    OutcomeRow,
    StateChange,
)
from engine.battles.types import Combatant, End, Field, Side
from engine.records import NamedValues, TextByKey, Texts, grouped

# The tables and the field with everything looked up by key, made once for a fold.

Words = Mapping[str, str]
"""What may be written to the key that is meant: hyphens, underscores and spaces are alike, and so
are capitals.
"""


_MOMENTS = ("own_turn_start", "own_turn_end", "turn_end", "turn_change")


def comparison_key(word: str) -> str:
    """A key as it is compared."""
    return word.lower().replace("-", "_").replace(" ", "_")


def keys_by_spelling(keys: Collection[str]) -> TextByKey:
    """Each key, and each key as it is compared, to the key itself."""
    return {comparison_key(key): key for key in keys} | {key: key for key in keys}


class Tables:
    """A system's tables by key.

    ``out`` are the states that count as out, ``gone`` these and those of whoever else takes no
    further part. ``steps`` holds the change from one state to another, ``after`` the states that
    may follow one, ``becomes`` what changes by itself at a moment, ``left_behind`` the marks by the
    state that leaves them, ``guards`` what stands against an act, by its kind and what it names.
    """

    def __init__(self, rules: BattleRules) -> None:
        """Look up everything in the tables of these rules by key or by spelling."""
        self.states = keys_by_spelling(rules.states)
        self.phases = keys_by_spelling([phase.id for phase in rules.phases])
        self.marks = keys_by_spelling(rules.marks)
        self.counters = keys_by_spelling(rules.counters)
        self.tests = keys_by_spelling(rules.tests)
        self.endings = keys_by_spelling(rules.endings)
        self.steps: dict[tuple[str, str], StateChange] = {}
        for step in rules.steps:
            # Of two changes between the same states the first one counts.
            self.steps.setdefault((step.before, step.after), step)
        self.after = _following_states(rules)
        self.out = _ids_where("is_out", rules)
        self.gone = self.out | _ids_where("is_away", rules)
        self.becomes = _changes_by_moment(rules)
        marks = rules.marks.values()
        self.left_behind = grouped(
            (state, mark) for mark in marks for state in mark.left_by
        )
        self.carried = tuple(mark for mark in marks if mark.carries)
        self.ranks = {state: place for place, state in enumerate(rules.ranks, 1)}
        self.guards = grouped(act for guard in rules.guards for act in guard.acts)
        self.names = {state.id: lowered(state.name) for state in rules.states.values()}

    def rank(self, state: str) -> int:
        """How bad a state is: 0 for every one that no injury brings."""
        return self.ranks.get(state, 0)


def _following_states(rules: BattleRules) -> dict[str, list[str]]:
    """The other states that the steps lead to from each, in their order."""
    after: dict[str, list[str]] = {state: [] for state in rules.states}
    for step in rules.steps:
        states = after[step.before]
        if step.after != step.before and step.after not in states:
            states.append(step.after)
    return after


def _changes_by_moment(rules: BattleRules) -> dict[str, TextByKey]:
    """What each state becomes by itself, by the moment at which it does."""
    changes: dict[str, TextByKey] = {moment: {} for moment in _MOMENTS}
    for change in rules.becomes:
        changes[change.at][change.state] = change.to
    return changes


def _ids_where(flag: str, rules: BattleRules) -> frozenset[str]:
    """The ids of the states that have this flag."""
    return frozenset(key for key, state in rules.states.items() if getattr(state, flag))


def lowered(name: str) -> str:
    """A name inside a sentence."""
    return name[:1].lower() + name[1:]


@lru_cache(maxsize=64)
def tables(rules: BattleRules) -> Tables:
    """The tables of these rules, made once."""
    return Tables(rules)


class FoldContext:
    """Rules and field together, with the combatants and sides by id."""

    def __init__(self, rules: BattleRules, field: Field) -> None:
        """Take the rules and the field, and index its sides and combatants by id."""
        self.rules = rules
        self.tables = tables(rules)
        self.field = field
        self.sides: dict[str, Side] = {side.id: side for side in field.sides}
        self.combatants: dict[str, Combatant] = {
            fighter.id: fighter for side in field.sides for fighter in side.combatants
        }

    def own_figure(self, rule: BattleTest, payload: NamedValues) -> int | None:
        """Return the Leadership or Initiative a test is taken on; None for every other test."""
        if not rule.against or rule.of != "combatant":
            return None
        lender = self.combatants[payload.get("lent_by", payload["combatant"])]
        return lender.initiative if rule.against == "initiative" else lender.leadership

    def may_be_lent(self, rule: BattleTest, payload: NamedValues) -> bool:
        """Whether the combatant named may lend its Leadership, as far as it was locked."""
        lends, lender = self.rules.lends, self.combatants[payload["lent_by"]]
        if lends is None or rule.id not in lends.tests or not lender.is_leader:
            return False
        taker = self.combatants[payload["combatant"]]
        return lender.side == taker.side and lender.id != taker.id


# A battle while its events are folded: the only values here that change, and they never
# leave the fold.


class CombatantInPlay:
    """A combatant as it stands.

    ``fell``: it came to lie in this phase, by whose hand; ``worsened``: it has come to a worse
    state since its own turn began, and ``sank``: in this phase. ``phase_began`` and
    ``wounds_began``: its counters and Wounds as the phase began; ``phase_taken``: the tests it
    has taken in it, or since it last sank.
    """

    __slots__ = (
        "asks", "combatant", "counters", "fell", "felled_by", "marks", "name", "phase_began",
        "phase_taken", "put_out_by", "sank", "side_id", "state", "taken", "turn_began",
        "worsened", "wounds", "wounds_began",
    )  # fmt: skip

    def __init__(self, combatant: Combatant, state: str, counters: dict[str, int]) -> None:
        """Put a combatant in its first state, with all Wounds and these counters."""
        self.combatant = combatant
        self.name, self.side_id = combatant.name, combatant.side
        self.state = self.turn_began = state
        self.wounds = self.wounds_began = combatant.wounds
        self.counters = counters
        self.marks = set[str]()
        self.put_out_by: str | None = None
        self.asks: str | None = None
        self.fell = self.worsened = self.sank = False
        self.felled_by: str | None = None
        self.phase_began = dict(counters)
        self.phase_taken = set[str]()
        self.taken: list[str] = []


@dataclass(slots=True)
class SideInPlay:
    """A side as it stands. ``rout_owed``: a Rout test was due as its latest own turn began.

    It had lost ``rout_losses`` at its last Rout test, ``failed`` these tests since the turn
    number changed, and ``bought`` so much of a counter since the latest turn of anybody
    began. In this phase its men ``reached`` these states, its leader those of ``led_to``.
    """

    side: Side
    men: list[CombatantInPlay]
    counters: dict[str, int]
    has_routed: bool = False
    rout_owed: bool = False
    rout_taken: bool = False
    rout_passed: bool | None = None
    rout_losses: int = 0
    taken: list[str] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    bought: dict[str, int] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    led_to: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.side.name

    @property
    def side_id(self) -> str:
        return self.side.id


@dataclass(slots=True)
class TestResult:
    """What a test came to."""

    score: int | None
    need: int | None
    passed: bool | None = None
    row: OutcomeRow | None = None


class BattleInPlay:
    """The whole battle as it stands.

    ``active``: the sides whose turn it is, none before the first turn event. ``rows``: what
    was read off tables in this phase.

    ``event``, ``before``, ``step_source`` and ``result`` tell about the event in hand: its id, the
    state its combatant was in, where the rule of its step stands, what its test came to.
    """

    def __init__(self, ground: FoldContext) -> None:
        """Begin the battle of this field at turn 1, with no side active."""
        self.ground = ground
        self.rules = ground.rules
        self.tables = ground.tables
        counters = ground.rules.counters.values()
        self.of_men = [rule for rule in counters if rule.of == "combatant"]
        self.of_sides = [rule for rule in counters if rule.of == "side"]
        self.men: dict[str, CombatantInPlay] = {}
        self.flanks: dict[str, SideInPlay] = {}
        for side in ground.field.sides:
            men = [self._begin(fighter) for fighter in side.combatants]
            self.men.update((man.combatant.id, man) for man in men)
            begun = {rule.id: initial_count(rule) for rule in self.of_sides}
            self.flanks[side.id] = SideInPlay(side, men, begun)
        self.turn = 1
        self.active: Texts = ()
        self.side: str | None = None
        self.phase = self.rules.round_phase
        self.rows = set[str]()
        self.end: End | None = None
        self.begin("")

    def _begin(self, combatant: Combatant) -> CombatantInPlay:
        counters = {rule.id: initial_count(rule, combatant) for rule in self.of_men}
        return CombatantInPlay(combatant, self.rules.begins, counters)

    def begin(self, event: str) -> None:
        """Forget what was told about the event before; ``event`` is the id of the next."""
        self.event = event
        self.before: str | None = None
        self.step_source = ""
        self.result: TestResult | None = None

    def is_out(self, man: CombatantInPlay) -> bool:
        return man.state in self.tables.out

    def is_gone(self, man: CombatantInPlay) -> bool:
        """Whether a combatant takes no further part, out or not."""
        return man.state in self.tables.gone

    def count_out(self, flank: SideInPlay) -> int:
        """How many of a side are out."""
        return sum(man.state in self.tables.out for man in flank.men)

    def move(self, man: CombatantInPlay, to: str, by: str | None = None) -> None:
        """Put a combatant into a state, whatever the steps say, with the marks it has there."""
        tables, flank = self.tables, self.flanks[man.side_id]
        # The mark of a state that goes on below another is put on, or leads back to that state.
        for mark in tables.carried:
            if man.state == mark.carries and to in mark.when:
                man.marks.add(mark.id)
            elif mark.id in man.marks and to not in (*mark.when, *tables.gone):
                to = mark.carries
        flank.reached.add(to)
        if man.combatant.is_leader:
            flank.led_to.add(to)
        man.put_out_by = by if to in tables.out else None
        rank, before = tables.rank(to), tables.rank(man.state)
        if rank > before:
            man.worsened = man.sank = True
            man.phase_taken.clear()
            if not before:
                man.fell, man.felled_by = True, by
        man.state, man.asks = to, None
        self._fit_marks(man)

    def _fit_marks(self, man: CombatantInPlay) -> None:
        """Take off the marks that a state does not allow; put on those it leaves behind."""
        tables, rules, state = self.tables, self.rules.marks, man.state
        if man.marks:
            marks = {m for m in man.marks if not rules[m].when or state in rules[m].when}
            man.marks = set() if state in tables.gone else marks
        for mark in tables.left_behind.get(state, ()):
            if not mark.traits or set(mark.traits) & set(man.combatant.traits):
                man.marks.add(mark.id)

    def begin_phase(self, phase: str) -> None:
        """Begin a phase: nothing has happened in it yet."""
        self.phase, self.rows = phase, set()
        for flank in self.flanks.values():
            flank.reached, flank.led_to = set(), set()
        for man in self.men.values():
            man.fell, man.felled_by, man.sank = False, None, False
            man.phase_began, man.phase_taken = dict(man.counters), set()
            man.wounds_began = man.wounds

    def dice_due(
        self, rule: BattleTest, man: CombatantInPlay, cause: str | None
    ) -> int | None:
        """How many dice a combatant runs: its own, or a mark's; None if any will do."""
        marked = (self.rules.marks[key].flight for key in man.marks)
        flight = next(filter(None, marked), man.combatant.flight)
        if not rule.throws or flight is None:
            return None
        return flight - sum(entry.fewer for entry in rule.causes if entry.id == cause)

    def moment(self, at: Moment, sides: Iterable[str]) -> None:
        """What changes by itself for these sides when a moment comes."""
        becomes = self.tables.becomes[at]
        for key in sides if becomes else ():
            for man in self.flanks[key].men:
                if man.state in becomes:
                    self.move(man, becomes[man.state])

    def lapse(self, *lasting: Lasting) -> None:
        """Take off the marks that lasted so long, and start the counters anew."""
        gone = {mark.id for mark in self.rules.marks.values() if mark.lasts in lasting}
        of_men, of_sides = _lasting(self.of_men, lasting), _lasting(self.of_sides, lasting)
        for flank in self.flanks.values():
            flank.counters.update((rule.id, initial_count(rule)) for rule in of_sides)
            if "turn" in lasting:
                flank.bought.clear()
            if "round" in lasting:
                flank.failed.clear()
        for man in self.men.values():
            man.marks -= gone
        # Few counters last a turn, so the outer loop is over them.
        for rule in of_men:
            for man in self.men.values():
                man.counters[rule.id] = initial_count(rule, man.combatant)

    def lose(self, flank: SideInPlay) -> None:
        """A side has routed; where only one other is left, that one has won."""
        flank.has_routed = True
        # A side of which everybody is out wins only where no other side has anybody left either.
        standing = [other for other in self.flanks.values() if not other.has_routed]
        left = [
            other for other in standing if self.count_out(other) < len(other.men)
        ] or standing
        if len(left) < 2:
            winner = next((other.side.id for other in left), None)
            self.end = End(winner, "rout", flank.side.id, self.event)

    def legal(self, man: CombatantInPlay, to: str) -> bool:
        return (man.state, to) in self.tables.steps

    def state_name(self, man: CombatantInPlay) -> str:
        return self.tables.names[man.state]


def _lasting(rules: list[CounterRule], lasting: tuple[Lasting, ...]) -> list[CounterRule]:
    return [rule for rule in rules if rule.lasts in lasting]


def initial_count(rule: CounterRule, combatant: Combatant | None = None) -> int:
    """What a counter begins with."""
    if rule.begins == "models":
        return combatant.models if combatant else 0
    return rule.begins


def is_exempt(rule: BattleTest, combatant: Combatant) -> bool:
    """Whether failing the test leaves a combatant of this kind where it is."""
    return any(kind in rule.spares for kind in combatant.kinds)
