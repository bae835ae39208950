"""Checks of a collection of army lists: what its files refer to, their units, options and
equipment lists.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from engine.records import frozen_dataclass
from engine.types.lists import COMMAND, STANDARD_BEARER
from rulesdata.pack_files.folders import ListPack, Place, Spot
from rulesdata.pack_files.yaml_files import Fault
from rulesdata.schema.equipment import MOUNT, CommonFile, OptionRecord, StatLineRecord
from rulesdata.schema.list_terms import EquipmentListRecord
from rulesdata.schema.lists import (
    AliasesFile,
    ArmyFile,
    ChampionRecord,
    CollectionFile,
    MagicItemRecord,
    MagicItemsFile,
    OwnListFile,
    Totals,
    UnitRecord,
)

if TYPE_CHECKING:
    from rulesdata.pack_files.folders import Spot
    from rulesdata.schema.equipment import OptionRecord
    from rulesdata.schema.list_terms import EquipmentListRecord, UnitEquipment
    from rulesdata.schema.lists import UnitRecord

    Equipment = Mapping[str, EquipmentListRecord]


# Checks of what units say of the equipment lists of their army list.

EQUIPMENT_PLACES_MAX = 60_000
"""Options of equipment lists, once for each unit that names the list: what a game of 320 units and
741 different options needs is 41,000.
"""


def sold_keys(unit: UnitRecord, equipment: Equipment) -> set[str]:
    """Return the keys of what a unit buys from the lists it names."""
    found: set[str] = set()
    for _, shared, named in _named(unit, equipment):
        found.update(_sold(shared, named))
    return found


def check_named_equipment(spot: Spot, unit: UnitRecord, equipment: Equipment) -> None:
    """Write down every fault of the equipment lists that a unit names."""
    names = [named.shared for named in unit.equipment]
    spot.report_repeated(names)
    spot.report_unknown(names, equipment, "equipment list of this list")
    # An option of the unit itself takes the place of a list's, so only lists can clash.
    seen = {option.id for option in unit.options}
    before: dict[str, str] = {}
    for index, shared, named in _named(unit, equipment):
        _check_named(spot.at(index), shared, named)
        for key in sorted(_sold(shared, named) - seen):
            if before.get(key, shared.id) != shared.id:
                spot.at(index).fault(
                    f"'{key}' is in '{before[key]}' too: leave it out of one of them by without"
                )
            before.setdefault(key, shared.id)


def _check_named(spot: Spot, shared: EquipmentListRecord, named: UnitEquipment) -> None:
    """Write down what a unit leaves out or prices and the list does not have, or still needs."""
    keys = {option.id for option in shared.options}
    spot.at("without").report_unknown(named.without, keys, "option of this equipment list")
    spot.at("prices").report_unknown(named.prices, keys, "option of this equipment list")
    gone = set(named.without)
    for option in shared.options if gone else ():
        missed = () if option.id in gone else _missed(option, gone)
        for key in missed:
            spot.at("without").fault(f"'{option.id}' of this list needs '{key}'")


def _missed(option: OptionRecord, gone: Collection[str]) -> Iterator[str]:
    """Yield what an option needs of what was left out."""
    yield from (key for key in option.requires if key in gone)
    if option.requires_any and all(key in gone for key in option.requires_any):
        yield option.requires_any[0]


def check_places(file: Spot, units: Iterable[UnitRecord], equipment: Equipment) -> None:
    """Write down a fault where the units of a list buy more than it can unfold."""
    number = sum(
        len(shared.options) for unit in units for _, shared, _ in _named(unit, equipment)
    )
    if number > EQUIPMENT_PLACES_MAX:
        file.at("equipment").fault(
            f"expected at most {EQUIPMENT_PLACES_MAX:,} options over all units that name equipment "
            f"lists, found {number:,}"
        )


def _named(
    unit: UnitRecord, equipment: Equipment
) -> Iterator[tuple[int, EquipmentListRecord, UnitEquipment]]:
    """Yield each list that a unit names and that is there, with its place in the unit."""
    for index, named in enumerate(unit.equipment):
        if named.shared in equipment:
            yield index, equipment[named.shared], named


def _sold(shared: EquipmentListRecord, named: UnitEquipment) -> set[str]:
    return {option.id for option in shared.options} - set(named.without)


# Checks of a collection of army lists: what its files refer to, and their totals.


def check_collection(pack: ListPack) -> list[Fault]:
    """Every fault of a collection: of the shape of its files, what they refer to, their totals."""
    if pack.collection:
        _check_head(pack, pack.collection)
    for key, army in pack.armies.items():
        _check_army(pack, key, army)
    for key, items in pack.magic_items.items():
        file = Spot(pack.reader, f"magic-items/{key}.yaml")
        if items.army != key:
            file.at("army").fault(f"expected '{key}', as the file is named")
        file.at("items").report_same_ids(items.items)
    for key, aliases in pack.aliases.items():
        _check_aliases(pack, key, aliases)
    # Totals only hold for armies both of whose files could be read.
    for key in pack.armies.keys() & pack.magic_items.keys():
        if pack.collection and key in pack.collection.totals:
            _check_totals(pack, key, pack.collection.totals[key])
    return pack.reader.faults


def _check_head(pack: ListPack, collection: CollectionFile) -> None:
    """Report what is wrong in collection.yaml: its id, armies, totals and stats."""
    file, folder = Spot(pack.reader, "collection.yaml"), pack.reader.folder.name
    if collection.id != folder:
        file.at("id").fault(f"expected '{folder}', the name of its folder")
    for key in collection.armies:
        if key not in collection.totals:
            file.at("totals").fault(f"expected totals for '{key}'")
    for key in collection.totals.keys() - set(collection.armies):
        file.at("totals", key).fault("no such army is listed")
    stats = [stat.id for stat in collection.stats]
    file.at("stats").report_repeated(stats)
    file.at("categories").report_same_ids(collection.categories)
    for field in ("leadership_stat", "strength_stat"):
        file.report_unknown_in(collection, field, stats, "stat of this collection")


def _check_army(pack: ListPack, key: str, army: ArmyFile) -> None:
    """Report faults of an army's file: its name, edition, starters and units."""
    file = Spot(pack.reader, f"armies/{key}.yaml")
    if army.army != key:
        file.at("army").fault(f"expected '{key}', as the file is named")
    if pack.collection and army.edition != pack.collection.edition:
        file.at("edition").fault(
            f"expected {pack.collection.edition}, the collection's edition"
        )
    file.at("units").report_same_ids(army.units)
    units = {unit.id: unit for unit in army.units if unit.category != MOUNT}
    equipment = {one.id: one for one in army.equipment}
    warriors = file.at("starter", "warriors")
    for spot, entry in warriors.each(army.starter.warriors if army.starter else ()):
        spot.report_unknown_in(entry, "profile", units, "unit of this list")
        if unit := units.get(entry.profile):
            known = {option.id for _, option in _options(unit)} | set(COMMAND)
            known |= sold_keys(unit, equipment)
            spot.report_unknown_in(entry, "options", known, "option of this unit")
    file.at("equipment").report_same_ids(army.equipment)
    check_units(pack, file, army)


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
    bought = set(_bought_keys(army))
    for field, known, what in (
        ("origins", units, "unit of this list"),
        ("names", units, "unit of this list"),
        ("options", bought | set(COMMAND) | {""}, "option of this list"),
    ):
        file.at(field).report_unknown(getattr(aliases, field).values(), known, what)


