"""Leagues, club nights and campaigns for programs: events, entries, standings, rounds, fixtures."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import (
    FLAG,
    ApiCall,
    Endpoint,
    Section,
    Versioned,
    choice_in_query,
    found,
)
from accounts.api.serializers import Joined
from accounts.api_tokens.http import page_of_rows
from accounts.models import Scope
from accounts.owner import Owner
from accounts.queries.clubs import load_club
from campaigns.api import serializers
from campaigns.operations import entries, events
from campaigns.operations import rounds as op
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import report_result
from campaigns.operations.rounds import RoundDraft
from campaigns.queries.events import (
    club_events,
    events_of,
    events_of_own_clubs,
    load_entries,
    load_event,
    public_events,
)
from campaigns.queries.records import ClubEventRecord, EventTerms, Outcome
from campaigns.queries.schedule import load_rounds, load_schedule, load_scheduled
from campaigns.queries.standings import StandingsRecord, load_standings
from engine.records import Fields, copy_fields
from engine.tournament.types import Scoring

LEAGUES = Section("leagues", noun="event", scope=Scope.EVENTS)
WRITING: Any = {"refusals": (404, 409, 422), "needs_person": True}
SHOWS = ("mine", "clubs", "public")
SHOW = choice_in_query(
    "show",
    SHOWS,
    "Those one is entered in or runs, those of one's clubs, or those that everybody may find.",
)
CLUB = OpenApiParameter(
    "club", str, description="The address of a club: its events, whatever show says."
)
ARCHIVED = choice_in_query("archived", FLAG, "Of one's own and of a club.")


@Endpoint(
    "GET", serializers.EventRowAnswer, parameters=(SHOW, CLUB, ARCHIVED), is_paged=True
)
def list_leagues(call: ApiCall) -> Any:
    """Leagues, club nights and campaigns, the last changed first."""
    asked, slug, archived = call.page, call.text("club"), call.flag("archived")
    show = call.choice("show", SHOWS)
    if slug:
        club = found("club", load_club(call.actor, slug.replace("\0", "")))
        return club_events(
            call.actor, club.id, archived=archived, is_member=club.is_member, **asked
        )
    if show == "public":
        return public_events(call.actor, **asked)
    if show == "clubs":
        return events_of_own_clubs(call.person(), **asked)
    return events_of(call.person(), archived=archived, **asked)


@Endpoint(
    "POST",
    serializers.EventAnswer,
    serializers.EventBody,
    status=201,
    **WRITING,
    takes_key=True,
)
def make_league(call: ApiCall) -> Versioned:
    """A league, club night or campaign of a club that the caller runs."""
    said = _read(call.body, Scoring())
    slug = said.pop("club")
    token = events.create_event(call.actor, slug, EventTerms(**said), request_key=call.key)
    return _event(call.actor, token)


@Endpoint("GET", serializers.EventAnswer, parameters=(serializers.EVENT,))
def read_league(call: ApiCall, token: str) -> Versioned:
    """What a league, club night or campaign agrees on."""
    return _event(call.actor, token)


@Endpoint(
    "PATCH",
    serializers.EventAnswer,
    serializers.EventChange,
    **WRITING,
    parameters=(serializers.EVENT,),
    needs_version=True,
)
def change_league(call: ApiCall, token: str) -> Versioned:
    """Some of what it agrees on changed, by organisers; its log keeps what was and what became."""
    event = _seen(call.actor, token)
    draft = copy_fields(EventTerms, event)
    changed = replace(draft, **_read(call.body, draft.scoring))
    events.change_event(ChangeRequest(call.actor, token, expected=call.version), changed)
    return _event(call.actor, token)


@Endpoint("GET", serializers.EntryAnswer, parameters=(serializers.EVENT,), is_paged=True)
def list_entries(call: ApiCall, token: str) -> Any:
    """Everybody in it, in the order they entered."""
    asked, event = call.page, _seen(call.actor, token)
    return page_of_rows(load_entries(call.actor, event), **asked)


@Endpoint(
    "POST",
    serializers.EntryAnswer,
    serializers.EntryBody,
    status=201,
    **WRITING,
    parameters=(serializers.EVENT,),
)
def add_entry(call: ApiCall, token: str) -> Versioned:
    """One more in it: a guest, by organisers, or the caller."""
    enter = entries.enter_event if call.body.pop("me") else entries.add_entry
    entered = enter(ChangeRequest(call.actor, token), **call.body)
    event = _seen(call.actor, token)
    entry = next(one for one in load_entries(call.actor, event) if one.token == entered)
    return Versioned(entry, event.version)


@Endpoint("GET", serializers.StandingsAnswer, parameters=(serializers.EVENT,))
def read_standings(call: ApiCall, token: str) -> StandingsRecord:
    """The table as it is now, with the reason for every position."""
    return found("event", load_standings(call.actor, token))


def _read(body: Fields, scoring: Scoring) -> Fields:
    """Return what the body says as a draft takes it; points left out are those of ``scoring``."""
    if "scoring" not in body:
        return body
    return {**body, "scoring": replace(scoring, **body["scoring"])}


def _seen(actor: Owner, token: str) -> ClubEventRecord:
    return found("event", load_event(actor, token))


def _event(actor: Owner, token: str) -> Versioned:
    record = _seen(actor, token)
    return Versioned(record, record.version)


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
    LEAGUES.address("events/", list_leagues, make_league, name="api-events"),
    LEAGUES.address("events/<str:token>/", read_league, change_league, name="api-event"),
    LEAGUES.address(
        "events/<str:token>/entries/", list_entries, add_entry, name="api-event-entries"
    ),
    LEAGUES.address(
        "events/<str:token>/standings/", read_standings, name="api-event-standings"
    ),
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
