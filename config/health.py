"""The two probes: is the process alive, and is the site ready to be used."""

from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from sqlite3 import DatabaseError as SqliteError
from sqlite3 import connect
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, connection
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


PROBES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": health_check,
    "/readyz": ready_check,
}


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
