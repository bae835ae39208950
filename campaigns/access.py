"""Who may see an event and who runs it. Each rule is a filter of rows and a yes or no that agree.

Organisers of the event's club run it. Members of the club and those who are entered may always read
it.
"""

from django.db.models import Exists, OuterRef, Q

from accounts.access import (
    clubs_joined_by,
    clubs_organised_by,
    is_club_member,
    may_organise_club,
)
from accounts.owner import Owner
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


def hides_list_from(actor: Owner) -> Q:
    """The sides of battles whose list is secret from this actor, unless it is their own.

    In an event with secret lists: those of a round whose lists nobody has shown, where lists are
    asked for or this one was handed in. A list that was shown in an earlier round is none.
    """
    lists = ListLock.objects.filter(
        snapshot=OuterRef("snapshot"),
        round__event=OuterRef("battle__fixture__round__event"),
    )
    rounds = Fixture.objects.filter(
        battle=OuterRef("battle"),
        round__lists_published_at=None,
        round__event__is_secret=True,
    )
    if actor.user_id is not None:
        own = clubs_organised_by(actor).values("pk")
        rounds = rounds.exclude(round__event__club__in=own)
    asked = rounds.filter(round__event__needs_list=True)
    is_asked_for = Exists(asked) | (Exists(rounds) & Exists(lists))
    return Q(is_asked_for) & ~Q(
        Exists(lists.filter(round__lists_published_at__isnull=False))
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
