"""The largest roster the site can hold, every text as long as it may be. Needs no Django."""

from engine.roster import MAX_COUNT, MAX_ENTRIES, RosterEntry
from tests.warbands.print_sheets import sheet_of
from warbands.sheet.structure import RosterSheet

NAME, NOTE, ROSTER_NOTE = 200, 2000, 4000  # characters, as in warbands/models.py


def largest() -> RosterSheet:
    entry = RosterEntry(
        "halberdiers", "W" * NAME, MAX_COUNT, note=("nine words " * 200)[:NOTE]
    )
    return sheet_of(
        *[entry] * MAX_ENTRIES, name="N" * NAME, note=("more words " * 400)[:ROSTER_NOTE]
    )
