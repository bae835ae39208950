"""The two probes: is the process alive, and is the site ready to be used."""

import os
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from sqlite3 import DatabaseError as SqliteError
from sqlite3 import connect
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from jobs.queries import queue_state
from rulesdata.queries.catalogue import packs_are_loaded


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """Every migration in the code: (app, name). It cannot change while the process runs."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations or {})


def has_pending_migrations() -> bool:
    """Whether the database lacks a migration that the code has.

    One query, or two on an empty database.
    """
    return not known_migrations() <= set(MigrationRecorder(connection).applied_migrations())


def missing_parts() -> list[str]:
    """Return what keeps the site from being ready, in words; empty when it is."""
    try:
        if has_pending_migrations():
            return ["migrations: some are not applied; run `script/manage migrate`"]
        if not packs_are_loaded():
            return [
                "packs: the rule books are not loaded; run `script/manage load_rulesdata`"
            ]
    except DatabaseError:
        return ["database: it does not answer"]
    return []


def health_check(request: HttpRequest) -> HttpResponse:
    """200 "ok" and the version whenever the process answers."""
    return _unstored(HttpResponse(f"ok {settings.VERSION}", content_type="text/plain"))


def ready_check(request: HttpRequest) -> HttpResponse:
    """200 when migrations and rule packs are in place, otherwise 503 with what is missing.

    What is away and done without is named too, and how the jobs go: a site is ready without a
    worker.
    """
    missing, away = missing_parts(), []
    shared: Any = caches["default"]
    if settings.REDIS_URL and not shared.answers():
        away = ["redis: it does not answer; limits count in each process, jobs begin later"]
    answer: dict[str, Any] = {"ready": not missing, "missing": missing, "away": away}
    if not missing:
        answer["queue"] = queue_state(timezone.now())
    return _unstored(JsonResponse(answer, status=503 if missing else 200))


def _unstored(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = "no-store"
    # CommonMiddleware, which would set it, does not see a probe.
    response.headers["Content-Length"] = str(len(response.content))
    return response


PROBES = {"/healthz": health_check, "/readyz": ready_check}


# The database itself: there, whole, and not from a newer release

REMEDY = "Restore a backup (script/restore FILE), or move it out of the way to begin with an empty site."


def problem_of_file(path: Path, *, was_used: bool) -> str:
    """Return what is wrong with an SQLite file, in a sentence with a remedy; "" where nothing is.

    ``was_used``: the site was prepared with this file before, so it must be there.
    """
    if not path.exists():
        gone = f"The database {path} is gone, but this site was prepared with it. "
        return gone + f"{REMEDY} Its notes are in prepared.json." if was_used else ""
    if not path.stat().st_size:
        return f"The database {path} is empty. {REMEDY}"
    try:
        with closing(connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            verdict = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except SqliteError as error:
        return f"The database {path} cannot be read ({error}). {REMEDY}"
    return (
        "" if verdict == "ok" else f"The database {path} is damaged ({verdict}). {REMEDY}"
    )


def newer_migration() -> str:
    """Return a migration that the database has and this release does not know, or ""."""
    ours = {app for app, _ in known_migrations()}
    applied = MigrationRecorder(connection).applied_migrations()
    # What another app once left in the table, such as one that is no longer installed, is no fault.
    unknown = sorted(name for name in set(applied) - known_migrations() if name[0] in ours)
    return ".".join(unknown[0]) if unknown else ""


# What is checked when the site starts.

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
