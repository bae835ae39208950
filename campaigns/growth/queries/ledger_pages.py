"""The ledger of a warband, and of its whole campaign: every row of the log in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Max, Q

from accounts.pagination import load_page
from battles.models import BattleSide
from campaigns.growth.payloads import from_payload
from campaigns.growth.queries.phrases import ANSWER_STATES
from campaigns.growth.queries.presenter import CampaignPresenter, load_campaign
from campaigns.growth.queries.warbands import load_with_warband
from campaigns.models import CampaignWarband, Fixture, GrowthRow, GrowthRowKind
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from engine.growth import dues, log
from engine.records import Numbers, frozen_dataclass
from warbands.queries.records import RowsPage

ROWS_PER_PAGE = 30
UNIT_ROWS_MOST = 100
GEAR = ("buy", "search")
"""The acts that buy gear, which somebody else may get."""
UNIT_FIELDS = ("into", "bearer", "seeker", "source", "who")
"""The fields of acts that name a unit by its key."""
SHARE_NEAR = 30
"""How few acts are left when a page says so."""
Reversal = Callable[[GrowthRow], bool]
"""Whether the reader may take a row back."""


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

    warband: str = ""
    name: str = ""
    lines: RowsPage[LedgerLine] | None = None
    is_hidden: bool = False
    units: Choices = ()
    rounds: Numbers = ()
    bearers: Choices = ()
    share: str = ""


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
    campaign, row = load_with_warband(event, entry)
    if row is None:
        return LedgerPage()
    if event.hides(entry.token):
        return LedgerPage(row.token, row.name, is_hidden=True)
    fixtures = Fixture.objects.filter(round__event_id=event.id).order_by()
    numbers = dict(fixtures.values_list("token", "round__number"))
    results = (result.payload for result in campaign.ledger.of(GrowthRowKind.RESULT))
    games = {result["fixture"] for result in results if row.token in result["sides"]}
    # The rules are those of this event; a warband and its games are of no other.
    rows = GrowthRow.objects.filter(
        Q(warband=row)
        | Q(kind=GrowthRowKind.RESULT, fixture__token__in=games)
        | Q(kind=GrowthRowKind.RULES),
        event_id=event.id,
    ).select_related("author")
    if wanted != EVERYTHING:
        rows = rows.filter(position__in=_positions(campaign, row.token, wanted, numbers))
    may_reverse = _reversal_check(campaign, entry, row)
    line = partial(_line, campaign, row.token, may_reverse)
    warriors = campaign.state.warbands[row.token].warriors
    free = [
        (key, campaign.unit(row.token, key)) for key, one in warriors.items() if one.is_free
    ]
    return LedgerPage(
        warband=row.token,
        name=row.name,
        lines=load_page(
            rows.order_by("-position"), line, page=page, per_page=ROWS_PER_PAGE
        ),
        units=tuple((key, campaign.unit(row.token, key)) for key in warriors),
        rounds=tuple(sorted({numbers[game] for game in games if game in numbers})),
        bearers=(*free, (log.STASH, "Stash")),
        share=share_words(campaign.ledger.log, row.token),
    )


def _positions(
    campaign: CampaignPresenter,
    warband: str,
    wanted: LedgerFilter,
    numbers: Mapping[str, int],
) -> list[int]:
    """Return the places of the rows that are asked for.

    A row is of the round of its game; what is of no game, of the latest round told before it.
    """
    positions, latest = [], 0
    for row in campaign.ledger.log.rows:
        entry: Any = row.entry
        due: str = getattr(entry, "due", "") or ""
        game = getattr(entry, "fixture", "") or due.partition("/")[0]
        number = numbers.get(game, latest)
        if isinstance(entry, log.FixtureResult) and warband in entry.sides:
            latest = max(latest, number)
        is_of_unit = not wanted.unit or _is_about(entry, warband, wanted.unit)
        if is_of_unit and wanted.round in (None, number):
            positions.append(row.position)
    return positions


def load_unit_lines(
    campaign: CampaignPresenter, row: CampaignWarband, unit: str
) -> tuple[LedgerLine, ...]:
    """Return the latest rows about a unit, the latest first. One query."""
    positions = [
        entry.position
        for entry in campaign.ledger.log.rows
        if _is_about(entry.entry, row.token, unit)
    ]
    rows = GrowthRow.objects.filter(
        warband=row, position__in=positions[-UNIT_ROWS_MOST:]
    ).select_related("author")
    # What is reversed is reversed in the ledger, beside what came before and after.
    return tuple(
        _line(campaign, row.token, _never, each) for each in rows.order_by("-position")
    )


def _is_about(entry: Any, warband: str, unit: str) -> bool:
    """Return whether an entry of the log names a unit of a warband, or a battle that it fought."""
    if isinstance(entry, log.FixtureResult):
        return unit in entry.fielded.get(warband, ())
    if getattr(entry, "warband", "") != warband:
        return False
    due = getattr(entry, "due", "") or ""
    keys = {part.partition("#")[0] for part in due.split("/")}
    keys |= {getattr(entry, field, "") for field in UNIT_FIELDS}
    joiner = getattr(entry, "joiner", None)
    return unit in keys or (joiner is not None and joiner.key == unit)


def _never(row: GrowthRow) -> bool:
    """Return that nobody takes a row back here."""
    return False


def _reversal_check(
    campaign: CampaignPresenter, entry: EntryRecord, warband: CampaignWarband
) -> Reversal:
    """Return which rows the reader may take back, as operations on withdrawals decide. One query.

    Organisers may with a reason; a player what they gave, but for searches, until the next battle,
    and whatever of it was set aside. Of the answers to one due the last alone: an earlier one is
    replaced.
    """
    is_organiser: bool = campaign.event.may_organise
    if not (is_organiser or entry.is_mine):
        return _never
    battles = BattleSide.objects.filter(warband=warband.warband_id).order_by()
    last = (
        None if is_organiser else battles.aggregate(last=Max("battle__created_at"))["last"]
    )
    positions = _find_last_answers(campaign.ledger.log)

    def may_reverse(row: GrowthRow) -> bool:
        if row.kind == GrowthRowKind.ANSWER and row.position not in positions:
            return False
        if is_organiser or row.author_id != entry.user_id:
            return is_organiser
        is_before = last is None or last <= row.at
        return _is_aside(campaign, row) or (is_before and not _is_search(row))

    return may_reverse


def _is_search(row: GrowthRow) -> bool:
    """Return whether a row is an act that searches for gear."""
    return bool(row.kind == GrowthRowKind.ACT and row.payload.get("act") == "search")


def _find_last_answers(campaign_log: log.CampaignLog) -> set[int]:
    """Return the positions of the last answer to each due."""
    positions = {
        (row.entry.warband, row.entry.due): row.position
        for row in campaign_log.rows
        if isinstance(row.entry, dues.DueAnswer)
    }
    return set(positions.values())


def load_act_words(event: ClubEventRecord, entry: EntryRecord, number: int) -> str:
    """Return an act that was just written, in a sentence. Two queries."""
    campaign, _ = load_with_warband(event, entry)
    entries = (row.entry for row in reversed(campaign.ledger.log.rows))
    acts = (entry for entry in entries if isinstance(entry, log.GrowthAct))
    return f"{campaign.act(next(act for act in acts if act.number == number))[0]}."


def _line(
    campaign: CampaignPresenter, warband: str, may_reverse: Reversal, row: GrowthRow
) -> LedgerLine:
    """Return a row in words, with what may be taken back of it."""
    words, state = row_words(campaign, row, warband)
    line = LedgerLine(
        words=words,
        state=state,
        author=row.author.display_name if row.author else "",
        reason=row.reason if campaign.event.reads_reasons else "",
        is_typed=row.is_typed,
        at=row.at,
    )
    if not may_reverse(row):
        return line
    if row.kind == GrowthRowKind.ACT:
        if _is_aside(campaign, row):
            return replace(line, aside=row.act, is_gear=row.payload["act"] in GEAR)
        return line if state else replace(line, act=row.act)
    # What does not count cannot be taken back; what waits for a choice has its dice already.
    counts = state in ("", ANSWER_STATES[dues.CHOICE])
    is_answer = row.kind == GrowthRowKind.ANSWER
    return replace(line, due=row.due) if is_answer and counts else line


def _is_aside(campaign: CampaignPresenter, row: GrowthRow) -> bool:
    """Return whether an act cannot be where it stands."""
    outcome = campaign.state.acts.get(row.act or 0)
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
    campaign = load_campaign(event)
    players = {row.pk: row.entry for row in campaign.rows.values()}
    hidden = [pk for pk, entry in players.items() if event.hides(entry.token)]
    rows = GrowthRow.objects.filter(event_id=event.id).select_related("author")
    return tuple(
        LedgerEntry(
            position=row.position,
            kind=row.kind.replace("_", " "),
            player=players[row.warband_id].name if row.warband_id in players else "",
            line=_line(campaign, "", _never, row),
        )
        for row in rows.exclude(warband__in=hidden).order_by("position")
    )


# Rows in words


def row_words(campaign: CampaignPresenter, row: GrowthRow, warband: str) -> tuple[str, str]:
    """Return what a row says, and what became of it; ``warband`` is whose ledger is read."""
    if row.kind == GrowthRowKind.RULES:
        return _describe_rules(row), ""
    entry: Any = from_payload(row.kind, row.payload)
    if isinstance(entry, log.FixtureResult):
        state = _describe_outcome(campaign, entry, row.position)
        return _result_words(campaign, entry, warband), state
    if isinstance(entry, log.Founding):
        return f"Founded with {sum(joiner.count for joiner in entry.joiners)} models", ""
    if isinstance(entry, dues.DueAnswer):
        state = campaign.state.answers.get((entry.warband, entry.due), dues.COUNTS)
        return _answer_words(campaign, entry), ANSWER_STATES[state]
    if isinstance(entry, log.TakeBack):
        is_due = bool(entry.due)
        what = campaign.due_words(entry.warband, entry.due) if is_due else "a purchase"
        return f"Reversed: {what}", ""
    return campaign.act(entry)


RULES_CHANGED = "Changes of campaign rules"


def _describe_rules(row: GrowthRow) -> str:
    """Return which campaign rules a row brought, and since when they hold."""
    payload = row.payload
    what = "Campaign rules" if payload.get("is_whole", True) else RULES_CHANGED
    since = ", from the start" if payload.get("from_start") and row.position > 1 else ""
    name = payload["document"].get("name") or payload.get("rules")
    return f"{what}: {name}, version {payload.get('version')}{since}"


def _describe_outcome(
    campaign: CampaignPresenter, result: log.FixtureResult, position: int
) -> str:
    """Return what became of the result at a position of the log, "" where it counts."""
    results = campaign.ledger.of(GrowthRowKind.RESULT)
    same = [row for row in results if row.payload["fixture"] == result.fixture]
    if position < same[-1].position:
        return "replaced by a later report"
    return "" if result.status == log.COUNTED else f"does not count: {result.status}"


def _result_words(
    campaign: CampaignPresenter, result: log.FixtureResult, warband: str
) -> str:
    """Return a result as a warband had it, or of all sides where nobody's ledger is read."""
    if warband not in result.sides:
        sides = " against ".join(map(campaign.warband, result.sides))
        won = f"{campaign.warband(result.winner)} won" if result.winner else "draw"
        return f"Result of {sides}: {won}"
    others = [campaign.warband(side) for side in result.sides if side != warband]
    models = result.out.get(warband, ())
    out = ", ".join(campaign.unit(warband, model.who) for model in models)
    return f"Game against {' and '.join(others)}: {result.word_for(warband)}" + (
        f", out of action: {out}" if out else ""
    )


