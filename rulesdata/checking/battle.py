"""Checks of battle.yaml: every state, phase, mark, counter, test and table it names is there, and
its tests lead on.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulesdata.checking.keys import Place, report_repeated, report_unknown
from rulesdata.pack_files.folders import Reader, SystemPack
from rulesdata.schema.battle import BattleFile, BattleTestRecord, CounterRecord, PromptRecord

NAME = "battle.yaml"


def check_battle(pack: SystemPack) -> None:
    """Write down every fault of the file, if the pack has one and its frame and states could be
    read.
    """
    if pack.battle and pack.system and pack.states and pack.charts:
        _Check(pack, pack.battle).all()


class _Check:
    """What the file may name, and the reader that faults are written down in."""

    def __init__(self, pack: SystemPack, file: BattleFile) -> None:
        assert pack.system
        assert pack.states
        assert pack.charts
        self.reader: Reader = pack.reader
        self.file = file
        self.states = [state.id for state in pack.states.states]
        self.steps = {
            (before, move.after) for move in pack.states.transitions for before in move.before
        }
        self.phases = {phase.id for phase in pack.system.phases}
        self.tables = {table.id for table in pack.charts.tables}
        self.has_rout = pack.system.rout is not None
        self.tests = {test.id: test for test in file.tests}
        self.counters = {counter.id: counter for counter in file.counters}

    def all(self) -> None:
        """Every check, in the order of the file."""
        file = self.file
        for place, records in (
            ("marks", file.marks),
            ("counters", file.counters),
            ("tests", file.tests),
        ):
            report_repeated(self.reader, NAME, (place,), [record.id for record in records])
        self._frame()
        for i, become in enumerate(file.becomes):
            self._states(("becomes", i), [become.state, become.to])
            if become.to in file.out:
                self._fault(("becomes", i, "to"), "nobody goes out by itself")
        for i, mark in enumerate(file.marks):
            self._states(("marks", i), [*mark.when, *([mark.shown_by] if mark.shown_by else [])])
        for i, counter in enumerate(file.counters):
            self._counter(("counters", i), counter)
        for i, test in enumerate(file.tests):
            self._test(("tests", i), test)
        for i, prompt in enumerate(file.prompts):
            self._prompt(("prompts", i), prompt)
        self._rout()

    def _frame(self) -> None:
        file = self.file
        turn = file.turn
        phases = [phase for phase in (turn.round_phase, turn.turn_phase, turn.end_phase) if phase]
        report_unknown(self.reader, NAME, ("turn",), phases, self.phases, "phase of this system")
        self._states(("begins",), [file.begins])
        self._states(("taps",), file.taps)
        self._states(("out",), file.out)
        self._states(("poses",), file.poses)
        report_repeated(self.reader, NAME, ("taps",), list(file.taps))
        report_repeated(self.reader, NAME, ("endings",), list(file.endings))
        for state in self.states:
            if state not in file.poses:
                self._fault(("poses",), f"expected a pose for '{state}'")
        if file.begins in file.out:
            self._fault(("begins",), "nobody begins out")

    def _counter(self, place: Place, record: CounterRecord) -> None:
        self._states((*place, "out_to"), [record.out_to] if record.out_to else [])
        if (record.out_at is None) != (record.out_to is None):
            self._fault((*place, "out_at"), "out_at and out_to belong together")
        if (record.warns_below is None) != (record.warning is None):
            self._fault((*place, "warns_below"), "warns_below and warning belong together")
        if record.of == "side" and (record.begins == "models" or record.out_to):
            self._fault(place, "only a combatant's counter begins with its models or puts it out")
        if record.begins != "models" and not record.least <= record.begins <= (
            record.most or record.begins
        ):
            self._fault((*place, "begins"), "begins outside of least and most")

    def _test(self, place: Place, record: BattleTestRecord) -> None:
        self._states((*place, "when"), record.when)
        ends = [state for state in (record.passes_to, record.fails_to) if state]
        self._states(place, ends)
        for before in record.when:
            for after in ends:
                if (before, after) not in self.steps:
                    self._fault(place, f"states.yaml has no step from '{before}' to '{after}'")
        if (record.passes == "table") != bool(record.table):
            self._fault((*place, "table"), "passes: table and a table belong together")
        self._known((*place, "table"), record.table, self.tables, "table of charts.yaml")
        if bool(record.spares) != bool(record.asks):
            self._fault((*place, "asks"), "spares and asks belong together")
        self._known((*place, "asks"), record.asks, self.tests, "test of this file")
        if record.rerolls and record.extra:
            self._fault(place, "a test that may be thrown again takes no further dice")
        if record.needs_counter:
            self._known(
                (*place, "needs_counter"),
                record.needs_counter.counter,
                self._of("combatant"),
                "counter of combatants",
            )
        self._known((*place, "sets"), record.sets, self._of("side"), "counter of sides")
        self._sides(place, record)

    def _sides(self, place: Place, record: BattleTestRecord) -> None:
        """A side has no state of its own, and only a side can lose."""
        moves = (
            record.when
            or record.passes_to
            or record.fails_to
            or record.needs_counter
            or record.asks
        )
        if record.of == "side" and moves:
            self._fault(place, "a side's test moves nobody")
        if record.of == "combatant" and (record.loses or record.sets):
            self._fault(place, "only a side's test loses the battle or sets a counter")
        if record.against and record.of == "side" and not record.loses:
            self._fault((*place, "against"), "a side lends Leadership for Rout alone")

    def _of(self, whose: str) -> list[str]:
        return [key for key, counter in self.counters.items() if counter.of == whose]

    def _prompt(self, place: Place, record: PromptRecord) -> None:
        report_unknown(
            self.reader,
            NAME,
            (*place, "phase"),
            [record.phase],
            self.phases,
            "phase of this system",
        )
        self._known((*place, "test"), record.test, self.tests, "test of this file")
        self._states((*place, "when"), [*record.when, *([record.to] if record.to else [])])
        if record.to and (record.test or not record.when):
            self._fault(
                (*place, "to"), "a step that is offered says from which states, and is no test"
            )
        if record.to:
            for before in record.when:
                if (before, record.to) not in self.steps:
                    self._fault(place, f"states.yaml has no step from '{before}' to '{record.to}'")

    def _rout(self) -> None:
        """Rout stands in system.yaml; here is its test and its ending, or neither."""
        tests = [test.id for test in self.file.tests if test.loses]
        if len(tests) != int(self.has_rout):
            wanted = (
                "one test that loses the battle"
                if self.has_rout
                else "no test that loses the battle"
            )
            self._fault(
                ("tests",),
                f"system.yaml has {'' if self.has_rout else 'no '}Rout: expected {wanted}",
            )
        if ("rout" in self.file.endings) != self.has_rout:
            self._fault(
                ("endings",), "'rout' is an ending where system.yaml has Rout, and nowhere else"
            )

    def _states(self, place: Place, keys: Iterable[str]) -> None:
        report_unknown(self.reader, NAME, place, keys, self.states, "state of this system")

    def _known(self, place: Place, key: str | None, known: Iterable[str], what: str) -> None:
        report_unknown(self.reader, NAME, place, [key] if key else [], set(known), what)

    def _fault(self, place: Place, message: str) -> None:
        self.reader.fault(NAME, place, message)
