"""Weapons, armour and options: those of common.yaml, which the armies of a collection share, of
a system's equipment.yaml and of an army list.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from engine.records import Fields, Texts
from engine.types import lists
from engine.types.lists import RARITY_LEAST, RARITY_MOST
from rulesdata.schema.base import (
    Change,
    Count,
    Figure,
    Inches,
    Key,
    Marked,
    Name,
    NamedRecord,
    NonEmpty,
    Number,
    Points,
    PrintedFigure,
    Save,
    Sentence,
    StatKey,
    StrictModel,
    True_,
    engine_value,
    refers_to,
)

Category = Annotated[
    Key,
    Field(max_length=20),
    refers_to("category of this collection", "categories", is_listed=True),
]
TroopType = Annotated[
    Key, refers_to("troop type of this collection", "troop_types", is_listed=True)
]
Item = Annotated[Key, refers_to("weapon or armour", "weapons", "armour")]
Role = Literal["model", "rider", "mount", "crew"]
OptionKind = Literal[
    "weapon", "armour", "shield", "mount", "upgrade", "magic-level", "crew", "other"
]
Flag = Annotated[str, Field(pattern=r"^[a-z_]+$", max_length=40)]
# The printed sources of a collection in its own order; collection.yaml names them.
SourceKey = Literal["first", "second", "third"]
Bonus = Annotated[str, Field(pattern=r"^(user|varies|[+-][1-9])$")]
Strength = Number | Bonus
Step = Annotated[int, Field(ge=1, le=3)]
SaveLoss = Annotated[int, Field(ge=-6, le=-1)]
MoveLoss = Annotated[int, Field(ge=-3, le=0)]
CLASSIC_TROOP_TYPES = (
    "cavalry", "chariot", "infantry", "monster", "monstrous-cavalry", "monstrous-infantry", "swarm", "unit-of-other",
    "war-beast", "war-machine",
)  # fmt: skip
"""Known in every collection, beside those its common.yaml names."""
MOUNT = "mount"
"""The category of what mount options point to, in every collection."""


# What is no trait of a weapon or a piece of armour: its columns, and its origin. A list names two
# editions of the books as sources, a system the heading of its text.
_COLUMNS = {
    "id", "name", "type", "range", "strength", "hands", "save", "improves", "sources", "source",
    "same_as",
}  # fmt: skip


class Sourced(StrictModel):
    """``note`` is a doubt about the figures; ``rule`` names what has none."""

    sources: NonEmpty[SourceKey]
    note: Sentence | None = None
    rule: Sentence | None = None

    def build(self, **others: Any) -> Any:
        """Make a weapon or a piece of armour, its other figures as traits."""
        traits = self.model_dump(exclude=_COLUMNS, exclude_none=True, exclude_defaults=True)
        return super().build(traits=traits, **others)


class Named(Sourced):
    name: Name


def _left_out(**shapes: Any) -> Fields:
    """Fields that a file may leave out, for create_model; with a tuple, what they are then.

    What a weapon or a rule may have is a list of figures that nothing reads one by one: the engine
    gets them as traits, and a page of the rule book prints those that are there.
    """
    return {
        name: shape if isinstance(shape, tuple) else (shape | None, None)
        for name, shape in shapes.items()
    }


class GearColumns(Sourced):
    """What every weapon and every piece of armour has."""

    id: Key
    name: Name
    same_as: Key | None = Field(default=None, alias="as")


class WeaponColumns(GearColumns):
    """What every weapon prints."""

    engine_class = lists.Weapon
    type: Literal["melee", "missile"]
    range: Inches | Literal["infinite", "template"] | None = None
    strength: Strength | None = None
    hands: Literal[1, 2] | None = None


_WEAPON_TRAITS = _left_out(
    armour_penetration=Annotated[int, Field(ge=1, le=10)],
    armour_piercing=True_,
    armour_save=Save,
    as_bolt_thrower=True_,
    bonus=(dict[StatKey, int], {}),
    close_range=Inches,
    close_shots=Count,
    counts_as=Name,
    difficult=True_,
    enemy_save_bonus=Step,
    extra_attacks=Count,
    extra_rank_on_foot=Count,
    extra_save_modifier=SaveLoss,
    foot_only=True_,
    hand_to_hand_to_hit=Annotated[int, Field(ge=-3, le=-1)],
    magical=True_,
    melee_attack=Annotated[int, Field(ge=1, le=5)],
    modes=(list[Name], []),
    mounted_only=True_,
    move_or_fire=True_,
    no_armour_save=True_,
    once_a_game=True_,
    parry=True_,
    poison=True_,
    ranks_fighting=Count,
    ranks_fighting_charging=Count,
    reaches_over=Count,
    reload=True_,
    removes_loser=True_,
    save_modifier=SaveLoss,
    shots=Count | Name,
    shots_at_half_range=Count,
    single_only=True_,
    strength_charging=Strength,
    strength_first_round=Strength,
    strength_foot_charging=Strength,
    strength_mounted=Annotated[str, Field(pattern=r"^[+-][1-9]$")],
    strength_mounted_charging=Strength,
    strikes_first=True_,
    strikes_last=True_,
    stun_on=Annotated[str, Field(pattern=r"^[1-6](–[1-6])?$")],
    template=Name,
    thrown=True_,
    to_hit=Annotated[int, Field(ge=-3, le=3)],
    wounds=PrintedFigure,
    wounds_on=Save,
)


class WeaponRecord(create_model("WeaponRecord", __base__=WeaponColumns, **_WEAPON_TRAITS)):  # type: ignore[misc]
    """A weapon.

    Ranges are inches; strength a number, ``user`` or a signed bonus; the rest is printed beside it.
    ``as``: it is the system's weapon of that key, where the system has one.
    """


class ArmourRecord(GearColumns):
    """A piece of armour: ``save`` of its own, or ``improves`` another.

    ``as``: it is the system's piece of that key, where the system has one.
    """

    engine_class = lists.Armour
    save: Save | None = None
    improves: Step | None = None
    armour_values: Annotated[list[Number], Field(min_length=3, max_length=3)] | None = None
    casts_spells: Marked = None
    defence: Annotated[int, Field(ge=1, le=5)] | None = None
    fireproof: Marked = None
    improves_in_combat: Step | None = None
    improves_vs_missiles: Step | None = None
    improves_with_hand_weapon_on_foot: Step | None = None
    initiative: Literal["halved"] | None = None
    move: MoveLoss | None = None
    parry: Marked = None
    save_against_stunned: Save | None = None
    save_vs_missiles: Save | None = None


class StatLineRecord(StrictModel):
    """The figures of a line, one for each stat of the collection: a number, printed text, or null
    for a dash.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[StatKey, Figure]

    @property
    def stats(self) -> dict[str, Figure]:
        """Stat to figure, as the file has them."""
        return dict(self.model_extra or {})


