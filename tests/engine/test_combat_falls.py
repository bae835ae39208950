"""Heights, tests and hits of falls, and dives."""

from fractions import Fraction as F

import pytest

from engine.calls import evaluate
from engine.calls.falls import (
    dive_bonus,
    dive_strength,
    fall_hits,
    fall_strength,
    tests_for,
)
from engine.combat.fighters import CasualtyCount, Target, name_outcome
from engine.dice import Dice, GivenDice
from engine.rules import CombatRules
from tests.engine.combat_rules import (
    DRAFT_KEY,
    PAGE_KEY,
    RETYPED_KEY,
    SKIRMISH_KEY,
    SUMMARY_KEY,
    AttackResult,
    rules,
)

tests_for.__test__ = False


@pytest.mark.parametrize(
    "inches,full,started",
    [(1, 0, 1), (1.5, 0, 1), (2, 1, 1), (3, 1, 2), (4, 2, 2), (5, 2, 3), (6, 3, 3)],
)
def test_a_height_takes_its_tests(inches, full, started):
    for system in (SKIRMISH_KEY, DRAFT_KEY, SUMMARY_KEY, RETYPED_KEY):
        assert tests_for(rules(system), inches) == full
    assert tests_for(rules(PAGE_KEY), inches) == started


@pytest.mark.parametrize(
    "inches,strength", [(0.5, 1), (1, 1), (3.9, 3), (10, 10), (60, 10)]
)
def test_a_fall_is_as_strong_as_it_is_deep(inches, strength):
    assert fall_strength(rules(SKIRMISH_KEY), inches) == strength


@pytest.mark.parametrize(
    "inches,flat,by_height", [(1, 1, 0), (2, 1, 1), (5, 1, 2), (6, 1, 3)]
)
def test_a_dive_adds_strength(inches, flat, by_height):
    for system in (SKIRMISH_KEY, PAGE_KEY, SUMMARY_KEY):
        assert dive_bonus(rules(system), inches) == flat
    for system in (DRAFT_KEY, RETYPED_KEY):
        assert dive_bonus(rules(system), inches) == by_height


@pytest.mark.parametrize("strength,dived", [(1, 4), (6, 9), (7, 10), (8, 10), (10, 10)])
def test_the_strength_of_a_dive_is_held_to_ten(strength, dived):
    assert dive_strength(rules(DRAFT_KEY), 6, strength) == dived


def test_a_dive_goes_no_further_than_strength_ten():
    high = {
        "height": 6,
        "initiative": 5,
        "attacker": {"ws": 3, "strength": 9},
        "defender": {"ws": 3, "toughness": 8},
    }
    assert evaluate(rules(DRAFT_KEY), "diving_charge", high).outcomes["target_unhurt"] == F(
        125, 216
    ) * (1 - F(2, 3) * F(5, 6))


def resolve_fall(
    rules: CombatRules, dice: Dice, target: Target, inches: float
) -> AttackResult:
    """What a fall of so many inches does to a model: a D3 of hits at Strength = inches, no save, no
    critical.

    Source: Warhammer Skirmish, FALLING; Mordheim draft, FALLING; Mordheim rulings, The move itself;
    rulings C13, G12.
    """
    tally = dice.run(
        fall_hits(rules, inches, target.toughness), CasualtyCount(target.wounds)
    )
    return AttackResult(name_outcome(tally, target.wounds), tally)


def test_a_fall_is_a_die_of_hits_without_saves_or_criticals():
    result = resolve_fall(
        rules(DRAFT_KEY), GivenDice([2, 6, 4, 2, 1]), Target(3, 3, 1, 2), 4
    )
    assert result.outcome == "stunned"


def test_what_cannot_wound_only_bruises():
    assert evaluate(
        rules(SKIRMISH_KEY), "fall", {"height": 1, "toughness": 5}
    ).outcomes == {"unhurt": F(1)}


def test_an_edge_takes_one_test_and_the_worse_state_stands():
    inputs = {"initiative": 4, "height": 1, "toughness": 4, "state": "stunned"}
    one = F(1, 6) * F(1, 3)
    out = 1 - sum(F(1, 3) * (1 - one) ** hits for hits in (1, 2, 3))
    assert evaluate(rules(SKIRMISH_KEY), "fall_from_edge", inputs).outcomes == {
        "stunned": 1 - F(1, 3) * out, "out_of_action": F(1, 3) * out,
    }  # fmt: skip


def test_on_the_rulings_page_a_fall_from_an_edge_may_still_be_softened():
    inputs = {"initiative": 3, "height": 2, "toughness": 3, "state": "knocked_down"}
    page = evaluate(rules(PAGE_KEY), "fall_from_edge", inputs).outcomes
    skirmish = evaluate(rules(SKIRMISH_KEY), "fall_from_edge", inputs).outcomes
    assert page["out_of_action"] == skirmish["out_of_action"] / 2
    ruled = rules(PAGE_KEY).with_rulings({"fall_003a_initiative_tests": False})
    hard = evaluate(ruled, "fall_from_edge", inputs).outcomes
    assert hard == skirmish


def test_a_short_jump_is_safe():
    assert evaluate(
        rules(SKIRMISH_KEY), "jump_down", {"height": 1, "initiative": 1, "toughness": 3}
    ).outcomes == {"lands_safely": F(1)}


def test_a_fall_may_take_only_wounds():
    found = evaluate(
        rules(SKIRMISH_KEY),
        "jump_down",
        {"height": 2, "initiative": 3, "toughness": 3, "wounds": 4},
    ).outcomes
    assert set(found) == {
        "lands_safely",
        "falls_unhurt",
        "falls_wounded_3_left",
        "falls_wounded_2_left",
        "falls_wounded_1_left",
    }
