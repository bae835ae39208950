"""Jumps, dives and falls: tests for the height, hits by the depth, and their calls."""

from dataclasses import replace

from engine.calls import explain
from engine.calls.attacks import ATTACKER, DEFENDER, AttackOutcome, make_attacker
from engine.calls.psychology import InitiativeTest, initiative_rule
from engine.calls.questions import (
    HEIGHT,
    WOUNDS,
    Call,
    Inputs,
    Question,
    Spread,
    Steps,
    characteristic,
    choice,
    group,
)
from engine.combat.attacks import AttacksOnStanding, attacks_on_standing
from engine.combat.fighters import (
    DOWN,
    OUT,
    STUN,
    Attacker,
    CasualtyCount,
    Target,
    name_outcome,
)
from engine.combat.hits import Strike, hit_with, strike_with
from engine.dice import Dice, Meaning
from engine.errors import Refusal
from engine.records import Numbers, frozen_dataclass
from engine.rules import INJURIES, CombatRules


@frozen_dataclass
class FallHits:
    """The hits of a fall: a D3 of them (or two), no save and no critical.

    Source: Warhammer Skirmish, FALLING; Mordheim rulings, The move itself, for the two (ruling
    C13).
    """

    dice: Numbers
    strike: Strike

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        hits = dice.total(self.dice, Meaning("hits of the fall"))
        return dice.series(((self.strike, hits),), tally)


@frozen_dataclass
class Fall:
    """A fall, with the tests that may spare the model all of it (Mordheim rulings alone, C13)."""

    hits: FallHits
    tests: InitiativeTest | None = None

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        if self.tests is not None and dice.run(self.tests, None):
            return tally
        return dice.run(self.hits, tally)


@frozen_dataclass
class FallOutcome:
    """A fall with the name of what becomes of the model: ``spared`` where the tests are passed, or
    how it comes off the hits.

    A jump down on purpose falls from the point of take-off (JUMPING DOWN). In the Mordheim rulings
    its tests are the very tests that spare a jumper the fall, so none are taken twice.
    """

    fall: Fall
    wounds: int
    spared: str
    hurt: str

    def play(self, dice: Dice, state: None) -> str:
        if self.fall.tests is not None and dice.run(self.fall.tests, None):
            return self.spared
        tally = dice.run(self.fall.hits, CasualtyCount(self.wounds))
        return self.hurt + name_outcome(tally, self.wounds)


@frozen_dataclass
class Dive:
    """A diving charge: every test passed and the blows land harder, or the diver falls.

    Source: DIVING CHARGE.
    """

    tests: InitiativeTest
    turn: AttacksOnStanding
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        if not dice.run(self.tests, None):
            return "diver_falls"
        tally = dice.run(self.turn, CasualtyCount(self.wounds))
        return "target_" + name_outcome(tally, self.wounds)


@frozen_dataclass
class EdgeFall:
    """A model put down beside an edge: one test, or it falls; the worse of its state and of the
    fall stands (G14).

    A model that is down has no Wounds left, so each wound of the fall is a die of injury. Source:
    WARRIORS KNOCKED DOWN OR STUNNED.
    """

    test: InitiativeTest
    fall: Fall
    injury: int
    any_wound_ends_it: bool

    def play(self, dice: Dice, state: None) -> str:
        if dice.run(self.test, None):
            return INJURIES[self.injury]
        if self.any_wound_ends_it:
            hurt = dice.run(self.fall, CasualtyCount(0)).injury
            return INJURIES[OUT if hurt else self.injury]
        fallen = dice.run(self.fall, CasualtyCount(0, self.injury))
        return INJURIES[max(self.injury, fallen.injury)]


def tests_for(rules: CombatRules, inches: float) -> int:
    """How many Initiative tests a height takes: one for each full 2", or for each 2" begun (C12)."""
    falls = rules.falls
    # A height may be a fraction of an inch, so what is left over a full step is no whole number.
    full, rest = divmod(inches, falls.inches_per_test)
    return int(full) + (rest > 0 and falls.height_test_rounding == "started")


def fall_strength(rules: CombatRules, inches: float) -> int:
    """The Strength of a fall: its inches, parts dropped (or rounded up), at least 1 and at most 10
    (ruling G12).
    """
    up = rules.falls.fall_rounding == "up" and inches % 1 > 0
    return min(max(int(inches) + up, 1), 10)


