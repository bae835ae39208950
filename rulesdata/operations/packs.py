"""The load of the packs into rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import models as django_models
from django.db import transaction
from django.utils import timezone

from rulesdata import registry
from rulesdata.checking import check_collection, check_variants
from rulesdata.models import (
    Armour,
    Army,
    Collection,
    MagicItem,
    Option,
    Profile,
    Scenario,
    System,
    Weapon,
)
from rulesdata.pack_files.folders import (
    PACKS,
    ListPack,
    PackError,
    SystemPack,
    collection_folders,
    read_collection,
    read_system,
    system_folders,
)
from rulesdata.pack_files.yaml_files import Fault
from rulesdata.schema.units import OptionRecord, UnitRecord
from rulesdata.signals import packs_changed

FORMAT = "1"  # raise it when rows are made differently from the same files
BATCH = 200

Values = Mapping[str, Any]


@dataclass(slots=True)
class RowCounts:
    """How many rows of one kind were created, updated, retired and left alone."""

    created: int = 0
    updated: int = 0
    retired: int = 0
    unchanged: int = 0

    def add(self, is_new: bool) -> None:
        """Count a single row that was made or written anew."""
        self.created += is_new
        self.updated += not is_new

    @property
    def has_any(self) -> bool:
        return bool(self.created or self.updated or self.retired or self.unchanged)


@dataclass(slots=True)
class Report:
    """What a load did, by kind of row; ``unchanged_packs`` were not looked at because no file of
    theirs changed.
    """

    tallies: dict[str, RowCounts] = field(default_factory=dict)
    unchanged_packs: list[str] = field(default_factory=list)

    def tally(self, model: type[django_models.Model]) -> RowCounts:
        return self.tallies.setdefault(str(model._meta.verbose_name_plural), RowCounts())

    def lines(self) -> list[str]:
        """The report for people, one line for each kind of row."""
        found = [
            (
                f"{name}: {t.created} created, {t.updated} updated, {t.retired} retired, "
                f"{t.unchanged} unchanged"
            )
            for name, t in self.tallies.items()
            if t.has_any
        ]
        return found + [f"{name}: nothing has changed" for name in self.unchanged_packs]


def pack_hash(folder: Path) -> str:
    """A hash of every YAML file of a pack and of how rows are made from them."""
    digest = hashlib.sha256(FORMAT.encode())
    for path in sorted(folder.rglob("*.yaml")):
        digest.update(f"\0{path.relative_to(folder).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def load_collection(pack: ListPack, digest: str, now: datetime, report: Report) -> None:
    """Rows of a collection: armies, profiles, options, magic items, weapons and armour."""
    assert pack.collection
    assert pack.common
    head = pack.collection
    values = {
        "name": head.name,
        "summary": head.summary,
        "data_hash": digest,
        "loaded_at": now,
        "retired_at": None,
    }
    collection, is_new = Collection.objects.update_or_create(key=head.id, defaults=values)
    report.tally(Collection).add(is_new)
    common = pack.reader.documents["common.yaml"].data
    armies = {
        (key,): {
            "name": file.name,
            "data": {"edition": file.edition, "army_rules": list(file.army_rules)},
        }
        for key, file in pack.armies.items()
    }
    army_rows = sync(Army, {"collection": collection}, armies, now, report)
    weapons: dict[tuple[Any, ...], Values] = {}
    for weapon, raw in zip(pack.common.weapons, common["weapons"], strict=True):
        weapons[(weapon.id,)] = {
            "name": weapon.name,
            "type": weapon.type,
            "range": "" if weapon.range is None else str(weapon.range),
            "strength": "" if weapon.strength is None else str(weapon.strength),
            "data": raw,
        }
    sync(Weapon, {"collection": collection}, weapons, now, report)
    armour: dict[tuple[Any, ...], Values] = {}
    for piece, raw in zip(pack.common.armour, common["armour"], strict=True):
        armour[(piece.id,)] = {
            "name": piece.name, "save_value": piece.save, "improves": piece.improves or 0, "data": raw,
        }  # fmt: skip
    sync(Armour, {"collection": collection}, armour, now, report)
    _load_magic_items(pack, collection, army_rows, now, report)
    profiles = _load_profiles(pack, collection, army_rows, now, report)
    _load_options(pack, collection, army_rows, profiles, now, report)


def _load_magic_items(
    pack: ListPack,
    collection: Collection,
    armies: Mapping[tuple[Any, ...], Army],
    now: datetime,
    report: Report,
) -> None:
    wanted: dict[tuple[Any, ...], Values] = {}
    for key, file in pack.magic_items.items():
        for item, raw in zip(
            file.items, pack.reader.documents[f"magic-items/{key}.yaml"].data["items"], strict=True
        ):
            wanted[(armies[(key,)].pk, item.id)] = {
                "name": item.name, "type": item.type, "points": item.points, "is_unique": bool(item.one_per_army),
                "data": raw,
            }  # fmt: skip
    sync(MagicItem, {"army__collection": collection}, wanted, now, report, by=("army_id", "key"))


def _load_profiles(
    pack: ListPack,
    collection: Collection,
    armies: Mapping[tuple[Any, ...], Army],
    now: datetime,
    report: Report,
) -> Mapping[tuple[Any, ...], Profile]:
    wanted: dict[tuple[Any, ...], Values] = {}
    for key, file in pack.armies.items():
        raws = pack.reader.documents[f"armies/{key}.yaml"].data["units"]
        for position, (unit, raw) in enumerate(zip(file.units, raws, strict=True)):
            wanted[(armies[(key,)].pk, unit.id)] = profile_values(unit, raw, position, file.name)
    return sync(
        Profile, {"army__collection": collection}, wanted, now, report, by=("army_id", "key")
    )


def profile_values(unit: UnitRecord, raw: Any, position: int, army_name: str) -> Values:
    """Columns of a profile's row.

    ``search`` holds what people look for: names, rules, options, army.
    """
    words = [
        unit.name,
        unit.model_name or "",
        army_name,
        unit.champion.name if unit.champion else "",
    ]
    words += [*unit.special_rules, *unit.lores, *(option.name for option in unit.options)]
    return {
        "name": unit.name,
        "model_name": unit.model_name or "",
        "category": unit.category,
        "troop_type": unit.troop_type,
        "points": unit.points,
        "miniatures": unit.miniatures or 1,
        "position": position,
        "is_offered": unit.offered is None and unit.category != "mount",
        "is_mount": unit.category == "mount",
        "is_special_character": bool(unit.special_character),
        "is_wizard": bool(unit.wizard),
        "is_incomplete": bool(unit.incomplete) or bool(unit.wizard and unit.wizard_level is None),
        "has_doubts": bool(unit.doubts or unit.incomplete or unit.corrected),
        "search": " ".join(dict.fromkeys(word for word in words if word)).lower(),
        "data": raw,
    }


def _load_options(
    pack: ListPack,
    collection: Collection,
    armies: Mapping[tuple[Any, ...], Army],
    profiles: Mapping[tuple[Any, ...], Profile],
    now: datetime,
    report: Report,
) -> None:
    wanted: dict[tuple[Any, ...], Values] = {}
    for key, file in pack.armies.items():
        raws = pack.reader.documents[f"armies/{key}.yaml"].data["units"]
        for unit, raw in zip(file.units, raws, strict=True):
            profile = profiles[(armies[(key,)].pk, unit.id)]
            champions = unit.champion.options if unit.champion else []
            records = [(o, False) for o in unit.options] + [(o, True) for o in champions]
            sources = [*raw["options"], *(raw.get("champion") or {}).get("options", [])]
            for position, ((option, is_champions), source) in enumerate(
                zip(records, sources, strict=True)
            ):
                wanted[(profile.pk, option.id)] = option_values(
                    option, is_champions, position, source
                )
    sync(
        Option,
        {"profile__army__collection": collection},
        wanted,
        now,
        report,
        by=("profile_id", "key"),
    )


def option_values(option: OptionRecord, is_champions: bool, position: int, raw: Any) -> Values:
    """Columns of an option's row."""
    return {
        "name": option.name,
        "points": option.points,
        "per": option.per,
        "kind": option.kind,
        "group": option.group or "",
        "position": position,
        "is_champions": is_champions,
        "data": raw,
    }


