"""Systems, armies and what they list, for programs."""

from dataclasses import asdict
from typing import Any, cast

from drf_spectacular.utils import OpenApiParameter
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.settings import api_settings

from accounts.api.endpoints import ApiCall, Endpoint, PublicView, Section
from accounts.api.serializers import (
    Answer,
    AnyObject,
    DeclaredField,
    Flag,
    Text,
    Texts,
    Whole,
)
from accounts.api_tokens.http import BearerToken
from engine.records import JsonObject
from engine.types.lists import MAGIC_PREFIX
from engine.types.systems import System
from rulesdata import registry
from rulesdata.models import MagicItem
from rulesdata.queries import catalogue

# Words become a filter each.
MAX_SEARCH = 100
BOOKS = Section("rule books", authentication=BearerToken, view=PublicView)
SYSTEM = OpenApiParameter(
    "system",
    str,
    description="Only what this rule system fields. An unknown key is refused.",
)
VARIANT = OpenApiParameter(
    "variant",
    str,
    description="As this variant of the system has it. One that the system lacks is refused.",
)
ARMY = OpenApiParameter(
    "army", str, description="Only this army list. An unknown key is refused."
)
SEARCH = OpenApiParameter(
    "search",
    {"type": "string", "maxLength": MAX_SEARCH},
    description="Words that all stand in the name.",
)
KEY = OpenApiParameter(
    "key", {"type": "string", "minLength": 1, "maxLength": 100}, OpenApiParameter.PATH
)
PAGES = (
    OpenApiParameter("page", {"type": "integer", "minimum": 1, "default": 1}),
    OpenApiParameter(
        "page_size", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
    ),
)
WHOLE_SYSTEM = "SystemAnswer"  # a component of the document: an object with any keys
_NO_SYSTEM = "There is no rule system {}; GET /api/v1/systems/ lists them."
# What stands for a key that a profile's file leaves out.
BLANK: JsonObject = {
    **dict.fromkeys((
        "champion", "command", "wizard_level", "magic_allowance", "army_max",
        "not_offered_because", "equipment_source",
    )),
    **dict.fromkeys(("wizard", "special_character", "regiment_of_renown"), False),
    **dict.fromkeys((
        "profiles", "lores", "default_equipment", "default_upgrades", "options", "flags",
        "special_rules", "incomplete", "doubts",
    ), ()),
    "figures": {},
}  # fmt: skip


class Address(DeclaredField, serializers.URLField):
    """The address of a page."""


class PageAnswer(Answer):
    """A page of rows that are counted, with the addresses of the pages around it."""

    count = Whole("Of all pages.")
    next = Address(allow_null=True)
    previous = Address(allow_null=True)


def listing(row: type[Answer], *parameters: OpenApiParameter) -> Endpoint:
    """Return the endpoint of a list, which answers a page of these rows."""
    rows = {
        "results": row(many=True),
        "__doc__": PageAnswer.__doc__,
        "__module__": __name__,
    }
    page = type(f"{row.__name__.removesuffix('Answer')}Page", (PageAnswer,), rows)
    return Endpoint("GET", page, refusals=(404,), parameters=(*parameters, *PAGES))


def page_asked(call: ApiCall, rows: catalogue.Listed) -> JsonObject:
    """Return the page asked for; raises 400 and 404."""
    pages: Any = cast(Any, api_settings.DEFAULT_PAGINATION_CLASS)()
    return pages.get_paginated_response(pages.paginate_queryset(rows, call.request)).data


def _refusal(parameter: str, sentence: str) -> exceptions.ValidationError:
    return exceptions.ValidationError({parameter: [sentence]})


def system_asked(request: Request) -> str:
    key = request.query_params.get("system", "")
    if key and key not in registry.systems():
        raise _refusal("system", _NO_SYSTEM.format(_shown(key)))
    return key


def book_asked(request: Request, key: str) -> System | None:
    """The system asked for in the variant asked for, or None where no system is.

    A variant it lacks is refused.
    """
    variant = request.query_params.get("variant") or None
    if not key:
        if variant:
            raise _refusal("variant", "A variant belongs to a system: name the system too.")
        return None
    if variant is None:
        return registry.load_base(key)
    try:
        return registry.load_system(key, variant)
    except registry.UnknownVariant as error:
        raise _refusal("variant", str(error)) from None


