"""Dice thrown or typed in, with what they were for: kept as plain records, the newest first."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import sqrt
from statistics import NormalDist

import re2

from engine.errors import Refusal
from engine.records import JsonObject, Numbers, frozen_dataclass

MOST_KEPT, MOST_DICE, WHY_MAX = 50, 20, 100
KINDS = ("D3", "D4", "D6", "2D6", "3D6", "D10", "D20")
_TOLD_FROM = 10
_KEPT = (
    "dice",
    "faces",
    "why",
    "typed",
    "at",
)  # keys of a session's throw, as `Throw` has them


@frozen_dataclass
class Throw:
    """One throw: ``dice`` as written (2D6), its faces, what it was for, and whether somebody typed
    it in.
    """

    dice: str
    faces: Numbers
    why: str
    is_typed: bool
    at: str

    @property
    def total(self) -> int:
        return sum(self.faces)

    @property
    def when(self) -> datetime:
        return datetime.fromisoformat(self.at)

    @property
    def sides(self) -> int:
        return sides_of(self.dice)


@frozen_dataclass
class Fairness:
    """How the dice of one kind have fallen: how many, their mean and what is expected, and how odd
    that is.
    """

    sides: int
    count: int
    mean: str
    expected: str
    faces: tuple[tuple[int, int], ...]
    words: str


def sides_of(dice: str) -> int:
    """The sides of each die of a throw."""
    return int(dice.rpartition("D")[2])


def number_of(dice: str) -> int:
    """How many dice a throw of that kind takes."""
    return int(dice.partition("D")[0] or 1)


def roll_dice(
    dice: str, times: int, why: str, at: datetime, roll: Callable[[int], int]
) -> Throw:
    """A throw made here; ``roll`` makes the face of a die of so many sides.

    Raises Refusal naming the field.
    """
    count = _checked(dice, times, why)
    faces = tuple(roll(sides_of(dice)) for _ in range(count))
    return Throw(_written(dice, times), faces, why, is_typed=False, at=at.isoformat())


def read_dice(dice: str, times: int, text: str, why: str, at: datetime) -> Throw:
    """A throw somebody made at the table, its faces as typed.

    Raises Refusal naming the field and its range.
    """
    count = _checked(dice, times, why)
    faces = re2.findall(r"[0-9]+", text[:400])
    most = sides_of(dice)
    is_foreign = len(faces) != count or re2.search(r"[^0-9,;+ ]", text)
    if is_foreign or any(not 1 <= int(face[:6]) <= most for face in faces):
        wanted = f"a number from 1 to {most}"
        if count != 1:
            wanted = f"{count} numbers, each from 1 to {most}"
        raise Refusal(f"Faces: give {wanted}.", field="faces")
    return Throw(
        _written(dice, times), tuple(map(int, faces)), why, is_typed=True, at=at.isoformat()
    )


def _checked(dice: str, times: int, why: str) -> int:
    if dice not in KINDS:
        raise Refusal(f"Dice: choose one of {', '.join(KINDS)}.", field="dice")
    if len(why) > WHY_MAX:
        raise Refusal(f"What for: at most {WHY_MAX} characters.", field="why")
    count = number_of(dice) * times
    if not 1 <= count <= MOST_DICE:
        most = MOST_DICE // number_of(dice)
        raise Refusal(
            f"How many: give a whole number from 1 to {most} for {dice}.", field="times"
        )
    return count


def _written(dice: str, times: int) -> str:
    count = number_of(dice) * times
    return f"{count if count > 1 else ''}D{sides_of(dice)}"


def stored(throws: Sequence[Throw]) -> list[JsonObject]:
    """The newest of them as a session keeps them."""
    kept = [(t.dice, list(t.faces), t.why, t.is_typed, t.at) for t in throws[:MOST_KEPT]]
    return [dict(zip(_KEPT, values, strict=True)) for values in kept]


def restored(records: object) -> tuple[Throw, ...]:
    """What a session kept; whatever is no throw is left out."""
    if not isinstance(records, list):
        return ()
    found = []
    for record in records[:MOST_KEPT]:
        if isinstance(record, Mapping) and set(_KEPT) <= set(record):
            dice, faces, *others = (record[name] for name in _KEPT)
            found.append(Throw(dice, tuple(faces), *others))
    return tuple(found)


def fairness(throws: Sequence[Throw]) -> tuple[Fairness, ...]:
    """One line for each kind of die that was thrown, the most thrown first; typed throws count as
    well.
    """
    fallen: dict[int, list[int]] = {}
    for throw in throws:
        fallen.setdefault(throw.sides, []).extend(throw.faces)
    return tuple(
        _fairness(sides, faces)
        for sides, faces in sorted(
            fallen.items(), key=lambda pair: (-len(pair[1]), pair[0])
        )
    )


def _fairness(sides: int, faces: Sequence[int]) -> Fairness:
    count, mean, expected = len(faces), sum(faces) / len(faces), (sides + 1) / 2
    spread = sqrt((sides * sides - 1) / 12 / count)
    words = f"Too few dice to judge; from {_TOLD_FROM} on a judgement stands here."
    if count >= _TOLD_FROM:
        # As far off as this in either direction, by the normal approximation of the mean.
        share = 2 * (1 - NormalDist().cdf(abs(mean - expected) / spread))
        often = f"{max(share * 100, 1):.0f} in 100"
        odd = "Nothing unusual" if share > 0.05 else "Unusual, but it happens"
        words = (
            f"{odd}: fair dice are this far off or further in about {often} such series."
        )
    counts = Counter(faces)
    table = tuple((face, counts[face]) for face in range(1, sides + 1))
    return Fairness(sides, count, f"{mean:.2f}", f"{expected:.1f}", table, words)
