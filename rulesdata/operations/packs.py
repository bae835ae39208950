"""Rows of packs and clubs' lists: their columns, how they are made equal to a file, and the load of
the packs.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import models as django_models
from django.db import transaction
from django.utils import timezone

from engine.records import (
    Fields,
    NamedValues,
    TextByKey,
    Texts,
    frozen_dataclass,
    named_values,
)
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
from rulesdata.schema.equipment import MOUNT
from rulesdata.schema.lists import CollectionFile, OwnListFile
from rulesdata.schema.system import ScenariosFile, SystemFile
from rulesdata.signals import packs_changed

# SQLite takes a limited number of values in one statement.
BATCH = 200

Model = type[django_models.Model]
Key = tuple[Any, ...]
Wanted = Mapping[Key, NamedValues]


# Columns


@frozen_dataclass
class Listed:
    """A record of a file, with its plain data, its place in the file and the name of its army."""

    record: Any
    data: Any
    position: int = 0
    army: str = ""


def _weapon(entry: Listed) -> NamedValues:
    """Return the columns of a weapon's row, with range and Strength as printed."""
    weapon = entry.record
    return {
        **named_values(weapon, "name", "type"),
        "range": _printed(weapon.range),
        "strength": _printed(weapon.strength),
        "data": entry.data,
    }


def _printed(figure: object) -> str:
    return "" if figure is None else str(figure)


def _armour(entry: Listed) -> NamedValues:
    """Return the columns of the row of a piece of armour."""
    piece = entry.record
    return {
        "name": piece.name,
        "save_value": piece.save,
        "improves": piece.improves or 0,
        "data": entry.data,
    }


def _magic_item(entry: Listed) -> NamedValues:
    """Return the columns of a magic item's row, with its price in points."""
    item = entry.record
    return {
        **named_values(item, "name", "type", "points"),
        "is_unique": bool(item.one_per_army),
        "data": entry.data,
    }


def _profile(entry: Listed) -> NamedValues:
    """Return the columns of a unit's row, with its price in points."""
    unit = entry.record
    is_mount = unit.category == MOUNT
    champion = unit.champion.name if unit.champion else ""
    parts = [
        unit.name,
        unit.model_name,
        entry.army,
        champion,
        *unit.special_rules,
        *unit.lores,
    ]
    parts += [option.name for option in unit.options]
    return {
        **named_values(unit, "name", "category", "troop_type", "points"),
        "model_name": unit.model_name or "",
        "miniatures": unit.miniatures or 1,
        "position": entry.position,
        "is_offered": unit.offered is None and not is_mount,
        "is_mount": is_mount,
        "is_special_character": bool(unit.special_character),
        "is_wizard": bool(unit.wizard),
        # The source leaves a wizard without a level open.
        "is_incomplete": bool(
            unit.incomplete or (unit.wizard and unit.wizard_level is None)
        ),
        "has_doubts": any((unit.doubts, unit.incomplete, unit.corrected)),
        "search": " ".join(dict.fromkeys(filter(None, parts))).lower(),
        "data": entry.data,
    }


def _scenario(entry: Listed) -> NamedValues:
    # What a battle of it changes is read from the files, as everything else of its rules.
    columns = entry.record.model_dump(exclude={"id", "sets", "sides"})
    sides = [side.model_dump(exclude_defaults=True) for side in entry.record.sides]
    return {**columns, "sides": sides, "position": entry.position}


COLUMNS = {
    Weapon: _weapon,
    Armour: _armour,
    MagicItem: _magic_item,
    Profile: _profile,
    Scenario: _scenario,
}
"""What each table says of a record, in packs and in clubs' lists alike."""


def build_rows(
    model: Model, records: Iterable[Any], data: Iterable[Any], *before: Any, army: str = ""
) -> dict[Key, NamedValues]:
    """The rows that the records of a file want, by key; ``before`` are the parts of a key before
    the id. Raises ValueError where the plain ``data`` does not match.
    """
    pairs = enumerate(zip(records, data, strict=True))
    return {
        (*before, record.id): COLUMNS[model](Listed(record, raw, place, army))
        for place, (record, raw) in pairs
    }


# What a load did


@dataclass(slots=True)
class Report:
    """How many rows of each kind a load created, updated, retired and left unchanged, and when.

    ``unchanged_packs`` were not looked at because no file of theirs changed.
    """

    tallies: dict[str, Counter[str]] = field(default_factory=dict)
    unchanged_packs: list[str] = field(default_factory=list)
    at: datetime = field(default_factory=timezone.now)

    def tally(self, model: Model) -> Counter[str]:
        return self.tallies.setdefault(str(model._meta.verbose_name_plural), Counter())

    def lines(self) -> list[str]:
        """The report for people, one line for each kind of row."""
        changes = ("created", "updated", "retired", "unchanged")
        lines = [
            f"{name}: {', '.join(f'{counts[change]} {change}' for change in changes)}"
            for name, counts in self.tallies.items()
            if counts.total()
        ]
        return lines + [f"{name}: nothing has changed" for name in self.unchanged_packs]


# Writing


@frozen_dataclass
class RowScope:
    """The rows that a file decides about: those of ``model`` with these values in ``where``.

    A scope says whose rows it means by ``club``: None for the packs'. ``by`` names the columns of
    a key; ``created`` are values only a new row gets.
    """

    model: type[Any]
    where: NamedValues
    by: Texts = ("key",)
    created: NamedValues = field(default_factory=dict)

    def row_key(self, row: Any) -> Key:
        return tuple(getattr(row, column) for column in self.by)

    def new_row(self, key: Key, values: NamedValues) -> Any:
        fixed = {name: value for name, value in self.where.items() if "__" not in name}
        by_key = dict(zip(self.by, key, strict=True))
        return self.model(**fixed, **self.created, **by_key, **values)


