"""Calls about regiments: attacks and volleys, the combat result, breaking and pursuit."""

from __future__ import annotations

from typing import Any

from engine.calls import explain
from engine.calls.inputs import (
    MODELS_MAX,
    UNIT_ATTACKS_MAX,
    characteristic,
    choice,
    flag,
    group,
    missing,
    number,
    numbers,
)
from engine.calls.psychology import CertainOutcome, PassFail
from engine.calls.questions import Call, Casualties, Question, Spread, Value
from engine.combat.fighters import Attacker, Target
from engine.combat.psychology import LeadershipTest
from engine.rules import CombatRules
from engine.units import (
    CombatSide,
    break_test,
    combat_result,
    panic_casualties,
    pursuit_of,
    unit_attack,
    unit_save,
    unit_shot,
    weapon_modifier,
)

ARMOUR = ("none", "light", "heavy", "cuirassier")
_SIDE = (
    number("wounds_caused", 0, MODELS_MAX, 0),
    number("rank", 0, 20, 0),
    *(
        flag(name, is_counted=True)
        for name in ("standard", "high_ground", "flank", "rear", "outnumber")
    ),
)


def _unit_attacks(rules: CombatRules, given: dict[str, Any]) -> Question:
    save = unit_save(rules, given["armour"], given["mounted"], given["target"])
    attacker = Attacker(given["ws_attacker"], given["strength"])
    target = Target(given["ws_defender"], given["toughness"], save=save)
    attack = unit_attack(rules, attacker, target, at_obstacle=given["defended_obstacle"])
    hits = f"Hits on {explain.score_text(attack.aim.need or 6)}."
    steps = (hits, *_wound_and_save(rules, given, save, None))
    return Casualties(attack, given["attacks"], "casualty_per_attack", given["at_least"], steps)


def _volley(rules: CombatRules, given: dict[str, Any]) -> Question:
    save = unit_save(rules, given["armour"], given["mounted"], False)
    weapon = given["weapon_save_modifier"]
    shooter = Attacker(1, given["strength"], save_modifier=weapon)
    target = Target(1, given["toughness"], save=save)
    shot = unit_shot(rules, given["bs"], given["modifiers"], shooter, target)
    worn_off = weapon_modifier(rules, given["strength"], weapon)
    steps = [
        explain.shot_steps(rules, given["bs"], given["modifiers"]),
        *_wound_and_save(rules, given, save, worn_off),
    ]
    size, enough = given["unit_size"], None
    if size is not None:
        enough = panic_casualties(rules, size)
        steps.append(f"Casualties that call a Panic test: {enough} of {size}.")
    return Casualties(shot, given["shots"], "casualty_per_shot", enough, tuple(steps))


def _wound_and_save(
    rules: CombatRules, given: dict[str, Any], save: int | None, weapon: int | None
) -> tuple[str, ...]:
    strength = given["strength"]
    return explain.wound_steps(rules, strength, given["toughness"]), explain.save_steps(
        rules, save, strength, weapon
    )


def _combat_result(rules: CombatRules, given: dict[str, Any]) -> Question:
    scores = combat_result(rules, CombatSide(**given["side_a"]), CombatSide(**given["side_b"]))
    values: dict[str, Value] = {
        "winner": scores.winner,
        "score_a": scores.score_a,
        "score_b": scores.score_b,
    }
    told = f"Scores: {scores.score_a} against {scores.score_b}."
    if scores.winner == "draw":
        return Spread(CertainOutcome("loser_holds"), (told, "A draw: nobody tests."), values)
    if given["loser_leadership"] is None:
        raise missing("loser_leadership")
    test = break_test(rules, given["loser_leadership"], scores.difference)
    return Spread(PassFail(test, "loser_holds", "loser_breaks"), (told, _break_step(test)), values)


def _break_step(test: LeadershipTest) -> str:
    return f"Break test: {explain.dice_text(test.dice_thrown)}, {test.leadership} or less holds."


def _break_test(rules: CombatRules, given: dict[str, Any]) -> Question:
    test = break_test(rules, given["leadership"], given["lost_by"], given["reroll_failed"])
    again = ("A failed test is rolled once more.",) if given["reroll_failed"] else ()
    return Spread(PassFail(test, "holds", "breaks"), (_break_step(test), *again))


def _pursuit(rules: CombatRules, given: dict[str, Any]) -> Question:
    rule = pursuit_of(rules, given["pursuer_dice"], given["fleer_dice"])
    further = "as far or further" if rule.equal_catches else "strictly further"
    steps = (
        (
            f"Pursuers roll {rule.pursuer_dice}D6, fleers {rule.fleer_dice}D6; {further} runs "
            "them down."
        ),
    )
    return Spread(rule, steps)


def _has_units(rules: CombatRules) -> bool:
    return rules.units is not None and rules.charts is not None and rules.tests is not None


_STRUCK = (
    characteristic("strength"), characteristic("toughness"), choice("armour", ARMOUR, "none"), flag("mounted"),
)  # fmt: skip
_DICE = (number("pursuer_dice", 1, 6, 2), number("fleer_dice", 1, 6, 2))

CALLS = (
    Call("unit_attacks", "A regiment's attacks", (
        number("attacks", 0, UNIT_ATTACKS_MAX, 1), characteristic("ws_attacker"), characteristic("ws_defender"),
        *_STRUCK, flag("target"), flag("defended_obstacle"), number("at_least", 0, UNIT_ATTACKS_MAX, None),
    ), _has_units, _unit_attacks),
    Call("volley", "A volley", (
        number("shots", 0, UNIT_ATTACKS_MAX, 1), characteristic("bs"), numbers(number("modifiers", -9, 9), 0, 12, ()),
        *_STRUCK, number("weapon_save_modifier", 0, 9, None), number("unit_size", 1, MODELS_MAX, None),
    ), _has_units, _volley),
    Call("combat_result", "The result of a combat", (
        group("side_a", _SIDE), group("side_b", _SIDE), characteristic("loser_leadership", None),
    ), _has_units, _combat_result),
    Call("break_test", "Break test", (
        characteristic("leadership"), number("lost_by", 0, 99), flag("reroll_failed"),
    ), _has_units, _break_test),
    Call("pursuit", "Pursuit", _DICE, _has_units, _pursuit),
)  # fmt: skip
