"""Clubs for programs: found, joined and changed; their members and their own army lists."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException

from accounts.api.endpoints import (
    ApiCall,
    Endpoint,
    Section,
    choice_in_query,
    found,
)
from accounts.api.serializers import (
    Answer,
    Body,
    Flag,
    Moment,
    OneOf,
    Text,
    Whole,
)
from accounts.api_tokens.http import page_of_rows
from accounts.errors import NotAllowed
from accounts.models import CLUB_DESCRIPTION_MAX, CLUB_NAME_MAX, Role, Scope
from accounts.operations import clubs as op
from accounts.queries import (
    ClubMember,
    ClubRecord,
    clubs_joined,
    clubs_listed,
    load_club,
    load_member,
    load_members,
)
from accounts.tokens import TYPED_MAX
from clubs import operations
from clubs.codes import WAIT_SECONDS, find_club
from rulesdata.api.mechanics import CampaignRulesBody
from rulesdata.operations.campaign_rules import WrittenRules, write_campaign_rules

SEARCH_MAX = 100
SLUG = OpenApiParameter(
    "slug",
    {"type": "string", "pattern": "^[a-z0-9-]{1,80}$"},
    OpenApiParameter.PATH,
    description="The club's address.",
)
CLUBS = Section(
    "clubs",
    noun="club",
    scope=Scope.CLUBS,
    fields={"Club name": "name", "Description": "description"},
    parts=(SLUG,),
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
    description = Text(required=False, max_length=CLUB_DESCRIPTION_MAX)
    is_public = Flag("Whether everybody may find it.", required=False)


class ClubRowAnswer(Answer):
    """A club in a list."""

    slug = Text()
    name = Text()
    summary = Text()
    is_public = Flag()
    members = Whole()
    role = Text("The caller's: owner, organiser, member; null outside.", allow_null=True)


class ClubAnswer(Answer):
    """One club."""

    slug = Text()
    name = Text()
    description = Text()
    is_public = Flag()
    members = Whole()
    role = Text(allow_null=True)
    code = Text("What lets people in, for those who run it.", allow_null=True)
    created_at = Moment()


@Endpoint("GET", ClubRowAnswer, parameters=(SHOW, SEARCH), is_paged=True)
def list_clubs(call: ApiCall) -> Any:
    """List your clubs, or the public ones, by name."""
    page, search = call.page, call.text("search")[:SEARCH_MAX].replace("\0", "")
    if call.choice("show", SHOWS) == "listed":
        return clubs_listed(call.actor, search=search, **page)
    return page_of_rows(clubs_joined(call.person()), **page)


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
    """Create a club. You become its owner."""
    slug = operations.found_club(call.actor, **call.body, request_key=call.key)
    return _club(call, slug)


@Endpoint("GET", ClubAnswer)
def read_club(call: ApiCall, slug: str) -> ClubRecord:
    """Read a club: one of yours, or a public one."""
    return _club(call, slug)


@Endpoint("PATCH", ClubAnswer, ClubBody, refusals=(404, 409, 422), needs_person=True)
def change_club(call: ApiCall, slug: str) -> ClubRecord:
    """Change the name, description or visibility of a club that you run."""
    op.change_club(call.actor, slug, **call.body)
    return _club(call, slug)


@Endpoint("POST", ClubAnswer, needs_person=True)
def renew_club_code(call: ApiCall, slug: str) -> ClubRecord:
    """Give a club that you run a new code. The old code and its links stop working."""
    op.new_code(call.actor, slug)
    return _club(call, slug)


class JoinBody(Body):
    """What lets somebody into a club. Any other key is refused."""

    code = Text(
        "A club's code, or the link that holds it.",
        refuses_null=True,
        max_length=TYPED_MAX,
    )


class _TooManyCodes(APIException):
    """Somebody tries codes."""

    status_code = 429
    default_detail = "Too many wrong codes from this address. Try again in five minutes."
    wait = WAIT_SECONDS


@Endpoint("POST", ClubAnswer, JoinBody, needs_person=True)
def join_club(call: ApiCall) -> ClubRecord:
    """Join the club of a code. Joining again changes nothing.

    After ten wrong codes in five minutes an address has to wait, as on the page.
    """
    # Looked up first, because that counts wrong codes.
    club, code = find_club(call.request._request, call.actor, call.body["code"])
    if club is None:
        raise _TooManyCodes
    op.join_club(call.actor, code)
    return _club(call, club.slug)


# Who belongs to a club

MEMBER = OpenApiParameter(
    "member",
    {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
    OpenApiParameter.PATH,
    description="The membership's id.",
)
MEMBERS = replace(CLUBS, noun="member", parts=(SLUG, MEMBER))


class MemberAnswer(Answer):
    """Somebody in a club."""

    id = Whole("Of the membership.")
    name = Text()
    role = OneOf(choices=Role.values)
    joined_at = Moment()
    is_me = Flag()


class MemberBody(Body):
    """What a member becomes. Any other key is refused."""

    role = OneOf(refuses_null=True, choices=Role.values)


@Endpoint("GET", MemberAnswer, refusals=(403,), is_paged=True, needs_person=True)
def list_members(call: ApiCall, slug: str) -> Any:
    """List the members of a club that you belong to: owners, organisers, members."""
    page, club = call.page, _joined(call, slug)
    return load_members(call.actor, club.id, **page)


@Endpoint("GET", MemberAnswer, refusals=(403,), needs_person=True)
def read_member(call: ApiCall, slug: str, member: int) -> ClubMember:
    """Read a member of a club that you belong to."""
    return _member(call, slug, member)


@Endpoint("PATCH", MemberAnswer, MemberBody, needs_person=True)
def change_member(call: ApiCall, slug: str, member: int) -> ClubMember:
    """Change the role of a member as an owner. A club always keeps an owner."""
    _member(call, slug, member)
    if "role" in call.body:
        op.change_role(call.actor, slug, member, call.body["role"])
    return _member(call, slug, member)


@Endpoint("DELETE", None, status=204, needs_person=True)
def remove_member(call: ApiCall, slug: str, member: int) -> None:
    """Remove a member from a club as an organiser, or leave the club yourself."""
    # Leaving has rules of its own, and every member may.
    if _member(call, slug, member).is_me:
        op.leave_club(call.actor, slug)
    else:
        op.remove_member(call.actor, slug, member)


def _club(call: ApiCall, slug: str) -> ClubRecord:
    return found("club", load_club(call.actor, slug))


def _joined(call: ApiCall, slug: str) -> ClubRecord:
    """The club, for its members; a listed one tells others no more than that they are none."""
    club = _club(call, slug)
    if not club.is_member:
        raise NotAllowed(op.NOT_A_MEMBER)
    return club


def _member(call: ApiCall, slug: str, member: int) -> ClubMember:
    club = _joined(call, slug)
    return found("member", load_member(call.actor, club.id, member))


# Its own campaign rules


class OwnRulesAnswer(Answer):
    """The version that was written."""

    id = Text("By which campaigns name the set.")
    version = Whole()


@Endpoint("POST", OwnRulesAnswer, CampaignRulesBody, status=201, needs_person=True)
def write_own_rules(call: ApiCall, slug: str) -> WrittenRules:
    """Write campaign rules of a club that you run.

    A document with the id of a set that the club has is the next version of that set. The same
    document again makes no new version.
    """
    return write_campaign_rules(call.actor, slug, call.body["document"])


urlpatterns = [
    CLUBS.address("clubs/", list_clubs, found_club, name="api-clubs"),
    # Before the address of a club: no club is called so.
    CLUBS.address("clubs/join/", join_club, name="api-club-join"),
    CLUBS.address("clubs/<slug:slug>/", read_club, change_club, name="api-club"),
    CLUBS.address("clubs/<slug:slug>/code/", renew_club_code, name="api-club-code"),
    MEMBERS.address("clubs/<slug:slug>/members/", list_members, name="api-club-members"),
    MEMBERS.address(
        "clubs/<slug:slug>/members/<int:member>/",
        read_member,
        change_member,
        remove_member,
        name="api-club-member",
    ),
    CLUBS.address(
        "clubs/<slug:slug>/campaign-rules/", write_own_rules, name="api-own-rules"
    ),
]
