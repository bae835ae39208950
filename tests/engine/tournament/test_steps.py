"""The steps of a campaign as data: what is read is whole, and what is not is refused with its
place.
"""

from copy import deepcopy
from typing import Any

import pytest

from engine.errors import Refusal
from engine.growth.tables import dice_of, roll_of, rolls_of
from engine.tournament.campaign_steps import (
    EXAMPLE,
    Earnings,
    FateRow,
    Steps,
    read_steps,
    to_json,
)


def fate(dice: str, *rows: tuple[int, int]) -> dict[str, Any]:
    return {
        "fate": {
            "dice": dice,
            "rows": [{"least": a, "most": b, "name": f"Row {a}"} for a, b in rows],
        }
    }


def test_example_is_read_and_comes_back_the_same() -> None:
    steps = read_steps(EXAMPLE)
    assert steps.fate is not None
    assert (steps.pay, steps.recruits) == (Earnings("gold", 20, 15, 10), 1)
    assert [steps.fate.row(roll).name for roll in range(1, 7)] == [
        "Dead or retired",
        *["Misses the next battle"] * 2,
        *["Full recovery"] * 3,
    ]
    assert to_json(steps) == EXAMPLE
    assert read_steps(to_json(steps)) == steps
    assert (bool(read_steps({})), to_json(Steps())) == (False, {})


@pytest.mark.parametrize(
    "dice,first,last,count",
    [("D6", 1, 6, 6), ("2D6", 2, 12, 11), ("D66", 11, 66, 36), ("3D10", 3, 30, 28)],
)
def test_dice_come_to(dice: str, first: int, last: int, count: int) -> None:
    rolls = rolls_of(dice)
    assert (rolls[0], rolls[-1], len(rolls)) == (first, last, count)
    assert read_steps(fate(dice.lower(), (first, last))).fate is not None


def test_faces_are_added_or_read_as_tens_and_ones() -> None:
    assert (roll_of("D66", (3, 5)), roll_of("2D6", (3, 5)), roll_of("D6", (4,))) == (
        35,
        8,
        4,
    )
    steps = read_steps(fate("D66", (11, 26), (31, 66))).fate
    assert steps is not None
    assert steps.row(31) == FateRow(31, 66, "Row 31")
    with pytest.raises(Refusal, match="not 17"):
        steps.row(17)


ROW = {"least": 1, "most": 6, "name": "All well"}
BAD = [
    ([], "must be an object"),
    ({"luck": {}}, "“luck” is not known; use fate, pay, recruits"),
    (fate("D7", (1, 7)), "must be D6, 2D6, D10, D66"),
    (fate("D6"), "needs 1 to 36 rows"),
    (fate("D6", (1, 5)), "no row for a roll of 6"),
    (fate("D6", (1, 4), (4, 6)), "two rows for a roll of 4"),
    (fate("D6", (1, 7)), "D6 gives 1 to 6"),
    (fate("D66", (11, 19), (20, 66)), "D66 gives 11 to 66"),
    (fate("D6", (6, 1)), "must rise"),
    (
        {"pay": {"unit": "gold", "won": 1, "drawn": 1}},
        "The income for lost must be a whole number",
    ),
    (
        {"pay": {"unit": " ", "won": 1, "drawn": 1, "lost": 0}},
        "The currency must be a line",
    ),
    ({"pay": {"unit": "gold", "won": True, "drawn": 1, "lost": 0}}, "The income for won"),
    ({"recruits": {"most": 0}}, "from 1 to 10"),
    ({"recruits": {"most": 11}}, "from 1 to 10"),
    (
        {"fate": {"dice": "D6", "rows": [{**ROW, "is_gone": "yes"}]}},
        "must be true or false",
    ),
    ({"fate": {"dice": "D6", "rows": [ROW] * 37}}, "needs 1 to 36 rows"),
    ({"fate": {"dice": "D6", "rows": [{**ROW, "name": "x" * 200}]}}, "name of a row"),
    ({"fate": {"dice": "D6", "rows": [{**ROW, "most": 67}]}}, "from 1 to 66"),
]


def test_results_earn_what_is_agreed() -> None:
    pay = Earnings("gold", 20, 15, 10)
    assert [pay.of(result) for result in ("won", "drawn", "lost")] == [20, 15, 10]


@pytest.mark.parametrize(
    "dice,thrown", [("D6", (1, 6)), ("2D6", (2, 6)), ("D66", (2, 6)), ("3D10", (3, 10))]
)
def test_dice_are_so_many_of_so_many_sides(dice: str, thrown: tuple[int, int]) -> None:
    assert dice_of(dice) == thrown


@pytest.mark.parametrize("data,words", BAD, ids=[words for _, words in BAD])
def test_what_is_not_whole_is_refused(data: object, words: str) -> None:
    before = deepcopy(data)
    with pytest.raises(Refusal, match=words.replace("(", r"\(")) as refused:
        read_steps(data)
    assert (refused.value.field, data) == ("steps", before)
