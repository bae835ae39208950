"""Rounds of clubs' events for programs: their fixtures and their lists."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import (
    ApiCall,
    Endpoint,
    Versioned,
    choice_in_path,
    found,
)
from accounts.api.serializers import Joined
from accounts.api_tokens.http import page_of_rows
from battles.models import WORD_MAX
from campaigns.api import list_serializers, round_serializers
from campaigns.api.views import LEAGUES, WRITING
from campaigns.operations import pairing, results, round_lists, rounds
from campaigns.operations.log import ChangeRequest
from campaigns.operations.round_robin import plan_rounds
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.fixtures import load_rounds, load_schedule
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.round_lists import (
    load_lists,
    load_shown_list,
    load_waivers,
)
from jobs.api import JobAnswer, shown_job
from warbands.pdf.press import PAPERS

# Lists of a round for programs: handed in, read, unlocked, revealed; and waivers.

LISTS = replace(LEAGUES, noun="list")
LOCKING = {"unlock": True, "lock": False}
LOCK = choice_in_path("lock", LOCKING)
GUIDELINE = OpenApiParameter(
    "guideline",
    {"type": "string", "pattern": "^[a-z0-9._-]+$", "maxLength": WORD_MAX},
    OpenApiParameter.PATH,
    description="The code of a guideline.",
)


@Endpoint("GET", list_serializers.ListRowAnswer, is_paged=True)
def list_round_lists(call: ApiCall, token: str, number: int) -> Any:
    """List who has handed in a list for a round. A secret list is only named."""
    return page_of_rows(_lines(call, token, number), **call.page)


@Endpoint("POST", list_serializers.HandedInAnswer, list_serializers.HandInBody, **WRITING)
def hand_in_list(call: ApiCall, token: str, number: int) -> Any:
    """Hand in a warband as your list of a round, or as an organiser somebody's.

    It replaces the list that was handed in before. Issues do not keep it out.
    """
    return round_lists.hand_in_list(ChangeRequest(call.actor, token), number, **call.body)


@Endpoint("GET", list_serializers.ListRowAnswer, is_paged=True)
def list_event_lists(call: ApiCall, token: str) -> Any:
    """List who has handed in a list: for the whole event, or for the round that comes next.

    A secret list is only named.
    """
    return page_of_rows(_lines(call, token, None), **call.page)


@Endpoint("POST", list_serializers.HandedInAnswer, list_serializers.HandInBody, **WRITING)
def hand_in_event_list(call: ApiCall, token: str) -> Any:
    """Hand in a list for the whole event or the round that comes next, also before it is added."""
    return round_lists.hand_in_list(ChangeRequest(call.actor, token), None, **call.body)


@Endpoint(
    "PATCH", list_serializers.ListRowAnswer, list_serializers.ListCheckBody, **WRITING
)
def mark_event_list(call: ApiCall, token: str, entry: str) -> Any:
    """Note as an organiser that such a list is checked, or send it back with a sentence.

    Its player may replace a list that was sent back at any time, and is told why. Handing in again
    clears the check.
    """
    line = _line(call, token, None, entry)
    marked = {"check": line.check_state, "check_reason": line.check_reason}
    marked = call.body if "check" in call.body else {**marked, **call.body}
    round_lists.mark_list(ChangeRequest(call.actor, token), None, entry, **marked)
    return _line(call, token, None, entry)


@Endpoint("GET", list_serializers.ListAnswer)
def read_round_list(call: ApiCall, token: str, number: int, entry: str) -> Any:
    """Read a list as it was handed in, where it is yours or revealed."""
    event = load_event(call.actor, token)
    _, snapshot = load_shown_list(call.actor, event, number, entry)
    return {"entry": entry, "roster": snapshot.document}


@Endpoint("POST", list_serializers.ListRowAnswer, **WRITING, parameters=(LOCK,))
def unlock_round_list(call: ApiCall, token: str, number: int, entry: str, lock: str) -> Any:
    """Let one player hand in another list after the deadline as an organiser, or lock it again."""
    change = ChangeRequest(call.actor, token)
    round_lists.unlock_list(change, number, entry, is_unlocked=LOCKING[lock])
    return _line(call, token, number, entry)


@Endpoint("GET", list_serializers.WaiverAnswer, is_paged=True)
def list_waivers(call: ApiCall, token: str, entry: str) -> Any:
    """List what was waived for a player, the latest first, also what was revoked."""
    return page_of_rows(load_waivers(*_entry(call, token, entry)), **call.page)


@Endpoint(
    "POST",
    list_serializers.WaiverAnswer,
    list_serializers.WaiverBody,
    status=201,
    **WRITING,
)
def add_waiver(call: ApiCall, token: str, entry: str) -> Any:
    """Waive a guideline for a player as an organiser, in every round that is not closed."""
    change = ChangeRequest(call.actor, token, reason=call.body["reason"])
    round_lists.waive(change, entry, call.body["code"])
    return load_waivers(*_entry(call, token, entry))[0]


@Endpoint(
    "DELETE",
    None,
    status=204,
    refusals=(404, 409),
    needs_person=True,
    parameters=(GUIDELINE,),
)
def revoke_waiver(call: ApiCall, token: str, entry: str, guideline: str) -> None:
    """Revoke a waiver as an organiser. It can still be read."""
    round_lists.revoke_waiver(ChangeRequest(call.actor, token), entry, guideline)


def _lines(call: ApiCall, token: str, number: int | None) -> tuple[Any, ...]:
    return load_lists(call.actor, load_event(call.actor, token), number).lines


def _line(call: ApiCall, token: str, number: int | None, entry: str) -> Any:
    lines = _lines(call, token, number)
    return found("list", next((line for line in lines if line.entry.token == entry), None))


def _entry(call: ApiCall, token: str, entry: str) -> tuple[ClubEventRecord, EntryRecord]:
    event = load_event(call.actor, token)
    return event, load_entry(call.actor, event, entry)


ROUND = "events/<str:token>/rounds/<int:number>/lists/"
EVENT_LISTS = "events/<str:token>/lists/"
ENTRY = "events/<str:token>/entries/<str:entry>/waivers/"
urlpatterns = [
    LISTS.address(ROUND, list_round_lists, hand_in_list, name="api-event-lists"),
    LISTS.address(
        f"{ROUND}<str:entry>/<str:lock>/", unlock_round_list, name="api-event-list-lock"
    ),
    LISTS.address(f"{ROUND}<str:entry>/", read_round_list, name="api-event-list"),
    LISTS.address(
        EVENT_LISTS, list_event_lists, hand_in_event_list, name="api-event-all-lists"
    ),
    LISTS.address(
        f"{EVENT_LISTS}<str:entry>/", mark_event_list, name="api-event-list-check"
    ),
    LEAGUES.address(ENTRY, list_waivers, add_waiver, name="api-event-waivers"),
    LEAGUES.address(f"{ENTRY}<str:guideline>/", revoke_waiver, name="api-event-waiver"),
]


# Rounds and fixtures of leagues, club nights and campaigns for programs.

STEPS: dict[str, Callable[..., Any]] = {
    "draw": pairing.draw_round,
    "late": pairing.pair_late,
    "accept": results.accept_round,
    "publish": rounds.publish_round,
    "close": rounds.close_round,
    "reopen": rounds.reopen_round,
    "withdraw": rounds.withdraw_round,
    "reveal": round_lists.show_lists,
    "hide": partial(round_lists.show_lists, is_shown=False),
}
STEP = choice_in_path("step", STEPS)


@Endpoint("GET", round_serializers.RoundRowAnswer, is_paged=True)
def list_rounds(call: ApiCall, token: str) -> Any:
    """List the rounds of an event by number."""
    return page_of_rows(load_rounds(load_event(call.actor, token)), **call.page)


@Endpoint(
    "POST",
    round_serializers.RoundAnswer,
    round_serializers.RoundBody,
    status=201,
    **WRITING,
)
def add_round(call: ApiCall, token: str) -> Versioned:
    """Add a planned round as an organiser."""
    number = rounds.add_round(
        ChangeRequest(call.actor, token), rounds.RoundDraft(**call.body)
    )
    return _answer(call, token, number)


@Endpoint("GET", round_serializers.RoundAnswer)
def read_round(call: ApiCall, token: str, number: int) -> Versioned:
    """Read a round with its games; drafts are for organisers. The ETag is the event's."""
    return _answer(call, token, number)


