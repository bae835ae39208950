"""The roster sheet on the screen, and the same on paper."""

from collections.abc import Callable
from datetime import date
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.requests import (
    PRINT_SECONDS,
    PRINTED_TOO_MUCH,
    may_print,
    owner_of,
    without_robots,
)
from engine.records import Texts, frozen_dataclass
from rulesdata import registry
from rulesdata.queries.campaign_book import load_rules_book
from warbands.pdf import (
    DEFAULT_PARTS,
    PAPERS,
    PARTS,
    PdfFailed,
    PdfTooLarge,
    blank_pdf,
    hold_place,
    kept_roster_pdf,
)
from warbands.pdf.documents import campaign_rules_pdf
from warbands.pdf.press import RETRY_SECONDS
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import sheet_of
from warbands.views.manage import as_file, file_name
from warbands.views.paper import paper_context
from warbands.views.requests import record_for

BLANK_LINES = 12


@frozen_dataclass
class SheetTab:
    """One face of the sheet: its URL name, its template, and what its PDF is asked for with."""

    name: str
    label: str
    template: str
    pdf_query: str = ""


TABS = (
    SheetTab("sheet-read", "Roster", "roster"),
    SheetTab("sheet-reference", "Quick reference", "reference", "&parts=reference"),
    SheetTab("sheet-cards", "Cards", "cards", "&parts=cards"),
    SheetTab("sheet-opponent", "Opponent’s copy", "roster", "&copy=opponent"),
    SheetTab("sheet-blank", "Blank", "blank"),
)


def _tab_view(tab: SheetTab) -> Callable[..., HttpResponse]:
    """The view of one face of the sheet."""

    @require_safe
    def view(request: HttpRequest, token: str) -> HttpResponse:
        _, record = record_for(request, token)
        is_opponents = tab.name == "sheet-opponent"
        sheet = sheet_of(record, is_opponents_copy=is_opponents, printed_on=today())
        context = {
            "record": record,
            **paper_context(sheet),
            "tabs": [
                {
                    "label": one.label,
                    "url": reverse(one.name, args=[token]),
                    "current": one is tab,
                }
                for one in TABS
            ],
            "pdf_query": tab.pdf_query,
            "is_blank": tab.name == "sheet-blank",
            "lines": range(BLANK_LINES),
        }
        template = f"warbands/sheet/{tab.template}.html"
        return without_robots(render(request, template, context))

    return view


sheet_read, sheet_reference, sheet_cards, sheet_opponent, sheet_blank = map(_tab_view, TABS)


def today() -> date:
    return timezone.localdate()


def one_of(request: HttpRequest, name: str, choices: Texts, default: str) -> Any:
    """What a request asks for by this name; raises BadRequest for anything but the choices."""
    value = request.GET.get(name) or default
    if value not in choices:
        raise BadRequest(f"“{name}” must be {' or '.join(choices)}.")
    return value


def _parts(request: HttpRequest) -> tuple[Any, ...]:
    sent = request.GET.get("parts") or ",".join(DEFAULT_PARTS)
    asked = [part.strip() for part in sent.split(",")]
    if not all(part in PARTS for part in asked):
        raise BadRequest(
            f"“parts” must be one or more of {', '.join(PARTS)}, with commas between."
        )
    return tuple(dict.fromkeys(asked))


def _limited(request: HttpRequest) -> HttpResponse | None:
    """The answer to somebody who prints too much, or None."""
    if may_print(request):
        return None
    told = {"status": 429, "title": "Too many prints", "message": PRINTED_TOO_MUCH}
    response = render(request, "429.html", told, status=429)
    response.headers["Retry-After"] = str(PRINT_SECONDS)
    return without_robots(response)


def as_pdf(
    request: HttpRequest, draw: Callable[[], bytes], name: str, back: tuple[str, str]
) -> HttpResponse:
    """A PDF as it is drawn, at most `PRINT_RATES` from one address; a page that says why
    where it fails.

    ``back`` is where that page leads to, an address and what stands there.
    """
    if refused := _limited(request):
        return refused
    try:
        with hold_place():
            pdf = draw()
    except PdfFailed as error:
        context = {"back_url": back[0], "back": back[1], "sentence": str(error)}
        response = render(request, "warbands/sheet/failed.html", context, status=503)
        if isinstance(error, PdfTooLarge):
            response.status_code = 400
        else:
            response.headers["Retry-After"] = str(RETRY_SECONDS)
        return without_robots(response)
    return as_file(pdf, "application/pdf", name, attached=False)


def _back_to(record: WarbandRecord) -> tuple[str, str]:
    return reverse("sheet-read", args=[record.token]), record.display_name


@require_safe
def sheet_pdf(request: HttpRequest, token: str) -> HttpResponse:
    """The sheet as a PDF: ``paper`` a4 or letter, ``parts`` of it, ``copy=opponent``, ``big=1``
    large.
    """
    _, record = record_for(request, token)
    paper = one_of(request, "paper", PAPERS, "a4")
    parts = _parts(request)
    is_opponents = one_of(request, "copy", ("own", "opponent"), "own") == "opponent"
    big = one_of(request, "big", ("0", "1"), "0") == "1"

    def draw() -> bytes:
        sheet = sheet_of(
            record,
            is_opponents_copy=is_opponents,
            printed_on=today(),
            url=_shared_url(request, record),
        )
        return kept_roster_pdf(sheet, paper, parts, big=big)

    return as_pdf(request, draw, file_name(record.display_name, "pdf"), _back_to(record))


def _shared_url(request: HttpRequest, record: WarbandRecord) -> str:
    """The address to print, where a reader could follow it."""
    if record.visibility not in ("link", "public"):
        return ""
    return request.build_absolute_uri(reverse("warband-read", args=[record.token]))


@require_safe
def blank_sheet_pdf(request: HttpRequest, token: str) -> HttpResponse:
    """The empty sheet of this warband's system as a PDF."""
    _, record = record_for(request, token)
    paper = one_of(request, "paper", PAPERS, "a4")
    system = registry.system_of(record.roster)
    return as_pdf(
        request,
        lambda: blank_pdf(system, paper),
        f"blank-{record.roster.system}.pdf",
        _back_to(record),
    )


# Campaign rules


@require_safe
def campaign_pdf(request: HttpRequest, rules: str) -> HttpResponse:
    """A set of the site; ``paper`` a4 or letter."""
    back = reverse("campaign-read", args=[rules])
    return _campaign_pages(request, rules, back)


@require_safe
@login_required
def campaign_own_pdf(request: HttpRequest, token: str) -> HttpResponse:
    """A set of one of the reader's clubs; ``paper`` a4 or letter."""
    back = reverse("campaign-own", args=[token])
    return _campaign_pages(request, f"own/{token}", back)


def _campaign_pages(request: HttpRequest, rules: str, back: str) -> HttpResponse:
    book = load_rules_book(owner_of(request), rules)
    paper = one_of(request, "paper", PAPERS, "a4")
    return without_robots(
        as_pdf(
            request,
            lambda: campaign_rules_pdf(book, paper),
            file_name(book.name, "pdf"),
            (back, book.name),
        )
    )
