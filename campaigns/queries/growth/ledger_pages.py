"""The ledger of a warband, and of its whole campaign: every row of the log in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Max, Q, QuerySet

from accounts.pagination import load_page
from battles.models import BattleSide
from campaigns.models import CampaignWarband, Fixture, GrowthRow, GrowthRowKind
from campaigns.queries.growth.ledger_words import STATES, act_words, row_words
from campaigns.queries.growth.names import CampaignNames, load_campaign_names
from campaigns.queries.growth.warband_pages import load_names
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from engine.growth import dues
from engine.growth import log as acts
from engine.records import Numbers, frozen_dataclass
from warbands.queries.records import RowsPage

ROWS_PER_PAGE = 30
UNIT_ROWS_MOST = 100
GEAR = ("buy", "search")
"""The acts that buy gear, which somebody else may get."""
UNIT_FIELDS = ("into", "bearer", "seeker", "source", "who")
"""The fields of acts that name a unit by its key."""


# What the page shows


@frozen_dataclass
class LedgerLine:
    """A row of a ledger in words, with what became of it ("" where it counts).

    ``due`` or ``act`` names what may be taken back, and both are empty where nothing may.
    ``aside`` is the number of an act that does not count, where the reader may leave it out, and
    ``is_gear`` whether somebody else may get what it bought.
    """

    words: str
    state: str
    author: str
    reason: str
    is_typed: bool
    at: datetime
    due: str = ""
    act: int | None = None
    aside: int | None = None
    is_gear: bool = False


@frozen_dataclass
class LedgerFilter:
    """Which rows of a ledger are read: those of a unit, of a round, or of both."""

    unit: str = ""
    round: int | None = None


EVERYTHING = LedgerFilter()


@frozen_dataclass
class LedgerPage:
    """A page of the ledger of a warband; ``warband`` is "" where none is founded.

    ``units`` and ``rounds`` may be filtered by, ``bearers`` get what was bought for somebody else.
    """

    warband: str
    name: str
    lines: RowsPage[LedgerLine] | None
    is_hidden: bool = False
    units: Choices = ()
    rounds: Numbers = ()
    bearers: Choices = ()


# Loading


def load_ledger_page(
    event: ClubEventRecord,
    entry: EntryRecord,
    *,
    page: int = 1,
    wanted: LedgerFilter = EVERYTHING,
) -> LedgerPage:
    """Return a page of a ledger, the latest row first.

    At most seven queries; no row is read where the roster is hidden.
    """
    names, row = load_names(event, entry)
    if row is None:
        return LedgerPage("", "", None)
    if event.hides(entry.token):
        return LedgerPage(row.token, row.name, None, is_hidden=True)
    numbers = dict(
        Fixture.objects.filter(round__event_id=event.id)
        .order_by()
        .values_list("token", "round__number")
    )
    games = _games(names, row)
    rows = _rows(row, games).select_related("author")
    if wanted != EVERYTHING:
        rows = rows.filter(position__in=_positions(names, row.token, wanted, numbers))
    may_reverse = _reversal_check(names, event, entry, row)
    is_reversible = _only_latest(names, may_reverse)
    line = partial(_line, names, row.token, is_reversible, shows_reason=event.reads_reasons)
    found = load_page(rows.order_by("-position"), line, page=page, per_page=ROWS_PER_PAGE)
    grown = names.ledger.state.warbands[row.token]
    free = [
        (one.key, names.unit_name(row.token, one))
        for one in grown.warriors.values()
        if one.is_free
    ]
    return LedgerPage(
        warband=row.token,
        name=row.name,
        lines=found,
        units=tuple((key, names.unit(row.token, key)) for key in grown.warriors),
        rounds=tuple(sorted({numbers[game] for game in games if game in numbers})),
        bearers=(*free, (acts.STASH, "Stash")),
    )


def _rows(row: CampaignWarband, games: set[str]) -> QuerySet[GrowthRow]:
    """Return the rows of a ledger: the warband's own, results of its games, and the rules."""
    results = Q(kind=GrowthRowKind.RESULT, fixture__token__in=games)
    shared = results | Q(kind=GrowthRowKind.RULES)
    # The rules are those of this event; a warband and its games are of no other.
    return GrowthRow.objects.filter(Q(warband=row) | shared, event_id=row.entry.event_id)


def _positions(
    names: CampaignNames, warband: str, wanted: LedgerFilter, numbers: Mapping[str, int]
) -> list[int]:
    """Return the places of the rows that are asked for.

    A row is of the round of its game; what is of no game, of the latest round told before it.
    """
    found, latest = [], 0
    for row in names.ledger.log.rows:
        game, entry = _game_of(row.entry), row.entry
        number = numbers.get(game, latest)
        if isinstance(entry, acts.FixtureResult) and warband in entry.sides:
            latest = max(latest, number)
        is_of_unit = not wanted.unit or _is_about(entry, warband, wanted.unit)
        if is_of_unit and wanted.round in (None, number):
            found.append(row.position)
    return found


def _game_of(entry: Any) -> str:
    """Return the game that an entry of the log is of, "" for none."""
    due: str = getattr(entry, "due", "") or ""
    return getattr(entry, "fixture", "") or due.partition("/")[0]


def _games(names: CampaignNames, row: CampaignWarband) -> set[str]:
    """Return the games whose result was ever told of a warband."""
    told = (one.payload for one in names.ledger.of(GrowthRowKind.RESULT))
    return {one["fixture"] for one in told if row.token in one["sides"]}