@Endpoint(
    "PATCH",
    round_serializers.RoundAnswer,
    round_serializers.RoundBody,
    **WRITING,
    needs_version=True,
)
def edit_round(call: ApiCall, token: str, number: int) -> Versioned:
    """Change the name, limit, scenarios or moments of a round as an organiser.

    Games that are paired keep their scenario.
    """
    change = ChangeRequest(call.actor, token, call.version)
    rounds.change_round(change, number, rounds.RoundDraft(**call.body))
    return _answer(call, token, number)


@Endpoint(
    "DELETE", None, status=204, refusals=(404, 409), needs_person=True, needs_version=True
)
def remove_round(call: ApiCall, token: str, number: int) -> None:
    """Delete the last round as an organiser, unless it is published or has lists."""
    rounds.remove_round(ChangeRequest(call.actor, token, call.version), number)


@Endpoint(
    "POST",
    round_serializers.PlanAnswer,
    round_serializers.PlanBody,
    **WRITING,
    needs_version=True,
)
def plan_league(call: ApiCall, token: str) -> Versioned:
    """Plan all rounds of a round robin that are not published yet. Published rounds stay."""
    change = ChangeRequest(call.actor, token, call.version)
    count = plan_rounds(change, seed=call.body.get("seed", ""))
    return Versioned({"rounds": count}, load_event(call.actor, token).version)


@Endpoint(
    "POST",
    round_serializers.RoundAnswer,
    round_serializers.RoundStepBody,
    **WRITING,
    parameters=(STEP,),
    needs_version=True,
)
def change_round(call: ApiCall, token: str, number: int, step: str) -> Versioned:
    """Pair, publish, close, reopen or unpublish a round, pair late players, or accept its results.

    A round can be unpublished while none of its games is played. ``reveal`` shows its lists to
    everybody who can see the event and locks them; ``hide`` makes them secret again.
    """
    STEPS[step](ChangeRequest(call.actor, token, call.version), number, **call.body)
    return _answer(call, token, number)


@Endpoint(
    "POST",
    JobAnswer,
    round_serializers.PrintBody,
    status=202,
    refusals=(404, 409),
    needs_person=True,
)
def print_round(call: ApiCall, token: str, number: int) -> Any:
    """Print the table packs of a round as an organiser. The answer is the job that prints them.

    While it prints, another request answers the same job.
    """
    site = call.request.build_absolute_uri("/").rstrip("/")
    paper = call.body.get("paper", PAPERS[0])
    change = ChangeRequest(call.actor, token)
    return shown_job(call, rounds.print_round(change, number, paper=paper, site=site))


def _answer(call: ApiCall, token: str, number: int) -> Versioned:
    """Return a round with its fixtures and the event's version; raises NotFound."""
    schedule = load_schedule(call.actor, token, number)
    numbered = {record.number: record for record in schedule.rounds}
    record = found("round", numbered.get(number))
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
]
