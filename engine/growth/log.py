"""The log of a campaign: what was founded, fought, answered, done and taken back, in its order.

Rows are only added. What a row of a fixture says replaces what earlier ones said; the fixture keeps
the place at which its result was first told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from engine.errors import Refusal
from engine.growth.dues import DueAnswer
from engine.growth.rules import CampaignRules
from engine.growth.warriors import Joiner
from engine.records import NumberByKey, Numbers, TextPairs, Texts, frozen_dataclass

WARBANDS_MAX = 32
FIXTURES_MAX = 400
LOG_ROWS_MAX = 20_000
PLAYERS_ROWS_MAX = 18_000
"""Rows of a log up to which players add to it; the others are for results and organisers."""
ACTS_MOST = 300
"""Acts of a warband and what it takes back, between two of its games."""
COUNTED, DISPUTED, VOID = "counted", "disputed", "void"
STASH = "stash"
_NUMBER = re.compile(r"\d+")


@frozen_dataclass
class Founding:
    """A warband of the campaign begins with these warriors, so many rounds late."""

    warband: str
    army: str
    joiners: tuple[Joiner, ...]
    late_rounds: int = 0


@frozen_dataclass
class ModelPutOut:
    """A model that was put out, such as w3#2, and by whom: a warband and its warrior."""

    who: str
    by: tuple[str, str] | None = None

    @property
    def warrior(self) -> str:
        """The key of the warrior or group that the model belongs to."""
        return self.who.partition("#")[0]

    @property
    def place(self) -> list[int]:
        """The numbers of its key: the order in which injuries are rolled."""
        return [int(number) for number in _NUMBER.findall(self.who)]


@frozen_dataclass
class FixtureResult:
    """What a fixture came to, whole: what was fielded stays, whatever is corrected later.

    ``status``: only a ``counted`` one has its slot folded. ``objective_by`` are warbands with
    their warriors.
    """

    fixture: str
    sides: Texts
    winner: str = ""
    status: str = COUNTED
    fielded: Mapping[str, Texts] = field(default_factory=dict)
    out: Mapping[str, tuple[ModelPutOut, ...]] = field(default_factory=dict)
    objectives: Mapping[str, NumberByKey] = field(default_factory=dict)
    objective_by: TextPairs = ()

    def word_for(self, side: str) -> str:
        """Return won, drawn or lost."""
        if not self.winner:
            return "drawn"
        return "won" if self.winner == side else "lost"

    def put_out_by(self, side: str) -> list[str]:
        """Return the warriors of a side that put somebody of another out, once for each."""
        others = [self.out.get(key, ()) for key in self.sides if key != side]
        casualties = [model for out in others for model in out]
        return [model.by[1] for model in casualties if model.by and model.by[0] == side]

    def due_key(self, *parts: str) -> str:
        """Return the key of a due of this fixture."""
        return "/".join((self.fixture, *parts))


# Free acts. ``paid`` is in points, and None until the fold has said what it comes to.


@frozen_dataclass
class GrowthAct:
    """Something that a warband does by itself. ``number`` names it within the campaign."""

    number: int
    warband: str


@frozen_dataclass
class RecruitAct(GrowthAct):
    """Somebody new joins; one of a ``rarity`` only where the roll of a ``seeker`` finds them."""

    joiner: Joiner
    paid: int | None = None
    rarity: int = 0
    seeker: str = ""
    faces: Numbers = ()


@frozen_dataclass
class EnlargeAct(GrowthAct):
    """So many models join a group."""

    into: str
    count: int = 1
    paid: int | None = None


@frozen_dataclass
class BuyAct(GrowthAct):
    """Something is bought for a warrior, or for the stash, at a price for each model."""

    item: str
    bearer: str
    price: int
    paid: int | None = None


@frozen_dataclass
class SearchAct(GrowthAct):
    """A warrior looks for a rare thing; it is bought where the roll finds it.

    ``rarity`` is that of an army list; the rules say how rare their own goods are.
    """

    item: str
    bearer: str
    seeker: str
    faces: Numbers
    price: int | None = None
    paid: int | None = None
    rarity: int = 0


