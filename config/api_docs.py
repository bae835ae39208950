"""The readable page of the API, drawn from its own OpenAPI document so that the two cannot disagree."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

EXAMPLE: dict[str, Any] = {
    "format": "muster-roll/1",
    "system": "warhammer-skirmish",
    "variant": None,
    "army": "the-empire",
    "name": "River patrol",
    "points_limit": 150,
    "scenario": None,
    "house_rules": {},
    "warriors": [
        {
            "profile": "captain",
            "name": "Ostwin Brandt",
            "count": 1,
            "leader": True,
            "options": ["light-armour", "halberd"],
        },
        {"profile": "halberdiers", "count": 1, "options": ["champion", "shields"]},
        {"profile": "halberdiers", "count": 6, "options": ["shields"]},
        {"profile": "archers", "count": 4},
    ],
}


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a key of a body or an answer. ``depth`` is how far in it is nested."""

    name: str
    type: str
    note: str
    is_required: bool
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Operation:
    """One address and method, as the page prints it."""

    method: str
    path: str
    summary: str
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    answer: tuple[Field, ...]
    anchor: str


@require_safe
def read_api(request: HttpRequest) -> HttpResponse:
    """The page."""
    context = {
        "operations": operations(),
        "example": json.dumps(EXAMPLE, indent=2),
        "rate": settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]["address"].replace("/min", " calls a minute"),
        "site_url": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "api/docs.html", context)


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation of the document, in its own order."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(public=True)
    found = []
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            found.append(_operation(path, method, operation, schema))
    return tuple(found)


def _operation(path: str, method: str, operation: dict[str, Any], schema: dict[str, Any]) -> Operation:
    body = operation.get("requestBody", {}).get("content", {})
    answer = operation["responses"].get("200", {}).get("content", {})
    return Operation(
        method=method.upper(),
        path=path,
        summary=operation.get("description", ""),
        parameters=tuple(_parameter(p) for p in operation.get("parameters", ())),
        body=_fields(next(iter(body.values()), {}).get("schema", {}), schema),
        answer=_fields(next(iter(answer.values()), {}).get("schema", {}), schema),
        anchor=operation["operationId"],
    )


def _parameter(parameter: dict[str, Any]) -> Field:
    schema = parameter["schema"]
    kind = " or ".join(map(str, schema["enum"])) if "enum" in schema else schema.get("type", "")
    return Field(parameter["name"], kind, parameter.get("description", ""), parameter.get("required", False))


def _fields(part: dict[str, Any], schema: dict[str, Any], depth: int = 0) -> tuple[Field, ...]:
    part = _resolved(part, schema)
    if part.get("type") == "array":
        return _fields(part["items"], schema, depth)
    required = part.get("required", ())
    found: list[Field] = []
    for name, raw in part.get("properties", {}).items():
        inner = _resolved(raw, schema)
        found.append(Field(name, _type(inner, schema), _note(inner), name in required, depth))
        if depth < 3:
            found.extend(_fields(inner, schema, depth + 1))
    return tuple(found)


def _resolved(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "allOf" in part and len(part["allOf"]) == 1:
        part = {**part["allOf"][0], **{k: v for k, v in part.items() if k != "allOf"}}
    if "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[-1]
        return {**schema["components"]["schemas"][name], **{k: v for k, v in part.items() if k != "$ref"}}
    return part


def _type(part: dict[str, Any], schema: dict[str, Any]) -> str:
    kind = part.get("type", "any")
    if "enum" in part:
        return " or ".join(str(value) for value in part["enum"])
    if kind == "array":
        return f"list of {_type(_resolved(part['items'], schema), schema)}"
    return {"integer": "whole number", "boolean": "true or false", "string": "text"}.get(kind, kind) + (
        " or null" if part.get("nullable") else ""
    )


def _note(part: dict[str, Any]) -> str:
    limits = []
    if "minimum" in part or "maximum" in part:
        limits.append(f"{part.get('minimum', 'any')} to {part.get('maximum', 'any')}")
    if "maxLength" in part:
        limits.append(f"at most {part['maxLength']} letters")
    if "maxItems" in part:
        limits.append(f"at most {part['maxItems']}")
    return " ".join([part.get("description", ""), *limits]).strip()
