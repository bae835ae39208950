"""Result slips of fixtures on paper: who meets whom, boxes to tick, and a code that leads to where it is entered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from warbands.pdf import Paper, pack_pdf
from warbands.pdf.fonts import SERIF
from warbands.pdf.head import qr_code_png
from warbands.pdf.measure import NBSP, truncate
from warbands.pdf.text import clean

LIVE_MM = 190.0
SLIPS_A_PAGE = 3
_CODE_MM = 24
_BOXES = 18
_CUT = "<div class='cutline'></div>"
_SIDES = ("First side", "Second side", "Third side")


@dataclass(frozen=True, slots=True)
class Slip:
    """One slip. ``title`` is the event and its round, ``facts`` table, scenario and day, ``sides`` a name and whose.

    ``url`` is where the result is entered. ``rout``: its battles know Rout.
    """

    title: str
    facts: Sequence[str]
    sides: Sequence[tuple[str, str]]
    url: str
    rout: bool = True


def slips_pdf(title: str, slips: Sequence[Slip], paper: Paper = "a4") -> bytes:
    """The slips as one PDF, three on a page. Raises ValueError for an unknown paper, PdfTooLarge, PdfFailed."""
    parts = [slips[at : at + SLIPS_A_PAGE] for at in range(0, len(slips), SLIPS_A_PAGE)]
    pages = [f"<div class='pg'>{_CUT.join(map(slip_html, part))}</div>" for part in parts]
    return pack_pdf(clean(title, 120), pages, [], paper)


def slip_html(slip: Slip) -> str:
    """One slip by the stylesheet of the printed documents."""
    title = escape(truncate(clean(slip.title, 160), LIVE_MM - _CODE_MM, 19, SERIF))
    facts = escape(
        truncate(", ".join(clean(part, 80) for part in slip.facts if part), LIVE_MM - _CODE_MM, 8.2)
    )
    foot = (
        "Enter the result for both sides at the address in the code. Your opponent will confirm it."
    )
    return (
        f"<div class='sl'>{qr_code_png(slip.url)}<p class='k'>MUSTER ROLL{NBSP * 3}Result slip</p>"
        f"<h1>{title}</h1><p class='t'>{facts}</p>"
        + "".join(_pair(slip, at) for at in range(0, len(slip.sides), 2))
        + f"<p class='fo'>{escape(foot)}</p></div>"
    )


def _pair(slip: Slip, start: int) -> str:
    sides = list(zip(_SIDES, slip.sides, strict=False))[start : start + 2]
    cells = "".join(
        f"<td>{label}\n{escape(truncate(', '.join(clean(part, 60) for part in side if part), 88, 13, SERIF))}</td>"
        for label, side in sides
    )
    return f"<table class='v'><tr>{cells}</tr></table>" + "".join(_box(slip) for _ in sides)


def _box(slip: Slip) -> str:
    ended = "Rout test failed  ☐   in turn ......" if slip.rout else "Ended in turn ......"
    return (
        f"<pre class='sx'>☐ won     ☐ drawn     ☐ lost\nOut  {'☐' * _BOXES}\n{ended}\n"
        f"Points .......   Signed ..............................</pre>"
    )
