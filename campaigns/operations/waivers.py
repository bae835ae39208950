"""What an organiser lets pass for one entry, with the reason, which its sheet prints; and taking
that back.
"""

from collections.abc import Iterable

from django.db.models import F
from django.utils import timezone

from accounts.errors import Refusal
from battles.models import REASON_MAX
from battles.operations.snapshots import keep_snapshot
from battles.queries.battles import load_locked_sheet
from campaigns.list_checks import AgreedTerms, findings_from_json, load_terms
from campaigns.models import ClubEvent, Entry, ListLock, RoundStatus, Waiver
from campaigns.operations.log import ChangeRequest, LockedEvent, organised_event
from campaigns.operations.rows import find_entry
from campaigns.queries.round_lists import allowed_by_entry
from engine.findings.policy import Allowance, guidelines_of, judged
from engine.types.mechanics import Guideline
from rulesdata import registry
from warbands.exchange.document import clean_text, shown
from warbands.sheet.build import with_findings


def recheck_lists(event: ClubEvent, *, entry: Entry | None = None) -> None:
    """Every list of the rounds that are not closed, or those of one entry: their totals, and what
    their sheets say.

    Called by whatever changes the event's levels or an entry's waivers, within its lock. What was
    brought stays.
    """
    rows = ListLock.objects.filter(round__event=event, snapshot__isnull=False).exclude(
        round__status=RoundStatus.CLOSED
    )
    mine = rows if entry is None else rows.filter(entry=entry)
    allowed = allowed_by_entry(event.pk)
    agreed: dict[int, AgreedTerms] = {}
    for lock in mine.select_related("snapshot", "round"):
        # What a round agrees on is worked out once, not for each list.
        if lock.round_id not in agreed:
            agreed[lock.round_id] = load_terms(event, lock.round)
        _recheck_list(lock, agreed[lock.round_id], allowed.get(lock.entry_id, ()))


def _recheck_list(
    lock: ListLock, agreed: AgreedTerms, allowed: Iterable[Allowance]
) -> None:
    snapshot = lock.snapshot
    sheet = load_locked_sheet(snapshot.sheet) if snapshot else None
    if snapshot is None or sheet is None:
        return
    told = judged(
        findings_from_json(lock.findings), agreed.scenario, agreed.policy(allowed)
    )
    # What reads the same needs no other snapshot.
    if told == sheet.findings:
        return
    again = with_findings(sheet, told)
    kept = keep_snapshot(
        snapshot.document, again, warband_id=snapshot.warband_id, version=snapshot.version
    )
    ListLock.objects.filter(pk=lock.pk).update(
        snapshot=kept,
        errors=again.errors,
        warnings=again.warnings,
        version=F("version") + 1,
    )


def waive(asked: ChangeRequest, entry: str, code: str) -> None:
    """Let one guideline pass for an entry, in every round that is not closed.

    Raises Refusal for a rule of the army lists themselves, for one waived already and without a
    reason; NotFound, NotAllowed, Stale.
    """
    with organised_event(asked) as change:
        row = find_entry(change.event, entry)
        guideline = _waivable(change.event, code)
        why = clean_text("reason", " ".join(asked.reason.split()), REASON_MAX)
        change = change.with_reason(
            why, "Say why; the sheet prints it, and everybody reads it."
        )
        if Waiver.objects.filter(entry=row, code=code, revoked_at__isnull=True).exists():
            raise Refusal(
                f"“{_title(guideline)}” is waived for {row.name} already.", field="code"
            )
        Waiver.objects.create(
            entry=row, code=code, reason=why, author_id=asked.actor.user_id
        )
        words = f"Let “{_title(guideline)}” pass for {row.name}."
        _log_waiver(change, row, "waive", words)


def revoke_waiver(asked: ChangeRequest, entry: str, code: str) -> None:
    """Take a waiver back; it stays to be read.

    Raises Refusal where none holds, NotFound, NotAllowed, Stale.
    """
    with organised_event(asked) as change:
        row = find_entry(change.event, entry)
        guideline = _waivable(change.event, code)
        held = Waiver.objects.filter(entry=row, code=code, revoked_at__isnull=True)
        if not held.update(revoked_at=timezone.now()):
            raise Refusal(
                f"“{_title(guideline)}” is not waived for {row.name}.", field="code"
            )
        words = f"“{_title(guideline)}” counts for {row.name} again."
        _log_waiver(change, row, "revoke_waiver", words)


def _waivable(event: ClubEvent, code: str) -> Guideline:
    system = registry.system_of(event)
    found = next((one for one in guidelines_of(system) if one.code == code), None)
    if found is None:
        raise Refusal(f"{system.full_name} has no guideline {shown(code)}.", field="code")
    if not found.is_waivable:
        sentence = f"“{_title(found)}” is a rule of the army lists themselves and cannot be waived."
        raise Refusal(sentence, field="code")
    return found


def _title(guideline: Guideline) -> str:
    return guideline.title or guideline.code


def _log_waiver(change: LockedEvent, row: Entry, verb: str, words: str) -> None:
    recheck_lists(change.event, entry=row)
    change.write(verb, words, subject=row.token)