def _army(request: Request) -> str:
    """Return the key of the army asked for, or ""; refuse one that no system fields."""
    key = request.query_params.get("army", "")
    if key and not any(
        key in registry.list_army_keys(system) for system in registry.systems()
    ):
        sentence = f"There is no army {_shown(key)}; GET /api/v1/armies/ lists them."
        raise _refusal("army", sentence)
    return key


def _shown(text: str) -> str:
    return f'"{text[:60]}{"…" if len(text) > 60 else ""}"'


def _search(request: Request) -> str:
    """Return the words searched for; refuse those too long or not printable."""
    text = request.query_params.get("search", "").strip()
    if len(text) > MAX_SEARCH:
        raise _refusal("search", f"At most {MAX_SEARCH} letters, not {len(text)}.")
    if not text.isprintable():
        raise _refusal("search", "Only letters that can be printed.")
    return text


class SystemRowAnswer(Answer):
    """A rule system in a list."""

    key = Text()
    name = Text()
    summary = Text()


class ArmyAnswer(Answer):
    """An army list."""

    key = Text()
    name = Text()
    collection = Text(source="collection.key")
    profiles = Whole(source="profile_count")
    offered = Whole(source="offered_count")


class ProfileAnswer(Answer):
    """A profile that a roster may hold, as its file has it."""

    key = Text()
    name = Text()
    model_name = Text()
    army = Text(source="army__key")
    category = Text()
    troop_type = Text()
    points = Whole("Of one entry: one miniature, or a pack, machine or team.")
    miniatures = Whole("That one entry puts on the table.")
    offered = Flag(
        "False: kept in the book, not offered for a skirmish by default.",
        source="is_offered",
    )
    lines = Texts(
        source="profiles",
        child=AnyObject("name, role, count and the stat line; null is a dash."),
    )
    champion = AnyObject(allow_null=True)
    command = AnyObject(allow_null=True)
    wizard = Flag()
    wizard_level = Whole(allow_null=True)
    lores = Texts()
    magic_allowance = Whole(allow_null=True)
    default_equipment = Texts()
    default_upgrades = Texts()
    options = Texts(child=AnyObject())
    flags = Texts()
    figures = AnyObject()
    special_rules = Texts()
    army_max = Whole(allow_null=True)
    special_character = Flag()
    regiment_of_renown = Flag()
    incomplete = Texts()
    doubts = Texts()
    not_offered_because = Text(allow_null=True)
    source = Text(
        "Where the equipment is from.",  # type: ignore[assignment]  # a key of ours, not the framework's attribute
        source="equipment_source",
        allow_null=True,
    )

    def to_representation(self, row: Any) -> JsonObject:
        """Return the profile's row with what its file says."""
        return super().to_representation(BLANK | row["data"] | row)


class PieceAnswer(Answer):
    """A weapon or a piece of armour; ``traits`` are what else its line says."""

    key = Text()
    name = Text()
    collection = Text(
        "The collection of army lists it belongs to, in which its key stands once. Empty: the "
        "system's own.",
        source="collection__key",
    )
    traits = AnyObject()

    def get_traits(self, row: JsonObject) -> JsonObject:
        """Return what stands in the file beside the columns."""
        columns = {"id", *self.fields} - {"traits"}
        return {key: value for key, value in row["data"].items() if key not in columns}


class WeaponAnswer(PieceAnswer):
    """A weapon: range in inches, Strength as printed."""

    type = Text()
    range = Text()
    strength = Text()


class ArmourAnswer(PieceAnswer):
    """Armour or a shield."""

    save: Any = Whole("A save of its own, 5 for 5+.", source="save_value", allow_null=True)
    improves = Whole("How much it betters another save.")


class MagicItemAnswer(Answer):
    """A magic item of an army: name, kind and price."""

    key = Text()
    name = Text()
    army = Text(source="army.key")
    type = Text()
    points = Whole()
    is_unique = Flag("There is one of it.")
    option = Text("How the options of a roster document name it.")

    def get_option(self, item: MagicItem) -> str:
        """Return the key that a roster lists it by."""
        return f"{MAGIC_PREFIX}{item.key}"


