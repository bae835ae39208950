"""The quick reference: only the charts, rows, states and rules that these warriors need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.equipment import CarriedWeapon
from engine.selection import Selection
from engine.types import Chart, Figure, RuleNote, System
from warbands.sheet.structure import ChartRows, Reference, SheetWarrior


def build_reference(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection], system: System
) -> Reference:
    """Only the charts, rows, states and rules that these warriors need."""
    needs = _needs(warriors, selections)
    charts = tuple(
        c
        for c in (_chart_rows(chart, warriors, system) for chart in system.charts.values())
        if c.rows
    )
    strengths, saves = _save_rows(warriors, system)
    seen: dict[tuple[str, Figure], CarriedWeapon] = {}
    for warrior in warriors:
        for carried_arm in warrior.arms:
            seen.setdefault((carried_arm.key, carried_arm.strength), carried_arm)
    sections: dict[str, list[RuleNote]] = {}
    for note in system.notes:
        if note.is_quick and note.needs in needs:
            sections.setdefault(note.section, []).append(note)
    return Reference(
        charts=charts,
        save_strengths=strengths,
        saves=saves,
        arms=tuple(seen.values()),
        tables=tuple(table for table in system.tables.values() if table.needs in needs),
        states=tuple(state for state in system.states if state.is_ticked and state.needs in needs),
        sections=tuple((name, tuple(notes)) for name, notes in sections.items()),
        borrowed=tuple(
            dict.fromkeys(c.chart.borrowed_from for c in charts if c.chart.borrowed_from)
        ),
    )


def _needs(warriors: Sequence[SheetWarrior], selections: Sequence[Selection]) -> frozenset[str]:
    needs = {""}
    for selection in selections:
        profile = selection.profile
        if profile is None:
            continue
        flags = set(profile.flags) | (set(selection.mount.flags) if selection.mount else set())
        needs |= {flag.replace("_", "-") for flag in flags}
        if selection.is_wizard:
            needs.add("wizard")
        if selection.is_mounted:
            needs.add("mounted")
        if "flies" in flags:
            needs.add("flyer")
    if any(a.is_missile for w in warriors for a in w.arms):
        needs.add("shooter")
    if any((w.wounds or 1) > 1 for w in warriors):
        needs.add("multi-wound")
    return frozenset(needs)


def _chart_rows(chart: Chart, warriors: Sequence[SheetWarrior], system: System) -> ChartRows:
    """The rows looked up with this roster's own figures."""
    users: dict[str, dict[str, None]] = {}
    for warrior in warriors:
        for row, who in _lookups(chart, warrior):
            users.setdefault(row, {})[who] = None
    rows = [(key, cells, tuple(users[key])) for key, cells in chart.rows.items() if key in users]
    return ChartRows(chart, tuple(rows))


def _lookups(chart: Chart, warrior: SheetWarrior) -> list[tuple[str, str]]:
    line = warrior.main_line
    if line is None:
        return []
    if chart.user == "blow":
        return [(str(a.strength), a.name) for a in warrior.arms]
    if chart.user == "shooter" and not any(a.is_missile for a in warrior.arms):
        return []
    figure = dict(line.cells).get(chart.row_stat)
    return [(figure, warrior.title)] if figure else []


def _save_rows(
    warriors: Sequence[SheetWarrior], system: System
) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[Figure, ...], tuple[str, ...]], ...]]:
    """Each save of this roster by the Strength of the blow: what is still needed, None where no
    save is left.
    """
    modifiers: Mapping[str, int] = system.saves.get("modifier_by_strength", {})
    none = int(system.saves.get("no_save", 7))
    best = 2 if system.saves.get("natural_one_fails") else 1
    columns = _strength_columns(modifiers)
    users: dict[int, dict[str, None]] = {}
    for warrior in warriors:
        if warrior.save.number:
            users.setdefault(warrior.save.number, {})[warrior.title] = None
    rows = []
    for number in sorted(users):
        needs = [max(best, number - int(modifiers[key])) for key, _ in columns]
        rows.append(
            (f"{number}+", tuple(n if n < none else None for n in needs), tuple(users[number]))
        )
    return tuple(label for _, label in columns), tuple(rows)


def _strength_columns(modifiers: Mapping[str, int]) -> tuple[tuple[str, str], ...]:
    """(a Strength, its heading), neighbours with the same modifier as one column: ``1-3``."""
    columns: list[tuple[str, str]] = []
    for key, modifier in modifiers.items():
        if columns and int(modifiers[columns[-1][0]]) == int(modifier):
            first = columns[-1][0]
            columns[-1] = (first, f"{first}–{key}")
        else:
            columns.append((key, key))
    return tuple(columns)
