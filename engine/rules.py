"""Figures of the systems that the meaning of a die depends on; the rules stand elsewhere, once.

A system has the sections its text knows and None for the others, and a rule asks for the section
it needs. A field marked as a ruling has the key of the ruling that may change it, so that a
group's own agreement is a value like any other. Letters and numbers (G10, C53) are the refs of
rulings in ``rulings.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, dataclass_transform

from engine.errors import Refusal
from engine.records import (
    Fields,
    NamedValues,
    NumberByKey,
    Numbers,
    Reader,
    Texts,
    by_face,
    by_name,
    figure,
    flag,
    listed,
    made,
    mapping,
    named_values,
    numbered,
    one_of,
    optional,
    read_int,
    ruling,
    section,
    word,
)
from engine.text import capital

KNOCKED_DOWN, STUNNED, OUT_OF_ACTION = "knocked_down", "stunned", "out_of_action"
INJURIES = ("", KNOCKED_DOWN, STUNNED, OUT_OF_ACTION)
"""States after a blow, mildest first; a warrior's injury is its place in here, 0 for none."""

UNCOUNTED_RULINGS = frozenset(
    {
        "armour_penetration",
        "cavalry_first_wound_kills_mount",
        "flee_distance",
        "ignore_single_target_penalty",
        "interception",
        "knocked_down_crawl_in",
        "leader_rule",
        "leave_if_all_down",
        "max_wizards",
        "melee_winner_move_in",
        "morning_star_stacks",
        "mounted_arc",
        "plaguebearer_proximity_wizard",
        "powered_armour_uses_big_rules",
        "rally_phase",
        "run_check_timing",
        "run_rules",
        "save_column",
        "shoot_after_failed_charge",
        "stand_up_turn",
        "stunned_crawl_in",
        "swarms_no_injury_roll",
        "two_weapon_attacks",
    }
)
"""Rulings and house rules that no chance depends on.

They change who may act, or what is put in, and never what a die means.
"""


T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False)
def rules_section(section_class: type[T]) -> type[T]:
    """Make a frozen section of rules, whose values are given by name.

    It is equal to itself alone: hashing its tables at every look-up of odds would be slow.
    """
    return dataclass(frozen=True, kw_only=True, eq=False)(section_class)


def _signed(value: Any, where: str) -> int:
    """Read what a Strength takes off a save, and return by how much the save rises.

    It is printed as 0 or as a number below 0.
    """
    return -int(read_int(-9, 0)(value, where))


# A state is written with underscores, the key of a table's row may have hyphens.
_INJURY_PLACES = {name: place for place, name in enumerate(INJURIES) if name}
_INJURY_PLACES |= {name.replace("_", "-"): place for name, place in _INJURY_PLACES.items()}


def _injury(value: Any, where: str) -> int:
    row = mapping(value, where)
    if set(row) != {"result"} or row["result"] not in _INJURY_PLACES:
        raise ValueError(f"{where}: give a result, one of {', '.join(INJURIES[1:])}")
    return _INJURY_PLACES[row["result"]]


def _result(value: Any, where: str) -> str:
    row = mapping(value, where)
    if set(row) != {"result"}:
        raise ValueError(f"{where}: give a result")
    return str(word(row["result"], where))


# Scores on a D6; 6+ is the worst, and a dash of the chart is none.
_MELEE_ROW = listed(read_int(2, 6), 10)
_WOUND_ROW = listed(optional(read_int(2, 6)), 10)


@rules_section
class Charts:
    """The charts of blows and shots; what stands at 1 to 10 there has index 0 to 9.

    ``save_modifier`` is how far each Strength raises the score of a save. Natural 1s and the second
    roll beyond 6: ruling G10. ``best_save``: what a printed save counts as at best, before Strength
    worsens it; a natural 1 fails all the same (ruling G11).
    """

    to_hit_melee: tuple[Numbers, ...] = figure(numbered(_MELEE_ROW, 10))
    to_hit_shooting: Numbers = figure(numbered(read_int(-20, 20), 10))
    to_wound: tuple[tuple[int | None, ...], ...] = figure(numbered(_WOUND_ROW, 10))
    save_modifier: Numbers = figure(numbered(_signed, 10))
    best_save: int = ruling(read_int(1, 6), default=1)
    natural_1_misses: bool = ruling(flag, default=True)
    seven_plus_to_hit: bool = ruling(flag, default=False)


