"""The quick reference: one page of charts, arms and rules this roster needs, in smaller type when
there are many.
"""

from collections.abc import Iterator, Sequence
from html import escape

from engine.records import TextPairs, frozen_dataclass
from engine.types.lists import Figure
from rulesdata.text import true_minus
from warbands.pdf.measure import (
    BOLD,
    LIVE_HEIGHT_MM,
    NBSP,
    PT,
    SANS,
    clean,
    first_fitting,
    truncate,
    width,
    wrap_text,
)
from warbands.pdf.phrases import arm_lines
from warbands.pdf.press import Parts
from warbands.sheet.structure import Reference, RosterSheet

LEFT_MM, RIGHT_MM = 118.0, 67.0
SIZES = tuple(range(100, 49, -5))
"""Sizes tried, in tenths of a point."""
_HEAD_MM = 17.6
_ROOM_MM = LIVE_HEIGHT_MM - _HEAD_MM
_TAB_MM = 7.05
_HEADS = (18.5, 26.0, 34.0)
"""Widths of the column of bold heads: the stylesheet has a class for each."""
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
"""Heading, figures, and who needs them."""


@frozen_dataclass
class Piece:
    """A chart or a text with its title: its parts and their distance from its top, and its height.

    Each part may be one that other rosters have as well. The gap above the title is of the height.
    """

    parts: Parts
    mm: float


def reference_page(sheet: RosterSheet) -> tuple[str, Parts]:
    """The HTML of the page's head, and the parts of its columns.

    It names no warband, so that rosters with the same needs share one.
    """
    size = first_fitting(
        SIZES, lambda size: _arrange(sheet.reference, size / 10)[2] <= _ROOM_MM
    )
    left, right, _ = _arrange(sheet.reference, size / 10)
    parts = []
    for pieces, side in ((left, "L"), (right, "R")):
        # The first title of a column has no gap above it.
        top_mm = _HEAD_MM - _GAP_EM * (size / 10 * PT)
        for piece in pieces:
            for html, mm in piece.parts:
                parts.append((f"<div class='one {side} k{size}'>{html}</div>", top_mm + mm))
            top_mm += piece.mm
    title = escape(truncate(clean(sheet.system_name, 80), 120, 8.6))
    body = (
        f"<div class='pg'><header class='h2'><p class='k'>MUSTER ROLL{NBSP * 3}{title}</p>"
        "<h1 class='z19'>Quick Reference</h1><p class='no'>Only what this warband "
        "needs</p></header></div>"
    )
    return body, tuple(parts)


def _arrange(
    reference: Reference, pt: float
) -> tuple[Sequence[Piece], Sequence[Piece], float]:
    """Charts at the left, texts at the right; as many of the last texts go left as make both
    columns even. Returns both columns and the height of the taller.
    """
    wide, narrow = Column(LEFT_MM, pt), Column(RIGHT_MM, pt)
    charts, sources = list(wide.charts(reference)), wide.sources(reference)
    texts, moved = list(narrow.texts(reference)), list(wide.texts(reference))
    arrangements = []
    # From nothing moved on: of equal heights the one with fewest texts moved stays.
    for count in range(len(texts), -1, -1):
        left, right = [*charts, *moved[count:], *sources], texts[:count]
        mm = max(sum(piece.mm for piece in pieces) for pieces in (left, right))
        # The first title of a column has no gap above it.
        arrangements.append((left, right, mm - _GAP_EM * wide.em))
    best = arrangements[0]
    for arrangement in arrangements:
        if arrangement[2] < best[2] - 0.01:
            best = arrangement
    return best


