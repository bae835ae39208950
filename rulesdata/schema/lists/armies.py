"""The files of one army: armies/<army>.yaml and magic-items/<army>.yaml."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rulesdata.schema.base import Count, Key, Name, StrictModel, True_
from rulesdata.schema.lists.units import UnitRecord


class StarterEntry(StrictModel):
    """One line of a ready warband."""

    profile: Key
    name: Name | None = None
    count: Count = 1
    leader: True_ | None = None
    options: list[Key] = []


class StarterRecord(StrictModel):
    """A ready warband to begin with; lists without one get theirs worked out. ``limit`` null: without points."""

    name: Name
    limit: Annotated[int, Field(ge=0, le=100_000)] | None
    warriors: Annotated[list[StarterEntry], Field(min_length=1, max_length=20)]


class ArmyFile(StrictModel):
    """armies/<army>.yaml: an army list."""

    army: Key
    name: Name
    starter_name: Name | None = None
    edition: int
    army_rules: list[Name]
    starter: StarterRecord | None = None
    units: Annotated[list[UnitRecord], Field(min_length=1)]


class MagicItemRecord(StrictModel):
    id: Key
    name: Name
    type: Key
    points: Annotated[int, Field(ge=1, le=1_000)]
    one_per_army: True_ | None = None


class MagicItemsFile(StrictModel):
    """magic-items/<army>.yaml: name, type and price of an army's magic items."""

    army: Key
    items: list[MagicItemRecord]
