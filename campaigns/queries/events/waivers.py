"""The waivers of an entry, and what each guideline does in its lists: what giving one or taking it back would move."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from campaigns.handing import findings_from_json, load_terms
from campaigns.models import ListLock, RoundStatus, Waiver
from campaigns.queries.events.allowed import allowance_of
from campaigns.queries.events.records import ClubEventRecord, EntryRecord
from engine.findings import judged
from engine.findings.core import guidelines_of
from engine.types import Level


@dataclass(frozen=True, slots=True)
class WaiverRow:
    """A waiver with the guideline's title; ``holds`` until it is taken back."""

    code: str
    title: str
    reason: str
    by: str
    at: datetime
    revoked_at: datetime | None

    @property
    def holds(self) -> bool:
        return self.revoked_at is None


@dataclass(frozen=True, slots=True)
class Effect:
    """A finding of one of the entry's lists that can be waived, at the level it has without a waiver."""

    code: str
    title: str
    round_name: str
    level: Level
    message: str


def load_waivers(event: ClubEventRecord, entry: EntryRecord) -> tuple[WaiverRow, ...]:
    """Every waiver of an entry, those taken back among them, the latest first. One query."""
    titles = {one.code: one.title or one.code for one in guidelines_of(event.load_system())}
    found = []
    for row in Waiver.objects.filter(entry=entry.id).select_related("author").order_by("-pk"):
        title, by = titles.get(row.code, row.code), allowance_of(row).who
        found.append(WaiverRow(row.code, title, row.reason, by, row.at, row.revoked_at))
    return tuple(found)


def load_effects(event: ClubEventRecord, entry: EntryRecord) -> tuple[Effect, ...]:
    """What a waiver would lower in the lists of rounds that are not closed, or does. One query."""
    rows = ListLock.objects.filter(entry=entry.id, snapshot__isnull=False).exclude(
        round__status=RoundStatus.CLOSED
    )
    found = []
    for lock in rows.select_related("round").order_by("round__number"):
        agreed = load_terms(event, lock.round)
        for one in judged(findings_from_json(lock.findings), agreed.scenario, agreed.policy()):
            if one.is_waivable and not one.waived_by and one.level != "note":
                found.append(Effect(one.code, one.title, str(lock.round), one.level, one.message))
    return tuple(found)
