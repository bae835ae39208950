"""Who may see an event and who runs it. Each rule is a filter of rows and a yes or no that agree.

Organisers of the event's club run it. Members of the club and those who are entered may always read
it.
"""

from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef, Q

from accounts.access import (
    NONE,
    is_club_member,
    joined_club_ids,
    may_organise_club,
    organised_club_ids,
)
from accounts.owner import Owner
from battles.models import BattleSide
from campaigns.models import SHOWN, ClubEvent, Entry, EventVisibility, Round

OPENED = (EventVisibility.LINK, EventVisibility.PUBLIC)


# Filters


def entered_by(actor: Owner) -> Q:
    """The events this person is entered in, dropped out or not."""
    if actor.user_id is None:
        return NONE
    return Q(Exists(Entry.objects.filter(event=OuterRef("pk"), user_id=actor.user_id)))


def in_joined_clubs(actor: Owner) -> Q:
    """The events of the clubs this person belongs to."""
    return Q(club__in=joined_club_ids(actor))


def readable_by(actor: Owner) -> Q:
    """The events this actor may open when they know the address."""
    return Q(visibility__in=OPENED) | in_joined_clubs(actor) | entered_by(actor)


def listed_to(actor: Owner) -> Q:
    """The events that lists may show this actor."""
    return Q(visibility=EventVisibility.PUBLIC) | in_joined_clubs(actor) | entered_by(actor)


def organised_by(actor: Owner) -> Q:
    """The events this person runs."""
    return Q(club__in=organised_club_ids(actor))


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


def plays_as(actor: Owner, entry: Entry) -> bool:
    """Whether an entry is this person's own; a guest's is nobody's."""
    return actor.is_person and entry.user_id == actor.user_id


# Secret lists


def find_secret(events: Iterable[ClubEvent]) -> set[int]:
    """Return the ids of those events whose lists are secret from all but players and organisers.

    Until an organiser has revealed those of every round that is published, and one at least. A
    list for the whole event is revealed once. One query, none where no event has secret lists.
    """
    keys = [event.pk for event in events if event.is_secret and event.needs_list]
    if not keys:
        return set()
    rounds = Round.objects.filter(event=OuterRef("pk"))
    revealed = Exists(rounds.exclude(lists_published_at=None))
    missing = Exists(rounds.filter(lists_published_at=None, status__in=SHOWN))
    is_open = Q(revealed) & (Q(has_one_list=True) | ~Q(missing))
    secret = ClubEvent.objects.filter(~is_open, pk__in=keys)
    return set(secret.values_list("pk", flat=True))


SECRECY = (
    "pk",
    "battle__fixture__round__event",
    "battle__fixture__round__event__needs_list",
    "snapshot__lists__round__event",
    "snapshot__lists__round__lists_published_at",
)
"""What is asked of a side, and of the rounds for which its list was handed in."""


def secret_from(actor: Owner, sides: Sequence[BattleSide]) -> frozenset[int]:
    """Return the ids of those sides whose list no organiser has shown this actor yet.

    In an event with secret lists: those of a round whose lists nobody has shown, where lists are
    asked for or this one was handed in. A list that was shown in an earlier round is none. One
    query.
    """
    rows = BattleSide.objects.filter(
        pk__in=[side.pk for side in sides],
        battle__fixture__round__lists_published_at=None,
        battle__fixture__round__event__is_secret=True,
    ).exclude(battle__fixture__round__event__club__in=organised_club_ids(actor))
    secret, revealed = set(), set()
    # A row for each round that the list was handed in for, and one for a list that was not: a join
    # costs far less to build than a subquery for each question.
    for pk, event, needs_list, of, published_at in rows.order_by().values_list(*SECRECY):
        is_handed_in = of == event
        if needs_list or is_handed_in:
            secret.add(pk)
        if is_handed_in and published_at is not None:
            revealed.add(pk)
    return frozenset(secret - revealed)
