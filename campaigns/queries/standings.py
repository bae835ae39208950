"""The table of an event: who stands where and why, who moved, and how everybody's last games went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils import timezone

from accounts.owner import Owner
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import entrants_of, load_fixture_records, results_of
from campaigns.queries.records import ClubEventRecord, EntryRecord, FixtureRecord
from engine.tournament.awards import (
    OpponentRecord,
    head_to_head_matrix,
    position_by_round,
    rounds_met,
)
from engine.tournament.standings import SHARED, Standing, standings
from engine.tournament.tiebreaks import tie_break
from engine.tournament.types import Result

FORM_MOST = 5
NAMED_MOST = 4
"""Of those who share a place so many are named, more are counted."""


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One line of a table: an entry and how it stands.

    ``moved`` is by how many places since the round before, None where there was none. ``form``
    are the last results, the latest last: won, drawn, lost, bye or unplayed. ``told`` says in a
    sentence of its own what puts the line before above this one, or that several share the place;
    "" where the points do.
    """

    standing: Standing
    entry: EntryRecord
    moved: int | None
    form: tuple[str, ...]
    told: str

    @property
    def difference(self) -> int:
        return self.standing.put_out - self.standing.models_lost

    @property
    def difference_told(self) -> str:
        """With its sign, as people write it."""
        return (
            f"+{self.difference}" if self.difference > 0 else str(self.difference).replace("-", "−")
        )

    @property
    def is_by_warband(self) -> bool:
        """Whether the line under the name is the warband's."""
        return bool(self.entry.warband_name) and not self.entry.is_dropped

    @property
    def known_by(self) -> str:
        """What stands under the name: the warband, or why there is none."""
        if self.entry.is_dropped:
            return "dropped out"
        return self.entry.warband_name or ("guest" if self.entry.is_guest else "")

    @property
    def fell(self) -> int:
        """By how many places it stands lower than before; 0 where it does not."""
        return max(0, -(self.moved or 0))


@dataclass(frozen=True, slots=True)
class StandingsRecord:
    """The table of an event as it is now.

    ``round`` is the latest two met in that counts, 0 before any does.
    """

    event: ClubEventRecord
    rows: tuple[StandingRow, ...]
    round: int
    tie_names: tuple[str, ...]


def load_standings(actor: Owner, token: str) -> StandingsRecord | None:
    """The table, or None where there is no such event or the actor may not read it.

    Three queries.
    """
    event = load_event(actor, token)
    if event is None:
        return None
    entries = load_entries(actor, event)
    return standings_of(event, entries, load_fixture_records(event.id, timezone.now()))


def standings_of(
    event: ClubEventRecord, entries: Sequence[EntryRecord], played: Sequence[FixtureRecord]
) -> StandingsRecord:
    """The table of what was played so far; no query."""
    results = results_of(played)
    lines = standings(entrants_of(entries), results, event.scoring, event.tie_breaks)
    latest = max(rounds_met(results), default=0)
    before = places_before(event, entries, results, latest)
    told = tie_sentences(lines) if results else [""] * len(lines)
    known = {str(one.id): one for one in entries}
    return StandingsRecord(
        event=event,
        rows=tuple(
            _row(line, known[line.id], before.get(line.id), sentence)
            for line, sentence in zip(lines, told, strict=True)
        ),
        round=latest,
        tie_names=tuple(tie_break(key).name for key in event.tie_breaks),
    )


def places_before(
    event: ClubEventRecord, entries: Sequence[EntryRecord], results: Sequence[Result], latest: int
) -> dict[str, int]:
    """Everybody's place before the latest round; of nobody before the second one that counts."""
    earlier = [result for result in results if result.round < latest]
    if not earlier:
        return {}
    there = {one for result in earlier for one in result.ids}
    here = [one for one in entrants_of(entries) if one.joined < latest or one.id in there]
    return {
        line.id: line.place for line in standings(here, earlier, event.scoring, event.tie_breaks)
    }


def _row(line: Standing, entry: EntryRecord, was: int | None, told: str) -> StandingRow:
    return StandingRow(
        standing=line,
        entry=entry,
        moved=None if was is None else was - line.place,
        form=tuple(_form(one, line.id) for one in line.results[-FORM_MOST:]),
        told=told,
    )


def _form(result: Result, one: str) -> str:
    if result.other is None:
        return "bye"
    if result.is_unplayed:
        return "unplayed"
    if result.winner is None:
        return "drawn"
    return "won" if result.winner == one else "lost"


def tie_sentences(lines: Sequence[Standing]) -> list[str]:
    """For each line what puts the one before it above it, where points do not, or who shares the
    place ending here.
    """
    told = [""] * len(lines)
    number = 0
    for place, group in groupby(lines, key=lambda line: line.place):
        same = list(group)
        if number and (said := _level_sentence(lines[number - 1], same[0])):
            told[number] = said
        number += len(same)
        if len(same) > 1:
            shared = _shared_sentence([line.name for line in same], place)
            told[number - 1] = f"{told[number - 1]} {shared}".strip()
    return told


def _level_sentence(above: Standing, below: Standing) -> str:
    """ "Level on points. Hanna is above Elif on the games among themselves, 3 against 0." """
    level, parted, why = above.explained.partition("; above ")
    if not parted or above.explained == SHARED:
        return ""
    return f"{level[0].upper()}{level[1:]}. {above.name} is above {below.name} {why}."


def _shared_sentence(names: Sequence[str], place: int) -> str:
    if len(names) > NAMED_MOST:
        return f"These {len(names)} are level in everything and share place {place}."
    return (
        f"{', '.join(names[:-1])} and {names[-1]} are level in everything and share place {place}."
    )


PLACES_MOST = 800
"""Entries times rounds up to which a chart of places is worked out: the table of every round is
made anew for it.
"""
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
    """The numbers of the latest rounds, at most ten, and everybody's course in the order of the
    table.
    """

    rounds: tuple[int, ...]
    courses: tuple[EntryCourse, ...]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One entry against each of the others; None where the two never met."""

    entry: EntryRecord
    cells: tuple[OpponentRecord | None, ...]


def courses_of(table: StandingsRecord, played: Sequence[FixtureRecord]) -> CourseChart | None:
    """Everybody's place by round, or None where two rounds do not count yet, or too many entries
    do.
    """
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
    """Everybody against everybody in the order of the table; empty before the first game, and for
    too many.
    """
    entries = [row.entry for row in table.rows]
    results = results_of(played)
    if len(entries) > ENTRIES_MOST or not any(result.is_game for result in results):
        return ()
    found = head_to_head_matrix(entrants_of(entries), results)
    return tuple(MatrixRow(entry, cells) for entry, cells in zip(entries, found.rows, strict=True))
