"""Events of clubs for programs: events, entries, standings."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import (
    FLAG,
    ApiCall,
    Endpoint,
    Section,
    Versioned,
    choice_in_path,
    choice_in_query,
    found,
)
from accounts.api.serializers import Joined
from accounts.api_tokens.http import page_of_rows
from accounts.errors import NotAllowed
from accounts.models import Scope
from accounts.queries import load_club
from campaigns.api import screen_serializers, serializers
from campaigns.growth.queries.figures import load_grown_standings
from campaigns.operations import entries, events, messages
from campaigns.operations.copies import CopyDraft, copy_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.screens import step_screen, step_webhook
from campaigns.queries.event_page import load_discord, load_unsettled
from campaigns.queries.events import (
    club_events,
    events_in_own_clubs,
    load_entries,
    load_entry,
    load_event,
    load_waiting,
    own_events,
    public_events,
)
from campaigns.queries.records import EntryRecord, EventTerms
from campaigns.queries.screens import Screen, load_screen
from campaigns.queries.standings import StandingsRecord
from engine.records import Fields, copy_fields
from engine.tournament.types import Scoring

LEAGUES = Section("leagues", noun="event", scope=Scope.EVENTS, parts=serializers.PARTS)
FIXTURES = replace(LEAGUES, noun="fixture")
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
    "GET",
    serializers.EventRowAnswer,
    parameters=(
        SHOW,
        CLUB,
        ARCHIVED,
    ),
    is_paged=True,
)
def list_leagues(call: ApiCall) -> Any:
    """List leagues, club nights, campaigns and tournaments, last changed first."""
    page, slug, archived = call.page, call.text("club"), call.flag("archived")
    show = call.choice("show", SHOWS)
    if slug:
        club = found("club", load_club(call.actor, slug.replace("\0", "")))
        is_member = club.is_member
        return club_events(
            call.actor, club.id, archived=archived, is_member=is_member, **page
        )
    if show == "public":
        return public_events(call.actor, **page)
    if show == "clubs":
        return events_in_own_clubs(call.person(), **page)
    return own_events(call.person(), archived=archived, **page)


@Endpoint(
    "POST",
    serializers.EventAnswer,
    serializers.EventBody,
    status=201,
    **WRITING,
    takes_key=True,
)
def make_league(call: ApiCall) -> Versioned:
    """Create a league, club night, campaign or tournament in a club that you run."""
    terms = _read_terms(call.body, Scoring())
    slug = terms.pop("club")
    token = events.create_event(call.actor, slug, EventTerms(**terms), request_key=call.key)
    return _event(call, token)


@Endpoint("GET", serializers.EventAnswer)
def read_league(call: ApiCall, token: str) -> Versioned:
    """Read the settings of an event."""
    return _event(call, token)


@Endpoint(
    "PATCH", serializers.EventAnswer, serializers.EventChange, **WRITING, needs_version=True
)
def change_league(call: ApiCall, token: str) -> Versioned:
    """Change settings of an event as an organiser. The log keeps the old and the new values."""
    event = load_event(call.actor, token)
    terms = _read_terms(call.body, event.scoring)
    draft = replace(copy_fields(EventTerms, event), **terms)
    events.change_event(ChangeRequest(call.actor, token, expected=call.version), draft)
    return _event(call, token)


@Endpoint(
    "POST",
    serializers.EventAnswer,
    serializers.CopyBody,
    status=201,
    **WRITING,
    takes_key=True,
)
def copy_league(call: ApiCall, token: str) -> Versioned:
    """Create another event with the same settings and rules, as an organiser."""
    request = ChangeRequest(call.actor, token, key=call.key)
    return _event(call, copy_event(request, CopyDraft(**call.body)))


EVENT_STEP = choice_in_path("move", events.STEPS)


@Endpoint(
    "POST",
    serializers.EventStepAnswer,
    **WRITING,
    parameters=(EVENT_STEP,),
    needs_version=True,
)
def step_league(call: ApiCall, token: str, move: str) -> Versioned:
    """Finish an event or reopen it, archive it or restore it, as an organiser.

    A finished event takes no players and pairs no rounds; its results can still be corrected. The
    answer says what it leaves open. The same step again changes nothing.
    """
    events.settle_event(ChangeRequest(call.actor, token, call.version), move)
    event = load_event(call.actor, token)
    unsettled = load_unsettled(call.actor, event) if event.is_finished else ()
    return Versioned(Joined(event, unsettled=unsettled), event.version)


@Endpoint("GET", serializers.EntryAnswer, is_paged=True)
def list_entries(call: ApiCall, token: str) -> Any:
    """List the players of an event in the order they joined, then its waiting list."""
    return page_of_rows(_entries(call, token), **call.page)


@Endpoint("POST", serializers.EntryAnswer, serializers.EntryBody, status=201, **WRITING)
def add_entry(call: ApiCall, token: str) -> Versioned:
    """Add a player: yourself, or a guest as an organiser. With all places taken they wait for one."""
    enter = entries.enter_event if call.body.pop("me") else entries.add_entry
    entered = enter(ChangeRequest(call.actor, token), **call.body)
    return _entry(call, token, entered)


@Endpoint("POST", serializers.GuestsAnswer, serializers.GuestsBody, status=201, **WRITING)
def add_guests(call: ApiCall, token: str) -> Any:
    """Add several guests as an organiser: all of them, or none where a name is refused."""
    names = call.body["names"]
    added = entries.add_entries(ChangeRequest(call.actor, token), names=names)
    by_token = {row.token: row for row in _entries(call, token)}
    return {"results": [by_token[entry] for entry in added]}


@Endpoint(
    "POST",
    serializers.MessageAnswer,
    serializers.MessageBody,
    status=201,
    refusals=(404, 409, 422, 429),
    needs_person=True,
    takes_key=True,
)
def message_players(call: ApiCall, token: str) -> Any:
    """Write to players as an organiser: a notice for each, and an email as each of them chose."""
    change = ChangeRequest(call.actor, token, key=call.key)
    number = call.body.pop("round", None)
    return {"recipients": messages.send_message(change, number=number, **call.body)}


ENTRIES = replace(LEAGUES, noun="entry")
ENTRY_STEPS = {
    "withdraw": entries.drop_entry,
    "rejoin": entries.rejoin_entry,
    "admit": entries.admit_entry,
}
ENTRY_STEP = choice_in_path("step", ENTRY_STEPS)


@Endpoint("GET", serializers.EntryAnswer)
def read_entry(call: ApiCall, token: str, entry: str) -> Versioned:
    """Read a player of an event. The ETag is the event's."""
    return _entry(call, token, entry)


