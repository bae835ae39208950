"""Every call with any legal input: chances that add up, dice that agree; and every illegal input
refused by name.
"""

import math
import random
from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.calls import CALLS, evaluate, play, question
from engine.calls.questions import Input, Spread
from engine.dice import ThrownDice
from engine.errors import Refusal
from tests.engine.combat_rules import (
    D10_KEY,
    DRAFT_KEY,
    PAGE_KEY,
    REGIMENTS_KEY,
    SKIRMISH_KEY,
    rules,
)
from tests.engine.every_face import chances_by_face
from tests.engine.questions import DISTINCT_PAIRS, PAIRS

MAN = {"ws": 3, "strength": 3}
PARRIED = {**MAN, "parry": {"defender_strength": 3}}
ROUT = {"force_size": 4, "out_of_action": 1}
SMALL = {
    "attacks": 3, "hits": 3, "shots": 3, "turns": 4, "attackers": 2, "opponents": 3,
    "others": 3, "values": 3,
}  # fmt: skip


def values_of(field: Input) -> st.SearchStrategy:
    most = min(SMALL.get(field.name, 99), field.most)
    kinds = {
        "number": lambda: st.integers(
            field.low, min(field.high, SMALL.get(field.name, field.high))
        ),
        "height": lambda: st.floats(0.25, 6),
        "flag": st.booleans,
        "choice": lambda: st.sampled_from(field.choices),
        "numbers": lambda: st.lists(
            st.integers(field.low, field.high), min_size=field.least, max_size=most
        ),
        "group": lambda: inputs_of(field.fields),
        "groups": lambda: st.lists(
            inputs_of(field.fields), min_size=field.least, max_size=most
        ),
    }
    found = kinds[field.kind]()
    return st.one_of(st.none(), found) if field.default is None else found


def inputs_of(fields) -> st.SearchStrategy:
    needed = {f.name: values_of(f) for f in fields if f.is_required or f.default is None}
    return st.fixed_dictionaries(
        needed, optional={f.name: values_of(f) for f in fields if f.name not in needed}
    )


def asked(system, call, inputs):
    """The question, or None where the inputs do not go together (a finisher without figures, dice
    with two shots).
    """
    try:
        return question(rules(system), call, inputs)
    except Refusal:
        return None


@pytest.mark.parametrize("system,call", DISTINCT_PAIRS)
def test_chances_of_any_legal_inputs_add_up_to_one(system, call, soak):
    @settings(
        max_examples=soak(8, 40),
        suppress_health_check=[HealthCheck.too_slow],
        deadline=None,
    )
    @given(inputs=inputs_of(CALLS[call].inputs), seed=st.integers(0, 99))
    def add_up(inputs, seed):
        found = asked(system, call, inputs)
        if found is None:
            return
        chances = evaluate(rules(system), call, inputs).outcomes
        assert all(isinstance(chance, F) and chance >= 0 for chance in chances.values())
        source = random.Random(seed)
        dice = ThrownDice(lambda sides: source.randint(1, sides))
        record = play(rules(system), call, inputs, dice)
        if isinstance(found, Spread):
            assert sum(chances.values()) == 1
            assert all(chances.values())
            assert record.outcome in chances
            assert chances_by_face(found.rule) == chances
        assert all(die.why and 1 <= die.face <= die.sides for die in record.dice)
        assert found.steps
        assert all(step.endswith(".") for step in found.steps)

    add_up()


@pytest.mark.parametrize("call", CALLS)
def test_every_input_of_every_call_is_checked(call):
    """Found by walking the calls: a value no input takes is refused with the name of the input."""
    for field in CALLS[call].inputs:
        with pytest.raises(Refusal) as caught:
            evaluate(
                _system_of(call), call, {**_least(CALLS[call].inputs), field.name: object()}
            )
        assert caught.value.field == field.name
        assert caught.value.message.startswith(f"{field.name}: give")


@pytest.mark.parametrize("call", CALLS)
def test_unknown_inputs_are_refused_by_name(call):
    with pytest.raises(Refusal, match="oddity: there is no such input") as caught:
        evaluate(_system_of(call), call, {**_least(CALLS[call].inputs), "oddity": 1})
    assert caught.value.field == "oddity"


