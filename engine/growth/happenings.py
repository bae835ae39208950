"""What a campaign's round has to tell of its warbands: losses, captives, advances, recruits."""

from __future__ import annotations

from typing import NamedTuple

# What befalls a unit by a row of a table bears the name of the row's verb, which declares what is
# told of it (`effects.py`). Others ask for these two of them.
LOST, CAPTURED = "gone", "captive"
RANSOMED, REFUSED, LEADS, CLAIMED = "ransomed", "refused", "leads", "claimed"
RELEASED = "released"
JOINED, ENLARGED, DISMISSED, DISBANDED = "joined", "enlarged", "dismissed", "disbanded"


class Happening(NamedTuple):
    """Something that befell a warband, at the position of the log where it took effect.

    ``what`` is one of the names above, or a verb. ``fixture`` is the game it came from, "" for what
    belongs to none. ``row`` names the row of a table, ``choice`` what was chosen: a
    characteristic, a skill, a territory. ``other`` is the warband that holds a captive or held a
    territory, ``models`` how many came or went.
    """

    position: int
    warband: str
    what: str
    warrior: str = ""
    fixture: str = ""
    row: str = ""
    choice: str = ""
    other: str = ""
    models: int = 1
