"""Starter warbands, worked out once for each process; no database."""

from functools import cache

from engine.records import copy_fields
from engine.starters import build_starter
from engine.types.systems import COMMON_LIMIT
from rulesdata import registry
from rulesdata.own_lists import is_own
from warbands.queries.records import Starter, StarterRow
from warbands.sheet.build import build_sheet
from warbands.sheet.structure import SheetWarrior


@cache
def starters(address: str = "") -> tuple[Starter, ...]:
    """One for each army of each system and of each of its variants, by the army's name; of one of
    them if named.
    """
    found = [
        _starter(system.key, army, system.variant)
        for system in registry.rulesets()
        if address in ("", system.address)
        for army in registry.army_names(system.key)
    ]
    return tuple(one for one in found if one.models)


def first_starter() -> Starter:
    """One of them, whichever is there first."""
    system = registry.rulesets()[0]
    found = (
        _starter(system.key, army, system.variant)
        for army in registry.army_names(system.key)
    )
    return next(one for one in found if one.models)


def starter(key: str) -> Starter | None:
    """The starter of that key, or None."""
    address, _, army = key.partition("--")
    # A starter is made of printed lists only; a club's list may change every minute.
    if is_own(army):
        return None
    system, _, variant = address.partition(".")
    try:
        found = _starter(system, army, variant or None)
    except registry.UnknownKey:
        return None
    return found if found.models else None


@cache
def _starter(system_key: str, army_key: str, variant: str | None) -> Starter:
    system = registry.load_system(system_key, variant)
    army = registry.load_army(system_key, army_key, variant)
    roster = build_starter(
        system, army, system.usual_limit(army.default_limit) or COMMON_LIMIT
    )
    sheet = build_sheet(roster, system, army)
    return copy_fields(
        Starter,
        sheet,
        key=f"{system.address}--{army_key}",
        name=roster.name,
        army=army.name,
        system=system_key,
        address=system.address,
        limit=roster.points_limit,
        rows=tuple(_row(warrior) for warrior in sheet.warriors),
        roster=roster,
        sheet=sheet,
    )


def _row(warrior: SheetWarrior) -> StarterRow:
    line, gear = warrior.main_line, ", ".join(warrior.gear)
    stats = line.cells if line else ()
    save = warrior.save.shown
    return StarterRow(warrior.count, warrior.title, gear, stats, save, warrior.points)
