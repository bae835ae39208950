"""Who may see an event and who runs it. Each rule is a filter of rows and a yes or no that agree.

Organisers of the event's club run it. Members of the club and those who are entered may always read
it.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q

from accounts.access import (
    clubs_joined_by,
    clubs_organised_by,
    is_club_member,
    may_organise_club,
)
from accounts.owner import Owner
from battles.models import BattleSide
from campaigns.models import ClubEvent, Entry, EventVisibility, Fixture, ListLock

NONE = Q(pk__in=[])
OPENED = (EventVisibility.LINK, EventVisibility.PUBLIC)


# Filters


def entered_by(actor: Owner) -> Q:
    """The events this person is entered in, dropped out or not."""
    if actor.user_id is None:
        return NONE
    return Q(Exists(Entry.objects.filter(event=OuterRef("pk"), user_id=actor.user_id)))


def of_clubs_of(actor: Owner) -> Q:
    """The events of the clubs this person belongs to."""
    return (
        NONE if actor.user_id is None else Q(club__in=clubs_joined_by(actor).values("pk"))
    )


def readable_by(actor: Owner) -> Q:
    """The events this actor may open when they know the address."""
    return Q(visibility__in=OPENED) | of_clubs_of(actor) | entered_by(actor)


def listed_to(actor: Owner) -> Q:
    """The events that lists may show this actor."""
    return Q(visibility=EventVisibility.PUBLIC) | of_clubs_of(actor) | entered_by(actor)


def organised_by(actor: Owner) -> Q:
    """The events this person runs."""
    return (
        NONE
        if actor.user_id is None
        else Q(club__in=clubs_organised_by(actor).values("pk"))
    )


# Yes or no


def may_see(actor: Owner, event: ClubEvent) -> bool:
    """Whether ``readable_by`` holds the event.

    Asks the database only where its visibility does not decide.
    """
    # What needs no query is asked first.
    if event.visibility in OPENED or is_club_member(actor, event.club_id):
        return True
    if actor.user_id is None:
        return False
    return Entry.objects.filter(event_id=event.pk, user_id=actor.user_id).exists()


def may_organise(actor: Owner, event: ClubEvent) -> bool:
    """Whether ``organised_by`` holds the event."""
    return may_organise_club(actor, event.club_id)


# Secret lists


class _Event(NamedTuple):
    """An event with secret lists, and whether it asks for lists."""

    id: int
    needs_list: bool


def secret_from(actor: Owner, sides: Sequence[BattleSide]) -> frozenset[int]:
    """Return the ids of those sides whose list no organiser has shown this actor yet.

    In an event with secret lists: those of a round whose lists nobody has shown, where lists are
    asked for or this one was handed in. A list that was shown in an earlier round is none. At most
    three queries, one where no list is secret.
    """
    events = _secret_events(actor, {side.battle_id for side in sides})
    asked = [side for side in sides if side.battle_id in events]
    if not asked:
        return frozenset()
    shown = _handed_in(asked, {event.id for event in events.values()})
    secret = set()
    for side in asked:
        event = events[side.battle_id]
        was_shown = shown.get((event.id, side.snapshot_id))
        # A list that is not among those handed in is a secret where lists are asked for.
        if was_shown is False or (was_shown is None and event.needs_list):
            secret.add(side.pk)
    return frozenset(secret)


def _secret_events(actor: Owner, battle_ids: Iterable[int]) -> dict[int, _Event]:
    """Return the event of each battle of a round whose lists are secret from this actor."""
    rows = Fixture.objects.filter(
        battle__in=battle_ids,
        round__lists_published_at=None,
        round__event__is_secret=True,
    ).order_by()
    found = list(
        rows.values_list(
            "battle_id",
            "round__event_id",
            "round__event__needs_list",
            "round__event__club_id",
        )
    )
    if not found:
        return {}
    clubs = clubs_organised_by(actor).order_by().values_list("pk", flat=True)
    own = set(clubs.filter(pk__in={club for *_, club in found}))
    return {
        battle: _Event(event, asks)
        for battle, event, asks, club in found
        if club not in own
    }


def _handed_in(
    sides: Iterable[BattleSide], events: Iterable[int]
) -> dict[tuple[int, int | None], bool]:
    """Event and snapshot of the lists that were handed in, and whether one was shown in a round."""
    rows = ListLock.objects.filter(
        snapshot__in={side.snapshot_id for side in sides if side.snapshot_id},
        round__event__in=events,
    ).order_by()
    found: dict[tuple[int, int | None], bool] = {}
    for event, snapshot, shown_at in rows.values_list(
        "round__event_id", "snapshot_id", "round__lists_published_at"
    ):
        was_shown = found.get((event, snapshot), False)
        found[event, snapshot] = was_shown or shown_at is not None
    return found
