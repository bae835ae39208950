"""Every refusal has a code for programs, which the document and docs/api.md list."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.api_tokens.operations import make_token
from config.api.errors import CODES, STATUSES
from tests.api.conftest import CHECK, SHEET, document, is_refusal
from tests.api.operations import SCHEMA
from tests.factories import make_legal_warband, make_person

pytestmark = pytest.mark.django_db


def code_of(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.content
    assert is_refusal(answer), answer.content
    code: str = answer.json()["code"]
    return code


def test_codes_of_what_never_reaches_an_operation(program, post, rate):
    assert code_of(post({}), 400) == "invalid"
    assert code_of(post("{"), 400) == "invalid"
    assert code_of(program.get("/api/v1/warbands/"), 401) == "unauthenticated"
    assert code_of(program.get("/api/v1/nothing/"), 404) == "not_found"
    assert code_of(program.get(f"/api/v1/systems/{'x' * 8200}/"), 414) == "too_large"
    assert code_of(program.get("/api/v1/systems/chess/"), 404) == "not_found"
    assert code_of(program.get(CHECK), 405) == "method_not_allowed"
    assert code_of(post('{"name": "' + "x" * 1_100_000 + '"}'), 413) == "too_large"
    assert code_of(post("{}", content_type="text/plain"), 415) == "not_json"
    rate("1/min")
    post(document(), SHEET)
    assert code_of(post(document(), SHEET), 429) == "rate_limited"


def test_codes_of_what_an_operation_refuses(caller: Any, program: Client) -> None:
    ada = make_person()
    call, address = caller(ada), f"warbands/{make_legal_warband(actor=ada).token}/"

    def code(*sent: Any, status: int, **headers: str) -> str:
        return code_of(call(*sent, status=status, **headers), status)

    name = {"name": "The Ferrymen"}
    assert code("PATCH", address, name, status=428) == "version_missing"
    assert code("PATCH", address, name, status=412, If_Match='"99"') == "stale"
    assert code("PATCH", address, {"name": 1}, status=400, If_Match="*") == "invalid"
    other = caller(make_person())
    assert code_of(other("GET", address, status=404), 404) == "not_found"
    call("POST", "clubs/", {"name": "The Quay"}, status=201, Idempotency_Key="k")
    again = call("POST", "clubs/", {"name": "Other"}, status=422, Idempotency_Key="k")
    assert code_of(again, 422) == "key_reused"
    token = make_token(ada.user_id or 0, name="-", scopes=()).text
    reader = {"Authorization": f"Bearer {token}", "If-Match": "*"}
    answer = program.delete(f"/api/v1/{address}", headers=reader)
    assert code_of(answer, 403) == "forbidden"


def test_step_that_somebody_was_first_to_take_is_stale_beside_a_conflict(ask, battle):
    body = {"winner": "a", "how": "conceded", "number": 5}
    assert ask(battle, "result/propose/", body, 409)["code"] == "stale"
    assert ask(battle, "result/confirm/", {"side": "a"}, 409)["code"] == "conflict"


def test_every_refusal_that_the_document_knows_has_a_code(program: Client) -> None:
    schema = program.get(SCHEMA).json()
    answers = [
        (int(status), answer)
        for methods in schema["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if status >= "300"
    ]
    assert len(answers) > 400
    assert {status for status, _ in answers} <= CODES.keys()
    refusal = schema["components"]["schemas"]["RefusalAnswer"]
    assert refusal["required"] == ["code", "detail", "errors"]
    listed = re.findall(r"[a-z_]+", refusal["properties"]["code"]["description"])
    codes = {*CODES.values(), *(code for _, _, code in STATUSES)}
    assert codes <= set(listed)


def test_documentation_lists_every_code(project_root: Path) -> None:
    text = (project_root / "docs" / "api.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `([a-z_]+)` \| ([0-9, ]+) \|", text, re.MULTILINE))
    statuses: dict[str, set[int]] = {}
    for status, code in [*CODES.items(), *((s, c) for _, s, c in STATUSES)]:
        statuses.setdefault(code, set()).add(status)
    assert {c: {int(s) for s in t.split(",")} for c, t in table.items()} == statuses