class ProfileLine(StatLineRecord):
    """One stat line of a unit, with who it is for and how many of them stand there."""

    engine_class = lists.StatLine
    name: Name
    role: Role
    count: Count | None = None
    M_barded: Number | None = None


PriceKeys = Annotated[list[Key], Field(min_length=1, max_length=4)]


class PriceBeside(StrictModel):
    """Another price while certain options are bought (``with``) and others are not
    (``without``).
    """

    engine_class = lists.PriceCase
    beside: Key | PriceKeys = Field(default=[], alias="with")
    without: PriceKeys | None = None
    points: Change

    @model_validator(mode="after")
    def _names_any(self) -> "PriceBeside":
        """Return the price; raise an error if it names no option as its condition."""
        if not (self.beside or self.without):
            raise PydanticCustomError(
                "no_condition", "name options under with, under without, or both"
            )
        return self

    @property
    def keys(self) -> Texts:
        """The options that have to be bought, one or several."""
        return (self.beside,) if isinstance(self.beside, str) else tuple(self.beside)

    @property
    def all_keys(self) -> Texts:
        """Every option that the price depends on."""
        return (*self.keys, *(self.without or ()))


class UnitPriceBeside(PriceBeside):
    """Another price of a unit, which is never below nothing."""

    points: Points


