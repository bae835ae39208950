"""What is different between the lists an entry handed in from round to round, in words."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.owner import Owner
from battles.queries.battles import load_locked_sheet
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.round_lists import lists_of, may_see_list
from warbands.sheet.difference import difference
from warbands.sheet.structure import RosterSheet


@dataclass(frozen=True, slots=True)
class ListOfRound:
    """A list as it was handed in for a round.

    ``changes``: what is different from the one before; None for the first.
    """

    number: int
    round_name: str
    sheet: RosterSheet
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
        found.append(ListOfRound(lock.round.number, str(lock.round), sheet, changes))
        before = sheet
    return tuple(reversed(found))
