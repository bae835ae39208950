"""The documents a person can ask for, campaign rules for the table among them. Everything else in
this folder serves these.
"""

import hashlib
import io
import pickle
from collections.abc import Sequence
from html import escape
from typing import Literal

import pypdfium2
from django.core.cache import caches

from engine.records import quantity
from engine.roster import MAX_COUNT, MAX_ENTRIES
from engine.types.systems import System
from rulesdata.queries.campaign_book import BookTable, RulesBook
from warbands.pdf import press
from warbands.pdf.cards import cards_body
from warbands.pdf.measure import BOLD, SANS, clean, fit_size, truncate, width
from warbands.pdf.press import PAPERS, Paper, Parts, PdfTooLarge, write
from warbands.pdf.reference_page import reference_page
from warbands.pdf.roster_page import blank_body, roster_body
from warbands.pdf.stat_strip import stats_and_save
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


WIDTH_MM = 285.0
"""Of the text; the page is 317.5 mm wide, 1200 pixels of 1/96 inch."""
ROWS_MAX = 8
_TITLE_SIZES = (64, 52, 42, 34)
_FACTS_PT, _ROW_PT = 25, 22


def roster_preview(sheet: RosterSheet) -> str:
    """The HTML of a roster: its name, army, points, models, and who leads it."""
    points = f"{sheet.points}"
    if sheet.points_limit is not None:
        points += f" of {sheet.points_limit}"
    facts = [sheet.army_name]
    facts += [f"{points} {sheet.currency.name}"] if sheet.shows_points else []
    facts.append(quantity(sheet.models, "model"))
    leader = next((warrior for warrior in sheet.warriors if warrior.is_leader), None)
    below = ""
    if leader is not None and leader.main_line is not None:
        name = clean(leader.name or leader.title, 120)
        below = (
            f"<p class='or'><b>{escape(truncate(name, WIDTH_MM, _ROW_PT, BOLD))}</b></p>"
            f"<pre class='oc'>{stats_and_save(leader)}</pre>"
        )
    return _preview(sheet.system_name, sheet.name, " · ".join(facts), below)


def rows_preview(head: str, name: str, facts: str, rows: Sequence[tuple[str, str]]) -> str:
    """The HTML of an event: some rows, each with what stands at its left and its right."""
    drawn = []
    for left, right in rows[:ROWS_MAX]:
        right = clean(right, 40)
        room = WIDTH_MM - width(right, _ROW_PT) - 8
        left = truncate(clean(left, 160), room, _ROW_PT, SANS)
        drawn.append(f"<tr><td>{escape(left)}</td><td class='oe'>{escape(right)}</td></tr>")
    return _preview(head, name, facts, f"<table class='ot'>{''.join(drawn)}</table>")


def _preview(head: str, name: str, facts: str, below: str) -> str:
    title = clean(name, 120) or "Warband"
    size = fit_size(title, _TITLE_SIZES, WIDTH_MM)
    title = truncate(title, WIDTH_MM, size, "muster-serif")
    facts = truncate(clean(facts, 160), WIDTH_MM, _FACTS_PT)
    return page(
        title,
        f"<div class='og'><p class='ok'>MUSTER ROLL\u00a0\u00a0\u00a0{escape(clean(head, 80))}</p>"
        f"<h1 class='o{size}'>{escape(title)}</h1><p class='of'>{escape(facts)}</p>{below}</div>",
    )


def kept_preview(html: str) -> bytes | None:
    """The picture where it was drawn within the hour."""
    png: bytes | None = caches["documents"].get(_key(html))
    return png


def draw_preview(html: str) -> bytes:
    """The picture as a PNG. Raises PdfFailed when it cannot be drawn in time."""
    with pypdfium2.PdfDocument(write([(html, None)], "a4")) as pdf:
        picture = pdf[0].render(scale=96 / 72).to_pil()
    written = io.BytesIO()
    picture.quantize(64).save(written, "PNG", optimize=True)
    png = written.getvalue()
    caches["documents"].set(_key(html), png, KEPT_SECONDS)
    return png


def _key(html: str) -> str:
    return "preview-" + hashlib.sha256(html.encode("utf-8", "replace")).hexdigest()
