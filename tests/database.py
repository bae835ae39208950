"""A database that only tests use: nothing in it must survive a power cut, and it is emptied quickly."""

from collections.abc import Callable
from typing import Any

from django.db import connection, connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import TransactionTestCase
from django.test.utils import CaptureQueriesContext

# Filled once, when the database is made; the rest is rows of the tests.
KEPT_TABLES = frozenset({"django_migrations", "django_content_type", "auth_permission"})


def with_quick_commits(options: dict[str, Any], *, is_postgres: bool) -> dict[str, Any]:
    """Return the options of a database that does not wait for its disk."""
    if is_postgres:
        return {**options, "options": f"{options['options']} -c synchronous_commit=off"}
    return {**options, "init_command": f"{options['init_command']};PRAGMA synchronous=OFF"}


def record_migrations() -> None:
    """Record every migration as applied, as a site does that ran them."""
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    known = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    for app, name in sorted(set(known) - set(recorder.applied_migrations())):
        recorder.record_applied(app, name)


def empty_tables(case: TransactionTestCase) -> None:
    """Delete what a test has committed.

    Django would empty every table, and then work out content types and permissions again.
    """
    for name in case._databases_names(include_mirrors=False):
        database = connections[name]
        tables = database.introspection.django_table_names(
            only_existing=True, include_views=False
        )
        # Foreign keys are looked at when the transaction ends, so the order does not matter.
        with transaction.atomic(using=name), database.cursor() as cursor:
            for table in sorted(set(tables) - KEPT_TABLES):
                cursor.execute(f"DELETE FROM {database.ops.quote_name(table)}")


def statements(call: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)
