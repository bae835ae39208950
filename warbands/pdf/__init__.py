"""The printed documents: roster sheet, quick reference, cards and a blank sheet, as PDF or as HTML
to print.

Only this package knows WeasyPrint. The text is measured and broken here, boxes are characters of a
small font of our own, and columns are blocks laid over one another; the layout engine meets only
short lines.
"""

from warbands.pdf.documents import (
    DEFAULT_PARTS,
    PARTS,
    Documents,
    Part,
    blank_pdf,
    kept_roster_pdf,
    pack_pages,
    pages_pdf,
    roster_pdf,
    sheet_title,
    warm_up,
)
from warbands.pdf.press import PAPERS, Paper, PdfBusy, PdfFailed, PdfTooLarge, hold_place

__all__ = [
    "DEFAULT_PARTS",
    "PAPERS",
    "PARTS",
    "Documents",
    "Paper",
    "Part",
    "PdfBusy",
    "PdfFailed",
    "PdfTooLarge",
    "blank_pdf",
    "hold_place",
    "kept_roster_pdf",
    "pack_pages",
    "pages_pdf",
    "roster_pdf",
    "sheet_title",
    "warm_up",
]
