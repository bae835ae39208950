"""What a warband does between its battles: recruit, buy, search, sell, give, dismiss, disband.

Each act is checked where it stands and written with its price; one that cannot be is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from accounts.errors import NotAllowed
from campaigns.growth.operations.answers import throw
from campaigns.growth.operations.ledger import (
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
from campaigns.growth.queries.ledger import CampaignLedger
from campaigns.growth.queries.shops import (
    find_option,
    hired_joiner,
    joiner_of,
    option_price,
)
from campaigns.models import CampaignWarband
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from engine.errors import Refusal
from engine.growth.campaign_fold import GrowthDifference, difference
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
    TakeBack,
    UnfoughtAct,
)
from engine.growth.money import can_pay
from engine.growth.rules import CampaignRules, TradeGood
from engine.growth.state import WarbandGrowth
from engine.growth.tables import are_faces_of
from engine.growth.warriors import GrownWarrior, Joiner
from engine.records import Numbers, Texts, frozen_dataclass, is_int_within
from engine.roster import MAX_COUNT, RosterEntry
from engine.types.lists import Army
from rulesdata import registry
from warbands.exchange.document import clean_text, shown
from warbands.models import NAME_MAX

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


NOT_THERE = "This unit is not in the warband, or not now."


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
    act: int | None = None


@frozen_dataclass
class ActingWarband:
    """A warband about to act: its campaign, the state and rules of now, the act's number."""

    ledger: CampaignLedger
    row: CampaignWarband
    number: int
    is_organiser: bool
    is_preview: bool = False

    @property
    def warband(self) -> WarbandGrowth:
        """The warband as it is now."""
        return self.ledger.state.warbands[self.row.token]

    @property
    def rules(self) -> CampaignRules:
        """The rules in force."""
        return self.ledger.rules

    @property
    def army(self) -> Army:
        """The army list that the warband buys from."""
        key = next(
            row.entry.army
            for row in self.ledger.log.rows
            if isinstance(row.entry, Founding) and row.entry.warband == self.row.token
        )
        return registry.fielded_army(registry.system_of(self.row.entry.event), key)

    def find(self, key: str, field: str) -> GrownWarrior:
        """Return somebody who is there. Raises Refusal naming the field."""
        one = self.warband.warriors.get(key)
        if one is None or not one.is_free:
            raise Refusal(NOT_THERE, field=field)
        return one


def check_paid(acting: ActingWarband, paid: int) -> None:
    """Raise Refusal for more than is in the treasury."""
    prices = acting.rules.prices
    there, price = acting.warband.treasury[prices.currency], prices.of(paid)
    if not can_pay(there, price):
        name = acting.rules.currency_name(prices.currency)
        raise Refusal(
            f"It costs {price} {name}, and there are {there} in the treasury.",
            field="kind",
        )


# Who joins


