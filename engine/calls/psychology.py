"""Calls about Initiative, Leadership, Rout and what else tries the nerve."""

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
from engine.combat.fighters import Attacker, Target
from engine.combat.hits import hit_with
from engine.combat.psychology import (
    STATES,
    NerveState,
    all_alone_rule,
    initiative_rule,
    leadership_rule,
    may_test_voluntarily,
    rout_due,
    rout_leadership,
    rout_tests,
    stupidity_rule,
)
from engine.dice import Dice, Rule
from engine.errors import Refusal
from engine.records import frozen_dataclass
from engine.rules import CombatRules

TURNS_MAX = 20


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
    leader = NerveState(**inputs.leader) if inputs.leader else None
    used = rout_leadership(rules, leader, [NerveState(**other) for other in inputs.others])
    due = f"{out} of {size} are out: a Rout test is due"
    values: dict[str, Value] = {"test_required": True, "leadership_used": used}
    if used is None:
        step = f"{due}, and nobody can lend Leadership: it is failed."
        return Spread(CertainOutcome("rout"), (step,), values)
    rule = rout_tests(rules, used, turns)
    # Whether a side tests in every turn or only after new losses: ruling G21.
    if rule.tests > 1:
        due += f", in each of {turns} turns"
    elif turns > 1:
        due += ", and in no later turn without new losses"
    return Spread(rule, (f"{due}.", f"{_dice(rules)}, {used} or less to fight on."), values)


@frozen_dataclass
class CertainOutcome:
    """What needs no dice."""

    outcome: str

    def play(self, dice: Dice, state: None) -> str:
        return self.outcome


def _all_alone(rules: CombatRules, inputs: Inputs) -> Question:
    target = Target(1, inputs.toughness, inputs.wounds, inputs.save)
    rule = all_alone_rule(rules, inputs.leadership, inputs.opponents, target)
    holds = f"{_dice(rules)}, {inputs.leadership} or less holds"
    steps = [f"{holds}; otherwise each opponent lands one hit as the model runs."]
    criticals = rules.morale.parting_criticals
    for strength in sorted(set(inputs.opponents), reverse=True):
        opponent = Attacker(1, strength)
        hit = hit_with(rules, opponent, target, critical_available=criticals)
        steps += explain.wound_and_save_steps(rules, opponent, target, hit)
    return Spread(rule, (*steps, *explain.injury_steps(rules)))


def _stupidity(rules: CombatRules, inputs: Inputs) -> Question:
    step = f"{_dice(rules)}, {inputs.leadership} or less acts normally."
    rule = stupidity_rule(rules, inputs.leadership)
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
