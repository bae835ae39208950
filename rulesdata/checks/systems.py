"""Checks of a rule system and its variants: charts, guidelines, states, equipment, the figures of
combat, and what a battle records.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from string import Formatter
from typing import Any

from engine.errors import Refusal
from engine.findings.case import GuidelineKind, sentence
from engine.findings.checks import KINDS
from engine.records import Texts
from engine.rules import UNCOUNTED_RULINGS, CombatRules
from engine.types.mechanics import chart_faults, table_faults
from rulesdata.builders.system import combat_figures
from rulesdata.checks.agreements import agreed_together, check_alternatives, check_rulings
from rulesdata.checks.coverage import check_coverage
from rulesdata.pack_files.collections import ArmiesByCollection, known_keys
from rulesdata.pack_files.folders import (
    ALTERNATIVES,
    PACKS,
    SYSTEM_FILES,
    Reader,
    Spot,
    SystemPack,
    read_system,
)
from rulesdata.pack_files.yaml_files import VARIANTS, Fault
from rulesdata.schema.battle import (
    BattleFile,
    BattleTestRecord,
    CounterRecord,
    PromptRecord,
)
from rulesdata.schema.equipment import CommonFile, EquipmentFile
from rulesdata.schema.lists import CollectionFile
from rulesdata.schema.system import (
    ChartsFile,
    CombatFile,
    GuidelineRecord,
    GuidelinesFile,
    RulingRecord,
    RulingsFile,
    ScenariosFile,
    StatesFile,
    SystemFile,
)


def check_variants(folder: Path, collections: ArmiesByCollection) -> list[Fault]:
    """Every fault of a rule system and of each of its variants, once."""
    pack = read_system(folder)
    faults = check_system(pack, collections)
    head = pack.find(SystemFile)
    if head is None:
        return faults
    variants = [variant.id for variant in head.variants]
    for path in sorted((folder / VARIANTS).glob("*")):
        if path.is_dir() and path.name not in variants:
            message = f"{VARIANTS}/{path.name}/ is not listed: add '{path.name}'"
            faults.append(Fault(f"{folder.name}/system.yaml", "variants", message))
    # A variant repeats the faults of the common files; each is told once.
    for key in variants:
        reported = set(map(_without_line, faults))
        variant_faults = check_system(read_system(folder, key), collections)
        faults += [
            fault for fault in variant_faults if _without_line(fault) not in reported
        ]
    return faults + _agreed_faults(folder, variants, collections, faults)


def _agreed_faults(
    folder: Path, variants: list[str], collections: ArmiesByCollection, faults: list[Fault]
) -> list[Fault]:
    """Faults that the files have only while something is agreed, beside ``faults``."""
    reported = set(map(_without_line, faults))
    agreed: dict[tuple[str, str], Fault] = {}
    for key in variants or [""]:
        for chosen in agreed_together(read_system(folder, key)):
            for fault in check_system(read_system(folder, key, chosen), collections):
                if _without_line(fault) not in reported:
                    message = f"{fault.message} (under {', '.join(chosen)})"
                    place = (fault.file, fault.message)
                    agreed.setdefault(place, replace(fault, message=message))
    return list(agreed.values())


def _without_line(fault: Fault) -> tuple[str, str, str]:
    """Return what makes two faults the same: a variant has a common one on another line."""
    return fault.file, fault.key, fault.message


def check_system(pack: SystemPack, collections: ArmiesByCollection) -> list[Fault]:
    """Every fault of a rule system: shape, keys, charts and tables, guidelines, what scenarios
    waive, and which rules of the text are covered.
    """
    if head := pack.find(SystemFile):
        file, folder = Spot(pack.reader, "system.yaml"), pack.reader.folder.name
        if head.id != folder:
            file.at("id").fault(f"expected '{folder}', the name of its folder")
        file.report_unknown_in(head, "collections", collections, "collection")
        armies = chain.from_iterable(collections.get(key, ()) for key in head.collections)
        file.at("collections").report_repeated(armies)
        file.at("variants").report_same_ids(head.variants)
        file.at("tags").report_same_ids(head.tags)
    for name, lists, check in CHECKS:
        if shape := pack.find(SYSTEM_FILES[name]):
            spot = Spot(pack.reader, name)
            for field in lists:
                spot.at(field).report_same_ids(getattr(shape, field))
            if check:
                check(pack, spot, shape)
    check_coverage(pack)
    return pack.reader.faults


def _check_scenarios(pack: SystemPack, spot: Spot, file: ScenariosFile) -> None:
    """Report waivers of guidelines that may not be waived, and sides named twice."""
    guidelines = pack.find(GuidelinesFile)
    if guidelines is None:
        return
    waivable = {
        guideline.code for guideline in guidelines.guidelines if guideline.is_waivable
    }
    what = "guideline that may be waived"
    for at, scenario in spot.at("scenarios").each(file.scenarios):
        at.report_unknown_in(scenario, "waives", waivable, what)
        at.at("sides").report_repeated(side.id or side.name for side in scenario.sides)
        for beside, side in at.at("sides").each(scenario.sides):
            beside.report_unknown_in(side, "waives", waivable, what)
            if side.waives and side.id is None:
                beside.at("id").fault("a side with waivers of its own needs an id")


def _check_charts(pack: SystemPack, spot: Spot, file: ChartsFile) -> None:
    """Report faults of charts, and gaps or overlaps in tables that are rolled on."""
    for at, chart in spot.at("charts").each(file.charts):
        for message in chart_faults(chart.build()):
            at.fault(message)
        if bool(chart.borrowed_from) != bool(chart.ruling):
            at.fault("a borrowed chart names both its text and its ruling")
    states = pack.find(StatesFile)
    keys = [state.id for state in states.states] if states else None
    for at, table in spot.at("tables").each(file.tables):
        for message in table_faults(table.build()):
            at.fault(message)
        if table.results == "states" and keys is not None:
            at.report_unknown([row.result for row in table.rows], keys, "state")


def _check_guidelines(pack: SystemPack, spot: Spot, file: GuidelinesFile) -> None:
    """Report guidelines of an unknown kind, and faults of the others."""
    for at, guideline in spot.at("guidelines").each(file.guidelines):
        if kind := KINDS.get(guideline.kind):
            _check_guideline(at, guideline, kind)
        else:
            message = f"'{guideline.kind}' is no kind the engine knows: {', '.join(KINDS)}"
            at.at("kind").fault(message)


def _check_guideline(spot: Spot, guideline: GuidelineRecord, kind: GuidelineKind) -> None:
    """Compare a guideline's sentence and parameters with what its kind declares."""
    message, parameters = spot.at("message"), spot.at("parameters")
    try:
        parts = Formatter().parse(guideline.message)
        used = {field for _, field, _, _ in parts if field is not None}
    except ValueError as error:
        message.fault(f"the braces do not fit: {error}")
        return
    message.report_unknown(sorted(used), kind.fields, f"field of {guideline.kind}")
    if used <= kind.fields.keys():
        # Only with a value of each field's type do the braces of a sentence show their faults.
        examples = {
            field: 7 if of_type is int else "somebody"
            for field, of_type in kind.fields.items()
        }
        try:
            sentence(guideline.message, examples)
        except (ValueError, KeyError, IndexError, AttributeError) as error:
            hint = "write {count} or {count:model|models}"
            message.fault(f"the sentence cannot be filled in: {error}; {hint}")
    values = guideline.parameters.build()
    for parameter in sorted(set(kind.needs) - set(values)):
        parameters.fault(f"{guideline.kind} needs '{parameter}'")
    allowed = kind.needs + kind.may
    parameters.report_unknown(sorted(values), allowed, f"figure of {guideline.kind}")


