"""Makes the engine's frozen values out of checked files of a collection.

Pure: no files, no database.
"""

from collections.abc import Iterable, Mapping

from engine.records import Fields, TextByKey
from engine.roster import RosterEntry
from engine.types.lists import (
    Armour,
    Army,
    Category,
    Champion,
    ListLimit,
    MagicItem,
    Option,
    Profile,
    ReadyWarband,
    Stat,
    StatLine,
    Weapon,
)
from rulesdata.schema.base import to_engine_tuple
from rulesdata.schema.equipment import (
    MOUNT,
    ArmourRecord,
    CommonFile,
    OptionRecord,
    ProfileLine,
    WeaponRecord,
)
from rulesdata.schema.lists import (
    ArmyFile,
    CategoryRecord,
    ChampionRecord,
    CollectionFile,
    Correction,
    LimitRecord,
    MagicItemRecord,
    MagicItemsFile,
    StarterRecord,
    UnitRecord,
)

FlagsByCategory = Mapping[str, Iterable[str]]

# What a weapon's or armour's record says of its origin. A list's names two editions of the books,
# a system's own the heading of its text; neither is a trait of the thing.
_SOURCES = ("sources", "source")
_PRINTED_ONLY = (
    "armour_save_stated",
    "points_printed",
    "points_include",
    "army_max_depends",
    "hired_as",
)


def army(
    collection: CollectionFile, common: CommonFile, file: ArmyFile, magic: MagicItemsFile
) -> Army:
    """An army list with everything its options point to."""
    names = {source.id: source.name for source in collection.sources}
    flags = category_flags(collection)
    profiles = (profile(unit, file.army, names, flags) for unit in file.units)
    return Army(
        key=file.army,
        name=file.name,
        collection=collection.id,
        magic_items={item.id: magic_item(item) for item in magic.items},
        weapons={w.id: weapon(w, sources_text(w, names)) for w in common.weapons},
        armour={a.id: armour(a, sources_text(a, names)) for a in common.armour},
        rules=tuple(file.army_rules),
        starter=starter(file.starter) if file.starter else None,
        starter_name=file.starter_name or "",
        **apart(profiles),
        **_columns(collection),
    )


def apart(profiles: Iterable[Profile]) -> Fields:
    """Profiles by their key: what a roster may hold, and apart from it what mount options name; and
    the house rules that their options name.
    """
    found: Fields = {"profiles": {}, "mounts": {}}
    rules: set[str] = set()
    for one in profiles:
        found["mounts" if one.category == MOUNT else "profiles"][one.key] = one
        rules.update(option.house_rule for option in one.all_options if option.house_rule)
    return {**found, "house_rules": frozenset(rules)}


def _columns(collection: CollectionFile) -> Fields:
    """Columns and headings of the collection's lists."""
    return {
        "stats": to_engine_tuple(collection.stats, Stat),
        "leadership_stat": collection.leadership_stat or "",
        "strength_stat": collection.strength_stat or "",
        "defence_stat": collection.defence_stat or "",
        "value_stats": tuple(collection.value_stats),
        "categories": tuple(category(record) for record in collection.categories),
        "note": collection.note or "",
    }


def magic_item(record: MagicItemRecord) -> MagicItem:
    return record.to_engine(MagicItem, is_unique=bool(record.one_per_army))


def starter(record: StarterRecord) -> ReadyWarband:
    entries = (
        RosterEntry(e.profile, e.name or "", e.count, bool(e.leader), tuple(e.options))
        for e in record.warriors
    )
    return ReadyWarband(record.name, record.limit, tuple(entries))


def category(record: CategoryRecord) -> Category:
    return record.to_engine(Category, plural=record.plural or record.name)


def limit(record: LimitRecord) -> ListLimit:
    """A limit of a list as the engine checks it."""
    kind, _, rest = record.per.partition(":")
    number, _, of = rest.partition("-of:")
    counted = record.of
    return ListLimit(
        key=record.id,
        name=record.name,
        minimum=record.min,
        maximum=record.max,
        units=tuple(counted.units),
        category=counted.category or "",
        options=tuple(counted.options),
        per=kind,
        per_number=int(number or 1),
        per_of=of,
        level=record.level,
        depends=bool(record.depends),
    )


