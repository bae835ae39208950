"""Makes the engine's army list out of checked files of a collection, or of a club's list.

Pure: no files, no database.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace

from engine.records import Fields, TextByKey, Texts, frozen_dataclass, grouped
from engine.types.lists import Army, ListLimit, Option, Profile
from rulesdata.schema.base import build_by_key
from rulesdata.schema.equipment import MOUNT, ArmourRecord, CommonFile, WeaponRecord
from rulesdata.schema.list_terms import ListBasics
from rulesdata.schema.lists import (
    ArmyFile,
    CategoryRecord,
    CollectionFile,
    MagicItemsFile,
    UnitRecord,
)

FlagsByCategory = Mapping[str, Iterable[str]]
EquipmentLists = Mapping[str, tuple[Option, ...]]
"""The options of each equipment list, made once for all units that name it."""

_PRINTED_ONLY = (
    "armour_save_stated", "points_printed", "points_include", "army_max_depends", "hired_as",
)  # fmt: skip


@frozen_dataclass
class ListFrame:
    """What the units of a list share: its key, names of sources, flags of categories and
    equipment lists.
    """

    army: str
    names: TextByKey
    flags: FlagsByCategory
    equipment: EquipmentLists = field(default_factory=dict)


def build_army(
    collection: CollectionFile, common: CommonFile, file: ArmyFile, magic: MagicItemsFile
) -> Army:
    """Make an army list with everything its options point to."""
    names = {source.id: source.name for source in collection.sources}
    frame = ListFrame(file.army, names, category_flags(collection), equipment_lists(file))
    profiles = [build_profile(unit, frame) for unit in file.units]
    return collection.build(
        key=file.army,
        name=file.name,
        collection=collection.id,
        magic_items=build_by_key(magic.items),
        weapons=build_gear(common.weapons, names),
        armour=build_gear(common.armour, names),
        rules=tuple(file.army_rules),
        limits=build_limits(file, file.units),
        **sort_profiles(profiles, collection.categories),
        **file.terms(),
    )


def category_flags(collection: CollectionFile) -> FlagsByCategory:
    """Return the flags that all units of a category have."""
    return {category.id: category.flags for category in collection.categories}


def equipment_lists(file: ListBasics) -> EquipmentLists:
    """Return the equipment lists of an army list, for its units to buy from."""
    return {
        shared.id: tuple(
            option.build(is_first_free=option.id == shared.first_free)
            for option in shared.options
        )
        for shared in file.equipment
    }


def build_gear(
    records: Iterable[WeaponRecord] | Iterable[ArmourRecord], names: TextByKey
) -> Fields:
    """Make weapons or pieces of armour by their key, with the names of their sources."""
    return {
        record.id: record.build(source=source_text("+".join(record.sources), names))
        for record in records
    }


def source_text(key: str, names: TextByKey) -> str:
    """Return the names of a record's sources: ``first+second`` gives both names."""
    return " and ".join(names.get(part, part) for part in key.split("+"))


def sort_profiles(
    profiles: Iterable[Profile], categories: Iterable[CategoryRecord]
) -> Fields:
    """Return profiles by their key as fields of an army, with the house rules that options name.

    What a roster may hold stands apart from what mount options name. Where a group of a category
    buys alike, no price is one for the whole group.
    """
    headings = {category.id: category for category in categories}
    alike = {key for key, category in headings.items() if category.alike}
    by_kind: Fields = {"profiles": {}, "mounts": {}}
    rules = set[str]()
    for profile in profiles:
        if profile.category in alike:
            options = (
                replace(option, per="model") if option.per == "unit" else option
                for option in profile.options
            )
            profile = replace(profile, options=tuple(options))
        by_kind["mounts" if profile.category == MOUNT else "profiles"][profile.key] = (
            profile
        )
        rules.update(option.house_rule for option in profile.all_options)
    names = {key: heading.name for key, heading in headings.items()}
    by_kind["profiles"] = with_titles(by_kind["profiles"], names)
    return {**by_kind, "house_rules": frozenset(rules - {""})}


