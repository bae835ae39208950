"""Making an event, changing what it agrees on, and putting it away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.access import is_club_member, may_organise_club, may_see_club
from accounts.models import Club
from accounts.owner import Owner
from campaigns.errors import NotAllowed, NotFound, Refusal
from campaigns.models import ClubEvent, Entry, EventKind, EventStatus, Round, RoundStatus
from campaigns.operations.events.changes import change_sentence, changes_between
from campaigns.operations.events.drafting import EventDraft, checked_columns
from campaigns.operations.events.judging import recheck_lists
from campaigns.operations.events.ledger import lock_organised_event, write_event, write_log
from campaigns.operations.events.telling import notify_finished
from warbands.operations import keys

__all__ = [
    "CreatedEvent",
    "EventDraft",
    "archive_event",
    "change_event",
    "create_event",
    "finish_event",
    "reopen_event",
    "restore_event",
]

NOT_ORGANISER = "Only organisers of the club make its events."
SETTLED = ("system", "variant", "kind", "method")
"""What stays as it is once a round is published: everything played was played by it."""


@dataclass(frozen=True, slots=True)
class CreatedEvent:
    """An event that was made, by this request or by the same one before."""

    token: str
    is_repeat: bool = False


def create_event(
    actor: Owner, club_slug: str, draft: EventDraft, *, request_key: str = ""
) -> CreatedEvent:
    """A new league, club night or campaign of a club, by its organisers.

    Raises NotFound for a club the actor cannot see, NotAllowed for those who do not run it, Refusal naming field and
    limit, KeyReused. The same ``request_key`` gives the same event.
    """
    club = _organised_club(actor, club_slug)
    columns = checked_columns(actor, draft)
    printed = keys.fingerprint("create_event", club.pk, asdict(draft))
    try:
        with transaction.atomic():
            if (earlier := keys.stored_answer(actor, request_key, printed)) is not None:
                return CreatedEvent(earlier["token"], is_repeat=True)
            event = ClubEvent.objects.create(club=club, author_id=actor.user_id, **columns)
            write_log(event, actor, "make", f"Made the {EventKind(event.kind).label.lower()}.")
            keys.store_answer(actor, request_key, printed, {"token": event.token})
    except IntegrityError:
        # The same request came twice at once and the other one was first.
        if (earlier := keys.stored_answer(actor, request_key, printed)) is None:
            raise
        return CreatedEvent(earlier["token"], is_repeat=True)
    return CreatedEvent(event.token)


def change_event(
    actor: Owner, token: str, draft: EventDraft, *, expected: int | None = None, reason: str = ""
) -> int:
    """The event as the draft says; its log keeps what was and what became. Returns the version, the same for no change.

    Once a round is published, system, variant, kind and method stay. With another system the warbands that entries
    meant to bring are taken off, for they cannot be played. Raises Refusal, NotFound, NotAllowed, StaleEvent.
    """
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        columns = checked_columns(actor, draft, kept_scenarios=event.scenarios)
        before = {name: getattr(event, name) for name in columns}
        changed = {name: value for name, value in columns.items() if value != before[name]}
        if not changed:
            return event.version
        _check_settled(event, changed)
        if "system" in changed or "variant" in changed:
            Entry.objects.filter(event=event, warband__isnull=False).update(warband=None)
        write_event(event, **changed)
        if "levels" in changed or "scenarios" in changed:
            recheck_lists(event)
        changes = changes_between(before, changed)
        write_log(event, actor, "change", change_sentence(changes), reason=reason, changes=changes)
        return event.version


def archive_event(actor: Owner, token: str, *, expected: int | None = None) -> int:
    """Out of the lists, kept as it is. Returns the version. Raises NotFound, NotAllowed, StaleEvent."""
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        if event.archived_at is None:
            write_event(event, archived_at=timezone.now())
            write_log(event, actor, "archive", "Put into the archive.")
        return event.version


def restore_event(actor: Owner, token: str, *, expected: int | None = None) -> int:
    """Back among the others. Returns the version. Raises NotFound, NotAllowed, StaleEvent."""
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        if event.archived_at is not None:
            write_event(event, archived_at=None)
            write_log(event, actor, "restore", "Taken out of the archive.")
        return event.version


def finish_event(actor: Owner, token: str, *, expected: int | None = None) -> int:
    """Over: nobody enters and nothing is drawn any more; results may still be put right. Returns the version.

    Raises Refusal while a round is drawn and not published, NotFound, NotAllowed, StaleEvent.
    """
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        draft = event.rounds.filter(status=RoundStatus.DRAFT).order_by("number").first()
        if draft is not None:
            sentence = f"{draft} is drawn and not published. Publish or withdraw it, then finish."
            raise Refusal(sentence, field="status")
        if event.status != EventStatus.FINISHED:
            notify_finished(event, actor)
        return _set_status(event, actor, EventStatus.FINISHED, "finish", "Finished.")


def reopen_event(actor: Owner, token: str, *, expected: int | None = None) -> int:
    """Goes on after all. Returns the version. Raises NotFound, NotAllowed, StaleEvent."""
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        if event.status != EventStatus.FINISHED:
            return event.version
        status = EventStatus.RUNNING if has_begun(event) else EventStatus.OPEN
        return _set_status(event, actor, status, "reopen", "Opened again.")


def has_begun(event: ClubEvent) -> bool:
    """Whether any of its rounds was published. One query."""
    return Round.objects.filter(
        event=event, status__in=[RoundStatus.PUBLISHED, RoundStatus.CLOSED]
    ).exists()


def _set_status(event: ClubEvent, actor: Owner, status: str, verb: str, words: str) -> int:
    if event.status != status:
        write_event(event, status=status)
        write_log(event, actor, verb, words)
    return event.version


def _organised_club(actor: Owner, slug: str) -> Club:
    """The club, for those who run it; NotFound for those who cannot see it, NotAllowed for the rest."""
    club = Club.objects.filter(slug=slug).first() if "\0" not in slug else None
    if club is None or not (may_see_club(actor, club.pk) or is_club_member(actor, club.pk)):
        raise NotFound("club")
    if not may_organise_club(actor, club.pk):
        raise NotAllowed(NOT_ORGANISER)
    return club


def _check_settled(event: ClubEvent, changed: Mapping[str, Any]) -> None:
    settled = [name for name in SETTLED if name in changed]
    if settled and has_begun(event):
        name = settled[0]
        sentence = f"The {name} stays as it is once a round is published. Make another event, or withdraw the rounds first."
        raise Refusal(sentence, field=name)
