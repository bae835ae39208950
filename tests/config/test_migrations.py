"""Rows of an older release go through all migrations, back and forward again, and none of them
changes.

`tests/vectors/old_database.json.gz` holds the demo club, a campaign, a club night, own lists and a
few rows of every other table as they were stored at the migrations it names under "targets". It is
not made anew: old rows are the point. A table may get further columns; one that a migration changes
otherwise on purpose is named below, with what must still be true of it.
"""

import copy
import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from tests.conftest import is_postgres

pytestmark = pytest.mark.django_db(transaction=True)

Row = tuple[Any, ...]
OLD = Path(__file__).parent.parent / "vectors" / "old_database.json.gz"
SCHEMA = "old_rows"
OWN_TABLE = "django_migrations"

# Tables that are compared by column (below), not as a whole.
CONTENT_TYPES, PERMISSIONS = "django_content_type", "auth_permission"
NOTICES, EVENTS = "campaigns_notice", "campaigns_clubevent"
# May be gone after the way forward, and empty after the way back: the next load of the packs fills
# it.
DISPENSABLE = {"rulesdata_option"}
# What campaigns kept before warbands grew: a site that has any stays on the release before.
STEPS = "campaigns_careerstep"
REMOVED_COLUMNS = {EVENTS: {"steps"}}
EXCEPTIONS = {CONTENT_TYPES, PERMISSIONS, NOTICES, STEPS, *DISPENSABLE}
# Columns of a notice that may come or go: the name of its event in place of the key to it.
EVENT_KEY, EVENT_NAME = "event_id", "subject"
# The apps that models of an app may have moved to; the content type is the same row then.
MOVED_TO = {"campaigns": {"battles", "notices"}}


class Tables:
    """All tables of a database as they stand now: names and columns come from it, not from the
    models.
    """

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            found = connection.introspection.table_names(cursor)
            self.columns = {
                name: _columns_of(cursor, name) for name in found if name != OWN_TABLE
            }
            self.rows = {name: self._read(cursor, name) for name in self.columns}

    def _read(self, cursor: Any, table: str) -> list[Row]:
        """The rows in an order that only their contents decide, each with its columns by name."""
        quoted = ", ".join(map(connection.ops.quote_name, self.columns[table]))
        cursor.execute(f"SELECT {quoted} FROM {connection.ops.quote_name(table)}")
        return sorted(cursor.fetchall(), key=repr)

    def rows_of(self, table: str, columns: Sequence[str]) -> list[Row]:
        """The rows of a table, as `_read` sorts them, with these of its columns alone.

        Fails where it has not all of them.
        """
        places = [self.columns[table].index(column) for column in columns]
        rows = [tuple(row[place] for place in places) for row in self.rows[table]]
        return sorted(rows, key=repr)

    def digest(self, table: str, columns: Sequence[str]) -> tuple[int, str]:
        """How many rows there are, and a SHA-256 of the names of the columns and all that is in
        them.
        """
        held = [column for column in columns if column in self.columns[table]]
        content = (held, self.rows_of(table, held))
        return len(self.rows[table]), hashlib.sha256(repr(content).encode()).hexdigest()

    def records(self, table: str) -> dict[Any, dict[str, Any]]:
        names = self.columns[table]
        rows = [dict(zip(names, row, strict=True)) for row in self.rows[table]]
        return {row["id"]: row for row in rows}


def _columns_of(cursor: Any, table: str) -> list[str]:
    cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} LIMIT 0")
    return sorted(column[0] for column in cursor.description)


@cache
def old() -> dict[str, Any]:
    """The old release: "targets" (the last migration of each app), "tables" with "columns" and
    "rows".
    """
    return json.loads(gzip.decompress(OLD.read_bytes()))


DEFINITIONS = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL",
    "postgresql": """
        SELECT table_name || '.' || column_name, concat_ws(' ', data_type, is_nullable,
            column_default, character_maximum_length, collation_name)
        FROM information_schema.columns WHERE table_schema = current_schema()
            AND table_name || '.' || column_name NOT IN (
                'auth_group_permissions.id', 'auth_user_groups.id', 'auth_user_user_permissions.id')
        UNION SELECT indexname, replace(indexdef, current_schema() || '.', '')
        FROM pg_indexes WHERE schemaname = current_schema()
        UNION SELECT conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
    """,
}
CASTS = re.compile(
    r"::(character varying|text)"
)  # a restored copy has them in other places


