"""R26: PostgreSQL stopped and started again: 503 with words meanwhile, and well within ten seconds.

The server reaches the database of the tests through a door that can be shut, as it would meet a
PostgreSQL that stops: its connections end, and new ones are refused.
"""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from django.db import connection

from accounts.owner import Owner
from tests.factories import make_legal_warband, make_user
from tests.reliability.server import database_url, gather_statics, serving
from tests.reliability.test_outage import asked, wait_until
from warbands.models import Warband


class Door:
    """A port that leads to PostgreSQL while it is open."""

    def __init__(self, to: tuple[str, int]) -> None:
        self.to = to
        self.port = 0
        self.listener: socket.socket | None = None
        self.ends: list[socket.socket] = []

    def open(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        Thread(target=self._let_in, args=[self.listener], daemon=True).start()

    def shut(self) -> None:
        listener, self.listener = self.listener, None
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        while self.ends:
            end = self.ends.pop()
            hang_up(end)
            end.close()

    def _let_in(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                inside, _ = listener.accept()
                outside = socket.create_connection(self.to)
                self.ends += [inside, outside]
                for one, other in ((inside, outside), (outside, inside)):
                    Thread(target=carry, args=[one, other], daemon=True).start()


def carry(one: socket.socket, other: socket.socket) -> None:
    """Carry what comes from one to the other until either ends."""
    with suppress(OSError):
        while said := one.recv(65_536):
            other.sendall(said)
    # Closing alone would not reach PostgreSQL while the other thread waits for a word of it.
    hang_up(one)
    hang_up(other)


def hang_up(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@contextmanager
def door() -> Iterator[tuple[Door, str]]:
    """An open door, and the address of the database behind it."""
    url = urlsplit(database_url())
    made = Door((url.hostname or "", url.port or 5432))
    made.open()
    who = url.netloc.rpartition("@")[0]
    try:
        yield made, url._replace(netloc=f"{who}@127.0.0.1:{made.port}").geturl()
    finally:
        made.shut()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_site_is_back_after_postgresql_was_away(tmp_path: Path) -> None:
    warband = make_legal_warband(actor=Owner(user_id=make_user().pk), visibility="public")
    own = sessions()
    pages = ["/", f"/warbands/{warband.token}/", "/api/v1/systems/"]
    gather_statics(tmp_path)
    with door() as (way, url), serving(tmp_path, settings_of={"DATABASE_URL": url}) as site:
        read = [asked(site, page)[0] for page in pages]
        assert read[1:] == [200, 200]
        way.shut()
        begun = time.monotonic()
        for page in pages[1:]:
            status, text = asked(site, page)
            assert status == 503, (page, status)
            assert "cannot reach its data" in text
        assert asked(site, "/healthz")[0] == 200
        status, text = asked(site, "/readyz")
        assert (status, json.loads(text)["missing"]) == (
            503,
            ["database: it does not answer"],
        )
        assert time.monotonic() - begun < 60
        way.open()
        wait_until(lambda: asked(site, pages[1])[0] == 200)
        # Every connection of the pool is a new one: none of before is met again.
        assert [asked(site, page)[0] for page in pages * 6] == read * 6
    assert Warband.objects.filter(pk=warband.pk).exists()
    # The database of the tests can be dropped once nobody else is at it.
    wait_until(lambda: sessions() <= own)


def sessions() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "select count(*) from pg_stat_activity where datname = current_database()"
        )
        return int(cursor.fetchone()[0])
