"""Hanna and her club."""

import pytest
from django.test import Client

from accounts.models import Club, User
from tests.factories import make_club, make_person, make_user


@pytest.fixture
def hanna(db: None) -> User:
    return make_user(name="Hanna")


@pytest.fixture
def as_hanna(hanna: User) -> Client:
    client = Client()
    client.force_login(hanna)
    return client


@pytest.fixture
def club(hanna: User) -> Club:
    return make_club(owner=make_person(user=hanna), name="River Club")
