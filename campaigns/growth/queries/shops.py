"""What a campaign warband can buy, recruit, look for, sell and give away, with every price."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from accounts.errors import NotFound
from campaigns.growth.queries.ledger_pages import share_words
from campaigns.growth.queries.presenter import CampaignPresenter
from campaigns.growth.queries.warbands import WarbandHead, load_with_warband
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from engine.errors import Refusal
from engine.growth.money import can_pay, counts_for, recruit_price, sale_price
from engine.growth.rules import CampaignRules, HiredSword, TradeGood
from engine.growth.state import find_models_most
from engine.growth.warriors import STASH, GearPiece, GrownWarrior, Joiner
from engine.records import Texts, copy_fields, frozen_dataclass
from engine.roster import RosterEntry
from engine.selection import Selection, select
from engine.types.lists import Army, Option, Profile
from rulesdata import registry
from rulesdata.campaign_documents import read_effect, stat_keys
from warbands.exchange.document import shown

BODILY = ("upgrade", "magic-level")
"""Kinds of options that change whoever buys them, and are no gear."""
OFFERS_MOST = 120
"""As many offers of a sort as a page has room for."""


@frozen_dataclass
class ShopOffer:
    """Something for sale: its price with the word for it, and what is left then.

    ``has``: the unit has one already. ``dice`` are thrown for the rest of its price.
    """

    key: str
    name: str
    price: int
    currency: str
    left: int
    note: str = ""
    has: bool = False
    dice: str = ""

    @property
    def is_short(self) -> bool:
        """Whether the treasury cannot pay it."""
        return not can_pay(self.left + self.price, self.price)


def load_shop(event: ClubEventRecord, entry: EntryRecord, bearer: str) -> Shop:
    """Return the shop of an entry's warband. Two queries.

    Raises NotFound where it has none that goes on.
    """
    if not event.growth_position:
        raise NotFound("growth")
    campaign, row = load_with_warband(event, entry)
    if row is None or row.closed_at is not None:
        raise NotFound("warband")
    shop = Shop(campaign, WarbandHead(campaign, entry, row), bearer)
    if event.may_organise:
        shop.rulings = tuple(list_rulings(campaign))
    return shop


class Shop:
    """The shop of a warband for ``bearer``, a unit's key or the stash, as its page shows it.

    ``goods`` are those of the rules for the bearer, whatever its list asks for them.
    ``targets`` are who may be given something. ``seekers`` may look for what is ``rare``, and
    for recruits where some of them are (``has_rare_recruits``). ``pieces`` may be sold or given
    away: who has it and its id, what it is called, and for how much it sells. ``sales`` are
    currencies that may be sold, with what so many of each bring.
    ``captives`` are those that it holds; ``veterans`` is how much experience may join groups.
    ``rulings`` are what an organiser may choose to let happen.
    """

    def __init__(self, campaign: CampaignPresenter, head: WarbandHead, bearer: str) -> None:
        """An unknown bearer becomes the first who is free, else the stash."""
        self.campaign, self.head, self.rules = campaign, head, campaign.rules
        self.army = campaign.army(head.id)
        trade = self.rules.trade
        grown = campaign.state.warbands[head.id]
        self.money = grown.treasury[self.rules.prices.currency]
        self.veterans = grown.veterans
        present = [warrior for warrior in grown.warriors.values() if warrior.is_free]
        stash = (STASH, "Stash")
        self.units = self._list_units(present)
        self.bearers = (*self.units, stash)
        keys = [key for key, _ in self.bearers]
        self.bearer = bearer if bearer in keys else keys[0]
        self.bearer_name = campaign.bearer(head.id, self.bearer)
        self._offer_units(present)
        self._offer_gear(grown.warriors.get(self.bearer))
        self.search_dice = trade.search
        self.seekers = self._list_units(
            warrior
            for warrior in present
            if counts_for(trade.seekers, warrior) and warrior.key not in grown.searchers
        )
        # Only single units can be given something, or sell a piece: those of a group stay
        # with all its models.
        singles = [warrior for warrior in present if warrior.count == 1]
        self.targets = (*self._list_units(singles), stash)
        self.pieces = list(self._list_pieces(STASH, "Stash", grown.stash))
        for warrior in singles:
            name = self._name(warrior)
            self.pieces += self._list_pieces(warrior.key, name, warrior.loose)
        self.currencies = [
            (currency.id, currency.name) for currency in self.rules.currencies
        ]
        self.captives = campaign.list_captives(head.id)
        self.held = list(self._list_held(grown.warriors.values()))
        self.sales = list(list_sales(campaign, head.id))
        self.models_most = find_models_most(self.rules, campaign.ledger.log, grown)
        self.models = grown.count_models(self.rules.limits.kinds)
        self.rulings: Choices = ()
        self.share = share_words(campaign.ledger.log, head.id)

    def _name(self, warrior: GrownWarrior) -> str:
        """Return a unit's name, with the number of models of a group."""
        name = self.campaign.joiner(self.head.id, warrior.joined)
        return f"{name} ({warrior.count})" if warrior.count > 1 else name

    def _list_units(self, warriors: Iterable[GrownWarrior]) -> Choices:
        """Return some units with their names."""
        return tuple((warrior.key, self._name(warrior)) for warrior in warriors)

    def _offer(
        self, key: str, name: str, points: int, note: str = "", *, has: bool = False
    ) -> ShopOffer:
        """Return something for so many points, with what is left in the treasury then.

        What the treasury cannot pay stays in sight, with its price.
        """
        price = self.rules.prices.of(points)
        currency, left = self.campaign.currency(count=price), self.money - price
        return ShopOffer(key, name, price, currency, left, note, has)

    def _offer_units(self, present: Iterable[GrownWarrior]) -> None:
        """Offer who may join: recruits, hired swords, and models for the groups that are there."""
        profiles = self.army.profiles.values() if self.army else ()
        units = [profile for profile in profiles if profile.is_offered]
        recruits = [unit for unit in units if unit.joining.upkeep is None]
        self.recruits = [self._offer_recruit(unit) for unit in recruits[:OFFERS_MOST]]
        self.hired = list(self._offer_hired(units))[:OFFERS_MOST]
        find_rarity = self.rules.trade.find_rarity
        self.has_rare_recruits = any(find_rarity(unit.joining.rarity) for unit in units)
        self.groups = [
            self._offer(group.key, self._name(group), recruit_price(self.rules, group, 1))
            for group in present
            if self.rules.kinds[group.kind].is_group
        ]

    def _offer_gear(self, buyer: GrownWarrior | None) -> None:
        """Offer a unit or the stash what the rules and the army list sell, the rare apart."""
        army = self.campaign.ledger.log.find_army(self.head.id)
        goods = self.rules.trade.goods.values()
        sold = (good for good in goods if good.is_sold and good.serves(army))
        self.goods = [
            good
            for good in sold
            if buyer is None or may_have(self.rules, self.army, buyer, good)
        ]
        self.offers, self.rare = (
            [
                *self._offer_goods(buyer, is_rare=is_rare),
                *self._offer_options(buyer, is_rare=is_rare),
            ][:OFFERS_MOST]
            for is_rare in (False, True)
        )

    def _offer_goods(
        self, buyer: GrownWarrior | None, *, is_rare: bool
    ) -> Iterator[ShopOffer]:
        """Yield the goods of the rules for a unit or the stash: for sale, or found by a search."""
        # The stash carries what nobody may carry yet; a group buys one for each of its models.
        count = buyer.count if buyer and not is_rare else 1
        for good in self.goods:
            if bool(good.rare) == is_rare:
                notes = [f"found on {good.rare} or more"] if is_rare else []
                if good.dice:
                    notes.append(f"+ {good.price_dice}")
                note = ", ".join(notes) or good.words
                offer = self._offer(good.id, good.name, good.price * count, note)
                yield replace(offer, dice=good.dice)

    def _offer_options(
        self, buyer: GrownWarrior | None, *, is_rare: bool
    ) -> Iterator[ShopOffer]:
        """Yield what the army list sells to a unit, or what it has that is rare."""
        if buyer is None or self.army is None or not self.rules.trade.has_lists:
            return
        options = list_options(self.army, buyer)
        had = {piece.id for piece in buyer.gear}
        goods = {good.id for good in self.goods}
        for option in options:
            found_on = self._found_on(option.rarity)
            if bool(found_on) != is_rare or option.key in goods:
                continue
            note = found_on or self._bought_for(option, options)
            priced = price_option(self.army, buyer, option.key)
            if priced:
                points = priced[1] * buyer.count
                has = option.key in had
                yield self._offer(option.key, option.name, points, note, has=has)

    def _bought_for(self, option: Option, options: Iterable[Option]) -> str:
        """Return what an option needs, "" for nothing: it tells options of one name apart."""
        required = [
            f"{other.name} {self._found_on(other.rarity)}".strip()
            for other in options
            if other.key in option.requires
        ]
        return f"for {' and '.join(required)}" if required else ""

    def _found_on(self, rarity: int) -> str:
        """Return the roll in words, "" for what is for sale."""
        rarity = self.rules.trade.find_rarity(rarity)
        return f"found on {rarity} or more" if rarity else ""

    def _offer_hired(self, recruits: Iterable[Profile]) -> Iterator[ShopOffer]:
        """Yield who serves for upkeep: of the rules, then of the army list."""
        for sword in self.rules.hired:
            if can_hire(self.army, sword):
                upkeep = f"upkeep {sword.upkeep}"
                yield self._offer(sword.id, sword.name, sword.price, upkeep)
        for profile in recruits:
            if profile.joining.upkeep is not None:
                yield self._offer_recruit(profile)

    def _offer_recruit(self, profile: Profile) -> ShopOffer:
        """Return a unit of the army list with the price of a model, upkeep, and its roll."""
        assert self.army
        joiner = build_joiner(self.army, RosterEntry(profile.key), "w0")
        upkeep = profile.joining.upkeep
        note = [] if upkeep is None else [f"upkeep {upkeep}"]
        if found_on := self._found_on(profile.joining.rarity):
            note.append(found_on)
        return self._offer(profile.key, profile.name, joiner.price, ", ".join(note))

    def _list_held(self, units: Iterable[GrownWarrior]) -> Iterator[tuple[str, str]]:
        """Yield the units that others hold, and for whom they offer an exchange."""
        for unit in units:
            if unit.captor:
                name = f"{self._name(unit)}, held by {self.campaign.warband(unit.captor)}"
                if unit.exchange:
                    offer = self.campaign.unit(
                        unit.captor, unit.exchange.rpartition("/")[2]
                    )
                    name += f", offered for {offer}"
                yield unit.key, name

    def _list_pieces(
        self, source: str, owner: str, gear: Iterable[GearPiece]
    ) -> Iterator[tuple[str, str, int]]:
        """Yield pieces with a share of what was paid for them, not of their price now.

        What was found has cost nothing, and has a share of that price.
        """
        for piece in gear:
            name = self.campaign.gear(self.head.id, piece.id)
            good = self.rules.trade.goods.get(piece.id) if piece.is_found else None
            price = sale_price(self.rules, good.price if good else piece.paid)
            yield f"{source} {piece.id}", f"{name} ({owner})", price


