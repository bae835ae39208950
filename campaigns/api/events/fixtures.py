"""One fixture for programs: read it, and say how it ended."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from accounts.programs.api import Visitor, calling_owner, calling_person, requires_scope
from accounts.programs.api_versions import IF_MATCH, expected, versioned
from campaigns.api.asking import body_of
from campaigns.api.events import answers, reading, shapes
from campaigns.api.events.asking import found, refusing
from campaigns.operations.events.playing import report_result
from campaigns.queries.events.schedule import load_scheduled

TAG = "leagues"


@extend_schema(
    operation_id="read_fixture",
    parameters=[shapes.FIXTURE],
    responses={200: shapes.FIXTURE_ANSWER, **shapes.READING},
    tags=[TAG],
)
@api_view(["GET", "HEAD"])
@authentication_classes([Visitor])
def fixture_read(request: Request, fixture: str) -> Response:
    """Who meets whom, where and over what, and what it came to."""
    event, record = found("fixture", load_scheduled(calling_owner(request), fixture))
    return versioned(Response({**answers.fixture(record), "event": event.token}), record.version)


@extend_schema(
    operation_id="report_fixture",
    parameters=[shapes.FIXTURE, IF_MATCH, shapes.KEY],
    request=shapes.ReportDocument,
    responses={200: shapes.REPORTED, **shapes.CHANGING},
    tags=[TAG],
)
@api_view(["POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.EVENTS)])
def fixture_result(request: Request, fixture: str) -> Response:
    """How it ended. A player's report waits for the other side; an organiser's who does not play in it is final."""
    actor, version = calling_person(request), expected(request)
    said = reading.report(body_of(request, ("winner", "how", "figures", "reason"), ("how",)))
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
        record.version,
    )


urlpatterns = [
    path("fixtures/<str:fixture>/", fixture_read, name="api-fixture"),
    path("fixtures/<str:fixture>/result/", fixture_result, name="api-fixture-result"),
]
