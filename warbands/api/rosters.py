"""Rosters and warbands for programs: the document, its check, its sheet; and those that are stored.

A document is read whole by `warbands.exchange.document`, whose sentences name each fault.
"""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException, ValidationError

from accounts.api.endpoints import (
    FLAG,
    ApiCall,
    Endpoint,
    Section,
    Versioned,
    choice_in_query,
    found,
    token_in_path,
)
from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    Flag,
    Joined,
    ListOf,
    Moment,
    ObjectOf,
    OneOf,
    Text,
    Texts,
    Whole,
)
from accounts.api_tokens.http import BearerToken, StoresNothing
from accounts.errors import Refusal
from accounts.models import CLUB_NAME_MAX, Scope
from accounts.queries import load_club
from accounts.requests import PRINT_SECONDS, PRINTED_TOO_MUCH, may_print
from engine.roster import MAX_COUNT, MAX_ENTRIES, MAX_LIMIT
from warbands.checks import CheckedRoster
from warbands.exchange.document import FORMAT, to_document
from warbands.models import KEY_MAX, NAME_MAX, NOTE_MAX, WarbandVisibility
from warbands.operations import warbands as op
from warbands.operations.transaction import WriteContext
from warbands.pdf.documents import DEFAULT_PARTS, PARTS, kept_roster_pdf
from warbands.pdf.press import PAPERS, RETRY_SECONDS, PdfFailed, PdfTooLarge, hold_place
from warbands.queries.lists import warbands_of
from warbands.queries.warbands import (
    check_document,
    check_warband,
    load_warband,
    parse_sent,
    sheet_of_roster,
)
from warbands.roster_fields import DOCUMENT_FIELDS, MAX_OPTIONS


def optional_text(limit: int) -> Text:
    """A text that may be empty or left out."""
    return Text(max_length=limit, default="")


class WarriorDocument(Body):
    """One entry of a roster document. Any other key is refused."""

    profile = Text(max_length=KEY_MAX, help_text="Key of a profile of the army.")
    count = Whole(
        min_value=1,
        max_value=MAX_COUNT,
        default=1,
        help_text="Miniatures alike; a leader is one.",
    )
    options = Texts(
        child=Text(max_length=KEY_MAX),
        max_length=MAX_OPTIONS,
        default=list,
        help_text="What is bought beyond the profile: option keys, champion, musician, "
        "standard-bearer, magic/<key>; "
        "one sold by the piece stands here once for each piece.",
    )

    growth = AnyObject(
        allow_null=True,
        default=None,
        help_text="What a campaign made of the entry, as an export of its warband tells it; "
        "sheets, checks and odds count it, importing turns it into a note.",
    )

    def get_fields(self) -> dict[str, Any]:
        """The keys of `DOCUMENT_FIELDS` in their order: as above, else a plain flag or text."""
        declared = super().get_fields()
        fields: dict[str, Any] = {}
        for key, field in DOCUMENT_FIELDS.items():
            if key in declared:
                fields[key] = declared[key]
            elif field.form == "flag":
                fields[key] = Flag(default=False)
            elif field.form in ("text", "lines"):
                fields[key] = optional_text(field.limit)
            else:
                raise ValueError(f"{field.field} needs a declaration in WarriorDocument")
        return fields


class RosterDocument(Body):
    """The roster document muster-roll/1. Any other key is refused."""

    format = OneOf(choices=[FORMAT])
    system = Text(max_length=KEY_MAX, help_text="Key of a rule system.")
    variant = Text(
        allow_null=True,
        default=None,
        help_text="Of the rule system; null where it has none, and needed where it has some.",
    )
    tags = Texts(
        child=Text(max_length=KEY_MAX),
        default=list,
        help_text="Tags of the system.",
    )
    army = Text(max_length=KEY_MAX, help_text="Key of an army list that the system fields.")
    name = optional_text(NAME_MAX)
    points_limit = Whole(
        allow_null=True,
        min_value=0,
        max_value=MAX_LIMIT,
        default=None,
        help_text="Null where none was agreed.",
    )
    scenario = Text(
        allow_null=True,
        default=None,
        help_text="Key of a scenario of the system.",
    )
    house_rules = ObjectOf(
        child=Flag(),
        default=dict,
        help_text="Switches of the system, by key.",
    )
    rulings = ObjectOf(
        child=Whole(min_value=0, max_value=9),
        default=dict,
        help_text="Rulings played otherwise, by ref: 1 for the first alternative, 0 for the text.",
    )
    warriors = ListOf(child=WarriorDocument(), max_length=MAX_ENTRIES)
    note = optional_text(NOTE_MAX)
    growth = AnyObject(
        allow_null=True,
        default=None,
        help_text="What a campaign made of the warband, as its export tells it.",
    )


class FindingAnswer(Answer):
    """One finding."""

    code = Text()
    level = OneOf(choices=["error", "warning", "note"])
    message = Text()
    warriors = Texts(child=Whole(), help_text="Indexes into warriors, from 0.")
    acknowledged_by = Text(
        allow_null=True,
        help_text="Who has acknowledged the uncertain figures, and when; a note since then.",
    )
    source = Text()  # type: ignore[assignment]  # a key of ours, not the framework's attribute


