"""Who meets whom: round robin, Swiss, club night.

A round is never paired one table after another: every possible pair is weighed (``faults``), and
one perfect matching of the smallest faults is asked for. The matching itself is handed in
(``Match``). Equal faults are parted by a draw out of the seed, so that the same seed gives the same
round whatever the order of the players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from engine.tournament.matching import (
    PairPenalties,
    Penalty,
    as_edges,
    check_unique_ids,
    min_weight_matching,
    seeded_number,
    seeded_order,
)
from engine.tournament.types import BYE, Edge, Match, Pairing, Player, games_between

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
    """Rounds in which everybody meets whom they have still to meet; in a second game the sides are
    swapped.

    Each round holds as many games as can be, those with the most games to come first, so that few
    rounds are needed.
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
    """As many pairs as can be of those left; whoever has the most to play is not left out if it can
    be helped.
    """
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


def round_robin(
    ids: Sequence[str], *, legs: int = 1, seed: str = ""
) -> tuple[tuple[Pairing, ...], ...]:
    """Every round of a league in which everybody meets everybody once a leg.

    In the second leg the sides are swapped.

    ``legs`` is 1 or 2 (ValueError otherwise). With an odd number everybody sits out once a leg.
    Nobody's attacks and defences differ by more than one. Fewer than two have no round.
    """
    if legs not in (1, 2):
        raise ValueError("A league has one leg or two.")
    ring = seeded_order(ids, seed)
    if len(ring) < 2:
        return ()
    # Whoever would meet the seat that stays sits out: only so do attacks and defences come out
    # even.
    fixed, turning = (BYE, ring) if len(ring) % 2 else (ring[0], ring[1:])
    first = [_round(fixed, turning, number) for number in range(len(turning))]
    second = [tuple(_swapped(pairing) for pairing in told) for told in first] if legs == 2 else []
    return (*first, *second)


