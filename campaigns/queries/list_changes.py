"""What is different between the lists an entry handed in from round to round, in words."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.owner import Owner
from battles.queries.snapshots import load_locked_sheet
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.round_lists import lists_of, may_see_list
from engine.findings import Finding
from warbands.sheet import RosterSheet, difference


@dataclass(frozen=True, slots=True)
class ListOfRound:
    """A list as the entry's page tells it.

    ``changes``: what is different from the one before; None for the first.
    """

    number: int
    round_name: str
    name: str
    army_name: str
    points: int
    points_limit: int | None
    models: int
    counts_points: bool
    errors: int
    warnings: int
    waived: tuple[Finding, ...]
    changes: tuple[str, ...] | None


def lists_by_round(
    actor: Owner, event: ClubEventRecord, entry: EntryRecord
) -> tuple[ListOfRound, ...]:
    """The lists of an entry that the reader may see, the latest round first. One query."""
    found: list[ListOfRound] = []
    before: RosterSheet | None = None
    for lock in lists_of(entry.id):
        sheet = load_locked_sheet(lock.snapshot.sheet) if lock.snapshot else None
        if sheet is None or not may_see_list(event, lock.round, is_mine=entry.is_mine):
            continue
        changes = None if before is None else difference(before, sheet)
        found.append(_list_record(lock.round.number, str(lock.round), sheet, changes))
        before = sheet
    return tuple(reversed(found))


def _list_record(
    number: int, round_name: str, sheet: RosterSheet, changes: tuple[str, ...] | None
) -> ListOfRound:
    return ListOfRound(
        number=number,
        round_name=round_name,
        name=sheet.name,
        army_name=sheet.army_name,
        points=sheet.points,
        points_limit=sheet.points_limit,
        models=sheet.models,
        counts_points=sheet.counts_points,
        errors=sheet.errors,
        warnings=sheet.warnings,
        waived=sheet.waived,
        changes=changes,
    )
