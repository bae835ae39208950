"""An odd number and nobody sits out: one table of three among tables of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from engine.events.faults import PairPenalties, Penalty, as_edges
from engine.events.lightest import min_weight_matching
from engine.events.types import Match, Player, games_between

ALL = 13  # up to so many every table of three is tried: 286 of them, a fraction of a second
THIRDS = 24  # past that so many players are tried as the third, so that a full hall is paired in seconds too

Group = tuple[Player, ...]


def with_three_player_table(
    players: Sequence[Player], faults: PairPenalties, match: Match
) -> list[Group]:
    """Everybody at tables of two, but one of three. ``players`` are an odd number, at least three, in their draw.

    The smallest faults count, over all who meet: up to ``ALL`` players no round is better. Past that a round without a
    rematch is found where one of the ``THIRDS`` can be in its table of three; where there is none, a good round.
    """
    is_small = len(players) <= ALL
    best: tuple[Penalty, list[Group]] | None = None
    for three in (
        _every_three(players, faults) if is_small else _likely_threes(players, faults, match)
    ):
        own = faults.of_table(three)
        if best and own[0] > best[0][0]:
            continue
        groups = [
            three,
            *_pairs([player for player in players if player not in three], faults, match),
        ]
        fault = _sum([own, *(faults.of_table(group) for group in groups[1:])])
        if best is None or fault < best[0]:
            best = fault, groups
        if not is_small and not best[0][0]:
            break
    assert best
    return best[1]


def _every_three(players: Sequence[Player], faults: PairPenalties) -> list[Group]:
    """Those with the fewest rematches first, for the others may then be left aside."""
    return sorted(combinations(players, 3), key=lambda three: faults.of_table(three)[0])


def _likely_threes(
    players: Sequence[Player], faults: PairPenalties, match: Match
) -> Iterator[Group]:
    """For one third after the other, the table it joins best when the rest are paired without it.

    There are as many pairs as can be whom the third has not met, but for no more rematches: so where it can have a
    table without a rematch, in a round without one, it has.
    """
    for third in players[:THIRDS]:
        others = [player for player in players if player is not third]
        tables = _pairs(others, faults, match, third)
        place = {player.id: number for number, player in enumerate(others)}
        one, other = min(
            tables,
            key=lambda table: (
                _sum([faults.of_pair(one, third) for one in table]),
                sorted(place[p.id] for p in table),
            ),
        )
        yield one, other, third


def _pairs(
    players: Sequence[Player], faults: PairPenalties, match: Match, third: Player | None = None
) -> list[Group]:
    """An even number in pairs of the smallest faults, many of them open to the third if there is one."""
    if not players:
        return []
    known = {player.id: player for player in players}

    def fault(one: Player, other: Player) -> Penalty:
        first, *further = faults.of_pair(one, other)
        is_met = third is not None and bool(
            first or games_between(one, third) or games_between(other, third)
        )
        return (first, int(is_met), *further)

    pairs = [(one.id, other.id, fault(one, other)) for one, other in combinations(players, 2)]
    return [
        (known[one], known[other]) for one, other in min_weight_matching(as_edges(pairs), match)
    ]


def _sum(faults: Sequence[Penalty]) -> Penalty:
    return tuple(map(sum, zip(*faults, strict=True)))