def list_rulings(campaign: CampaignPresenter) -> Iterator[tuple[str, str]]:
    """Yield what an organiser may rule: the text of an effect, and what it does."""
    rules, stats = campaign.rules, stat_keys(registry.system_of(campaign.event))
    verbs = {
        "misses": (1, 2, 3),
        "experience": (1, 2, 3),
        "skill": [True],
        "gone": [True],
        "loses": ["all"],
        "raise": [[stat] for stat in stats],
        "lower": stats,
        "mark": rules.marks,
        "item": rules.trade.goods,
    }
    for verb, values in verbs.items():
        for value in values:
            effect = read_effect({verb: value}, rules, stats)
            yield json.dumps({verb: value}), campaign.effect(effect)


def list_sales(
    campaign: CampaignPresenter, warband: str
) -> Iterator[tuple[str, str, Choices]]:
    """Yield the currencies that a warband may sell now, with what so many of each bring."""
    sales = campaign.state.warbands[warband].sales
    for sale in campaign.rules.sales:
        prices = tuple(
            (str(count), f"{count} for {campaign.rules.amount(price, sale.paid_in)}")
            for count, price in enumerate(sales.get(sale.currency, ()), start=1)
        )
        if prices:
            yield sale.currency, campaign.currency(sale.currency), prices


