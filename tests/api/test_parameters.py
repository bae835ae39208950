"""What the document says of the parameters of every operation is what each takes and needs."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from accounts.models import Scope
from config.api.schema import EXAMPLES
from tests.api.conftest import is_refusal
from tests.api.operations import OPERATIONS, SCHEMA
from tests.api.refusals import bearer
from tests.factories import make_person

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NAMES = {"key": "chess", "slug": "none", "number": "1", "member": "1", "rules": "none"}
Operation = tuple[str, str, Mapping[str, Any]]


@pytest.fixture
def operations(program: Client) -> list[Operation]:
    """Every operation with an address of its own: what is there does not matter."""
    made = []
    for path, methods in program.get(SCHEMA).json()["paths"].items():
        for method, operation in methods.items():
            address = path
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path":
                    name, schema = parameter["name"], parameter["schema"]
                    choices = schema.get("enum", [NAMES.get(name, "x" * 16)])
                    address = address.replace(f"{{{name}}}", choices[0])
            made.append((method.upper(), address, operation))
    assert len(made) == len(OPERATIONS)
    return made


@pytest.fixture
def headers() -> dict[str, str]:
    return bearer(make_person(), Scope.values)


def test_every_operation_refuses_an_unknown_parameter(program, operations, headers):
    sent = {**headers, "If-Match": "*"}
    for method, address, _ in operations:
        answer = program.generic(method, f"{address}?pages=2", headers=sent)
        assert answer.status_code == 400, (method, address)
        assert is_refusal(answer)
        (error,) = answer.json()["errors"]
        assert error["field"] == "pages", address
        assert answer.json()["detail"].startswith("pages: is not a parameter here")


def test_refusal_of_unknown_parameters_lists_the_known_ones_and_ends(program):
    first = program.get("/api/v1/armies/?system=&page=1&army=x&pages=2").json()
    fields = {error["field"]: error["message"] for error in first["errors"]}
    assert list(fields) == ["army", "pages"]
    assert "system, page, page_size" in fields["army"]
    for count, most in ((20, 20), (21, 20)):
        query = "&".join(f"x{number}=" for number in range(count))
        assert len(program.get(f"/api/v1/site/?{query}").json()["errors"]) == most


def test_if_match_is_required_where_the_document_says_so(program, operations, headers):
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    needed, required = set(), set()
    for method, address, operation in operations:
        name = operation["operationId"]
        if any(
            p["name"] == "If-Match" and p.get("required")
            for p in operation.get("parameters", ())
        ):
            required.add(name)
        if method != "GET":
            body = json.dumps(examples[name]) if "requestBody" in operation else ""
            answer = program.generic(
                method, address, body, "application/json", headers=headers
            )
            if answer.status_code == 428:
                needed.add(name)
    assert needed == required
    assert len(required) > 15