def _bought_keys(army: ArmyFile) -> Iterator[str]:
    """Yield the keys of all options of an army list, its equipment lists' among them."""
    for unit in army.units:
        yield from (option.id for _, option in _options(unit))
    for shared in army.equipment:
        yield from (option.id for option in shared.options)


# Units


@frozen_dataclass
class _Known:
    """What a unit may name: stats, items and flags of the collection, ``units`` and equipment
    lists of the list.

    None for what could not be read.
    """

    stats: list[str] | None
    items: set[str] | None
    flags: list[str]
    units: set[str]
    equipment: Mapping[str, EquipmentListRecord]


@frozen_dataclass
class ListBelow:
    """The units and equipment lists of the army that a list lies over, which it may name."""

    units: Sequence[UnitRecord] = ()
    equipment: Sequence[EquipmentListRecord] = ()


NOTHING_BELOW = ListBelow()


def check_units(
    pack: ListPack,
    file: Spot,
    army: ArmyFile | OwnListFile,
    below: ListBelow = NOTHING_BELOW,
) -> None:
    """Write down every fault of the units and equipment lists of an army list."""
    common = pack.common
    known = _Known(
        stats=[stat.id for stat in pack.collection.stats] if pack.collection else None,
        items=_items(common) if common else None,
        flags=common.flags if common else [],
        units={unit.id for unit in chain(army.units, below.units)},
        equipment={one.id: one for one in chain(below.equipment, army.equipment)},
    )
    for at, shared in file.at("equipment").each(army.equipment):
        _check_equipment(at, shared, known)
    for at, unit in file.at("units").each(army.units):
        _check_unit(at, unit, known)
    check_places(file, army.units, known.equipment)


