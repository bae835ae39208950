"""The figures dice are read with: a pack's combat block, with the charts and tables its other files
print. Pure.

A chart stands once, in charts.yaml, so that the page people read and the odds can never differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.errors import Refusal
from engine.rules import UNCOUNTED_RULINGS, CombatRules
from rulesdata.schema.system import ChartsFile, CombatFile, RulingRecord, SystemFile

SQUARE_CHARTS = {"to-hit-melee": "to_hit_melee", "to-wound": "to_wound"}
LISTS = {"to-hit-shooting": "to_hit_shooting"}
INJURY_TABLE, STANDARD = "injury", "standard"


def combat(head: SystemFile, charts: ChartsFile, file: CombatFile) -> dict[str, Any]:
    """What the engine's CombatRules are made of, empty for a pack without such a file.

    What that file says wins over the charts.
    """
    given = file.root
    if not given:
        return {}
    whole = {**given, **_injuries(charts, given.get("injuries"))}
    if found := {**_charts(charts), **_saves(head)}:
        whole["charts"] = {**found, **given.get("charts", {})}
    return whole


def _injuries(charts: ChartsFile, given: object) -> dict[str, Any]:
    """The section of injuries with the rows of the printed table, where there are both."""
    table = next((t for t in charts.tables if t.id == INJURY_TABLE), None)
    if table is None or not isinstance(given, dict):
        return {}
    rows = [{"first": row.first, "last": row.last, "result": row.result} for row in table.rows]
    return {"injuries": {**given, "tables": {STANDARD: rows, **given.get("tables", {})}}}


def _charts(charts: ChartsFile) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for chart in charts.charts:
        if chart.id in SQUARE_CHARTS:
            found[SQUARE_CHARTS[chart.id]] = dict(chart.rows)
        elif chart.id in LISTS:
            found[LISTS[chart.id]] = {row: cells[0] for row, cells in chart.rows.items()}
    return found


def _saves(head: SystemFile) -> dict[str, Any]:
    """What Strength takes off a save, and the best that armour gives before that."""
    if not head.saves:
        return {}
    return {"save_modifier": dict(head.saves.modifier_by_strength), "best_save": head.saves.best}


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


def _uncounted(ruling: RulingRecord, stands: Mapping[str, Any]) -> Iterator[str]:
    """Faults of a ruling that the system's dice do not ask for."""
    key = ruling.key
    if ruling.values:
        yield "no die depends on this ruling: remove its values, or give the key of the engine"
    elif key and key not in UNCOUNTED_RULINGS:
        yield f"'{key}' is no ruling the engine knows here; there are {', '.join(stands)}"


def _value_faults(rules: CombatRules, key: str, value: Any, *, is_default: bool) -> Iterator[str]:
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
