"""Makes the engine's frozen values out of checked files of a collection; unfolds the
equipment lists of an army list.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace

from engine.records import Fields, TextByKey, Texts, frozen_dataclass
from engine.roster import RosterEntry
from engine.types.lists import (
    PLAIN_PRICE,
    Armour,
    Army,
    Category,
    Champion,
    Currency,
    JoiningTerms,
    ListLimit,
    MagicItem,
    Option,
    PriceCase,
    PriceTerms,
    Profile,
    ReadyWarband,
    SecondPrice,
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
from rulesdata.schema.list_terms import (
    EquipmentListRecord,
    LimitRecord,
    ListBasics,
    UnitEquipment,
)
from rulesdata.schema.lists import (
    ArmyFile,
    CategoryRecord,
    ChampionRecord,
    CollectionFile,
    Correction,
    MagicItemRecord,
    MagicItemsFile,
    OwnListFile,
    StarterRecord,
    UnitRecord,
)

# Unfolds the equipment lists of an army list: each unit gets their options as its own.
#
# Pure: no files, no database.

MakeOption = Callable[[OptionRecord], Option]


@frozen_dataclass
class EquipmentList:
    """The options of an equipment list, made once for all units that name it."""

    key: str
    name: str
    options: tuple[Option, ...]


EquipmentLists = Mapping[str, EquipmentList]


def equipment_lists(
    records: Iterable[EquipmentListRecord], make: MakeOption
) -> EquipmentLists:
    """Return the equipment lists by their key."""
    return {
        one.id: EquipmentList(one.id, one.name, tuple(map(make, one.options)))
        for one in records
    }


def unfold(
    own: tuple[Option, ...], named: Iterable[UnitEquipment], lists: EquipmentLists
) -> tuple[Option, ...]:
    """Return a unit's options and those of the lists it names.

    Its own option takes the place of one of the same key. A list that is not there, as a unit
    that was put away may name it, brings nothing.
    """
    found = list(own)
    for one in named:
        if one.shared in lists:
            known = {option.key for option in found}
            sold = _sold(lists[one.shared], one)
            found += [option for option in sold if option.key not in known]
    return tuple(found)


def _sold(shared: EquipmentList, named: UnitEquipment) -> Iterable[Option]:
    """Return what a unit buys of a list, at its prices."""
    if not (named.without or named.prices):
        # Most units buy all of it, so that they share the options themselves.
        return shared.options
    gone = frozenset(named.without)
    kept = (option for option in shared.options if option.key not in gone)
    return [_for_unit(option, named.prices, gone) for option in kept]


def _for_unit(option: Option, prices: Mapping[str, int], gone: Collection[str]) -> Option:
    """Return an option at the unit's price, without a word of what the unit cannot buy."""
    if option.key in prices:
        terms = replace(option.terms, cases=())
        option = replace(option, points=prices[option.key], terms=terms)
    return replace(
        option,
        excludes=_left(option.excludes, gone),
        requires_any=_left(option.requires_any, gone),
    )


def _left(keys: Texts, gone: Collection[str]) -> Texts:
    return tuple(key for key in keys if key not in gone)


def equipment_limits(
    records: Iterable[EquipmentListRecord],
    units: Iterable[UnitRecord],
    make: Callable[..., ListLimit],
) -> tuple[ListLimit, ...]:
    """Return the limits of the equipment lists, each over the units that name its list."""
    buyers: dict[str, list[str]] = {}
    for unit in units:
        for named in unit.equipment:
            buyers.setdefault(named.shared, []).append(unit.id)
    limits: list[ListLimit] = []
    for shared in filter(lambda one: one.id in buyers, records):
        keys = tuple(buyers[shared.id])
        limits += [_limit_of(shared, make(limit), keys) for limit in shared.limits]
    return tuple(limits)


def _limit_of(shared: EquipmentListRecord, limit: ListLimit, buyers: Texts) -> ListLimit:
    """Return a limit that says whom and what it counts."""
    return replace(
        limit,
        key=f"{shared.id}-{limit.key}",
        units=limit.units or buyers,
        options=limit.options or tuple(option.id for option in shared.options),
    )


# Makes the engine's frozen values out of checked files of a collection.
#
# Pure: no files, no database.

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
    frame = ListFrame(file.army, names, category_flags(collection), shared_gear(file))
    records = (profile(unit, frame) for unit in file.units)
    profiles = with_alike(records, collection.categories)
    return Army(
        key=file.army,
        name=file.name,
        collection=collection.id,
        magic_items={item.id: magic_item(item) for item in magic.items},
        weapons={w.id: weapon(w, sources_text(w, names)) for w in common.weapons},
        armour={a.id: armour(a, sources_text(a, names)) for a in common.armour},
        rules=tuple(file.army_rules),
        limits=limits((), file, file.units),
        **starter_of(file),
        **apart(profiles),
        **terms(file),
        **_columns(collection),
    )


