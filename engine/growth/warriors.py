"""A warrior of a campaign as it stands, and everything that can happen to one.

A warrior never changes: each verb takes one and returns another. What the verbs may be given, and
what else follows from them, is decided where they are called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from engine.growth.rules import GrowthKind
from engine.growth.tables import RowEffect
from engine.records import NumberByKey, Numbers, Texts, frozen_dataclass

GONE, REFUSED = "gone", "refused"
CHARACTERISTIC_CEILING = 10
STASH = "stash"


@frozen_dataclass
class GearPiece:
    """Something bought beyond the profile, and what was paid for it.

    What is ``bodily`` is part of its bearer: neither sold, given nor lost. What ``is_found`` cost
    nothing, and is sold by its price at the trading post.
    """

    id: str
    paid: int
    bodily: bool = False
    is_found: bool = False


@frozen_dataclass
class Joiner:
    """Who joins a warband: a model, or a group of models alike, with what each costs.

    ``headings`` are the names of its category. ``experience`` is what each has at the beginning.
    ``skill_lists`` are those of its unit, none: those of its kind; who does not ``learn`` earns no
    experience. ``rating`` is the second price of its list.
    """

    key: str
    profile: str
    price: int
    stats: NumberByKey
    name: str = ""
    category: str = ""
    troop_type: str = "infantry"
    count: int = 1
    gear: tuple[GearPiece, ...] = ()
    is_leader: bool = False
    is_hired: bool = False
    upkeep: int = 0
    headings: Texts = ()
    experience: int = 0
    race: str = ""
    skill_lists: Texts = ()
    learns: bool = True
    is_promotable: bool = True
    rating: int = 0

    @property
    def worth(self) -> int:
        """What is paid for it in points, with all its models and gear."""
        return _worth(self.price, self.gear, self.count)


def _worth(price: int, gear: tuple[GearPiece, ...], count: int) -> int:
    """Return the points of so many models of a price, each with this gear."""
    return (price + sum(piece.paid for piece in gear)) * count


@frozen_dataclass
class GrownWarrior:
    """A warrior, or a group, as it stands.

    ``took``: what came of each advance, by its number; ``passed``: the first so many steps of its
    kind are not asked for. ``misses`` holds the battles that each of its models still misses.
    ``lists`` are those of skills that it chose once it ``is_promoted``.
    ``throws`` are the dues of further throws on its kind's table of advances.
    ``unpaid`` is the fixture whose upkeep it waits for, "" for none.
    ``marks`` are the effects of rows that stay with it as lasting injuries. ``captured_in`` is the
    fixture in which ``captor`` took it, ``demand`` the ransom it named, 0 for that of the rules,
    ``exchange`` for whom it would let it go: a fixture and the key of a captive taken there.
    """

    key: str
    joined: Joiner
    kind: str
    count: int
    gear: tuple[GearPiece, ...]
    experience: int = 0
    gains: NumberByKey = field(default_factory=dict)
    hurts: NumberByKey = field(default_factory=dict)
    skills: Texts = ()
    took: Mapping[int, str] = field(default_factory=dict)
    passed: int = 0
    throws: Texts = ()
    is_promoted: bool = False
    lists: Texts = ()
    misses: Numbers = ()
    marks: tuple[RowEffect, ...] = ()
    captor: str = ""
    captured_in: str = ""
    demand: int = 0
    exchange: str = ""
    unpaid: str = ""
    gone: str = ""
    is_leader: bool = False

    @property
    def worth(self) -> int:
        """What was paid for it in points, with all its models and gear."""
        return _worth(self.joined.price, self.gear, self.count)

    @property
    def learned(self) -> int:
        """Its experience beyond what it began with, which whoever joins it brings."""
        return max(0, self.experience - self.joined.experience)

    @property
    def loose(self) -> tuple[GearPiece, ...]:
        """The pieces that it may part with."""
        return tuple(piece for piece in self.gear if not piece.bodily)

    @property
    def fit(self) -> int:
        """How many of its models miss no battle now."""
        return self.count - len(self.misses)

    @property
    def old_wounds(self) -> list[RowEffect]:
        """The marks that are rolled for before each battle: up to their number it stays away."""
        return [mark for mark in self.marks if mark.dice]

    @property
    def mark_ids(self) -> list[str]:
        """The marks of the rules that it bears; other verbs may name other things."""
        return [effect.name for effect in self.marks if effect.verb == "mark"]

    @property
    def is_free(self) -> bool:
        """Whether it is in its warband, neither gone nor held by another."""
        return not (self.gone or self.captor)

    @property
    def is_several(self) -> bool:
        """Whether it joined as several models, or is several now."""
        return self.joined.count > 1 or self.count > 1


def enlist(joiner: Joiner, kind: GrowthKind) -> GrownWarrior:
    """Return whoever joins; the steps of the experience that they bring are not asked for."""
    return GrownWarrior(
        key=joiner.key,
        joined=joiner,
        kind=kind.id,
        count=joiner.count,
        gear=joiner.gear,
        experience=joiner.experience,
        passed=kind.steps_at(joiner.experience),
        is_leader=joiner.is_leader,
    )


def miss_battles(warrior: GrownWarrior, battles: int) -> GrownWarrior:
    """Return it away for so many more battles: one more of its models, or its only one longer."""
    if warrior.count == 1 and warrior.misses:
        return replace(warrior, misses=(warrior.misses[0] + battles,))
    return replace(warrior, misses=(*warrior.misses, battles)[: warrior.count])


def lose_models(warrior: GrownWarrior, count: int, why: str) -> GrownWarrior:
    """Return it with so many models less; whoever has none left is gone, and carries nothing."""
    left = warrior.count - count
    misses = warrior.misses[: max(0, left)]
    if left > 0:
        return replace(warrior, count=left, misses=misses)
    return replace(warrior, count=0, misses=misses, gone=why, gear=())


def promote(warrior: GrownWarrior, kind: GrowthKind, mark: str) -> GrownWarrior:
    """Return one of its models as a warrior of another kind.

    Out of a group it gets the group's key with a mark behind it; steps that it has passed on the
    new kind's track are not asked for.
    """
    # A leader's flag, a captor and injuries go with it; what it took does not.
    passed = kind.steps_at(warrior.experience)
    promoted = replace(
        warrior, kind=kind.id, took={}, passed=passed, throws=(), is_promoted=True
    )
    if warrior.count == 1:
        return promoted
    name = warrior.joined.name and f"{warrior.joined.name}, {kind.name.lower()}"
    joined = replace(warrior.joined, name=name)
    key = f"{warrior.key}.{mark}"
    return replace(promoted, key=key, joined=joined, count=1, misses=())


def base_with_gains(warrior: GrownWarrior, stat: str) -> int:
    """Return a characteristic as maxima look at it: without injuries, skills and gear."""
    return warrior.joined.stats.get(stat, 0) + warrior.gains.get(stat, 0)


def within_bounds(base: int, change: int) -> int:
    """Return a changed characteristic: 1 to 10, and what was 0 may stay 0."""
    # Somebody without a skill at arms does not get one by being hurt.
    return max(1 if base else 0, min(CHARACTERISTIC_CEILING, base + change))


def added(numbers: NumberByKey, key: str, amount: int) -> NumberByKey:
    """Return numbers by key with an amount added to one of them."""
    return {**numbers, key: numbers.get(key, 0) + amount}
