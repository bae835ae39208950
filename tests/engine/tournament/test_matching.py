"""A matching of many is looked for twice: among near pairs first, then among those not hopeless."""

from collections.abc import Sequence
from itertools import combinations

import pytest

from campaigns.matching import max_weight_matching
from engine.tournament import matching
from engine.tournament.types import Edge

NAMES = "abcdef"


def edges(**penalties: int) -> list[Edge]:
    return [(one, other, penalty) for (one, other), penalty in penalties.items()]


@pytest.mark.parametrize("near, told", [
    (0, []),
    # The second best of a is the best of c.
    (1, ["ab", "ac", "ad"]),
    (2, ["ab", "ac", "ad", "bc", "bd"]),
    (3, ["ab", "ac", "ad", "bc", "bd", "cd"]),
])  # fmt: skip
def test_near_pairs_are_among_the_best_of_one_of_their_two(near, told, monkeypatch):
    monkeypatch.setattr(matching, "NEAR", near)
    some = edges(cd=9, bd=5, bc=4, ad=3, ac=2, ab=1)
    found = matching._nearest_pairs(some)
    assert [one + other for one, other, _ in found] == told


def test_a_pair_that_weighs_more_than_a_whole_matching_is_left_out(monkeypatch):
    monkeypatch.setattr(matching, "NEAR", 1)
    # The near pairs ab and cd weigh 3 together.
    some = edges(ab=1, cd=2, ac=3, bd=4, ad=5, bc=6)
    left = matching._without_hopeless(some, max_weight_matching, 4)
    assert [one + other for one, other, _ in left] == ["ab", "cd", "ac"]


def test_where_near_pairs_leave_somebody_out_every_pair_is_kept(monkeypatch):
    monkeypatch.setattr(matching, "NEAR", 1)
    # Everybody is nearest to a.
    some = edges(ab=1, ac=1, ad=1, bc=9, bd=9, cd=9)
    assert matching._without_hopeless(some, max_weight_matching, 4) is some


@pytest.mark.parametrize("near, looks", [(2, 2), (3, 1)])
def test_a_small_field_is_matched_at_once(near, looks, monkeypatch):
    monkeypatch.setattr(matching, "NEAR", near)
    asked: list[int] = []

    def match(some: Sequence[Edge]) -> Sequence[tuple[str, str]]:
        asked.append(len(some))
        return max_weight_matching(some)

    penalties = [
        (one, other, number) for number, (one, other) in enumerate(combinations(NAMES, 2))
    ]
    found = matching.min_weight_matching(penalties, match)
    assert sorted(name for pair in found for name in pair) == sorted(NAMES)
    assert len(asked) == looks


def test_a_matching_is_told_as_its_pairs_stand_in_the_list() -> None:
    def turned(some: Sequence[Edge]) -> Sequence[tuple[str, str]]:
        assert all(weight >= 0 for _, _, weight in some)
        return [("b", "a"), ("d", "c")]

    some = edges(ab=0, cd=7, ac=3)
    assert matching._match_pairs(some, turned) == [("a", "b"), ("c", "d")]
    assert matching._match_pairs([], lambda some: []) == []


def test_the_greatest_weight_is_the_smallest_penalty() -> None:
    seen: list[Edge] = []

    def match(some: Sequence[Edge]) -> Sequence[tuple[str, str]]:
        seen.extend(some)
        return []

    matching._match_pairs(edges(ab=0, cd=7, ac=3), match)
    assert seen == [("a", "b", 7), ("c", "d", 0), ("a", "c", 4)]