def with_titles(
    profiles: Mapping[str, Profile], categories: TextByKey
) -> dict[str, Profile]:
    """Return the units with what rosters call their models and champions, no two alike.

    Where a name is shared, the unit's own takes its place, with its category if that is shared too.
    """
    units = Counter(profile.name for profile in profiles.values())
    models = Counter(profile.model_name or profile.name for profile in profiles.values())
    champions = Counter(p.champion.name for p in profiles.values() if p.champion)
    titled = {}
    for key, profile in profiles.items():
        unit, title = profile.name, profile.model_name or profile.name
        if units[unit] > 1:
            unit = f"{unit} ({categories.get(profile.category, profile.category)})"
        if models[title] + champions[title] > 1:
            title = unit
        champion = profile.champion
        if champion:
            name = champion.name
            is_shared = champions[name] + models[name] > 1
            champion = replace(champion, title=f"{name} ({unit})" if is_shared else name)
        titled[key] = replace(profile, title=title, champion=champion)
    return titled


def build_limits(file: ListBasics, units: Collection[UnitRecord]) -> tuple[ListLimit, ...]:
    """Make a list's limits, those of its unique units, and those of its equipment lists over the
    units that name them.
    """
    buyers = grouped(
        (purchase.shared, unit.id) for unit in units for purchase in unit.equipment
    )
    built: list[ListLimit] = [limit.build() for limit in file.limits]
    built += [
        ListLimit(unit.id, unit.name, maximum=1, units=(unit.id,), level="error")
        for unit in units
        if unit.unique
    ]
    for shared in file.equipment:
        if shared.id in buyers:
            sold = tuple(option.id for option in shared.options)
            built += [
                limit.build(
                    key=f"{shared.id}-{limit.id}",
                    units=tuple(limit.of.units or buyers[shared.id]),
                    options=tuple(limit.of.options) or sold,
                )
                for limit in shared.limits
            ]
    return tuple(built)


def build_profile(unit: UnitRecord, frame: ListFrame) -> Profile:
    """Make a unit of the list, or a mount, with the options of its equipment lists as its own."""
    names, champion = frame.names, unit.champion
    options = _unit_options(unit, frame.equipment)
    free = (item for option in options if option.is_first_free for item in option.items)
    # Where the figures are from, and what the list prints without it having an effect here.
    base, _, army_key = (unit.profile_source or "first").partition("/")
    source: Fields = {
        "points": source_text("first", names),
        "profiles": source_text(base, names) + (f", list {army_key}" if army_key else ""),
        "equipment": source_text(unit.equipment_source, names),
    }
    source |= unit.model_dump(include=set(_PRINTED_ONLY), exclude_none=True)
    if unit.profile_when:
        conditions = (f"{w.stat} {w.value} with {w.when}" for w in unit.profile_when)
        source["profile_when"] = tuple(conditions)
    champion_source = source_text(champion.source or "first", names) if champion else ""
    return unit.build(
        army=frame.army,
        champion=champion.build(source=champion_source) if champion else None,
        options=options,
        default_items=tuple(dict.fromkeys((*unit.default_equipment, *free))),
        flags=frozenset((*unit.flags, *frame.flags.get(unit.category, ()))),
        source=source,
    )


def _unit_options(unit: UnitRecord, lists: EquipmentLists) -> tuple[Option, ...]:
    """Return a unit's options and those of the lists it names.

    Its own option takes the place of one of the same key. A list that is not there, as an
    archived unit may name it, brings nothing.
    """
    options = [option.build() for option in unit.options]
    for purchase in unit.equipment:
        prices, left_out = purchase.prices, frozenset(purchase.without)
        keys = {option.key for option in options} | left_out
        for option in lists.get(purchase.shared, ()):
            if option.key in keys:
                continue
            # Most units buy all of a list, so that they share the options themselves.
            if prices or left_out:
                terms, is_priced = option.terms, option.key in prices
                option = replace(
                    option,
                    points=prices.get(option.key, option.points),
                    terms=replace(terms, cases=()) if is_priced else terms,
                    # Without a word of what it cannot buy.
                    excludes=_without(option.excludes, left_out),
                    requires_any=_without(option.requires_any, left_out),
                )
            options.append(option)
    return tuple(options)


def _without(keys: Texts, left_out: Collection[str]) -> Texts:
    return tuple(key for key in keys if key not in left_out)
