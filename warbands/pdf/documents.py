"""The documents a person can ask for, campaign rules for the table among them. Everything else in
this folder serves these.
"""

import hashlib
import pickle
from collections.abc import Sequence
from html import escape
from typing import Literal

from django.core.cache import caches

from engine.roster import MAX_COUNT, MAX_ENTRIES
from engine.types.systems import System
from rulesdata.queries.campaign_book import BookTable, RulesBook
from warbands.pdf import press
from warbands.pdf.cards import cards_body
from warbands.pdf.measure import clean
from warbands.pdf.press import PAPERS, Paper, Parts, PdfTooLarge
from warbands.pdf.reference_page import reference_page
from warbands.pdf.roster_page import blank_body, roster_body
from warbands.sheet.structure import RosterSheet

Part = Literal["roster", "reference", "cards"]
Documents = list[tuple[str, Parts | None]]
"""Pages as HTML. A single page that is worth keeping has the parts that are drawn on it as well."""
PARTS: tuple[Part, ...] = ("roster", "reference", "cards")
DEFAULT_PARTS: tuple[Part, ...] = ("roster", "reference")
KEPT_SECONDS = 3600
KEPT_BYTES = 1024**2  # of one document


def kept_roster_pdf(
    sheet: RosterSheet,
    paper: Paper = "a4",
    parts: Sequence[Part] = DEFAULT_PARTS,
    *,
    big: bool = False,
) -> bytes:
    """As ``roster_pdf``, which it asks only for what this process did not draw lately."""
    content = pickle.dumps((sheet, paper, tuple(parts), big))
    key = hashlib.sha256(content).hexdigest()
    cache = caches["documents"]
    pdf: bytes | None = cache.get(key)
    if pdf is None:
        pdf = roster_pdf(sheet, paper, parts, big=big)
        if len(pdf) <= KEPT_BYTES:
            cache.set(key, pdf, KEPT_SECONDS)
    return pdf


def roster_pdf(
    sheet: RosterSheet,
    paper: Paper = "a4",
    parts: Sequence[Part] = DEFAULT_PARTS,
    *,
    big: bool = False,
) -> bytes:
    """The PDF of a roster: the parts asked for, in their order.

    ``big`` sets the roster sheet in 12.5 pt.

    A sheet that is an opponent's copy prints no points. Raises ValueError for an unknown paper or
    part, PdfTooLarge for a roster past the limits of a document, PdfFailed when it cannot be drawn
    in time.
    """
    return pages_pdf(roster_pages(sheet, parts, big=big), paper)


def pack_pages(
    title: str, bodies: Sequence[str], sheets: Sequence[RosterSheet]
) -> Documents:
    """Several rosters in one document: pages of one's own first (HTML by this package's
    stylesheet), then each roster.

    A quick reference that several rosters share is printed once. Raises ValueError and PdfTooLarge
    as above.
    """
    documents: Documents = [(page(title, body), None) for body in bodies]
    for sheet in sheets:
        for document in roster_pages(sheet):
            if document[1] is None or document not in documents:
                documents.append(document)
    return documents


def pages_pdf(documents: Documents, paper: Paper = "a4") -> bytes:
    """The PDF of pages that were put together here.

    Raises ValueError for an unknown paper, PdfFailed as above.
    """
    if paper not in PAPERS:
        raise ValueError(f"The paper is {' or '.join(PAPERS)}.")
    return press.write(documents, paper)


def roster_pages(
    sheet: RosterSheet, parts: Sequence[Part] = DEFAULT_PARTS, *, big: bool = False
) -> Documents:
    """The pages of a roster."""
    if not parts or len(set(parts)) != len(parts) or not set(parts) <= set(PARTS):
        raise ValueError(
            f"The parts are {', '.join(PARTS)}, each at most once and at least one of them."
        )
    if len(sheet.warriors) > MAX_ENTRIES:
        raise PdfTooLarge(
            f"This roster has {len(sheet.warriors)} entries; a sheet holds at most {MAX_ENTRIES}."
        )
    if any(not 0 <= warrior.count <= MAX_COUNT for warrior in sheet.warriors):
        raise PdfTooLarge(f"A roster line holds at most {MAX_COUNT} models alike.")
    documents: Documents = []
    title, author = sheet_title(sheet), clean(sheet.owner, 80)
    for part in parts:
        if part == "roster":
            body = roster_body(sheet, is_big=big)
            documents.append((page(title, body, author, is_big=big), None))
        elif part == "cards":
            documents.append((page(title, cards_body(sheet), author), None))
        else:
            # A reference that names nobody is the same for many rosters, and laid out once.
            names = ("Quick reference", "") if documents else (title, author)
            body, shared = reference_page(sheet)
            documents.append((page(names[0], body, names[1]), shared))
    return documents


