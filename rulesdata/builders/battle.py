"""Makes what battles are fought by out of a system's files: the tables of battle.yaml, and the
figures dice are read with.

Pure: no files.
"""

from collections.abc import (
    Container,
    Iterable,
    Iterator,
)
from itertools import chain
from typing import Any

from engine.battles.rules import (
    BattleRules,
    BattleTest,
    Become,
    CounterRule,
    Ending,
    LendRule,
    MarkRule,
    OutcomeRow,
    PartRule,
    PhaseRule,
    Prompt,
    RoutTable,
    StateChange,
    StateRule,
    StepBar,
    TestCause,
)
from engine.battles.sentences import ENDINGS
from engine.combat.fighters import GONE, HELPLESS
from engine.errors import Refusal
from engine.records import (
    Fields,
    NamedValues,
    Texts,
)
from engine.rules import (
    UNCOUNTED_RULINGS,
    CombatRules,
    Morale,
)
from engine.types.mechanics import RollTable, Transition
from engine.types.systems import System
from rulesdata.schema import battle as b
from rulesdata.schema.base import to_engine_tuple
from rulesdata.schema.system import (
    ChartsFile,
    CombatFile,
    RulingRecord,
    SystemFile,
)


def battle_rules(system: System, file: b.BattleFile, combat: CombatRules) -> BattleRules:
    """The tables of a system, or of one variant of it.

    The files were checked: every key leads somewhere.
    """
    return BattleRules(
        begins=file.begins,
        taps=tuple(file.taps),
        marks={m.id: m.to_engine(MarkRule) for m in file.marks},
        counters={c.id: c.to_engine(CounterRule, most=c.most) for c in file.counters},
        tests={t.id: _test(t, system) for t in file.tests},
        prompts=to_engine_tuple(file.prompts, Prompt),
        bars=to_engine_tuple(file.bars, StepBar),
        lends=file.lends.to_engine(LendRule) if file.lends else None,
        parts={p.id: p.to_engine(PartRule) for p in file.parts},
        endings={key: Ending(key, *ENDINGS[key]) for key in file.endings},
        rout=_rout(system, file, combat),
        **_head(system),
        **_turn(system, file.turn),
        **_states(system, file),
    )


def _head(system: System) -> Fields:
    """What the system itself says: which one it is, and its phases."""
    phases = (PhaseRule(phase.key, phase.name, phase.summary) for phase in system.phases)
    return {
        "system": system.key,
        "variant": system.variant,
        "name": system.full_name,
        "phases": tuple(phases),
    }


def _turn(system: System, turn: b.TurnRecord) -> Fields:
    """What a turn is called, and where one begins and a round ends."""
    round_phase = turn.round_phase or system.phases[0].key
    return {
        "turn_name": turn.name,
        "alternates": turn.alternates,
        "round_phase": round_phase,
        "turn_phase": turn.turn_phase or round_phase,
        "end_phase": turn.end_phase or "",
    }


def _states(system: System, file: b.BattleFile) -> Fields:
    """The states, the steps between them, and those that change by themselves."""
    states = (
        StateRule(
            id=s.key,
            name=s.name,
            summary=s.summary,
            pose=str(file.poses[s.key]),
            is_out=s.key in file.out,
            is_away=s.key in file.away,
        )
        for s in system.states
    )
    further = (
        step.to_engine(Transition, source_states=tuple(step.before), to=step.after)
        for step in file.steps
    )
    return {
        "states": {state.id: state for state in states},
        "steps": tuple(chain.from_iterable(map(_steps, [*system.transitions, *further]))),
        "becomes": to_engine_tuple(file.becomes, Become),
    }


def _steps(move: Transition) -> Iterator[StateChange]:
    for before in move.source_states:
        yield StateChange(before, move.to, move.by, move.source)


def result_rules(system: System) -> BattleRules:
    """Return tables for a system without battle.yaml: a battle is won, drawn or lost, no more.

    Everybody stays in one state of ours, and nothing can be recorded.
    """
    state = StateRule("in_play", "In play", "", "stand", is_out=False)
    first = system.phases[0].key
    endings = (
        Ending("won", "Won", has_winner=True),
        Ending("drawn", "Drawn", has_winner=False),
    )
    return BattleRules(
        turn_name="Turn",
        alternates=False,
        begins=state.id,
        taps=(),
        states={state.id: state},
        steps=(),
        round_phase=first,
        turn_phase=first,
        endings={end.id: end for end in endings},
        **_head(system),
    )


