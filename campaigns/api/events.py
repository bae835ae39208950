"""Leagues, club nights and campaigns for programs: list, make, read, change; who is in one; its
standings.
"""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view, authentication_classes, permission_classes
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
from accounts.queries.clubs import load_club
from battles.api.authentication import body_of
from battles.api.serializers import text
from campaigns.api import serializers
from campaigns.api.errors import choice, flag, found, refusing
from campaigns.operations.entries import add_entry, enter_event
from campaigns.operations.events import EventDraft, change_event, create_event
from campaigns.queries.events import (
    club_events,
    events_of,
    events_of_own_clubs,
    load_entries,
    load_event,
    public_events,
)
from campaigns.queries.records import ClubEventRecord, EventPage
from campaigns.queries.standings import load_standings
from rulesdata.api import LIST_REFUSALS

TAG = "leagues"
SHOWS = ("mine", "clubs", "public")
SHOW = OpenApiParameter(
    "show",
    {"type": "string", "enum": list(SHOWS), "default": "mine"},
    description="Those one is entered in or runs, those of one's clubs, or those that everybody may find.",
)
CLUB = OpenApiParameter(
    "club", str, description="The address of a club: its events, whatever show says."
)
ARCHIVED = OpenApiParameter(
    "archived",
    {"type": "string", "enum": ["0", "1"], "default": "0"},
    description="Of one's own and of a club.",
)


@extend_schema(
    methods=["GET"],
    operation_id="list_leagues",
    description="Leagues, club nights and campaigns, the last changed first.",
    parameters=[SHOW, CLUB, ARCHIVED, *PAGES],
    responses={
        200: page_shape("EventPage", serializers.EventRowAnswer(many=True)),
        **LIST_REFUSALS,
    },
    tags=[TAG],
)
@extend_schema(
    methods=["POST"],
    operation_id="make_league",
    description="A league, club night or campaign of a club that the caller runs.",
    parameters=[serializers.KEY],
    request=serializers.EventDocument,
    responses={201: serializers.EVENT_ANSWER, **serializers.WRITING},
    tags=[TAG],
)
@api_view(["GET", "POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.EVENTS)])
def events(request: Request) -> Response:
    """Leagues, club nights and campaigns, the last changed first; or another one of a club that the
    caller runs.
    """
    if request.method == "GET":
        return page_answer(request, _listed(request), serializers.event_row)
    actor, needed = calling_person(request), ("club", "name", "kind", "method", "system")
    body = body_of(request, ("club", *serializers.EVENT_KEYS), needed)
    draft, slug = EventDraft(**serializers.read_event_body(body)), text(body, "club")
    key = request.headers.get("Idempotency-Key", "")
    made = refusing("club", lambda: create_event(actor, slug, draft, request_key=key))
    return _whole(actor, made.token, 201)


def _listed(request: Request) -> EventPage:
    asked, slug = page_asked(request), request.query_params.get("club", "")
    archived = choice(request.query_params.get("archived", "0"), "archived", ("0", "1")) == "1"
    show = choice(request.query_params.get("show", "mine"), "show", SHOWS)
    if slug:
        club = found("club", load_club(calling_owner(request), slug.replace("\0", "")))
        return club_events(
            calling_owner(request), club.id, archived=archived, is_member=club.is_member, **asked
        )
    if show == "public":
        return public_events(calling_owner(request), **asked)
    return (
        events_of_own_clubs(calling_person(request), **asked)
        if show == "clubs"
        else events_of(calling_person(request), archived=archived, **asked)
    )


@extend_schema(
    methods=["GET"],
    operation_id="read_league",
    description="What a league, club night or campaign agrees on.",
    parameters=[serializers.EVENT],
    responses={200: serializers.EVENT_ANSWER, **serializers.READING},
    tags=[TAG],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_league",
    description=(
        "Some of what it agrees on changed, by organisers; its log keeps what was and what became."
    ),
    parameters=[serializers.EVENT, IF_MATCH],
    request=serializers.EventChange,
    responses={200: serializers.EVENT_ANSWER, **serializers.CHANGING},
    tags=[TAG],
)
@api_view(["GET", "PATCH"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.EVENTS)])
def event(request: Request, token: str) -> Response:
    """What an event agrees on; or some of it changed, which its log keeps."""
    if request.method == "GET":
        return _whole(calling_owner(request), token)
    actor, version, body = (
        calling_person(request),
        expected(request),
        body_of(request, serializers.EVENT_KEYS),
    )
    draft = serializers.changed(
        serializers.draft_of(found("event", load_event(actor, token))), body
    )
    refusing("event", lambda: change_event(actor, token, draft, expected=version))
    return _whole(actor, token)


@extend_schema(
    methods=["GET"],
    operation_id="list_entries",
    description="Everybody in it, in the order they entered.",
    parameters=[serializers.EVENT, *PAGES],
    responses={200: page_shape("EntryPage", serializers.EntryAnswer(many=True)), **LIST_REFUSALS},
    tags=[TAG],
)
@extend_schema(
    methods=["POST"],
    operation_id="add_entry",
    description="One more in it: a guest, by organisers, or the caller.",
    parameters=[serializers.EVENT],
    request=serializers.EntryDocument,
    responses={201: serializers.EntryAnswer, **serializers.WRITING},
    tags=[TAG],
)
@api_view(["GET", "POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.EVENTS)])
def entries(request: Request, token: str) -> Response:
    """Everybody in it, in the order they entered; or one more: a guest, by organisers, or the
    caller.
    """
    if request.method == "GET":
        asked, record = page_asked(request), _seen(calling_owner(request), token)
        return page_answer(
            request,
            page_of_rows(load_entries(calling_owner(request), record), **asked),
            serializers.entry,
        )
    actor, body = calling_person(request), body_of(request, ("name", "me", "warband"))
    enter = enter_event if "me" in body and flag(body, "me") else add_entry
    said = {name: text(body, name) for name in ("name", "warband")}
    entry = refusing("event", lambda: enter(actor, token, **said))
    record = _seen(actor, token)
    one = next(one for one in load_entries(actor, record) if one.token == entry)
    return versioned(Response(serializers.entry(one), status=201), record.version)


@extend_schema(
    operation_id="read_standings",
    parameters=[serializers.EVENT],
    responses={200: serializers.STANDINGS, **serializers.READING},
    tags=[TAG],
)
@api_view(["GET", "HEAD"])
@authentication_classes([Visitor])
def standings(request: Request, token: str) -> Response:
    """The table as it is now, with the reason for every position."""
    return Response(
        serializers.standings(found("event", load_standings(calling_owner(request), token)))
    )


def _seen(actor: Owner, token: str) -> ClubEventRecord:
    return found("event", load_event(actor, token))


def _whole(actor: Owner, token: str, status: int = 200) -> Response:
    record = _seen(actor, token)
    told: dict[str, Any] = serializers.event(record)
    return versioned(Response(told, status=status), record.version)


urlpatterns = [
    path("events/", events, name="api-events"),
    path("events/<str:token>/", event, name="api-event"),
    path("events/<str:token>/entries/", entries, name="api-event-entries"),
    path("events/<str:token>/standings/", standings, name="api-event-standings"),
]
