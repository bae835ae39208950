"""What the fold of a battle goes by: one system's states and steps, marks, counters, tests and
endings, as tables.

All of it comes from the rule packs and nothing else decides: the browser is sent the same tables
(``to_json``) and folds the same events to the same state. Keys of states, marks, counters and tests
are written with underscores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from engine.battles.guard_rules import Guard, Prompt, StepBar
from engine.battles.sentences import LIMITS, SENTENCES
from engine.records import JsonObject, NamedValues, Numbers, Texts, frozen_dataclass

PLAYED = "played"
ENDINGS = {
    PLAYED: ("Played out", True),
    "rout": ("Rout", True),
    "objective": ("Objective", True),
    "wiped_out": ("Wiped out", True),
    "conceded": ("Conceded", True),
    "time": ("Time", True),
    "drawn": ("Drawn", False),
}
"""How a battle may end: the name, and whether somebody wins.

A system lists those it knows; played out is known to each, for slips seldom say more.
"""

Lasting = Literal["battle", "round", "turn", "phase"]
"""How long a mark or counter stands: until the battle, the turn number, any player's turn or the
phase is over.
"""

Moment = Literal["own_turn_start", "own_turn_end", "turn_end", "turn_change"]


def to_json(value: Any) -> Any:
    """Dataclasses and mappings become dicts, tuples lists; everything else stays as it is."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {key: to_json(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_json(inner) for inner in value]
    return value


@frozen_dataclass
class StateRule:
    """A state of a combatant.

    ``pose`` names the symbol it is drawn with; ``is_out`` counts it as out. ``is_away``: it
    takes no further part either, but is no casualty and does not count for Rout.
    """

    id: str
    name: str
    summary: str
    pose: str
    is_out: bool
    is_away: bool = False


@frozen_dataclass
class StateChange:
    """One legal step from a state to another, by what, and where the rule stands."""

    before: str
    after: str
    by: str
    source: str = ""


@frozen_dataclass
class PhaseRule:
    id: str
    name: str
    summary: str


@frozen_dataclass
class Become:
    """A state that changes by itself: ``state`` becomes ``to`` when the moment comes."""

    state: str
    to: str
    at: Moment
    source: str = ""


@frozen_dataclass
class MarkRule:
    """A mark on a combatant.

    ``when``: the states it may stand in (empty: every state that is not out).

    It is taken off in any other. ``shown_by`` is a state that says the same: whoever is in
    it is shown with the mark. ``left_by`` are states that leave the mark behind: whoever
    comes into one, and has one of the ``traits``, carries it from then on. ``carries`` is a
    state that goes on under those of ``when``: whoever comes from it takes the mark, and
    comes back to it in any other. ``flight``: with it, so many D6 are thrown for a flight.
    ``not_with``: marks that bar it, for who ran does not shoot. ``ends``: marks and states
    that are over when it is set, for who shoots hides no longer.
    """

    id: str
    name: str
    lasts: Lasting
    when: Texts = ()
    shown_by: str = ""
    left_by: Texts = ()
    traits: Texts = ()
    not_with: Texts = ()
    ends: Texts = ()
    carries: str = ""
    flight: int | None = None
    source: str = ""


@frozen_dataclass
class CounterRule:
    """A number kept for a combatant or a side.

    ``begins`` is a number, or "models" for as many as the combatant has. ``most`` None: no upper
    limit but the models. At ``out_at`` the combatant is put into the state ``out_to``. Below
    ``warns_below`` the sentence ``warning`` is due. What it rises by in one turn is paid from the
    counter ``pays``: one costs the first of the ``prices``, two together the second, and so on.
    """

    id: str
    name: str
    of: Literal["combatant", "side"]
    begins: int | Literal["models"]
    least: int
    most: int | None = None
    lasts: Lasting = "battle"
    out_at: int | None = None
    out_to: str = ""
    warns_below: int | None = None
    warning: str = ""
    pays: str = ""
    prices: Numbers = ()
    source: str = ""


@frozen_dataclass
class OutcomeRow:
    """One row of a test that is read off a table: totals ``first`` to ``last``; ``to`` is a state,
    or empty.
    """

    first: int
    last: int
    name: str
    to: str = ""


@frozen_dataclass
class TestCause:
    """What may bring a test about: told before the dice, and kept with the test.

    ``fewer``: by it, so many dice fewer are thrown.
    """

    id: str
    name: str
    fewer: int = 0


