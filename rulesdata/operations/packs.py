"""The load of the packs into rows."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.db import transaction

from rulesdata import registry
from rulesdata.checks.lists import check_collection
from rulesdata.checks.systems import check_variants
from rulesdata.models import (
    Armour,
    Army,
    Collection,
    MagicItem,
    Profile,
    Scenario,
    System,
    Weapon,
)
from rulesdata.operations.rows import (
    COLUMNS,
    Key,
    Listed,
    Report,
    RowScope,
    Values,
    build_rows,
    listed,
    sync,
)
from rulesdata.own_lists import dump
from rulesdata.pack_files.collections import (
    ArmiesByCollection,
    ListPack,
    collection_armies,
    collection_folders,
    read_collection,
)
from rulesdata.pack_files.folders import (
    PACKS,
    PackError,
    SystemPack,
    read_system,
    system_folders,
)
from rulesdata.pack_files.yaml_files import Fault
from rulesdata.schema.lists import CollectionFile
from rulesdata.schema.system import ScenariosFile, SystemFile
from rulesdata.signals import packs_changed

PackModel = type[System] | type[Collection]
FORMAT = "1"  # raise it when rows are made differently from the same files


def pack_hash(folder: Path) -> str:
    """A hash of every YAML file of a pack and of how rows are made from them."""
    digest = hashlib.sha256(FORMAT.encode())
    # Systems may borrow the scenarios of others.
    scenarios = folder.parent.glob("*/scenarios.yaml")
    for path in sorted({*folder.rglob("*.yaml"), *scenarios}):
        digest.update(f"\0{path.relative_to(folder.parent).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def load_packs(packs: Path = PACKS, *, force: bool = False) -> Report:
    """Read every pack and make the rows what the files say, all of them or none.

    A pack none of whose files changed since its last load is left alone unless ``force``. Raises
    PackError with every fault of every file before a row is touched.
    """
    lists, systems = collection_folders(packs), system_folders(packs)
    if not systems:
        message = "no rule system here: systems/<key>/system.yaml is missing"
        raise PackError([Fault(str(packs), "", message)])
    hashes = {folder: pack_hash(folder) for folder in (*lists, *systems)}
    report = Report()
    with transaction.atomic():
        # Two loads at once wait for each other here. Only packs with a changed file are read at
        # all: the load runs at every start.
        changed_lists = _find_changed(Collection, lists, hashes)
        changed_systems = _find_changed(System, systems, hashes)
        if force:
            changed_lists, changed_systems = lists, systems
        collections = [read_collection(folder) for folder in changed_lists]
        _check_packs(collections, changed_systems, collection_armies(packs))
        for pack in collections:
            load_collection(pack, hashes[pack.reader.folder], report)
        for folder in changed_systems:
            load_system(read_system(folder), hashes[folder], report)
        _retire_missing(Collection, lists, report)
        _retire_missing(System, systems, report)
    changed = {*changed_lists, *changed_systems}
    report.unchanged_packs = [folder.name for folder in hashes if folder not in changed]
    if packs == PACKS:
        registry.clear_cache()
        if changed:
            packs_changed.send(sender=None)
    return report


def _check_packs(
    collections: Iterable[ListPack],
    systems: Iterable[Path],
    armies: ArmiesByCollection,
) -> None:
    """Raise PackError with every fault of the packs."""
    faults = [fault for pack in collections for fault in check_collection(pack)]
    for folder in systems:
        faults += check_variants(folder, armies)
    if faults:
        raise PackError(faults)


def packs_are_current(packs: Path = PACKS) -> bool:
    """Whether the rows were made from the files as they are now, in two queries.

    The database itself says what it was made from, so one that was restored or moved is not taken
    for another.
    """
    pairs = ((Collection, collection_folders(packs)), (System, system_folders(packs)))
    return all(
        _loaded_hashes(model) == {folder.name: pack_hash(folder) for folder in folders}
        for model, folders in pairs
    )


def _find_changed(
    model: PackModel, folders: Iterable[Path], hashes: Mapping[Path, str]
) -> list[Path]:
    """The folders whose files are not those that the rows were made from; locks the rows."""
    loaded = _loaded_hashes(model, lock=True)
    return [folder for folder in folders if loaded.get(folder.name) != hashes[folder]]


def _loaded_hashes(model: PackModel, *, lock: bool = False) -> dict[str, str]:
    rows = model._default_manager.filter(retired_at=None)
    rows = rows.select_for_update() if lock else rows
    return dict(rows.values_list("key", "data_hash"))


def _head(
    model: type[Any], file: CollectionFile | SystemFile, digest: str, report: Report
) -> Any:
    """The row of a collection or of a rule system, written anew."""
    values = {
        "name": file.name,
        "summary": file.summary,
        "data_hash": digest,
        "loaded_at": report.at,
        "retired_at": None,
    }
    row, is_new = model._default_manager.update_or_create(key=file.id, defaults=values)
    report.tally(model).add(is_new=is_new)
    return row


def load_collection(pack: ListPack, digest: str, report: Report) -> None:
    """Rows of a collection: armies, weapons, armour, magic items and profiles."""
    assert pack.collection
    assert pack.common
    collection = _head(Collection, pack.collection, digest, report)
    where = {"collection": collection, "club": None}
    armies = {
        (key,): COLUMNS[Army](Listed(file, None)) for key, file in pack.armies.items()
    }
    army_rows = sync(RowScope(Army, where), armies, report)
    common = pack.reader.documents["common.yaml"].data
    for part, model in (("weapons", Weapon), ("armour", Armour)):
        records = listed(getattr(pack.common, part), common[part])
        sync(RowScope(model, where), build_rows(model, records), report)
    items: dict[Key, Values] = {}
    for key, magic in pack.magic_items.items():
        records = listed(magic.items, map(dump, magic.items))
        items |= build_rows(MagicItem, records, army_rows[(key,)].pk)
    profiles: dict[Key, Values] = {}
    for key, army in pack.armies.items():
        units = pack.shared.with_army(army).units
        records = listed(units, map(dump, units), army.name)
        profiles |= build_rows(Profile, records, army_rows[(key,)].pk)
    of_armies = {"army__collection": collection, "club": None}
    sync(RowScope(MagicItem, of_armies, ("army_id", "key")), items, report)
    sync(RowScope(Profile, of_armies, ("army_id", "key")), profiles, report)


def load_system(pack: SystemPack, digest: str, report: Report) -> None:
    """Rows of a rule system: itself, the collections it fields, its scenarios."""
    head, scenarios = pack.need(SystemFile), pack.need(ScenariosFile).scenarios
    system = _head(System, head, digest, report)
    system.collections.set(Collection.objects.filter(key__in=head.collections))
    wanted = build_rows(Scenario, listed(scenarios, scenarios))
    where = {"system": system, "origin": "pack"}
    sync(RowScope(Scenario, where, created={"visibility": "public"}), wanted, report)


def _retire_missing(model: PackModel, folders: Iterable[Path], report: Report) -> None:
    """Mark systems or collections whose folder is gone."""
    # Their armies stay as they are, for warbands still have them.
    names = [folder.name for folder in folders]
    gone = model._default_manager.filter(retired_at__isnull=True).exclude(key__in=names)
    report.tally(model).retired += gone.update(retired_at=report.at)
