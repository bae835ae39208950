"""Regiments: saves, scores, breaking, panic and pursuit."""

from fractions import Fraction as F
from math import comb

import pytest

from engine.calls import evaluate, play
from engine.calls.regiments import panic_casualties, unit_save
from engine.dice import GivenDice
from tests.engine.combat_rules import REGIMENTS_KEY, rules

RULES = rules(REGIMENTS_KEY)
EVEN = {"ws_attacker": 3, "ws_defender": 3, "strength": 3, "toughness": 3}


@pytest.mark.parametrize("armour,foot,mounted,with_target", [
    ("none", None, 6, 6), ("light", 6, 5, 5), ("heavy", 5, 4, 4), ("cuirassier", 4, 3, 3),
])  # fmt: skip
def test_saves_go_by_armour_and_saddle(armour, foot, mounted, with_target):
    assert unit_save(RULES, armour, is_mounted=False, has_target=False) == foot
    assert unit_save(RULES, armour, is_mounted=True, has_target=False) == mounted
    assert unit_save(RULES, armour, is_mounted=False, has_target=True) == with_target


def test_at_least_counts_like_attacks():
    found = evaluate(RULES, "unit_attacks", {**EVEN, "attacks": 7, "at_least": 3}).outcomes
    chance = F(1, 4)
    assert found["expected_casualties"] == F(7, 4)
    assert found["at_least_3"] == sum(
        comb(7, n) * chance**n * (1 - chance) ** (7 - n) for n in range(3, 8)
    )


def test_nobody_asked_for_at_least():
    assert set(evaluate(RULES, "unit_attacks", {**EVEN, "attacks": 7}).outcomes) == {
        "casualty_per_attack",
        "expected_casualties",
    }
    shot = {"bs": 3, "strength": 3, "toughness": 3}
    assert set(evaluate(RULES, "volley", shot).outcomes) == {
        "casualty_per_shot",
        "expected_casualties",
    }


def test_a_defended_obstacle_takes_a_six():
    found = evaluate(
        RULES, "unit_attacks", {**EVEN, "ws_attacker": 9, "defended_obstacle": True}
    ).outcomes
    assert found["casualty_per_attack"] == F(1, 12)


def test_strength_works_on_saves_unless_the_weapon_says_its_own():
    shot = {"bs": 5, "strength": 4, "toughness": 4, "armour": "cuirassier"}
    assert evaluate(RULES, "volley", shot).outcomes["casualty_per_shot"] == F(5, 6) * F(
        1, 2
    ) * F(4, 6)
    own = {**shot, "weapon_save_modifier": 2}
    assert evaluate(RULES, "volley", own).outcomes["casualty_per_shot"] == F(5, 6) * F(
        1, 2
    ) * F(5, 6)
    none = {**shot, "weapon_save_modifier": 0}
    assert evaluate(RULES, "volley", none).outcomes["casualty_per_shot"] == F(5, 6) * F(
        1, 2
    ) * F(3, 6)


def test_a_dash_cannot_wound_and_seven_cannot_hit():
    assert (
        evaluate(RULES, "unit_attacks", {**EVEN, "strength": 1, "toughness": 5}).outcomes[
            "casualty_per_attack"
        ]
        == 0
    )
    assert (
        evaluate(
            RULES, "volley", {"bs": 1, "modifiers": [-1], "strength": 9, "toughness": 1}
        ).outcomes["casualty_per_shot"]
        == 0
    )


@pytest.mark.parametrize("size,casualties", [(1, 1), (4, 1), (5, 2), (12, 3), (13, 4)])
def test_a_quarter_is_rounded_up(size, casualties):
    assert panic_casualties(RULES, size) == casualties


def test_scores_add_up_and_ranks_stop_at_three():
    inputs = {
        "side_a": {"wounds_caused": 2, "rank": 5, "standard": True, "high_ground": True},
        "side_b": {"wounds_caused": 1, "rank": 1, "flank": 1, "rear": 1, "outnumber": 1},
        "loser_leadership": 8,
    }
    answer = evaluate(RULES, "combat_result", inputs)
    assert answer.values == {"winner": "a", "score_a": 7, "score_b": 6}
    # Lost by one: 2D6 at 7 or less.
    assert answer.outcomes["loser_holds"] == F(7, 12)


def test_the_loser_tests_on_less():
    inputs = {
        "side_a": {"wounds_caused": 1},
        "side_b": {"wounds_caused": 3, "standard": 1},
        "loser_leadership": 8,
    }
    answer = evaluate(RULES, "combat_result", inputs)
    assert answer.values == {"winner": "b", "score_a": 1, "score_b": 4}
    assert answer.outcomes == {"loser_holds": F(5, 18), "loser_breaks": F(13, 18)}


def test_a_draw_holds():
    answer = evaluate(
        RULES, "combat_result", {"side_a": {"wounds_caused": 2}, "side_b": {"rank": 2}}
    )
    assert answer.values == {"winner": "draw", "score_a": 2, "score_b": 2}
    assert answer.outcomes == {"loser_holds": F(1)}
    assert (
        play(RULES, "combat_result", {"side_a": {}, "side_b": {}}, GivenDice([])).outcome
        == "loser_holds"
    )


@pytest.mark.parametrize(
    "lost_by,holds", [(0, F(7, 12)), (2, F(5, 18)), (6, F(0)), (50, F(0))]
)
def test_breaking_goes_by_what_was_lost_by(lost_by, holds):
    found = evaluate(RULES, "break_test", {"leadership": 7, "lost_by": lost_by}).outcomes
    assert found.get("holds", F(0)) == holds
    again = evaluate(
        RULES, "break_test", {"leadership": 7, "lost_by": lost_by, "reroll_failed": True}
    ).outcomes
    assert again["breaks"] == (1 - holds) ** 2


def test_the_mounted_run_down_the_foot():
    found = evaluate(RULES, "pursuit", {"pursuer_dice": 3, "fleer_dice": 2}).outcomes
    ways = sum(
        a + b + c > d + e
        for a in range(1, 7)
        for b in range(1, 7)
        for c in range(1, 7)
        for d in range(1, 7)
        for e in range(1, 7)
    )
    assert found["run_down"] == F(ways, 6**5)


def test_a_volley_is_played_shot_by_shot():
    inputs = {"shots": 2, "bs": 3, "strength": 3, "toughness": 3, "unit_size": 4}
    record = play(RULES, "volley", inputs, GivenDice([4, 4, 1]))
    assert (record.outcome, record.values) == (
        "casualties_1",
        {"casualties": 1, "at_least_1": True},
    )
