"""Pairings: round robin, Swiss, club night.

A round is never paired one table after another: every possible pair is weighed (``faults``), and
one perfect matching of the smallest faults is asked for. The matching itself is handed in
(``Match``). Equal faults are parted by a draw out of the seed, so that the same seed gives the same
round whatever the order of the players.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations
from operator import itemgetter

from engine.records import NumberByKey, frozen_dataclass
from engine.tournament.matching import (
    PairPenalties,
    Penalty,
    as_edges,
    check_unique_ids,
    min_weight_matching,
    seeded_number,
    seeded_order,
)
from engine.tournament.types import (
    BYE,
    FIRST_MEETING,
    Match,
    Pairing,
    Player,
    games_between,
    times_text,
)

Game = tuple[str, str]
"""Who attacked, and whom."""
ODD_BYE = "Bye: odd number of players."


def swiss_rounds(players: int) -> int:
    """After how many rounds one player at most has won them all; three at least."""
    return max(3, (players - 1).bit_length())


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
    attacks = Counter[str]()
    last: dict[frozenset[str], Game] = {}

    def count(games: Sequence[Game]) -> None:
        for game in games:
            attacker, defender = game
            attacks[attacker] += 1
            attacks[defender] -= 1
            last[frozenset(game)] = game

    count(played)
    ring = seeded_order(ids, seed)
    place = {player_id: number for number, player_id in enumerate(ring)}
    rounds = []
    while left:
        games: list[Game] = []
        for pair in _largest_matching(left, place, match):
            before = last.get(frozenset(pair))
            # The other one than last time attacks, else who attacked less, else who was drawn first.
            first, second = sorted(pair, key=lambda p: (attacks[p], place[p]))
            games.append((before[1], before[0]) if before else (first, second))
        left.subtract(map(frozenset, games))
        count(games)
        # A counter's plus drops the pairs that have met often enough.
        left = +left
        busy = set(chain.from_iterable(games))
        resting = [player_id for player_id in ring if player_id not in busy]
        rounds.append(_robin_round(games, resting, "Bye: no free opponent is left."))
    return tuple(rounds)


def _largest_matching(
    left: Counter[frozenset[str]], place: NumberByKey, match: Match
) -> list[Game]:
    """As many pairs as can be of those left; whoever has the most to play is not left out if it can
    be helped.
    """
    load = Counter[str]()
    for pair, times in left.items():
        load.update(dict.fromkeys(pair, times))
    pairs = sorted(tuple(sorted(pair, key=place.__getitem__)) for pair in left)
    edges = [(left, right, load[left] ** 2 + load[right] ** 2) for left, right in pairs]
    return sorted(match(edges), key=lambda pair: min(place[player] for player in pair))


def _robin_round(
    games: Sequence[Game], resting: Sequence[str], why: str
) -> tuple[Pairing, ...]:
    """One round of a league: its games at their tables, then who sits out, and why."""
    pairs = [
        Pairing(
            attacker,
            defender,
            attacker=attacker,
            reason="Round robin: everyone plays everyone.",
            table=table,
        )
        for table, (attacker, defender) in enumerate(games, start=1)
    ]
    return (*pairs, *(Pairing(player_id, None, reason=why) for player_id in resting))


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
    second = []
    for pairings in first if legs == 2 else ():
        swapped = [
            replace(
                pairing,
                one=pairing.other,
                other=pairing.one,
                attacker=pairing.other,
                reason="Second leg: sides swapped.",
            )
            if pairing.other
            else pairing
            for pairing in pairings
        ]
        second.append(tuple(swapped))
    return (*first, *second)


def _round(fixed: str, turning: Sequence[str], number: int) -> tuple[Pairing, ...]:
    """The circle method: one seat stays, the others turn by a place each round and meet across the
    circle.
    """
    pairs = [(turning[number], fixed) if number % 2 else (fixed, turning[number])]
    for step in range(1, len(turning) // 2 + 1):
        ahead, behind = turning[(number + step) % len(turning)], turning[number - step]
        # Sides alternate along the circle, so that attacks and defences come out even.
        pairs.append((ahead, behind) if step % 2 else (behind, ahead))
    played = [pair for pair in pairs if BYE not in pair]
    resting = [left or right for left, right in pairs if BYE in (left, right)]
    return _robin_round(played, resting, ODD_BYE)


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
    threes: Iterable[Group] = _likely_threes(players, faults, match)
    if is_small:
        # Those with the fewest rematches come first, for the others may then be left out.
        threes = sorted(
            combinations(players, 3), key=lambda three: faults.of_table(three)[0]
        )
    best: tuple[Penalty, list[Group]] | None = None
    for three in threes:
        if best and faults.of_table(three)[0] > best[0][0]:
            continue
        others = [player for player in players if player not in three]
        groups = [three, *_pairs(others, faults, match)]
        option = _sum([faults.of_table(group) for group in groups]), groups
        best = min(best or option, option, key=itemgetter(0))
        if not is_small and not best[0][0]:
            break
    assert best
    return best[1]


def _likely_threes(
    players: Sequence[Player], faults: PairPenalties, match: Match
) -> Iterator[Group]:
    """For one third after the other, the table it joins best when the rest are paired without it.

    There are as many pairs as can be whom the third has not met, but for no more rematches: so
    where it can have a table without a rematch, in a round without one, it has.
    """
    for third in players[:THIRDS]:
        others = [player for player in players if player != third]
        place = {player.id: number for number, player in enumerate(others)}
        left, right = min(
            _pairs(others, faults, match, third),
            key=lambda table: (
                _sum([faults.of_pair(player, third) for player in table]),
                sorted(place[player.id] for player in table),
            ),
        )
        yield left, right, third


def _pairs(
    players: Sequence[Player],
    faults: PairPenalties,
    match: Match,
    third: Player | None = None,
) -> list[Group]:
    """An even number in pairs of the smallest faults, many of them open to the third if there is
    one.
    """
    if not players:
        return []
    by_id = {player.id: player for player in players}
    penalties = []
    for left, right in combinations(players, 2):
        first, *further = faults.of_pair(left, right)
        # Whether any of the pair and the third have met comes second.
        has_met = third is not None and bool(
            first or games_between(left, third) or games_between(right, third)
        )
        penalties.append((left.id, right.id, (first, int(has_met), *further)))
    pairs = min_weight_matching(as_edges(penalties), match)
    return [(by_id[left], by_id[right]) for left, right in pairs]


def _sum(faults: Sequence[Penalty]) -> Penalty:
    return tuple(map(sum, zip(*faults, strict=True)))


def swiss(
    players: Sequence[Player], *, seed: str, match: Match, scenarios: Sequence[str] = ()
) -> tuple[Pairing, ...]:
    """A round in which players of like scores meet who have not met before.

    Table 1 is that of the leaders.

    In this order: as few rematches as can be; nobody has a second bye before all had one; the bye
    to who played most; rematches of long ago rather than of late; the bye to the lowest score;
    nearest scores (the smallest sum of squared differences); few who met another score
    before; attackers who defended before. Raises ValueError for somebody who is there twice.
    """
    check_unique_ids([player.id for player in players])
    ranked = sorted(players, key=lambda p: (-p.score, seeded_number(seed, p.id), p.id))
    groups = _matched_groups(ranked, PairPenalties(ranked, seed, by_score=True), match)
    return _Draw(ranked, seed, scenarios, by_score=True).pairings(groups)


def club_night(
    players: Sequence[Player],
    *,
    seed: str,
    match: Match,
    scenarios: Sequence[str] = (),
    odd: str = "bye",
) -> tuple[Pairing, ...]:
    """A round for the players present.

    As ``swiss``, but scores do not matter. ``odd``: "bye", or "three" for a table of three where
    three are free to make one. Raises ValueError for another ``odd``, and for somebody who is there
    twice.
    """
    if odd not in ("bye", "three"):
        raise ValueError("With an odd number there is a bye, or a three-player game.")
    check_unique_ids([player.id for player in players])
    ranked = sorted(players, key=lambda p: (seeded_number(seed, p.id), p.id))
    faults = PairPenalties(ranked, seed, by_score=False)
    if odd == "three" and len(ranked) % 2 and len(ranked) > 1:
        groups = with_three_player_table(ranked, faults, match)
    else:
        groups = _matched_groups(ranked, faults, match)
    return _Draw(ranked, seed, scenarios, by_score=False).pairings(groups)


def _matched_groups(
    ranked: Sequence[Player], faults: PairPenalties, match: Match
) -> list[Group]:
    """Everybody in pairs of the smallest faults; who is alone in theirs has the bye."""
    if len(ranked) < 2:
        return [(player,) for player in ranked]
    by_id = {player.id: player for player in ranked}
    pairs = min_weight_matching(faults.penalties(), match)
    return [tuple(by_id[name] for name in pair if name != BYE) for pair in pairs]


@frozen_dataclass
class _Draw:
    """A round whose tables are known: its players by rank, its seed, its scenarios."""

    ranked: Sequence[Player]
    seed: str
    scenarios: Sequence[str]
    by_score: bool

    def pairings(self, groups: Sequence[Group]) -> tuple[Pairing, ...]:
        """Each table in words, that of the first in rank first, a bye last and without a table."""
        place = {player.id: number for number, player in enumerate(self.ranked)}
        tables = [sorted(group, key=lambda player: place[player.id]) for group in groups]
        tables.sort(key=lambda table: (len(table) == 1, place[table[0].id]))
        used = Counter[str]()
        return tuple(
            self._pairing(table, number, used)
            for number, table in enumerate(tables, start=1)
        )

    def _pairing(self, table: Sequence[Player], number: int, used: Counter[str]) -> Pairing:
        """``used`` counts the scenarios of the tables before, this one's after it."""
        first, *others = table
        if not others:
            return Pairing(first.id, None, reason=self._bye_reason(first))
        games = [games_between(*pair) for pair in combinations(table, 2)]
        reason = self._pair_reason(first, others[0], games[0])
        if len(others) > 1:
            meeting = "Rematch: could not be avoided." if any(games) else FIRST_MEETING
            reason = f"Three-player game: odd number of players. {meeting}"

        def rank(player: Player) -> tuple[int, int, str]:
            return player.lean, seeded_number(self.seed, "attacks", player.id), player.id

        return Pairing(
            first.id,
            others[0].id,
            third=others[1].id if len(others) > 1 else None,
            # Who attacked less often than they defended; by the draw where that is even.
            attacker=min(table, key=rank).id,
            scenario=scenario_for(table, self.scenarios, self.seed, used),
            reason=reason,
            is_rematch=any(games),
            table=number,
        )

    def _pair_reason(self, first: Player, second: Player, games: int) -> str:
        """Return in words why these two meet: scores and whether it is a rematch."""
        meeting = FIRST_MEETING
        if games:
            meeting = f"Rematch (met {times_text(games)} before): could not be avoided."
        if not self.by_score:
            return meeting
        points = _points(second.score)
        if first.score == second.score:
            return f"Both on {points}. {meeting}"
        return f"{first.score} and {points}: the closest pairing possible. {meeting}"

    def _bye_reason(self, player: Player) -> str:
        """Return in words why this player has the bye: byes so far, score and rematches."""
        if len(self.ranked) == 1:
            return "Bye: no opponent is left."
        before = f"Had a bye {times_text(player.byes)} before"
        if not player.byes:
            before = "First bye."
        elif player.byes > min(other.byes for other in self.ranked):
            before += "; any other choice means a rematch."
        else:
            before += ", like everyone else."
        if not self.by_score:
            return f"{ODD_BYE} {before}"
        if player.score == min(other.score for other in self.ranked):
            return f"{ODD_BYE} Lowest score. {before}"
        lower = "Players with fewer points had a bye or fewer games, or mean a rematch."
        return f"{ODD_BYE} On {_points(player.score)}. {before} {lower}"


def _points(score: int) -> str:
    return "1 point" if score == 1 else f"{score} points"


def scenario_for(
    table: Sequence[Player], pool: Sequence[str], seed: str, used: Counter[str]
) -> str | None:
    """The scenario of the pool that these have seen least, together and then singly; among equals
    the one that fewest tables of the round play, and then by the draw.

    ``used`` counts those of the tables before, and this one's after the call.
    """
    names = sorted(player.id for player in table)

    def seen(key: str) -> tuple[int, int, int, int, str]:
        times = [player.scenarios.get(key, 0) for player in table]
        drawn = seeded_number(seed, key, *names)
        return sum(times), max(times), used[key], drawn, key

    chosen = min(pool, key=seen, default=None)
    if chosen is not None:
        used[chosen] += 1
    return chosen
