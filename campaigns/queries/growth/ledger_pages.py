"""The ledger of a warband, and of its whole campaign: every row of the log in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Max, Q

from accounts.pagination import load_page
from battles.models import BattleSide
from campaigns.models import CampaignWarband, GrowthRow, GrowthRowKind
from campaigns.queries.growth.cards import choice_name, rows_of
from campaigns.queries.growth.names import CampaignNames, load_campaign_names
from campaigns.queries.growth.warband_pages import load_names
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.growth import dues
from engine.growth import log as acts
from engine.growth.payloads import from_payload
from engine.records import frozen_dataclass
from warbands.queries.records import RowsPage

ROWS_PER_PAGE = 30
UNIT_ROWS_MOST = 100
STATES = {
    dues.CHOICE: "waits for a choice",
    dues.ASIDE: "no longer called for",
    dues.WAITS: "waits until it is called for",
    dues.TAKEN_BACK: "reversed",
}
"""What became of an answer that does not simply count."""
UNIT_FIELDS = ("into", "bearer", "seeker", "source", "who")
"""The fields of acts that name a unit by its key."""


# What the page shows


@frozen_dataclass
class LedgerLine:
    """A row of a ledger in words, with what became of it ("" where it counts).

    ``due`` or ``act`` names what may be taken back, and both are empty where nothing may.
    """

    words: str
    state: str
    author: str
    reason: str
    is_typed: bool
    at: datetime
    due: str = ""
    act: int | None = None


@frozen_dataclass
class LedgerPage:
    """A page of the ledger of a warband; ``warband`` is "" where none is founded."""

    warband: str
    name: str
    lines: RowsPage[LedgerLine] | None
    is_hidden: bool = False


# Loading


def load_ledger_page(
    event: ClubEventRecord, entry: EntryRecord, *, is_hidden: bool, page: int = 1
) -> LedgerPage:
    """Return a page of a ledger, the latest row first.

    At most four queries; no row is read where the roster is hidden, for rows name units and gear.
    """
    names, row = load_names(event, entry)
    if row is None:
        return LedgerPage("", "", None)
    if is_hidden:
        return LedgerPage(row.token, row.name, None, is_hidden=True)
    own = Q(warband=row) | Q(
        kind=GrowthRowKind.RESULT, fixture__token__in=_games(names, row)
    )
    rows = GrowthRow.objects.filter(own | Q(kind=GrowthRowKind.RULES))
    rows = rows.select_related("author")
    may_reverse = _reversal_check(event, entry, row)
    is_reversible = _only_latest(names, may_reverse)
    line = partial(_line, names, row.token, is_reversible, shows_reason=event.reads_reasons)
    found = load_page(rows.order_by("-position"), line, page=page, per_page=ROWS_PER_PAGE)
    return LedgerPage(row.token, row.name, found)


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
    """Return whether an entry of the log names a unit of a warband."""
    if getattr(entry, "warband", "") != warband:
        return False
    due = getattr(entry, "due", "") or ""
    named = {part.partition("#")[0] for part in due.split("/")}
    named |= {getattr(entry, field, "") for field in UNIT_FIELDS}
    joiner = getattr(entry, "joiner", None)
    return unit in named or (joiner is not None and joiner.key == unit)


def _reversal_check(
    event: ClubEventRecord, entry: EntryRecord, warband: CampaignWarband
) -> Callable[[GrowthRow], bool]:
    """Return which rows the reader may take back, as operations on withdrawals decide. One query.

    Organisers may with a reason; a player what they gave, but for searches, until the next battle.
    """
    if event.may_organise:
        return lambda row: True
    if not entry.is_mine:
        return lambda row: False
    battles = BattleSide.objects.filter(warband=warband.warband_id)
    last = battles.order_by().aggregate(last=Max("battle__created_at"))["last"]

    def may_reverse(row: GrowthRow) -> bool:
        is_own = row.author_id == entry.user_id
        is_search = row.kind == GrowthRowKind.ACT and row.payload.get("act") == "search"
        return is_own and not is_search and (last is None or last <= row.at)

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
    return f"{_act_words(names, act)[0]}."


def _line(
    names: CampaignNames,
    warband: str,
    may_reverse: Callable[[GrowthRow], bool],
    row: GrowthRow,
    *,
    shows_reason: bool,
) -> LedgerLine:
    """Return a row in words."""
    words, state = _words(names, row, warband)
    is_answer, is_act = row.kind == GrowthRowKind.ANSWER, row.kind == GrowthRowKind.ACT
    # What does not count cannot be taken back; what waits for a choice has its dice already.
    counts = not state or state == STATES[dues.CHOICE]
    may_go = counts and may_reverse(row)
    return LedgerLine(
        words=words,
        state=state,
        author=row.author.display_name if row.author else "",
        reason=row.reason if shows_reason else "",
        is_typed=row.is_typed,
        at=row.at,
        due=row.due if is_answer and may_go else "",
        act=row.act if is_act and may_go else None,
    )


# The whole ledger


@frozen_dataclass
class LedgerEntry:
    """A row of a campaign's ledger for a file. What belongs to no warband has no player."""

    position: int
    kind: str
    player: str
    line: LedgerLine


