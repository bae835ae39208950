"""A change of an event: who asks for it, the lock, the next version, the log, and whether
what somebody saw still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, Refusal, Stale
from accounts.owner import Owner
from accounts.tokens import find_row
from battles.models import REASON_MAX
from campaigns import access
from campaigns.models import ClubEvent, EventLog, Fixture
from engine.records import NamedValues, frozen_dataclass
from warbands.exchange.document import clean_text
from warbands.operations.transaction import fingerprint, store_answer, stored_answer

# Whether what somebody saw of an event still holds: who changed what since, and does it
# touch this.
#
# A page is drawn at a version of its event and sends that version back with each change.
# Every line of the event's log keeps the version it made, and the area that it is about:
#
# - "settings": what the event agrees on
# - "status": finished, archived, and back
# - "rounds": how many there are
# - "round 3": its pairings, dates and state; "round 3/<game>" for a single game
# - "lists 3": whether the lists of the round are shown
# - "": what stands for itself, such as somebody who enters or a result
#
# Two changes touch each other where one's area is the other's or lies within it. A change
# is refused as stale where somebody else made one that touches it since the version seen;
# the refusal names it. Settings are merged field by field: only a field that both changed
# is a conflict.

SETTINGS = "settings"
STATUS = "status"
ROUNDS = "rounds"
NAMED_MOST = 3


def round_area(number: int, game: str = "") -> str:
    """What belongs to a round, or to one game of it."""
    return f"round {number}/{game}" if game else f"round {number}"


def check_untouched(event: ClubEvent, expected: int | None, area: str) -> None:
    """Raise Stale naming what was changed in this area since version ``expected``."""
    if lines := _changes_since(event, expected, area):
        _refuse_changed(event, expected, lines)


def values_kept(
    event: ClubEvent, expected: int | None, columns: NamedValues
) -> dict[str, Any]:
    """The settings that others changed since version ``expected`` and these columns do not.

    Raises Stale naming what both changed.
    """
    lines = _changes_since(event, expected, SETTINGS)
    before: dict[str, Any] = {}
    for line in lines:
        for name, pair in line.changes.items():
            before.setdefault(name, pair[0])
    theirs = {
        name for name, value in before.items() if logged_value(columns.get(name)) == value
    }
    mine = before.keys() & columns.keys() - theirs
    if both := {name for name in mine if columns[name] != getattr(event, name)}:
        conflicts = [line for line in lines if both & line.changes.keys()]
        _refuse_changed(event, expected, conflicts)
    return {name: getattr(event, name) for name in theirs}


def _changes_since(event: ClubEvent, expected: int | None, area: str) -> list[EventLog]:
    """What was changed in this area since version ``expected``, the earliest first. One query.

    Two areas touch each other where one is the other or lies within it; what has no area touches
    nothing. Raises Stale where the log does not say what was changed.
    """
    if expected is None or expected == event.version:
        return []
    rows = EventLog.objects.filter(event=event, version__gt=expected).order_by("id")
    lines = list(rows.select_related("author"))
    # Lines of older releases have no version, and who saw a later one saw no such event.
    if len({line.version for line in lines}) != event.version - expected:
        raise Stale("event", event.version, expected)
    within = f"{area}/"
    return [
        line
        for line in lines
        if line.area
        and (f"{line.area}/".startswith(within) or within.startswith(f"{line.area}/"))
    ]


def _refuse_changed(
    event: ClubEvent, expected: int | None, lines: Sequence[EventLog]
) -> NoReturn:
    """Raise Stale saying who changed what, the latest of many."""
    changes = " ".join(
        f"{line.author.display_name if line.author else 'Somebody'}: {line.words}"
        for line in lines[-NAMED_MOST:]
    )
    sentence = f"Changed in the meantime. {changes} Look at it as it is now, then decide."
    raise Stale("event", event.version, expected or 0, sentence)


# A change of an event: who asks for it, the lock, the next version, and the log in words.

# What a column is called; the others by their own name.
NAMES = {
    "points_limit": "points limit",
    "rounds_planned": "number of rounds",
    "odd": "odd numbers",
    "starts_at": "start",
    "capacity": "number of places",
    "entries_close_at": "entry deadline",
    "lists_due_at": "list deadline",
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
    "missed_round": "rounds missed",
    "score_name": "name of points scored",
    "score_max": "most points scored",
    "player_score_name": "name of player scores",
    "tie_breaks": "tie-breaks",
    "confirm_days": "days to answer",
    "confirmation": "who confirms results",
}
# Values of these kinds are named with what they were and became, others by name alone.
SHORT = (str, int, bool, type(None))
SHOWN_MAX = 60


def changes_between(before: NamedValues, changed: NamedValues) -> dict[str, list[Any]]:
    """By column: what it was and what it became, as the log keeps both."""
    return {
        name: [logged_value(before[name]), logged_value(value)]
        for name, value in changed.items()
    }


def logged_value(value: Any) -> Any:
    """Return a value as the log keeps it: a moment by its ISO 8601, a row by its name."""
    if isinstance(value, Model):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value


def change_sentence(before: NamedValues, changed: NamedValues) -> str:
    """One sentence that names all that was changed, with the figures where they are short."""
    phrases = [
        _change_words(NAMES.get(name, name), before[name], value)
        for name, value in changed.items()
    ]
    return f"Changed: {'; '.join(phrases)}."


def _change_words(name: str, before: Any, after: Any) -> str:
    """Return the name, with both values where these are short and not empty."""
    if not (isinstance(before, SHORT) and isinstance(after, SHORT)) or "" in (
        before,
        after,
    ):
        return name
    sentence = f"{name} from {_figure(before)} to {_figure(after)}"
    return sentence if len(sentence) <= SHOWN_MAX else name


def _figure(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def as_sentence(text: str) -> str:
    """Return a text on one line, with an end."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".!?" else f"{text}."


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

    request: ChangeRequest
    event: ClubEvent
    area: str = ""

    @property
    def actor(self) -> Owner:
        return self.request.actor

    @property
    def why(self) -> str:
        """The reason as a sentence, "" without one."""
        return as_sentence(self.request.reason)

    def within(self, area: str) -> LockedEvent:
        """The same change in an area of the event that nobody else changed since it was seen.

        Raises Stale.
        """
        check_untouched(self.event, self.request.expected, area)
        return replace(self, area=area)

    def with_reason(self, why_needed: str) -> LockedEvent:
        """The same change, its reason put into order; raises Refusal with the sentence without one."""
        reason = clean_text("reason", " ".join(self.request.reason.split()), REASON_MAX)
        if not reason:
            raise Refusal(why_needed, field="reason")
        return replace(self, request=replace(self.request, reason=reason))

    def write(
        self,
        verb: str,
        sentence: str,
        *,
        subject: str = "",
        changes: NamedValues | None = None,
        **columns: Any,
    ) -> None:
        """Write columns of the event, its next version and a line of its log."""
        write_event(self.event, **columns)
        self.log(verb, sentence, subject=subject, changes=changes)

    def log(
        self,
        verb: str,
        sentence: str,
        *,
        subject: str = "",
        changes: NamedValues | None = None,
    ) -> None:
        """Write one line of the event's log, with the reason asked for.

        ``sentence`` says what was done. Raises Refusal for odd text in the reason.
        """
        EventLog.objects.create(
            event=self.event,
            author_id=self.actor.user_id,
            verb=verb,
            subject=subject,
            words=sentence[:REASON_MAX],
            reason=clean_text("reason", self.request.reason, REASON_MAX),
            changes=dict(changes or {}),
            area=self.area,
            version=self.event.version,
        )


