"""Jumping down, diving and falling: tests for the height, then hits as hard as the fall is deep."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.combat.attacks import AttacksOnStanding, attacks_on_standing
from engine.combat.fighters import OUT, Attacker, CasualtyCount, Target, outcome_of
from engine.combat.hits import Strike, hit_with, strike_with
from engine.combat.psychology import InitiativeTest, initiative_rule
from engine.dice import Dice
from engine.rules import INJURIES, CombatRules, Falls


@dataclass(frozen=True)
class FallHits:
    """The hits of a fall: a D3 of them (or two), no save and no critical.

    Source: Warhammer Skirmish, FALLING; Mordheim rulings, The move itself, for the two (ruling
    C13).
    """

    dice: tuple[int, ...]
    strike: Strike

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        hits = dice.total(self.dice, "hits of the fall")
        return dice.repeat(self.strike, hits, tally)


@dataclass(frozen=True)
class Fall:
    """A fall, with the tests that may spare the model all of it (Mordheim rulings alone, C13)."""

    hits: FallHits
    tests: InitiativeTest | None = None

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        if self.tests is not None and dice.run(self.tests, None):
            return tally
        return dice.run(self.hits, tally)


@dataclass(frozen=True)
class Jump:
    """A jump down on purpose: every test passed, or a fall from the point of take-off.

    Source: JUMPING DOWN.

    In the Mordheim rulings these are the very tests that spare a jumper the fall, so none are taken
    twice.
    """

    tests: InitiativeTest
    hits: FallHits
    wounds: int
    safe: str = "lands_safely"
    hurt: str = "falls_"

    def play(self, dice: Dice, state: None) -> str:
        if dice.run(self.tests, None):
            return self.safe
        return self.hurt + outcome_of(dice.run(self.hits, CasualtyCount(self.wounds)), self.wounds)


@dataclass(frozen=True)
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
        return "target_" + outcome_of(dice.run(self.turn, CasualtyCount(self.wounds)), self.wounds)


@dataclass(frozen=True)
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
        if dice.run(self.test, None):
            return INJURIES[self.injury]
        if not self.any_wound_ends_it:
            return INJURIES[
                max(self.injury, dice.run(self.fall, CasualtyCount(0, self.injury)).injury)
            ]
        hurt = dice.run(self.fall, CasualtyCount(0)).injury
        return INJURIES[OUT if hurt else self.injury]


def falls_of(rules: CombatRules) -> Falls:
    """The falls of a system that has them."""
    assert rules.falls is not None
    return rules.falls


def tests_for(rules: CombatRules, inches: float) -> int:
    """How many Initiative tests a height takes: one for each full 2", or for each 2" begun (C12)."""
    falls = falls_of(rules)
    full, rest = divmod(inches, falls.inches_per_test)
    return int(full) + (rest > 0 and falls.height_test_rounding == "started")


def fall_strength(rules: CombatRules, inches: float) -> int:
    """The Strength of a fall: its inches, parts dropped (or rounded up), at least 1 and at most 10
    (ruling G12).
    """
    up = falls_of(rules).fall_rounding == "up" and inches % 1 > 0
    return min(max(int(inches) + up, 1), 10)


def dive_bonus(rules: CombatRules, inches: float) -> int:
    """What a dive adds to Strength: 1, or 1 for each full 2" (C11)."""
    falls = falls_of(rules)
    return 1 if falls.diving_strength == "flat" else int(inches // 2)


def fall_hits(rules: CombatRules, inches: float, toughness: int) -> FallHits:
    """The hits of a fall on this Toughness."""
    ground = Attacker(1, fall_strength(rules, inches))
    hit = hit_with(rules, ground, Target(1, toughness), critical_available=False)
    return FallHits(
        (3,) * (2 if falls_of(rules).fall_hits == "2d3" else 1), strike_with(rules, hit)
    )


def softened_fall(rules: CombatRules, inches: float, initiative: int, toughness: int) -> Fall:
    """A fall with the tests that may spare the model, where the system has them and the group plays
    them (C13).
    """
    tests = None
    if falls_of(rules).fall_003a_initiative_tests:
        tests = initiative_rule(rules, initiative, tests_for(rules, inches))
    return Fall(fall_hits(rules, inches, toughness), tests)


def jump_of(rules: CombatRules, inches: float, initiative: int, target: Target) -> Jump:
    """A jump down of so many inches."""
    tests = initiative_rule(rules, initiative, tests_for(rules, inches))
    return Jump(tests, fall_hits(rules, inches, target.toughness), target.wounds)


def dive_of(
    rules: CombatRules, inches: float, initiative: int, attacker: Attacker, target: Target
) -> Dive:
    """A diving charge from so many inches: more Strength and +1 to hit.

    Only the sum of Strength is held to 10.
    """
    diver = replace(
        attacker,
        strength=min(attacker.strength + dive_bonus(rules, inches), 10),
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
    injuries = rules.injuries
    ends = injuries is not None and injuries.downed_hurt_again == "out_of_action"
    return EdgeFall(initiative_rule(rules, initiative), fall, injury, ends)
