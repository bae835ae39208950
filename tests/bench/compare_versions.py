"""Compare the speed of two checkouts: `python -m tests.bench.compare_versions BEFORE`.

The demo club of BEFORE is the data of both; this checkout migrates its copy first. One worker for
each runs the same pages, changes, PDF, folds and API lists through the site's addresses, turn and
turn about, and counts its own CPU time, so that a ratio holds on a machine that others use too.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.measure import table, verdict
from tests.bench.place import ROOT, UNSET

WORKER = Path(__file__).with_name("version_worker.py")
BUDGETS = {"api": 1.5}  # ratio after to before; everything else 1.10
BUDGET = 1.10


class Worker:
    """A process in one checkout that runs every task once a round."""

    def __init__(self, checkout: Path, data: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            cwd=checkout,
            env=environment(data),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def round(self) -> dict[str, float]:
        """Return the CPU milliseconds of each task. Raises SystemExit where the worker has died."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("round\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("A worker has ended; what it said stands above.")
        taken: dict[str, float] = json.loads(line)
        return taken

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def environment(data: Path) -> dict[str, str]:
    """The variables of a process whose site lies in ``data``."""
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    return {**kept, "DATA_DIR": str(data), "API_RATE": "100000/sec", "PYTHONHASHSEED": "0"}


def prepare(checkout: Path, data: Path) -> None:
    """Migrate the database of ``data`` and load the checkout's rule books and demo club."""
    command = [sys.executable, "manage.py", "prepare"]
    subprocess.run(
        command, cwd=checkout, env=environment(data), check=True, capture_output=True
    )


def compare(before: Path, after: Path, rounds: int) -> list[list[Any]]:
    """Return a row for each task: its name, both medians in CPU milliseconds, their ratio."""
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
        old, new = Path(folder, "before"), Path(folder, "after")
        prepare(before, old)
        shutil.copytree(old, new)
        prepare(after, new)
        workers = {"before": Worker(before, old), "after": Worker(after, new)}
        try:
            taken = alternate(workers, rounds)
        finally:
            for worker in workers.values():
                worker.close()
    return [_row(name, taken) for name in taken["before"]]


def alternate(workers: dict[str, Worker], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Run both workers turn and turn about; two rounds to warm up are not counted."""
    taken: dict[str, dict[str, list[float]]] = {name: {} for name in workers}
    for number in range(rounds + 2):
        order = list(workers) if number % 2 else list(workers)[::-1]
        for name in order:
            for task, ms in workers[name].round().items():
                taken[name].setdefault(task, []).append(ms)
    return {
        name: {task: values[2:] for task, values in tasks.items()}
        for name, tasks in taken.items()
    }


def _row(name: str, taken: dict[str, dict[str, list[float]]]) -> list[Any]:
    old, new = (statistics.median(taken[side][name]) for side in ("before", "after"))
    ratio = new / old
    budget = BUDGETS.get(name.partition(" ")[0], BUDGET)
    return [name, old, new, ratio, budget, verdict(ratio, budget)]


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.compare_versions")
    parser.add_argument("before", type=Path, help="the checkout to compare this one with")
    parser.add_argument("--rounds", type=int, default=30)
    asked = parser.parse_args(arguments)
    rows = compare(asked.before.resolve(), ROOT, asked.rounds)
    table(
        [
            "CPU, median of alternating rounds", "before ms", "after ms", "ratio", "budget",
            "",
        ],
        rows,
    )  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
