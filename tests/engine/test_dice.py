"""Dice given and dice thrown: the record, and what is refused."""

import random

import pytest

from engine.calls import play
from engine.dice import DieRecord, GivenDice, MissingDie, ThrownDice
from engine.errors import Refusal
from tests.engine.combat_rules import SKIRMISH_KEY, rules

BLOW = {
    "attacker": {"ws": 3, "strength": 3, "attacks": 2},
    "defender": {"ws": 3, "toughness": 3, "save": 5},
}


def test_record_tells_every_die_with_its_need_and_what_it_came_to():
    record = play(rules(SKIRMISH_KEY), "melee", BLOW, GivenDice([4, 2, 5, 3, 4]))
    assert record.outcome == "stunned"
    assert record.dice == (
        DieRecord("to hit", 6, 4, "4+", "hit"),
        DieRecord("to hit", 6, 2, "4+", "miss"),
        DieRecord("to wound", 6, 5, "4+", "wound"),
        DieRecord("save", 6, 3, "5+", "not saved"),
        DieRecord("injury", 6, 4, "", "stunned"),
    )


def test_dice_that_run_out_name_the_next_one():
    with pytest.raises(
        MissingDie, match=r"Give one more die: D6 for save \(5\+\)"
    ) as caught:
        play(rules(SKIRMISH_KEY), "melee", BLOW, GivenDice([4, 2, 5]))
    assert (caught.value.sides, caught.value.meaning.why, caught.value.field) == (
        6, "save", "dice",
    )  # fmt: skip


def test_dice_left_over_are_refused():
    with pytest.raises(Refusal, match="settled after 2; 1 too many"):
        play(rules(SKIRMISH_KEY), "melee", BLOW, GivenDice([1, 1, 6]))


@pytest.mark.parametrize("face", [0, 7, True, 3.0, "4", None])
def test_a_face_the_die_has_not_got_is_refused(face):
    with pytest.raises(Refusal, match="a number from 1 to 6") as caught:
        play(rules(SKIRMISH_KEY), "initiative_test", {"initiative": 3}, GivenDice([face]))
    assert caught.value.field == "dice"


def test_thrown_dice_come_from_the_source_handed_in():
    source = random.Random(4)
    first = play(
        rules(SKIRMISH_KEY),
        "melee",
        BLOW,
        ThrownDice(lambda sides: source.randint(1, sides)),
    )
    source = random.Random(4)
    second = play(
        rules(SKIRMISH_KEY),
        "melee",
        BLOW,
        ThrownDice(lambda sides: source.randint(1, sides)),
    )
    assert first == second


def test_a_total_records_each_of_its_dice():
    record = play(
        rules(SKIRMISH_KEY), "leadership_test", {"leadership": 7}, GivenDice([3, 4])
    )
    assert record.outcome == "pass"
    assert [(t.face, t.need, t.outcome) for t in record.dice] == [
        (3, "7 or less", "passed"),
        (4, "7 or less", "passed"),
    ]
