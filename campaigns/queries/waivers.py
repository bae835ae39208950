"""Waivers of an entry: which hold, what they lower, and what others could."""

from collections.abc import Mapping
from datetime import datetime

from campaigns.list_checks import findings_from_json, load_terms
from campaigns.models import ListLock, RoundStatus, Waiver
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.findings.policy import Allowance, guidelines_of, judged
from engine.records import copy_fields, frozen_dataclass, grouped
from engine.types.mechanics import Level


def allowed_by_entry(event_id: int) -> Mapping[int, list[Allowance]]:
    """The waivers that hold, by entry. One query."""
    rows = Waiver.objects.filter(
        entry__event=event_id, revoked_at__isnull=True
    ).select_related("author")
    return grouped((row.entry_id, allowance_of(row)) for row in rows.order_by("pk"))


def allowance_of(row: Waiver) -> Allowance:
    """A waiver as findings tell it; its author is at hand."""
    return Allowance(
        row.code, row.author.display_name if row.author else "An organiser", row.reason
    )


@frozen_dataclass
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


@frozen_dataclass
class Effect:
    """A finding of one of the entry's lists that can be waived, at the level it has without a
    waiver.
    """

    code: str
    title: str
    round_name: str
    level: Level
    message: str


def load_waivers(event: ClubEventRecord, entry: EntryRecord) -> tuple[WaiverRow, ...]:
    """Every waiver of an entry, those taken back among them, the latest first. One query."""
    titles = {one.code: one.title for one in guidelines_of(event.load_system())}
    found = []
    for row in (
        Waiver.objects.filter(entry=entry.id).select_related("author").order_by("-pk")
    ):
        title = titles.get(row.code, row.code)
        found.append(copy_fields(WaiverRow, row, title=title, by=allowance_of(row).who))
    return tuple(found)


def load_effects(event: ClubEventRecord, entry: EntryRecord) -> tuple[Effect, ...]:
    """What a waiver would lower in the lists of rounds that are not closed, or does. One query."""
    # A closed round keeps the findings it was played with.
    rows = ListLock.objects.filter(entry=entry.id, snapshot__isnull=False).exclude(
        round__status=RoundStatus.CLOSED
    )
    found: list[Effect] = []
    for lock in rows.select_related("round").order_by("round__number"):
        agreed, name = load_terms(event, lock.round), str(lock.round)
        findings = judged(
            findings_from_json(lock.findings), agreed.scenario, agreed.policy()
        )
        # A note speaks against no list, so there is nothing to waive.
        held = [one for one in findings if one.is_waivable and not one.waived_by]
        found += [
            copy_fields(Effect, one, round_name=name) for one in held if one.level != "note"
        ]
    return tuple(found)
