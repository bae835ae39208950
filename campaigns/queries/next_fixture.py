"""What somebody plays next, in all of their events. One query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from accounts.owner import Owner
from campaigns.models import Entry, EntryStatus, Fixture, FixtureStatus, ListLock, RoundStatus
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

    ``starts_at`` None is not agreed yet.

    ``mine`` is their own side, ``others`` whom they meet. ``lists_due_at`` None is without a
    deadline.
    """

    event: str
    event_name: str
    round: int
    round_name: str
    rounds_planned: int
    place: str
    token: str
    table: int | None
    scenario_name: str
    starts_at: datetime | None
    needs_list: bool
    has_list: bool
    lists_due_at: datetime | None
    points_limit: int | None
    mine: NextSide
    others: tuple[NextSide, ...]

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
        "round", "round__event", "one__warband", "other__warband", "third__warband"
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
    entries = [entry for entry in (row.one, row.other, row.third) if entry is not None]
    own = next(entry for entry in entries if entry.user_id == actor.user_id)
    return UpcomingFixture(
        event=event.token,
        event_name=event.name,
        round=round_row.number,
        round_name=str(round_row),
        rounds_planned=event.rounds_planned,
        place=event.place,
        token=row.token,
        table=row.table,
        scenario_name=row.scenario_name,
        starts_at=row.moment,  # type: ignore[attr-defined]
        needs_list=event.needs_list,
        has_list=row.has_list,  # type: ignore[attr-defined]
        lists_due_at=round_row.lists_due_at,
        points_limit=event.points_limit
        if round_row.points_limit is None
        else round_row.points_limit,
        mine=_side(own, is_secret=False),
        others=tuple(_side(entry, is_secret=is_hidden) for entry in entries if entry.pk != own.pk),
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