def _round(fixed: str, turning: Sequence[str], number: int) -> tuple[Pairing, ...]:
    """The circle method: one seat stays, the others turn by a place each round and meet across the
    circle.
    """
    pairs = [(turning[number], fixed) if number % 2 else (fixed, turning[number])]
    for step in range(1, len(turning) // 2 + 1):
        ahead, behind = turning[(number + step) % len(turning)], turning[number - step]
        pairs.append((ahead, behind) if step % 2 else (behind, ahead))
    played = [pair for pair in pairs if BYE not in pair]
    told = [
        Pairing(one, other, attacker=one, reason="Everybody meets everybody.", table=table)
        for table, (one, other) in enumerate(played, start=1)
    ]
    byes = [
        Pairing(one or other, None, reason="Sits out: an odd number.")
        for one, other in pairs
        if BYE in (one, other)
    ]
    return (*told, *byes)


def _swapped(pairing: Pairing) -> Pairing:
    if pairing.other is None:
        return pairing
    reason = "The second leg, with the sides swapped."
    return Pairing(
        pairing.other, pairing.one, attacker=pairing.other, reason=reason, table=pairing.table
    )


ALL = 13  # up to so many every table of three is tried: 286 of them, a fraction of a second
THIRDS = 24  # past that so many players are tried as the third, so that a full hall is paired in seconds too

Group = tuple[Player, ...]


def with_three_player_table(
    players: Sequence[Player], faults: PairPenalties, match: Match
) -> list[Group]:
    """Everybody at tables of two, but one of three.

    ``players`` are an odd number, at least three, in their draw.

    The smallest faults count, over all who meet: up to ``ALL`` players no round is better. Past
    that a round without a rematch is found where one of the ``THIRDS`` can be in its table of
    three; where there is none, a good round.
    """
    is_small = len(players) <= ALL
    tried = _every_three(players, faults) if is_small else _likely_threes(players, faults, match)
    best: tuple[Penalty, list[Group]] | None = None
    for three in tried:
        if best and faults.of_table(three)[0] > best[0][0]:
            continue
        groups = [three, *_pairs(_without(players, three), faults, match)]
        found = _sum([faults.of_table(group) for group in groups]), groups
        best = min(best or found, found, key=_first)
        if not is_small and not best[0][0]:
            break
    assert best
    return best[1]


def _without(players: Sequence[Player], three: Group) -> list[Player]:
    return [player for player in players if player not in three]


def _first(tried: tuple[Penalty, list[Group]]) -> Penalty:
    return tried[0]


def _every_three(players: Sequence[Player], faults: PairPenalties) -> list[Group]:
    """Those with the fewest rematches first, for the others may then be left aside."""
    return sorted(combinations(players, 3), key=lambda three: faults.of_table(three)[0])


def _likely_threes(
    players: Sequence[Player], faults: PairPenalties, match: Match
) -> Iterator[Group]:
    """For one third after the other, the table it joins best when the rest are paired without it.

    There are as many pairs as can be whom the third has not met, but for no more rematches: so
    where it can have a table without a rematch, in a round without one, it has.
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
    """An even number in pairs of the smallest faults, many of them open to the third if there is
    one.
    """
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


__all__ = [
    "BYE",
    "Edge",
    "Match",
    "Pairing",
    "Player",
    "club_night",
    "round_robin",
    "scenario_for",
    "seeded_order",
    "swiss",
]


def swiss(
    players: Sequence[Player], *, seed: str, match: Match, scenarios: Sequence[str] = ()
) -> tuple[Pairing, ...]:
    """A round in which players of like scores meet who have not met before.

    Table 1 is that of the leaders.

    In this order: as few rematches as can be; nobody has a second bye before all had one; rematches
    of long ago rather than of late; the bye to the lowest score; nearest scores (the smallest sum
    of squared differences); few who met another score before; attackers who defended before. Raises
    ValueError for somebody who is there twice.
    """
    check_unique_ids([player.id for player in players])
    ranked = sorted(players, key=lambda one: (-one.score, seeded_number(seed, one.id), one.id))
    faults = PairPenalties(ranked, seed, by_score=True)
    return _with_table_numbers(
        (),
        _pairings_of(
            _matched_groups(ranked, faults, match), ranked, seed, scenarios, by_score=True
        ),
    )


def club_night(
    players: Sequence[Player],
    *,
    seed: str,
    match: Match,
    scenarios: Sequence[str] = (),
    kept: Sequence[Pairing] = (),
    odd: str = "bye",
) -> tuple[Pairing, ...]:
    """A round for whoever is here.

    ``kept`` pairs stay as they are, at their tables, and come first.

    As ``swiss``, but scores do not matter. ``odd``: "bye", or "three" for a table of three where
    three are free to make one. Raises ValueError for another ``odd``, for somebody who is there
    twice, and for kept pairs of somebody who is not here or stands in two of them, or two of them
    at one table.
    """
    if odd not in ("bye", "three"):
        raise ValueError("With an odd number there is a bye, or a table of three.")
    taken = _kept_players(players, kept)
    ranked = sorted(
        (player for player in players if player.id not in taken),
        key=lambda one: (seeded_number(seed, one.id), one.id),
    )
    faults = PairPenalties(ranked, seed, by_score=False)
    if odd == "three" and len(ranked) % 2 and len(ranked) > 1:
        groups = with_three_player_table(ranked, faults, match)
    else:
        groups = _matched_groups(ranked, faults, match)
    return _with_table_numbers(kept, _pairings_of(groups, ranked, seed, scenarios, by_score=False))


def _kept_players(players: Sequence[Player], kept: Sequence[Pairing]) -> set[str]:
    """Whom the kept pairs hold."""
    here = [player.id for player in players]
    check_unique_ids(here)
    taken = [one for pairing in kept for one in pairing.ids]
    if len(set(taken)) != len(taken) or not set(taken) <= set(here):
        raise ValueError("A kept pair names somebody who is not here, or somebody twice.")
    tables = [pairing.table for pairing in kept if pairing.table is not None]
    if len(set(tables)) != len(tables):
        raise ValueError("Two kept pairs stand at one table.")
    return set(taken)


def _matched_groups(
    ranked: Sequence[Player], faults: PairPenalties, match: Match
) -> list[tuple[Player, ...]]:
    """Everybody in pairs of the smallest faults; who is alone in theirs has the bye."""
    if len(ranked) < 2:
        return [(one,) for one in ranked]
    known = {player.id: player for player in ranked}
    pairs = min_weight_matching(faults.penalties(), match)
    return [tuple(known[one] for one in pair if one != BYE) for pair in pairs]


def _pairings_of(
    groups: Sequence[Sequence[Player]],
    ranked: Sequence[Player],
    seed: str,
    scenarios: Sequence[str],
    *,
    by_score: bool,
) -> list[Pairing]:
    """Each table in words, that of the first in rank first, a bye last."""
    place = {player.id: number for number, player in enumerate(ranked)}
    told: list[tuple[tuple[bool, int], Pairing]] = []
    for group in groups:
        table = sorted(group, key=lambda player: place[player.id])
        if len(table) == 1:
            pairing = Pairing(
                table[0].id, None, reason=_bye_reason(table[0], ranked, by_score=by_score)
            )
        else:
            pairing = _pairing_of_table(table, seed, scenarios, by_score=by_score)
        told.append(((pairing.is_bye, place[pairing.one]), pairing))
    return [pairing for _, pairing in sorted(told, key=lambda one: one[0])]


def _with_table_numbers(kept: Sequence[Pairing], fresh: Sequence[Pairing]) -> tuple[Pairing, ...]:
    """Every table with its number: kept ones have theirs, the others take the lowest that are free."""
    taken = {pairing.table for pairing in kept}
    free = (number for number in range(1, 2 * len(kept) + len(fresh) + 1) if number not in taken)
    stays = [replace(pairing, is_kept=True) for pairing in kept]
    return tuple(
        pairing
        if pairing.is_bye or pairing.table is not None
        else replace(pairing, table=next(free))
        for pairing in (*stays, *fresh)
    )


def _pairing_of_table(
    table: Sequence[Player], seed: str, scenarios: Sequence[str], *, by_score: bool
) -> Pairing:
    one, other, *more = table
    games = [
        games_between(*pair)
        for pair in ((one, other), *((mate, third) for third in more for mate in (one, other)))
    ]
    return Pairing(
        one.id,
        other.id,
        third=more[0].id if more else None,
        attacker=_attacker(table, seed),
        scenario=scenario_for(table, scenarios, seed),
        reason=_table_of_three_reason(games)
        if more
        else _pair_reason(one, other, games[0], by_score=by_score),
        is_rematch=any(games),
    )


def _pair_reason(one: Player, other: Player, games: int, *, by_score: bool) -> str:
    met = f"met {_times(games)} before, no way round it" if games else "not met before"
    if not by_score:
        return f"{met[0].upper()}{met[1:]}."
    if one.score == other.score:
        return f"Both on {_points(one.score)}, {met}."
    return f"On {one.score} and {_points(other.score)}, as near as the round allows, {met}."


def _table_of_three_reason(games: Sequence[int]) -> str:
    met = "Some have met before, no way round it" if any(games) else "Not met before"
    return f"{met}. A table of three: an odd number."


def _bye_reason(one: Player, ranked: Sequence[Player], *, by_score: bool) -> str:
    if len(ranked) == 1:
        return "A bye: nobody is left to meet." if by_score else "Sits out: nobody is left to meet."
    if not one.byes:
        before = "none yet"
    elif one.byes > min(player.byes for player in ranked):
        before = f"{_times(one.byes)} before, or others would meet again"
    else:
        before = f"{_times(one.byes)} before, as everybody else"
    if not by_score:
        return f"Sits out: an odd number, {before}."
    if one.score == min(player.score for player in ranked):
        return f"A bye: an odd number, fewest points, {before}."
    return (
        f"A bye: an odd number, on {_points(one.score)}, {before}; those below had one, or "
        "others would meet again."
    )


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _points(score: int) -> str:
    return "1 point" if score == 1 else f"{score} points"


def _attacker(table: Sequence[Player], seed: str) -> str:
    """Who attacked less often, next to how often they defended; by the draw where that is even."""
    return min(
        table,
        key=lambda player: (player.lean, seeded_number(seed, "attacks", player.id), player.id),
    ).id


def scenario_for(table: Sequence[Player], pool: Sequence[str], seed: str) -> str | None:
    """The scenario of the pool that these have seen least, together and then singly; by the draw
    among equals.
    """

    def seen(key: str) -> tuple[int, int, int, str]:
        times = [player.scenarios.get(key, 0) for player in table]
        return (
            sum(times),
            max(times),
            seeded_number(seed, key, *sorted(player.id for player in table)),
            key,
        )

    return min(pool, key=seen, default=None)
