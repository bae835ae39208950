"""What a campaign warband can buy, recruit, look for, sell and give away, with every price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from accounts.errors import NotFound
from campaigns.growth.queries.ledger_pages import share_words
from campaigns.growth.queries.presenter import CampaignPresenter
from campaigns.growth.queries.warbands import WarbandHead, build_head, load_with_warband
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from engine.errors import Refusal
from engine.growth.log import STASH
from engine.growth.money import can_pay, recruit_price, sale_price
from engine.growth.rules import CampaignRules, Findable
from engine.growth.warriors import GearPiece, GrownWarrior, Joiner
from engine.records import Texts, frozen_dataclass
from engine.roster import Roster, RosterEntry
from engine.selection import Selection, select
from engine.types.lists import Army, Figure, Option, Profile
from rulesdata import registry
from warbands.exchange.document import shown

OFFERS_MOST = 120
FOUND_ON = "found on {} or more"


@frozen_dataclass
class ShopOffer:
    """Something for sale: its price in the currency of prices, and what is left then.

    ``words`` say what it does. ``has``: the unit has one already.
    """

    key: str
    name: str
    price: int
    left: int
    words: str = ""
    has: bool = False

    @property
    def is_short(self) -> bool:
        """Whether the treasury cannot pay it."""
        return not can_pay(self.left + self.price, self.price)


@frozen_dataclass
class OwnedPiece:
    """A piece that may be sold or given away. ``source`` is a unit's key, or the stash."""

    item: str
    name: str
    source: str
    owner: str
    sells_for: int


@frozen_dataclass
class ShopPage:
    """The shop of a warband, for ``bearer``: a unit's key or the stash.

    ``targets`` are who may be given something. ``seekers`` may look for what is ``rare``, and
    for recruits where some of them are (``has_rare_recruits``).
    """

    head: WarbandHead
    money: int
    currency: str
    bearers: Choices
    bearer: str
    bearer_name: str
    offers: tuple[ShopOffer, ...]
    recruits: tuple[ShopOffer, ...]
    hired: tuple[ShopOffer, ...]
    groups: tuple[ShopOffer, ...]
    rare: tuple[ShopOffer, ...]
    has_rare_recruits: bool
    search_dice: str
    seekers: Choices
    pieces: tuple[OwnedPiece, ...]
    targets: Choices
    units: Choices
    currencies: Choices
    models_most: int | None
    share: str = ""


def load_shop(event: ClubEventRecord, entry: EntryRecord, bearer: str = "") -> ShopPage:
    """Return the shop of an entry's warband. Two queries.

    Raises NotFound where it has none that goes on.
    """
    if not event.growth_position:
        raise NotFound("growth")
    campaign, row = load_with_warband(event, entry)
    if row is None or row.closed_at is not None:
        raise NotFound("warband")
    head = build_head(campaign, entry, row)
    return _Shop(campaign, row.token, bearer).build(head)


