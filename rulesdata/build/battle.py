"""Makes the engine's tables for battles out of battle.yaml and what a system's other files say.

Pure: no files.
"""

from __future__ import annotations

from engine.battles.rules import (
    BattleRules,
    BattleTest,
    Become,
    CounterRule,
    Ending,
    MarkRule,
    OutcomeRow,
    PhaseRule,
    Prompt,
    RoutTable,
    StateChange,
    StateRule,
)
from engine.battles.sentences import ENDINGS
from engine.combat.psychology import GONE, HELPLESS
from engine.rules import CombatRules
from engine.types import RollTable, System
from rulesdata.schema import battle as b


def battle_rules(system: System, file: b.BattleFile, combat: CombatRules) -> BattleRules:
    """The tables of a system, or of one variant of it.

    The files were checked: every key leads somewhere.
    """
    turn, first = file.turn, system.phases[0].key
    return BattleRules(
        system=system.key,
        variant=system.variant,
        name=system.full_name,
        turn_name=turn.name,
        alternates=turn.alternates,
        begins=file.begins,
        taps=tuple(file.taps),
        states={
            s.key: StateRule(s.key, s.name, s.summary, str(file.poses[s.key]), s.key in file.out)
            for s in system.states
        },
        steps=tuple(
            StateChange(before, t.to, t.by, t.source)
            for t in system.transitions
            for before in t.source_states
        ),
        phases=tuple(PhaseRule(p.key, p.name, p.summary) for p in system.phases),
        round_phase=turn.round_phase or first,
        turn_phase=turn.turn_phase or turn.round_phase or first,
        end_phase=turn.end_phase or "",
        becomes=tuple(Become(r.state, r.to, r.at, r.source or "") for r in file.becomes),
        marks={m.id: _mark(m) for m in file.marks},
        counters={c.id: _counter(c) for c in file.counters},
        tests={t.id: _test(t, system) for t in file.tests},
        prompts=tuple(_prompt(p) for p in file.prompts),
        endings={key: Ending(key, *ENDINGS[key]) for key in file.endings},
        rout=_rout(system, file, combat),
    )


def result_rules(system: System) -> BattleRules:
    """Return tables for a system without battle.yaml: a battle is won, drawn or lost, no more.

    Everybody stays in one state of ours, and nothing can be recorded.
    """
    state = StateRule("in_play", "In play", "", "stand", False)
    first = system.phases[0].key
    return BattleRules(
        system=system.key,
        variant=system.variant,
        name=system.full_name,
        turn_name="Turn",
        alternates=False,
        begins=state.id,
        taps=(),
        states={state.id: state},
        steps=(),
        phases=tuple(PhaseRule(p.key, p.name, p.summary) for p in system.phases),
        round_phase=first,
        turn_phase=first,
        endings={
            end.id: end for end in (Ending("won", "Won", True), Ending("drawn", "Drawn", False))
        },
    )


def _mark(record: b.MarkRecord) -> MarkRule:
    shown_by, source = record.shown_by or "", record.source or ""
    return MarkRule(record.id, record.name, record.lasts, tuple(record.when), shown_by, source)


def _counter(record: b.CounterRecord) -> CounterRule:
    return CounterRule(
        id=record.id,
        name=record.name,
        of=record.of,
        begins=record.begins,
        least=record.least,
        most=record.most,
        lasts=record.lasts,
        out_at=record.out_at,
        out_to=record.out_to or "",
        warns_below=record.warns_below,
        warning=record.warning or "",
        source=record.source or "",
    )


def _test(record: b.BattleTestRecord, system: System) -> BattleTest:
    count, _, sides = record.dice.rpartition("D")
    least = record.needs_counter
    return BattleTest(
        id=record.id,
        name=record.name,
        of=record.of,
        dice=(int(sides),) * int(count or 1),
        passes=record.passes,
        against=record.against or "",
        needs=record.needs,
        extra=int(record.extra.die[1:]) if record.extra else 0,
        extra_most=record.extra.most if record.extra else 0,
        takes=record.takes,
        rerolls=record.rerolls,
        when=tuple(record.when),
        passes_to=record.passes_to or "",
        fails_to=record.fails_to or "",
        loses=record.loses,
        spares=tuple(record.spares),
        asks=record.asks or "",
        rows=outcome_rows(system.tables[record.table], system) if record.table else (),
        needs_counter=(least.counter, least.least) if least else None,
        sets=record.sets or "",
        sets_from=record.sets_from,
        source=record.source,
    )


def outcome_rows(table: RollTable, system: System) -> tuple[OutcomeRow, ...]:
    """The rows of a table; a result that is no state of the system is a mere effect."""
    states = {state.key for state in system.states}
    return tuple(
        OutcomeRow(r.first, r.last, r.name, r.result if r.result in states else "")
        for r in table.rows
    )


def _prompt(record: b.PromptRecord) -> Prompt:
    return Prompt(
        phase=record.phase,
        text=record.text,
        whose=record.whose,
        test=record.test or "",
        when=tuple(record.when),
        to=record.to or "",
        is_must=record.must,
        source=record.source or "",
    )


def _rout(system: System, file: b.BattleFile, combat: CombatRules) -> RoutTable | None:
    """Rout as the system's frame has it, with whose Leadership the rulings bar."""
    if system.rout is None:
        return None
    morale, states = combat.morale, {state.key for state in system.states}
    lends_down = morale is None or morale.leader_down_lends
    asks = (
        morale.rout.voluntary_from
        if morale and morale.rout and morale.voluntary_rout_test
        else None
    )
    return RoutTable(
        numerator=system.rout.numerator,
        denominator=system.rout.denominator,
        test=next(test.id for test in file.tests if test.loses),
        leader_barred=tuple(key for key in (GONE if lends_down else HELPLESS) if key in states),
        others_barred=tuple(key for key in GONE if key in states),
        voluntary_from=asks,
        source=system.rout.source,
    )
