"""The OpenAPI document: where it is served, and what the generator cannot know by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

import odds.api
from accounts.models import Scope
from engine.types.systems import System
from rulesdata import registry
from rulesdata.api import WHOLE_SYSTEM

EXAMPLES = Path(__file__).with_name("examples.json")


class JsonUnlessYamlIsAsked(DefaultContentNegotiation):
    """The stock choice, with JSON (which a YAML reader reads too) for whoever asks for anything
    else.
    """

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            found: tuple[BaseRenderer, str] = super().select_renderer(
                request, renderers, format_suffix
            )
        except NotAcceptable:
            found = (renderers[0], str(renderers[0].media_type))
        return found


@extend_schema(exclude=True)
class SchemaView(SpectacularAPIView):
    """The document, JSON by default."""

    renderer_classes = [OpenApiJsonRenderer, OpenApiYamlRenderer]
    content_negotiation_class = JsonUnlessYamlIsAsked


def complete_document(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the questions about dice and the keys that the rule books know."""
    add_token_security(result)
    add_examples(result)
    schemas = result["components"]["schemas"]
    schemas |= odds.api.components()
    schemas[WHOLE_SYSTEM] = {"type": "object", "additionalProperties": {}}
    schemas["SideBody"] |= {"minProperties": 1, "maxProperties": 1}
    systems = [registry.load_base(key) for key in registry.systems()]
    for name in ("RosterDocument", "BattleBody"):
        schemas[name]["properties"]["system"]["enum"] = [system.key for system in systems]
    list_known_keys(schemas["RosterDocument"]["properties"], systems)
    schemas["WarriorDocument"]["properties"]["options"]["default"] = []
    return result


def list_known_keys(fields: dict[str, Any], systems: Sequence[System]) -> None:
    """Write the keys of the rule books, and what may be left out, into the fields of a roster."""
    armies = {key for system in systems for key in registry.armies_of(system.key)}
    fields["army"]["enum"] = sorted(armies)
    fields["scenario"]["enum"] = [*_each(system.scenarios for system in systems), None]
    fields["variant"]["enum"] = [*_each(system.variant_keys for system in systems), None]
    for name in ("variant", "points_limit", "scenario"):
        fields[name]["default"] = None
    tags = _each((tag.key for tag in system.tags) for system in systems)
    fields["tags"] |= {"default": [], "items": {"type": "string", "enum": tags}}
    rules = _each((rule.key for rule in system.house_rules) for system in systems)
    fields["house_rules"] |= {
        "properties": {rule: {"type": "boolean"} for rule in rules},
        "additionalProperties": False,
        "default": {},
    }


def _each(lists: Iterable[Iterable[str]]) -> list[str]:
    """Return every key once, in the order of the lists."""
    return list(dict.fromkeys(chain.from_iterable(lists)))


def add_examples(result: dict[str, Any]) -> None:
    """Show what each operation is sent, or answers where nothing is sent, by its id."""
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    for methods in result["paths"].values():
        for operation in methods.values():
            shown = operation.get("requestBody") or operation["responses"]["200"]
            shown["content"]["application/json"]["example"] = examples[operation["operationId"]]


def add_token_security(result: dict[str, Any]) -> None:
    """Say that every operation takes a token and may do without one."""
    scopes = ", ".join(Scope.values)
    about = (
        "Somebody's token. It reads what that person may read, and changes what its scopes "
        f"name: {scopes}."
    )
    result["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": about}
    }
    for methods in result["paths"].values():
        for operation in methods.values():
            operation["security"] = [{"token": []}, {}]
