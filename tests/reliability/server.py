"""A real server on the database of the tests, to be killed and started again, and a caller with a
socket.
"""

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, urlencode

from django.conf import settings
from django.core.management import call_command
from django.test import Client, override_settings

from accounts.models import User
from config.statics import StaticFiles
from tests.reliability.nursery import ENDED

ROOT = Path(__file__).resolve().parents[2]
CSRF_SECRET = "x" * 32
SECONDS = 60
NOTHING: Mapping[str, str] = MappingProxyType({})


def database_url() -> str:
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        return f"sqlite:///{database['NAME']}"
    who = quote(str(database["USER"])) + (
        f":{quote(str(database['PASSWORD']))}" if database["PASSWORD"] else ""
    )
    return f"postgres://{who}@{database['HOST']}:{database['PORT'] or 5432}/{quote(str(database['NAME']))}"


class Server:
    """gunicorn as `script/server` runs it, on a port of its own."""

    def __init__(
        self, folder: Path, *options: str, settings_of: Mapping[str, str] = NOTHING
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        environment = {
            **os.environ,
            "DATA_DIR": str(folder),
            "PORT": str(self.port),
            "DATABASE_URL": database_url(),
            "SECRET_KEY": settings.SECRET_KEY,  # it signs the sessions
            "API_RATE": "100000/min",  # every call of these tests comes from one address
            "PYTHONUNBUFFERED": "1",
            **settings_of,
        }
        self.group: int | None = None
        self.nursery = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.nursery", *options],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def start(self) -> None:
        """Start it and wait for the line that says where it is."""
        assert self.nursery.stdin
        self.nursery.stdin.write("\n")
        self.nursery.stdin.flush()
        self.group = int(self._line_with(""))
        self._line_with("Muster Roll is at")

    def kill(self) -> None:
        if self.group is not None:
            os.killpg(self.group, signal.SIGKILL)
            self.group = None
            self._line_with(ENDED)

    def _line_with(self, words: str) -> str:
        assert self.nursery.stdout
        for line in self.nursery.stdout:
            if words in line and line.strip():
                return line
            if line.strip() == ENDED:
                self.group = None
                break
        raise AssertionError("the server did not start")

    def close(self) -> None:
        """Kill the server, and end the process it came from."""
        try:
            self.kill()
        finally:
            with self.nursery:
                self.nursery.kill()


@contextmanager
def serving(
    folder: Path, *options: str, settings_of: Mapping[str, str] = NOTHING
) -> Iterator[Server]:
    """A running server, killed at the end. The options are the nursery's, the settings the site's."""
    server = Server(folder, *options, settings_of=settings_of)
    try:
        server.start()
        yield server
    finally:
        server.close()


class PlainStatics(StaticFiles):
    """The static files as they are: to compress them takes ten seconds, and no test reads that."""

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        return iter(())


def gather_statics(folder: Path) -> None:
    storage = {"BACKEND": f"{PlainStatics.__module__}.{PlainStatics.__qualname__}"}
    storages = {**settings.STORAGES, "staticfiles": storage}
    with override_settings(STORAGES=storages, STATIC_ROOT=folder / "static"):
        call_command("collectstatic", interactive=False, verbosity=0)


class Caller:
    """Somebody signed in who posts forms over a socket."""

    def __init__(self, server: Server, user: User) -> None:
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.server = server
        self.headers = {
            "Cookie": (
                f"{settings.SESSION_COOKIE_NAME}={session}; "
                f"{settings.CSRF_COOKIE_NAME}={CSRF_SECRET}"
            ),
            "Content-Type": "application/x-www-form-urlencoded",
            "Host": f"localhost:{server.port}",
        }

    def post(self, path: str, form: Mapping[str, str]) -> int | None:
        """The status, or None where the server went away before it answered in full."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=SECONDS
        )
        try:
            body = urlencode({**form, "csrfmiddlewaretoken": CSRF_SECRET})
            connection.request("POST", path, body, self.headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
