"""The readable page of the API, drawn from its own OpenAPI document so that the two cannot
disagree.
"""

import json
from collections.abc import Iterator
from functools import cache
from itertools import chain

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.api.endpoints import ApiCall, Endpoint, Section
from accounts.api.serializers import Answer, OneOf, Text
from accounts.api_tokens.http import BearerToken
from accounts.owner import NOBODY
from config.api.base import words_of_rate
from config.api.schema import NO_VALUE, document, find_success
from engine.records import JsonObject, Texts, frozen_dataclass, grouped
from warbands.api.rosters import CheckAnswer
from warbands.queries.warbands import check_document

EXAMPLE: JsonObject = {
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
            "leader": True,
            "options": ["light-armour", "halberd"],
        },
        {"profile": "halberdiers", "options": ["champion", "shields"]},
        {"profile": "halberdiers", "count": 8, "options": ["shields"]},
        {"profile": "greatswords"},
    ],
}
DEPTH = 3
_TYPES = {"integer": "whole number", "boolean": "true or false", "string": "text"}


@frozen_dataclass
class ApiField:
    """A parameter or a key of a body or an answer; the name of a nested one says where it stands."""

    name: str
    type: str
    note: str = ""
    is_required: bool = False
    choices: Texts = ()


@require_safe
def read_api(request: HttpRequest) -> HttpResponse:
    """The page."""
    context = {
        "groups": groups(),
        "example": pretty(EXAMPLE),
        "answer": example_answer(),
        "rate": words_of_rate(settings.API_RATE),
    }
    return render(request, "api/docs.html", context)


@cache
def example_answer() -> str:
    """What `check/` says of the example."""
    return pretty(CheckAnswer.show(check_document(NOBODY, EXAMPLE)))


def pretty(value: JsonObject) -> str:
    """JSON to read: each key on a line of its own, and each object of a list."""
    lines = []
    for key, inner in value.items():
        text = json.dumps(inner, ensure_ascii=False)
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in inner)
            text = f"[\n{rows}\n  ]"
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}"


@cache
def groups() -> tuple[tuple[str, list[JsonObject]], ...]:
    """Every operation of the document, by its tag, in the order of the settings."""
    operations = grouped(
        (operation["tags"][0], _operation(path, method, operation))
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    )
    names = [tag["name"] for tag in settings.SPECTACULAR_SETTINGS["TAGS"]]
    return tuple((name.capitalize(), operations[name]) for name in names)


def _operation(path: str, method: str, operation: JsonObject) -> JsonObject:
    """Return one address and method as the page prints it.

    A list of pages shows the keys of its rows as its answer.
    """
    body = _content(operation.get("requestBody", {}))
    answer = _content(find_success(operation))
    is_paged = {"next", "previous", "results"} <= set(answer.get("properties", ()))
    if is_paged:
        answer = _resolved(answer["properties"]["results"]["items"])
    parameters = []
    for parameter in operation.get("parameters", ()):
        name, is_required = parameter["name"], parameter.get("required", False)
        part = {"description": parameter.get("description", ""), **parameter["schema"]}
        if parameter["in"] == "header":
            name += " (header)"
        if not (is_paged and name in ("page", "page_size")):
            parameters.append(_field(name, part, is_required=is_required))
    return {
        "method": method.upper(),
        "path": path,
        "description": operation.get("description", ""),
        "anchor": operation["operationId"].replace("_", "-"),
        "parameters": parameters,
        "body": list(_fields(body)),
        "answer": list(_fields(answer)),
        "is_paged": is_paged,
        "cases": list(_cases(body)),
    }


def _cases(body: JsonObject) -> Iterator[JsonObject]:
    """For each call about dice the inputs it takes; for each kind of event its payload."""
    for form in body.get("forms", ()):
        call = _resolved(form["properties"]["call"])["enum"][0]
        # What is said beside the reference is about the inputs of every call.
        inputs = _resolved(form["properties"]["inputs"]["allOf"][0])
        yield {
            "name": call,
            "title": form["description"],
            "note": inputs["description"],
            "fields": list(_fields(inputs, "inputs.")),
        }
    if "events" in body.get("required", ()):
        for form in _resolved(_resolved(body["properties"]["events"])["items"])["forms"]:
            kind = _resolved(form["properties"]["kind"])["enum"][0]
            payload = _resolved(form["properties"]["payload"])
            yield {
                "name": kind,
                "title": payload["description"],
                "fields": list(_fields(payload, "payload.")),
                "example": json.dumps(payload["example"], ensure_ascii=False),
            }


