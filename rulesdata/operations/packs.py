"""The load of the packs into rows."""

from __future__ import annotations

from pathlib import Path

from django.db import transaction
from django.utils import timezone

from rulesdata import loader, registry
from rulesdata.checking import check_collection, check_variants
from rulesdata.folders import (
    PACKS,
    PackError,
    collection_folders,
    read_collection,
    read_system,
    system_folders,
)
from rulesdata.loader import Report
from rulesdata.models import Collection, System
from rulesdata.reading import Fault
from rulesdata.signals import packs_changed


def load_packs(packs: Path = PACKS, *, force: bool = False) -> Report:
    """Read every pack and make the rows what the files say, all of them or none.

    A pack none of whose files changed since its last load is left alone unless ``force``. Raises PackError with every
    fault of every file before a row is touched.
    """
    folders = {"lists": collection_folders(packs), "systems": system_folders(packs)}
    if not folders["systems"]:
        raise PackError(
            [Fault(str(packs), "", "no rule system here: systems/<key>/system.yaml is missing")]
        )
    hashes = {folder: loader.pack_hash(folder) for found in folders.values() for folder in found}
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
            loader.load_collection(pack, hashes[folder], now, report)
        for folder, system in systems.items():
            loader.load_system(system, hashes[folder], now, report)
        loader.retire_missing((f.name for f in folders["lists"]), Collection, now, report)
        loader.retire_missing((f.name for f in folders["systems"]), System, now, report)
    report.unchanged_packs = [f.name for f in hashes if f not in lists and f not in systems]
    if packs == PACKS:
        registry.clear_cache()
        if lists or systems:
            packs_changed.send(sender=None)
    return report
