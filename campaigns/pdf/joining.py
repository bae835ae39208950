"""Documents that were drawn one by one, joined to one: in their order, each with a line in the table of contents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pypdf import PdfWriter


@dataclass(frozen=True, slots=True)
class PdfPart:
    """A document of our own on the disk, and what its line in the contents says."""

    path: Path
    title: str


def join_parts(parts: Iterable[PdfPart], title: str, path: Path) -> None:
    """Write the joined document to ``path``, whole or not at all. Raises OSError where it cannot be written.

    Fonts that several parts hold alike are kept once.
    """
    writer = PdfWriter()
    draft = path.with_suffix(".draft")
    try:
        for part in parts:
            writer.append(part.path, outline_item=part.title, import_outline=False)
        writer.add_metadata({"/Title": title, "/Producer": "Muster Roll"})
        writer.compress_identical_objects(remove_duplicates=True, remove_unreferenced=True)
        writer.write(draft)
        draft.replace(path)
    finally:
        writer.close()
        draft.unlink(missing_ok=True)
