"""The challenges of a campaign whose players seek their own opponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.utils import timezone

from campaigns.models import EventKind, FixtureStatus, PairingMethod
from campaigns.queries.fixtures import UNTOLD, load_fixture_records, load_round_records
from campaigns.queries.records import (
    Choices,
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
)
from engine.records import frozen_dataclass


@frozen_dataclass
class Challenge:
    """One that waits for an answer. ``may_answer`` and ``may_withdraw`` are the reader's."""

    fixture: str
    by: str
    to: str
    plays_at: datetime | None
    may_answer: bool
    may_withdraw: bool


@frozen_dataclass
class Challenges:
    """What a campaign's page shows of challenges.

    ``round_name`` "" where no round is open; ``next_round`` is then the number of the first one
    that may be opened, None where none is planned.
    ``others`` are (token, name) of those the reader could challenge now.
    """

    round_name: str
    waiting: tuple[Challenge, ...]
    others: Choices
    is_entered: bool
    next_round: int | None = None


def load_challenges(
    event: ClubEventRecord, entries: tuple[EntryRecord, ...]
) -> Challenges | None:
    """The challenges of a campaign; None for any other event, or one that pairs its players.

    Two queries.
    """
    played = load_fixture_records(event.id, timezone.now())
    return challenges_of(event, entries, load_round_records(event.id), played)


def challenges_of(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    rounds: Sequence[RoundRecord],
    played: Sequence[FixtureRecord],
) -> Challenges | None:
    """The challenges among an event's fixtures; None as for `load_challenges`."""
    if not _takes_challenges(event):
        return None
    published = [one for one in rounds if one.is_published]
    mine = next((one for one in entries if one.is_mine), None)
    if not published or event.is_over:
        return Challenges("", (), (), mine is not None, _next_planned(rounds))
    latest = published[-1]
    pairs = _untold(latest, played)
    return Challenges(
        round_name=latest.title,
        waiting=_waiting(event, entries, pairs, mine),
        others=_opponents(entries, mine, pairs),
        is_entered=mine is not None,
    )


def _takes_challenges(event: ClubEventRecord) -> bool:
    """Return whether the players of an event challenge each other."""
    is_campaign = event.kind == EventKind.CAMPAIGN
    return is_campaign and event.method == PairingMethod.CHALLENGE


def _next_planned(rounds: Sequence[RoundRecord]) -> int | None:
    """Return the number of the first round that may be opened."""
    return next((one.number for one in rounds if one.is_planned), None)


def _untold(latest: RoundRecord, played: Sequence[FixtureRecord]) -> list[FixtureRecord]:
    """Return the games of a round that have no result, challenges among them."""
    return [one for one in played if one.round_id == latest.id and one.status in UNTOLD]


def _waiting(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    pairs: Sequence[FixtureRecord],
    mine: EntryRecord | None,
) -> tuple[Challenge, ...]:
    """Return the challenges among these games that nobody has answered."""
    known = {one.id: one for one in entries}
    asked = (one for one in pairs if one.status == FixtureStatus.ASKED)
    return tuple(_challenge_record(event, one, known, mine) for one in asked)


def _opponents(
    entries: Sequence[EntryRecord], mine: EntryRecord | None, pairs: Sequence[FixtureRecord]
) -> Choices:
    """(token, name) of those who play on and wait for no game with the reader."""
    if mine is None or mine.is_dropped:
        return ()
    # Two who wait for a game play it before either challenges the other again.
    busy = {mine.id}
    for row in pairs:
        if mine.id in row.ids[:2]:
            busy |= set(row.ids[:2])
    return [
        (one.token, one.name) for one in entries if not (one.is_dropped or one.id in busy)
    ]


def _challenge_record(
    event: ClubEventRecord,
    row: FixtureRecord,
    known: Mapping[int, EntryRecord],
    mine: EntryRecord | None,
) -> Challenge:
    """Return a challenge as its reader sees it, with what they may do with it."""
    other = known.get(row.other_id or 0)
    # A guest has no account to answer with, so organisers answer for them.
    is_guest = other is not None and other.user_id is None
    mine_id = mine.id if mine else 0
    return Challenge(
        fixture=row.token,
        by=known[row.one_id].name,
        to=other.name if other else "",
        plays_at=row.plays_at,
        may_answer=row.other_id == mine_id or (is_guest and event.may_organise),
        may_withdraw=row.one_id == mine_id or event.may_organise,
    )