@frozen_dataclass
class LendRule:
    """Who may take which ``tests`` on the leader's Leadership: friends within so many
    inches of him, while he is in none of the states ``barred``.
    """

    within: int
    tests: Texts
    barred: Texts
    source: str = ""


@frozen_dataclass
class BattleTest:
    """A test that can be recorded.

    ``dice`` are the sides of the dice always thrown; up to ``extra_most`` dice of ``extra`` sides
    may join them. ``takes``: their sum, or the highest. ``rerolls``: the throw may be repeated
    once, and the last one counts. ``passes``: at most or at least the score needed (``needs``, or
    the Leadership when ``against`` is "leadership"), or "table" (``rows``), or "none" where nothing
    is at stake. A modifier is added to the score needed (at_most) or to the total (all others).
    ``when``: the states it is taken in (empty: every state that is not out). ``passes_to``,
    ``fails_to``: states it leads to where the steps allow them; ``loses``: failing it loses the
    battle. ``spares``: kinds of combatants that failing does not move; ``asks`` is the test that
    whoever fails and is not moved takes then. ``lapses``: who owes it as a turn ends owes it no
    more. ``needs_counter``: a counter of the combatant that must stand at least that high, but
    not of the kinds in ``alone``. ``once``: a combatant takes it once in a turn.
    ``sets``: the side's counter that the total is written into, 0 where the total is below
    ``sets_from``. ``at_last_wound``: it is asked of whoever loses its last Wound. ``worsens``: it
    leads to no better state than the one it finds. ``fails_on``: a score that never passes.
    ``throws``: as many dice as its taker has for that, no more and no fewer. ``rerolls_near``: only
    with somebody of these traits on its side. ``extra_from``: the side's counter that further dice
    use up. ``subtracts``: what the modifier is called, which only makes it harder. ``leaves``:
    marks that whoever does not pass it carries from then on. ``note`` is told before the dice.
    """

    id: str
    name: str
    of: Literal["combatant", "side"]
    dice: Numbers
    passes: Literal["at_most", "at_least", "table", "none"]
    against: Literal["leadership", "initiative", ""] = ""
    needs: int | None = None
    extra: int = 0
    extra_most: int = 0
    takes: Literal["sum", "highest"] = "sum"
    rerolls: bool = False
    when: Texts = ()
    passes_to: str = ""
    fails_to: str = ""
    loses: bool = False
    spares: Texts = ()
    asks: str = ""
    lapses: bool = False
    rows: tuple[OutcomeRow, ...] = ()
    needs_counter: tuple[str, int] | None = None
    alone: Texts = ()
    once: bool = False
    sets: str = ""
    sets_from: int = 0
    at_last_wound: bool = False
    worsens: bool = False
    fails_on: int | None = None
    throws: Literal["flight", ""] = ""
    rerolls_near: Texts = ()
    extra_from: str = ""
    subtracts: str = ""
    leaves: Texts = ()
    causes: tuple[TestCause, ...] = ()
    note: str = ""
    source: str = ""

    def die_sides(self, count: int) -> Numbers:
        """Return the sides of so many dice thrown for it: with a second throw, or further dice.

        The dice always thrown where it cannot be thrown with so many.
        """
        further = count - len(self.dice)
        if not count:
            return ()
        if self.rerolls and further == len(self.dice):
            return self.dice * 2
        if 0 <= further <= self.extra_most:
            return (*self.dice, *(self.extra,) * further)
        return self.dice

    def score(self, dice: Sequence[int]) -> int:
        """Return the sum or the highest of the dice; of a repeated throw only the last counts."""
        if self.rerolls:
            dice = dice[-len(self.dice) :]
        return max(dice) if self.takes == "highest" else sum(dice)

    def is_passed(self, dice: Sequence[int], need: int, modifier: int) -> bool:
        """Return whether the dice come to the score needed, under a modifier."""
        score = self.score(dice)
        return score != self.fails_on and (
            score <= need + modifier
            if self.passes == "at_most"
            else score + modifier >= need
        )

    def further(self, payload: NamedValues) -> int:
        """Return how many further dice of a throw a counter of the side pays for."""
        return (
            max(0, len(payload.get("dice", ())) - len(self.dice)) if self.extra_from else 0
        )

    def row(self, dice: Sequence[int], modifier: int) -> OutcomeRow | None:
        """Return the row the dice come to; beyond the table the first or the last one counts."""
        if not self.rows:
            return None
        total = self.score(dice) + modifier
        return next((row for row in self.rows if total <= row.last), self.rows[-1])


