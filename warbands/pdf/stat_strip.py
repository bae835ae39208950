"""The strip of boxes of one warrior: stat line, save, rings for wounds, boxes for states and marks,
points.

A strip is one run of text in Muster Cells: "M4 WS5 ... Sv4+ Wounds○○ Knocked down☐ Pts  62".
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from engine.records import TextPairs, Texts, frozen_dataclass
from warbands.pdf import measure
from warbands.pdf.measure import (
    LIVE_MM,
    PT,
    TRACK,
    TRACK_BOX,
    Drawn,
    chunks,
    dotted_line,
    gap,
    width,
)
from warbands.sheet.structure import ExperienceTrack, RosterSheet, SheetLine, SheetWarrior

CELL = 1.86
"""Size of the boxes, in em of the text beside them."""
_GAP = 200
_WOUNDS_GAP = 340
_NARROWEST = 12_000
_FONT_LABELS = frozenset(
    ("Sv", "Wounds", "Pts", *measure.STATS, *measure.STATE_LABELS, *measure.MARK_LABELS)
)
_WORD = 300  # of a word that the font has no label for, in thousandths of an em as the stylesheet has it


@frozen_dataclass
class Strip:
    """What all strips of one sheet share, so that their columns stand under one another.

    Without ``has_labels`` the words stay in the text and are not drawn. ``unit`` is the label of
    what prices are counted in. Widths are thousandths of an em of the boxes.
    """

    stats: int
    rings: int
    states: Texts
    marks: Texts
    digits: int
    has_save: bool = True
    has_labels: bool = True
    unit: str = "Pts"

    @property
    def silent(self) -> "Strip":
        """The same boxes without their labels."""
        return replace(self, has_labels=False)

    @property
    def save_width(self) -> int:
        return measure.SHIELD + _GAP if self.has_save else 0

    @property
    def stat_width(self) -> int:
        return self.stats * measure.BOX + _GAP

    @property
    def wounds_width(self) -> int:
        return self.rings * measure.RING_WIDTH

    @property
    def natural(self) -> int:
        """Width without the blank that brings it to a step."""
        wounds = self.wounds_width + _WOUNDS_GAP if self.rings else 0
        points = max(self.digits, 1) * measure.DIGIT
        points += self.unit_width + 60 if self.digits else 0
        return self.stat_width + self.save_width + wounds + self.boxes_width + points

    @property
    def unit_width(self) -> int:
        """Of the word before the points; a label of the font stands above them."""
        wide = 0 if self.unit in _FONT_LABELS else measure.width_in_em(self.unit)
        return round(wide * _WORD)

    @property
    def boxes_width(self) -> int:
        """Of the boxes for states and marks."""
        marks = len(self.marks) * measure.MARK + _GAP if self.marks else 0
        return len(self.states) * measure.STATE + marks

    @property
    def width(self) -> int:
        """In steps of half an em: the stylesheet has a class for each."""
        return max(_NARROWEST, -(-self.natural // 500) * 500)

    @property
    def css_class(self) -> str:
        return f"w{self.width // 100}"

    @property
    def ems(self) -> float:
        """Width in em of the text."""
        return self.width / 1000 * CELL

    def draw(self, warrior: SheetWarrior) -> str:
        """A warrior's boxes as HTML text."""
        text = self.stat_boxes(warrior.main_line) + gap(_GAP)
        if self.has_save:
            text += self._label("Sv") + _save(warrior) + gap(_GAP)
        if self.rings:
            rings = warrior.rings
            label = self._label("Wounds") if rings else ""
            text += label + self._rings(rings) + gap(_WOUNDS_GAP)
        text += self._state_boxes()
        blank = self.width - self.natural
        if not self.digits:
            return text + gap(blank) + measure.FIGURE_SPACE
        digits = str(warrior.combatant_points).rjust(self.digits, measure.FIGURE_SPACE)
        label = self._label(self.unit) or gap(self.unit_width)
        return text + gap(blank + 60) + label + digits

    def draw_empty(self, stats: Sequence[str]) -> str:
        """The same boxes with nothing in them."""
        save = "Sv~" + gap(_GAP) if self.has_save else ""
        rings = (
            "Wounds" + measure.RING * self.rings + gap(_WOUNDS_GAP) if self.rings else ""
        )
        text = self._cells(tuple((key, "_") for key in stats)) + gap(_GAP) + save + rings
        points = "Pts" if self.digits else ""
        digits = measure.FIGURE_SPACE * (self.digits or 1)
        blank = gap(self.width - self.natural)
        return text + self._state_boxes() + blank + points + digits

    def draw_second(self, line: SheetLine, wounds: int | None) -> str:
        """The stat line of a mount or crew under the boxes of its rider, with rings where it has
        wounds of its own.
        """
        rings = self._rings(wounds) if wounds else gap(self.wounds_width)
        used = self.stat_width + self.save_width + self.wounds_width
        save = gap(_GAP + self.save_width)
        blank = gap(self.width - used - measure.DIGIT) + measure.FIGURE_SPACE
        return self.silent.stat_boxes(line) + save + rings + blank

    def draw_member(self, warrior: SheetWarrior) -> str:
        """The second half of the strip, for a card: rings and boxes."""
        rings = _draw_rings(warrior.rings)
        return ("wounds" + rings + gap(_GAP) if rings else "") + self._state_boxes()

    def member_width(self, warrior: SheetWarrior) -> int:
        """The width of those."""
        wide = _rings_width(warrior.rings)
        return (wide + _GAP if wide else 0) + self.boxes_width

    def stat_boxes(self, line: SheetLine | None) -> str:
        return self._cells(line.cells if line else ())

    def _cells(self, cells: TextPairs) -> str:
        drawn = " ".join(self._label(key) + figure(text) for key, text in cells)
        return drawn + gap(max(0, self.stats - len(cells)) * measure.BOX)

    def _rings(self, count: int | None) -> str:
        """A ring for each wound, two above one another from the third on; more than six are a box
        and a number.
        """
        return _draw_rings(count) + gap(max(0, self.wounds_width - _rings_width(count)))

    def _state_boxes(self) -> str:
        states = " ".join(self._label(name) + measure.STATE_BOX for name in self.states)
        marks = " ".join(self._label(name) + measure.MARK_BOX for name in self.marks)
        return states + gap(_GAP) + marks if marks else states

    def _label(self, text: str) -> str:
        """A label of the font, or a small word in its place where the font has none."""
        if text in _FONT_LABELS:
            return text if self.has_labels else text.lower()
        return f"<u>{escape(text[:9])}</u>" if self.has_labels else ""


