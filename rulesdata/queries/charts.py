"""Charts with a row and a column lit, and the answer in words."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import chain

from engine import equipment
from engine.records import Texts, frozen_dataclass
from engine.types.lists import Figure
from engine.types.mechanics import Chart, Ruling
from engine.types.systems import System
from rulesdata import text
from rulesdata.queries.holdings import usual_selection
from rulesdata.queries.lookup import Unit

Cell = tuple[str | None, str | None]
"""A row and a column of a chart that shall be lit, None for none."""
UNLIT: Cell = (None, None)


class NotOnTheChart(ValueError):
    """The row or column asked for is not one of the chart; the text names the field and what it may
    be.
    """


@frozen_dataclass
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
    def row_choices(self) -> Texts:
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
    rows = short(chart.row_label, chart.row_stat)
    return f"{rows}\u00a0↓ {short(chart.column_label, chart.column_stat)}\u00a0→"


def short(label: str, stat: str) -> str:
    """A label as the stat line prints it: Attacker's WS gives WS, Strength gives S; other words
    stay whole.
    """
    last = label.split()[-1]
    return stat or (last if last.isupper() else label)


def highlight_chart(system: System, chart: Chart, cell: Cell = UNLIT) -> HighlightedChart:
    """The chart with that row and column lit. Raises NotOnTheChart for one it lacks."""
    row, column = (
        _known("row", cell[0], chart.rows),
        _known("column", cell[1], chart.columns),
    )
    # A list of circumstances has one column: its row alone says which figure is meant.
    if row is not None and len(chart.columns) == 1:
        column = chart.columns[0]
    words = _words(chart)
    rows = ((head, tuple(map(words, cells))) for head, cells in chart.rows.items())
    rulings = {ruling.ref: ruling for ruling in system.rulings}
    lit = HighlightedChart(
        chart, tuple(rows), row, column, ruling=rulings.get(chart.ruling)
    )
    if row is None or column is None:
        return lit
    figure = chart.at(row, column)
    odds = "" if lit.is_modifier else text.chance_words(figure)
    return replace(lit, answer=words(figure) or "–", odds=odds)


def _known(field: str, name: str | None, names: Collection[str]) -> str | None:
    """The name of a row or column, None for none. Raises NotOnTheChart."""
    if name and name not in names:
        raise NotOnTheChart(f"{field}: choose one of {', '.join(names)}.")
    return name or None


def _words(chart: Chart) -> Callable[[Figure], str | None]:
    if chart.figures == "number":
        return lambda figure: None if figure is None else text.minus(figure)
    return text.modifier_words if is_modifier(chart) else text.score_words


def is_modifier(chart: Chart) -> bool:
    """Whether the figures are no scores to reach: the chart says so, or none of them is above one."""
    if chart.figures:
        return chart.figures != "score"
    cells = chain.from_iterable(chart.rows.values())
    return all(isinstance(cell, int) and cell <= 1 for cell in cells)


def load_charts(
    system: System, key: str | None = None, cell: Cell = UNLIT
) -> tuple[HighlightedChart, ...]:
    """Every chart of a system; the one named by ``key`` is lit.

    Raises NotOnTheChart for what it lacks.
    """
    charts = system.charts
    if key and key not in charts:
        raise NotOnTheChart(f"chart: choose one of {', '.join(charts)}.")
    cells = {key: cell}
    return tuple(
        highlight_chart(system, charts[one], cells.get(one, UNLIT)) for one in charts
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


# The chart on a unit's page

_USUAL_COLUMN = "3"


@frozen_dataclass
class StrikeOption:
    """One way to strike: its Strength, when, and the score it wounds on at the lit column."""

    name: str
    when: str
    strength: int
    score: str


@frozen_dataclass
class Wounding:
    """The chart on a unit's page: lit at its own Strength, with what each weapon makes of it."""

    lit: HighlightedChart
    who: str
    own: str
    blows: tuple[StrikeOption, ...]

    @property
    def row(self) -> int:
        return int(self.lit.row or 0)

    @property
    def column(self) -> int:
        return int(self.lit.column or 0)

    @property
    def rows(self) -> int:
        return len(self.lit.chart.rows)

    @property
    def columns(self) -> int:
        return len(self.lit.chart.columns)

    @property
    def row_fields(self) -> Mapping[str, str]:
        """What the stepper of the row sends besides."""
        return {"column": self.lit.column or ""}

    @property
    def column_fields(self) -> Mapping[str, str]:
        """What the stepper of the column sends besides."""
        return {"row": self.lit.row or ""}


def wounding_of(unit: Unit, cell: Cell) -> Wounding | None:
    """What the unit wounds on, with a row and a column lit: its own Strength unless named.

    None where the system has no such chart. Raises NotOnTheChart.
    """
    chart = wounding_chart(unit.system)
    if chart is None:
        return None
    who, own = _striker(unit, _stat_of_rows(unit.system, chart))
    usual_row = str(own) if str(own) in chart.rows else next(iter(chart.rows))
    usual_column = _USUAL_COLUMN if _USUAL_COLUMN in chart.columns else chart.columns[0]
    found = highlight_chart(
        unit.system, chart, (cell[0] or usual_row, cell[1] or usual_column)
    )
    return Wounding(found, who, str(own) if own is not None else "", _blows(unit, found))


def _stat_of_rows(system: System, chart: Chart) -> str:
    """The stat that a chart's rows are named after; empty for none."""
    label = chart.row_label.casefold()
    return next((stat.key for stat in system.stats if stat.name.casefold() in label), "")


def _striker(unit: Unit, stat: str) -> tuple[str, Figure]:
    """The first line of a unit that has the stat, by name, and its figure there."""
    for line in unit.profile.lines:
        if (figure := line.stats.get(stat)) is not None:
            return line.name, figure
    return unit.profile.name, None


def _blows(unit: Unit, found: HighlightedChart) -> tuple[StrikeOption, ...]:
    """What each weapon's Strength makes of the lit column, also where it is another when charging."""
    if unit.profile.key not in unit.army.profiles or found.column is None:
        return ()
    selection = usual_selection(unit)
    blows = []
    for arm in equipment.carried_weapons(selection, unit.army):
        for strength, when in ((arm.strength, ""), *_other_strengths(arm)):
            if isinstance(strength, int) and str(strength) in found.chart.rows:
                score = text.score_words(found.chart.at(strength, found.column))
                blows.append(StrikeOption(arm.name, when, strength, score or "cannot"))
    return tuple(dict.fromkeys(blows))


def _other_strengths(arm: equipment.CarriedWeapon) -> list[tuple[int, str]]:
    """The Strengths among a weapon's notes: ``S4 charging`` gives (4, charging)."""
    found = []
    for note in arm.notes:
        head, _, when = note.partition(" ")
        if head[:1] == "S" and head[1:].isdigit():
            found.append((int(head[1:]), when))
    return found
