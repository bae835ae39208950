"""Checks of a collection of army lists: what its files refer to, their units, options and
equipment lists.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from engine.records import TextByKey, frozen_dataclass
from engine.types.lists import COMMAND, STANDARD_BEARER
from rulesdata.pack_files.collections import SHARED_FILES, ListPack, SharedFiles
from rulesdata.pack_files.folders import Spot
from rulesdata.pack_files.yaml_files import Fault, Place
from rulesdata.schema.equipment import MOUNT, OptionRecord, StatLineRecord
from rulesdata.schema.list_terms import EquipmentListRecord, UnitEquipment
from rulesdata.schema.lists import (
    AliasesFile,
    ArmyFile,
    CollectionFile,
    MagicItemsFile,
    OwnListFile,
    Totals,
    UnitRecord,
)
from rulesdata.schema.shared_lists import EquipmentListsFile, HiredSwordsFile

Equipment = Mapping[str, EquipmentListRecord]
UnitsFile = ArmyFile | OwnListFile | SharedFiles | EquipmentListsFile | HiredSwordsFile
HIRED = "hired-swords"
"""The file of hired swords, and the key of its totals."""
SHARED_IDS = {"maxima": ["races"], "skills": ["skill_lists", "lores"], "trade": ["items"]}

EQUIPMENT_PLACES_MAX = 60_000
"""Options of equipment lists, once for each unit that names the list: what a game of 320 units and
741 different options needs is 41,000.
"""


def sold_keys(unit: UnitRecord, equipment: Equipment) -> set[str]:
    """Return the keys of what a unit buys from the lists it names."""
    keys = set[str]()
    for _, shared, purchase in _bought_lists(unit, equipment):
        keys |= {option.id for option in shared.options} - set(purchase.without)
    return keys


def check_named_equipment(spot: Spot, unit: UnitRecord, equipment: Equipment) -> None:
    """Write down every fault of the equipment lists that a unit names."""
    names = [purchase.shared for purchase in unit.equipment]
    spot.report_repeated(names)
    spot.report_unknown(names, equipment, "equipment list of this list")
    # An option of the unit itself takes the place of a list's, so only lists can clash.
    option_keys = {option.id for option in unit.options}
    before: TextByKey = {}
    for index, shared, purchase in _bought_lists(unit, equipment):
        at, keys = spot.at(index), {option.id for option in shared.options}
        at.report_unknown_in(purchase, "without", keys, "option of this equipment list")
        at.report_unknown_in(purchase, "prices", keys, "option of this equipment list")
        sold = keys - set(purchase.without)
        if purchase.without:
            _check_left_out(at.at("without"), shared, set(purchase.without))
        for key in sorted(sold - option_keys):
            if before.setdefault(key, shared.id) != shared.id:
                message = f"'{key}' is in '{before[key]}' too: leave it out of one of them"
                at.fault(f"{message} by without")


def _check_left_out(spot: Spot, shared: EquipmentListRecord, without: set[str]) -> None:
    """Report what options that stay need of those that are left out."""
    for option in shared.options:
        if option.id in without:
            continue
        missing = [key for key in option.requires if key in without]
        if option.requires_any and without.issuperset(option.requires_any):
            missing.append(option.requires_any[0])
        for key in missing:
            spot.fault(f"'{option.id}' of this list needs '{key}'")


def _bought_lists(
    unit: UnitRecord, equipment: Equipment
) -> Iterator[tuple[int, EquipmentListRecord, UnitEquipment]]:
    """Yield each list that a unit names and that is there, with its place in the unit."""
    for index, purchase in enumerate(unit.equipment):
        if purchase.shared in equipment:
            yield index, equipment[purchase.shared], purchase


# Checks of a collection of army lists: what its files refer to, and their totals.


def check_collection(pack: ListPack) -> list[Fault]:
    """Every fault of a collection: of the shape of its files, what they refer to, their totals."""
    if pack.collection:
        _check_head(pack, pack.collection)
    _check_shared(pack)
    for key, army in pack.armies.items():
        _check_army(pack, key, army)
    for key, items in pack.magic_items.items():
        file = Spot(pack.reader, f"magic-items/{key}.yaml")
        if items.army != key:
            file.at("army").fault(f"expected '{key}', as the file is named")
        file.at("items").report_same_ids(items.items)
    for key, aliases in pack.aliases.items():
        _check_aliases(pack, key, aliases)
    if pack.collection:
        for key, stated in pack.collection.totals.items():
            _check_totals(pack, key, stated)
    return pack.reader.faults


def _check_head(pack: ListPack, collection: CollectionFile) -> None:
    """Report what is wrong in collection.yaml: its id, armies, totals and stats."""
    file, folder = Spot(pack.reader, "collection.yaml"), pack.reader.folder.name
    if collection.id != folder:
        file.at("id").fault(f"expected '{folder}', the name of its folder")
    counted = {*collection.armies, *([HIRED] if pack.shared.units else [])}
    for key in sorted(counted - collection.totals.keys()):
        file.at("totals").fault(f"expected totals for '{key}'")
    for key in sorted(collection.totals.keys() - counted):
        file.at("totals", key).fault("no such army is listed")
    stats = [stat.id for stat in collection.stats]
    file.at("stats").report_repeated(stats)
    file.at("categories").report_same_ids(collection.categories)
    for field in ("leadership_stat", "strength_stat"):
        file.report_unknown_in(collection, field, stats, "stat of this collection")


def _check_shared(pack: ListPack) -> None:
    """Report faults of the equipment lists and hired swords that the armies share."""
    shared = pack.shared
    lists, swords = (
        Spot(pack.reader, name) for name in ("equipment-lists.yaml", f"{HIRED}.yaml")
    )
    lists.at("equipment").report_same_ids(shared.equipment)
    sold = {option.id for each in shared.equipment for option in each.options} | {""}
    aliases = Spot(pack.reader, SHARED_FILES["aliases"][0], ("options",))
    aliases.report_unknown(
        shared.aliases.options.values(), sold, "option of the equipment lists"
    )
    check_units(pack, lists, shared.lists)
    check_units(pack, swords, shared.hired, shared.lists)
    for name, fields in SHARED_IDS.items():
        file, (file_name, _) = getattr(shared, name), SHARED_FILES[name]
        for field in fields:
            Spot(pack.reader, file_name).at(field).report_same_ids(getattr(file, field))


def _check_army(pack: ListPack, key: str, army: ArmyFile) -> None:
    """Report faults of an army's file: its name, edition, starters and units."""
    file = Spot(pack.reader, f"armies/{key}.yaml")
    if army.army != key:
        file.at("army").fault(f"expected '{key}', as the file is named")
    if pack.collection and army.edition != pack.collection.edition:
        file.at("edition").fault(
            f"expected {pack.collection.edition}, the collection's edition"
        )
    own_army, army = army, pack.shared.with_army(army)
    file.at("units").report_same_ids(army.units)
    units = {unit.id: unit for unit in army.units if unit.category != MOUNT}
    equipment = {shared.id: shared for shared in army.equipment}
    warriors = file.at("starter", "warriors")
    for spot, entry in warriors.each(army.starter.warriors if army.starter else ()):
        spot.report_unknown_in(entry, "profile", units, "unit of this list")
        if unit := units.get(entry.profile):
            keys = {option.id for _, option in _options(unit)} | set(COMMAND)
            keys |= sold_keys(unit, equipment)
            spot.report_unknown_in(entry, "options", keys, "option of this unit")
    file.at("equipment").report_same_ids(army.equipment)
    file.at("limits").report_same_ids(army.limits)
    for spot, limit in file.at("limits").each(army.limits):
        spot.at("of").report_unknown_in(limit.of, "units", units, "unit of this list")
    check_units(pack, file, own_army, pack.shared)


