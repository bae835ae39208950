"""A connection to SQLite has the turn at its file while it writes, and gives it back however that
ends.
"""

import sqlite3
from contextlib import suppress

import pytest
from django.conf import settings
from django.db import (
    DEFAULT_DB_ALIAS,
    IntegrityError,
    OperationalError,
    connection,
    connections,
    transaction,
)

from accounts.models import User
from tests.conftest import is_postgres
from tests.factories import make_user
from tests.reliability.threads import at_once
from warbands.models import WarbandEvent

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(is_postgres(), reason="only SQLite takes one writer at a time"),
]


class Holder:
    """Stands for the connection of another thread."""


def has_turn():
    this_one = connections[
        DEFAULT_DB_ALIAS
    ]  # `connection` stands for it, and is another object
    return this_one.turns.is_held_by(this_one)


def is_free():
    """Whether another thread would get the turn at once."""
    other = Holder()
    try:
        return connection.turns.take(other, 0)
    finally:
        connection.turns.give(other)


@pytest.fixture(autouse=True)
def _fresh_connection(transactional_db):
    connection.ensure_connection()
    # What a statement itself sees: 1 while this connection has its turn.
    connection.connection.create_function("has_turn", 0, lambda: int(has_turn()))
    assert is_free()
    yield
    connection.close()


@pytest.fixture
def someone_else():
    """The turn is another thread's, and nobody has time to wait."""
    other = Holder()
    assert connection.turns.take(other, 0)
    options = settings.DATABASES["default"]["OPTIONS"]
    seconds, options["timeout"] = options["timeout"], 0
    yield other
    options["timeout"] = seconds
    connection.turns.give(other)


def test_transaction_keeps_its_turn_to_its_end():
    with transaction.atomic():
        assert has_turn()
        with transaction.atomic():
            make_user()
        with suppress(ZeroDivisionError), transaction.atomic():
            make_user()
            raise ZeroDivisionError
        assert (has_turn(), is_free()) == (True, False)
    assert is_free()
    assert User.objects.count() == 1


def test_turn_comes_back_when_a_transaction_is_undone():
    with suppress(ZeroDivisionError), transaction.atomic():
        make_user()
        raise ZeroDivisionError
    assert is_free()
    with transaction.atomic():
        make_user()
        transaction.set_rollback(True)
    assert is_free()
    assert not User.objects.exists()


def test_what_waits_for_the_commit_runs_without_the_turn():
    seen = []
    with transaction.atomic():
        transaction.on_commit(lambda: seen.append(is_free()))
    assert seen == [True]


@pytest.mark.parametrize("query,taken", [
    ("SELECT has_turn()", 0),
    ("INSERT INTO told VALUES (has_turn())", 1),
    ("  insert or ignore into told values (has_turn())", 1),
    ("UPDATE told SET value = has_turn()", 1),
    ("DELETE FROM told WHERE has_turn()", None),
    ("REPLACE INTO told VALUES (has_turn())", 1),
])  # fmt: skip
def test_statement_of_its_own_has_the_turn_when_it_writes(query, taken):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE told (value integer)")
        cursor.execute("INSERT INTO told VALUES (-1)")
        found = (
            cursor.execute(query).fetchall()
            or cursor.execute("SELECT max(value) FROM told").fetchall()
        )
    assert found == [(taken,)]
    assert is_free()


def test_many_rows_are_written_in_one_turn():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE told (number integer, value integer)")
        cursor.executemany("INSERT INTO told VALUES (%s, has_turn())", [(1,), (2,)])
        assert cursor.execute("SELECT * FROM told").fetchall() == [(1, 1), (2, 1)]
    assert is_free()


def test_turn_comes_back_when_a_statement_fails():
    make_user(email="one@example.org")
    with pytest.raises(IntegrityError):
        make_user(email="one@example.org")
    assert is_free()
    with pytest.raises(IntegrityError), transaction.atomic():
        make_user(email="one@example.org")
    assert is_free()


def test_turn_comes_back_when_the_commit_fails():
    with pytest.raises(IntegrityError), transaction.atomic():
        WarbandEvent.objects.create(warband_id=404, version=1, verb="x", summary="")
    assert is_free()


def test_turn_comes_back_when_another_process_holds_the_file():
    other = sqlite3.connect(str(connection.settings_dict["NAME"]), isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
        with (
            pytest.raises(OperationalError, match="database is locked"),
            transaction.atomic(),
        ):
            pass
        assert is_free()
    finally:
        other.close()


def test_turn_comes_back_when_the_connection_is_closed():
    with suppress(ZeroDivisionError), transaction.atomic():
        connection.close()
        seen = is_free()
        raise ZeroDivisionError
    assert (seen, is_free()) == (True, True)


def test_statements_may_begin_and_commit_by_themselves():
    with connection.cursor() as cursor:
        for begin, end, taken in [
            ("BEGIN IMMEDIATE", "COMMIT", True),
            ("BEGIN EXCLUSIVE", "ROLLBACK", True),
            ("BEGIN", "COMMIT", False),  # it takes no lock before it writes
        ]:
            cursor.execute(begin)
            seen = has_turn()
            cursor.execute(end)
            assert (begin, seen, is_free()) == (begin, taken, True)


def test_one_who_waits_too_long_is_told_that_the_database_is_locked(someone_else):
    with pytest.raises(OperationalError, match="database is locked"), transaction.atomic():
        pass
    with pytest.raises(OperationalError, match="database is locked"):
        make_user()
    assert not User.objects.exists(), "reading needs no turn"
    connection.turns.give(someone_else)
    make_user()
    assert is_free()


def test_threads_take_turns_at_one_file():
    def write(_):
        with transaction.atomic():
            make_user()
            return connection.turns, has_turn()

    assert set(at_once(8, write)) == {(connection.turns, True)}
    assert User.objects.count() == 8
    assert is_free()


def test_transaction_that_began_without_a_turn_does_not_wait_for_one(someone_else):
    """What it has read keeps the other one from committing: each would wait for the other."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        make_user()
        cursor.execute("COMMIT")
    assert User.objects.count() == 1
