"""A rule system as a whole, with its variants and scenarios."""

from collections.abc import Mapping
from dataclasses import field, replace
from itertools import chain
from typing import Literal

from engine.records import NamedValues, Texts, frozen_dataclass
from engine.roster import PRINTED, Agreement
from engine.types.lists import Armour, Army, Option, Stat, Weapon
from engine.types.mechanics import (
    Chart,
    Guideline,
    HouseRule,
    Movement,
    Phase,
    Regiments,
    RollTable,
    Rout,
    RuleNote,
    Ruling,
    State,
    Transition,
    Yardstick,
)

COMMON_LIMIT = 150
PART = "@"
"""What stands between a scenario's key and the id of the side that a warband plays in it."""


@frozen_dataclass
class Scenario:
    """A scenario record in our own words. ``waives`` are codes of findings it lowers to a note.

    A side may waive more for itself alone. ``part`` is the side that a warband plays, its key and
    name then say so. ``has_rules``: it changes what a battle of it records.
    """

    key: str
    name: str
    system: str
    summary: str
    sides: tuple[NamedValues, ...] = ()
    setup: str = ""
    objectives: str = ""
    special_rules: Texts = ()
    length: str = ""
    waives: Texts = ()
    source: str = ""
    origin: str = "pack"
    part: str = ""
    has_rules: bool = False

    def of_part(self, part: str) -> "Scenario | None":
        """The scenario as the side of this id has it, None where no side has it.

        The key names the side, and what that side alone waives is waived.
        """
        side = next((side for side in self.sides if part and side.get("id") == part), None)
        if side is None:
            return None
        return replace(
            self,
            key=f"{self.key}{PART}{part}",
            name=f"{self.name}: {side['name']}",
            waives=(*self.waives, *side.get("waives", ())),
            part=part,
        )

    @property
    def parts(self) -> Texts:
        """The ids of its sides, those that have one."""
        return tuple(side["id"] for side in self.sides if "id" in side)

    def allowed_to(self, code: str) -> Texts:
        """The names of the sides that may do what nobody else may, by the code of the finding."""
        sides = (side for side in self.sides if code in side.get("waives", ()))
        return tuple(side["name"] for side in sides)


@frozen_dataclass
class Variant:
    """One of several texts of a rule system that are kept apart; ``name`` follows the system's
    name. ``default_reason``: why it is the one to begin with.
    """

    key: str
    name: str
    summary: str
    default_reason: str = ""


@frozen_dataclass
class Tag:
    """A word a warband may carry, such as the city it is from. It changes no figure."""

    key: str
    name: str
    summary: str = ""
    source: str = ""


@frozen_dataclass
class SystemWords:
    """What a system calls one entry of a roster, several of them, and those it has lost."""

    entry: str = "Warrior"
    entries: str = "Warriors"
    lost: str = "Out of action"


PLAIN_WORDS = SystemWords()


def system_address(key: str, variant: str | None) -> str:
    """How addresses and clubs name rules: the key, with a variant's behind a full stop."""
    return f"{key}.{variant}" if variant else key


@frozen_dataclass
class System:
    """A rule system: its mechanics and guidelines, parsed once from its pack.

    Where the system has ``variants``, ``variant`` is the one that was asked for, or None for what
    they share. ``weapons``, ``armour`` and ``options`` are its own: they stand in for, or beside,
    what the lists it fields print; ``options_for`` are the troop types that may take them, in
    lists of the collections ``options_in``.
    ``combat`` are the figures its dice are read with. ``leader_name`` is what it calls the leader
    (empty: it knows none). ``are_points_optional``: a roster without a limit counts no points at
    all. ``two_weapon_attacks`` and ``two_handed_attacks``: what it gives for arms of every kind, by
    its own words. ``regiments`` is None where every model stands alone. ``yardstick``: whom
    purchases are measured against. ``agreed``: the rulings and house rules that are already in all
    of this.
    """

    key: str
    name: str
    summary: str
    stats: tuple[Stat, ...]
    collections: Texts
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
    wounds_stat: str = ""
    leadership_stat: str = ""
    initiative_stat: str = ""
    default_limit: int | None = None
    rout: Rout | None = None
    movement: Movement | None = None
    saves: NamedValues = field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    marks: Texts = ()
    source: str = ""
    base_game: str = ""
    variant: str | None = None
    variant_name: str = ""
    tags: tuple[Tag, ...] = ()
    weapons: Mapping[str, Weapon] = field(default_factory=dict)
    armour: Mapping[str, Armour] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    options_for: Texts = ()
    options_in: Texts = ()
    combat: NamedValues = field(default_factory=dict)
    leader_name: str = ""
    are_points_optional: bool = False
    other_armies: str = ""
    unit_options_paid: Literal["once", "each"] = "each"
    two_weapon_attacks: int = 0
    two_handed_attacks: int = 0
    regiments: Regiments | None = None
    yardstick: Yardstick | None = None
    words: SystemWords = PLAIN_WORDS
    agreed: Agreement = PRINTED

    def house_rules_in(self, chosen: Mapping[str, bool]) -> Texts:
        """Return the names of the house rules that are played; ``chosen`` differ from the usual."""
        played = (rule for rule in self.house_rules if chosen.get(rule.key, rule.default))
        return tuple(rule.name for rule in played)

    def with_list_columns(self, army: Army) -> "System":
        """Return the system as a list is shown under it: with the list's own columns, if any."""
        return replace(self, stats=army.stats) if army.has_own_columns else self

    def usual_limit(self, of_list: int | None = None) -> int | None:
        """Return the points limit that something new begins with; None for no limit.

        It is that of the army list where one is named, else the system's, else a common one where
        everybody counts points.
        """
        most_common = None if self.are_points_optional else COMMON_LIMIT
        return of_list or self.default_limit or most_common

    @property
    def full_name(self) -> str:
        """The name people read, the variant's after it."""
        return f"{self.name}, {self.variant_name}" if self.variant_name else self.name

    @property
    def address(self) -> str:
        """How the rule book's addresses name it."""
        return system_address(self.key, self.variant)

    @property
    def variant_keys(self) -> Texts:
        return tuple(variant.key for variant in self.variants)

    @property
    def variant_record(self) -> Variant | None:
        return next((each for each in self.variants if each.key == self.variant), None)

    @property
    def default_variant(self) -> str | None:
        """The variant to begin with, None where there are none."""
        reasoned = (each.key for each in self.variants if each.default_reason)
        return next(chain(reasoned, self.variant_keys), None)

    @property
    def is_shared_part(self) -> bool:
        """Whether this is only what several variants share, not rules to play by."""
        return bool(self.variants) and self.variant is None

    def scenario(self, key: str) -> Scenario | None:
        """The scenario of a key, as one of its sides has it where the key names a side."""
        name, has_part, part = key.partition(PART)
        scenario = self.scenarios.get(name)
        return scenario.of_part(part) if scenario and has_part else scenario

    def guideline(self, code: str) -> Guideline | None:
        return next((g for g in self.guidelines if g.code == code), None)
