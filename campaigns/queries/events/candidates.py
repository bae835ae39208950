"""Who could still be entered in an event, and what somebody could bring to it. One query each."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from accounts.models import Membership
from accounts.owner import Owner
from campaigns.models import Entry
from campaigns.queries.events.records import ClubEventRecord, EntryRecord
from warbands.access import listed_to
from warbands.models import Warband
from warbands.queries import army_name
from warbands.queries.records import NO_NAME

MEMBERS_MAX = 500
WARBANDS_MAX = 100


@dataclass(frozen=True, slots=True)
class EntryCandidate:
    """A member of the club who is not entered."""

    user_id: int
    name: str


def load_candidates(event: ClubEventRecord) -> tuple[EntryCandidate, ...]:
    """The members of the club who are not entered, by name; the first 500. One query."""
    entered = Entry.objects.filter(event_id=event.id, user=OuterRef("user"))
    rows = Membership.objects.filter(~Exists(entered), club_id=event.club_id).select_related("user")
    found = [
        EntryCandidate(row.user_id, row.user.display_name)
        for row in rows.order_by("user__name", "pk")[:MEMBERS_MAX]
    ]
    return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.user_id)))


def load_choices(
    actor: Owner, event: ClubEventRecord, entry: EntryRecord | None = None
) -> tuple[tuple[str, str], ...]:
    """(token, name) of the warbands an entry could bring, as far as the actor is shown them. One query.

    Of a member their own; of a guest, and without an entry, the actor's.
    """
    owner_id = actor.user_id if entry is None or entry.user_id is None else entry.user_id
    if owner_id is None:
        return ()
    rows = Warband.objects.filter(
        listed_to(actor),
        owner_id=owner_id,
        archived_at=None,
        system=event.system,
        variant=event.variant,
    )
    found = rows.order_by("-updated_at", "-id").values_list(
        "token", "name", "system", "army", "points"
    )[:WARBANDS_MAX]
    return tuple(
        (token, f"{name or NO_NAME}, {army_name(system, army)}, {points} points")
        for token, name, system, army, points in found
    )