def _check_equipment(spot: Spot, shared: EquipmentListRecord, known: _Known) -> None:
    """Write down every fault of an equipment list, which knows only its own options."""
    own = [option.id for option in shared.options]
    spot.at("options").report_repeated(own)
    for at, option in spot.at("options").each(shared.options):
        _check_option(at, option, known, set(own))
        if known.stats is not None:
            _check_effects(at, option, known.stats)
            for line in option.adds_profiles:
                _check_line(at, line, known.stats)
    spot.at("limits").report_same_ids(shared.limits)
    for at, limit in spot.at("limits").each(shared.limits):
        at.at("of").report_unknown_in(limit.of, "options", own, "option of this list")


def _items(common: CommonFile) -> set[str]:
    return {
        *(weapon.id for weapon in common.weapons),
        *(piece.id for piece in common.armour),
    }


def _check_unit(spot: Spot, unit: UnitRecord, known: _Known) -> None:
    """Report what a unit names that is not there, and what contradicts itself."""
    if known.stats is not None:
        # Every stat line has the collection's figures, no more and no less; effects name
        # such.
        stats = known.stats
        for place, line in _lines(unit):
            _check_line(spot.at(*place), line, stats)
        for at, option in spot.at("options").each(unit.options):
            _check_effects(at, option, stats)
    for field, message in _contradictions(unit):
        spot.at(field).fault(message)
    if known.items is not None:
        carried = spot.at("default_equipment")
        carried.report_unknown(unit.default_equipment, known.items, "weapon or armour")
        spot.report_unknown_in(unit, "flags", known.flags, "flag")
    spot.report_unknown_in(unit, "upgrade_of", known.units, "unit of this list")
    options = _options(unit)
    keys = [option.id for _, option in options]
    spot.at("options").report_repeated(keys)
    check_named_equipment(spot.at("equipment"), unit, known.equipment)
    # A magic standard needs the bearer, who is no option but a command model.
    own = {*keys, *sold_keys(unit, known.equipment)}
    if unit.command and unit.command.standard_bearer is not None:
        own.add(STANDARD_BEARER)
    for place, option in options:
        _check_option(spot.at(*place), option, known, own)
    beside = chain.from_iterable(price.all_keys for price in unit.points_if)
    spot.at("points_if").report_unknown(beside, own, "option of this unit")


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


