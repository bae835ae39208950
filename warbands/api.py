"""Rosters for programs: check a roster document, and print it.

Neither stores anything nor needs an account.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import exceptions, serializers
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api_tokens.authentication import (
    StoresNothing,
    Visitor,
    calling_owner,
    calling_person,
    requires_scope,
)
from accounts.api_tokens.http import (
    IF_MATCH,
    PAGES,
    PreconditionFailed,
    expected,
    page_answer,
    page_asked,
    page_shape,
    versioned,
)
from accounts.errors import FaultyDocument, KeyReused, NotFound, Refusal, Stale
from accounts.models import Scope
from engine.roster import MAX_COUNT, MAX_ENTRIES, MAX_LIMIT, Roster
from rulesdata.api import LIST_REFUSALS, REFUSAL, REFUSED
from warbands.checking import CheckedRoster
from warbands.exchange.document import FORMAT, parse, to_document
from warbands.models import KEY_MAX, NAME_MAX, NOTE_MAX, WARRIOR_NOTE_MAX
from warbands.operations.warbands import import_document, replace_roster
from warbands.pdf import DEFAULT_PARTS, PAPERS, PARTS, PdfFailed, PdfTooLarge, roster_pdf
from warbands.queries.lists import warbands_of
from warbands.queries.records import WarbandRecord, WarbandRow
from warbands.queries.warbands import check_document, check_warband, load_warband, sheet_of_roster
from warbands.roster_fields import MAX_OPTIONS


class WarriorDocument(serializers.Serializer[Any]):
    """One entry of a roster document. Any other key is refused."""

    profile = serializers.CharField(max_length=KEY_MAX, help_text="Key of a profile of the army.")
    name = serializers.CharField(required=False, allow_blank=True, max_length=NAME_MAX, default="")
    count = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_COUNT,
        default=1,
        help_text="Miniatures alike; a leader is one.",
    )
    leader = serializers.BooleanField(required=False, default=False)
    options = serializers.ListField(
        child=serializers.CharField(max_length=KEY_MAX, allow_blank=True),
        required=False,
        max_length=MAX_OPTIONS,
        default=list,
        help_text="What is bought beyond the profile: option keys, champion, musician, "
        "standard-bearer, magic/<key>; "
        "one sold by the piece stands here once for each piece.",
    )
    lore = serializers.CharField(required=False, allow_blank=True, max_length=KEY_MAX, default="")
    note = serializers.CharField(
        required=False, allow_blank=True, max_length=WARRIOR_NOTE_MAX, default=""
    )


class RosterDocument(serializers.Serializer[Any]):
    """The roster document muster-roll/1. Any other key is refused."""

    format = serializers.ChoiceField(choices=[FORMAT])
    system = serializers.CharField(max_length=KEY_MAX, help_text="Key of a rule system.")
    variant = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Of the rule system; null where it has none, and needed where it has some.",
    )
    tags = serializers.ListField(
        child=serializers.CharField(max_length=KEY_MAX),
        required=False,
        default=list,
        help_text="Tags of the system.",
    )
    army = serializers.CharField(
        max_length=KEY_MAX, help_text="Key of an army list that the system fields."
    )
    name = serializers.CharField(required=False, allow_blank=True, max_length=NAME_MAX, default="")
    points_limit = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_LIMIT,
        default=None,
        help_text="Null where none was agreed.",
    )
    scenario = serializers.CharField(
        required=False, allow_null=True, default=None, help_text="Key of a scenario of the system."
    )
    house_rules = serializers.DictField(
        child=serializers.BooleanField(),
        required=False,
        default=dict,
        help_text="Switches of the system, by key.",
    )
    warriors = serializers.ListField(child=WarriorDocument(), max_length=MAX_ENTRIES)
    note = serializers.CharField(required=False, allow_blank=True, max_length=NOTE_MAX, default="")


class FindingAnswer(serializers.Serializer[Any]):
    """One finding."""

    code = serializers.CharField()
    level = serializers.ChoiceField(choices=["error", "warning", "note"])
    message = serializers.CharField()
    warriors = serializers.ListField(
        child=serializers.IntegerField(), help_text="Indexes into warriors, from 0."
    )
    source = serializers.CharField()  # type: ignore[assignment]  # a key of ours, not the framework's attribute


class CheckedWarriorAnswer(serializers.Serializer[Any]):
    """What one entry comes to."""

    points = serializers.IntegerField(help_text="Of all miniatures of the entry.")
    armour_save = serializers.IntegerField(
        allow_null=True, help_text="5 for 5+, before situational bonuses."
    )
    leadership = serializers.IntegerField(
        allow_null=True, help_text="Its own, or its champion's; never the mount's."
    )


class CheckAnswer(serializers.Serializer[Any]):
    """The roster's price and findings; warriors stand in the order of the document."""

    points = serializers.IntegerField(help_text="Of the whole roster.")
    models = serializers.IntegerField(help_text="Miniatures on the table.")
    findings = FindingAnswer(many=True)
    warriors = CheckedWarriorAnswer(many=True)


