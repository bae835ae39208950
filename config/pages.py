"""The pages that belong to no app: the home page, robots.txt and the error pages."""

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.defaultfilters import date as written
from django.template.defaultfilters import pluralize
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.html import escape
from django.views.decorators.http import require_safe

from accounts.entrance import may_sign_up
from accounts.owner import Owner
from accounts.requests import owner_of
from battles.models import BattleStatus
from battles.queries.index import current_battles
from campaigns.models import Entry, EventStatus
from campaigns.queries.events import own_events, public_events
from campaigns.queries.fixtures import load_upcoming_fixtures
from campaigns.queries.records import EventRow
from campaigns.queries.standings import StandingRow, StandingsRecord, load_standings
from config.api.errors import CODES
from engine.records import Fields, frozen_dataclass
from notices.models import REPORTED_MAX
from rulesdata import registry
from rulesdata.queries.book import load_systems
from warbands.queries.lists import starters, warbands_of

logger = structlog.get_logger(__name__)

_ROBOTS = """User-agent: *
Disallow: /accounts/
Disallow: /admin/
Disallow: /api/
Disallow: /*/print
Disallow: /*.pdf
"""


PERSONAL = ("/accounts/", "/admin/", "/jobs/", "/notices/", "/report/")


@frozen_dataclass
class ErrorPage:
    """What the page `<status>.html` says.

    The page brings words of its own; one that ``replaces_words`` says these instead. One that is
    drawn ``alone`` has no user, session or Host: one of them may be what is broken. ``retry_after``
    are the seconds until it is worth asking again.
    """

    status: int
    title: str
    message: str
    alone: bool = False
    replaces_words: bool = False
    retry_after: str = ""


TOO_BIG = ErrorPage(
    413, "File too large", "Send at most 2.5 MB at once.", replaces_words=True
)
NOT_ALLOWED = ErrorPage(
    405, "This page cannot be opened directly", "This address only accepts a form."
)
TOO_LONG = ErrorPage(
    414,
    "Address too long",
    f"An address may have at most {settings.ADDRESS_MAX_LENGTH:,} characters.",
    alone=True,
)
HEADERS_TOO_LONG = ErrorPage(
    431,
    "Headers too long",
    f"The headers of a request may have at most {settings.HEADER_MAX_BYTES:,} bytes.",
    alone=True,
)
OUT_OF_REACH = ErrorPage(
    503,
    "Temporarily unavailable",
    "The site cannot reach its database. Nothing was changed. Try again in a minute.",
    alone=True,
    retry_after="10",
)
BROKEN = ErrorPage(
    500,
    "Server error",
    "Something failed on our side. Nothing was changed. We have logged the error.",
    alone=True,
)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What crawlers may read: pages, not prints, forms or the API."""
    return HttpResponse(_ROBOTS, content_type="text/plain")


def site_foot(request: HttpRequest) -> Fields:
    """For every template: the site, what the foot says, and whether visitors may register."""
    has_session = hasattr(request, "session")
    # Not a page that is not there, nor one that only its reader sees.
    is_reportable = request.resolver_match and not request.path.startswith(PERSONAL)
    return {
        "site_url": settings.SITE_URL,
        "site_version": settings.VERSION,
        "has_imprint": bool(settings.IMPRINT),
        "has_privacy": bool(settings.PRIVACY),
        "registration": settings.REGISTRATION,
        "sign_in_with": [(name, name.title()) for name in settings.SOCIALACCOUNT_PROVIDERS],
        "may_sign_up": SimpleLazyObject(lambda: has_session and may_sign_up(request)),
        "reported": request.path[:REPORTED_MAX] if is_reportable else "",
    }


@require_safe
def imprint(request: HttpRequest) -> HttpResponse:
    """Who runs the site, in the owner's words (`IMPRINT_FILE`)."""
    return render(request, "site_text.html", {"title": "Imprint", "text": settings.IMPRINT})


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """What the site keeps of people, in the owner's words (`PRIVACY_FILE`)."""
    return render(request, "site_text.html", {"title": "Privacy", "text": settings.PRIVACY})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, or 413 when the request was too big."""
    if isinstance(exception, RequestDataTooBig):
        return answer(request, TOO_BIG)
    # Only our own words are shown: Django's other messages may repeat what was sent.
    reason = "The site could not read this request."
    if isinstance(exception, TooManyFieldsSent):
        reason = f"A form may hold at most {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS} fields."
    elif isinstance(exception, TooManyFilesSent):
        reason = f"A form may hold at most {settings.DATA_UPLOAD_MAX_NUMBER_FILES} files."
    elif type(exception) is BadRequest and str(exception):
        reason = str(exception)
    page = ErrorPage(400, "Request not understood", reason, alone=True, replaces_words=True)
    return answer(request, page)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 when the database or the cache does not answer."""
    causes = OperationalError | InterfaceError | ConnectionError
    is_away = isinstance(sys.exc_info()[1], causes)
    return answer(request, OUT_OF_REACH if is_away else BROKEN)


