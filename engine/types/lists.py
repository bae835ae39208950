"""What an army list is made of: profiles with their stat lines and options, weapons, armour and
magic items.
"""

import re
from collections.abc import Container, Mapping
from dataclasses import field
from typing import Literal

from engine.records import NamedValues, TextByKey, Texts, frozen_dataclass
from engine.roster import RosterEntry
from engine.text import capital

Figure = int | str | None

CHAMPION, MUSICIAN, STANDARD_BEARER = "champion", "musician", "standard-bearer"
COMMAND = (CHAMPION, MUSICIAN, STANDARD_BEARER)
MAGIC_PREFIX = "magic/"
# The most of a club's own list. All of it is read again and checked at every change.
OWN_UNITS_MAX = 300
OWN_ITEMS_MAX = 200
OWN_MAGIC_MAX = 400
OWN_COLUMNS_MAX = 12  # a table on a phone has room for no more
UPKEEP_MOST = 1_000
STARTING_EXPERIENCE_MOST = 100
# The roll that finds something rare in a campaign.
RARITY_LEAST = 2
RARITY_MOST = 12
_AMOUNT = re.compile(r"(?<=\d)( |\N{NO-BREAK SPACE})(?:points?|pts?)\b(?! limit)")


@frozen_dataclass
class StatLine:
    """One stat line.

    ``role`` is model, rider, mount or crew; ``count`` the number of such figures where stated.
    """

    name: str
    stats: Mapping[str, Figure]
    role: str = "model"
    count: int | None = None
    barded_move: int | None = None


@frozen_dataclass
class PriceCase:
    """Another price while all of ``bought`` are bought and none of ``not_bought`` is."""

    points: int
    bought: Texts = ()
    not_bought: Texts = ()

    def holds(self, bought: Container[str]) -> bool:
        """Return whether it is the price beside what is bought."""
        return all(key in bought for key in self.bought) and not any(
            key in bought for key in self.not_bought
        )


@frozen_dataclass
class PriceTerms:
    """What is said of a price beside its points: other prices, of which the first that holds is
    paid, and what it adds to the list's second price.
    """

    cases: tuple[PriceCase, ...] = ()
    second: int = 0

    def points(self, usual: int, bought: Container[str]) -> int:
        """Return the points beside what is bought, the usual ones where no case holds."""
        return next((case.points for case in self.cases if case.holds(bought)), usual)


PLAIN_PRICE = PriceTerms()


@frozen_dataclass
class Option:
    """Something a profile may buy.

    ``per`` is model, unit (one price for a regiment) or each (up to ``maximum``).

    ``miniatures`` are the figures that one purchase adds on bases of their own (a fanatic, a
    hound). With a ``house_rule``, an exclusive group shuts others out only where that rule is
    played; without it a choice only takes the place of the default. ``words`` are a club's own.

    In a campaign something of a ``rarity`` is found by so high a roll; 0: it is for sale. What is
    ``is_trade_only`` is sold there alone. What is ``is_put_away`` stays with whoever has it.
    Everybody has one of what is ``is_first_free``.
    """

    key: str
    name: str
    points: int
    kind: str = "other"
    per: str = "model"
    items: Texts = ()
    group: str = ""
    is_exclusive: bool = False
    is_required: bool = False
    is_default: bool = False
    maximum: int | None = None
    level: int | None = None
    mount: str = ""
    effect: Mapping[str, Figure] = field(default_factory=dict)
    grants: Texts = ()
    takes_away: Texts = ()
    adds_lines: tuple[StatLine, ...] = ()
    requires: Texts = ()
    requires_any: Texts = ()
    excludes: Texts = ()
    requires_army: Texts = ()
    terms: PriceTerms = PLAIN_PRICE
    is_champions: bool = False
    miniatures: int = 0
    house_rule: str = ""
    words: str = ""
    rarity: int = 0
    is_trade_only: bool = False
    is_put_away: bool = False
    is_first_free: bool = False

    @property
    def shuts_out(self) -> bool:
        """Whether only one of its group may be had."""
        return bool(self.group) and self.is_exclusive and not self.house_rule


@frozen_dataclass
class Champion:
    """The champion a regiment may buy: its own stat line (None where no source prints one) and its
    own options.
    """

    name: str
    points: int
    stats: Mapping[str, Figure] | None = None
    options: tuple[Option, ...] = ()
    is_always_present: bool = False
    source: str = ""
    title: str = ""


