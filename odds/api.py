"""Odds and dice for programs: a call of the engine asked or played.

Nothing is stored, no account is needed. The shapes of the questions are drawn from the engine's
calls, so that the document and what is read agree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.api.endpoints import ApiCall, Endpoint, Section
from accounts.api.serializers import (
    Answer,
    AnyObject,
    Anything,
    DeclaredField,
    ObjectOf,
    Text,
    Texts,
    Whole,
)
from accounts.api_tokens.http import BearerToken, StoresNothing
from engine.calls import CALLS, available
from engine.calls.questions import REQUIRED, Input
from engine.dice import MOST_SIDES
from engine.records import JsonObject
from odds import questions
from odds.questions import DICE_MAX
from rulesdata import registry

Shape = dict[str, Any]
ODDS_QUESTION, ROLL_QUESTION = "OddsQuestion", "RollQuestion"
SCALAR: Shape = {
    # OpenAPI 3.0 allows null only beside a type.
    "oneOf": [{"type": "string", "nullable": True}, {"type": "number"}, {"type": "boolean"}]
}


DICE: Shape = {
    "dice": {
        "type": "array",
        "nullable": True,
        "default": None,
        "maxItems": DICE_MAX,
        "items": {"type": "integer", "minimum": 1, "maximum": MOST_SIDES},
        "description": "The faces in the order in which they are asked for; null has them thrown.",
    }
}
"""The key of one play."""


def components() -> dict[str, Shape]:
    """Return the bodies of both questions by name, with those of each call and their inputs."""
    shapes: dict[str, Shape] = {}
    books = [
        (s.full_name, available(registry.combat_rules(s.key, s.variant)))
        for s in registry.rulesets()
    ]
    for call in CALLS.values():
        name = camel(call.name)
        systems = ", ".join(system for system, calls in books if call.name in calls)
        shapes[f"{name}Inputs"] = {
            **object_shape(call.inputs),
            "description": f"In {systems}.",
        }
        shapes[f"{name}Call"] = {"type": "string", "enum": [call.name]}
    keys = _properties()
    for question, properties in ((ODDS_QUESTION, keys), (ROLL_QUESTION, keys | DICE)):
        names = {call.name: f"{question}{camel(call.name)}" for call in CALLS.values()}
        for call in CALLS.values():
            name = camel(call.name)
            more = {
                key: {
                    "allOf": [{"$ref": f"#/components/schemas/{name}{key.capitalize()}"}],
                    **properties[key],
                }
                for key in ("call", "inputs")
            }
            needs_inputs = any(field.is_required for field in call.inputs)
            shapes[names[call.name]] = {
                "description": call.title,
                "type": "object",
                "properties": {**properties, **more},
                "required": ["system", "call", *(["inputs"] if needs_inputs else [])],
                "additionalProperties": False,
            }
        shapes[question] = one_of(names, "call")
    return shapes


def one_of(names: Mapping[str, str], key: str) -> Shape:
    """Return the shape of one of several components, by the value of the key that tells them."""
    references = {value: f"#/components/schemas/{name}" for value, name in names.items()}
    return {
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": key, "mapping": references},
    }


def camel(name: str) -> str:
    """Return a name with underscores as the names of components are written."""
    return "".join(part.capitalize() for part in name.split("_"))


def _properties() -> Shape:
    """Return the keys that the questions of all calls share."""
    systems = [registry.load_base(key) for key in registry.systems()]
    return {
        "system": {
            "type": "string",
            "enum": [s.key for s in systems],
            "description": "Key of a rule system.",
        },
        "variant": {
            "type": "string",
            "enum": [key for s in systems for key in s.variant_keys] + [None],
            "nullable": True,
            "default": None,
            "description": "Of the rule system; null where it has none, and needed where it has some.",
        },
        "call": {"description": "What is asked; a system has not all of them."},
        "inputs": {"description": "By the call, as below. {} if left out."},
        "rulings": {
            "type": "object",
            "nullable": True,
            # Client generators know no default of an object; null means the same here.
            "default": None,
            "additionalProperties": SCALAR,
            "description": (
                "Other rulings than the system's own, by the keys or the numbers of its rule book."
            ),
        },
    }


def object_shape(fields: Sequence[Input]) -> Shape:
    """An object with these inputs and no others."""
    needed = [field.name for field in fields if field.is_required]
    shape: Shape = {
        "type": "object",
        "properties": {field.name: input_shape(field) for field in fields},
        "additionalProperties": False,
    }
    return {**shape, "required": needed} if needed else shape


def input_shape(field: Input) -> Shape:
    """One input: its kind, its range, what stands for it when it is left out."""
    is_open = field.default is None
    shape: Shape
    match field.kind:
        case "number":
            shape = {"type": "integer", "minimum": field.low, "maximum": field.high}
        case "height":
            inches = {"minimum": 0, "exclusiveMinimum": True, "maximum": field.high}
            shape = {"type": "number", **inches, "description": "Inches."}
        case "flag":
            shape = {"type": "boolean"}
            if field.is_counted:
                shape = {"oneOf": [shape, {"type": "integer", "enum": [0, 1]}]}
        case "choice":
            choices = [*field.choices, *([None] if is_open else [])]
            shape = {"type": "string", "enum": choices}
        case "group":
            shape = object_shape(field.fields)
        case _:
            each = replace(field, kind=field.kind.removesuffix("s"), default=REQUIRED)
            length = {"minItems": field.least, "maxItems": field.most}
            shape = {"type": "array", "items": input_shape(each), **length}
    if is_open:
        shape["nullable"] = True
    if field.is_required:
        return shape
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    return {**shape, "default": default}


ODDS = Section("odds and dice", authentication=BearerToken, permission=StoresNothing)


@extend_schema_field({"type": "number"})
class Decimal(DeclaredField, serializers.FloatField):
    """A number with places."""


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {
            # OpenAPI 3.0 allows null only beside a type.
            "oneOf": [
                {"type": "integer", "nullable": True},
                {"type": "string"},
                {"type": "boolean"},
            ]
        },
    }
)
class Values(AnyObject):
    """Values of any scalar type by name."""


class ChanceAnswer(Answer):
    """A chance, or a number to expect."""

    fraction = Text("Exactly: 11/54, 1 or 0.")
    decimal = Decimal("To six places.")


class OddsAnswer(Answer):
    """The exact chance of each outcome."""

    outcomes = ObjectOf(
        "Fraction and decimal of each outcome; one that is missing has no chance. Numbers to "
        "expect (expected_casualties) stand here too.",
        child=ChanceAnswer(),
    )
    values = Values("What goes with it and is no chance.")
    steps = Texts("What is needed and why, in words.")


class ThrownDieAnswer(Answer):
    """One die: why it was thrown, and what it came to."""

    why = Text()
    sides = Whole()
    face = Whole()
    need = Text("The score hoped for.")
    outcome = Text("What the face came to.")


class RollAnswer(Answer):
    """One play of a call."""

    outcome = Text()
    values = Anything()
    steps = Texts("What is needed and why, in words.")
    record = ThrownDieAnswer(many=True)


def _question(name: str) -> JsonObject:
    return {"application/json": {"$ref": f"#/components/schemas/{name}"}}


@Endpoint("POST", OddsAnswer, request=_question(ODDS_QUESTION))
def ask_odds(call: ApiCall) -> JsonObject:
    """Work out the exact chance of each outcome, from one attack to a whole round."""
    return questions.odds(call.data)


@Endpoint("POST", RollAnswer, request=_question(ROLL_QUESTION))
def roll_dice(call: ApiCall) -> JsonObject:
    """Roll a call once, with your dice or with ours, and list every die."""
    return questions.roll(call.data)


urlpatterns = [
    ODDS.address("odds/", ask_odds, name="api-odds-ask"),
    ODDS.address("roll/", roll_dice, name="api-roll"),
]