def _check_aliases(pack: ListPack, key: str, aliases: AliasesFile) -> None:
    """Aliases are of an army that is there, and name its units and what they buy."""
    file, army = Spot(pack.reader, f"aliases/{key}.yaml"), pack.armies.get(key)
    if aliases.army != key:
        file.at("army").fault(f"expected '{key}', as the file is named")
    if pack.collection and key not in pack.collection.armies:
        file.at("army").fault("no army of this collection has this key")
    # An army that could not be read has told its own faults.
    if army is None:
        return
    units = {unit.id for unit in army.units if unit.category != MOUNT}
    options = [option for unit in army.units for _, option in _options(unit)]
    options += chain.from_iterable(shared.options for shared in army.equipment)
    bought = {*(option.id for option in options), *COMMAND, ""}
    for field, allowed, what in (
        ("origins", units, "unit of this list"),
        ("names", units, "unit of this list"),
        ("options", bought, "option of this list"),
    ):
        file.at(field).report_unknown(getattr(aliases, field).values(), allowed, what)


# Units


@frozen_dataclass
class _ListContext:
    """What a unit may name: stats of the collection, ``units`` and equipment lists of the list.

    None for what could not be read.
    """

    stats: list[str] | None
    units: set[str]
    equipment: Equipment


def check_units(
    pack: ListPack, file: Spot, army: UnitsFile, below: UnitsFile | None = None
) -> None:
    """Write down every fault of the units and equipment lists of an army list.

    It may name those of the army ``below``, which it lies over.
    """
    files = [below, army] if below else [army]
    context = _ListContext(
        stats=[stat.id for stat in pack.collection.stats] if pack.collection else None,
        units={unit.id for source in files for unit in source.units},
        equipment={shared.id: shared for source in files for shared in source.equipment},
    )
    for at, shared in file.at("equipment").each(army.equipment):
        _check_equipment(at, shared, context)
    for at, unit in file.at("units").each(army.units):
        _check_unit(at, unit, context)
    check_places(file, army.units, context.equipment)


