"""A database that only tests use: nothing in it must survive a power cut, and it is emptied quickly."""

from __future__ import annotations

from typing import Any

from django.db import connections, transaction
from django.test import TransactionTestCase

# Filled once, when the database is made; the rest is rows of the tests.
KEPT_TABLES = frozenset({"django_migrations", "django_content_type", "auth_permission"})


def with_quick_commits(options: dict[str, Any], *, is_postgres: bool) -> dict[str, Any]:
    """Return the options of a database that does not wait for its disk."""
    if is_postgres:
        return {**options, "options": f"{options['options']} -c synchronous_commit=off"}
    return {**options, "init_command": f"{options['init_command']};PRAGMA synchronous=OFF"}


def empty_tables(case: TransactionTestCase) -> None:
    """Delete what a test has committed.

    Django would empty every table, and then work out content types and permissions again.
    """
    for name in case._databases_names(include_mirrors=False):
        connection = connections[name]
        tables = connection.introspection.django_table_names(
            only_existing=True, include_views=False
        )
        # Foreign keys are looked at when the transaction ends, so the order does not matter.
        with transaction.atomic(using=name), connection.cursor() as cursor:
            for table in sorted(set(tables) - KEPT_TABLES):
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