# Who joins, and what the army list sells


def can_hire(army: Army | None, sword: HiredSword) -> bool:
    """Return whether an army list may hire a sword of the rules, by its key and its races."""
    profiles = army.profiles.values() if army else ()
    races = {unit.joining.race for unit in profiles if not unit.is_hired}
    return sword.serves(army.key if army else "", races - {""})


def may_have(
    rules: CampaignRules, army: Army | None, unit: GrownWarrior, good: TradeGood
) -> bool:
    """Return whether a unit may have something of the rules' goods.

    What must be ``listed`` is for whose list sells it and who learned its use. Whoever may look
    for rare things may have them too.
    """
    if not good.is_for(unit.kind):
        return False
    if not good.listed:
        return True
    listed = {option.key for option in list_options(army, unit)} if army else set()
    skills = (rules.skills[skill] for skill in unit.skills if skill in rules.skills)
    return (
        (good.made_as or good.id) in listed
        or any(good.listed in skill.uses for skill in skills)
        or bool(good.rare and counts_for(rules.trade.seekers, unit))
    )


def build_joiner(army: Army, entry: RosterEntry, key: str, field: str = "") -> Joiner:
    """Return an entry of a roster as somebody who joins, at the prices of its list.

    Raises Refusal naming a key behind ``field`` for what the list does not sell.
    """
    # What a roster keeps from before is no price of its list.
    selection = select(army, replace(entry, kept=None))
    profile = selection.profile
    if profile is None:
        raise Refusal(
            f"{army.name} has no unit {shown(entry.profile)}.", field=f"{field}profile"
        )
    if selection.unknown:
        raise Refusal(
            f"{profile.name} cannot buy {shown(selection.unknown[0])}.",
            field=f"{field}options",
        )
    gear = tuple(_list_gear(selection, profile))
    # What the category of a unit is called, as rules of campaigns may name it.
    category = army.category(profile.category)
    stats = profile.lines[0].stats if profile.lines else {}
    return copy_fields(
        Joiner,
        profile.joining,
        key=key,
        profile=profile.key,
        price=selection.points_each - sum(piece.paid for piece in gear),
        # What is no number counts as 0, and stays so.
        stats={
            stat: figure if isinstance(figure, int) else 0 for stat, figure in stats.items()
        },
        name=entry.name,
        category=profile.category,
        headings=(category.name, category.plural) if category else (),
        troop_type=profile.troop_type,
        count=entry.count,
        gear=gear,
        is_leader=entry.is_leader,
        is_hired=profile.joining.upkeep is not None,
        upkeep=profile.joining.upkeep or 0,
        learns=profile.joining.gains_experience,
        rating=profile.base_terms.second,
    )


