"""The files of a collection that its armies share beside common.yaml, each of which it may do
without: equipment lists, hired swords, the trading post, skills and the maxima of races.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from engine.types.lists import OWN_UNITS_MAX
from rulesdata.schema.base import Name, NamedRecord, Sentence, StatKey, StrictModel
from rulesdata.schema.campaign_trade import GoodRecord, ThrownPriceRecord
from rulesdata.schema.equipment import Rarity
from rulesdata.schema.list_terms import EQUIPMENT_MAX, EquipmentListRecord
from rulesdata.schema.lists import ArmyKey, OptionNames, UnitRecord


class EquipmentListsFile(StrictModel):
    """equipment-lists.yaml: lists that units of any army name."""

    units: ClassVar[list[UnitRecord]] = []
    equipment: Annotated[list[EquipmentListRecord], Field(max_length=EQUIPMENT_MAX)] = []


class HiredSwordsFile(StrictModel):
    """hired-swords.yaml: units of every army; those that it may not hire are not offered."""

    equipment: ClassVar[list[EquipmentListRecord]] = []
    units: Annotated[list[UnitRecord], Field(max_length=OWN_UNITS_MAX)] = []


class TradeItemRecord(GoodRecord):
    """Something for sale between battles, as campaign rules have it.

    ``times`` multiplies the price of the weapon that it is made as. Without ``rarity`` it is always
    there. ``only_for`` and ``not_for`` name armies.
    """

    price: ThrownPriceRecord | None = None  # type: ignore[assignment]
    times: Literal[2, 3, 4, 5] | None = None
    rare: Rarity | None = Field(default=None, alias="rarity")
    only_for: list[ArmyKey] = []
    not_for: list[ArmyKey] = []
    doubts: list[Sentence] = []


class TradingPostFile(StrictModel):
    """trading-post.yaml: what is for sale between battles."""

    items: list[TradeItemRecord] = []


class SkillListRecord(NamedRecord):
    """A list of skills, by their names."""

    skills: list[Name]


class SpellRecord(StrictModel):
    """A spell or a prayer; no ``difficulty``: it is never cast like others."""

    name: Name
    difficulty: Annotated[int, Field(ge=2, le=12)] | None


class LoreRecord(NamedRecord):
    """Spells or prayers that a unit may know; units print the name."""

    spells: list[SpellRecord]


class SkillsFile(StrictModel):
    """skills.yaml: names of skills, spells and prayers."""

    skill_lists: list[SkillListRecord] = []
    lores: list[LoreRecord] = []


class RaceRecord(NamedRecord):
    """How far the characteristics of a race rise in a campaign."""

    maxima: dict[StatKey, Annotated[int, Field(ge=0, le=20)]]
    doubts: list[Sentence] = []


class MaximaFile(StrictModel):
    """maxima.yaml: the races that units name."""

    races: list[RaceRecord] = []


class OptionAliasesFile(StrictModel):
    """option-aliases.yaml: what lists of other apps call the options of every army."""

    options: OptionNames = {}
