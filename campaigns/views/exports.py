"""An event as files: its table, fixtures and results, a summary to paste, and a feed for calendars."""

from __future__ import annotations

from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import NotAllowed
from accounts.owner import NOBODY
from accounts.requests import owner_of, record_or_404, refused_as_message
from campaigns import exports
from campaigns.exports import LeagueFiles, as_calendar, calendar_key, is_calendar_key
from campaigns.models import EventVisibility
from campaigns.operations.log import ChangeRequest
from campaigns.operations.print_all import print_round
from campaigns.queries.schedule import ScheduledFixture, load_schedule, standings_in
from campaigns.views.requests import event_for, organised_event_for
from warbands.pdf import PAPERS
from warbands.views.manage import as_file, file_name

DRAW = {
    "csv": (exports.as_csv, "text/csv"),
    "json": (exports.as_json, "application/json"),
}


@require_safe
@never_cache
def event_files(request: HttpRequest, token: str) -> HttpResponse:
    """Where everything is to be had, with the addresses for calendars."""
    _, event = event_for(request, token)
    is_club = event.visibility == EventVisibility.CLUB
    key = {"key": calendar_key(token)} if is_club else {}
    feeds = [{"label": "All games", "address": _feed(request, token, key)}]
    if event.mine:
        feeds.insert(
            0,
            {"label": "Your games", "address": _feed(request, token, {"entry": event.mine, **key})},
        )
    files = [
        {
            "label": what.capitalize(),
            "links": [
                (kind.upper(), reverse("event-export", args=[token, what, kind])) for kind in DRAW
            ],
        }
        for what in exports.WHATS
    ]
    context = {"event": event, "feeds": feeds, "files": files, "is_club": is_club}
    return render(request, "campaigns/files.html", context)


@require_safe
def event_export(request: HttpRequest, token: str, what: str, kind: str) -> HttpResponse:
    """Standings, fixtures or results as CSV or JSON."""
    of = _files(request, token)
    draw, media_type = DRAW[kind]
    body = draw(of, what).encode("utf-8", "replace")
    name = file_name(f"{of.schedule.event.name} {what}", kind)
    return as_file(body, f"{media_type}; charset=utf-8", name, attached=True)


@require_safe
def event_summary(request: HttpRequest, token: str) -> HttpResponse:
    """Standings, the latest round and what comes next, as Markdown."""
    of = _files(request, token)
    body = exports.as_markdown(of).encode("utf-8", "replace")
    return as_file(
        body,
        "text/markdown; charset=utf-8",
        file_name(of.schedule.event.name, "md"),
        attached=False,
    )


@require_safe
def event_calendar(request: HttpRequest, token: str) -> HttpResponse:
    """The fixtures that have a day, for a calendar to read now and again; of one entry with
    ``?entry=``.

    A calendar has no session: for an event that only the club reads its address holds a key to this
    feed alone.
    """
    is_shared = is_calendar_key(token, request.GET.get("key", ""))
    reader = NOBODY if is_shared else owner_of(request)
    schedule = load_schedule(reader, token, is_shared=is_shared)
    if schedule is None:
        raise Http404

    def address(fixture: ScheduledFixture | None) -> str:
        to = (
            reverse("fixture-read", args=[token, fixture.record.token])
            if fixture
            else reverse("event-read", args=[token])
        )
        return request.build_absolute_uri(to)

    body = as_calendar(schedule, address, request.GET.get("entry", ""))
    return as_file(
        body, "text/calendar; charset=utf-8", file_name(schedule.event.name, "ics"), attached=False
    )


def _files(request: HttpRequest, token: str) -> LeagueFiles:
    _, schedule = record_or_404(load_schedule, request, token)
    return LeagueFiles(schedule, standings_in(schedule))


def _feed(request: HttpRequest, token: str, asked: dict[str, str]) -> str:
    address = request.build_absolute_uri(reverse("event-calendar", args=[token]))
    return f"{address}?{urlencode(asked)}" if asked else address


@require_POST
def round_print(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Begin to print every table of a round, then look how far it is. ``paper`` a4 or letter."""
    owner, _ = organised_event_for(request, token)
    paper = request.POST.get("paper") or "a4"
    if paper not in PAPERS:
        raise BadRequest(f"“paper” must be {' or '.join(PAPERS)}.")
    site = request.build_absolute_uri("/").rstrip("/")
    with refused_as_message(request, passing=NotAllowed):
        return redirect(
            "job-read", print_round(ChangeRequest(owner, token), number, paper=paper, site=site)
        )
    return redirect("round-read", token, number)
