"""Checks of a rule system and its variants: charts, guidelines, states, equipment, the figures of
combat.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from string import Formatter

from engine.charts import chart_faults, table_faults
from engine.findings import KINDS
from engine.findings.case import sentence
from engine.findings.kinds import GuidelineKind
from engine.rules import CombatRules
from rulesdata.build import combat, system
from rulesdata.checking.battle import check_battle
from rulesdata.checking.keys import Place, report_repeated, report_unknown
from rulesdata.pack_files.folders import Reader, SystemPack, read_system
from rulesdata.pack_files.overlays import VARIANTS
from rulesdata.pack_files.yaml_files import Fault
from rulesdata.schema.system import GuidelineRecord

GUIDELINES = "guidelines.yaml"


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
    """Every fault of a rule system: shape, keys, charts and tables, guidelines, what scenarios
    waive.
    """
    reader = pack.reader
    if pack.system:
        if pack.system.id != reader.folder.name:
            reader.fault(
                "system.yaml", ("id",), f"expected '{reader.folder.name}', the name of its folder"
            )
        report_unknown(
            reader,
            "system.yaml",
            ("collections",),
            pack.system.collections,
            set(collections),
            "collection",
        )
        report_repeated(reader, "system.yaml", ("variants",), [v.id for v in pack.system.variants])
        report_repeated(reader, "system.yaml", ("tags",), [tag.id for tag in pack.system.tags])
    _check_charts(pack)
    _check_guidelines(pack)
    _check_states(pack)
    _check_equipment(pack)
    _check_combat(pack)
    check_battle(pack)
    if pack.house_rules:
        report_repeated(
            reader,
            "house_rules.yaml",
            ("house_rules",),
            [h.id for h in pack.house_rules.house_rules],
        )
    if pack.rulings:
        report_repeated(reader, "rulings.yaml", ("rulings",), [r.ref for r in pack.rulings.rulings])
    if pack.notes:
        report_repeated(reader, "reference.yaml", ("notes",), [n.id for n in pack.notes.notes])
    if pack.scenarios:
        report_repeated(
            reader, "scenarios.yaml", ("scenarios",), [s.id for s in pack.scenarios.scenarios]
        )
        if pack.guidelines:
            waivable = {g.code for g in pack.guidelines.guidelines if g.is_waivable}
            for i, scenario in enumerate(pack.scenarios.scenarios):
                where = ("scenarios", i, "waives")
                report_unknown(
                    reader,
                    "scenarios.yaml",
                    where,
                    scenario.waives,
                    waivable,
                    "guideline that may be waived",
                )
    return reader.faults


def _check_charts(pack: SystemPack) -> None:
    if not pack.charts:
        return
    reader, charts = pack.reader, pack.charts
    report_repeated(reader, "charts.yaml", ("charts",), [c.id for c in charts.charts])
    report_repeated(reader, "charts.yaml", ("tables",), [t.id for t in charts.tables])
    rulings = {r.ref for r in pack.rulings.rulings} if pack.rulings else None
    for i, chart in enumerate(charts.charts):
        for message in chart_faults(system.chart(chart)):
            reader.fault("charts.yaml", ("charts", i), message)
        if bool(chart.borrowed_from) != bool(chart.ruling):
            reader.fault(
                "charts.yaml", ("charts", i), "a borrowed chart names both its text and its ruling"
            )
        if chart.ruling and rulings is not None:
            report_unknown(
                reader, "charts.yaml", ("charts", i, "ruling"), [chart.ruling], rulings, "ruling"
            )
    for i, table in enumerate(charts.tables):
        for message in table_faults(system.table(table)):
            reader.fault("charts.yaml", ("tables", i), message)


def _check_guidelines(pack: SystemPack) -> None:
    if not pack.guidelines:
        return
    reader, name = pack.reader, GUIDELINES
    report_repeated(reader, name, ("guidelines",), [g.code for g in pack.guidelines.guidelines])
    for i, guideline in enumerate(pack.guidelines.guidelines):
        place = ("guidelines", i)
        if kind := KINDS.get(guideline.kind):
            _check_guideline(reader, place, guideline, kind)
        else:
            message = f"'{guideline.kind}' is no kind the engine knows: {', '.join(KINDS)}"
            reader.fault(name, (*place, "kind"), message)


def _check_guideline(
    reader: Reader, place: Place, guideline: GuidelineRecord, kind: GuidelineKind
) -> None:
    """Compare a guideline's sentence and parameters with what its kind declares."""
    name, in_message, in_parameters = GUIDELINES, (*place, "message"), (*place, "parameters")
    try:
        used = _fields_used(guideline.message)
    except ValueError as error:
        reader.fault(name, in_message, f"the braces do not fit: {error}")
        return
    report_unknown(
        reader, name, in_message, sorted(used), kind.fields, f"field of {guideline.kind}"
    )
    if used <= kind.fields.keys() and (message := _format_fault(guideline.message, kind.fields)):
        reader.fault(name, in_message, message)
    given = set(guideline.parameters.given())
    for parameter in sorted(set(kind.needs) - given):
        reader.fault(name, in_parameters, f"{guideline.kind} needs '{parameter}'")
    known = kind.needs + kind.may
    report_unknown(reader, name, in_parameters, sorted(given), known, f"figure of {guideline.kind}")


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
    reader, keys = pack.reader, [state.id for state in pack.states.states]
    report_repeated(reader, "states.yaml", ("states",), keys)
    for i, move in enumerate(pack.states.transitions):
        report_unknown(
            reader,
            "states.yaml",
            ("transitions", i),
            [*move.before, move.after],
            set(keys),
            "state",
        )
    if pack.charts:
        for i, table in enumerate(pack.charts.tables):
            results = [row.result for row in table.rows] if table.results == "states" else []
            report_unknown(reader, "charts.yaml", ("tables", i), results, set(keys), "state")


def _check_equipment(pack: SystemPack) -> None:
    if not pack.equipment:
        return
    reader, name, equipment = pack.reader, "equipment.yaml", pack.equipment
    own = {weapon.id for weapon in equipment.weapons} | {piece.id for piece in equipment.armour}
    report_repeated(reader, name, ("weapons",), [w.id for w in equipment.weapons])
    report_repeated(reader, name, ("armour",), [a.id for a in equipment.armour])
    report_repeated(reader, name, ("options",), [o.id for o in equipment.options])
    for i, option in enumerate(equipment.options):
        report_unknown(
            reader,
            name,
            ("options", i, "items"),
            option.items,
            own,
            "weapon or armour of this file",
        )
        if option.mount or option.requires_any or option.requires or option.adds_profiles:
            reader.fault(
                name,
                ("options", i),
                "an option for everybody only brings items and changes figures",
            )
    if bool(equipment.options) != bool(equipment.options_for):
        reader.fault(
            name, ("options_for",), "options and the troop types they are for belong together"
        )


def _check_combat(pack: SystemPack) -> None:
    if not (pack.combat and pack.combat.root and pack.system and pack.charts):
        return
    try:
        rules = CombatRules.from_mapping(combat.combat(pack.system, pack.charts, pack.combat))
    except ValueError as error:
        pack.reader.fault("combat.yaml", _combat_place(pack, str(error)), str(error))
        return
    for i, ruling in enumerate(pack.rulings.rulings if pack.rulings else ()):
        for message in combat.ruling_faults(rules, ruling):
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
