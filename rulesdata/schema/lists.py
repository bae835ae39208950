"""The files of a collection of army lists: collection.yaml, common.yaml, armies/*.yaml and magic-items/*.yaml."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from rulesdata.schema.base import (
    Change,
    Count,
    Figure,
    Inches,
    Key,
    Name,
    Number,
    Points,
    PrintedFigure,
    Save,
    Sentence,
    StatKey,
    Strict,
    True_,
)


def _of_collection(kind: str) -> AfterValidator:
    """Refuses a word that the collection does not name; without a collection in the context any key will do."""

    def check(value: str, info: ValidationInfo) -> str:
        known = (info.context or {}).get(kind)
        if known is not None and value not in known:
            *others, last = (f"'{word}'" for word in known)
            words = f"{', '.join(others)} or {last}" if others else last
            raise PydanticCustomError("unknown_word", "Input should be {words}", {"words": words})
        return value

    return AfterValidator(check)


Category = Annotated[Key, Field(max_length=20), _of_collection("categories")]
TroopType = Annotated[Key, _of_collection("troop_types")]
Role = Literal["model", "rider", "mount", "crew"]
OptionKind = Literal["weapon", "armour", "shield", "mount", "upgrade", "magic-level", "crew", "other"]
Flag = Annotated[str, Field(pattern=r"^[a-z_]+$", max_length=40)]
SourceKey = Literal["first", "second", "third"]
Bonus = Annotated[str, Field(pattern=r"^(user|varies|[+-][1-9])$")]
Strength = Number | Bonus
CLASSIC_TROOP_TYPES = (
    "cavalry", "chariot", "infantry", "monster", "monstrous-cavalry", "monstrous-infantry", "swarm", "unit-of-other",
    "war-beast", "war-machine",
)  # fmt: skip
"""Known in every collection, beside those its common.yaml names."""
MOUNT = "mount"
"""The category of what mount options point to, in every collection."""


class StatLine(Strict):
    """The figures of a line, one for each stat of the collection: a number, printed text, or null for a dash."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[StatKey, Figure]

    @property
    def stats(self) -> dict[str, Figure]:
        """Stat to figure, as the file has them."""
        return dict(self.model_extra or {})


class ProfileLine(StatLine):
    """One stat line of a unit, with who it is for and how many of them stand there."""

    name: Name
    role: Role
    count: Count | None = None
    M_barded: Number | None = None


class PriceBeside(Strict):
    """Another price of an option when a second one is bought too."""

    beside: Key = Field(alias="with")
    points: Points


class OptionRecord(Strict):
    """One thing a unit, or its champion, may buy."""

    id: Key
    name: Name
    points: Change
    per: Literal["model", "unit", "each"] = "model"
    kind: OptionKind
    max: Count | None = None
    group: Key | None = None
    exclusive: bool = False
    group_required: True_ | None = None
    default: True_ | None = None
    items: list[Key] = []
    level: Annotated[int, Field(ge=1, le=4)] | None = None
    mount: Key | None = None
    effect: dict[StatKey, Figure] = {}
    grants: list[Name] = []
    takes_away: list[Name] = []
    adds_profiles: list[ProfileLine] = []
    miniatures: Count | None = None
    requires: list[Key] = []
    requires_any: list[Key] = []
    excludes: list[Key] = []
    requires_army: list[Name] = []
    points_if: list[PriceBeside] = []


class ChampionRecord(Strict):
    """The champion of a regiment. ``changes`` repeats where its line differs: [rank and file, champion]."""

    name: Name
    points: Points
    profile: StatLine | None = None
    changes: dict[str, list[Figure]] = {}
    source: SourceKey | None = None
    options: list[OptionRecord] = []
    always_present: True_ | None = None


class CommandRecord(Strict):
    musician: Points | None = None
    standard_bearer: Points | None = None


class UnitSize(Strict):
    min: Count | None = None
    max: Count | None = None


class CategoryWhen(Strict):
    category: Category
    when: Annotated[list[Name], Field(min_length=1)]


