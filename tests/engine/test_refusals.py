"""What calls refuse: inputs, dice and rulings that cannot be, each by its name."""

from dataclasses import replace

import pytest

from engine.calls import evaluate, play, question
from engine.dice import GivenDice
from engine.errors import Refusal
from engine.rules import CombatRules
from tests.engine.combat_rules import (
    D10_KEY,
    DRAFT_KEY,
    SKIRMISH_KEY,
    rules,
)


def refused(book: CombatRules, call: str, inputs: object) -> Refusal:
    with pytest.raises(Refusal) as caught:
        question(book, call, inputs)  # type: ignore[arg-type]
    return caught.value


def test_what_comes_from_outside_is_told_by_its_first_80_characters() -> None:
    book, long = rules(D10_KEY), "x" * 81
    told = refused(book, long, {})
    assert told.field == "call"
    assert told.message.startswith(f"There is no call '{'x' * 80}'. There are: ")
    told = refused(book, "duel_ranged", {long: 1})
    assert (told.field, told.message[:82]) == ("x" * 80, f"{'x' * 80}: ")
    with pytest.raises(Refusal) as caught:
        book.with_rulings({long: 1})
    assert caught.value.field == f"rulings.{'x' * 80}"
    assert caught.value.message == f"There is no ruling '{'x' * 80}' in this system."
    # What is as long as that is told whole.
    assert refused(book, "x" * 80, {}).message.startswith(f"There is no call '{'x' * 80}'.")


def test_a_call_without_inputs_says_that_there_may_be_others() -> None:
    told = refused(rules(D10_KEY), "round_length", {"turn": 3})
    assert told.message == "turn: there is no such input; there may be turns."
    told = refused(rules(D10_KEY), "round_length", [3])
    assert (told.field, told.message) == (
        "inputs",
        "inputs: give an object with names and values.",
    )


@pytest.mark.parametrize(
    "inputs, field",
    [
        ({"shots": 2, "attack_bonus_dice": 1}, "attack_bonus_dice"),
        ({"shots": 2, "defence_bonus_dice": 1}, "defence_bonus_dice"),
    ],
)
def test_bonus_dice_go_with_a_single_shot(inputs: dict[str, int], field: str) -> None:
    book = rules(D10_KEY)
    told = refused(book, "duel_ranged", inputs)
    assert told.field == field
    assert told.message == f"{field}: bonus dice go with a single shot; give shots 1."
    assert evaluate(book, "duel_ranged", {**inputs, "shots": 1}).outcomes
    # A casualty test comes after all shots.
    assert evaluate(
        book, "ranged_then_casualty", {"shots": 2, "casualty_bonus_dice": 1}
    ).outcomes


def test_nobody_holds_more_bonus_dice_than_the_system_has() -> None:
    book = rules(D10_KEY)
    few = replace(book, duels=replace(book.duels, most_bonus_dice=2))
    told = refused(few, "casualty_test", {"bonus_dice": 3})
    assert (told.field, told.message) == (
        "bonus_dice",
        "bonus_dice: nobody holds more than 2 bonus dice.",
    )
    assert evaluate(few, "casualty_test", {"bonus_dice": 2}).outcomes


def test_prices_that_a_system_does_not_have_are_refused() -> None:
    book = rules(D10_KEY)
    prices = {"table": book.duels.prices["table"]}
    one = replace(book, duels=replace(book.duels, prices=prices))
    told = refused(one, "affordable_bonus_dice", {"mode": "flat"})
    assert (told.field, told.message) == ("mode", "mode: give one of table.")


def test_dice_that_are_left_over_are_refused() -> None:
    with pytest.raises(Refusal) as caught:
        play(rules(D10_KEY), "casualty_test", {}, GivenDice([7, 3, 2]))
    assert (caught.value.field, caught.value.message) == (
        "dice",
        "The dice were settled after 1; 2 too many were given.",
    )


BLOW = {"ws": 3, "strength": 3}
STRUCK = {"ws": 3, "toughness": 3}


@pytest.mark.parametrize(
    "key, call, inputs, field",
    [
        (
            DRAFT_KEY,
            "melee",
            {"attacker": {**BLOW, "parry": {"defender_strength": 3}}, "defender": STRUCK},
            "parry",
        ),
        (
            SKIRMISH_KEY,
            "melee_sequence",
            {"attackers": [{**BLOW, "attacks": n} for n in (20, 11)], "defender": STRUCK},
            "attackers",
        ),
        (
            SKIRMISH_KEY,
            "jump_down",
            {"height": 6.5, "initiative": 3, "toughness": 3},
            "height",
        ),
        (SKIRMISH_KEY, "rout_test", {"force_size": 3, "out_of_action": 4}, "out_of_action"),
        (SKIRMISH_KEY, "duel_ranged", {}, "call"),
    ],
)
def test_a_refusal_names_the_input_to_mend(
    key: str, call: str, inputs: dict[str, object], field: str
) -> None:
    assert refused(rules(key), call, inputs).field == field


def test_a_die_that_is_missing_or_wrong_is_of_the_dice() -> None:
    for faces in ([], [7]):
        with pytest.raises(Refusal) as caught:
            play(
                rules(SKIRMISH_KEY), "initiative_test", {"initiative": 3}, GivenDice(faces)
            )
        assert caught.value.field == "dice"


def test_thirty_attacks_are_the_most_of_a_phase() -> None:
    attackers = [{**BLOW, "attacks": count} for count in (20, 10)]
    inputs = {"attackers": attackers, "defender": STRUCK}
    assert question(rules(SKIRMISH_KEY), "melee_sequence", inputs).steps
