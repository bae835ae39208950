"""Rout: when a side must test to stay, and on whose Leadership."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.selection import Selection
from engine.types import Rout


@dataclass(frozen=True, slots=True)
class RoutThreshold:
    """``out`` models out of action call the first test; ``leadership`` it is taken on, and ``taken_on`` whose it is."""

    out: int | None
    leadership: int | None
    taken_on: str
    dice: str = "2D6"


def rout_from(models: int, rout: Rout) -> int | None:
    """The number of models out at which the test begins (12 models at a quarter: 3), or None without models.

    Source: Warhammer Skirmish, THE ROUT TEST; a quarter of the starting models, never rounded down (ruling G20).
    """
    if models <= 0:
        return None
    return -(-models * rout.numerator // rout.denominator)


def rout_threshold(selections: Sequence[Selection], rout: Rout) -> RoutThreshold:
    """When the first test is due, on the leader's Leadership; the best there is while nobody leads."""
    models = sum(s.miniatures for s in selections)
    leaders = [s for s in selections if s.entry.is_leader and s.leadership is not None]
    able = leaders or [s for s in selections if s.leadership is not None]
    best = max(able, key=lambda s: s.leadership or 0, default=None)
    return RoutThreshold(
        rout_from(models, rout),
        best.leadership if best else None,
        best.label if best else "",
        rout.dice,
    )
