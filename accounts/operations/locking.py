"""How every change among a club's people is made: its row is locked first, so that two changes never cross."""

from __future__ import annotations

from accounts.access import ORGANISING
from accounts.errors import NotAllowed, NotFound
from accounts.models import Club, Membership, Role
from accounts.owner import Owner

NOT_A_MEMBER = "Only members of this club do this."
NOT_AN_ORGANISER = "Only organisers of this club do this."
NOT_AN_OWNER = "Only owners of this club do this."


def joined_club(actor: Owner, slug: str) -> tuple[Club, Membership]:
    """The club, locked until the transaction ends, and the actor's place in it.

    Raises NotFound, and NotAllowed for those who see it in the list and do not belong to it.
    """
    club = Club.objects.select_for_update().filter(slug=slug).order_by().first()
    if club is None:
        raise NotFound("club")
    mine = None
    if actor.user_id is not None:
        mine = Membership.objects.filter(club=club, user_id=actor.user_id).order_by().first()
    if mine is None and club.is_public:
        raise NotAllowed(NOT_A_MEMBER)
    if mine is None:
        raise NotFound("club")
    return club, mine


def organised_club(actor: Owner, slug: str) -> tuple[Club, Membership]:
    """The same for those who run it, as owners or organisers."""
    club, mine = joined_club(actor, slug)
    if mine.role not in ORGANISING:
        raise NotAllowed(NOT_AN_ORGANISER)
    return club, mine


def owned_club(actor: Owner, slug: str) -> tuple[Club, Membership]:
    """The same for its owners."""
    club, mine = joined_club(actor, slug)
    if mine.role != Role.OWNER:
        raise NotAllowed(NOT_AN_OWNER)
    return club, mine


def lock_clubs(user_id: int) -> None:
    """Lock every club of one person, always in the same order."""
    list(
        Club.objects.select_for_update(of=("self",))
        .filter(memberships__user_id=user_id)
        .order_by("pk")
    )
