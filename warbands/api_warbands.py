"""A person's warbands for programs: list, read, add, and replace by a roster document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.urls import path
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import exceptions, serializers
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from accounts.programs.api import Visitor, calling_owner, calling_person, requires_scope
from accounts.programs.api_pages import PAGES, page_answer, page_asked, page_shape
from accounts.programs.api_versions import IF_MATCH, PreconditionFailed, expected, versioned
from rulesdata.api import LIST_REFUSALS, REFUSAL
from warbands import operations, queries
from warbands.api import REFUSALS, CheckAnswer, RosterDocument, check_answer
from warbands.errors import DocumentError, KeyReused, NotFound, Refusal, StaleVersion
from warbands.exchange.document import to_document
from warbands.queries import WarbandRecord, WarbandRow

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
    """One's own warbands, the last changed first; or another one from a roster document, private at first."""
    actor = calling_person(request)
    if request.method == "POST":
        key = request.headers.get("Idempotency-Key", "")
        done = refusing(lambda: operations.import_document(actor, request.data, key=key))
        return versioned(
            Response({"id": done.token, "version": done.version}, status=201), done.version
        )
    archived = _flag(request, "archived")
    return page_answer(
        request, queries.warbands_of(actor, archived=archived, **page_asked(request)), _row
    )


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
    description="The roster in the place of what is there; system, variant and army must be the warband's own.",
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
    """A warband the caller may open, with its document; or, of one's own, the roster in the place of what is there."""
    if request.method == "PUT":
        actor, version = calling_person(request), expected(request)
        done = refusing(
            lambda: operations.replace_roster(actor, token, request.data, version=version)
        )
        return versioned(Response({"id": done.token, "version": done.version}), done.version)
    record = queries.load_warband(calling_owner(request), token)
    if record is None:
        raise exceptions.NotFound(NOBODYS)
    return versioned(Response(_whole(record, calling_owner(request).user_id)), record.version)


def refusing(call: Callable[[], T]) -> T:
    """The call's answer; what it refuses becomes a status and a sentence."""
    try:
        return call()
    except NotFound:
        raise exceptions.NotFound(NOBODYS) from None
    except StaleVersion as stale:
        raise PreconditionFailed(stale.message) from None
    except DocumentError as error:
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
        "check": check_answer(queries.check_warband(record)),
    }


def _flag(request: Request, name: str) -> bool:
    asked = request.query_params.get(name, "0")
    if asked not in ("0", "1"):
        raise exceptions.ValidationError({name: [f"{name} must be 0 or 1."]})
    return asked == "1"


urlpatterns = [
    path("warbands/", warbands, name="api-warbands"),
    path("warbands/<str:token>/", warband, name="api-warband"),
]
