"""Why a document could not be made: each error carries a sentence for the person who asked."""

from __future__ import annotations


class PdfFailed(Exception):
    """The document could not be made; asking again later may work."""


class PdfTooLarge(PdfFailed):
    """The roster is larger than any printed document may be."""