REFUSALS: dict[Any, Any] = {
    400: REFUSED,
    413: OpenApiResponse(REFUSAL, description="The body is larger than 1 MiB."),
    415: OpenApiResponse(REFUSAL, description="The body is not sent as application/json."),
    429: LIST_REFUSALS[429],
}


@extend_schema(
    operation_id="check_roster",
    request=RosterDocument,
    responses={200: CheckAnswer, **REFUSALS},
    tags=["rosters"],
)
@api_view(["POST"])
@permission_classes([StoresNothing])
def check_roster(request: Request) -> Response:
    """Price a roster document and check it against the guidelines and its own army list."""
    return Response(check_answer(_refusing(lambda: check_document(request.data))))


def check_answer(checked: CheckedRoster) -> dict[str, Any]:
    """The answer as the API prints it."""
    return {
        "points": checked.points,
        "models": checked.models,
        "findings": [
            {
                "code": f.code,
                "level": f.level,
                "message": f.message,
                "warriors": list(f.warriors),
                "source": f.source,
            }
            for f in checked.findings
        ],
        "warriors": [
            {"points": w.points, "armour_save": w.armour_save, "leadership": w.leadership}
            for w in checked.warriors
        ],
    }


@extend_schema(
    operation_id="print_sheet",
    request=RosterDocument,
    parameters=[
        OpenApiParameter("paper", {"type": "string", "enum": list(PAPERS), "default": "a4"}),
        OpenApiParameter(
            "parts",
            {"type": "string", "default": ",".join(DEFAULT_PARTS)},
            description=(
                f"One or more of {', '.join(PARTS)}, with commas between, in the order to print "
                "them."
            ),
        ),
    ],
    responses={
        (200, "application/pdf"): OpenApiTypes.BINARY,
        **REFUSALS,
        503: OpenApiResponse(REFUSAL, description="It took too long to draw; try again."),
    },
    tags=["rosters"],
)
@api_view(["POST"])
@permission_classes([StoresNothing])
def print_sheet(request: Request) -> HttpResponse:
    """The roster sheet of a document as a PDF."""
    paper = _one_of("paper", request.query_params.get("paper", "a4"), PAPERS)
    asked = request.query_params.get("parts", ",".join(DEFAULT_PARTS)).split(",")
    parts = tuple(dict.fromkeys(_one_of("parts", part.strip(), PARTS) for part in asked))
    roster: Roster = _refusing(lambda: parse(request.data))
    sheet = sheet_of_roster(roster)
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
    shown = value[:40] or "nothing"
    raise ValidationError({field: [f"Must be {' or '.join(choices)}, not {shown}."]})


def _refusing(call: Callable[[], Any]) -> Any:
    """The call's answer; what the document gets wrong becomes a 400 with a sentence for each field."""
    try:
        return call()
    except FaultyDocument as error:
        raise ValidationError([{fault.path: [fault.message]} for fault in error.faults]) from None


T = TypeVar("T")
TAG = "warbands"
NOBODYS = "There is no such warband, or it is not shared with you."
TEXT, WHOLE = serializers.CharField, serializers.IntegerField
ID = OpenApiParameter(
    "token",
    {"type": "string", "pattern": "^[A-Za-z0-9_-]{16}$"},
    OpenApiParameter.PATH,
    description="The warband's id.",
)
ARCHIVED = OpenApiParameter("archived", {"type": "string", "enum": ["0", "1"], "default": "0"})
NOT_THERE = OpenApiResponse(REFUSAL, description=NOBODYS)
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Sent again, the warband is made once.",
)


class WarbandRowAnswer(serializers.Serializer[Any]):
    """A warband in a list."""

    id = TEXT()
    name = TEXT(allow_blank=True)
    system = TEXT()
    variant = TEXT(allow_null=True)
    army = TEXT()
    points = WHOLE()
    points_limit = WHOLE(allow_null=True)
    models = WHOLE()
    errors = WHOLE()  # type: ignore[assignment]  # a key of ours, not the framework's attribute
    warnings = WHOLE()
    visibility = TEXT(help_text="private, link, club or public.")
    updated_at = serializers.DateTimeField()


class WarbandAnswer(serializers.Serializer[Any]):
    """A warband: its document, and what that comes to."""

    id = TEXT()
    version = WHOLE(help_text="Also in the header ETag.")
    visibility = TEXT(help_text="private, link, club or public.")
    is_mine = serializers.BooleanField()
    roster = RosterDocument()
    check = CheckAnswer()


