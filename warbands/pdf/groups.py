"""Warriors alike stand together: one group for equal neighbours, one line in it for each miniature."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import groupby
from operator import attrgetter
from typing import Any

from engine.records import frozen_dataclass
from warbands.pdf.measure import clean
from warbands.sheet.structure import RosterSheet, SheetWarrior

MOST_LINES = 600
"""Lines of single miniatures that one document prints at most, all groups together."""
_CAPS = (60, 40, 30, 20, 12, 8, 5, 3, 2, 1)


@frozen_dataclass
class GroupMember:
    """One miniature of a group: its number on the roster, and its ``place`` among those alike."""

    number: int
    place: int
    name: str
    is_leader: bool


@frozen_dataclass
class Group:
    """``members`` are those printed, ``alike`` how many there are, ``more`` how many are told of in
    a line only.
    """

    warrior: SheetWarrior
    members: tuple[GroupMember, ...]
    alike: int
    more: int = 0
    is_continued: bool = False

    @property
    def miniatures_each(self) -> int:
        return self.warrior.miniatures // max(1, self.warrior.count)


def groups_of(sheet: RosterSheet) -> list[Group]:
    """The groups of a roster in its order; a very large one prints fewer single lines of each.

    A unit is one line.
    """
    alike = [list(found) for _, found in groupby(sheet.warriors, _likeness)]
    sizes = [sum(1 if w.is_unit else w.count for w in found) for found in alike]
    # The largest cap that keeps the document within its lines.
    cap = next((c for c in _CAPS if sum(min(size, c) for size in sizes) <= MOST_LINES), 1)
    return [_group(found, size, cap) for found, size in zip(alike, sizes, strict=True)]


def _group(warriors: Sequence[SheetWarrior], size: int, cap: int) -> Group:
    members: list[GroupMember] = []
    for member in _members(warriors):
        if len(members) == cap:
            break
        members.append(member)
    return Group(warriors[0], tuple(members), size, size - len(members))


def _members(warriors: Sequence[SheetWarrior]) -> Iterator[GroupMember]:
    place = 0
    for warrior in warriors:
        if warrior.is_unit:
            place += 1
            yield GroupMember(
                warrior.number, place, clean(warrior.name, 120), warrior.is_leader
            )
            continue
        for i in range(warrior.count):
            name = clean(warrior.names[i], 120) if i < len(warrior.names) else ""
            place += 1
            yield GroupMember(warrior.number + i, place, name, warrior.is_leader)


# In these the warriors of a group may differ: not printed, or printed on a line for each.
_OF_EACH = {
    "index", "id", "number", "name", "names", "count", "miniatures", "is_leader", "points",
    "receipt", "findings", "ranks",
}  # fmt: skip
_PRINTED = attrgetter(
    *(one.name for one in fields(SheetWarrior) if one.name not in _OF_EACH)
)


def _likeness(w: SheetWarrior) -> tuple[Any, ...]:
    """Everything two warriors must share to be printed as one group; what is printed of each line
    is not in it.
    """
    each = (w.index, w.ranks) if w.is_unit else w.miniatures // max(1, w.count)
    return _PRINTED(w), each
