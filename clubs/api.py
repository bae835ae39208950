"""Clubs for programs: list those that one may see, read one, found one, change what it says."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import ApiCall, Endpoint, Section, choice_in_query, found
from accounts.api.serializers import Answer, Body, Flag, Moment, Text, Whole
from accounts.api_tokens.http import page_of_rows
from accounts.models import CLUB_DESCRIPTION_MAX, CLUB_NAME_MAX, Scope
from accounts.operations import clubs as op
from accounts.queries.clubs import ClubRecord, clubs_joined, clubs_listed, load_club
from clubs import operations

SEARCH_MAX = 100
CLUBS = Section(
    "clubs",
    noun="club",
    scope=Scope.CLUBS,
    fields={"Club name": "name", "Description": "description"},
)
SLUG = OpenApiParameter(
    "slug",
    {"type": "string", "pattern": "^[a-z0-9-]{1,80}$"},
    OpenApiParameter.PATH,
    description="The club's address.",
)
SHOWS = ("mine", "listed")
SHOW = choice_in_query(
    "show", SHOWS, "Those one belongs to, or those that everybody may find."
)
SEARCH = OpenApiParameter(
    "search",
    {"type": "string", "maxLength": SEARCH_MAX},
    description="A part of the name, of those that are listed.",
)


class ClubBody(Body):
    """What a club says about itself. Any other key is refused."""

    name = Text(max_length=CLUB_NAME_MAX)
    description = Text(required=False, allow_blank=True, max_length=CLUB_DESCRIPTION_MAX)
    is_public = Flag(required=False, help_text="Whether everybody may find it.")


class ClubRowAnswer(Answer):
    """A club in a list."""

    slug = Text()
    name = Text()
    summary = Text(allow_blank=True)
    is_public = Flag()
    members = Whole()
    role = Text(
        allow_null=True, help_text="The caller's: owner, organiser, member; null outside."
    )


class ClubAnswer(Answer):
    """One club."""

    slug = Text()
    name = Text()
    description = Text(allow_blank=True)
    is_public = Flag()
    members = Whole()
    role = Text(allow_null=True)
    code = Text(allow_null=True, help_text="What lets people in, for those who run it.")
    created_at = Moment()


@Endpoint("GET", ClubRowAnswer, parameters=(SHOW, SEARCH), is_paged=True)
def list_clubs(call: ApiCall) -> Any:
    """The clubs the caller belongs to, or the listed ones, by name."""
    asked, search = call.page, call.text("search")[:SEARCH_MAX].replace("\0", "")
    if call.choice("show", SHOWS) == "listed":
        return clubs_listed(call.actor, search=search, **asked)
    return page_of_rows(clubs_joined(call.person()), **asked)


@Endpoint(
    "POST",
    ClubAnswer,
    ClubBody,
    status=201,
    refusals=(404, 409, 422),
    needs_person=True,
    takes_key=True,
)
def found_club(call: ApiCall) -> ClubRecord:
    """A new club, owned by the caller."""
    slug = operations.found_club(call.actor, **call.body, request_key=call.key)
    return found("club", load_club(call.actor, slug))


@Endpoint("GET", ClubAnswer, parameters=(SLUG,))
def read_club(call: ApiCall, slug: str) -> ClubRecord:
    """A club, for its members and, where it is listed, for everybody."""
    return found("club", load_club(call.actor, slug))


@Endpoint(
    "PATCH",
    ClubAnswer,
    ClubBody,
    refusals=(404, 409, 422),
    parameters=(SLUG,),
    needs_person=True,
)
def change_club(call: ApiCall, slug: str) -> ClubRecord:
    """What a club says about itself, by those who run it."""
    op.change_club(call.actor, slug, **call.body)
    return found("club", load_club(call.actor, slug))


urlpatterns = [
    CLUBS.address("clubs/", list_clubs, found_club, name="api-clubs"),
    CLUBS.address("clubs/<slug:slug>/", read_club, change_club, name="api-club"),
]