MADE = inline_serializer("MadeWarband", {"id": TEXT(), "version": WHOLE()})
WRITING: dict[Any, Any] = {
    **REFUSALS,
    422: OpenApiResponse(REFUSAL, description="The key was used for another one."),
}


@extend_schema(
    methods=["GET"],
    operation_id="list_warbands",
    description="One's own warbands, the last changed first.",
    parameters=[ARCHIVED, *PAGES],
    responses={200: page_shape("WarbandPage", WarbandRowAnswer(many=True)), **LIST_REFUSALS},
    tags=[TAG],
)
@extend_schema(
    methods=["POST"],
    operation_id="add_warband",
    description="Another warband from a roster document, private at first.",
    parameters=[KEY],
    request=RosterDocument,
    responses={201: MADE, **WRITING},
    tags=[TAG],
)
@api_view(["GET", "POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.WARBANDS)])
def warbands(request: Request) -> Response:
    """One's own warbands, the last changed first; or another one from a roster document, private at
    first.
    """
    actor = calling_person(request)
    if request.method == "POST":
        key = request.headers.get("Idempotency-Key", "")
        done = refusing(lambda: import_document(actor, request.data, key=key))
        return versioned(
            Response({"id": done.token, "version": done.version}, status=201), done.version
        )
    archived = _flag(request, "archived")
    return page_answer(request, warbands_of(actor, archived=archived, **page_asked(request)), _row)


@extend_schema(
    methods=["GET"],
    operation_id="read_warband",
    description="A warband the caller may open: its document, and what that comes to.",
    parameters=[ID],
    responses={200: WarbandAnswer, 404: NOT_THERE, 429: LIST_REFUSALS[429]},
    tags=[TAG],
)
@extend_schema(
    methods=["PUT"],
    operation_id="replace_roster",
    description=(
        "The roster in the place of what is there; system, variant and army must be the "
        "warband's own."
    ),
    parameters=[ID, IF_MATCH],
    request=RosterDocument,
    responses={
        200: MADE,
        **REFUSALS,
        404: NOT_THERE,
        412: OpenApiResponse(REFUSAL, description="It has changed since it was read."),
        428: OpenApiResponse(REFUSAL, description="If-Match is missing."),
    },
    tags=[TAG],
)
@api_view(["GET", "PUT"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.WARBANDS)])
def warband(request: Request, token: str) -> Response:
    """A warband the caller may open, with its document; or, of one's own, the roster in the place
    of what is there.
    """
    if request.method == "PUT":
        actor, version = calling_person(request), expected(request)
        done = refusing(lambda: replace_roster(actor, token, request.data, version=version))
        return versioned(Response({"id": done.token, "version": done.version}), done.version)
    record = load_warband(calling_owner(request), token)
    if record is None:
        raise exceptions.NotFound(NOBODYS)
    return versioned(Response(_whole(record, calling_owner(request).user_id)), record.version)


def refusing(call: Callable[[], T]) -> T:
    """The call's answer; what it refuses becomes a status and a sentence."""
    try:
        return call()
    except NotFound:
        raise exceptions.NotFound(NOBODYS) from None
    except Stale as stale:
        raise PreconditionFailed(stale.message) from None
    except FaultyDocument as error:
        raise exceptions.ValidationError(
            [{fault.path: [fault.message]} for fault in error.faults]
        ) from None
    except KeyReused as refusal:
        raise Unprocessable(refusal.message) from None
    except Refusal as refusal:
        raise exceptions.ValidationError({refusal.field: [refusal.message]}) from None


class Unprocessable(exceptions.APIException):
    """A request key that was used for something else."""

    status_code = 422


def _row(row: WarbandRow) -> dict[str, Any]:
    same = (
        "name",
        "system",
        "army",
        "points",
        "points_limit",
        "models",
        "errors",
        "warnings",
        "visibility",
    )
    told = {name: getattr(row, name) for name in same}
    return {"id": row.token, **told, "variant": row.variant or None, "updated_at": row.updated_at}


def _whole(record: WarbandRecord, user_id: int | None) -> dict[str, Any]:
    return {
        "id": record.token,
        "version": record.version,
        "visibility": record.visibility,
        "is_mine": record.owner_id is not None and record.owner_id == user_id,
        "roster": to_document(record.roster),
        "check": check_answer(check_warband(record)),
    }


def _flag(request: Request, name: str) -> bool:
    asked = request.query_params.get(name, "0")
    if asked not in ("0", "1"):
        raise exceptions.ValidationError({name: [f"{name} must be 0 or 1."]})
    return asked == "1"


urlpatterns = [
    path("check/", check_roster, name="api-roster-check"),
    path("sheet/", print_sheet, name="api-sheet-print"),
    path("warbands/", warbands, name="api-warbands"),
    path("warbands/<str:token>/", warband, name="api-warband"),
]