@frozen_dataclass
class JoiningTerms:
    """How a unit joins a warband of a campaign.

    One of a ``rarity`` is found by so high a roll; 0: it is there. It begins with so much
    ``experience``. A hired sword costs its ``upkeep`` after each battle; None: it is none. No other
    army than those of ``hired_by`` may hire it. Its maxima are those of its ``race``, and it learns
    from ``skill_lists``.
    """

    rarity: int = 0
    experience: int = 0
    upkeep: int | None = None
    hired_by: Texts = ()
    race: str = ""
    skill_lists: Texts = ()
    gains_experience: bool = True
    is_promotable: bool = True


PLAIN_JOINING = JoiningTerms()


@frozen_dataclass
class Profile:
    """One kind of warrior of an army list. ``points`` buys one entry of ``miniatures`` figures.

    ``description`` and ``rule_texts``, by the name of a special rule, are a club's own words.
    ``joining`` counts in campaigns. ``title`` is what rosters call a miniature: the model's name,
    or the unit's where another unit of the list has models or a champion of that name.
    """

    key: str
    name: str
    army: str
    category: str
    troop_type: str
    points: int
    lines: tuple[StatLine, ...]
    base_terms: PriceTerms = PLAIN_PRICE
    model_name: str = ""
    title: str = ""
    basis: str = "model"
    miniatures: int = 1
    champion: Champion | None = None
    musician_points: int | None = None
    standard_bearer_points: int | None = None
    is_wizard: bool = False
    wizard_level: int | None = None
    lores: Texts = ()
    magic_allowance: int | None = None
    must_ride: bool = False
    is_barded: bool = False
    default_items: Texts = ()
    default_upgrades: Texts = ()
    options: tuple[Option, ...] = ()
    flags: frozenset[str] = frozenset()
    figures: Mapping[str, Figure] = field(default_factory=dict)
    special_rules: Texts = ()
    mount_rules: Texts = ()
    faction: str = ""
    category_when: tuple[tuple[str, Texts], ...] = ()
    army_max: int | None = None
    unit_size: tuple[int | None, int | None] | None = None
    is_special_character: bool = False
    is_leader: bool = False
    is_regiment_of_renown: bool = False
    is_offered: bool = True
    not_offered_because: str = ""
    upgrade_of: Texts = ()
    requires_army: Texts = ()
    incomplete: Texts = ()
    doubts: Texts = ()
    corrected: Texts = ()
    source: NamedValues = field(default_factory=dict)
    description: str = ""
    rule_texts: TextByKey = field(default_factory=dict)
    joining: JoiningTerms = PLAIN_JOINING

    @property
    def shown_title(self) -> str:
        """What a roster calls a miniature, also outside a list that gives titles."""
        return self.title or self.model_name or self.name

    @property
    def is_hired(self) -> bool:
        """Whether it is a hired sword."""
        return self.joining.upkeep is not None

    @property
    def is_refused(self) -> bool:
        """Whether it is a hired sword of others, whom this list may not hire."""
        return bool(self.joining.hired_by) and not self.is_offered

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Its own options and then its champion's."""
        return self.options + (self.champion.options if self.champion else ())

    @property
    def has_fixed_prices(self) -> bool:
        """Whether no price of it or of its options depends on what else is bought."""
        return not self.base_terms.cases and not any(
            option.terms.cases for option in self.all_options
        )


@frozen_dataclass
class Weapon:
    """``range`` in inches; ``strength`` a number, ``user`` or a signed bonus; ``traits`` what else
    its line prints. ``same_as`` is the key of the system's weapon that it is.
    """

    key: str
    name: str
    type: str
    range: Figure = None
    strength: Figure = None
    hands: int | None = None
    traits: NamedValues = field(default_factory=dict)
    source: str = ""
    same_as: str = ""


@frozen_dataclass
class Armour:
    """``save`` is a save of its own (5 for 5+), ``improves`` betters another; ``traits`` count only
    sometimes. ``same_as`` is the key of the system's piece that it is.
    """

    key: str
    name: str
    save: int | None = None
    improves: int = 0
    traits: NamedValues = field(default_factory=dict)
    source: str = ""
    same_as: str = ""

    @property
    def is_shield(self) -> bool:
        return "shield" in (self.key, self.same_as)


@frozen_dataclass
class MagicItem:
    """A magic item of an army: name, type and price only.

    ``option_key`` is how a roster lists it.
    """

    key: str
    name: str
    type: str
    points: int
    is_unique: bool = False

    @property
    def option_key(self) -> str:
        return MAGIC_PREFIX + self.key


@frozen_dataclass
class Stat:
    """A column of the stat line, in printed order."""

    key: str
    name: str


@frozen_dataclass
class Category:
    """A heading of an army list.

    ``is_character``: those under it may lead, and stand alone where others form units. ``flags``
    are those of every profile under it. ``is_alike``: a group of them buys the same for each of
    its models.
    """

    key: str
    name: str
    plural: str
    is_character: bool = False
    flags: Texts = ()
    is_alike: bool = False


