"""The rule books as engine values, straight from the files, each read once for each process.

Django is not needed.

A club's own list is named by its token wherever an army is named; it comes from `find_own_list`,
which whoever keeps those lists puts here.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from engine.battles.rules import BattleRules
from engine.hired import with_hired
from engine.records import TextByKey, Texts, named_values
from engine.roster import EDITION, PRINTED, Agreement, Roster, agreement
from engine.rules import CombatRules
from engine.types.lists import Army
from engine.types.systems import System
from rulesdata.builders import army as assembly
from rulesdata.builders import system as mechanics
from rulesdata.builders.system import build_system, with_system_equipment
from rulesdata.own_lists import OwnList, PrintedLists, build_army, is_own
from rulesdata.pack_files.collections import (
    ALIASES,
    SharedFiles,
    collection_folders,
    read_magic_items,
    read_shared,
)
from rulesdata.pack_files.folders import (
    PACKS,
    PackError,
    Reader,
    SystemPack,
    read_system,
    system_folders,
)
from rulesdata.schema.battle import BattleFile
from rulesdata.schema.equipment import CommonFile
from rulesdata.schema.lists import AliasesFile, ArmyFile, CollectionFile
from rulesdata.schema.system import SystemFile

# Behind every place that a file may ask for.
UNPLACED = 1000
# Clubs' lists change and are many, so only the last ones are kept; packs are kept for good.
OWN_LISTS_KEPT = 200
# Of what players may agree on there are more ways than anybody plays.
AGREED_KEPT = 64


find_own_list: Callable[[str], OwnList | None] = dict[str, OwnList]().get
"""The club's list of a token as it is now, or None.

