"""How wide text is and where its lines break.

The layout engine meets only lines that need no breaking.
"""

import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from typing import Literal, TypeVar

import re2
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from engine.records import frozen_dataclass

ASSETS = Path(__file__).resolve().parent.parent.parent / "static" / "print"
Face = Literal["muster-sans", "muster-sans-semibold", "muster-serif", "muster-cells"]

SANS: Face = "muster-sans"
BOLD: Face = "muster-sans-semibold"
SERIF: Face = "muster-serif"

STATE_BOX, MARK_BOX, RING, PAIR, FIGURE_SPACE = "☐", "▢", "○", "⁚", "\u2007"
TRACK = "□☒▨▩"
"""Boxes of experience: blank and ticked, then the same of a step."""

BOX, SHIELD, RING_WIDTH, STATE, MARK, DIGIT = 1000, 1160, 640, 1130, 900, 350
TRACK_BOX = 640
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


@frozen_dataclass
class Drawn:
    """A part of a page as HTML, and its height."""

    html: str
    mm: float


@cache
def advances(face: Face) -> Mapping[str, float]:
    """The width of each character the font has, in em."""
    with TTFont(ASSETS / "fonts" / f"{face}.ttf", lazy=True) as font:
        unit = font["head"].unitsPerEm
        metrics = font["hmtx"]
        return {
            chr(code): metrics[name][0] / unit for code, name in font.getBestCmap().items()
        }


