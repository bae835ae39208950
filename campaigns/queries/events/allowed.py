"""What an event's organisers let pass, and what an entry brought to earlier rounds: how a list is judged by rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from campaigns.handing import PreviousList
from campaigns.models import CareerStep, ListLock, Waiver
from campaigns.queries.careers import load_locked_sheet
from engine.findings import Allowance


def allowed_by_entry(event_id: int) -> Mapping[int, list[Allowance]]:
    """The waivers that hold, by entry. One query."""
    found: dict[int, list[Allowance]] = {}
    rows = Waiver.objects.filter(entry__event=event_id, revoked_at__isnull=True).select_related(
        "author"
    )
    for row in rows.order_by("pk"):
        found.setdefault(row.entry_id, []).append(allowance_of(row))
    return found


def allowance_of(row: Waiver) -> Allowance:
    """A waiver as findings tell it; its author is at hand."""
    return Allowance(
        row.code, row.author.display_name if row.author else "An organiser", row.reason
    )


def lists_of(entry_id: int) -> list[ListLock]:
    """The lists of an entry, the first round first, those only unlocked among them. One query."""
    rows = ListLock.objects.filter(entry=entry_id).select_related("snapshot", "round")
    return list(rows.order_by("round__number"))


def list_before(locks: Sequence[ListLock], number: int) -> PreviousList | None:
    """The last list before a round, with those the entry lost for good since. One query, none without a list."""
    earlier = [lock for lock in locks if lock.round.number < number and lock.snapshot is not None]
    snapshot = earlier[-1].snapshot if earlier else None
    sheet = load_locked_sheet(snapshot.sheet) if snapshot else None
    return PreviousList(sheet, _lost(earlier[-1].entry_id)) if sheet else None


def _lost(entry_id: int) -> dict[int, int]:
    """How many of each entry of the warband a battle's fate took."""
    lost: dict[int, int] = {}
    rows = CareerStep.objects.filter(
        entry=entry_id, warrior_id__isnull=False, revoked_at__isnull=True
    )
    for warrior_id, what in rows.values_list("warrior_id", "what"):
        if warrior_id is not None and what.get("is_gone"):
            lost[warrior_id] = lost.get(warrior_id, 0) + 1
    return lost
