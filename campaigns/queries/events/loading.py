"""One event as a reader may see it, and who is in it. One query each."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from accounts.access import ORGANISING
from accounts.models import Membership
from accounts.owner import Owner
from campaigns import event_access
from campaigns.models import ClubEvent, Entry, EntryStatus
from campaigns.queries.events.records import ClubEventRecord, EntryRecord
from campaigns.queries.rows import is_token
from engine.events.scores import Scoring
from warbands.access import may_change
from warbands.models import WarbandVisibility
from warbands.queries import army_name
from warbands.queries.records import NO_NAME

_OPENED = (WarbandVisibility.LINK, WarbandVisibility.PUBLIC)


def load_event(actor: Owner, token: str) -> ClubEventRecord | None:
    """The event, or None where there is none or the actor may not read it (both are a 404). One query."""
    row = _readable_row(actor, token)
    if row is None or not (row.visibility in event_access.OPENED or row.my_role or row.my_entry):
        return None
    return record_of(row)


def load_event_unchecked(actor: Owner, token: str) -> ClubEventRecord | None:
    """The event for somebody who has shown a key to it, whatever else they may read; None where there is none."""
    row = _readable_row(actor, token)
    return None if row is None else record_of(row)


def _readable_row(actor: Owner, token: str) -> Any:
    rows = with_reader(ClubEvent.objects.filter(token=token), actor)
    return rows.select_related("club").order_by().first() if is_token(token) else None


def with_reader(rows: QuerySet[ClubEvent], actor: Owner) -> QuerySet[Any]:
    """The rows with ``my_role`` in the club, ``my_entry`` (its token) and ``my_status``; None without an account."""
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
    """The record of a row whose warband is at hand. What it brings is named; the link is for who may open it."""
    warband = row.warband
    is_open = warband is not None and (
        may_change(actor, warband)
        or (warband.owner_id is not None and warband.visibility in _OPENED)
        or (
            event.is_member
            and warband.visibility == WarbandVisibility.CLUB
            and warband.club_id == event.club_id
        )
    )
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
