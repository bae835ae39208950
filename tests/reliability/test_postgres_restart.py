"""R26 under --soak: a PostgreSQL of the test's own is stopped and started while requests come in.

Nothing is answered with 500, what needs the database says so in words, and the site is itself again
within ten seconds. Skipped where PostgreSQL's own programs are not installed.
"""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock

import psycopg
import pytest
from django.conf import settings

from tests.factories import EMPIRE, SYSTEM
from tests.reliability.server import CSRF_SECRET, ROOT, SECONDS, Server, serving
from tests.reliability.test_outage import BACK_SECONDS, asked, free_port, wait_until

WORKERS = 8
AWAY_SECONDS = 5
FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
PATH = os.pathsep.join([os.environ.get("PATH", ""), *map(str, FOLDERS)])
INITDB, PG_CTL = (shutil.which(name, path=PATH) for name in ("initdb", "pg_ctl"))
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(
        not (INITDB and PG_CTL),
        reason="PostgreSQL's initdb and pg_ctl are not installed here",
    ),
]


class OwnPostgres:
    """A PostgreSQL in a folder of its own, to be stopped and started.

    It refuses to run as root, so root runs it as ``postgres``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(folder, self.user)

    @property
    def url(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        self._run(INITDB, "-D", self.folder / "data", "-U", "postgres", "-A", "trust")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder}"
        log = self.folder / "log"
        self._run(
            PG_CTL, "-D", self.folder / "data", "-w", "-l", log, "-o", options, "start"
        )

    def stop(self, mode: str) -> None:
        """``fast`` ends every connection in order, ``immediate`` as a crash would."""
        self._run(PG_CTL, "-D", self.folder / "data", "-w", "-m", mode, "stop")

    def _run(self, *command: object) -> None:
        subprocess.run(
            list(map(str, command)),
            check=True,
            user=self.user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            timeout=SECONDS,
        )


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    with tempfile.TemporaryDirectory(prefix="muster-postgres-") as folder:
        cluster = OwnPostgres(Path(folder))
        cluster.make()
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop("immediate")


class Load:
    """Eight callers who read pages and make warbands until they are told to stop."""

    def __init__(self, site: Server, reads: list[str]) -> None:
        self.site, self.reads = site, reads
        self.over, self.lock = Event(), Lock()
        self.answers: list[tuple[float, str, int, str]] = []

    def run(self, worker: int) -> None:
        turn = worker
        while not self.over.is_set():
            turn += 1
            path = self.reads[turn % len(self.reads)]
            status, text = made(self.site) if turn % 5 == 0 else asked(self.site, path)
            with self.lock:
                self.answers.append((time.monotonic(), path, status, text))

    def since(self, moment: float) -> Counter[int]:
        """How many answers of each status came after that moment."""
        with self.lock:
            return Counter(status for at, _, status, _ in self.answers if at >= moment)

    def count(self, status: int) -> int:
        return self.since(0)[status]


def made(site: Server) -> tuple[int, str]:
    """Muster a warband without an account: 302 where it is stored."""
    form = f"csrfmiddlewaretoken={CSRF_SECRET}&system={SYSTEM}&army={EMPIRE}&limit=150"
    headers = {
        "Host": f"localhost:{site.port}",
        "Cookie": f"{settings.CSRF_COOKIE_NAME}={CSRF_SECRET}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=SECONDS)
    connection.request("POST", "/warbands/new/", form, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def prepare(folder: Path, url: str) -> None:
    """A site on that database, as the first start makes it."""
    environment = {**os.environ, "DATA_DIR": str(folder), "DATABASE_URL": url, "DEMO": "0"}
    command = [sys.executable, "manage.py", "prepare"]
    subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL
    )


def stored(cluster: OwnPostgres) -> int:
    with psycopg.connect(cluster.url) as connection:
        row = connection.execute("SELECT count(*) FROM warbands_warband").fetchone()
    assert row
    return int(row[0])


def outage(cluster: OwnPostgres, site: Server, load: Load, mode: str) -> None:
    """Stop it, look, start it, and wait for a second in which every answer is good."""
    cluster.stop(mode)
    away = time.monotonic()
    time.sleep(AWAY_SECONDS / 2)
    assert asked(site, "/healthz")[0] == 200
    status, text = asked(site, "/readyz")
    assert (status, json.loads(text)["missing"]) == (503, ["database: it does not answer"])
    time.sleep(AWAY_SECONDS / 2)
    met = load.since(away + 1)
    assert met[503] > 0
    assert set(met) <= {200, 503}, met
    cluster.start()
    back = time.monotonic()
    wait_until(lambda: asked(site, "/readyz")[0] == 200)

    def is_well() -> bool:
        last = load.since(time.monotonic() - 1)
        return bool(last) and set(last) <= {200, 302}

    wait_until(is_well, BACK_SECONDS)
    print(f"{mode}: away {dict(met)}, all well after {time.monotonic() - back:.1f} s")


def test_site_stands_restarts_of_postgresql_under_load(tmp_path: Path) -> None:
    with own_postgres() as cluster:
        prepare(tmp_path, cluster.url)
        with serving(tmp_path, settings_of={"DATABASE_URL": cluster.url}) as site:
            load = Load(site, ["/warbands/", "/rules/", "/api/v1/systems/", "/healthz"])
            with ThreadPoolExecutor(WORKERS) as pool:
                callers = [pool.submit(load.run, worker) for worker in range(WORKERS)]
                try:
                    wait_until(lambda: load.count(302) > WORKERS, SECONDS)
                    for mode in ("fast", "immediate") * 2:
                        outage(cluster, site, load, mode)
                finally:
                    load.over.set()
                for caller in callers:
                    caller.result()
        words = [text for _, _, status, text in load.answers if status == 503]
        assert all("cannot reach its data" in text for text in words)
        assert set(load.since(0)) == {200, 302, 503}, load.since(0)
        # What was said to be stored is; an answer may be lost, a row may not.
        assert stored(cluster) >= load.count(302)
        print(f"{sum(load.since(0).values())} answers: {dict(load.since(0))}")
