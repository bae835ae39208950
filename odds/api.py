"""Odds and dice for programs: a call of the engine asked or played.

Nothing is stored, no account is needed. The shapes of the questions are drawn from the engine's
calls, so that the document and what is read agree.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from accounts.api_tokens.authentication import BearerToken, StoresNothing
from engine.calls import CALLS, Call, Input, available
from engine.dice import SIDES
from odds import questions
from odds.questions import DICE_MAX
from rulesdata import registry

Shape = dict[str, Any]
ODDS_QUESTION, ROLL_QUESTION = "OddsQuestion", "RollQuestion"

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

    fraction = Text(help_text="Exactly: 11/54, 1 or 0.")
    decimal = Decimal(help_text="To six places.")


class OddsAnswer(Answer):
    """The exact chance of each outcome."""

    outcomes = ObjectOf(
        child=ChanceAnswer(),
        help_text=(
            "Fraction and decimal of each outcome; one that is missing has no chance. Numbers to "
            "expect (expected_casualties) stand here too."
        ),
    )
    values = Values(help_text="What goes with it and is no chance.")
    steps = Texts(help_text="What is needed and why, in words.")


class ThrownDieAnswer(Answer):
    """One die: why it was thrown, and what it came to."""

    why = Text()
    sides = Whole()
    face = Whole()
    need = Text(allow_blank=True, help_text="The score hoped for.")
    outcome = Text(allow_blank=True, help_text="What the face came to.")


class RollAnswer(Answer):
    """One play of a call."""

    outcome = Text()
    values = Anything()
    steps = Texts(help_text="What is needed and why, in words.")
    record = ThrownDieAnswer(many=True)


def _question(name: str) -> dict[str, Any]:
    return {"application/json": {"$ref": f"#/components/schemas/{name}"}}


@Endpoint("POST", OddsAnswer, request=_question(ODDS_QUESTION))
def ask_odds(call: ApiCall) -> dict[str, Any]:
    """The exact chance of each outcome of a call, from one attack to a whole round."""
    return questions.odds(call.data)


@Endpoint("POST", RollAnswer, request=_question(ROLL_QUESTION))
def roll_dice(call: ApiCall) -> dict[str, Any]:
    """Plays a call once, with the dice given or with dice thrown here, and tells every die."""
    return questions.roll(call.data)


urlpatterns = [
    ODDS.address("odds/", ask_odds, name="api-odds-ask"),
    ODDS.address("roll/", roll_dice, name="api-roll"),
]


# The shapes of questions

SCALAR: Shape = {
    # OpenAPI 3.0 allows null only beside a type.
    "oneOf": [{"type": "string", "nullable": True}, {"type": "number"}, {"type": "boolean"}]
}


def components() -> dict[str, Shape]:
    """Return the bodies of both questions by name, with those of each call and their inputs."""
    found = {f"{_camel(call.name)}Inputs": _inputs(call) for call in CALLS.values()}
    for name, properties in ((ODDS_QUESTION, _properties()), (ROLL_QUESTION, _dice())):
        calls = {call.name: f"{name}{_camel(call.name)}" for call in CALLS.values()}
        found |= {calls[call.name]: _call_shape(call, properties) for call in CALLS.values()}
        references = {call: f"#/components/schemas/{one}" for call, one in calls.items()}
        found[name] = {
            **_object(properties, ["system", "call"]),
            "oneOf": [{"$ref": reference} for reference in references.values()],
            "discriminator": {"propertyName": "call", "mapping": references},
        }
    return found


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _object(properties: Shape, required: list[str]) -> Shape:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


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
        "call": {
            "type": "string",
            "enum": list(CALLS),
            "description": "What is asked; a system has not all of them.",
        },
        "inputs": {"type": "object", "default": {}, "description": "By the call, as below."},
        "rulings": {
            "type": "object",
            "nullable": True,
            "default": {},
            "additionalProperties": SCALAR,
            "description": (
                "Other rulings than the system's own, by the keys or the numbers of its rule book."
            ),
        },
    }


def _dice() -> Shape:
    """Return the same with the dice of one play."""
    dice = {
        "type": "array",
        "nullable": True,
        "default": None,
        "maxItems": DICE_MAX,
        "items": {"type": "integer", "minimum": 1, "maximum": max(SIDES)},
        "description": "The faces in the order in which they are asked for; null has them thrown.",
    }
    return {**_properties(), "dice": dice}


def _call_shape(call: Call, properties: Shape) -> Shape:
    """Return the body of a question about one call."""
    inputs = {"$ref": f"#/components/schemas/{_camel(call.name)}Inputs"}
    # Client generators know no default of an object; null means the same here.
    rulings = {**properties["rulings"], "default": None}
    own = {
        "call": {"type": "string", "enum": [call.name]},
        "inputs": inputs,
        "rulings": rulings,
    }
    needs_inputs = any(field.is_required for field in call.inputs)
    required = ["system", "call", *(["inputs"] if needs_inputs else [])]
    return {"description": call.title, **_object({**properties, **own}, required)}


def _inputs(call: Call) -> Shape:
    return {**object_shape(call.inputs), "description": _systems_with_call(call)}


def _systems_with_call(call: Call) -> str:
    """The systems that have the call."""
    books = [(s.full_name, registry.combat_rules(s.key, s.variant)) for s in registry.rulesets()]
    return f"In {', '.join(name for name, rules in books if call.name in available(rules))}."


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
    shape = _KINDS[field.kind](field)
    if field.default is None:
        shape["nullable"] = True
    if field.is_required:
        return shape
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    return {**shape, "default": default}


def _number(field: Input) -> Shape:
    return {"type": "integer", "minimum": field.low, "maximum": field.high}


def _height(field: Input) -> Shape:
    inches: Shape = {"minimum": 0, "exclusiveMinimum": True, "maximum": field.high}
    return {"type": "number", **inches, "description": "Inches."}


def _flag(field: Input) -> Shape:
    if field.is_counted:
        return {"oneOf": [{"type": "boolean"}, {"type": "integer", "enum": [0, 1]}]}
    return {"type": "boolean"}


def _choice(field: Input) -> Shape:
    choices: list[str | None] = [*field.choices, *([None] if field.default is None else [])]
    return {"type": "string", "enum": choices}


def _numbers(field: Input) -> Shape:
    return {"type": "array", "items": _number(field), **_length(field)}


def _groups(field: Input) -> Shape:
    return {"type": "array", "items": object_shape(field.fields), **_length(field)}


def _length(field: Input) -> Shape:
    return {"minItems": field.least, "maxItems": field.most}


_KINDS = {
    "number": _number,
    "height": _height,
    "flag": _flag,
    "choice": _choice,
    "numbers": _numbers,
    "group": lambda field: object_shape(field.fields),
    "groups": _groups,
}
