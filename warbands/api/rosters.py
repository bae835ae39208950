"""Rosters for programs, of which nothing is stored: check a document, print it.

A document is read whole by `warbands.exchange.document`, whose sentences name each fault.
"""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException, ValidationError

from accounts.api.endpoints import ApiCall, Endpoint, Section, choice_in_query
from accounts.api_tokens.authentication import BearerToken, StoresNothing
from accounts.requests import PRINT_SECONDS, PRINTED_TOO_MUCH, may_print
from warbands.api.documents import CheckAnswer, RosterDocument
from warbands.checks import CheckedRoster
from warbands.exchange.document import parse
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
    asked = call.text("parts", ",".join(DEFAULT_PARTS)).split(",")
    parts = tuple(dict.fromkeys(_one_of("parts", part.strip(), PARTS) for part in asked))
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
    for choice in choices:
        if value == choice:
            return choice
    shown = value[:40] or "nothing"
    raise ValidationError({field: [f"Must be {' or '.join(choices)}, not {shown}."]})


urlpatterns = [
    ROSTERS.address("check/", check_roster, name="api-roster-check"),
    ROSTERS.address("sheet/", print_sheet, name="api-sheet-print"),
]
