"""What the charts of a table are drawn from: places by round, and everybody against everybody."""

from campaigns.queries.records import EntryRecord
from campaigns.queries.standings import StandingsRecord
from engine.records import Numbers, frozen_dataclass
from engine.tournament.awards import (
    OpponentRecord,
    head_to_head_matrix,
    position_by_round,
    rounds_met,
)
from engine.tournament.types import Standing

PLACES_MOST = 800
"""Entries times rounds up to which a chart of places is worked out: the table of every round is
made anew for it.
"""
ENTRIES_MOST = 32
"""Entries up to which a chart can be read at all."""
ROUNDS_MOST = 10


@frozen_dataclass
class EntryCourse:
    """An entry's place after each of the rounds; None before it joined."""

    entry: EntryRecord
    places: tuple[int | None, ...]


@frozen_dataclass
class CourseChart:
    """The numbers of the latest rounds, at most ten, and everybody's course in the order of the
    table.
    """

    rounds: Numbers
    courses: tuple[EntryCourse, ...]


@frozen_dataclass
class MatrixRow:
    """One entry against each of the others; None where the two never met."""

    entry: EntryRecord
    cells: tuple[OpponentRecord | None, ...]


def courses_of(table: StandingsRecord) -> CourseChart | None:
    """Everybody's place by round, or None where two rounds do not count yet, or too many entries
    do.
    """
    entries = [row.entry for row in table.rows]
    rounds = len(rounds_met(table.results))
    # One round has no course, and the table is worked out anew for every round.
    if rounds < 2 or len(entries) > ENTRIES_MOST or rounds * len(entries) > PLACES_MOST:
        return None
    event = table.event
    found = position_by_round(_lines(table), table.results, event.scoring, event.tie_breaks)
    places = {course.id: course.places[-ROUNDS_MOST:] for course in found.courses}
    return CourseChart(
        rounds=found.rounds[-ROUNDS_MOST:],
        courses=tuple(EntryCourse(entry, places[str(entry.id)]) for entry in entries),
    )


def matrix_of(table: StandingsRecord) -> tuple[MatrixRow, ...]:
    """Everybody against everybody in the order of the table; empty before the first game, and for
    too many.
    """
    entries = [row.entry for row in table.rows]
    if len(entries) > ENTRIES_MOST or not any(one.is_game for one in table.results):
        return ()
    found = head_to_head_matrix(_lines(table))
    return tuple(
        MatrixRow(entry, cells) for entry, cells in zip(entries, found.rows, strict=True)
    )


def _lines(table: StandingsRecord) -> list[Standing]:
    return [row.standing for row in table.rows]
