"""Locks of the whole site: whether it runs, and who prepares it."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any

from django.conf import settings
from django.db import connection

PREPARATION = 0x6D757374  # any number that no other program of the database uses
_held: list[IO[str]] = []


def share_site() -> None:
    """Say that this process is the running site, until it ends, however it ends."""
    file = (settings.DATA_DIR / "site.lock").open("a")
    fcntl.flock(file, fcntl.LOCK_SH)
    _held.append(file)  # an open file holds the lock


@contextmanager
def hold_site() -> Iterator[bool]:
    """Hold the site still; gives False where it runs."""
    with (settings.DATA_DIR / "site.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


@contextmanager
def hold_preparation() -> Iterator[None]:
    """Prepare the site alone: whoever comes second waits, on this machine or on another one.

    Two that migrate an empty PostgreSQL at once would make the same table twice.
    """
    with (settings.DATA_DIR / "prepare.lock").open("a") as file, ExitStack() as stack:
        fcntl.flock(file, fcntl.LOCK_EX)
        if connection.vendor == "postgresql":
            stack.enter_context(_hold_postgres())
        yield


@contextmanager
def _hold_postgres() -> Iterator[None]:
    import psycopg  # noqa: PLC0415  (a site on SQLite loads no PostgreSQL)

    # A connection of its own, for the lock ends with it; the pool's come and go.
    with psycopg.connect("", **postgres_address(), autocommit=True) as direct:
        direct.execute("SELECT pg_advisory_lock(%s)", [PREPARATION])
        yield


def postgres_address() -> dict[str, Any]:
    """Return where the database is, as libpq names it."""
    database = connection.settings_dict
    options = {
        "host": database["HOST"],
        "port": database["PORT"],
        "user": database["USER"],
        "password": database["PASSWORD"],
        "dbname": database["NAME"],
    }
    return {name: str(value) for name, value in options.items() if value}