@pytest.mark.parametrize("call", CALLS)
def test_missing_inputs_are_refused_by_name(call):
    for field in CALLS[call].inputs:
        if field.is_required:
            inputs = _least(CALLS[call].inputs)
            del inputs[field.name]
            with pytest.raises(Refusal, match=f"{field.name}: this is needed"):
                evaluate(_system_of(call), call, inputs)


def _system_of(call):
    return next(rules(system) for system, name in PAIRS if name == call)


def _least(fields):
    made = {
        "number": lambda f: f.low, "height": lambda f: 2, "numbers": lambda f: [f.low] * f.least,
        "group": lambda f: _least(f.fields), "groups": lambda f: [_least(f.fields)] * f.least,
        "choice": lambda f: f.choices[0], "flag": lambda f: False,
    }  # fmt: skip
    return {field.name: made[field.kind](field) for field in fields if field.is_required}


@pytest.mark.parametrize("value", [0, 11, -1, 3.0, True, "3", None, math.nan, 10**40, [3]])
def test_characteristics_are_whole_numbers_from_1_to_10(value):
    with pytest.raises(
        Refusal, match="strength: give a whole number from 1 to 10"
    ) as caught:
        evaluate(rules(SKIRMISH_KEY), "hit", {"strength": value, "toughness": 3})
    assert caught.value.field == "strength"


@pytest.mark.parametrize("save", [0, 7, -2, "5+", 5.0])
def test_saves_are_as_printed(save):
    with pytest.raises(Refusal, match="save: give a whole number from 1 to 6"):
        evaluate(rules(SKIRMISH_KEY), "hit", {"strength": 3, "toughness": 3, "save": save})


@pytest.mark.parametrize("height", [0, -1, math.nan, math.inf, 101, "4", True, None])
def test_heights_are_inches(height):
    with pytest.raises(Refusal, match="height: give inches, more than 0 and at most 100"):
        evaluate(rules(SKIRMISH_KEY), "fall", {"height": height, "toughness": 3})


@pytest.mark.parametrize("height", [0.1, 100])
def test_heights_reach_their_limit(height):
    assert evaluate(rules(SKIRMISH_KEY), "fall", {"height": height, "toughness": 3}).steps


def test_the_page_of_rulings_has_no_highest_jump():
    # Mordheim rulings, The move itself: a test for each 2" begun, so four of 7", each on 3 or less.
    jump = {"height": 7, "initiative": 3, "toughness": 3}
    assert evaluate(rules(PAGE_KEY), "jump_down", jump).outcomes["lands_safely"] == F(1, 16)


