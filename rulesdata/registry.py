"""The rule books as engine values, straight from the files, each read once for each process. Django is not needed."""

from __future__ import annotations

from functools import cache

from engine.roster import Roster
from engine.rules import CombatRules
from engine.types import Army, System, Variant
from rulesdata import assembly, mechanics
from rulesdata.fielding import fielded
from rulesdata.folders import PACKS, PackError, Reader, collection_folders, read_system, system_folders
from rulesdata.reading import ReadingError, read_file
from rulesdata.schema.lists import ArmyFile, CollectionFile, CommonFile, MagicItemsFile

UNPLACED = 1000


class UnknownKey(LookupError):
    """No system, army or collection has this key; the text says which one was asked for."""


class UnknownSystem(UnknownKey):
    pass


class UnknownArmy(UnknownKey):
    pass


class UnknownVariant(UnknownKey):
    """The system has several texts and none of them, or another, was asked for; the sentence names them."""


@cache
def systems() -> tuple[str, ...]:
    """Keys of all rule systems, in the order their files ask for."""
    return tuple(sorted((f.name for f in system_folders(PACKS)), key=lambda key: (_position(key), key)))


def _position(key: str) -> int:
    """The place of a system among the others; those that cannot be read stand last."""
    try:
        head = read_file(PACKS / "systems" / key / "system.yaml").data
    except ReadingError:
        return UNPLACED
    place = head.get("position", UNPLACED) if isinstance(head, dict) else UNPLACED
    return place if isinstance(place, int) else UNPLACED


def load_system(key: str, variant: str | None = None) -> System:
    """A rule system, or one variant of it where it has several.

    Raises UnknownSystem, UnknownVariant (also for a variant of a system that has none), or PackError with every fault
    of its files.
    """
    base = load_base(key)
    if variant is None and not base.variants:
        return base
    if variant not in base.variant_keys:
        raise UnknownVariant(_variants_sentence(base, variant))
    return _variant(key, str(variant))


@cache
def load_base(key: str) -> System:
    """What all variants of a system share, for pages about the system as a whole; the system itself where it has none.

    Raises UnknownSystem, or PackError with every fault of its files.
    """
    if key not in systems():
        raise UnknownSystem(f"There is no rule system '{key[:60]}'. Known: {', '.join(systems())}.")
    return mechanics.system(read_system(PACKS / "systems" / key))


@cache
def _variant(key: str, variant: str) -> System:
    return mechanics.system(read_system(PACKS / "systems" / key, variant))


def combat_rules(key: str, variant: str | None = None) -> CombatRules:
    """The figures dice are read with in a system, or in one variant of it, rulings at their defaults.

    ``with_rulings`` of what comes back plays by other rulings. Raises as ``load_system`` does.
    """
    system = load_system(key, variant)
    return _combat_rules(system.key, system.variant)


@cache
def _combat_rules(key: str, variant: str | None) -> CombatRules:
    return CombatRules.from_mapping(load_system(key, variant).combat)


def _variants_sentence(base: System, variant: str | None) -> str:
    if not base.variants:
        return f"The system '{base.key}' has no variants; ask for none."
    asked = "needs a variant" if variant is None else f"has no variant '{str(variant)[:60]}'"
    return f"The system '{base.key}' {asked}; its variants are {', '.join(base.variant_keys)}."


def variants_of(key: str) -> tuple[Variant, ...]:
    """The variants of a system, none for most. Raises UnknownSystem."""
    return load_base(key).variants


def rulesets() -> tuple[System, ...]:
    """Everything that can be played by: each system, or each of its variants, in order."""
    return tuple(load_system(key, variant) for key in systems() for variant in (load_base(key).variant_keys or (None,)))


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


@cache
def _fielded(system_key: str, variant: str | None, collection_key: str, key: str) -> Army:
    return fielded(_army(collection_key, key), load_system(system_key, variant))


def load_army(system_key: str, army_key: str, variant: str | None = None) -> Army:
    """An army list as the system, or that variant of it, fields it: with its own weapons, armour and options.

    Raises UnknownSystem, UnknownVariant, UnknownArmy, or PackError with every fault.
    """
    system = load_system(system_key, variant)
    return _fielded(system.key, system.variant, collection_of(system_key, army_key), army_key)


def load_ruleset(roster: Roster) -> tuple[System, Army]:
    """The system, in its variant, and the army list that a roster is read against. Raises as load_army does."""
    system = load_system(roster.system, roster.variant)
    return system, load_army(roster.system, roster.army, roster.variant)


def list_of(system_key: str, army_key: str) -> Army:
    """An army list as its collection prints it, whatever the variant. Raises UnknownSystem or UnknownArmy."""
    return _army(collection_of(system_key, army_key), army_key)


def armies_of(system_key: str) -> tuple[str, ...]:
    """Keys of the armies a system fields, in every variant. Raises UnknownSystem."""
    keys = [k for c in load_base(system_key).collections for k in _collection(c)[0].armies]
    return tuple(dict.fromkeys(keys))


def army_names(system_key: str) -> dict[str, str]:
    """Army key to name, in the order of the names. Raises UnknownSystem."""
    names = {key: _army(collection_of(system_key, key), key).name for key in armies_of(system_key)}
    return dict(sorted(names.items(), key=lambda pair: pair[1]))


def collection_of(system_key: str, army_key: str) -> str:
    """The key of the collection an army belongs to. Raises UnknownSystem or UnknownArmy."""
    for collection_key in load_base(system_key).collections:
        if army_key in _collection(collection_key)[0].armies:
            return collection_key
    known = ", ".join(armies_of(system_key))
    raise UnknownArmy(f"The system '{system_key}' has no army '{army_key[:60]}'. Known: {known}.")


def clear_cache() -> None:
    """Forget everything read; the next call reads the files again."""
    for cached in (systems, load_base, _variant, _combat_rules, _collection, _army, _fielded):
        cached.cache_clear()