@Endpoint("PATCH", serializers.EntryAnswer, serializers.EntryChange, **WRITING)
def change_entry(call: ApiCall, token: str, entry: str) -> Versioned:
    """Change what a player is called and brings, as the player or an organiser.

    The place in a play-off and whether it is paid are set by organisers. The same change again
    changes nothing, so it needs no version.
    """
    entries.change_entry(ChangeRequest(call.actor, token), entry, **call.body)
    return _entry(call, token, entry)


@Endpoint("POST", serializers.EntryAnswer, **WRITING, parameters=(ENTRY_STEP,))
def step_entry(call: ApiCall, token: str, entry: str, step: str) -> Versioned:
    """Withdraw a player from the next pairings, or take the player back.

    For the player and organisers. Who comes back while all places are taken waits for one.
    ``admit`` is for organisers and gives a waiting player a free place, also after a draw. Games
    that were played stay. The same step again changes nothing, so it needs no version.
    """
    ENTRY_STEPS[step](ChangeRequest(call.actor, token), entry)
    return _entry(call, token, entry)


@Endpoint("GET", serializers.StandingsAnswer)
def read_standings(call: ApiCall, token: str) -> StandingsRecord:
    """Read the standings, with the reason for every place."""
    return load_grown_standings(call.actor, token)


