"""What the charts of a table show: who stood where after each round, and who beat whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.events.scores import Entrant, Result, Scoring, table_of
from engine.events.standings import standings


@dataclass(frozen=True, slots=True)
class PlaceHistory:
    """An entry's place after each round; None before the round it joined in."""

    id: str
    name: str
    places: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class PlaceHistories:
    """The numbers of the rounds, and each entry's course, the best of the table first."""

    rounds: tuple[int, ...]
    courses: tuple[PlaceHistory, ...]


def rounds_met(results: Sequence[Result]) -> tuple[int, ...]:
    """The numbers of the rounds in which two met, or should have: byes alone make no round."""
    return tuple(sorted({result.round for result in results if result.other is not None}))


def position_by_round(
    entries: Sequence[Entrant],
    results: Sequence[Result],
    scoring: Scoring,
    tie_breaks: Sequence[str] = (),
) -> PlaceHistories:
    """Everybody's place after each round that has more than byes to count; the last is the table as it is.

    A play-off counts in the last round only. Raises ValueError as ``standings`` does.
    """
    rounds = rounds_met(results)
    now = standings(entries, results, scoring, tie_breaks)
    since = {entry.id: entry.joined for entry in entries}
    for result in results:
        for one in result.ids:
            since[one] = min(since[one], result.round)
    places: dict[str, list[int | None]] = {entry.id: [] for entry in entries}
    for number in rounds[:-1]:
        here = [replace(entry, play_off=None) for entry in entries if since[entry.id] <= number]
        so_far = [result for result in results if result.round <= number]
        stood = {one.id: one.place for one in standings(here, so_far, scoring, tie_breaks)}
        for entry in entries:
            places[entry.id].append(stood.get(entry.id))
    if rounds:
        for line in now:
            places[line.id].append(line.place)
    return PlaceHistories(
        rounds, tuple(PlaceHistory(one.id, one.name, tuple(places[one.id])) for one in now)
    )


@dataclass(frozen=True, slots=True)
class OpponentRecord:
    """What one entry made of another, over all their games; ``rounds`` they met in, in order."""

    won: int
    drawn: int
    lost: int
    rounds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Everybody against everybody: ``rows`` in the order of ``ids``, None where two never met and on the diagonal."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[OpponentRecord | None, ...], ...]


def head_to_head_matrix(entries: Sequence[Entrant], results: Sequence[Result]) -> Matrix:
    """Each entry's games against each other one, in the order the entries are given (as in the table, say).

    Byes and what was never played are no games. Raises ValueError for a repeated entry or a result of a stranger.
    """
    table = table_of(entries, results, Scoring())
    ids = tuple(entry.id for entry in entries)
    rows = []
    for one in ids:
        games: dict[str, list[Result]] = {}
        for result in table.lines[one].results:
            if result.is_game:
                games.setdefault(str(result.against(one)), []).append(result)
        met = {other: _meeting(one, played) for other, played in games.items()}
        rows.append(tuple(met.get(other) for other in ids))
    return Matrix(ids, tuple(entry.name for entry in entries), tuple(rows))


def _meeting(one: str, games: Sequence[Result]) -> OpponentRecord:
    won = sum(result.winner == one for result in games)
    drawn = sum(result.winner is None for result in games)
    return OpponentRecord(
        won, drawn, len(games) - won - drawn, tuple(sorted(result.round for result in games))
    )
