"""Rounds and fixtures of leagues, club nights and campaigns for programs."""

from collections.abc import Callable
from typing import Any

from django.http import JsonResponse
from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import (
    FLAG,
    ApiCall,
    Endpoint,
    Versioned,
    choice_in_query,
    found,
)
from accounts.api.serializers import Joined
from accounts.api_tokens.http import page_of_rows
from accounts.errors import Refusal
from accounts.owner import Owner
from campaigns.api import round_serializers, serializers
from campaigns.api.games import shown_fixture
from campaigns.api.views import FIXTURES, LEAGUES, WRITING
from campaigns.operations import rounds as op
from campaigns.operations.acceptance import accept_result, accept_round
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round, pair_late
from campaigns.operations.print_all import print_round as op_print_round
from campaigns.operations.results import preview_result, report_result
from campaigns.operations.round_lists import publish_lists, withdraw_lists
from campaigns.operations.rounds import RoundDraft
from campaigns.operations.schedule import plan_rounds
from campaigns.operations.swaps import swap_in_fixture
from campaigns.queries.events import load_event
from campaigns.queries.growth.reports import load_growth
from campaigns.queries.records import Outcome
from campaigns.queries.schedule import load_rounds, load_schedule, load_scheduled
from jobs.api import JobAnswer, shown_job
from warbands.pdf import PAPERS

PREVIEW = choice_in_query(
    "preview", FLAG, "1 answers the new pairings, and changes nothing."
)
PREVIEW_RESULT = choice_in_query(
    "preview", FLAG, "1 answers what it would change in a campaign, and changes nothing."
)
STEPS: dict[str, Callable[..., Any]] = {
    "draw": draw_round,
    "late": pair_late,
    "accept": accept_round,
    "publish": op.publish_round,
    "close": op.close_round,
    "reopen": op.reopen_round,
    "withdraw": op.withdraw_round,
    "reveal": publish_lists,
    "hide": withdraw_lists,
}
STEP = OpenApiParameter(
    "step", {"type": "string", "enum": list(STEPS)}, OpenApiParameter.PATH
)


@Endpoint(
    "POST",
    round_serializers.ReportAnswer,
    round_serializers.ReportBody,
    **WRITING,
    parameters=(serializers.FIXTURE, PREVIEW_RESULT),
    needs_version=True,
    takes_key=True,
)
def report_fixture(call: ApiCall, fixture: str) -> Any:
    """Report how a game ended.

    A player's report waits for the opponent. The report of an organiser who does not play is final.
    """
    event, _ = found("fixture", load_scheduled(call.actor, fixture))
    told = {"figures": {}, **call.body}
    is_grown = bool(event.growth_position)
    reason, winner = told.pop("reason", ""), told.pop("winner_entry", None)
    # A program may send back what it has read, which holds both names.
    if winner and told.setdefault("winner", winner) != winner:
        raise Refusal(
            "winner and winner_entry must name the same entry.", field="winner_entry"
        )
    asked = ChangeRequest(call.actor, event.token, call.version, reason, call.key)
    if call.flag("preview"):
        moved = preview_result(asked, fixture, Outcome(**told))
        report = load_growth(call.actor, event.token)
        return JsonResponse({"preview": report.change_json(moved)})
    done = report_result(asked, fixture, Outcome(**told))
    # The report made a new version, which the ETag must name.
    _, record = found("fixture", load_scheduled(call.actor, fixture))
    growth = load_growth(call.actor, event.token) if is_grown else None
    shown = Joined(
        done,
        winner=record.winner.token if record.winner else None,
        position=growth.ledger.position if growth else None,
        dues=growth.dues_of_fixture(fixture) if growth else [],
    )
    return Versioned(shown, record.record.version)


@Endpoint(
    "POST",
    round_serializers.FixtureAnswer,
    round_serializers.AcceptBody,
    **WRITING,
    parameters=(serializers.FIXTURE,),
    needs_version=True,
)
def accept_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Accept the reported result of a game as an organiser, also a disputed one.

    Accepting does what confirming does. A final result stays final.
    """
    event, _ = found("fixture", load_scheduled(call.actor, fixture))
    reason = call.body.get("reason", "")
    accept_result(ChangeRequest(call.actor, event.token, call.version, reason), fixture)
    return shown_fixture(call.actor, fixture)


@Endpoint(
    "POST",
    round_serializers.SwapAnswer,
    round_serializers.SwapBody,
    **WRITING,
    parameters=(serializers.FIXTURE, PREVIEW),
    needs_version=True,
)
def swap_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Swap two players of a round as an organiser: opponents, tables, attackers.

    A published round needs a reason. Games that have begun stay.
    """
    event, _ = found("fixture", load_scheduled(call.actor, fixture))
    said, is_preview = {**call.body}, call.flag("preview")
    reason = said.pop("reason", "")
    asked = ChangeRequest(call.actor, event.token, call.version, reason)
    done = swap_in_fixture(asked, fixture, **said, is_preview=is_preview)
    _, record = found("fixture", load_scheduled(call.actor, fixture))
    return Versioned(Joined(done, is_preview=is_preview), record.record.version)