def read_schema() -> dict[str, list[str]]:
    """What defines tables, columns, indexes and constraints, each as its words in any order.

    Left out is how wide the keys of Django's own tables between users and groups are: a
    migration takes the width from the settings, a model from its app.
    """
    with connection.cursor() as cursor:
        cursor.execute(DEFINITIONS[connection.vendor])
        return {
            name: sorted(re.findall(r"\w+|[<>=!]+", CASTS.sub("", sql)))
            for name, sql in cursor
        }


# --- A database of the test's own -----------------------------------------------------------------------------------


@contextmanager
def _own_place(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Settings of an empty database beside the one of the other tests: a file, or a schema of
    PostgreSQL.
    """
    place = copy.deepcopy(connection.settings_dict)
    if not is_postgres():
        place["NAME"] = str(tmp_path / "old.sqlite3")
        yield place
        return
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {SCHEMA}")
    place["OPTIONS"].pop("pool", None)
    place["OPTIONS"]["options"] += f" -c search_path={SCHEMA}"
    yield place
    with connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA {SCHEMA} CASCADE")


@pytest.fixture
def old_database(transactional_db: None, tmp_path: Path) -> Iterator[dict[str, list[str]]]:
    """The default connection leads to a database that stands at the old migrations and holds the
    old rows. The value is the schema of the other tests, which is made from the models.
    """
    usual, schema = connections[DEFAULT_DB_ALIAS], read_schema()
    with _own_place(tmp_path) as place:
        own = type(usual)(place, DEFAULT_DB_ALIAS)
        connections[DEFAULT_DB_ALIAS] = own
        try:
            MigrationExecutor(connection).migrate(list(old()["targets"].items()))
            load(old()["tables"])
            yield schema
        finally:
            own.close()
            connections[DEFAULT_DB_ALIAS] = usual
            ContentType.objects.clear_cache()


def load(tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Fill the tables with these rows and nothing else."""
    with transaction.atomic(), connection.cursor() as cursor:
        for name in tables:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")
        for name, table in tables.items():
            _insert(cursor, name, table["columns"], table["rows"])
    connection.check_constraints()


def _insert(cursor, table, columns, rows) -> None:
    quote = connection.ops.quote_name
    names, places = ", ".join(map(quote, columns)), ", ".join(["%s"] * len(columns))
    command = f"INSERT INTO {quote(table)} ({names}) VALUES ({places})"
    cursor.executemany(command, [_as_stored(row) for row in rows])
    if not is_postgres():
        return
    for sequence in connection.introspection.get_sequences(cursor, table):
        column = quote(sequence["column"])
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence(%s, %s),"
            f" coalesce(max({column}), 0) + 1, false) FROM {quote(table)}",
            [quote(table), sequence["column"]],
        )


def _as_stored(row: Sequence[Any]) -> list[Any]:
    """SQLite keeps what it is given; PostgreSQL reads a text as whatever its column is."""
    return (
        [None if value is None else str(value) for value in row]
        if is_postgres()
        else list(row)
    )


def forward() -> Tables:
    """All migrations applied by the command, as a site does it."""
    call_command("migrate", interactive=False, verbosity=0)
    return Tables()


def back() -> Tables:
    """The old migrations again, in one plan: apps that were not there then go whole.

    One command for each app would make content types in between, for a state that no release had.
    """
    targets: dict[str, str | None] = dict(old()["targets"])
    for app, _ in MigrationRecorder(connection).applied_migrations():
        targets.setdefault(app, None)
    executor = MigrationExecutor(connection)
    executor.migrate(list(targets.items()))
    # What migrate() returns is the state before the plan's last step, with models that are gone.
    state = executor.loader.project_state(
        [one for one in targets.items() if one[1] is not None]
    )
    emit_post_migrate_signal(0, False, DEFAULT_DB_ALIAS, apps=state.apps, plan=[])
    return Tables()


# --- What must be the same ------------------------------------------------------------------------------------------


def compare(now: Tables, before: Tables) -> None:
    """Every row of before is there as it was; the exceptions keep what is said of them.

    Only the columns of before are compared: a table may have got others since.
    """
    compared = set(before.columns) - EXCEPTIONS
    assert set(now.columns) >= compared, "tables are gone"
    columns = {
        name: [one for one in known if one not in REMOVED_COLUMNS.get(name, ())]
        for name, known in before.columns.items()
    }
    differing = [
        name
        for name in sorted(compared)
        if now.digest(name, columns[name]) != before.digest(name, columns[name])
    ]
    assert differing == []
    for name in DISPENSABLE & set(now.columns):
        assert now.rows_of(name, columns[name]) in ([], before.rows[name]), name
    compare_notices(now, before)
    compare_content_types(now, before)


