"""What a warband does between its battles: recruit, buy, search, sell, give, dismiss, disband.

Each act is checked where it stands and written with its price; one that cannot be is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from accounts.errors import NotAllowed
from campaigns.operations.growth.ledger import (
    LedgerChange,
    NewRow,
    acts_so_far,
    check_grows_on,
    check_own,
    find_campaign_warband,
    idempotent,
    open_growth,
    row_of,
)
from campaigns.operations.growth.shops import (
    ActingWarband,
    GivenAct,
    buy,
    check_paid,
    recruit,
    search,
)
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from campaigns.queries.growth.ledger import CampaignLedger
from engine.errors import Refusal
from engine.growth.campaign_fold import GrowthDifference, difference
from engine.growth.log import (
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    DisbandAct,
    DismissAct,
    GiveAct,
    GrowthAct,
    SearchAct,
    SellAct,
    TakeBack,
    UnfoughtAct,
)
from engine.records import is_int_within
from engine.roster import MAX_COUNT

ADJUST_MOST = 10_000
UNFOUGHT = ("bye", "walkover")


@idempotent("take_act", answer="act")
def take_act(change: LockedEvent, warband: str, act: GivenAct) -> int:
    """Let a warband act; returns the act's number.

    The act is written with its price and its dice, so that neither changes when something before
    it is corrected. One that cannot be where it stands is refused and not written.

    By its player and organisers; adjusting and games not fought are the organisers'. Raises Refusal
    naming the field, also for what the treasury cannot pay; NotFound, NotAllowed, KeyReused.
    """
    growth, acting = _open(change, warband)
    rows, after = _checked(growth, acting, act)
    growth.append(rows, act.reason)
    outcome = after.state.acts[acting.number]
    paid = "" if outcome.paid is None else f", {outcome.paid} points"
    entry = acting.row.entry
    change.log("growth_act", f"{entry.name}: {act.kind}{paid}.", subject=entry.token)
    return acting.number


def preview_act(request: ChangeRequest, warband: str, order: GivenAct) -> GrowthDifference:
    """Return what an act would change.

    Nothing is written and nothing thrown: a search is looked at as if it had found nothing. Raises
    as `take_act`.
    """
    with readable_event(request) as change:
        growth, acting = _open(change, warband, is_preview=True)
        _, after = _checked(growth, acting, order)
        return difference(growth.ledger.state, after.state)


def _open(
    change: LockedEvent, warband: str, *, is_preview: bool = False
) -> tuple[LedgerChange, ActingWarband]:
    """Return a campaign and its warband that may act now.

    Raises NotFound, NotAllowed, WrongState.
    """
    growth = open_growth(change)
    row = find_campaign_warband(change, warband)
    is_organiser = check_own(growth, row.entry)
    check_grows_on(change)
    number = acts_so_far(growth.ledger) + 1
    acting = ActingWarband(growth.ledger, row, number, is_organiser, is_preview)
    return growth, acting


def _checked(
    growth: LedgerChange, acting: ActingWarband, order: GivenAct
) -> tuple[list[NewRow], CampaignLedger]:
    """Return the rows of an act, and the campaign with it. Raises Refusal, NotAllowed."""
    make = KINDS.get(order.kind)
    if make is None:
        raise Refusal(f"kind must be one of {', '.join(KINDS)}.", field="kind")
    if order.kind in ORGANISERS and not acting.is_organiser:
        raise NotAllowed("Only organisers of the club do this.")
    # The fold alone says whether an act can be, so it is asked before anything is written.
    row = row_of(make(acting, order), warband=acting.row, act=acting.number)
    row = replace(row, columns={**row.columns, "is_typed": order.faces is not None})
    rows = [*_withdrawn(acting, order), row]
    after = growth.with_rows(rows)
    outcome = after.state.acts[acting.number]
    if outcome.why:
        raise Refusal(outcome.why, field=FIELDS.get(order.kind, "kind"))
    # What buys nothing, such as a sale or a search without a find, has no price.
    if outcome.paid is not None:
        check_paid(acting, outcome.paid)
    return rows, after


def _withdrawn(acting: ActingWarband, order: GivenAct) -> Iterator[NewRow]:
    """Yield the row that takes back what is bought for somebody else now.

    It would count again, and be paid twice, once another correction brings the first one back.
    """
    if order.kind == "redirect":
        entry = TakeBack(acting.row.token, act=order.act)
        yield row_of(entry, warband=acting.row, act=order.act)


# Each kind


def _sell(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """A piece of a warrior or of the stash, for a share of what it cost."""
    return SellAct(acting.number, acting.row.token, order.item, order.source)


def _give(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """A piece that changes hands between single warriors and the stash."""
    token = acting.row.token
    return GiveAct(acting.number, token, order.item, order.source, order.target)


def _dismiss(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """Models that leave; what they carried stays where the rules say so."""
    if not is_int_within(order.count, 1, MAX_COUNT):
        raise Refusal(f"The models are a number from 1 to {MAX_COUNT}.", field="count")
    return DismissAct(acting.number, acting.row.token, order.who, order.count)


def _disband(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """The end of a warband, whose entry may found anew."""
    if not order.reason.strip():
        raise Refusal("Say why the warband disbands.", field="reason")
    return DisbandAct(acting.number, acting.row.token)


def _adjust(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """An organiser puts a treasury or somebody's experience right."""
    if not order.reason.strip():
        raise Refusal("Say why.", field="reason")
    number, token = acting.number, acting.row.token
    if order.who:
        _check_amount(order.experience, "experience")
        acting.find(order.who, "who")
        return AdjustExperienceAct(number, token, order.who, order.experience)
    _check_amount(order.amount, "amount")
    if order.currency not in acting.warband.treasury:
        known = ", ".join(acting.warband.treasury)
        raise Refusal(f"The currencies are {known}.", field="currency")
    return AdjustMoneyAct(number, token, order.currency, order.amount)


