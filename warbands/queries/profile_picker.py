"""What the builder offers: the army list, one warrior's options, who could lead.

No database here.
"""

from dataclasses import replace
from functools import lru_cache

from engine.choices import Choice, first_count, listed_on_purchase, picker
from engine.findings.case import Fix
from engine.records import TextByKey, copy_fields, grouped
from engine.roster import RosterEntry
from engine.selection import Selection, select, stat_lines
from engine.types.lists import Army, MagicItem, Profile
from engine.types.systems import System
from rulesdata import registry
from warbands.queries.records import (
    MagicChoices,
    PickerCategory,
    PickerProfile,
    WarbandRecord,
    WarriorChoices,
)
from warbands.sheet.build import stat_cells

LISTS_KEPT = 400
FIRST = ("hero", "core", "special", "rare", "lord")
"""Where a list has these categories, they stand in this order: a warband is made of heroes and
core.
"""


def load_picker(record: WarbandRecord) -> tuple[PickerCategory, ...]:
    """The army list for this warband: heroes and core first, what is not offered last in each."""
    roster = record.roster
    limit = roster.points_limit
    found: dict[str, list[PickerProfile]] = {}
    edition = registry.edition_of(roster.army)
    for line in _army_lines(roster.system, roster.army, roster.variant, edition):
        over = 0 if limit is None else max(0, line.points - (limit - record.points))
        found.setdefault(line.category, []).append(
            replace(line, over=over) if over else line
        )
    printed = registry.printed_army(roster.system, roster.army).categories
    # Sorting is stable: the categories that are not named stay in the order of the list.
    order = sorted(
        printed, key=lambda one: FIRST.index(one.key) if one.key in FIRST else len(FIRST)
    )
    return tuple(
        PickerCategory(
            one.key,
            one.plural,
            tuple(sorted(found[one.key], key=lambda line: not line.is_offered)),
            one.is_character,
        )
        for one in order
        if one.key in found
    )


@lru_cache(LISTS_KEPT)
def _army_lines(
    system_key: str, army_key: str, variant: str | None, edition: str
) -> tuple[PickerProfile, ...]:
    """The lines of an army list; ``edition`` tells one text of a club's list from the next."""
    system = registry.load_system(system_key, variant)
    army = registry.load_army(system_key, army_key, variant)
    return tuple(_line(profile, system, army) for profile in army.profiles.values())


def _line(profile: Profile, system: System, army: Army) -> PickerProfile:
    count = first_count(profile, army, system)
    entry = RosterEntry(profile.key, count=count, options=listed_on_purchase(profile))
    bought = select(army, entry)
    lines = stat_lines(bought)
    name = profile.model_name or profile.name
    return copy_fields(
        PickerProfile,
        profile,
        points=bought.points,
        miniatures=bought.miniatures,
        stats=stat_cells(lines[0], system) if lines else (),
        why_not="" if profile.is_offered else profile.not_offered_because,
        over=0,
        text=f"{profile.name} {name} {profile.category} {profile.troop_type}".lower(),
    )


def choices_for(record: WarbandRecord, warrior_id: int) -> WarriorChoices | None:
    """Everything one warrior may take, or None where the warband has no such warrior."""
    index = record.index_of(warrior_id)
    if index is None:
        return None
    roster = record.roster
    army = registry.load_army(roster.system, roster.army, roster.variant)
    selection = select(army, roster.warriors[index], index)
    return WarriorChoices(
        warrior_id,
        selection,
        groups=picker(selection, army),
        magic=_magic(selection, army),
        total=record.points,
        limit=record.roster.points_limit,
    )


def _magic(selection: Selection, army: Army) -> tuple[MagicChoices, ...]:
    """Magic items by type for those who may carry any, and for those who carry some all the same."""
    profile = selection.profile
    # Who carries items without an allowance must be able to put them away.
    if profile is None or not (profile.magic_allowance or selection.magic_items):
        return ()
    spent = sum(
        item.points * selection.bought[item.option_key] for item in selection.magic_items
    )
    left = (profile.magic_allowance or 0) - spent
    items = army.magic_items.values()
    groups = grouped((item.type, _magic_choice(item, selection, left)) for item in items)
    for found in groups.values():
        found.sort(key=lambda choice: (-choice.points, choice.name))
    return tuple(
        MagicChoices(key.replace("-", " ").capitalize(), tuple(found))
        for key, found in sorted(groups.items())
    )


def _magic_choice(item: MagicItem, selection: Selection, left: int) -> Choice:
    times = selection.bought.get(item.option_key, 0)
    choice = Choice(item.option_key, item.name, item.points, bool(times), times)
    if times:
        return choice
    above = item.points - left
    why_not = f"{above} points above what it may spend on magic." if above > 0 else ""
    return replace(choice, why_not=why_not, change=item.points)


def fix_fields(record: WarbandRecord, fix: Fix) -> TextByKey:
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
