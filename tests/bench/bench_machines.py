"""How many more requests two web machines answer than one, each held to 30 % of a core.

Each machine is a server with a folder of its own; they share the database (and, with REDIS_URL,
Redis). cpulimit holds the processes; where it is not installed nothing does, and the figures say
nothing. Asked are a page of an army list, from the database, and the check of a roster.
"""

import http.client
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

from tests.bench.measure import sized, table
from tests.bench.place import ready

PERCENT = 30
LEAST = 1.7
SECONDS = sized(60.0, 0.5)
SETTLE = sized(10.0, 0.0)  # seconds before counting: the first pages of a process are slow
CALLERS = sized(8, 2)  # for each machine
CHECKED = {
    "format": "muster-roll/1",
    "system": "warhammer-skirmish",
    "army": "the-empire",
    "warriors": [
        {"profile": "captain", "leader": True},
        {"profile": "halberdiers", "count": 6},
    ],
}
CALLS = (
    ("GET", "/api/v1/profiles/?army=the-empire", ""),
    ("POST", "/api/v1/check/", json.dumps(CHECKED)),
)


class Caller(Thread):
    """Asks one machine again and again. ``moments`` are those of its answers."""

    def __init__(self, port: int, until: float) -> None:
        super().__init__(daemon=True)
        self.port, self.until = port, until
        self.moments: list[float] = []
        self.faults: list[str] = []

    def run(self) -> None:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        calls = itertools.cycle(CALLS)
        while time.monotonic() < self.until:
            method, path, body = next(calls)
            line.request(method, path, body, {"Content-Type": "application/json"})
            answer = line.getresponse()
            answer.read()
            if answer.status == 200:
                self.moments.append(time.monotonic())
            else:
                self.faults.append(f"{path}: {answer.status}")
        line.close()


@contextmanager
def held(machine: int) -> Iterator[None]:
    """Hold a server's one working process, the child of its first, to `PERCENT` of a core."""
    program = shutil.which("cpulimit")
    if program is None:
        yield
        return
    (worker,) = Path(f"/proc/{machine}/task/{machine}/children").read_text().split()
    # Two programs have this name; these options are common to both.
    limit = ("-l", str(PERCENT), "-p", worker)
    with subprocess.Popen([program, *limit], stdout=subprocess.DEVNULL) as holder:
        try:
            yield
        finally:
            holder.terminate()


def answered(ports: Sequence[int]) -> tuple[float, list[str]]:
    """Return the answers a second of these machines together, and what went wrong."""
    begin = time.monotonic() + SETTLE
    callers = [Caller(port, begin + SECONDS) for port in ports for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    counted = [at for caller in callers for at in caller.moments if at >= begin]
    return len(counted) / SECONDS, [fault for one in callers for fault in one.faults]


def main() -> None:
    ready()
    from tests.reliability.server import serving

    if shutil.which("cpulimit") is None:
        print("cpulimit is not installed, so nothing holds the machines back.")
    with ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(2)]
        servers = [stack.enter_context(serving(Path(folder))) for folder in folders]
        for server in servers:
            assert server.group
            stack.enter_context(held(server.group))
        ports = [server.port for server in servers]
        one, faults = answered(ports[:1])
        two, more = answered(ports)
    ratio = two / one
    table(
        [f"held to {PERCENT} % of a core", "measured", "least", ""],
        [
            ["one machine, answers a second", one, "", ""],
            ["two machines, answers a second", two, "", ""],
            ["two to one", ratio, LEAST, "ok" if ratio >= LEAST else "UNDER"],
            ["errors", len(faults + more), 0, ""],
        ],
    )
    for fault in (faults + more)[:5]:
        print(fault)
