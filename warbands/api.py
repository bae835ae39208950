"""Rosters for programs: check a roster document, and print it. Neither stores anything nor needs an account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from engine.roster import MAX_COUNT, MAX_ENTRIES, MAX_LIMIT, Roster
from warbands import queries
from warbands.checking import CheckedRoster
from warbands.errors import DocumentError
from warbands.exchange.document import FORMAT, parse
from warbands.pdf import PAPERS, PARTS, PdfFailed, PdfTooLarge, roster_pdf

DEFAULT_PARTS = ("roster", "reference")


class WarriorDocument(serializers.Serializer[Any]):
    """One entry of a roster document."""

    profile = serializers.CharField(max_length=100, help_text="Key of a profile of the army.")
    name = serializers.CharField(required=False, allow_blank=True, max_length=200)
    count = serializers.IntegerField(required=False, min_value=1, max_value=MAX_COUNT, default=1)
    leader = serializers.BooleanField(required=False, default=False)
    options = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        max_length=100,
        help_text="Option keys, champion, musician, standard-bearer, magic/<key>.",
    )
    lore = serializers.CharField(required=False, allow_blank=True, max_length=200)
    note = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class RosterDocument(serializers.Serializer[Any]):
    """The roster document muster-roll/1. Any other key is refused."""

    format = serializers.ChoiceField(choices=[FORMAT])
    system = serializers.CharField(max_length=100)
    variant = serializers.CharField(required=False, allow_null=True)
    army = serializers.CharField(max_length=100)
    name = serializers.CharField(required=False, allow_blank=True, max_length=200)
    points_limit = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=MAX_LIMIT)
    scenario = serializers.CharField(required=False, allow_null=True)
    house_rules = serializers.DictField(child=serializers.BooleanField(), required=False)
    warriors = serializers.ListField(child=WarriorDocument(), max_length=MAX_ENTRIES)
    note = serializers.CharField(required=False, allow_blank=True, max_length=4000)


class FindingAnswer(serializers.Serializer[Any]):
    code = serializers.CharField()
    level = serializers.ChoiceField(choices=["error", "warning", "note"])
    message = serializers.CharField()
    warriors = serializers.ListField(child=serializers.IntegerField(), help_text="Indexes into warriors, from 0.")
    source = serializers.CharField()


class CheckedWarriorAnswer(serializers.Serializer[Any]):
    points = serializers.IntegerField(help_text="Of all miniatures of the entry.")
    armour_save = serializers.IntegerField(allow_null=True, help_text="5 for 5+, before situational bonuses.")
    leadership = serializers.IntegerField(allow_null=True)


class CheckAnswer(serializers.Serializer[Any]):
    points = serializers.IntegerField()
    models = serializers.IntegerField()
    findings = FindingAnswer(many=True)
    warriors = CheckedWarriorAnswer(many=True)


REFUSED = OpenApiResponse(
    inline_serializer(
        "Refusal",
        {
            "detail": serializers.CharField(),
            "errors": serializers.ListField(
                child=inline_serializer(
                    "RefusedField", {"field": serializers.CharField(), "message": serializers.CharField()}
                )
            ),
        },
    ),
    description="Refused, with the fields that are wrong and their limits.",
)
REFUSALS: dict[Any, Any] = {400: REFUSED, 413: REFUSED, 415: REFUSED, 429: REFUSED}


@extend_schema(request=RosterDocument, responses={200: CheckAnswer, **REFUSALS}, tags=["rosters"])
@api_view(["POST"])
def check_roster(request: Request) -> Response:
    """Price a roster document and check it against the guidelines and its own army list."""
    return Response(check_answer(_refusing(lambda: queries.check_document(request.data))))


def check_answer(checked: CheckedRoster) -> dict[str, Any]:
    """The answer as the API prints it."""
    return {
        "points": checked.points,
        "models": checked.models,
        "findings": [
            {"code": f.code, "level": f.level, "message": f.message, "warriors": list(f.warriors), "source": f.source}
            for f in checked.findings
        ],
        "warriors": [
            {"points": w.points, "armour_save": w.armour_save, "leadership": w.leadership} for w in checked.warriors
        ],
    }


@extend_schema(
    request=RosterDocument,
    parameters=[
        OpenApiParameter("paper", enum=list(PAPERS), description="Paper size, a4 if left out."),
        OpenApiParameter("parts", description=f"Comma-separated: {', '.join(PARTS)}. roster,reference if left out."),
    ],
    responses={(200, "application/pdf"): OpenApiTypes.BINARY, **REFUSALS, 503: REFUSED},
    tags=["rosters"],
)
@api_view(["POST"])
def print_sheet(request: Request) -> HttpResponse:
    """The roster sheet of a document as a PDF."""
    paper = _one_of("paper", request.query_params.get("paper", "a4"), PAPERS)
    asked = request.query_params.get("parts", ",".join(DEFAULT_PARTS)).split(",")
    parts = tuple(dict.fromkeys(_one_of("parts", part.strip(), PARTS) for part in asked))
    roster: Roster = _refusing(lambda: parse(request.data))
    sheet = queries.sheet_of_roster(roster)
    try:
        pdf = roster_pdf(sheet, paper, parts)
    except PdfTooLarge as error:
        raise ValidationError({"warriors": [str(error)]}) from None
    except PdfFailed as error:
        raise _Unavailable(str(error)) from None
    response = HttpResponse(pdf, content_type="application/pdf")
    response["Content-Disposition"] = 'inline; filename="roster.pdf"'
    return response


class _Unavailable(APIException):
    status_code = 503


def _one_of(field: str, value: str, choices: tuple[Any, ...]) -> Any:
    for choice in choices:
        if value == choice:
            return choice
    raise ValidationError({field: [f"Must be {' or '.join(choices)}."]})


def _refusing(call: Callable[[], Any]) -> Any:
    """The call's answer; what the document gets wrong becomes a 400 with a sentence for each field."""
    try:
        return call()
    except DocumentError as error:
        raise ValidationError([{fault.path: [fault.message]} for fault in error.faults]) from None


urlpatterns = [
    path("check/", check_roster, name="api-roster-check"),
    path("sheet/", print_sheet, name="api-sheet-print"),
]