def dive_bonus(rules: CombatRules, inches: float) -> int:
    """What a dive adds to Strength: 1, or 1 for each full 2" (C11)."""
    falls = rules.falls
    return 1 if falls.diving_strength == "flat" else int(inches // 2)


def dive_strength(rules: CombatRules, inches: float, strength: int) -> int:
    """The Strength of a diver's blows; only the sum is held to 10."""
    return min(strength + dive_bonus(rules, inches), 10)


def fall_hits(rules: CombatRules, inches: float, toughness: int) -> FallHits:
    """The hits of a fall on this Toughness."""
    ground = Attacker(1, fall_strength(rules, inches))
    hit = hit_with(rules, ground, Target(1, toughness), critical_available=False)
    dice = 2 if rules.falls.fall_hits == "2d3" else 1
    return FallHits((3,) * dice, strike_with(rules, hit))


def softened_fall(
    rules: CombatRules, inches: float, initiative: int, toughness: int
) -> Fall:
    """A fall with the tests that may spare the model, where the system has them and the group plays
    them (C13).
    """
    tests = None
    if rules.falls.fall_003a_initiative_tests:
        tests = initiative_rule(rules, initiative, tests_for(rules, inches))
    return Fall(fall_hits(rules, inches, toughness), tests)


def _tests(rules: CombatRules, height: float, initiative: int) -> str:
    """How many Initiative tests a height in inches takes, in words."""
    tests = initiative_rule(rules, initiative, tests_for(rules, height))
    if not tests.count:
        return "The height takes no Initiative test."
    return f"Initiative tests: {tests.count}, each {tests.most} or less."


def _falling(rules: CombatRules, height: float, toughness: int) -> Steps:
    strength, hits = fall_strength(rules, height), rules.falls.fall_hits.upper()
    step = f"Falling: {hits} hits at Strength {strength}, no save, no critical."
    wound = explain.wound_steps(rules, strength, toughness)
    return step, wound, *explain.injury_steps(rules)


def _not_too_high(rules: CombatRules, height: float) -> None:
    """Raise Refusal for a jump or dive from more inches than the rules allow."""
    highest = rules.falls.highest_jump
    if highest is not None and height > highest:
        message = f"height: jumps and dives are from at most {highest} inches."
        raise Refusal(message, field="height")


def _fall(rules: CombatRules, inputs: Inputs) -> Question:
    """A fall that happens: where a system has tests that may spare the model, they are failed
    already.
    """
    hits = fall_hits(rules, inputs.height, inputs.toughness)
    steps = _falling(rules, inputs.height, inputs.toughness)
    return Spread(AttackOutcome(((hits, 1),), CasualtyCount(inputs.wounds)), steps)


def _fall_003a(rules: CombatRules, inputs: Inputs) -> Question:
    """A fall with the tests that may spare the model (Mordheim rulings, The move itself)."""
    height, toughness = inputs.height, inputs.toughness
    fall = softened_fall(rules, height, inputs.initiative, toughness)
    tests = (_tests(rules, height, inputs.initiative),) if fall.tests else ()
    outcome = FallOutcome(fall, inputs.wounds, "no_damage_roll", "damage_")
    return Spread(outcome, (*tests, *_falling(rules, height, toughness)))


def _jump_down(rules: CombatRules, inputs: Inputs) -> Question:
    """A jump down from a height in inches. Raises Refusal if too high."""
    height, toughness = inputs.height, inputs.toughness
    _not_too_high(rules, height)
    tests = initiative_rule(rules, inputs.initiative, tests_for(rules, height))
    fall = Fall(fall_hits(rules, height, toughness), tests)
    steps = _tests(rules, height, inputs.initiative), *_falling(rules, height, toughness)
    return Spread(FallOutcome(fall, inputs.wounds, "lands_safely", "falls_"), steps)


def _diving_charge(rules: CombatRules, inputs: Inputs) -> Question:
    """A dive from a height in inches: more Strength and +1 to hit. Raises Refusal if too high."""
    height = inputs.height
    _not_too_high(rules, height)
    attacker, target = make_attacker(rules, inputs.attacker), Target(**inputs.defender)
    strength = dive_strength(rules, height, attacker.strength)
    bonus = attacker.to_hit_bonus + 1
    diver = replace(attacker, strength=strength, to_hit_bonus=bonus)
    tests = initiative_rule(rules, inputs.initiative, tests_for(rules, height))
    steps = (
        _tests(rules, height, inputs.initiative),
        f"After a good dive: +{dive_bonus(rules, height)} Strength and +1 to hit.",
        *explain.attack_steps(rules, diver, target),
    )
    return Spread(
        Dive(tests, attacks_on_standing(rules, diver, target), target.wounds), steps
    )


def _fall_from_edge(rules: CombatRules, inputs: Inputs) -> Question:
    """A model just put into ``state`` within 1" of an edge, so that it has no Wounds left.

    Where a system softens falls by tests (Mordheim rulings), they follow the test of the edge.
    """
    height, initiative, toughness = inputs.height, inputs.initiative, inputs.toughness
    test = initiative_rule(rules, initiative)
    fall = softened_fall(rules, height, initiative, toughness)
    injury = STUN if inputs.state == "stunned" else DOWN
    any_wound_ends_it = rules.injuries.downed_hurt_again == "out_of_action"
    tests = (_tests(rules, height, initiative),) if fall.tests else ()
    steps = (
        f"Initiative test: {test.most} or less, or it falls.",
        *tests,
        *_falling(rules, height, toughness),
        "The worse of its state and the fall stands.",
    )
    return Spread(EdgeFall(test, fall, injury, any_wound_ends_it), steps)


_INITIATIVE = characteristic("initiative")
_TOUGHNESS = characteristic("toughness")
_FALLS = ("falls", "charts", "injuries")
# The tests that spare a model the fall are those of the Mordheim rulings alone (ruling C13).
_SOFT_FALLS = (*_FALLS, "falls.fall_003a_initiative_tests")
_FALLER = (HEIGHT, _INITIATIVE, _TOUGHNESS, WOUNDS)

CALLS = (
    Call("fall", "A fall", (HEIGHT, _TOUGHNESS, WOUNDS), _FALLS, _fall),
    Call("jump_down", "Jumping down", _FALLER, _FALLS, _jump_down),
    Call("fall_003a", "A fall with tests", _FALLER, _SOFT_FALLS, _fall_003a),
    Call("fall_from_edge", "Going down beside an edge", (
        _INITIATIVE, HEIGHT, _TOUGHNESS, choice("state", ("knocked_down", "stunned"), "knocked_down"),
    ), _FALLS, _fall_from_edge),
    Call("diving_charge", "A diving charge", (
        HEIGHT, _INITIATIVE, group("attacker", ATTACKER), group("defender", DEFENDER),
    ), _FALLS, _diving_charge),
)  # fmt: skip
