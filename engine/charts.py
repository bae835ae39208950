"""Checks of charts and tables: every roll is answered once, and every row has all its figures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from engine.types.mechanics import Chart, RollTable, TableRow

_DICE = re.compile(r"([1-9]?)D(3|4|6|10)([+-][1-9])?")


def dice_range(dice: str) -> tuple[int, int]:
    """Return the lowest and highest total of dice such as ``D6``, ``2D6`` or ``D3+1``.

    Raises ValueError for anything else.
    """
    match = _DICE.fullmatch(dice)
    if match is None:
        raise ValueError(f"'{dice}' is not dice; write D6, 2D6, D3 or D6+1")
    count, sides, plus = int(match[1] or 1), int(match[2]), int(match[3] or 0)
    return count + plus, count * sides + plus


def chart_faults(chart: Chart) -> tuple[str, ...]:
    """Return what is wrong with a chart, as sentences; nothing where it is whole."""
    faults = [f"the column {name} stands twice" for name in _repeated(chart.columns)]
    if not chart.rows:
        faults.append("the chart has no rows")
    for name, row in chart.rows.items():
        if len(row) != len(chart.columns):
            faults.append(f"row {name} has {len(row)} figures for {len(chart.columns)} columns")
    faults += _number_gaps("row", chart.rows) + _number_gaps("column", chart.columns)
    return tuple(faults)


def table_faults(table: RollTable) -> tuple[str, ...]:
    """Return what is wrong with a table rolled on, as sentences.

    There is nothing wrong where each total of its die has exactly one row.
    """
    try:
        low, high = dice_range(table.die)
    except ValueError as error:
        return (str(error),)
    backward = [row for row in table.rows if row.last < row.first]
    beyond = [row for row in table.rows if row.first < low or row.last > high]
    return (
        *(f"{row.first} to {row.last} ends before it begins" for row in backward),
        *_unanswered(table, range(low, high + 1)),
        *(
            f"{row.first} to {row.last} lies outside {table.die} ({low} to {high})"
            for row in beyond
        ),
    )


def _unanswered(table: RollTable, totals: Iterable[int]) -> list[str]:
    """Return the totals that no row answers, and then those that several do."""
    rows = {total: _rows_of(table, total) for total in totals}
    gaps = [f"no row for a roll of {total}" for total, found in rows.items() if not found]
    doubled = [(total, found) for total, found in rows.items() if len(found) > 1]
    return gaps + [f"two rows for a roll of {total}: {_names(found)}" for total, found in doubled]


def _rows_of(table: RollTable, total: int) -> list[TableRow]:
    return [row for row in table.rows if row.first <= total <= row.last]


def _names(rows: Iterable[TableRow]) -> str:
    return " and ".join(row.name for row in rows)


def _repeated(names: Iterable[str]) -> list[str]:
    """Return every name that stands twice, as often as it stands again."""
    seen: set[str] = set()
    again = []
    for name in names:
        if name in seen:
            again.append(name)
        seen.add(name)
    return again


def _number_gaps(what: str, names: Iterable[str]) -> list[str]:
    """Return where rows or columns that are numbers leave one out."""
    names = tuple(names)
    # Headings in words have no order to break.
    if not all(name.isascii() and name.isdigit() for name in names):
        return []
    numbers = [int(name) for name in names]
    return [f"{what} {a} is followed by {b}" for a, b in pairwise(numbers) if b != a + 1]
