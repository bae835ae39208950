"""Another event that begins as one there is."""

from datetime import datetime

from accounts.models import Membership
from campaigns.models import ClubEvent, EntryStatus, EventKind, GrowthRow, GrowthRowKind
from campaigns.operations.entries import insert_entry
from campaigns.operations.event_terms import MOMENTS, SCORED, checked_moment, checked_name
from campaigns.operations.log import ChangeRequest, LockedEvent, idempotent, organised_event
from campaigns.queries.records import EventTerms
from engine.records import frozen_dataclass, named_values

COPIED = {
    "club",
    *EventTerms.__dataclass_fields__.keys() - {*MOMENTS, "name", "scoring"},
    *(f"points_{result}" for result in SCORED),
}
"""The columns that a copy has from the event it was made of."""


@frozen_dataclass
class CopyDraft:
    """What a copy is called, when it starts, and whether players come along."""

    name: str
    starts_at: datetime | None = None
    players: bool = False


@idempotent("copy_event", answer="token", lock=organised_event)
def copy_event(change: LockedEvent, draft: CopyDraft) -> str:
    """Another event with the same settings and rules, by organisers; returns its token.

    Its deadlines are as long before its start as those of the first. ``players`` brings who plays
    along: guests, and those who are still members of the club. Raises Refusal naming the field,
    NotFound, NotAllowed, KeyReused.
    """
    source, actor = change.event, change.actor
    columns = named_values(source, *COPIED)
    columns["name"] = checked_name(draft.name)
    columns["starts_at"] = starts_at = checked_moment("starts_at", draft.starts_at)
    if starts_at and source.starts_at:
        for deadline in ("entries_close_at", "lists_due_at"):
            before = getattr(source, deadline)
            columns[deadline] = before and before + (starts_at - source.starts_at)
    rules = source.growth_rows.filter(kind=GrowthRowKind.RULES).order_by("position").last()
    event = ClubEvent.objects.create(
        **columns, author_id=actor.user_id, growth_position=1 if rules else 0
    )
    copy = LockedEvent(ChangeRequest(actor, event.token), event)
    kind = EventKind(event.kind).label.lower()
    copy.log("make", f"Created the {kind} as a copy of {source.name}.")
    if rules:
        payload = {**rules.payload, "from_start": True}
        GrowthRow.objects.create(
            event=event,
            position=1,
            kind=rules.kind,
            payload=payload,
            author_id=actor.user_id,
        )
    if draft.players:
        members = Membership.objects.filter(club=event.club_id)
        current = {None, *members.values_list("user", flat=True)}
        for entry in source.entries.filter(status=EntryStatus.ACTIVE).order_by("id"):
            if entry.user_id in current:
                insert_entry(copy, name=entry.name, user_id=entry.user_id)
    return event.token
