"""The quick reference: one page of charts, arms and rules this roster needs, in smaller type when
there are many.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape

from engine.records import frozen_dataclass
from engine.types.lists import Figure
from rulesdata.text import true_minus
from warbands.pdf.blocks import LIVE_HEIGHT_MM
from warbands.pdf.measure import (
    BOLD,
    NBSP,
    SANS,
    clean,
    first_fitting,
    truncate,
    width,
    wrap_text,
)
from warbands.pdf.phrases import arm_lines
from warbands.pdf.press import Parts
from warbands.sheet.structure import ChartRows, Reference, RosterSheet

LEFT_MM, RIGHT_MM = 118.0, 67.0
SIZES = tuple(range(100, 49, -5))
"""Sizes tried, in tenths of a point."""
_HEAD_MM = 17.6
_ROOM_MM = LIVE_HEIGHT_MM - _HEAD_MM
_TAB_MM = 7.05
_HEADS = (18.5, 26.0, 34.0)
"""Widths of the column of bold heads: the stylesheet has a class for each."""
_MM_PER_PT = 25.4 / 72
_TITLE_EM, _GAP_EM = 1.35 * (1.26 + 0.336), 1.35 * 0.84
_NOTE_EM, _HEAD_ROW_EM, _ROW_EM, _TEXT_EM = (
    0.8 * 1.38,
    0.86 * 1.58,
    1.16 * 1.613,
    0.96 * 1.343,
)
_SOURCE_GAP_EM, _SOURCE_PADDING_EM = 0.8 * 1.417, 0.8 * 0.5
_MOST_ENTRIES = 60
Row = tuple[str, tuple[Figure, ...], tuple[str, ...]]


@frozen_dataclass
class Piece:
    """A chart or a text with its title: its parts and their distance from its top, and its height.

    Each part may be one that other rosters have as well. The gap above the title is of the height.
    """

    parts: Parts
    mm: float


@frozen_dataclass
class Column:
    """A column at a text size."""

    mm: float
    pt: float

    @property
    def em(self) -> float:
        return self.pt * _MM_PER_PT


Build = Callable[[Column], Piece]


@frozen_dataclass
class _Arrangement:
    """The pieces of both columns, and the height of the taller."""

    left: Sequence[Piece]
    right: Sequence[Piece]
    mm: float


def reference_page(sheet: RosterSheet) -> tuple[str, Parts]:
    """The HTML of the page's head, and the parts of its columns.

    It names no warband, so that rosters with the same needs share one.
    """
    reference = sheet.reference
    fixed, loose = _chart_builders(reference), _text_builders(reference)
    size = first_fitting(
        SIZES, lambda size: _arrange(fixed, loose, reference, size / 10).mm <= _ROOM_MM
    )
    found = _arrange(fixed, loose, reference, size / 10)
    # The first title of a column has no gap above it.
    top_mm = _HEAD_MM - _GAP_EM * Column(0, size / 10).em
    parts = (
        *_column_parts(found.left, f"L k{size}", top_mm),
        *_column_parts(found.right, f"R k{size}", top_mm),
    )
    title = escape(truncate(clean(sheet.system_name, 80), 120, 8.6))
    body = (
        f"<div class='pg'><header class='h2'><p class='k'>MUSTER ROLL{NBSP * 3}{title}</p>"
        "<h1 class='z19'>Quick Reference</h1><p class='no'>Only what this warband "
        "needs</p></header></div>"
    )
    return body, parts


def _column_parts(
    pieces: Sequence[Piece], column: str, top_mm: float
) -> Iterator[tuple[str, float]]:
    """Each part of a column as HTML of its own, and how far down the page it stands."""
    for piece in pieces:
        for html, mm in piece.parts:
            yield f"<div class='one {column}'>{html}</div>", top_mm + mm
        top_mm += piece.mm


def _arrange(
    fixed: Sequence[Build], loose: Sequence[Build], reference: Reference, pt: float
) -> _Arrangement:
    """Charts at the left, texts at the right; as many of the last texts go left as make both
    columns even.
    """
    wide, narrow = Column(LEFT_MM, pt), Column(RIGHT_MM, pt)
    if not reference.borrowed:
        last = []
    else:
        sources = "; ".join(reference.borrowed)
        text = f"Charts borrowed from: {sources}."
        lines = wrap_text(clean(text, 600), wide.mm - 1, wide.pt * 0.8)
        gap_mm = _SOURCE_GAP_EM * wide.em
        mm = gap_mm + (_SOURCE_PADDING_EM + _NOTE_EM * len(lines)) * wide.em + 0.4
        last = [Piece(((f"<p class='src'>{chr(10).join(lines)}</p>", gap_mm),), mm)]
    left = [build(wide) for build in fixed]
    right = [build(narrow) for build in loose]
    moved = [build(wide) for build in loose]
    best: _Arrangement | None = None
    # From nothing moved on: of equal heights the one with fewest texts moved stays.
    for kept in range(len(loose), -1, -1):
        one, other = [*left, *moved[kept:], *last], right[:kept]
        height = max(_height(one, wide), _height(other, wide))
        if best is None or height < best.mm - 0.01:
            best = _Arrangement(one, other, height)
    assert best is not None
    return best


def _height(pieces: Sequence[Piece], column: Column) -> float:
    """Height of a column in millimetres: the first heading has no gap above it."""
    return sum(piece.mm for piece in pieces) - _GAP_EM * column.em


@frozen_dataclass
class _Grid:
    """A chart to draw: its rows are (heading, figures, who needs it)."""

    title: str
    note: str
    corner: str
    heads: Sequence[str]
    rows: Sequence[Row]


def _chart_builders(reference: Reference) -> list[Build]:
    builds: list[Build] = [_chart_builder(chart) for chart in reference.charts]
    if reference.saves:
        note = "Rows: the printed save. Columns: the Strength of the hit."
        saves = _Grid(
            "Your armour save", note, "", reference.save_strengths, reference.saves
        )
        builds.append(lambda column: _table(saves, column))
    if reference.arms:
        arms = arm_lines(reference.arms)
        builds.append(
            lambda column: _entries("Weapons and armour of this warband", arms, column)
        )
    return builds


def _chart_builder(found: ChartRows) -> Build:
    chart = found.chart
    note = f"{chart.row_label} down, {chart.column_label} across. {chart.note}"
    if len(chart.columns) == 1:
        note = chart.note or f"By {chart.row_label}"
    corner = chart.row_stat or (chart.row_label if len(chart.row_label) <= 3 else "")
    # Headings too wide for a tab stop stand as a list of entries.
    if any(width(key, 11.6, BOLD) > _TAB_MM - 1 for key, _, _ in found.rows):
        entries = [(key, ", ".join(map(_score, cells))) for key, cells, _ in found.rows]
        return lambda column: _entries(chart.name, entries, column, chart.note)
    grid = _Grid(chart.name, note, corner, chart.columns, found.rows)
    return lambda column: _table(grid, column)


def _table(grid: _Grid, column: Column) -> Piece:
    """A chart: lines of text on even tab stops, each with a hairline under it; who needs a row
    stands at its end.
    """
    heads, pt = grid.heads, column.pt
    notes = wrap_text(_signs(clean(grid.note, 300)), column.mm - 1, pt * 0.8)
    room = column.mm - (len(heads) + 1) * _TAB_MM - 1
    drawn = []
    for key, cells, users in grid.rows[:_MOST_ENTRIES]:
        names = clean(", ".join(users), 300)
        who = truncate(names, room, pt * 1.16 * 0.69, SANS) if room > 8 else ""
        figures = "\t".join(escape(_score(cell)) for cell in cells)
        drawn.append(f"<p class='x'>{escape(key)}\t{figures}\t<i>{escape(who)}</i></p>")
    head_mm = _TAB_MM * (2.5 if len(heads) == 1 else 1)
    top = "\t".join(escape(truncate(head, head_mm, pt * 0.86)) for head in heads)
    line = f"<p class='xh'>{escape(grid.corner)}\t{top}</p>"
    em = column.em
    top_mm = (_GAP_EM + _TITLE_EM + _NOTE_EM * len(notes) + _HEAD_ROW_EM) * em + 0.4 + 0.4
    row_mm = _ROW_EM * em + 0.2
    rows = [(row, top_mm + row_mm * i) for i, row in enumerate(drawn)]
    head = f"{_title(grid.title)}{_small(notes)}{line}"
    return Piece(((head, _GAP_EM * em), *rows), top_mm + row_mm * len(rows))


def _entries(
    title: str, entries: Sequence[tuple[str, str]], column: Column, note: str = ""
) -> Piece:
    """Bold heads and their texts side by side: two blocks laid over one another."""
    pt = column.pt * 0.96
    widest = max((width(clean(head, 80), pt, BOLD) for head, _ in entries), default=0)
    widths = [mm for mm in _HEADS if mm < column.mm * 0.4]
    head_mm = next((mm for mm in widths if widest <= mm - 1), widths[-1])
    notes = wrap_text(clean(note, 300), column.mm - 1, column.pt * 0.8) if note else ()
    parts = [(f"{_title(title)}{_small(notes)}", _GAP_EM * column.em)]
    mm = (_GAP_EM + _TITLE_EM + _NOTE_EM * len(notes)) * column.em + 0.4
    for head, text in entries[:_MOST_ENTRIES]:
        heads = wrap_text(clean(head, 80), (head_mm - 1) / 1.06, pt) or (NBSP,)
        texts = wrap_text(_signs(clean(text)), column.mm - head_mm - 0.5, pt) or (NBSP,)
        pair = (
            f"<pre class='gh'>{chr(10).join(heads)}</pre>"
            f"<pre class='g m{head_mm:.0f}'>{chr(10).join(texts)}</pre>"
        )
        parts.append((pair, mm))
        mm += _TEXT_EM * max(len(heads), len(texts)) * column.em
    return Piece(tuple(parts), mm)


def _text_builders(reference: Reference) -> list[Build]:
    """The first section, then the tables that are rolled on, the states, and the other sections."""
    sections = [
        _box_builder(name, [(note.title, note.text) for note in notes])
        for name, notes in reference.sections
    ]
    tables = []
    for table in reference.tables:
        rows = [
            (
                str(row.first) if row.first == row.last else f"{row.first}–{row.last}",
                f"{row.name}. {row.note}",
            )
            for row in table.rows
        ]
        tables.append(_box_builder(f"{table.name} ({table.die})", rows, table.note))
    if reference.states:
        states = [(state.name, state.summary) for state in reference.states]
        tables.append(_box_builder("States", states))
    return [*sections[:1], *tables, *sections[1:]]


def _box_builder(title: str, entries: list[tuple[str, str]], note: str = "") -> Build:
    return lambda column: _entries(title, entries, column, note)


def _signs(text: str) -> str:
    """Inches and minus as print sets them."""
    return true_minus(text.replace('"', "″"))


def _title(text: str) -> str:
    return f"<h2>{escape(clean(text, 60))}</h2>"


def _small(lines: Sequence[str]) -> str:
    return f"<p class='s'>{chr(10).join(lines)}</p>" if lines else ""


def _score(figure: Figure) -> str:
    """A chart's figure: the lowest score that succeeds, a modifier as printed, a dash where nothing
    does.
    """
    if figure is None:
        return "–"
    return f"{figure}+" if isinstance(figure, int) else str(figure)
