"""The OpenAPI document: where it is served, and what the generator cannot know by itself."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import re2
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

import battles.api
from accounts.models import Scope
from clubs.api.own_lists import OWN_LIST
from config.api.errors import CODES
from engine.battles.types import KINDS
from engine.records import JsonObject, TextByKey
from engine.types.systems import System
from odds import api as odds
from rulesdata import registry
from rulesdata.api.catalogue import WHOLE_SYSTEM
from rulesdata.queries.lookup import all_systems

EXAMPLES = Path(__file__).with_name("examples.json")
PAYLOADS = Path(battles.api.__file__).with_name("payloads.json")
SENT_EVENT, NO_VALUE = "EventToRecord", "NoValue"
NAMES = {
    "BattleSystem": "SystemKey",
    "RosterVariant": "VariantKey",
    "RosterArmy": "ArmyKey",
    "RosterScenario": "ScenarioKey",
    "RosterTags": "TagKey",
    "CombatResultSideAStandard": "ZeroOrOne",
    "CombatResultSideA": "CombatResultSide",
    "ProfileChampion": "ProfilePart",
}
"""Names of shapes that stand in several components, by the first place where they stand."""
_ENDING = re2.compile("(Answer|Body|Document|Inputs)$")
_OF_THE_SHAPE = ("type", "enum", "properties", "required", "additionalProperties")


class JsonUnlessYamlIsAsked(DefaultContentNegotiation):
    """The stock choice, with JSON (which a YAML reader reads too) for whoever asks for anything
    else.
    """

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        with suppress(NotAcceptable):
            return super().select_renderer(request, renderers, format_suffix)
        return renderers[0], str(renderers[0].media_type)


@cache
def document() -> JsonObject:
    """The OpenAPI document of this release."""
    schema: JsonObject = SchemaGenerator().get_schema(public=True)
    return schema


@extend_schema(exclude=True)
class SchemaView(SpectacularAPIView):
    """The document, JSON by default."""

    renderer_classes = [OpenApiJsonRenderer, OpenApiYamlRenderer]
    content_negotiation_class = JsonUnlessYamlIsAsked

    def _get_schema_response(self, request: Request) -> Response:
        """The stock view works the document out anew for each request."""
        headers = {
            "Content-Disposition": f'inline; filename="{self._get_filename(request, None)}"'
        }
        return Response(document(), headers=headers)


def complete_document(result: JsonObject, **_: Any) -> JsonObject:
    """Add the questions about dice and the keys that the rule books know."""
    scopes = ", ".join(Scope.values)
    description = (
        "A token of a person. It reads what that person can see, and changes what its scopes "
        f"allow: {scopes}."
    )
    result["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": description}
    }
    for methods in result["paths"].values():
        for operation in methods.values():
            operation["security"] = [{"token": []}, {}]
    add_examples(result)
    schemas = result["components"]["schemas"]
    schemas |= odds.components()
    for name in (WHOLE_SYSTEM, OWN_LIST):
        schemas[name] = {"type": "object", "additionalProperties": {}}
    schemas["SideBody"] |= {"minProperties": 1, "maxProperties": 1}
    systems = all_systems()
    codes = ", ".join(dict.fromkeys(CODES.values()))
    refusal = schemas["RefusalAnswer"]["properties"]
    refusal["code"]["description"] = f"One of {codes}. Others may be added."
    for name in ("RosterDocument", "BattleBody"):
        schemas[name]["properties"]["system"]["enum"] = [system.key for system in systems]
    list_known_keys(schemas["RosterDocument"]["properties"], systems)
    schemas["WarriorDocument"]["properties"]["options"]["default"] = []
    split_events(schemas)
    InnerShapes(schemas).name_all()
    return result


def split_events(schemas: JsonObject) -> None:
    """Put a component for each kind, with its payload, in the place of an event of any kind."""
    schemas |= json.loads(PAYLOADS.read_text(encoding="utf-8"))
    stored = schemas["StoredEventAnswer"]
    received = ("position", "author")
    sent = {
        **stored,
        "description": "An event to record.",
        "properties": {k: v for k, v in stored["properties"].items() if k not in received},
        "required": [key for key in stored["required"] if key not in received],
        "additionalProperties": False,
    }
    schemas |= {
        f"{kind.capitalize()}Kind": {"type": "string", "enum": [kind]} for kind in KINDS
    }
    for name, before, shape in (
        ("StoredEventAnswer", "Stored", stored),
        (SENT_EVENT, "", sent),
    ):
        names = {kind: f"{before}{kind.capitalize()}Event" for kind in KINDS}
        for kind, component in names.items():
            place = f"#/components/schemas/{kind.capitalize()}"
            references = {
                "kind": {"$ref": f"{place}Kind"},
                "payload": {"$ref": f"{place}Payload"},
            }
            properties = {**shape["properties"], **references}
            schemas[component] = {**shape, "properties": properties}
        schemas[name] = odds.one_of(names, "kind")


class InnerShapes:
    """Gives each enumeration and each object within a component a component of its own.

    A generator of clients would number the classes that it makes of shapes without a name. Shapes
    that are alike share one name, the first one's.
    """

    def __init__(self, schemas: JsonObject) -> None:
        self.schemas = schemas
        self.names: TextByKey = {}

    def name_all(self) -> None:
        """Replace what stands within the components by references."""
        for name in list(self.schemas):
            self.schemas[name] = self.replace_parts(
                self.schemas[name], _ENDING.sub("", name)
            )
        # OpenAPI 3.0 has no type of null, and allows nullable only beside a type: beside a reference
        # generators overlook it.
        self.schemas[NO_VALUE] = {"type": "string", "nullable": True, "enum": [None]}

    def replace_parts(self, shape: JsonObject, name: str) -> JsonObject:
        """Return the shape with references to what stood within it."""
        copy = {**shape}
        for key in ("items", "additionalProperties"):
            if isinstance(shape.get(key), dict):
                copy[key] = self.refer(shape[key], name)
        for key in ("oneOf", "allOf"):
            if key in shape:
                copy[key] = [self.refer(form, name) for form in shape[key]]
        if "properties" in shape:
            copy["properties"] = {
                key: self.refer(inner, name + odds.camel(key))
                for key, inner in shape["properties"].items()
            }
        return copy

    def refer(self, shape: JsonObject, name: str) -> JsonObject:
        """Return a reference to the shape, or the shape where it needs no name."""
        shape = self.replace_parts(shape, name)
        if _needs_name(shape):
            is_nullable = shape.pop("nullable", False)
            reference = self.add_component(shape, name)
        elif shape.get("nullable") and "allOf" in shape:
            is_nullable = shape.pop("nullable")
            (reference,) = shape.pop("allOf")
        else:
            return shape
        if is_nullable:
            null = {"$ref": f"#/components/schemas/{NO_VALUE}"}
            return {"oneOf": [reference, null], **shape}
        return {"allOf": [reference], **shape} if shape else reference

    def add_component(self, shape: JsonObject, name: str) -> JsonObject:
        """Move what makes the shape into a component, and return the reference to it."""
        inner = {key: shape.pop(key) for key in _OF_THE_SHAPE if key in shape}
        if "enum" in inner:
            inner["enum"] = [value for value in inner["enum"] if value is not None]
        component = self.names.setdefault(json.dumps(inner), NAMES.get(name, name))
        self.schemas[component] = inner
        return {"$ref": f"#/components/schemas/{component}"}


def _needs_name(shape: JsonObject) -> bool:
    """Return whether a generator would make a class of this shape, or a union with null."""
    if "enum" in shape:
        return True
    # A reference to an object takes no default: such an object stays where it is.
    if shape.get("type") != "object" or shape.get("default") == {}:
        return False
    return "properties" in shape or "nullable" in shape


def list_known_keys(fields: JsonObject, systems: Sequence[System]) -> None:
    """Write the keys of the rule books, and what may be left out, into the fields of a roster."""
    armies = _each(registry.list_army_keys(system.key) for system in systems)
    fields["army"]["enum"] = sorted(armies)
    scenarios = _each(system.scenarios for system in systems)
    fields["scenario"] |= {"enum": [*scenarios, None], "default": None}
    variants = _each(system.variant_keys for system in systems)
    fields["variant"] |= {"enum": [*variants, None], "default": None}
    fields["points_limit"]["default"] = None
    tags = _each([tag.key for tag in system.tags] for system in systems)
    fields["tags"] |= {"default": [], "items": {"type": "string", "enum": tags}}
    rules = _each([rule.key for rule in system.house_rules] for system in systems)
    fields["house_rules"] |= {
        "properties": {rule: {"type": "boolean"} for rule in rules},
        "additionalProperties": False,
        "default": {},
    }


def _each(lists: Iterable[Iterable[str]]) -> list[str]:
    """Return every key once, in the order of the lists."""
    return list(dict.fromkeys(chain.from_iterable(lists)))


def add_examples(result: JsonObject) -> None:
    """Show what each operation is sent, or answers where nothing is sent, by its id."""
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    for methods in result["paths"].values():
        for operation in methods.values():
            part = operation.get("requestBody") or find_success(operation)
            content = part.get("content", {}).get("application/json")
            # A file and an empty answer have none.
            if content:
                content["example"] = examples[operation["operationId"]]


def find_success(operation: JsonObject) -> JsonObject:
    """Return what an operation answers where it does what it is asked."""
    responses: dict[str, JsonObject] = operation["responses"]
    return next(answer for status, answer in responses.items() if status < "300")
