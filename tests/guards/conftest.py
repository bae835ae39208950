"""The world the guards walk through: made once for each file, in a transaction that is rolled back after it."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker

from tests.guards.cast import World, build_world
from tests.guards.forms import Form, forms_of


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """The cast and their objects. A test's own changes are rolled back to this."""
    # A long walk must not be asked for the password in its midst.
    with override_settings(ACCOUNT_REAUTHENTICATION_TIMEOUT=86_400), django_db_blocker.unblock(), transaction.atomic():
        yield build_world()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def found(world: World) -> dict[str, Form]:
    """Every form there is to send, by its route and method."""
    return forms_of(world)
