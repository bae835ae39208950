"""What stands in an army list: units with their stat lines, champions, command models and options."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from rulesdata.schema.base import (
    Change,
    Count,
    Figure,
    Key,
    Name,
    Number,
    Points,
    PrintedFigure,
    Save,
    Sentence,
    StatKey,
    StrictModel,
    True_,
)
from rulesdata.schema.equipment import Category, Flag, OptionKind, Role, SourceKey, TroopType


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

    name: Name
    role: Role
    count: Count | None = None
    M_barded: Number | None = None


class PriceBeside(StrictModel):
    """Another price of an option when a second one is bought too."""

    beside: Key = Field(alias="with")
    points: Points


class OptionRecord(StrictModel):
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


class ChampionRecord(StrictModel):
    """The champion of a regiment.

    ``changes`` repeats where its line differs: [rank and file, champion].
    """

    name: Name
    points: Points
    profile: StatLineRecord | None = None
    changes: dict[str, list[Figure]] = {}
    source: SourceKey | None = None
    options: list[OptionRecord] = []
    always_present: True_ | None = None


class CommandRecord(StrictModel):
    musician: Points | None = None
    standard_bearer: Points | None = None


class UnitSize(StrictModel):
    min: Count | None = None
    max: Count | None = None


class CategoryWhen(StrictModel):
    category: Category
    when: Annotated[list[Name], Field(min_length=1)]


class ProfileWhen(StrictModel):
    when: Name
    stat: StatKey
    value: Number


class FiguresRecord(StrictModel):
    armour_save: Save | None = None
    natural_armour: Save | None = None
    ward_save: Save | None = None
    magic_resistance: Annotated[int, Field(ge=1, le=3)] | None = None
    unit_strength: Count | None = None
    impact_hits: PrintedFigure | None = None


class Correction(StrictModel):
    """A figure that was changed: where, what it was, what it is now, and why."""

    where: Name
    field: Name
    was: int | Name | None
    now: int | Name | None
    why: Sentence


class UnitRecord(StrictModel):
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
    equipment_source: Annotated[
        str, Field(pattern=r"^(first|second|rule|hand|none)(\+(first|second|rule|hand))*$")
    ]
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
