"""Who may see and do what in a club.

Each rule is a filter of clubs; its yes or no asks the same filter.
"""

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Club, Membership, Role
from accounts.owner import Owner
from engine.records import Texts

ORGANISING: Texts = (Role.OWNER, Role.ORGANISER)


def clubs_joined_by(owner: Owner) -> QuerySet[Club]:
    """The clubs this person belongs to, in any role; none for those without an account."""
    if owner.user_id is None:
        return Club.objects.none()
    return Club.objects.filter(_membership(owner.user_id))


def clubs_organised_by(owner: Owner) -> QuerySet[Club]:
    """The clubs this person runs, as owner or organiser."""
    if owner.user_id is None:
        return Club.objects.none()
    return Club.objects.filter(_membership(owner.user_id, *ORGANISING))


def clubs_visible_to(owner: Owner) -> QuerySet[Club]:
    """The listed clubs and those this person belongs to."""
    return Club.objects.filter(is_public=True) | clubs_joined_by(owner)


def is_club_member(owner: Owner, club_id: int | None) -> bool:
    """True when `clubs_joined_by` holds the club."""
    return club_id is not None and clubs_joined_by(owner).filter(pk=club_id).exists()


def may_organise_club(owner: Owner, club_id: int | None) -> bool:
    """True when `clubs_organised_by` holds the club."""
    return club_id is not None and clubs_organised_by(owner).filter(pk=club_id).exists()


def may_see_club(owner: Owner, club_id: int | None) -> bool:
    """True when `clubs_visible_to` holds the club."""
    return club_id is not None and clubs_visible_to(owner).filter(pk=club_id).exists()


def _membership(user_id: int, *roles: str) -> Exists:
    rows = Membership.objects.filter(club=OuterRef("pk"), user_id=user_id)
    return Exists(rows.filter(role__in=roles) if roles else rows)