@frozen_dataclass
class SellAct(GrowthAct):
    """A piece of a warrior or of the stash is sold."""

    item: str
    source: str


@frozen_dataclass
class GiveAct(GrowthAct):
    """A piece changes hands."""

    item: str
    source: str
    bearer: str


@frozen_dataclass
class DismissAct(GrowthAct):
    """Models leave."""

    who: str
    count: int = 1


@frozen_dataclass
class DisbandAct(GrowthAct):
    """The warband's ledger is closed."""


@frozen_dataclass
class AdjustMoneyAct(GrowthAct):
    """An organiser adds to a treasury, or takes from it."""

    currency: str
    amount: int


@frozen_dataclass
class AdjustExperienceAct(GrowthAct):
    """An organiser adds to somebody's experience, or takes from it."""

    who: str
    experience: int


@frozen_dataclass
class UnfoughtAct(GrowthAct):
    """A game that was not fought pays: ``word`` is bye or walkover."""

    word: str


@frozen_dataclass
class TakeBack:
    """An answer or an act does not count any more. An answer's faces are kept."""

    warband: str
    due: str = ""
    act: int | None = None


@frozen_dataclass
class RulesChange:
    """Other rules from here on."""

    rules: CampaignRules


LogEntry = Founding | FixtureResult | DueAnswer | GrowthAct | TakeBack | RulesChange
"""What a row of the log holds."""


@frozen_dataclass
class LogRow:
    """A row at its place; positions rise."""

    position: int
    entry: LogEntry


@frozen_dataclass
class CampaignLog:
    """All that a campaign is folded from: the rules of its start, and its rows in their order."""

    rules: CampaignRules
    rows: tuple[LogRow, ...] = ()

    def with_entries(self, *entries: LogEntry) -> CampaignLog:
        """Return the log with further rows at its end."""
        # Positions rise by one; a site that writes rows gives its own.
        last = self.rows[-1].position if self.rows else 0
        added = [
            LogRow(place, entry) for place, entry in enumerate(entries, start=last + 1)
        ]
        return CampaignLog(self.rules, (*self.rows, *added))


def check_size(log: CampaignLog) -> None:
    """Raise Refusal for a campaign that is larger than the site folds."""
    entries = [row.entry for row in log.rows]
    warbands = sum(isinstance(entry, Founding) for entry in entries)
    fixtures = {entry.fixture for entry in entries if isinstance(entry, FixtureResult)}
    if warbands > WARBANDS_MAX:
        text = f"A campaign with growth takes at most {WARBANDS_MAX} warbands."
        raise Refusal(text, field="entry")
    if len(fixtures) > FIXTURES_MAX:
        text = f"A campaign with growth takes at most {FIXTURES_MAX} battles."
        raise Refusal(text, field="fixture")
    if len(log.rows) > LOG_ROWS_MAX:
        text = f"The log of a campaign takes at most {LOG_ROWS_MAX} rows."
        raise Refusal(text, field="growth")


def acts_since_game(log: CampaignLog, warband: str) -> int:
    """Return how often a warband has acted or taken back since its last game was first told."""
    count, fixtures = 0, set[str]()
    for row in log.rows:
        entry = row.entry
        if isinstance(entry, FixtureResult):
            # A corrected result begins nothing anew.
            is_new = entry.fixture not in fixtures
            count = 0 if is_new and warband in entry.sides else count
            fixtures.add(entry.fixture)
        elif isinstance(entry, GrowthAct | TakeBack):
            count += entry.warband == warband
    return count


def share_fault(log: CampaignLog, warband: str) -> str:
    """Return why a log is longer than players may make it by their warband, "" where it is not."""
    if acts_since_game(log, warband) > ACTS_MOST:
        return (
            f"A warband acts and reverses at most {ACTS_MOST} times between two games. "
            "Play the next game, or ask an organiser."
        )
    if len(log.rows) > PLAYERS_ROWS_MAX:
        return (
            f"Players add up to {PLAYERS_ROWS_MAX:,} rows to the log of a campaign. "
            "The rest is for results and organisers. Ask an organiser."
        )
    return ""
