"""Calling the API as a program does: JSON in, JSON out, no cookie."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from accounts.api_tokens.operations import make_token
from accounts.models import Scope
from accounts.owner import Owner
from config.api.base import PerAddress
from tests.api import growth_programs, refusals
from tests.api.battles import BATTLES, SETUP, Ask
from tests.campaigns.growing import Campaign, make_growing
from tests.rulebooks import load_books

CHECK, SHEET = "/api/v1/check/", "/api/v1/sheet/"
API = "/api/v1/"
Post = Callable[..., Any]
Call = Callable[..., Any]


def document(*warriors: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A roster document of the Empire with these entries."""
    return {
        "format": "muster-roll/1",
        "system": "warhammer-skirmish",
        "army": "the-empire",
        "warriors": list(warriors),
        **fields,
    }


def warrior(profile: str, *options: str, **fields: Any) -> dict[str, Any]:
    return {"profile": profile, "options": list(options), **fields}


def is_refusal(answer: Any) -> bool:
    """A 4xx of the one shape: a sentence, and a list of fields with their messages."""
    if not 400 <= answer.status_code < 500 or not answer.headers["Content-Type"].startswith(
        "application/json"
    ):
        return False
    body = answer.json()
    return (
        list(body) == ["detail", "errors", "code"]
        and bool(body["code"])
        and isinstance(body["detail"], str)
        and bool(body["detail"])
        and bool(body["errors"])
        and all(list(e) == ["field", "message"] and e["message"] for e in body["errors"])
    )


@pytest.fixture
def program() -> Client:
    """A caller without cookies whose every CSRF fault would show, and that sees a 500 as a 500."""
    return Client(enforce_csrf_checks=True, raise_request_exception=False)


@pytest.fixture
def post(program: Client) -> Post:
    """Posts a document, or a body as it is."""

    def send(
        body: Any,
        address: str = CHECK,
        content_type: str = "application/json",
        **extra: Any,
    ) -> Any:
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        return program.post(address, data, content_type=content_type, **extra)

    return send


@pytest.fixture
def check(post: Post) -> Callable[..., dict[str, Any]]:
    """What `check/` says of entries of an army (or of a whole document)."""

    def ask(*warriors: dict[str, Any], **fields: Any) -> dict[str, Any]:
        answer = post(document(*warriors, **fields))
        assert answer.status_code == 200, answer.content
        body: dict[str, Any] = answer.json()
        return body

    return ask


@pytest.fixture
def rate(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the rate for one test: ``rate("3/min")``."""

    def allow(words: str) -> None:
        monkeypatch.setattr(PerAddress, "THROTTLE_RATES", {"address": words})

    return allow


@pytest.fixture(scope="module")
def loaded_books(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The rule books in the database for one file of tests; nothing of it is left afterwards."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_books()
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def world(loaded_books: None, django_db_blocker: Any) -> Iterator[refusals.World]:
    """What faulty calls are about, for one file of tests: each call is taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield refusals.make_world()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def growing(django_db_setup: None, django_db_blocker: Any) -> Iterator[Campaign]:
    """A growing campaign of Ada and Ben for one file of tests."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_growing(players=2)
        transaction.set_rollback(True)


@pytest.fixture
def programs(growing, db, caller) -> growth_programs.Programs:
    return growth_programs.make_programs(copy.deepcopy(growing), caller)


@pytest.fixture
def ask(program: Client) -> Ask:
    """Posts to a part of a battle's address with its key, and answers the JSON of a success."""

    def send(
        battle: dict[str, Any],
        part: str,
        body: dict[str, Any],
        status: int = 200,
        **headers: str,
    ) -> Any:
        headers = headers or {"X-Battle-Key": battle["key"]}
        answer = program.post(
            f"{BATTLES}{battle['id']}/{part}",
            json.dumps(body),
            content_type="application/json",
            headers=headers,
        )
        assert answer.status_code == status, answer.content
        assert status < 400 or is_refusal(answer), answer.content
        return answer.json()

    return send


@pytest.fixture
def battle(post: Any) -> dict[str, Any]:
    """A battle that was set up: its id, its key and its sides."""
    answer = post(SETUP, BATTLES)
    assert answer.status_code == 201, answer.content
    body: dict[str, Any] = answer.json()
    return body


@pytest.fixture
def caller(program: Client) -> Callable[[Owner], Call]:
    """How somebody's program calls: a method, an address and a body; a version to match where it
    has one.
    """

    def of(actor: Owner) -> Call:
        text = make_token(actor.user_id or 0, name="-", scopes=Scope.values).text

        def call(
            method: str, address: str, body: Any = None, status: int = 200, **headers: str
        ) -> Any:
            sent = {
                "Authorization": f"Bearer {text}",
                **{k.replace("_", "-"): v for k, v in headers.items()},
            }
            data = "" if body is None else json.dumps(body)
            answer = program.generic(
                method, f"{API}{address}", data, "application/json", headers=sent
            )
            assert answer.status_code == status, answer.content
            assert not 400 <= status < 500 or is_refusal(answer), answer.content
            return answer

        return call

    return of
