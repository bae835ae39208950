"""The rounds of an event for programs: list, plan, read with their fixtures, draw, publish and the other steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from accounts.owner import Owner
from accounts.programs.api import Visitor, calling_owner, calling_person, requires_scope
from accounts.programs.api_pages import PAGES, page_answer, page_asked, page_of_rows, page_shape
from accounts.programs.api_versions import IF_MATCH, expected, versioned
from campaigns.api.asking import body_of
from campaigns.api.events import answers, reading, shapes
from campaigns.api.events.asking import found, refusing
from campaigns.api.reading import text
from campaigns.operations.events import rounds as op
from campaigns.operations.events.drawing import draw_round
from campaigns.queries.events.loading import load_event
from campaigns.queries.events.schedule import load_rounds, load_schedule
from rulesdata.api import LIST_REFUSALS

TAG = "leagues"
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
    parameters=[shapes.EVENT, *PAGES],
    responses={200: page_shape("RoundPage", shapes.ROUND_ROW), **LIST_REFUSALS},
    tags=[TAG],
)
@extend_schema(
    methods=["POST"],
    operation_id="add_round",
    description="One more round, planned, by organisers.",
    parameters=[shapes.EVENT],
    request=shapes.RoundDocument,
    responses={201: shapes.ROUND_ANSWER, **shapes.WRITING},
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
        return page_answer(request, page_of_rows(load_rounds(record), **asked), answers.round_row)
    actor, body = calling_person(request), body_of(request, reading.ROUND_KEYS)
    planned = reading.planned_round(body)
    number = refusing("event", lambda: op.add_round(actor, token, **planned))
    return _whole(actor, token, number, 201)


@extend_schema(
    operation_id="read_round",
    parameters=[shapes.EVENT, shapes.NUMBER],
    responses={200: shapes.ROUND_ANSWER, **shapes.READING},
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
        shapes.EVENT,
        shapes.NUMBER,
        OpenApiParameter("step", {"type": "string", "enum": list(STEPS)}, OpenApiParameter.PATH),
        IF_MATCH,
    ],
    request=shapes.RoundStep,
    responses={200: shapes.ROUND_ANSWER, **shapes.CHANGING},
    tags=[TAG],
)
@api_view(["POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.EVENTS)])
def round_step(request: Request, token: str, number: int, step: str) -> Response:
    """Draw a round, publish it, close it; open it again; or take it back while nothing of it is played."""
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
    fixtures = [answers.fixture(fixture) for fixture in schedule.fixtures]
    told = {**answers.round_row(record), "fixtures": fixtures}
    return versioned(Response(told, status=status), schedule.event.version)


urlpatterns = [
    path("events/<str:token>/rounds/", rounds, name="api-event-rounds"),
    path("events/<str:token>/rounds/<int:number>/", round_read, name="api-event-round"),
    path(
        "events/<str:token>/rounds/<int:number>/<str:step>/",
        round_step,
        name="api-event-round-step",
    ),
]
