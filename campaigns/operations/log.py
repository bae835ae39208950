"""A change of an event: who asks for it, the lock, the next version, and the log in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.errors import (
    NotAllowed,
    NotFound,
    Refusal,
    Stale,
)
from accounts.owner import Owner
from accounts.tokens import is_token
from battles.models import REASON_MAX
from campaigns import access
from campaigns.models import ClubEvent, EventLog, Fixture
from campaigns.operations.conflicts import check_untouched
from engine.records import NamedValues, frozen_dataclass
from warbands.exchange.document import clean_text

# What a column is called; the others by their own name.
NAMES = {
    "points_limit": "points limit",
    "rounds_planned": "number of rounds",
    "odd": "odd numbers",
    "house_rules": "house rules",
    "ruling_layers": "rulings",
    "scenarios": "scenario pool",
    "levels": "levels of guidelines",
    "needs_list": "lists handed in",
    "is_secret": "secrecy of lists",
    "has_core": "core that must stay",
    "has_one_list": "one list for the event",
    "shows_treasury": "treasuries in the standings",
    "points_win": "points for a win",
    "points_draw": "points for a draw",
    "points_loss": "points for a loss",
    "points_bye": "points for a bye",
    "points_unplayed": "points for a game not played",
    "tie_breaks": "tie-breaks",
    "confirm_days": "days to answer",
    "confirmation": "who confirms results",
}
# Values of these kinds are told with what they were and became, others by name alone.
SHORT = (str, int, bool, type(None))
SHOWN_MAX = 60


def changes_between(before: NamedValues, changed: NamedValues) -> dict[str, list[Any]]:
    """By column: what it was and what it became."""
    return {name: [before[name], value] for name, value in changed.items()}


def logged_value(value: Any) -> Any:
    """Return a value as the log keeps it."""
    return value.isoformat() if isinstance(value, datetime) else value


def change_sentence(changes: Mapping[str, list[Any]]) -> str:
    """One sentence that names all that was changed, with the figures where they are short."""
    told = [_change_words(NAMES.get(name, name), *pair) for name, pair in changes.items()]
    return f"Changed: {'; '.join(told)}."


def _change_words(name: str, was: Any, now: Any) -> str:
    """Return the name, with both values where these are short and not empty."""
    if not (isinstance(was, SHORT) and isinstance(now, SHORT)) or "" in (was, now):
        return name
    told = f"{name} from {_figure(was)} to {_figure(now)}"
    return told if len(told) <= SHOWN_MAX else name


def _figure(value: Any) -> str:
    if value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


NOT_THEIRS = "Only organisers of the club change this event."


@frozen_dataclass
class ChangeRequest:
    """Who asks for a change of which event, seen at which version, why, and under which key.

    ``expected`` is the version of what is changed, None for whichever it is at; ``reason`` is what
    the log keeps. The same ``key`` makes the same change once. ``position`` is how far the log of
    a growing campaign was seen, None where that does not matter.
    """

    actor: Owner
    token: str
    expected: int | None = None
    reason: str = ""
    key: str = ""
    position: int | None = None

    def check_position(self, event: ClubEvent) -> None:
        """Raises Stale where a growing campaign has moved on; call it under the event's lock."""
        if self.position is not None and self.position != event.growth_position:
            raise Stale("event", event.growth_position, self.position)

    def check_version(self, row: Fixture) -> None:
        """Raises Stale where the row is not at the version expected."""
        if self.expected is not None and self.expected != row.version:
            raise Stale("event", row.version, self.expected)


@frozen_dataclass
class LockedEvent:
    """An event whose row is locked, and the request that changes it, in an ``area`` of it."""

    asked: ChangeRequest
    event: ClubEvent
    area: str = ""

    @property
    def actor(self) -> Owner:
        return self.asked.actor

    def within(self, area: str) -> LockedEvent:
        """The same change in an area of the event that nobody else changed since it was seen.

        Raises Stale.
        """
        check_untouched(self.event, self.asked.expected, area)
        return replace(self, area=area)

    def with_reason(self, reason: str, why_needed: str) -> LockedEvent:
        """The same change for a reason put into order; raises Refusal with the sentence without one."""
        if not reason:
            raise Refusal(why_needed, field="reason")
        return replace(self, asked=replace(self.asked, reason=reason))

    def write(
        self,
        verb: str,
        words: str,
        *,
        subject: str = "",
        changes: NamedValues | None = None,
        **columns: Any,
    ) -> None:
        """Write columns of the event, its next version and a line of its log."""
        write_event(self.event, **columns)
        self.log(verb, words, subject=subject, changes=changes)

    def log(
        self,
        verb: str,
        words: str,
        *,
        subject: str = "",
        changes: NamedValues | None = None,
    ) -> None:
        """Write one line of the event's log, with the reason asked for.

        ``words`` say what was done. Raises Refusal for odd text in the reason.
        """
        EventLog.objects.create(
            event=self.event,
            author_id=self.actor.user_id,
            verb=verb,
            subject=subject,
            words=words[:REASON_MAX],
            reason=clean_text("reason", self.asked.reason, REASON_MAX),
            changes=dict(changes or {}),
            area=self.area,
            version=self.event.version,
        )


def lock_event(asked: ChangeRequest) -> LockedEvent:
    """The row, locked until the transaction ends, for those who may read it; raises NotFound for
    everybody else.
    """
    # Only the event is locked: a lock on its club would hold up every other event of it.
    rows = (
        ClubEvent.objects.select_for_update(of=("self",))
        .filter(token=asked.token)
        .order_by()
    )
    event = next(iter(rows), None) if is_token(asked.token) else None
    # What may not be read is not found either, so that addresses cannot be tried out.
    if event is None or not access.may_see(asked.actor, event):
        raise NotFound("event")
    return LockedEvent(asked, event)


def lock_event_row(pk: int) -> ClubEvent:
    """The row of an event, locked until the transaction ends, for what nobody asks to do."""
    return ClubEvent.objects.select_for_update(of=("self",)).order_by().get(pk=pk)


@contextmanager
def readable_event(asked: ChangeRequest) -> Iterator[LockedEvent]:
    """A transaction that holds the event's lock, for those who may read it. Raises NotFound."""
    with transaction.atomic():
        yield lock_event(asked)


@contextmanager
def organised_event(asked: ChangeRequest, area: str = "") -> Iterator[LockedEvent]:
    """The same for those who run the event.

    Raises NotFound, NotAllowed for those who may only read it, and Stale where somebody changed
    this ``area`` of it since the version expected.
    """
    with readable_event(asked) as change:
        check_organises(change)
        yield change.within(area) if area else change


def check_organises(change: LockedEvent) -> None:
    """Raises NotAllowed for those who may only read the event."""
    if not access.may_organise(change.actor, change.event):
        raise NotAllowed(NOT_THEIRS)


def write_event(event: ClubEvent, **columns: Any) -> None:
    """Columns of the event, and its next version. One statement."""
    columns |= {"version": event.version + 1, "updated_at": timezone.now()}
    # The row in hand says the same as the one stored, for whoever goes on with it.
    for column, value in columns.items():
        setattr(event, column, value)
    ClubEvent.objects.filter(pk=event.pk).update(**columns)
