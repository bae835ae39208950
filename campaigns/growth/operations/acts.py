"""What a warband does between its battles: recruit, buy, search, sell, give, dismiss, disband.

Each act is checked where it stands and written with its price; one that cannot be is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from accounts.errors import NotAllowed
from campaigns.growth.operations.answers import throw
from campaigns.growth.operations.ledger import (
    build_row,
    check_funds,
    check_grows_on,
    check_own,
    find_campaign_warband,
    open_growth,
)
from campaigns.growth.queries.ledger import CampaignLedger
from campaigns.growth.queries.shops import (
    BODILY,
    build_joiner,
    can_hire,
    may_have,
    price_option,
)
from campaigns.models import GrowthRow
from campaigns.operations.log import ChangeRequest, LockedEvent, idempotent, readable_event
from engine.errors import Refusal
from engine.growth.acts import (
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    CaptiveAct,
    CurrencySaleAct,
    DisbandAct,
    DismissAct,
    EffectAct,
    EnlargeAct,
    GiveAct,
    GrowthAct,
    RecruitAct,
    RenameAct,
    SearchAct,
    SellAct,
    UnfoughtAct,
)
from engine.growth.differences import GrowthDifference, difference
from engine.growth.effects import VERBS
from engine.growth.faults import FaultyRules
from engine.growth.log import Founding, TakeBack
from engine.growth.tables import can_show, list_rolls, parse_dice, sum_faces
from engine.growth.warriors import STASH, GrownWarrior, Joiner
from engine.records import NamedValues, Numbers, Texts, frozen_dataclass, is_int_within
from engine.roster import MAX_COUNT, RosterEntry
from engine.types.lists import Army
from rulesdata import registry
from rulesdata.campaign_documents import read_effect, stat_keys
from warbands.exchange.document import clean_text, shown
from warbands.models import NAME_MAX

ADJUST_MOST = 10_000
UNFOUGHT = ("bye", "walkover")


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
    effect: NamedValues | None = None

    def __repr__(self) -> str:
        """Return the text that request keys know: `effect` came later, and stands where it is."""
        names = [each.name for each in fields(self)][: None if self.effect else -1]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"GivenAct({values})"


@idempotent("take_act", answer="act")
def take_act(change: LockedEvent, warband: str, act: GivenAct) -> int:
    """Let a warband act; returns the act's number.

    The act is written with its price and its dice, so that neither changes when something before
    it is corrected. One that cannot be where it stands is refused and not written.

    By its player and organisers; adjusting and games not fought are the organisers'. Raises Refusal
    naming the field, also for what the treasury cannot pay; NotFound, NotAllowed, KeyReused.
    """
    acting = ActingWarband(change, warband, act)
    rows, after = acting.check()
    acting.growth.append(rows, act.reason)
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
        acting = ActingWarband(change, warband, order, is_preview=True)
        _, after = acting.check()
        return difference(acting.ledger.state, after.state)


class ActingWarband:
    """A warband about to act, with its campaign as it is now, and what it is asked to do."""

    def __init__(
        self,
        change: LockedEvent,
        warband: str,
        order: GivenAct,
        *,
        is_preview: bool = False,
    ) -> None:
        """Raises NotFound, NotAllowed, WrongState for a warband that may not act now."""
        self.growth = open_growth(change)
        self.row = find_campaign_warband(change, warband)
        self.is_organiser = check_own(self.growth, self.row.entry)
        check_grows_on(change)
        self.order, self.is_preview = order, is_preview
        self.ledger = self.growth.ledger
        self.rules = self.ledger.rules
        self.warband = self.ledger.state.warbands[self.row.token]
        entries = self.ledger.log.entries
        numbers = [entry.number for entry in entries if isinstance(entry, GrowthAct)]
        self.number = max(numbers, default=0) + 1
        self.head = self.number, self.row.token

    def check(self) -> tuple[list[GrowthRow], CampaignLedger]:
        """Return the rows of the act, and the campaign with it. Raises Refusal, NotAllowed."""
        order, number = self.order, self.number
        if order.kind not in KINDS:
            raise Refusal(f"kind must be one of {', '.join(KINDS)}.", field="kind")
        if order.kind in ORGANISERS and not self.is_organiser:
            raise NotAllowed("Only organisers of the club do this.")
        row = build_row(
            getattr(self, order.kind)(),
            warband=self.row,
            act=number,
            is_typed=order.faces is not None,
        )
        rows = [row]
        if order.kind == "redirect":
            # The first one is taken back: it would count again, and be paid twice, once another
            # correction brings it back.
            entry = TakeBack(self.row.token, act=order.act)
            rows = [build_row(entry, warband=self.row, act=order.act), row]
        # The fold alone says whether an act can be, so it is asked before anything is written.
        after = self.growth.with_rows(rows)
        outcome = after.state.acts[number]
        if outcome.why:
            field = KINDS[order.kind]
            is_currency = field == "item" and not order.item
            # The reasons of the engine begin with the key of the unit, where they are about one.
            key, _, rest = outcome.why.partition(" ")
            unit = self.warband.warriors.get(key)
            why = f"{unit.joined.name or 'The unit'} {rest}" if unit else outcome.why
            raise Refusal(why, field="currency" if is_currency else field)
        # What buys nothing, such as a sale or a search without a find, has no price.
        if outcome.paid is not None:
            self.check_paid(outcome.paid)
        return rows, after

    def check_paid(self, paid: int) -> None:
        """Raise Refusal for more than is in the treasury."""
        prices = self.rules.prices
        check_funds(self.ledger, self.row, prices.currency, prices.of(paid), "kind")

    def check_reason(self, sentence: str = "Say why.") -> None:
        """Raise Refusal without a reason."""
        if not self.order.reason.strip():
            raise Refusal(sentence, field="reason")

    @property
    def army_key(self) -> str:
        return self.ledger.log.find_army(self.row.token)

    @property
    def army(self) -> Army:
        """The army list that the warband buys from."""
        system = registry.system_of(self.row.entry.event)
        return registry.fielded_army(system, self.army_key)

    def find(self, key: str, field: str) -> GrownWarrior:
        """Return somebody who is there. Raises Refusal naming the field."""
        warrior = self.warband.warriors.get(key)
        if warrior is None or not warrior.is_free:
            message = "This unit is not in the warband, or not now."
            raise Refusal(message, field=field)
        return warrior

    # Who joins

    def recruit(self) -> GrowthAct:
        """Somebody new, a hired sword, or models for a group. Somebody rare is looked for."""
        order = self.order
        self.check_count()
        if order.into:
            group = self.find(order.into, "into")
            if not self.rules.kinds[group.kind].is_group:
                raise Refusal(f"{order.into} is no group.", field="into")
            return EnlargeAct(*self.head, order.into, order.count)
        joiner = self.find_recruit()
        unit = self.army.profiles.get(joiner.profile)
        rarity = self.rules.trade.find_rarity(unit.joining.rarity) if unit else 0
        if not rarity:
            return RecruitAct(*self.head, joiner)
        seeker, faces = self.throw_search(joiner.worth, order.faces)
        return RecruitAct(*self.head, joiner, rarity=rarity, seeker=seeker, faces=faces)

    def find_recruit(self) -> Joiner:
        """Return who joins, at the price of the army list or of the rules' hired swords."""
        order, army = self.order, self.army
        name, key = clean_text("name", order.name, NAME_MAX), self.find_free_key()
        listed = army.profiles.get(order.profile)
        if listed and listed.is_refused:
            raise Refusal(f"{army.name} may not hire {listed.name}.", field="profile")
        # A list has hired swords of its own, which are units like others.
        if not order.hired or (listed and listed.joining.upkeep is not None):
            unit = RosterEntry(
                order.profile, name=name, count=order.count, options=order.options
            )
            return build_joiner(army, unit, key)
        for sword in self.rules.hired:
            if sword.id == order.profile and can_hire(army, sword):
                return Joiner(
                    key=key,
                    profile=sword.id,
                    price=sword.price,
                    stats=dict(sword.stats),
                    name=name or sword.name,
                    is_hired=True,
                    upkeep=sword.upkeep,
                    race=sword.race,
                    rating=sword.rating,
                )
        raise Refusal(f"{shown(order.profile)} is not for hire.", field="profile")

    def find_free_key(self) -> str:
        """Return the key of who joins next."""
        # A number is never used again: counted over the whole log, with who was taken back.
        number = 1
        for entry in self.ledger.log.entries:
            if isinstance(entry, Founding | RecruitAct) and entry.warband == self.row.token:
                number += len(getattr(entry, "joiners", [entry]))
        return f"w{number}"

    def check_count(self) -> None:
        """Raise Refusal for a number of models that no unit has."""
        if not is_int_within(self.order.count, 1, MAX_COUNT):
            raise Refusal(f"The models are a number from 1 to {MAX_COUNT}.", field="count")

    # What is bought

    def buy(self) -> GrowthAct:
        """Something of the rules' goods, or what the army list sells to the warrior.

        A group buys a piece for each of its models.
        """
        order = self.order
        name, price, rarity, bodily = self.find_offer(order.option, "option")
        if rarity and order.option not in self.rules.trade.goods:
            raise Refusal(f"{name} is rare: look for it.", field="option")
        price += self.throw_price(order.option, price, order.faces)
        return BuyAct(*self.head, order.option, order.bearer, price, bodily=bodily)

    def search(self) -> GrowthAct:
        """Something rare of the rules' goods or of the army list, found by a roll."""
        order = self.order
        if not self.rules.trade.search:
            raise Refusal(f"{shown(order.good)} is not for sale here.", field="good")
        name, price, rarity, bodily = self.find_offer(order.good, "good")
        if not rarity:
            raise Refusal(f"{name} is not rare: buy it.", field="good")
        good, faces = self.rules.trade.goods.get(order.good), order.faces
        typed = None
        if good and good.dice and faces:
            # The dice of a price are typed behind those of the search.
            count = parse_dice(self.rules.trade.search)[0]
            faces, typed = faces[:count], faces[count:] or None
        thrown = self.throw_price(order.good, price, typed)
        seeker, faces = self.throw_search(price, faces)
        price += thrown
        return SearchAct(
            *self.head, order.good, order.bearer, seeker, faces, price, None, rarity, bodily
        )

    def throw_price(self, item: str, price: int, faces: Numbers | None) -> int:
        """Return what the dice of a good's price come to, 0 for one without."""
        good = self.rules.trade.goods.get(item)
        if good is None or not good.dice:
            return 0
        rolls = list_rolls(good.dice)
        # All that it may cost is there, so that nobody throws until it is cheap.
        bearer = self.warband.warriors.get(self.order.bearer)
        most = price + rolls[-1] * good.times
        self.check_paid(most * (bearer.count if bearer else 1))
        return sum_faces(good.dice, self.throw("price", good.dice, faces)) * good.times

    def throw_search(self, price: int, faces: Numbers | None) -> tuple[str, Numbers]:
        """Return who looks for something of a price, and the dice of the roll."""
        trade = self.rules.trade
        seeker = self.find(self.order.seeker, "seeker")
        if trade.seekers and seeker.kind not in trade.seekers:
            message = f"{self.order.seeker} is of a kind that does not search."
            raise Refusal(message, field="seeker")
        # What it may cost is there before the dice are thrown.
        self.check_paid(price)
        return self.order.seeker, self.throw("search", trade.search, faces)

    def throw(self, what: str, dice: str, faces: Numbers | None) -> Numbers:
        """Return the faces that were typed, or else thrown. Raises Refusal for other dice."""
        if faces is None:
            # A preview throws nothing, so that nobody looks at dice before they count.
            faces = (1,) * parse_dice(dice)[0] if self.is_preview else throw(dice)
        if not can_show(dice, faces):
            raise Refusal(f"The {what} is thrown with {dice}.", field="faces")
        return faces

    def find_offer(self, item: str, field: str) -> tuple[str, int, int, bool]:
        """Return what the bearer or the stash can get.

        Its name, the points of one, the roll that finds it, 0 where it is for sale, and whether
        it becomes part of its bearer. Raises Refusal for what nobody sells here.
        """
        bearer, trade = self.order.bearer, self.rules.trade
        buyer = None if bearer == STASH else self.find(bearer, "for")
        good = trade.goods.get(item)
        if good:
            # What the stash gets may be for somebody later.
            if buyer and not may_have(self.rules, self.army, buyer, good):
                raise Refusal(f"{good.name} is not for {bearer}.", field=field)
            if good.is_sold and good.serves(self.army_key):
                return good.name, good.price, good.rare or 0, False
        elif buyer and trade.has_lists:
            # Some options are dearer beside others.
            priced = price_option(self.army, buyer, item)
            if priced:
                option, price = priced
                rarity = trade.find_rarity(option.rarity)
                return option.name, price, rarity, option.kind in BODILY
        raise Refusal(f"{shown(item)} is not for sale here.", field=field)

    def redirect(self) -> GrowthAct:
        """A purchase that was set aside, at its price of then and with its dice, for another."""
        order = self.order
        outcome = self.ledger.state.acts.get(order.act or 0)
        if outcome and outcome.why and outcome.warband == self.row.token:
            act = self.ledger.log.find_act(outcome.number)
            if isinstance(act, BuyAct | SearchAct):
                return replace(act, number=self.number, bearer=order.bearer, paid=None)
        raise Refusal("Name a purchase of gear that does not count now.", field="act")

    # What is given away, and what organisers put right

    def sell(self) -> GrowthAct:
        """A piece of a warrior or of the stash, for a share of what it cost, or a currency."""
        currency, count = self.order.currency, self.order.count
        if currency and not self.order.item:
            if not self.rules.find_sale(currency):
                raise Refusal(f"Nobody buys {shown(currency)} here.", field="currency")
            there = self.warband.treasury[currency]
            if not is_int_within(count, 1, there):
                raise Refusal(f"There are {there} to sell.", field="count")
            return CurrencySaleAct(*self.head, currency, count)
        good = self.rules.trade.goods.get(self.order.item)
        price = good.price if good else 0
        return SellAct(*self.head, self.order.item, self.order.source, price)

    def give(self) -> GrowthAct:
        """A piece that changes hands between single warriors and the stash.

        It goes to whoever could buy it, rare or not.
        """
        order = self.order
        if order.target != STASH:
            bearer = self.find(order.target, "to")
            good = self.rules.trade.goods.get(order.item)
            is_theirs = (
                may_have(self.rules, self.army, bearer, good) and good.serves(self.army_key)
                if good
                else price_option(self.army, bearer, order.item)
            )
            if not is_theirs:
                raise Refusal(f"{shown(order.item)} is not for {order.target}.", field="to")
        return GiveAct(*self.head, order.item, order.source, order.target)

    def dismiss(self) -> GrowthAct:
        """Models that leave; what they carried stays where the rules say so."""
        self.check_count()
        return DismissAct(*self.head, self.order.who, self.order.count)

    def captive(self) -> GrowthAct:
        """A captive goes free, for the price that its captor names, or for another captive."""
        order = self.order
        who = order.who or order.item
        if order.word == "exchange":
            return CaptiveAct(*self.head, order.source, who, exchange=order.target)
        if not is_int_within(order.amount, 0, ADJUST_MOST):
            message = f"The price is a number from 0 to {ADJUST_MOST:,}."
            raise Refusal(message, field="amount")
        least = self.rules.captives.least if self.rules.captives else 0
        if order.amount < least and (order.amount or order.word == "ransom"):
            raise Refusal(f"A ransom is at least {least}.", field="amount")
        return CaptiveAct(*self.head, order.source, who, order.amount)

    def rename(self) -> GrowthAct:
        """Another name for a unit."""
        name = clean_text("name", self.order.name, NAME_MAX)
        return RenameAct(*self.head, self.order.who, name)

    def disband(self) -> GrowthAct:
        """The end of a warband, whose entry may found anew."""
        self.check_reason("Say why the warband disbands.")
        return DisbandAct(*self.head)

    def adjust(self) -> GrowthAct:
        """An organiser puts a treasury or somebody's experience right."""
        order = self.order
        self.check_reason()
        field = "experience" if order.who else "amount"
        amount = order.experience if order.who else order.amount
        if not amount or not is_int_within(amount, -ADJUST_MOST, ADJUST_MOST):
            message = f"from -{ADJUST_MOST:,} to {ADJUST_MOST:,}, and not 0."
            raise Refusal(f"The {field} is a number {message}", field=field)
        if order.who:
            self.find(order.who, "who")
            return AdjustExperienceAct(*self.head, order.who, amount)
        if order.currency not in self.warband.treasury:
            currencies = ", ".join(self.warband.treasury)
            raise Refusal(f"The currencies are {currencies}.", field="currency")
        return AdjustMoneyAct(*self.head, order.currency, amount)

    def effect(self) -> GrowthAct:
        """An organiser lets something befall a unit or the warband, as a row of a table would."""
        order = self.order
        self.check_reason()
        if order.who:
            self.find(order.who, "who")
        stats = stat_keys(registry.system_of(self.row.entry.event))
        try:
            effect = read_effect(order.effect or {}, self.rules, stats)
        except FaultyRules as error:
            message = f"The effect {error.faults[0].message}"
            raise Refusal(message, field="effect") from None
        if not effect.verb or not (order.who or VERBS[effect.verb].is_for_warbands):
            raise Refusal("Name a unit, and what befalls it.", field="who")
        return EffectAct(*self.head, order.who, effect)

    def unfought(self) -> GrowthAct:
        """A bye or a walkover, which pays by the rules and teaches nobody."""
        if self.order.word not in UNFOUGHT:
            raise Refusal(f"as must be {' or '.join(UNFOUGHT)}.", field="as")
        return UnfoughtAct(*self.head, self.order.word)


KINDS: Mapping[str, str] = {
    "recruit": "kind",
    "buy": "option",
    "search": "good",
    "sell": "item",
    "give": "item",
    "dismiss": "who",
    "captive": "who",
    "rename": "who",
    "disband": "kind",
    "adjust": "kind",
    "effect": "effect",
    "unfought": "kind",
    "redirect": "for",
}
"""The kinds of acts, each a method above, with the field that is wrong where it cannot be."""
ORGANISERS = ("adjust", "effect", "unfought")
