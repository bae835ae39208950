"""Dice by their names, and tables that are rolled on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import product

from engine.records import NumberByKey, Numbers, Texts, frozen_dataclass

DICE = ("D6", "2D6", "3D6", "D3", "D10", "2D10", "D20", "D66")
"""Every throw that campaign rules may name. D66 reads two D6 as tens and ones."""
# The number of dice may be left out, where it is one.
_NAME = re.compile(r"(\d?)D(\d+)")


@frozen_dataclass
class RowEffect:
    """What a row does: one verb with what it needs, and words to print.

    Without a verb it does nothing. ``names`` are characteristics or lists of skills, ``name``
    anything else that is named by an id, ``number`` and ``dice`` an amount or its throw.
    """

    verb: str = ""
    name: str = ""
    names: Texts = ()
    number: int = 0
    dice: str = ""
    words: str = ""


NOTHING = RowEffect()


@frozen_dataclass
class RolledRow:
    """What the rolls from ``least`` to ``most`` mean; ``otherwise`` where the effect cannot be."""

    least: int
    most: int
    name: str
    effect: RowEffect
    otherwise: RowEffect = NOTHING


@frozen_dataclass
class DiceTable:
    """A table: its rows hold every roll of its dice exactly once."""

    id: str
    dice: str
    rows: tuple[RolledRow, ...]

    def find_row(self, roll: int) -> RolledRow:
        """Return the row of a roll that the dice can come to."""
        return next(row for row in self.rows if row.least <= roll <= row.most)


@frozen_dataclass
class CharacteristicEffects:
    """What a skill or a piece of gear adds to characteristics."""

    id: str
    name: str
    words: str
    effects: NumberByKey


@cache
def dice_of(dice: str) -> tuple[int, int]:
    """Return how many dice of how many sides are thrown."""
    if dice == "D66":
        return 2, 6
    match = _NAME.fullmatch(dice)
    assert match
    return int(match[1] or 1), int(match[2])


@cache
def rolls_of(dice: str) -> Numbers:
    """Return everything that the dice can come to, rising."""
    if dice == "D66":
        return tuple(10 * tens + ones for tens, ones in product(range(1, 7), repeat=2))
    count, sides = dice_of(dice)
    return tuple(range(count, count * sides + 1))


def are_faces_of(dice: str, faces: Sequence[int]) -> bool:
    """Return whether these dice can show these faces."""
    count, sides = dice_of(dice)
    return len(faces) == count and all(1 <= face <= sides for face in faces)


def roll_of(dice: str, faces: Sequence[int]) -> int:
    """Return what the faces come to."""
    return 10 * faces[0] + faces[1] if dice == "D66" else sum(faces)