def check_places(file: Spot, units: Iterable[UnitRecord], equipment: Equipment) -> None:
    """Write down a fault where the units of a list buy more than it can unfold."""
    number = sum(
        len(shared.options)
        for unit in units
        for _, shared, _ in _bought_lists(unit, equipment)
    )
    if number > EQUIPMENT_PLACES_MAX:
        file.at("equipment").fault(
            f"expected at most {EQUIPMENT_PLACES_MAX:,} options over all units that name equipment "
            f"lists, found {number:,}"
        )


def _check_equipment(
    spot: Spot, shared: EquipmentListRecord, context: _ListContext
) -> None:
    """Write down every fault of an equipment list, which knows only its own options."""
    option_keys = [option.id for option in shared.options]
    spot.at("options").report_repeated(option_keys)
    for at, option in spot.at("options").each(shared.options):
        _check_option(at, option, context, set(option_keys))
        for line in option.adds_profiles:
            _check_line(at, line, context.stats)
    spot.report_unknown_in(shared, "first_free", option_keys, "option of this list")
    spot.at("limits").report_same_ids(shared.limits)
    for at, limit in spot.at("limits").each(shared.limits):
        at.at("of").report_unknown_in(
            limit.of, "options", option_keys, "option of this list"
        )


def _check_unit(spot: Spot, unit: UnitRecord, context: _ListContext) -> None:
    """Report what a unit names that is not there, and what contradicts itself."""
    options = _options(unit)
    for place, line in _lines(unit, options):
        _check_line(spot.at(*place), line, context.stats)
    for field, message in _contradictions(unit):
        spot.at(field).fault(message)
    spot.report_unknown_in(unit, "upgrade_of", context.units, "unit of this list")
    keys = [option.id for _, option in options]
    spot.at("options").report_repeated(keys)
    check_named_equipment(spot.at("equipment"), unit, context.equipment)
    # A magic standard needs the bearer, who is no option but a command model.
    option_keys = {*keys, *sold_keys(unit, context.equipment)}
    if unit.command and unit.command.standard_bearer is not None:
        option_keys.add(STANDARD_BEARER)
    for place, option in options:
        _check_option(spot.at(*place), option, context, option_keys)
    beside = chain.from_iterable(price.all_keys for price in unit.points_if)
    spot.at("points_if").report_unknown(beside, option_keys, "option of this unit")


def _contradictions(unit: UnitRecord) -> Iterator[tuple[str, str]]:
    """Fields of a unit that do not go together, each with what is wrong."""
    is_mount, is_counted = unit.category == MOUNT, unit.miniatures is not None
    if is_mount and is_counted:
        yield "miniatures", "a mount is counted with its rider: remove this"
    if not is_mount and not is_counted:
        yield "miniatures", "a value is needed here: how many figures one price buys"
    if (unit.offered is None) != (unit.not_offered_because is None):
        yield "not_offered_because", "offered: false and its reason belong together"
    if unit.points_printed is not None and unit.points_include is None:
        yield "points_printed", "needs points_include beside it"
    if not unit.profiles and not unit.incomplete:
        yield "profiles", "without a stat line the unit must say so under incomplete"


def _check_line(spot: Spot, line: StatLineRecord, stats: list[str] | None) -> None:
    """Report stats that a line lacks, and those its collection does not have."""
    if stats is None:
        return
    for stat in stats:
        if stat not in line.stats:
            spot.at(stat).fault("a value is needed here")
    for stat in line.stats:
        if stat not in stats:
            spot.at(stat).fault("this key is not known here")


PlacedOptions = list[tuple[Place, OptionRecord]]