class ProfileWhen(Strict):
    when: Name
    stat: StatKey
    value: Number


class FiguresRecord(Strict):
    armour_save: Save | None = None
    natural_armour: Save | None = None
    ward_save: Save | None = None
    magic_resistance: Annotated[int, Field(ge=1, le=3)] | None = None
    unit_strength: Count | None = None
    impact_hits: PrintedFigure | None = None


class Correction(Strict):
    """A figure that was changed: where, what it was, what it is now, and why."""

    where: Name
    field: Name
    was: int | Name | None
    now: int | Name | None
    why: Sentence


class UnitRecord(Strict):
    """One kind of model of an army list. ``points`` buys one entry of ``miniatures`` figures."""

    id: Key
    name: Name
    model_name: Name | None = None
    category: Category
    troop_type: TroopType
    faction: Literal["mortal", "beast", "daemon"] | None = None
    special_character: True_ | None = None
    regiment_of_renown: True_ | None = None
    hired_as: Category | None = None
    upgrade_of: list[Key] = []
    offered: Literal[False] | None = None
    not_offered_because: Sentence | None = None
    points: Points
    points_printed: Points | None = None
    points_basis: Name
    points_include: Points | None = None
    miniatures: Count | None = None
    prices: dict[Category, Points | list[Points]] = {}
    mount_prices: dict[Category, Points] = {}
    unit_size: UnitSize | None = None
    army_max: Count | None = None
    army_max_depends: True_ | None = None
    requires_army: list[Name] = []
    requires_big_game: True_ | None = None
    hidden_in_source: True_ | None = None
    category_when: list[CategoryWhen] = []
    profiles: list[ProfileLine]
    profile_source: Annotated[str, Field(pattern=r"^second$|^first/[a-z-]+$")] | None = None
    profile_when: list[ProfileWhen] = []
    champion: ChampionRecord | None = None
    command: CommandRecord | None = None
    wizard: True_ | None = None
    wizard_level: Annotated[int, Field(ge=0, le=4)] | None = None
    lores: list[Name] = []
    magic_allowance: Points | None = None
    must_ride: True_ | None = None
    barded: True_ | None = None
    default_equipment: list[Key]
    equipment_source: Annotated[str, Field(pattern=r"^(first|second|rule|hand|none)(\+(first|second|rule|hand))*$")]
    armour_save_stated: Annotated[int, Field(ge=1, le=6)] | None = None
    default_upgrades: list[Name] = []
    options: list[OptionRecord]
    flags: list[Flag]
    figures: FiguresRecord | None = None
    special_rules: list[Name]
    mount_rules: list[Name] = []
    incomplete: list[Sentence] = []
    doubts: list[Sentence] = []
    corrected: list[Correction] = []


class StarterEntry(Strict):
    """One line of a ready warband."""

    profile: Key
    name: Name | None = None
    count: Count = 1
    leader: True_ | None = None
    options: list[Key] = []


class StarterRecord(Strict):
    """A ready warband to begin with; lists without one get theirs worked out. ``limit`` null: without points."""

    name: Name
    limit: Annotated[int, Field(ge=0, le=100_000)] | None
    warriors: Annotated[list[StarterEntry], Field(min_length=1, max_length=20)]


class ArmyFile(Strict):
    """armies/<army>.yaml: an army list."""

    army: Key
    name: Name
    starter_name: Name | None = None
    edition: int
    army_rules: list[Name]
    starter: StarterRecord | None = None
    units: Annotated[list[UnitRecord], Field(min_length=1)]


class MagicItemRecord(Strict):
    id: Key
    name: Name
    type: Key
    points: Annotated[int, Field(ge=1, le=1_000)]
    one_per_army: True_ | None = None


class MagicItemsFile(Strict):
    """magic-items/<army>.yaml: name, type and price of an army's magic items."""

    army: Key
    items: list[MagicItemRecord]


class Sourced(Strict):
    sources: Annotated[list[SourceKey], Field(min_length=1)]
    note: Sentence | None = None


