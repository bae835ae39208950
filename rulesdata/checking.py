"""Checks what single files cannot show: references, totals, charts, guidelines. Faults join the reader's work list."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from string import Formatter

from engine.charts import chart_faults, table_faults
from engine.findings import KINDS
from engine.findings.cases import sentence
from engine.rules import CombatRules
from engine.types import COMMAND, STANDARD_BEARER
from rulesdata import fighting, mechanics
from rulesdata.folders import (
    PACKS,
    ListPack,
    Reader,
    SystemPack,
    collection_folders,
    read_collection,
    read_system,
    system_folders,
)
from rulesdata.kinds import FIELDS_OF_KINDS, NUMBERS, PARAMETERS_OF_KINDS
from rulesdata.overlays import VARIANTS
from rulesdata.reading import Fault
from rulesdata.schema.lists import (
    MOUNT,
    ArmyFile,
    MagicItemsFile,
    OptionRecord,
    StatLine,
    Totals,
    UnitRecord,
)

Place = tuple[str | int, ...]


def check_packs(packs: Path = PACKS) -> list[Fault]:
    """The work list of every pack below a folder: each fault with file, key and what was expected."""
    faults: list[Fault] = []
    lists = collection_folders(packs)
    if not lists and not system_folders(packs):
        return [Fault(str(packs), "", "no pack here: a folder needs a system.yaml or a collection.yaml")]
    for folder in lists:
        faults += check_collection(read_collection(folder))
    known = {folder.name for folder in (*lists, *collection_folders(PACKS))}
    for folder in system_folders(packs):
        faults += check_variants(folder, known)
    return faults


def check_folder(folder: Path) -> list[Fault]:
    """The work list of one pack, or of a whole tree of packs, anywhere on the disk."""
    if (folder / "collection.yaml").exists():
        return check_collection(read_collection(folder))
    if (folder / "system.yaml").exists():
        known = {found.name for found in (*collection_folders(PACKS), *collection_folders(folder.parent.parent))}
        return check_variants(folder, known)
    return check_packs(folder)


# Army lists -----------------------------------------------------------------------------------------------------------


def check_collection(pack: ListPack) -> list[Fault]:
    """Every fault of a collection: of the shape of its files, of what they refer to, and of their totals."""
    reader = pack.reader
    if pack.collection:
        if pack.collection.id != reader.folder.name:
            reader.fault("collection.yaml", ("id",), f"expected '{reader.folder.name}', the name of its folder")
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
        _repeats(reader, name, ("items",), [item.id for item in items.items])
    for key in pack.armies.keys() & pack.magic_items.keys():
        if pack.collection and key in pack.collection.totals:
            _check_totals(pack, key, pack.collection.totals[key])
    return reader.faults


def _check_army(pack: ListPack, key: str, army: ArmyFile) -> None:
    reader, name = pack.reader, f"armies/{key}.yaml"
    if army.army != key:
        reader.fault(name, ("army",), f"expected '{key}', as the file is named")
    if pack.collection and army.edition != pack.collection.edition:
        reader.fault(name, ("edition",), f"expected {pack.collection.edition}, the collection's edition")
    _repeats(reader, name, ("units",), [unit.id for unit in army.units])
    _check_starter(pack, name, army)
    units = {unit.id for unit in army.units}
    for number, unit in enumerate(army.units):
        _check_unit(pack, name, ("units", number), unit, units)


def _check_stats(pack: ListPack) -> None:
    collection = pack.collection
    assert collection
    reader, name = pack.reader, "collection.yaml"
    stats = [stat.id for stat in collection.stats]
    _repeats(reader, name, ("stats",), stats)
    _repeats(reader, name, ("categories",), [category.id for category in collection.categories])
    for field in ("leadership_stat", "strength_stat"):
        value = getattr(collection, field)
        _unknown(reader, name, (field,), [value] if value else [], set(stats), "stat of this collection")


def _check_lines(pack: ListPack, name: str, place: Place, unit: UnitRecord) -> None:
    """Every stat line has the collection's figures, no more and no less; effects name figures that exist."""
    assert pack.collection
    reader, stats = pack.reader, [stat.id for stat in pack.collection.stats]
    lines: list[tuple[Place, StatLine]] = [(("profiles", i), line) for i, line in enumerate(unit.profiles)]
    if unit.champion and unit.champion.profile:
        lines.append((("champion", "profile"), unit.champion.profile))
    options = [*unit.options, *(unit.champion.options if unit.champion else [])]
    lines += [(("options", i), line) for i, option in enumerate(options) for line in option.adds_profiles]
    for where, line in lines:
        for stat in stats:
            if stat not in line.stats:
                reader.fault(name, (*place, *where, stat), "a value is needed here")
        for stat in line.stats:
            if stat not in stats:
                reader.fault(name, (*place, *where, stat), "this key is not known here")
    for i, option in enumerate(unit.options):
        _unknown(reader, name, (*place, "options", i, "effect"), option.effect, set(stats), "stat of this collection")


