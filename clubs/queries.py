"""A club's page: what it says, when it meets next, what its members bring and have fought.

Seven queries at most.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime, time

from django.db.models import Min
from django.utils import timezone

from accounts.owner import Owner
from accounts.queries.clubs import ClubMember, ClubRecord, load_club, load_members
from battles.queries.index import BattleRow, club_battles
from campaigns.models import EventStatus, Round
from campaigns.queries.events import club_events
from campaigns.queries.records import EventRow
from engine.records import frozen_dataclass
from warbands.queries.lists import WarbandFilter, club_warbands
from warbands.queries.records import WarbandPage

EVENTS_SHOWN = 8
BATTLES_SHOWN = 5
MEMBERS_SHOWN = 10
WARBANDS_PER_PAGE = 20


@frozen_dataclass
class DatedEvent:
    """A league, club night or campaign with the next day it is played on, where one is set."""

    row: EventRow
    next_at: datetime | None


@frozen_dataclass
class ClubPage:
    """What somebody sees of a club. ``members`` are the first of them, none for those outside."""

    club: ClubRecord
    events: tuple[DatedEvent, ...] = ()
    has_more_events: bool = False
    battles: tuple[BattleRow, ...] = ()
    members: tuple[ClubMember, ...] = ()
    warbands: WarbandPage | None = field(default=None)


def load_club_page(actor: Owner, slug: str, asked: WarbandFilter | None) -> ClubPage | None:
    """Return the page of a club, None for those who may not see it.

    Without ``asked`` its warbands are left out.
    """
    club = load_club(actor, slug)
    if club is None:
        return None
    events, has_more = _events(actor, club)
    return ClubPage(
        club=club,
        events=events,
        has_more_events=has_more,
        battles=club_battles(
            actor, club.id, is_member=club.is_member, per_page=BATTLES_SHOWN
        ).rows,
        members=load_members(actor, club.id, per_page=MEMBERS_SHOWN).rows
        if club.is_member
        else (),
        warbands=None
        if asked is None
        else club_warbands(actor, club.id, asked, is_member=club.is_member),
    )


def _events(actor: Owner, club: ClubRecord) -> tuple[tuple[DatedEvent, ...], bool]:
    """Return events with a coming day first, the soonest at the top, then the others.

    Finished events come last. The second value says whether there are more than are shown.
    """
    # One page of events, the last changed first, is enough to choose those shown.
    page = club_events(actor, club.id, is_member=club.is_member)
    dates = _next_dates(club.id) if page.rows else {}
    dated = [DatedEvent(row, dates.get(row.token)) for row in page.rows]
    soonest = sorted(
        (one for one in dated if one.next_at), key=lambda one: (one.next_at, one.row.name)
    )
    others = sorted(
        (one for one in dated if not one.next_at),
        key=lambda one: one.row.status == EventStatus.FINISHED,
    )
    found = (*soonest, *others)
    return found[:EVENTS_SHOWN], page.has_more or len(found) > EVENTS_SHOWN


def _next_dates(club_id: int) -> Mapping[str, datetime]:
    """Token of an event to the start of its next round, today's still among them. One query."""
    now = timezone.localtime()
    today = timezone.make_aware(datetime.combine(now.date(), time.min))
    rounds = Round.objects.filter(
        event__club_id=club_id, event__archived_at=None, starts_at__gte=today
    )
    found = rounds.order_by().values_list("event__token").annotate(at=Min("starts_at"))
    return dict(found)