@cache
def printable() -> frozenset[str]:
    """The characters every text font has."""
    return (
        frozenset(advances(SANS)) & frozenset(advances(BOLD)) & frozenset(advances(SERIF))
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


PT = 25.4 / 72
LIVE_MM, LIVE_HEIGHT_MM = 190.0, 259.0
NBSP = "\u00a0"
T = TypeVar("T")
Token = tuple[str, bool]
"""A word and whether it is bold.

A word that starts with a no-break space stays with the one before it.
"""


@lru_cache(16384)
def width_in_em(text: str, face: Face = SANS) -> float:
    """Width in em. A character the font lacks is taken as wide."""
    table = advances(face)
    total = 0.0
    for character in text:
        if character in table:
            total += table[character]
        elif not unicodedata.combining(character):
            total += 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.75
    return total


def width(text: str, pt: float, face: Face = SANS) -> float:
    """Width in millimetres at a size in points."""
    return width_in_em(text, face) * pt * PT


def truncate(text: str, mm: float, pt: float, face: Face = BOLD) -> str:
    """The text, shortened with an ellipsis where it does not fit."""
    if width(text, pt, face) <= mm:
        return text
    # Halved, not shortened sign by sign: a name may have 200 of them.
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width(text[:middle] + "…", pt, face) <= mm:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"


def chunks(values: Sequence[T], size: int) -> list[Sequence[T]]:
    """The values in runs of that size, the last perhaps shorter."""
    return [values[i : i + size] for i in range(0, len(values), size)]


def first_fitting(sizes: Sequence[T], fits: Callable[[T], bool]) -> T:
    """The first of falling sizes that fits, the last where none does."""
    # What fits at one size fits at every smaller one, so the range is halved.
    low, high = 0, len(sizes) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(sizes[middle]) else (middle + 1, high)
    return sizes[low]


def fit_size(text: str, sizes: Sequence[int], mm: float) -> int:
    """The first of falling sizes of a title at which it fits, the last where it does at none."""
    return first_fitting(sizes, lambda size: width(text, size, SERIF) <= mm)


def split_words(text: str, *, is_bold: bool = False) -> tuple[Token, ...]:
    return tuple((word, is_bold) for word in text.split(" ") if word)


@lru_cache(8192)
def wrap_words(tokens: tuple[Token, ...], mm: float, pt: float) -> tuple[str, ...]:
    """Break words into lines of at most ``mm``; returns escaped HTML, bold words in ``<b>``."""
    lines: list[list[str]] = []
    room = 0.0
    space = width(" ", pt)
    for unit in _units(tokens, mm, pt):
        wide = sum(width(text, pt, BOLD if is_bold else SANS) for text, is_bold in unit)
        if not lines or wide > room:
            lines.append([])
            room = mm
        drawn = (f"<b>{escape(text)}</b>" if bold else escape(text) for text, bold in unit)
        lines[-1].append("".join(drawn))
        room -= wide + space
    return tuple(
        " ".join(line).replace("</b> <b>", " ").replace("</b><b>", "") for line in lines
    )


def _units(tokens: Iterable[Token], mm: float, pt: float) -> Iterator[list[Token]]:
    """Words with what must stay beside them; a word wider than the line is cut into pieces."""
    units: list[list[Token]] = []
    for token in tokens:
        if units and token[0].startswith(NBSP):
            units[-1].append(token)
        else:
            units.append([token])
    for unit in units:
        if sum(width(text, pt, BOLD) for text, _ in unit) <= mm:
            yield unit
            continue
        for text, is_bold in unit:
            rest = text
            while width(rest, pt, BOLD) > mm:
                length = max(1, len(truncate(rest, mm, pt)) - 1)
                yield [(rest[:length], is_bold)]
                rest = rest[length:]
            if rest:
                yield [(rest, is_bold)]


@lru_cache(8192)
def wrap_text(text: str, mm: float, pt: float) -> tuple[str, ...]:
    """Plain text broken into lines of escaped HTML."""
    return wrap_words(split_words(text), mm, pt)


def limit_lines(lines: Sequence[str], count: int) -> list[str]:
    """The first lines, the last of them ending in an ellipsis where more were left out."""
    if len(lines) <= count:
        return list(lines)
    return [*lines[: count - 1], lines[count - 1] + " …"]


def spread_line(left: str, right: str, mm: float, pt: float) -> str:
    """One run of text with its two halves at the two ends of the line."""
    spaces = (mm - width(left, pt) - width(right, pt)) / width(" ", pt)
    return left + " " * max(1, int(spaces)) + right


def dotted_line(label: str, mm: float, pt: float) -> str:
    """A label and a dotted line to write on, together ``mm`` wide."""
    return f"{label} " + "." * max(0, int((mm - width(label + " ", pt)) / width(".", pt)))


@cache
def _installed() -> Sequence[range]:
    """The code points that the system's fonts have; every one where nothing can list them."""
    program = shutil.which("fc-list")
    if program is None:
        return [range(sys.maxunicode + 1)]
    listing = subprocess.run(  # noqa: S603  (nothing typed is in it)
        [program, "--format", "%{charset} "], capture_output=True, text=True, check=True
    )
    spans = (span.split("-") for span in set(listing.stdout.split()))
    return [range(int(ends[0], 16), int(ends[-1], 16) + 1) for ends in spans]


@lru_cache(8192)
def _has_font(character: str) -> bool:
    return any(ord(character) in span for span in _installed())


def undrawn_signs(text: str) -> list[str]:
    """The characters, each once, that neither our fonts nor the system's can draw."""
    others = set(text) - printable() - advances("muster-cells").keys()
    return sorted(sign for sign in others if not sign.isspace() and not _has_font(sign))


LONGEST = 400
_MARKS_IN_A_ROW = 2
_VARIATION = re2.compile(r"[\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}]")
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_WANTED = frozenset("LNPSZ")


@lru_cache(8192)
def clean(text: str, longest: int = LONGEST) -> str:
    """The text on one line, at most ``longest`` characters, cut with an ellipsis.

    Letters, numbers, punctuation and symbols of any script stay. Control, format and private
    characters go, and so do lone surrogates and all but two marks on a letter.
    """
    letters: list[str] = []
    marks = 0
    # Cut first: a hostile text of a megabyte is not worth normalising.
    for character in unicodedata.normalize("NFC", text[: longest * 8]):
        kind = unicodedata.category(character)
        if character.isspace():
            letters.append(" ")
            marks = 0
        elif kind[0] == "M":
            marks += 1
            has_base = letters and letters[-1] != " "
            if marks <= _MARKS_IN_A_ROW and has_base and not _VARIATION.match(character):
                letters.append(character)
        else:
            marks = 0
            if kind[0] in _WANTED and kind not in _DROPPED:
                letters.append(character)
    line = " ".join("".join(letters).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
