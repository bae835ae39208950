"""The perfect matching of the smallest penalties, asked for in a way that spares the matching most of its work.

What is taken off every pair of one player alike is taken off every perfect matching alike, and changes nothing about
which is the best. So as much is taken off as leaves no penalty below nothing, and most players have a pair left that
costs nothing. Then a good round among the nearest pairs tells which other pairs cannot be in a better one.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.events.types import Edge, Match

NEAR = 24  # pairs of each player that a first matching looks at; fewer, and it is often not a perfect one


def min_weight_matching(penalties: Sequence[Edge], match: Match) -> list[tuple[str, str]]:
    """The pairs of the perfect matching with the smallest sum of penalties. ``penalties`` are of all pairs of an even
    number of names, and none is below 0. Raises ValueError where the matching handed in leaves somebody out.
    """
    names = {name for one, other, _ in penalties for name in (one, other)}
    eased = _reduced_penalties(penalties)
    if len(names) > 2 * NEAR:
        first = _matching_of(_nearest_pairs(eased), match)
        if 2 * len(first) == len(names):
            penalty = {(one, other): left for one, other, left in eased}
            bound = sum(penalty[pair] for pair in first)
            eased = [edge for edge in eased if edge[2] <= bound]
    found = _matching_of(eased, match)
    if sorted(name for pair in found for name in pair) != sorted(names):
        raise ValueError("The matching left somebody out, or took somebody twice.")
    return found


def _reduced_penalties(penalties: Sequence[Edge]) -> list[Edge]:
    """Twice each penalty, less what is taken off for each of the two; twice, so that halves are whole."""
    pairs: dict[str, list[tuple[str, int]]] = {}
    for one, other, penalty in penalties:
        pairs.setdefault(one, []).append((other, 2 * penalty))
        pairs.setdefault(other, []).append((one, 2 * penalty))
    off = {name: min(double for _, double in own) // 2 for name, own in pairs.items()}
    for name, own in pairs.items():
        off[name] = min(double - off[other] for other, double in own)
    return [(one, other, 2 * penalty - off[one] - off[other]) for one, other, penalty in penalties]


def _nearest_pairs(eased: Sequence[Edge]) -> list[Edge]:
    """The pairs that are among the best of one of their two."""
    taken: dict[str, int] = {}
    told = []
    for edge in sorted(eased, key=lambda edge: edge[2]):
        near = [name for name in edge[:2] if taken.get(name, 0) < NEAR]
        if near:
            told.append(edge)
        for name in near:
            taken[name] = taken.get(name, 0) + 1
    return told


def _matching_of(eased: Sequence[Edge], match: Match) -> list[tuple[str, str]]:
    """What the matching makes of it, for which more is better; each pair as it stands in the list."""
    most = max((left for _, _, left in eased), default=0)
    found = {
        frozenset(pair) for pair in match([(one, other, most - left) for one, other, left in eased])
    }
    return [(one, other) for one, other, _ in eased if frozenset((one, other)) in found]