def _answer_words(campaign: CampaignPresenter, entry: dues.DueAnswer) -> str:
    """Return an answer: what was asked, the dice, and what was chosen.

    The row is that of now: a correction may have put another table in the place of the first.
    """
    key = (entry.warband, entry.due)
    parts = []
    if entry.faces:
        rolled = campaign.state.rolled.get(key)
        dice = ", ".join(map(str, entry.faces))
        # Beside a ruling the dice mean nothing.
        counts = rolled is not None and campaign.ledger.answers[key].row is None
        parts.append(f"{dice} ({rolled.name})" if rolled and counts else dice)
    if entry.row is not None:
        row = dict(campaign.ruling_rows(*key)).get(str(entry.row), "")
        parts.append(f"ruled by an organiser as {row}" if row else "ruled by an organiser")
    if entry.choice:
        parts.append(campaign.choice(*key, entry.choice))
    asked = campaign.due_words(*key)
    return f"{asked}: {', '.join(parts)}" if parts else asked


def share_words(campaign_log: log.CampaignLog, warband: str) -> str:
    """Return how often a warband may still act or reverse before its next game, "" for often."""
    left = log.ACTS_MOST - log.acts_since_game(campaign_log, warband)
    if left > SHARE_NEAR:
        return ""
    most = f"{log.ACTS_MOST} purchases, sales and reversals"
    if left < 1:
        return f"All {most} until the next game are used. An organiser can go on."
    return f"{left} of {most} are left until the next game."
