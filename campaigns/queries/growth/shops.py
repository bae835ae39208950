"""What a campaign warband can buy, recruit, look for, sell and give away, with every price."""

from __future__ import annotations

from collections.abc import Iterable

from campaigns.models import CampaignWarband
from campaigns.queries.growth.heads import WarbandHead, head_of
from campaigns.queries.growth.joiners import joiner_of, option_price
from campaigns.queries.growth.ledger_words import share_words
from campaigns.queries.growth.names import CampaignNames
from campaigns.queries.growth.warband_pages import find_own_warband
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from engine.growth.log import STASH
from engine.growth.money import can_pay, recruit_price, sale_price
from engine.growth.rules import Findable
from engine.growth.state import WarbandGrowth
from engine.growth.warriors import GrownWarrior
from engine.records import frozen_dataclass
from engine.roster import RosterEntry
from engine.types.lists import Army, Option, Profile

OFFERS_MOST = 120
FOUND_ON = "found on {} or more"


# What the page shows


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

    event: ClubEventRecord
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


# Loading


def load_shop(event: ClubEventRecord, entry: EntryRecord, bearer: str = "") -> ShopPage:
    """Return the shop of an entry's warband. Two queries. Raises NotFound where it has none."""
    names, row = find_own_warband(event, entry)
    return _Shop(names, row, bearer).page(event, entry)


