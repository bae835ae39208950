"""Challenges of a campaign: those that wait, and whom the reader could challenge."""

from __future__ import annotations

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
    busy = {
        pk
        for row in pairs
        if mine and mine.id in (row.one_id, row.other_id)
        for pk in (row.one_id, row.other_id)
    }
    free = [
        one
        for one in entries
        if mine and one.id != mine.id and one.id not in busy and not one.is_dropped
    ]
    is_playing = mine is not None and not mine.is_dropped
    return Challenges(
        round_name=str(round_row),
        waiting=tuple(
            _challenge_record(event, row, mine)
            for row in pairs
            if row.status == FixtureStatus.ASKED
        ),
        others=tuple((one.token, one.name) for one in free) if is_playing else (),
        is_entered=mine is not None,
    )


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
