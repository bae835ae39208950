"""The whole database copied into another one, SQLite or PostgreSQL, and compared with it."""

import hashlib
import json
from contextlib import suppress
from itertools import islice
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.core.management.color import no_style
from django.db import DatabaseError, connections, models, transaction

SOURCE = "default"
BATCH = 500  # rows of one statement
Model = type[models.Model]


class CopyError(CommandError):
    """A copy that was not made; the message says why."""


def copy_database(target: str) -> int:
    """Copy every row into the empty database of the alias ``target``; return how many there are.

    Its tables are made first. All rows are written in one transaction, then read back: the copy is
    taken back unless each table has the same SHA-256. Raises CopyError.
    """
    try:
        tables = connections[target].introspection.table_names()
        if tables:
            raise CopyError(f"The other database is not empty: it has a table {tables[0]}.")
        try:
            return _fill(target)
        except (CopyError, DatabaseError):
            _drop_tables(target)
            raise
    except DatabaseError as error:
        raise CopyError(f"The other database refused: {error}") from error


def _fill(target: str) -> int:
    """Make the tables, copy every row and compare; return the number of rows."""
    call_command("migrate", database=target, interactive=False, verbosity=0)
    tables = ordered_models()
    with transaction.atomic(using=target), connections[target].constraint_checks_disabled():
        # A migration fills some tables, such as the content types, with rows of its own.
        for model in reversed(tables):
            model._base_manager.using(target).all()._raw_delete(target)
        total = sum(_copy_rows(model, target) for model in tables)
        connection = connections[target]
        # The next new row gets a number that no copied row has.
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), tables):
                cursor.execute(statement)
        for model in tables:
            if hash_of_table(model, SOURCE) != hash_of_table(model, target):
                raise CopyError(
                    f"{model._meta.db_table} differs after copying. Nothing was copied."
                )
    connections[target].check_constraints()
    return total


def _drop_tables(target: str) -> None:
    """Leave the database as empty as it was found, so that the copy can be tried again."""
    connection = connections[target]
    with suppress(DatabaseError), connection.constraint_checks_disabled():
        for table in connection.introspection.table_names():
            with connection.schema_editor(atomic=False) as editor:
                editor.execute(
                    editor.sql_delete_table % {"table": editor.quote_name(table)}
                )


def ordered_models() -> list[Model]:
    """Return every model with a table of its own, each after those that its keys point to."""
    ordered: list[Model] = []

    def add(model: Model, *above: Model) -> None:
        if model in ordered or model in above:
            return
        for field in model._meta.concrete_fields:
            if field.remote_field is not None:
                add(field.remote_field.model, model, *above)
        ordered.append(model)

    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            add(model)
    return ordered


def hash_of_table(model: Model, database: str) -> str:
    """Return a SHA-256 over all rows of a model, in the order of their keys."""
    total = hashlib.sha256()
    rows = model._base_manager.using(database).order_by("pk")
    columns = [field.attname for field in model._meta.concrete_fields]
    for row in rows.values_list(*columns).iterator(BATCH):
        # PostgreSQL puts the keys of JSON in its own order.
        values = (
            json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value
            for value in row
        )
        total.update(repr(tuple(values)).encode())
    return total.hexdigest()


def _copy_rows(model: Model, target: str) -> int:
    """Copy one table as it stands; return the number of its rows."""
    fields = list(model._meta.concrete_fields)
    manager: Any = model._base_manager
    rows = iter(manager.using(SOURCE).order_by("pk").iterator(BATCH))
    total = 0
    while batch := list(islice(rows, BATCH)):
        # bulk_create would give columns such as changed_at the time of the copy.
        manager._insert(batch, fields=fields, using=target, raw=True)
        total += len(batch)
    return total
