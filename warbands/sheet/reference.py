"""The quick reference: only the charts, rows, states and rules that these warriors need."""

from collections.abc import Sequence

from engine.equipment import CarriedWeapon
from engine.records import ChoiceList, NumberByKey, TextPairs, Texts, grouped
from engine.selection import Selection
from engine.types.lists import Figure
from engine.types.mechanics import Chart, RuleNote
from engine.types.systems import System
from warbands.sheet.structure import ChartRows, Reference, SheetWarrior


def build_reference(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection], system: System
) -> Reference:
    """Only the charts, rows, states and rules that these warriors need."""
    needs = _needs(warriors, selections)
    found = (_chart_rows(chart, warriors, system) for chart in system.charts.values())
    charts = tuple(one for one in found if one.rows)
    strengths, saves = _save_rows(warriors, system)
    borrowed = dict.fromkeys(one.chart.borrowed_from for one in charts)
    return Reference(
        charts=charts,
        save_strengths=strengths,
        saves=saves,
        arms=_arms(warriors),
        tables=tuple(table for table in system.tables.values() if table.needs in needs),
        states=tuple(
            state for state in system.states if state.is_ticked and state.needs in needs
        ),
        sections=_sections(system, needs),
        borrowed=tuple(filter(None, borrowed)),
    )


def _arms(warriors: Sequence[SheetWarrior]) -> tuple[CarriedWeapon, ...]:
    """Each weapon once for each Strength it has."""
    seen: dict[tuple[str, Figure], CarriedWeapon] = {}
    for warrior in warriors:
        for arm in warrior.arms:
            seen.setdefault((arm.key, arm.strength), arm)
    return tuple(seen.values())


def _sections(
    system: System, needs: frozenset[str]
) -> tuple[tuple[str, tuple[RuleNote, ...]], ...]:
    """The rules in short that are needed, under their headings."""
    quick = [note for note in system.notes if note.is_quick and note.needs in needs]
    sections = grouped((note.section, note) for note in quick)
    return tuple((name, tuple(notes)) for name, notes in sections.items())


def _needs(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection]
) -> frozenset[str]:
    """What the packs call the reasons for which a rule is printed; "" always holds."""
    needs = {""}.union(*map(_needs_of, selections))
    if any(_shoots(warrior) for warrior in warriors):
        needs.add("shooter")
    if any((warrior.wounds or 1) > 1 for warrior in warriors):
        needs.add("multi-wound")
    return frozenset(needs)


def _needs_of(selection: Selection) -> set[str]:
    if selection.profile is None:
        return set()
    # A rider needs the rules of the mount as well.
    flags = selection.profile.flags
    if selection.mount:
        flags |= selection.mount.flags
    given = {
        "wizard": selection.is_wizard,
        "mounted": selection.is_mounted,
        "flyer": "flies" in flags,
    }
    return {flag.replace("_", "-") for flag in flags} | {
        key for key, holds in given.items() if holds
    }


def _shoots(warrior: SheetWarrior) -> bool:
    return any(arm.is_missile for arm in warrior.arms)


def _chart_rows(
    chart: Chart, warriors: Sequence[SheetWarrior], system: System
) -> ChartRows:
    """The rows looked up with this roster's own figures."""
    users: dict[str, dict[str, None]] = {}
    for warrior in warriors:
        for row, who in _lookups(chart, warrior):
            users.setdefault(row, {})[who] = None
    rows = [
        (key, cells, tuple(users[key])) for key, cells in chart.rows.items() if key in users
    ]
    return ChartRows(chart, tuple(rows))


def _lookups(chart: Chart, warrior: SheetWarrior) -> ChoiceList:
    line = warrior.main_line
    if line is None:
        return []
    if chart.user == "blow":
        return [(str(a.strength), a.name) for a in warrior.arms]
    if chart.user == "shooter" and not _shoots(warrior):
        return []
    figure = dict(line.cells).get(chart.row_stat)
    return [(figure, warrior.title)] if figure else []


def _save_rows(
    warriors: Sequence[SheetWarrior], system: System
) -> tuple[Texts, tuple[tuple[str, tuple[Figure, ...], Texts], ...]]:
    """Each save of this roster by the Strength of the blow: what is still needed, None where no
    save is left.
    """
    modifiers: NumberByKey = system.saves.get("modifier_by_strength", {})
    # No D6 shows a 7; a system with another die gives its own figure.
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
        figures = tuple(need if need < none else None for need in needs)
        rows.append((f"{number}+", figures, tuple(users[number])))
    return tuple(label for _, label in columns), tuple(rows)


def _strength_columns(modifiers: NumberByKey) -> TextPairs:
    """(a Strength, its heading), neighbours with the same modifier as one column: ``1-3``."""
    columns: ChoiceList = []
    for key, modifier in modifiers.items():
        if columns and int(modifiers[columns[-1][0]]) == int(modifier):
            first = columns[-1][0]
            columns[-1] = (first, f"{first}–{key}")
        else:
            columns.append((key, key))
    return tuple(columns)
