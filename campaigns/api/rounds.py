"""The rounds of an event for programs: list, plan, read with their fixtures, draw, publish and the
other steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api_tokens.authentication import (
    Visitor,
    calling_owner,
    calling_person,
    requires_scope,
)
from accounts.api_tokens.http import (
    IF_MATCH,
    PAGES,
    expected,
    page_answer,
    page_asked,
    page_of_rows,
    page_shape,
    versioned,
)
from accounts.models import Scope
from accounts.owner import Owner
from battles.api.authentication import body_of
from battles.api.serializers import text
from campaigns.api import serializers
from campaigns.api.errors import found, refusing
from campaigns.operations import rounds as op
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import report_result
from campaigns.queries.events import load_event
from campaigns.queries.schedule import load_rounds, load_schedule, load_scheduled
from rulesdata.api import LIST_REFUSALS

TAG = "leagues"


@extend_schema(
    operation_id="read_fixture",
    parameters=[serializers.FIXTURE],
    responses={200: serializers.FIXTURE_ANSWER, **serializers.READING},
    tags=[TAG],
)
@api_view(["GET", "HEAD"])
@authentication_classes([Visitor])
def fixture_read(request: Request, fixture: str) -> Response:
    """Who meets whom, where and over what, and what it came to."""
    event, record = found("fixture", load_scheduled(calling_owner(request), fixture))
    return versioned(
        Response({**serializers.fixture(record), "event": event.token}), record.record.version
    )


@extend_schema(
    operation_id="report_fixture",
    parameters=[serializers.FIXTURE, IF_MATCH, serializers.KEY],
    request=serializers.ReportDocument,
    responses={200: serializers.REPORTED, **serializers.CHANGING},
    tags=[TAG],
)
@api_view(["POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.EVENTS)])
def fixture_result(request: Request, fixture: str) -> Response:
    """How it ended.

    A player's report waits for the other side; an organiser's who does not play in it is final.
    """
    actor, version = calling_person(request), expected(request)
    said = serializers.report(body_of(request, ("winner", "how", "figures", "reason"), ("how",)))
    event, _ = found("fixture", load_scheduled(actor, fixture))
    key = request.headers.get("Idempotency-Key", "")
    done = refusing(
        "fixture",
        lambda: report_result(
            actor, event.token, fixture, **said, expected=version, request_key=key
        ),
    )
    _, record = found("fixture", load_scheduled(actor, fixture))
    return versioned(
        Response({"battle": done.battle, "status": done.status, "number": done.number}),
        record.record.version,
    )


STEPS: dict[str, Callable[..., Any]] = {
    "draw": draw_round,
    "publish": op.publish_round,
    "close": op.close_round,
    "reopen": op.reopen_round,
    "withdraw": op.withdraw_round,
}


@extend_schema(
    methods=["GET"],
    operation_id="list_rounds",
    description="The rounds by number.",
    parameters=[serializers.EVENT, *PAGES],
    responses={200: page_shape("RoundPage", serializers.ROUND_ROW), **LIST_REFUSALS},
    tags=[TAG],
)
@extend_schema(
    methods=["POST"],
    operation_id="add_round",
    description="One more round, planned, by organisers.",
    parameters=[serializers.EVENT],
    request=serializers.RoundDocument,
    responses={201: serializers.ROUND_ANSWER, **serializers.WRITING},
    tags=[TAG],
)
@api_view(["GET", "POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.EVENTS)])
def rounds(request: Request, token: str) -> Response:
    """The rounds by number; or one more, planned."""
    if request.method == "GET":
        asked, record = (
            page_asked(request),
            found("event", load_event(calling_owner(request), token)),
        )
        return page_answer(
            request, page_of_rows(load_rounds(record), **asked), serializers.round_row
        )
    actor, body = calling_person(request), body_of(request, serializers.ROUND_KEYS)
    planned = serializers.planned_round(body)
    number = refusing("event", lambda: op.add_round(actor, token, **planned))
    return _whole(actor, token, number, 201)


@extend_schema(
    operation_id="read_round",
    parameters=[serializers.EVENT, serializers.NUMBER],
    responses={200: serializers.ROUND_ANSWER, **serializers.READING},
    tags=[TAG],
)
@api_view(["GET", "HEAD"])
@authentication_classes([Visitor])
def round_read(request: Request, token: str, number: int) -> Response:
    """A round with its fixtures; those of a draft for organisers alone. The ETag is the event's."""
    return _whole(calling_owner(request), token, number)


@extend_schema(
    operation_id="change_round",
    parameters=[
        serializers.EVENT,
        serializers.NUMBER,
        OpenApiParameter("step", {"type": "string", "enum": list(STEPS)}, OpenApiParameter.PATH),
        IF_MATCH,
    ],
    request=serializers.RoundStep,
    responses={200: serializers.ROUND_ANSWER, **serializers.CHANGING},
    tags=[TAG],
)
@api_view(["POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.EVENTS)])
def round_step(request: Request, token: str, number: int, step: str) -> Response:
    """Draw a round, publish it, close it; open it again; or take it back while nothing of it is
    played.
    """
    if step not in STEPS:
        raise NotFound(f"The steps are {', '.join(STEPS)}.")
    actor, version = calling_person(request), expected(request)
    body = body_of(request, ("seed",) if step == "draw" else ())
    said = {"seed": text(body, "seed")} if step == "draw" else {}
    refusing("round", lambda: STEPS[step](actor, token, number, expected=version, **said))
    return _whole(actor, token, number)


def _whole(actor: Owner, token: str, number: int, status: int = 200) -> Response:
    schedule = found("event", load_schedule(actor, token, number))
    record = found("round", next((one for one in schedule.rounds if one.number == number), None))
    fixtures = [serializers.fixture(fixture) for fixture in schedule.fixtures]
    told = {**serializers.round_row(record), "fixtures": fixtures}
    return versioned(Response(told, status=status), schedule.event.version)


urlpatterns = [
    path("events/<str:token>/rounds/", rounds, name="api-event-rounds"),
    path("events/<str:token>/rounds/<int:number>/", round_read, name="api-event-round"),
    path(
        "events/<str:token>/rounds/<int:number>/<str:step>/",
        round_step,
        name="api-event-round-step",
    ),
    path("fixtures/<str:fixture>/", fixture_read, name="api-fixture"),
    path("fixtures/<str:fixture>/result/", fixture_result, name="api-fixture-result"),
]
