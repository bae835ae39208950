"""What a warband does between its battles: recruit, buy, search, sell, give, dismiss, disband.

Each act is checked where it stands and written with its price; one that cannot be is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from accounts.errors import NotAllowed
from campaigns.models import CampaignWarband
from campaigns.operations.growth.ledger import (
    LedgerChange,
    NewRow,
    acts_so_far,
    check_grows_on,
    check_own,
    find_campaign_warband,
    open_growth,
    row_of,
    throw,
)
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from campaigns.queries.growth.joiners import hired_joiner, joiner_of, option_price
from campaigns.queries.growth.ledger import CampaignLedger
from engine.errors import Refusal
from engine.growth.difference import GrowthDifference, difference
from engine.growth.log import (
    STASH,
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    DisbandAct,
    DismissAct,
    EnlargeAct,
    Founding,
    GiveAct,
    GrowthAct,
    RecruitAct,
    SearchAct,
    SellAct,
    UnfoughtAct,
)
from engine.growth.rules import CampaignRules
from engine.growth.state import WarbandGrowth
from engine.growth.tables import are_faces_of
from engine.growth.warriors import GrownWarrior, Joiner
from engine.records import Numbers, Texts, frozen_dataclass, is_int_within
from engine.roster import MAX_COUNT, RosterEntry
from engine.types.lists import Army
from rulesdata import registry
from warbands.exchange.document import clean_text, shown
from warbands.models import NAME_MAX
from warbands.operations import request_keys

ADJUST_MOST = 10_000
NOT_THERE = "{who} is not in the warband, or not now."
UNFOUGHT = ("bye", "walkover")


# What is asked


@frozen_dataclass
class GivenAct:
    """An act as somebody asks for it; which values count follows from its kind."""

    kind: str
    profile: str = ""
    name: str = ""
    count: int = 1
    options: Texts = ()
    hired: bool = False
    into: str = ""
    bearer: str = ""
    option: str = ""
    seeker: str = ""
    good: str = ""
    faces: Numbers | None = None
    source: str = ""
    item: str = ""
    target: str = ""
    who: str = ""
    currency: str = ""
    amount: int = 0
    experience: int = 0
    word: str = ""
    reason: str = ""


@frozen_dataclass
class ActDone:
    """An act that was written: its number, and its warrior where somebody new joined."""

    number: int
    is_repeat: bool = False


@frozen_dataclass
class _Acting:
    """A warband about to act: its campaign, the state and rules of now, the act's number."""

    growth: LedgerChange
    row: CampaignWarband
    number: int
    is_organiser: bool
    is_preview: bool = False

    @property
    def warband(self) -> WarbandGrowth:
        """The warband as it is now."""
        return self.growth.ledger.state.warbands[self.row.token]

    @property
    def rules(self) -> CampaignRules:
        """The rules in force."""
        return self.growth.ledger.rules

    @property
    def army(self) -> Army:
        """The army list that the warband buys from."""
        key = next(
            row.entry.army
            for row in self.growth.ledger.log.rows
            if isinstance(row.entry, Founding) and row.entry.warband == self.row.token
        )
        return registry.fielded_army(registry.system_of(self.growth.event), key)

    def find(self, key: str, field: str) -> GrownWarrior:
        """Return somebody who is there. Raises Refusal naming the field."""
        one = self.warband.warriors.get(key)
        if one is None or not one.is_free:
            raise Refusal(NOT_THERE.format(who=shown(key)), field=field)
        return one


# Taking an act


def take_act(asked: ChangeRequest, warband: str, given: GivenAct) -> ActDone:
    """Let a warband act; returns the act's number.

    The act is written with its price and its dice, so that neither changes when something before
    it is corrected. One that cannot be where it stands is refused and not written.

    By its player and organisers; adjusting and games not fought are the organisers'. Raises Refusal
    naming the field, also for what the treasury cannot pay; NotFound, NotAllowed, KeyReused.
    """
    printed = request_keys.fingerprint("take_act", asked.token, warband, repr(given))
    with readable_event(asked) as change:
        earlier = request_keys.stored_answer(asked.actor, asked.key, printed)
        if earlier is not None:
            return ActDone(earlier["act"], is_repeat=True)
        acting = _open(change, warband)
        row, after = _checked(acting, given)
        acting.growth.append([row], given.reason)
        outcome = after.state.acts[acting.number]
        paid = "" if outcome.paid is None else f", {outcome.paid} points"
        words = f"{acting.row.entry.name}: {given.kind}{paid}."
        change.log("growth_act", words, subject=acting.row.entry.token)
        request_keys.store_answer(asked.actor, asked.key, printed, {"act": acting.number})
        return ActDone(acting.number)