@dataclass(frozen=True, kw_only=True)
class CriticalRow:
    """What one result of a critical does.

    ``save``: none, each (one for each wound) or first (one before the wounds double).
    ``must_wound``: each wound beyond the first is a hit that still has to wound (ruling C53).
    """

    wounds: int = figure(read_int(1, 3))
    save: str = figure(one_of("none", "each", "first"))
    injury_bonus: int = figure(read_int(0, 5), default=0)
    must_wound: bool = figure(flag, default=False)


def _critical(value: Any, where: str) -> tuple[CriticalRow, ...]:
    """Read one row for a critical without a table, or six by the face of its die."""
    match listed(mapping)(value, where):
        case [row] if "first" not in row:
            return (section(CriticalRow, row, where),)
    return tuple(by_face(made(CriticalRow), 6)(value, where))


@rules_section
class Criticals:
    """Critical hits: the table in use, how many there are in a phase, whom they spare.

    Rulings C02 (critical_mode), C03, C04, C53, C59, and what poison and a killing blow do with a 6
    (G23, G24).
    """

    tables: Mapping[str, tuple[CriticalRow, ...]] = figure(by_name(_critical))
    critical_mode: str = ruling(word)
    critical_if_six_needed: bool = ruling(flag)
    critical_limit: int | None = ruling(optional(read_int(1, 1)))
    critical_double: str = ruling(one_of("wounds", "hits"), default="wounds")
    poison_respects_critical_bar: bool = ruling(flag, default=True)
    poison_auto_wound_may_crit: bool = ruling(flag, default=False)
    killing_blow_if_six_needed: bool = ruling(flag, default=True)

    def __post_init__(self) -> None:
        if self.critical_mode not in self.tables:
            raise ValueError(f"critical_mode is one of {', '.join(self.tables)}")

    @property
    def rows(self) -> tuple[CriticalRow, ...]:
        """Return the table in use: one row, or six by the face of its die."""
        rows = self.tables[self.critical_mode]
        if self.critical_double == "hits" and len(rows) == 1:
            return (replace(rows[0], must_wound=True),)
        return rows


@rules_section
class Injuries:
    """The injury tables by name, an injury for each face.

    What several injuries come to: ruling C10; the score a helmet needs and its help: G49.
    """

    tables: Mapping[str, Numbers] = figure(by_name(by_face(_injury, 6)))
    injury_worst_stands: bool = ruling(flag, default=True)
    helmet: int = figure(read_int(2, 6), default=4)
    helmet_turns_stunned_into: str = ruling(
        one_of(KNOCKED_DOWN, "unhurt"), default=KNOCKED_DOWN
    )
    downed_hurt_again: str = ruling(one_of("worse", "out_of_action"), default="worse")

    def __post_init__(self) -> None:
        if "standard" not in self.tables:
            raise ValueError("tables: the table standard is missing")


@dataclass(frozen=True, kw_only=True)
class ParryRule:
    """A parry, which beats the highest roll to hit.

    ``reroll``: sword and buckler roll twice. ``double_strength_bar``: a blow of twice the
    defender's Strength or more is not parried. ``needed_six``: where only a 6 hits, a 6 parries it.
    """

    reroll: bool = figure(flag)
    double_strength_bar: bool = figure(flag)
    needed_six: bool = figure(flag, default=False)


@rules_section
class Melee:
    """Close combat.

    Blows at those on the ground: rulings C07 and C08; finishing them in the phase in which they
    fell: C09; parrying: C39; whether frenzy and hatred are played: G07.
    """

    attack_knocked_down: str = ruling(one_of("auto_hit", "auto_hit_no_save", "roll_to_hit"))
    attack_stunned: str = ruling(one_of("always", "down_at_start"))
    same_phase_finish_by_second_model: bool = ruling(flag)
    frenzy_and_hatred: bool = ruling(flag, default=False)
    parries: Mapping[str, ParryRule] = figure(by_name(made(ParryRule)))
    parry: str | None = ruling(optional(word))

    def __post_init__(self) -> None:
        if self.parry is not None and self.parry not in self.parries:
            raise ValueError(f"parry is one of {', '.join([*self.parries, 'none'])}")


