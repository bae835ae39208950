"""What a campaign warband buys: units, hired swords, gear, and rare things that somebody finds."""

from __future__ import annotations

from dataclasses import replace

from campaigns.models import CampaignWarband
from campaigns.operations.growth.throws import throw
from campaigns.queries.growth.joiners import (
    find_option,
    hired_joiner,
    joiner_of,
    option_price,
)
from campaigns.queries.growth.ledger import CampaignLedger
from engine.errors import Refusal
from engine.growth.log import (
    STASH,
    BuyAct,
    EnlargeAct,
    Founding,
    GrowthAct,
    RecruitAct,
    SearchAct,
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
