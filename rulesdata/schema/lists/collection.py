"""collection.yaml: the collection, its stats and categories, its armies and what they add up to."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rulesdata.schema.base import Key, Name, Sentence, StatKey, StrictModel, True_
from rulesdata.schema.lists.words import MOUNT


class SourceRecord(StrictModel):
    id: Key
    name: Name
    note: Sentence


class Totals(StrictModel):
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


class StatColumnRecord(StrictModel):
    """A column of the stat lines, in printed order."""

    id: StatKey
    name: Name


class CategoryRecord(StrictModel):
    """A heading of the army lists. ``character``: whoever stands under it may lead, and stands alone beside units."""

    id: Annotated[Key, Field(max_length=20)]
    name: Name
    plural: Name | None = None
    character: True_ | None = None


CLASSIC_STATS = tuple(
    StatColumnRecord(id=key, name=name)
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


class CollectionFile(StrictModel):
    """collection.yaml: the collection, its sources, its armies and their totals.

    Without ``stats`` its lines are M WS BS S T W I A Ld, without ``categories`` lords, heroes, core, special and rare.
    ``note`` is told wherever its lists are shown: whose they are, where they are not from a book.
    """

    id: Key
    name: Name
    summary: Sentence
    note: Sentence | None = None
    edition: int
    stats: Annotated[list[StatColumnRecord], Field(min_length=1)] = list(CLASSIC_STATS)
    leadership_stat: StatKey | None = "Ld"
    strength_stat: StatKey | None = "S"
    categories: Annotated[list[CategoryRecord], Field(min_length=1)] = list(CLASSIC_CATEGORIES)
    sources: list[SourceRecord]
    armies: Annotated[list[Key], Field(min_length=1)]
    totals: dict[str, Totals]
