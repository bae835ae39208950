"""The ledger of a warband, and of its whole campaign: every row of the log in words."""

from __future__ import annotations

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
from campaigns.models import CampaignWarband, GrowthRow, GrowthRowKind
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.growth import dues, log
from engine.growth.warriors import STASH
from engine.records import Fields, frozen_dataclass

ROWS_PER_PAGE = 30
UNIT_ROWS_MOST = 100
SHARE_NEAR = 30
"""How few acts are left when a page says so."""
UNIT_FIELDS = ("into", "bearer", "seeker", "source", "who")
"""The fields of acts that name a unit by its key."""


@frozen_dataclass
class LedgerLine:
    """A row of a ledger in words, with what became of it ("" where it counts).

    ``may_reverse``: the reader may take it back. ``may_leave_out``: an act that does not count.
    """

    row: GrowthRow
    text: str
    state: str
    may_reverse: bool
    may_leave_out: bool


# Loading


def load_ledger_page(
    event: ClubEventRecord,
    entry: EntryRecord,
    *,
    page: int = 1,
    unit: str,
    number: int | None,
) -> Fields:
    """Return a page of a ledger, the latest row first: all rows or those of a unit and a round.

    It is empty where no warband is founded. ``units`` and ``rounds`` may be filtered by,
    ``bearers`` get what was bought for somebody else. At most seven queries; no row is read where
    the roster is hidden.
    """
    campaign, row = load_with_warband(event, entry)
    if row is None:
        return {}
    head: Fields = {"warband": row.token, "name": row.name}
    if event.hides(entry.token):
        return {**head, "is_hidden": True}
    results = (result.payload for result in campaign.ledger.of(GrowthRowKind.RESULT))
    games = {result["fixture"] for result in results if row.token in result["sides"]}
    # The rules are those of this event; a warband and its games are of no other.
    rows = GrowthRow.objects.filter(
        Q(warband=row)
        | Q(kind=GrowthRowKind.RESULT, fixture__token__in=games)
        | Q(kind=GrowthRowKind.RULES),
        event_id=event.id,
    ).select_related("author")
    if unit:
        rows = rows.filter(position__in=_positions_about(campaign, row.token, unit))
    if number is not None:
        positions = _positions_in_round(campaign, row.token, number)
        rows = rows.filter(position__in=positions)
    warriors = campaign.state.warbands[row.token].warriors
    units = tuple((key, campaign.unit(row.token, key)) for key in warriors)
    free = [choice for choice in units if warriors[choice[0]].is_free]
    check, rounds = ReversalCheck(campaign, entry, row), campaign.rounds
    return {
        **head,
        "lines": load_page(
            rows.order_by("-position"),
            partial(_build_line, campaign, row.token, check),
            page=page,
            per_page=ROWS_PER_PAGE,
        ),
        "units": units,
        "rounds": sorted({rounds[game] for game in games & rounds.keys()}),
        "bearers": (*free, (STASH, "Stash")),
        "share": share_words(campaign.ledger.log, row.token),
    }


def _positions_in_round(
    campaign: CampaignPresenter, warband: str, wanted: int
) -> list[int]:
    """Return the places of the rows of a round.

    A row is of the round of its game; what is of no game, of the latest round told before it.
    """
    positions, latest = [], 0
    for row in campaign.ledger.log.rows:
        entry: Any = row.entry
        due: str = getattr(entry, "due", "") or ""
        game = getattr(entry, "fixture", "") or due.partition("/")[0]
        number = campaign.rounds.get(game, latest)
        if isinstance(entry, log.FixtureResult) and warband in entry.sides:
            latest = max(latest, number)
        if number == wanted:
            positions.append(row.position)
    return positions


def load_unit_lines(
    campaign: CampaignPresenter, row: CampaignWarband, unit: str
) -> tuple[LedgerLine, ...]:
    """Return the latest rows about a unit, the latest first. One query."""
    positions = _positions_about(campaign, row.token, unit)[-UNIT_ROWS_MOST:]
    rows = GrowthRow.objects.filter(warband=row, position__in=positions)
    rows = rows.select_related("author").order_by("-position")
    # What is reversed is reversed in the ledger, beside what came before and after.
    return tuple(_build_line(campaign, row.token, None, each) for each in rows)


