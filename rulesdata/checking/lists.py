"""Checks of a collection of army lists: what its files refer to, and their totals."""

from __future__ import annotations

from engine.types import COMMAND, STANDARD_BEARER
from rulesdata.checking.keys import Place, report_repeated, report_unknown
from rulesdata.pack_files.folders import ListPack
from rulesdata.pack_files.yaml_files import Fault
from rulesdata.schema.equipment import MOUNT
from rulesdata.schema.lists import ArmyFile, MagicItemsFile, Totals
from rulesdata.schema.units import OptionRecord, StatLineRecord, UnitRecord


def check_collection(pack: ListPack) -> list[Fault]:
    """Every fault of a collection: of the shape of its files, of what they refer to, and of their
    totals.
    """
    reader = pack.reader
    if pack.collection:
        if pack.collection.id != reader.folder.name:
            reader.fault(
                "collection.yaml",
                ("id",),
                f"expected '{reader.folder.name}', the name of its folder",
            )
        for key in pack.collection.armies:
            if key not in pack.collection.totals:
                reader.fault("collection.yaml", ("totals",), f"expected totals for '{key}'")
        for key in pack.collection.totals.keys() - set(pack.collection.armies):
            reader.fault("collection.yaml", ("totals", key), "no such army is listed")
        _check_stats(pack)
    for key, army in pack.armies.items():
        _check_army(pack, key, army)
    for key, items in pack.magic_items.items():
        name = f"magic-items/{key}.yaml"
        if items.army != key:
            reader.fault(name, ("army",), f"expected '{key}', as the file is named")
        report_repeated(reader, name, ("items",), [item.id for item in items.items])
    for key in pack.armies.keys() & pack.magic_items.keys():
        if pack.collection and key in pack.collection.totals:
            _check_totals(pack, key, pack.collection.totals[key])
    return reader.faults


def _check_army(pack: ListPack, key: str, army: ArmyFile) -> None:
    reader, name = pack.reader, f"armies/{key}.yaml"
    if army.army != key:
        reader.fault(name, ("army",), f"expected '{key}', as the file is named")
    if pack.collection and army.edition != pack.collection.edition:
        reader.fault(
            name, ("edition",), f"expected {pack.collection.edition}, the collection's edition"
        )
    report_repeated(reader, name, ("units",), [unit.id for unit in army.units])
    _check_starter(pack, name, army)
    units = {unit.id for unit in army.units}
    for number, unit in enumerate(army.units):
        check_unit(pack, name, ("units", number), unit, units)


def _check_stats(pack: ListPack) -> None:
    collection = pack.collection
    assert collection
    reader, name = pack.reader, "collection.yaml"
    stats = [stat.id for stat in collection.stats]
    report_repeated(reader, name, ("stats",), stats)
    report_repeated(
        reader, name, ("categories",), [category.id for category in collection.categories]
    )
    for field in ("leadership_stat", "strength_stat"):
        value = getattr(collection, field)
        report_unknown(
            reader, name, (field,), [value] if value else [], set(stats), "stat of this collection"
        )


def _check_lines(pack: ListPack, name: str, place: Place, unit: UnitRecord) -> None:
    """Every stat line has the collection's figures, no more and no less; effects name figures that
    exist.
    """
    assert pack.collection
    reader, stats = pack.reader, [stat.id for stat in pack.collection.stats]
    lines: list[tuple[Place, StatLineRecord]] = [
        (("profiles", i), line) for i, line in enumerate(unit.profiles)
    ]
    if unit.champion and unit.champion.profile:
        lines.append((("champion", "profile"), unit.champion.profile))
    options = [*unit.options, *(unit.champion.options if unit.champion else [])]
    lines += [
        (("options", i), line) for i, option in enumerate(options) for line in option.adds_profiles
    ]
    for where, line in lines:
        for stat in stats:
            if stat not in line.stats:
                reader.fault(name, (*place, *where, stat), "a value is needed here")
        for stat in line.stats:
            if stat not in stats:
                reader.fault(name, (*place, *where, stat), "this key is not known here")
    for i, option in enumerate(unit.options):
        report_unknown(
            reader,
            name,
            (*place, "options", i, "effect"),
            option.effect,
            set(stats),
            "stat of this collection",
        )


