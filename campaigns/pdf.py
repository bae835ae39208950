"""Print-all.

Each table that is drawn is kept, so that a job that was broken off goes on from there.
"""

import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path

from accounts.owner import Owner
from battles.pdf import PdfPart, TablePack, how_line, join_parts, pack_documents
from campaigns.queries.table_packs import load_pack, round_packs
from engine.records import frozen_dataclass
from jobs.handlers import JobFailed, JobLater, JobResult, Work, write_file
from warbands.pdf import Paper, PdfFailed, PdfTooLarge, pack_pdf, pages_pdf
from warbands.pdf.header import qr_code_png
from warbands.pdf.measure import LIVE_MM, NBSP, SERIF, clean, truncate

RESULT = "tables.pdf"
GONE = "There is nothing to print: the round was unpublished, or you are no longer an organiser."


def print_round(work: Work) -> JobResult:
    """Every table's papers drawn one by one, then joined. One table is in memory at a time."""
    asked = work.payload
    packs = round_packs(Owner(user_id=asked["person"]), asked["event"], asked["round"])
    if packs is None or not packs.fixtures:
        raise JobFailed(GONE)
    parts: list[PdfPart] = []
    for number, fixture in enumerate(packs.fixtures, 1):
        pack = load_pack(fixture, asked["site"])
        if pack is not None:
            parts.append(
                PdfPart(_drawn_papers(work.folder, pack, asked["paper"]), _line(pack))
            )
        work.progress(number, len(packs.fixtures))
    join_parts(parts, packs.title, work.folder / RESULT)
    # Parts are deleted only once the whole is written: an attempt broken off goes on from them.
    for part in parts:
        part.path.unlink(missing_ok=True)
    tables = len(parts)
    words = f"{tables} table{'' if tables == 1 else 's'}, each with scenario, result slip and roster sheets."
    return JobResult(
        words=words,
        file=RESULT,
        name=f"round-{packs.number}-tables.pdf",
        type="application/pdf",
    )


def _line(pack: TablePack) -> str:
    return f"{pack.place.partition(',')[0]}: {pack.title}"


def _drawn_papers(folder: Path, pack: TablePack, paper: Paper) -> Path:
    """The drawn papers of a table.

    Named by what they show: what changed since is drawn anew, the rest is there.
    """
    try:
        documents = pack_documents(pack)
        text = repr((paper, documents))
        drawing_key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        path = folder / "parts" / f"{drawing_key}.pdf"
        if not path.exists():
            write_file(path, pages_pdf(documents, paper))
        return path
    except PdfTooLarge as error:
        raise JobFailed(f"{_line(pack)} cannot be printed. {error}") from error
    except PdfFailed as error:
        raise JobLater(str(error)) from error


SLIPS_A_PAGE = 4
_CODE_MM = 24
_BOXES = 18
_CUT = "<div class='cutline'></div>"
_SIDES_A_ROW = 2
_SIDES = ("First side", "Second side", "Third side")


@frozen_dataclass
class Slip:
    """One slip.

    ``title`` is the event and its round, ``facts`` table, scenario and day, ``sides`` a name and
    whose.

    ``url`` is where the result is entered. ``rout``: its battles know Rout. ``endings`` are the ways
    to win, to tick one.
    """

    title: str
    facts: Sequence[str]
    sides: Sequence[tuple[str, str]]
    url: str
    rout: bool = True
    endings: Sequence[str] = ()

    @property
    def places(self) -> int:
        """How many of the places of a page it takes."""
        return 1 if len(self.sides) <= _SIDES_A_ROW else 2


def slips_pdf(title: str, slips: Sequence[Slip], paper: Paper = "a4") -> bytes:
    """The slips as one PDF, four on a page; one of three players takes the place of two.

    Raises ValueError for an unknown paper, PdfTooLarge, PdfFailed.
    """
    pages = [
        f"<div class='pg'>{_CUT.join(map(slip_html, part))}</div>"
        for part in _sheets(slips)
    ]
    return pack_pdf(clean(title, 120), pages, [], paper)


def _sheets(slips: Sequence[Slip]) -> list[list[Slip]]:
    """The slips by their pages, in their order."""
    pages: list[list[Slip]] = []
    left = 0
    for slip in slips:
        if slip.places > left:
            pages.append([])
            left = SLIPS_A_PAGE
        pages[-1].append(slip)
        left -= slip.places
    return pages


def slip_html(slip: Slip) -> str:
    """One slip by the stylesheet of the printed documents."""
    title = escape(truncate(clean(slip.title, 160), LIVE_MM - _CODE_MM, 15, SERIF))
    facts = escape(
        truncate(
            ", ".join(clean(part, 80) for part in slip.facts if part),
            LIVE_MM - _CODE_MM,
            8.2,
        )
    )
    foot = "Scan the code to report the result for both players. Your opponent will confirm it."
    look = f"sl s4{' wide' if slip.places > 1 else ''}"
    return (
        f"<div class='{look}'>{qr_code_png(slip.url)}"
        f"<p class='k'>MUSTER ROLL{NBSP * 3}Result slip</p>"
        f"<h1>{title}</h1><p class='t'>{facts}</p>"
        + "".join(_pair(slip, at) for at in range(0, len(slip.sides), _SIDES_A_ROW))
        + how_line(slip.endings)
        + f"<p class='fo'>{escape(foot)}</p></div>"
    )


def _pair(slip: Slip, start: int) -> str:
    """Return the HTML of up to two sides in a row, each with a result box.

    ``start`` is the place of the first of them on the slip.
    """
    sides = list(zip(_SIDES, slip.sides, strict=False))[start : start + _SIDES_A_ROW]
    cells = "".join(
        f"<td>{label}\n{escape(truncate(', '.join(clean(part, 60) for part in side if part), 88, 13, SERIF))}</td>"
        for label, side in sides
    )
    return f"<table class='v'><tr>{cells}</tr></table>" + "".join(_box(slip) for _ in sides)


def _box(slip: Slip) -> str:
    """Return the HTML of a side's boxes to fill in, ``_BOXES`` for models out."""
    ended = "Rout test failed  ☐   in turn ......" if slip.rout else "Ended in turn ......"
    return (
        f"<pre class='sx'>☐ won     ☐ drawn     ☐ lost\nOut  {'☐' * _BOXES}\n{ended}\n"
        f"Points .......   Signed ..............................</pre>"
    )
