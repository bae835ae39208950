"""The rest of a league in which everybody meets everybody, once somebody came late or rounds came out otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from engine.events.draw import seeded_order
from engine.events.types import Match, Pairing

Game = tuple[str, str]
"""Who attacked, and whom."""


def still_to_play(
    ids: Sequence[str], played: Sequence[Game], *, legs: int
) -> Counter[frozenset[str]]:
    """How often each two have still to meet; those who have met often enough are left out."""
    met = Counter(frozenset(game) for game in played)
    left = {frozenset(pair): legs - met[frozenset(pair)] for pair in combinations(ids, 2)}
    return Counter({pair: times for pair, times in left.items() if times > 0})


def rest_of_robin(
    ids: Sequence[str], played: Sequence[Game], *, legs: int, seed: str, match: Match
) -> tuple[tuple[Pairing, ...], ...]:
    """Rounds in which everybody meets whom they have still to meet; in a second game the sides are swapped.

    Each round holds as many games as can be, those with the most games to come first, so that few rounds are needed.
    """
    left = still_to_play(ids, played, legs=legs)
    attacks = Counter(attacker for attacker, _ in played)
    attacks.subtract(defender for _, defender in played)
    last = {frozenset(game): game for game in played}
    ring = seeded_order(ids, seed)
    rounds = []
    while left:
        pairs = _largest_matching(left, ring, match)
        games = [_attacker_first(pair, last, attacks, ring) for pair in pairs]
        for game in games:
            pair = frozenset(game)
            left[pair] -= 1
            last[pair] = game
            attacks[game[0]] += 1
            attacks[game[1]] -= 1
        left = +left
        rounds.append(_round_pairings(games, ring))
    return tuple(rounds)


def _largest_matching(
    left: Counter[frozenset[str]], ring: Sequence[str], match: Match
) -> list[Game]:
    """As many pairs as can be of those left; whoever has the most to play is not left out if it can be helped."""
    load: Counter[str] = Counter()
    for pair, times in left.items():
        for one in pair:
            load[one] += times
    place = {one: number for number, one in enumerate(ring)}
    open_pairs = sorted(tuple(sorted(pair, key=place.__getitem__)) for pair in left)
    edges = [(one, other, load[one] ** 2 + load[other] ** 2) for one, other in open_pairs]
    found = sorted(match(edges), key=lambda pair: min(place[one] for one in pair))
    return [(one, other) for one, other in found]


def _attacker_first(
    pair: Game, last: dict[frozenset[str], Game], attacks: Counter[str], ring: Sequence[str]
) -> Game:
    """Who attacks: the other one than last time, else who attacked less, else who was drawn first."""
    if (before := last.get(frozenset(pair))) is not None:
        return before[1], before[0]
    one, other = sorted(pair, key=lambda player: (attacks[player], ring.index(player)))
    return one, other


def _round_pairings(games: Sequence[Game], ring: Sequence[str]) -> tuple[Pairing, ...]:
    taken = {one for game in games for one in game}
    pairs = [
        Pairing(one, other, attacker=one, reason="Everybody meets everybody.", table=table)
        for table, (one, other) in enumerate(games, start=1)
    ]
    byes = [
        Pairing(one, None, reason="Sits out: nobody left to meet is free.")
        for one in ring
        if one not in taken
    ]
    return (*pairs, *byes)
