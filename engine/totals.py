"""What a whole roster comes to.

Where points are a matter of agreement, a roster without a limit counts none.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.selection import Selection
from engine.types import System


def counts_points(limit: int | None, system: System) -> bool:
    """Whether this roster counts points: always, or only under a limit where the system makes them
    optional.
    """
    return limit is not None or not system.are_points_optional


def total_points(selections: Iterable[Selection], limit: int | None, system: System) -> int:
    """The points of all entries, 0 where none are counted."""
    return sum(s.points for s in selections) if counts_points(limit, system) else 0
