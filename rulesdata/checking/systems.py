"""Checks of a rule system and its variants: charts, guidelines, states, equipment, the figures of
combat.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from string import Formatter

from engine.findings.case import sentence
from engine.findings.checks import KINDS
from engine.findings.kinds import GuidelineKind
from engine.rules import CombatRules
from engine.types.mechanics import chart_faults, table_faults
from rulesdata.builders import combat, system
from rulesdata.checking.battle import check_battle
from rulesdata.checking.keys import Place, Spot
from rulesdata.pack_files.folders import SystemPack, read_system
from rulesdata.pack_files.overlays import VARIANTS
from rulesdata.pack_files.yaml_files import Fault
from rulesdata.schema.system import ChartRecord, GuidelineRecord, SystemFile
from rulesdata.schema.units import OptionRecord

CHARTS = "charts.yaml"


def check_variants(folder: Path, collections: Collection[str]) -> list[Fault]:
    """Every fault of a rule system and of each of its variants, once."""
    pack = read_system(folder)
    faults = check_system(pack, collections)
    if pack.system is None:
        return faults
    wanted = [variant.id for variant in pack.system.variants]
    found = sorted(path.name for path in (folder / VARIANTS).glob("*") if path.is_dir())
    for key in [key for key in found if key not in wanted]:
        message = f"{VARIANTS}/{key}/ is not listed: add '{key}'"
        faults.append(Fault(f"{folder.name}/system.yaml", "variants", message))
    for key in wanted:
        known = set(map(_fault_without_line, faults))
        own = check_system(read_system(folder, key), collections)
        faults += [fault for fault in own if _fault_without_line(fault) not in known]
    return faults


def _fault_without_line(fault: Fault) -> tuple[str, str, str]:
    """What makes two faults the same: a variant's file says a common one's on another line."""
    return fault.file, fault.key, fault.message


def check_system(pack: SystemPack, collections: Collection[str]) -> list[Fault]:
    """Every fault of a rule system: shape, keys, charts and tables, guidelines, what scenarios
    waive.
    """
    if pack.system:
        _check_head(Spot(pack.reader, "system.yaml"), pack.system, collections)
    for check in (
        _check_charts,
        _check_guidelines,
        _check_states,
        _check_equipment,
        _check_combat,
        check_battle,
        _check_repeated,
        _check_scenarios,
    ):
        check(pack)
    return pack.reader.faults


def _check_head(file: Spot, head: SystemFile, collections: Collection[str]) -> None:
    folder = file.reader.folder.name
    if head.id != folder:
        file.at("id").fault(f"expected '{folder}', the name of its folder")
    file.at("collections").report_unknown(head.collections, collections, "collection")
    file.at("variants").report_repeated(variant.id for variant in head.variants)
    file.at("tags").report_repeated(tag.id for tag in head.tags)


def _check_repeated(pack: SystemPack) -> None:
    """No house rule, ruling or note stands twice."""
    if pack.house_rules:
        keys = [rule.id for rule in pack.house_rules.house_rules]
        Spot(pack.reader, "house_rules.yaml", ("house_rules",)).report_repeated(keys)
    if pack.rulings:
        refs = [ruling.ref for ruling in pack.rulings.rulings]
        Spot(pack.reader, "rulings.yaml", ("rulings",)).report_repeated(refs)
    if pack.notes:
        keys = [note.id for note in pack.notes.notes]
        Spot(pack.reader, "reference.yaml", ("notes",)).report_repeated(keys)


def _check_scenarios(pack: SystemPack) -> None:
    if not pack.scenarios:
        return
    spot = Spot(pack.reader, "scenarios.yaml", ("scenarios",))
    spot.report_repeated(scenario.id for scenario in pack.scenarios.scenarios)
    if not pack.guidelines:
        return
    waivable = {one.code for one in pack.guidelines.guidelines if one.is_waivable}
    for i, scenario in enumerate(pack.scenarios.scenarios):
        what = "guideline that may be waived"
        spot.at(i, "waives").report_unknown(scenario.waives, waivable, what)


def _check_charts(pack: SystemPack) -> None:
    if not pack.charts:
        return
    charts = Spot(pack.reader, CHARTS, ("charts",))
    tables = Spot(pack.reader, CHARTS, ("tables",))
    charts.report_repeated(chart.id for chart in pack.charts.charts)
    tables.report_repeated(table.id for table in pack.charts.tables)
    rulings = [ruling.ref for ruling in pack.rulings.rulings] if pack.rulings else None
    for i, chart in enumerate(pack.charts.charts):
        _check_chart(charts.at(i), chart, rulings)
    for i, table in enumerate(pack.charts.tables):
        for message in table_faults(system.table(table)):
            tables.at(i).fault(message)


def _check_chart(spot: Spot, chart: ChartRecord, rulings: list[str] | None) -> None:
    """``rulings`` are the refs of rulings.yaml, None where that has a fault."""
    for message in chart_faults(system.chart(chart)):
        spot.fault(message)
    if bool(chart.borrowed_from) != bool(chart.ruling):
        spot.fault("a borrowed chart names both its text and its ruling")
    if rulings is not None:
        spot.at("ruling").report_unknown([chart.ruling], rulings, "ruling")


def _check_guidelines(pack: SystemPack) -> None:
    if not pack.guidelines:
        return
    spot = Spot(pack.reader, "guidelines.yaml", ("guidelines",))
    spot.report_repeated(guideline.code for guideline in pack.guidelines.guidelines)
    for i, guideline in enumerate(pack.guidelines.guidelines):
        if kind := KINDS.get(guideline.kind):
            _check_guideline(spot.at(i), guideline, kind)
        else:
            message = f"'{guideline.kind}' is no kind the engine knows: {', '.join(KINDS)}"
            spot.at(i, "kind").fault(message)


def _check_guideline(spot: Spot, guideline: GuidelineRecord, kind: GuidelineKind) -> None:
    """Compare a guideline's sentence and parameters with what its kind declares."""
    in_message, in_parameters = spot.at("message"), spot.at("parameters")
    try:
        used = _fields_used(guideline.message)
    except ValueError as error:
        in_message.fault(f"the braces do not fit: {error}")
        return
    in_message.report_unknown(sorted(used), kind.fields, f"field of {guideline.kind}")
    if used <= kind.fields.keys() and (message := _format_fault(guideline.message, kind.fields)):
        in_message.fault(message)
    given = set(guideline.parameters.given())
    for parameter in sorted(set(kind.needs) - given):
        in_parameters.fault(f"{guideline.kind} needs '{parameter}'")
    known = kind.needs + kind.may
    in_parameters.report_unknown(sorted(given), known, f"figure of {guideline.kind}")


