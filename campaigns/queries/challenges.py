"""Challenges of a campaign: those that wait, and whom the reader could challenge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from campaigns.models import EventKind, Fixture, FixtureStatus, PairingMethod, Round, RoundStatus
from campaigns.queries.records import ClubEventRecord, EntryRecord


@dataclass(frozen=True, slots=True)
class Challenge:
    """One that waits for an answer. ``may_answer`` and ``may_withdraw`` are the reader's."""

    fixture: str
    by: str
    to: str
    plays_at: datetime | None
    may_answer: bool
    may_withdraw: bool


@dataclass(frozen=True, slots=True)
class Challenges:
    """What a campaign's page shows of challenges. ``round_name`` "" where no round is open.

    ``others`` are (token, name) of those the reader could challenge now.
    """

    round_name: str
    waiting: tuple[Challenge, ...]
    others: tuple[tuple[str, str], ...]
    is_entered: bool


def load_challenges(event: ClubEventRecord, entries: tuple[EntryRecord, ...]) -> Challenges | None:
    """The challenges of a campaign; None for any other event, or one that pairs its players.

    Two queries at most.
    """
    if event.kind != EventKind.CAMPAIGN or event.method != PairingMethod.CHALLENGE:
        return None
    round_row = (
        Round.objects.filter(event_id=event.id, status=RoundStatus.PUBLISHED)
        .order_by("-number")
        .first()
    )
    mine = next((one for one in entries if one.is_mine), None)
    if round_row is None or event.is_finished or event.is_archived:
        return Challenges("", (), (), mine is not None)
    rows = Fixture.objects.filter(
        round=round_row, status__in=[FixtureStatus.ASKED, FixtureStatus.OPEN]
    )
    pairs = list(rows.select_related("one", "other").order_by("position"))
    return Challenges(
        round_name=str(round_row),
        waiting=_waiting(event, pairs, mine),
        others=_opponents(entries, mine, pairs),
        is_entered=mine is not None,
    )


def _waiting(
    event: ClubEventRecord, pairs: Sequence[Fixture], mine: EntryRecord | None
) -> tuple[Challenge, ...]:
    asked = [row for row in pairs if row.status == FixtureStatus.ASKED]
    return tuple(_challenge_record(event, row, mine) for row in asked)


def _opponents(
    entries: Sequence[EntryRecord], mine: EntryRecord | None, pairs: Sequence[Fixture]
) -> tuple[tuple[str, str], ...]:
    """(token, name) of those who play on and wait for no game with the reader."""
    if mine is None or mine.is_dropped:
        return ()
    busy = {mine.id}
    for row in pairs:
        if mine.id in row.side_ids[:2]:
            busy |= set(row.side_ids[:2])
    return tuple((one.token, one.name) for one in entries if not (one.is_dropped or one.id in busy))


def _challenge_record(event: ClubEventRecord, row: Fixture, mine: EntryRecord | None) -> Challenge:
    is_guest = row.other is not None and row.other.user_id is None
    return Challenge(
        fixture=row.token,
        by=row.one.name,
        to=row.other.name if row.other else "",
        plays_at=row.plays_at,
        may_answer=(mine is not None and row.other_id == mine.id)
        or (is_guest and event.may_organise),
        may_withdraw=(mine is not None and row.one_id == mine.id) or event.may_organise,
    )