class _Shop:
    """A warband with its treasury, for asking what it can buy."""

    def __init__(self, campaign: CampaignPresenter, warband: str, bearer: str) -> None:
        """Keep the warband, its money, who is free, and the bearer of the shop.

        An unknown bearer becomes the first who is free, else the stash.
        """
        self.campaign, self.warband, self.rules = campaign, warband, campaign.rules
        self.grown, self.army = campaign.state.warbands[warband], campaign.army(warband)
        self.money = self.grown.treasury[self.rules.prices.currency]
        self.present = [
            warrior for warrior in self.grown.warriors.values() if warrior.is_free
        ]
        # Only single units can be given something, or sell a piece: those of a group stay
        # with all its models.
        self.singles = [warrior for warrior in self.present if warrior.count == 1]
        # An address may name anybody: whoever is not there has no shop, and the first one is shown.
        keys = [*(warrior.key for warrior in self.present), STASH]
        self.bearer = bearer if bearer in keys else keys[0]

    def build(self, head: WarbandHead) -> ShopPage:
        """Return the page."""
        campaign, rules, trade = self.campaign, self.rules, self.rules.trade
        units, stash = self._list_units(self.present), (STASH, "Stash")
        profiles = self.army.profiles.values() if self.army else ()
        recruits = [profile for profile in profiles if profile.is_offered]
        ordinary = [profile for profile in recruits if profile.joining.upkeep is None]
        seekers = [
            warrior
            for warrior in self.present
            if not trade.seekers or warrior.kind in trade.seekers
        ]
        return ShopPage(
            head=head,
            money=self.money,
            currency=campaign.currency(),
            bearers=(*units, stash),
            bearer=self.bearer,
            bearer_name=campaign.bearer(self.warband, self.bearer),
            offers=_first([*self._goods(), *self._listed(is_rare=False)]),
            recruits=_first(map(self._recruit, ordinary)),
            hired=_first(self._offer_hired(recruits)),
            groups=tuple(self._offer_groups()),
            rare=_first([*self._offer_rare_goods(), *self._listed(is_rare=True)]),
            has_rare_recruits=any(trade.rarity_of(profile.joining) for profile in recruits),
            search_dice=trade.search,
            seekers=self._list_units(seekers),
            pieces=tuple(self._pieces()),
            targets=(*self._list_units(self.singles), stash),
            units=units,
            currencies=tuple((currency.id, currency.name) for currency in rules.currencies),
            models_most=rules.limits.models,
            share=share_words(campaign.ledger.log, self.warband),
        )

    def _name(self, warrior: GrownWarrior) -> str:
        """Return a unit's name, with the number of models of a group."""
        name = self.campaign.joiner(self.warband, warrior.joined)
        return f"{name} ({warrior.count})" if warrior.count > 1 else name

    def _list_units(self, warriors: Iterable[GrownWarrior]) -> Choices:
        """Return some units with their names."""
        return tuple((warrior.key, self._name(warrior)) for warrior in warriors)

    def _offer(
        self, key: str, name: str, points: int, words: str = "", *, has: bool = False
    ) -> ShopOffer:
        """Return something for so many points, with what is left in the treasury then.

        What the treasury cannot pay stays in sight, with its price.
        """
        price = self.rules.prices.of(points)
        return ShopOffer(key, name, price, self.money - price, words, has)

    def _goods(self) -> Iterable[ShopOffer]:
        """Yield the goods of the rules that are no search, for a unit or the stash."""
        # The stash carries what nobody may carry yet; a group buys one for each of its models.
        warrior = self.grown.warriors.get(self.bearer)
        for good in self.rules.trade.goods.values():
            is_for = warrior is None or good.is_for(warrior.kind)
            if is_for and not good.rare:
                points = good.price * (warrior.count if warrior else 1)
                yield self._offer(good.id, good.name, points, good.words)

    def _offer_rare_goods(self) -> Iterable[ShopOffer]:
        """Yield the goods of the rules that are found by a search."""
        for good in self.rules.trade.goods.values():
            if good.rare:
                roll = FOUND_ON.format(good.rare)
                yield self._offer(good.id, good.name, good.price, roll)

    def _listed(self, *, is_rare: bool) -> Iterable[ShopOffer]:
        """Yield what the army list sells to the bearer, or what it has that is rare."""
        warrior = self.grown.warriors.get(self.bearer)
        if warrior is None or self.army is None or not self.rules.trade.has_lists:
            return
        profile = self.army.profiles.get(warrior.joined.profile)
        had = tuple(piece.id for piece in warrior.gear)
        # Some options change the price of others, so each is asked beside what the unit has.
        entry = RosterEntry(warrior.joined.profile, options=had)
        sold = profile.options if profile else ()
        for option in sold:
            price = option_price(self.army, entry, option.key)
            found_on = self._found_on(option)
            if price is None or bool(found_on) != is_rare:
                continue
            words = found_on or self._name_required(option, sold)
            points = price * warrior.count
            has = option.key in had
            yield self._offer(option.key, option.name, points, words, has=has)

    def _name_required(self, option: Option, sold: Iterable[Option]) -> str:
        """Return what an option is bought for, "" for nothing: it tells two of a name apart."""
        required = [
            f"{other.name} {self._found_on(other)}".strip()
            for other in sold
            if other.key in option.requires
        ]
        return f"for {' and '.join(required)}" if required else ""

    def _found_on(self, item: Findable) -> str:
        """Return the roll in words, "" for what is for sale."""
        rarity = self.rules.trade.rarity_of(item)
        return FOUND_ON.format(rarity) if rarity else ""

    def _offer_hired(self, recruits: Iterable[Profile]) -> Iterable[ShopOffer]:
        """Yield who serves for upkeep: of the rules, then of the army list."""
        army = self.army.key if self.army else ""
        for sword in self.rules.hired:
            if not sword.armies or army in sword.armies:
                upkeep = f"upkeep {sword.upkeep}"
                yield self._offer(sword.id, sword.name, sword.price, upkeep)
        for profile in recruits:
            if profile.joining.upkeep is not None:
                yield self._recruit(profile)

    def _offer_groups(self) -> Iterable[ShopOffer]:
        """Yield the groups, each with the price of one more model."""
        for warrior in self.present:
            if self.rules.kinds[warrior.kind].is_group:
                points = recruit_price(self.rules, warrior, 1)
                yield self._offer(warrior.key, self._name(warrior), points)

    def _recruit(self, profile: Profile) -> ShopOffer:
        """Return a unit of the army list with the price of a model, upkeep, and its roll."""
        assert self.army
        joiner = joiner_of(self.army, RosterEntry(profile.key), "w0", "")
        upkeep = profile.joining.upkeep
        words = (
            "" if upkeep is None else f"upkeep {upkeep}",
            self._found_on(profile.joining),
        )
        return self._offer(
            profile.key, profile.name, joiner.price, ", ".join(filter(None, words))
        )

    def _pieces(self) -> Iterable[OwnedPiece]:
        """Yield what may be sold or given away: of the stash and of single units."""
        singles = [
            (warrior.key, self._name(warrior), warrior.gear) for warrior in self.singles
        ]
        for source, owner, gear in ((STASH, "Stash", self.grown.stash), *singles):
            for piece in gear:
                name = self.campaign.gear(self.warband, piece.id)
                # A share of what was paid, not of its price now.
                price = sale_price(self.rules, piece.paid)
                yield OwnedPiece(piece.id, name, source, owner, price)


