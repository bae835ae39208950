"""A roster without what a campaign made of it, or with that in its notes."""

from dataclasses import replace

from engine.records import Texts
from engine.roster import Roster, RosterEntry
from warbands.models import NOTE_MAX, WARRIOR_NOTE_MAX
from warbands.sheet.growth import growth_lines, head_lines


def without_growth(roster: Roster) -> Roster:
    """The roster as its campaign was told it, without what happened there."""
    entries = tuple(replace(one, growth=None) for one in roster.warriors)
    return replace(roster, warriors=entries, growth=None)


def with_growth_as_notes(roster: Roster) -> Roster:
    """A plain roster; what a campaign made of it stands in its notes, as far as they hold it."""
    entries = tuple(map(_noted, roster.warriors))
    head = head_lines(roster.growth) if roster.growth else ()
    note = _appended(roster.note, head, NOTE_MAX)
    return replace(roster, warriors=entries, note=note, growth=None)


def _noted(entry: RosterEntry) -> RosterEntry:
    if entry.growth is None:
        return entry
    note = _appended(entry.note, growth_lines(entry.growth, entry.count), WARRIOR_NOTE_MAX)
    return replace(entry, note=note, growth=None)


def _appended(note: str, lines: Texts, most: int) -> str:
    return "\n".join((note, *lines)).strip()[:most].strip() if lines else note