def _list_gear(selection: Selection, profile: Profile) -> Iterator[GearPiece]:
    # A receipt has one line for a thing bought several times. What is paid once for a regiment
    # is no piece of a model, and part of no price here.
    prices = {line.key: line.each for line in selection.receipt if not line.is_once}
    kinds = {option.key: option.kind for option in profile.all_options}
    for option in selection.entry.options:
        yield GearPiece(option, prices.get(option, 0), kinds.get(option) in BODILY)


def price_option(army: Army, warrior: GrownWarrior, key: str) -> tuple[Option, int] | None:
    """Return what the list sells to a unit beside what it has, with its price; None: not sold."""
    unit, options = warrior.joined.profile, list_options(army, warrior)
    option = next((option for option in options if option.key == key), None)
    if option is None:
        return None
    # The difference of two prices, for some options change the price of others.
    had = known_options(army, warrior)
    before = select(army, RosterEntry(unit, options=had))
    after = select(army, RosterEntry(unit, options=(*had, key)))
    return option, after.points_each - before.points_each


def list_options(army: Army, warrior: GrownWarrior) -> Sequence[Option]:
    """Return the options of a unit's profile; none for one that has left the list."""
    profile = army.profiles.get(warrior.joined.profile)
    options = profile.options if profile else ()
    return [option for option in options if not option.is_put_away]


def known_options(army: Army, warrior: GrownWarrior) -> Texts:
    """Return what a unit has that its list sells: options, command models, magic items."""
    gear = tuple(piece.id for piece in warrior.gear)
    unknown = select(army, RosterEntry(warrior.joined.profile, options=gear)).unknown
    return tuple(key for key in gear if key not in unknown)
