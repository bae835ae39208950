"""Who owns a thing, and who may see and do what in a club.

Each rule is a filter of rows and a yes or no that agree.
"""

from typing import Any, Protocol

from django.db.models import Q, QuerySet

from accounts.models import Club, Membership, Role
from accounts.owner import Owner

ORGANISING = (Role.OWNER, Role.ORGANISER)
NONE = Q(pk__in=[])
"""Matches no row; Django leaves it out where it is one of several alternatives."""


class Owned(Protocol):
    """Whose something is: a person's, a browser session's, or nobody's."""

    @property
    def owner_id(self) -> int | None: ...
    @property
    def owner_key(self) -> str: ...


def owned_by(actor: Owner) -> Q:
    """The rows of this person, or of this session; none of a visitor who has stored nothing."""
    # A person never owns by a key: signing in hands a session's rows over.
    if actor.user_id is not None:
        return Q(owner_id=actor.user_id)
    return Q(owner__isnull=True, owner_key=actor.key) if actor.key else NONE


def owns(actor: Owner, row: Owned) -> bool:
    """Whether `owned_by` holds a row."""
    if actor.user_id is not None:
        return row.owner_id == actor.user_id
    return bool(actor.key) and row.owner_id is None and row.owner_key == actor.key


def joined_club_ids(owner: Owner) -> QuerySet[Membership, Any]:
    """The ids of the clubs this person belongs to, in any role, for the filter of another table.

    None for those without an account.
    """
    return _memberships(owner).values("club")


def organised_club_ids(owner: Owner) -> QuerySet[Membership, Any]:
    """The ids of the clubs this person runs, as owner or organiser, likewise."""
    return _memberships(owner).filter(role__in=ORGANISING).values("club")


def clubs_joined_by(owner: Owner) -> QuerySet[Club]:
    """The clubs this person belongs to, in any role; none for those without an account."""
    return Club.objects.filter(pk__in=joined_club_ids(owner))


def clubs_organised_by(owner: Owner) -> QuerySet[Club]:
    """The clubs this person runs, as owner or organiser."""
    return Club.objects.filter(pk__in=organised_club_ids(owner))


def clubs_visible_to(owner: Owner) -> QuerySet[Club]:
    """The listed clubs and those this person belongs to."""
    return Club.objects.filter(is_public=True) | clubs_joined_by(owner)


def is_club_member(owner: Owner, club_id: int | None) -> bool:
    """True when `clubs_joined_by` holds the club."""
    return club_id is not None and joined_club_ids(owner).filter(club=club_id).exists()


def may_organise_club(owner: Owner, club_id: int | None) -> bool:
    """True when `clubs_organised_by` holds the club."""
    return club_id is not None and organised_club_ids(owner).filter(club=club_id).exists()


def may_see_club(owner: Owner, club_id: int | None) -> bool:
    """True when `clubs_visible_to` holds the club."""
    return club_id is not None and clubs_visible_to(owner).filter(pk=club_id).exists()


def _memberships(owner: Owner) -> QuerySet[Membership]:
    if owner.user_id is None:
        return Membership.objects.none()
    return Membership.objects.filter(user_id=owner.user_id).order_by()
