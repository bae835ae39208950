"""What the charts beside a table show: everybody's place by round, and who beat whom. No queries of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.queries.events.records import EntryRecord
from campaigns.queries.events.standings import StandingsRecord
from campaigns.queries.events.tables import FixtureRecord, entrants_of, results_of
from engine.events.charts import OpponentRecord, head_to_head_matrix, position_by_round, rounds_met

PLACES_MOST = 800
"""Entries times rounds up to which a chart of places is worked out: the table of every round is made anew for it."""
ENTRIES_MOST = 32
"""Entries up to which a chart can be read at all."""
ROUNDS_MOST = 10


@dataclass(frozen=True, slots=True)
class EntryCourse:
    """An entry's place after each of the rounds; None before it joined."""

    entry: EntryRecord
    places: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class CourseChart:
    """The numbers of the latest rounds, at most ten, and everybody's course in the order of the table."""

    rounds: tuple[int, ...]
    courses: tuple[EntryCourse, ...]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One entry against each of the others; None where the two never met."""

    entry: EntryRecord
    cells: tuple[OpponentRecord | None, ...]


def courses_of(table: StandingsRecord, played: Sequence[FixtureRecord]) -> CourseChart | None:
    """Everybody's place by round, or None where two rounds do not count yet, or too many entries do."""
    entries = [row.entry for row in table.rows]
    results = results_of(played)
    rounds = len(rounds_met(results))
    if rounds < 2 or len(entries) > ENTRIES_MOST or rounds * len(entries) > PLACES_MOST:
        return None
    event = table.event
    found = position_by_round(entrants_of(entries), results, event.scoring, event.tie_breaks)
    places = {course.id: course.places[-ROUNDS_MOST:] for course in found.courses}
    return CourseChart(
        rounds=found.rounds[-ROUNDS_MOST:],
        courses=tuple(EntryCourse(entry, places[str(entry.id)]) for entry in entries),
    )


def matrix_of(table: StandingsRecord, played: Sequence[FixtureRecord]) -> tuple[MatrixRow, ...]:
    """Everybody against everybody in the order of the table; empty before the first game, and for too many."""
    entries = [row.entry for row in table.rows]
    results = results_of(played)
    if len(entries) > ENTRIES_MOST or not any(result.is_game for result in results):
        return ()
    found = head_to_head_matrix(entrants_of(entries), results)
    return tuple(MatrixRow(entry, cells) for entry, cells in zip(entries, found.rows, strict=True))
