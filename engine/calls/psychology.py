"""Tests of Initiative and Leadership, and what hangs on them (Rout, All Alone, stupidity), with
their calls.
"""

from collections.abc import Iterable

from engine.calls import explain
from engine.calls.questions import (
    GROUPS_MAX,
    MODELS_MAX,
    SAVE,
    VALUES_MAX,
    WOUNDS,
    Call,
    Inputs,
    OutcomeTable,
    Question,
    Spread,
    Steps,
    Value,
    characteristic,
    choice,
    flag,
    group,
    number,
    several,
)
from engine.combat.fighters import (
    GONE,
    HELPLESS,
    STATES,
    Attacker,
    CasualtyCount,
    Target,
    name_outcome,
)
from engine.combat.hits import Strike, hit_with, strike_with
from engine.dice import Dice, Meaning, Rule, as_series, at_most, change_faces
from engine.errors import Refusal
from engine.records import Fields, Texts, frozen_dataclass
from engine.rules import CombatRules

TURNS_MAX = 20


@frozen_dataclass
class InitiativeTest:
    """A D6 at or below Initiative, several at once if need be: all must pass.

    ``six_fails``: ruling C14.

    Source: Mordheim draft, CHARGE!; Mordheim rulings, Glossary; ruling G05.
    """

    initiative: int
    six_fails: bool
    count: int = 1

    @property
    def most(self) -> int:
        """The highest face that passes: a model of Initiative 6 always does where a 6 may pass."""
        return min(self.initiative, 5 if self.six_fails else 6)

    def play(self, dice: Dice, state: None) -> bool:
        faces = dice.pool(self.count, 6, at_most(self.most, "Initiative test"))
        return all(face <= self.most for face in faces)


@frozen_dataclass
class LeadershipTest:
    """Dice at or below Leadership; ``reroll`` throws a failed test once more (Royal Standard).

    Source: Warhammer Skirmish, ALL ALONE; English Civil War, PANIC, GENERAL AND BATTLE STANDARD;
    ruling C22.
    """

    leadership: int
    dice_thrown: int
    reroll: bool = False
    why: str = "Leadership test"

    def play(self, dice: Dice, state: None) -> bool:
        return self._passes(dice, self.why) or (
            self.reroll and self._passes(dice, f"{self.why}, second roll")
        )

    def _passes(self, dice: Dice, why: str) -> bool:
        thrown = (6,) * self.dice_thrown
        return dice.total(thrown, at_most(self.leadership, why)) <= self.leadership


def initiative_rule(rules: CombatRules, initiative: int, count: int = 1) -> InitiativeTest:
    """Initiative tests of a system that has them."""
    return InitiativeTest(initiative, bool(rules.tests.natural_6_fails_initiative), count)


def leadership_rule(
    rules: CombatRules,
    leadership: int,
    *,
    reroll: bool = False,
    why: str = "Leadership test",
) -> LeadershipTest:
    """A Leadership test with the system's dice."""
    return LeadershipTest(leadership, rules.tests.leadership_dice, reroll, why)


def rout_due(rules: CombatRules, size: int, out: int) -> bool:
    """Whether a side of ``size`` starting models tests with ``out`` of them out of action or fled
    off the table.

    Source: Warhammer Skirmish, THE ROUT TEST; ruling G20. A system without the test never calls
    one.
    """
    # The part is compared as products: a quarter of seven models is no whole number.
    rout = rules.morale.rout_played if rules.morale else None
    return rout is not None and rout.denominator * out >= rout.numerator * size


def may_test_voluntarily(rules: CombatRules, out: int) -> bool:
    """Whether a side may ask for a Rout test that is not due.

    Source: Mordheim rulings, The phases; ruling C23.
    """
    morale = rules.morale
    rout = morale.rout_played if morale else None
    return bool(
        morale and rout and morale.voluntary_rout_test and out >= rout.voluntary_from
    )


def rout_leadership(
    rules: CombatRules, leader: Fields | None, others: Iterable[Fields]
) -> int | None:
    """The Leadership of a Rout test: the leader's, or the best of the others, or None where nobody
    can lend it. Each is a model's Leadership and its state.

    Only a stunned leader, or one who is out or off the table, lends nothing; one who is down or
    flees still does (G19). Source: Warhammer Skirmish, THE ROUT TEST; rulings G18, G19.
    """
    barred = GONE if rules.morale.leader_down_lends else HELPLESS
    if leader and leader["state"] not in barred:
        return int(leader["leadership"])
    able = (other["leadership"] for other in others if other["state"] not in GONE)
    return max(able, default=None)