def load_system(pack: SystemPack, digest: str, now: datetime, report: Report) -> None:
    """Rows of a rule system: itself, the collections it fields, its scenarios."""
    assert pack.system
    assert pack.scenarios
    head = pack.system
    values = {
        "name": head.name,
        "summary": head.summary,
        "data_hash": digest,
        "loaded_at": now,
        "retired_at": None,
    }
    system, is_new = System.objects.update_or_create(key=head.id, defaults=values)
    report.tally(System).add(is_new)
    system.collections.set(Collection.objects.filter(key__in=head.collections))
    wanted: dict[tuple[Any, ...], Values] = {}
    for position, record in enumerate(pack.scenarios.scenarios):
        fields = record.model_dump(exclude={"id"})
        wanted[(record.id,)] = {**fields, "position": position}
    base = {"system": system, "origin": "pack"}
    sync(Scenario, base, wanted, now, report, club_is_null=False, created={"visibility": "public"})


def retire_missing(
    folders: Iterable[str], model: type[System] | type[Collection], now: datetime, report: Report
) -> None:
    """Mark systems or collections whose folder is gone."""
    gone = model._default_manager.filter(retired_at__isnull=True).exclude(key__in=list(folders))
    report.tally(model).retired += gone.update(retired_at=now)


def sync(
    model: type[Any],
    scope: Values,
    wanted: Mapping[tuple[Any, ...], Values],
    now: datetime,
    report: Report,
    *,
    by: tuple[str, ...] = ("key",),
    club_is_null: bool = True,
    created: Values | None = None,
) -> dict[tuple[Any, ...], Any]:
    """Make the rows of a scope what is wanted: new ones made, changed ones updated, missing ones
    retired.

    ``by`` names the columns of the keys of ``wanted``; ``created`` are values only a new row gets.
    Clubs' rows are left alone, unless the scope names the club and ``club_is_null`` is false.
    Returns live rows.
    """
    rows = model._default_manager.filter(**scope)
    if club_is_null and any(f.name == "club" for f in model._meta.fields):
        rows = rows.filter(club__isnull=True)
    elif club_is_null and model is Option:
        rows = rows.filter(profile__club__isnull=True)
    found = {tuple(getattr(row, column) for column in by): row for row in rows}
    own = {name: value for name, value in scope.items() if "__" not in name}
    new = [
        model(**own, **(created or {}), **dict(zip(by, key, strict=True)), **values)
        for key, values in wanted.items()
        if key not in found
    ]
    changed, tally = [], report.tally(model)
    columns = list(dict.fromkeys(name for values in wanted.values() for name in values))
    for key, row in found.items():
        if key in wanted:
            fresh = {**wanted[key], "retired_at": None}
            if any(getattr(row, name) != value for name, value in fresh.items()):
                for name, value in fresh.items():
                    setattr(row, name, value)
                changed.append(row)
            else:
                tally.unchanged += 1
    gone = [row for key, row in found.items() if key not in wanted and row.retired_at is None]
    for row in gone:
        row.retired_at = now
    tally.created, tally.updated = tally.created + len(new), tally.updated + len(changed)
    tally.retired += len(gone)
    model._default_manager.bulk_create(new, batch_size=BATCH)
    if changed or gone:
        model._default_manager.bulk_update(
            [*changed, *gone], [*columns, "retired_at"], batch_size=BATCH
        )
    live = {key: row for key, row in found.items() if key in wanted}
    return live | {tuple(getattr(row, column) for column in by): row for row in new}