def _test(record: b.BattleTestRecord, system: System) -> BattleTest:
    """Return a test of a battle with its dice, the rows of its table and its causes."""
    count, _, sides = record.dice.rpartition("D")
    extra, least = record.extra, record.needs_counter
    return record.to_engine(
        BattleTest,
        dice=(int(sides),) * int(count or 1),
        extra=int(extra.die[1:]) if extra else 0,
        extra_most=extra.most if extra else 0,
        rows=outcome_rows(system.tables[record.table], system) if record.table else (),
        causes=to_engine_tuple(record.causes, TestCause),
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
    rout, morale = system.rout, combat.morale
    if rout is None:
        return None
    states = {state.key for state in system.states}
    lends_down = morale is None or morale.leader_down_lends
    return RoutTable(
        numerator=rout.numerator,
        denominator=rout.denominator,
        test=next(test.id for test in file.tests if test.loses),
        leader_barred=(*_known(GONE if lends_down else HELPLESS, states), *file.away),
        others_barred=(*_known(GONE, states), *file.away),
        voluntary_from=_voluntary_from(morale),
        source=rout.source,
    )


def _known(keys: Iterable[str], states: Container[str]) -> Texts:
    """Those of the keys that are states of the system."""
    return tuple(key for key in keys if key in states)


def _voluntary_from(morale: Morale | None) -> int | None:
    """From how many out a side may test of its own will; None where it may not."""
    if morale is None or morale.rout is None or not morale.voluntary_rout_test:
        return None
    return morale.rout.voluntary_from


# The figures dice are read with

SQUARE_CHARTS = {"to-hit-melee": "to_hit_melee", "to-wound": "to_wound"}
LISTS = {"to-hit-shooting": "to_hit_shooting"}
INJURY_TABLE, STANDARD = "injury", "standard"


def combat(head: SystemFile, charts: ChartsFile, file: CombatFile) -> Fields:
    """What the engine's CombatRules are made of, empty for a pack without such a file.

    A chart stands once, in charts.yaml, so that the page people read and the odds can never differ;
    what combat.yaml itself says wins over it.
    """
    given = file.root
    if not given:
        return {}
    whole = {**given, **_injuries(charts, given.get("injuries"))}
    if found := {**_charts(charts), **_saves(head)}:
        whole["charts"] = {**found, **given.get("charts", {})}
    return whole


def _injuries(charts: ChartsFile, given: object) -> Fields:
    """The section of injuries with the rows of the printed table, where there are both."""
    table = next((t for t in charts.tables if t.id == INJURY_TABLE), None)
    if table is None or not isinstance(given, dict):
        return {}
    rows = [
        {"first": row.first, "last": row.last, "result": row.result} for row in table.rows
    ]
    return {"injuries": {**given, "tables": {STANDARD: rows, **given.get("tables", {})}}}


def _charts(charts: ChartsFile) -> Fields:
    """Return the charts that dice depend on: squares by row, lists by their one cell."""
    found: Fields = {}
    for chart in charts.charts:
        if chart.id in SQUARE_CHARTS:
            found[SQUARE_CHARTS[chart.id]] = dict(chart.rows)
        elif chart.id in LISTS:
            found[LISTS[chart.id]] = {row: cells[0] for row, cells in chart.rows.items()}
    return found


def _saves(head: SystemFile) -> Fields:
    """What Strength takes off a save, and the best that armour gives before that."""
    if not head.saves:
        return {}
    return {
        "save_modifier": dict(head.saves.modifier_by_strength),
        "best_save": head.saves.best,
    }


def agreed_combat(rules: CombatRules, system: System) -> CombatRules:
    """These figures under the rulings and house rules that the system was agreed with."""
    stands = rules.rulings()
    changes: Fields = {
        one.key: one.values[0] for one in system.rulings if one.chosen and one.values
    }
    changes |= dict.fromkeys(system.agreed.house_rules, True)
    return rules.with_rulings({k: v for k, v in changes.items() if k in stands})


def ruling_faults(rules: CombatRules, ruling: RulingRecord) -> Iterator[str]:
    """Yield what keeps a documented ruling from being the one the engine plays by."""
    key, values, stands = ruling.key, ruling.values, rules.rulings()
    if key not in stands:
        yield from _uncounted(ruling, stands)
        return
    expected = 1 + len(ruling.alternatives)
    if len(values) != expected:
        yield f"expected {expected} values, of the default and of each alternative"
        return
    known = [repr(value) for value in values if value is not None]
    if len(set(known)) != len(known):
        yield "one value stands twice"
    for place, value in enumerate(values):
        # None is an alternative that no die knows; a default is always one that a die knows.
        if place == 0 or value is not None:
            yield from _value_faults(rules, key, value, is_default=place == 0)


def _uncounted(ruling: RulingRecord, stands: NamedValues) -> Iterator[str]:
    """Faults of a ruling that the system's dice do not ask for."""
    key = ruling.key
    if ruling.values:
        yield "no die depends on this ruling: remove its values, or give the key of the engine"
    elif key and key not in UNCOUNTED_RULINGS:
        yield f"'{key}' is no ruling the engine knows here; there are {', '.join(stands)}"


def _value_faults(
    rules: CombatRules, key: str, value: Any, *, is_default: bool
) -> Iterator[str]:
    """Yield why a value of a ruling cannot be, or is no default or no change."""
    stands = rules.rulings()[key]
    try:
        found = rules.with_rulings({key: value}).rulings()[key]
    except Refusal as refusal:
        yield f"'{value}' is no value of {key}: {refusal.message}"
        return
    if is_default and found != stands:
        yield f"'{value}' is not the default of combat.yaml, {stands}"
    elif not is_default and found == stands:
        yield f"'{value}' is the default already"