def _check_equipment(pack: SystemPack, spot: Spot, file: EquipmentFile) -> None:
    """Report options that do more than bring items, or have no troop types."""
    for at, option in spot.at("options").each(file.options):
        if option.mount or option.requires_any or option.requires or option.adds_profiles:
            at.fault("an option for everybody only brings items and changes figures")
    if len({bool(file.options), bool(file.options_for), bool(file.options_in)}) > 1:
        message = (
            "options, the troop types they are for and their collections belong together"
        )
        spot.at("options_for").fault(message)
    if head := pack.find(SystemFile):
        what = "collection that this system fields"
        spot.report_unknown_in(file, "options_in", head.collections, what)


def _check_combat(pack: SystemPack, spot: Spot, file: CombatFile) -> None:
    """Report figures of combat.yaml that cannot be, and rulings that do not fit it."""
    head, charts = pack.find(SystemFile), pack.find(ChartsFile)
    if not (file.root and head and charts):
        return
    try:
        rules = CombatRules.from_mapping(combat_figures(head, charts, file))
    except ValueError as error:
        # The keys that the fault names, as far as the file has them itself.
        data: Any = file.root
        for step in str(error).partition(":")[0].split(".")[1:]:
            key, _, _ = step.partition(" ")
            if not isinstance(data, dict) or key not in data:
                break
            spot, data = spot.at(key), data[key]
        spot.fault(str(error))
        return
    rulings = pack.find(RulingsFile)
    all_rulings = Spot(pack.reader, "rulings.yaml", ("rulings",))
    for at, ruling in all_rulings.each(rulings.rulings if rulings else ()):
        for message in _ruling_faults(rules, ruling):
            at.fault(message)