def _first(offers: Iterable[ShopOffer]) -> tuple[ShopOffer, ...]:
    """Return as many offers as a page has room for."""
    return tuple(offers)[:OFFERS_MOST]


NO_UNIT = "{army} has no unit {unit}."
NO_OPTION = "{unit} cannot buy {option}."


def joiners_of(roster: Roster) -> tuple[Joiner, ...]:
    """Return who a roster brings, numbered w1, w2 and so on in its order.

    Raises Refusal naming the entry for what its army list does not sell.
    """
    _, army = registry.load_ruleset(roster)
    found = []
    for place, entry in enumerate(roster.warriors):
        joiner = joiner_of(army, entry, f"w{place + 1}", f"roster.warriors[{place}]")
        found.append(joiner)
    return tuple(found)


def joiner_of(army: Army, entry: RosterEntry, key: str, field: str) -> Joiner:
    """Return an entry of a roster as somebody who joins, at the prices of its list.

    Raises Refusal naming a key below ``field``, or the key alone without one.
    """
    # What a roster keeps from before is no price of its list.
    selection = select(army, replace(entry, kept=None))
    profile = selection.profile
    if profile is None:
        words = NO_UNIT.format(army=army.name, unit=shown(entry.profile))
        raise Refusal(words, field=_below(field, "profile"))
    if selection.unknown:
        words = NO_OPTION.format(unit=profile.name, option=shown(selection.unknown[0]))
        raise Refusal(words, field=_below(field, "options"))
    gear = _gear(selection)
    # What the category of a unit is called, as rules of campaigns may name it.
    category = army.category(profile.category)
    headings = (category.name, category.plural) if category else ()
    return Joiner(
        key=key,
        profile=profile.key,
        price=selection.points_each - sum(piece.paid for piece in gear),
        stats=_stats(profile.lines[0].stats if profile.lines else {}),
        name=entry.name,
        category=profile.category,
        headings=headings,
        troop_type=profile.troop_type,
        count=entry.count,
        gear=gear,
        is_leader=entry.is_leader,
        is_hired=profile.joining.upkeep is not None,
        upkeep=profile.joining.upkeep or 0,
        experience=profile.joining.experience,
    )


def hired_joiner(rules: CampaignRules, army: str, profile: str, key: str) -> Joiner:
    """Return a hired sword of the rules. Raises Refusal for one who is not for hire."""
    for sword in rules.hired:
        if sword.id == profile and (not sword.armies or army in sword.armies):
            return Joiner(
                key=key,
                profile=sword.id,
                price=sword.price,
                stats=dict(sword.stats),
                name=sword.name,
                is_hired=True,
                upkeep=sword.upkeep,
            )
    raise Refusal(f"{shown(profile)} is not for hire.", field="profile")


def find_option(army: Army, profile: str, key: str) -> Option | None:
    """Return what a list sells to a unit by its key."""
    unit = army.profiles.get(profile)
    options = unit.options if unit else ()
    return next((option for option in options if option.key == key), None)


# Prices and gear


def option_price(army: Army, entry: RosterEntry, option: str) -> int | None:
    """Return the price of an option beside those an entry has; None: it is not sold."""
    selection = select(army, entry)
    if selection.profile is None:
        return None
    if all(one.key != option for one in selection.profile.options):
        return None
    # The difference of two prices, for some options change the price of others.
    had = known_options(army, entry)
    before = select(army, RosterEntry(entry.profile, options=had))
    after = select(army, RosterEntry(entry.profile, options=(*had, option)))
    return after.points_each - before.points_each


def known_options(army: Army, entry: RosterEntry) -> Texts:
    """Return what an entry has that its list knows: options, command models, magic items."""
    unknown = select(army, entry).unknown
    return tuple(key for key in entry.options if key not in unknown)


def _gear(selection: Selection) -> tuple[GearPiece, ...]:
    """Return what an entry has bought beyond its profile, in the order bought.

    What is paid once for a regiment is no piece of a model, and part of no price here.
    """
    lines = {line.key: line for line in selection.receipt if line.key and not line.is_once}
    found = []
    for key in selection.entry.options:
        # A receipt has one line for a thing bought several times.
        line = lines.get(key)
        found.append(GearPiece(key, line.each if line else 0))
    return tuple(found)


def _stats(stats: Mapping[str, Figure]) -> dict[str, int]:
    """Return a stat line as whole numbers; what is no number counts as 0, and stays so."""
    return {key: figure if isinstance(figure, int) else 0 for key, figure in stats.items()}


def _below(field: str, key: str) -> str:
    """Return the path of a key."""
    return f"{field}.{key}" if field else key
