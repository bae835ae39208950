"""`roll/`: one play of a call, with dice given or thrown, and the record of every die.

No database.
"""

import random

import pytest

from odds import questions
from tests.api.conftest import is_refusal
from tests.api.test_odds import EXAMPLES, MAN, ODDS, ROLL, TARGET, question

MELEE = {"attacker": MAN, "defender": TARGET}


def roll(post, dice, call="melee", inputs=MELEE, **fields):
    return post(question(call, inputs, dice=dice, **fields), ROLL)


def test_given_dice_are_played_and_recorded(post):
    answer = roll(post, [4, 5, 6])
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == ["outcome", "values", "steps", "record"]
    assert body["outcome"] == "out_of_action"
    assert body["record"] == [
        {"why": "to hit", "sides": 6, "face": 4, "need": "4+", "outcome": "hit"},
        {"why": "to wound", "sides": 6, "face": 5, "need": "4+", "outcome": "wound"},
        {"why": "injury", "sides": 6, "face": 6, "need": "", "outcome": "out of action"},
    ]


def test_rulings_hold_for_a_roll_too(post):
    inputs = {"initiative": 6}
    assert roll(post, [6], "initiative_test", inputs).json()["outcome"] == "fail"
    ruled = roll(
        post, [6], "initiative_test", inputs, rulings={"natural_6_fails_initiative": False}
    )
    assert ruled.json()["outcome"] == "pass"


def test_values_come_along(post):
    inputs = {"force_size": 4, "out_of_action": 1, "leader": {"leadership": 8}}
    body = roll(post, [4, 4], "rout_test", inputs).json()
    assert (body["outcome"], body["values"]) == (
        "fight_on",
        {"test_required": True, "leadership_used": 8},
    )


NO_FACE = "Give the face of a die, a whole number from 1 to 20."
NO_LIST = "Give a list of at most 2,000 faces, or null to have the dice thrown."


@pytest.mark.parametrize(
    "dice,field,message",
    [
        ([], "dice", "Give one more die: D6 for to hit (4+)."),
        ([4, 5], "dice", "Give one more die: D6 for injury."),
        ([4, 5, 6, 1], "dice", "The dice were settled after 3; 1 too many were given."),
        ([4, 20, 1], "dice.1", "The D6 for to wound shows a number from 1 to 6."),
        ([0], "dice.0", NO_FACE), ([4, 21], "dice.1", NO_FACE), (["D7"], "dice.0", NO_FACE),
        ([4.0], "dice.0", NO_FACE), ([True], "dice.0", NO_FACE),
        ([{"sides": 7, "face": 7}], "dice.0", NO_FACE),
        ("456", "dice", NO_LIST), ([1] * 2001, "dice", NO_LIST),
    ],
)  # fmt: skip
def test_dice_that_do_not_fit_are_told(post, dice, field, message):
    answer = roll(post, dice)
    assert answer.status_code == 400
    assert is_refusal(answer)
    assert answer.json()["errors"] == [{"field": field, "message": message}]


def test_each_die_has_its_own_sides(post):
    inputs = {"bonus_dice": 1}
    body = roll(post, [10, 6], "casualty_test", inputs, system="d10-skirmish").json()
    assert [(die["sides"], die["face"]) for die in body["record"]] == [(10, 10), (6, 6)]
    wrong = roll(post, [10, 7], "casualty_test", inputs, system="d10-skirmish")
    assert wrong.json()["errors"][0]["message"].endswith("shows a number from 1 to 6.")


@pytest.mark.parametrize("case", EXAMPLES, ids=[case["title"] for case in EXAMPLES])
def test_thrown_dice_come_out_as_something_that_can_be(post, monkeypatch, case):
    source = random.Random(7)
    monkeypatch.setattr(questions, "_CHANCE", source)
    body = question(
        case["call"], case["inputs"], case["system"], variant=case.get("variant")
    )
    chances = post(body, ODDS).json()["outcomes"]
    played = post(body, ROLL).json()
    again = post({**body, "dice": [die["face"] for die in played["record"]]}, ROLL).json()
    assert again == played
    assert all(1 <= die["face"] <= die["sides"] and die["why"] for die in played["record"])
    assert played["outcome"] in chances or sum(
        c["decimal"] for c in chances.values()
    ) != pytest.approx(1, abs=1e-4)


def test_null_and_nothing_both_have_the_dice_thrown(post):
    asked = question("leadership_test", {"leadership": 7})
    for body in (asked, {**asked, "dice": None}):
        assert len(post(body, ROLL).json()["record"]) == 2
