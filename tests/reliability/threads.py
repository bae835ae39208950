"""Many at once, without waiting for a clock: threads that set off together and hand back what each came to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connections

Result = TypeVar("Result")
SECONDS = 60.0  # a barrier that is never filled is a fault of the test, not a slow machine


def at_once(count: int, work: Callable[[int], Result]) -> Sequence[Result]:
    """What ``work(0)`` to ``work(count - 1)`` come to, all begun at the same moment. Raises the first error of any."""
    start = Barrier(count, timeout=SECONDS)

    def run(number: int) -> Result:
        try:
            start.wait()
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