def shared_gear(file: ListBasics) -> EquipmentLists:
    """The equipment lists of an army list, for its units to buy from."""
    return equipment_lists(file.equipment, option)


def terms(file: ListBasics) -> Fields:
    """What a list says of its prices, as fields of an army; what it leaves out is not there."""
    found: Fields = {}
    if file.currency:
        found["currency"] = file.currency.to_engine(Currency)
    if file.second_price:
        price = file.second_price
        found["second_price"] = price.to_engine(SecondPrice, maximum=price.max)
    if file.default_limit:
        found["default_limit"] = file.default_limit
    return found


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


def with_alike(
    profiles: Iterable[Profile], categories: Iterable[CategoryRecord]
) -> Iterator[Profile]:
    """Yield profiles; where a group buys alike, no price is one for the whole group."""
    alike = {one.id for one in categories if one.alike}
    for one in profiles:
        if one.category in alike:
            options = (
                replace(option, per="model") if option.per == "unit" else option
                for option in one.options
            )
            one = replace(one, options=tuple(options))
        yield one


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


def starter_of(file: ArmyFile | OwnListFile) -> Fields:
    """The ready warband of a list and its name, as fields of an army; what it lacks is left out."""
    found: Fields = {"starter": starter(file.starter)} if file.starter else {}
    return found | ({"starter_name": file.starter_name} if file.starter_name else {})


def starter(record: StarterRecord) -> ReadyWarband:
    """Return a ready warband of a list, with its limit in points."""
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


def limits(
    records: Iterable[LimitRecord], file: ListBasics, units: Iterable[UnitRecord]
) -> tuple[ListLimit, ...]:
    """A list's limits and those of its equipment lists, over the units that name them."""
    return (*map(limit, records), *equipment_limits(file.equipment, units, limit))


def source_text(key: str, names: TextByKey) -> str:
    """The names of the sources a record says it is from: ``first+second`` gives both names."""
    return " and ".join(names.get(part, part) for part in key.split("+"))


def sources_text(record: WeaponRecord | ArmourRecord, names: TextByKey) -> str:
    return source_text("+".join(record.sources), names)


def line(record: ProfileLine) -> StatLine:
    return record.to_engine(StatLine, stats=record.stats, barded_move=record.M_barded)


def option(record: OptionRecord, *, is_champions: bool = False) -> Option:
    """Return an option as the engine has it, its price in points."""
    return record.to_engine(
        Option,
        # Of a champion's group, too, only one is taken: its list prints them so.
        is_exclusive=record.exclusive or bool(is_champions and record.group),
        is_required=bool(record.group_required),
        maximum=record.max,
        adds_lines=tuple(line(added) for added in record.adds_profiles),
        terms=price_terms(record),
        is_champions=is_champions,
        words=record.description or "",
    )


def price_terms(record: OptionRecord | UnitRecord) -> PriceTerms:
    """What is said of a price beside its points."""
    if not (record.points_if or record.second):
        return PLAIN_PRICE
    cases = (
        PriceCase(one.points, one.keys, tuple(one.without or ()))
        for one in record.points_if
    )
    return PriceTerms(tuple(cases), record.second or 0)


def champion(record: ChampionRecord, names: TextByKey) -> Champion:
    """Return a champion with its stats, its own options and its source in words."""
    return record.to_engine(
        Champion,
        stats=record.profile.stats if record.profile else None,
        options=tuple(option(o, is_champions=True) for o in record.options),
        source=source_text(record.source or "first", names),
    )


def category_flags(collection: CollectionFile) -> FlagsByCategory:
    """The flags that all units of a category have."""
    return {category.id: category.flags for category in collection.categories}


@frozen_dataclass
class ListFrame:
    """What the units of a list share: its key, names of sources, flags of categories and
    equipment lists.
    """

    army: str
    names: TextByKey
    flags: FlagsByCategory
    equipment: EquipmentLists = field(default_factory=dict)


def profile(unit: UnitRecord, frame: ListFrame) -> Profile:
    """A unit of the list, or a mount, with the options of its equipment lists as its own."""
    names, flags = frame.names, frame.flags
    options = tuple(option(o) for o in unit.options)
    return unit.to_engine(
        Profile,
        army=frame.army,
        lines=tuple(line(record) for record in unit.profiles),
        basis=unit.points_basis,
        default_items=tuple(unit.default_equipment),
        options=unfold(options, unit.equipment, frame.equipment),
        base_terms=price_terms(unit),
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
        "joining": JoiningTerms(
            rarity=unit.rarity or 0,
            experience=unit.starting_experience or 0,
            upkeep=unit.hired.upkeep if unit.hired else None,
        ),
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