@rules_section
class Falls:
    """Jumps, dives and falls, heights in inches; no ``highest_jump`` is a text without a limit.

    The tests a height takes: ruling C12; what a dive adds: C11; what a fall does: C13 and G12.
    """

    fall_hits: str = ruling(one_of("d3", "2d3"), default="d3")
    highest_jump: int | None = figure(optional(read_int(1, 20)), default=6)
    inches_per_test: int = figure(read_int(1, 6), default=2)
    height_test_rounding: str = ruling(one_of("full", "started"))
    diving_strength: str = ruling(one_of("flat", "per_full_2_in"))
    fall_003a_initiative_tests: bool | None = figure(optional(flag), ruling=flag)
    fall_rounding: str = ruling(one_of("down", "up"), default="down")


@rules_section
class Tests:
    """Tests of Initiative on a D6 and of Leadership on one or two.

    Rulings C14 (None where the text has no such test) and C22.
    """

    natural_6_fails_initiative: bool | None = figure(optional(flag), ruling=flag)
    leadership_dice: int = ruling(read_int(1, 2), default=2)


@dataclass(frozen=True, kw_only=True)
class RoutRule:
    """Rout: the part of the starting models that must be out.

    ``voluntary_from``: from how many models out a side may ask for the test itself.
    """

    numerator: int = figure(read_int(1, 100))
    denominator: int = figure(read_int(1, 100))
    voluntary_from: int = figure(read_int(1, 100), default=2)


@rules_section
class Morale:
    """Rout, All Alone, rallying and stupidity; None or false where the text has none.

    Rulings: whether Rout is tested (G52), in every turn or only after new losses (G21), C23, G17
    and G19.
    """

    rout: RoutRule | None = figure(optional(made(RoutRule)))
    rout_test: bool = ruling(flag, default=True)
    rout_every_turn: bool = ruling(flag, default=True)
    voluntary_rout_test: bool = ruling(flag, default=False)
    leader_down_lends: bool = ruling(flag, default=True)
    all_alone_from: int | None = figure(optional(read_int(1, 10)))
    parting_criticals: bool = ruling(flag, default=True)
    rally: bool = figure(flag)
    stupidity: Texts | None = figure(optional(by_face(_result, 6)))

    @property
    def rout_played(self) -> RoutRule | None:
        """Return the Rout rule where the group plays one."""
        return self.rout if self.rout_test else None


@rules_section
class House:
    """Which house rules of the text have odds of their own."""

    cavalry_hit: bool = figure(flag)
    swarm_hits: bool = figure(flag)


@dataclass(frozen=True, kw_only=True)
class SaveRow:
    """The save of one armour on foot and in the saddle."""

    foot: int | None = figure(optional(read_int(2, 6)))
    mounted: int | None = figure(optional(read_int(2, 6)))


@rules_section
class Units:
    """Regiments: armour, scores of a combat, and the part lost that brings Panic.

    ``equal_pursuit_catches``: an even pursuit (ruling G47). ``weapon_save_adds``: a weapon's save
    note comes on top of what its Strength takes off, not instead (G46).
    """

    armour: Mapping[str, SaveRow] = figure(by_name(made(SaveRow)))
    target_bonus: int = figure(read_int(0, 3))
    obstacle_need: int = figure(read_int(2, 6))
    score: NumberByKey = figure(by_name(read_int(0, 9)))
    most_ranks: int = figure(read_int(0, 9))
    panic_part: int = figure(read_int(1, 100))
    equal_pursuit_catches: bool = ruling(flag, default=False)
    weapon_save_adds: bool = ruling(flag, default=False)


