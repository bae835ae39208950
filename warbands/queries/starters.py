"""Starter warbands, worked out once for each process; no database."""

from __future__ import annotations

from functools import cache

from engine.starters import build_starter
from rulesdata import registry
from warbands.queries.records import Starter, StarterRow
from warbands.sheet import SheetWarrior, build_sheet

LIMIT = 150


@cache
def starters() -> tuple[Starter, ...]:
    """One for each army of each system, by the army's name."""
    found = [_starter(system, army) for system in registry.systems() for army in registry.army_names(system)]
    return tuple(one for one in found if one.models)


def starter(key: str) -> Starter | None:
    """The starter of that key, or None."""
    system, _, army = key.partition("--")
    if system not in registry.systems() or army not in registry.armies_of(system):
        return None
    found = _starter(system, army)
    return found if found.models else None


@cache
def _starter(system_key: str, army_key: str) -> Starter:
    system, army = registry.load_system(system_key), registry.load_army(system_key, army_key)
    limit = system.default_limit or LIMIT
    roster = build_starter(system, army, limit)
    sheet = build_sheet(roster, system, army)
    return Starter(
        key=f"{system_key}--{army_key}",
        name=roster.name,
        army=army.name,
        army_key=army_key,
        system=system_key,
        points=sheet.points,
        limit=limit,
        models=sheet.models,
        errors=sheet.errors,
        warnings=sheet.warnings,
        rows=tuple(_row(warrior) for warrior in sheet.warriors),
        roster=roster,
        sheet=sheet,
    )


def _row(warrior: SheetWarrior) -> StarterRow:
    return StarterRow(
        count=warrior.count,
        name=warrior.title,
        gear=", ".join(warrior.gear),
        stats=warrior.main_line.cells if warrior.main_line else (),
        save=warrior.save.text,
        points=warrior.points,
    )