@frozen_dataclass
class HurtRule:
    """A Wound of combatants of these ``kinds`` that does something else: the first one lost
    leaves a ``mark`` and costs nothing, the last one brings them ``to`` a state, without
    a test.
    """

    id: str
    kinds: Texts
    mark: str = ""
    to: str = ""
    source: str = ""


@frozen_dataclass
class RoutTable:
    """When Rout is due and who lends the Leadership: not a leader in ``leader_barred``, not another
    in ``others_barred``. ``test`` is the id of the test. ``voluntary_from``: with so many out a
    side may ask for one. ``by_points``: points are counted, where they are known. ``anew``: one
    is due only after losses since the last.
    """

    numerator: int
    denominator: int
    test: str
    leader_barred: Texts
    others_barred: Texts
    voluntary_from: int | None = None
    by_points: bool = False
    anew: bool = False
    source: str = ""


@frozen_dataclass
class PartRule:
    """What a scenario has for the side that plays this part in it.

    ``takes_rout`` false: no Rout test ever. ``waits_for``: none while anybody is in that state.
    """

    id: str
    takes_rout: bool = True
    waits_for: str = ""
    source: str = ""


@frozen_dataclass
class Ending:
    """A way a battle ends. ``has_winner``: whether somebody wins by it, or nobody."""

    id: str
    name: str
    has_winner: bool

    @property
    def words_without_winner(self) -> str:
        """What it is as an answer to who won: "Draw", or with how it came to one."""
        name = self.name.lower()
        return "Draw" if name == "drawn" else f"Draw: {name}"


@dataclass(frozen=True, kw_only=True, eq=False)
class BattleRules:
    """One system's tables, or those of one variant of it.

    ``begins`` is the state everybody starts in, ``taps`` the states a tap steps through.
    ``round_phase`` is where a new turn number begins, ``turn_phase`` where any other player turn
    does; ``end_phase`` is taken once, when the round is over, and by nobody's turn (empty: there is
    none). ``ranks``: the states that injuries bring, the worst last.
    """

    system: str
    variant: str | None
    name: str
    turn_name: str
    alternates: bool
    begins: str
    taps: Texts
    states: Mapping[str, StateRule]
    steps: tuple[StateChange, ...]
    phases: tuple[PhaseRule, ...]
    round_phase: str
    turn_phase: str
    end_phase: str = ""
    becomes: tuple[Become, ...] = ()
    marks: Mapping[str, MarkRule] = field(default_factory=dict)
    counters: Mapping[str, CounterRule] = field(default_factory=dict)
    tests: Mapping[str, BattleTest] = field(default_factory=dict)
    prompts: tuple[Prompt, ...] = ()
    endings: Mapping[str, Ending] = field(default_factory=dict)
    rout: RoutTable | None = None
    bars: tuple[StepBar, ...] = ()
    parts: Mapping[str, PartRule] = field(default_factory=dict)
    lends: LendRule | None = None
    guards: tuple[Guard, ...] = ()
    hurts: tuple[HurtRule, ...] = ()
    ranks: Texts = ()

    def usual_ending(self, *, has_winner: bool) -> str:
        """How a battle ended where nobody says: its first such ending, "" where it has none."""
        endings = (end.id for end in self.endings.values() if end.has_winner == has_winner)
        return next(endings, "")

    @property
    def last_wound_test(self) -> BattleTest | None:
        """The test that whoever loses its last Wound must take."""
        return next((test for test in self.tests.values() if test.at_last_wound), None)

    @property
    def can_record(self) -> bool:
        """Whether battles can be recorded, not only their results: battle.yaml names the taps."""
        return bool(self.taps)

    def to_json(self) -> JsonObject:
        """The same tables as plain JSON, which the browser folds by; sentences and limits come
        along.
        """
        # Guards and prompts say little of what they may say: what is as by default is left out.
        short = {
            name: [
                {
                    f.name: to_json(getattr(record, f.name))
                    for f in fields(record)
                    if f.name != "source" and getattr(record, f.name) != f.default
                }
                for record in records
            ]
            for name, records in (("guards", self.guards), ("prompts", self.prompts))
        }
        texts = {"sentences": dict(SENTENCES), "limits": dict(LIMITS)}
        return {**to_json(self), **short, **texts}