@Endpoint("GET", screen_serializers.ScreenAnswer)
def read_screen(call: ApiCall, token: str) -> Screen:
    """Read what the hall screen draws: tables, standings, messages, and its clock."""
    return load_screen(call.actor, token)


@Endpoint("POST", screen_serializers.ScreenAnswer, screen_serializers.ScreenBody, **WRITING)
def run_screen(call: ApiCall, token: str) -> Screen:
    """Turn the hall screen on or off, or start, stop, resume or extend its clock, as an organiser.

    A screen that is turned off loses its address.
    """
    step_screen(ChangeRequest(call.actor, token), **call.body)
    return load_screen(call.actor, token)


@Endpoint("GET", screen_serializers.DiscordAnswer, refusals=(403,), needs_person=True)
def read_discord(call: ApiCall, token: str) -> Fields:
    """Read as an organiser whether an event posts to Discord, and its posts of the last days."""
    event = load_event(call.actor, token)
    if not event.may_organise:
        raise NotAllowed("Only organisers of the club read this.")
    return load_discord(event)


@Endpoint(
    "POST", screen_serializers.DiscordAnswer, screen_serializers.DiscordBody, **WRITING
)
def run_discord(call: ApiCall, token: str) -> Fields:
    """Set the webhook to which an event posts, test it or remove it, as an organiser."""
    step_webhook(ChangeRequest(call.actor, token), **call.body)
    return load_discord(load_event(call.actor, token))


def _read_terms(body: Fields, scoring: Scoring) -> Fields:
    """Return what the body says as a draft takes it; points left out are those of ``scoring``."""
    if "scoring" not in body:
        return body
    return {**body, "scoring": replace(scoring, **body["scoring"])}


def _entries(call: ApiCall, token: str) -> tuple[EntryRecord, ...]:
    """Return everybody in an event, the waiting list last."""
    event = load_event(call.actor, token)
    return (*load_entries(call.actor, event), *load_waiting(call.actor, event))


def _event(call: ApiCall, token: str) -> Versioned:
    event = load_event(call.actor, token)
    return Versioned(event, event.version)


def _entry(call: ApiCall, token: str, entry: str) -> Versioned:
    """Return one entry of an event with the event's version; raises NotFound."""
    event = load_event(call.actor, token)
    record = load_entry(call.actor, event, entry)
    return Versioned(record, event.version)


urlpatterns = [
    LEAGUES.address("events/", list_leagues, make_league, name="api-events"),
    LEAGUES.address("events/<str:token>/", read_league, change_league, name="api-event"),
    LEAGUES.address("events/<str:token>/copy/", copy_league, name="api-event-copy"),
    LEAGUES.address(
        "events/<str:token>/entries/", list_entries, add_entry, name="api-event-entries"
    ),
    LEAGUES.address(
        "events/<str:token>/messages/", message_players, name="api-event-messages"
    ),
    LEAGUES.address("events/<str:token>/guests/", add_guests, name="api-event-guests"),
    ENTRIES.address(
        "events/<str:token>/entries/<str:entry>/",
        read_entry,
        change_entry,
        name="api-event-entry",
    ),
    ENTRIES.address(
        "events/<str:token>/entries/<str:entry>/<str:step>/",
        step_entry,
        name="api-event-entry-step",
    ),
    LEAGUES.address(
        "events/<str:token>/standings/", read_standings, name="api-event-standings"
    ),
    LEAGUES.address(
        "events/<str:token>/screen/", read_screen, run_screen, name="api-event-screen"
    ),
    LEAGUES.address(
        "events/<str:token>/discord/", read_discord, run_discord, name="api-event-discord"
    ),
]
step_patterns = [
    LEAGUES.address("events/<str:token>/<str:move>/", step_league, name="api-event-step"),
]
