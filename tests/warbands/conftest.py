"""A person with a legal warband, her browser, and what is stored of a warband."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from engine.roster import RosterEntry
from tests.factories import make_legal_warband, make_person, make_user, record_of
from warbands.models import Warband, Warrior
from warbands.queries.warbands import sheet_of

HTMX = {"HX-Request": "true"}


@pytest.fixture
def hanna() -> User:
    return make_user(name="Hanna")


@pytest.fixture
def warband(hanna: User) -> Warband:
    return make_legal_warband(actor=make_person(user=hanna), name="Ferrymen")


@pytest.fixture
def owner(hanna: User) -> Client:
    client = Client()
    client.force_login(hanna)
    return client


def url(name: str, warband: Warband, *more: object) -> str:
    return reverse(name, args=[warband.token, *more])


def first(warband: Warband) -> Warrior:
    found = Warrior.objects.filter(warband=warband).order_by("position").first()
    assert found is not None
    return found


def entries(warband: Warband) -> tuple[RosterEntry, ...]:
    return record_of(warband).roster.warriors


def profiles(warband: Warband) -> list[str]:
    return [entry.profile for entry in entries(warband)]


def assert_totals_match(warband: Warband) -> None:
    """What is stored is what the engine says of the stored roster."""
    record = record_of(warband)
    sheet = sheet_of(record)
    stored = (record.points, record.models, record.errors, record.warnings, record.notes)
    assert stored == (sheet.points, sheet.models, sheet.errors, sheet.warnings, sheet.notes)
