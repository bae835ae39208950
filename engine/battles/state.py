"""A battle while its events are folded: the only values here that change, and they never leave the
fold.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.battles.ground import FoldContext
from engine.battles.rules import BattleTest, CounterRule, Lasting, Moment, OutcomeRow
from engine.battles.types import Combatant, End, Side
from engine.records import Texts


class CombatantInPlay:
    """A combatant as it stands."""

    __slots__ = (
        "asks", "combatant", "counters", "marks", "put_out_by", "state", "taken", "turn_began", "wounds",
    )  # fmt: skip

    def __init__(self, combatant: Combatant, state: str, counters: dict[str, int]) -> None:
        """Put a combatant in its first state, with all Wounds and these counters."""
        self.combatant = combatant
        self.state = self.turn_began = state
        self.wounds = combatant.wounds
        self.counters = counters
        self.marks: set[str] = set()
        self.put_out_by: str | None = None
        self.asks: str | None = None
        self.taken: list[str] = []


@dataclass(slots=True)
class SideInPlay:
    """A side as it stands. ``rout_owed``: a Rout test was due as its latest own turn began."""

    side: Side
    men: list[CombatantInPlay]
    counters: dict[str, int]
    has_routed: bool = False
    rout_owed: bool = False
    rout_taken: bool = False
    rout_passed: bool | None = None
    taken: list[str] = field(default_factory=list)


@dataclass(slots=True)
class TestResult:
    """What a test came to."""

    score: int | None
    need: int | None
    passed: bool | None = None
    row: OutcomeRow | None = None


class BattleInPlay:
    """The whole battle as it stands.

    ``active``: the sides whose turn it is, none before the first turn event.

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
            men = [self._begun(one) for one in side.combatants]
            self.men.update((man.combatant.id, man) for man in men)
            begun = {rule.id: initial_count(rule) for rule in self.of_sides}
            self.flanks[side.id] = SideInPlay(side, men, begun)
        self.turn = 1
        self.active: Texts = ()
        self.side: str | None = None
        self.phase = self.rules.round_phase
        self.end: End | None = None
        self.begin("")

    def _begun(self, combatant: Combatant) -> CombatantInPlay:
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

    def out_of(self, flank: SideInPlay) -> int:
        """How many of a side are out."""
        return sum(man.state in self.tables.out for man in flank.men)

    def move(self, man: CombatantInPlay, to: str, by: str | None = None) -> None:
        """Put a combatant into a state, whatever the steps say; marks that it may not carry there
        fall off, and those that the state leaves behind are put on.
        """
        man.put_out_by = by if to in self.tables.out else None
        man.state, man.asks = to, None
        if man.marks:
            rules = self.rules.marks
            kept = {m for m in man.marks if not rules[m].when or to in rules[m].when}
            man.marks = set() if to in self.tables.gone else kept
        man.marks.update(self.tables.left_behind.get(to, ()))

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
            other for other in standing if self.out_of(other) < len(other.men)
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