def _positions_about(campaign: CampaignPresenter, warband: str, unit: str) -> list[int]:
    """Return the places of the rows that name a unit of a warband, or a battle that it fought."""
    positions = []
    for row in campaign.ledger.log.rows:
        entry: Any = row.entry
        keys: set[str] = set()
        if isinstance(entry, log.FixtureResult):
            keys.update(entry.fielded.get(warband, ()))
        elif getattr(entry, "warband", "") == warband:
            due = getattr(entry, "due", "") or ""
            keys = {part.partition("#")[0] for part in due.split("/")}
            keys |= {getattr(entry, field, "") for field in UNIT_FIELDS}
            joiner = getattr(entry, "joiner", None)
            keys.add(joiner.key if joiner else "")
        if unit in keys:
            positions.append(row.position)
    return positions


class ReversalCheck:
    """Which rows of a ledger the reader may take back, as `take_back` decides.

    Organisers may with a reason; a player what they gave, but for searches, until the next battle,
    and whatever of it was set aside. Of the answers to one due the last alone: an earlier one is
    replaced.
    """

    def __init__(
        self, campaign: CampaignPresenter, entry: EntryRecord, warband: CampaignWarband
    ) -> None:
        """At most one query."""
        self.campaign, self.entry = campaign, entry
        self.is_organiser: bool = campaign.event.may_organise
        self.last_battle: datetime | None = None
        if entry.is_mine and not self.is_organiser:
            battles = BattleSide.objects.filter(warband=warband.warband_id).order_by()
            self.last_battle = battles.aggregate(last=Max("battle__created_at"))["last"]
        answers = {
            (row.entry.warband, row.entry.due): row.position
            for row in campaign.ledger.log.rows
            if isinstance(row.entry, dues.DueAnswer)
        }
        self.last_answers = set(answers.values())

    def allows(self, row: GrowthRow) -> bool:
        """Return whether the reader may take this row back."""
        if row.kind == GrowthRowKind.ANSWER and row.position not in self.last_answers:
            return False
        if self.is_organiser:
            return True
        if not self.entry.is_mine or row.author_id != self.entry.user_id:
            return False
        if _is_superseded(self.campaign, row):
            return True
        is_search = row.kind == GrowthRowKind.ACT and row.payload.get("act") == "search"
        return not is_search and (self.last_battle is None or self.last_battle <= row.at)


def load_act_words(event: ClubEventRecord, entry: EntryRecord, number: int) -> str:
    """Return an act that was just written, in a sentence. Two queries."""
    campaign, _ = load_with_warband(event, entry)
    return f"{campaign.act(campaign.ledger.log.find_act(number))[0]}."


def load_ledger_rows(event: ClubEventRecord) -> list[list[object]]:
    """Return the whole ledger of a campaign as rows of a file, the first first. Three queries.

    Rows of hidden warbands are left out. What belongs to no warband has no player.
    """
    campaign = load_campaign(event)
    players = {row.pk: row.entry for row in campaign.rows.values()}
    hidden = [pk for pk, entry in players.items() if event.hides(entry.token)]
    rows = GrowthRow.objects.filter(event_id=event.id).select_related("author")
    cells: list[list[object]] = []
    for row in rows.exclude(warband__in=hidden).order_by("position"):
        line = _build_line(campaign, "", None, row)
        player = players.get(row.warband_id or 0)
        cells.append(
            [
                row.position,
                row.at,
                row.kind.replace("_", " "),
                player.name if player else "",
                line.text,
                line.state,
                "yes" if row.is_typed else "no",
                row.reason,
                row.author.display_name if row.author else "",
            ]
        )
    return cells


# Rows in words


def _build_line(
    campaign: CampaignPresenter, warband: str, check: ReversalCheck | None, row: GrowthRow
) -> LedgerLine:
    """Return a row in words, with what may be taken back of it.

    ``warband`` is whose ledger is read, "" for that of the campaign.
    """
    text, state = _describe(campaign, row, warband)
    campaign.event.hide_reason(row)
    is_allowed = check is not None and check.allows(row)
    # What does not count cannot be taken back; what waits for a choice has its dice already.
    counts = {
        GrowthRowKind.ACT: [""],
        GrowthRowKind.ANSWER: ["", ANSWER_STATES[dues.CHOICE]],
    }
    may_reverse = is_allowed and state in counts.get(GrowthRowKind(row.kind), ())
    may_leave_out = is_allowed and _is_superseded(campaign, row)
    return LedgerLine(row, text, state, may_reverse, may_leave_out)


