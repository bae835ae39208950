"""Checks what single files cannot show: references, totals, charts, guidelines.

Faults join the reader's work list.
"""

from __future__ import annotations

from pathlib import Path

from rulesdata.checking.lists import check_collection, count_totals
from rulesdata.checking.systems import check_system, check_variants
from rulesdata.pack_files.folders import PACKS, collection_folders, read_collection, system_folders
from rulesdata.pack_files.yaml_files import Fault

__all__ = [
    "check_collection",
    "check_folder",
    "check_packs",
    "check_system",
    "check_variants",
    "count_totals",
]


def check_packs(packs: Path = PACKS) -> list[Fault]:
    """The work list of every pack below a folder: each fault with file, key and what was expected."""
    faults: list[Fault] = []
    lists = collection_folders(packs)
    if not lists and not system_folders(packs):
        return [
            Fault(str(packs), "", "no pack here: a folder needs a system.yaml or a collection.yaml")
        ]
    for folder in lists:
        faults += check_collection(read_collection(folder))
    known = {folder.name for folder in (*lists, *collection_folders(PACKS))}
    for folder in system_folders(packs):
        faults += check_variants(folder, known)
    return faults


def check_folder(folder: Path) -> list[Fault]:
    """The work list of one pack, or of a whole tree of packs, anywhere on the disk."""
    if (folder / "collection.yaml").exists():
        return check_collection(read_collection(folder))
    if (folder / "system.yaml").exists():
        known = {
            found.name
            for found in (*collection_folders(PACKS), *collection_folders(folder.parent.parent))
        }
        return check_variants(folder, known)
    return check_packs(folder)