def load_unit_lines(
    names: CampaignNames, row: CampaignWarband, unit: str, *, shows_reason: bool
) -> tuple[LedgerLine, ...]:
    """Return the latest rows about a unit, the latest first. One query."""
    about = [
        one.position
        for one in names.ledger.log.rows
        if _is_about(one.entry, row.token, unit)
    ]
    rows = GrowthRow.objects.filter(warband=row, position__in=about[-UNIT_ROWS_MOST:])
    found = rows.select_related("author").order_by("-position")
    # What is reversed is reversed in the ledger, beside what came before and after.
    return tuple(
        _line(names, row.token, lambda one: False, one, shows_reason=shows_reason)
        for one in found
    )


def _is_about(entry: Any, warband: str, unit: str) -> bool:
    """Return whether an entry of the log names a unit of a warband, or a battle that it fought."""
    if isinstance(entry, acts.FixtureResult):
        return unit in entry.fielded.get(warband, ())
    if getattr(entry, "warband", "") != warband:
        return False
    due = getattr(entry, "due", "") or ""
    named = {part.partition("#")[0] for part in due.split("/")}
    named |= {getattr(entry, field, "") for field in UNIT_FIELDS}
    joiner = getattr(entry, "joiner", None)
    return unit in named or (joiner is not None and joiner.key == unit)


def _reversal_check(
    names: CampaignNames,
    event: ClubEventRecord,
    entry: EntryRecord,
    warband: CampaignWarband,
) -> Callable[[GrowthRow], bool]:
    """Return which rows the reader may take back, as operations on withdrawals decide. One query.

    Organisers may with a reason; a player what they gave, but for searches, until the next battle,
    and whatever of it was set aside.
    """
    if event.may_organise:
        return lambda row: True
    if not entry.is_mine:
        return lambda row: False
    battles = BattleSide.objects.filter(warband=warband.warband_id)
    last = battles.order_by().aggregate(last=Max("battle__created_at"))["last"]

    def may_reverse(row: GrowthRow) -> bool:
        """Return whether the player wrote the row and may still take it back."""
        if row.author_id != entry.user_id:
            return False
        is_search = row.kind == GrowthRowKind.ACT and row.payload.get("act") == "search"
        is_before = last is None or last <= row.at
        return _is_aside(names, row) or (is_before and not is_search)

    return may_reverse


def _only_latest(
    names: CampaignNames, may_reverse: Callable[[GrowthRow], bool]
) -> Callable[[GrowthRow], bool]:
    """Return the same, of the answers to one due for the last alone: an earlier one is replaced."""
    latest = {
        (row.entry.warband, row.entry.due): row.position
        for row in names.ledger.log.rows
        if isinstance(row.entry, dues.DueAnswer)
    }
    positions = set(latest.values())

    def check(row: GrowthRow) -> bool:
        is_answer = row.kind == GrowthRowKind.ANSWER
        return may_reverse(row) and (not is_answer or row.position in positions)

    return check


def load_act_words(event: ClubEventRecord, entry: EntryRecord, number: int) -> str:
    """Return an act that was just written, in a sentence. Two queries."""
    names, _ = load_names(event, entry)
    found = (row.entry for row in reversed(names.ledger.log.rows))
    act = next(
        one for one in found if isinstance(one, acts.GrowthAct) and one.number == number
    )
    return f"{act_words(names, act)[0]}."


def _line(
    names: CampaignNames,
    warband: str,
    may_reverse: Callable[[GrowthRow], bool],
    row: GrowthRow,
    *,
    shows_reason: bool,
) -> LedgerLine:
    """Return a row in words."""
    words, state = row_words(names, row, warband)
    line = LedgerLine(
        words=words,
        state=state,
        author=row.author.display_name if row.author else "",
        reason=row.reason if shows_reason else "",
        is_typed=row.is_typed,
        at=row.at,
    )
    return _with_reversal(names, line, row) if may_reverse(row) else line


def _with_reversal(names: CampaignNames, line: LedgerLine, row: GrowthRow) -> LedgerLine:
    """Return a row with what may be taken back of it."""
    if row.kind == GrowthRowKind.ACT:
        if _is_aside(names, row):
            return replace(line, aside=row.act, is_gear=row.payload["act"] in GEAR)
        return line if line.state else replace(line, act=row.act)
    # What does not count cannot be taken back; what waits for a choice has its dice already.
    counts = line.state in ("", STATES[dues.CHOICE])
    is_answer = row.kind == GrowthRowKind.ANSWER
    return replace(line, due=row.due) if is_answer and counts else line


def _is_aside(names: CampaignNames, row: GrowthRow) -> bool:
    """Return whether an act cannot be where it stands."""
    outcome = names.ledger.state.acts.get(row.act or 0)
    return outcome is not None and bool(outcome.why)


# The whole ledger


@frozen_dataclass
class LedgerEntry:
    """A row of a campaign's ledger for a file. What belongs to no warband has no player."""

    position: int
    kind: str
    player: str
    line: LedgerLine


def load_ledger_entries(event: ClubEventRecord) -> tuple[LedgerEntry, ...]:
    """Return the whole ledger of a campaign, the first row first. Three queries.

    Rows of hidden warbands are left out.
    """
    names = load_campaign_names(event)
    hidden = [row for row in names.rows.values() if event.hides(row.entry.token)]
    rows = GrowthRow.objects.filter(event_id=event.id).select_related("author")
    shown = rows.exclude(warband__in=[row.pk for row in hidden]).order_by("position")
    return tuple(_entry(names, row, shows_reason=event.reads_reasons) for row in shown)


def _entry(names: CampaignNames, row: GrowthRow, *, shows_reason: bool) -> LedgerEntry:
    """Return a row of the ledger in words."""
    whose = [one for one in names.rows.values() if one.pk == row.warband_id]
    return LedgerEntry(
        position=row.position,
        kind=row.kind.replace("_", " "),
        player=whose[0].entry.name if whose else "",
        line=_line(names, "", lambda row: False, row, shows_reason=shows_reason),
    )
