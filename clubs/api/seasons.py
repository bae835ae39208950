"""Seasons of a club for programs, and the record of a player."""

from dataclasses import replace
from typing import Any

from accounts.api.endpoints import ApiCall, Endpoint, Versioned, found, token_in_path
from accounts.api.serializers import (
    Answer,
    Body,
    Flag,
    Joined,
    ListOf,
    OneOf,
    Text,
    Texts,
    Whole,
)
from accounts.api_tokens.http import page_of_rows
from accounts.queries import ClubRecord, load_club
from campaigns.api.serializers import OPTIONAL, STATED, EntryNameAnswer
from campaigns.models import EVENT_NAME_MAX
from campaigns.models.leagues import SEASON_EVENTS_MAX, Season, SeasonCount
from campaigns.operations import seasons as op
from campaigns.operations.seasons import PLACE_POINTS_MAX, PLACES_MAX, SeasonDraft
from campaigns.queries.seasons import (
    PlayerRecord,
    load_chosen,
    load_club_to_play,
    load_player_record,
    load_season,
    load_season_table,
)
from clubs.api.clubs import CLUBS, SLUG
from engine.records import copy_fields

PARTS = (
    SLUG,
    token_in_path("season", "The season's id."),
    token_in_path("entry", "The id of an entry of the player."),
)
SEASONS = replace(CLUBS, noun="season", fields={}, parts=PARTS)
WRITING: Any = {"refusals": (404, 409, 422), "needs_person": True}


class SeasonBody(Body):
    """Which events a season counts, and how. Any other key is refused."""

    name = Text(refuses_null=True, max_length=EVENT_NAME_MAX)
    counts = OneOf(
        "What an event brings: points by place, or as scored in it.",
        required=False,
        choices=SeasonCount.values,
    )
    best = Whole(
        "How many results of a player count; null for all.",
        **OPTIONAL,
        min_value=1,
        max_value=SEASON_EVENTS_MAX,
    )
    place_points = ListOf(
        "From first place on; later places get nothing.",
        child=Whole(min_value=0, max_value=PLACE_POINTS_MAX),
        required=False,
        max_length=PLACES_MAX,
    )
    events = Texts("Ids of events.", required=False, max_length=SEASON_EVENTS_MAX)


class SeasonChange(SeasonBody):
    """What is to change of a season; what is left out stays. Any other key is refused."""

    name: Any = Text(**STATED, max_length=EVENT_NAME_MAX)


class SeasonRowAnswer(Answer):
    """A season in a list."""

    id = Text(source="token")
    name = Text()
    counts = OneOf(choices=SeasonCount.values)
    best = Whole(allow_null=True)
    place_points = ListOf(child=Whole())


class SeasonEventAnswer(Answer):
    """An event that a season counts."""

    id = Text(source="token")
    name = Text()


class SeasonLineAnswer(Answer):
    """One line of a season's table."""

    place = Whole("Those on as many points share one.", source="line.place")
    entry = EntryNameAnswer(help_text="The player's in the latest of the events.")
    is_guest = Flag("In one event alone.", source="entry.is_guest")
    points = Whole(source="line.total")
    results = ListOf(
        "By event, null where the player was not there.",
        child=Whole(allow_null=True),
        source="line.results",
    )
    counted = ListOf("Positions of those that count.", child=Whole(), source="line.counted")


class SeasonAnswer(SeasonRowAnswer):
    """A season with its table, from the events that the caller may open."""

    version = Whole("Also in the header ETag.")
    events = SeasonEventAnswer(many=True, help_text="Those that have results.")
    results = SeasonLineAnswer(source="rows", many=True)


class TallyAnswer(Answer):
    """Games, and how they ended."""

    games = Whole()
    won = Whole()
    drawn = Whole()
    lost = Whole()


class OpponentAnswer(TallyAnswer):
    """Games against one opponent."""

    entry = EntryNameAnswer(help_text="The opponent's in the latest of the events.")
    is_guest = Flag(source="entry.is_guest")


class PlayerEventAnswer(TallyAnswer):
    """Games in one event."""

    event = Text(source="event.token")
    name = Text(source="event.name")
    entry = Text(source="entry.token")


class PlayerRecordAnswer(Answer):
    """What a player did over all events of a club that the caller may open."""

    name = Text()
    is_guest = Flag()
    total = TallyAnswer(help_text="Friendly games, byes and walkovers are left out.")
    opponents = OpponentAnswer(many=True)
    events = PlayerEventAnswer(many=True)


@Endpoint("GET", SeasonRowAnswer, is_paged=True)
def list_seasons(call: ApiCall, slug: str) -> Any:
    """List the seasons of a club, the newest first."""
    page, club = call.page, _club(call, slug)
    return page_of_rows(tuple(Season.objects.filter(club=club.id)), **page)


@Endpoint("POST", SeasonAnswer, SeasonBody, status=201, **WRITING, takes_key=True)
def add_season(call: ApiCall, slug: str) -> Versioned:
    """Create a season of a club that you run."""
    draft = SeasonDraft(**call.body)
    return _season(
        call, slug, op.create_season(call.actor, slug, draft, request_key=call.key)
    )


@Endpoint("GET", SeasonAnswer)
def read_season(call: ApiCall, slug: str, season: str) -> Versioned:
    """Read the table of a season.

    It is counted from the events that the caller may open, and follows every correction.
    """
    return _season(call, slug, season)


@Endpoint("PATCH", SeasonAnswer, SeasonChange, **WRITING, needs_version=True)
def change_season(call: ApiCall, slug: str, season: str) -> Versioned:
    """Change which events a season counts, and how."""
    record = load_season(_club(call, slug).id, season)
    draft = copy_fields(SeasonDraft, record, events=tuple(load_chosen(record)))
    draft = replace(draft, **call.body)
    op.change_season(call.actor, slug, season, draft, expected=call.version)
    return _season(call, slug, season)


@Endpoint("DELETE", None, status=204, **WRITING, needs_version=True)
def remove_season(call: ApiCall, slug: str, season: str) -> None:
    """Delete a season of a club that you run. Its events stay."""
    op.remove_season(call.actor, slug, season, expected=call.version)


@Endpoint("GET", PlayerRecordAnswer)
def read_player(call: ApiCall, slug: str, entry: str) -> PlayerRecord:
    """Read the record of a player over all events of a club.

    People are known by their account. A guest has none, and is never taken for another guest.
    """
    club = _club(call, slug, load_club_to_play)
    return load_player_record(call.actor, club.id, entry)


def _club(call: ApiCall, slug: str, load: Any = load_club) -> ClubRecord:
    return found("club", load(call.actor, slug))


def _season(call: ApiCall, slug: str, token: str) -> Versioned:
    season = load_season(_club(call, slug, load_club_to_play).id, token)
    table = load_season_table(call.actor, season)
    answer = Joined(season, events=table.events, rows=table.rows)
    return Versioned(answer, season.version)


urlpatterns = [
    SEASONS.address(
        "clubs/<slug:slug>/seasons/", list_seasons, add_season, name="api-club-seasons"
    ),
    SEASONS.address(
        "clubs/<slug:slug>/seasons/<str:season>/",
        read_season,
        change_season,
        remove_season,
        name="api-club-season",
    ),
    SEASONS.address(
        "clubs/<slug:slug>/players/<str:entry>/", read_player, name="api-club-player"
    ),
]
