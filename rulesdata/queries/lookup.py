"""Finds what a page's address names: systems, armies, profiles.

All of it comes from the packs, without a query.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import chain
from typing import TypeVar

from accounts.errors import NotFound
from engine.errors import Refusal
from engine.types.lists import Army, Figure
from engine.types.mechanics import Guideline
from engine.types.systems import System
from rulesdata import registry
from rulesdata.own_lists import OwnList, PrintedLists, is_own
from rulesdata.pack_files.folders import FAMILIES, PACKS, Reader
from rulesdata.schema.system import FamilyFile

Item = TypeVar("Item")


class NotInRuleBook(NotFound):
    """The address names a system, army, unit or scenario that the rule book does not have."""


class NeedsVariant(NotInRuleBook):
    """The address names a system of several texts, and the page is about one of them."""

    def __init__(self, system: System) -> None:
        super().__init__(
            f"{system.name}: choose one of its versions, {', '.join(system.variant_keys)}."
        )
        self.system = system


def find_system(address: str) -> System:
    """The system to play by that an address names: a key, or key and variant with a full stop
    between.

    Raises NotInRuleBook, or NeedsVariant where the system has several texts and none is named.
    """
    system = find_book(address)
    if system.is_shared_part:
        raise NeedsVariant(system)
    return system


def find_book(address: str) -> System:
    """The same, or what its variants share where none is named. Raises NotInRuleBook."""
    key, _, variant = address.partition(".")
    with _in_rule_book():
        return registry.load_system(key, variant) if variant else registry.load_base(key)


@contextmanager
def _in_rule_book() -> Iterator[None]:
    """Context in which a key that the registry does not know raises NotInRuleBook."""
    try:
        yield
    except registry.UnknownKey as error:
        raise NotInRuleBook(str(error)) from None


def find_own_list(token: str) -> OwnList:
    """A club's list as it is now. Raises NotInRuleBook."""
    with _in_rule_book():
        return registry.own_list(token)


def find_printed_lists(collection: str, base: str) -> PrintedLists:
    """The pack files a list stands on. Raises Refusal naming the field."""
    try:
        return registry.find_printed_lists(collection, base)
    except registry.UnknownArmy as error:
        raise Refusal(f"Army: {error} Choose one of the list.", field="base") from None
    except registry.UnknownKey as error:
        raise Refusal(
            f"Army: {error} Choose one of the list.", field="collection"
        ) from None


def find_army(system_key: str, army_key: str) -> tuple[System, Army]:
    """The system and one of its printed army lists; a club's own stand on its own pages.

    Raises NotInRuleBook.
    """
    system = find_system(system_key)
    if is_own(army_key):
        raise NotInRuleBook("The rule book holds no lists of clubs.")
    with _in_rule_book():
        return system, registry.load_army(system.key, army_key, system.variant)


def all_systems() -> tuple[System, ...]:
    """Every rule system, those of several texts once."""
    return tuple(registry.load_base(key) for key in registry.systems())


@cache
def families() -> tuple[FamilyFile, ...]:
    """Systems that people know by one name. Raises PackError."""
    reader, paths = Reader(PACKS), (PACKS / FAMILIES).glob("*.yaml")
    return tuple(
        reader.need(f"{FAMILIES}/{path.name}", FamilyFile) for path in sorted(paths)
    )


def find_family(system_key: str) -> FamilyFile | None:
    return next((each for each in families() if system_key in each.systems), None)


def load_groups() -> tuple[tuple[str, FamilyFile | None, tuple[System, ...]], ...]:
    """The systems by the name that people know them by, with the family of those that have one."""
    groups: dict[str, tuple[str, FamilyFile | None, tuple[System, ...]]] = {}
    for system in all_systems():
        family = find_family(system.key)
        if family is None:
            groups[system.key] = system.name, None, (system,)
        else:
            members = tuple(map(registry.load_base, family.systems))
            groups.setdefault(family.systems[0], (family.name, family, members))
    return tuple(groups.values())


def load_versions(systems: Iterable[System]) -> tuple[System, ...]:
    """What can be played of these systems: each, or each of its variants."""
    return tuple(chain.from_iterable(load_texts(each) or (each,) for each in systems))


def list_armies(system: System) -> tuple[Army, ...]:
    """The army lists a system fields, by name; as printed where it is only what several texts
    share.
    """
    keys = registry.army_names(system.key)
    if system.is_shared_part:
        return tuple(registry.printed_army(system.key, key) for key in keys)
    return tuple(registry.load_army(system.key, key, system.variant) for key in keys)


def list_armies_once() -> tuple[tuple[System, Army], ...]:
    """Every army list once, under the first system that fields it."""
    armies: dict[tuple[str, str], tuple[System, Army]] = {}
    for system in registry.rulesets():
        for army in list_armies(system):
            armies.setdefault((army.collection, army.key), (system, army))
    return tuple(armies.values())


def list_guidelines(system: System) -> tuple[Guideline, ...]:
    """The guidelines of a system and of all texts it may have, each code once."""
    # From the last text to the first, so that the system's own word on a code stays.
    books = (*reversed(load_texts(system)), system)
    guidelines = chain.from_iterable(book.guidelines for book in books)
    return tuple({guideline.code: guideline for guideline in guidelines}.values())


def load_texts(system: System) -> tuple[System, ...]:
    """The texts of a system that has several."""
    return tuple(registry.load_system(system.key, key) for key in system.variant_keys)


def stat_pairs(system: System, stats: Mapping[str, Figure]) -> list[tuple[str, Figure]]:
    """A stat line in the printed order."""
    return [(stat.key, stats.get(stat.key)) for stat in system.stats]