Whoever keeps them sets it when the site starts; until then no club has any.
"""


class UnknownKey(LookupError):
    """No system, army or collection has this key; the text says which one was asked for."""


class UnknownSystem(UnknownKey):
    pass


class UnknownArmy(UnknownKey):
    pass


class NoBattles(UnknownKey):
    """The system has no battle.yaml: battles in it cannot be recorded."""


class UnknownVariant(UnknownKey):
    """The system has several texts and none of them, or another, was asked for; the sentence names
    them.
    """


@cache
def systems() -> Texts:
    """Keys of all rule systems, in the order their files ask for."""
    keys = [folder.name for folder in system_folders(PACKS)]
    return tuple(sorted(keys, key=lambda key: (_position(key), key)))


def _position(key: str) -> int:
    """The place of a system among the others; those that cannot be read stand last."""
    head = Reader(PACKS / "systems" / key).read("system.yaml", SystemFile)
    return head.position if head else UNPLACED


def load_system(
    key: str, variant: str | None = None, agreed: Agreement = PRINTED
) -> System:
    """A rule system, or one variant of it where it has several, under what was agreed.

    Raises UnknownSystem, UnknownVariant (also for a variant of a system that has none), or
    PackError with every fault of its files.
    """
    base = load_base(key)
    if not base.variants and variant is not None:
        raise UnknownVariant(f"The system '{key}' has no variants; ask for none.")
    if base.variants and variant not in base.variant_keys:
        wrong = (
            f"has no variant '{str(variant)[:60]}'"
            if variant is not None
            else "needs a variant"
        )
        names = ", ".join(base.variant_keys)
        raise UnknownVariant(f"The system '{key}' {wrong}; its variants are {names}.")
    if agreed == PRINTED and not variant:
        return base
    return _agreed_system(key, variant, agreed)


@cache
def load_base(key: str) -> System:
    """What all variants of a system share, for pages about the system as a whole; the system itself
    where it has none.

    Raises UnknownSystem, or PackError with every fault of its files.
    """
    if key not in systems():
        raise UnknownSystem(
            f"There is no rule system '{key[:60]}'. Known: {', '.join(systems())}."
        )
    return build_system(read_system(PACKS / "systems" / key))


@lru_cache(AGREED_KEPT)
def _agreed_pack(key: str, variant: str | None, agreed: Agreement) -> SystemPack:
    return read_system(PACKS / "systems" / key, variant or "", agreed.changes)


@lru_cache(AGREED_KEPT)
def _agreed_system(key: str, variant: str | None, agreed: Agreement) -> System:
    return build_system(_agreed_pack(key, variant, agreed), agreed)


@lru_cache(AGREED_KEPT)
def combat_rules(
    key: str, variant: str | None = None, agreed: Agreement = PRINTED
) -> CombatRules:
    """The figures dice are read with in a system, or in one variant of it, under what was agreed.

    ``with_rulings`` of what comes back plays by other rulings. Raises as ``load_system`` does.
    """
    system = load_system(key, variant, agreed)
    return mechanics.agreed_combat(CombatRules.from_mapping(system.combat), system)


_EDITION_WITHOUT_GUARDS = 2


@lru_cache(AGREED_KEPT)
def battle_rules(
    key: str, variant: str | None = None, agreed: Agreement = PRINTED
) -> BattleRules:
    """The tables battles are folded by in a system, or in one variant of it, under what was agreed.

    Raises as ``load_system`` does, and NoBattles for a system without such a file.
    """
    system = load_system(key, variant, agreed)
    pack = _agreed_pack(key, variant, agreed)
    file = pack.find(BattleFile)
    if file is not None:
        # Guards, and what the first or last Wound of a kind does, came with the third edition.
        if agreed.edition <= _EDITION_WITHOUT_GUARDS:
            file = file.model_copy(update={"guards": [], "hurts": []})
        return mechanics.battle_rules(system, file, combat_rules(key, variant, agreed))
    # A battle.yaml that cannot be read is a fault of the pack, not a system without battles.
    if pack.reader.faults:
        raise PackError(pack.reader.faults)
    raise NoBattles(
        f"Battles cannot be recorded in the system '{key}': it has no battle.yaml."
    )


@lru_cache(AGREED_KEPT)
def result_rules(
    key: str, variant: str | None = None, agreed: Agreement = PRINTED
) -> BattleRules:
    """The tables that results in a system are told by: win and draw where it records no battles.

    Raises as ``load_system`` does.
    """
    try:
        return battle_rules(key, variant, agreed)
    except NoBattles:
        return mechanics.result_rules(load_system(key, variant, agreed))


def rules_of(battle_row: Any) -> BattleRules:
    """The tables of a battle, or of an event's battles, under what was agreed there.

    Raises as ``load_system`` does.
    """
    variant = battle_row.variant or None
    return result_rules(battle_row.system, variant, get_battle_agreement(battle_row))


def get_battle_agreement(source: Any) -> Agreement:
    """What a battle is folded by: what was agreed, its edition, and its scenario's own rules.

    Raises as load_system does.
    """
    edition = getattr(source, "rules_edition", EDITION)
    agreed = replace(get_agreement(source), edition=edition)
    # Scenarios had no rules of their own in the first edition.
    scenario = load_base(source.system).scenarios.get(getattr(source, "scenario", ""))
    if edition == 1 or scenario is None or not scenario.has_rules:
        return agreed
    return replace(agreed, scenario=scenario.key)


def rulesets() -> tuple[System, ...]:
    """Everything that can be played by: each system, or each of its variants, in order."""
    return tuple(
        load_system(key, variant)
        for key in systems()
        for variant in load_base(key).variant_keys or (None,)
    )


@cache
def shared_files(collection_key: str) -> SharedFiles:
    """What the armies of a collection share beside weapons and armour; PackError for faults."""
    reader = Reader(PACKS / "lists" / collection_key)
    files = read_shared(reader)
    if reader.faults:
        raise PackError(reader.faults)
    return files


def army_file(collection_key: str, key: str) -> ArmyFile:
    """The file of a pack's army, with the names of all its units."""
    file = find_printed_lists(collection_key, key).army
    assert file
    return file


