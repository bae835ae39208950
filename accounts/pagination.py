"""One page of a list: the same shape for every list. It never counts the whole table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

PAGES_MAX = 100
Row = TypeVar("Row")


# No slots: with them a frozen generic cannot be called by its alias.
@dataclass(frozen=True)
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


def load_page(
    rows: Any, show: Callable[[Any], Row], *, page: int, per_page: int
) -> RowsPage[Row]:
    """Return a page of a queryset, at most the ``PAGES_MAX``th, each row as ``show`` makes it."""
    number = min(max(page, 1), PAGES_MAX)
    start = (number - 1) * per_page
    # One row more than a page tells whether there is another page.
    records = [show(row) for row in rows[start : start + per_page + 1]]
    has_more = len(records) > per_page and number < PAGES_MAX
    return RowsPage(tuple(records[:per_page]), number, per_page, has_more)