@frozen_dataclass
class Column:
    """A column at a text size, and the pieces that may stand in it."""

    mm: float
    pt: float

    @property
    def em(self) -> float:
        return self.pt * PT

    def charts(self, reference: Reference) -> Iterator[Piece]:
        """The charts of warband and system, its saves, its weapons and armour."""
        for rows in reference.charts:
            chart = rows.chart
            # Headings too wide for a tab stop stand as a list of entries.
            if any(width(key, 11.6, BOLD) > _TAB_MM - 1 for key, _, _ in rows.rows):
                entries = [
                    (key, ", ".join(map(_score, cells))) for key, cells, _ in rows.rows
                ]
                yield self.entries(chart.name, entries, chart.note)
                continue
            note = f"{chart.row_label} down, {chart.column_label} across. {chart.note}"
            if len(chart.columns) == 1:
                note = chart.note or f"By {chart.row_label}"
            label = chart.row_label if len(chart.row_label) <= 3 else ""
            corner = chart.row_stat or label
            yield self.table((chart.name, note, corner), chart.columns, rows.rows)
        if reference.saves:
            note = "Rows: the printed save. Columns: the Strength of the hit."
            titles = ("Your armour save", note, "")
            yield self.table(titles, reference.save_strengths, reference.saves)
        if reference.arms:
            arms = arm_lines(reference.arms)
            yield self.entries("Weapons and armour of this warband", arms)

    def texts(self, reference: Reference) -> Iterator[Piece]:
        """The first section, then the tables that are rolled on, the states, and the other
        sections.
        """
        sections = [
            self.entries(name, [(note.title, note.text) for note in notes])
            for name, notes in reference.sections
        ]
        yield from sections[:1]
        for table in reference.tables:
            rows = []
            for row in table.rows:
                last = "" if row.first == row.last else f"–{row.last}"
                rows.append((f"{row.first}{last}", f"{row.name}. {row.note}"))
            yield self.entries(f"{table.name} ({table.die})", rows, table.note)
        if reference.states:
            states = [(state.name, state.summary) for state in reference.states]
            yield self.entries("States", states)
        yield from sections[1:]

    def sources(self, reference: Reference) -> list[Piece]:
        """Whose charts are borrowed, and whose figures the weapons and armour have."""
        texts = [f"{names}: {source}." for names, source in reference.gear_sources]
        if reference.borrowed:
            texts.insert(0, f"Charts borrowed from: {'; '.join(reference.borrowed)}.")
        if not texts:
            return []
        text = " ".join(texts)
        lines = wrap_text(clean(text, 600), self.mm - 1, self.pt * 0.8)
        gap_mm = _SOURCE_GAP_EM * self.em
        mm = gap_mm + (_SOURCE_PADDING_EM + _NOTE_EM * len(lines)) * self.em + 0.4
        return [Piece(((f"<p class='src'>{chr(10).join(lines)}</p>", gap_mm),), mm)]

    def table(
        self, titles: tuple[str, str, str], heads: Sequence[str], rows: Sequence[Row]
    ) -> Piece:
        """A chart: lines of text on even tab stops, each with a hairline under it; who needs a row
        stands at its end. ``titles`` are its title, its note and the head of its first column.
        """
        title, note, corner = titles
        notes = wrap_text(_signs(clean(note, 300)), self.mm - 1, self.pt * 0.8)
        # A name as wide as a tab stop ends behind it, so the figures under it take as many as it.
        pt, single = self.pt * 0.86, len(heads) == 1
        labels = [
            f"{truncate(head, _TAB_MM * 3, pt)}{NBSP * 2}"
            if not single and width(head, pt) > _TAB_MM - 0.5
            else head
            for head in heads
        ]
        tabs = [
            "\t" if single else "\t" * (1 + int(width(label, pt) / _TAB_MM))
            for label in labels
        ]
        top = "".join(f"{escape(label)}\t" for label in labels)
        head = f"{_title(title, notes)}<p class='xh'>{escape(corner)}\t{top}</p>"
        parts = [(head, _GAP_EM * self.em)]
        title_em = _GAP_EM + _TITLE_EM + _NOTE_EM * len(notes) + _HEAD_ROW_EM
        top_mm, row_mm = title_em * self.em + 0.4 + 0.4, _ROW_EM * self.em + 0.2
        room = self.mm - (len("".join(tabs)) + 1) * _TAB_MM - 1
        for number, (key, cells, users) in enumerate(rows[:_MOST_ENTRIES]):
            names = clean(", ".join(users), 300)
            who = truncate(names, room, self.pt * 1.16 * 0.69, SANS) if room > 8 else ""
            figures = "".join(
                escape(_score(cell)) + tab for cell, tab in zip(cells, tabs, strict=True)
            )
            row = f"<p class='x'>{escape(key)}\t{figures}<i>{escape(who)}</i></p>"
            parts.append((row, top_mm + row_mm * number))
        return Piece(tuple(parts), top_mm + row_mm * (len(parts) - 1))

    def entries(
        self, title: str, entries: TextPairs | list[tuple[str, str]], note: str = ""
    ) -> Piece:
        """Bold heads and their texts side by side: two blocks laid over one another."""
        pt = self.pt * 0.96
        widest = max((width(clean(head, 80), pt, BOLD) for head, _ in entries), default=0)
        widths = [mm for mm in _HEADS if mm < self.mm * 0.4]
        head_mm = next((mm for mm in widths if widest <= mm - 1), widths[-1])
        notes = wrap_text(clean(note, 300), self.mm - 1, self.pt * 0.8) if note else ()
        parts = [(_title(title, notes), _GAP_EM * self.em)]
        mm = (_GAP_EM + _TITLE_EM + _NOTE_EM * len(notes)) * self.em + 0.4
        for head, text in entries[:_MOST_ENTRIES]:
            heads = wrap_text(clean(head, 80), (head_mm - 1) / 1.06, pt) or (NBSP,)
            texts = wrap_text(_signs(clean(text)), self.mm - head_mm - 0.5, pt) or (NBSP,)
            pair = (
                f"<pre class='gh'>{chr(10).join(heads)}</pre>"
                f"<pre class='g m{head_mm:.0f}'>{chr(10).join(texts)}</pre>"
            )
            parts.append((pair, mm))
            mm += _TEXT_EM * max(len(heads), len(texts)) * self.em
        return Piece(tuple(parts), mm)


def _signs(text: str) -> str:
    """Inches and minus as print sets them."""
    return true_minus(text.replace('"', "″"))


def _title(text: str, notes: Sequence[str]) -> str:
    small = f"<p class='s'>{chr(10).join(notes)}</p>" if notes else ""
    return f"<h2>{escape(clean(text, 60))}</h2>{small}"


def _score(figure: Figure) -> str:
    """A chart's figure: the lowest score that succeeds, a modifier as printed, a dash where nothing
    does.
    """
    if figure is None:
        return "–"
    return f"{figure}+" if isinstance(figure, int) else str(figure)
