"""Who is here: ticked by an organiser, said by a player for themselves, or a guest who walked in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.owner import Owner
from campaigns.errors import NotAllowed, Refusal
from campaigns.models import ClubEvent, Entry, EntryStatus, Presence, Round, RoundStatus
from campaigns.operations.events.entering import add_entry
from campaigns.operations.events.ledger import lock_event, lock_organised_event
from campaigns.operations.events.locating import check_running, find_entries, find_round
from warbands.operations import keys


@dataclass(frozen=True, slots=True)
class GuestArrival:
    """A guest who was entered and is here, by this request or by the same one before."""

    entry: str
    is_repeat: bool = False


def set_present(actor: Owner, token: str, number: int, entries: Mapping[str, bool]) -> int:
    """Tick who is here; who is not named stays as they are. Returns the event's version, the same for no change.

    Pairs that are drawn stay until they are drawn again. Two organisers may tick at once: each tick stands for itself.
    Raises Refusal for a closed round, NotFound, NotAllowed.
    """
    with transaction.atomic():
        event = lock_organised_event(actor, token)
        row = _open_round(event, number)
        found = find_entries(event, entries)
        _write_presence(row, {found[name]: is_here for name, is_here in entries.items()})
        return event.version


def check_in(actor: Owner, token: str, number: int, *, is_here: bool = True) -> int:
    """Say oneself whether one is here, or send word that one is not. Returns the event's version.

    Raises NotAllowed for who is not in it, Refusal for who dropped out and for a closed round, NotFound.
    """
    with transaction.atomic():
        event = lock_event(actor, token)
        row = _open_round(event, number)
        mine = (
            None
            if actor.user_id is None
            else Entry.objects.filter(event=event, user_id=actor.user_id).first()
        )
        if mine is None:
            raise NotAllowed("Enter first, then say that you are here.")
        if mine.status == EntryStatus.DROPPED:
            raise Refusal(
                "You dropped out. Come back in first, then say that you are here.", field="entries"
            )
        _write_presence(row, {mine: is_here})
        return event.version


def add_guest(
    actor: Owner, token: str, number: int, name: str, *, request_key: str = ""
) -> GuestArrival:
    """Enter a guest by name and tick them. The same ``request_key`` gives the same guest.

    Raises Refusal naming the field, NotFound, NotAllowed, KeyReused.
    """
    printed = keys.fingerprint("add_guest", token, number, name)
    try:
        with transaction.atomic():
            event = lock_organised_event(actor, token)
            if (earlier := keys.stored_answer(actor, request_key, printed)) is not None:
                return GuestArrival(earlier["entry"], is_repeat=True)
            row = _open_round(event, number)
            entry = add_entry(actor, token, name=name)
            Presence.objects.create(round=row, entry=Entry.objects.get(token=entry), is_here=True)
            keys.store_answer(actor, request_key, printed, {"entry": entry})
            return GuestArrival(entry)
    except IntegrityError:
        # The same request came twice at once and the other one was first.
        if (earlier := keys.stored_answer(actor, request_key, printed)) is None:
            raise
        return GuestArrival(earlier["entry"], is_repeat=True)


def _open_round(event: ClubEvent, number: int) -> Round:
    check_running(event)
    row = find_round(event, number)
    if row.status == RoundStatus.CLOSED:
        raise Refusal(f"{row} is closed. Open it again, then say who is here.", field="status")
    return row


def _write_presence(row: Round, wanted: Mapping[Entry, bool]) -> None:
    """The ticks that are not so already, in one statement.

    No line of the log and no new version: a tick stands for itself and makes nobody's page stale.
    """
    known = dict(Presence.objects.filter(round=row).values_list("entry_id", "is_here"))
    changed = {
        entry: is_here for entry, is_here in wanted.items() if known.get(entry.pk) != is_here
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