def _check_unit(pack: ListPack, name: str, place: Place, unit: UnitRecord, units: set[str]) -> None:
    reader, common = pack.reader, pack.common
    if pack.collection:
        _check_lines(pack, name, place, unit)
    if unit.category == "mount" and unit.miniatures is not None:
        reader.fault(name, (*place, "miniatures"), "a mount is counted with its rider: remove this")
    if unit.category != "mount" and unit.miniatures is None:
        reader.fault(name, (*place, "miniatures"), "a value is needed here: how many figures one price buys")
    if (unit.offered is None) != (unit.not_offered_because is None):
        reader.fault(name, (*place, "not_offered_because"), "offered: false and its reason belong together")
    if unit.points_printed is not None and unit.points_include is None:
        reader.fault(name, (*place, "points_printed"), "needs points_include beside it")
    if not unit.profiles and not unit.incomplete:
        reader.fault(name, (*place, "profiles"), "without a stat line the unit must say so under incomplete")
    if common:
        known = {record.id for record in common.weapons} | {record.id for record in common.armour}
        _unknown(reader, name, (*place, "default_equipment"), unit.default_equipment, known, "weapon or armour")
        _unknown(reader, name, (*place, "flags"), unit.flags, set(common.flags), "flag")
    _unknown(reader, name, (*place, "upgrade_of"), unit.upgrade_of, units, "unit of this list")
    champions = unit.champion.options if unit.champion else []
    own: list[tuple[Place, OptionRecord]] = [(("options", i), option) for i, option in enumerate(unit.options)]
    own += [(("champion", "options", i), option) for i, option in enumerate(champions)]
    keys = [option.id for _, option in own]
    _repeats(reader, name, (*place, "options"), keys)
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
        _unknown(pack.reader, name, (*place, "profile"), [entry.profile], set(units), "unit of this list")
        if unit := units.get(entry.profile):
            champions = unit.champion.options if unit.champion else []
            known = {option.id for option in (*unit.options, *champions)} | set(COMMAND)
            _unknown(pack.reader, name, (*place, "options"), entry.options, known, "option of this unit")


def _commands(unit: UnitRecord) -> set[str]:
    return {STANDARD_BEARER} if unit.command and unit.command.standard_bearer is not None else set()


def _check_option(
    pack: ListPack, name: str, place: Place, option: OptionRecord, units: set[str], known: set[str]
) -> None:
    reader, common = pack.reader, pack.common
    if common:
        items = {record.id for record in common.weapons} | {record.id for record in common.armour}
        _unknown(reader, name, (*place, "items"), option.items, items, "weapon or armour")
    for field in ("requires", "requires_any", "excludes"):
        _unknown(reader, name, (*place, field), getattr(option, field), known - {option.id}, "option of this unit")
    _unknown(reader, name, (*place, "points_if"), [price.beside for price in option.points_if], known, "option")
    if option.mount and option.mount not in units:
        reader.fault(name, (*place, "mount"), f"'{option.mount}' is no unit or mount of this list")
    if (option.kind == "mount") != bool(option.mount):
        reader.fault(name, (*place, "mount"), "an option of the kind mount names its mount, and no other does")
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
    """What the files of an army add up to: mounts and champions' options apart, champions' lines with the profiles."""
    units = [unit for unit in army.units if unit.category != "mount"]
    mounts = [unit for unit in army.units if unit.category == "mount"]
    champions = [unit.champion for unit in army.units if unit.champion]
    commands = [unit.command for unit in army.units if unit.command]
    return {
        "units": len(units),
        "mounts": len(mounts),
        "profiles": sum(len(u.profiles) for u in army.units) + sum(bool(c.profile) for c in champions),
        "options": sum(len(u.options) for u in army.units),
        "magic_items": len(items.items),
        "unit_points": sum(u.points for u in units),
        "mount_points": sum(u.points for u in mounts),
        "option_points": sum(o.points for u in army.units for o in u.options),
        "champion_points": sum(c.points + sum(o.points for o in c.options) for c in champions),
        "command_points": sum((c.musician or 0) + (c.standard_bearer or 0) for c in commands),
        "magic_item_points": sum(item.points for item in items.items),
    }


