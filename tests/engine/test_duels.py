"""Opposed rolls, casualty tests and command rolls."""

from fractions import Fraction as F
from itertools import product

import pytest

from engine.calls import evaluate, play
from engine.calls.duels import (
    BonusDiceBought,
    casualty_rule,
    may_be_hurt,
)
from engine.dice import GivenDice
from engine.odds import exact_distribution
from tests.engine.combat_rules import D10_KEY, rules

RULES = rules(D10_KEY)
D10 = range(1, 11)
D6 = range(1, 7)


@pytest.mark.parametrize("attack,defence", [(0, 0), (3, 1), (-2, 4), (20, 0), (0, 20)])
def test_melee_goes_down_on_the_lower_side(attack, defence):
    found = evaluate(
        RULES, "duel_melee", {"attack_modifier": attack, "defence_modifier": defence}
    ).outcomes
    margins = [a + attack - d - defence for a, d in product(D10, D10)]
    expected = {
        "defender_loses": F(sum(m > 0 for m in margins), 100),
        "tie_no_effect": F(sum(m == 0 for m in margins), 100),
        "attacker_loses": F(sum(m < 0 for m in margins), 100),
    }
    assert found == {name: chance for name, chance in expected.items() if chance}


def test_bonus_dice_add_to_either_side():
    found = evaluate(
        RULES,
        "duel_ranged",
        {"attack_bonus_dice": 2, "defence_bonus_dice": 1, "defence_modifier": 2},
    ).outcomes
    ways = sum(a + b + c > d + e + 2 for a, b, c, d, e in product(D10, D6, D6, D10, D6))
    assert found["defender_down"] == F(ways, 10 * 36 * 60)


@pytest.mark.parametrize("shots", [1, 2, 5, 10])
def test_shots_are_rolls_of_their_own(shots):
    found = evaluate(RULES, "duel_ranged", {"shots": shots, "attack_modifier": 1}).outcomes
    assert found["no_effect"] == F(45, 100) ** shots


def test_after_the_target_is_down_no_more_shots_are_rolled():
    record = play(RULES, "duel_ranged", {"shots": 3}, GivenDice([5, 5, 6, 5]))
    assert record.outcome == "defender_down"
    assert len(record.dice) == 4


def test_a_big_model_that_fails_rolls_again_without_bonus_dice():
    found = evaluate(RULES, "big_casualty_test", {"bonus_dice": 1}).outcomes
    assert found == {
        "recovers": F(5, 6),
        "removed": F(1, 12),
        "immobilised": F(1, 24),
        "explodes": F(1, 24),
    }
    assert casualty_rule(RULES, is_big=True).play(GivenDice([5, 3]), None) == "immobilised"
    assert casualty_rule(RULES).play(GivenDice([5]), None) == "removed"


def test_a_shot_and_its_casualty_test():
    found = evaluate(
        RULES, "ranged_then_casualty", {"attack_modifier": 1, "casualty_bonus_dice": 1}
    ).outcomes
    assert found == {
        "never_down": F(45, 100),
        "down_then_recovers": F(55, 120),
        "removed": F(55, 600),
    }


@pytest.mark.parametrize(
    "points,enough", [(1, F(19, 20)), (2, F(19, 20)), (3, F(18, 20)), (20, F(1, 20))]
)
def test_a_one_gives_no_points(points, enough):
    assert (
        evaluate(RULES, "action_points_at_least", {"points": points}).outcomes["enough"]
        == enough
    )


def test_flat_prices_buy_a_die_for_a_point():
    found = evaluate(RULES, "affordable_bonus_dice", {"mode": "flat"}).outcomes
    assert found == {
        "round_ends": F(1, 20),
        **{f"dice_{n}": F(1, 20) for n in (2, 3, 4, 5)},
        "dice_6": F(15, 20),
    }
    table = evaluate(RULES, "affordable_bonus_dice", {"mode": "table"}).outcomes
    assert evaluate(RULES, "affordable_bonus_dice", {}).outcomes == table


def test_a_round_lasts_until_a_one():
    found = evaluate(RULES, "round_length", {"turns": 3}).outcomes
    assert found == {
        "first_3_turns_all_played": F(19, 20) ** 3,
        "ends_on_turn_1": F(1, 20),
        "ends_on_turn_2": F(19, 400),
        "ends_on_turn_3": F(361, 8000),
    }


def test_a_duel_is_played_with_dice():
    ranged = play(RULES, "duel_ranged", {"attack_bonus_dice": 1}, GivenDice([4, 3, 6]))
    assert ranged.outcome == "defender_down"
    assert play(RULES, "duel_melee", {}, GivenDice([4, 6])).outcome == "attacker_loses"


@pytest.mark.parametrize("armour,penetration,melee,hurt", [
    (None, None, False, True), (0, None, False, False), (1, 8, False, False), (1, None, True, True),
    (2, None, True, False), (2, None, False, False), (2, 1, False, True), (5, 1, False, True),
])  # fmt: skip
def test_armour_values_say_what_may_hurt(armour, penetration, melee, hurt):
    assert may_be_hurt(RULES, armour, penetration, is_melee=melee) is hurt


def test_armour_values_may_be_ruled_otherwise():
    assert may_be_hurt(
        RULES.with_rulings({"low_av_melee_only": False}), 1, None, is_melee=False
    )
    assert not may_be_hurt(
        RULES.with_rulings({"penetration_must_reach": True}), 5, 1, is_melee=False
    )


def test_a_one_ends_the_round_whatever_the_first_die_costs():
    dear = BonusDiceBought(20, (3, 6, 9), 2)
    assert exact_distribution(dear, None).chances() == {
        "round_ends": F(1, 20),
        "dice_0": F(1, 20),
        "dice_1": F(3, 20),
        "dice_2": F(15, 20),
    }