def load_ledger_entries(
    event: ClubEventRecord, entries: Sequence[EntryRecord], *, hides: bool
) -> tuple[LedgerEntry, ...]:
    """Return the whole ledger of a campaign, the first row first. Three queries.

    ``hides``: rosters are secret, so rows of others are left out, for they name units and gear.
    """
    names = load_campaign_names(event)
    own = {one.id for one in entries if one.is_mine}
    hidden = [row for row in names.rows.values() if hides and row.entry_id not in own]
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


# Each kind of row in words


def _words(names: CampaignNames, row: GrowthRow, warband: str) -> tuple[str, str]:
    """Return what a row says, and what became of it; ``warband`` is whose ledger is read."""
    if row.kind == GrowthRowKind.RULES:
        return _rules_words(row), ""
    entry: Any = from_payload(row.kind, row.payload)
    if isinstance(entry, acts.FixtureResult):
        return _result_words(names, entry, warband), _result_state(names, row, entry)
    if isinstance(entry, acts.Founding):
        models = sum(one.count for one in entry.joiners)
        return f"Founded with {models} models", ""
    if isinstance(entry, dues.DueAnswer):
        state = names.ledger.state.answers.get((entry.warband, entry.due), "")
        return _answer_words(names, entry), STATES.get(state, "")
    if isinstance(entry, acts.TakeBack):
        what = names.due_words(entry.warband, entry.due) if entry.due else "a purchase"
        return f"Reversed: {what}", ""
    return _act_words(names, entry)


def _rules_words(row: GrowthRow) -> str:
    """Return which rules hold, and from when on."""
    said = row.payload
    what = "Campaign rules" if said.get("is_whole", True) else "Changes of campaign rules"
    since = ", from the start" if said.get("from_start") and row.position > 1 else ""
    name = said["document"].get("name") or said.get("rules")
    return f"{what}: {name}, version {said.get('version')}{since}"


def _result_words(names: CampaignNames, one: acts.FixtureResult, warband: str) -> str:
    """Return a result as a warband had it, or of all sides where nobody's ledger is read."""
    if warband not in one.sides:
        sides = " against ".join(names.warband(side) for side in one.sides)
        won = f"{names.warband(one.winner)} won" if one.winner else "draw"
        return f"Result of {sides}: {won}"
    others = " and ".join(names.warband(side) for side in one.sides if side != warband)
    out = ", ".join(names.unit(warband, each.who) for each in one.out.get(warband, ()))
    return f"Game against {others}: {one.word_for(warband)}" + (
        f", out of action: {out}" if out else ""
    )


def _result_state(names: CampaignNames, row: GrowthRow, one: acts.FixtureResult) -> str:
    """Return whether a result counts now: the last report of a game alone does."""
    told = names.ledger.of(GrowthRowKind.RESULT)
    last = max(r.position for r in told if r.payload["fixture"] == one.fixture)
    if row.position < last:
        return "replaced by a later report"
    return "" if one.status == acts.COUNTED else f"does not count: {one.status}"


