"""Campaign rules for the table: a set in columns, so that a usual one fills two pages."""

from collections.abc import Iterable
from html import escape

from rulesdata.queries.campaign_book import BookTable, CampaignSection, RulesBook
from warbands.pdf.documents import page, pages_pdf
from warbands.pdf.measure import clean
from warbands.pdf.press import Paper

TEXT_MAX = 400
ROWS_MAX = 2_000
SMALL_FROM, TINY_FROM = 90, 260
"""From so many rows on the type is smaller."""


def campaign_rules_pdf(book: RulesBook, paper: Paper = "a4") -> bytes:
    """Return the pages of a set. Raises ValueError for an unknown paper, PdfFailed."""
    return pages_pdf([(page(_text(book.name), rules_body(book)), None)], paper)


def rules_body(book: RulesBook) -> str:
    """Return the HTML of a set; its type is the smaller the more it holds."""
    rows = sum(len(one.lines) + _rows(one.tables) for one in book.sections)
    size = "" if rows < SMALL_FROM else " s" if rows < TINY_FROM else " xs"
    head = (
        f"<header><p class='k'>MUSTER ROLL</p><h1>{_text(book.name)}</h1>"
        f"<p>Version {book.version}. {_text(book.summary)}</p></header>"
    )
    parts = "".join(map(_section, book.sections))
    return f"<div class='cr{size}'>{head}<div class='cols'>{parts}</div></div>"


def _rows(tables: Iterable[BookTable]) -> int:
    """Return how many rows some tables have."""
    return sum(len(table.rows) for table in tables)


def _section(section: CampaignSection) -> str:
    """Return a section."""
    lines = "".join(f"<p>{_text(line)}</p>" for line in section.lines)
    tables = "".join(map(_table, section.tables))
    return f"<section><h2>{_text(section.title)}</h2>{lines}{tables}</section>"


def _table(table: BookTable) -> str:
    """Return a table. Its name is a row of its head, so that no column ends between them."""
    note = f" · {_text(table.note)}" if table.note else ""
    head = "".join(f"<th>{_text(word)}</th>" for word in table.head)
    rows = "".join(map(_row, table.rows[:ROWS_MAX]))
    return (
        f"<table><thead><tr><th class='cap' colspan='{len(table.head)}'>"
        f"{_text(table.caption)}{note}</th></tr><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _row(row: Iterable[str]) -> str:
    """Return a row."""
    return f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>"


def _text(text: str) -> str:
    """Return a text that can be drawn."""
    return escape(clean(text, TEXT_MAX))
