"""What somebody plays next, in all of their events. One query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.owner import Owner
from campaigns.models import Entry, EntryStatus, Fixture, FixtureStatus, ListLock, RoundStatus
from campaigns.queries.records import FixtureRecord, RoundRecord, round_of
from campaigns.queries.results import fixture_of
from warbands.queries.lists import army_name
from warbands.queries.records import NO_NAME

NEXT_MOST = 5


@dataclass(frozen=True, slots=True)
class NextSide:
    """Who plays, and what they mean to bring; of a secret list nothing but that there is one."""

    name: str
    entry_id: int
    entry: str
    warband: str
    warband_name: str
    army_name: str
    points: int | None
    is_secret: bool


@dataclass(frozen=True, slots=True)
class UpcomingFixture:
    """A fixture of a published round that this person has still to play.

    ``mine`` is their own side, ``others`` whom they meet.
    """

    event: str
    event_name: str
    rounds_planned: int
    place: str
    needs_list: bool
    points_limit: int | None
    round: RoundRecord
    record: FixtureRecord
    has_list: bool
    mine: NextSide
    others: tuple[NextSide, ...]

    @property
    def starts_at(self) -> datetime | None:
        """Its own moment or else its round's; None is not agreed yet."""
        return self.record.plays_at or self.round.starts_at

    @property
    def against(self) -> str:
        """Whom they meet, in words."""
        return " and ".join(side.name for side in self.others)

    @property
    def wants_list(self) -> bool:
        return self.needs_list and not self.has_list


def load_upcoming_fixtures(actor: Owner) -> tuple[UpcomingFixture, ...]:
    """What this person plays next, the soonest first, what has no date after it; at most five.

    One query.
    """
    if actor.user_id is None:
        return ()
    rows = _open_fixtures_of(actor.user_id).select_related(
        "round__event", "battle", "one__warband", "other__warband", "third__warband"
    )
    soonest = F("moment").asc(nulls_last=True)
    return tuple(
        _upcoming_fixture(actor, row)
        for row in rows.order_by(soonest, "round__number", "pk")[:NEXT_MOST]
    )


def _open_fixtures_of(user_id: int) -> QuerySet[Fixture]:
    """The open fixtures of those who play on, with their ``moment`` and whether a list was handed
    in.
    """
    mine = Entry.objects.filter(user_id=user_id, status=EntryStatus.ACTIVE).values("pk")
    lists = ListLock.objects.filter(
        round=OuterRef("round"), entry__user_id=user_id, snapshot__isnull=False
    )
    rows = Fixture.objects.filter(
        Q(one__in=mine) | Q(other__in=mine) | Q(third__in=mine),
        status=FixtureStatus.OPEN,
        other__isnull=False,
        round__status=RoundStatus.PUBLISHED,
        round__event__archived_at=None,
    )
    return rows.annotate(moment=Coalesce("plays_at", "round__starts_at"), has_list=Exists(lists))


def _upcoming_fixture(actor: Owner, row: Fixture) -> UpcomingFixture:
    event, round_row = row.round.event, row.round
    is_hidden = event.needs_list and event.is_secret and round_row.lists_published_at is None
    own = next(entry for entry in row.sides if entry.user_id == actor.user_id)
    limit = round_row.points_limit
    return UpcomingFixture(
        event=event.token,
        event_name=event.name,
        rounds_planned=event.rounds_planned,
        place=event.place,
        needs_list=event.needs_list,
        points_limit=event.points_limit if limit is None else limit,
        round=round_of(round_row),
        record=fixture_of(row, timezone.now()),
        has_list=row.has_list,  # type: ignore[attr-defined]
        mine=_side(own, is_secret=False),
        others=tuple(_side(entry, is_secret=is_hidden) for entry in row.sides if entry is not own),
    )


def _side(entry: Entry, *, is_secret: bool) -> NextSide:
    warband = None if is_secret else entry.warband
    return NextSide(
        name=entry.name,
        entry_id=entry.pk,
        entry=entry.token,
        warband=warband.token if warband else "",
        warband_name=(warband.name or NO_NAME) if warband else "",
        army_name=army_name(warband.system, warband.army) if warband else "",
        points=warband.points if warband else None,
        is_secret=is_secret,
    )