class _Shop:
    """A warband with its treasury, for asking what it can buy."""

    def __init__(self, names: CampaignNames, row: CampaignWarband, bearer: str) -> None:
        """Keep the warband, its money, who is free, and the bearer of the shop.

        An unknown bearer becomes the first who is free, else the stash.
        """
        self.names, self.row, self.rules = names, row, names.rules
        self.grown: WarbandGrowth = names.ledger.state.warbands[row.token]
        self.money = self.grown.treasury[self.rules.prices.currency]
        self.present = [one for one in self.grown.warriors.values() if one.is_free]
        # An address may name anybody: whoever is not there has no shop, and the first one is shown.
        known = [*(one.key for one in self.present), STASH]
        self.bearer = bearer if bearer in known else known[0]

    def page(self, event: ClubEventRecord, entry: EntryRecord) -> ShopPage:
        """Return the page."""
        names, token = self.names, self.row.token
        army = names.army(token)
        units = tuple((one.key, self._name(one)) for one in self.present)
        # Only single units can be given something.
        singles = tuple(
            (one.key, self._name(one)) for one in self.present if one.count == 1
        )
        # The stash carries what nobody may carry yet; a group buys one for each of its models.
        one = self.grown.warriors.get(self.bearer)
        found = [*self._goods(one)]
        if one is not None and army is not None and self.rules.trade.has_lists:
            found += self._listed(army, one)
        has_rare_recruits = any(
            self.rules.trade.rarity_of(one.joining) for one in _units(army)
        )
        return ShopPage(
            event=event,
            head=head_of(event, entry, self.row, names),
            money=self.money,
            currency=names.currency(self.rules.prices.currency),
            bearers=(*units, (STASH, "Stash")),
            bearer=self.bearer,
            bearer_name=names.bearer(token, self.bearer),
            offers=tuple(found[:OFFERS_MOST]),
            recruits=self._recruits(army),
            hired=self._hired(army),
            groups=self._groups(),
            rare=self._rare(army),
            has_rare_recruits=has_rare_recruits,
            search_dice=self.rules.trade.search,
            share=share_words(names.ledger.log, token),
            seekers=self._seekers(),
            pieces=tuple(self._pieces()),
            targets=(*singles, (STASH, "Stash")),
            units=units,
            currencies=tuple((one.id, one.name) for one in self.rules.currencies),
            models_most=self.rules.limits.models,
        )

    def _name(self, one: GrownWarrior) -> str:
        """Return a unit's name, with the number of models of a group."""
        name = self.names.unit_name(self.row.token, one)
        return f"{name} ({one.count})" if one.count > 1 else name

    def _offer(
        self, key: str, name: str, points: int, words: str = "", *, has: bool = False
    ) -> ShopOffer:
        """Return something for so many points, with what is left in the treasury then.

        What the treasury cannot pay stays in sight, with its price.
        """
        price = self.rules.prices.of(points)
        return ShopOffer(key, name, price, self.money - price, words, has)

    def _goods(self, one: GrownWarrior | None) -> Iterable[ShopOffer]:
        """Yield the goods of the rules that are no search, for a unit or the stash."""
        for good in self.rules.trade.goods.values():
            is_for = one is None or good.is_for(one.kind)
            if is_for and not good.rare:
                points = good.price * (one.count if one else 1)
                yield self._offer(good.id, good.name, points, good.words)

    def _listed(
        self, army: Army, one: GrownWarrior, *, is_rare: bool = False
    ) -> Iterable[ShopOffer]:
        """Yield what the army list sells to a unit, or what it has that is rare."""
        profile = army.profiles.get(one.joined.profile)
        had = tuple(piece.id for piece in one.gear)
        # Some options change the price of others, so each is asked beside what the unit has.
        entry = RosterEntry(one.joined.profile, options=had)
        sold = profile.options if profile else ()
        for option in sold:
            price = option_price(army, entry, option.key)
            if price is not None and bool(self.rules.trade.rarity_of(option)) == is_rare:
                has = option.key in had
                words = self._found_on(option) or self._needed(sold, option)
                yield self._offer(
                    option.key, option.name, price * one.count, words, has=has
                )

    def _needed(self, sold: Iterable[Option], option: Option) -> str:
        """Return what an option is bought for, which tells two of one name apart."""
        needed = [one for one in sold if one.key in option.requires]
        named = (f"{one.name} {self._found_on(one)}".strip() for one in needed)
        return f"for {' and '.join(named)}" if needed else ""

    def _found_on(self, one: Findable) -> str:
        """Return the roll in words, "" for what is for sale."""
        rarity = self.rules.trade.rarity_of(one)
        return FOUND_ON.format(rarity) if rarity else ""

    def _recruits(self, army: Army | None) -> tuple[ShopOffer, ...]:
        """Return the units of the army list with the price of a model."""
        ordinary = (one for one in _units(army) if one.joining.upkeep is None)
        found = [self._unit(army, one) for one in ordinary]
        return tuple(found[:OFFERS_MOST])

    def _unit(self, army: Army | None, one: Profile) -> ShopOffer:
        """Return a unit of the army list with its price, upkeep, and the roll that finds it."""
        assert army
        joiner = joiner_of(army, RosterEntry(one.key), "w0", "")
        upkeep = "" if one.joining.upkeep is None else f"upkeep {one.joining.upkeep}"
        words = ", ".join(filter(None, (upkeep, self._found_on(one.joining))))
        return self._offer(one.key, one.name, joiner.price, words)

    def _hired(self, army: Army | None) -> tuple[ShopOffer, ...]:
        """Return the hired swords of the rules that the army may hire, then those of its list."""
        key = army.key if army else ""
        found = [
            self._offer(one.id, one.name, one.price, f"upkeep {one.upkeep}")
            for one in self.rules.hired
            if not one.armies or key in one.armies
        ]
        listed = (one for one in _units(army) if one.joining.upkeep is not None)
        found += [self._unit(army, one) for one in listed]
        return tuple(found[:OFFERS_MOST])

    def _groups(self) -> tuple[ShopOffer, ...]:
        """Return the groups that models may join, with the price of one."""
        return tuple(
            self._offer(one.key, self._name(one), recruit_price(self.rules, one, 1))
            for one in self.present
            if self.rules.kinds[one.kind].is_group
        )

    def _rare(self, army: Army | None) -> tuple[ShopOffer, ...]:
        """Return the rare goods with the roll that finds each, then those of the bearer's list."""
        found = [
            self._offer(good.id, good.name, good.price, FOUND_ON.format(good.rare))
            for good in self.rules.trade.goods.values()
            if good.rare
        ]
        one = self.grown.warriors.get(self.bearer)
        if one is not None and army is not None and self.rules.trade.has_lists:
            found += self._listed(army, one, is_rare=True)
        return tuple(found[:OFFERS_MOST])

    def _seekers(self) -> Choices:
        """Return who may look for something rare."""
        kinds = self.rules.trade.seekers
        return tuple(
            (one.key, self._name(one))
            for one in self.present
            if not kinds or one.kind in kinds
        )

    def _pieces(self) -> Iterable[OwnedPiece]:
        """Yield what may be sold or given away: of the stash and of single units."""
        # The pieces of a group stay with all its models, so they are not on offer.
        for piece in self.grown.stash:
            yield self._piece(piece.id, piece.paid, STASH, "Stash")
        for one in self.present:
            for piece in one.gear if one.count == 1 else ():
                yield self._piece(piece.id, piece.paid, one.key, self._name(one))

    def _piece(self, item: str, paid: int, source: str, owner: str) -> OwnedPiece:
        """Return a piece with what it sells for: a share of what was paid, not of its price now."""
        name = self.names.gear(self.row.token, item)
        return OwnedPiece(item, name, source, owner, sale_price(self.rules, paid))


def _units(army: Army | None) -> Iterable[Profile]:
    """Return what a warband may recruit from its army list."""
    return (one for one in army.profiles.values() if one.is_offered) if army else ()
