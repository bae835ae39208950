"""Calls about jumps, dives and falls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.calls import explain
from engine.calls.attacks import ATTACKER, DEFENDER, AttackOutcome, attacker_of, target_of
from engine.calls.inputs import HEIGHT, WOUNDS, characteristic, choice, group
from engine.calls.questions import Call, Question, Spread
from engine.combat.falls import (
    Fall,
    FallHits,
    dive_bonus,
    dive_of,
    edge_fall_of,
    fall_hits,
    fall_strength,
    falls_of,
    jump_of,
    softened_fall,
    tests_for,
)
from engine.combat.fighters import DOWN, STUN, Attacker, CasualtyCount, Target, outcome_of
from engine.combat.psychology import initiative_rule
from engine.dice import Dice
from engine.errors import Refusal
from engine.rules import CombatRules

_INITIATIVE = characteristic("initiative")
_TOUGHNESS = characteristic("toughness")


def _tests(rules: CombatRules, height: float, initiative: int) -> str:
    count = tests_for(rules, height)
    most = min(initiative, 5 if initiative_rule(rules, initiative).six_fails else 6)
    if not count:
        return "The height takes no Initiative test."
    return f"Initiative tests: {count}, each {most} or less."


def _falling(rules: CombatRules, height: float, toughness: int) -> tuple[str, ...]:
    strength = fall_strength(rules, height)
    return (
        (
            f"Falling: {falls_of(rules).fall_hits.upper()} hits at Strength {strength}, no save, "
            "no critical."
        ),
        explain.wound_steps(rules, strength, toughness),
        *explain.injury_steps(rules),
    )


def _not_too_high(rules: CombatRules, height: float) -> None:
    highest = falls_of(rules).highest_jump
    if height > highest:
        raise Refusal(f"height: jumps and dives are from at most {highest} inches.", field="height")


def _fall(rules: CombatRules, given: dict[str, Any]) -> Question:
    """A fall that happens: where a system has tests that may spare the model, they are failed
    already.
    """
    hits = fall_hits(rules, given["height"], given["toughness"])
    return Spread(
        AttackOutcome(((hits, 1),), given["wounds"]),
        _falling(rules, given["height"], given["toughness"]),
    )


@dataclass(frozen=True)
class SoftFall:
    """A fall with the tests that may spare the model all damage.

    Source: Mordheim rulings, The move itself.
    """

    fall: Fall
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        if self.fall.tests is not None and dice.run(self.fall.tests, None):
            return "no_damage_roll"
        hits: FallHits = self.fall.hits
        return "damage_" + outcome_of(dice.run(hits, CasualtyCount(self.wounds)), self.wounds)


def _fall_003a(rules: CombatRules, given: dict[str, Any]) -> Question:
    fall = softened_fall(rules, given["height"], given["initiative"], given["toughness"])
    tests = (_tests(rules, given["height"], given["initiative"]),) if fall.tests else ()
    return Spread(
        SoftFall(fall, given["wounds"]),
        (*tests, *_falling(rules, given["height"], given["toughness"])),
    )


def _jump_down(rules: CombatRules, given: dict[str, Any]) -> Question:
    _not_too_high(rules, given["height"])
    target = Target(1, given["toughness"], given["wounds"])
    steps = (
        _tests(rules, given["height"], given["initiative"]),
        *_falling(rules, given["height"], target.toughness),
    )
    return Spread(jump_of(rules, given["height"], given["initiative"], target), steps)


def _diving_charge(rules: CombatRules, given: dict[str, Any]) -> Question:
    _not_too_high(rules, given["height"])
    attacker, target = attacker_of(given["attacker"]), target_of(given["defender"])
    dive = dive_of(rules, given["height"], given["initiative"], attacker, target)
    bonus = f"After a good dive: +{dive_bonus(rules, given['height'])} Strength and +1 to hit."
    diver = Attacker(1, min(attacker.strength + dive_bonus(rules, given["height"]), 10))
    wound = explain.blow_steps(rules, diver, target, dive.turn.strike.hit)
    hits = f"Hits on {explain.score_text(dive.turn.need)}."
    return Spread(dive, (_tests(rules, given["height"], given["initiative"]), bonus, hits, *wound))


def _fall_from_edge(rules: CombatRules, given: dict[str, Any]) -> Question:
    """The model was just put into ``state``, so it has no Wounds left."""
    injury = STUN if given["state"] == "stunned" else DOWN
    rule = edge_fall_of(rules, given["height"], given["initiative"], given["toughness"], injury)
    most = min(given["initiative"], 5 if rule.test.six_fails else 6)
    steps = [f"Initiative test: {most} or less, or it falls."]
    if rule.fall.tests:
        steps.append(_tests(rules, given["height"], given["initiative"]))
    steps += [
        *_falling(rules, given["height"], given["toughness"]),
        "The worse of its state and the fall stands.",
    ]
    return Spread(rule, tuple(steps))


def _falls(rules: CombatRules) -> bool:
    return rules.falls is not None and rules.charts is not None and rules.injuries is not None


def _has_soft_falls(rules: CombatRules) -> bool:
    return _falls(rules) and falls_of(rules).fall_003a_initiative_tests is not None


_FALLER = (HEIGHT, _INITIATIVE, _TOUGHNESS, WOUNDS)

CALLS = (
    Call("fall", "A fall", (HEIGHT, _TOUGHNESS, WOUNDS), _falls, _fall),
    Call("jump_down", "Jumping down", _FALLER, _falls, _jump_down),
    Call("fall_003a", "A fall with tests", _FALLER, _has_soft_falls, _fall_003a),
    Call("fall_from_edge", "Going down beside an edge", (
        _INITIATIVE, HEIGHT, _TOUGHNESS, choice("state", ("knocked_down", "stunned"), "knocked_down"),
    ), _falls, _fall_from_edge),
    Call("diving_charge", "A diving charge", (
        HEIGHT, _INITIATIVE, group("attacker", ATTACKER), group("defender", DEFENDER),
    ), _falls, _diving_charge),
)  # fmt: skip
