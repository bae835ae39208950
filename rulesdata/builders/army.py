"""Makes the engine's frozen values out of checked files of a collection.

Pure: no files, no database.
"""

from __future__ import annotations

from typing import Any

from engine.roster import RosterEntry
from engine.types.lists import (
    Armour,
    Army,
    Category,
    Champion,
    Figure,
    MagicItem,
    Option,
    Profile,
    ReadyWarband,
    Stat,
    StatLine,
    Weapon,
)
from rulesdata.schema.equipment import MOUNT, ArmourRecord, CommonFile, WeaponRecord
from rulesdata.schema.lists import (
    ArmyFile,
    CategoryRecord,
    CollectionFile,
    MagicItemRecord,
    MagicItemsFile,
    StarterRecord,
)
from rulesdata.schema.units import (
    ChampionRecord,
    Correction,
    OptionRecord,
    ProfileLine,
    StatLineRecord,
    UnitRecord,
)


def army(
    collection: CollectionFile, common: CommonFile, file: ArmyFile, magic: MagicItemsFile
) -> Army:
    """An army list with everything its options point to."""
    names = {source.id: source.name for source in collection.sources}
    return Army(
        key=file.army,
        name=file.name,
        collection=collection.id,
        magic_items={i.id: magic_item(i) for i in magic.items},
        rules=tuple(file.army_rules),
        starter=starter(file.starter) if file.starter else None,
        starter_name=file.starter_name or "",
        **_profiles(file, names),
        **_common(common, names),
        **_columns(collection),
    )


def _profiles(file: ArmyFile, names: dict[str, str]) -> dict[str, Any]:
    """What a roster may hold, and apart from it what mount options name."""
    profiles = [profile(unit, file.army, names) for unit in file.units]
    return {
        "profiles": {p.key: p for p in profiles if p.category != MOUNT},
        "mounts": {p.key: p for p in profiles if p.category == MOUNT},
    }


def _common(common: CommonFile, names: dict[str, str]) -> dict[str, Any]:
    return {
        "weapons": {w.id: weapon(w, names) for w in common.weapons},
        "armour": {a.id: armour(a, names) for a in common.armour},
    }


def _columns(collection: CollectionFile) -> dict[str, Any]:
    """Columns and headings of the collection's lists."""
    return {
        "stats": tuple(Stat(stat.id, stat.name) for stat in collection.stats),
        "leadership_stat": collection.leadership_stat or "",
        "strength_stat": collection.strength_stat or "",
        "categories": tuple(category(record) for record in collection.categories),
        "note": collection.note or "",
    }


def magic_item(record: MagicItemRecord) -> MagicItem:
    return MagicItem(record.id, record.name, record.type, record.points, bool(record.one_per_army))


def starter(record: StarterRecord) -> ReadyWarband:
    entries = (
        RosterEntry(e.profile, e.name or "", e.count, bool(e.leader), tuple(e.options))
        for e in record.warriors
    )
    return ReadyWarband(record.name, record.limit, tuple(entries))


def category(record: CategoryRecord) -> Category:
    return Category(record.id, record.name, record.plural or record.name, bool(record.character))


def source_text(key: str, names: dict[str, str]) -> str:
    """The names of the sources a record says it is from: ``first+second`` gives both names."""
    return " and ".join(names.get(part, part) for part in key.split("+"))


def stats(line: StatLineRecord) -> dict[str, Figure]:
    return line.stats


def line(record: ProfileLine) -> StatLine:
    return StatLine(record.name, stats(record), record.role, record.count, record.M_barded)


def option(record: OptionRecord, is_champions: bool = False) -> Option:
    return record.to_engine(
        Option,
        key=record.id,
        is_exclusive=record.exclusive or bool(is_champions and record.group),
        is_required=bool(record.group_required),
        is_default=bool(record.default),
        maximum=record.max,
        effect={str(stat): figure for stat, figure in record.effect.items()},
        adds_lines=tuple(line(added) for added in record.adds_profiles),
        points_with=tuple((price.beside, price.points) for price in record.points_if),
        is_champions=is_champions,
    )


