"""The strip of boxes of one warrior: stat line, save, rings for wounds, boxes for states and marks,
points.

A strip is one run of text in Muster Cells: "M4 WS5 ... Sv4+ Wounds○○ Knocked down☐ Pts  62".
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from engine.records import frozen_dataclass
from warbands.pdf import measure
from warbands.pdf.measure import gap
from warbands.sheet.structure import RosterSheet, SheetLine, SheetWarrior

CELL = 1.86
"""Size of the boxes, in em of the text beside them."""
_GAP = 200
_WOUNDS_GAP = 340
_NARROWEST = 12_000
_FONT_LABELS = ("Sv", "Wounds", "Pts")
_WORD = 300  # of a word that the font has no label for, in thousandths of an em as the stylesheet has it


@frozen_dataclass
class Strip:
    """What all strips of one sheet share, so that their columns stand under one another.

    Without ``has_labels`` the words stay in the text and are not drawn. ``unit`` is the label of
    what prices are counted in.
    """

    stats: int
    rings: int
    states: tuple[str, ...]
    marks: tuple[str, ...]
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
    def wounds_gap(self) -> int:
        return _WOUNDS_GAP if self.rings else 0

    @property
    def stat_width(self) -> int:
        return self.stats * measure.BOX + _GAP

    @property
    def wounds_width(self) -> int:
        return self.rings * measure.RING_WIDTH

    @property
    def natural(self) -> int:
        """Width without the blank that brings it to a step."""
        wounds = self.wounds_width + self.wounds_gap
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
        """Thousandths of an em of the boxes, in steps of half an em: the stylesheet has a class for
        each.
        """
        return max(_NARROWEST, -(-self.natural // 500) * 500)

    @property
    def css_class(self) -> str:
        return f"w{self.width // 100}"

    @property
    def ems(self) -> float:
        """Width in em of the text."""
        return self.width / 1000 * CELL


def strip_of(sheet: RosterSheet) -> Strip:
    """The strip that holds everybody of this roster."""
    names = [s.name for s in sheet.states]
    marks = tuple(
        dict.fromkeys([*(n for n in names if n in measure.MARK_LABELS), *sheet.marks])
    )
    longest = max((len(str(w.combatant_points)) for w in sheet.warriors), default=1)
    return Strip(
        stats=len(sheet.stats),
        rings=_ring_places(sheet) if sheet.shows_wounds else 0,
        states=tuple(n for n in names if n not in marks)[:5],
        marks=marks[:3],
        digits=max(4, longest) if sheet.shows_points else 0,
        has_save=sheet.shows_saves,
        unit=sheet.price_head,
    )


def _ring_places(sheet: RosterSheet) -> int:
    """The places for rings: two are enough for four wounds, which is what nearly everybody has."""
    most = max((drawn_wounds(one) or 0 for one in sheet.warriors), default=0)
    return 2 if most <= 4 else 3


def drawn_wounds(warrior: SheetWarrior) -> int | None:
    """Rings to draw: none for a unit, whose models are crossed out beside it."""
    return None if warrior.is_unit else warrior.wounds


def strip(kind: Strip, warrior: SheetWarrior) -> str:
    """A warrior's boxes as HTML text."""
    line = warrior.main_line
    cells = line.cells if line else ()
    if not kind.has_save:
        save = ""
    else:
        save = (
            _word("Sv", kind)
            + (warrior.save.text if warrior.save.number else "?")
            + gap(_GAP)
        )
    return (
        _stats(cells, kind)
        + gap(_GAP)
        + save
        + _wounds(drawn_wounds(warrior), kind)
        + _boxes(kind)
        + _points(warrior.combatant_points, kind)
    )


def _wounds(count: int | None, kind: Strip) -> str:
    if not kind.rings:
        return ""
    label = _word("Wounds", kind) if count else ""
    return label + wounds(count, kind.rings) + gap(_WOUNDS_GAP)


def empty_strip(kind: Strip, stats: Sequence[str]) -> str:
    """The same boxes with nothing in them."""
    cells = tuple((key, "_") for key in stats)
    return (
        _stats(cells, kind)
        + gap(_GAP)
        + ("Sv~" + gap(_GAP) if kind.has_save else "")
        + ("Wounds" + measure.RING * kind.rings + gap(_WOUNDS_GAP) if kind.rings else "")
        + _boxes(kind)
        + gap(kind.width - kind.natural)
        + (
            "Pts" + measure.FIGURE_SPACE * kind.digits
            if kind.digits
            else measure.FIGURE_SPACE
        )
    )


