"""Battles for programs, and for the recorder: set up, read, record, settle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    parser_classes,
    permission_classes,
    throttle_classes,
)
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api_tokens.authentication import calling_owner, requires_scope
from accounts.models import Scope
from battles.api import serializers
from battles.api.authentication import BatchParser, PerBattle, Recorder, body_of, key_of, refusing
from battles.models import ResultVerb
from battles.operations import setup
from battles.operations.events import append_events
from battles.operations.results import (
    StepOutcome,
    confirm_result,
    correct_result,
    dispute_result,
    propose_result,
    restore_result,
    void_result,
)
from battles.queries.battles import load_battle, load_events, load_state
from battles.queries.previews import preview_consequences
from battles.queries.records import BattleRecord
from rulesdata.api import LIST_REFUSALS, REFUSAL, REFUSED

TAG = "battles"
READ = ["GET", "HEAD"]
TOKEN = OpenApiParameter(
    "token",
    {"type": "string", "pattern": "^[A-Za-z0-9_-]{16}$"},
    OpenApiParameter.PATH,
    description="The battle's id.",
)
KEY = OpenApiParameter(
    "X-Battle-Key",
    str,
    OpenApiParameter.HEADER,
    description="The battle's key, where the body does not hold it.",
)
NOT_THERE = OpenApiResponse(
    REFUSAL, description="There is no such battle, or it is not shared with the caller."
)
NOT_THEIRS = OpenApiResponse(
    REFUSAL, description="Not the caller's to do: another side's, an organiser's, a key's."
)
READING: dict[Any, Any] = {404: NOT_THERE, 429: LIST_REFUSALS[429]}
WRITING: dict[Any, Any] = {
    400: REFUSED,
    413: OpenApiResponse(REFUSAL, description="The body is too large."),
    415: OpenApiResponse(REFUSAL, description="The body is not sent as application/json."),
    **READING,
}
DECIDING: dict[Any, Any] = {
    **WRITING,
    403: NOT_THEIRS,
    409: OpenApiResponse(
        REFUSAL, description="It does not go with how the result stands, or that has changed since."
    ),
    422: OpenApiResponse(
        REFUSAL, description="The Idempotency-Key was used before for something else."
    ),
}
RESULT_KEYS = ("winner", "how", "side", "reason", "events", "number", "key", "author")
TAKES: dict[str, tuple[str, ...]] = {
    ResultVerb.PROPOSE: ("winner", "how", "events"),
    ResultVerb.CORRECT: ("winner", "how", "events"),
    ResultVerb.DISPUTE: ("winner", "how"),
}
WRITERS: dict[str, Callable[..., StepOutcome]] = {
    ResultVerb.PROPOSE: propose_result,
    ResultVerb.CONFIRM: confirm_result,
    ResultVerb.DISPUTE: dispute_result,
    ResultVerb.CORRECT: correct_result,
    ResultVerb.VOID: void_result,
    ResultVerb.RESTORE: restore_result,
}


@extend_schema(
    operation_id="open_battle",
    request=serializers.BattleDocument,
    responses={201: serializers.OpenedAnswer, **WRITING},
    tags=[TAG],
)
@api_view(["POST"])
@authentication_classes([Recorder])
@permission_classes([requires_scope(Scope.BATTLES)])
def open_battle(request: Request) -> Response:
    """Set a battle up: two to eight sides, each locked as it is now.

    The key lets its holder record it.
    """
    arguments = serializers.opening(body_of(request, serializers.OPENING, ("system", "sides")))
    key = request.headers.get("Idempotency-Key", "")
    draft = setup.BattleDraft(**arguments)
    done = refusing(lambda: setup.open_battle(calling_owner(request), draft, request_key=key))
    return Response(serializers.opened(_record(request, done.token, done.key)), status=201)


@extend_schema(
    operation_id="read_battle",
    parameters=[TOKEN, KEY],
    responses={200: serializers.BUNDLE, **READING},
    tags=[TAG],
)
@api_view(READ)
@authentication_classes([Recorder])
@throttle_classes([PerBattle])
def read_battle(request: Request, token: str) -> Response:
    """Everything there is of a battle: its rules as tables, its sides, every event and the result."""
    return Response(serializers.bundle(_record(request, token)))


@extend_schema(
    operation_id="read_state",
    parameters=[TOKEN, KEY],
    responses={200: serializers.STATE, **READING},
    tags=[TAG],
)
@api_view(READ)
@authentication_classes([Recorder])
@throttle_classes([PerBattle])
def read_state(request: Request, token: str) -> Response:
    """What the events come to: the turn, every combatant, each side with its Rout, the end."""
    found = load_state(calling_owner(request), token, key_of(request, token))
    if found is None:
        raise NotFound("There is no such battle, or it is not shared with you.")
    return Response(serializers.state(found))


@extend_schema(
    methods=["GET"],
    operation_id="list_events",
    parameters=[
        TOKEN,
        KEY,
        OpenApiParameter(
            "after", {"type": "integer", "minimum": 0, "default": 0}, description="A position."
        ),
    ],
    responses={200: serializers.LATER_EVENTS, 400: REFUSED, **READING},
    tags=[TAG],
)
@extend_schema(
    methods=["POST"],
    operation_id="append_events",
    parameters=[TOKEN, KEY],
    request=serializers.EventsDocument,
    responses={200: serializers.EventsAnswer, **WRITING, 403: NOT_THEIRS},
    tags=[TAG],
)
@api_view(["GET", "POST"])
@authentication_classes([Recorder])
@permission_classes([requires_scope(Scope.BATTLES)])
@throttle_classes([PerBattle])
@parser_classes([BatchParser])
def events(request: Request, token: str) -> Response:
    """The events that arrived after a position; or more of them, each accepted, known already, or
    refused by itself.
    """
    actor = calling_owner(request)
    if request.method == "POST":
        body = body_of(request, ("events", "key", "author"), ("events",))
        sent, author, key = (
            serializers.events(body),
            serializers.text(body, "author"),
            key_of(request, token),
        )
        done = refusing(lambda: append_events(actor, token, key, sent, author=author))
        return Response(serializers.recorded(done))
    found = load_events(actor, token, key_of(request, token), after=_after(request))
    if found is None:
        raise NotFound("There is no such battle, or it is not shared with you.")
    return Response(serializers.later(*found))


@extend_schema(
    operation_id="decide_result",
    parameters=[
        TOKEN,
        KEY,
        OpenApiParameter(
            "verb", {"type": "string", "enum": ResultVerb.values}, OpenApiParameter.PATH
        ),
        OpenApiParameter(
            "preview",
            {"type": "string", "enum": ["0", "1"], "default": "0"},
            description="1 answers what it would change, and changes nothing.",
        ),
        OpenApiParameter(
            "Idempotency-Key",
            str,
            OpenApiParameter.HEADER,
            description="Sent again, the step is taken once.",
        ),
    ],
    request=serializers.ResultDocument,
    responses={200: serializers.DECIDED, **DECIDING},
    tags=[TAG],
)
@api_view(["POST"])
@authentication_classes([Recorder])
@permission_classes([requires_scope(Scope.BATTLES)])
@throttle_classes([PerBattle])
def decide_result(request: Request, token: str, verb: str) -> Response:
    """One step of the result: propose, confirm, dispute, correct, void or restore it."""
    if verb not in WRITERS:
        raise NotFound(f"The steps are {', '.join(WRITERS)}.")
    body = body_of(request, RESULT_KEYS)
    takes = (*TAKES.get(verb, ()), "side", "reason")
    arguments: dict[str, Any] = {
        name: serializers.text(body, name) for name in ("how", "side", "reason") if name in takes
    }
    if "winner" in takes:
        arguments["winner"] = serializers.text(body, "winner") or None
    if "events" in takes:
        arguments["events"] = serializers.events(body)
    actor, key, expected = (
        calling_owner(request),
        key_of(request, token),
        serializers.parse_int(body, "number"),
    )
    if _is_preview(request):
        told = refusing(
            lambda: preview_consequences(
                actor, token, key, verb=verb, **arguments, expected=expected
            )
        )
        return Response(serializers.preview(told))
    kept = {
        "request_key": request.headers.get("Idempotency-Key", ""),
        "author": serializers.text(body, "author"),
    }
    refusing(lambda: WRITERS[verb](actor, token, key, **arguments, expected=expected, **kept))
    return Response(serializers.result(_record(request, token, key).result))


def _record(request: Request, token: str, key: str | None = None) -> BattleRecord:
    found = load_battle(
        calling_owner(request), token, key_of(request, token) if key is None else key
    )
    if found is None:
        raise NotFound("There is no such battle, or it is not shared with you.")
    return found


def _after(request: Request) -> int:
    asked = request.query_params.get("after", "0")
    if not (len(asked) <= 9 and asked.isascii() and asked.isdigit()):
        raise ValidationError({"after": ["after must be a whole number from 0."]})
    return int(asked)


def _is_preview(request: Request) -> bool:
    asked = request.query_params.get("preview", "0")
    if asked not in ("0", "1"):
        raise ValidationError({"preview": ["preview must be 0 or 1."]})
    return asked == "1"


urlpatterns = [
    path("battles/", open_battle, name="api-battle-open"),
    path("battles/<str:token>/", read_battle, name="api-battle-read"),
    path("battles/<str:token>/state/", read_state, name="api-battle-state"),
    path("battles/<str:token>/events/", events, name="api-battle-events"),
    path("battles/<str:token>/result/<str:verb>/", decide_result, name="api-battle-result"),
]
