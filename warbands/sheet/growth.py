"""What a campaign made of a warband, in the words and boxes that every drawing shows, and
the roster without it.
"""

from collections.abc import Iterator
from dataclasses import replace

from engine.records import TextPairs, Texts, frozen_dataclass
from engine.roster import EntryGrowth, Roster, RosterEntry, RosterGrowth
from warbands.models import NOTE_MAX, WARRIOR_NOTE_MAX

# What a campaign made of a warband, in the words and boxes that every drawing of it
# shows.

BOXES_MOST = 30
BOXES_AHEAD = 3
"""Blank boxes behind the experience of now: what the next battles may fill."""


# Boxes to tick


@frozen_dataclass
class ExperienceBox:
    """A point of experience; a step is where an advance is due."""

    number: int
    is_filled: bool
    is_step: bool


def experience_boxes(growth: EntryGrowth) -> tuple[ExperienceBox, ...]:
    """The boxes up to the next step, at least three of them blank; none for who cannot grow.

    At most 30: those before stand in the words alone.
    """
    if not growth.steps:
        return ()
    # Who has taken every step still writes experience down: the rating counts it.
    last = max(growth.experience + BOXES_AHEAD, growth.next_step or 0)
    first = max(1, last - BOXES_MOST + 1)
    return tuple(
        ExperienceBox(number, number <= growth.experience, number in growth.steps)
        for number in range(first, last + 1)
    )


# Lines of a unit, and of the head


def growth_lines(growth: EntryGrowth | None, count: int) -> Texts:
    """What a campaign made of an entry of so many models, a line for each sort of thing.

    Nothing outside campaigns.
    """
    return tuple(_lines(growth, count)) if growth else ()


def _lines(growth: EntryGrowth, count: int) -> Iterator[str]:
    """Yield what a campaign made of a warrior."""
    experience = f"{growth.kind}, experience {growth.experience}"
    yield (
        experience
        if growth.next_step is None
        else f"{experience}, next advance at {growth.next_step}"
    )
    if growth.changed:
        changes = (
            f"{change.stat} {change.now} (printed {change.base})"
            for change in growth.changed
        )
        yield ", ".join(changes)
    if growth.skills:
        yield f"Skills: {_told(growth.skills)}"
    if growth.goods:
        yield f"Goods: {_told(growth.goods)}"
    if growth.injuries:
        yield f"Injuries: {', '.join(growth.injuries)}"
    if absence := growth.absence_of(count):
        yield absence


def _told(pairs: TextPairs) -> str:
    """Names with their words in brackets: who plays by them has no other place to look."""
    return ", ".join(
        f"{name} ({text.removesuffix('.')})" if text else name for name, text in pairs
    )


def head_lines(growth: RosterGrowth) -> Texts:
    """What stands at the head of a sheet: campaign, rating, what the warband owns."""
    lines = [f"{growth.campaign}: warband rating {growth.rating}"]
    if growth.treasury:
        amounts = (f"{amount} {name}" for name, amount in growth.treasury)
        lines.append(f"Treasury: {', '.join(amounts)}")
    if growth.stash:
        lines.append(f"Stash: {', '.join(growth.stash)}")
    if growth.territories:
        lines.append(f"Territories: {', '.join(growth.territories)}")
    return tuple(lines)


def for_others(growth: RosterGrowth) -> RosterGrowth:
    """The head as opponents are handed it: without treasury and stash."""
    return replace(growth, treasury=(), stash=())


# A roster without what a campaign made of it, or with that in its notes.


def without_growth(roster: Roster) -> Roster:
    """The roster as its campaign was told it, without what happened there."""
    entries = tuple(replace(entry, growth=None) for entry in roster.warriors)
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
