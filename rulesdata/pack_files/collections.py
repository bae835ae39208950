"""The files of a collection of army lists: each army's own, and what the armies share.

Django is not needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from engine.records import Fields, Texts, frozen_dataclass
from rulesdata.pack_files.folders import PACKS, Reader
from rulesdata.schema.equipment import CLASSIC_TROOP_TYPES, MOUNT, CommonFile
from rulesdata.schema.list_terms import EquipmentListRecord
from rulesdata.schema.lists import (
    AliasesFile,
    ArmyFile,
    CollectionFile,
    MagicItemsFile,
    UnitRecord,
)
from rulesdata.schema.shared_lists import (
    EquipmentListsFile,
    HiredSwordsFile,
    MaximaFile,
    OptionAliasesFile,
    SkillsFile,
    TradingPostFile,
)

ALIASES = "aliases"
SHARED_FILES: Mapping[str, tuple[str, type[BaseModel]]] = {
    "maxima": ("maxima.yaml", MaximaFile),
    "skills": ("skills.yaml", SkillsFile),
    "lists": ("equipment-lists.yaml", EquipmentListsFile),
    "hired": ("hired-swords.yaml", HiredSwordsFile),
    "trade": ("trading-post.yaml", TradingPostFile),
    "aliases": ("option-aliases.yaml", OptionAliasesFile),
}
"""The files of a collection that it may do without, as they are read: units name keys of those
before them.
"""


@frozen_dataclass
class SharedFiles:
    """What the armies of a collection share beside common.yaml."""

    maxima: MaximaFile = MaximaFile()
    skills: SkillsFile = SkillsFile()
    lists: EquipmentListsFile = EquipmentListsFile()
    hired: HiredSwordsFile = HiredSwordsFile()
    trade: TradingPostFile = TradingPostFile()
    aliases: OptionAliasesFile = OptionAliasesFile()

    @property
    def equipment(self) -> list[EquipmentListRecord]:
        return self.lists.equipment

    @property
    def units(self) -> list[UnitRecord]:
        return self.hired.units

    def with_army(self, army: ArmyFile) -> ArmyFile:
        """Return an army's file with the equipment lists that its units name, and everybody who is
        hired.
        """
        swords = [_hired_sword(unit, army) for unit in self.units]
        buys = {
            purchase.shared
            for unit in (*army.units, *swords)
            for purchase in unit.equipment
        } - {shared.id for shared in army.equipment}
        lists = [shared for shared in self.equipment if shared.id in buys]
        if not (swords or lists):
            return army
        units = {"units": [*army.units, *swords], "equipment": [*army.equipment, *lists]}
        return army.model_copy(update=units)


NOTHING_SHARED = SharedFiles()


def _hired_sword(unit: UnitRecord, army: ArmyFile) -> UnitRecord:
    """Return a hired sword as an army has it: not offered where others alone may hire it."""
    if not unit.hired_by or army.army in unit.hired_by:
        return unit
    reason = f"{army.name} may not hire it."
    return unit.model_copy(update={"offered": False, "not_offered_because": reason})


@dataclass(slots=True)
class ListPack:
    """The files of a collection of army lists, by army key."""

    reader: Reader
    collection: CollectionFile | None
    common: CommonFile | None
    shared: SharedFiles = NOTHING_SHARED
    armies: dict[str, ArmyFile] = field(default_factory=dict)
    magic_items: dict[str, MagicItemsFile] = field(default_factory=dict)
    aliases: dict[str, AliasesFile] = field(default_factory=dict)


def collection_folders(packs: Path = PACKS) -> list[Path]:
    """Folders that hold a collection.yaml, by name."""
    return sorted(path.parent for path in (packs / "lists").glob("*/collection.yaml"))


ArmiesByCollection = dict[str, Texts]


def collection_armies(packs: Path = PACKS) -> ArmiesByCollection:
    """The keys of the armies in each collection below a folder, as their files are named."""
    return {
        folder.name: tuple(path.stem for path in (folder / "armies").glob("*.yaml"))
        for folder in collection_folders(packs)
    }


def read_collection(folder: Path) -> ListPack:
    """Every file of a collection; ``reader.faults`` holds what is wrong with them."""
    reader = Reader(folder)
    collection = reader.read("collection.yaml", CollectionFile)
    common = reader.read("common.yaml", CommonFile)
    reader.known = known_keys(collection, common)
    pack = ListPack(reader, collection, common, read_shared(reader))
    listed = list(collection.armies) if collection else []
    present = sorted(path.stem for path in (folder / "armies").glob("*.yaml"))
    for key in dict.fromkeys([*listed, *present]):
        if collection and key not in listed:
            message = f"armies/{key}.yaml is not listed: add '{key}'"
            reader.fault("collection.yaml", ("armies",), message)
        if army := reader.read(f"armies/{key}.yaml", ArmyFile):
            pack.armies[key] = army
        if magic := read_magic_items(reader, key):
            pack.magic_items[key] = magic
    # What other tools call the armies; an army may do without.
    for path in sorted((folder / ALIASES).glob("*.yaml")):
        if aliases := reader.read(f"{ALIASES}/{path.name}", AliasesFile):
            pack.aliases[path.stem] = aliases
    return pack


def read_shared(reader: Reader) -> SharedFiles:
    """Return what the armies share; a file that is left out or has a fault is an empty one."""
    files: Fields = {
        field: (reader.read(name, shape) if reader.has(name) else None) or shape()
        for field, (name, shape) in SHARED_FILES.items()
    }
    return SharedFiles(**files)


def read_magic_items(reader: Reader, key: str) -> MagicItemsFile | None:
    """Return an army's magic items, none where it has no such file; None for one with a fault."""
    name = f"magic-items/{key}.yaml"
    if not reader.has(name):
        return MagicItemsFile(army=key, items=[])
    return reader.read(name, MagicItemsFile)


def known_keys(
    collection: CollectionFile | None, common: CommonFile | None
) -> dict[str, set[str]]:
    """Return what army lists of a collection may name, by the list that it stands in."""
    # The classic types count everywhere, beside those that the collection names itself.
    known = {"troop_types": set(CLASSIC_TROOP_TYPES)}
    if common:
        known["troop_types"] |= set(common.troop_types)
        known["flags"] = set(common.flags)
        known["weapons"] = {weapon.id for weapon in common.weapons}
        known["armour"] = {piece.id for piece in common.armour}
    if collection:
        known["armies"] = set(collection.armies)
        known["categories"] = {MOUNT, *(category.id for category in collection.categories)}
    return known