def preview_act(asked: ChangeRequest, warband: str, given: GivenAct) -> GrowthDifference:
    """Return what an act would change.

    Nothing is written and nothing thrown: a search is looked at as if it had found nothing. Raises
    as `take_act`.
    """
    with readable_event(asked) as change:
        acting = _open(change, warband, is_preview=True)
        _, after = _checked(acting, given)
        return difference(acting.growth.ledger.state, after.state)


def _open(change: LockedEvent, warband: str, *, is_preview: bool = False) -> _Acting:
    """Return a warband that may act now. Raises NotFound, NotAllowed, WrongState."""
    check_grows_on(change.event)
    growth = open_growth(change)
    row = find_campaign_warband(change, warband)
    is_organiser = check_own(growth, row.entry)
    number = acts_so_far(growth.ledger) + 1
    return _Acting(growth, row, number, is_organiser, is_preview)


def _checked(acting: _Acting, given: GivenAct) -> tuple[NewRow, CampaignLedger]:
    """Return the row of an act, and the campaign with it. Raises Refusal, NotAllowed."""
    make = KINDS.get(given.kind)
    if make is None:
        raise Refusal(f"kind must be one of {', '.join(KINDS)}.", field="kind")
    if given.kind in ORGANISERS and not acting.is_organiser:
        raise NotAllowed("Only organisers of the club do this.")
    # The fold alone says whether an act can be, so it is asked before anything is written.
    row = row_of(make(acting, given), warband=acting.row, act=acting.number)
    row = replace(row, columns={**row.columns, "is_typed": given.faces is not None})
    after = acting.growth.with_rows([row])
    outcome = after.state.acts[acting.number]
    if outcome.why:
        raise Refusal(outcome.why, field=FIELDS.get(given.kind, "kind"))
    _check_paid(acting, outcome.paid or 0)
    return row, after


def _check_paid(acting: _Acting, paid: int) -> None:
    """Raise Refusal for more than is in the treasury."""
    prices = acting.rules.prices
    there, price = acting.warband.treasury[prices.currency], paid * prices.per_point
    # A treasury below 0 buys nothing until it is paid, even what is free.
    if price > max(0, there):
        name = next(
            one.name for one in acting.rules.currencies if one.id == prices.currency
        )
        raise Refusal(
            f"It costs {price} {name}, and there are {there} in the treasury.",
            field="kind",
        )


# Each kind


def _recruit(acting: _Acting, given: GivenAct) -> GrowthAct:
    """Somebody new, a hired sword, or models for a group."""
    if not is_int_within(given.count, 1, MAX_COUNT):
        raise Refusal(f"The models are a number from 1 to {MAX_COUNT}.", field="count")
    number, token = acting.number, acting.row.token
    if given.into:
        group = acting.find(given.into, "into")
        if not acting.rules.kinds[group.kind].is_group:
            raise Refusal(f"{given.into} is no group.", field="into")
        return EnlargeAct(number, token, given.into, given.count)
    return RecruitAct(number, token, _recruited(acting, given))


def _recruited(acting: _Acting, given: GivenAct) -> Joiner:
    """Return who joins, at the price of the army list or of the rules' hired swords."""
    name, key = clean_text("name", given.name, NAME_MAX), _next_key(acting)
    if given.hired:
        army = acting.army.key
        joiner = hired_joiner(acting.rules, army, given.profile, key)
        return replace(joiner, name=name or joiner.name)
    entry = RosterEntry(given.profile, name=name, count=given.count, options=given.options)
    return joiner_of(acting.army, entry, key, "")


def _next_key(acting: _Acting) -> str:
    """Return the key of who joins next; a number is never used again."""
    # Counted over the whole log: a key that was taken back is not given again.
    joined = 0
    for row in acting.growth.ledger.log.rows:
        entry = row.entry
        if isinstance(entry, Founding) and entry.warband == acting.row.token:
            joined += len(entry.joiners)
        elif isinstance(entry, RecruitAct) and entry.warband == acting.row.token:
            joined += 1
    return f"w{joined + 1}"


def _buy(acting: _Acting, given: GivenAct) -> GrowthAct:
    """Something of the rules' goods, or what the army list sells to the warrior.

    A group buys a piece for each of its models. Raises Refusal for what nobody sells here.
    """
    if given.bearer != STASH:
        bearer = acting.find(given.bearer, "for")
        price = _price(acting, bearer, given.option)
    else:
        good = acting.rules.trade.goods.get(given.option)
        price = good.price if good else None
    if price is None:
        raise Refusal(f"{shown(given.option)} is not for sale here.", field="option")
    number, token = acting.number, acting.row.token
    return BuyAct(number, token, given.option, given.bearer, price)