@cache
def load_aliases(collection_key: str, key: str) -> AliasesFile:
    """What other tools call a pack's army, its units and options."""
    reader, name = Reader(PACKS / "lists" / collection_key), f"{ALIASES}/{key}.yaml"
    aliases = AliasesFile(army=key)
    if reader.has(name):
        aliases = reader.need(name, AliasesFile)
    shared = shared_files(collection_key).aliases.options
    return aliases.model_copy(update={"options": {**shared, **aliases.options}})


@cache
def _army(collection_key: str, key: str) -> Army:
    lists = find_printed_lists(collection_key, key)
    assert lists.army
    assert lists.items
    return assembly.build_army(lists.collection, lists.common, lists.army, lists.items)


def collections() -> Texts:
    """Keys of all collections of army lists."""
    return tuple(folder.name for folder in collection_folders(PACKS))


def collection_file(key: str) -> CollectionFile:
    """The head of a collection: its name, stat columns, categories and armies.

    Raises UnknownKey.
    """
    return find_printed_lists(key, "").collection


@cache
def find_printed_lists(collection_key: str, army_key: str) -> PrintedLists:
    """The files of a collection, with those of an army of it and what it shares if named: what a
    club's list stands on.

    Raises UnknownKey, or PackError with every fault.
    """
    keys = collections()
    if collection_key not in keys:
        raise UnknownKey(
            f"There is no collection '{collection_key[:60]}'. Known: {', '.join(keys)}."
        )
    reader = Reader(PACKS / "lists" / collection_key)
    if not army_key:
        collection = reader.need("collection.yaml", CollectionFile)
        return PrintedLists(collection, reader.need("common.yaml", CommonFile))
    lists = find_printed_lists(collection_key, "")
    if army_key not in lists.collection.armies:
        raise UnknownArmy(
            f"The collection '{collection_key}' has no army '{army_key[:60]}'."
        )
    army = reader.need(f"armies/{army_key}.yaml", ArmyFile)
    items = read_magic_items(reader, army_key)
    if items is None:
        raise PackError(reader.faults)
    army = shared_files(collection_key).with_army(army)
    return replace(lists, army=army, items=items)


def own_list(token: str) -> OwnList:
    """A club's list as it is now, archived or not. Raises UnknownArmy."""
    club_list = find_own_list(token)
    if club_list is None:
        raise UnknownArmy("The club has deleted this army list.")
    return club_list


@lru_cache(OWN_LISTS_KEPT)
def army_of_own(club_list: OwnList) -> Army:
    """The army a club's list comes to, whatever the system.

    Raises UnknownKey where its base has left the packs.
    """
    return build_army(club_list, find_printed_lists(club_list.collection, club_list.base))


@lru_cache(OWN_LISTS_KEPT)
def own_list_under_system(club_list: OwnList, system: str, variant: str | None) -> Army:
    """The same as a system fields it."""
    return with_system_equipment(army_of_own(club_list), load_system(system, variant))


@cache
def _army_under_system(
    system_key: str, variant: str | None, collection_key: str, key: str
) -> Army:
    """Return an army with the weapons, armour and options of the system."""
    return with_system_equipment(
        _army(collection_key, key), load_system(system_key, variant)
    )


def load_army(system_key: str, army_key: str, variant: str | None = None) -> Army:
    """An army list as the system, or that variant of it, fields it: with its own weapons, armour
    and options.

    Raises UnknownSystem, UnknownVariant, UnknownArmy, or PackError with every fault.
    """
    system = load_system(system_key, variant)
    collection_key = find_collection_key(system_key, army_key)
    if is_own(army_key):
        return own_list_under_system(own_list(army_key), system.key, system.variant)
    return _army_under_system(system_key, variant, collection_key, army_key)


def get_edition(army_key: str) -> str:
    """What must stand beside an army's key wherever something worked out from it is kept; empty for
    the packs' armies.

    A club's list may change while the site runs. Raises UnknownArmy.
    """
    return own_list(army_key).stamp if is_own(army_key) else ""


