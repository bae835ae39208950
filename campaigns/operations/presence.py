"""Who is here for a round: written tick by tick, or said all at once by whoever draws it."""

from collections.abc import Mapping, Sequence

from django.utils import timezone

from accounts.errors import Refusal
from campaigns.models import (
    ENTRIES_MAX,
    ClubEvent,
    Entry,
    EntryStatus,
    Presence,
    Round,
)
from warbands.exchange.document import shown

FIELD = "present"


def check_present(present: Sequence[str]) -> None:
    """Raise Refusal for more entries than an event holds; asked before anything is locked."""
    if len(present) > ENTRIES_MAX:
        raise Refusal(
            f"{FIELD} names at most {ENTRIES_MAX} entries, not {len(present)}.", field=FIELD
        )


def tick_present(event: ClubEvent, row: Round, present: Sequence[str]) -> None:
    """Tick those who are named as here, and everybody else who plays on as away.

    Raises Refusal naming the first who is not in the event, or dropped out.
    """
    here = _found(event, present)
    # Who dropped out is neither here nor away.
    playing = Entry.objects.filter(event=event, status=EntryStatus.ACTIVE)
    write_presence(row, {entry: entry in here for entry in playing})


def tick_late(event: ClubEvent, row: Round, present: Sequence[str]) -> None:
    """Tick those who are named as here; the others stay as they are. Raises the same Refusal."""
    if present:
        write_presence(row, dict.fromkeys(_found(event, present), True))


def _found(event: ClubEvent, present: Sequence[str]) -> set[Entry]:
    """Return these entries; raises Refusal for unknown ones and dropouts.

    One query.
    """
    entries = {entry.token: entry for entry in Entry.objects.filter(event=event)}
    for token in present:
        if token not in entries:
            raise Refusal(f"{shown(token)} is not a player of this event.", field=FIELD)
        if entries[token].status == EntryStatus.DROPPED:
            raise Refusal(
                f"{entries[token].name} dropped out. Let them rejoin first, then pair them.",
                field=FIELD,
            )
    return {entries[token] for token in present}


def write_presence(row: Round, wanted: Mapping[Entry, bool]) -> None:
    """The ticks that are not so already, in one statement.

    No line of the log and no new version: a tick stands for itself and makes nobody's page stale.
    """
    known = dict(Presence.objects.filter(round=row).values_list("entry_id", "is_here"))
    changed = {
        entry: is_here
        for entry, is_here in wanted.items()
        if known.get(entry.pk) != is_here
    }
    if not changed:
        return
    now = timezone.now()
    Presence.objects.bulk_create(
        [
            Presence(round=row, entry=entry, is_here=is_here, at=now)
            for entry, is_here in changed.items()
        ],
        update_conflicts=True,
        unique_fields=["round", "entry"],
        update_fields=["is_here", "at"],
    )
