"""Which block stands on which page: nobody is cut, and a large group is parted between two
miniatures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from warbands.pdf.blocks import Block


@dataclass(slots=True)
class Page:
    """Blocks of one page and the millimetres left under them."""

    left_mm: float
    blocks: list[Block] = field(default_factory=list)

    def add(self, block: Block) -> None:
        self.blocks.append(block)
        self.left_mm -= block.height_mm


def paginate(blocks: Sequence[Block], first_mm: float, further_mm: float) -> list[Page]:
    """Fill pages of the given room. A block that fits no page stands alone on one."""
    pages = [Page(first_mm)]
    for block in blocks:
        rest: Block | None = block
        while rest is not None:
            rest = _place(rest, pages, further_mm)
    return pages


def _place(block: Block, pages: list[Page], further_mm: float) -> Block | None:
    """Put the block, or as much of it as fits, on the last page; returns what is left of it."""
    page = pages[-1]
    if block.height_mm <= page.left_mm:
        page.add(block)
        return None
    parts = block.split(page.left_mm)
    if parts:
        page.add(parts[0])
        pages.append(Page(further_mm))
        return parts[1]
    if page.blocks or (len(pages) == 1 and page.left_mm < further_mm):
        pages.append(Page(further_mm))
        return block
    page.add(block)
    return None
