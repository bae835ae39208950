"""Lists of events: one query each, never a count of the whole table."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.access import ORGANISING, is_club_member
from accounts.models import Membership
from accounts.owner import Owner
from battles.replay import is_token
from campaigns import access
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
from campaigns.queries.records import ClubEventRecord, EntryRecord, EventPage, EventRow
from engine.tournament.types import Scoring
from warbands.access import may_change
from warbands.models import Warband, WarbandVisibility
from warbands.queries.lists import army_name, system_name
from warbands.queries.records import NO_NAME

_OPENED = (WarbandVisibility.LINK, WarbandVisibility.PUBLIC)


def load_event(actor: Owner, token: str) -> ClubEventRecord | None:
    """The event, or None where there is none or the actor may not read it (both are a 404).

    One query.
    """
    row = _readable_row(actor, token)
    if row is None or not (row.visibility in access.OPENED or row.my_role or row.my_entry):
        return None
    return record_of(row)


def load_event_unchecked(actor: Owner, token: str) -> ClubEventRecord | None:
    """The event for somebody who has shown a key to it, whatever else they may read; None where
    there is none.
    """
    row = _readable_row(actor, token)
    return None if row is None else record_of(row)


def _readable_row(actor: Owner, token: str) -> Any:
    rows = with_reader(ClubEvent.objects.filter(token=token), actor)
    return rows.select_related("club").order_by().first() if is_token(token) else None


def with_reader(rows: QuerySet[ClubEvent], actor: Owner) -> QuerySet[Any]:
    """The rows with ``my_role`` in the club, ``my_entry`` (its token) and ``my_status``; None
    without an account.
    """
    role = Membership.objects.filter(club=OuterRef("club"))
    entry = Entry.objects.filter(event=OuterRef("pk"))
    if actor.user_id is None:
        role, entry = role.none(), entry.none()
    else:
        role, entry = role.filter(user_id=actor.user_id), entry.filter(user_id=actor.user_id)
    return rows.annotate(
        my_role=Subquery(role.values("role")[:1]),
        my_entry=Subquery(entry.values("token")[:1]),
        my_status=Subquery(entry.values("status")[:1]),
    )


def load_entries(actor: Owner, event: ClubEventRecord) -> tuple[EntryRecord, ...]:
    """Everybody in it in the order they entered, those who dropped out among them. One query."""
    rows = Entry.objects.filter(event_id=event.id).select_related("warband").order_by("id")
    return tuple(entry_of(actor, event, row) for row in rows)


def load_entry(actor: Owner, event: ClubEventRecord, token: str) -> EntryRecord | None:
    """One of them by its token, or None. One query."""
    rows = Entry.objects.filter(event_id=event.id, token=token).select_related("warband")
    row = rows.first() if is_token(token) else None
    return entry_of(actor, event, row) if row else None


def entry_of(actor: Owner, event: ClubEventRecord, row: Entry) -> EntryRecord:
    """The record of a row whose warband is at hand.

    What it brings is named; the link is for who may open it.
    """
    warband = row.warband
    is_open = warband is not None and _may_open(actor, event, warband)
    return EntryRecord(
        id=row.pk,
        token=row.token,
        name=row.name,
        user_id=row.user_id,
        status=row.status,
        joined=row.joined,
        dropped=row.dropped,
        play_off=row.play_off,
        warband=warband.token if warband and is_open else "",
        warband_name=(warband.name or NO_NAME) if warband else "",
        army_name=army_name(warband.system, warband.army) if warband else "",
        is_mine=actor.user_id is not None and row.user_id == actor.user_id,
    )


def _may_open(actor: Owner, event: ClubEventRecord, warband: Warband) -> bool:
    if may_change(actor, warband):
        return True
    if warband.visibility == WarbandVisibility.CLUB:
        return event.is_member and warband.club_id == event.club_id
    return warband.owner_id is not None and warband.visibility in _OPENED


def record_of(row: Any) -> ClubEventRecord:
    """The record of a row of ``with_reader`` whose club is at hand."""
    return ClubEventRecord(
        id=row.pk,
        token=row.token,
        club_id=row.club_id,
        club_name=row.club.name,
        club_slug=row.club.slug,
        name=row.name,
        description=row.description,
        place=row.place,
        kind=row.kind,
        method=row.method,
        legs=row.legs,
        rounds_planned=row.rounds_planned,
        odd=row.odd,
        tables=row.tables,
        visibility=row.visibility,
        status=row.status,
        system=row.system,
        variant=row.variant,
        points_limit=row.points_limit,
        house_rules=row.house_rules,
        scenarios=tuple(row.scenarios),
        levels=row.levels,
        needs_list=row.needs_list,
        is_secret=row.is_secret,
        has_core=row.has_core,
        steps=row.steps,
        scoring=scoring_of(row),
        tie_breaks=tuple(row.tie_breaks),
        confirm_days=row.confirm_days,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
        is_archived=row.archived_at is not None,
        is_member=row.my_role is not None,
        may_organise=row.my_role in ORGANISING,
        mine=row.my_entry or "",
        is_playing=row.my_status == EntryStatus.ACTIVE,
    )


def scoring_of(row: ClubEvent) -> Scoring:
    """What each result is worth in an event."""
    return Scoring(
        win=row.points_win,
        draw=row.points_draw,
        loss=row.points_loss,
        bye=row.points_bye,
        unplayed=row.points_unplayed,
    )


PER_PAGE = 20
PAGES_MAX = 100
NEWEST = ("-updated_at", "-id")


def events_of(
    actor: Owner, *, archived: bool = False, page: int = 1, per_page: int = PER_PAGE
) -> EventPage:
    """The events this person is in or runs, the last changed first; or those of the archive.

    One query.
    """
    mine = access.entered_by(actor) | access.organised_by(actor)
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
    rows = ClubEvent.objects.filter(access.of_clubs_of(actor), archived_at=None)
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