@pytest.mark.parametrize("system,call,inputs,field", [
    (SKIRMISH_KEY, "melee", {"attacker": {**MAN, "attacks": -1}, "defender": {}}, "attacker.attacks"),
    (SKIRMISH_KEY, "melee", {"attacker": {**MAN, "wis": 1}, "defender": {}}, "attacker.wis"),
    (SKIRMISH_KEY, "melee", {"attacker": 3, "defender": {}}, "attacker"),
    (SKIRMISH_KEY, "melee", {"attacker": MAN, "defender": {"ws": 3}}, "defender.toughness"),
    (SKIRMISH_KEY, "melee_sequence", {"attackers": [], "defender": {}}, "attackers"),
    (SKIRMISH_KEY, "melee_sequence", {"attackers": [{"ws": 3}], "defender": {}}, "attackers.0.strength"),
    (
        SKIRMISH_KEY, "melee_sequence",
        {"attackers": [{**MAN, "attacks": n} for n in (20, 11)], "defender": {"ws": 3, "toughness": 3}},
        "attackers",
    ),
    (DRAFT_KEY, "melee", {"attacker": PARRIED, "defender": {"ws": 3, "toughness": 3}}, "parry"),
    (SKIRMISH_KEY, "shoot", {"bs": 3, "modifiers": [-1, "x"], "strength": 3, "toughness": 3}, "modifiers.1"),
    (SKIRMISH_KEY, "jump_down", {"height": 6.5, "initiative": 3, "toughness": 3}, "height"),
    (SKIRMISH_KEY, "all_alone", {"leadership": 7, "opponents": [3], "toughness": 3}, "opponents"),
    (SKIRMISH_KEY, "rout_test", {"force_size": 4, "out_of_action": 5}, "out_of_action"),
    (SKIRMISH_KEY, "rout_test", {**ROUT, "leader": {"leadership": 7, "state": "asleep"}}, "leader.state"),
    (SKIRMISH_KEY, "leadership_table", {"values": []}, "values"),
    (SKIRMISH_KEY, "duel_ranged", {}, "call"),
    (SKIRMISH_KEY, "nonsense", {}, "call"),
    (SKIRMISH_KEY, "hit", [], "inputs"),
    (SKIRMISH_KEY, 7, {}, "call"),
    (REGIMENTS_KEY, "hit", {"strength": 3, "toughness": 3}, "call"),
    (REGIMENTS_KEY, "combat_result", {"side_a": {"wounds_caused": 1}, "side_b": {}}, "loser_leadership"),
    (D10_KEY, "duel_ranged", {"shots": 2, "attack_bonus_dice": 1}, "attack_bonus_dice"),
    (D10_KEY, "duel_ranged", {"shots": 2, "defence_bonus_dice": 1}, "defence_bonus_dice"),
    (D10_KEY, "duel_melee", {"shots": 2}, "shots"),
    (D10_KEY, "casualty_test", {"bonus_dice": 7}, "bonus_dice"),
    (PAGE_KEY, "stupidity", {"leadership": 0}, "leadership"),
])  # fmt: skip
def test_what_cannot_be_is_refused_with_the_field(system, call, inputs, field):
    with pytest.raises(Refusal) as caught:
        evaluate(rules(system), call, inputs)
    assert caught.value.field == field


def test_outcomes_come_mildest_first():
    inputs = {"strength": 3, "toughness": 3, "wounds": 3, "hits": 3}
    assert list(evaluate(rules(SKIRMISH_KEY), "hit", inputs).outcomes) == [
        "unhurt", "wounded_2_left", "wounded_1_left", "knocked_down", "stunned", "out_of_action",
    ]  # fmt: skip


def test_thirty_attacks_are_the_most_of_a_phase():
    attackers = [{**MAN, "attacks": count} for count in (20, 10)]
    inputs = {"attackers": attackers, "defender": {"ws": 3, "toughness": 3}}
    assert question(rules(SKIRMISH_KEY), "melee_sequence", inputs).steps


@pytest.mark.parametrize("changes, call, inputs, field", [
    ({"most_bonus_dice": 2}, "casualty_test", {"bonus_dice": 3}, "bonus_dice"),
    ({"most_bonus_dice": 3}, "casualty_test", {"bonus_dice": 3}, ""),
    ({"prices": {"table": (1, 2, 4)}}, "affordable_bonus_dice", {"mode": "flat"}, "mode"),
    ({"prices": {"table": (1, 2, 4)}}, "affordable_bonus_dice", {}, ""),
])  # fmt: skip
def test_a_system_may_have_fewer_dice_and_prices(changes, call, inputs, field):
    book = rules(D10_KEY)
    few = replace(book, duels=replace(book.duels, **changes))
    if not field:
        assert question(few, call, inputs)
        return
    with pytest.raises(Refusal) as caught:
        question(few, call, inputs)
    assert caught.value.field == field


def test_what_comes_from_outside_is_told_by_its_first_80_characters():
    book, short, long = rules(D10_KEY), "x" * 80, "x" * 81
    for name in (short, long):
        with pytest.raises(Refusal, match=f"'{short}'"):
            question(book, name, {})
        with pytest.raises(Refusal, match=f"^{short}:"):
            question(book, "duel_ranged", {name: 1})
        with pytest.raises(Refusal, match=f"'{short}'") as caught:
            book.with_rulings({name: 1})
        assert caught.value.field == f"rulings.{short}"
