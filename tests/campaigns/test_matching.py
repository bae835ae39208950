"""The matching that pairings are handed."""

import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.matching import max_weight_matching
from engine.tournament.types import Edge


def test_heaviest_matching_is_not_the_greedy_one() -> None:
    values = max_weight_matching([("a", "b", 10), ("b", "c", 11), ("c", "d", 10)])
    assert values == [("a", "b"), ("c", "d")]


def test_most_pairs_come_before_weight() -> None:
    values = max_weight_matching([("a", "b", 1), ("b", "c", 100), ("c", "d", 1)])
    assert values == [("a", "b"), ("c", "d")]


def test_nothing_to_match() -> None:
    assert max_weight_matching([]) == []


def test_weights_of_any_size_are_exact() -> None:
    """Two hundred digits, and it is the last that decides."""
    huge = 10**200
    square = [("a", "b", huge), ("c", "d", huge), ("a", "c", huge), ("b", "d", huge + 1)]
    assert max_weight_matching(square) == [("a", "c"), ("b", "d")]


def best(edges: Sequence[Edge]) -> tuple[int, int]:
    """The most pairs and then the greatest weight, by trying every way."""
    if not edges:
        return (0, 0)
    (one, other, weight), *rest = edges
    pairs, sum_of = best([edge for edge in rest if not {one, other} & set(edge[:2])])
    return max((pairs + 1, sum_of + weight), best(rest))


def test_no_matching_is_better(soak: Callable[[int, int], int]) -> None:
    @settings(max_examples=soak(60, 1000), deadline=None, database=None, derandomize=True)
    @given(
        seed=st.integers(0, 2**32),
        nodes=st.integers(2, 8),
        most=st.sampled_from([1, 3, 10**30]),
    )
    def none_better(seed: int, nodes: int, most: int) -> None:
        chance = random.Random(seed)
        pairs = list(combinations("abcdefgh"[:nodes], 2))
        edges = [
            (*pair, chance.randint(0, most))
            for pair in chance.sample(pairs, min(len(pairs), 14))
        ]
        weights = {(one, other): weight for one, other, weight in edges}
        found = max_weight_matching(edges)
        assert len({one for pair in found for one in pair}) == 2 * len(found)
        assert (len(found), sum(weights[pair] for pair in found)) == best(edges)

    none_better()


def test_site_does_not_wait_for_the_graph_library() -> None:
    code = "import sys, campaigns.matching; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