def _content(part: JsonObject) -> JsonObject:
    """The shape of the first media type of a body or an answer."""
    media: JsonObject = next(iter(part.get("content", {}).values()), {})
    return _resolved(media.get("schema", {}))


def _field(name: str, part: JsonObject, *, is_required: bool) -> ApiField:
    choices = tuple(str(value) for value in part.get("enum", ()) if value is not None)
    sentences = [part["description"]] if part.get("description") else []
    if "maximum" in part:
        sentences.append(f"{part.get('minimum', 0):,} to {part['maximum']:,}.")
    elif "minimum" in part:
        sentences.append(f"From {part['minimum']:,}.")
    if "maxLength" in part:
        sentences.append(f"At most {part['maxLength']:,} characters.")
    if "maxItems" in part:
        sentences.append(f"At most {part['maxItems']:,}.")
    if "default" in part:
        sentences.append(f"{json.dumps(part['default'])} if left out.")
    return ApiField(name, _type(part), " ".join(sentences), is_required, choices)


def _fields(part: JsonObject, before: str = "", depth: int = 1) -> Iterator[ApiField]:
    required = part.get("required", ())
    for name, raw in part.get("properties", {}).items():
        inner = _resolved(raw)
        path = f"{before}{name}"
        yield _field(path, inner, is_required=name in required)
        is_list = inner.get("type") == "array"
        nested = _resolved(inner["items"]) if is_list else inner
        if depth < DEPTH:
            yield from _fields(nested, f"{path}[]." if is_list else f"{path}.", depth + 1)


def _resolved(part: JsonObject) -> JsonObject:
    """Return a shape with its reference followed, and what one of several forms has in any case."""
    part = _unwrapped(_unwrapped(part, "allOf"), "oneOf")
    if "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[-1]
        shape = document()["components"]["schemas"][name]
        return _resolved({**shape, **_without(part, "$ref")})
    if "discriminator" in part:
        return _common_shape([_resolved(form) for form in part["oneOf"]])
    return part


def _unwrapped(part: JsonObject, key: str) -> JsonObject:
    """Return the only form that stands under a key, or null besides; else the part as it is."""
    first, *others = part.get(key, [{}, {}])
    is_nullable = others == [{"$ref": f"#/components/schemas/{NO_VALUE}"}]
    if others and not is_nullable:
        return part
    form = {**first, **_without(part, key)}
    return {**form, "nullable": True} if is_nullable else form


def _without(part: JsonObject, key: str) -> JsonObject:
    return {name: value for name, value in part.items() if name != key}


def _common_shape(forms: list[JsonObject]) -> JsonObject:
    """Return the keys that each of these forms has, each with what it has in all of them."""
    first = forms[0]
    properties = {}
    for name in first["properties"]:
        shapes = [_resolved(form["properties"][name]) for form in forms]
        properties[name] = {
            key: value
            for key, value in shapes[0].items()
            if all(shape.get(key) == value for shape in shapes)
        }
        if "enum" in shapes[0]:
            values = chain.from_iterable(shape["enum"] for shape in shapes)
            properties[name]["enum"] = list(dict.fromkeys(values))
    return {
        "type": "object",
        "properties": properties,
        "required": [
            key
            for key in first["required"]
            if all(key in form["required"] for form in forms)
        ],
        "forms": forms,
    }


def _type(part: JsonObject) -> str:
    if "oneOf" in part:
        return " or ".join(_type(_resolved(form)) for form in part["oneOf"])
    kind = part.get("type", "any")
    if kind == "array":
        items = _type(_resolved(part["items"]))
        if not items.endswith("text"):
            items = items.replace("whole number", "number") + "s"
        return f"list of {items}"
    null = " or null" if part.get("nullable") else ""
    return f"{_TYPES.get(kind, kind)}{null}"


# The site itself for programs: its version, and who may create an account.

SITE = Section("site", authentication=BearerToken)


class SiteAnswer(Answer):
    """What a program may want to know of the site before it asks for more."""

    version = Text(help_text="The release, named by its day, such as 2026.11.22.")
    registration = OneOf(
        choices=["open", "invited", "closed"], help_text="Who can create an account."
    )


@Endpoint("GET", SiteAnswer)
def read_site(call: ApiCall) -> JsonObject:
    """Read the release of the site, and who can create an account."""
    return {"version": settings.VERSION, "registration": settings.REGISTRATION}


urlpatterns = [SITE.address("site/", read_site, name="api-site")]