def price_terms(cases: list[Any], second: int | None) -> lists.PriceTerms:
    """Return what is said of a price beside its points."""
    if not (cases or second):
        return lists.PLAIN_PRICE
    return lists.PriceTerms(engine_value(cases), second or 0)


Origin = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=120)]
"""An id that another list builder's files have for the same thing."""
Origins = Annotated[list[Origin], Field(max_length=20)]
Rarity = Annotated[int, Field(ge=RARITY_LEAST, le=RARITY_MOST)]
"""The roll that finds something rare in a campaign."""


class OptionRecord(NamedRecord):
    """One thing a unit, or its champion, may buy.

    With a ``house_rule``, an ``exclusive`` group shuts others out only where that rule is played.
    A campaign asks for a search by ``rarity``, and it alone sells what is ``trade_only``.
    """

    engine_class = lists.Option
    points: Change
    second: Change | None = None
    per: Literal["model", "unit", "each"] = "model"
    kind: OptionKind
    max: Count | None = None
    group: Key | None = None
    exclusive: bool = False
    house_rule: Flag | None = None
    group_required: Marked = None
    default: Marked = None
    items: list[Item] = []
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
    rarity: Rarity | None = None
    trade_only: Marked = None
    description: Sentence | None = None
    origins: Origins = []

    def build(self, **others: Any) -> Any:
        return super().build(terms=price_terms(self.points_if, self.second), **others)


# What betters a save and is no armour: a mount, barding.
class SaveModifierRecord(Sourced):
    id: Key
    improves: Step | None = None
    instead_of: Key | None = None
    move: MoveLoss | None = None
    barding_move: MoveLoss | None = None


_RULE_FIGURES = _left_out(
    range=Inches | PrintedFigure,
    range_min=Inches,
    strength=Number,
    strength_centre=Number,
    strength_charging=Strength,
    strength_long=Number,
    strength_multiple=Number,
    strength_short=Number,
    strength_up_to=Number,
    short_range_strength=Number,
    mount_strength_charging=Strength,
    shots=Count,
    hits=PrintedFigure,
    impact_hits=PrintedFigure,
    impact_hits_per_model=Count,
    min_charge=Inches,
    wounds=PrintedFigure,
    wounds_on=Save,
    template=Inches | Name,
    armour_piercing=True_,
    no_armour_save=True_,
    magical_attacks=True_,
    save=Save,
    armour_save=Save,
    scaly_skin=Save,
    save_modifier=SaveLoss,
    extra_save_modifier=SaveLoss,
    armour_save_mounted_bonus=Step,
    improves=Step,
    improves_vs_missiles=Step,
    save_vs_missiles=Save,
    ward_save=Save,
    ward_not_against=Name,
    magic_resistance=Step,
    leadership_dice=Count,
    keep_lowest=Count,
    extra_attacks=Count,
    WS=Number,
    I=Number,
    grants=(list[Name], []),
    options=(list[dict[str, int]], []),
)


class RuleRecord(create_model("RuleRecord", __base__=Named, **_RULE_FIGURES)):  # type: ignore[misc]
    """A special rule that has a figure: the figures only, no wording."""


class CommonFile(StrictModel):
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


class SystemWeapon(WeaponRecord):
    """A weapon with the system's own figures.

    ``source`` is a heading of its text; a dash of the text is left out. ``keeps`` names traits that
    the text leaves to the army list.
    """

    sources: list[SourceKey] = []
    source: Name
    keeps: list[Literal[tuple(_WEAPON_TRAITS)]] = []  # type: ignore[valid-type]


class SystemArmour(ArmourRecord):
    """A piece of armour with the system's own figures."""

    sources: list[SourceKey] = []
    source: Name
    only_for: Name | None = None


class EquipmentFile(StrictModel):
    """equipment.yaml: weapons and armour in place of those the lists print under the same key, or
    beside them.

    ``options`` are offered to every profile of the troop types ``options_for`` in lists of the
    collections ``options_in``, beside what its list sells.
    """

    weapons: list[SystemWeapon] = []
    armour: list[SystemArmour] = []
    options: list[OptionRecord] = []
    options_for: list[Key] = []
    options_in: list[Key] = []
