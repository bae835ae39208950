"""Calls about opposed rolls, casualty tests and command rolls."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from engine.calls.inputs import choice, number
from engine.calls.questions import Call, Question, Spread
from engine.duels import (
    Duel,
    DuelTerms,
    PointsAtLeast,
    RoundLength,
    ShotThenCasualty,
    bonus_dice_rule,
    casualty_rule,
    duel_rule,
    duels_of,
)
from engine.errors import Refusal
from engine.rules import CombatRules

SHOTS_MAX = 10
TURNS_MAX = 50


def _within_hand(rules: CombatRules, given: dict[str, Any], *names: str) -> None:
    most = duels_of(rules).most_bonus_dice
    for name in names:
        if given[name] > most:
            raise Refusal(f"{name}: nobody holds more than {most} bonus dice.", field=name)


def _one_shot_with_bonus(given: dict[str, Any]) -> None:
    for name in ("attack_bonus_dice", "defence_bonus_dice"):
        if given["shots"] != 1 and given[name]:
            raise Refusal(f"{name}: bonus dice go with a single shot; give shots 1.", field=name)


def _sides(given: dict[str, Any]) -> str:
    def side(who: str) -> str:
        dice, modifier = given[f"{who}_bonus_dice"], given[f"{who}_modifier"]
        return "D10" + (f" + {dice}D6" if dice else "") + (f" {modifier:+d}" if modifier else "")

    return f"{side('attack')} against {side('defence')}."


def _duel(rules: CombatRules, given: dict[str, Any], *, is_melee: bool = False) -> Duel:
    names = [field.name for field in fields(DuelTerms) if field.name in given]
    return duel_rule(rules, DuelTerms(**{name: given[name] for name in names}), is_melee=is_melee)


def _duel_ranged(rules: CombatRules, given: dict[str, Any]) -> Question:
    _within_hand(rules, given, "attack_bonus_dice", "defence_bonus_dice")
    _one_shot_with_bonus(given)
    rule = _duel(rules, given)
    shots = (f"Shots: {given['shots']}, each a roll of its own.",) if given["shots"] > 1 else ()
    return Spread(rule, (_sides(given), *shots, "A higher attack puts the target down."))


def _duel_melee(rules: CombatRules, given: dict[str, Any]) -> Question:
    _within_hand(rules, given, "attack_bonus_dice", "defence_bonus_dice")
    rule = _duel(rules, given, is_melee=True)
    return Spread(
        rule, (_sides(given), f"The lower side goes down; {_TIES[duels_of(rules).melee_ties]}.")
    )


_TIES = {
    "nothing": "a tie changes nothing",
    "roll_once_more": "a tie is rolled once more, and a second one changes nothing",
    "both_down": "a tie puts both down",
}


def _casualty_test(rules: CombatRules, given: dict[str, Any]) -> Question:
    return _casualty(rules, given, is_big=False)


def _big_casualty_test(rules: CombatRules, given: dict[str, Any]) -> Question:
    return _casualty(rules, given, is_big=True)


def _casualty(rules: CombatRules, given: dict[str, Any], is_big: bool) -> Question:
    _within_hand(rules, given, "bonus_dice")
    rule = casualty_rule(rules, given["bonus_dice"], is_big=is_big)
    bonus = f" + {given['bonus_dice']}D6" if given["bonus_dice"] else ""
    further = ("Failed: a D4 without bonus dice.",) if is_big else ()
    return Spread(rule, (f"D10{bonus}, {rule.recovers_from} or more recovers.", *further))


def _ranged_then_casualty(rules: CombatRules, given: dict[str, Any]) -> Question:
    _within_hand(rules, given, "attack_bonus_dice", "defence_bonus_dice", "casualty_bonus_dice")
    _one_shot_with_bonus(given)
    duel = _duel(rules, given)
    test = casualty_rule(rules, given["casualty_bonus_dice"])
    told = f"Casualty test of one who is down: {test.recovers_from} or more recovers."
    return Spread(ShotThenCasualty(duel, test), (_sides(given), told))


def _affordable(rules: CombatRules, given: dict[str, Any]) -> Question:
    mode = given["mode"]
    if mode is not None and mode not in duels_of(rules).prices:
        raise Refusal(f"mode: give one of {', '.join(duels_of(rules).prices)}.", field="mode")
    rule = bonus_dice_rule(rules, mode)
    prices = ", ".join(f"{count} for {price}" for count, price in enumerate(rule.prices, start=1))
    return Spread(rule, (f"D20 action points; a 1 ends the round. Bonus dice: {prices}.",))


def _points(rules: CombatRules, given: dict[str, Any]) -> Question:
    rule = PointsAtLeast(duels_of(rules).command_die, given["points"])
    return Spread(rule, ("D20 action points; a 1 ends the round and gives none.",))


def _round_length(rules: CombatRules, given: dict[str, Any]) -> Question:
    rule = RoundLength(duels_of(rules).command_die, given["turns"])
    return Spread(rule, ("Each turn starts with a D20; a 1 ends the round.",))


def _has_duels(rules: CombatRules) -> bool:
    return rules.duels is not None


_MODIFIERS = (number("attack_modifier", -20, 20, 0), number("defence_modifier", -20, 20, 0))
_BONUSES = (number("attack_bonus_dice", 0, 6, 0), number("defence_bonus_dice", 0, 6, 0))
_SHOTS = number("shots", 1, SHOTS_MAX, 1)
_CASUALTY = number("bonus_dice", 0, 6, 0)

CALLS = (
    Call("duel_ranged", "A ranged duel", (*_MODIFIERS, *_BONUSES, _SHOTS), _has_duels, _duel_ranged),
    Call("duel_melee", "A melee duel", (*_MODIFIERS, *_BONUSES), _has_duels, _duel_melee),
    Call("casualty_test", "Casualty test", (_CASUALTY,), _has_duels, _casualty_test),
    Call("big_casualty_test", "Casualty test of a big model", (_CASUALTY,), _has_duels, _big_casualty_test),
    Call("ranged_then_casualty", "A ranged duel and its casualty test", (
        *_MODIFIERS, *_BONUSES, _SHOTS, number("casualty_bonus_dice", 0, 6, 0),
    ), _has_duels, _ranged_then_casualty),
    Call("affordable_bonus_dice", "Bonus dice a command roll buys", (
        choice("mode", ("table", "flat"), None),
    ), _has_duels, _affordable),
    Call("action_points_at_least", "Enough action points", (number("points", 1, 20),), _has_duels, _points),
    Call("round_length", "How long a round lasts", (number("turns", 1, TURNS_MAX),), _has_duels, _round_length),
)  # fmt: skip