@Endpoint(
    "GET", round_serializers.RoundRowAnswer, parameters=(serializers.EVENT,), is_paged=True
)
def list_rounds(call: ApiCall, token: str) -> Any:
    """List the rounds of an event by number."""
    asked, event = call.page, found("event", load_event(call.actor, token))
    return page_of_rows(load_rounds(event), **asked)


@Endpoint(
    "POST",
    round_serializers.RoundAnswer,
    round_serializers.RoundBody,
    status=201,
    **WRITING,
    parameters=(serializers.EVENT,),
)
def add_round(call: ApiCall, token: str) -> Versioned:
    """Add a planned round as an organiser."""
    number = op.add_round(ChangeRequest(call.actor, token), RoundDraft(**call.body))
    return _round(call.actor, token, number)


@Endpoint(
    "GET",
    round_serializers.RoundAnswer,
    parameters=(serializers.EVENT, serializers.NUMBER),
)
def read_round(call: ApiCall, token: str, number: int) -> Versioned:
    """Read a round with its games; drafts are for organisers. The ETag is the event's."""
    return _round(call.actor, token, number)


@Endpoint(
    "PATCH",
    round_serializers.RoundAnswer,
    round_serializers.RoundBody,
    **WRITING,
    parameters=(serializers.EVENT, serializers.NUMBER),
    needs_version=True,
)
def edit_round(call: ApiCall, token: str, number: int) -> Versioned:
    """Change the name, limit, scenarios or moments of a round as an organiser.

    Games that are paired keep their scenario.
    """
    asked = ChangeRequest(call.actor, token, call.version)
    op.change_round(asked, number, RoundDraft(**call.body))
    return _round(call.actor, token, number)


@Endpoint(
    "DELETE",
    None,
    status=204,
    refusals=(400, 404, 409),
    needs_person=True,
    parameters=(serializers.EVENT, serializers.NUMBER),
    needs_version=True,
)
def remove_round(call: ApiCall, token: str, number: int) -> None:
    """Delete the last round as an organiser, unless it is published or has lists."""
    op.remove_round(ChangeRequest(call.actor, token, call.version), number)


@Endpoint(
    "POST",
    round_serializers.PlanAnswer,
    round_serializers.PlanBody,
    **WRITING,
    parameters=(serializers.EVENT,),
    needs_version=True,
)
def plan_league(call: ApiCall, token: str) -> Versioned:
    """Plan all rounds of a round robin that are not published yet. Published rounds stay."""
    asked = ChangeRequest(call.actor, token, call.version)
    rounds = plan_rounds(asked, seed=call.body.get("seed", ""))
    event = found("event", load_event(call.actor, token))
    return Versioned({"rounds": rounds}, event.version)


@Endpoint(
    "POST",
    round_serializers.RoundAnswer,
    round_serializers.RoundStepBody,
    **WRITING,
    parameters=(serializers.EVENT, serializers.NUMBER, STEP),
    needs_version=True,
)
def change_round(call: ApiCall, token: str, number: int, step: str) -> Versioned:
    """Pair, publish, close, reopen or unpublish a round, pair late players, or accept its results.

    A round can be unpublished while none of its games is played. ``reveal`` shows its lists to
    everybody who can see the event and locks them; ``hide`` makes them secret again.
    """
    STEPS[step](ChangeRequest(call.actor, token, call.version), number, **call.body)
    return _round(call.actor, token, number)


@Endpoint(
    "POST",
    JobAnswer,
    round_serializers.PrintBody,
    status=202,
    refusals=(404, 409),
    needs_person=True,
    parameters=(serializers.EVENT, serializers.NUMBER),
)
def print_round(call: ApiCall, token: str, number: int) -> Any:
    """Print the table packs of a round as an organiser. The answer is the job that prints them.

    While it prints, another request answers the same job.
    """
    site = call.request.build_absolute_uri("/").rstrip("/")
    paper = call.body.get("paper", PAPERS[0])
    asked = ChangeRequest(call.actor, token)
    return shown_job(call, op_print_round(asked, number, paper=paper, site=site))


def _round(actor: Owner, token: str, number: int) -> Versioned:
    """Return a round with its fixtures and the event's version; raises NotFound."""
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
        "events/<str:token>/rounds/<int:number>/",
        read_round,
        edit_round,
        remove_round,
        name="api-event-round",
    ),
    LEAGUES.address(
        "events/<str:token>/rounds/plan/", plan_league, name="api-event-rounds-plan"
    ),
    LEAGUES.address(
        "events/<str:token>/rounds/<int:number>/print/",
        print_round,
        name="api-event-round-print",
    ),
    LEAGUES.address(
        "events/<str:token>/rounds/<int:number>/<str:step>/",
        change_round,
        name="api-event-round-step",
    ),
    FIXTURES.address(
        "fixtures/<str:fixture>/result/", report_fixture, name="api-fixture-result"
    ),
    FIXTURES.address(
        "fixtures/<str:fixture>/accept/", accept_fixture, name="api-fixture-accept"
    ),
    FIXTURES.address("fixtures/<str:fixture>/swap/", swap_fixture, name="api-fixture-swap"),
]
