"""What an organiser lets pass for one entry, with the reason, which its sheet prints; and taking that back."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.owner import Owner
from campaigns.errors import Refusal
from campaigns.models import REASON_MAX, ClubEvent, Entry, Waiver
from campaigns.operations.events.judging import recheck_lists
from campaigns.operations.events.ledger import lock_organised_event, write_event, write_log
from campaigns.operations.events.lists import find_entry
from engine.findings.core import guidelines_of
from engine.types import Guideline
from rulesdata import registry
from warbands.exchange.limits import clean_text, shown


def waive(
    actor: Owner, token: str, entry: str, code: str, *, reason: str, expected: int | None = None
) -> int:
    """Let one guideline pass for an entry, in every round that is not closed. Returns the event's version.

    Raises Refusal for a rule of the army lists themselves, for one waived already and without a reason; NotFound,
    NotAllowed, StaleEvent.
    """
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        row = find_entry(event, entry)
        guideline = _waivable(event, code)
        why = clean_text("reason", " ".join(reason.split()), REASON_MAX)
        if not why:
            raise Refusal("Say why; the sheet prints it, and everybody reads it.", field="reason")
        if Waiver.objects.filter(entry=row, code=code, revoked_at__isnull=True).exists():
            raise Refusal(f"“{_title(guideline)}” is waived for {row.name} already.", field="code")
        Waiver.objects.create(entry=row, code=code, reason=why, author_id=actor.user_id)
        return _log_waiver(
            event, actor, row, "waive", f"Let “{_title(guideline)}” pass for {row.name}.", why
        )


def revoke_waiver(
    actor: Owner,
    token: str,
    entry: str,
    code: str,
    *,
    reason: str = "",
    expected: int | None = None,
) -> int:
    """Take a waiver back; it stays to be read. Returns the event's version.

    Raises Refusal where none holds, NotFound, NotAllowed, StaleEvent.
    """
    with transaction.atomic():
        event = lock_organised_event(actor, token, expected)
        row = find_entry(event, entry)
        guideline = _waivable(event, code)
        held = Waiver.objects.filter(entry=row, code=code, revoked_at__isnull=True)
        if not held.update(revoked_at=timezone.now()):
            raise Refusal(f"“{_title(guideline)}” is not waived for {row.name}.", field="code")
        words = f"“{_title(guideline)}” counts for {row.name} again."
        return _log_waiver(event, actor, row, "revoke_waiver", words, reason)


def _waivable(event: ClubEvent, code: str) -> Guideline:
    system = registry.load_system(event.system, event.variant or None)
    found = next((one for one in guidelines_of(system) if one.code == code), None)
    if found is None:
        raise Refusal(f"{system.full_name} has no guideline {shown(code)}.", field="code")
    if not found.is_waivable:
        sentence = f"“{_title(found)}” is a rule of the army lists themselves and cannot be waived."
        raise Refusal(sentence, field="code")
    return found


def _title(guideline: Guideline) -> str:
    return guideline.title or guideline.code


def _log_waiver(
    event: ClubEvent, actor: Owner, row: Entry, verb: str, words: str, reason: str
) -> int:
    recheck_lists(event, entry=row)
    write_event(event)
    write_log(event, actor, verb, words, subject=row.token, reason=reason)
    return event.version
