"""What a rule book and an army list are made of, as frozen values.

Read from the rule packs and never changed afterwards. Distances are inches, prices are points. A figure of a stat line
is a number, a text such as ``2D6`` where the list prints no number, or None for a dash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.roster import Entry

Figure = int | str | None
Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")

CHAMPION, MUSICIAN, STANDARD_BEARER = "champion", "musician", "standard-bearer"
COMMAND = (CHAMPION, MUSICIAN, STANDARD_BEARER)
MAGIC_PREFIX = "magic/"


@dataclass(frozen=True, slots=True)
class Line:
    """One stat line. ``role`` is model, rider, mount or crew; ``count`` the number of such figures where stated."""

    name: str
    stats: Mapping[str, Figure]
    role: str = "model"
    count: int | None = None
    barded_move: int | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """Something a profile may buy. ``per`` is model, unit (one price for a regiment) or each (up to ``maximum``).

    ``miniatures`` are the figures that one purchase adds on bases of their own (a fanatic, a hound).
    """

    key: str
    name: str
    points: int
    kind: str = "other"
    per: str = "model"
    items: tuple[str, ...] = ()
    group: str = ""
    is_exclusive: bool = False
    is_required: bool = False
    is_default: bool = False
    maximum: int | None = None
    level: int | None = None
    mount: str = ""
    effect: Mapping[str, Figure] = field(default_factory=dict)
    grants: tuple[str, ...] = ()
    takes_away: tuple[str, ...] = ()
    adds_lines: tuple[Line, ...] = ()
    requires: tuple[str, ...] = ()
    requires_any: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    requires_army: tuple[str, ...] = ()
    points_with: tuple[tuple[str, int], ...] = ()
    is_champions: bool = False
    miniatures: int = 0


@dataclass(frozen=True, slots=True)
class Champion:
    """The champion a regiment may buy: its own stat line (None where no source prints one) and its own options."""

    name: str
    points: int
    stats: Mapping[str, Figure] | None = None
    options: tuple[Option, ...] = ()
    is_always_present: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of warrior of an army list. ``points`` buys one entry of ``miniatures`` figures."""

    key: str
    name: str
    army: str
    category: str
    troop_type: str
    points: int
    lines: tuple[Line, ...]
    model_name: str = ""
    basis: str = "model"
    miniatures: int = 1
    champion: Champion | None = None
    musician_points: int | None = None
    standard_bearer_points: int | None = None
    is_wizard: bool = False
    wizard_level: int | None = None
    lores: tuple[str, ...] = ()
    magic_allowance: int | None = None
    must_ride: bool = False
    is_barded: bool = False
    default_items: tuple[str, ...] = ()
    default_upgrades: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    flags: frozenset[str] = frozenset()
    figures: Mapping[str, Figure] = field(default_factory=dict)
    special_rules: tuple[str, ...] = ()
    mount_rules: tuple[str, ...] = ()
    faction: str = ""
    category_when: tuple[tuple[str, tuple[str, ...]], ...] = ()
    army_max: int | None = None
    unit_size: tuple[int | None, int | None] | None = None
    is_special_character: bool = False
    is_regiment_of_renown: bool = False
    is_offered: bool = True
    not_offered_because: str = ""
    upgrade_of: tuple[str, ...] = ()
    requires_army: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Its own options and then its champion's."""
        return self.options + (self.champion.options if self.champion else ())


@dataclass(frozen=True, slots=True)
class Weapon:
    """``range`` in inches; ``strength`` a number, ``user`` or a signed bonus; ``traits`` what else its line prints."""

    key: str
    name: str
    type: str
    range: Figure = None
    strength: Figure = None
    hands: int | None = None
    traits: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True)
class Armour:
    """``save`` is a save of its own (5 for 5+), ``improves`` betters another; ``traits`` count only sometimes."""

    key: str
    name: str
    save: int | None = None
    improves: int = 0
    traits: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True)
class MagicItem:
    """A magic item of an army: name, type and price only. ``option_key`` is how a roster lists it."""

    key: str
    name: str
    type: str
    points: int
    is_unique: bool = False

    @property
    def option_key(self) -> str:
        return MAGIC_PREFIX + self.key


