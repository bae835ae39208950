"""Makes the engine's tables for battles out of battle.yaml and what a system's other files say.

Pure: no files.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

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
from engine.types.mechanics import RollTable, Transition
from engine.types.systems import System
from rulesdata.schema import battle as b


def battle_rules(system: System, file: b.BattleFile, combat: CombatRules) -> BattleRules:
    """The tables of a system, or of one variant of it.

    The files were checked: every key leads somewhere.
    """
    return BattleRules(
        system=system.key,
        variant=system.variant,
        name=system.full_name,
        phases=_phases(system),
        begins=file.begins,
        taps=tuple(file.taps),
        marks={m.id: m.to_engine(MarkRule) for m in file.marks},
        counters={c.id: c.to_engine(CounterRule, most=c.most) for c in file.counters},
        tests={t.id: _test(t, system) for t in file.tests},
        prompts=tuple(p.to_engine(Prompt, is_must=p.must) for p in file.prompts),
        endings={key: Ending(key, *ENDINGS[key]) for key in file.endings},
        rout=_rout(system, file, combat),
        **_turn(system, file.turn),
        **_states(system, file),
    )


def _phases(system: System) -> tuple[PhaseRule, ...]:
    return tuple(PhaseRule(phase.key, phase.name, phase.summary) for phase in system.phases)


def _turn(system: System, turn: b.TurnRecord) -> dict[str, Any]:
    """What a turn is called, and where one begins and a round ends."""
    round_phase = turn.round_phase or system.phases[0].key
    return {
        "turn_name": turn.name,
        "alternates": turn.alternates,
        "round_phase": round_phase,
        "turn_phase": turn.turn_phase or round_phase,
        "end_phase": turn.end_phase or "",
    }


def _states(system: System, file: b.BattleFile) -> dict[str, Any]:
    """The states, the steps between them, and those that change by themselves."""
    states = (
        StateRule(s.key, s.name, s.summary, str(file.poses[s.key]), s.key in file.out)
        for s in system.states
    )
    steps = (_steps(move) for move in system.transitions)
    return {
        "states": {state.id: state for state in states},
        "steps": tuple(chain.from_iterable(steps)),
        "becomes": tuple(record.to_engine(Become) for record in file.becomes),
    }


def _steps(move: Transition) -> tuple[StateChange, ...]:
    return tuple(
        StateChange(before, move.to, move.by, move.source) for before in move.source_states
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
        phases=_phases(system),
        round_phase=first,
        turn_phase=first,
        endings={
            end.id: end for end in (Ending("won", "Won", True), Ending("drawn", "Drawn", False))
        },
    )


def _test(record: b.BattleTestRecord, system: System) -> BattleTest:
    count, _, sides = record.dice.rpartition("D")
    extra, least = record.extra, record.needs_counter
    return record.to_engine(
        BattleTest,
        dice=(int(sides),) * int(count or 1),
        extra=int(extra.die[1:]) if extra else 0,
        extra_most=extra.most if extra else 0,
        rows=outcome_rows(system.tables[record.table], system) if record.table else (),
        needs_counter=(least.counter, least.least) if least else None,
    )


def outcome_rows(table: RollTable, system: System) -> tuple[OutcomeRow, ...]:
    """The rows of a table; a result that is no state of the system is a mere effect."""
    states = {state.key for state in system.states}
    return tuple(
        OutcomeRow(r.first, r.last, r.name, r.result if r.result in states else "")
        for r in table.rows
    )


def _rout(system: System, file: b.BattleFile, combat: CombatRules) -> RoutTable | None:
    """Rout as the system's frame has it, with whose Leadership the rulings bar."""
    if system.rout is None:
        return None
    states = {state.key for state in system.states}
    lends_down = combat.morale is None or combat.morale.leader_down_lends
    barred = GONE if lends_down else HELPLESS
    return RoutTable(
        numerator=system.rout.numerator,
        denominator=system.rout.denominator,
        test=next(test.id for test in file.tests if test.loses),
        leader_barred=tuple(key for key in barred if key in states),
        others_barred=tuple(key for key in GONE if key in states),
        voluntary_from=_voluntary_from(combat),
        source=system.rout.source,
    )


def _voluntary_from(combat: CombatRules) -> int | None:
    """From how many out a side may test of its own will; None where it may not."""
    morale = combat.morale
    if morale is None or morale.rout is None or not morale.voluntary_rout_test:
        return None
    return morale.rout.voluntary_from
