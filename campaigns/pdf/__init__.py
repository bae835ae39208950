"""The papers of a table, and of all tables of a round, as PDF."""

from campaigns.pdf.joining import PdfPart, join_parts
from campaigns.pdf.pack import pack_documents, table_pack

__all__ = ["PdfPart", "join_parts", "pack_documents", "table_pack"]