def _check_line(spot: Spot, line: StatLineRecord, stats: list[str]) -> None:
    """Report stats that a stat line lacks, and those its collection does not have."""
    for stat in stats:
        if stat not in line.stats:
            spot.at(stat).fault("a value is needed here")
    for stat in line.stats:
        if stat not in stats:
            spot.at(stat).fault("this key is not known here")


def _check_effects(spot: Spot, option: OptionRecord, stats: list[str]) -> None:
    spot.report_unknown_in(option, "effect", stats, "stat of this collection")


def _lines(unit: UnitRecord) -> Iterator[tuple[Place, StatLineRecord]]:
    """Every stat line of a unit and its place: its own, its champion's, those options add."""
    for i, line in enumerate(unit.profiles):
        yield ("profiles", i), line
    if unit.champion and unit.champion.profile:
        yield ("champion", "profile"), unit.champion.profile
    # The champion's options are counted on from the unit's own.
    for i, (_, option) in enumerate(_options(unit)):
        for added in option.adds_profiles:
            yield ("options", i), added


def _options(unit: UnitRecord) -> list[tuple[Place, OptionRecord]]:
    """Every option of a unit and of its champion, with its place."""
    champions = unit.champion.options if unit.champion else []
    own = [(("options", i), option) for i, option in enumerate(unit.options)]
    return [*own, *((("champion", "options", i), o) for i, o in enumerate(champions))]


def _check_option(spot: Spot, option: OptionRecord, known: _Known, own: set[str]) -> None:
    """Write down every fault of an option; ``own`` are the keys of all options of its unit."""
    if option.id in COMMAND:
        spot.at("id").fault("this word is kept for the command models")
    if known.items is not None:
        spot.report_unknown_in(option, "items", known.items, "weapon or armour")
    for field in ("requires", "requires_any", "excludes"):
        spot.report_unknown_in(option, field, own - {option.id}, "option of this unit")
    beside = list(chain.from_iterable(price.all_keys for price in option.points_if))
    spot.at("points_if").report_unknown(beside, own, "option")
    spot.report_unknown_in(option, "mount", known.units, "unit or mount of this list")
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
    counted = count_totals(pack.armies[key], pack.magic_items[key])
    file = Spot(pack.reader, "collection.yaml", ("totals", key))
    for field, value in counted.items():
        expected = getattr(stated, field)
        if value != expected:
            file.at(field).fault(f"the files add up to {value}, the totals say {expected}")


def count_totals(army: ArmyFile, items: MagicItemsFile) -> dict[str, int]:
    """What the files of an army add up to, by the names of ``Totals``.

    Mounts and champions' options are counted apart, champions' lines with the profiles.
    """
    units = [unit for unit in army.units if unit.category != MOUNT]
    mounts = [unit for unit in army.units if unit.category == MOUNT]
    champions = [unit.champion for unit in army.units if unit.champion]
    options = list(chain.from_iterable(unit.options for unit in army.units))
    champions_options = chain.from_iterable(champion.options for champion in champions)
    return {
        "units": len(units),
        "mounts": len(mounts),
        "profiles": sum(_line_count(unit) for unit in army.units),
        "options": len(options),
        "magic_items": len(items.items),
        "unit_points": _points(units),
        "mount_points": _points(mounts),
        "option_points": _points(options),
        "champion_points": _points(champions) + _points(champions_options),
        "command_points": sum(map(_command_points, army.units)),
        "magic_item_points": _points(items.items),
    }


def _line_count(unit: UnitRecord) -> int:
    has_own = unit.champion is not None and unit.champion.profile is not None
    return len(unit.profiles) + has_own


def _points(
    records: Iterable[UnitRecord | OptionRecord | ChampionRecord | MagicItemRecord],
) -> int:
    return sum(record.points for record in records)


def _command_points(unit: UnitRecord) -> int:
    command = unit.command
    return (command.musician or 0) + (command.standard_bearer or 0) if command else 0
