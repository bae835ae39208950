"""Lists of events: one query each, never a count of the whole table."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

from django.db.models import (
    Aggregate,
    Case,
    CharField,
    Count,
    Exists,
    F,
    FilteredRelation,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from accounts.access import ORGANISING, is_club_member, owns
from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.pagination import load_page
from accounts.tokens import find_row, get_row
from battles.models import Confirmation
from campaigns import access
from campaigns.models import (
    SHOWN,
    CampaignWarband,
    ClubEvent,
    Entry,
    EntryStatus,
    EventVisibility,
    Fixture,
    FixtureStatus,
    ListCheck,
    ListLock,
    MissedRound,
    Round,
    RoundStatus,
)
from campaigns.queries.records import ClubEventRecord, EntryRecord, EventRow, EventRows
from engine.records import copy_fields, frozen_dataclass
from engine.tournament.standings import CAMPAIGN_POINTS
from engine.tournament.types import Scoring
from warbands.models import Warband, WarbandVisibility
from warbands.queries.lists import army_name
from warbands.queries.records import NO_NAME

R = TypeVar("R", bound=ClubEventRecord)
_OPENED = (WarbandVisibility.LINK, WarbandVisibility.PUBLIC)


def load_event(actor: Owner, token: str, *, is_shared: bool = False) -> ClubEventRecord:
    """Return the event. Raises NotFound where there is none or the actor may not read it.

    The rest is as for `find_event`.
    """
    event = find_event(actor, token, is_shared=is_shared)
    if event is None:
        raise NotFound("event")
    return event


def find_event(
    actor: Owner, token: str, *, is_shared: bool = False
) -> ClubEventRecord | None:
    """Return the event, or None where there is none or the actor may not read it.

    ``is_shared``: the actor has shown a key to it, so nobody asks what else they may read. One
    query; a second for an event with secret lists.
    """
    rows = with_reader(ClubEvent.objects.select_related("club"), actor)
    row = find_row(rows, token)
    if row is None:
        return None
    may_read = is_shared or row.visibility in access.OPENED or row.my_role or row.my_entry
    if not may_read:
        return None
    hides_lists = row.my_role not in ORGANISING and row.pk in access.find_secret([row])
    return build_record(row, ClubEventRecord, hides_lists=hides_lists)


def with_reader(rows: QuerySet[ClubEvent], actor: Owner) -> QuerySet[Any]:
    """The rows with ``my_role`` in the club, ``my_entry`` (its token) and ``my_status``, None
    without an account.
    """
    if actor.user_id is None:
        nothing = Value(None, output_field=CharField())
        return rows.annotate(my_role=nothing, my_entry=nothing, my_status=nothing)
    # A person has at most one of each, so no row comes twice.
    membership = Q(club__memberships__user_id=actor.user_id)
    entry = Q(entries__user_id=actor.user_id)
    return rows.annotate(
        membership=FilteredRelation("club__memberships", condition=membership),
        reader_entry=FilteredRelation("entries", condition=entry),
        my_role=F("membership__role"),
        my_entry=F("reader_entry__token"),
        my_status=F("reader_entry__status"),
    )


def load_entries(actor: Owner, event: ClubEventRecord) -> tuple[EntryRecord, ...]:
    """Everybody with a place in the order they entered, those who dropped out among them. One query."""
    return load_entries_by_event(actor, [event])[event.id]


def load_entries_by_event(
    actor: Owner, events: Sequence[ClubEventRecord]
) -> dict[int, tuple[EntryRecord, ...]]:
    """The same of several events by their ids. One query."""
    by_id = {event.id: event for event in events}
    rows: Any = Entry.objects.filter(event_id__in=by_id, joined__gt=0).order_by("id")
    rows = rows.select_related("warband")
    if any(CAMPAIGN_POINTS in event.tie_breaks for event in events):
        # Whoever disbanded and founded anew is known by the last.
        latest = CampaignWarband.objects.filter(entry=OuterRef("pk")).order_by("-number")
        columns = {
            name: Subquery(latest.values(name)[:1]) for name in ("at_close", "points")
        }
        rows = rows.annotate(**columns)
    entries: dict[int, list[EntryRecord]] = {pk: [] for pk in by_id}
    for row in rows:
        event = by_id[row.event_id]
        if CAMPAIGN_POINTS in event.tie_breaks:
            # A place in the table would tell what a live figure is.
            row.campaign_points = row.at_close if event.hides_lists else row.points
        entries[event.id].append(build_entry_record(actor, event, row))
    return {pk: tuple(records) for pk, records in entries.items()}


def load_waiting(actor: Owner, event: ClubEventRecord) -> tuple[EntryRecord, ...]:
    """Who never had a place: those who wait in their order, and those who gave up. One query."""
    rows = Entry.objects.filter(event_id=event.id, joined=0).select_related("warband")
    ordered = rows.order_by("created_at", "id")
    return tuple(build_entry_record(actor, event, row) for row in ordered)


@frozen_dataclass
class Places:
    """How many play in an event, how many wait for a place, and how many there are, None for any."""

    playing: int
    waiting: int
    capacity: int | None

    @property
    def has_free(self) -> bool:
        return self.capacity is None or self.playing < self.capacity

    @property
    def is_full(self) -> bool:
        """Whether who comes now waits: no place is free, or others wait for it."""
        return self.capacity is not None and (self.waiting > 0 or not self.has_free)


def count_places(event: Any) -> Places:
    """The places of an event as they are now. One query."""
    rows = Entry.objects.filter(event_id=event.id).order_by()
    counts = dict(rows.values_list("status").annotate(Count("pk")))
    playing, waiting = (
        counts.get(key, 0) for key in (EntryStatus.ACTIVE, EntryStatus.WAITING)
    )
    return Places(playing, waiting, event.capacity)


def load_entry(actor: Owner, event: ClubEventRecord, token: str) -> EntryRecord:
    """One of them by its token. One query. Raises NotFound."""
    rows = Entry.objects.filter(event_id=event.id).select_related("warband")
    return build_entry_record(actor, event, get_row(rows, token, "entry"))


def build_entry_record(actor: Owner, event: ClubEventRecord, row: Entry) -> EntryRecord:
    """The record of a row whose warband is at hand.

    What it brings is named; its army is for those from whom lists are not secret, the link for
    those of them who may open it.
    """
    warband, token, name, army = row.warband, "", "", ""
    if warband is not None:
        name = warband.name or NO_NAME
        if not event.hides(row.token):
            army = army_name(warband.system, warband.army)
            token = warband.token if _may_open(actor, event, warband) else ""
    points = getattr(row, CAMPAIGN_POINTS, None)
    is_mine = access.plays_as(actor, row)
    return copy_fields(
        EntryRecord,
        row,
        warband=token,
        warband_name=name,
        army_name=army,
        is_mine=is_mine,
        is_paid=row.is_paid if is_mine or event.may_organise else None,
        campaign_points=points.get("points") if isinstance(points, dict) else points,
    )


def _may_open(actor: Owner, event: ClubEventRecord, warband: Warband) -> bool:
    """Return whether somebody may open a warband of this event. No query."""
    if owns(actor, warband):
        return True
    if warband.visibility == WarbandVisibility.CLUB:
        return event.is_member and warband.club_id == event.club_id
    # A warband of somebody without an account is open to its owner alone.
    return warband.owner_id is not None and warband.visibility in _OPENED


def build_record(row: Any, record_class: type[R], **others: Any) -> R:
    """Return the record of a row of `with_reader` whose club is at hand."""
    return copy_fields(
        record_class,
        row,
        club_name=row.club.name,
        club_slug=row.club.slug,
        scenarios=tuple(row.scenarios),
        scoring=build_scoring(row),
        tie_breaks=tuple(row.tie_breaks),
        is_member=row.my_role is not None,
        opens_club=row.my_role is not None or row.club.is_public,
        may_organise=row.my_role in ORGANISING,
        mine=row.my_entry or "",
        is_playing=row.my_status == EntryStatus.ACTIVE,
        is_waiting=row.my_status == EntryStatus.WAITING,
        **others,
    )


def build_scoring(row: ClubEvent) -> Scoring:
    """What each result is worth in an event."""
    return Scoring(*(getattr(row, f"points_{field.name}") for field in fields(Scoring)))


def missed_points(event: ClubEvent | ClubEventRecord, scoring: Scoring, joined: int) -> int:
    """What somebody who is paired from round ``joined`` on has for the rounds before."""
    is_drawn = event.missed_round == MissedRound.DRAW
    return scoring.draw * max(joined - 1, 0) if is_drawn else 0


PER_PAGE = 20


def own_events(actor: Owner, *, archived: bool = False, **page: int) -> EventRows:
    """The events this person is in or runs, the last changed first; or those of the archive.

    ``page`` and ``per_page`` are taken by every list. One query.
    """
    mine = access.entered_by(actor) | access.organised_by(actor)
    rows = ClubEvent.objects.filter(mine, archived_at__isnull=not archived)
    user: Any = actor.user_id
    warbands = CampaignWarband.objects.filter(
        entry__event=OuterRef("pk"), entry__user=user, closed_at=None
    )
    challenges = Fixture.objects.filter(
        round__event=OuterRef("pk"), status=FixtureStatus.ASKED, other__user=user
    )
    rounds = Round.objects.filter(event=OuterRef("pk"))
    disputed = rounds.filter(fixtures__status=FixtureStatus.DISPUTED)
    waiting = rounds.filter(
        fixtures__status=FixtureStatus.WAITING, event__confirmation=Confirmation.ORGANISER
    )
    # Lists are for the first round that is not closed, or for the first of all.
    to_come = rounds.exclude(status=RoundStatus.CLOSED).order_by("number")
    number = Case(
        When(Q(has_one_list=True) | ~Exists(rounds), then=Value(1)),
        default=Subquery(to_come.values("number")[:1]),
        output_field=IntegerField(),
    )
    own_due = rounds.filter(number=OuterRef("list_number")).values("lists_due_at")[:1]
    lists = ListLock.objects.filter(
        round__event=OuterRef("pk"),
        round__number=OuterRef("list_number"),
        entry__user=user,
        snapshot__isnull=False,
    ).exclude(check_state=ListCheck.SENT_BACK)
    events = rows.annotate(
        list_number=number,
        list_due=Coalesce(Subquery(own_due), "lists_due_at"),
        is_without_list=Q(needs_list=True) & ~Exists(lists),
    )
    tasks: dict[str, Any] = {
        "list": Case(When(is_without_list=True, then=F("list_number")), default=0),
        "challenge": Exists(challenges),
        "warband": Q(growth_position__gt=0) & ~Exists(warbands),
        "disputes": _figure_by_event(disputed, Min("number")),
        "results": _figure_by_event(waiting, Min("number")),
    }
    return _load_rows(actor, events.annotate(**tasks), **page)


def club_events(
    actor: Owner,
    club_id: int,
    *,
    archived: bool = False,
    is_member: bool | None = None,
    **page: int,
) -> EventRows:
    """A club's events: for its members all, for others the public ones. Two queries.

    ``is_member`` saves a query where the caller has asked already.
    """
    rows = ClubEvent.objects.filter(club_id=club_id, archived_at__isnull=not archived)
    if is_member is None:
        is_member = is_club_member(actor, club_id)
    if not is_member:
        rows = rows.filter(visibility=EventVisibility.PUBLIC)
    return _load_rows(actor, rows, **page)


def events_in_own_clubs(actor: Owner, **page: int) -> EventRows:
    """The events of all clubs this person belongs to, the last changed first. One query."""
    rows = ClubEvent.objects.filter(access.in_joined_clubs(actor), archived_at=None)
    return _load_rows(actor, rows, **page)


def public_events(actor: Owner, **page: int) -> EventRows:
    """The events everybody may find. One query."""
    rows = ClubEvent.objects.filter(visibility=EventVisibility.PUBLIC, archived_at=None)
    return _load_rows(actor, rows, **page)


def _load_rows(
    actor: Owner, rows: QuerySet[ClubEvent], *, page: int = 1, per_page: int = PER_PAGE
) -> EventRows:
    """Return a page of events, the newest first, with the actor's part in them, how many play, and
    the latest round that is published.
    """
    playing = Entry.objects.filter(event=OuterRef("pk"), status=EntryStatus.ACTIVE)
    published = Round.objects.filter(event=OuterRef("pk"), status__in=SHOWN)
    events = with_reader(rows, actor).annotate(
        playing=_figure_by_event(playing, Count("pk")),
        latest=_figure_by_event(published, Max("number")),
    )

    def build(row: Any) -> EventRow:
        # No list of events names warbands, so what is revealed is not looked up.
        hides_lists = row.is_secret and row.needs_list and row.my_role not in ORGANISING
        figures = {"entries": row.playing, "round": row.latest}
        names = (
            ["list", "challenge", "warband"] if row.my_status == EntryStatus.ACTIVE else []
        )
        names += ["disputes", "results"] if row.my_role in ORGANISING else []
        tasks = tuple((name, number) for name in names if (number := getattr(row, name, 0)))
        figures["list_due"] = getattr(row, "list_due", None)
        figures["tasks"] = () if row.is_over else tasks
        return build_record(row, EventRow, hides_lists=hides_lists, **figures)

    events = events.select_related("club").order_by("-updated_at", "-id")
    return load_page(events, build, page=page, per_page=per_page)


def _figure_by_event(rows: QuerySet[Any], figure: Aggregate) -> Coalesce:
    """A figure of the event's rows as a column of the event; 0 without any."""
    # Without an order of their own, which would part the rows of one event into groups.
    figures = rows.order_by().values("event").annotate(figure=figure)
    return Coalesce(Subquery(figures.values("figure")), 0, output_field=IntegerField())
