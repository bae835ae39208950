"""Blows and shots: every face looked at, dice thrown, and what each text does its own way."""

from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.calls import evaluate, play, question
from engine.calls.questions import Spread
from engine.combat.fighters import Attacker, CasualtyCount, Target
from engine.combat.hits import UnsavedWounds, build_shot, injury_roll
from engine.dice import GivenDice
from engine.errors import Refusal
from engine.odds import exact_distribution
from engine.rules import INJURIES
from tests.engine.combat_rules import (
    DRAFT_KEY,
    PAGE_KEY,
    SKIRMISH_KEY,
    SUMMARY_KEY,
    WARRIOR_SYSTEMS,
    rules,
)
from tests.engine.every_face import chances_by_face

FIGURE = st.integers(1, 10)
SAVE = st.one_of(st.none(), st.integers(2, 6))
SYSTEM = st.sampled_from(WARRIOR_SYSTEMS)
ATTACKER = st.fixed_dictionaries(
    {
        "ws": FIGURE,
        "strength": FIGURE,
        "attacks": st.integers(0, 3),
        "to_hit_bonus": st.integers(-2, 2),
    },
    optional={"killing_blow": st.booleans(), "poison": st.booleans()},
)
DEFENDER = st.fixed_dictionaries(
    {"ws": FIGURE, "toughness": FIGURE, "wounds": st.integers(1, 3), "save": SAVE}
)


@settings(max_examples=20)
@given(SYSTEM, st.lists(ATTACKER, min_size=1, max_size=2), DEFENDER)
def test_rules_decide_by_their_cuts_alone(system, attackers, defender):
    asked = question(
        rules(system), "melee_sequence", {"attackers": attackers, "defender": defender}
    )
    assert isinstance(asked, Spread)
    assert chances_by_face(asked.rule) == exact_distribution(asked.rule, None).chances()


def outcomes(system, attackers, defender):
    inputs = {"attackers": attackers, "defender": defender}
    return evaluate(rules(system), "melee_sequence", inputs).outcomes


SEVERAL = st.lists(ATTACKER, min_size=2, max_size=3)


@settings(max_examples=20)
@given(st.sampled_from([DRAFT_KEY, SUMMARY_KEY]), SEVERAL, DEFENDER)
def test_where_nobody_finishes_the_order_of_attackers_means_nothing(
    system, attackers, defender
):
    defender = {**defender, "wounds": 1}
    assert outcomes(system, attackers, defender) == outcomes(
        system, attackers[::-1], defender
    )


@settings(max_examples=20)
@given(st.sampled_from([SKIRMISH_KEY, PAGE_KEY]), ATTACKER, DEFENDER)
def test_a_second_attacker_never_helps_the_target(system, attacker, defender):
    one, two = (outcomes(system, [attacker] * count, defender) for count in (1, 2))
    assert two.get("out_of_action", 0) >= one.get("out_of_action", 0)
    assert two.get("unhurt", 0) <= one.get("unhurt", 0)


PARRIED = {"ws": 3, "strength": 3, "parry": {"defender_strength": 3}}
TOUGH = {"ws": 3, "toughness": 9, "wounds": 3}


@pytest.mark.parametrize("system, inputs, field", [
    (SKIRMISH_KEY, {"target_state": "stunned", "attacker": {}, "defender": {}}, ""),
    (SKIRMISH_KEY, {"attacker": {"ws": 3}, "defender": TOUGH}, "attacker.strength"),
    (DRAFT_KEY, {"attacker": {"ws": 3}, "defender": {"toughness": 3}}, "defender.ws"),
])  # fmt: skip
def test_finishing_asks_only_for_what_is_rolled(system, inputs, field):
    if not field:
        assert evaluate(rules(system), "attack_downed", inputs)
        return
    with pytest.raises(Refusal) as caught:
        evaluate(rules(system), "attack_downed", inputs)
    assert caught.value.field == field


@pytest.mark.parametrize("faces, thrown", [
    # It is spent once in a phase, and one that cannot succeed waits for the next attacker.
    ([4, 5, 4], ["to hit", "parry", "to hit"]),
    ([6, 4, 6], ["to hit", "to hit", "parry"]),
])  # fmt: skip
def test_a_parry_is_thrown_once_where_it_may_succeed(faces, thrown):
    inputs = {"attackers": [PARRIED, PARRIED], "defender": TOUGH}
    record = play(rules(SUMMARY_KEY), "melee_sequence", inputs, GivenDice(faces))
    assert [die.why for die in record.dice] == thrown


@pytest.mark.parametrize("mode, is_parried", [("page", True), ("strict", False)])
def test_who_never_parries_a_six_keeps_the_die(mode, is_parried):
    inputs = {"attacker": {**PARRIED, "to_hit_bonus": -2}, "defender": TOUGH}
    book = rules(PAGE_KEY).with_rulings({"parry": mode})
    record = play(book, "melee", inputs, GivenDice([6, 6] if is_parried else [6]))
    assert len(record.dice) == 1 + is_parried


@pytest.mark.parametrize(
    "bonus,unhurt", [(1, F(2, 3)), (5, F(7, 12)), (-2, F(11, 12)), (-5, F(11, 12))]
)
def test_bonuses_to_hit_stop_at_two_and_six(bonus, unhurt):
    inputs = {
        "attacker": {"ws": 3, "strength": 3, "to_hit_bonus": bonus},
        "defender": {"ws": 3, "toughness": 3},
    }
    assert evaluate(rules(SKIRMISH_KEY), "melee", inputs).outcomes["unhurt"] == unhurt


def test_every_shot_may_be_critical():
    shot = build_shot(rules(DRAFT_KEY), 4, (), Attacker(3, 3), Target(3, 3, 9))
    dice = GivenDice([6, 6, 5] * 2)
    once = shot.play(dice, CasualtyCount(9))
    assert shot.play(dice, once).wounds == 2 * once.wounds - 9 < once.wounds < 9
    assert not once.critical_used


@pytest.mark.parametrize(
    "bonus, outcomes", [(0, {1: "knocked down", 3: "stunned"}), (5, {})]
)
def test_record_names_an_injury_that_every_face_leads_to(bonus, outcomes):
    rule = injury_roll(rules(SKIRMISH_KEY))
    for face in range(1, 7):
        dice = GivenDice([face])
        wounds, injury = rule.play(dice, UnsavedWounds(1, 0, (bonus,)))
        (die,) = dice.record
        assert (wounds, die.outcome) == (0, INJURIES[injury].replace("_", " "))
        assert die.outcome == outcomes.get(face, die.outcome)
        assert bonus == 0 or die.outcome == "out of action"
        assert die.why == ("injury, +5" if bonus else "injury")