class CheckedWarriorAnswer(Answer):
    """What one entry comes to."""

    points = Whole(help_text="Of all miniatures of the entry.")
    armour_save = Whole(allow_null=True, help_text="5 for 5+, before situational bonuses.")
    leadership = Whole(
        allow_null=True, help_text="Its own, or its champion's; never the mount's."
    )


class CheckAnswer(Answer):
    """The roster's price and findings; warriors stand in the order of the document."""

    points = Whole(help_text="Of the whole roster.")
    second_price = Whole(
        allow_null=True,
        help_text="In the second price of the list, such as a rating; null without any.",
    )
    models = Whole(help_text="Miniatures on the table.")
    findings = FindingAnswer(many=True, source="first_findings")
    findings_left = Whole(help_text="How many more there are; an answer holds 1,000.")
    warriors = CheckedWarriorAnswer(many=True)


# Addresses

ROSTERS = Section("rosters", authentication=BearerToken, permission=StoresNothing)
PAPER = choice_in_query("paper", PAPERS)
SHEET_PARTS = OpenApiParameter(
    "parts",
    {"type": "string", "default": ",".join(DEFAULT_PARTS)},
    description=(
        f"One or more of {', '.join(PARTS)}, with commas between, in the order to print them."
    ),
)


@Endpoint("POST", CheckAnswer, request=RosterDocument)
def check_roster(call: ApiCall) -> CheckedRoster:
    """Price and check a roster against the guidelines and its army list."""
    return check_document(call.actor, call.data)


@Endpoint(
    "POST",
    OpenApiTypes.BINARY,
    request=RosterDocument,
    refusals=(503,),
    parameters=(PAPER, SHEET_PARTS),
    media_type="application/pdf",
)
def print_sheet(call: ApiCall) -> HttpResponse:
    """Print a roster as a PDF sheet."""
    # Before the document: a wrong paper is told without reading a roster.
    paper: Any = call.choice("paper", PAPERS)
    names = call.text("parts", ",".join(DEFAULT_PARTS)).split(",")
    parts: Any = tuple(dict.fromkeys(name.strip() for name in names))
    if not set(parts) <= set(PARTS):
        sentence = f"parts must be one or more of {', '.join(PARTS)}."
        raise ValidationError({"parts": [sentence]})
    if not may_print(call.request._request):
        raise _PrintedTooMuch
    sheet = sheet_of_roster(parse_sent(call.actor, call.data))
    try:
        with hold_place():
            pdf = kept_roster_pdf(sheet, paper, parts)
    except PdfTooLarge as error:
        raise ValidationError({"warriors": [str(error)]}) from None
    except PdfFailed as error:
        raise _Unavailable(str(error)) from None
    response = HttpResponse(pdf, content_type="application/pdf")
    response["Content-Disposition"] = 'inline; filename="roster.pdf"'
    return response


class _PrintedTooMuch(APIException):
    status_code = 429
    default_detail = PRINTED_TOO_MUCH
    wait = PRINT_SECONDS


class _Unavailable(APIException):
    status_code = 503
    wait = RETRY_SECONDS  # the framework's handler makes Retry-After of it


urlpatterns = [
    ROSTERS.address("check/", check_roster, name="api-roster-check"),
    ROSTERS.address("sheet/", print_sheet, name="api-sheet-print"),
]


# Warbands


WARBANDS = Section(
    "warbands", noun="warband", scope=Scope.WARBANDS, fields={"club_id": "club"}
)
ID = token_in_path("token", "The warband's id.")
ARCHIVED = choice_in_query("archived", FLAG)
CHANGE: dict[str, Any] = {
    "parameters": (ID,),
    "needs_person": True,
    "needs_version": True,
}


# Answers and bodies


class WarbandRowAnswer(Answer):
    """A warband in a list."""

    id = Text(source="token")
    name = Text()
    system = Text()
    variant = Text(allow_null=True)
    army = Text()
    points = Whole()
    points_limit = Whole(allow_null=True)
    models = Whole()
    errors = Whole()  # type: ignore[assignment]  # a key of ours, not the framework's attribute
    warnings = Whole()
    visibility = Text(help_text="private, link, club or public.")
    in_campaign = Flag(
        source="is_grown", help_text="The copy that a campaign has of a roster."
    )
    updated_at = Moment()


class WarbandAnswer(Answer):
    """A warband: its document, and what that comes to."""

    id = Text(source="token")
    version = Whole(help_text="Also in the header ETag.")
    visibility = Text(help_text="private, link, club or public.")
    club = Text(
        allow_null=True,
        help_text="Address (slug) of the club it is shared with; its owner's.",
    )
    is_archived = Flag()
    is_mine = Flag()
    roster = RosterDocument()
    check = CheckAnswer()


