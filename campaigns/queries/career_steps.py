"""What older campaigns wrote down after their battles: injuries, income and recruits.

Nothing is added to it any more. Campaigns whose warbands grow keep a log of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from accounts.pagination import RowsPage, load_page
from campaigns.models import CareerStep, StepKind
from campaigns.queries.fixtures import load_fixture_records
from campaigns.queries.records import ClubEventRecord, EntryRecord, FixtureRecord
from engine.records import Texts, copy_fields, frozen_dataclass

STEPS_PER_PAGE = 100


@frozen_dataclass
class StepRow:
    """One step as it was taken.

    ``revoked`` is why it counts no more; ``is_stale``: its result says otherwise now.
    """

    id: int
    kind: str
    kind_name: str
    words: str
    amount: int
    fixture: str
    round: int
    by: str
    at: datetime
    is_revoked: bool
    revoked: str
    is_stale: bool


@frozen_dataclass
class StepLedger:
    """The steps of an entry, the latest first, and what they come to."""

    rows: tuple[StepRow, ...]
    unit: str
    total: int
    gone: Texts


def load_steps(
    event: ClubEventRecord, *, page: int = 1, per_page: int = STEPS_PER_PAGE
) -> RowsPage[StepRow]:
    """The steps of all entries of an event, the latest first. Two queries."""
    played = load_fixture_records(event.id, timezone.now())
    by_token = {one.token: one for one in played}
    rows = _steps().filter(entry__event_id=event.id)
    if event.hides_lists:
        rows = rows.filter(entry__token=event.mine)
    return load_page(rows, lambda row: _row(row, by_token), page=page, per_page=per_page)


def load_ledger(
    entry: EntryRecord, played: Sequence[FixtureRecord], *, is_hidden: bool
) -> StepLedger:
    """The steps of an entry, ``played`` being its fixtures; none if hidden. One query."""
    by_token = {one.token: one for one in played}
    taken = [] if is_hidden else list(_steps().filter(entry=entry.id))
    # A step that was taken back stays to be read, and counts for nothing.
    held = [row for row in taken if row.revoked_at is None]
    return StepLedger(
        rows=tuple(_row(row, by_token) for row in taken),
        unit=_unit(taken),
        total=sum(row.amount for row in held if row.kind == StepKind.PAY),
        gone=tuple(row.what.get("who", "") for row in held if row.what.get("is_gone")),
    )


def _unit(taken: Sequence[CareerStep]) -> str:
    """Return what the first payment was made in, or ""."""
    units = (row.what.get("unit", "") for row in taken if row.kind == StepKind.PAY)
    return next(units, "")


def _steps() -> QuerySet[CareerStep]:
    return CareerStep.objects.select_related("author", "fixture").order_by("-pk")


def _row(row: CareerStep, by_token: Mapping[str, FixtureRecord]) -> StepRow:
    """Return a step as a page shows it."""
    one = by_token.get(row.fixture.token if row.fixture else "")
    is_revoked = row.revoked_at is not None
    return copy_fields(
        StepRow,
        row,
        kind_name=StepKind(row.kind).label if row.kind in StepKind else row.kind,
        words=row.what.get("words", ""),
        fixture=one.token if one else "",
        round=one.round_number if one else 0,
        by=row.author.display_name if row.author else "",
        is_revoked=is_revoked,
        revoked=row.what.get("revoked", ""),
        is_stale=one is not None and not is_revoked and _is_other(one, row),
    )


def _is_other(one: FixtureRecord, row: CareerStep) -> bool:
    """Whether the result does not stand, or is another one than was paid for."""
    paid_for = row.what.get("result") if row.kind == StepKind.PAY else None
    return not one.is_final or (bool(paid_for) and one.result_of(row.entry_id) != paid_for)
