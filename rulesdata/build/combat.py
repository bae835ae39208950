"""The figures dice are read with: a pack's combat block, with the charts and tables its other files
print. Pure.

A chart stands once, in charts.yaml, so that the page people read and the odds can never differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.errors import Refusal
from engine.rules import UNCOUNTED_RULINGS, CombatRules
from rulesdata.schema.system import ChartsFile, CombatFile, RulingRecord, SystemFile

SQUARE_CHARTS = {"to-hit-melee": "to_hit_melee", "to-wound": "to_wound"}
LISTS = {"to-hit-shooting": "to_hit_shooting"}
INJURY_TABLE, STANDARD = "injury", "standard"


def combat(head: SystemFile, charts: ChartsFile, file: CombatFile) -> dict[str, Any]:
    """What the engine's CombatRules are made of, empty for a pack without such a file; what that
    file says wins.
    """
    given = file.root
    if not given:
        return {}
    found = {**_charts(charts), **_saves(head)}
    whole = dict(given)
    if found:
        whole["charts"] = {**found, **given.get("charts", {})}
    table = next((t for t in charts.tables if t.id == INJURY_TABLE), None)
    if table and isinstance(injuries := given.get("injuries"), dict):
        rows = [{"first": row.first, "last": row.last, "result": row.result} for row in table.rows]
        whole["injuries"] = {**injuries, "tables": {STANDARD: rows, **injuries.get("tables", {})}}
    return whole


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
    """What keeps a documented ruling from being the one the engine plays by: its key, its default,
    its alternatives.
    """
    key, values = ruling.key, ruling.values
    stands = rules.rulings()
    if key not in stands:
        if values:
            yield "no die depends on this ruling: remove its values, or give the key of the engine"
        elif key and key not in UNCOUNTED_RULINGS:
            yield f"'{key}' is no ruling the engine knows here; there are {', '.join(stands)}"
        return
    if len(values) != 1 + len(ruling.alternatives):
        yield (
            f"expected {1 + len(ruling.alternatives)} values, of the default and of each "
            "alternative"
        )
        return
    if len({repr(value) for value in values if value is not None}) != sum(
        value is not None for value in values
    ):
        yield "one value stands twice"
    for place, value in enumerate(values):
        if place and value is None:
            continue
        try:
            found = rules.with_rulings({key: value}).rulings()[key]
        except Refusal as refusal:
            yield f"'{value}' is no value of {key}: {refusal.message}"
            continue
        if (found == stands[key]) != (place == 0):
            fault = (
                "is the default already"
                if place
                else f"is not the default of combat.yaml, {stands[key]}"
            )
            yield f"'{value}' {fault}"
