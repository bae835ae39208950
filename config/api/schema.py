"""The OpenAPI document: where it is served, and what the generator cannot know by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from accounts.models import Scope
from odds import api_schema
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
    """Adds the questions about dice, closes the roster document, and lists the keys that the rule
    books know.
    """
    add_token_security(result)
    add_examples(result)
    schemas = result["components"]["schemas"]
    schemas |= api_schema.components()
    schemas[WHOLE_SYSTEM] = {"type": "object", "additionalProperties": {}}
    schemas["SideBody"] |= {"minProperties": 1, "maxProperties": 1}
    fields = schemas["RosterDocument"]["properties"]
    systems = [registry.load_base(key) for key in registry.systems()]
    for name in ("RosterDocument", "BattleBody"):
        schemas[name]["properties"]["system"]["enum"] = [system.key for system in systems]
    fields["army"]["enum"] = sorted(
        {key for system in systems for key in registry.armies_of(system.key)}
    )
    fields["scenario"]["enum"] = [
        *dict.fromkeys(key for system in systems for key in system.scenarios),
        None,
    ]
    fields["variant"]["enum"] = [key for system in systems for key in system.variant_keys] + [None]
    for name in ("variant", "points_limit", "scenario"):
        fields[name]["default"] = None
    schemas["WarriorDocument"]["properties"]["options"]["default"] = []
    tags = [tag.key for system in systems for tag in system.tags]
    fields["tags"] |= {
        "default": [],
        "items": {"type": "string", "enum": list(dict.fromkeys(tags))},
    }
    rules = [rule.key for system in systems for rule in system.house_rules]
    fields["house_rules"] |= {
        "properties": {rule: {"type": "boolean"} for rule in dict.fromkeys(rules)},
        "additionalProperties": False,
        "default": {},
    }
    return result


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