def _ruling_faults(rules: CombatRules, ruling: RulingRecord) -> Iterator[str]:
    """Yield what keeps a documented ruling from being the one the engine plays by."""
    key, values, default = ruling.key, ruling.values, rules.rulings()
    if key not in default:
        if values:
            yield "no die depends on this ruling: remove its values, or give the key of the engine"
        elif key and key not in UNCOUNTED_RULINGS:
            yield f"'{key}' is no ruling the engine knows here; there are {', '.join(default)}"
        return
    expected = 1 + len(ruling.alternatives)
    if len(values) != expected:
        yield f"expected {expected} values, of the default and of each alternative"
        return
    written = [repr(value) for value in values if value is not None]
    if len(set(written)) != len(written):
        yield "one value stands twice"
    for place, value in enumerate(values):
        # None is an alternative that no die knows; a default is always one that a die knows.
        if place == 0 or value is not None:
            yield from _value_faults(rules, key, value, is_default=place == 0)


def _value_faults(
    rules: CombatRules, key: str, value: Any, *, is_default: bool
) -> Iterator[str]:
    """Yield why a value of a ruling cannot be, or is no default or no change."""
    default = rules.rulings()[key]
    try:
        played = rules.with_rulings({key: value}).rulings()[key]
    except Refusal as refusal:
        yield f"'{value}' is no value of {key}: {refusal.message}"
        return
    if is_default and played != default:
        yield f"'{value}' is not the default of combat.yaml, {default}"
    elif not is_default and played == default:
        yield f"'{value}' is the default already"


# battle.yaml

KIND_FIELDS = (
    ("tests", "spares"),
    ("tests", "alone"),
    ("prompts", "others"),
    ("guards", "kinds"),
    ("guards", "others"),
    ("hurts", "kinds"),
)
"""Lists of battle.yaml and the fields in them that name kinds of combatants."""


def _check_battle(pack: SystemPack, spot: Spot, file: BattleFile) -> None:
    """Check what contradicts itself in battle.yaml, and the steps between states."""
    for field in ("marks", "counters", "tests", "bars", "steps", "parts"):
        spot.at(field).report_same_ids(getattr(file, field))
    spot.at("taps").report_repeated(file.taps)
    spot.at("endings").report_repeated(file.endings)
    if file.begins in file.out:
        spot.at("begins").fault("nobody begins out")
    for at, become in spot.at("becomes").each(file.becomes):
        if become.to in file.out:
            at.at("to").fault("nobody goes out by itself")
    for at, mark in spot.at("marks").each(file.marks):
        if mark.id in mark.not_with:
            at.at("not_with").fault(f"'{mark.id}' is no other mark of this file")
    for at, counter in spot.at("counters").each(file.counters):
        _check_counter(at, counter)
    _check_parts(pack, spot, file)
    if head := pack.find(SystemFile):
        _check_rout(spot, file, has_rout=head.rout is not None)
        _check_guarded_acts(pack, spot, file, head)
        _check_figures_of_models(spot, file, head)
        _check_kinds(pack, spot, file, head)
    if states := pack.find(StatesFile):
        _check_steps(spot, file, states)