def lock_event_row(pk: int) -> ClubEvent:
    """The row of an event, locked until the transaction ends, for what nobody asks to do."""
    rows = ClubEvent.objects.select_for_update(of=("self",), no_key=True)
    return rows.order_by().get(pk=pk)


@contextmanager
def readable_event(request: ChangeRequest) -> Iterator[LockedEvent]:
    """A transaction that holds the event's lock, for those who may read it. Raises NotFound."""
    # Only the event is locked: a lock on its club would hold up every other event of it. Rows that
    # name the event are written meanwhile, by whoever holds a battle that is wanted here.
    rows = ClubEvent.objects.select_for_update(of=("self",), no_key=True)
    with transaction.atomic():
        event = find_row(rows, request.token)
        # What may not be read is not found either, so that addresses cannot be tried out.
        if event is None or not access.may_see(request.actor, event):
            raise NotFound("event")
        yield LockedEvent(request, event)


@contextmanager
def organised_event(request: ChangeRequest, area: str = "") -> Iterator[LockedEvent]:
    """The same for those who run the event.

    Raises NotFound, NotAllowed for those who may only read it, and Stale where somebody changed
    this ``area`` of it since the version expected.
    """
    with readable_event(request) as change:
        check_organises(change)
        yield change.within(area) if area else change


def check_organises(change: LockedEvent) -> None:
    """Raises NotAllowed for those who may only read the event."""
    if not access.may_organise(change.actor, change.event):
        raise NotAllowed("Only organisers of the club change this event.")


P = ParamSpec("P")
T = TypeVar("T")
Lock = Callable[[ChangeRequest], AbstractContextManager[LockedEvent]]


def _printed(value: object) -> object:
    """Return an argument as the fingerprint of a request holds it."""
    if isinstance(value, str | int):
        return value
    return list(map(repr, value)) if isinstance(value, list | tuple) else repr(value)


def idempotent(
    verb: str,
    answer: str,
    lock: Lock = readable_event,
    printed: Callable[[object], object] = _printed,
) -> Callable[
    [Callable[Concatenate[LockedEvent, P], T]], Callable[Concatenate[ChangeRequest, P], T]
]:
    """Carry out a change of an event once for each request key; a repeat gets the same answer.

    The answer is stored under its name. A request is known by its verb, its event and what it asks
    for, as ``printed`` writes it; arguments given by name are worked out of these, and no part of
    it. Raises KeyReused.
    """

    def decorate(
        change_event: Callable[Concatenate[LockedEvent, P], T],
    ) -> Callable[Concatenate[ChangeRequest, P], T]:
        @wraps(change_event)
        def once(request: ChangeRequest, /, *args: P.args, **kwargs: P.kwargs) -> T:
            key = fingerprint(verb, request.token, *map(printed, args))
            with lock(request) as change:
                stored = stored_answer(request.actor, request.key, key)
                if stored is not None:
                    repeated: T = stored[answer]
                    return repeated
                result = change_event(change, *args, **kwargs)
                store_answer(request.actor, request.key, key, {answer: result})
                return result

        return once

    return decorate


def write_event(event: ClubEvent, **columns: Any) -> None:
    """Columns of the event, and its next version. One statement."""
    columns |= {"version": event.version + 1, "updated_at": timezone.now()}
    # The row in hand says the same as the one stored, for whoever goes on with it.
    for column, value in columns.items():
        setattr(event, column, value)
    ClubEvent.objects.filter(pk=event.pk).update(**columns)