def recruit(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """Somebody new, a hired sword, or models for a group.

    Somebody rare is looked for. Raises Refusal naming the field.
    """
    if not is_int_within(order.count, 1, MAX_COUNT):
        raise Refusal(f"The models are a number from 1 to {MAX_COUNT}.", field="count")
    number, token = acting.number, acting.row.token
    if order.into:
        group = acting.find(order.into, "into")
        if not acting.rules.kinds[group.kind].is_group:
            raise Refusal(f"{order.into} is no group.", field="into")
        return EnlargeAct(number, token, order.into, order.count)
    joiner = _recruited(acting, order)
    unit = acting.army.profiles.get(joiner.profile)
    rarity = acting.rules.trade.rarity_of(unit.joining) if unit else 0
    if not rarity:
        return RecruitAct(number, token, joiner)
    seeker, faces = _seeking(acting, order, joiner.worth)
    return RecruitAct(number, token, joiner, rarity=rarity, seeker=seeker, faces=faces)


def _recruited(acting: ActingWarband, order: GivenAct) -> Joiner:
    """Return who joins, at the price of the army list or of the rules' hired swords."""
    name, key = clean_text("name", order.name, NAME_MAX), _next_key(acting)
    listed = acting.army.profiles.get(order.profile)
    # A list has hired swords of its own, which are units like others.
    if order.hired and not (listed and listed.joining.upkeep is not None):
        army = acting.army.key
        joiner = hired_joiner(acting.rules, army, order.profile, key)
        return replace(joiner, name=name or joiner.name)
    entry = RosterEntry(order.profile, name=name, count=order.count, options=order.options)
    return joiner_of(acting.army, entry, key, "")


def _next_key(acting: ActingWarband) -> str:
    """Return the key of who joins next; a number is never used again."""
    # Counted over the whole log: a key that was taken back is not given again.
    joined = 0
    for row in acting.ledger.log.rows:
        entry = row.entry
        if isinstance(entry, Founding) and entry.warband == acting.row.token:
            joined += len(entry.joiners)
        elif isinstance(entry, RecruitAct) and entry.warband == acting.row.token:
            joined += 1
    return f"w{joined + 1}"


# What is bought


@frozen_dataclass
class _Offer:
    """A piece for sale: the points of one, and the roll that finds it (0: it is there)."""

    name: str
    price: int
    rarity: int = 0


def buy(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """Something of the rules' goods, or what the army list sells to the warrior.

    A group buys a piece for each of its models. Raises Refusal for what nobody sells here.
    """
    offer = _offer(acting, order.bearer, order.option, "option")
    if offer.rarity and order.option not in acting.rules.trade.goods:
        raise Refusal(f"{offer.name} is rare: look for it.", field="option")
    number, token = acting.number, acting.row.token
    return BuyAct(number, token, order.option, order.bearer, offer.price)


def search(acting: ActingWarband, order: GivenAct) -> GrowthAct:
    """Something rare of the rules' goods or of the army list, found by a roll.

    What it costs must be there before the dice are thrown. Raises Refusal naming the field.
    """
    if not acting.rules.trade.search:
        raise Refusal(f"{shown(order.good)} is not for sale here.", field="good")
    offer = _offer(acting, order.bearer, order.good, "good")
    if not offer.rarity:
        raise Refusal(f"{offer.name} is not rare: buy it.", field="good")
    seeker, faces = _seeking(acting, order, offer.price)
    return SearchAct(
        acting.number,
        acting.row.token,
        order.good,
        order.bearer,
        seeker,
        faces,
        offer.price,
        rarity=offer.rarity,
    )


def _seeking(acting: ActingWarband, order: GivenAct, price: int) -> tuple[str, Numbers]:
    """Return who looks for something of a price, and the dice of the roll. Raises Refusal."""
    trade = acting.rules.trade
    seeker = acting.find(order.seeker, "seeker")
    if trade.seekers and seeker.kind not in trade.seekers:
        raise Refusal(f"{order.seeker} is of a kind that does not search.", field="seeker")
    # What it may cost is there before the dice are thrown.
    check_paid(acting, price)
    faces = order.faces
    if faces is None:
        # A preview throws nothing, so that nobody looks at dice before they count.
        faces = (
            (1,) * len(throw(trade.search)) if acting.is_preview else throw(trade.search)
        )
    if not are_faces_of(trade.search, faces):
        raise Refusal(f"The search is thrown with {trade.search}.", field="faces")
    return order.seeker, faces


def _offer(acting: ActingWarband, bearer: str, item: str, field: str) -> _Offer:
    """Return what somebody can get, or the stash. Raises Refusal for what nobody sells here."""
    one = None if bearer == STASH else acting.find(bearer, "for")
    good = acting.rules.trade.goods.get(item)
    offer = _good(good, one) if good else _listed(acting, one, item)
    if offer is None:
        raise Refusal(f"{shown(item)} is not for sale here.", field=field)
    return offer


def _good(good: TradeGood, warrior: GrownWarrior | None) -> _Offer | None:
    """Return a good of the rules, None where the warrior's kind may not have it."""
    # What is looked for may be for somebody else later, as may what the stash gets.
    is_for = warrior is None or good.is_for(warrior.kind)
    return _Offer(good.name, good.price, good.rare or 0) if is_for or good.rare else None


def _listed(
    acting: ActingWarband, warrior: GrownWarrior | None, item: str
) -> _Offer | None:
    """Return what the army list sells to a warrior, None where it does not."""
    trade = acting.rules.trade
    if warrior is None or not trade.has_lists:
        return None
    option = find_option(acting.army, warrior.joined.profile, item)
    # Some options are dearer beside others.
    had = tuple(piece.id for piece in warrior.gear)
    entry = RosterEntry(warrior.joined.profile, options=had)
    price = option_price(acting.army, entry, item)
    if option is None or price is None:
        return None
    return _Offer(option.name, price, trade.rarity_of(option))


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