@rules_section
class Duels:
    """Opposed rolls, casualty tests and command rolls.

    ``prices`` are the points of one to six bonus dice (ruling C01), ``melee_ties`` what an even
    melee comes to (G33), ``melee_weapon_defends`` whether a weapon helps in defence too (G44),
    ``armour_guards_attacker`` whether one that cannot be harmed stays up where it loses (G62).
    """

    die: int = figure(read_int(2, 20))
    bonus_die: int = figure(read_int(2, 20))
    most_bonus_dice: int = figure(read_int(0, 12))
    recovers_from: int = figure(read_int(2, 20))
    big_table: Texts = figure(by_face(_result, 4))
    command_die: int = figure(read_int(2, 20))
    prices: Mapping[str, Numbers] = figure(by_name(numbered(read_int(1, 100), 6)))
    bonus_dice_cost: str = ruling(word)
    melee_ties: str = ruling(
        one_of("nothing", "roll_once_more", "both_down"), default="nothing"
    )
    low_av_melee_only: bool = ruling(flag, default=True)
    penetration_must_reach: bool = ruling(flag, default=False)
    melee_weapon_defends: bool = ruling(flag, default=False)
    armour_guards_attacker: bool = ruling(flag, default=True)

    def __post_init__(self) -> None:
        if self.bonus_dice_cost not in self.prices:
            raise ValueError(f"bonus_dice_cost is one of {', '.join(self.prices)}")


def optional_section(cls: type[Any]) -> Any:
    """A section that a system may leave out."""
    return figure(optional(made(cls)), default=None)


@rules_section
class CombatRules:
    """All the values of one system, or of one of its variants, that dice depend on.

    A section is None where the text has no such rules. A call names the sections it needs, and no
    rule is asked without its own; only those written as optional are looked for by the rules.
    """

    charts: Charts = optional_section(Charts)
    criticals: Criticals | None = optional_section(Criticals)
    injuries: Injuries = optional_section(Injuries)
    melee: Melee = optional_section(Melee)
    falls: Falls = optional_section(Falls)
    tests: Tests = optional_section(Tests)
    morale: Morale = optional_section(Morale)
    house: House | None = optional_section(House)
    units: Units = optional_section(Units)
    duels: Duels = optional_section(Duels)

    @classmethod
    def from_mapping(cls, data: object, where: str = "combat") -> CombatRules:
        """Return the rules that the ``combat`` block of a pack describes.

        Raises ValueError naming the place and what is wrong there.
        """
        return section(cls, data, where)

    def with_rulings(self, rulings: NamedValues) -> CombatRules:
        """Return these rules under other rulings, by key.

        Keys that no chance depends on are accepted and change nothing. Raises Refusal naming a key
        or a value that cannot be.
        """
        rules = self
        for key, value in rulings.items():
            if key not in UNCOUNTED_RULINGS:
                rules = rules._ruled(key, value)
        return rules

    def _ruled(self, key: str, value: Any) -> CombatRules:
        """Return the rules under one ruling; Refusal for an unknown key or wrong value."""
        for part in fields(self):
            values = getattr(self, part.name)
            read = _readers_of_rulings(values).get(key)
            if read is None:
                continue
            where = f"rulings.{key}"
            try:
                # Making the section anew runs its own check of the figure as well.
                changed = replace(values, **{key: read(value, where)})
            except ValueError as error:
                fault = str(error).removeprefix(where + ": ")
                # A reader within optional() does not know that none is an answer too.
                if _takes_none(read) and not fault.endswith("none"):
                    fault += ", or none"
                raise Refusal(f"{capital(fault)}.", field=where) from None
            return replace(self, **{part.name: changed})
        shortened = str(key)[:80]  # a key comes from outside and may be of any length
        raise Refusal(
            f"There is no ruling '{shortened}' in this system.",
            field=f"rulings.{shortened}",
        )

    def rulings(self) -> Fields:
        """Return every ruling that a chance may depend on, by key, with what stands."""
        values_by_key: Fields = {}
        for part in fields(self):
            values = getattr(self, part.name)
            values_by_key |= named_values(values, *_readers_of_rulings(values))
        return values_by_key


def _readers_of_rulings(values: Any) -> dict[str, Reader]:
    """Return how each ruling of a section is read, by key; none without a section."""
    if values is None:
        return {}
    readers = {f.name: f.metadata["ruling"] for f in fields(values)}
    return {key: read for key, read in readers.items() if read}


def _takes_none(read: Reader) -> bool:
    try:
        return read(None, "") is None
    except ValueError:
        return False
