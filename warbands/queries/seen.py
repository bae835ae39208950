"""A roster to reckon with, and no more of its warband than a name: three queries, no scenario, no
events.
"""

from __future__ import annotations

from dataclasses import dataclass

from accounts.owner import Owner
from engine.roster import Roster
from warbands.queries.records import NO_NAME
from warbands.queries.warbands import read_warband, roster_of


@dataclass(frozen=True, slots=True)
class SeenRoster:
    """A roster somebody may see. Each entry's ``id`` is its warrior's."""

    token: str
    name: str
    roster: Roster


def load_roster(actor: Owner, token: str) -> SeenRoster | None:
    """The roster of a warband, or None where there is none or the actor may not see it.

    Three queries.
    """
    found = read_warband(actor, token)
    if found is None:
        return None
    warband, rows = found
    return SeenRoster(warband.token, warband.name or NO_NAME, roster_of(warband, rows))
