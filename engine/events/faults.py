"""What speaks against a pair, as one number: the smaller the sum over a round, the better the round.

Each kind of fault is a figure of its own, the worst kind first. They become digits of one whole number, and each digit
has room for the sum of its kind over all pairs of a round. So no number of small faults ever outweighs a large one,
whatever the field and the scores; and the last digit is chance, so that one round alone is the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from engine.events.draw import seeded_number
from engine.events.types import BYE, Edge, Player, games_between, last_between

Penalty = tuple[int, ...]


class PairPenalties:
    """Weighs the pairs of a round, the worst fault first:

    a rematch; a bye for somebody who had one; a rematch whose last game is not long ago, or that has many games behind
    it; a bye for somebody who does not stand last; scores apart, by the square of the points; scores apart for those
    who had it so before; attackers attacking again. With ``by_score`` False the scores do not matter.
    """

    def __init__(self, players: Sequence[Player], seed: str, *, by_score: bool) -> None:
        self.players, self.seed, self.by_score = players, seed, by_score
        self.lowest = min((one.score for one in players), default=0)
        leans = [one.lean for one in players] or [0]
        self.lean_span = max(leans) - min(leans)
        self.ages = self._ages()

    def _ages(self) -> dict[int, tuple[int, int]]:
        """For each number of a last game: what a rematch of then weighs, and what the square of its earlier games.

        A rematch of the latest weighs more than a round full of older ones. Earlier games come right behind, or where
        somebody must meet again at once it would be the same two every time, for they have no older game to lose.
        """
        met = [
            (one, other)
            for one, other in combinations(self.players, 2)
            if games_between(one, other)
        ]
        pairs = len(self.players) // 2 + 2  # a table of three has two more
        games = pairs * max((games_between(*pair) ** 2 for pair in met), default=0) + 1
        ages = enumerate(sorted({last_between(*pair) for pair in met}))
        return {
            number: ((games * (pairs + 1)) ** age * games, (games * (pairs + 1)) ** age)
            for age, number in ages
        }

    def of_pair(self, one: Player, other: Player) -> Penalty:
        games = games_between(one, other)
        again, earlier = self.ages[last_between(one, other)] if games else (0, 0)
        apart = one.score - other.score if self.by_score else 0
        floats = one.floats + other.floats if apart else 0
        lean = self.lean_span - abs(one.lean - other.lean)
        age = again + earlier * games**2
        return (
            int(games > 0),
            0,
            age,
            0,
            apart * apart,
            floats,
            lean,
            self._chance(one.id, other.id),
        )

    def of_bye(self, one: Player) -> Penalty:
        above = one.score - self.lowest if self.by_score else 0
        return (0, one.byes, 0, above, 0, 0, 0, self._chance(one.id, BYE))

    def of_table(self, players: Sequence[Player]) -> Penalty:
        """Everybody at one table against everybody else there."""
        met = [self.of_pair(one, other) for one, other in combinations(players, 2)]
        return tuple(map(sum, zip(*met, strict=True)))

    def _chance(self, one: str, other: str) -> int:
        return seeded_number(self.seed, *sorted((one, other)))

    def penalties(self) -> list[Edge]:
        """Every possible pair, with a bye for each where the number is odd; the smaller the penalty the better."""
        pairs = [
            (one.id, other.id, self.of_pair(one, other))
            for one, other in combinations(self.players, 2)
        ]
        if len(self.players) % 2:
            pairs += [(one.id, BYE, self.of_bye(one)) for one in self.players]
        return as_edges(pairs)


def as_edges(pairs: Sequence[tuple[str, str, Penalty]]) -> list[Edge]:
    """Each pair with its faults as one number. A round has half as many pairs as there are names."""
    count = len({name for one, other, _ in pairs for name in (one, other)}) // 2
    room = [max(digit) * count + 1 for digit in zip(*(fault for _, _, fault in pairs), strict=True)]
    return [(one, other, _mixed_radix_number(fault, room)) for one, other, fault in pairs]


def _mixed_radix_number(fault: Penalty, room: Sequence[int]) -> int:
    number = 0
    for figure, size in zip(fault, room, strict=True):
        number = number * size + figure
    return number
