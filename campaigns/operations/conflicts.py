"""Whether what somebody saw of an event still holds: who changed what since, and does it touch this.

A page is drawn at a version of its event and sends that version back with each change. Every line
of the event's log keeps the version it made, and the area that it is about:

- "settings": what the event agrees on
- "status": finished, archived, and back
- "rounds": how many there are
- "round 3": its pairings, its dates and its state, with "round 3/<game>" for a single game
- "lists 3": whether the lists of the round are shown
- "": what stands for itself, such as somebody who enters or a result

Two changes touch each other where one's area is the other's or lies within it. A change is refused
as stale where somebody else made one that touches it since the version seen; the refusal names it.
Settings are merged field by field: only a field that both changed is a conflict.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

from accounts.errors import Stale
from campaigns.models import ClubEvent, EventLog
from engine.records import NamedValues

SETTINGS = "settings"
STATUS = "status"
ROUNDS = "rounds"
NAMED_MOST = 3


def round_area(number: int, game: str = "") -> str:
    """What belongs to a round, or to one game of it."""
    return f"round {number}/{game}" if game else f"round {number}"


def lists_area(number: int) -> str:
    """The lists of a round."""
    return f"lists {number}"


def check_untouched(event: ClubEvent, expected: int | None, area: str) -> None:
    """Raise Stale naming what was changed in this area since version ``expected``."""
    if touching := changes_touching(event, expected, area):
        refuse_changed(event, expected, touching)


def changes_touching(
    event: ClubEvent, expected: int | None, area: str
) -> Sequence[EventLog]:
    """What was changed in this area since version ``expected``. Raises Stale where nobody knows."""
    return [one for one in _lines_since(event, expected) if _touch(area, one.area)]


def refuse_changed(
    event: ClubEvent, expected: int | None, lines: Sequence[EventLog]
) -> NoReturn:
    """Raise Stale naming these changes."""
    raise Stale("event", event.version, expected or 0, _named(lines))


def _lines_since(event: ClubEvent, expected: int | None) -> Sequence[EventLog]:
    """The lines of the log since a version, the earliest first; none where it is the latest.

    Raises Stale where the log does not say what was changed. One query.
    """
    if expected is None or expected == event.version:
        return ()
    rows = EventLog.objects.filter(event=event, version__gt=expected).order_by("id")
    lines = list(rows.select_related("author"))
    # Lines of older releases have no version, and who saw a later one saw no such event.
    if len({line.version for line in lines}) != event.version - expected:
        raise Stale("event", event.version, expected)
    return lines


def _touch(one: str, other: str) -> bool:
    """Whether one area is the other, or lies within it.

    What has no area touches nothing.
    """
    inner, outer = sorted((f"{one}/", f"{other}/"), key=len, reverse=True)
    return bool(one and other) and inner.startswith(outer)


def _named(lines: Sequence[EventLog]) -> str:
    """Who changed what, in a few sentences.

    The latest of many.
    """
    told = [
        f"{line.author.display_name if line.author else 'Somebody'}: {line.words}"
        for line in lines[-NAMED_MOST:]
    ]
    return (
        f"Changed in the meantime. {' '.join(told)} Look at it as it is now, then decide."
    )


def values_kept(
    event: ClubEvent, expected: int | None, columns: NamedValues
) -> dict[str, Any]:
    """The settings that others changed since version ``expected`` and these columns do not.

    Raises Stale naming what both changed.
    """
    lines = changes_touching(event, expected, SETTINGS)
    before = _values_before(lines)
    theirs = {name for name, value in before.items() if columns.get(name) == value}
    mine = before.keys() & columns.keys() - theirs
    if both := {name for name in mine if columns[name] != getattr(event, name)}:
        refuse_changed(event, expected, [one for one in lines if both & one.changes.keys()])
    return {name: getattr(event, name) for name in theirs}


def _values_before(lines: Sequence[EventLog]) -> dict[str, Any]:
    """What every column was before the first of these changes of it."""
    before: dict[str, Any] = {}
    for line in lines:
        for name, pair in line.changes.items():
            before.setdefault(name, pair[0])
    return before
