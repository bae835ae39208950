"""Rows to write on during a campaign: boxes of experience, and a line for skills and injuries."""

from engine.records import frozen_dataclass
from warbands.pdf.measure import (
    LIVE_MM,
    PT,
    TRACK,
    TRACK_BOX,
    chunks,
    dotted_line,
    gap,
    width,
)
from warbands.sheet.structure import ExperienceTrack

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


@frozen_dataclass
class TrackRows:
    """The rows of one entry as HTML, and their height."""

    html: str
    mm: float


def draw_track(track: ExperienceTrack, pt: float, size: RowSize) -> TrackRows:
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
    return TrackRows(html, size.gap_mm + size.boxes_mm * len(lines) + size.line_mm)