def _lines(
    unit: UnitRecord, options: PlacedOptions
) -> Iterator[tuple[Place, StatLineRecord]]:
    """Yield every stat line of a unit and its place: its own, its champion's, those options add."""
    for i, line in enumerate(unit.profiles):
        yield ("profiles", i), line
    if unit.champion and unit.champion.profile:
        yield ("champion", "profile"), unit.champion.profile
    for place, option in options:
        for added in option.adds_profiles:
            yield place, added


def _options(unit: UnitRecord) -> PlacedOptions:
    """Every option of a unit and of its champion, with its place."""
    champions = unit.champion.options if unit.champion else []
    units_own = [(("options", i), option) for i, option in enumerate(unit.options)]
    return [*units_own, *((("champion", "options", i), o) for i, o in enumerate(champions))]


def _check_option(
    spot: Spot, option: OptionRecord, context: _ListContext, option_keys: set[str]
) -> None:
    """Write down every fault of an option; ``own`` are the keys of all options of its unit."""
    if option.id in COMMAND:
        spot.at("id").fault("this word is kept for the command models")
    if context.stats is not None:
        spot.report_unknown_in(option, "effect", context.stats, "stat of this collection")
    for field in ("requires", "requires_any", "excludes"):
        spot.report_unknown_in(
            option, field, option_keys - {option.id}, "option of this unit"
        )
    beside = list(chain.from_iterable(price.all_keys for price in option.points_if))
    spot.at("points_if").report_unknown(beside, option_keys, "option")
    spot.report_unknown_in(option, "mount", context.units, "unit or mount of this list")
    if (option.kind == "mount") != bool(option.mount):
        message = "an option of the kind mount names its mount, and no other does"
        spot.at("mount").fault(message)
    if option.group_required and not option.group:
        spot.at("group_required").fault("needs a group")
    if option.max and option.per != "each":
        spot.at("max").fault("only an option sold per each has a maximum")


# Totals


def _check_totals(pack: ListPack, key: str, stated: Totals) -> None:
    """Report totals of collection.yaml that differ from what the files add up to."""
    army = pack.shared.hired if key == HIRED else pack.armies.get(key)
    items = pack.magic_items.get(key, MagicItemsFile(army=key, items=[]))
    # Totals only hold for what could be read.
    if army is None or (key != HIRED and key not in pack.magic_items):
        return
    counted = count_totals(army, items, pack.shared.equipment)
    file = Spot(pack.reader, "collection.yaml", ("totals", key))
    for field, value in counted.items():
        expected = getattr(stated, field)
        if value != expected:
            file.at(field).fault(f"the files add up to {value}, the totals say {expected}")


def count_totals(
    army: ArmyFile | HiredSwordsFile,
    items: MagicItemsFile,
    shared: Iterable[EquipmentListRecord] = (),
) -> dict[str, int]:
    """Return what the files of an army add up to, by the names of ``Totals``.

    Mounts and champions' options are counted apart, champions' lines with the profiles. What units
    buy from equipment lists is counted for each of them.
    """
    equipment = {each.id: each for each in (*shared, *army.equipment)}
    sold = list(_sold_prices(army.units, equipment))
    mounts = [unit for unit in army.units if unit.category == MOUNT]
    units = [unit for unit in army.units if unit.category != MOUNT]
    champions = [unit.champion for unit in army.units if unit.champion]
    options = list(chain.from_iterable(unit.options for unit in army.units))
    return {
        "units": len(units),
        "mounts": len(mounts),
        "profiles": sum(len(unit.profiles) for unit in army.units)
        + sum(champion.profile is not None for champion in champions),
        "options": len(options),
        "magic_items": len(items.items),
        "unit_points": _points(units),
        "mount_points": _points(mounts),
        "option_points": _points(options),
        "champion_points": _points(champions)
        + _points(chain.from_iterable(champion.options for champion in champions)),
        "command_points": sum(map(_command_points, army.units)),
        "magic_item_points": _points(items.items),
        "list_options": len(sold),
        "list_option_points": sum(sold),
    }


def _sold_prices(units: Iterable[UnitRecord], equipment: Equipment) -> Iterator[int]:
    """Yield the price of everything that units buy from equipment lists."""
    for unit in units:
        for _, shared, purchase in _bought_lists(unit, equipment):
            for option in shared.options:
                if option.id not in purchase.without:
                    yield purchase.prices.get(option.id, option.points)


def _command_points(unit: UnitRecord) -> int:
    """The points of a unit's musician and standard bearer."""
    if unit.command is None:
        return 0
    return (unit.command.musician or 0) + (unit.command.standard_bearer or 0)


def _points(records: Iterable[Any]) -> int:
    return sum(record.points for record in records)