def compare_notices(now: Tables, before: Tables) -> None:
    """All columns of a notice but the key to its event, in whose place its event's name may stand."""
    names = {row["id"]: row["name"] for row in before.records(EVENTS).values()}
    found, held = now.records(NOTICES), before.records(NOTICES)
    assert found.keys() == held.keys()
    for pk, row in held.items():
        notice = found[pk]
        subject = notice.pop(EVENT_NAME, None)
        key = notice.pop(EVENT_KEY, None)
        compared = {name: value for name, value in row.items() if name != EVENT_KEY}
        assert {
            name: value for name, value in notice.items() if name in compared
        } == compared
        assert subject in (None, names.get(row[EVENT_KEY], ""))
        assert key in (None, row[EVENT_KEY])
        assert subject is not None or EVENT_KEY in now.columns[NOTICES]


def compare_content_types(now: Tables, before: Tables) -> None:
    """The same row stands for the same model, which may have moved; what is keyed to it follows."""
    found, held = now.records(CONTENT_TYPES), before.records(CONTENT_TYPES)
    places = [(row["app_label"], row["model"]) for row in found.values()]
    assert len(places) == len(set(places))
    for pk, row in held.items():
        assert found[pk]["model"] == row["model"]
        may_be_in = {row["app_label"], *MOVED_TO.get(row["app_label"], ())}
        assert found[pk]["app_label"] in may_be_in
        assert (
            len(
                [
                    place
                    for place in places
                    if place[1] == row["model"] and place[0] in may_be_in
                ]
            )
            == 1
        )
    permissions = now.records(PERMISSIONS)
    for pk, row in before.records(PERMISSIONS).items():
        assert permissions[pk] == row
    added = [
        row for pk, row in permissions.items() if pk not in before.records(PERMISSIONS)
    ]
    assert [row for row in added if row["content_type_id"] in held] == []


def test_old_rows_go_forward_back_and_forward_unchanged(old_database, soak):
    """Forward in every run; back and forward again under --soak."""
    before = Tables()
    assert {name: len(rows) for name, rows in before.rows.items()} == {
        name: len(table["rows"]) for name, table in old()["tables"].items()
    }
    with pytest.raises(RuntimeError, match="holds 3 injuries"):
        forward()
    remove_steps()
    compare(forward(), before)
    assert read_schema() == old_database
    if soak(0, 1):
        returned = back()
        compare(returned, before)
        assert returned.columns == before.columns
        # What the way back left empty of an exception stays so; all else is as it was at first.
        compare(forward(), returned)
    check_live_content_types()


def remove_steps() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {STEPS}")
        cursor.execute(f"UPDATE {EVENTS} SET steps = '{{}}'")


def check_live_content_types() -> None:
    """After the way forward every model of the site finds its content type, and no other bears its
    table's rows.
    """
    ContentType.objects.clear_cache()
    known = set(ContentType.objects.values_list("app_label", "model"))
    ours = [(model._meta.app_label, model._meta.model_name) for model in apps.get_models()]
    assert [model for model in ours if model not in known] == []
    # A permission that was granted on a battle is granted on it still.
    granted = (
        "SELECT count(*) FROM auth_group_permissions g JOIN auth_permission p ON p.id = "
        "g.permission_id"
    )
    where = (
        " JOIN django_content_type c ON c.id = p.content_type_id WHERE c.model = 'battle' AND "
        "c.app_label = %s"
    )
    battle = next(
        model for model in apps.get_models() if model._meta.db_table == "campaigns_battle"
    )
    with connection.cursor() as cursor:
        cursor.execute(granted + where, [battle._meta.app_label])
        assert cursor.fetchone()[0] == 1


def test_old_rows_fill_every_table_that_people_fill() -> None:
    empty = [name for name, table in old()["tables"].items() if not table["rows"]]
    assert empty == []
    notices = old()["tables"][NOTICES]
    place = notices["columns"].index(EVENT_KEY)
    assert any(row[place] is not None for row in notices["rows"])


def test_no_model_waits_for_a_migration() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
