"""The log of a campaign: what was founded, fought, answered, done and taken back, in its order.

Rows are only added. What a row of a fixture says replaces what earlier ones said; the fixture keeps
the place at which its result was first told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from engine.errors import Refusal
from engine.growth.acts import GrowthAct
from engine.growth.dues import DueAnswer
from engine.growth.faults import FaultyRules, rules_fault
from engine.growth.rules import CampaignRules
from engine.growth.warriors import Joiner
from engine.records import (
    NamedValues,
    NumberByKey,
    TextPairs,
    Texts,
    frozen_dataclass,
)

WARBANDS_MAX = 32
FIXTURES_MAX = 400
LOG_ROWS_MAX = 20_000
PLAYERS_ROWS_MAX = 18_000
"""Rows of a log up to which players add to it; the others are for results and organisers."""
ACTS_MOST = 300
"""Acts of a warband and what it takes back, between two of its games."""
RESULTS_MOST = 40
"""Rows of one game's result up to which players tell it anew."""
COUNTED, DISPUTED, VOID = "counted", "disputed", "void"
_NUMBER = re.compile(r"\d+")


@frozen_dataclass
class Founding:
    """A warband of the campaign begins with these warriors, so many rounds late.

    Its ``purse`` is at least that much of the currency of prices.
    """

    warband: str
    army: str
    joiners: tuple[Joiner, ...]
    late_rounds: int = 0
    purse: int = 0


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
    their warriors, once for each objective that they took.
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
    """All that a campaign is folded from: the rules of its start, and its rows in their order.

    Rows before the position ``since`` were written when neither a second throw of an advance nor
    a second old wound was asked for. They come to what they came to then.
    """

    rules: CampaignRules
    rows: tuple[LogRow, ...] = ()
    since: int = 0

    @property
    def entries(self) -> list[LogEntry]:
        """What the rows hold, in their order."""
        return [row.entry for row in self.rows]

    def find_army(self, warband: str) -> str:
        """Return the key of the army list that a warband was founded with; "" for none."""
        for entry in self.entries:
            if isinstance(entry, Founding) and entry.warband == warband:
                return entry.army
        return ""

    def find_act(self, number: int) -> GrowthAct:
        """Return an act of the log."""
        acts = (entry for entry in self.entries if isinstance(entry, GrowthAct))
        return next(act for act in acts if act.number == number)

    def with_entries(self, *entries: LogEntry) -> CampaignLog:
        """Return the log with further rows at its end."""
        # Positions rise by one; a site that writes rows gives its own.
        last = self.rows[-1].position if self.rows else 0
        added = [
            LogRow(place, entry) for place, entry in enumerate(entries, start=last + 1)
        ]
        return replace(self, rows=(*self.rows, *added))


def check_size(log: CampaignLog) -> None:
    """Raise Refusal for a campaign that is larger than the site folds."""
    entries = log.entries
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
    for entry in log.entries:
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
    return "" if len(log.rows) <= PLAYERS_ROWS_MAX else _players_rows_fault()


def _players_rows_fault() -> str:
    return (
        f"Players add up to {PLAYERS_ROWS_MAX:,} rows to the log of a campaign. "
        "The rest is for results and organisers. Ask an organiser."
    )


def retelling_fault(log: CampaignLog, fixture: str) -> str:
    """Return why players may not tell the result of a game once more, "" where they may.

    Casualties recorded behind a result tell it once more as well.
    """
    times = sum(
        isinstance(entry, FixtureResult) and entry.fixture == fixture
        for entry in log.entries
    )
    if times >= RESULTS_MOST:
        return f"The result of this game was told {times} times. Ask an organiser to correct it."
    return _players_rows_fault() if times and len(log.rows) >= PLAYERS_ROWS_MAX else ""


# Versions of the rules: changes that hold from the start, or from a place in the log.


@frozen_dataclass
class DocumentChange:
    """A change of the rules' document, at a position of the log.

    ``change`` is merged into it, or replaces it where ``is_whole``.
    """

    position: int
    change: NamedValues
    from_start: bool = False
    is_whole: bool = False

    def apply(self, document: NamedValues) -> NamedValues:
        """Return the document with this change."""
        return self.change if self.is_whole else merged(document, self.change)


RulesReader = Callable[[NamedValues], CampaignRules]
"""Makes rules of a document, or raises FaultyRules."""


def read_versions(
    document: NamedValues,
    changes: Sequence[DocumentChange],
    read: RulesReader,
) -> tuple[CampaignRules, dict[int, CampaignRules]]:
    """Return the rules of the start, and those that hold from a position on.

    Raises FaultyRules where one of the versions has faults, or drops a kind or a currency that the
    one before it had, for warriors and treasuries keep theirs.
    """
    # Those from the start first, whenever they were written.
    for change in changes:
        if change.from_start:
            document = change.apply(document)
    # Every later version lies over what holds from the start.
    start = before = read(document)
    later: dict[int, CampaignRules] = {}
    for change in changes:
        if not change.from_start:
            document = change.apply(document)
            later[change.position] = read(document)
            check_successor(before, later[change.position])
            before = later[change.position]
    return start, later


def check_successor(before: CampaignRules, after: CampaignRules) -> None:
    """Raise FaultyRules where rules drop a kind or a currency of those before them."""
    dropped = [("kinds", key) for key in before.kinds if key not in after.kinds]
    currencies = {currency.id for currency in after.currencies}
    dropped += [
        ("currencies", currency.id)
        for currency in before.currencies
        if currency.id not in currencies
    ]
    if dropped:
        raise FaultyRules([rules_fault(path, "in_use", name=key) for path, key in dropped])


def merged(document: NamedValues, change: NamedValues) -> dict[str, Any]:
    """Return a document with a change: mappings key by key, lists and values whole."""
    result = dict(document)
    for key, value in change.items():
        before = result.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            value = merged(before, value)
        result[key] = value
    return result
