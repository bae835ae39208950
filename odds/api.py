"""Odds and dice for programs: a call of the engine asked or played.

Nothing is stored, no account is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api_tokens.authentication import StoresNothing
from odds import questions
from rulesdata.api import LIST_REFUSALS, REFUSAL, REFUSED

ODDS_QUESTION, ROLL_QUESTION = "OddsQuestion", "RollQuestion"
TAG = "odds and dice"
STEPS = serializers.ListField(
    child=serializers.CharField(), help_text="What is needed and why, in words."
)
VALUES = {
    "type": "object",
    "additionalProperties": {
        "nullable": True,
        "oneOf": [{"type": t} for t in ("integer", "string", "boolean")],
    },
    "description": "What goes with it and is no chance.",
}
CHANCE = {
    "type": "object",
    "properties": {
        "fraction": {"type": "string", "description": "Exactly: 11/54, 1 or 0."},
        "decimal": {"type": "number", "description": "To six places."},
    },
    "required": ["fraction", "decimal"],
}
ODDS_ANSWER = {
    "type": "object",
    "properties": {
        "outcomes": {
            "type": "object",
            "additionalProperties": CHANCE,
            "description": "Fraction and decimal of each outcome; one that is missing has no chance. "
            "Numbers to expect "
            "(expected_casualties) stand here too.",
        },
        "values": VALUES,
        "steps": {
            "type": "array",
            "items": {"type": "string"},
            "description": "What is needed and why, in words.",
        },
    },
    "required": ["outcomes", "values", "steps"],
}
THROWN = inline_serializer(
    "ThrownDie",
    {
        "why": serializers.CharField(),
        "sides": serializers.IntegerField(),
        "face": serializers.IntegerField(),
        "need": serializers.CharField(allow_blank=True, help_text="The score hoped for."),
        "outcome": serializers.CharField(allow_blank=True, help_text="What the face came to."),
    },
    many=True,
)
REFUSALS: dict[Any, Any] = {
    400: REFUSED,
    413: OpenApiResponse(REFUSAL, description="The body is larger than 1 MiB."),
    415: OpenApiResponse(REFUSAL, description="The body is not sent as application/json."),
    429: LIST_REFUSALS[429],
}


def _ref(name: str) -> dict[Any, Any]:
    return {"application/json": {"$ref": f"#/components/schemas/{name}"}}


@extend_schema(
    operation_id="ask_odds",
    request=_ref(ODDS_QUESTION),
    responses={200: ODDS_ANSWER, **REFUSALS},
    tags=[TAG],
)
@api_view(["POST"])
@permission_classes([StoresNothing])
def ask_odds(request: Request) -> Response:
    """The exact chance of each outcome of a call, from one attack to a whole round."""
    return Response(_answer_or_refuse(questions.odds, request.data))


@extend_schema(
    operation_id="roll_dice",
    request=_ref(ROLL_QUESTION),
    responses={
        200: inline_serializer(
            "RollAnswer",
            {
                "outcome": serializers.CharField(),
                "values": serializers.JSONField(),
                "steps": STEPS,
                "record": THROWN,
            },
        ),
        **REFUSALS,
    },
    tags=[TAG],
)
@api_view(["POST"])
@permission_classes([StoresNothing])
def roll_dice(request: Request) -> Response:
    """Plays a call once, with the dice given or with dice thrown here, and tells every die."""
    return Response(_answer_or_refuse(questions.roll, request.data))


def _answer_or_refuse(ask: Callable[[Any], dict[str, Any]], body: Any) -> dict[str, Any]:
    try:
        return ask(body)
    except questions.QuestionRefused as refused:
        raise ValidationError(
            {field: [message] for field, message in refused.errors.items()}
        ) from None


urlpatterns = [
    path("odds/", ask_odds, name="api-odds-ask"),
    path("roll/", roll_dice, name="api-roll"),
]
