"""Dice by their names, and tables that are rolled on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import product

from engine.records import NumberByKey, Numbers, Texts, frozen_dataclass

DICE = ("D6", "2D6", "3D6", "4D6", "5D6", "D3", "D10", "2D10", "D20", "D66")
"""Every throw that campaign rules may name. D66 reads two D6 as tens and ones."""
ONE, MORE = "one", "more"
SUM = "sum"
"""The dice of a table that is read by the sum of a pool; its last row has no end."""
# The number of dice may be left out, where it is one.
_NAME = re.compile(r"(\d?)D(\d+)")


@frozen_dataclass
class RowEffect:
    """What a row does: one verb with what it needs, and words to print.

    Without a verb it does nothing. ``names`` are characteristics or lists of skills, ``name``
    anything else that is named by an id, ``number`` and ``dice`` an amount or its throw, ``parts``
    the effects of which it is made up. With dice, ``number`` is how often a gain counts.
    ``is_repeated``: after a promotion the others of the group throw again.
    """

    verb: str = ""
    name: str = ""
    names: Texts = ()
    number: int = 0
    dice: str = ""
    words: str = ""
    parts: tuple[RowEffect, ...] = ()
    is_repeated: bool = False


@frozen_dataclass
class RolledRow:
    """What the rolls from ``least`` to ``most`` mean.

    Where the effect cannot be, the first of ``otherwise`` that can.
    """

    least: int
    most: int
    name: str
    effect: RowEffect
    otherwise: tuple[RowEffect, ...] = ()


@frozen_dataclass
class DiceTable:
    """A table: its rows hold every roll of its dice exactly once."""

    id: str
    dice: str
    rows: tuple[RolledRow, ...]

    @property
    def rolls(self) -> Numbers:
        """Everything that its rows must tell."""
        if self.dice == SUM:
            return tuple(range(1, max((row.most for row in self.rows), default=0) + 1))
        return list_rolls(self.dice)

    def find_row(self, roll: int) -> RolledRow:
        """Return the row of a roll that the dice can come to."""
        rows = (row for row in self.rows if row.least <= roll <= row.most)
        return next(rows, None) or max(self.rows, key=lambda row: row.most)


@frozen_dataclass
class AnotherThrow:
    """A change of a throw after a battle: of an ``injury``, or of the roll with this id.

    ``dice``: all are thrown again, or `ONE` that the player names, or there is one `MORE`, and one
    is left out. It is for the injuries of some ``kinds``. Who bears it has it once after each
    battle; one that ``is_spent`` once in all, and a piece is gone then.
    """

    of: str
    dice: str = "all"
    kinds: Texts = ()
    is_spent: bool = False


@frozen_dataclass
class CharacteristicEffects:
    """What a skill, a mark or a piece of gear adds to characteristics, and which throw it changes."""

    id: str
    name: str
    words: str
    effects: NumberByKey
    again: AnotherThrow | None = None


@cache
def parse_dice(dice: str) -> tuple[int, int]:
    """Return how many dice of how many sides are thrown."""
    if dice == "D66":
        return 2, 6
    match = _NAME.fullmatch(dice)
    assert match
    return int(match[1] or 1), int(match[2])


@cache
def list_rolls(dice: str) -> Numbers:
    """Return everything that the dice can come to, rising."""
    if dice == "D66":
        return tuple(10 * tens + ones for tens, ones in product(range(1, 7), repeat=2))
    count, sides = parse_dice(dice)
    return tuple(range(count, count * sides + 1))


def can_show(dice: str, faces: Sequence[int]) -> bool:
    """Return whether these dice can show these faces."""
    count, sides = parse_dice(dice)
    return len(faces) == count and all(1 <= face <= sides for face in faces)


def sum_faces(dice: str, faces: Sequence[int]) -> int:
    """Return what the faces come to."""
    return 10 * faces[0] + faces[1] if dice == "D66" else sum(faces)
