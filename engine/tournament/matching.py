"""Chance out of a seed: the same for the same seed and names, whatever order they come in."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from engine.records import ChoiceList, Numbers
from engine.tournament.types import BYE, Edge, Match, Player, games_between, last_between


def seeded_order(ids: Sequence[str], seed: str) -> list[str]:
    """The ids in the order of the draw. Raises ValueError for a repeated or an empty one."""
    check_unique_ids(ids)
    return sorted(ids, key=lambda player_id: (seeded_number(seed, player_id), player_id))


def check_unique_ids(ids: Sequence[str]) -> None:
    """Raises ValueError where somebody stands in the draw twice, or has no id."""
    if len(set(ids)) != len(ids):
        raise ValueError("A player is in the pairings twice.")
    if BYE in ids:
        raise ValueError("A player in the pairings has no id.")


def seeded_number(seed: str, *names: str) -> int:
    """A number of 48 bits that looks drawn and is the same each time."""
    # The separator keeps the names "ab", "c" apart from "a", "bc".
    text = "\0".join((seed, *names))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big")


Penalty = Numbers


class PairPenalties:
    """Weighs the pairs of a round, the worst fault first:

    a rematch; a bye for somebody who had one; a bye for somebody who played less than others (as
    FIDE counts unplayed rounds, for a newcomer stands last and has attacked nobody); a rematch
    whose last game is not long ago, or that has many games behind it; a bye for somebody who does
    not stand last; scores apart, by the square of the points; scores apart for those who had it so
    before; attackers attacking again. With ``by_score`` False the scores do not matter.
    """

    def __init__(self, players: Sequence[Player], seed: str, *, by_score: bool) -> None:
        """Find the lowest score, the most games, the span of leans and what each rematch weighs."""
        self.players, self.seed, self.by_score = players, seed, by_score
        self.lowest = min((player.score for player in players), default=0)
        self.most_played = max((player.played for player in players), default=0)
        leans = [player.lean for player in players] or [0]
        self.lean_span = max(leans) - min(leans)
        self.ages = self._ages()

    def _ages(self) -> dict[int, tuple[int, int]]:
        """For each number of a last game: what a rematch of then weighs, and what the square of its
        earlier games.

        A rematch of the latest weighs more than a round full of older ones. Earlier games come
        right behind, or where somebody must meet again at once it would be the same two every time,
        for they have no older game to lose.
        """
        met = [pair for pair in combinations(self.players, 2) if games_between(*pair)]
        pairs = len(self.players) // 2 + 2  # a table of three has two more
        games = pairs * max((games_between(*pair) ** 2 for pair in met), default=0) + 1
        ages = enumerate(sorted({last_between(*pair) for pair in met}))
        return {
            number: ((games * (pairs + 1)) ** age * games, (games * (pairs + 1)) ** age)
            for age, number in ages
        }

    def of_pair(self, first: Player, second: Player) -> Penalty:
        """Return the faults of this pair, worst first, and a draw by the seed last."""
        games = games_between(first, second)
        again, square = self.ages[last_between(first, second)] if games else (0, 0)
        age = again + square * games**2
        apart = first.score - second.score if self.by_score else 0
        floats = first.floats + second.floats if apart else 0
        lean = self.lean_span - abs(first.lean - second.lean)
        chance = seeded_number(self.seed, *sorted((first.id, second.id)))
        # The noughts are where the faults of a bye stand.
        return (int(games > 0), 0, 0, age, 0, apart * apart, floats, lean, chance)

    def of_bye(self, player: Player) -> Penalty:
        above = player.score - self.lowest if self.by_score else 0
        chance = seeded_number(self.seed, *sorted((player.id, BYE)))
        unplayed = self.most_played - player.played
        return (0, player.byes, unplayed, 0, above, 0, 0, 0, chance)

    def of_table(self, players: Sequence[Player]) -> Penalty:
        """Everybody at one table against everybody else there."""
        penalties = [self.of_pair(*pair) for pair in combinations(players, 2)]
        return tuple(map(sum, zip(*penalties, strict=True)))

    def penalties(self) -> list[Edge]:
        """Every possible pair, with a bye for each where the number is odd; the smaller the penalty
        the better.
        """
        pairs = [
            (first.id, second.id, self.of_pair(first, second))
            for first, second in combinations(self.players, 2)
        ]
        if len(self.players) % 2:
            pairs += [(player.id, BYE, self.of_bye(player)) for player in self.players]
        return as_edges(pairs)


def as_edges(pairs: Sequence[tuple[str, str, Penalty]]) -> list[Edge]:
    """Each pair with its faults as one number.

    A round has half as many pairs as there are names.
    """
    count = len(_list_names(pairs)) // 2
    # A digit has room for its sum over a whole round, so no lesser fault outweighs a greater one.
    room = [
        max(digit) * count + 1
        for digit in zip(*(fault for _, _, fault in pairs), strict=True)
    ]
    return [
        (first, second, _mixed_radix_number(fault, room)) for first, second, fault in pairs
    ]


def _mixed_radix_number(fault: Penalty, room: Sequence[int]) -> int:
    number = 0
    for figure, size in zip(fault, room, strict=True):
        number = number * size + figure
    return number


NEAR = 24  # pairs of each player that a first matching looks at; fewer, and it is often not a perfect one


def min_weight_matching(penalties: Sequence[Edge], match: Match) -> ChoiceList:
    """The pairs of the perfect matching with the smallest sum of penalties.

    ``penalties`` are of all pairs of an even number of names, and none is below 0. Raises
    ValueError where the matching handed in leaves somebody out.
    """
    names = _list_names(penalties)
    eased = _reduced_penalties(penalties)
    if len(names) > 2 * NEAR:
        eased = _without_hopeless(eased, match, len(names))
    pairs = _match_pairs(eased, match)
    if sorted(name for pair in pairs for name in pair) != sorted(names):
        raise ValueError("The matching left a player out, or took one twice.")
    return pairs


def _without_hopeless(eased: list[Edge], match: Match, count: int) -> list[Edge]:
    """Less the pairs that weigh more alone than a whole matching of near ones, if there is one."""
    first = _match_pairs(_nearest_pairs(eased), match)
    if 2 * len(first) != count:
        return eased
    penalty = {(first, second): left for first, second, left in eased}
    # No reduced penalty is below 0, so a pair above the bound is in no better matching.
    bound = sum(penalty[pair] for pair in first)
    return [edge for edge in eased if edge[2] <= bound]


def _list_names(pairs: Iterable[tuple[str, str, object]]) -> set[str]:
    return {name for pair in pairs for name in pair[:2]}


def _reduced_penalties(penalties: Sequence[Edge]) -> list[Edge]:
    """Twice each penalty, less what is taken off for each of the two; twice, so that halves are
    whole.
    """
    pairs: dict[str, list[tuple[str, int]]] = {}
    for first, second, penalty in penalties:
        pairs.setdefault(first, []).append((second, 2 * penalty))
        pairs.setdefault(second, []).append((first, 2 * penalty))
    # What is taken off a name is taken off every perfect matching, so the best stays the best.
    off = {name: min(double for _, double in each) // 2 for name, each in pairs.items()}
    for name, each in pairs.items():
        off[name] = min(double - off[second] for second, double in each)
    return [
        (first, second, 2 * penalty - off[first] - off[second])
        for first, second, penalty in penalties
    ]


def _nearest_pairs(eased: Sequence[Edge]) -> list[Edge]:
    """The pairs that are among the best of one of their two."""
    counts: Counter[str] = Counter()
    nearest = []
    for edge in sorted(eased, key=lambda edge: edge[2]):
        names = [name for name in edge[:2] if counts[name] < NEAR]
        if names:
            nearest.append(edge)
        counts.update(names)
    return nearest


def _match_pairs(eased: Sequence[Edge], match: Match) -> ChoiceList:
    """What the matching makes of it, for which more is better; each pair as it stands in the list."""
    most = max((left for _, _, left in eased), default=0)
    weights = [(first, second, most - left) for first, second, left in eased]
    pairs = {frozenset(pair) for pair in match(weights)}
    return [
        (first, second) for first, second, _ in eased if frozenset((first, second)) in pairs
    ]