def answer(request: HttpRequest, page: ErrorPage) -> HttpResponse:
    """Return an error as its page, or as JSON under /api/."""
    status, message = page.status, page.message
    headers = {"Retry-After": page.retry_after} if page.retry_after else {}
    if request.path_info.startswith("/api/"):
        return JsonResponse(
            {
                "detail": message,
                "errors": [{"field": "", "message": message}],
                "code": CODES[status],
            },
            status=status,
            headers=headers,
        )
    context: Fields = {"status": status}
    if page.replaces_words:
        context |= {"title": page.title, "message": message}
    try:
        body: str = render_to_string(
            f"{status}.html", context, request=None if page.alone else request
        )
    except Exception:  # whatever is wrong with the page, the answer keeps its status
        logger.exception("error_page_failed", status=status)
        body = _PLAIN.format(title=escape(page.title), message=escape(message))
    return HttpResponse(body, status=status, headers=headers)


def _handler(page: ErrorPage) -> Callable[..., HttpResponse]:
    return lambda request, *args, **kwargs: answer(request, page)


# The page is there, but not for this person.
forbidden = _handler(
    ErrorPage(
        403, "No access", "You cannot do this here. Sign in with an account that can."
    )
)
# A form came without its token, or from another site.
csrf_failure = _handler(
    ErrorPage(
        403,
        "Page expired",
        "This form was open for too long. Reload the page, then send it again.",
        replaces_words=True,
    )
)
# No such page, or one that is not this person's to see.
not_found = _handler(
    ErrorPage(404, "Page not found", "There is no such page, or it is not shared with you.")
)
# A rate limit was reached.
too_many_requests = _handler(
    ErrorPage(
        429, "Too many requests", "Wait a few minutes, then try again.", retry_after="300"
    )
)

_PLAIN = """<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Muster Roll</title></head>
<body><main><h1>{title}</h1><p>{message}</p><p><a href="/">Back to the front page</a></p></main></body></html>
"""


# The front page.

SHOWN = 6
PLAYING = 3
LEADERS = 4
PUBLIC = 3
SOON_DAYS = 7


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The front page."""
    owner = owner_of(request)
    battles = () if owner.is_nobody else current_battles(owner)
    playing = [row for row in battles if row.status == BattleStatus.OPEN]
    context: Fields = {
        "warbands": () if owner.is_nobody else warbands_of(owner, per_page=SHOWN).rows,
        "waiting": [row for row in battles if row.waits_for_me],
        "playing": playing[:PLAYING],
    }
    leagues = own_events(owner).rows if owner.is_person else ()
    if leagues:
        return render(request, "home_member.html", {**context, **_member(owner, leagues)})
    # The starter with the fewest issues, the first by its army's name.
    context["example"] = min(
        starters(registry.rulesets()[0].address),
        key=lambda s: (s.sheet.errors, s.sheet.warnings, s.sheet.army_name),
        default=None,
    )
    context["systems"] = [(card, _summary(card)) for card in load_systems()]
    # Whoever has an account finds them under “Events”.
    if not owner.is_person:
        context["events"] = public_events(owner, per_page=PUBLIC).rows
    return render(request, "home.html", context)


def _member(owner: Owner, leagues: Sequence[EventRow]) -> Fields:
    """Return a league player's part: the next fixtures, and the standings of that league."""
    fixtures = load_upcoming_fixtures(owner)
    # Without a fixture the first league with a round that is not over.
    begun = (row for row in leagues if row.is_mine and row.round)
    tokens = (row.token for row in begun if row.status != EventStatus.FINISHED)
    token = fixtures[0].round.event.token if fixtures else next(tokens, "")
    table = load_standings(owner, token) if token else None
    first = fixtures[0] if fixtures else None
    return {
        "leagues": leagues,
        "next": first,
        "later": fixtures[1:],
        "heading": heading(first, timezone.localtime()) if first else "",
        "table": table,
        "leaders": leaders(table) if table else (),
        "sides": sides(first, table) if first else (),
    }


def heading(fixture: Any, now: datetime) -> str:
    """ "Wednesday, against Piet": the day as somebody would say it, where it is agreed."""
    if fixture.moment is None:
        return f"Next game: against {fixture.against}"
    day = timezone.localtime(fixture.moment, now.tzinfo)
    ahead = (day.date() - now.date()).days
    if ahead in (0, 1):
        return f"{'Tomorrow' if ahead else 'Today'}, against {fixture.against}"
    return f"{written(day, 'l' if 0 < ahead < SOON_DAYS else 'j F')}, against {fixture.against}"


def sides(
    fixture: Any, table: StandingsRecord | None
) -> tuple[tuple[Entry, int | None], ...]:
    """Who meets, the reader first, each with their place in the table once anything counts in it."""
    places = (
        {row.entry.id: row.standing.place for row in table.rows}
        if table and table.round
        else {}
    )
    return tuple((entry, places.get(entry.pk)) for entry in fixture.players)


def leaders(table: StandingsRecord) -> tuple[StandingRow, ...]:
    """The first lines of a table, the reader's own among them."""
    first = table.rows[:LEADERS]
    mine = next((row for row in table.rows if row.entry.is_mine), None)
    return first if mine is None or mine in first else (*first[:-1], mine)


def _summary(card: Fields) -> str:
    counts = (
        (card["armies"], "army list"),
        (card["units"], "unit"),
        (card["scenarios"], "scenario"),
    )
    return ", ".join(f"{count} {word}{pluralize(count)}" for count, word in counts if count)
