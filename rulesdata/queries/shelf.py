"""Finds what a page's address names: systems, armies, profiles. All of it comes from the packs, without a query."""

from __future__ import annotations

from dataclasses import dataclass

from engine.types import Army, Profile, System
from rulesdata import registry


class NotInTheBook(LookupError):
    """The address names a system, army, unit or scenario that the rule book does not have."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A profile with the list and system it is read in. ``path`` is how the comparison names it."""

    system: System
    army: Army
    profile: Profile

    @property
    def path(self) -> str:
        return f"{self.system.key}/{self.army.key}/{self.profile.key}"


def find_system(key: str) -> System:
    """The system. Raises NotInTheBook."""
    try:
        return registry.load_system(key)
    except registry.UnknownKey as error:
        raise NotInTheBook(str(error)) from None


def find_army(system_key: str, army_key: str) -> tuple[System, Army]:
    """The system and one of its army lists. Raises NotInTheBook."""
    system = find_system(system_key)
    try:
        return system, registry.load_army(system_key, army_key)
    except registry.UnknownKey as error:
        raise NotInTheBook(str(error)) from None


def find_unit(system_key: str, army_key: str, profile_key: str) -> Unit:
    """A profile of a list, its mounts included. Raises NotInTheBook."""
    system, army = find_army(system_key, army_key)
    profile = army.ridden(profile_key)
    if profile is None:
        raise NotInTheBook(f"{army.name} has no unit '{profile_key[:60]}'.")
    return Unit(system, army, profile)


def find_path(path: str) -> Unit:
    """The unit that ``system/army/unit`` names. Raises NotInTheBook."""
    parts = path.split("/")
    if len(parts) != 3:
        raise NotInTheBook("A unit is named by system/army/unit.")
    return find_unit(*parts)


def all_systems() -> tuple[System, ...]:
    """Every rule system, in the order of the folders."""
    return tuple(registry.load_system(key) for key in registry.systems())


def armies_of(system: System) -> tuple[Army, ...]:
    """The army lists a system fields, by name."""
    return tuple(registry.load_army(system.key, key) for key in registry.army_names(system.key))
