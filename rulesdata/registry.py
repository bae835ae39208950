"""The rule books as engine values, straight from the files, each read once for each process. Django is not needed."""

from __future__ import annotations

from functools import cache

from engine.types import Army, System
from rulesdata import assembly, mechanics
from rulesdata.folders import PACKS, PackError, Reader, collection_folders, read_system, system_folders
from rulesdata.schema.lists import ArmyFile, CollectionFile, CommonFile, MagicItemsFile


class UnknownKey(LookupError):
    """No system, army or collection has this key; the text says which one was asked for."""


class UnknownSystem(UnknownKey):
    pass


class UnknownArmy(UnknownKey):
    pass


@cache
def systems() -> tuple[str, ...]:
    """Keys of all rule systems, by name of their folder."""
    return tuple(folder.name for folder in system_folders(PACKS))


@cache
def load_system(key: str) -> System:
    """A rule system. Raises UnknownSystem, or PackError with every fault of its files."""
    if key not in systems():
        raise UnknownSystem(f"There is no rule system '{key[:60]}'. Known: {', '.join(systems())}.")
    return mechanics.system(read_system(PACKS / "systems" / key))


@cache
def _collection(key: str) -> tuple[CollectionFile, CommonFile]:
    known = [folder.name for folder in collection_folders(PACKS)]
    if key not in known:
        raise UnknownKey(f"There is no collection '{key[:60]}'. Known: {', '.join(known)}.")
    reader = Reader(PACKS / "lists" / key)
    collection = reader.read("collection.yaml", "collection", CollectionFile)
    common = reader.read("common.yaml", "common", CommonFile)
    if collection is None or common is None:
        raise PackError(reader.faults)
    return collection, common


@cache
def _army(collection_key: str, key: str) -> Army:
    collection, common = _collection(collection_key)
    reader = Reader(PACKS / "lists" / collection_key)
    army = reader.read(f"armies/{key}.yaml", "army", ArmyFile)
    items = reader.read(f"magic-items/{key}.yaml", "magic-items", MagicItemsFile)
    if army is None or items is None:
        raise PackError(reader.faults)
    return assembly.army(collection, common, army, items)


def load_army(system_key: str, army_key: str) -> Army:
    """An army list that the system fields. Raises UnknownSystem, UnknownArmy, or PackError with every fault."""
    for collection_key in load_system(system_key).collections:
        if army_key in _collection(collection_key)[0].armies:
            return _army(collection_key, army_key)
    known = ", ".join(armies_of(system_key))
    raise UnknownArmy(f"The system '{system_key}' has no army '{army_key[:60]}'. Known: {known}.")


def armies_of(system_key: str) -> tuple[str, ...]:
    """Keys of the armies a system fields. Raises UnknownSystem."""
    keys = [k for c in load_system(system_key).collections for k in _collection(c)[0].armies]
    return tuple(dict.fromkeys(keys))


def army_names(system_key: str) -> dict[str, str]:
    """Army key to name, in the order of the names. Raises UnknownSystem."""
    names = {key: load_army(system_key, key).name for key in armies_of(system_key)}
    return dict(sorted(names.items(), key=lambda pair: pair[1]))


def collection_of(system_key: str, army_key: str) -> str:
    """The key of the collection an army belongs to. Raises UnknownSystem or UnknownArmy."""
    return load_army(system_key, army_key).collection


def clear_cache() -> None:
    """Forget everything read; the next call reads the files again."""
    for cached in (systems, load_system, _collection, _army):
        cached.cache_clear()
