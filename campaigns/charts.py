"""The charts of an event, laid out: places by round as lines and marks, and who beat whom in cells.

Only arranges.
"""

from collections.abc import Sequence
from itertools import pairwise

from campaigns.queries.records import EntryRecord
from campaigns.queries.standings import CourseChart, EntryCourse, MatrixRow
from engine.records import frozen_dataclass
from engine.tournament.awards import OpponentRecord

LEFT, TOP, STEP_Y, RADIUS = 22, 34, 36, 12
STEP_FEW, STEP_MANY = 52, 44
# So many rounds at most stand further apart.
FEW = 5
NAME_WIDTH = 140
NAME_MOST = 14


@frozen_dataclass
class Mark:
    """Where a place stands in the drawing, and which it is."""

    x: int
    y: int
    place: int
    letters: str

    @property
    def text_y(self) -> int:
        return self.y + 4


@frozen_dataclass
class ChartLine:
    """One entry's course. ``path`` joins its marks; ``label`` stands behind the last of them."""

    name: str
    is_mine: bool
    path: str
    marks: tuple[Mark, ...]
    label: str
    label_x: int
    label_y: int
    places: tuple[int | None, ...]


@frozen_dataclass
class PlaceChart:
    """The chart: ``rounds`` with the x of each, ``lines`` with the reader's own last, so that it
    lies on top.

    ``rows`` are the same in the order of the table, for the table that says it in words.
    """

    width: int
    height: int
    foot: int
    rounds: tuple[tuple[int, int], ...]
    lines: tuple[ChartLine, ...]
    rows: tuple[ChartLine, ...]
    said: str


def draw_place_chart(chart: CourseChart) -> PlaceChart:
    """The chart of everybody's place by round.

    Who shares a place stands in the next free one, as in the table.
    """
    slots, step = _slots(chart), STEP_FEW if len(chart.rounds) <= FEW else STEP_MANY
    letters = _letters([course.entry.name for course in chart.courses])
    rows = tuple(
        _line(course, slots[number], mark, step)
        for number, (course, mark) in enumerate(zip(chart.courses, letters, strict=True))
    )
    deepest = max((slot for row in slots for slot in row if slot is not None), default=0)
    foot = TOP + deepest * STEP_Y + RADIUS + 5
    return PlaceChart(
        width=LEFT + (len(chart.rounds) - 1) * step + 19 + NAME_WIDTH,
        height=foot + 6,
        foot=foot,
        rounds=tuple(
            (number, LEFT + place * step) for place, number in enumerate(chart.rounds)
        ),
        lines=tuple(sorted(rows, key=lambda line: line.is_mine)),
        rows=rows,
        said=" ".join(_spoken_label(line) for line in rows),
    )


def _slots(chart: CourseChart) -> list[list[int | None]]:
    """For each course the height of each of its marks, counted from 0: no two of a round stand at
    the same one.
    """
    slots: list[list[int | None]] = [[None] * len(chart.rounds) for _ in chart.courses]
    for column in range(len(chart.rounds)):
        here = [
            (place, number)
            for number, course in enumerate(chart.courses)
            if (place := course.places[column]) is not None
        ]
        # Those who share a place stand below each other, in the order of the table.
        for slot, (_, number) in enumerate(sorted(here)):
            slots[number][column] = slot
    return slots


def _line(
    course: EntryCourse, slots: Sequence[int | None], letters: str, step: int
) -> ChartLine:
    """Return the line of one player's places over the rounds."""
    marks = tuple(
        Mark(LEFT + column * step, TOP + slot * STEP_Y, place, letters)
        for column, (slot, place) in enumerate(zip(slots, course.places, strict=True))
        if slot is not None and place is not None
    )
    last = marks[-1]
    name = course.entry.name
    short = name if len(name) <= NAME_MOST else f"{name[: NAME_MOST - 1]}…"
    parts = [f"M{marks[0].x} {marks[0].y}"]
    for one, other in pairwise(marks):
        middle = (one.x + other.x) // 2
        parts.append(f"C{middle} {one.y} {middle} {other.y} {other.x} {other.y}")
    return ChartLine(
        name=name,
        is_mine=course.entry.is_mine,
        path="".join(parts),
        marks=marks,
        label=f"{last.place} {short}",
        label_x=last.x + RADIUS + 8,
        label_y=last.y + 5,
        places=course.places,
    )


def _letters(names: Sequence[str]) -> list[str]:
    """Two letters for each name: its first two, or its first and one that tells it from the others."""
    taken: set[str] = set()
    found = []
    for name in names:
        signs = [sign for sign in name if sign.isalnum()] or ["?"]
        tries = [signs[0] + sign for sign in signs[1:]] or [signs[0]]
        # Where every pair of letters is taken, two entries share one; the labels tell them apart.
        best = next((one for one in tries if one.casefold() not in taken), tries[0])
        taken.add(best.casefold())
        found.append(best)
    return found


def _spoken_label(line: ChartLine) -> str:
    """Return the line in words for screen readers: the name and each place."""
    return (
        f"{line.name}: "
        f"{', '.join('not in yet' if place is None else str(place) for place in line.places)}."
    )


# Who beat whom


@frozen_dataclass
class MatrixCell:
    """One against another: letters to look at, and the same ``said`` for those who do not see them."""

    kind: str
    text: str
    said: str


@frozen_dataclass
class MatrixLine:
    """One entry against everybody, in the order of the table."""

    entry: EntryRecord
    cells: tuple[MatrixCell, ...]


def draw_matrix(rows: Sequence[MatrixRow]) -> tuple[MatrixLine, ...]:
    """The cells of each line."""
    return tuple(
        MatrixLine(
            row.entry,
            tuple(_cell(cell, is_self=at == number) for at, cell in enumerate(row.cells)),
        )
        for number, row in enumerate(rows)
    )


def _cell(met: OpponentRecord | None, *, is_self: bool) -> MatrixCell:
    """Return what two players came to against each other."""
    if met is None:
        return MatrixCell(
            "none" if is_self else "", "" if is_self else "–", "" if is_self else "not met"
        )
    letters = "W" * met.won + "D" * met.drawn + "L" * met.lost
    kind = "won" if met.won > met.lost else "lost" if met.lost > met.won else ""
    rounds = f"round{'s' if len(met.rounds) > 1 else ''} {', '.join(map(str, met.rounds))}"
    return MatrixCell(kind, letters, rounds)


@frozen_dataclass
class RatingLine:
    """A warband's rating over its battles, as a small line. ``said`` tells it in words."""

    width: int
    height: int
    path: str
    dots: tuple[tuple[int, int], ...]
    least: int
    most: int
    said: str


LINE_WIDTH, LINE_HEIGHT, LINE_EDGE = 320, 72, 6


def draw_rating_line(ratings: Sequence[int]) -> RatingLine:
    """Return the line of at least two ratings, in their order."""
    least, most = min(ratings), max(ratings)
    span, steps = max(1, most - least), len(ratings) - 1
    inner_width, inner_height = LINE_WIDTH - 2 * LINE_EDGE, LINE_HEIGHT - 2 * LINE_EDGE
    dots = tuple(
        (
            LINE_EDGE + inner_width * place // steps,
            LINE_EDGE + inner_height * (most - rating) // span,
        )
        for place, rating in enumerate(ratings)
    )
    path = "M" + " L".join(f"{x} {y}" for x, y in dots)
    said = ", ".join(map(str, ratings))
    return RatingLine(LINE_WIDTH, LINE_HEIGHT, path, dots, least, most, said)