@frozen_dataclass
class RoutTests:
    """So many Rout tests, each at the start of an own turn; the first failed one ends the game."""

    test: LeadershipTest
    tests: int

    def play(self, dice: Dice, state: None) -> str:
        is_passed = all(dice.run(self.test, None) for _ in range(self.tests))
        return "fight_on" if is_passed else "rout"


@frozen_dataclass
class AllAlone:
    """Alone among enemies: a test, and if it fails one hit by each opponent as the model turns to
    run.

    The hits land at once, on a model that stands; a critical each, as far as the system goes
    (ruling G17). Who is still up flees, wounded or not. Source: Warhammer Skirmish, ALL ALONE;
    Mordheim rulings, Panic!
    """

    test: LeadershipTest
    hits: tuple[Strike, ...]
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        """Return "holds", "flees", or the injury from the hits as the model runs."""
        if dice.run(self.test, None):
            return "holds"
        hits = as_series(PartingHit(hit) for hit in self.hits)
        tally = dice.series(hits, CasualtyCount(self.wounds))
        return name_outcome(tally, self.wounds) if tally.injury else "flees"


@frozen_dataclass
class PartingHit:
    """One opponent's automatic hit on a model that breaks off."""

    strike: Strike

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        return dice.run(self.strike, tally)._replace(critical_used=False)


@frozen_dataclass
class Stupidity:
    """A stupid model outside combat: a test, and if it fails a D6 for what it does instead.

    Source: Mordheim rulings, The phases (Stupidity test).
    """

    test: LeadershipTest
    instead: Texts

    def play(self, dice: Dice, state: None) -> str:
        """Return "acts_normally", or what a failed test makes the model do instead."""
        if dice.run(self.test, None):
            return "acts_normally"
        rows = self.instead
        cuts = change_faces(rows)
        names = tuple(rows[face - 1].replace("_", " ") for face in (1, *cuts))
        if not cuts:
            return rows[0]
        return rows[dice.roll(6, Meaning("stupidity", cuts, names)) - 1]


@frozen_dataclass
class PassFail:
    """A test with its two outcomes named."""

    test: Rule[None, bool]
    passed: str = "pass"
    failed: str = "fail"

    def play(self, dice: Dice, state: None) -> str:
        return self.passed if dice.run(self.test, None) else self.failed


def _initiative_test(rules: CombatRules, inputs: Inputs) -> Question:
    test = initiative_rule(rules, inputs.initiative)
    return Spread(PassFail(test), (_initiative_step(rules),))


def _initiative_table(rules: CombatRules, inputs: Inputs) -> Question:
    rows = {f"pass_i_{value}": initiative_rule(rules, value) for value in inputs.values}
    return OutcomeTable(rows, (_initiative_step(rules),))


def _initiative_step(rules: CombatRules) -> str:
    six = initiative_rule(rules, 6).six_fails
    return "A D6, Initiative or less passes" + ("; a 6 always fails." if six else ".")


def _leadership_test(rules: CombatRules, inputs: Inputs) -> Question:
    test = leadership_rule(rules, inputs.leadership, reroll=inputs.reroll_failed)
    step = f"{_dice(rules)}, {inputs.leadership} or less passes."
    return Spread(PassFail(test), (step, *again_steps(inputs)))


def again_steps(inputs: Inputs) -> Steps:
    """The step of a test that may be taken twice."""
    return ("A failed test is rolled once more.",) if inputs.reroll_failed else ()


def _leadership_table(rules: CombatRules, inputs: Inputs) -> Question:
    rows = {f"pass_ld_{value}": leadership_rule(rules, value) for value in inputs.values}
    return OutcomeTable(rows, (f"{_dice(rules)}, Leadership or less passes.",))


def _dice(rules: CombatRules) -> str:
    return explain.dice_text(rules.tests.leadership_dice)


