"""The rule books for programs: read-only, paged, no account needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, cast

from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from accounts.api.endpoints import Refusal
from engine.types import System
from rulesdata import registry
from rulesdata.queries import catalogue

MAX_SEARCH = 100
READ = ["GET", "HEAD"]
TEXT, WHOLE, YES = serializers.CharField, serializers.IntegerField, serializers.BooleanField

SYSTEM = OpenApiParameter(
    "system", str, description="Only what this rule system fields. An unknown key is refused."
)
VARIANT = OpenApiParameter(
    "variant",
    str,
    description="As this variant of the system has it. One that the system lacks is refused.",
)
COLLECTION = TEXT(
    allow_blank=True,
    help_text=(
        "The collection of army lists it belongs to, in which its key stands once. Empty: the "
        "system's own."
    ),
)
ARMY = OpenApiParameter("army", str, description="Only this army list. An unknown key is refused.")
SEARCH = OpenApiParameter(
    "search",
    {"type": "string", "maxLength": MAX_SEARCH},
    description="Words that all stand in the name.",
)
PAGES = (
    OpenApiParameter("page", {"type": "integer", "minimum": 1, "default": 1}),
    OpenApiParameter("page_size", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}),
)
REFUSAL = Refusal
REFUSED = OpenApiResponse(Refusal, description="Refused: which fields are wrong, and their limits.")
LIST_REFUSALS: dict[Any, Any] = {
    400: REFUSED,
    404: OpenApiResponse(Refusal, description="There is no such page."),
    429: OpenApiResponse(Refusal, description="Too many calls from this address."),
}


def _page(name: str, fields: dict[str, Any]) -> dict[Any, Any]:
    page: dict[str, Any] = {
        "count": WHOLE(help_text="Of all pages."),
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": inline_serializer(name, fields, many=True),
    }
    return {200: inline_serializer(f"{name}Page", page), **LIST_REFUSALS}


def _paged(
    request: Request, rows: catalogue.Listed, shape: Callable[[dict[str, Any]], dict[str, Any]]
) -> Response:
    pages: Any = cast(Any, api_settings.DEFAULT_PAGINATION_CLASS)()
    return Response(
        pages.get_paginated_response(
            [shape(row) for row in pages.paginate_queryset(rows, request)]
        ).data
    )


def _system(request: Request) -> str:
    key = request.query_params.get("system", "")
    if key and key not in registry.systems():
        raise ValidationError(
            {"system": [f"There is no rule system {_shown(key)}; GET /api/v1/systems/ lists them."]}
        )
    return key


def _book(request: Request, key: str) -> System | None:
    """The system asked for in the variant asked for, or None where no system is.

    A variant it lacks is refused.
    """
    variant = request.query_params.get("variant") or None
    if not key:
        if variant:
            raise ValidationError(
                {"variant": ["A variant belongs to a system: name the system too."]}
            )
        return None
    if variant is None:
        return registry.load_base(key)
    try:
        return registry.load_system(key, variant)
    except registry.UnknownVariant as error:
        raise ValidationError({"variant": [str(error)]}) from None


def _army(request: Request) -> str:
    key = request.query_params.get("army", "")
    if key and not any(key in registry.armies_of(system) for system in registry.systems()):
        raise ValidationError(
            {"army": [f"There is no army {_shown(key)}; GET /api/v1/armies/ lists them."]}
        )
    return key


def _shown(text: str) -> str:
    return f'"{text[:60]}{"…" if len(text) > 60 else ""}"'


def _search(request: Request) -> str:
    words = request.query_params.get("search", "").strip()
    if len(words) > MAX_SEARCH:
        raise ValidationError({"search": [f"At most {MAX_SEARCH} letters, not {len(words)}."]})
    if not words.isprintable():
        raise ValidationError({"search": ["Only letters that can be printed."]})
    return words


@extend_schema(
    operation_id="list_systems",
    parameters=[*PAGES],
    responses=_page("System", {"key": TEXT(), "name": TEXT(), "summary": TEXT()}),
    tags=["rule books"],
)
@api_view(READ)
def list_systems(request: Request) -> Response:
    """The rule systems."""
    return _paged(request, catalogue.system_rows(), dict)


@extend_schema(
    operation_id="read_system",
    parameters=[
        VARIANT,
        OpenApiParameter(
            "key", {"type": "string", "minLength": 1, "maxLength": 100}, OpenApiParameter.PATH
        ),
    ],
    responses={
        200: OpenApiTypes.OBJECT,
        400: REFUSED,
        404: OpenApiResponse(Refusal, description="There is no such rule system."),
        429: LIST_REFUSALS[429],
    },
    tags=["rule books"],
)
@api_view(READ)
def read_system(request: Request, key: str) -> Response:
    """One rule system whole: phases, states, charts, tables, guidelines, house rules, rulings,
    scenarios, armies.

    Of a system with variants this is what they share, unless one is asked for.
    """
    if key not in registry.systems():
        raise NotFound(f"There is no rule system {_shown(key)}; GET /api/v1/systems/ lists them.")
    system = _book(request, key)
    assert system is not None
    names = registry.army_names(key)
    armies = [{"key": army, "name": name} for army, name in names.items()]
    return Response(
        {
            **asdict(system),
            "full_name": system.full_name,
            "scenarios": [asdict(s) for s in system.scenarios.values()],
            "armies": armies,
        }
    )


@extend_schema(
    operation_id="list_armies",
    parameters=[SYSTEM, *PAGES],
    responses=_page(
        "Army",
        {
            "key": TEXT(),
            "name": TEXT(),
            "collection": TEXT(),
            "profiles": WHOLE(),
            "offered": WHOLE(),
        },
    ),
    tags=["rule books"],
)
@api_view(READ)
def list_armies(request: Request) -> Response:
    """Army lists, with how many profiles they hold and how many of these are offered for a
    skirmish.
    """
    return _paged(request, catalogue.army_rows(_system(request)), _army_row)


def _army_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": row["key"],
        "name": row["name"],
        "collection": row["collection__key"],
        "profiles": row["profile_count"],
        "offered": row["offered_count"],
    }


_HEAD: dict[str, Any] = {
    **{key: TEXT() for key in ("key", "name", "model_name", "army", "category", "troop_type")},
    "points": WHOLE(help_text="Of one entry: one miniature, or a pack, machine or team."),
    "miniatures": WHOLE(help_text="That one entry puts on the table."),
    "offered": YES(help_text="False: kept in the book, not offered for a skirmish by default."),
}
LINE = serializers.DictField(help_text="name, role, count and the stat line; null is a dash.")
_RECORD: dict[str, tuple[str, Any, Any]] = {
    # key in the answer: key in the file, what stands for nothing, shape
    "lines": ("profiles", [], serializers.ListField(child=LINE)),
    "champion": ("champion", None, serializers.DictField(allow_null=True)),
    "command": ("command", None, serializers.DictField(allow_null=True)),
    "wizard": ("wizard", False, YES()),
    "wizard_level": ("wizard_level", None, WHOLE(allow_null=True)),
    "lores": ("lores", [], serializers.ListField(child=TEXT())),
    "magic_allowance": ("magic_allowance", None, WHOLE(allow_null=True)),
    "default_equipment": ("default_equipment", [], serializers.ListField(child=TEXT())),
    "default_upgrades": ("default_upgrades", [], serializers.ListField(child=TEXT())),
    "options": ("options", [], serializers.ListField(child=serializers.DictField())),
    "flags": ("flags", [], serializers.ListField(child=TEXT())),
    "figures": ("figures", {}, serializers.DictField()),
    "special_rules": ("special_rules", [], serializers.ListField(child=TEXT())),
    "army_max": ("army_max", None, WHOLE(allow_null=True)),
    "special_character": ("special_character", False, YES()),
    "regiment_of_renown": ("regiment_of_renown", False, YES()),
    "incomplete": ("incomplete", [], serializers.ListField(child=TEXT())),
    "doubts": ("doubts", [], serializers.ListField(child=TEXT())),
    "not_offered_because": ("not_offered_because", None, TEXT(allow_null=True)),
    "source": (
        "equipment_source",
        None,
        TEXT(allow_null=True, help_text="Where the equipment is from."),
    ),
}


@extend_schema(
    operation_id="list_profiles",
    parameters=[SYSTEM, ARMY, SEARCH, *PAGES],
    responses=_page("Profile", {**_HEAD, **{key: field for key, (_, _, field) in _RECORD.items()}}),
    tags=["rule books"],
)
@api_view(READ)
def list_profiles(request: Request) -> Response:
    """Profiles a roster may hold, each with stat lines, prices, options and doubts."""
    return _paged(
        request,
        catalogue.profile_rows(_system(request), _army(request), _search(request)),
        _profile_row,
    )


def _profile_row(row: dict[str, Any]) -> dict[str, Any]:
    data = row["data"]
    return {
        "key": row["key"],
        "name": row["name"],
        "model_name": row["model_name"],
        "army": row["army__key"],
        "category": row["category"],
        "troop_type": row["troop_type"],
        "points": row["points"],
        "miniatures": row["miniatures"],
        "offered": row["is_offered"],
        **{key: data.get(name, nothing) for key, (name, nothing, _) in _RECORD.items()},
    }


@extend_schema(
    operation_id="list_weapons",
    parameters=[SYSTEM, VARIANT, SEARCH, *PAGES],
    responses=_page(
        "Weapon",
        {
            **{k: TEXT() for k in ("key", "name")},
            "collection": COLLECTION,
            **{k: TEXT() for k in ("type", "range", "strength")},
            "traits": serializers.DictField(),
        },
    ),
    tags=["rule books"],
)
@api_view(READ)
def list_weapons(request: Request) -> Response:
    """Weapons: range in inches, Strength as printed, and what else their line says."""
    key, search = _system(request), _search(request)
    return _paged(request, catalogue.weapons_under(_book(request, key), key, search), _weapon_row)


def _weapon_row(row: dict[str, Any]) -> dict[str, Any]:
    return _piece(row, {key: row[key] for key in ("type", "range", "strength")})


def _piece(row: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    head = {"key": row["key"], "name": row["name"], "collection": row["collection__key"], **columns}
    return {**head, "traits": _rest(row["data"], head)}


def _rest(data: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in columns and key != "id"}


@extend_schema(
    operation_id="list_armour",
    parameters=[SYSTEM, VARIANT, SEARCH, *PAGES],
    responses=_page(
        "Armour",
        {
            "key": TEXT(),
            "name": TEXT(),
            "collection": COLLECTION,
            "save": WHOLE(allow_null=True, help_text="A save of its own, 5 for 5+."),
            "improves": WHOLE(help_text="How much it betters another save."),
            "traits": serializers.DictField(),
        },
    ),
    tags=["rule books"],
)
@api_view(READ)
def list_armour(request: Request) -> Response:
    """Armour and shields."""
    key, search = _system(request), _search(request)
    return _paged(request, catalogue.armour_under(_book(request, key), key, search), _armour_row)


def _armour_row(row: dict[str, Any]) -> dict[str, Any]:
    return _piece(row, {"save": row["save_value"], "improves": row["improves"]})


@extend_schema(
    operation_id="list_scenarios",
    parameters=[SYSTEM, *PAGES],
    responses=_page(
        "Scenario",
        {
            **{
                k: TEXT()
                for k in (
                    "key",
                    "name",
                    "system",
                    "summary",
                    "setup",
                    "objectives",
                    "length",
                    "source",
                )
            },
            "sides": serializers.ListField(child=serializers.DictField()),
            "special_rules": serializers.ListField(child=TEXT()),
            "waives": serializers.ListField(
                child=TEXT(), help_text="Codes of findings it lowers to notes."
            ),
        },
    ),
    tags=["rule books"],
)
@api_view(READ)
def list_scenarios(request: Request) -> Response:
    """The scenarios of the rule books."""
    return _paged(request, catalogue.scenario_rows(_system(request)), _scenario_row)


def _scenario_row(row: dict[str, Any]) -> dict[str, Any]:
    return {"system" if key == "system__key" else key: value for key, value in row.items()}


urlpatterns = [
    path("systems/", list_systems, name="api-system-list"),
    path("systems/<str:key>/", read_system, name="api-system-read"),
    path("armies/", list_armies, name="api-army-list"),
    path("profiles/", list_profiles, name="api-profile-list"),
    path("weapons/", list_weapons, name="api-weapon-list"),
    path("armour/", list_armour, name="api-armour-list"),
    path("scenarios/", list_scenarios, name="api-scenario-list"),
]