def champion(record: ChampionRecord, names: dict[str, str]) -> Champion:
    return Champion(
        name=record.name,
        points=record.points,
        stats=stats(record.profile) if record.profile else None,
        options=tuple(option(o, is_champions=True) for o in record.options),
        is_always_present=bool(record.always_present),
        source=source_text(record.source or "first", names),
    )


def profile(unit: UnitRecord, army_key: str, names: dict[str, str]) -> Profile:
    """A unit of the list, or a mount."""
    return unit.to_engine(
        Profile,
        key=unit.id,
        army=army_key,
        lines=tuple(line(record) for record in unit.profiles),
        basis=unit.points_basis,
        options=tuple(option(o) for o in unit.options),
        flags=frozenset(unit.flags),
        category_when=tuple((c.category, tuple(c.when)) for c in unit.category_when),
        corrected=tuple(_correction(record) for record in unit.corrected),
        source=_source(unit, names),
        **_renamed(unit),
        **_nested(unit, names),
    )


def _renamed(unit: UnitRecord) -> dict[str, Any]:
    """What the file calls otherwise than the engine."""
    return {
        "is_wizard": bool(unit.wizard),
        "is_barded": bool(unit.barded),
        "is_special_character": bool(unit.special_character),
        "is_regiment_of_renown": bool(unit.regiment_of_renown),
        "is_offered": unit.offered is None,
        "default_items": tuple(unit.default_equipment),
    }


def _nested(unit: UnitRecord, names: dict[str, str]) -> dict[str, Any]:
    """What stands in records of its own, where the unit has them."""
    command, size = unit.command, unit.unit_size
    return {
        "champion": champion(unit.champion, names) if unit.champion else None,
        "musician_points": command.musician if command else None,
        "standard_bearer_points": command.standard_bearer if command else None,
        "figures": unit.figures.model_dump(exclude_none=True) if unit.figures else {},
        "unit_size": (size.min, size.max) if size else None,
    }


def _correction(record: Correction) -> str:
    old, new = ("a dash" if value is None else value for value in (record.was, record.now))
    return f"{record.where}, {record.field.replace('_', ' ')}: {new}, was {old}. {record.why}"


def _source(unit: UnitRecord, names: dict[str, str]) -> dict[str, Any]:
    """Where the figures are from, in names of sources, and what the list prints without it having
    an effect here.
    """
    base, _, army_key = (unit.profile_source or "first").partition("/")
    found: dict[str, Any] = {
        "points": source_text("first", names),
        "profiles": source_text(base, names) + (f", list {army_key}" if army_key else ""),
        "equipment": source_text(unit.equipment_source, names),
    }
    for key in (
        "armour_save_stated",
        "points_printed",
        "points_include",
        "army_max_depends",
        "hired_as",
    ):
        value = getattr(unit, key)
        if value is not None:
            found[key] = value
    if unit.profile_when:
        found["profile_when"] = tuple(
            f"{w.stat} {w.value} with {w.when}" for w in unit.profile_when
        )
    return found


def weapon(record: WeaponRecord, names: dict[str, str]) -> Weapon:
    base = {"id", "name", "type", "range", "strength", "hands", "sources"}
    return Weapon(
        key=record.id,
        name=record.name,
        type=record.type,
        range=record.range,
        strength=record.strength,
        hands=record.hands,
        traits=record.model_dump(exclude=base, exclude_none=True, exclude_defaults=True),
        source=source_text("+".join(record.sources), names),
    )


def armour(record: ArmourRecord, names: dict[str, str]) -> Armour:
    base = {"id", "name", "save", "improves", "sources"}
    return Armour(
        key=record.id,
        name=record.name,
        save=record.save,
        improves=record.improves or 0,
        traits=record.model_dump(exclude=base, exclude_none=True, exclude_defaults=True),
        source=source_text("+".join(record.sources), names),
    )
