"""A roster to reckon with, and no more of its warband than a name: two or three queries, no scenario, no events."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.owner import Owner
from engine.roster import Roster
from warbands.access import readable_by
from warbands.models import Warband
from warbands.queries.loading import is_token, load_rows, roster_of
from warbands.queries.records import NO_NAME


@dataclass(frozen=True, slots=True)
class SeenRoster:
    """A roster somebody may see. Each entry's ``id`` is its warrior's."""

    token: str
    name: str
    roster: Roster


def load_roster(actor: Owner, token: str) -> SeenRoster | None:
    """The roster of a warband, or None where there is none or the actor may not see it. Three queries."""
    if not is_token(token):
        return None
    found = Warband.objects.filter(readable_by(actor), token=token).first()
    if found is None:
        return None
    warriors, holdings = load_rows(found.pk)
    return SeenRoster(found.token, found.name or NO_NAME, roster_of(found, warriors, holdings))