def _check_guarded_acts(
    pack: SystemPack, spot: Spot, file: BattleFile, head: SystemFile
) -> None:
    """Report what guards and prompts wait for that never comes: they always refuse."""
    charts, phases = pack.find(ChartsFile), [phase.id for phase in head.phases]
    tables = charts.tables if charts else ()
    rows = [row.name for row in chain.from_iterable(table.rows for table in tables)]
    for at, guard in spot.at("guards").each(file.guards):
        moments = (moment.partition(".")[0] for moment in guard.moments)
        at.at("moments").report_unknown(moments, phases, "phase of this system")
        at.report_unknown_in(guard, "until_row", rows, "row of a table of charts.yaml")
    for at, prompt in spot.at("prompts").each(file.prompts):
        at.report_unknown_in(prompt, "after_row", rows, "row of a table of charts.yaml")


def _check_figures_of_models(spot: Spot, file: BattleFile, head: SystemFile) -> None:
    """Report tests and guards that go by a figure no combatant has."""
    for at, test in spot.at("tests").each(file.tests):
        if test.against == "initiative" and not head.initiative_stat:
            at.at("against").fault("system.yaml names no initiative_stat")
    of_sides = {counter.id for counter in file.counters if counter.of == "side"}
    for at, guard in spot.at("guards").each(file.guards):
        if guard.least and guard.least.counter in of_sides:
            at.at("least").fault("a guard counts what combatants have, not sides")


def _check_kinds(pack: SystemPack, spot: Spot, file: BattleFile, head: SystemFile) -> None:
    """Report kinds of combatants that no list has which the system fields."""
    kinds = {"mounted"}
    for key in head.collections:
        beside = pack.reader.folder.parent.parent / "lists" / key
        reader = Reader(beside if beside.exists() else PACKS / "lists" / key)
        collection = reader.read("collection.yaml", CollectionFile)
        keys = known_keys(collection, reader.read("common.yaml", CommonFile))
        kinds |= keys["troop_types"] | keys.get("categories", set())
    what = "category or troop type of its lists"
    for name, field in KIND_FIELDS:
        for at, record in spot.at(name).each(getattr(file, name)):
            at.report_unknown_in(record, field, kinds, what)


def _check_parts(pack: SystemPack, spot: Spot, file: BattleFile) -> None:
    """Report parts of a battle that no scenario has a side for."""
    scenarios = pack.find(ScenariosFile)
    sides = set[str]()
    for scenario in scenarios.scenarios if scenarios else ():
        sides |= {side.id or "" for side in scenario.sides}
    for at, part in spot.at("parts").each(file.parts):
        at.at("id").report_unknown([part.id], sides, "side of a scenario")


def _check_steps(spot: Spot, file: BattleFile, states: StatesFile) -> None:
    """Check poses, and that the states to which tests and prompts lead are a step away."""
    for state in states.states:
        if state.id not in file.poses:
            spot.at("poses").fault(f"expected a pose for '{state.id}'")
    moves = [(move.before, move.after) for move in states.transitions]
    moves += [(step.before, step.after) for step in file.steps]
    steps = {(before, after) for befores, after in moves for before in befores}
    counters: dict[str, list[str]] = {"combatant": [], "side": []}
    for counter in file.counters:
        counters[counter.of].append(counter.id)
    for at, test in spot.at("tests").each(file.tests):
        _check_test(at, test, counters, steps)
    for at, prompt in spot.at("prompts").each(file.prompts):
        if prompt.to:
            _check_offered_step(at, prompt, prompt.to, steps)


def _check_offered_step(
    spot: Spot, prompt: PromptRecord, to: str, steps: set[tuple[str, str]]
) -> None:
    if prompt.test or not prompt.when:
        message = "a step that is offered says from which states, and is no test"
        spot.at("to").fault(message)
    _report_missing_steps(spot, product(prompt.when, [to]), steps)


