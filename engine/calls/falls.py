"""Jumps, dives and falls: tests for the height, hits by the depth, and their calls."""

from dataclasses import replace

from engine.calls import explain
from engine.calls.attacks import ATTACKER, DEFENDER, AttackOutcome, attacker_of
from engine.calls.inputs import HEIGHT, WOUNDS, characteristic, choice, group
from engine.calls.questions import Call, Given, Question, Spread, Steps
from engine.combat.attacks import AttacksOnStanding, attacks_on_standing
from engine.combat.fighters import (
    DOWN,
    OUT,
    STUN,
    Attacker,
    CasualtyCount,
    Target,
    outcome_of,
)
from engine.combat.hits import Strike, hit_with, strike_with
from engine.combat.psychology import InitiativeTest, initiative_rule
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
class Jump:
    """A jump down on purpose: every test passed, or a fall from the point of take-off.

    Source: JUMPING DOWN.

    In the Mordheim rulings these are the very tests that spare a jumper the fall, so none are taken
    twice.
    """

    tests: InitiativeTest
    hits: FallHits
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        """Return "lands_safely", or how a jumper who fails a test comes off the fall."""
        if dice.run(self.tests, None):
            return "lands_safely"
        return "falls_" + outcome_of(
            dice.run(self.hits, CasualtyCount(self.wounds)), self.wounds
        )


@frozen_dataclass
class Dive:
    """A diving charge: every test passed and the blows land harder, or the diver falls.

    Source: DIVING CHARGE.
    """

    tests: InitiativeTest
    turn: AttacksOnStanding
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        """Return that the diver falls, or how the target of a good dive comes off."""
        if not dice.run(self.tests, None):
            return "diver_falls"
        return "target_" + outcome_of(
            dice.run(self.turn, CasualtyCount(self.wounds)), self.wounds
        )


@frozen_dataclass
class EdgeFall:
    """A model put down beside an edge: one test, or it falls; the worse of its state and of the
    fall stands (G14).

    A model that is down has no Wounds left, so each wound of the fall is a die of injury.
    """

    test: InitiativeTest
    fall: Fall
    injury: int
    any_wound_ends_it: bool

    def play(self, dice: Dice, state: None) -> str:
        """Return the injury that stands: the one already had, or a worse one."""
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


def jump_of(rules: CombatRules, inches: float, initiative: int, target: Target) -> Jump:
    """A jump down of so many inches."""
    tests = initiative_rule(rules, initiative, tests_for(rules, inches))
    return Jump(tests, fall_hits(rules, inches, target.toughness), target.wounds)


def dive_of(
    rules: CombatRules, inches: float, initiative: int, attacker: Attacker, target: Target
) -> Dive:
    """A diving charge from so many inches: more Strength and +1 to hit."""
    diver = replace(
        attacker,
        strength=dive_strength(rules, inches, attacker.strength),
        to_hit_bonus=attacker.to_hit_bonus + 1,
    )
    tests = initiative_rule(rules, initiative, tests_for(rules, inches))
    return Dive(tests, attacks_on_standing(rules, diver, target), target.wounds)


def edge_fall_of(
    rules: CombatRules, inches: float, initiative: int, toughness: int, injury: int
) -> EdgeFall:
    """A model just put into the state ``injury`` within 1" of an edge.

    Source: WARRIORS KNOCKED DOWN OR STUNNED.

    Where a system softens falls by tests (Mordheim rulings), they follow the test of the edge.
    """
    fall = softened_fall(rules, inches, initiative, toughness)
    ends = rules.injuries.downed_hurt_again == "out_of_action"
    return EdgeFall(initiative_rule(rules, initiative), fall, injury, ends)


_INITIATIVE = characteristic("initiative")
_TOUGHNESS = characteristic("toughness")


