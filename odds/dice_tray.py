"""Dice thrown or typed in, with what they were for: kept as plain records, the newest first."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import sqrt
from statistics import NormalDist

import re2

from engine.errors import Refusal
from engine.records import Fields, JsonObject, Numbers, frozen_dataclass

MOST_KEPT, MOST_DICE, WHY_MAX = 50, 20, 100
KINDS = ("D3", "D4", "D6", "2D6", "3D6", "D10", "D20")
_JUDGED_FROM = 10
_KEYS = ("dice", "faces", "why", "typed", "at")
"""Keys of a session's throw, in the order of the fields of `Throw`."""


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


def die_sides(dice: str) -> int:
    """The sides of each die of a throw."""
    return int(dice.rpartition("D")[2])


def dice_count(dice: str) -> int:
    """How many dice a throw of that kind takes."""
    return int(dice.partition("D")[0] or 1)


def roll_dice(
    dice: str, times: int, why: str, at: datetime, roll: Callable[[int], int]
) -> Throw:
    """A throw made here; ``roll`` makes the face of a die of so many sides.

    Raises Refusal naming the field.
    """
    count, sides = _checked(dice, times, why), die_sides(dice)
    faces = tuple(roll(sides) for _ in range(count))
    return Throw(_written(count, sides), faces, why, is_typed=False, at=at.isoformat())


def read_dice(dice: str, times: int, text: str, why: str, at: datetime) -> Throw:
    """A throw somebody made at the table, its faces as typed.

    Raises Refusal naming the field and its range.
    """
    count, sides = _checked(dice, times, why), die_sides(dice)
    faces = re2.findall(r"[0-9]+", text[:400])
    is_foreign = len(faces) != count or re2.search(r"[^0-9,;+ ]", text)
    if is_foreign or any(not 1 <= int(face[:6]) <= sides for face in faces):
        wanted = "a number" if count == 1 else f"{count} numbers, each"
        raise Refusal(f"Faces: give {wanted} from 1 to {sides}.", field="faces")
    numbers = tuple(map(int, faces))
    return Throw(_written(count, sides), numbers, why, is_typed=True, at=at.isoformat())


def _checked(dice: str, times: int, why: str) -> int:
    """How many dice are thrown in all. Raises Refusal naming the field."""
    if dice not in KINDS:
        raise Refusal(f"Dice: choose one of {', '.join(KINDS)}.", field="dice")
    if len(why) > WHY_MAX:
        raise Refusal(f"What for: at most {WHY_MAX} characters.", field="why")
    count = dice_count(dice) * times
    if not 1 <= count <= MOST_DICE:
        most = MOST_DICE // dice_count(dice)
        message = f"How many: give a whole number from 1 to {most} for {dice}."
        raise Refusal(message, field="times")
    return count


def _written(count: int, sides: int) -> str:
    return f"{count if count > 1 else ''}D{sides}"


def stored(throws: Sequence[Throw]) -> list[JsonObject]:
    """The newest of them as a session keeps them."""
    rows = [(t.dice, list(t.faces), t.why, t.is_typed, t.at) for t in throws[:MOST_KEPT]]
    return [dict(zip(_KEYS, row, strict=True)) for row in rows]


def restored(records: object) -> tuple[Throw, ...]:
    """What a session kept; whatever is no throw is left out."""
    throws = []
    for record in records[:MOST_KEPT] if isinstance(records, list) else ():
        if isinstance(record, Mapping) and set(_KEYS) <= set(record):
            dice, faces, *others = (record[name] for name in _KEYS)
            throws.append(Throw(dice, tuple(faces), *others))
    return tuple(throws)


def fairness(throws: Sequence[Throw]) -> list[Fields]:
    """How the dice of each kind have fallen, the most thrown first: how many, their mean and what
    is expected, and how odd that is. Typed throws count as well.
    """
    by_sides: dict[int, list[int]] = {}
    for throw in throws:
        by_sides.setdefault(die_sides(throw.dice), []).extend(throw.faces)
    rows = []
    for sides, faces in sorted(by_sides.items(), key=lambda kind: (-len(kind[1]), kind[0])):
        count, mean, expected = len(faces), sum(faces) / len(faces), (sides + 1) / 2
        spread = sqrt((sides * sides - 1) / 12 / count)
        verdict = f"Too few dice to judge; from {_JUDGED_FROM} on a judgement stands here."
        if count >= _JUDGED_FROM:
            # As far off as this in either direction, by the normal approximation of the mean.
            share = 2 * (1 - NormalDist().cdf(abs(mean - expected) / spread))
            often = f"{max(share * 100, 1):.0f} in 100"
            odd = "Nothing unusual" if share > 0.05 else "Unusual, but it happens"
            verdict = f"{odd}: fair dice are this far off or further in about {often} such series."
        counts = Counter(faces)
        rows.append(
            {
                "sides": sides,
                "count": count,
                "mean": f"{mean:.2f}",
                "expected": f"{expected:.1f}",
                "faces": [(face, counts[face]) for face in range(1, sides + 1)],
                "verdict": verdict,
            }
        )
    return rows
