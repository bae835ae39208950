"""What the OpenAPI document promises stays: addresses, methods, parameters, keys, types, limits and
status codes.

`tests/vectors/openapi.json` is the document with every component put where it is used, so that a
component may be renamed, split or shared, and without words for people (summaries, descriptions,
examples) and names for generators (operation ids, tags, discriminators). A change that is meant is
recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/api/test_document_snapshot.py
"""

from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from tests.vectors.recorded import check_recorded

pytestmark = pytest.mark.one_database

SCHEMA = "/api/v1/schema/"
METHODS = ("get", "post", "put", "patch", "delete")
OPERATIONS_AT_LEAST = 35
WORDS = {
    "description", "deprecated", "discriminator", "example", "examples", "externalDocs",
    "operationId", "readOnly", "summary", "tags", "title", "writeOnly",
}  # fmt: skip
"""What is for people and generators, not for callers."""
NAMED = {"properties", "patternProperties", "responses", "headers", "content"}
"""Objects whose keys are names of the API's own, not of OpenAPI."""
UNORDERED = {
    "required", "enum", "oneOf", "anyOf", "allOf", "type", "security", "parameters",
}  # fmt: skip


class Document:
    """The document with its references followed."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data

    def normal(self) -> dict[str, Any]:
        """By address and method: what may be sent and what is answered."""
        found: dict[str, Any] = {}
        for address, item in self.data["paths"].items():
            shared = item.get("parameters", [])
            for method in METHODS:
                if method in item:
                    call = {**item[method]}
                    call["parameters"] = [*shared, *call.get("parameters", [])]
                    found[f"{method.upper()} {address}"] = self._value(call)
        return found

    def _value(self, value: Any, above: tuple[str, ...] = ()) -> Any:
        if isinstance(value, list):
            return [self._value(one, above) for one in value]
        return self._object(value, above) if isinstance(value, dict) else value

    def _object(self, value: dict[str, Any], above: tuple[str, ...]) -> Any:
        if "$ref" in value:
            return self._referred(value, above)
        kept = {key: one for key, one in value.items() if self._is_kept(key, one)}
        found = {key: self._member(key, one, above) for key, one in kept.items()}
        return _flat(found)

    def _referred(self, value: dict[str, Any], above: tuple[str, ...]) -> Any:
        """What a reference leads to, with what stands beside it; one that leads into itself ends."""
        address = value["$ref"]
        if address in above:
            return {"itself": len(above) - above.index(address)}
        target: Any = self.data
        for part in address.removeprefix("#/").split("/"):
            target = target[part]
        beside = {key: one for key, one in value.items() if key != "$ref"}
        return self._object({**target, **beside}, (*above, address))

    def _is_kept(self, key: str, value: Any) -> bool:
        is_open = key == "additionalProperties" and value in ({}, True)
        return key not in WORDS and not key.startswith("x-") and not is_open

    def _member(self, key: str, value: Any, above: tuple[str, ...]) -> Any:
        if key in NAMED and isinstance(value, dict):
            return {name: self._value(one, above) for name, one in value.items()}
        found = self._value(value, above)
        if key in UNORDERED and isinstance(found, list):
            return sorted(found, key=_order)
        return found


def _flat(schema: dict[str, Any]) -> dict[str, Any]:
    """One schema within allOf is the schema itself; one value in an enumeration stays one."""
    (*others,) = schema.get("allOf", ())
    if len(others) != 1 or not isinstance(others[0], dict):
        return schema
    return {**others[0], **{key: one for key, one in schema.items() if key != "allOf"}}


def _order(value: Any) -> str:
    if isinstance(value, dict) and "name" in value and "in" in value:
        return f"{value['in']} {value['name']}"
    return repr(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


@pytest.mark.django_db
def test_document_promises_what_it_promised(client: Client) -> None:
    answer = client.get(SCHEMA)
    assert answer.status_code == 200
    found = Document(answer.json()).normal()
    assert len(found) >= OPERATIONS_AT_LEAST
    check_recorded("openapi.json", found)


def test_names_of_components_change_nothing() -> None:
    old = {
        "components": {
            "schemas": {"A": {"type": "object", "title": "A", "description": "x"}}
        }
    }
    new = {"components": {"schemas": {"B": {"type": "object"}}}}
    bodies = (
        {"schema": {"$ref": "#/components/schemas/A"}},
        {"schema": {"type": "object"}},
    )
    alike = {"schema": {"allOf": [{"$ref": "#/components/schemas/B"}], "description": "y"}}
    paths = [
        {"paths": {"/x/": {"get": {"responses": {"200": body}}}}}
        for body in (*bodies, alike)
    ]
    first, second = (
        Document({**old, **paths[0]}).normal(),
        Document({**old, **paths[1]}).normal(),
    )
    assert first == second == Document({**new, **paths[2]}).normal()
    kept = {"schema": {"type": "object", "properties": {"title": {"type": "string"}}}}
    other = {"paths": {"/x/": {"get": {"responses": {"200": kept}}}}}
    assert Document(other).normal() != first