def _answer_words(names: CampaignNames, entry: dues.DueAnswer) -> str:
    """Return an answer: what was asked, the dice, and what was chosen.

    The row is that of now: a correction may have put another table in the place of the first.
    """
    key = (entry.warband, entry.due)
    said = [names.due_words(*key)]
    if entry.faces:
        rolled = names.ledger.state.rolled.get(key)
        dice = ", ".join(map(str, entry.faces))
        # Beside a ruling the dice mean nothing.
        counts = rolled is not None and names.ledger.answers[key].row is None
        said.append(f"{dice} ({rolled.name})" if rolled and counts else dice)
    if entry.row is not None:
        said.append(_ruling(names, entry))
    if entry.choice:
        said.append(choice_name(names, entry.warband, entry.due, entry.choice))
    return ": ".join((said[0], ", ".join(said[1:]))) if said[1:] else said[0]


def _ruling(names: CampaignNames, entry: dues.DueAnswer) -> str:
    """Return what an organiser ruled."""
    rows = dict(rows_of(names, entry.warband, entry.due))
    row = rows.get(str(entry.row), "")
    return f"ruled by an organiser as {row}" if row else "ruled by an organiser"


def _act_words(names: CampaignNames, act: acts.GrowthAct) -> tuple[str, str]:
    """Return an act with what was paid for it, and what became of it."""
    outcome = names.ledger.state.acts.get(act.number)
    words = ACTS[type(act)](names, act)
    # The fold leaves out what was taken back.
    if outcome is None:
        return words, STATES[dues.TAKEN_BACK]
    if outcome.why:
        return words, f"does not count: {outcome.why}"
    if not outcome.is_found:
        return f"{words}: not found", ""
    # Only what was looked for has dice.
    if getattr(act, "faces", ()):
        words += ": found"
    if outcome.paid:
        prices = names.rules.prices
        words += f", {prices.of(outcome.paid)} {names.currency(prices.currency)}"
    return words, ""


def _recruit(names: CampaignNames, act: acts.RecruitAct) -> str:
    """Return who joined, and how many of them.

    Somebody who was taken back is in the log alone, so the name given then is used first.
    """
    who = names.joiner(act.warband, act.joiner)
    count = f", {act.joiner.count} models" if act.joiner.count > 1 else ""
    if not act.rarity:
        return f"Recruited {who}{count}"
    dice, seeker = ", ".join(map(str, act.faces)), names.unit(act.warband, act.seeker)
    return f"{seeker} looked for {who}{count} ({dice})"


def _search(names: CampaignNames, act: acts.SearchAct) -> str:
    """Return who looked for what, with the dice.

    Whether it was found is told of the act, not of its row.
    """
    dice = ", ".join(map(str, act.faces))
    good, seeker = names.gear(act.warband, act.item), names.unit(act.warband, act.seeker)
    return f"{seeker} looked for {good} ({dice})"


def _moved(verb: str, names: CampaignNames, act: acts.SellAct | acts.GiveAct) -> str:
    piece, source = names.gear(act.warband, act.item), names.bearer(act.warband, act.source)
    return f"{verb} {piece} from {source}"


def _give(names: CampaignNames, act: acts.GiveAct) -> str:
    """Return what changed hands, from whom and to whom."""
    return f"{_moved('Gave', names, act)} to {names.bearer(act.warband, act.bearer)}"


def _buy(names: CampaignNames, act: acts.BuyAct) -> str:
    """Return what was bought for whom; a group bought one for each model."""
    piece, bearer = names.gear(act.warband, act.item), names.bearer(act.warband, act.bearer)
    return f"Bought {piece} for {bearer}"


ACTS: Mapping[type[Any], Callable[[CampaignNames, Any], str]] = {
    acts.RecruitAct: _recruit,
    acts.EnlargeAct: lambda names, act: (
        f"{act.count} more for {names.unit(act.warband, act.into)}"
    ),
    acts.BuyAct: _buy,
    acts.SearchAct: _search,
    acts.SellAct: partial(_moved, "Sold"),
    acts.GiveAct: _give,
    acts.DismissAct: lambda names, act: (
        f"Dismissed {act.count} of {names.unit(act.warband, act.who)}"
    ),
    acts.DisbandAct: lambda names, act: "Disbanded",
    acts.AdjustMoneyAct: lambda names, act: (
        f"Organiser’s adjustment: {act.amount:+} {names.currency(act.currency)}"
    ),
    acts.AdjustExperienceAct: lambda names, act: (
        f"Organiser’s adjustment: {act.experience:+} experience for "
        f"{names.unit(act.warband, act.who)}"
    ),
    acts.UnfoughtAct: lambda names, act: f"Game not fought: {act.word}",
}
"""What each act is called."""
