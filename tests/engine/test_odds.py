"""The exact evaluator by itself: stretches, sums, series, and that it agrees with looking at every
face.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import odds
from engine.dice import Dice, Meaning
from engine.odds import Distribution, exact_distribution, series


@dataclass(frozen=True)
class HighRoll:
    sides: int
    cuts: tuple[int, ...]

    def play(self, dice: Dice, state: int) -> int:
        face = dice.roll(self.sides, Meaning("", self.cuts))
        return state + sum(face >= cut for cut in self.cuts)


@dataclass(frozen=True)
class Sum:
    dice: tuple[int, ...]
    cut: int

    def play(self, dice: Dice, state: None) -> bool:
        return dice.total(self.dice, Meaning("", (self.cut,))) >= self.cut


@dataclass(frozen=True)
class Pool:
    count: int
    cuts: tuple[int, ...]

    def play(self, dice: Dice, state: None) -> tuple[int, ...]:
        faces = dice.pool(self.count, 6, Meaning("", self.cuts))
        return tuple(sum(face >= cut for face in faces) for cut in self.cuts)


def enumerated(values):
    found = {}
    values = list(values)
    for value in values:
        found[value] = found.get(value, 0) + Fraction(1, len(values))
    return found


@given(st.sampled_from([3, 4, 6, 10, 20]), st.sets(st.integers(1, 21), max_size=3))
def test_a_die_is_looked_at_by_its_stretches(sides, cuts):
    cuts = tuple(sorted(cuts))
    law = exact_distribution(HighRoll(sides, cuts), 0)
    assert law.chances() == enumerated(
        sum(face >= cut for cut in cuts) for face in range(1, sides + 1)
    )
    assert len(law.values) <= len(cuts) + 1


@given(st.lists(st.sampled_from([4, 6, 10]), min_size=1, max_size=3), st.integers(1, 30))
def test_a_sum_counts_every_way(dice, cut):
    faces = product(*(range(1, sides + 1) for sides in dice))
    assert exact_distribution(Sum(tuple(dice), cut), None).chances() == enumerated(
        sum(f) >= cut for f in faces
    )


@given(st.integers(0, 4), st.sets(st.integers(1, 7), min_size=1, max_size=3))
def test_a_pool_counts_every_way(count, cuts):
    cuts = tuple(sorted(cuts))
    faces = product(range(1, 7), repeat=count)
    assert exact_distribution(Pool(count, cuts), None).chances() == enumerated(
        tuple(sum(face >= cut for face in f) for cut in cuts) for f in faces
    )


def test_a_series_is_the_rule_played_again_on_what_it_left():
    law = series(((HighRoll(6, (4,)), 3),), 0)
    assert law.chances() == {n: Fraction(ways, 8) for n, ways in enumerate((1, 3, 3, 1))}


def test_a_long_series_needs_no_deep_recursion():
    law = series(((HighRoll(6, (6,)), 200),), 0)
    assert law.chance(0) == Fraction(5, 6) ** 200


def test_weights_are_kept_in_lowest_terms():
    assert exact_distribution(HighRoll(6, (4,)), 0) == Distribution((0, 1), (1, 1), 2)


@pytest.mark.parametrize("times", [0, -1])
def test_a_series_of_none_changes_nothing(times):
    assert series(((HighRoll(6, (4,)), times),), 5) == Distribution((5,), (1,), 1)


@pytest.mark.parametrize("cuts, starts, widths", [
    ((), (1, 2, 3, 4, 5, 6), (1,) * 6),
    ((4,), (1, 4), (3, 3)),
    # A cut at 1 or beyond the last face parts nothing.
    ((1, 4), (1, 4), (3, 3)), ((0, 1, 7), (1,), (6,)),
    ((2, 6), (1, 2, 6), (1, 4, 1)),
])  # fmt: skip
def test_stretches_of_a_die_begin_at_its_cuts(cuts, starts, widths):
    assert odds._stretches(6, cuts) == Distribution(starts, widths, 6)