class WarbandBody(Body):
    """What is to change of a warband; what is left out stays. Any other key is refused."""

    visibility = OneOf(refuses_null=True, choices=WarbandVisibility.values)
    club = Text(
        allow_null=True,
        max_length=CLUB_NAME_MAX,
        help_text="Address (slug) of a club that the caller belongs to; null is none.",
    )
    archived = Flag(
        help_text="true archives it, false takes it back. Send it without other keys."
    )
    name = Text(refuses_null=True, max_length=NAME_MAX)
    points_limit = Whole(allow_null=True, min_value=0, max_value=MAX_LIMIT)
    scenario = Text(allow_null=True, max_length=KEY_MAX)
    house_rules = ObjectOf(child=Flag(), help_text="Switches of the system, by key.")
    tags = Texts(child=Text(max_length=KEY_MAX), help_text="Tags of the system.")
    note = Text(refuses_null=True, max_length=NOTE_MAX)


class MadeWarbandAnswer(Answer):
    """Where a warband stands that was stored."""

    id = Text(source="token")
    version = Whole()


# Reading and adding


@Endpoint("GET", WarbandRowAnswer, parameters=(ARCHIVED,), is_paged=True, needs_person=True)
def list_warbands(call: ApiCall) -> Any:
    """List your warbands, newest first."""
    return warbands_of(call.actor, archived=call.flag("archived"), **call.page)


@Endpoint(
    "POST",
    MadeWarbandAnswer,
    request=RosterDocument,
    status=201,
    refusals=(422,),
    needs_person=True,
    takes_key=True,
)
def add_warband(call: ApiCall) -> Versioned:
    """Create a private warband from a roster."""
    done = op.import_document(WriteContext(call.actor, key=call.key), call.data)
    return Versioned(done, done.version)


@Endpoint("GET", WarbandAnswer, parameters=(ID,))
def read_warband(call: ApiCall, token: str) -> Versioned:
    """Read a warband that you can open: its roster, price and issues."""
    return _warband(call, token)


def _warband(call: ApiCall, token: str) -> Versioned:
    record = found("warband", load_warband(call.actor, token))
    is_mine = record.owner_id is not None and record.owner_id == call.actor.user_id
    answer = Joined(
        record,
        is_mine=is_mine,
        # Whom it is shared with is its owner's to know.
        club=record.club_slug if is_mine else "",
        roster=to_document(record.roster),
        check=check_warband(record),
    )
    return Versioned(answer, record.version)


@Endpoint(
    "PUT",
    MadeWarbandAnswer,
    request=RosterDocument,
    **CHANGE,
)
def replace_roster(call: ApiCall, token: str) -> Versioned:
    """Replace the roster of a warband.

    System, variant and army must be the warband's own.
    """
    done = op.replace_roster(WriteContext(call.actor, token, call.version), call.data)
    return Versioned(done, done.version)


@Endpoint(
    "PATCH",
    WarbandAnswer,
    WarbandBody,
    **CHANGE,
)
def change_warband(call: ApiCall, token: str) -> Versioned:
    """Change who can see a warband, its name and its settings, or archive it and take it back.

    `replace_roster` changes its models.
    """
    context, changes = WriteContext(call.actor, token, call.version), {**call.body}
    if "archived" in changes:
        # A warband in the archive takes no other change, so both would be half refused.
        if len(changes) > 1:
            sentence = (
                "archived stands alone: send the other changes in a call of their own."
            )
            raise Refusal(sentence, field="archived")
        move = op.archive_warband if changes["archived"] else op.restore_warband
        move(context)
        return _warband(call, token)
    if "club" in changes:
        slug = changes.pop("club")
        club = load_club(call.actor, slug) if slug and "\0" not in slug else None
        if slug and club is None:
            raise Refusal("Choose one of the clubs you belong to.", field="club")
        changes["club_id"] = club.id if club else None
    op.change_warband(context, **changes)
    return _warband(call, token)


@Endpoint(
    "POST",
    WarbandAnswer,
    refusals=(422,),
    takes_key=True,
    **CHANGE,
)
def acknowledge_figures(call: ApiCall, token: str) -> Versioned:
    """Acknowledge the uncertain figures of a warband. They are notes until another one joins."""
    op.acknowledge_figures(WriteContext(call.actor, token, call.version, call.key))
    return _warband(call, token)


@Endpoint(
    "DELETE",
    WarbandAnswer,
    **CHANGE,
)
def withdraw_acknowledgement(call: ApiCall, token: str) -> Versioned:
    """Withdraw the acknowledgement of uncertain figures. They are warnings again."""
    op.withdraw_acknowledgement(WriteContext(call.actor, token, call.version))
    return _warband(call, token)


@Endpoint(
    "DELETE",
    None,
    status=204,
    **CHANGE,
)
def delete_warband(call: ApiCall, token: str) -> None:
    """Delete a warband and its history. Battles keep their copies of it."""
    op.delete_warband(WriteContext(call.actor, token, call.version))


urlpatterns += [
    WARBANDS.address("warbands/", list_warbands, add_warband, name="api-warbands"),
    WARBANDS.address(
        "warbands/<str:token>/",
        read_warband,
        replace_roster,
        change_warband,
        delete_warband,
        name="api-warband",
    ),
    WARBANDS.address(
        "warbands/<str:token>/figures/",
        acknowledge_figures,
        withdraw_acknowledgement,
        name="api-warband-figures",
    ),
]
