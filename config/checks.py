"""Checks at start: what would lose data or refuse people later is refused now."""

import os
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

SYNCHRONOUS_FULL = 2  # SQLite's levels: 0 off, 1 normal, 2 full, 3 extra


@register(Tags.files)
def check_data_folder(**kwargs: Any) -> list[CheckMessage]:
    """The data folder takes files."""
    folder = settings.DATA_DIR
    if folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return []
    hint = "Give the account that runs the site that folder, or set DATA_DIR to another."
    return [
        Error(f"The data folder {folder} cannot be written.", hint=hint, id="config.E001")
    ]


@register(Tags.caches)
def check_processes(**kwargs: Any) -> list[CheckMessage]:
    """Several processes share their cache: rate limits and sessions count on it."""
    backend = settings.CACHES["default"]["BACKEND"]
    if settings.PROCESSES == 1 or not backend.endswith(("LocMemCache", "DummyCache")):
        return []
    message = f"WEB_CONCURRENCY is {settings.PROCESSES}, but each process would have a cache of its own."
    return [Error(message, hint="Set REDIS_URL, or run one process.", id="config.E002")]


@register(Tags.database)
def check_sqlite(
    *, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Check SQLite's journal mode, and that it writes to disk before it acknowledges."""
    messages: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        if connection.vendor == "sqlite":
            messages += _check_pragmas(
                _pragma(connection, "journal_mode"), _pragma(connection, "synchronous")
            )
    return messages


def _pragma(connection: Any, name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        return str(cursor.fetchone()[0])


def _check_pragmas(journal_mode: str, synchronous: str) -> list[CheckMessage]:
    messages: list[CheckMessage] = []
    wanted = settings.SQLITE_JOURNAL_MODE
    if journal_mode.lower() != wanted:
        hint = (
            "Another program may hold the file open, or its folder does not allow this mode "
            "(network folders do not)."
        )
        message = f"The database's journal mode is {journal_mode}, not {wanted}."
        messages.append(Error(message, hint=hint, id="config.E003"))
    if int(synchronous) < SYNCHRONOUS_FULL:
        message = (
            f"The database's synchronous level is {synchronous}: a power cut could undo what "
            "people were told is saved."
        )
        messages.append(
            Error(message, hint="It must be 2 (full) or 3 (extra).", id="config.E004")
        )
    return messages
