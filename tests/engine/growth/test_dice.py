"""Dice of tables: what they come to, and how faces are read."""

import pytest

from engine.growth.tables import list_rolls, parse_dice, sum_faces


@pytest.mark.parametrize(
    "dice,first,last,count",
    [("D6", 1, 6, 6), ("2D6", 2, 12, 11), ("D66", 11, 66, 36), ("3D10", 3, 30, 28)],
)
def test_dice_come_to(dice: str, first: int, last: int, count: int) -> None:
    rolls = list_rolls(dice)
    assert (rolls[0], rolls[-1], len(rolls)) == (first, last, count)


def test_faces_are_added_or_read_as_tens_and_ones() -> None:
    assert sum_faces("D66", (3, 5)) == 35
    assert sum_faces("2D6", (3, 5)) == 8
    assert sum_faces("D6", (4,)) == 4


@pytest.mark.parametrize(
    "dice,thrown", [("D6", (1, 6)), ("2D6", (2, 6)), ("D66", (2, 6)), ("3D10", (3, 10))]
)
def test_dice_are_so_many_of_so_many_sides(dice: str, thrown: tuple[int, int]) -> None:
    assert parse_dice(dice) == thrown