class WeaponRecord(Sourced):
    """A weapon. Ranges are inches; strength a number, ``user`` or a signed bonus; the rest is printed beside it."""

    id: Key
    name: Name
    type: Literal["melee", "missile"]
    range: Inches | Literal["infinite", "template"] | None = None
    strength: Strength | None = None
    hands: Literal[1, 2] | None = None
    armour_penetration: Annotated[int, Field(ge=1, le=10)] | None = None
    armour_piercing: True_ | None = None
    armour_save: Save | None = None
    as_bolt_thrower: True_ | None = None
    bonus: dict[StatKey, int] = {}
    close_range: Inches | None = None
    close_shots: Count | None = None
    counts_as: Name | None = None
    extra_attacks: Count | None = None
    extra_rank_on_foot: Count | None = None
    extra_save_modifier: Annotated[int, Field(ge=-6, le=-1)] | None = None
    foot_only: True_ | None = None
    magical: True_ | None = None
    melee_attack: Annotated[int, Field(ge=1, le=5)] | None = None
    modes: list[Name] = []
    mounted_only: True_ | None = None
    move_or_fire: True_ | None = None
    no_armour_save: True_ | None = None
    poison: True_ | None = None
    ranks_fighting: Count | None = None
    ranks_fighting_charging: Count | None = None
    reaches_over: Count | None = None
    removes_loser: True_ | None = None
    save_modifier: Annotated[int, Field(ge=-6, le=-1)] | None = None
    shots: Count | Name | None = None
    shots_at_half_range: Count | None = None
    single_only: True_ | None = None
    strength_charging: Strength | None = None
    strength_first_round: Strength | None = None
    strength_foot_charging: Strength | None = None
    strength_mounted_charging: Strength | None = None
    strikes_last: True_ | None = None
    template: Name | None = None
    thrown: True_ | None = None
    to_hit: Annotated[int, Field(ge=-3, le=3)] | None = None
    wounds: PrintedFigure | None = None
    wounds_on: Save | None = None


class ArmourRecord(Sourced):
    """A piece of armour: ``save`` of its own, or ``improves`` another."""

    id: Key
    name: Name
    save: Save | None = None
    improves: Annotated[int, Field(ge=1, le=3)] | None = None
    armour_values: Annotated[list[Number], Field(min_length=3, max_length=3)] | None = None
    casts_spells: True_ | None = None
    defence: Annotated[int, Field(ge=1, le=5)] | None = None
    fireproof: True_ | None = None
    improves_in_combat: Annotated[int, Field(ge=1, le=3)] | None = None
    improves_vs_missiles: Annotated[int, Field(ge=1, le=3)] | None = None
    improves_with_hand_weapon_on_foot: Annotated[int, Field(ge=1, le=3)] | None = None
    move: Annotated[int, Field(ge=-3, le=0)] | None = None
    save_vs_missiles: Save | None = None


class SaveModifierRecord(Sourced):
    id: Key
    improves: Annotated[int, Field(ge=1, le=3)] | None = None
    instead_of: Key | None = None
    move: Annotated[int, Field(ge=-3, le=0)] | None = None
    barding_move: Annotated[int, Field(ge=-3, le=0)] | None = None


