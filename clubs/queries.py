"""A club's page: what it says, when it meets next, what its members bring and have fought.

Seven queries at most.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Min
from django.utils import timezone

from accounts.owner import Owner
from accounts.queries import ClubMember, ClubRecord, load_club, load_members
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


DatedEvent = tuple[EventRow, datetime | None]
"""An event with the next day it is played on, None where none is set."""


@frozen_dataclass
class ClubPage:
    """What somebody sees of a club. ``members`` are the first of them, none for those outside."""

    club: ClubRecord
    events: tuple[DatedEvent, ...]
    has_more_events: bool
    battles: tuple[BattleRow, ...]
    members: tuple[ClubMember, ...]
    warbands: WarbandPage | None


def load_club_page(
    actor: Owner, slug: str, wanted: WarbandFilter | None
) -> ClubPage | None:
    """Return the page of a club, None for those who may not see it.

    Without a filter its warbands are left out.
    """
    club = load_club(actor, slug)
    if club is None:
        return None
    is_member = club.is_member
    # One page of events, the last changed first, is enough to choose those shown.
    page = club_events(actor, club.id, is_member=is_member)
    events = _order_events(page.rows, club.id) if page.rows else []
    battles = club_battles(actor, club.id, is_member=is_member, per_page=BATTLES_SHOWN)
    members = load_members(actor, club.id, per_page=MEMBERS_SHOWN).rows if is_member else ()
    warbands = None
    if wanted is not None:
        warbands = club_warbands(club.id, wanted, is_member=is_member)
    return ClubPage(
        club,
        tuple(events[:EVENTS_SHOWN]),
        page.has_more or len(events) > EVENTS_SHOWN,
        battles.rows,
        members,
        warbands,
    )


def _order_events(rows: Sequence[EventRow], club_id: int) -> list[DatedEvent]:
    """Return events with a coming day first, the soonest at the top, then the others.

    Finished events come last. A day is that of the next round, today's still among them. One query.
    """
    today = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    rounds = Round.objects.filter(
        event__club_id=club_id, event__archived_at=None, starts_at__gte=today
    )
    starts = rounds.order_by().values_list("event__token").annotate(at=Min("starts_at"))
    dates: dict[str, datetime] = dict(starts)
    dated = [(row, dates[row.token]) for row in rows if row.token in dates]
    others = [(row, None) for row in rows if row.token not in dates]
    dated.sort(key=lambda event: (event[1], event[0].name))
    others.sort(key=lambda event: event[0].status == EventStatus.FINISHED)
    return [*dated, *others]