def _check_test(
    spot: Spot,
    test: BattleTestRecord,
    counters: Mapping[str, list[str]],
    steps: set[tuple[str, str]],
) -> None:
    """Check a test: the counters it names, the steps it takes, what contradicts itself."""
    if least := test.needs_counter:
        keys, what = counters["combatant"], "counter of combatants"
        spot.at("needs_counter").report_unknown([least.counter], keys, what)
    spot.report_unknown_in(test, "sets", counters["side"], "counter of sides")
    ends = [state for state in (test.passes_to, test.fails_to) if state]
    _report_missing_steps(spot, product(test.when, ends), steps)
    for field, message in _test_contradictions(test):
        spot.at(*field).fault(message)


def _report_missing_steps(
    spot: Spot, wanted: Iterable[tuple[str, str]], steps: set[tuple[str, str]]
) -> None:
    for before, after in wanted:
        if (before, after) not in steps:
            spot.fault(f"states.yaml has no step from '{before}' to '{after}'")


def _check_counter(spot: Spot, record: CounterRecord) -> None:
    """Report a counter whose figures do not fit together."""
    if (record.out_at is None) != (record.out_to is None):
        spot.at("out_at").fault("out_at and out_to belong together")
    if (record.warns_below is None) != (record.warning is None):
        spot.at("warns_below").fault("warns_below and warning belong together")
    if record.of == "side" and (record.begins == "models" or record.out_to):
        spot.fault("only a combatant's counter begins with its models or puts it out")
    # How many models a combatant has is only known at the table.
    if record.begins != "models":
        most = record.most or record.begins
        if not record.least <= record.begins <= most:
            spot.at("begins").fault("begins outside of least and most")


def _test_contradictions(record: BattleTestRecord) -> Iterator[tuple[Texts, str]]:
    """Yield keys of a test that do not go together, each with what is wrong."""
    if (record.passes == "table") != bool(record.table):
        yield ("table",), "passes: table and a table belong together"
    # Whom failing does not move is asked for a further test, and there is somebody to ask.
    if record.spares and not record.asks:
        yield ("asks",), "expected what those take whom it spares"
    if record.asks and record.fails_to and not record.spares:
        yield ("asks",), "failing moves everybody, so that nobody is left to ask"
    if record.rerolls and record.extra:
        yield (), "a test that may be thrown again takes no further dice"
    if record.of == "side":
        yield from _side_contradictions(record)
    elif record.loses or record.sets:
        yield (), "only a side's test loses the battle or sets a counter"


def _side_contradictions(record: BattleTestRecord) -> Iterator[tuple[Texts, str]]:
    moves = (record.when, record.passes_to, record.fails_to, record.needs_counter)
    if any(moves) or record.asks:
        yield (), "a side's test moves nobody"
    if record.against and not record.loses:
        yield ("against",), "a side lends Leadership for Rout alone"


def _check_rout(spot: Spot, file: BattleFile, *, has_rout: bool) -> None:
    """Rout stands in system.yaml; here is its test and its ending, or neither."""
    if len([test.id for test in file.tests if test.loses]) != int(has_rout):
        has, number = ("", "one") if has_rout else ("no ", "no")
        message = f"system.yaml has {has}Rout: expected {number} test that loses the battle"
        spot.at("tests").fault(message)
    if ("rout" in file.endings) != has_rout:
        message = "'rout' is an ending where system.yaml has Rout, and nowhere else"
        spot.at("endings").fault(message)


Check = Callable[[SystemPack, Spot, Any], None]

CHECKS: tuple[tuple[str, Texts, Check | None], ...] = (
    ("charts.yaml", ("charts", "tables"), _check_charts),
    ("guidelines.yaml", ("guidelines",), _check_guidelines),
    ("states.yaml", ("states",), None),
    ("equipment.yaml", ("weapons", "armour", "options"), _check_equipment),
    ("combat.yaml", (), _check_combat),
    ("battle.yaml", (), _check_battle),
    ("house_rules.yaml", ("house_rules",), None),
    ("rulings.yaml", ("rulings",), check_rulings),
    (ALTERNATIVES, ("alternatives",), check_alternatives),
    ("reference.yaml", ("notes",), None),
    ("scenarios.yaml", ("scenarios",), _check_scenarios),
)
"""What is checked of each file that could be read, in the order of the work list: the lists whose
records have keys of their own, and everything else.
"""
