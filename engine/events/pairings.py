"""Who meets whom: round robin, Swiss, club night.

A round is never paired one table after another: every possible pair is weighed (``faults``), and one perfect matching
of the smallest faults is asked for. The matching itself is handed in (``Match``). Equal faults are parted by a draw out
of the seed, so that the same seed gives the same round whatever the order of the players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.events.draw import check_unique_ids, seeded_number, seeded_order
from engine.events.faults import PairPenalties
from engine.events.lightest import min_weight_matching
from engine.events.robin import round_robin
from engine.events.threes import with_three_player_table
from engine.events.types import BYE, Edge, Match, Pairing, Player, games_between

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
    """A round in which players of like scores meet who have not met before. Table 1 is that of the leaders.

    In this order: as few rematches as can be; nobody has a second bye before all had one; rematches of long ago rather
    than of late; the bye to the lowest score; nearest scores (the smallest sum of squared differences); few who met
    another score before; attackers who defended before. Raises ValueError for somebody who is there twice.
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
    """A round for whoever is here. ``kept`` pairs stay as they are, at their tables, and come first.

    As ``swiss``, but scores do not matter. ``odd``: "bye", or "three" for a table of three where three are free to make
    one. Raises ValueError for another ``odd``, for somebody who is there twice, and for kept pairs of somebody who is
    not here or stands in two of them, or two of them at one table.
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
    return f"A bye: an odd number, on {_points(one.score)}, {before}; those below had one, or others would meet again."


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
    """The scenario of the pool that these have seen least, together and then singly; by the draw among equals."""

    def seen(key: str) -> tuple[int, int, int, str]:
        times = [player.scenarios.get(key, 0) for player in table]
        return (
            sum(times),
            max(times),
            seeded_number(seed, key, *sorted(player.id for player in table)),
            key,
        )

    return min(pool, key=seen, default=None)