def _fields_used(message: str) -> set[str]:
    """Return the fields a sentence names. Raises ValueError for braces that do not fit."""
    return {field for _, field, _, _ in Formatter().parse(message) if field is not None}


def _format_fault(message: str, fields: Mapping[str, type]) -> str:
    """What keeps a sentence from being filled in, or nothing.

    ``{count:model|models}`` is for numbers only.
    """
    examples = {field: 7 if of_type is int else "somebody" for field, of_type in fields.items()}
    try:
        sentence(message, examples)
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        return (
            f"the sentence cannot be filled in: {error}; write {{count}} or {{count:model|models}}"
        )
    return ""


def _check_states(pack: SystemPack) -> None:
    if not pack.states:
        return
    file, keys = Spot(pack.reader, "states.yaml"), [state.id for state in pack.states.states]
    file.at("states").report_repeated(keys)
    for i, move in enumerate(pack.states.transitions):
        file.at("transitions", i).report_unknown([*move.before, move.after], keys, "state")
    for i, table in enumerate(pack.charts.tables if pack.charts else ()):
        results = [row.result for row in table.rows] if table.results == "states" else []
        Spot(pack.reader, CHARTS, ("tables", i)).report_unknown(results, keys, "state")


def _check_equipment(pack: SystemPack) -> None:
    equipment = pack.equipment
    if not equipment:
        return
    file = Spot(pack.reader, "equipment.yaml")
    own = {weapon.id for weapon in equipment.weapons} | {piece.id for piece in equipment.armour}
    for field in ("weapons", "armour", "options"):
        file.at(field).report_repeated(record.id for record in getattr(equipment, field))
    for i, option in enumerate(equipment.options):
        _check_option(file.at("options", i), option, own)
    if bool(equipment.options) != bool(equipment.options_for):
        message = "options and the troop types they are for belong together"
        file.at("options_for").fault(message)


def _check_option(spot: Spot, option: OptionRecord, own: set[str]) -> None:
    """``own`` are the keys of the file's weapons and armour."""
    spot.at("items").report_unknown(option.items, own, "weapon or armour of this file")
    if option.mount or option.requires_any or option.requires or option.adds_profiles:
        spot.fault("an option for everybody only brings items and changes figures")


def _check_combat(pack: SystemPack) -> None:
    if not (pack.combat and pack.combat.root and pack.system and pack.charts):
        return
    try:
        rules = CombatRules.from_mapping(combat.combat(pack.system, pack.charts, pack.combat))
    except ValueError as error:
        Spot(pack.reader, "combat.yaml", _combat_place(pack, str(error))).fault(str(error))
        return
    for i, ruling in enumerate(pack.rulings.rulings if pack.rulings else ()):
        for message in combat.ruling_faults(rules, ruling):
            Spot(pack.reader, "rulings.yaml", ("rulings", i)).fault(message)


def _combat_place(pack: SystemPack, message: str) -> Place:
    """The keys of combat.yaml that a fault names, as far as the file has them itself."""
    data, place = pack.combat.root if pack.combat else {}, []
    for key in message.partition(":")[0].split(".")[1:]:
        if not isinstance(data, dict) or key.split(" ")[0] not in data:
            break
        place.append(key.split(" ")[0])
        data = data[place[-1]]
    return tuple(place)
