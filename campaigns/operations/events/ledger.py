"""How every change of an event is made: lock it, look who asks, write, and say in its log who did what and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from accounts.owner import Owner
from campaigns import event_access
from campaigns.errors import NotAllowed, NotFound, StaleEvent
from campaigns.models import REASON_MAX, ClubEvent, EventLog
from campaigns.queries.rows import is_token
from warbands.exchange.limits import clean_text

NOT_THEIRS = "Only organisers of the club change this event."


def lock_event(actor: Owner, token: str) -> ClubEvent:
    """The row, locked until the transaction ends, for those who may read it; raises NotFound for everybody else."""
    rows = ClubEvent.objects.select_for_update(of=("self",)).filter(token=token).order_by()
    event = next(iter(rows), None) if is_token(token) else None
    if event is None or not event_access.may_see(actor, event):
        raise NotFound("event")
    return event


def lock_organised_event(actor: Owner, token: str, expected: int | None = None) -> ClubEvent:
    """The row as above, for those who run it.

    Raises NotFound, NotAllowed for those who may only read it, and StaleEvent where it is not at version ``expected``.
    """
    event = lock_event(actor, token)
    if not event_access.may_organise(actor, event):
        raise NotAllowed(NOT_THEIRS)
    if expected is not None and expected != event.version:
        raise StaleEvent(event.version, expected)
    return event


def write_event(event: ClubEvent, **columns: Any) -> None:
    """Columns of the event, and its next version. One statement."""
    columns |= {"version": event.version + 1, "updated_at": timezone.now()}
    for column, value in columns.items():
        setattr(event, column, value)
    ClubEvent.objects.filter(pk=event.pk).update(**columns)


def write_log(
    event: ClubEvent,
    actor: Owner,
    verb: str,
    words: str,
    *,
    subject: str = "",
    reason: str = "",
    changes: Mapping[str, Any] | None = None,
) -> None:
    """One line of the event's log. ``words`` say what was done, ``reason`` why (cleaned; Refusal for odd text)."""
    EventLog.objects.create(
        event=event,
        author_id=actor.user_id,
        verb=verb,
        subject=subject,
        words=words[:REASON_MAX],
        reason=clean_text("reason", reason, REASON_MAX),
        changes=dict(changes or {}),
    )
