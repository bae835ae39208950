"""Dice of tables: what they come to, and how faces are read."""

import pytest

from engine.growth.tables import dice_of, roll_of, rolls_of


@pytest.mark.parametrize(
    "dice,first,last,count",
    [("D6", 1, 6, 6), ("2D6", 2, 12, 11), ("D66", 11, 66, 36), ("3D10", 3, 30, 28)],
)
def test_dice_come_to(dice: str, first: int, last: int, count: int) -> None:
    rolls = rolls_of(dice)
    assert (rolls[0], rolls[-1], len(rolls)) == (first, last, count)


def test_faces_are_added_or_read_as_tens_and_ones() -> None:
    assert roll_of("D66", (3, 5)) == 35
    assert roll_of("2D6", (3, 5)) == 8
    assert roll_of("D6", (4,)) == 4


@pytest.mark.parametrize(
    "dice,thrown", [("D6", (1, 6)), ("2D6", (2, 6)), ("D66", (2, 6)), ("3D10", (3, 10))]
)
def test_dice_are_so_many_of_so_many_sides(dice: str, thrown: tuple[int, int]) -> None:
    assert dice_of(dice) == thrown