def load_packs(packs: Path = PACKS, *, force: bool = False) -> Report:
    """Read every pack and make the rows what the files say, all of them or none.

    A pack none of whose files changed since its last load is left alone unless ``force``. Raises
    PackError with every fault of every file before a row is touched.
    """
    folders = {"lists": collection_folders(packs), "systems": system_folders(packs)}
    if not folders["systems"]:
        raise PackError(
            [Fault(str(packs), "", "no rule system here: systems/<key>/system.yaml is missing")]
        )
    hashes = {folder: pack_hash(folder) for found in folders.values() for folder in found}
    report, now = Report(), timezone.now()
    with transaction.atomic():
        known: dict[str, str] = dict(
            Collection.objects.select_for_update()
            .filter(retired_at=None)
            .values_list("key", "data_hash")
        )
        known_systems = dict(
            System.objects.select_for_update()
            .filter(retired_at=None)
            .values_list("key", "data_hash")
        )
        stale = [f for f in folders["lists"] if force or known.get(f.name) != hashes[f]]
        stale_systems = [
            f for f in folders["systems"] if force or known_systems.get(f.name) != hashes[f]
        ]
        lists = {folder: read_collection(folder) for folder in stale}
        systems = {folder: read_system(folder) for folder in stale_systems}
        collections = {folder.name for folder in folders["lists"]}
        faults = [fault for pack in lists.values() for fault in check_collection(pack)]
        faults += [fault for folder in systems for fault in check_variants(folder, collections)]
        if faults:
            raise PackError(faults)
        for folder, pack in lists.items():
            load_collection(pack, hashes[folder], now, report)
        for folder, system in systems.items():
            load_system(system, hashes[folder], now, report)
        retire_missing((f.name for f in folders["lists"]), Collection, now, report)
        retire_missing((f.name for f in folders["systems"]), System, now, report)
    report.unchanged_packs = [f.name for f in hashes if f not in lists and f not in systems]
    if packs == PACKS:
        registry.clear_cache()
        if lists or systems:
            packs_changed.send(sender=None)
    return report
