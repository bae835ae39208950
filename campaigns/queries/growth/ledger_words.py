"""Rows of a ledger in words, each with what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from campaigns.growth_payloads import from_payload
from campaigns.models import GrowthRow, GrowthRowKind
from campaigns.queries.growth.cards import choice_name, rows_of
from campaigns.queries.growth.names import CampaignNames
from engine.growth import dues
from engine.growth import log as acts

STATES = {
    dues.CHOICE: "waits for a choice",
    dues.ASIDE: "no longer called for",
    dues.WAITS: "waits until it is called for",
    dues.TAKEN_BACK: "reversed",
}
"""What became of an answer that does not simply count."""
SHARE_NEAR = 30
"""How few acts are left when a page says so."""


def row_words(names: CampaignNames, row: GrowthRow, warband: str) -> tuple[str, str]:
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
    return act_words(names, entry)


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


def act_words(names: CampaignNames, act: acts.GrowthAct) -> tuple[str, str]:
    """Return an act with what was paid for it, and what became of it."""
    outcome = names.ledger.state.acts.get(act.number)
    words = ACTS[type(act)](names, act)
    # The fold leaves out what was taken back.
    if outcome is None:
        return words, STATES[dues.TAKEN_BACK]
    if outcome.why:
        return words, f"does not count: {names.outcome(outcome)}"
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


def share_words(log: acts.CampaignLog, warband: str) -> str:
    """Return how often a warband may still act or reverse before its next game, "" for often."""
    left = acts.ACTS_MOST - acts.acts_since_game(log, warband)
    if left > SHARE_NEAR:
        return ""
    most = f"{acts.ACTS_MOST} purchases, sales and reversals"
    if left < 1:
        return f"All {most} until the next game are used. An organiser can go on."
    return f"{left} of {most} are left until the next game."