def sync(scope: RowScope, wanted: Wanted, report: Report) -> dict[Key, Any]:
    """Make the rows of a scope what is wanted, and return them by key.

    New ones are made, changed ones updated, missing ones retired. One query, and those that write.
    """
    manager, tally = scope.model._default_manager, report.tally(scope.model)
    # The retired among them: one that comes back is not retired any more.
    existing = {scope.row_key(row): row for row in manager.filter(**scope.where)}
    live = {key: existing[key] for key in sorted(existing.keys() & wanted)}
    changed = [row for key, row in live.items() if _fill(row, wanted[key])]
    # Nothing is deleted: a warband may still have it.
    others = map(existing.__getitem__, sorted(existing.keys() - wanted))
    gone = [row for row in others if row.retired_at is None]
    for row in gone:
        row.retired_at = report.at
    new = [scope.new_row(key, wanted[key]) for key in wanted if key not in existing]
    manager.bulk_create(new, batch_size=BATCH)
    # Rows that nothing changed in are not written, which is most of them at most loads.
    if old := [*changed, *gone]:
        columns = [*next(iter(wanted.values()), {}), "retired_at"]
        manager.bulk_update(old, columns, batch_size=BATCH)
    tally["created"] += len(new)
    tally["updated"] += len(changed)
    tally["retired"] += len(gone)
    tally["unchanged"] += len(live) - len(changed)
    return live | {scope.row_key(row): row for row in new}


def _fill(row: Any, values: NamedValues) -> bool:
    """Set the columns of a row that is wanted; whether one of them was another."""
    fresh = {**values, "retired_at": None}
    different = {
        name: value for name, value in fresh.items() if getattr(row, name) != value
    }
    for name, value in different.items():
        setattr(row, name, value)
    return bool(different)


# Clubs' lists

OWN_TABLES = (
    ("weapons", Weapon),
    ("armour", Armour),
    ("magic_items", MagicItem),
    ("units", Profile),
)
"""The parts of a club's list that have rows, and their table."""
HEAD = ("name", "collection", "base")
"""Keys of a list's file that are columns; what has neither rows nor a column is in ``data``."""


def project(row: Army, file: OwnListFile) -> None:
    """Write the list's row and the rows of its records; those that left the file are put away.

    Within a transaction.
    """
    report, elsewhere = Report(), {*HEAD, *(part for part, _ in OWN_TABLES)}
    row.name = file.name
    row.data = {key: value for key, value in dump(file).items() if key not in elsewhere}
    row.save()
    for part, model in OWN_TABLES:
        where: Fields = {"army": row, "club_id": row.club_id}
        if model in (Weapon, Armour):
            where["collection"] = row.collection
        records = getattr(file, part)
        wanted = build_rows(model, records, map(dump, records), army=file.name)
        sync(RowScope(model, where), wanted, report)


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


def _loaded_hashes(model: PackModel, *, lock: bool = False) -> TextByKey:
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
    report.tally(model)["created" if is_new else "updated"] += 1
    return row


def load_collection(pack: ListPack, digest: str, report: Report) -> None:
    """Rows of a collection: armies, weapons, armour, magic items and profiles."""
    assert pack.collection
    assert pack.common
    collection = _head(Collection, pack.collection, digest, report)
    where = {"collection": collection, "club": None}
    armies: dict[Key, NamedValues] = {
        (key,): {
            "name": file.name,
            "data": {"edition": file.edition, "army_rules": list(file.army_rules)},
        }
        for key, file in pack.armies.items()
    }
    army_rows = sync(RowScope(Army, where), armies, report)
    common = pack.reader.documents["common.yaml"].data
    for part, model in (("weapons", Weapon), ("armour", Armour)):
        wanted = build_rows(model, getattr(pack.common, part), common[part])
        sync(RowScope(model, where), wanted, report)
    items: dict[Key, NamedValues] = {}
    for key, magic in pack.magic_items.items():
        data = map(dump, magic.items)
        items |= build_rows(MagicItem, magic.items, data, army_rows[(key,)].pk)
    profiles: dict[Key, NamedValues] = {}
    for key, army in pack.armies.items():
        units = pack.shared.with_army(army).units
        row, data = army_rows[(key,)], map(dump, units)
        profiles |= build_rows(Profile, units, data, row.pk, army=army.name)
    of_armies = {"army__collection": collection, "club": None}
    sync(RowScope(MagicItem, of_armies, ("army_id", "key")), items, report)
    sync(RowScope(Profile, of_armies, ("army_id", "key")), profiles, report)


def load_system(pack: SystemPack, digest: str, report: Report) -> None:
    """Rows of a rule system: itself, the collections it fields, its scenarios."""
    head, scenarios = pack.need(SystemFile), pack.need(ScenariosFile).scenarios
    system = _head(System, head, digest, report)
    system.collections.set(Collection.objects.filter(key__in=head.collections))
    wanted = build_rows(Scenario, scenarios, scenarios)
    where = {"system": system, "origin": "pack"}
    sync(RowScope(Scenario, where, created={"visibility": "public"}), wanted, report)


def _retire_missing(model: PackModel, folders: Iterable[Path], report: Report) -> None:
    """Mark systems or collections whose folder is gone."""
    # Their armies stay as they are, for warbands still have them.
    names = [folder.name for folder in folders]
    gone = model._default_manager.filter(retired_at__isnull=True).exclude(key__in=names)
    report.tally(model)["retired"] += gone.update(retired_at=report.at)