@dataclass(frozen=True, slots=True)
class Stat:
    """A column of the stat line, in printed order."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Category:
    """A heading of an army list. ``is_character``: those under it may lead, and stand alone where others form units."""

    key: str
    name: str
    plural: str
    is_character: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A warband that an army list offers ready made. ``limit`` None: without points."""

    name: str
    limit: int | None
    warriors: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Army:
    """An army list of a collection. ``profiles`` are what a roster may hold, ``mounts`` what mount options name.

    ``leadership_stat`` and ``strength_stat`` are empty where its stat lines have no such figure. ``unit_options_once``:
    what is sold to a unit is paid once for the entry, not by every miniature. ``note`` says whose list it is.
    """

    key: str
    name: str
    collection: str
    profiles: Mapping[str, Profile]
    mounts: Mapping[str, Profile]
    magic_items: Mapping[str, MagicItem]
    weapons: Mapping[str, Weapon]
    armour: Mapping[str, Armour]
    rules: tuple[str, ...] = ()
    stats: tuple[Stat, ...] = ()
    leadership_stat: str = ""
    strength_stat: str = ""
    categories: tuple[Category, ...] = ()
    unit_options_once: bool = False
    note: str = ""
    starter: Ready | None = None
    starter_name: str = ""

    @property
    def has_points(self) -> bool:
        """Whether the list prices anything at all."""
        return any(profile.points for profile in self.profiles.values())

    @property
    def characters(self) -> frozenset[str]:
        """The categories of those who may stand alone."""
        return frozenset(c.key for c in self.categories if c.is_character)

    def ridden(self, key: str) -> Profile | None:
        """The record a mount option points to: a mount, or another profile (a chariot, an eagle)."""
        return self.mounts.get(key) or self.profiles.get(key)


@dataclass(frozen=True, slots=True)
class Chart:
    """A table to look up. ``rows[row][column]`` is the lowest score that succeeds, or None where nothing does.

    ``row_stat`` and ``column_stat`` are the stats that look it up (none for a list of circumstances); ``user`` says
    whose: a warrior's own, a shooter's own, or the blow's Strength. ``figures`` says what the cells are where that is
    not plain: scores to reach, modifiers of a roll, or plain numbers.
    """

    key: str
    name: str
    row_label: str
    column_label: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Figure, ...]]
    note: str = ""
    source: str = ""
    borrowed_from: str = ""
    ruling: str = ""
    row_stat: str = ""
    column_stat: str = ""
    user: Literal["warrior", "shooter", "blow", ""] = ""
    figures: Literal["score", "modifier", "number", ""] = ""

    def at(self, row: int | str, column: int | str) -> Figure:
        """The figure where row and column meet; raises KeyError for a row or column the chart lacks."""
        try:
            return self.rows[str(row)][self.columns.index(str(column))]
        except ValueError:
            raise KeyError(f"{self.key}: no column {column}") from None


@dataclass(frozen=True, slots=True)
class Guideline:
    """One thing a roster is checked for. ``kind`` names its function, ``parameters`` its figures."""

    code: str
    kind: str
    level: Level
    message: str
    title: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    refs: tuple[str, ...] = ()
    strength: str = ""
    is_waivable: bool = True


@dataclass(frozen=True, slots=True)
class HouseRule:
    """A switch the players agree on before the game."""

    key: str
    name: str
    summary: str
    source: str = ""
    default: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """How a contradiction or gap of the text is settled here, and what else it could be.

    ``values`` are what the engine takes under ``key``, the default's first; None for an alternative that no die knows.
    """

    ref: str
    title: str
    default: str
    kind: str = ""
    key: str = ""
    alternatives: tuple[str, ...] = ()
    is_outside_texts: bool = False
    values: tuple[str | int | None, ...] = ()

    @property
    def shown_values(self) -> tuple[str, ...]:
        """The values as a program sends them, without alternatives that no die knows."""
        words = {True: "true", False: "false"}
        known = [value for value in self.values if value is not None]
        return tuple(words[value] if isinstance(value, bool) else str(value) for value in known)


@dataclass(frozen=True, slots=True)
class Phase:
    key: str
    name: str
    summary: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """A state of a combatant. ``pose`` is how the miniature lies, ``summary`` what it may do, in our words."""

    key: str
    name: str
    summary: str
    pose: str = ""
    source: str = ""
    is_ticked: bool = False


@dataclass(frozen=True, slots=True)
class Transition:
    source_states: tuple[str, ...]
    to: str
    by: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    first: int
    last: int
    result: str
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RollTable:
    """A table rolled on, such as injuries: ``die`` and rows without gap or overlap."""

    key: str
    name: str
    die: str
    rows: tuple[TableRow, ...]
    note: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class RuleNote:
    """A titled sentence for the rule book and the quick reference. ``needs``: which rosters need it (empty: all)."""

    key: str
    title: str
    text: str
    section: str
    source: str = ""
    needs: str = ""
    is_quick: bool = True


