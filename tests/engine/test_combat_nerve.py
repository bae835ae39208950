"""Rout, All Alone and stupidity."""

from fractions import Fraction as F

import pytest

from engine.calls import evaluate, play
from engine.calls.psychology import (
    initiative_rule,
    leadership_rule,
    may_test_voluntarily,
    rout_due,
)
from engine.dice import GivenDice
from tests.engine.combat_rules import (
    DRAFT_KEY,
    PAGE_KEY,
    RETYPED_KEY,
    SKIRMISH_KEY,
    SUMMARY_KEY,
    rules,
)


@pytest.mark.parametrize(
    "size,out,due",
    [
        (12, 2, False),
        (12, 3, True),
        (13, 3, False),
        (13, 4, True),
        (1, 1, True),
        (4, 0, False),
    ],
)
def test_rout_is_due_at_a_quarter(size, out, due):
    for system in (SKIRMISH_KEY, PAGE_KEY):
        assert rout_due(rules(system), size, out) is due
    for system in (DRAFT_KEY, SUMMARY_KEY, RETYPED_KEY):
        assert not rout_due(rules(system), size, out)


@pytest.mark.parametrize("state,used", [
    ("standing", 9), ("hidden", 9), ("knocked_down", 9), ("fleeing", 9),
    ("stunned", 7), ("out_of_action", 7), ("left_table", 7),
])  # fmt: skip
def test_only_a_stunned_or_lost_leader_lends_nothing(state, used):
    inputs = {
        "force_size": 4,
        "out_of_action": 3,
        "leader": {"leadership": 9, "state": state},
        "others": [
            {"leadership": 8, "state": "stunned"},
            {"leadership": 7, "state": "knocked_down"},
            {"leadership": 6},
        ],
    }
    answer = evaluate(rules(SKIRMISH_KEY), "rout_test", inputs)
    assert answer.values["leadership_used"] == used


def test_a_rout_test_nobody_can_lend_to_is_failed():
    inputs = {
        "force_size": 4,
        "out_of_action": 3,
        "leader": {"leadership": 9, "state": "stunned"},
    }
    answer = evaluate(rules(SKIRMISH_KEY), "rout_test", inputs)
    assert answer.outcomes == {"rout": F(1)}
    assert answer.values == {"test_required": True, "leadership_used": None}


def test_a_rout_test_that_is_not_due_is_none():
    answer = evaluate(
        rules(SKIRMISH_KEY), "rout_test", {"force_size": 12, "out_of_action": 2, "turns": 3}
    )
    assert (answer.outcomes, answer.values) == (
        {"fight_on": F(1)},
        {"test_required": False},
    )


def test_a_text_without_rout_never_calls_for_it():
    answer = evaluate(
        rules(SUMMARY_KEY), "rout_test", {"force_size": 4, "out_of_action": 4}
    )
    assert (answer.outcomes, answer.values) == (
        {"fight_on": F(1)},
        {"test_required": False},
    )


def test_rout_over_several_turns_must_be_passed_each_time():
    inputs = {
        "force_size": 8,
        "out_of_action": 2,
        "leader": {"leadership": 8, "state": "standing"},
        "turns": 3,
    }
    assert evaluate(rules(PAGE_KEY), "rout_test", inputs).outcomes == {
        "fight_on": F(13, 18) ** 3,
        "rout": 1 - F(13, 18) ** 3,
    }


def test_a_failed_rout_test_is_the_last():
    inputs = {"force_size": 8, "out_of_action": 2, "leader": {"leadership": 8}, "turns": 3}
    assert (
        play(rules(SKIRMISH_KEY), "rout_test", inputs, GivenDice([1, 1, 6, 6])).outcome
        == "rout"
    )


def test_volunteering_is_for_the_rulings_page():
    assert [may_test_voluntarily(rules(PAGE_KEY), out) for out in (1, 2)] == [False, True]
    assert not may_test_voluntarily(rules(SKIRMISH_KEY), 5)
    assert not may_test_voluntarily(rules(SUMMARY_KEY), 5)


@pytest.mark.parametrize(
    "faces,outcome",
    [([3, 4], "holds"), ([4, 4, 1, 1], "flees"), ([4, 4, 4, 3, 1], "stunned")],
)
def test_all_alone_hits_the_one_who_runs(faces, outcome):
    inputs = {"leadership": 7, "opponents": [3, 3], "toughness": 3}
    record = play(rules(SKIRMISH_KEY), "all_alone", inputs, GivenDice(faces))
    assert record.outcome == outcome


def test_who_is_only_wounded_flees():
    inputs = {"leadership": 7, "opponents": [3, 3], "toughness": 3, "wounds": 5}
    assert evaluate(rules(SKIRMISH_KEY), "all_alone", inputs).outcomes == {
        "holds": F(7, 12),
        "flees": F(5, 12),
    }


def test_each_opponent_may_be_critical():
    inputs = {"leadership": 2, "opponents": [3, 3], "toughness": 3, "wounds": 4}
    found = evaluate(rules(SKIRMISH_KEY), "all_alone", inputs).outcomes
    assert found["out_of_action"] == F(35, 36) * F(1, 36) * F(1, 3)


def test_stupidity_is_a_test_and_a_die():
    found = evaluate(rules(PAGE_KEY), "stupidity", {"leadership": 7}).outcomes
    assert found == {
        "acts_normally": F(7, 12),
        "lurches_forward": F(5, 24),
        "does_nothing": F(5, 24),
    }
    assert (
        play(rules(PAGE_KEY), "stupidity", {"leadership": 7}, GivenDice([6, 6, 3])).outcome
        == "lurches_forward"
    )


def test_single_tests_are_played_with_dice():
    assert initiative_rule(rules(SKIRMISH_KEY), 6).play(GivenDice([5]), None)
    assert not initiative_rule(rules(SKIRMISH_KEY), 6).play(GivenDice([6]), None)
    assert initiative_rule(rules(PAGE_KEY), 6).play(GivenDice([6]), None)
    assert leadership_rule(rules(SKIRMISH_KEY), 7, reroll=True).play(
        GivenDice([6, 6, 1, 1]), None
    )
    assert not leadership_rule(rules(SKIRMISH_KEY), 7).play(GivenDice([6, 6]), None)
