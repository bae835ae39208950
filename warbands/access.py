"""Who may see and change a warband.

An unclaimed warband belongs to the browser session that made it. It may be shared by link, and in
no other way, whatever else it says.
"""

from typing import Protocol

from django.db.models import Q

from accounts.access import (
    Owned,
    is_club_member,
    joined_club_ids,
    organised_club_ids,
    owned_by,
    owns,
)
from accounts.owner import Owner
from warbands.models import WarbandVisibility


class WarbandAccess(Owned, Protocol):
    """What the rules look at: a row or a record of a warband."""

    @property
    def club_id(self) -> int | None: ...
    @property
    def visibility(self) -> str: ...


def repriced_by(actor: Owner, club_id: int) -> Q:
    """The warbands whose prices this actor may renew: their own, and what members show a club that
    the actor runs.
    """
    shared = Q(
        owner__isnull=False,
        club_id=club_id,
        visibility__in=[WarbandVisibility.CLUB, WarbandVisibility.PUBLIC],
    )
    mine = owned_by(actor) | (shared & Q(club__in=organised_club_ids(actor)))
    # What a campaign paid stays what it paid.
    return mine & Q(is_grown=False)


def listed_to(actor: Owner) -> Q:
    """The warbands that lists may show this actor: their own, their clubs' and the public ones."""
    clubs = joined_club_ids(actor)
    of_clubs = Q(visibility=WarbandVisibility.CLUB, club__in=clubs)
    shared = Q(visibility=WarbandVisibility.PUBLIC) | of_clubs
    return owned_by(actor) | (Q(owner__isnull=False) & shared)


def may_see(actor: Owner, warband: WarbandAccess) -> bool:
    """Whether this actor may open the warband, knowing its address. Asks only about a club."""
    if owns(actor, warband) or warband.visibility == WarbandVisibility.LINK:
        return True
    if warband.owner_id is None:
        return False
    if warband.visibility == WarbandVisibility.PUBLIC:
        return True
    return warband.visibility == WarbandVisibility.CLUB and is_club_member(
        actor, warband.club_id
    )