@frozen_dataclass
class ListLimit:
    """How many of something a list must or may have.

    Counted are entries of ``units`` or of a ``category``, or the purchases of ``options``; without
    any of them everybody, with ``counts_hired`` hired swords too. ``per`` is list, each-unit, or
    each: then for every ``per_number`` of ``per_of``, units and categories. ``depends``: its source
    has it otherwise for some lists.
    """

    key: str
    name: str
    minimum: int | None = None
    maximum: int | None = None
    units: Texts = ()
    category: str = ""
    options: Texts = ()
    per: str = "list"
    per_number: int = 1
    per_of: Texts = ()
    counts_hired: bool = False
    level: Literal["error", "warning", "note"] = "warning"
    depends: bool = False


@frozen_dataclass
class Currency:
    """What the prices of a list are counted in."""

    name: str = "points"
    short: str = "pts"

    @property
    def head(self) -> str:
        """Return its short name as the head of a column: "Pts", "Gc"."""
        return capital(self.short)

    def amounts_in(self, text: str) -> str:
        """Return a text with this in place of points: "12 points" as "12 gc".

        The words for amounts alone change; a points limit stays one.
        """
        if self == POINTS:
            return text
        return _AMOUNT.sub(lambda match: f"{match[1]}{self.short}", text)


@frozen_dataclass
class SecondPrice:
    """A figure that a roster adds up beside its points; above ``maximum`` it is a finding."""

    name: str
    short: str
    level: Literal["error", "warning", "note"] = "note"
    maximum: int | None = None


POINTS = Currency()


@frozen_dataclass
class ReadyWarband:
    """A warband that an army list offers ready made. ``limit`` None: without points."""

    name: str
    limit: int | None = None
    warriors: tuple[RosterEntry, ...] = ()


@frozen_dataclass
class Army:
    """An army list of a collection.

    ``profiles`` are what a roster may hold, ``mounts`` what mount options name.

    ``leadership_stat`` and ``strength_stat`` are empty where its stat lines have no such figure.
    Armour betters the ``defence_stat`` and gives ``value_stats`` (front, side, rear).
    ``unit_options_once``: what is sold to a unit is paid once for the entry, not by every
    miniature. ``two_weapon_attacks`` and ``two_handed_attacks`` are the further attacks of a weapon
    in each hand and of a two-handed one. ``note`` says whose list it is. ``house_rules`` are those
    that options name. ``limits`` are the list's own, which no system prints. ``default_limit`` is
    what a new roster of the list may spend, on hired swords too where they are ``hired_in_limit``.
    ``has_own_columns``: its lines have other figures than those of the systems that field it.
    ``own_gear`` are the weapons and armour that a club wrote.
    """

    key: str
    name: str
    collection: str
    profiles: Mapping[str, Profile]
    mounts: Mapping[str, Profile]
    magic_items: Mapping[str, MagicItem]
    weapons: Mapping[str, Weapon]
    armour: Mapping[str, Armour]
    rules: Texts = ()
    stats: tuple[Stat, ...] = ()
    leadership_stat: str = ""
    strength_stat: str = ""
    defence_stat: str = ""
    value_stats: Texts = ()
    categories: tuple[Category, ...] = ()
    unit_options_once: bool = False
    two_weapon_attacks: int = 0
    two_handed_attacks: int = 0
    note: str = ""
    starter: ReadyWarband | None = None
    starter_name: str = ""
    house_rules: frozenset[str] = frozenset()
    limits: tuple[ListLimit, ...] = ()
    currency: Currency = POINTS
    second_price: SecondPrice | None = None
    default_limit: int | None = None
    hired_in_limit: bool = False
    has_own_columns: bool = False
    own_gear: frozenset[str] = frozenset()

    def category(self, key: str) -> Category | None:
        """Return a heading by its key."""
        return next((category for category in self.categories if category.key == key), None)

    @property
    def listed(self) -> tuple[Profile, ...]:
        """What it lists: all but the hired swords of others."""
        return tuple(unit for unit in self.profiles.values() if not unit.is_refused)

    @property
    def has_points(self) -> bool:
        """Whether the list prices anything at all."""
        return any(profile.points for profile in self.profiles.values())

    def sells_once(self, option: Option) -> bool:
        """Return whether an option is paid once for the entry, not by every miniature."""
        return self.unit_options_once and option.per == "unit"

    @property
    def characters(self) -> frozenset[str]:
        """The categories of those who may stand alone."""
        return frozenset(c.key for c in self.categories if c.is_character)

    def ridden(self, key: str) -> Profile | None:
        """The record of a mount option: a mount, or another profile (a chariot, an eagle)."""
        return self.mounts.get(key) or self.profiles.get(key)
