"""What the readers hand out: frozen values that know nothing of the database."""

from dataclasses import field
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.pagination import RowsPage
from engine.choices import Choice, ChoiceGroup
from engine.findings.case import Finding
from engine.records import frozen_dataclass
from engine.roster import Roster
from engine.selection import Selection, points_over
from engine.types.lists import Currency
from engine.types.systems import Scenario

__all__ = ["RowsPage"]


UNCLAIMED_KEPT = timedelta(days=90)
NO_NAME = "Unnamed warband"

StatPairs = tuple[tuple[str, str], ...]


@frozen_dataclass
class Acknowledgement:
    """That somebody knows of an uncertain figure of a profile."""

    profile: str
    figure: str
    who: str
    at: datetime

    @property
    def words(self) -> str:
        """Who and when."""
        return f"{self.who}, {timezone.localtime(self.at):%-d %B %Y}"


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
    acknowledged: tuple[Acknowledgement, ...] = ()
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
        places = (
            i for i, entry in enumerate(self.roster.warriors) if entry.id == warrior_id
        )
        return next(places, None)


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


@frozen_dataclass
class PickerProfile:
    """A line of the army list in the builder.

    ``points`` buys the ``miniatures`` an entry begins with and what they must list; ``over`` is too
    many then.
    """

    key: str
    name: str
    category: str
    points: int
    miniatures: int
    stats: StatPairs
    is_offered: bool
    why_not: str
    over: int
    text: str


@frozen_dataclass
class PickerCategory:
    key: str
    name: str
    profiles: tuple[PickerProfile, ...]
    is_character: bool = False


@frozen_dataclass
class MagicChoices:
    """Magic items of one type."""

    name: str
    choices: tuple[Choice, ...]


@frozen_dataclass
class WarriorChoices:
    """The option picker of one warrior.

    ``total`` is what the warband comes to now, ``limit`` its points limit, ``currency`` what its
    list counts both in.
    """

    warrior_id: int
    selection: Selection
    groups: tuple[ChoiceGroup, ...]
    magic: tuple[MagicChoices, ...]
    total: int
    limit: int | None
    currency: Currency

    @property
    def magic_allowance(self) -> int | None:
        """The points that may be spent on magic items; None where nobody says."""
        profile = self.selection.profile
        return profile.magic_allowance if profile else None

    @property
    def lores(self) -> tuple[str, ...]:
        """The lores of magic to choose from."""
        profile = self.selection.profile
        return profile.lores if profile and self.selection.is_wizard else ()

    def total_with(self, choice: Choice) -> int:
        """The warband's total if this were taken."""
        return self.total + choice.change

    def over(self, total: int) -> int:
        """How far a total is above the limit; 0 when it fits or no limit was agreed."""
        return points_over(self.limit, total)
