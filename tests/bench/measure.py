"""Medians of interleaved rounds, so that ratios hold on a machine that others use too, and tables
to print them.
"""

import gc
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

IS_TINY = bool(os.environ.get("BENCH_TINY"))  # only to see that every benchmark works
T = TypeVar("T")


def sized(usual: T, tiny: T) -> T:
    return tiny if IS_TINY else usual


@dataclass(frozen=True, slots=True)
class Task:
    """What is timed, and what puts things back afterwards untimed."""

    run: Callable[[], Any]
    after: Callable[[], Any] | None = None


class Times(dict[str, float]):
    """The median milliseconds of each task by its name; ``cpu`` the same of this thread's own work.

    Where others use the machine a long task is interrupted more often than a short one, and only
    ``cpu`` is fair.
    """

    def __init__(self, taken: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        super().__init__(
            (name, statistics.median(wall for wall, _ in values))
            for name, values in taken.items()
        )
        self.cpu = {
            name: statistics.median(cpu for _, cpu in values)
            for name, values in taken.items()
        }


def interleaved(
    tasks: Mapping[str, Callable[[], Any] | Task], rounds: int, warm_rounds: int = 2
) -> Times:
    """The median time of each task in milliseconds, all tasks once in every round, the order turned
    round each time.

    The garbage collector is settled first, as a server's is after its first pages, and works on
    while it is timed.
    """
    rounds, warm_rounds = sized((rounds, warm_rounds), (1, 0))
    given = {
        name: task if isinstance(task, Task) else Task(task) for name, task in tasks.items()
    }
    for _ in range(warm_rounds):
        for task in given.values():
            _once(task)
    gc.collect()
    gc.freeze()
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in given}
    for number in range(rounds):
        order = list(given.items())
        for name, task in order if number % 2 else reversed(order):
            taken[name].append(_once(task))
    gc.unfreeze()
    return Times(taken)


def _once(task: Task) -> tuple[float, float]:
    start, cpu = time.perf_counter(), time.thread_time()
    task.run()
    ms, cpu_ms = (time.perf_counter() - start) * 1000, (time.thread_time() - cpu) * 1000
    if task.after:
        task.after()
    return ms, cpu_ms


def verdict(value: float, budget: float) -> str:
    return "ok" if value <= budget else "OVER"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows under their heads, the first column left, the others right."""
    cells = [[_shown(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    for number, row in enumerate(cells):
        parts = [
            row[0].ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
        ]
        print("  ".join(parts).rstrip())
        if not number:
            print("  ".join("-" * width for width in widths))
    sys.stdout.flush()


def _shown(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.2f}" if cell < 100 else f"{cell:.0f}"
    return "" if cell is None else str(cell)


def now_mib(process: int | str = "self") -> float:
    return _status("VmRSS", process) or peak_mib(process)


def peak_mib(process: int | str = "self") -> float:
    """The most memory a process has had, in MiB; 0 of another where the system does not say.

    Not by getrusage on Linux: that counts the parent's as well.
    """
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if process == "self" else 0
    own = peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
    return _status("VmHWM", process) or own


def worked_seconds(process: int) -> float:
    """The seconds that another process has worked, in steps of a clock tick; Linux alone."""
    told = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    # The name of the program may hold spaces; it ends with the last bracket.
    user, system = told.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _status(name: str, process: int | str) -> float:
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as status:
            line = next(line for line in status if line.startswith(name))
        return int(line.split()[1]) / 1024
    except (OSError, StopIteration):
        return 0.0