# Systems --------------------------------------------------------------------------------------------------------------


def check_variants(folder: Path, collections: Collection[str]) -> list[Fault]:
    """Every fault of a rule system and of each of its variants, once."""
    pack = read_system(folder)
    faults = check_system(pack, collections)
    wanted = [variant.id for variant in pack.system.variants] if pack.system else []
    found = sorted(path.name for path in (folder / VARIANTS).glob("*") if path.is_dir())
    for key in found if pack.system else ():
        if key not in wanted:
            message = f"{VARIANTS}/{key}/ is not listed: add '{key}'"
            faults.append(Fault(f"{folder.name}/system.yaml", "variants", message))
    for key in wanted:
        known = {(fault.file, fault.key, fault.message) for fault in faults}
        own = check_system(read_system(folder, key), collections)
        faults += [fault for fault in own if (fault.file, fault.key, fault.message) not in known]
    return faults


def check_system(pack: SystemPack, collections: Collection[str]) -> list[Fault]:
    """Every fault of a rule system: shape, keys, charts and tables, guidelines, what scenarios waive."""
    reader = pack.reader
    if pack.system:
        if pack.system.id != reader.folder.name:
            reader.fault("system.yaml", ("id",), f"expected '{reader.folder.name}', the name of its folder")
        _unknown(reader, "system.yaml", ("collections",), pack.system.collections, set(collections), "collection")
        _repeats(reader, "system.yaml", ("variants",), [v.id for v in pack.system.variants])
        _repeats(reader, "system.yaml", ("tags",), [tag.id for tag in pack.system.tags])
    _check_charts(pack)
    _check_guidelines(pack)
    _check_states(pack)
    _check_equipment(pack)
    _check_combat(pack)
    if pack.house_rules:
        _repeats(reader, "house_rules.yaml", ("house_rules",), [h.id for h in pack.house_rules.house_rules])
    if pack.rulings:
        _repeats(reader, "rulings.yaml", ("rulings",), [r.ref for r in pack.rulings.rulings])
    if pack.notes:
        _repeats(reader, "reference.yaml", ("notes",), [n.id for n in pack.notes.notes])
    if pack.scenarios:
        _repeats(reader, "scenarios.yaml", ("scenarios",), [s.id for s in pack.scenarios.scenarios])
        if pack.guidelines:
            waivable = {g.code for g in pack.guidelines.guidelines if g.is_waivable}
            for i, scenario in enumerate(pack.scenarios.scenarios):
                where = ("scenarios", i, "waives")
                _unknown(reader, "scenarios.yaml", where, scenario.waives, waivable, "guideline that may be waived")
    return reader.faults


def _check_charts(pack: SystemPack) -> None:
    if not pack.charts:
        return
    reader, charts = pack.reader, pack.charts
    _repeats(reader, "charts.yaml", ("charts",), [c.id for c in charts.charts])
    _repeats(reader, "charts.yaml", ("tables",), [t.id for t in charts.tables])
    rulings = {r.ref for r in pack.rulings.rulings} if pack.rulings else None
    for i, chart in enumerate(charts.charts):
        for message in chart_faults(mechanics.chart(chart)):
            reader.fault("charts.yaml", ("charts", i), message)
        if bool(chart.borrowed_from) != bool(chart.ruling):
            reader.fault("charts.yaml", ("charts", i), "a borrowed chart names both its text and its ruling")
        if chart.ruling and rulings is not None:
            _unknown(reader, "charts.yaml", ("charts", i, "ruling"), [chart.ruling], rulings, "ruling")
    for i, table in enumerate(charts.tables):
        for message in table_faults(mechanics.table(table)):
            reader.fault("charts.yaml", ("tables", i), message)


