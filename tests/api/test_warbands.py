"""A person's warbands for programs: list, add, read, replace with the version that was read."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.api_tokens.operations import make_token
from accounts.models import Scope
from tests.api.conftest import document, is_refusal, warrior
from tests.factories import make_legal_warband, make_person, make_user, make_warband
from warbands.models import Warband

pytestmark = pytest.mark.django_db

WARBANDS = "/api/v1/warbands/"
ROSTER = document(
    warrior("captain", "halberd", leader=True),
    warrior("halberdiers", count=4),
    name="River patrol",
)


@pytest.fixture
def bearer() -> dict[str, str]:
    return {
        "Authorization": f"Bearer {make_token(make_user().pk, name='-', scopes=Scope.values).text}"
    }


def sent(
    program: Client,
    method: str,
    address: str,
    body: Any,
    status: int,
    headers: dict[str, str],
) -> Any:
    answer = program.generic(
        method, address, json.dumps(body), "application/json", headers=headers
    )
    assert answer.status_code == status, answer.content
    assert status < 400 or is_refusal(answer)
    return answer


def test_added_read_and_replaced(program: Client, bearer: dict[str, str]) -> None:
    made = sent(program, "POST", WARBANDS, ROSTER, 201, {**bearer, "Idempotency-Key": "k"})
    again = sent(program, "POST", WARBANDS, ROSTER, 201, {**bearer, "Idempotency-Key": "k"})
    assert made.json() == again.json()
    address = f"{WARBANDS}{made.json()['id']}/"
    read = program.get(address, headers=bearer)
    assert read.headers["ETag"] == made.headers["ETag"] == '"1"'
    told = read.json()
    assert (told["is_mine"], told["visibility"], told["roster"]["name"]) == (
        True,
        "private",
        "River patrol",
    )
    assert told["check"]["points"] == Warband.objects.get().points
    new = {
        **told["roster"],
        "name": "Night patrol",
        "warriors": told["roster"]["warriors"][:1],
    }
    sent(program, "PUT", address, new, 428, bearer)
    replaced = sent(program, "PUT", address, new, 200, {**bearer, "If-Match": '"1"'})
    assert replaced.headers["ETag"] == '"2"'
    sent(program, "PUT", address, ROSTER, 412, {**bearer, "If-Match": '"1"'})
    rows = program.get(WARBANDS, headers=bearer).json()["results"]
    assert [(row["name"], row["models"]) for row in rows] == [("Night patrol", 1)]
    assert program.get(f"{WARBANDS}?archived=1", headers=bearer).json()["results"] == []


@pytest.mark.parametrize(
    "body",
    [{}, {**ROSTER, "extra": 1}, {**ROSTER, "army": "mill"}, {**ROSTER, "warriors": [1]}],
)
def test_what_is_no_roster_is_refused_and_makes_nothing(
    program: Client, bearer: dict[str, str], body: dict[str, Any]
) -> None:
    sent(program, "POST", WARBANDS, body, 400, bearer)
    assert not Warband.objects.exists()


def test_anothers_is_read_where_it_is_shared_and_never_changed(
    program: Client, bearer: dict[str, str]
) -> None:
    other = make_person()
    shared, hidden = (
        make_legal_warband(actor=other, visibility="link"),
        make_warband(actor=other),
    )
    assert program.get(f"{WARBANDS}{shared.token}/").json()["is_mine"] is False
    assert program.get(f"{WARBANDS}{hidden.token}/", headers=bearer).status_code == 404
    for warband in (shared, hidden):
        sent(
            program,
            "PUT",
            f"{WARBANDS}{warband.token}/",
            ROSTER,
            404,
            {**bearer, "If-Match": "*"},
        )
    assert program.get(WARBANDS).status_code == 401