class RuleRecord(Sourced):
    """A special rule that has a figure: the figures only, no wording."""

    name: Name
    range: Inches | PrintedFigure | None = None
    range_min: Inches | None = None
    strength: Number | None = None
    strength_centre: Number | None = None
    strength_charging: Strength | None = None
    strength_long: Number | None = None
    strength_multiple: Number | None = None
    strength_short: Number | None = None
    strength_up_to: Number | None = None
    short_range_strength: Number | None = None
    mount_strength_charging: Strength | None = None
    shots: Count | None = None
    hits: PrintedFigure | None = None
    impact_hits: PrintedFigure | None = None
    impact_hits_per_model: Count | None = None
    min_charge: Inches | None = None
    wounds: PrintedFigure | None = None
    wounds_on: Save | None = None
    template: Inches | Name | None = None
    armour_piercing: True_ | None = None
    no_armour_save: True_ | None = None
    magical_attacks: True_ | None = None
    save: Save | None = None
    armour_save: Save | None = None
    scaly_skin: Save | None = None
    save_modifier: Annotated[int, Field(ge=-6, le=-1)] | None = None
    extra_save_modifier: Annotated[int, Field(ge=-6, le=-1)] | None = None
    armour_save_mounted_bonus: Annotated[int, Field(ge=1, le=3)] | None = None
    improves: Annotated[int, Field(ge=1, le=3)] | None = None
    improves_vs_missiles: Annotated[int, Field(ge=1, le=3)] | None = None
    save_vs_missiles: Save | None = None
    ward_save: Save | None = None
    ward_not_against: Name | None = None
    magic_resistance: Annotated[int, Field(ge=1, le=3)] | None = None
    leadership_dice: Count | None = None
    keep_lowest: Count | None = None
    extra_attacks: Count | None = None
    WS: Number | None = None
    I: Number | None = None  # noqa: E741
    grants: list[Name] = []
    options: list[dict[str, int]] = []


class CommonFile(Strict):
    """common.yaml: what the armies of a collection share."""

    edition: int
    units_of_range: Literal["inches"]
    weapons: list[WeaponRecord]
    armour: list[ArmourRecord]
    save_modifiers: list[SaveModifierRecord]
    rules_with_figures: list[RuleRecord]
    rules_in_several_armies: list[Name]
    flags: list[Flag]
    troop_types: list[Key]


class SourceRecord(Strict):
    id: Key
    name: Name
    note: Sentence


class Totals(Strict):
    """What the files of one army must add up to."""

    units: int
    mounts: int
    profiles: int
    options: int
    magic_items: int
    unit_points: int
    mount_points: int
    option_points: int
    champion_points: int
    command_points: int
    magic_item_points: int


class StatRecord(Strict):
    """A column of the stat lines, in printed order."""

    id: StatKey
    name: Name


class CategoryRecord(Strict):
    """A heading of the army lists. ``character``: whoever stands under it may lead, and stands alone beside units."""

    id: Annotated[Key, Field(max_length=20)]
    name: Name
    plural: Name | None = None
    character: True_ | None = None


CLASSIC_STATS = tuple(
    StatRecord(id=key, name=name)
    for key, name in (
        ("M", "Movement"), ("WS", "Weapon Skill"), ("BS", "Ballistic Skill"), ("S", "Strength"), ("T", "Toughness"),
        ("W", "Wounds"), ("I", "Initiative"), ("A", "Attacks"), ("Ld", "Leadership"),
    )
)  # fmt: skip
CLASSIC_CATEGORIES = (
    CategoryRecord(id="lord", name="Lord", plural="Lords", character=True),
    CategoryRecord(id="hero", name="Hero", plural="Heroes", character=True),
    CategoryRecord(id="core", name="Core"),
    CategoryRecord(id="special", name="Special"),
    CategoryRecord(id="rare", name="Rare"),
    CategoryRecord(id=MOUNT, name="Mount", plural="Mounts"),
)


class CollectionFile(Strict):
    """collection.yaml: the collection, its sources, its armies and their totals.

    Without ``stats`` its lines are M WS BS S T W I A Ld, without ``categories`` lords, heroes, core, special and rare.
    ``note`` is told wherever its lists are shown: whose they are, where they are not from a book.
    """

    id: Key
    name: Name
    summary: Sentence
    note: Sentence | None = None
    edition: int
    stats: Annotated[list[StatRecord], Field(min_length=1)] = list(CLASSIC_STATS)
    leadership_stat: StatKey | None = "Ld"
    strength_stat: StatKey | None = "S"
    categories: Annotated[list[CategoryRecord], Field(min_length=1)] = list(CLASSIC_CATEGORIES)
    sources: list[SourceRecord]
    armies: Annotated[list[Key], Field(min_length=1)]
    totals: dict[str, Totals]
