"""The cast: Ada has an account, Ben another one; a visitor has none."""

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from accounts.models import User

PASSWORD = "halberd-and-lantern"


def person(email: str, name: str) -> User:
    user = User.objects.create_user(email, PASSWORD, name=name)
    EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)
    return user


@pytest.fixture
def ada(db: None) -> User:
    return person("ada@example.org", "Ada")


@pytest.fixture
def ben(db: None) -> User:
    return person("ben@example.org", "Ben")


@pytest.fixture
def as_ada(ada: User) -> Client:
    """A browser in which Ada has just typed her password."""
    client = Client()
    client.post("/accounts/login/", {"login": ada.email, "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


@pytest.fixture
def password() -> str:
    return PASSWORD
