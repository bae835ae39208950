"""The rules of a campaign as values: what warriors are, earn, suffer, cost and are worth.

They come from a document that was checked whole (``rulesdata.campaign_documents``), so nothing
here is checked again. No game is named: kinds, currencies, tables and skills are the document's
own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

from engine.growth.tables import CharacteristicEffects, DiceTable
from engine.records import NumberByKey, Numbers, Texts, frozen_dataclass
from engine.text import in_number

Part = tuple[int, int]
"""A share as numerator and denominator."""
EVERYBODY: Texts = ()
"""Kinds that are not named: all of them."""


@frozen_dataclass
class CampaignCurrency:
    """Something a warband collects; one that is not spent is a column of the standings."""

    id: str
    name: str
    start: int
    is_spent: bool


@frozen_dataclass
class PriceRule:
    """The currency of prices, and what one point of the army list costs in it."""

    currency: str
    per_point: int

    def of(self, points: int) -> int:
        """Return what so many points cost."""
        return points * self.per_point


@frozen_dataclass
class ModelLimit:
    """Another limit of models for some armies, or for warbands with units of some races."""

    models: int
    armies: Texts = ()
    races: Texts = ()


@frozen_dataclass
class GrowthLimits:
    """What a finding tells when a warband goes over it. None: no limit.

    ``models`` counts those of the kinds; the last of the ``overrides`` that matches replaces it.
    """

    models: int | None = None
    recruits_after_battle: int | None = None
    kinds: Texts = EVERYBODY
    overrides: tuple[ModelLimit, ...] = ()

    def models_most(self, army: str, races: Collection[str]) -> int | None:
        """Return how many models a warband of an army has, with units of these races."""
        most = self.models
        for other in self.overrides:
            if army in other.armies or not set(other.races).isdisjoint(races):
                most = other.models
        return most


@frozen_dataclass
class KindMatch:
    """Who belongs to a kind: any of these is enough, and without any of them everybody does."""

    leader: bool = False
    hired: bool = False
    categories: Texts = ()
    troop_types: Texts = ()
    profiles: Texts = ()

    @property
    def is_everybody(self) -> bool:
        """Whether nothing is asked of those who belong to the kind."""
        keys = self.categories or self.troop_types or self.profiles
        return not (self.leader or self.hired or keys)

    def is_within(self, other: KindMatch) -> bool:
        """Return whether everybody who belongs here belongs to the other too."""
        return (
            not self.is_everybody
            # True is above False: what is enough here is enough there.
            and other.leader >= self.leader
            and other.hired >= self.hired
            and set(self.categories) <= set(other.categories)
            and set(self.troop_types) <= set(other.troop_types)
            and set(self.profiles) <= set(other.profiles)
        )

    def joined(self, other: KindMatch) -> KindMatch:
        """Return who belongs to either."""
        return KindMatch(
            self.leader or other.leader,
            self.hired or other.hired,
            self.categories + other.categories,
            self.troop_types + other.troop_types,
            self.profiles + other.profiles,
        )


@frozen_dataclass
class GrowthKind:
    """How a sort of warrior grows: experience at its steps, its tables, its skills.

    A group of several models shares one experience. ``most`` None: as many as one likes.
    """

    id: str
    name: str
    match: KindMatch
    most: int | None = None
    is_group: bool = False
    steps: Numbers = ()
    advances: str = ""
    injuries: str = ""
    lists: Texts = ()

    def steps_at(self, experience: int) -> int:
        """Return how many steps that much experience has reached."""
        return sum(step <= experience for step in self.steps)

    def next_step(self, experience: int) -> int | None:
        """Return the first step above that much experience; None where there is none."""
        return next((step for step in self.steps if step > experience), None)


@frozen_dataclass
class ExperienceAward:
    """Experience for something done in a battle, ``most`` of it at most."""

    id: str
    name: str
    when: str
    amount: int
    most: int | None = None
    kinds: Texts = EVERYBODY


@frozen_dataclass
class UnderdogRow:
    """What those get whose highest rated opponent is at least ``lead`` above them."""

    lead: int
    experience: int = 0
    kinds: Texts = EVERYBODY
    amount: int = 0


@frozen_dataclass
class IncomeLine:
    """What a battle pays. ``when`` says which of the other figures count.

    result: by ``amounts`` of won, drawn, lost. dice: a throw, ``times`` so much. objective:
    ``each`` taken, ``most`` of them. unfought: by ``amounts`` of bye, walkover.
    """

    currency: str
    when: str
    name: str = ""
    amounts: NumberByKey = field(default_factory=dict)
    dice: str = ""
    times: int = 1
    objective: str = ""
    each: int = 0
    most: int | None = None


@frozen_dataclass
class UpkeepRule:
    """What each model over the free ones costs after a battle; what is not there is forgiven."""

    currency: str
    free_models: int
    each: int


@frozen_dataclass
class RatingTerm:
    """A part of the rating: price, experience, models, rating or skills, times a share."""

    of: str
    times: Part
    kinds: Texts = EVERYBODY


@frozen_dataclass
class MaximaOverride:
    """Other maxima for some armies, profiles or races."""

    armies: Texts
    profiles: Texts
    most: NumberByKey
    races: Texts = ()


@frozen_dataclass
class Maxima:
    """How far advances go: ``gain`` by kind, ``most`` for all, ``overrides`` the last that matches.

    What is not named has no such limit.
    """

    gain: Mapping[str, NumberByKey] = field(default_factory=dict)
    most: NumberByKey = field(default_factory=dict)
    overrides: tuple[MaximaOverride, ...] = ()

    def most_for(self, army: str, profile: str, race: str = "") -> NumberByKey:
        """Return how high characteristics of such a warrior may rise."""
        most = dict(self.most)
        for other in self.overrides:
            is_named = army in other.armies or profile in other.profiles
            if is_named or race in other.races:
                most |= other.most
        return most


@frozen_dataclass
class ListsRule:
    """Other lists of skills than those of a kind: for some profiles, or for who was promoted.

    ``choose``: so many of the lists, which the player chooses once; 0: all of them. Without
    ``lists`` the choice is among those of the warband's units of the same kind.
    """

    lists: Texts
    profiles: Texts = ()
    promoted: bool = False
    choose: int = 0


@frozen_dataclass
class SkillRule(CharacteristicEffects):
    """A skill; ``search`` is added to its bearer's roll for a rare thing.

    Its bearer ``uses`` goods of these sorts whatever its list sells.
    """

    search: int = 0
    uses: Texts = ()


@frozen_dataclass
class LastingMark(CharacteristicEffects):
    """What stays with somebody; its bearer may learn from these lists of skills too."""

    lists: Texts = ()


@frozen_dataclass
class TradeGood(CharacteristicEffects):
    """Something that is sold; what is ``rare`` must be found by so high a roll.

    ``dice`` are thrown when it is bought, and added to the price so many ``times``. One that is
    not ``is_sold`` is found alone, and its price is what it is worth to others. Other armies
    than those of ``only_for``, and those of ``not_for``, get none. ``listed`` is the sort of what a
    unit's own list must sell; there it has the id ``made_as``, or else that of the good.
    """

    price: int = 0
    dice: str = ""
    times: int = 1
    is_sold: bool = True
    listed: str = ""
    made_as: str = ""
    rare: int | None = None
    kinds: Texts = EVERYBODY
    only_for: Texts = ()
    not_for: Texts = ()

    @property
    def price_dice(self) -> str:
        """The dice of the price as they are read, "" for none."""
        return f"{self.dice} × {self.times}" if self.times > 1 else self.dice

    def is_for(self, kind: str) -> bool:
        """Return whether warriors of a kind may have it."""
        return not self.kinds or kind in self.kinds

    def serves(self, army: str) -> bool:
        """Return whether an army may have it."""
        return army not in self.not_for and (not self.only_for or army in self.only_for)


@frozen_dataclass
class TradeRule:
    """What may be bought, and which share of the price is paid for what is sold.

    ``search`` are the dice that look for rare things, thrown by the kinds of ``seekers``;
    ``search_once``: battle, or "" for as often as they like.
    """

    sell: Part = (1, 2)
    has_lists: bool = True
    search: str = ""
    seekers: Texts = EVERYBODY
    search_once: str = ""
    goods: Mapping[str, TradeGood] = field(default_factory=dict)

    def find_rarity(self, rarity: int) -> int:
        """Return the roll that finds what an army list has; without a search nothing is rare."""
        return rarity if self.search else 0


@frozen_dataclass
class SaleRule:
    """What a currency is sold for: ``rows`` by how many are sold, the last for more than that.

    Each row has a price for up to so many ``models`` of the kinds, and one for more. ``once``:
    battle, or "" for as often as one likes.
    """

    currency: str
    paid_in: str
    models: Numbers
    rows: tuple[Numbers, ...]
    once: str = ""
    kinds: Texts = EVERYBODY

    def price(self, count: int, models: int) -> int:
        """Return what so many bring to a warband of so many models."""
        row = self.rows[min(count, len(self.rows)) - 1]
        return row[sum(most < models for most in self.models)]

    def prices(self, amount: int, models: int) -> Numbers:
        """Return what one, two and so on of an amount bring, as far as there are rows."""
        counts = range(1, min(len(self.rows), amount) + 1)
        return tuple(self.price(count, models) for count in counts)


@frozen_dataclass
class CaptiveRule:
    """The ransom of a captive as a share of its price, and what a captor gets without one.

    ``is_named``: a captor may name another price. Who is refused is ``sold`` for these dice, so
    many ``times``, and leaves what it carries to the captor where ``is_gear_taken``.
    """

    part: Part
    least: int
    refused: int
    is_named: bool = False
    sold: str = ""
    times: int = 1
    is_gear_taken: bool = False


@frozen_dataclass
class RecruitRule:
    """What each point of a group's experience costs who joins it, and how much there is of it.

    ``pool``: the dice of the experience that joins between two battles, "" for any.
    """

    per_experience: int = 0
    pool: str = ""
    group_most: int | None = None


@frozen_dataclass
class HiredSword:
    """A unit that any of its armies may hire."""

    id: str
    name: str
    price: int
    upkeep: int
    armies: Texts
    stats: NumberByKey
    gear: Texts
    not_for: Texts = ()
    race: str = ""
    rating: int = 0

    def serves(self, army: str, races: Collection[str]) -> bool:
        """Return whether an army with units of these races may hire it."""
        is_barred = not {army, *races}.isdisjoint(self.not_for)
        return not is_barred and (not self.armies or army in self.armies)


@frozen_dataclass
class LateRule:
    """What those who join late get for each closed round."""

    currency: str
    per_round: int
    most: int

    def purse(self, rounds: int) -> int:
        """Return what somebody gets who joins after so many closed rounds."""
        return min(self.most, self.per_round * rounds)


@frozen_dataclass
class TerritoryRule:
    """Places that winners claim, at most so many each, and what each pays after a battle."""

    word: str
    names: Texts
    most: int
    currency: str
    amount: int


@frozen_dataclass
class DicePool:
    """Dice thrown together: one for each of some kinds who still stands, more for the winner."""

    die: str
    each: Texts = ()
    won: int = 0
    most: int = 9


@frozen_dataclass
class ExtraRoll:
    """A further roll after a battle: of the warband, or of each of some kinds who fought.

    With a ``pool`` the table is read by its sum. ``alike``: tables that are read besides by a face
    that so many dice show.
    """

    id: str
    name: str
    table: str
    kinds: Texts = ()
    pool: DicePool | None = None
    alike: Mapping[int, str] = field(default_factory=dict)

    def find_alike(self, faces: Numbers) -> tuple[str, int]:
        """Return the table of the most faces that are alike, and the face; "" for none.

        Of as many alike the higher face counts.
        """
        number, face = max((faces.count(face), face) for face in faces)
        reached = [least for least in self.alike if least <= number]
        return (self.alike[max(reached)] if reached else "", face)


@frozen_dataclass
class CampaignRules:
    """The rules of a campaign, whole."""

    id: str
    name: str
    version: int
    currencies: tuple[CampaignCurrency, ...]
    prices: PriceRule
    kinds: Mapping[str, GrowthKind]
    summary: str = ""
    source: str = ""
    systems: Texts = ()
    limits: GrowthLimits = GrowthLimits()
    experience: tuple[ExperienceAward, ...] = ()
    underdog: tuple[UnderdogRow, ...] = ()
    income: tuple[IncomeLine, ...] = ()
    upkeep: UpkeepRule | None = None
    rating: tuple[RatingTerm, ...] = ()
    maxima: Maxima = Maxima()
    tables: Mapping[str, DiceTable] = field(default_factory=dict)
    skill_lists: Mapping[str, Texts] = field(default_factory=dict)
    skills: Mapping[str, SkillRule] = field(default_factory=dict)
    marks: Mapping[str, LastingMark] = field(default_factory=dict)
    lists_for: tuple[ListsRule, ...] = ()
    trade: TradeRule = TradeRule()
    sales: tuple[SaleRule, ...] = ()
    recruits: RecruitRule = RecruitRule()
    hired: tuple[HiredSword, ...] = ()
    is_unpaid_gone: bool = False
    late: LateRule | None = None
    captives: CaptiveRule | None = None
    is_gear_kept: bool = True
    is_dismissed_gear_kept: bool = True
    successors: Texts = ()
    territories: TerritoryRule | None = None
    rolls: tuple[ExtraRoll, ...] = ()

    def find_trait(self, key: str) -> CharacteristicEffects | None:
        """Return a skill, a mark or a piece of gear, None for one that these rules do not have."""
        return self.skills.get(key) or self.marks.get(key) or self.trade.goods.get(key)

    def currency_name(self, key: str, count: int = 0) -> str:
        """Return what a currency is called, or one of it; one that these rules lack, by its id."""
        names = {currency.id: currency.name for currency in self.currencies}
        return in_number(names.get(key, key), count)

    def amount(self, count: int, key: str = "") -> str:
        """Return an amount with its currency, that of prices where none is named: "1 shard"."""
        return f"{count} {self.currency_name(key or self.prices.currency, count)}"

    def find_sale(self, currency: str) -> SaleRule | None:
        """Return how a currency is sold; None for one that nobody buys."""
        return next((sale for sale in self.sales if sale.currency == currency), None)

    def kind_name(self, key: str) -> str:
        """Return what a kind is called; one that these rules do not have, by its id."""
        return self.kinds[key].name if key in self.kinds else key

    @property
    def upkeep_currency(self) -> str:
        """Return what upkeep is paid in: the currency of prices where nothing else is said."""
        return self.upkeep.currency if self.upkeep else self.prices.currency
