"""Clubs for programs: those one belongs to, those that are listed, founding one and changing what
it says.
"""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api_tokens.authentication import (
    Visitor,
    calling_owner,
    calling_person,
    requires_scope,
)
from accounts.api_tokens.http import PAGES, page_answer, page_asked, page_of_rows, page_shape
from accounts.models import CLUB_DESCRIPTION_MAX, CLUB_NAME_MAX, Scope
from accounts.operations.clubs import change_club
from accounts.queries.clubs import ClubRecord, ClubRow, clubs_joined, clubs_listed, load_club
from battles.api.authentication import body_of
from battles.api.serializers import text
from campaigns.api.errors import choice, flag, found, refusing
from campaigns.api.serializers import KEY, READING, WRITING
from clubs.operations import found_club
from rulesdata.api import LIST_REFUSALS

TAG = "clubs"
SEARCH_MAX = 100
TEXT, WHOLE, YES = serializers.CharField, serializers.IntegerField, serializers.BooleanField
SLUG = OpenApiParameter(
    "slug",
    {"type": "string", "pattern": "^[a-z0-9-]{1,80}$"},
    OpenApiParameter.PATH,
    description="The club's address.",
)
SHOW = OpenApiParameter(
    "show",
    {"type": "string", "enum": ["mine", "listed"], "default": "mine"},
    description="Those one belongs to, or those that everybody may find.",
)
SEARCH = OpenApiParameter(
    "search",
    {"type": "string", "maxLength": SEARCH_MAX},
    description="A part of the name, of those that are listed.",
)


class ClubDocument(serializers.Serializer[Any]):
    """What a club says about itself. Any other key is refused."""

    name = TEXT(max_length=CLUB_NAME_MAX)
    description = TEXT(required=False, allow_blank=True, max_length=CLUB_DESCRIPTION_MAX)
    is_public = YES(required=False, help_text="Whether everybody may find it.")


class ClubChange(serializers.Serializer[Any]):
    """What is to be changed of a club. Any other key is refused, and what is left out stays."""

    name = TEXT(required=False, max_length=CLUB_NAME_MAX)
    description = TEXT(required=False, allow_blank=True, max_length=CLUB_DESCRIPTION_MAX)
    is_public = YES(required=False)


class ClubRowAnswer(serializers.Serializer[Any]):
    """A club in a list."""

    slug = TEXT()
    name = TEXT()
    summary = TEXT(allow_blank=True)
    is_public = YES()
    members = WHOLE()
    role = TEXT(allow_null=True, help_text="The caller's: owner, organiser, member; null outside.")


class ClubAnswer(serializers.Serializer[Any]):
    """One club."""

    slug = TEXT()
    name = TEXT()
    description = TEXT(allow_blank=True)
    is_public = YES()
    members = WHOLE()
    role = TEXT(allow_null=True)
    code = TEXT(allow_null=True, help_text="What lets people in, for those who run it.")
    created_at = serializers.DateTimeField()


@extend_schema(
    methods=["GET"],
    operation_id="list_clubs",
    description="The clubs the caller belongs to, or the listed ones, by name.",
    parameters=[SHOW, SEARCH, *PAGES],
    responses={200: page_shape("ClubPage", ClubRowAnswer(many=True)), **LIST_REFUSALS},
    tags=[TAG],
)
@extend_schema(
    methods=["POST"],
    operation_id="found_club",
    description="A new club, owned by the caller.",
    parameters=[KEY],
    request=ClubDocument,
    responses={201: ClubAnswer, **WRITING},
    tags=[TAG],
)
@api_view(["GET", "POST"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.CLUBS)])
def clubs(request: Request) -> Response:
    """The clubs the caller belongs to, or the listed ones, by name; or a new one that the caller
    owns.
    """
    if request.method == "POST":
        actor, body = (
            calling_person(request),
            body_of(request, tuple(ClubDocument().fields), ("name",)),
        )
        key = request.headers.get("Idempotency-Key", "")
        slug = refusing("club", lambda: found_club(actor, **_read(body), request_key=key))
        return Response(_whole(found("club", load_club(actor, slug))), status=201)
    asked, search = (
        page_asked(request),
        request.query_params.get("search", "")[:SEARCH_MAX].replace("\0", ""),
    )
    if choice(request.query_params.get("show", "mine"), "show", ("mine", "listed")) == "listed":
        return page_answer(
            request, clubs_listed(calling_owner(request), search=search, **asked), _row
        )
    return page_answer(request, page_of_rows(clubs_joined(calling_person(request)), **asked), _row)


@extend_schema(
    methods=["GET"],
    operation_id="read_club",
    description="A club, for its members and, where it is listed, for everybody.",
    parameters=[SLUG],
    responses={200: ClubAnswer, **READING},
    tags=[TAG],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_club",
    description="What a club says about itself, by those who run it.",
    parameters=[SLUG],
    request=ClubChange,
    responses={200: ClubAnswer, **WRITING, **READING},
    tags=[TAG],
)
@api_view(["GET", "PATCH"])
@authentication_classes([Visitor])
@permission_classes([requires_scope(Scope.CLUBS)])
def club(request: Request, slug: str) -> Response:
    """A club, for its members and, where it is listed, for everybody; or what it says about itself
    changed.
    """
    if request.method == "PATCH":
        actor, body = calling_person(request), body_of(request, tuple(ClubChange().fields))
        refusing("club", lambda: change_club(actor, slug, **_read(body)))
    return Response(_whole(found("club", load_club(calling_owner(request), slug))))


def _read(body: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = {
        name: text(body, name) for name in ("name", "description") if name in body
    }
    return read | ({"is_public": flag(body, "is_public")} if "is_public" in body else {})


def _row(row: ClubRow) -> dict[str, Any]:
    told = {
        name: getattr(row, name) for name in ("slug", "name", "summary", "is_public", "members")
    }
    return {**told, "role": row.role or None}


def _whole(record: ClubRecord) -> dict[str, Any]:
    same = ("slug", "name", "description", "is_public", "members", "created_at")
    told = {name: getattr(record, name) for name in same}
    return {**told, "role": record.role or None, "code": record.code or None}


urlpatterns = [
    path("clubs/", clubs, name="api-clubs"),
    path("clubs/<slug:slug>/", club, name="api-club"),
]