def _rout_test(rules: CombatRules, inputs: Inputs) -> Question:
    """Whether a Rout test is due, and the odds that the force fights on.

    Raises Refusal where more models are out than the force has.
    """
    size, out, turns = inputs.force_size, inputs.out_of_action, inputs.turns
    if out > size:
        message = f"out_of_action: at most the {size} models of force_size."
        raise Refusal(message, field="out_of_action")
    if not rout_due(rules, size, out):
        steps = [f"{out} of {size} are out: no Rout test is due."]
        if may_test_voluntarily(rules, out):
            steps.append("It may ask for one all the same.")
        return Spread(CertainOutcome("fight_on"), tuple(steps), {"test_required": False})
    used = rout_leadership(rules, inputs.leader, inputs.others)
    due = f"{out} of {size} are out: a Rout test is due"
    values: dict[str, Value] = {"test_required": True, "leadership_used": used}
    if used is None:
        step = f"{due}, and nobody can lend Leadership: it is failed."
        return Spread(CertainOutcome("rout"), (step,), values)
    # Whether a side tests in every turn or only after new losses: ruling G21.
    tests = turns if rules.morale.rout_every_turn else 1
    if tests > 1:
        due += f", in each of {turns} turns"
    elif turns > 1:
        due += ", and in no later turn without new losses"
    rule = RoutTests(leadership_rule(rules, used, why="Rout test"), tests)
    return Spread(rule, (f"{due}.", f"{_dice(rules)}, {used} or less to fight on."), values)


@frozen_dataclass
class CertainOutcome:
    """What needs no dice."""

    outcome: str

    def play(self, dice: Dice, state: None) -> str:
        return self.outcome


def _all_alone(rules: CombatRules, inputs: Inputs) -> Question:
    """All Alone against opponents of these Strengths.

    Their hits land at once; where it matters whose wound takes the last Wound, the strongest
    opponent's counts first.
    """
    target = Target(1, inputs.toughness, inputs.wounds, inputs.save)
    holds = f"{_dice(rules)}, {inputs.leadership} or less holds"
    steps = [f"{holds}; otherwise each opponent lands one hit as the model runs."]
    strikes: list[Strike] = []
    for strength in sorted(set(inputs.opponents), reverse=True):
        opponent, is_critical = Attacker(1, strength), rules.morale.parting_criticals
        hit = hit_with(rules, opponent, target, critical_available=is_critical)
        steps += explain.wound_and_save_steps(rules, opponent, target, hit)
        strikes += [strike_with(rules, hit)] * inputs.opponents.count(strength)
    test = leadership_rule(rules, inputs.leadership, why="All Alone test")
    rule = AllAlone(test, tuple(strikes), target.wounds)
    return Spread(rule, (*steps, *explain.injury_steps(rules)))


def _stupidity(rules: CombatRules, inputs: Inputs) -> Question:
    step = f"{_dice(rules)}, {inputs.leadership} or less acts normally."
    test = leadership_rule(rules, inputs.leadership, why="stupidity test")
    rule = Stupidity(test, rules.morale.stupidity or ())
    return Spread(rule, (step, "Otherwise a D6 says what it does."))


# Not every text has a test of Initiative (ruling C14).
_TESTS_INITIATIVE = ("tests.natural_6_fails_initiative",)
_TESTS_NERVE = ("tests",)
_HAS_MORALE = ("morale", "tests")
_HAS_ALL_ALONE = ("morale.all_alone_from", "injuries")
_HAS_STUPIDITY = ("morale.stupidity",)
_LEADERSHIP = characteristic("leadership")
_NERVE = (_LEADERSHIP, choice("state", STATES, "standing"))
_VALUES = several(number("values", 1, 10), 1, VALUES_MAX)

CALLS = (
    Call("initiative_test", "Initiative test", (characteristic("initiative"),), _TESTS_INITIATIVE, _initiative_test),
    Call("initiative_table", "Initiative tests by value", (_VALUES,), _TESTS_INITIATIVE, _initiative_table),
    Call("leadership_test", "Leadership test", (_LEADERSHIP, flag("reroll_failed")), _TESTS_NERVE, _leadership_test),
    Call("leadership_table", "Leadership tests by value", (_VALUES,), _TESTS_NERVE, _leadership_table),
    Call("rout_test", "Rout test", (
        number("force_size", 1, MODELS_MAX), number("out_of_action", 0, MODELS_MAX), group("leader", _NERVE, None),
        several(group("others", _NERVE), 0, MODELS_MAX, ()), number("turns", 1, TURNS_MAX, 1),
    ), _HAS_MORALE, _rout_test),
    Call("all_alone", "All Alone", (
        _LEADERSHIP, several(number("opponents", 1, 10), 2, GROUPS_MAX), characteristic("toughness"), WOUNDS, SAVE,
    ), _HAS_ALL_ALONE, _all_alone),
    Call("stupidity", "Stupidity", (_LEADERSHIP,), _HAS_STUPIDITY, _stupidity),
)  # fmt: skip
