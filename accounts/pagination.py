"""One page of a list: the same shape for every list. It never counts the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True)  # no slots: with them a frozen generic cannot be called by its alias
class RowsPage(Generic[Row]):
    """Rows with the words the pagination component asks for."""

    rows: tuple[Row, ...]
    number: int
    per_page: int
    has_more: bool

    def has_next(self) -> bool:
        return self.has_more

    def has_previous(self) -> bool:
        return self.number > 1

    def has_other_pages(self) -> bool:
        return self.has_more or self.number > 1

    def next_page_number(self) -> int:
        return self.number + 1

    def previous_page_number(self) -> int:
        return self.number - 1

    def start_index(self) -> int:
        return (self.number - 1) * self.per_page + 1 if self.rows else 0

    def end_index(self) -> int:
        return (self.number - 1) * self.per_page + len(self.rows)