def _price(acting: _Acting, bearer: GrownWarrior, option: str) -> int | None:
    """Return what a piece costs each model of a warrior, None where nobody sells it."""
    good = acting.rules.trade.goods.get(option)
    if good is not None:
        is_for = not good.kinds or bearer.kind in good.kinds
        return good.price if is_for else None
    if not acting.rules.trade.has_lists:
        return None
    # Some options are dearer beside others.
    had = tuple(piece.id for piece in bearer.gear)
    entry = RosterEntry(bearer.joined.profile, options=had)
    return option_price(acting.army, entry, option)


def _search(acting: _Acting, given: GivenAct) -> GrowthAct:
    """Something rare, found by a roll.

    What it costs must be there before the dice are thrown. Raises Refusal naming the field.
    """
    trade = acting.rules.trade
    good = trade.goods.get(given.good)
    if good is None or not trade.search:
        raise Refusal(f"{shown(given.good)} is not for sale here.", field="good")
    if not good.rare:
        raise Refusal(f"{good.name} is not rare: buy it.", field="good")
    seeker = acting.find(given.seeker, "seeker")
    if trade.seekers and seeker.kind not in trade.seekers:
        raise Refusal(f"{given.seeker} is of a kind that does not search.", field="seeker")
    if given.bearer != STASH:
        acting.find(given.bearer, "for")
    faces = given.faces
    if faces is None:
        # A preview throws nothing, so that nobody looks at dice before they count.
        faces = (
            (1,) * len(throw(trade.search)) if acting.is_preview else throw(trade.search)
        )
    if not are_faces_of(trade.search, faces):
        raise Refusal(f"The search is thrown with {trade.search}.", field="faces")
    price = good.price
    # What it may cost is there before the dice are thrown.
    _check_paid(acting, price)
    token = acting.row.token
    return SearchAct(
        acting.number, token, given.good, given.bearer, given.seeker, faces, price
    )


def _sell(acting: _Acting, given: GivenAct) -> GrowthAct:
    """A piece of a warrior or of the stash, for a share of what it cost."""
    return SellAct(acting.number, acting.row.token, given.item, given.source)


def _give(acting: _Acting, given: GivenAct) -> GrowthAct:
    """A piece that changes hands between single warriors and the stash."""
    token = acting.row.token
    return GiveAct(acting.number, token, given.item, given.source, given.target)


def _dismiss(acting: _Acting, given: GivenAct) -> GrowthAct:
    """Models that leave; what they carried stays where the rules say so."""
    if not is_int_within(given.count, 1, MAX_COUNT):
        raise Refusal(f"The models are a number from 1 to {MAX_COUNT}.", field="count")
    return DismissAct(acting.number, acting.row.token, given.who, given.count)


def _disband(acting: _Acting, given: GivenAct) -> GrowthAct:
    """The end of a warband, whose entry may found anew."""
    if not given.reason.strip():
        raise Refusal("Say why the warband disbands.", field="reason")
    return DisbandAct(acting.number, acting.row.token)


def _adjust(acting: _Acting, given: GivenAct) -> GrowthAct:
    """An organiser puts a treasury or somebody's experience right."""
    if not given.reason.strip():
        raise Refusal("Say why.", field="reason")
    number, token = acting.number, acting.row.token
    if given.who:
        _check_amount(given.experience, "experience")
        acting.find(given.who, "who")
        return AdjustExperienceAct(number, token, given.who, given.experience)
    _check_amount(given.amount, "amount")
    if given.currency not in acting.warband.treasury:
        known = ", ".join(acting.warband.treasury)
        raise Refusal(f"The currencies are {known}.", field="currency")
    return AdjustMoneyAct(number, token, given.currency, given.amount)


def _check_amount(amount: int, field: str) -> None:
    """Raise Refusal for nothing, and for more than anybody would mean."""
    if not amount or not is_int_within(amount, -ADJUST_MOST, ADJUST_MOST):
        raise Refusal(
            f"The {field} is a number from -{ADJUST_MOST:,} to {ADJUST_MOST:,}, and not 0.",
            field=field,
        )


def _unfought(acting: _Acting, given: GivenAct) -> GrowthAct:
    """A bye or a walkover, which pays by the rules and teaches nobody."""
    if given.word not in UNFOUGHT:
        raise Refusal(f"as must be {' or '.join(UNFOUGHT)}.", field="as")
    return UnfoughtAct(acting.number, acting.row.token, given.word)


KINDS: Mapping[str, Callable[[_Acting, GivenAct], GrowthAct]] = {
    "recruit": _recruit,
    "buy": _buy,
    "search": _search,
    "sell": _sell,
    "give": _give,
    "dismiss": _dismiss,
    "disband": _disband,
    "adjust": _adjust,
    "unfought": _unfought,
}
"""What makes the act of each kind."""
ORGANISERS = frozenset({"adjust", "unfought"})
FIELDS = {
    "sell": "item",
    "give": "item",
    "dismiss": "who",
    "buy": "option",
    "search": "good",
}
"""What a refusal names where the act cannot be, by its kind."""
