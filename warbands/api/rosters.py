"""Rosters for programs, of which nothing is stored: the document, its check, its sheet.

A document is read whole by `warbands.exchange.document`, whose sentences name each fault.
"""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException, ValidationError

from accounts.api.endpoints import ApiCall, Endpoint, Section, choice_in_query
from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    Flag,
    ListOf,
    ObjectOf,
    OneOf,
    Text,
    Texts,
    Whole,
)
from accounts.api_tokens.authentication import BearerToken, StoresNothing
from accounts.requests import PRINT_SECONDS, PRINTED_TOO_MUCH, may_print
from engine.roster import MAX_COUNT, MAX_ENTRIES, MAX_LIMIT
from warbands.checks import CheckedRoster
from warbands.exchange.document import FORMAT, parse
from warbands.models import KEY_MAX, NAME_MAX, NOTE_MAX
from warbands.pdf import (
    DEFAULT_PARTS,
    PAPERS,
    PARTS,
    PdfFailed,
    PdfTooLarge,
    hold_place,
    kept_roster_pdf,
)
from warbands.pdf.press import RETRY_SECONDS
from warbands.queries.warbands import check_document, sheet_of_roster
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
    return check_document(call.data)


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
    paper = _one_of("paper", call.text("paper", "a4"), PAPERS)
    names = call.text("parts", ",".join(DEFAULT_PARTS)).split(",")
    parts = tuple(dict.fromkeys(_one_of("parts", name.strip(), PARTS) for name in names))
    if not may_print(call.request._request):
        raise _PrintedTooMuch
    sheet = sheet_of_roster(parse(call.data))
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


def _one_of(field: str, value: str, choices: tuple[Any, ...]) -> Any:
    if value not in choices:
        sent = value[:40] or "nothing"
        sentence = f"Must be {' or '.join(choices)}, not {sent}."
        raise ValidationError({field: [sentence]})
    return value


urlpatterns = [
    ROSTERS.address("check/", check_roster, name="api-roster-check"),
    ROSTERS.address("sheet/", print_sheet, name="api-sheet-print"),
]