def system_of(source: Any) -> System:
    """The system, in its variant and under what was agreed, of a roster, a warband, a battle or an
    event.

    Raises as load_system does.
    """
    return load_system(source.system, source.variant or None, get_agreement(source))


def get_agreement(source: Any) -> Agreement:
    """What a roster, a warband, a battle or an event agrees on.

    What the packs know no more is left out. Raises as load_system does.
    """
    rulings = source.rulings if hasattr(source, "rulings") else source.ruling_layers
    if not (rulings or source.house_rules):
        return PRINTED
    system = load_system(source.system, source.variant or None)
    offered = {rule.key for rule in system.house_rules}
    played = {key: on for key, on in source.house_rules.items() if key in offered}
    return agreement(rulings, played, system.rulings)


def load_ruleset(roster: Roster) -> tuple[System, Army]:
    """The system, in its variant, and the army list that a roster is read against.

    A campaign's hired swords lie over the list. Raises as load_army does.
    """
    system = system_of(roster)
    army = with_hired(fielded_army(system, roster.army), roster.growth)
    return system.with_list_columns(army), army


def fielded_army(system: System, army_key: str) -> Army:
    """An army list as this system, with what it agrees on, fields it.

    Few rulings touch weapons or armour, so most agreements share the list of the plain system.
    Raises as load_army does.
    """
    army = load_army(system.key, army_key, system.variant)
    printed = load_system(system.key, system.variant)
    # What a system says of arms its agreement may change.
    arms = ("weapons", "armour", "two_weapon_attacks", "two_handed_attacks")
    is_plain = named_values(system, *arms) == named_values(printed, *arms)
    if is_plain and army.house_rules.isdisjoint(system.agreed.house_rules):
        return army
    return with_system_equipment(printed_army(system.key, army_key), system)


def printed_army(system_key: str, army_key: str) -> Army:
    """An army list as its collection prints it, whatever the variant.

    Raises UnknownSystem or UnknownArmy.
    """
    collection_key = find_collection_key(system_key, army_key)
    if is_own(army_key):
        return army_of_own(own_list(army_key))
    return _army(collection_key, army_key)


def list_army_keys(system_key: str) -> Texts:
    """Keys of the packs' armies that a system fields, in every variant. Raises UnknownSystem."""
    armies = (collection_file(key).armies for key in load_base(system_key).collections)
    return tuple(dict.fromkeys(chain.from_iterable(armies)))


def army_names(system_key: str) -> TextByKey:
    """Army key to name, in the order of the names. Raises UnknownSystem."""
    names = {
        key: army_file(find_collection_key(system_key, key), key).name
        for key in list_army_keys(system_key)
    }
    return dict(sorted(names.items(), key=lambda pair: pair[1]))


def find_collection_key(system_key: str, army_key: str) -> str:
    """The key of the collection an army belongs to. Raises UnknownSystem or UnknownArmy."""
    collections = load_base(system_key).collections
    if is_own(army_key):
        club_list = own_list(army_key)
        if club_list.collection not in collections:
            raise UnknownArmy(
                f"The system '{system_key}' does not field the army list of "
                f"{club_list.club_name}."
            )
        return club_list.collection
    for collection_key in collections:
        if army_key in collection_file(collection_key).armies:
            return collection_key
    names = ", ".join(list_army_keys(system_key))
    raise UnknownArmy(
        f"The system '{system_key}' has no army '{army_key[:60]}'. Known: {names}."
    )


def clear_cache() -> None:
    """Forget everything read; the next call reads the files again."""
    for cached in _CACHED:
        cached.cache_clear()


# Everything read from files or made of it.
_CACHED = (
    systems,
    load_aliases,
    load_base,
    _agreed_pack,
    _agreed_system,
    combat_rules,
    battle_rules,
    result_rules,
    shared_files,
    find_printed_lists,
    _army,
    _army_under_system,
    army_of_own,
    own_list_under_system,
)