class ScenarioAnswer(Answer):
    """A scenario of a rule book."""

    key = Text()
    name = Text()
    system = Text(source="system.key")
    summary = Text()
    setup = Text()
    objectives = Text()
    length = Text()
    source = Text()  # type: ignore[assignment]  # a key of ours, not the framework's attribute
    sides = Texts(child=AnyObject())
    special_rules = Texts()
    waives = Texts("Codes of findings it lowers to notes.")


@listing(SystemRowAnswer)
def list_systems(call: ApiCall) -> JsonObject:
    """List the rule systems."""
    return page_asked(call, catalogue.system_rows())


@Endpoint(
    "GET", {"$ref": f"#/components/schemas/{WHOLE_SYSTEM}"}, parameters=(VARIANT, KEY)
)
def read_system(call: ApiCall, key: str) -> JsonObject:
    """Read one rule system: phases, states, charts, tables, guidelines, house rules, rulings.

    Scenarios and armies too. Of a system with variants this is what they share, unless one is
    asked for.
    """
    if key not in registry.systems():
        raise exceptions.NotFound(_NO_SYSTEM.format(_shown(key)))
    system = book_asked(call.request, key)
    assert system is not None
    names = registry.army_names(key)
    return {
        **asdict(system),
        "full_name": system.full_name,
        "scenarios": [asdict(s) for s in system.scenarios.values()],
        "armies": [{"key": army, "name": name} for army, name in names.items()],
    }


@listing(ArmyAnswer, SYSTEM)
def list_armies(call: ApiCall) -> JsonObject:
    """List army lists, with how many units they hold.

    And how many of these are offered for a skirmish.
    """
    return page_asked(call, catalogue.army_rows(system_asked(call.request)))


@listing(ProfileAnswer, SYSTEM, ARMY, SEARCH)
def list_profiles(call: ApiCall) -> JsonObject:
    """List units with stat lines, prices, options and uncertain figures."""
    filters = (system_asked(call.request), _army(call.request), _search(call.request))
    return page_asked(call, catalogue.profile_rows(*filters))


def _gear(call: ApiCall, part: str) -> JsonObject:
    key, search = system_asked(call.request), _search(call.request)
    return page_asked(
        call, catalogue.gear_under(part, book_asked(call.request, key), key, search)
    )


@listing(WeaponAnswer, SYSTEM, VARIANT, SEARCH)
def list_weapons(call: ApiCall) -> JsonObject:
    """List weapons: range in inches, Strength as printed, and their other traits."""
    return _gear(call, "weapons")


@listing(ArmourAnswer, SYSTEM, VARIANT, SEARCH)
def list_armour(call: ApiCall) -> JsonObject:
    """List armour and shields."""
    return _gear(call, "armour")


@listing(MagicItemAnswer, SYSTEM, ARMY, SEARCH)
def list_magic_items(call: ApiCall) -> JsonObject:
    """List magic items by army, the most expensive first."""
    request = call.request
    filters = (system_asked(request), _army(request), _search(request))
    return page_asked(call, catalogue.magic_item_rows(*filters))


@listing(ScenarioAnswer, SYSTEM)
def list_scenarios(call: ApiCall) -> JsonObject:
    """List the scenarios of the rule books."""
    return page_asked(call, catalogue.scenario_rows(system_asked(call.request)))


urlpatterns = [
    BOOKS.address("systems/", list_systems, name="api-system-list"),
    BOOKS.address("systems/<str:key>/", read_system, name="api-system-read"),
    BOOKS.address("armies/", list_armies, name="api-army-list"),
    BOOKS.address("profiles/", list_profiles, name="api-profile-list"),
    BOOKS.address("weapons/", list_weapons, name="api-weapon-list"),
    BOOKS.address("armour/", list_armour, name="api-armour-list"),
    BOOKS.address("magic-items/", list_magic_items, name="api-magic-item-list"),
    BOOKS.address("scenarios/", list_scenarios, name="api-scenario-list"),
]
