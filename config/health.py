"""The two probes: is the process alive, and is the site ready to be used."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """Every migration in the code: (app, name). It cannot change while the process runs."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations or {})


def has_pending_migrations() -> bool:
    """Whether the database lacks a migration that the code has.

    One query, or two on an empty database.
    """
    return not _known_migrations() <= set(MigrationRecorder(connection).applied_migrations())


def has_rule_packs() -> bool:
    """Whether the rule packs are in the database."""
    try:
        queries: Any = import_module("rulesdata.queries.catalogue")
        return bool(queries.packs_are_loaded())
    except (ModuleNotFoundError, AttributeError):
        return False


def missing_parts() -> list[str]:
    """What keeps the site from being ready, in words; empty when it is."""
    try:
        if has_pending_migrations():
            return ["migrations: some are not applied; run `manage.py migrate`"]
        return (
            []
            if has_rule_packs()
            else ["packs: the rule books are not loaded; run `manage.py load_rulesdata`"]
        )
    except DatabaseError:
        return ["database: it does not answer"]


def health_check(request: HttpRequest) -> HttpResponse:
    """200 "ok" whenever the process answers."""
    return _unstored(HttpResponse("ok", content_type="text/plain"))


def ready_check(request: HttpRequest) -> HttpResponse:
    """200 when migrations and rule packs are in place, otherwise 503 with the list of what is
    missing.
    """
    missing = missing_parts()
    return _unstored(
        JsonResponse({"ready": not missing, "missing": missing}, status=503 if missing else 200)
    )


def _unstored(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Length"] = str(
        len(response.content)
    )  # CommonMiddleware, which would, is not asked
    return response


PROBES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": health_check,
    "/readyz": ready_check,
}
