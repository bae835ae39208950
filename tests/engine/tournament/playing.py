"""An event played on: who has met whom, and what a round is worth by rules written down a second
time.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from engine.tournament.pairing import Pairing, Player

Key = tuple[object, ...]


class Event:
    """Players whose rounds are played with results by chance. Dropped ones are out of ``here``."""

    def __init__(
        self, count: int, chance: random.Random, *, wins: Sequence[int] = (3,)
    ) -> None:
        self.chance, self.wins = chance, wins
        self.here: list[str] = []
        self.made = 0
        self.round = 0
        self.score: Counter[str] = Counter()
        self.byes: Counter[str] = Counter()
        self.played: Counter[str] = Counter()
        self.attacked: Counter[str] = Counter()
        self.defended: Counter[str] = Counter()
        self.floats: Counter[str] = Counter()
        self.met: dict[frozenset[str], list[int]] = {}
        for _ in range(count):
            self.join()

    def join(self) -> None:
        self.here.append(f"p{self.made}")
        self.made += 1

    def drop(self) -> None:
        if self.here:
            self.here.remove(self.chance.choice(self.here))

    def players(self) -> list[Player]:
        return [self.player(one) for one in self.here]

    def player(self, one: str) -> Player:
        games = {
            (set(pair) - {one}).pop(): rounds
            for pair, rounds in self.met.items()
            if one in pair
        }
        return Player(
            one,
            self.score[one],
            {other: len(rounds) for other, rounds in games.items()},
            {other: rounds[-1] for other, rounds in games.items()},
            self.byes[one],
            self.played[one],
            self.attacked[one],
            self.defended[one],
            self.floats[one],
        )

    def play(self, pairings: Sequence[Pairing]) -> None:
        self.round += 1
        for pairing in pairings:
            if pairing.is_bye:
                self.byes[pairing.one] += 1
                self.score[pairing.one] += max(self.wins)
                continue
            self.played.update(pairing.ids)
            self.attacked[str(pairing.attacker)] += 1
            self.defended.update(one for one in pairing.ids if one != pairing.attacker)
            if len({self.score[one] for one in pairing.ids}) > 1:
                self.floats.update(pairing.ids)
            for pair in combinations(pairing.ids, 2):
                self.met.setdefault(frozenset(pair), []).append(self.round)
            winner = self.chance.choice([*pairing.ids, None])
            if winner is None:
                self.score.update(pairing.ids)
            else:
                self.score[winner] += self.chance.choice(self.wins)


def old_hands(chance: random.Random, count: int) -> list[Player]:
    """Players with a past by chance, which no event need have come to."""
    event = Event(count, chance)
    for pair in combinations(event.here, 2):
        if chance.random() < 0.7:
            event.met[frozenset(pair)] = sorted(
                chance.choices(range(1, 6), k=chance.randint(1, 4))
            )
    columns = event.score, event.byes, event.played, event.attacked, event.defended
    for tally in (*columns, event.floats):
        tally.update({one: chance.randint(0, 3) for one in event.here})
    return event.players()


Group = tuple[Player, ...]


def worth(groups: Sequence[Group], *, by_score: bool) -> Key:
    """What speaks against a round, the worst first.

    The same promise as the engine's weights, told another way.
    """
    pairs = [pair for group in groups for pair in combinations(group, 2)]
    rematches = [
        (one.met[other.id], one.met_last[other.id])
        for one, other in pairs
        if one.met.get(other.id)
    ]
    alone = [group[0] for group in groups if len(group) == 1]
    lowest = min((one.score for group in groups for one in group), default=0)
    apart = [one.score - other.score for one, other in pairs] if by_score else []
    return (
        len(rematches),
        [(one.byes, -one.played) for one in alone],
        lasts(rematches),
        [one.score - lowest for one in alone] if by_score else [],
        sum(points**2 for points in apart),
        sum(
            one.floats + other.floats
            for one, other in pairs
            if by_score and one.score != other.score
        ),
        -sum(
            abs((one.attacked - one.defended) - (other.attacked - other.defended))
            for one, other in pairs
        ),
    )


def lasts(rematches: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Each last game's number, the latest first, with how many rematches have it, and their earlier
    games squared.
    """
    return [
        (last, len(games), sum(count**2 for count in games))
        for last in sorted({last for _, last in rematches}, reverse=True)
        for games in [[count for count, told in rematches if told == last]]
    ]


def rounds_of(players: Sequence[Player]) -> Iterator[list[Group]]:
    """Every round there is in pairs, with a bye where the number is odd."""
    if len(players) % 2:
        for alone in players:
            rest = [player for player in players if player is not alone]
            yield from ([(alone,), *told] for told in rounds_of(rest))
    elif not players:
        yield []
    else:
        first, *rest = players
        for other in rest:
            others = [player for player in rest if player is not other]
            yield from ([(first, other), *told] for told in rounds_of(others))


def rounds_with_a_three(players: Sequence[Player]) -> Iterator[list[Group]]:
    for three in combinations(players, 3):
        rest = [player for player in players if player not in three]
        yield from ([three, *told] for told in rounds_of(rest))


def groups_of(pairings: Sequence[Pairing], players: Sequence[Player]) -> list[Group]:
    known = {player.id: player for player in players}
    return [tuple(known[one] for one in pairing.ids) for pairing in pairings]
