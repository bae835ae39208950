"""What the font of boxes can draw, and how wide: shared by the font's builder and by whoever sets text in it.

Widths are thousandths of an em of Muster Cells. A word of ``STATS``, ``STATE_LABELS`` or ``MARK_LABELS`` written with
its capital is drawn as a small label over the field that follows; in small letters it is silent.
"""

from __future__ import annotations

STATE_BOX, MARK_BOX, RING, PAIR, FIGURE_SPACE = "☐", "▢", "○", "⁚", "\u2007"

BOX, SHIELD, RING_WIDTH, STATE, MARK, DIGIT = 1000, 1160, 640, 1130, 900, 350
MANY_WOUNDS = 3 * RING_WIDTH
MOST_RINGS, MOST_WOUNDS = 6, 30
GAPS = (("\u2003", 1000), ("\u2002", 500), ("\u2009", 100), ("\u200a", 20))

STATS = (
    "M", "WS", "BS", "S", "T", "W", "I", "A", "Ld", "Mv", "Sh", "Ac", "Df", "Ag", "Wp", "Q", "C", "F", "Arm",
    "Me", "Fr", "Si", "Re",
)  # fmt: skip

STATE_LABELS = {
    "Knocked down": "Down",
    "Down": "Down",
    "Stunned": "Stunned",
    "Out of action": "Out",
    "Out": "Out",
    "Fleeing": "Fleeing",
    "Rallied": "Rallied",
    "Broken": "Broken",
    "Destroyed": "Lost",
    "Activated": "Active",
    "Recovered": "Recov.",
    "Immobilised": "Immob.",
    "Removed": "Out",
}
MARK_LABELS = {
    "Hidden": "Hidden",
    "Has shot": "Shot",
    "Shot": "Shot",
    "Charging": "Charge",
    "Has run": "Ran",
    "Ready": "Ready",
    "First fire used": "1st fire",
    "Has parried": "Parried",
}

_DICE = ("D3", "D6", "2D3", "2D6", "3D6", "4D6", "5D6", "D10", "2D10")
WIDE_FIGURES = (
    *(str(number) for number in range(10, 31)),
    *_DICE,
    *(f"{dice}+{bonus}" for dice in ("D3", "D6", "2D6") for bonus in (1, 2, 3)),
    "Special",
)


def has_figure(text: str) -> bool:
    """Whether the font has one box that holds this figure."""
    return (len(text) == 1 and text in "0123456789–*") or text in WIDE_FIGURES


def gap(width: int) -> str:
    """Blank of that width, to the nearest of the smallest gap."""
    parts = []
    for character, advance in GAPS:
        count, width = divmod(width, advance)
        parts.append(character * count)
    return "".join(parts)