def blank_pdf(system: System, paper: Paper = "a4") -> bytes:
    """A sheet of a rule system to be filled in by hand.

    Raises ValueError for an unknown paper, PdfFailed as above.
    """
    title = f"Blank roster sheet, {clean(system.name, 80)}"
    return pages_pdf([(page(title, blank_body(system)), None)], paper)


def warm_up(*sheets: RosterSheet) -> None:
    """Draw one small document for each paper, so that the first person does not wait.

    With ``sheets`` they are drawn by every printer as well: fonts and shapes are read when a text
    first needs them. Raises PdfFailed.
    """
    html = page(
        "Warm",
        "<div class='pg'><p class='k'>M</p><h1>M</h1><pre class='c'>M4</pre><b>M</b></div>",
    )
    for paper in PAPERS:
        press.write([(html, None)], paper)
    # The printers take turns.
    for _ in press.own_press().printers:
        for sheet in sheets:
            roster_pdf(sheet)


def sheet_title(sheet: RosterSheet) -> str:
    """What the document calls itself."""
    copy = ", opponent’s copy" if sheet.is_opponents_copy else ""
    return f"{clean(sheet.name, 120) or 'Warband'}{copy}"


def page(title: str, body: str, author: str = "", *, is_big: bool = False) -> str:
    """A whole HTML document around a body."""
    by = f"<meta name='author' content='{escape(author, quote=True)}'/>" if author else ""
    return (
        "<!DOCTYPE html><html lang='en'><head><meta "
        f"charset='utf-8'/><title>{escape(title)}</title>{by}</head>"
        f"<body{' class=big' if is_big else ''}>{body}</body></html>"
    )


# Campaign rules for the table: a set in columns, so that a usual one fills two pages.

TEXT_MAX = 400
ROWS_MAX = 2_000
SMALL_FROM, TINY_FROM = 90, 260
"""From so many rows on the type is smaller."""


def campaign_rules_pdf(book: RulesBook, paper: Paper = "a4") -> bytes:
    """Return the pages of a set; its type is the smaller the more it holds.

    Raises ValueError for an unknown paper, PdfFailed.
    """
    rows = 0
    parts = []
    for section in book.sections:
        rows += len(section.lines) + sum(len(table.rows) for table in section.tables)
        lines = "".join(f"<p>{_text(line)}</p>" for line in section.lines)
        tables = "".join(map(_table, section.tables))
        parts.append(f"<section><h2>{_text(section.title)}</h2>{lines}{tables}</section>")
    size = "" if rows < SMALL_FROM else " s" if rows < TINY_FROM else " xs"
    head = (
        f"<header><p class='k'>MUSTER ROLL</p><h1>{_text(book.record.name)}</h1>"
        f"<p>Version {book.record.version}. {_text(book.record.summary)}</p></header>"
    )
    body = f"<div class='cr{size}'>{head}<div class='cols'>{''.join(parts)}</div></div>"
    return pages_pdf([(page(_text(book.record.name), body), None)], paper)


def _table(table: BookTable) -> str:
    """Its name is a row of its head, so that no column ends between them."""
    note = f" · {_text(table.note)}" if table.note else ""
    head = "".join(f"<th>{_text(word)}</th>" for word in table.head)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>"
        for row in table.rows[:ROWS_MAX]
    )
    return (
        f"<table><thead><tr><th class='cap' colspan='{len(table.head)}'>"
        f"{_text(table.caption)}{note}</th></tr><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _text(text: str) -> str:
    return escape(clean(text, TEXT_MAX))
