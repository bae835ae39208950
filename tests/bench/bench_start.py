"""How long a start takes: `script/server` the second time, and the rule packs from empty and
unchanged.
"""

import io
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from django.core.management import call_command
from django.db import connections

from tests.bench import place
from tests.bench.measure import IS_TINY, sized, table, verdict

START, LOAD = 5.0, 10.0


def main() -> None:
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory(
        prefix="muster-start-", ignore_cleanup_errors=True
    ) as folder:
        if IS_TINY:
            place.copy_prepared_database(folder)
        first, *later = [start(folder) for _ in range(sized(3, 2))]
    bare = [sys.executable, "-W", "ignore", "-c", "import config.wsgi"]
    python = seconds_of(lambda: subprocess.run(bare, cwd=place.ROOT, check=True))
    rows.append(["floor: Python imports the site", python, None, None])
    rows.append(["script/server, empty data folder", first, None, None])
    second = min(later)
    rows.append(["script/server, second start", second, START, verdict(second, START)])
    call_command("migrate", interactive=False, verbosity=0)
    empty, unchanged = seconds_of(load), seconds_of(load)
    rows.append(["load_rulesdata from empty", empty, LOAD, verdict(empty, LOAD)])
    rows.append(
        ["load_rulesdata, nothing changed", unchanged, LOAD, verdict(unchanged, LOAD)]
    )
    connections.close_all()
    table(["start", "seconds", "budget", ""], rows)


def load() -> None:
    call_command("load_rulesdata", verbosity=0, stdout=io.StringIO())


def seconds_of(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def start(folder: str) -> float:
    """Seconds from the command to the line that says where the site is, set-up included."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {k: v for k, v in os.environ.items() if k not in place.UNSET} | {
        "DATA_DIR": folder,
        "PORT": str(port),
    }
    begun = time.perf_counter()
    server = subprocess.Popen(
        [place.ROOT / "script" / "server"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdout
    try:
        said = next((line for line in server.stdout if "Muster Roll is at" in line), "")
        assert said, "the server ended before it served"
        return time.perf_counter() - begun
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.stdout.close()
        server.wait()