def second_strip(kind: Strip, line: SheetLine, wounds_each: int | None) -> str:
    """The stat line of a mount or crew under the boxes of its rider, with rings where it has wounds
    of its own.
    """
    rings = wounds(wounds_each, kind.rings) if wounds_each else gap(kind.wounds_width)
    used = kind.stat_width + kind.save_width + kind.wounds_width
    return (
        _stats(line.cells, kind.silent)
        + gap(_GAP + kind.save_width)
        + rings
        + gap(kind.width - used - measure.DIGIT)
        + measure.FIGURE_SPACE
    )


def stats_and_save(warrior: SheetWarrior) -> str:
    """The first half of the strip, for a card."""
    line = warrior.main_line
    kind = Strip(0, 0, (), (), 0)
    drawn = _stats(line.cells if line else (), kind)
    if warrior.save.is_unknown:
        return drawn
    return drawn + gap(_GAP) + "Sv" + (warrior.save.text if warrior.save.number else "?")


def member_boxes(kind: Strip, warrior: SheetWarrior) -> str:
    """The second half of the strip, for a card: rings and boxes."""
    rings = _rings(drawn_wounds(warrior))
    return ("wounds" + rings + gap(_GAP) if rings else "") + _boxes(kind)


def member_width(kind: Strip, warrior: SheetWarrior) -> int:
    """Width of those, in thousandths of an em of the boxes."""
    wide = _rings_width(drawn_wounds(warrior))
    return (wide + _GAP if wide else 0) + kind.boxes_width


def _word(text: str, kind: Strip) -> str:
    """A label of the font, or a small word in its place where the font has none."""
    known = (
        text in measure.STATS or text in measure.STATE_LABELS or text in measure.MARK_LABELS
    )
    if known or text in _FONT_LABELS:
        return text if kind.has_labels else text.lower()
    return f"<u>{escape(text[:9])}</u>" if kind.has_labels else ""


def figure(text: str) -> str:
    """A figure as the font can draw it; a star stands for what it cannot, and the words beside it
    say what it is.
    """
    return text if measure.has_figure(text) or text == "_" else "*"


def _stats(cells: Sequence[tuple[str, str]], kind: Strip) -> str:
    drawn = " ".join(_word(key, kind) + figure(text) for key, text in cells)
    return drawn + gap(
        (kind.stats - len(cells)) * measure.BOX if len(cells) < kind.stats else 0
    )


def _rings(count: int | None) -> str:
    if not count:
        return ""
    if count > measure.MOST_RINGS:
        return f"{measure.MARK_BOX}/{min(count, measure.MOST_WOUNDS)}"
    # Up to four wounds in two places, up to six in three.
    pairs = max(0, count - 2) if count <= 4 else count - 3
    return measure.PAIR * pairs + measure.RING * (count - 2 * pairs)


def wounds(count: int | None, columns: int) -> str:
    """A ring for each wound, two above one another from the third on; more than six are a box and a
    number.
    """
    blank = columns * measure.RING_WIDTH - _rings_width(count)
    return _rings(count) + gap(max(0, blank))


def _rings_width(count: int | None) -> int:
    """Width of what `_rings` draws, in thousandths of an em of the boxes."""
    if count and count > measure.MOST_RINGS:
        return measure.MANY_WOUNDS
    return len(_rings(count)) * measure.RING_WIDTH


def _boxes(kind: Strip) -> str:
    states = " ".join(_word(name, kind) + measure.STATE_BOX for name in kind.states)
    marks = " ".join(_word(name, kind) + measure.MARK_BOX for name in kind.marks)
    return states + gap(_GAP) + marks if marks else states


def _points(points: int, kind: Strip) -> str:
    if not kind.digits:
        return gap(kind.width - kind.natural) + measure.FIGURE_SPACE
    digits = str(points).rjust(kind.digits, measure.FIGURE_SPACE)
    label = _word(kind.unit, kind) or gap(kind.unit_width)
    return gap(kind.width - kind.natural + 60) + label + digits
