"""Checks what single files cannot show: references, totals, charts, guidelines.

Faults join the reader's work list.
"""

from pathlib import Path

from rulesdata.checks.lists import check_collection
from rulesdata.checks.systems import check_variants
from rulesdata.pack_files.collections import (
    ArmiesByCollection,
    collection_armies,
    collection_folders,
    read_collection,
)
from rulesdata.pack_files.folders import FAMILIES, PACKS, Reader, Spot, system_folders
from rulesdata.pack_files.yaml_files import Fault
from rulesdata.schema.system import FamilyFile


def check_packs(packs: Path = PACKS) -> list[Fault]:
    """Every fault of the packs below a folder, with file, key and what was expected."""
    lists, systems = collection_folders(packs), system_folders(packs)
    if not lists and not systems:
        message = "no pack here: a folder needs a system.yaml or a collection.yaml"
        return [Fault(str(packs), "", message)]
    faults: list[Fault] = []
    for folder in lists:
        faults += check_collection(read_collection(folder))
    for folder in systems:
        faults += check_variants(folder, _known_collections(packs))
    reader, names = Reader(packs), {folder.name for folder in systems}
    for path in sorted((packs / FAMILIES).glob("*.yaml")):
        name = f"{FAMILIES}/{path.name}"
        if family := reader.read(name, FamilyFile):
            Spot(reader, name).report_unknown_in(family, "systems", names, "rule system")
    return faults + reader.faults


def check_folder(folder: Path) -> list[Fault]:
    """The work list of one pack, or of a whole tree of packs, anywhere on the disk."""
    if (folder / "collection.yaml").exists():
        return check_collection(read_collection(folder))
    if (folder / "system.yaml").exists():
        return check_variants(folder, _known_collections(folder.parent.parent))
    return check_packs(folder)


def _known_collections(packs: Path) -> ArmiesByCollection:
    """The armies of each collection a system may field: those beside it, and the site's own."""
    return collection_armies(PACKS) | collection_armies(packs)
