"""Looking at lists again: what the event's levels and an entry's waivers make of what was found when they came in."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import F

from campaigns.handing import AgreedTerms, findings_from_json, load_terms
from campaigns.models import ClubEvent, Entry, ListLock, RoundStatus
from campaigns.operations.freezing import keep_snapshot
from campaigns.queries.careers import load_locked_sheet
from campaigns.queries.events.allowed import allowed_by_entry
from engine.findings import Allowance, judged
from warbands.sheet import with_findings


def recheck_lists(event: ClubEvent, *, entry: Entry | None = None) -> None:
    """Every list of the rounds that are not closed, or those of one entry: their totals, and what their sheets say.

    Called by whatever changes the event's levels or an entry's waivers, within its lock. What was brought stays.
    """
    rows = ListLock.objects.filter(round__event=event, snapshot__isnull=False).exclude(
        round__status=RoundStatus.CLOSED
    )
    mine = rows if entry is None else rows.filter(entry=entry)
    allowed = allowed_by_entry(event.pk)
    agreed: dict[int, AgreedTerms] = {}
    for lock in mine.select_related("snapshot", "round"):
        if lock.round_id not in agreed:
            agreed[lock.round_id] = load_terms(event, lock.round)
        _recheck_list(lock, agreed[lock.round_id], allowed.get(lock.entry_id, ()))


def _recheck_list(lock: ListLock, agreed: AgreedTerms, allowed: Iterable[Allowance]) -> None:
    snapshot = lock.snapshot
    sheet = load_locked_sheet(snapshot.sheet) if snapshot else None
    if snapshot is None or sheet is None:
        return
    told = judged(findings_from_json(lock.findings), agreed.scenario, agreed.policy(allowed))
    if told == sheet.findings:
        return
    again = with_findings(sheet, told)
    kept = keep_snapshot(
        snapshot.document, again, warband_id=snapshot.warband_id, version=snapshot.version
    )
    ListLock.objects.filter(pk=lock.pk).update(
        snapshot=kept, errors=again.errors, warnings=again.warnings, version=F("version") + 1
    )
