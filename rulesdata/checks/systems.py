"""Checks of a rule system and its variants: charts, guidelines, states, equipment, the figures of
combat.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from string import Formatter
from typing import Any

from engine.findings.case import GuidelineKind, sentence
from engine.findings.checks import KINDS
from engine.records import Texts
from engine.rules import CombatRules
from engine.types.mechanics import chart_faults, table_faults
from rulesdata.builders.system import combat_figures, ruling_faults
from rulesdata.checks.alternatives import agreed_together, check_alternatives, check_taken
from rulesdata.checks.coverage import check_coverage
from rulesdata.pack_files.folders import (
    ALTERNATIVES,
    SYSTEM_FILES,
    Place,
    Spot,
    SystemPack,
    read_system,
)
from rulesdata.pack_files.yaml_files import VARIANTS, Fault
from rulesdata.schema.battle import (
    BattleFile,
    BattleTestRecord,
    CounterRecord,
    StepRecord,
)
from rulesdata.schema.equipment import (
    ArmourRecord,
    EquipmentFile,
    WeaponRecord,
)
from rulesdata.schema.system import (
    ChartRecord,
    ChartsFile,
    CombatFile,
    GuidelineRecord,
    GuidelinesFile,
    RulingsFile,
    ScenariosFile,
    StatesFile,
    SystemFile,
    TransitionRecord,
)


def check_variants(folder: Path, collections: Collection[str]) -> list[Fault]:
    """Every fault of a rule system and of each of its variants, once."""
    pack = read_system(folder)
    faults = check_system(pack, collections)
    head = pack.find(SystemFile)
    if head is None:
        return faults
    wanted = [variant.id for variant in head.variants]
    faults += _unlisted_variants(folder, wanted)
    # A variant repeats the faults of the common files; each is told once.
    for key in wanted:
        known = set(map(_fault_without_line, faults))
        own = check_system(read_system(folder, key), collections)
        faults += [fault for fault in own if _fault_without_line(fault) not in known]
    return faults + _faults_when_agreed(folder, wanted or [""], collections, faults)


def _faults_when_agreed(
    folder: Path,
    variants: Iterable[str],
    collections: Collection[str],
    told: Iterable[Fault],
) -> list[Fault]:
    """What is wrong with the files only while something is agreed, each fault once."""
    known = set(map(_fault_without_line, told))
    found: dict[tuple[str, str], Fault] = {}
    for variant in variants:
        for chosen in agreed_together(read_system(folder, variant)):
            words = f"under {', '.join(chosen)}"
            for fault in check_system(read_system(folder, variant, chosen), collections):
                if _fault_without_line(fault) not in known:
                    message = f"{fault.message} ({words})"
                    found.setdefault(
                        (fault.file, fault.message), replace(fault, message=message)
                    )
    return list(found.values())


def _unlisted_variants(folder: Path, wanted: Collection[str]) -> Iterator[Fault]:
    """A fault for each folder of a variant that system.yaml does not name."""
    for path in sorted((folder / VARIANTS).glob("*")):
        if path.is_dir() and path.name not in wanted:
            message = f"{VARIANTS}/{path.name}/ is not listed: add '{path.name}'"
            yield Fault(f"{folder.name}/system.yaml", "variants", message)


def _fault_without_line(fault: Fault) -> tuple[str, str, str]:
    """What makes two faults the same: a variant's file says a common one's on another line."""
    return fault.file, fault.key, fault.message


def check_system(pack: SystemPack, collections: Collection[str]) -> list[Fault]:
    """Every fault of a rule system: shape, keys, charts and tables, guidelines, what scenarios
    waive, and which rules of the text are covered.
    """
    if head := pack.find(SystemFile):
        _check_head(Spot(pack.reader, "system.yaml"), head, collections)
    for name, lists, check in CHECKS:
        if file := pack.find(SYSTEM_FILES[name]):
            spot = Spot(pack.reader, name)
            for field in lists:
                spot.at(field).report_same_ids(getattr(file, field))
            if check:
                check(pack, spot, file)
    check_coverage(pack)
    return pack.reader.faults


def _check_head(file: Spot, head: SystemFile, collections: Collection[str]) -> None:
    """Report faults of system.yaml: its id, collections, variants and tags."""
    folder = file.reader.folder.name
    if head.id != folder:
        file.at("id").fault(f"expected '{folder}', the name of its folder")
    file.report_unknown_in(head, "collections", collections, "collection")
    file.at("variants").report_same_ids(head.variants)
    file.at("tags").report_same_ids(head.tags)


def _check_scenarios(pack: SystemPack, spot: Spot, file: ScenariosFile) -> None:
    """Report waivers of guidelines that may not be waived, and sides named twice."""
    guidelines = pack.find(GuidelinesFile)
    if guidelines is None:
        return
    waivable = {one.code for one in guidelines.guidelines if one.is_waivable}
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
    rulings = pack.find(RulingsFile)
    refs = [ruling.ref for ruling in rulings.rulings] if rulings else None
    for at, chart in spot.at("charts").each(file.charts):
        _check_chart(at, chart, refs)
    for at, table in spot.at("tables").each(file.tables):
        for message in table_faults(table.to_engine()):
            at.fault(message)


def _check_chart(spot: Spot, chart: ChartRecord, rulings: list[str] | None) -> None:
    """``rulings`` are the refs of rulings.yaml, None where that has a fault."""
    for message in chart_faults(chart.to_engine()):
        spot.fault(message)
    if bool(chart.borrowed_from) != bool(chart.ruling):
        spot.fault("a borrowed chart names both its text and its ruling")
    if rulings is not None:
        spot.report_unknown_in(chart, "ruling", rulings, "ruling")


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
    in_message, in_parameters = spot.at("message"), spot.at("parameters")
    try:
        parts = Formatter().parse(guideline.message)
        used = {field for _, field, _, _ in parts if field is not None}
    except ValueError as error:
        in_message.fault(f"the braces do not fit: {error}")
        return
    in_message.report_unknown(sorted(used), kind.fields, f"field of {guideline.kind}")
    if used <= kind.fields.keys() and (
        message := _format_fault(guideline.message, kind.fields)
    ):
        in_message.fault(message)
    given = set(guideline.parameters.to_engine())
    for parameter in sorted(set(kind.needs) - given):
        in_parameters.fault(f"{guideline.kind} needs '{parameter}'")
    known = kind.needs + kind.may
    in_parameters.report_unknown(sorted(given), known, f"figure of {guideline.kind}")


def _format_fault(message: str, fields: Mapping[str, type]) -> str:
    """What keeps a sentence from being filled in, or nothing.

    ``{count:model|models}`` is for numbers only.
    """
    # A sentence is tried with a value of each field's type: only then do its braces show faults.
    examples = {
        field: 7 if of_type is int else "somebody" for field, of_type in fields.items()
    }
    try:
        sentence(message, examples)
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        return f"the sentence cannot be filled in: {error}; write {{count}} or {{count:model|models}}"
    return ""


def _check_states(pack: SystemPack, spot: Spot, file: StatesFile) -> None:
    """Report unknown states in transitions and in the rows of tables."""
    keys, charts = [state.id for state in file.states], pack.find(ChartsFile)
    for at, move in spot.at("transitions").each(file.transitions):
        at.report_unknown([*move.before, move.after], keys, "state")
    tables = Spot(pack.reader, "charts.yaml", ("tables",))
    for at, table in tables.each(charts.tables if charts else ()):
        if table.results == "states":
            at.report_unknown([row.result for row in table.rows], keys, "state")


def _check_equipment(pack: SystemPack, spot: Spot, file: EquipmentFile) -> None:
    """Report options that carry what is not there, or have no troop types."""
    own = {
        piece.id for piece in chain[WeaponRecord | ArmourRecord](file.weapons, file.armour)
    }
    for at, option in spot.at("options").each(file.options):
        at.report_unknown_in(option, "items", own, "weapon or armour of this file")
        if option.mount or option.requires_any or option.requires or option.adds_profiles:
            at.fault("an option for everybody only brings items and changes figures")
    if bool(file.options) != bool(file.options_for):
        message = "options and the troop types they are for belong together"
        spot.at("options_for").fault(message)


def _check_combat(pack: SystemPack, spot: Spot, file: CombatFile) -> None:
    """Report figures of combat.yaml that cannot be, and rulings that do not fit it."""
    head, charts = pack.find(SystemFile), pack.find(ChartsFile)
    if not (file.root and head and charts):
        return
    try:
        rules = CombatRules.from_mapping(combat_figures(head, charts, file))
    except ValueError as error:
        spot.at(*_combat_place(file.root, str(error))).fault(str(error))
        return
    rulings = pack.find(RulingsFile)
    all_rulings = Spot(pack.reader, "rulings.yaml", ("rulings",))
    for at, ruling in all_rulings.each(rulings.rulings if rulings else ()):
        for message in ruling_faults(rules, ruling):
            at.fault(message)


def _combat_place(data: Any, message: str) -> Place:
    """The keys of combat.yaml that a fault names, as far as the file has them itself."""
    place = []
    for step in message.partition(":")[0].split(".")[1:]:
        key = step.split(" ")[0]
        if not isinstance(data, dict) or key not in data:
            break
        place.append(key)
        data = data[key]
    return tuple(place)


# battle.yaml

STATE = "state of this system"
PHASE = "phase of this system"
TEST = "test of this file"


class _Names:
    """What battle.yaml may name."""

    def __init__(
        self, file: BattleFile, head: SystemFile, states: StatesFile, charts: ChartsFile
    ):
        """Collect the states, steps, phases, tables, tests and counters there are."""
        self.states = [state.id for state in states.states]
        moves = (
            product(move.before, [move.after])
            for move in chain[TransitionRecord | StepRecord](states.transitions, file.steps)
        )
        self.steps = set(chain.from_iterable(moves))
        self.phases = {phase.id for phase in head.phases}
        self.tables = {table.id for table in charts.tables}
        self.tests = {test.id for test in file.tests}
        self.counters = {counter.id: counter.of for counter in file.counters}

    def counters_of(self, whose: str) -> list[str]:
        return [key for key, of in self.counters.items() if of == whose]


def _check_battle(pack: SystemPack, spot: Spot, file: BattleFile) -> None:
    """Check battle.yaml, if the files that it names things of could be read."""
    head, states, charts = (
        pack.find(SystemFile),
        pack.find(StatesFile),
        pack.find(ChartsFile),
    )
    if not (head and states and charts):
        return
    names = _Names(file, head, states, charts)
    for field in ("marks", "counters", "tests", "bars", "steps", "parts"):
        spot.at(field).report_same_ids(getattr(file, field))
    _check_frame(spot, file, names)
    _check_becoming(spot.at("becomes"), file, names)
    _check_marks(spot, file, names)
    _check_scenario_rules(pack, spot, file, names)
    for at, counter in spot.at("counters").each(file.counters):
        _check_counter(at, counter, names)
    for at, test in spot.at("tests").each(file.tests):
        _check_test(at, test, names)
    for at, prompt in spot.at("prompts").each(file.prompts):
        at.report_unknown_in(prompt, "phase", names.phases, PHASE)
        at.report_unknown_in(prompt, "test", names.tests, TEST)
        at.at("when").report_unknown([*prompt.when, prompt.to], names.states, STATE)
        if not prompt.to:
            continue
        if prompt.test or not prompt.when:
            message = "a step that is offered says from which states, and is no test"
            at.at("to").fault(message)
        _check_battle_steps(at, product(prompt.when, [prompt.to]), names)
    _check_rout(spot, file, has_rout=head.rout is not None)


def _check_marks(spot: Spot, file: BattleFile, names: _Names) -> None:
    """Check the marks, and the steps that a turn allows once."""
    for at, mark in spot.at("marks").each(file.marks):
        at.report_unknown([*mark.when, mark.shown_by, mark.left_by], names.states, STATE)
        marks = [other.id for other in file.marks if other.id != mark.id]
        at.report_unknown_in(mark, "not_with", marks, "other mark of this file")
    for at, bar in spot.at("bars").each(file.bars):
        at.report_unknown([bar.began, bar.to], names.states, STATE)


def _check_scenario_rules(
    pack: SystemPack, spot: Spot, file: BattleFile, names: _Names
) -> None:
    """Check who lends Leadership, and what a scenario adds: states it leads to, parts it has."""
    for at, step in spot.at("steps").each(file.steps):
        at.report_unknown([*step.before, step.after], names.states, STATE)
    if file.lends:
        at = spot.at("lends")
        at.report_unknown_in(file.lends, "tests", names.tests, TEST)
        at.report_unknown_in(file.lends, "barred", names.states, STATE)
    scenarios = pack.find(ScenariosFile)
    sides = chain.from_iterable(s.sides for s in scenarios.scenarios) if scenarios else ()
    known = {side.id for side in sides if side.id}
    for at, part in spot.at("parts").each(file.parts):
        at.at("id").report_unknown([part.id], known, "side of a scenario")
        at.report_unknown_in(part, "waits_for", names.states, STATE)


def _check_becoming(spot: Spot, file: BattleFile, names: _Names) -> None:
    for at, become in spot.each(file.becomes):
        at.report_unknown([become.state, become.to], names.states, STATE)
        if become.to in file.out:
            at.at("to").fault("nobody goes out by itself")


def _check_frame(spot: Spot, file: BattleFile, names: _Names) -> None:
    """Report phases and states that are unknown, and states without a pose."""
    turn = file.turn
    phases = [turn.round_phase, turn.turn_phase, turn.end_phase]
    spot.at("turn").report_unknown(phases, names.phases, PHASE)
    for field in ("begins", "taps", "out", "away", "poses"):
        spot.report_unknown_in(file, field, names.states, STATE)
    spot.at("taps").report_repeated(file.taps)
    spot.at("endings").report_repeated(file.endings)
    for state in names.states:
        if state not in file.poses:
            spot.at("poses").fault(f"expected a pose for '{state}'")
    if file.begins in file.out:
        spot.at("begins").fault("nobody begins out")


def _check_counter(spot: Spot, record: CounterRecord, names: _Names) -> None:
    """Report a counter whose state is unknown or whose numbers do not fit together."""
    spot.report_unknown_in(record, "out_to", names.states, STATE)
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


def _check_test(spot: Spot, record: BattleTestRecord, names: _Names) -> None:
    """Report what a test names that is not there, and where it contradicts itself."""
    spot.report_unknown_in(record, "when", names.states, STATE)
    ends = [state for state in (record.passes_to, record.fails_to) if state]
    spot.report_unknown(ends, names.states, STATE)
    _check_battle_steps(spot, product(record.when, ends), names)
    spot.report_unknown_in(record, "table", names.tables, "table of charts.yaml")
    spot.report_unknown_in(record, "asks", names.tests, TEST)
    needed = record.needs_counter.counter if record.needs_counter else None
    counters, what = names.counters_of("combatant"), "counter of combatants"
    spot.at("needs_counter").report_unknown([needed], counters, what)
    spot.report_unknown_in(record, "sets", names.counters_of("side"), "counter of sides")
    for field, message in _test_contradictions(record):
        spot.at(*field).fault(message)


def _check_battle_steps(
    spot: Spot, steps: Iterable[tuple[str, str]], names: _Names
) -> None:
    """Report each step between states that states.yaml does not have."""
    for before, after in steps:
        if (before, after) not in names.steps:
            spot.fault(f"states.yaml has no step from '{before}' to '{after}'")


def _test_contradictions(record: BattleTestRecord) -> Iterator[tuple[Texts, str]]:
    """Keys of a test that do not go together, each with what is wrong."""
    if (record.passes == "table") != bool(record.table):
        yield ("table",), "passes: table and a table belong together"
    yield from _unasked(record)
    if record.rerolls and record.extra:
        yield (), "a test that may be thrown again takes no further dice"
    if record.of == "side":
        yield from _side_contradictions(record)
    elif record.loses or record.sets:
        yield (), "only a side's test loses the battle or sets a counter"


def _unasked(record: BattleTestRecord) -> Iterator[tuple[Texts, str]]:
    """Whom failing does not move is asked for a further test, and there is somebody to ask."""
    if record.spares and not record.asks:
        yield ("asks",), "expected what those take whom it spares"
    if record.asks and record.fails_to and not record.spares:
        yield ("asks",), "failing moves everybody, so that nobody is left to ask"


def _side_contradictions(record: BattleTestRecord) -> Iterator[tuple[Texts, str]]:
    """A side has no state of its own."""
    moves = (
        record.when,
        record.passes_to,
        record.fails_to,
        record.needs_counter,
        record.asks,
    )
    if any(moves):
        yield (), "a side's test moves nobody"
    if record.against and not record.loses:
        yield ("against",), "a side lends Leadership for Rout alone"


def _check_rout(spot: Spot, file: BattleFile, *, has_rout: bool) -> None:
    """Rout stands in system.yaml; here is its test and its ending, or neither."""
    tests = [test.id for test in file.tests if test.loses]
    if len(tests) != int(has_rout):
        has, one = ("", "one") if has_rout else ("no ", "no")
        message = f"system.yaml has {has}Rout: expected {one} test that loses the battle"
        spot.at("tests").fault(message)
    if ("rout" in file.endings) != has_rout:
        message = "'rout' is an ending where system.yaml has Rout, and nowhere else"
        spot.at("endings").fault(message)


Check = Callable[[SystemPack, Spot, Any], None]

CHECKS: tuple[tuple[str, Texts, Check | None], ...] = (
    ("charts.yaml", ("charts", "tables"), _check_charts),
    ("guidelines.yaml", ("guidelines",), _check_guidelines),
    ("states.yaml", ("states",), _check_states),
    ("equipment.yaml", ("weapons", "armour", "options"), _check_equipment),
    ("combat.yaml", (), _check_combat),
    ("battle.yaml", (), _check_battle),
    ("house_rules.yaml", ("house_rules",), None),
    ("rulings.yaml", ("rulings",), check_taken),
    (ALTERNATIVES, ("alternatives",), check_alternatives),
    ("reference.yaml", ("notes",), None),
    ("scenarios.yaml", ("scenarios",), _check_scenarios),
)
"""What is checked of each file that could be read, in the order of the work list: the lists whose
records have keys of their own, and everything else.
"""
