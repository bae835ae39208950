"""The exact odds of a rule: every way the dice can fall, each with its weight.

No die is thrown. The rule is played again and again, each time along another path: a die is a fork
with one branch for each stretch between its cuts. What a rule hands to ``run``, ``settle`` or
``series`` is one fork too, whose branches are the odds of that part, worked out once and kept, so
that the work grows with the number of attacks and not with its power. Weights are whole numbers;
fractions are made at the very end.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, gcd, lcm
from typing import Any, Generic, NamedTuple, TypeVar

from engine.dice import Cuts, Dice, Meaning, Rule, Thrown
from engine.records import Numbers, frozen_dataclass

S = TypeVar("S", bound=Hashable)
R = TypeVar("R", bound=Hashable)
T = TypeVar("T")

Parts = tuple[tuple[Rule[T, T], int], ...]

KEPT = 8192  # laws kept, each a few hundred bytes
_SHORT = 32  # plays in a series whose beginnings are all kept


class Distribution(NamedTuple, Generic[T]):
    """What may come out, how often each, and out of how many in all.

    ``values`` are all different; ``weights`` are whole numbers that add up to ``total``.
    """

    values: tuple[T, ...]
    weights: Numbers
    total: int

    def chances(self) -> dict[T, Fraction]:
        """Return the exact chance of each value."""
        pairs = zip(self.values, self.weights, strict=True)
        return {value: Fraction(weight, self.total) for value, weight in pairs}

    def chance(self, value: T) -> Fraction:
        """Return the chance of one value, 0 for one that cannot come out."""
        return self.chances().get(value, Fraction(0))


class _Paths:
    """Dice that follow one path through the forks of a rule.

    ``path`` holds each fork and the branch taken there, ``at`` counts the forks met so far.
    """

    def __init__(self) -> None:
        self.path: list[tuple[Distribution[Any], int]] = []
        self.at = 0

    def _follow(self, law_of: Callable[..., Distribution[Any]], *key: Any) -> Any:
        """Take the branch of the next fork; a fork met for the first time begins with its first."""
        if self.at == len(self.path):
            self.path.append((law_of(*key), 0))
        law, branch = self.path[self.at]
        self.at += 1
        return law.values[branch]

    def roll(self, sides: int, meaning: Meaning) -> int:
        return int(self._follow(_stretches, sides, meaning.cuts))

    def total(self, dice: Thrown, meaning: Meaning) -> int:
        # A sum does not mind the order of its dice, so one law serves them all.
        return int(self._follow(_sums, tuple(sorted(dice)), meaning.cuts))

    def pool(self, count: int, sides: int, meaning: Meaning) -> Numbers:
        return tuple(self._follow(_pools, count, sides, meaning.cuts))

    def run(self, rule: Rule[Any, Any], state: Any) -> Any:
        return self._follow(exact_distribution, rule, state)

    def settle(
        self,
        count: int,
        sides: int,
        meaning: Meaning,
        rule: Rule[tuple[int, Any], Any],
        state: Any,
    ) -> Any:
        """Return the state after the dice, each of which is a fork of its own."""
        # Die by die the work grows with the number of dice; as a pool, with its combinations.
        return self.series(((_OneDie(sides, meaning.cuts, rule), count),), state)

    def series(self, parts: Parts[Any], state: Any) -> Any:
        return self._follow(series, parts, state)


@frozen_dataclass
class _OneDie:
    """A rule for one of several dice: its face, and what another rule makes of it."""

    sides: int
    cuts: Cuts
    rule: Rule[tuple[int, Any], Any]

    def play(self, dice: Dice, state: Any) -> Any:
        return dice.run(self.rule, (dice.roll(self.sides, Meaning("", self.cuts)), state))


@lru_cache(KEPT)
def exact_distribution(rule: Rule[S, R], state: S) -> Distribution[R]:
    """Return the exact odds of what a rule makes of a state."""
    paths = _Paths()
    path = paths.path
    ends: list[tuple[R, int, int]] = []
    while True:
        paths.at = 0
        result = rule.play(paths, state)
        # The forks of one path are independent, so their weights multiply.
        weight = total = 1
        for law, branch in path:
            weight *= law.weights[branch]
            total *= law.total
        ends.append((result, weight, total))
        # The next path takes the next branch of the last fork that has one left.
        while path and path[-1][1] + 1 == len(path[-1][0].values):
            path.pop()
        if not path:
            return _gathered(ends)
        law, branch = path[-1]
        path[-1] = (law, branch + 1)


def _gathered(ends: Sequence[tuple[R, int, int]], out_of: int = 1) -> Distribution[R]:
    """Return one law of ends whose weights are out of different totals.

    Each of these totals is one way of ``out_of``.
    """
    total = lcm(*{total for _, _, total in ends})
    ways = Counter[R]()
    for value, weight, part in ends:
        ways[value] += weight * (total // part)
    # Without the shared factor the numbers of a long series would grow with every play.
    shared = gcd(total * out_of, *ways.values())
    weights = tuple(weight // shared for weight in ways.values())
    return Distribution(tuple(ways), weights, total * out_of // shared)


def _then(law: Distribution[S], rule: Rule[S, R]) -> Distribution[R]:
    """Return the odds after the rule is played on whatever the law left."""
    ends = []
    for state, weight in zip(law.values, law.weights, strict=True):
        after = exact_distribution(rule, state)
        results = zip(after.values, after.weights, strict=True)
        ends += [(value, weight * ways, after.total) for value, ways in results]
    return _gathered(ends, law.total)


def series(parts: Parts[S], state: S) -> Distribution[S]:
    """Return the odds after parts in order, each so many times over.

    The work grows with the number of plays. Short series are kept with all that begins them; long
    ones are worked out anew, so that what is kept stays small.
    """
    parts = tuple((rule, times) for rule, times in parts if times > 0)
    if sum(times for _, times in parts) <= _SHORT:
        return _series(parts, state)
    law = Distribution((state,), (1,), 1)
    for rule, times in parts:
        for _ in range(times):
            law = _then(law, rule)
    return law


@lru_cache(KEPT // 4)
def _series(parts: Parts[S], state: S) -> Distribution[S]:
    """Return the distribution after rules played in order, each so many times."""
    if not parts:
        return Distribution((state,), (1,), 1)
    *before, (rule, times) = parts
    if not before and times == 1:
        return exact_distribution(rule, state)
    # Each beginning is kept by itself, so a series one play longer costs one step more.
    shorter = (*before, (rule, times - 1)) if times > 1 else tuple(before)
    return _then(_series(shorter, state), rule)


@lru_cache(1024)
def _stretches(sides: int, cuts: Cuts) -> Distribution[int]:
    """Return the law of a die, its lowest face for each stretch between cuts.

    A face weighs as much as its stretch has faces. Without cuts every face stands for itself.
    """
    if not cuts:
        return Distribution(tuple(range(1, sides + 1)), (1,) * sides, sides)
    # A cut at 1 or beyond the last face parts nothing.
    starts = (1, *sorted({cut for cut in cuts if 1 < cut <= sides}))
    ends = (*starts[1:], sides + 1)
    widths = tuple(end - start for start, end in zip(starts, ends, strict=True))
    return Distribution(starts, widths, sides)


@lru_cache(1024)
def _sums(dice: Thrown, cuts: Cuts) -> Distribution[int]:
    """Return the law of the sum of several dice: every sum, or one for each stretch."""
    ways = Counter({0: 1})
    for sides in dice:
        more = Counter[int]()
        for total, count in ways.items():
            for face in range(1, sides + 1):
                more[total + face] += count
        ways = more
    if cuts:
        merged = Counter[int]()
        lowest = min(ways)
        for total in sorted(ways):
            # Below the first cut the stretch begins with the lowest total there is.
            start = max((cut for cut in cuts if cut <= total), default=lowest)
            merged[start] += ways[total]
        ways = merged
    return Distribution(tuple(ways), tuple(ways.values()), ways.total())


@lru_cache(1024)
def _pools(count: int, sides: int, cuts: Cuts) -> Distribution[Numbers]:
    """Return the law of several like dice: how many fall into each stretch."""
    die = _stretches(sides, cuts)
    widths = dict(zip(die.values, die.weights, strict=True))
    pools = tuple(combinations_with_replacement(die.values, count))
    weights = []
    for pool in pools:
        ways = factorial(count)
        for face, times in Counter(pool).items():
            # So many orders of the dice, and so many faces for each of them.
            ways = ways // factorial(times) * widths[face] ** times
        weights.append(ways)
    return Distribution(pools, tuple(weights), sides**count)
