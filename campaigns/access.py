"""Who may see an event and who runs it. Each rule is a filter of rows and a yes or no that agree.

Organisers of the event's club run it. Members of the club and those who are entered may always read
it.
"""

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q

from accounts.access import (
    clubs_joined_by,
    clubs_organised_by,
    is_club_member,
    may_organise_club,
)
from accounts.owner import Owner
from battles.models import BattleSide
from campaigns.models import ClubEvent, Entry, EventVisibility, ListLock

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


def secret_from(actor: Owner, sides: Sequence[BattleSide]) -> frozenset[int]:
    """Return the ids of those sides whose list no organiser has shown this actor yet.

    In an event with secret lists: those of a round whose lists nobody has shown, where lists are
    asked for or this one was handed in. A list that was shown in an earlier round is none. One
    query.
    """
    locked = ListLock.objects.filter(
        snapshot=OuterRef("snapshot"),
        round__event=OuterRef("battle__fixture__round__event"),
    )
    rows = BattleSide.objects.filter(
        # A list that is not among those handed in is a secret where lists are asked for.
        Q(battle__fixture__round__event__needs_list=True) | Exists(locked),
        ~Exists(locked.filter(round__lists_published_at__isnull=False)),
        pk__in=[side.pk for side in sides],
        battle__fixture__round__lists_published_at=None,
        battle__fixture__round__event__is_secret=True,
    )
    own = clubs_organised_by(actor).order_by().values("pk")
    secret = rows.exclude(battle__fixture__round__event__club__in=own).order_by()
    return frozenset(secret.values_list("pk", flat=True))