@dataclass(frozen=True, slots=True)
class Rout:
    """When a side tests to stay: at ``numerator``/``denominator`` of its models out, on ``dice`` against ``stat``."""

    numerator: int
    denominator: int
    dice: str
    stat: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Movement:
    """Multiples of the move stat, the spotting stat (may be empty), flight dice as (highest move, dice) in order.

    ``mounted_flight`` are the dice of riders where the text asks for the saddle, not for the move.
    """

    move_stat: str
    run: int
    charge: int
    spotting_stat: str
    flight: tuple[tuple[int | None, str], ...]
    mounted_flight: str = ""
    run_name: str = "Run"


@dataclass(frozen=True, slots=True)
class Regiments:
    """Entries are units in ranks of ``frontage`` models; ``most_rank_bonus`` is the most for those behind the first.

    With fewer than ``smallest`` models a unit breaks by itself and cannot rally.
    """

    frontage: int
    most_rank_bonus: int
    smallest: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """The plain opponent that purchases are measured against: its name, its stats, its armour save (6 for 6+)."""

    name: str
    stats: Mapping[str, int]
    save: int | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario record in our own words. ``waives`` are codes of findings it lowers to a note."""

    key: str
    name: str
    system: str
    summary: str
    sides: tuple[Mapping[str, Any], ...] = ()
    setup: str = ""
    objectives: str = ""
    special_rules: tuple[str, ...] = ()
    length: str = ""
    waives: tuple[str, ...] = ()
    source: str = ""
    origin: str = "pack"


@dataclass(frozen=True, slots=True)
class Variant:
    """One of several texts of a rule system that are kept apart; ``name`` follows the system's name."""

    key: str
    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A word a warband may carry, such as the city it is from. It changes no figure."""

    key: str
    name: str
    summary: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class System:
    """A rule system: its mechanics and guidelines, parsed once from its pack.

    Where the system has ``variants``, ``variant`` is the one that was asked for, or None for what they share.
    ``weapons``, ``armour`` and ``options`` are its own: they stand in for, or beside, what the lists it fields print;
    ``options_for`` are the troop types that may take them. ``combat`` are the figures its dice are read with.
    ``leader_name`` is what it calls the leader (empty: it knows none). ``are_points_optional``: a roster without a
    limit counts no points at all. ``regiments`` is None where every model stands alone. ``yardstick``: whom purchases
    are measured against.
    """

    key: str
    name: str
    summary: str
    stats: tuple[Stat, ...]
    wounds_stat: str
    leadership_stat: str
    default_limit: int | None
    collections: tuple[str, ...]
    phases: tuple[Phase, ...]
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    charts: Mapping[str, Chart]
    tables: Mapping[str, RollTable]
    guidelines: tuple[Guideline, ...]
    house_rules: tuple[HouseRule, ...]
    rulings: tuple[Ruling, ...]
    notes: tuple[RuleNote, ...]
    scenarios: Mapping[str, Scenario]
    rout: Rout | None = None
    movement: Movement | None = None
    saves: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    marks: tuple[str, ...] = ()
    source: str = ""
    base_game: str = ""
    variant: str | None = None
    variant_name: str = ""
    tags: tuple[Tag, ...] = ()
    weapons: Mapping[str, Weapon] = field(default_factory=dict)
    armour: Mapping[str, Armour] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    options_for: tuple[str, ...] = ()
    combat: Mapping[str, Any] = field(default_factory=dict)
    leader_name: str = "Leader"
    are_points_optional: bool = False
    unit_options_paid: Literal["once", "each"] = "each"
    regiments: Regiments | None = None
    yardstick: Yardstick | None = None

    @property
    def full_name(self) -> str:
        """The name people read, the variant's after it."""
        return f"{self.name}, {self.variant_name}" if self.variant_name else self.name

    @property
    def address(self) -> str:
        """How the rule book's addresses name it: the key, with a variant's behind a full stop."""
        return f"{self.key}.{self.variant}" if self.variant else self.key

    @property
    def variant_keys(self) -> tuple[str, ...]:
        return tuple(variant.key for variant in self.variants)

    @property
    def is_shared_part(self) -> bool:
        """Whether this is only what several variants share, not rules to play by."""
        return bool(self.variants) and self.variant is None

    def guideline(self, code: str) -> Guideline | None:
        return next((g for g in self.guidelines if g.code == code), None)
