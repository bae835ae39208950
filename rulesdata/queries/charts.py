"""Charts with a row and a column lit, and the answer in words."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from engine.types.lists import Figure
from engine.types.mechanics import Chart, Ruling
from engine.types.systems import System
from rulesdata import text


class NotOnTheChart(ValueError):
    """The row or column asked for is not one of the chart; the text names the field and what it may
    be.
    """


@dataclass(frozen=True, slots=True)
class HighlightedChart:
    """A chart as it is drawn.

    ``rows`` are heads with cells as people write them; ``row`` and ``column`` are lit.
    """

    chart: Chart
    rows: tuple[tuple[str, tuple[str | None, ...]], ...]
    row: str | None = None
    column: str | None = None
    answer: str = ""
    odds: str = ""
    ruling: Ruling | None = None

    @property
    def corner(self) -> str:
        """What stands at the head of the rows: both labels in short, or the rows' own where there
        is one column.
        """
        return corner(self.chart)

    @property
    def caption(self) -> str:
        return f"{self.chart.name}: {self.chart.row_label} by {self.chart.column_label}"

    @property
    def is_lit(self) -> bool:
        return self.row is not None and self.column is not None

    @property
    def row_choices(self) -> tuple[str, ...]:
        return tuple(self.chart.rows)

    @property
    def has_columns(self) -> bool:
        return len(self.chart.columns) > 1

    @property
    def is_modifier(self) -> bool:
        return is_modifier(self.chart)


def corner(chart: Chart) -> str:
    """What stands at the head of a chart's rows: both labels in short, or the rows' own where there
    is one column.
    """
    if len(chart.columns) == 1:
        return chart.row_label
    rows, columns = (
        short(chart.row_label, chart.row_stat),
        short(chart.column_label, chart.column_stat),
    )
    return f"{rows}\u00a0↓ {columns}\u00a0→"


def short(label: str, stat: str) -> str:
    """A label as the stat line prints it: Attacker's WS gives WS, Strength gives S; other words
    stay whole.
    """
    last = label.split()[-1]
    return stat or (last if last.isupper() else label)


def highlight_chart(
    system: System, chart: Chart, row: str | None = None, column: str | None = None
) -> HighlightedChart:
    """The chart with that row and column lit. Raises NotOnTheChart for one it lacks."""
    row, column = _known("row", row, chart.rows), _known("column", column, chart.columns)
    if row is not None and len(chart.columns) == 1:
        column = chart.columns[0]
    answer, odds = _answer(chart, row, column)
    return HighlightedChart(
        chart=chart,
        rows=_drawn_rows(chart),
        row=row,
        column=column,
        answer=answer,
        odds=odds,
        ruling=_ruling_of(system, chart),
    )


def _known(field: str, name: str | None, names: Collection[str]) -> str | None:
    """The name of a row or column, None for none. Raises NotOnTheChart."""
    if name and name not in names:
        raise NotOnTheChart(f"{field}: choose one of {', '.join(names)}.")
    return name or None


def _answer(chart: Chart, row: str | None, column: str | None) -> tuple[str, str]:
    """The lit figure and its chance in words; both empty where nothing is lit."""
    if row is None or column is None:
        return "", ""
    figure = chart.at(row, column)
    odds = "" if is_modifier(chart) else text.chance_words(figure)
    return _words(chart)(figure) or "–", odds


def _drawn_rows(chart: Chart) -> tuple[tuple[str, tuple[str | None, ...]], ...]:
    words = _words(chart)
    return tuple((head, tuple(map(words, cells))) for head, cells in chart.rows.items())


def _ruling_of(system: System, chart: Chart) -> Ruling | None:
    """The ruling that a borrowed chart stands by."""
    if not chart.ruling:
        return None
    return next((ruling for ruling in system.rulings if ruling.ref == chart.ruling), None)


def _words(chart: Chart) -> Callable[[Figure], str | None]:
    if chart.figures == "number":
        return lambda figure: None if figure is None else text.minus(figure)
    return text.modifier_words if is_modifier(chart) else text.score_words


def is_modifier(chart: Chart) -> bool:
    """Whether the figures are no scores to reach: the chart says so, or none of them is above one."""
    if chart.figures:
        return chart.figures != "score"
    return all(
        isinstance(cell, int) and cell <= 1 for cells in chart.rows.values() for cell in cells
    )


def load_charts(
    system: System, key: str | None = None, row: str | None = None, column: str | None = None
) -> tuple[HighlightedChart, ...]:
    """Every chart of a system; the one named by ``key`` is lit.

    Raises NotOnTheChart for what it lacks.
    """
    if key and key not in system.charts:
        raise NotOnTheChart(f"chart: choose one of {', '.join(system.charts)}.")
    return tuple(
        highlight_chart(system, chart, row, column)
        if chart.key == key
        else highlight_chart(system, chart)
        for chart in system.charts.values()
    )


def wounding_chart(system: System) -> Chart | None:
    """The chart that sets one warrior's figure against another figure of the other: Strength
    against Toughness.
    """
    names = {stat.name.casefold() for stat in system.stats}

    def stat_of(label: str) -> str:
        return next((name for name in names if name in label.casefold()), "")

    for chart in system.charts.values():
        row, column = stat_of(chart.row_label), stat_of(chart.column_label)
        if row and column and row != column:
            return chart
    return None
