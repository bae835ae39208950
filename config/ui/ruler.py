"""Positions of the marks of a points ruler, so that a page needs no style attribute."""

from collections.abc import Iterator
from itertools import count

from engine.records import Texts, frozen_dataclass
from engine.selection import points_over

TICK = 10
MOST_TICKS = 40
MOST_LONG_TICKS = 20
LABEL_EVERY = 5
CLEAR_OF_END = 8.0


@frozen_dataclass
class Label:
    """A figure under the ruler: ``at`` in percent of the width, ``anchor`` as SVG's text-anchor."""

    at: str
    text: str
    anchor: str


@frozen_dataclass
class Ruler:
    """Positions in percent of the ruler's width, written as SVG takes them.

    ``over`` is the hatched part's width.
    """

    used: str
    limit: str
    over: str
    ticks: Texts
    labels: tuple[Label, ...]


def _percent(value: float) -> str:
    return f"{value:.2f}%"


def _step(span: int) -> int:
    """The points between two ticks: ten, and for long rulers 20, 50, 100 and so on."""
    most = MOST_TICKS if span < 10_000 else MOST_LONG_TICKS
    if span <= TICK * most:
        return TICK
    for power in count(1):
        for digit in (1, 2, 5):
            if span <= digit * 10**power * most:
                return int(digit * 10**power)
    raise AssertionError("unreachable")


def _labels(limit: int, span: int, step: int) -> Iterator[Label]:
    end = 100 * limit / span
    for points in range(0, span, step * LABEL_EVERY):
        at = 100 * points / span
        if abs(at - end) > CLEAR_OF_END and at < 100 - CLEAR_OF_END / 2:
            yield Label(_percent(at), str(points), "middle" if points else "start")
    yield Label(_percent(end), str(limit), _anchor(end))


def _anchor(at: float) -> str:
    """Return the text-anchor that keeps the last label within the ruler."""
    if at > 96:
        return "end"
    return "middle" if at > 4 else "start"


def measure(used: int, limit: int) -> Ruler:
    """Lay out a ruler for ``used`` of ``limit`` points, both at least 0.

    Past the limit it grows to the next tick.
    """
    used, limit = max(used, 0), max(limit, 0)
    longest = max(used, limit, 1)
    step = _step(longest)
    span = limit if limit and not points_over(limit, used) else -(-longest // step) * step
    return Ruler(
        used=_percent(100 * min(used, limit) / span),
        limit=_percent(100 * limit / span),
        over=_percent(100 * points_over(limit, used) / span),
        ticks=tuple(_percent(100 * points / span) for points in range(0, span + 1, step)),
        labels=tuple(_labels(limit, span, step)),
    )
