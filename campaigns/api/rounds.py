"""Rounds of clubs' events for programs: their fixtures and their lists."""

from collections.abc import Callable
from dataclasses import replace
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
from battles.models import WORD_MAX
from campaigns.api import round_serializers, serializers
from campaigns.api.games import shown_fixture
from campaigns.api.views import FIXTURES, LEAGUES, WRITING
from campaigns.operations import round_lists as op
from campaigns.operations import rounds as round_op
from campaigns.operations.decisions import accept_result, accept_round
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round, pair_late
from campaigns.operations.print_all import print_round as op_print_round
from campaigns.operations.results import preview_result, report_result
from campaigns.operations.round_lists import publish_lists, withdraw_lists
from campaigns.operations.rounds import RoundDraft
from campaigns.operations.schedule import plan_rounds, swap_in_fixture
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.growth.reports import load_growth
from campaigns.queries.records import ClubEventRecord, EntryRecord, Outcome
from campaigns.queries.round_lists import (
    ListLine,
    WaiverRow,
    load_lists,
    load_shown_list,
    load_waivers,
)
from campaigns.queries.schedule import load_rounds, load_schedule, load_scheduled
from jobs.api import JobAnswer, shown_job
from warbands.pdf import PAPERS

# Lists of a round for programs: handed in, read, unlocked, revealed; and waivers.

LISTS = replace(LEAGUES, noun="list")
LOCKING = {"unlock": True, "lock": False}
OF_ROUND = (serializers.EVENT, serializers.NUMBER)
OF_LIST = (*OF_ROUND, serializers.ENTRY)
OF_ENTRY = (serializers.EVENT, serializers.ENTRY)
LOCK = OpenApiParameter(
    "lock", {"type": "string", "enum": list(LOCKING)}, OpenApiParameter.PATH
)
GUIDELINE = OpenApiParameter(
    "guideline",
    {"type": "string", "pattern": "^[a-z0-9._-]+$", "maxLength": WORD_MAX},
    OpenApiParameter.PATH,
    description="The code of a guideline.",
)


@Endpoint("GET", serializers.ListRowAnswer, parameters=OF_ROUND, is_paged=True)
def list_round_lists(call: ApiCall, token: str, number: int) -> Any:
    """List who has handed in a list for a round. A secret list is only named."""
    asked = call.page
    return page_of_rows(_lines(call.actor, _event(call, token), number), **asked)


@Endpoint(
    "POST",
    serializers.HandedInAnswer,
    serializers.HandInBody,
    **WRITING,
    parameters=OF_ROUND,
)
def hand_in_list(call: ApiCall, token: str, number: int) -> Any:
    """Hand in a warband as your list of a round, or as an organiser somebody's.

    It replaces the list that was handed in before. Issues do not keep it out.
    """
    return op.hand_in_list(ChangeRequest(call.actor, token), number, **call.body)


@Endpoint("GET", serializers.ListAnswer, parameters=OF_LIST)
def read_round_list(call: ApiCall, token: str, number: int, entry: str) -> Any:
    """Read a list as it was handed in, where it is yours or revealed."""
    event = _event(call, token)
    snapshot = found("list", load_shown_list(call.actor, event, number, entry))
    return {"entry": entry, "roster": snapshot.document}


@Endpoint(
    "POST",
    serializers.ListRowAnswer,
    **WRITING,
    parameters=(*OF_LIST, LOCK),
)
def unlock_round_list(
    call: ApiCall, token: str, number: int, entry: str, lock: str
) -> ListLine:
    """Let one player hand in another list after the deadline as an organiser, or lock it again."""
    asked, is_unlocked = ChangeRequest(call.actor, token), LOCKING[lock]
    op.unlock_list(asked, number, entry, is_unlocked=is_unlocked)
    lines = _lines(call.actor, _event(call, token), number)
    return found("list", next((line for line in lines if line.entry == entry), None))


@Endpoint("GET", serializers.WaiverAnswer, parameters=OF_ENTRY, is_paged=True)
def list_waivers(call: ApiCall, token: str, entry: str) -> Any:
    """List what was waived for a player, the latest first, also what was revoked."""
    asked = call.page
    return page_of_rows(load_waivers(*_entry(call, token, entry)), **asked)


@Endpoint(
    "POST",
    serializers.WaiverAnswer,
    serializers.WaiverBody,
    status=201,
    **WRITING,
    parameters=OF_ENTRY,
)
def add_waiver(call: ApiCall, token: str, entry: str) -> WaiverRow:
    """Waive a guideline for a player as an organiser, in every round that is not closed."""
    asked = ChangeRequest(call.actor, token, reason=call.body["reason"])
    op.waive(asked, entry, call.body["code"])
    return load_waivers(*_entry(call, token, entry))[0]


@Endpoint(
    "DELETE",
    None,
    status=204,
    refusals=(404, 409),
    needs_person=True,
    parameters=(*OF_ENTRY, GUIDELINE),
)
def revoke_waiver(call: ApiCall, token: str, entry: str, guideline: str) -> None:
    """Revoke a waiver as an organiser. It can still be read."""
    op.revoke_waiver(ChangeRequest(call.actor, token), entry, guideline)


def _event(call: ApiCall, token: str) -> ClubEventRecord:
    return found("event", load_event(call.actor, token))


def _lines(actor: Owner, event: ClubEventRecord, number: int) -> tuple[ListLine, ...]:
    return found("round", load_lists(actor, event, number)).lines


def _entry(call: ApiCall, token: str, entry: str) -> tuple[ClubEventRecord, EntryRecord]:
    event = _event(call, token)
    return event, found("entry", load_entry(call.actor, event, entry))


ROUND = "events/<str:token>/rounds/<int:number>/lists/"
ENTRY = "events/<str:token>/entries/<str:entry>/waivers/"
urlpatterns = [
    LISTS.address(ROUND, list_round_lists, hand_in_list, name="api-event-lists"),
    LISTS.address(
        f"{ROUND}<str:entry>/<str:lock>/", unlock_round_list, name="api-event-list-lock"
    ),
    LISTS.address(f"{ROUND}<str:entry>/", read_round_list, name="api-event-list"),
    LEAGUES.address(ENTRY, list_waivers, add_waiver, name="api-event-waivers"),
    LEAGUES.address(f"{ENTRY}<str:guideline>/", revoke_waiver, name="api-event-waiver"),
]


# Rounds and fixtures of leagues, club nights and campaigns for programs.

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
    "publish": round_op.publish_round,
    "close": round_op.close_round,
    "reopen": round_op.reopen_round,
    "withdraw": round_op.withdraw_round,
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
        dues=growth.dues(fixture=fixture) if growth else [],
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
    number = round_op.add_round(ChangeRequest(call.actor, token), RoundDraft(**call.body))
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
    round_op.change_round(asked, number, RoundDraft(**call.body))
    return _round(call.actor, token, number)


@Endpoint(
    "DELETE",
    None,
    status=204,
    refusals=(404, 409),
    needs_person=True,
    parameters=(serializers.EVENT, serializers.NUMBER),
    needs_version=True,
)
def remove_round(call: ApiCall, token: str, number: int) -> None:
    """Delete the last round as an organiser, unless it is published or has lists."""
    round_op.remove_round(ChangeRequest(call.actor, token, call.version), number)


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


urlpatterns += [
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
