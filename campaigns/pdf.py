"""Print-all.

Each table that is drawn is kept, so that a job that was broken off goes on from there.
"""

import hashlib
from collections.abc import Sequence
from html import escape

from accounts.owner import Owner
from battles.pdf import PdfPart, how_line, join_parts, pack_documents
from campaigns.queries.table_packs import load_pack, load_round_packs
from engine.records import frozen_dataclass, quantity
from jobs.handlers import JobFailed, JobLater, JobResult, Work, write_file
from warbands.pdf.documents import pack_pages, pages_pdf
from warbands.pdf.header import qr_code_png
from warbands.pdf.measure import LIVE_MM, NBSP, SERIF, clean, truncate
from warbands.pdf.press import Paper, PdfFailed, PdfTooLarge

RESULT = "tables.pdf"
GONE = "There is nothing to print: the round was unpublished, or you are no longer an organiser."


def print_round(work: Work) -> JobResult:
    """Every table's papers drawn one by one, then joined. One table is in memory at a time."""
    payload = work.payload
    number, site, paper = payload["round"], payload["site"], payload["paper"]
    organiser = Owner(user_id=payload["person"])
    packs = load_round_packs(organiser, payload["event"], number)
    if packs is None or not packs.fixtures:
        raise JobFailed(GONE)
    parts: list[PdfPart] = []
    for done, fixture in enumerate(packs.fixtures, 1):
        pack = load_pack(fixture, site)
        if pack is not None:
            label = f"{pack.place.partition(',')[0]}: {pack.title}"
            try:
                # Named by what it shows: what changed since is drawn anew, the rest is there.
                documents = pack_documents(pack)
                text = repr((paper, documents)).encode("utf-8", "surrogatepass")
                drawing_key = hashlib.sha256(text).hexdigest()
                path = work.folder / "parts" / f"{drawing_key}.pdf"
                if not path.exists():
                    write_file(path, pages_pdf(documents, paper))
            except PdfTooLarge as error:
                raise JobFailed(f"{label} cannot be printed. {error}") from error
            except PdfFailed as error:
                raise JobLater(str(error)) from error
            parts.append(PdfPart(path, label))
        work.progress(done, len(packs.fixtures))
    join_parts(parts, packs.title, work.folder / RESULT)
    # Parts are deleted only once the whole is written: an attempt broken off goes on from them.
    for part in parts:
        part.path.unlink(missing_ok=True)
    tables = quantity(len(parts), "table")
    return JobResult(
        words=f"{tables}, each with scenario, result slip and roster sheets.",
        file=RESULT,
        name=f"round-{number}-tables.pdf",
        type="application/pdf",
    )


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


def slips_pdf(title: str, slips: Sequence[Slip], paper: Paper) -> bytes:
    """The slips as one PDF, four on a page; one of three players takes the place of two.

    Raises ValueError for an unknown paper, PdfTooLarge, PdfFailed.
    """
    pages: list[list[str]] = []
    free = 0
    for slip in slips:
        if slip.places > free:
            pages.append([])
            free = SLIPS_A_PAGE
        pages[-1].append(slip_html(slip))
        free -= slip.places
    html = [f"<div class='pg'>{_CUT.join(page)}</div>" for page in pages]
    return pages_pdf(pack_pages(clean(title, 120), html, []), paper)


def slip_html(slip: Slip) -> str:
    """One slip by the stylesheet of the printed documents."""
    width = LIVE_MM - _CODE_MM
    title = escape(truncate(clean(slip.title, 160), width, 15, SERIF))
    line = ", ".join(clean(fact, 80) for fact in slip.facts if fact)
    css = f"sl s4{' wide' if slip.places > 1 else ''}"
    foot = "Scan the code to report the result for both players. Your opponent will confirm it."
    return (
        f"<div class='{css}'>{qr_code_png(slip.url)}"
        f"<p class='k'>MUSTER ROLL{NBSP * 3}Result slip</p>"
        f"<h1>{title}</h1><p class='t'>{escape(truncate(line, width, 8.2))}</p>"
        + "".join(_pair(slip, at) for at in range(0, len(slip.sides), _SIDES_A_ROW))
        + how_line(slip.endings)
        + f"<p class='fo'>{escape(foot)}</p></div>"
    )


def _pair(slip: Slip, start: int) -> str:
    """Return the HTML of up to two sides in a row, each with boxes to fill in.

    ``start`` is the place of the first of them on the slip.
    """
    cells = ""
    pair = slip.sides[start : start + _SIDES_A_ROW]
    for label, side in zip(_SIDES[start:], pair, strict=False):
        names = ", ".join(clean(part, 60) for part in side if part)
        cells += f"<td>{label}\n{escape(truncate(names, 88, 13, SERIF))}</td>"
    ended = "Rout test failed  ☐   in turn ......" if slip.rout else "Ended in turn ......"
    box = (
        f"<pre class='sx'>☐ won     ☐ drawn     ☐ lost\nOut  {'☐' * _BOXES}\n{ended}\n"
        f"Points .......   Signed ..............................</pre>"
    )
    return f"<table class='v'><tr>{cells}</tr></table>" + box * len(pair)
