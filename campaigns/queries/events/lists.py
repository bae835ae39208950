"""Lists of events: one query each, never a count of the whole table."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.access import ORGANISING, is_club_member
from accounts.owner import Owner
from campaigns import event_access
from campaigns.models import (
    ClubEvent,
    Entry,
    EntryStatus,
    EventKind,
    EventStatus,
    EventVisibility,
    Round,
    RoundStatus,
)
from campaigns.queries.events.loading import with_reader
from campaigns.queries.events.records import EventPage, EventRow
from warbands.queries import system_name

PER_PAGE = 20
PAGES_MAX = 100
NEWEST = ("-updated_at", "-id")


def events_of(
    actor: Owner, *, archived: bool = False, page: int = 1, per_page: int = PER_PAGE
) -> EventPage:
    """The events this person is in or runs, the last changed first; or those of the archive. One query."""
    mine = event_access.entered_by(actor) | event_access.organised_by(actor)
    rows = ClubEvent.objects.filter(mine, archived_at__isnull=not archived)
    return _page(actor, rows, page, per_page)


def club_events(
    actor: Owner,
    club_id: int,
    *,
    archived: bool = False,
    is_member: bool | None = None,
    page: int = 1,
    per_page: int = PER_PAGE,
) -> EventPage:
    """A club's events: for its members all, for others the public ones. Two queries.

    ``is_member`` is what the caller knows already and saves a query.
    """
    rows = ClubEvent.objects.filter(club_id=club_id, archived_at__isnull=not archived)
    if is_member is None:
        is_member = is_club_member(actor, club_id)
    if not is_member:
        rows = rows.filter(visibility=EventVisibility.PUBLIC)
    return _page(actor, rows, page, per_page)


def events_of_own_clubs(actor: Owner, *, page: int = 1, per_page: int = PER_PAGE) -> EventPage:
    """The events of all clubs this person belongs to, the last changed first. One query."""
    rows = ClubEvent.objects.filter(event_access.of_clubs_of(actor), archived_at=None)
    return _page(actor, rows, page, per_page)


def public_events(actor: Owner, *, page: int = 1, per_page: int = PER_PAGE) -> EventPage:
    """The events everybody may find. One query."""
    rows = ClubEvent.objects.filter(visibility=EventVisibility.PUBLIC, archived_at=None)
    return _page(actor, rows, page, per_page)


def _page(actor: Owner, rows: QuerySet[ClubEvent], page: int, per_page: int) -> EventPage:
    number = min(max(page, 1), PAGES_MAX)
    start = (number - 1) * per_page
    asked = _counted(with_reader(rows, actor)).select_related("club").order_by(*NEWEST)
    found = list(asked[start : start + per_page + 1])
    return EventPage(
        tuple(_event_row(row) for row in found[:per_page]),
        number,
        per_page,
        len(found) > per_page and number < PAGES_MAX,
    )


def _counted(rows: QuerySet[Any]) -> QuerySet[Any]:
    """With how many play, and the latest round that is published."""
    playing = (
        Entry.objects.filter(event=OuterRef("pk"), status=EntryStatus.ACTIVE)
        .order_by()
        .values("event")
    )
    shown = Q(status__in=[RoundStatus.PUBLISHED, RoundStatus.CLOSED])
    rounds = Round.objects.filter(shown, event=OuterRef("pk")).order_by().values("event")
    counted: QuerySet[Any] = rows.annotate(
        playing=_number(playing.annotate(figure=Count("pk"))),
        latest=_number(rounds.annotate(figure=Max("number"))),
    )
    return counted


def _number(rows: QuerySet[Any, Any]) -> Coalesce:
    return Coalesce(Subquery(rows.values("figure")), 0, output_field=IntegerField())


def _event_row(row: Any) -> EventRow:
    return EventRow(
        token=row.token,
        name=row.name,
        kind=row.kind,
        kind_name=str(EventKind(row.kind).label),
        status=row.status,
        status_name=str(EventStatus(row.status).label),
        club_name=row.club.name,
        club_slug=row.club.slug,
        system_name=system_name(row.system, row.variant),
        points_limit=row.points_limit,
        visibility=row.visibility,
        entries=row.playing,
        round=row.latest,
        rounds_planned=row.rounds_planned,
        is_archived=row.archived_at is not None,
        is_mine=row.my_entry is not None,
        may_organise=row.my_role in ORGANISING,
        updated_at=row.updated_at,
    )
