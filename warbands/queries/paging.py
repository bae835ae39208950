"""Pages of a list have one shape, from the clubs to the battles."""

from accounts.paging import RowsPage

__all__ = ["RowsPage"]