def _check_guidelines(pack: SystemPack) -> None:
    if not pack.guidelines:
        return
    reader, name = pack.reader, "guidelines.yaml"
    _repeats(reader, name, ("guidelines",), [g.code for g in pack.guidelines.guidelines])
    for i, guideline in enumerate(pack.guidelines.guidelines):
        place = ("guidelines", i)
        if guideline.kind not in KINDS:
            reader.fault(name, (*place, "kind"), f"'{guideline.kind}' is no kind the engine knows: {', '.join(KINDS)}")
            continue
        allowed = FIELDS_OF_KINDS.get(guideline.kind, set())
        try:
            used = {field for _, field, _, _ in Formatter().parse(guideline.message) if field is not None}
        except ValueError as error:
            reader.fault(name, (*place, "message"), f"the braces do not fit: {error}")
            continue
        _unknown(reader, name, (*place, "message"), sorted(used), allowed, f"field of {guideline.kind}")
        if used <= allowed and (message := _format_fault(guideline.message, allowed)):
            reader.fault(name, (*place, "message"), message)
        needed, optional = PARAMETERS_OF_KINDS.get(guideline.kind, (set(), set()))
        given = set(guideline.parameters.given())
        for field in sorted(needed - given):
            reader.fault(name, (*place, "parameters"), f"{guideline.kind} needs '{field}'")
        _unknown(reader, name, (*place, "parameters"), sorted(given), needed | optional, f"figure of {guideline.kind}")


def _format_fault(message: str, fields: set[str]) -> str:
    """What keeps a sentence from being filled in, or nothing. ``{count:model|models}`` is for numbers only."""
    try:
        sentence(message, {field: 7 if field in NUMBERS else "somebody" for field in fields})
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        return f"the sentence cannot be filled in: {error}; write {{count}} or {{count:model|models}}"
    return ""


def _check_states(pack: SystemPack) -> None:
    if not pack.states:
        return
    reader, keys = pack.reader, [state.id for state in pack.states.states]
    _repeats(reader, "states.yaml", ("states",), keys)
    for i, move in enumerate(pack.states.transitions):
        _unknown(reader, "states.yaml", ("transitions", i), [*move.before, move.after], set(keys), "state")
    if pack.charts:
        for i, table in enumerate(pack.charts.tables):
            results = [row.result for row in table.rows] if table.results == "states" else []
            _unknown(reader, "charts.yaml", ("tables", i), results, set(keys), "state")


def _check_equipment(pack: SystemPack) -> None:
    if not pack.equipment:
        return
    reader, name, equipment = pack.reader, "equipment.yaml", pack.equipment
    own = {weapon.id for weapon in equipment.weapons} | {piece.id for piece in equipment.armour}
    _repeats(reader, name, ("weapons",), [w.id for w in equipment.weapons])
    _repeats(reader, name, ("armour",), [a.id for a in equipment.armour])
    _repeats(reader, name, ("options",), [o.id for o in equipment.options])
    for i, option in enumerate(equipment.options):
        _unknown(reader, name, ("options", i, "items"), option.items, own, "weapon or armour of this file")
        if option.mount or option.requires_any or option.requires or option.adds_profiles:
            reader.fault(name, ("options", i), "an option for everybody only brings items and changes figures")
    if bool(equipment.options) != bool(equipment.options_for):
        reader.fault(name, ("options_for",), "options and the troop types they are for belong together")


def _check_combat(pack: SystemPack) -> None:
    if not (pack.combat and pack.combat.root and pack.system and pack.charts):
        return
    try:
        rules = CombatRules.from_mapping(fighting.combat(pack.system, pack.charts, pack.combat))
    except ValueError as error:
        pack.reader.fault("combat.yaml", _combat_place(pack, str(error)), str(error))
        return
    for i, ruling in enumerate(pack.rulings.rulings if pack.rulings else ()):
        for message in fighting.ruling_faults(rules, ruling):
            pack.reader.fault("rulings.yaml", ("rulings", i), message)


def _combat_place(pack: SystemPack, message: str) -> Place:
    """The keys of combat.yaml that a fault names, as far as the file has them itself."""
    data, place = pack.combat.root if pack.combat else {}, []
    for key in message.partition(":")[0].split(".")[1:]:
        if not isinstance(data, dict) or key.split(" ")[0] not in data:
            break
        place.append(key.split(" ")[0])
        data = data[place[-1]]
    return tuple(place)


# Shared ---------------------------------------------------------------------------------------------------------------


def _repeats(reader: Reader, name: str, place: Place, keys: list[str]) -> None:
    seen: set[str] = set()
    for number, key in enumerate(keys):
        if key in seen:
            reader.fault(name, (*place, number), f"'{key}' stands twice")
        seen.add(key)


def _unknown(reader: Reader, name: str, place: Place, keys: Iterable[str], known: Collection[str], what: str) -> None:
    for key in keys:
        if key not in known:
            reader.fault(name, place, f"'{key}' is no {what}")
