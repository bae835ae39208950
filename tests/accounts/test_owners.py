"""Who owns what was made without an account."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.test import Client

from accounts.models import User
from accounts.owner import KEY_LENGTH, NOBODY, Owner
from accounts.requests import SESSION_NAME, owner_for_storing, owner_of
from accounts.signals import owner_claimed

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_() -> HttpRequest:
    request = HttpRequest()
    request.session = SessionStore()
    request.user = AnonymousUser()
    return request


@pytest.fixture
def claims() -> Iterator[list[tuple[str, int]]]:
    """What `owner_claimed` announced."""
    heard: list[tuple[str, int]] = []

    def hear(sender: object, *, key: str, user: Any, **_: object) -> None:
        heard.append((key, user.pk))

    owner_claimed.connect(hear)
    yield heard
    owner_claimed.disconnect(hear)


def with_key(client: Client, key: str) -> None:
    session = client.session
    session[SESSION_NAME] = key
    session.save()


def test_reader_gets_no_session(request_: HttpRequest) -> None:
    assert owner_of(request_) == NOBODY
    assert request_.session.is_empty()
    assert not request_.session.modified


def test_storing_makes_a_key_once(request_: HttpRequest) -> None:
    first = owner_for_storing(request_)
    assert len(first.key) == KEY_LENGTH
    assert owner_for_storing(request_) == first == owner_of(request_)


def test_person_owns_as_a_person(request_: HttpRequest, ada: User) -> None:
    request_.session[SESSION_NAME] = "left-over"
    request_.user = ada
    assert owner_for_storing(request_) == Owner(user_id=ada.pk)


def test_owner_is_never_both() -> None:
    with pytest.raises(ValueError, match="not both"):
        Owner(user_id=1, key="k")


def test_signing_in_claims_once_and_forgets_the_key(client, ada, password, claims):
    with_key(client, "anonymous-key")
    client.post("/accounts/login/", {"login": ada.email, "password": "wrong-password"})
    assert claims == []
    assert client.session[SESSION_NAME] == "anonymous-key"
    client.post("/accounts/login/", {"login": ada.email, "password": password})
    assert claims == [("anonymous-key", ada.pk)]
    assert SESSION_NAME not in client.session


def test_signing_up_claims(client: Client, claims: list[tuple[str, int]]) -> None:
    with_key(client, "anonymous-key")
    client.post(
        "/accounts/signup/",
        {"email": "cleo@example.org", "password1": "lantern-on-the-quay", "name": ""},
    )
    assert claims == [("anonymous-key", User.objects.get().pk)]


def test_signing_in_without_a_key_claims_nothing(client, ada, password, claims):
    client.post("/accounts/login/", {"login": ada.email, "password": password})
    assert claims == []


def test_session_id_changes_when_signing_in(client, ada, password):
    with_key(client, "anonymous-key")
    before = client.session.session_key
    client.post("/accounts/login/", {"login": ada.email, "password": password})
    assert client.session.session_key != before