def source_text(key: str, names: TextByKey) -> str:
    """The names of the sources a record says it is from: ``first+second`` gives both names."""
    return " and ".join(names.get(part, part) for part in key.split("+"))


def sources_text(record: WeaponRecord | ArmourRecord, names: TextByKey) -> str:
    return source_text("+".join(record.sources), names)


def line(record: ProfileLine) -> StatLine:
    return record.to_engine(StatLine, stats=record.stats, barded_move=record.M_barded)


def option(record: OptionRecord, *, is_champions: bool = False) -> Option:
    return record.to_engine(
        Option,
        # Of a champion's group, too, only one is taken: its list prints them so.
        is_exclusive=record.exclusive or bool(is_champions and record.group),
        is_required=bool(record.group_required),
        maximum=record.max,
        adds_lines=tuple(line(added) for added in record.adds_profiles),
        points_with=tuple((price.keys, price.points) for price in record.points_if),
        is_champions=is_champions,
        words=record.description or "",
    )


def champion(record: ChampionRecord, names: TextByKey) -> Champion:
    return record.to_engine(
        Champion,
        stats=record.profile.stats if record.profile else None,
        options=tuple(option(o, is_champions=True) for o in record.options),
        source=source_text(record.source or "first", names),
    )


def category_flags(collection: CollectionFile) -> FlagsByCategory:
    """The flags that all units of a category have."""
    return {category.id: category.flags for category in collection.categories}


def profile(
    unit: UnitRecord, army_key: str, names: TextByKey, flags: FlagsByCategory
) -> Profile:
    """A unit of the list, or a mount; ``flags`` are those it has by its category."""
    return unit.to_engine(
        Profile,
        army=army_key,
        lines=tuple(line(record) for record in unit.profiles),
        basis=unit.points_basis,
        default_items=tuple(unit.default_equipment),
        options=tuple(option(o) for o in unit.options),
        flags=frozenset((*unit.flags, *flags.get(unit.category, ()))),
        category_when=tuple((c.category, tuple(c.when)) for c in unit.category_when),
        corrected=tuple(_correction(record) for record in unit.corrected),
        source=_source(unit, names),
        **_nested(unit, names),
    )


def _nested(unit: UnitRecord, names: TextByKey) -> Fields:
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
    return (
        f"{record.where}, {record.field.replace('_', ' ')}: {new}, was {old}. {record.why}"
    )


def _source(unit: UnitRecord, names: TextByKey) -> Fields:
    """Where the figures are from, in names of sources, and what the list prints without it having
    an effect here.
    """
    base, _, army_key = (unit.profile_source or "first").partition("/")
    found: Fields = {
        "points": source_text("first", names),
        "profiles": source_text(base, names) + (f", list {army_key}" if army_key else ""),
        "equipment": source_text(unit.equipment_source, names),
    }
    for key in _PRINTED_ONLY:
        if (value := getattr(unit, key)) is not None:
            found[key] = value
    if unit.profile_when:
        words = (f"{w.stat} {w.value} with {w.when}" for w in unit.profile_when)
        found["profile_when"] = tuple(words)
    return found


def weapon(record: WeaponRecord, source: str) -> Weapon:
    columns = {"id", "name", "type", "range", "strength", "hands", *_SOURCES}
    traits = record.model_dump(exclude=columns, exclude_none=True, exclude_defaults=True)
    return record.to_engine(Weapon, traits=traits, source=source)


def armour(record: ArmourRecord, source: str) -> Armour:
    columns = {"id", "name", "save", "improves", *_SOURCES}
    traits = record.model_dump(exclude=columns, exclude_none=True, exclude_defaults=True)
    return record.to_engine(Armour, traits=traits, source=source)