def _check_amount(amount: int, field: str) -> None:
    """Raise Refusal for nothing, and for more than anybody would mean."""
    if not amount or not is_int_within(amount, -ADJUST_MOST, ADJUST_MOST):
        raise Refusal(
            f"The {field} is a number from -{ADJUST_MOST:,} to {ADJUST_MOST:,}, and not 0.",
            field=field,
        )


def _unfought(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """A bye or a walkover, which pays by the rules and teaches nobody."""
    if order.word not in UNFOUGHT:
        raise Refusal(f"as must be {' or '.join(UNFOUGHT)}.", field="as")
    return UnfoughtAct(acting.number, acting.row.token, order.word)


def _redirect(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """A purchase that was set aside, at its price of then and with its dice, for somebody else."""
    token = acting.row.token
    asides = acting.ledger.state.acts_aside
    own = [outcome.number for outcome in asides if outcome.warband == token]
    named = [number for number in own if number == order.act]
    for row in acting.ledger.log.rows:
        act = row.entry
        if isinstance(act, BuyAct | SearchAct) and act.number in named:
            return replace(act, number=acting.number, bearer=order.bearer, paid=None)
    raise Refusal("Name a purchase of gear that does not count now.", field="act")


KINDS: Mapping[str, Callable[[ActingWarband, GivenAct], GrowthAct]] = {
    "recruit": recruit,
    "buy": buy,
    "search": search,
    "sell": _sell,
    "give": _give,
    "dismiss": _dismiss,
    "disband": _disband,
    "adjust": _adjust,
    "unfought": _unfought,
    "redirect": _redirect,
}
"""What makes the act of each kind."""
ORGANISERS = frozenset({"adjust", "unfought"})
FIELDS = {
    "sell": "item",
    "give": "item",
    "dismiss": "who",
    "buy": "option",
    "search": "good",
    "redirect": "for",
}
"""What a refusal names where the act cannot be, by its kind."""