def sheet_strip(sheet: RosterSheet) -> Strip:
    """The strip that holds everybody of this roster."""
    names = [s.name for s in sheet.states]
    marks = tuple(
        dict.fromkeys([*(n for n in names if n in measure.MARK_LABELS), *sheet.marks])
    )
    longest = max((len(str(w.combatant_points)) for w in sheet.warriors), default=1)
    wounds = max((warrior.rings or 0 for warrior in sheet.warriors), default=0)
    # Two places are enough for the rings of four wounds, which is what nearly everybody has.
    rings = 2 if wounds <= 4 else 3
    return Strip(
        stats=len(sheet.stats),
        rings=rings if sheet.shows_wounds else 0,
        states=tuple(n for n in names if n not in marks)[:5],
        marks=marks[:3],
        digits=max(4, longest) if sheet.shows_points else 0,
        has_save=sheet.shows_saves,
        unit=sheet.currency.head,
    )


def stats_and_save(warrior: SheetWarrior) -> str:
    """The first half of the strip, for a card."""
    drawn = Strip(0, 0, (), (), 0).stat_boxes(warrior.main_line)
    if warrior.save.is_unknown:
        return drawn
    return drawn + gap(_GAP) + "Sv" + _save(warrior)


def figure(text: str) -> str:
    """A figure as the font can draw it; a star stands for what it cannot, and the words beside it
    say what it is.
    """
    return text if measure.has_figure(text) or text == "_" else "*"


def _save(warrior: SheetWarrior) -> str:
    return warrior.save.text if warrior.save.number else "?"


def _draw_rings(count: int | None) -> str:
    if not count:
        return ""
    if count > measure.MOST_RINGS:
        return f"{measure.MARK_BOX}/{min(count, measure.MOST_WOUNDS)}"
    # Up to four wounds in two places, up to six in three.
    pairs = max(0, count - 2) if count <= 4 else count - 3
    return measure.PAIR * pairs + measure.RING * (count - 2 * pairs)


def _rings_width(count: int | None) -> int:
    if count and count > measure.MOST_RINGS:
        return measure.MANY_WOUNDS
    return len(_draw_rings(count)) * measure.RING_WIDTH


_LABEL, _LINE = "Experience  ", "Skills, advances, injuries"
_TEN_GAP = 320
_NAME_EM = 2.18
_SHORTEST_MM = 80.0
"""What a line to write on needs beside the boxes; else it stands below them."""


@frozen_dataclass
class RowSize:
    """Sizes of the rows in millimetres, as in the stylesheet; how many boxes stand in one."""

    boxes: int
    em: float
    boxes_mm: float
    line_mm: float
    gap_mm: float


NORMAL_ROWS = RowSize(90, 2.72, 4.0, 5.6, 0.6)
BIG_ROWS = RowSize(40, 5.0, 6.4, 8.0, 0.6)


def draw_track(track: ExperienceTrack, pt: float, size: RowSize) -> Drawn:
    """Draw the rows under the words of an entry at a text size."""
    boxes = "".join(TRACK[2 * box.is_step + box.is_filled] for box in track.boxes)
    rows = chunks(boxes, size.boxes)
    room = LIVE_MM - _NAME_EM * pt * PT
    indent = " " * round(width(_LABEL, pt) / width(" ", pt))
    lines: list[str] = []
    for row in rows:
        tens = gap(_TEN_GAP).join(map("".join, chunks(row, 10)))
        lines.append(f"{indent if lines else _LABEL}<u>{tens}</u>")
    count = len(rows[-1])
    wide = (count * TRACK_BOX + (count - 1) // 10 * _TEN_GAP) / 1000 * size.em
    left = room - width(_LABEL + "  ", pt) - wide
    if left >= _SHORTEST_MM:
        last, line = lines.pop() + "  ", dotted_line(_LINE, left, pt)
    else:
        last, line = "", dotted_line(_LINE, room, pt)
    above = f"<p class='xp'>{chr(10).join(lines)}</p>" if lines else ""
    html = f"<div class='xr'>{above}<p class='xp xl'>{last}{line}</p></div>"
    return Drawn(html, size.gap_mm + size.boxes_mm * len(lines) + size.line_mm)
