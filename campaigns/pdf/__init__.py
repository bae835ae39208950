"""The papers of a table, and of all tables of a round, as PDF."""

from campaigns.pdf.joining import Part, join_parts
from campaigns.pdf.pack import pack_documents, table_pack

__all__ = ["Part", "join_parts", "pack_documents", "table_pack"]
