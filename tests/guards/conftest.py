"""The world the guards walk through: made once in each process, laid out for each file and cleared
away after it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.test import override_settings

from tests.conftest import is_postgres
from tests.guards.cast import World, build_world
from tests.guards.forms import Form, forms_of


@dataclass(slots=True)
class Kept:
    """What was made once: the world, its rows as a copy of the whole database, the forms found in
    it.
    """

    world: World | None = None
    rows: sqlite3.Connection | None = None
    forms: dict[str, Form] = field(default_factory=dict)

    def lay_out(self) -> World:
        """The world and its rows, in place of whatever lies in the SQLite database."""
        if self.world is None or self.rows is None:
            self.world, self.rows = build_world(), copied()
        else:
            put_back(self.rows)
        return self.world


def copied() -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:")
    connection.ensure_connection()
    connection.connection.backup(copy)
    return copy


def put_back(copy: sqlite3.Connection) -> None:
    connection.ensure_connection()
    copy.backup(connection.connection)
    ContentType.objects.clear_cache()


@contextmanager
def laid_out(kept: Kept) -> Iterator[World]:
    """The world until the block ends, and then what was there before."""
    if is_postgres():
        with transaction.atomic():
            yield build_world()
            transaction.set_rollback(True)
        return
    before = copied()
    yield kept.lay_out()
    put_back(before)


@pytest.fixture(scope="session")
def kept() -> Kept:
    return Kept()


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, kept) -> Iterator[World]:
    """The cast and their objects. A test's own changes are rolled back to this."""
    # A long walk must not be asked for the password in its midst.
    is_patient = override_settings(ACCOUNT_REAUTHENTICATION_TIMEOUT=86_400)
    with is_patient, django_db_blocker.unblock(), laid_out(kept) as world:
        yield world


@pytest.fixture(scope="module")
def found(world: World, kept: Kept) -> dict[str, Form]:
    """Every form there is to send, by its route and method."""
    kept.forms = kept.forms or forms_of(world)
    return kept.forms


@pytest.fixture
def open_world(transactional_db: None, kept: Kept) -> World:
    """The cast and their objects where the server of the test sees them."""
    return kept.lay_out()
