"""Checks that charts and tables answer every roll: no gap, no overlap, no row of another length."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from engine.types import Chart, RollTable, TableRow

_DICE = re.compile(r"([1-9]?)D(3|4|6|10)([+-][1-9])?")


def dice_range(dice: str) -> tuple[int, int]:
    """Lowest and highest total of dice written as ``D6``, ``2D6`` or ``D3+1``. Raises ValueError for anything else."""
    match = _DICE.fullmatch(dice)
    if match is None:
        raise ValueError(f"'{dice}' is not dice; write D6, 2D6, D3 or D6+1")
    count, sides, plus = int(match[1] or 1), int(match[2]), int(match[3] or 0)
    return count + plus, count * sides + plus


def chart_faults(chart: Chart) -> tuple[str, ...]:
    """What is wrong with a chart, as sentences; nothing when every row and column meets."""
    faults = [f"the column {name} stands twice" for name in _repeated(chart.columns)]
    if not chart.rows:
        faults.append("the chart has no rows")
    for name, row in chart.rows.items():
        if len(row) != len(chart.columns):
            faults.append(f"row {name} has {len(row)} figures for {len(chart.columns)} columns")
    faults += _number_gaps("row", chart.rows) + _number_gaps("column", chart.columns)
    return tuple(faults)


def table_faults(table: RollTable) -> tuple[str, ...]:
    """What is wrong with a table rolled on, as sentences; nothing when each total of its die has one row."""
    try:
        low, high = dice_range(table.die)
    except ValueError as error:
        return (str(error),)
    faults = [
        f"{row.first} to {row.last} ends before it begins"
        for row in table.rows
        if row.last < row.first
    ]
    rows = {
        total: [row for row in table.rows if row.first <= total <= row.last]
        for total in range(low, high + 1)
    }
    faults += [f"no row for a roll of {total}" for total, found in rows.items() if not found]
    faults += [
        f"two rows for a roll of {total}: {_names(found)}"
        for total, found in rows.items()
        if len(found) > 1
    ]
    beyond = [row for row in table.rows if row.first < low or row.last > high]
    faults += [
        f"{row.first} to {row.last} lies outside {table.die} ({low} to {high})" for row in beyond
    ]
    return tuple(faults)


def _names(rows: Iterable[TableRow]) -> str:
    return " and ".join(row.name for row in rows)


def _repeated(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]


def _number_gaps(what: str, names: Iterable[str]) -> list[str]:
    """Numbers left out of rows or columns that are all numbers; other headings have no order to break."""
    names = tuple(names)
    if not all(name.isascii() and name.isdigit() for name in names):
        return []
    numbers = [int(name) for name in names]
    return [f"{what} {a} is followed by {b}" for a, b in pairwise(numbers) if b != a + 1]
