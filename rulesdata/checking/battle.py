"""Checks of battle.yaml: every state, phase, mark, counter, test and table it names is there, and
its tests lead on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from rulesdata.checking.keys import Spot
from rulesdata.pack_files.folders import SystemPack
from rulesdata.schema.battle import BattleFile, BattleTestRecord, CounterRecord, PromptRecord
from rulesdata.schema.system import ChartsFile, StatesFile, SystemFile

STATE = "state of this system"
PHASE = "phase of this system"
TEST = "test of this file"


def check_battle(pack: SystemPack) -> None:
    """Write down every fault of the file, if the pack has one and its frame and states could be
    read.
    """
    if pack.battle and pack.system and pack.states and pack.charts:
        names = _Names(pack.battle, pack.system, pack.states, pack.charts)
        _check(Spot(pack.reader, "battle.yaml"), pack.battle, names)


class _Names:
    """What the file may name."""

    def __init__(
        self, file: BattleFile, system: SystemFile, states: StatesFile, charts: ChartsFile
    ) -> None:
        self.states = [state.id for state in states.states]
        self.steps = set(_steps(states))
        self.phases = {phase.id for phase in system.phases}
        self.tables = {table.id for table in charts.tables}
        self.has_rout = system.rout is not None
        self.tests = {test.id for test in file.tests}
        self.counters = {counter.id: counter.of for counter in file.counters}

    def counters_of(self, whose: str) -> list[str]:
        return [key for key, of in self.counters.items() if of == whose]


def _steps(states: StatesFile) -> Iterator[tuple[str, str]]:
    for move in states.transitions:
        yield from product(move.before, [move.after])


def _check(spot: Spot, file: BattleFile, names: _Names) -> None:
    """Every check, in the order of the file."""
    for field in ("marks", "counters", "tests"):
        spot.at(field).report_repeated(record.id for record in getattr(file, field))
    _check_frame(spot, file, names)
    for i, become in enumerate(file.becomes):
        spot.at("becomes", i).report_unknown([become.state, become.to], names.states, STATE)
        if become.to in file.out:
            spot.at("becomes", i, "to").fault("nobody goes out by itself")
    for i, mark in enumerate(file.marks):
        spot.at("marks", i).report_unknown([*mark.when, mark.shown_by], names.states, STATE)
    for i, counter in enumerate(file.counters):
        _check_counter(spot.at("counters", i), counter, names)
    for i, test in enumerate(file.tests):
        _check_test(spot.at("tests", i), test, names)
    for i, prompt in enumerate(file.prompts):
        _check_prompt(spot.at("prompts", i), prompt, names)
    _check_rout(spot, file, has_rout=names.has_rout)


def _check_frame(spot: Spot, file: BattleFile, names: _Names) -> None:
    turn = file.turn
    phases = [turn.round_phase, turn.turn_phase, turn.end_phase]
    spot.at("turn").report_unknown(phases, names.phases, PHASE)
    for field, states in (
        ("begins", [file.begins]),
        ("taps", file.taps),
        ("out", file.out),
        ("poses", file.poses),
    ):
        spot.at(field).report_unknown(states, names.states, STATE)
    spot.at("taps").report_repeated(file.taps)
    spot.at("endings").report_repeated(file.endings)
    for state in names.states:
        if state not in file.poses:
            spot.at("poses").fault(f"expected a pose for '{state}'")
    if file.begins in file.out:
        spot.at("begins").fault("nobody begins out")


def _check_counter(spot: Spot, record: CounterRecord, names: _Names) -> None:
    spot.at("out_to").report_unknown([record.out_to], names.states, STATE)
    if (record.out_at is None) != (record.out_to is None):
        spot.at("out_at").fault("out_at and out_to belong together")
    if (record.warns_below is None) != (record.warning is None):
        spot.at("warns_below").fault("warns_below and warning belong together")
    if record.of == "side" and (record.begins == "models" or record.out_to):
        spot.fault("only a combatant's counter begins with its models or puts it out")
    if record.begins != "models":
        most = record.most or record.begins
        if not record.least <= record.begins <= most:
            spot.at("begins").fault("begins outside of least and most")


def _check_test(spot: Spot, record: BattleTestRecord, names: _Names) -> None:
    spot.at("when").report_unknown(record.when, names.states, STATE)
    ends = [state for state in (record.passes_to, record.fails_to) if state]
    spot.report_unknown(ends, names.states, STATE)
    _check_steps(spot, product(record.when, ends), names)
    _check_what_it_names(spot, record, names)
    for field, message in _contradictions(record):
        spot.at(*field).fault(message)


def _check_steps(spot: Spot, steps: Iterable[tuple[str, str]], names: _Names) -> None:
    for before, after in steps:
        if (before, after) not in names.steps:
            spot.fault(f"states.yaml has no step from '{before}' to '{after}'")


def _check_what_it_names(spot: Spot, record: BattleTestRecord, names: _Names) -> None:
    spot.at("table").report_unknown([record.table], names.tables, "table of charts.yaml")
    spot.at("asks").report_unknown([record.asks], names.tests, TEST)
    needed = record.needs_counter.counter if record.needs_counter else None
    counters, what = names.counters_of("combatant"), "counter of combatants"
    spot.at("needs_counter").report_unknown([needed], counters, what)
    spot.at("sets").report_unknown([record.sets], names.counters_of("side"), "counter of sides")


def _contradictions(record: BattleTestRecord) -> Iterator[tuple[tuple[str, ...], str]]:
    """Keys of a test that do not go together, each with what is wrong."""
    if (record.passes == "table") != bool(record.table):
        yield ("table",), "passes: table and a table belong together"
    if bool(record.spares) != bool(record.asks):
        yield ("asks",), "spares and asks belong together"
    if record.rerolls and record.extra:
        yield (), "a test that may be thrown again takes no further dice"
    yield from _of_sides(record) if record.of == "side" else _of_combatants(record)


def _of_sides(record: BattleTestRecord) -> Iterator[tuple[tuple[str, ...], str]]:
    """A side has no state of its own."""
    moves = (record.when, record.passes_to, record.fails_to, record.needs_counter, record.asks)
    if any(moves):
        yield (), "a side's test moves nobody"
    if record.against and not record.loses:
        yield ("against",), "a side lends Leadership for Rout alone"


def _of_combatants(record: BattleTestRecord) -> Iterator[tuple[tuple[str, ...], str]]:
    """Only a side can lose."""
    if record.loses or record.sets:
        yield (), "only a side's test loses the battle or sets a counter"


def _check_prompt(spot: Spot, record: PromptRecord, names: _Names) -> None:
    spot.at("phase").report_unknown([record.phase], names.phases, PHASE)
    spot.at("test").report_unknown([record.test], names.tests, TEST)
    spot.at("when").report_unknown([*record.when, record.to], names.states, STATE)
    if not record.to:
        return
    if record.test or not record.when:
        message = "a step that is offered says from which states, and is no test"
        spot.at("to").fault(message)
    _check_steps(spot, product(record.when, [record.to]), names)


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
