"""What the builder offers: the army list, one warrior's options, who could lead.

No database here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

from engine.choices import Choice, first_count, listed_on_purchase
from engine.choices import picker as engine_picker
from engine.equipment import armour_save
from engine.findings.case import Fix
from engine.roster import RosterEntry
from engine.selection import Selection, select, stat_lines
from engine.types.lists import Army, MagicItem, Profile, StatLine
from engine.types.systems import System
from rulesdata import registry
from warbands.queries.records import (
    ArmyChoice,
    MagicChoices,
    PickerCategory,
    PickerProfile,
    StatPairs,
    WarbandRecord,
    WarriorChoices,
)
from warbands.sheet.structure import SheetLine

LISTS_KEPT = 400
FIRST = ("hero", "core", "special", "rare", "lord")
"""Where a list has these categories, they stand in this order: a warband is made of heroes and
core.
"""


def load_picker(record: WarbandRecord) -> tuple[PickerCategory, ...]:
    """The army list for this warband: heroes and core first, what is not offered last in each."""
    left = (
        None if record.roster.points_limit is None else record.roster.points_limit - record.points
    )
    found: dict[str, list[PickerProfile]] = {}
    edition = registry.edition_of(record.roster.army)
    for line in _army_lines(
        record.roster.system, record.roster.army, record.roster.variant, edition
    ):
        over = 0 if left is None else max(0, line.points - left)
        found.setdefault(line.category, []).append(_with_over(line, over))
    known = {
        c.key: c for c in registry.printed_army(record.roster.system, record.roster.army).categories
    }
    order = sorted(known, key=lambda key: FIRST.index(key) if key in FIRST else len(FIRST))
    return tuple(
        PickerCategory(
            key,
            known[key].plural,
            tuple(sorted(found[key], key=lambda p: not p.is_offered)),
            known[key].is_character,
        )
        for key in order
        if key in found
    )


def _with_over(line: PickerProfile, over: int) -> PickerProfile:
    return replace(line, over=over) if over else line


@lru_cache(LISTS_KEPT)
def _army_lines(
    system_key: str, army_key: str, variant: str | None, edition: str
) -> tuple[PickerProfile, ...]:
    system, army = (
        registry.load_system(system_key, variant),
        registry.load_army(system_key, army_key, variant),
    )
    return tuple(_line(profile, system, army) for profile in army.profiles.values())


def _line(profile: Profile, system: System, army: Army) -> PickerProfile:
    entry = RosterEntry(
        profile.key, count=first_count(profile, army, system), options=listed_on_purchase(profile)
    )
    bought = select(army, entry)
    lines = tuple(
        SheetLine(line.name, line.role, _cells(line, system), count=line.count)
        for line in stat_lines(bought)
    )
    name = profile.model_name or profile.name
    return PickerProfile(
        key=profile.key,
        name=profile.name,
        model_name=name,
        category=profile.category,
        points=bought.points,
        miniatures=bought.miniatures,
        stats=lines[0].cells if lines else (),
        save=armour_save(bought, army, system.saves).shown,
        lines=lines,
        is_offered=profile.is_offered,
        why_not="" if profile.is_offered else profile.not_offered_because,
        over=0,
        notes=(*profile.incomplete, *profile.doubts),
        text=f"{profile.name} {name} {profile.category} {profile.troop_type}".lower(),
    )


def _cells(line: StatLine, system: System) -> StatPairs:
    return tuple((stat.key, _figure(line.stats.get(stat.key))) for stat in system.stats)


def _figure(figure: int | str | None) -> str:
    return "–" if figure is None else str(figure)


def stat_pairs(selection: Selection, system: System) -> StatPairs:
    """The first stat line as (stat, figure) pairs in printed order."""
    lines = stat_lines(selection)
    return _cells(lines[0], system) if lines else ()


def choices_for(record: WarbandRecord, warrior_id: int) -> WarriorChoices | None:
    """Everything one warrior may take, or None where the warband has no such warrior."""
    index = record.index_of(warrior_id)
    if index is None:
        return None
    army = registry.load_army(record.roster.system, record.roster.army, record.roster.variant)
    entry = record.roster.warriors[index]
    selection = select(army, entry, index)
    profile = selection.profile
    return WarriorChoices(
        warrior_id=warrior_id,
        index=index,
        title=selection.title,
        count=entry.count,
        points=selection.points,
        points_each=selection.points_each,
        groups=engine_picker(selection, army),
        magic=_magic(selection, army),
        magic_allowance=profile.magic_allowance if profile else None,
        lores=profile.lores if profile and selection.is_wizard else (),
        lore=entry.lore,
        receipt=selection.receipt,
        unknown=selection.unknown,
        total=record.points,
        limit=record.roster.points_limit,
    )


def _magic(selection: Selection, army: Army) -> tuple[MagicChoices, ...]:
    """Magic items by type for those who may carry any, and for those who carry some all the same."""
    profile = selection.profile
    if profile is None or not (profile.magic_allowance or selection.magic_items):
        return ()
    spent = sum(item.points * selection.bought[item.option_key] for item in selection.magic_items)
    left = (profile.magic_allowance or 0) - spent
    groups: dict[str, list[Choice]] = {}
    for item in army.magic_items.values():
        groups.setdefault(item.type, []).append(_magic_choice(item, selection, left))
    return tuple(
        MagicChoices(
            key.replace("-", " ").capitalize(),
            tuple(sorted(found, key=lambda c: (-c.points, c.name))),
        )
        for key, found in sorted(groups.items())
    )


def _magic_choice(item: MagicItem, selection: Selection, left: int) -> Choice:
    times = selection.bought.get(item.option_key, 0)
    why = (
        f"{item.points - left} points above what it may spend on magic."
        if item.points > left and not times
        else ""
    )
    change = 0 if times else item.points
    return Choice(
        item.option_key, item.name, item.points, bool(times), times, why_not=why, change=change
    )


def fix_fields(record: WarbandRecord, fix: Fix) -> dict[str, str]:
    """The hidden fields of a form that applies a fix; its warrior is named by id, not by place."""
    warrior = record.roster.warriors[fix.warrior].id if fix.warrior is not None else None
    fields = {
        "action": fix.action,
        "warrior": "" if warrior is None else str(warrior),
        "option": fix.option,
        "instead": fix.instead,
        "value": "" if fix.value is None else str(fix.value),
    }
    return {name: value for name, value in fields.items() if value}


@cache
def army_choices(system: str | None = None) -> tuple[ArmyChoice, ...]:
    """The armies a system fields (all systems without one), by name, with the number of profiles
    offered.
    """
    keys = registry.systems() if system is None else (system,)
    return tuple(
        ArmyChoice(
            key,
            name,
            of,
            sum(p.is_offered for p in registry.printed_army(of, key).profiles.values()),
        )
        for of in keys
        for key, name in registry.army_names(of).items()
    )
