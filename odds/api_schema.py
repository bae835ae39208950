"""The shapes of questions about dice for the API's document, drawn from the engine's calls so that
both agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.calls import CALLS, Call, Input, available
from engine.dice import SIDES
from odds.questions import DICE_MAX
from rulesdata import registry

Shape = dict[str, Any]
SCALAR: Shape = {
    "nullable": True,
    "oneOf": [{"type": kind} for kind in ("string", "number", "boolean")],
}


def question_shape(with_dice: bool = False) -> Shape:
    """The body of a question: what all calls share, and for each call its own inputs."""
    systems = [registry.load_base(key) for key in registry.systems()]
    properties: Shape = {
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
    if with_dice:
        properties["dice"] = {
            "type": "array",
            "nullable": True,
            "default": None,
            "maxItems": DICE_MAX,
            "items": {"type": "integer", "minimum": 1, "maximum": max(SIDES)},
            "description": "The faces in the order in which they are asked for; null has them thrown.",
        }
    return {
        "type": "object",
        "properties": properties,
        "required": ["system", "call"],
        "additionalProperties": False,
        "oneOf": [_call_shape(call) for call in CALLS.values()],
    }


def _call_shape(call: Call) -> Shape:
    inputs = {**object_shape(call.inputs), "description": _systems_with_call(call)}
    required = ["inputs"] if inputs.get("required") else []
    shape: Shape = {
        "title": call.title,
        "properties": {"call": {"enum": [call.name]}, "inputs": inputs},
    }
    return {**shape, "required": ["call", *required]}


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