def _is_superseded(campaign: CampaignPresenter, row: GrowthRow) -> bool:
    """Return whether a row is an act that cannot be where it stands."""
    outcome = campaign.state.acts.get(row.act or 0)
    return row.kind == GrowthRowKind.ACT and outcome is not None and bool(outcome.why)


def _describe(campaign: CampaignPresenter, row: GrowthRow, warband: str) -> tuple[str, str]:
    """Return what a row says, and what became of it."""
    if row.kind == GrowthRowKind.RULES:
        payload = row.payload
        is_whole = payload.get("is_whole", True)
        what = "Campaign rules" if is_whole else "Changes of campaign rules"
        since = ", from the start" if payload.get("from_start") and row.position > 1 else ""
        name = payload["document"].get("name") or payload.get("rules")
        return f"{what}: {name}, version {payload.get('version')}{since}", ""
    entry: Any = from_payload(row.kind, row.payload)
    if isinstance(entry, log.FixtureResult):
        return _describe_result(campaign, entry, row.position, warband)
    if isinstance(entry, log.Founding):
        return f"Founded with {sum(joiner.count for joiner in entry.joiners)} models", ""
    if isinstance(entry, dues.DueAnswer):
        return _describe_answer(campaign, entry)
    if isinstance(entry, log.TakeBack):
        is_due = bool(entry.due)
        what = campaign.due_words(entry.warband, entry.due) if is_due else "a purchase"
        return f"Reversed: {what}", ""
    return campaign.act(entry)


def _describe_result(
    campaign: CampaignPresenter, result: log.FixtureResult, position: int, warband: str
) -> tuple[str, str]:
    """Return a result as a warband had it, or of all sides where nobody's ledger is read."""
    others = [campaign.warband(side) for side in result.sides if side != warband]
    if warband in result.sides:
        text = f"Game against {' and '.join(others)}: {result.word_for(warband)}"
        models = result.out.get(warband, ())
        if out := ", ".join(campaign.unit(warband, model.who) for model in models):
            text += f", out of action: {out}"
    else:
        won = f"{campaign.warband(result.winner)} won" if result.winner else "draw"
        text = f"Result of {' against '.join(others)}: {won}"
    last = max(
        row.position
        for row in campaign.ledger.of(GrowthRowKind.RESULT)
        if row.payload["fixture"] == result.fixture
    )
    if position < last:
        return text, "replaced by a later report"
    return text, "" if result.status == log.COUNTED else f"does not count: {result.status}"


def _describe_answer(campaign: CampaignPresenter, entry: dues.DueAnswer) -> tuple[str, str]:
    """Return an answer: what was asked, the dice, and what was chosen.

    The row is that of now: a correction may have put another table in the place of the first.
    """
    key = (entry.warband, entry.due)
    parts = []
    if entry.faces:
        rolled = ", ".join(row.name for row in campaign.rolled_rows(*key))
        dice = ", ".join(map(str, entry.faces))
        # Beside a ruling the dice mean nothing.
        counts = rolled and campaign.ledger.answers[key].row is None
        parts.append(f"{dice} ({rolled})" if counts else dice)
    if entry.row is not None:
        row = dict(campaign.ruling_rows(*key)).get(str(entry.row), "")
        parts.append(f"ruled by an organiser as {row}" if row else "ruled by an organiser")
    if entry.choice:
        parts.append(campaign.choice(*key, entry.choice))
    due = campaign.due_words(*key)
    state = campaign.state.answers.get(key, dues.COUNTS)
    return f"{due}: {', '.join(parts)}" if parts else due, ANSWER_STATES[state]


def share_words(campaign_log: log.CampaignLog, warband: str) -> str:
    """Return how often a warband may still act or reverse before its next game, "" for often."""
    left = log.ACTS_MOST - log.acts_since_game(campaign_log, warband)
    if left > SHARE_NEAR:
        return ""
    most = f"{log.ACTS_MOST} purchases, sales and reversals"
    if left < 1:
        return f"All {most} until the next game are used. An organiser can go on."
    return f"{left} of {most} are left until the next game."
