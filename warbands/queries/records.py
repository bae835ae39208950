"""What the readers hand out of a warband."""

from dataclasses import field
from datetime import datetime, timedelta

from accounts.pagination import RowsPage
from engine.findings.case import Finding
from engine.records import frozen_dataclass
from engine.roster import Roster
from engine.types.systems import Scenario
from warbands.models import AcknowledgedFigure

__all__ = ["RowsPage"]


UNCLAIMED_KEPT = timedelta(days=90)
NO_NAME = "Unnamed warband"


@frozen_dataclass
class WarbandHeader:
    """What is told of a warband besides its roster: whose it is, who reads it, its totals."""

    token: str
    visibility: str
    owner_id: int | None
    owner_name: str
    club_name: str
    points: int
    models: int
    errors: int
    warnings: int
    notes: int
    archived_at: datetime | None
    updated_at: datetime

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    @property
    def is_unclaimed(self) -> bool:
        """Made without an account: only its browser changes it, and it is deleted after a time."""
        return self.owner_id is None

    @property
    def goes_at(self) -> datetime | None:
        return self.updated_at + UNCLAIMED_KEPT if self.is_unclaimed else None


@frozen_dataclass
class WarbandRecord(WarbandHeader):
    """A warband with its roster.

    Each `RosterEntry.id` is a warrior's id. ``undo_head`` is the version of the change that an undo
    would take back, None where there is none; ``findings`` are what the engine said of this roster
    just now, None where it was not asked; ``acknowledged`` are the uncertain figures that its owner
    knows of. One that ``is_grown`` belongs to a campaign.
    """

    id: int
    version: int
    owner_key: str = field(repr=False)
    club_id: int | None
    created_at: datetime
    undo_head: int | None
    may_change: bool
    scenario_record: Scenario | None
    roster: Roster
    findings: tuple[Finding, ...] | None = None
    club_slug: str = ""
    acknowledged: tuple[AcknowledgedFigure, ...] = ()
    is_grown: bool = False

    @property
    def may_build(self) -> bool:
        """Whether its reader may change the roster now: not in the archive, not of a campaign."""
        return self.may_change and not self.is_archived and not self.is_grown

    @property
    def display_name(self) -> str:
        return self.roster.name or NO_NAME

    def index_of(self, warrior_id: int) -> int | None:
        """The place of a warrior in the roster, from 0."""
        ids = [entry.id for entry in self.roster.warriors]
        return ids.index(warrior_id) if warrior_id in ids else None


@frozen_dataclass
class WarbandRow(WarbandHeader):
    """One line of a list of warbands."""

    name: str
    system: str
    system_name: str
    variant: str
    army: str
    army_name: str
    points_limit: int | None
    shows_points: bool
    unit: str
    is_grown: bool = False

    @property
    def display_name(self) -> str:
        """Its name, with a mark on the copy that a campaign has of a roster."""
        return marked_name(self.name, is_grown=self.is_grown)


def marked_name(name: str, *, is_grown: bool) -> str:
    """Return the name of a warband in a list: a campaign's copy is called as its original is."""
    return f"{name or NO_NAME}{' (in a campaign)' if is_grown else ''}"


WarbandPage = RowsPage[WarbandRow]
