"""The exact odds of a rule: every way the dice can fall, each with its weight, and no die thrown.

The rule itself is played, again and again, each time along another path: a die is a fork with one branch for each
stretch between its cuts. What a rule hands to ``run``, ``settle`` or ``series`` is one fork too, whose branches are
the odds of that part, worked out once and kept. So several attacks cost their number, not their power. Weights are
whole numbers; fractions are made at the very end.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, gcd, lcm
from typing import Any, Generic, NamedTuple, TypeVar

from engine.dice import Dice, Rule

S = TypeVar("S", bound=Hashable)
R = TypeVar("R", bound=Hashable)
T = TypeVar("T")

Parts = tuple[tuple[Rule[T, T], int], ...]

KEPT = 8192
_SHORT = 32


class Distribution(NamedTuple, Generic[T]):
    """What may come out, how often each (whole numbers), and out of how many. ``values`` are all different."""

    values: tuple[T, ...]
    weights: tuple[int, ...]
    total: int

    def chances(self) -> dict[T, Fraction]:
        """The chance of each value, exactly."""
        return {
            value: Fraction(w, self.total)
            for value, w in zip(self.values, self.weights, strict=True)
        }

    def chance(self, value: T) -> Fraction:
        """The chance of one value; 0 for one that cannot come out."""
        return self.chances().get(value, Fraction(0))


class _Paths:
    """Dice that follow one path through the forks of a rule; ``path`` holds each fork and the branch taken there."""

    def __init__(self, every_face: bool = False) -> None:
        self.path: list[tuple[Distribution[Any], int]] = []
        self.at = 0
        self.every_face = every_face

    def _taken(self) -> Any:
        law, branch = self.path[self.at]
        self.at += 1
        return law.values[branch]

    def _branch(self, law: Distribution[Any]) -> Any:
        self.at += 1
        self.path.append((law, 0))
        return law.values[0]

    def roll(
        self,
        sides: int,
        why: str,
        cuts: tuple[int, ...] = (),
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> int:
        if self.at < len(self.path):
            return self._taken()  # type: ignore[no-any-return]
        cuts = () if self.every_face else cuts
        return self._branch(_stretches(sides, cuts or None))  # type: ignore[no-any-return]

    def total(
        self,
        dice: tuple[int, ...],
        why: str,
        cuts: tuple[int, ...] = (),
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> int:
        if self.at < len(self.path):
            return self._taken()  # type: ignore[no-any-return]
        cuts = () if self.every_face else cuts
        return self._branch(_sums(tuple(sorted(dice)), cuts or None))  # type: ignore[no-any-return]

    def pool(
        self,
        count: int,
        sides: int,
        why: str,
        cuts: tuple[int, ...],
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> tuple[int, ...]:
        if self.at < len(self.path):
            return self._taken()  # type: ignore[no-any-return]
        return self._branch(_pools(count, sides, None if self.every_face else cuts))  # type: ignore[no-any-return]

    def run(self, rule: Rule[Any, Any], state: Any) -> Any:
        if self.at < len(self.path):
            return self._taken()
        return self._branch(distribution_of(rule, state, self.every_face))

    def settle(
        self,
        count: int,
        sides: int,
        why: str,
        cuts: tuple[int, ...],
        rule: Rule[tuple[int, Any], Any],
        state: Any,
        names: tuple[str, ...] = (),
        need: str = "",
    ) -> Any:
        return self.series(((_OneDie(sides, cuts, rule), count),), state)

    def series(self, parts: tuple[tuple[Rule[Any, Any], int], ...], state: Any) -> Any:
        if self.at < len(self.path):
            return self._taken()
        return self._branch(series(parts, state, self.every_face))

    def repeat(self, rule: Rule[Any, Any], times: int, state: Any) -> Any:
        return self.series(((rule, times),), state)


@dataclass(frozen=True)
class _OneDie:
    """One of several dice thrown at once: its face, and then what the rule makes of it."""

    sides: int
    cuts: tuple[int, ...]
    rule: Rule[tuple[int, Any], Any]

    def play(self, dice: Dice, state: Any) -> Any:
        return dice.run(self.rule, (dice.roll(self.sides, "", self.cuts), state))


@lru_cache(KEPT)
def distribution_of(rule: Rule[S, R], state: S, every_face: bool = False) -> Distribution[R]:
    """The exact odds of what a rule makes of a state.

    ``every_face`` follows each face by itself and not each stretch: slow, and only there to check that a rule decides
    by its cuts alone.
    """
    paths = _Paths(every_face)
    path = paths.path
    ends: list[tuple[R, int, int]] = []
    while True:
        paths.at = 0
        result = rule.play(paths, state)
        weight = total = 1
        for law, branch in path:
            weight *= law.weights[branch]
            total *= law.total
        ends.append((result, weight, total))
        while path and path[-1][1] + 1 == len(path[-1][0].values):
            path.pop()
        if not path:
            return _gathered(ends)
        law, branch = path[-1]
        path[-1] = (law, branch + 1)


def _gathered(ends: Sequence[tuple[R, int, int]]) -> Distribution[R]:
    """One law out of ends with weights out of different totals."""
    total = lcm(*{total for _, _, total in ends})
    found: dict[R, int] = {}
    for value, weight, out_of in ends:
        found[value] = found.get(value, 0) + weight * (total // out_of)
    shared = gcd(total, *found.values())
    return Distribution(
        tuple(found), tuple(weight // shared for weight in found.values()), total // shared
    )


def _then(law: Distribution[S], rule: Rule[S, R], every_face: bool) -> Distribution[R]:
    """The rule played on whatever the law left."""
    ends = []
    for state, weight in zip(law.values, law.weights, strict=True):
        after = distribution_of(rule, state, every_face)
        ends += [
            (v, weight * w, after.total) for v, w in zip(after.values, after.weights, strict=True)
        ]
    found = _gathered(ends)
    total = found.total * law.total
    shared = gcd(total, *found.weights)
    return Distribution(
        found.values, tuple(weight // shared for weight in found.weights), total // shared
    )


def series(parts: Parts[S], state: S, every_face: bool = False) -> Distribution[S]:
    """The odds after parts in order, each so many times over. Its work grows with the number of plays, not faster.

    Short series are kept with all that begins them; long ones are worked out anew, so that what is kept stays small.
    """
    parts = tuple((rule, times) for rule, times in parts if times > 0)
    if sum(times for _, times in parts) <= _SHORT:
        return _series(parts, state, every_face)
    law = Distribution((state,), (1,), 1)
    for rule, times in parts:
        for _ in range(times):
            law = _then(law, rule, every_face)
    return law


def repeated(rule: Rule[S, S], times: int, state: S, every_face: bool = False) -> Distribution[S]:
    """The odds after a rule was played ``times`` times over."""
    return series(((rule, times),), state, every_face)


@lru_cache(KEPT // 4)
def _series(parts: Parts[S], state: S, every_face: bool) -> Distribution[S]:
    if not parts:
        return Distribution((state,), (1,), 1)
    *before, (rule, times) = parts
    if not before and times == 1:
        return distribution_of(rule, state, every_face)
    shorter = (*before, (rule, times - 1)) if times > 1 else tuple(before)
    return _then(_series(shorter, state, every_face), rule, every_face)


@lru_cache(1024)
def _stretches(sides: int, cuts: tuple[int, ...] | None) -> Distribution[int]:
    """One face for each stretch between cuts, its lowest, with the number of faces; every face where cuts is None."""
    if cuts is None:
        return Distribution(tuple(range(1, sides + 1)), (1,) * sides, sides)
    starts = (1, *sorted({cut for cut in cuts if 1 < cut <= sides}))
    ends = (*starts[1:], sides + 1)
    return Distribution(
        starts, tuple(end - start for start, end in zip(starts, ends, strict=True)), sides
    )


@lru_cache(1024)
def _sums(dice: tuple[int, ...], cuts: tuple[int, ...] | None) -> Distribution[int]:
    """The sums of several dice, every one or one for each stretch between cuts."""
    ways = {0: 1}
    for sides in dice:
        more: dict[int, int] = {}
        for total, count in ways.items():
            for face in range(1, sides + 1):
                more[total + face] = more.get(total + face, 0) + count
        ways = more
    if cuts is not None:
        merged: dict[int, int] = {}
        for total in sorted(ways):
            start = max((cut for cut in cuts if cut <= total), default=min(ways))
            merged[start] = merged.get(start, 0) + ways[total]
        ways = merged
    return Distribution(tuple(ways), tuple(ways.values()), sum(ways.values()))


@lru_cache(1024)
def _pools(count: int, sides: int, cuts: tuple[int, ...] | None) -> Distribution[tuple[int, ...]]:
    """Several like dice, whatever their order: how many of them fall into each stretch."""
    one = _stretches(sides, cuts)
    found: list[tuple[tuple[int, ...], int]] = [((), 1)]
    for place, (face, weight) in enumerate(zip(one.values, one.weights, strict=True)):
        is_last = place + 1 == len(one.values)
        found = [
            (faces + (face,) * n, ways * comb(count - len(faces), n) * weight**n)
            for faces, ways in found
            for n in ((count - len(faces),) if is_last else range(count - len(faces) + 1))
        ]
    return Distribution(
        tuple(faces for faces, _ in found), tuple(ways for _, ways in found), sides**count
    )


def forget() -> None:
    """Drop everything worked out so far, to measure from cold."""
    for kept in (distribution_of, _series, _stretches, _sums, _pools):
        kept.cache_clear()
