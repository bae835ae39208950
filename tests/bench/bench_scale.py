"""A hundred warbands against a hundred thousand: every list, page, search and change, in two
processes by turns.

BENCH_SCALE changes the larger number; BENCH_PLANS=1 shows the query plans of what is over its
budget.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings

from tests.bench import place
from tests.bench.measure import sized, table, verdict

FEW, MANY = 100, int(os.environ.get("BENCH_SCALE", sized("100000", "120")))
ROUNDS = sized(20, 2)
BUDGET = 1.2


class Worker:
    """A process on a database of its own."""

    def __init__(self, url: str, count: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.scale_worker", str(count)],
            cwd=place.ROOT,
            env={**os.environ, "DATABASE_URL": url},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait(self) -> None:
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def ask(self, line: str = "go") -> Any:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self._line())

    def stop(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    place.ready()
    place.close()
    with ExitStack() as stack:
        workers = [
            Worker(url, count)
            for url, count in zip(_databases(stack), (FEW, MANY), strict=True)
        ]
        for worker in workers:
            stack.callback(worker.stop)
        for worker in workers:
            worker.wait()
        taken: list[list[dict[str, float]]] = [[], []]
        for _ in range(ROUNDS):
            for kept, worker in zip(taken, workers, strict=True):
                kept.append(worker.ask())
        few, many = (
            {name: _undisturbed([r[name] for r in kept]) for name in kept[0]}
            for kept in taken
        )
        rows = [
            [n, few[n], many[n], many[n] / few[n], verdict(many[n] / few[n], BUDGET)]
            for n in few
        ]
        table(
            ["page", f"ms with {FEW}", f"ms with {MANY:,}", f"ratio, budget {BUDGET}", ""],
            rows,
        )
        over = [str(row[0]) for row in rows if row[-1] != "ok"]
        if over and os.environ.get("BENCH_PLANS"):
            print(workers[1].ask("plans " + json.dumps(over)))


def _undisturbed(taken: list[float]) -> float:
    """The end of the quickest quarter.

    What others do on the machine makes a round longer and never shorter, and the database's work
    cannot be told from waiting.
    """
    return statistics.quantiles(taken, n=4)[0]


def _databases(stack: ExitStack) -> list[str]:
    if name := place.database_name():
        own = [
            place.postgres_database(f"{name}_{count}", name) for count in ("few", "many")
        ]
        return [stack.enter_context(database) for database in own]
    source = Path(settings.DATABASES["default"]["NAME"])
    copies = [source.with_name(f"{count}.sqlite3") for count in ("few", "many")]
    for copy in copies:
        shutil.copy(source, copy)
    return [f"sqlite:///{copy}" for copy in copies]