def _tests(rules: CombatRules, height: float, initiative: int) -> str:
    """Return in words how many Initiative tests a height in inches takes."""
    count = tests_for(rules, height)
    most = min(initiative, 5 if initiative_rule(rules, initiative).six_fails else 6)
    if not count:
        return "The height takes no Initiative test."
    return f"Initiative tests: {count}, each {most} or less."


def _falling(rules: CombatRules, height: float, toughness: int) -> Steps:
    strength, hits = fall_strength(rules, height), rules.falls.fall_hits.upper()
    told = f"Falling: {hits} hits at Strength {strength}, no save, no critical."
    wound = explain.wound_steps(rules, strength, toughness)
    return told, wound, *explain.injury_steps(rules)


def _not_too_high(rules: CombatRules, height: float) -> None:
    """Raise Refusal for a jump or dive from more inches than the rules allow."""
    highest = rules.falls.highest_jump
    if height > highest:
        raise Refusal(
            f"height: jumps and dives are from at most {highest} inches.", field="height"
        )


def _fall(rules: CombatRules, given: Given) -> Question:
    """A fall that happens: where a system has tests that may spare the model, they are failed
    already.
    """
    hits = fall_hits(rules, given.height, given.toughness)
    steps = _falling(rules, given.height, given.toughness)
    return Spread(AttackOutcome(((hits, 1),), given.wounds), steps)


@frozen_dataclass
class SoftFall:
    """A fall with the tests that may spare the model all damage.

    Source: Mordheim rulings, The move itself.
    """

    fall: Fall
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        if self.fall.tests is not None and dice.run(self.fall.tests, None):
            return "no_damage_roll"
        tally = dice.run(self.fall.hits, CasualtyCount(self.wounds))
        return "damage_" + outcome_of(tally, self.wounds)


def _fall_003a(rules: CombatRules, given: Given) -> Question:
    fall = softened_fall(rules, given.height, given.initiative, given.toughness)
    tests = (_tests(rules, given.height, given.initiative),) if fall.tests else ()
    steps = (*tests, *_falling(rules, given.height, given.toughness))
    return Spread(SoftFall(fall, given.wounds), steps)


def _jump_down(rules: CombatRules, given: Given) -> Question:
    """Return the odds of a jump from a height in inches; Refusal if too high."""
    _not_too_high(rules, given.height)
    target = Target(1, given.toughness, given.wounds)
    tests = _tests(rules, given.height, given.initiative)
    steps = (tests, *_falling(rules, given.height, target.toughness))
    return Spread(jump_of(rules, given.height, given.initiative, target), steps)


def _diving_charge(rules: CombatRules, given: Given) -> Question:
    """Return the odds of a dive from a height in inches; Refusal if too high."""
    _not_too_high(rules, given.height)
    attacker, target = attacker_of(given.attacker), Target(**given.defender)
    dive = dive_of(rules, given.height, given.initiative, attacker, target)
    bonus = dive_bonus(rules, given.height)
    diver = Attacker(1, dive_strength(rules, given.height, attacker.strength))
    wound = explain.blow_steps(rules, diver, target, dive.turn.strike.hit)
    steps = (
        _tests(rules, given.height, given.initiative),
        f"After a good dive: +{bonus} Strength and +1 to hit.",
        f"Hits on {explain.score_text(dive.turn.need)}.",
    )
    return Spread(dive, (*steps, *wound))


def _fall_from_edge(rules: CombatRules, given: Given) -> Question:
    """The model was just put into ``state``, so it has no Wounds left."""
    injury = STUN if given.state == "stunned" else DOWN
    rule = edge_fall_of(rules, given.height, given.initiative, given.toughness, injury)
    most = min(given.initiative, 5 if rule.test.six_fails else 6)
    steps = [f"Initiative test: {most} or less, or it falls."]
    if rule.fall.tests:
        steps.append(_tests(rules, given.height, given.initiative))
    steps += _falling(rules, given.height, given.toughness)
    return Spread(rule, (*steps, "The worse of its state and the fall stands."))


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
