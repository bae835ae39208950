"""The charts of an event, laid out: places by round as lines and marks, and ratings as a line.

Only arranges.
"""

from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter

from campaigns.queries.standings import CourseChart, EntryCourse
from engine.records import Fields

LEFT, TOP, STEP_Y, RADIUS = 22, 34, 36, 12
STEP_FEW, STEP_MANY = 52, 44
# So many rounds at most stand further apart.
FEW = 5
NAME_WIDTH = 140
NAME_MOST = 14


Mark = tuple[int, int, int, str]
"""Where a place stands in the drawing, which it is, and the letters of who has it."""


def draw_place_chart(chart: CourseChart) -> Fields:
    """The chart of everybody's place by round: ``rounds`` with the x of each, and ``lines`` with
    the reader's own last, so that it lies on top; ``rows`` are the same in the order of the table.

    Who shares a place stands in the next free one, as in the table.
    """
    step = STEP_FEW if len(chart.rounds) <= FEW else STEP_MANY
    letters = _choose_letters([entry.name for entry, _ in chart.courses])
    marks: list[list[Mark]] = [[] for _ in chart.courses]
    deepest = 0
    for column in range(len(chart.rounds)):
        placed = [
            (place, row)
            for row, (_, places) in enumerate(chart.courses)
            if (place := places[column]) is not None
        ]
        # Those who share a place stand below each other, in the order of the table.
        for slot, (place, row) in enumerate(sorted(placed)):
            x, y = LEFT + column * step, TOP + slot * STEP_Y
            marks[row].append((x, y, place, letters[row]))
            deepest = max(deepest, slot)
    rows = tuple(map(_draw_line, chart.courses, marks))
    sentences = []
    for line in rows:
        places = ("not in yet" if place is None else str(place) for place in line["places"])
        sentences.append(f"{line['name']}: {', '.join(places)}.")
    foot = TOP + deepest * STEP_Y + RADIUS + 5
    return {
        "width": LEFT + (len(chart.rounds) - 1) * step + 19 + NAME_WIDTH,
        "height": foot + 6,
        "foot": foot,
        "rounds": [(n, LEFT + column * step) for column, n in enumerate(chart.rounds)],
        "lines": sorted(rows, key=itemgetter("is_mine")),
        "rows": rows,
        "label": " ".join(sentences),
    }


def _draw_line(course: EntryCourse, marks: Sequence[Mark]) -> Fields:
    """The line of one player's places: its ``path`` joins the marks, its ``label`` stands behind
    the last of them.
    """
    (entry, places), (first_x, first_y, *_), (x, y, place, _) = course, marks[0], marks[-1]
    name = entry.name
    short = name if len(name) <= NAME_MOST else f"{name[: NAME_MOST - 1]}…"
    path = f"M{first_x} {first_y}"
    for (left, from_y, *_), (right, to_y, *_) in pairwise(marks):
        middle = (left + right) // 2
        path += f"C{middle} {from_y} {middle} {to_y} {right} {to_y}"
    return {
        "name": name,
        "is_mine": entry.is_mine,
        "path": path,
        "marks": marks,
        "label": f"{place} {short}",
        "label_x": x + RADIUS + 8,
        "label_y": y + 5,
        "places": places,
    }


def _choose_letters(names: Sequence[str]) -> list[str]:
    """Two letters for each name: its first two, or its first and one that tells it from the others."""
    chosen: dict[int, str] = {}
    used: set[str] = set()
    for row, name in enumerate(names):
        first, *others = [sign for sign in name if sign.isalnum()] or ["?"]
        pairs = [first + sign for sign in others] or [first]
        # Where every pair of letters is used, two entries share one; the labels tell them apart.
        chosen[row] = next(
            (pair for pair in pairs if pair.casefold() not in used), pairs[0]
        )
        used.add(chosen[row].casefold())
    return list(chosen.values())


LINE_WIDTH, LINE_HEIGHT, LINE_EDGE = 320, 72, 6


def draw_rating_line(ratings: Sequence[int]) -> Fields:
    """A warband's rating over its battles as a small line; of at least two, in their order."""
    least, most = min(ratings), max(ratings)
    span, steps = max(1, most - least), len(ratings) - 1
    inner_width, inner_height = LINE_WIDTH - 2 * LINE_EDGE, LINE_HEIGHT - 2 * LINE_EDGE
    dots = tuple(
        (
            LINE_EDGE + inner_width * column // steps,
            LINE_EDGE + inner_height * (most - rating) // span,
        )
        for column, rating in enumerate(ratings)
    )
    return {
        "width": LINE_WIDTH,
        "height": LINE_HEIGHT,
        "path": "M" + " L".join(f"{x} {y}" for x, y in dots),
        "dots": dots,
        "least": least,
        "most": most,
        "label": ", ".join(map(str, ratings)),
    }