def check_unit(pack: ListPack, name: str, place: Place, unit: UnitRecord, units: set[str]) -> None:
    """Write down every fault of a unit; ``units`` are the keys it may name."""
    reader, common = pack.reader, pack.common
    if pack.collection:
        _check_lines(pack, name, place, unit)
    if unit.category == "mount" and unit.miniatures is not None:
        reader.fault(name, (*place, "miniatures"), "a mount is counted with its rider: remove this")
    if unit.category != "mount" and unit.miniatures is None:
        reader.fault(
            name, (*place, "miniatures"), "a value is needed here: how many figures one price buys"
        )
    if (unit.offered is None) != (unit.not_offered_because is None):
        reader.fault(
            name, (*place, "not_offered_because"), "offered: false and its reason belong together"
        )
    if unit.points_printed is not None and unit.points_include is None:
        reader.fault(name, (*place, "points_printed"), "needs points_include beside it")
    if not unit.profiles and not unit.incomplete:
        reader.fault(
            name, (*place, "profiles"), "without a stat line the unit must say so under incomplete"
        )
    if common:
        known = {record.id for record in common.weapons} | {record.id for record in common.armour}
        report_unknown(
            reader,
            name,
            (*place, "default_equipment"),
            unit.default_equipment,
            known,
            "weapon or armour",
        )
        report_unknown(reader, name, (*place, "flags"), unit.flags, set(common.flags), "flag")
    report_unknown(
        reader, name, (*place, "upgrade_of"), unit.upgrade_of, units, "unit of this list"
    )
    champions = unit.champion.options if unit.champion else []
    own: list[tuple[Place, OptionRecord]] = [
        (("options", i), option) for i, option in enumerate(unit.options)
    ]
    own += [(("champion", "options", i), option) for i, option in enumerate(champions)]
    keys = [option.id for _, option in own]
    report_repeated(reader, name, (*place, "options"), keys)
    commands = _commands(unit)
    for where, option in own:
        if option.id in COMMAND:
            reader.fault(name, (*place, *where, "id"), "this word is kept for the command models")
        _check_option(pack, name, (*place, *where), option, units, {*keys, *commands})


def _check_starter(pack: ListPack, name: str, army: ArmyFile) -> None:
    """The ready warband buys what its list sells."""
    units = {unit.id: unit for unit in army.units if unit.category != MOUNT}
    for i, entry in enumerate(army.starter.warriors if army.starter else ()):
        place: Place = ("starter", "warriors", i)
        report_unknown(
            pack.reader, name, (*place, "profile"), [entry.profile], set(units), "unit of this list"
        )
        if unit := units.get(entry.profile):
            champions = unit.champion.options if unit.champion else []
            known = {option.id for option in (*unit.options, *champions)} | set(COMMAND)
            report_unknown(
                pack.reader, name, (*place, "options"), entry.options, known, "option of this unit"
            )


def _commands(unit: UnitRecord) -> set[str]:
    return {STANDARD_BEARER} if unit.command and unit.command.standard_bearer is not None else set()


def _check_option(
    pack: ListPack, name: str, place: Place, option: OptionRecord, units: set[str], known: set[str]
) -> None:
    reader, common = pack.reader, pack.common
    if common:
        items = {record.id for record in common.weapons} | {record.id for record in common.armour}
        report_unknown(reader, name, (*place, "items"), option.items, items, "weapon or armour")
    for field in ("requires", "requires_any", "excludes"):
        report_unknown(
            reader,
            name,
            (*place, field),
            getattr(option, field),
            known - {option.id},
            "option of this unit",
        )
    report_unknown(
        reader,
        name,
        (*place, "points_if"),
        [price.beside for price in option.points_if],
        known,
        "option",
    )
    if option.mount and option.mount not in units:
        reader.fault(name, (*place, "mount"), f"'{option.mount}' is no unit or mount of this list")
    if (option.kind == "mount") != bool(option.mount):
        reader.fault(
            name,
            (*place, "mount"),
            "an option of the kind mount names its mount, and no other does",
        )
    if option.group_required and not option.group:
        reader.fault(name, (*place, "group_required"), "needs a group")
    if option.max and option.per != "each":
        reader.fault(name, (*place, "max"), "only an option sold per each has a maximum")


def _check_totals(pack: ListPack, key: str, stated: Totals) -> None:
    counted = count_totals(pack.armies[key], pack.magic_items[key])
    for field, value in counted.items():
        expected = getattr(stated, field)
        if value != expected:
            message = f"the files add up to {value}, the totals say {expected}"
            pack.reader.fault("collection.yaml", ("totals", key, field), message)


def count_totals(army: ArmyFile, items: MagicItemsFile) -> dict[str, int]:
    """What the files of an army add up to: mounts and champions' options apart, champions' lines
    with the profiles.
    """
    units = [unit for unit in army.units if unit.category != "mount"]
    mounts = [unit for unit in army.units if unit.category == "mount"]
    champions = [unit.champion for unit in army.units if unit.champion]
    commands = [unit.command for unit in army.units if unit.command]
    return {
        "units": len(units),
        "mounts": len(mounts),
        "profiles": sum(len(u.profiles) for u in army.units)
        + sum(bool(c.profile) for c in champions),
        "options": sum(len(u.options) for u in army.units),
        "magic_items": len(items.items),
        "unit_points": sum(u.points for u in units),
        "mount_points": sum(u.points for u in mounts),
        "option_points": sum(o.points for u in army.units for o in u.options),
        "champion_points": sum(c.points + sum(o.points for o in c.options) for c in champions),
        "command_points": sum((c.musician or 0) + (c.standard_bearer or 0) for c in commands),
        "magic_item_points": sum(item.points for item in items.items),
    }
