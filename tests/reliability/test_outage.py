"""R26: the site answers while Redis is away, and is itself again within ten seconds of its return.

Each test starts a Redis or a PostgreSQL of its own, on a port of its own, and stops it.
"""

import http.client
import json
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from config import cache
from config.cache import OUTAGE, PatientCache, SessionCache
from tests.factories import make_user
from tests.reliability.server import gather_statics, serving

BACK_SECONDS = 10
needs_redis = pytest.mark.skipif(not shutil.which("redis-server"), reason="no Redis here")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class OwnRedis:
    """A Redis that keeps nothing, to be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        self.process = subprocess.Popen(
            [*command, "--save", "", "--dir", str(self.folder)], stdout=subprocess.DEVNULL
        )
        wait_until(lambda: is_open(self.port))

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(has_come: Callable[[], bool], seconds: float = BACK_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not has_come():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.05)


@contextmanager
def own_redis(folder: Path) -> Iterator[OwnRedis]:
    redis = OwnRedis(folder)
    redis.start()
    try:
        yield redis
    finally:
        redis.stop()


def asked(server, path, cookie="", body=None) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    headers = {"Host": f"localhost:{server.port}", "Cookie": cookie}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request("GET" if body is None else "POST", path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def session_of(client: Client) -> str:
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"


PAGES = ("/", "/warbands/", "/accounts/profile/", "/notices/")


@needs_redis
@pytest.mark.django_db(transaction=True)
def test_site_answers_while_redis_is_away(tmp_path: Path) -> None:
    client = Client()
    client.force_login(make_user())
    cookie = session_of(client)
    gather_statics(tmp_path)
    with (
        own_redis(tmp_path) as redis,
        serving(tmp_path, settings_of={"REDIS_URL": redis.url}) as server,
    ):
        assert [asked(server, page, cookie)[0] for page in PAGES] == [200] * len(PAGES)
        redis.stop()
        for _ in range(3):
            found = {page: asked(server, page, cookie)[0] for page in PAGES}
            assert set(found.values()) == {200}, found
        assert "Sign out" in asked(server, "/", cookie)[1]
        assert asked(server, "/api/v1/systems/")[0] == 200
        assert asked(server, "/api/v1/roll/", body="{}")[0] == 400
        told = json.loads(asked(server, "/readyz")[1])
        assert [line.partition(":")[0] for line in told["away"]] == ["redis"]
        redis.start()
        wait_until(lambda: not json.loads(asked(server, "/readyz")[1])["away"])
        assert [asked(server, page, cookie)[0] for page in PAGES] == [200] * len(PAGES)


@pytest.fixture
def quick_return(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Redis is asked again at once."""
    monkeypatch.setattr(cache, "AGAIN_SECONDS", 0.0)
    yield
    OUTAGE.take()
    OUTAGE.until = 0.0


@needs_redis
def test_what_ended_meanwhile_stays_ended(tmp_path: Path, quick_return: None) -> None:
    """A session that was ended while Redis was away must not be found there afterwards."""
    with own_redis(tmp_path) as redis:
        sessions = SessionCache(redis.url, {"KEY_PREFIX": "t"})
        sessions.set("session", "signed in")
        assert sessions.get("session") == "signed in"
        # Stopped and not killed: what it holds stays.
        assert redis.process is not None
        redis.process.send_signal(signal.SIGSTOP)
        sessions.delete("session")
        assert sessions.get("session") is None
        redis.process.send_signal(signal.SIGCONT)
        assert sessions.get("session") is None


@needs_redis
def test_limits_count_in_the_process_meanwhile(tmp_path: Path, quick_return: None) -> None:
    with own_redis(tmp_path) as redis:
        shared = PatientCache(redis.url, {"KEY_PREFIX": "t"})
        shared.set("tries", 3)
        redis.stop()
        assert shared.add("tries", 1)
        assert shared.incr("tries") == 2
        assert PatientCache(redis.url, {"KEY_PREFIX": "t"}).get("tries") == 2


def test_each_version_of_a_key_stays_noted(quick_return, monkeypatch):
    shared = PatientCache(f"redis://127.0.0.1:{free_port()}/0", {"KEY_PREFIX": "t"})
    shared.delete("tries", version=1)
    shared.delete("tries", version=2)
    # Redis is asked again, and is away still: what was noted is noted anew.
    monkeypatch.setattr(OUTAGE, "until", 0.0)
    shared.get("tries")
    assert OUTAGE.take() == {("tries", 1), ("tries", 2)}


def test_control_sessions_are_kept_by_no_process(quick_return: None) -> None:
    """The cache that counts locally would keep a session that another process has ended."""
    nowhere = f"redis://127.0.0.1:{free_port()}/0"
    for kind, kept in ((PatientCache, "signed in"), (SessionCache, None)):
        one = kind(nowhere, {"KEY_PREFIX": "t"})
        one.set("session", "signed in")
        assert one.get("session") == kept
