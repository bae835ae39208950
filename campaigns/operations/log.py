"""What was changed about an event, as its log keeps it and as it says so in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, Stale
from accounts.owner import Owner
from battles.models import REASON_MAX
from battles.replay import is_token
from campaigns import access
from campaigns.models import ClubEvent, EventLog
from warbands.exchange.document import clean_text

NAMES = {
    "points_limit": "points limit",
    "rounds_planned": "number of rounds",
    "odd": "odd numbers",
    "house_rules": "house rules",
    "scenarios": "scenario pool",
    "levels": "levels of guidelines",
    "needs_list": "lists handed in",
    "is_secret": "secrecy of lists",
    "has_core": "core that must stay",
    "steps": "steps after a battle",
    "points_win": "points for a win",
    "points_draw": "points for a draw",
    "points_loss": "points for a loss",
    "points_bye": "points for a bye",
    "points_unplayed": "points for a game not played",
    "tie_breaks": "tie-breaks",
    "confirm_days": "days to answer",
}
"""What a column is called; the others by their own name."""
SHORT = (str, int, bool, type(None))
SHOWN_MAX = 60


def changes_between(before: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, list[Any]]:
    """By column: what it was and what it became."""
    return {name: [before[name], value] for name, value in changed.items()}


def change_sentence(changes: Mapping[str, list[Any]]) -> str:
    """One sentence that names all that was changed, with the figures where they are short."""
    told = [_change_words(NAMES.get(name, name), *pair) for name, pair in changes.items()]
    return f"Changed: {'; '.join(told)}."


def _change_words(name: str, was: Any, now: Any) -> str:
    if not (isinstance(was, SHORT) and isinstance(now, SHORT)) or "" in (was, now):
        return name
    told = f"{name} from {_figure(was)} to {_figure(now)}"
    return told if len(told) <= SHOWN_MAX else name


def _figure(value: Any) -> str:
    if value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


NOT_THEIRS = "Only organisers of the club change this event."


def lock_event(actor: Owner, token: str) -> ClubEvent:
    """The row, locked until the transaction ends, for those who may read it; raises NotFound for
    everybody else.
    """
    rows = ClubEvent.objects.select_for_update(of=("self",)).filter(token=token).order_by()
    event = next(iter(rows), None) if is_token(token) else None
    if event is None or not access.may_see(actor, event):
        raise NotFound("event")
    return event


def lock_organised_event(actor: Owner, token: str, expected: int | None = None) -> ClubEvent:
    """The row as above, for those who run it.

    Raises NotFound, NotAllowed for those who may only read it, and Stale where it is not at
    version ``expected``.
    """
    event = lock_event(actor, token)
    if not access.may_organise(actor, event):
        raise NotAllowed(NOT_THEIRS)
    if expected is not None and expected != event.version:
        raise Stale("event", event.version, expected)
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
    """One line of the event's log.

    ``words`` say what was done, ``reason`` why (cleaned; Refusal for odd text).
    """
    EventLog.objects.create(
        event=event,
        author_id=actor.user_id,
        verb=verb,
        subject=subject,
        words=words[:REASON_MAX],
        reason=clean_text("reason", reason, REASON_MAX),
        changes=dict(changes or {}),
    )
