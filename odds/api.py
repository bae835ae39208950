"""Odds and dice for programs: a call of the engine asked or played.

Nothing is stored, no account is needed. The shapes of the questions are drawn from the engine's
calls, so that the document and what is read agree.
"""

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
from engine.records import JsonObject
from odds import questions
from odds.api_schema import ODDS_QUESTION, ROLL_QUESTION

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
