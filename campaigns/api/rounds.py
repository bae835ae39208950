"""The rounds and fixtures of an event for programs: plan, draw, publish, read, report."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import ApiCall, Endpoint, Versioned, found
from accounts.api.serializers import Joined
from accounts.api_tokens.http import page_of_rows
from accounts.owner import Owner
from campaigns.api import serializers
from campaigns.api.events import LEAGUES, WRITING
from campaigns.operations import rounds as op
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import report_result
from campaigns.operations.rounds import RoundDraft
from campaigns.queries.events import load_event
from campaigns.queries.records import Outcome
from campaigns.queries.schedule import load_rounds, load_schedule, load_scheduled

FIXTURES = replace(LEAGUES, noun="fixture")
STEPS: dict[str, Callable[..., Any]] = {
    "draw": draw_round,
    "publish": op.publish_round,
    "close": op.close_round,
    "reopen": op.reopen_round,
    "withdraw": op.withdraw_round,
}
STEP = OpenApiParameter(
    "step", {"type": "string", "enum": list(STEPS)}, OpenApiParameter.PATH
)


@Endpoint("GET", serializers.FixtureAnswer, parameters=(serializers.FIXTURE,))
def read_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Who meets whom, where and over what, and what it came to."""
    event, record = found("fixture", load_scheduled(call.actor, fixture))
    return Versioned(Joined(record, event=event), record.record.version)


@Endpoint(
    "POST",
    serializers.ReportAnswer,
    serializers.ReportBody,
    **WRITING,
    parameters=(serializers.FIXTURE,),
    needs_version=True,
    takes_key=True,
)
def report_fixture(call: ApiCall, fixture: str) -> Versioned:
    """How it ended.

    A player's report waits for the other side; an organiser's who does not play in it is final.
    """
    event, _ = found("fixture", load_scheduled(call.actor, fixture))
    told = {"figures": {}, **call.body}
    reason = told.pop("reason", "")
    asked = ChangeRequest(call.actor, event.token, call.version, reason, call.key)
    done = report_result(asked, fixture, Outcome(**told))
    # The report made a new version, which the ETag must name.
    _, record = found("fixture", load_scheduled(call.actor, fixture))
    return Versioned(done, record.record.version)


@Endpoint("GET", serializers.RoundRowAnswer, parameters=(serializers.EVENT,), is_paged=True)
def list_rounds(call: ApiCall, token: str) -> Any:
    """The rounds by number."""
    asked, event = call.page, found("event", load_event(call.actor, token))
    return page_of_rows(load_rounds(event), **asked)


@Endpoint(
    "POST",
    serializers.RoundAnswer,
    serializers.RoundBody,
    status=201,
    **WRITING,
    parameters=(serializers.EVENT,),
)
def add_round(call: ApiCall, token: str) -> Versioned:
    """One more round, planned, by organisers."""
    number = op.add_round(ChangeRequest(call.actor, token), RoundDraft(**call.body))
    return _round(call.actor, token, number)


@Endpoint(
    "GET",
    serializers.RoundAnswer,
    parameters=(serializers.EVENT, serializers.NUMBER),
)
def read_round(call: ApiCall, token: str, number: int) -> Versioned:
    """A round with its fixtures; those of a draft for organisers alone. The ETag is the event's."""
    return _round(call.actor, token, number)


@Endpoint(
    "POST",
    serializers.RoundAnswer,
    serializers.RoundStepBody,
    **WRITING,
    parameters=(serializers.EVENT, serializers.NUMBER, STEP),
    needs_version=True,
)
def change_round(call: ApiCall, token: str, number: int, step: str) -> Versioned:
    """Draw a round, publish it, close it; open it again; or take it back.

    It is taken back while nothing of it is played.
    """
    STEPS[step](ChangeRequest(call.actor, token, call.version), number, **call.body)
    return _round(call.actor, token, number)


def _round(actor: Owner, token: str, number: int) -> Versioned:
    schedule = found("event", load_schedule(actor, token, number))
    record = found(
        "round", next((one for one in schedule.rounds if one.number == number), None)
    )
    return Versioned(Joined(record, fixtures=schedule.fixtures), schedule.event.version)


urlpatterns = [
    LEAGUES.address(
        "events/<str:token>/rounds/", list_rounds, add_round, name="api-event-rounds"
    ),
    LEAGUES.address(
        "events/<str:token>/rounds/<int:number>/", read_round, name="api-event-round"
    ),
    LEAGUES.address(
        "events/<str:token>/rounds/<int:number>/<str:step>/",
        change_round,
        name="api-event-round-step",
    ),
    FIXTURES.address("fixtures/<str:fixture>/", read_fixture, name="api-fixture"),
    FIXTURES.address(
        "fixtures/<str:fixture>/result/", report_fixture, name="api-fixture-result"
    ),
]
