"""An event as files: its table, fixtures and results, a summary to paste, and a feed for calendars."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import NotAllowed
from accounts.owner import NOBODY
from accounts.requests import owner_of, record_or_404, refused_as_message
from campaigns import exports
from campaigns.calendar import as_calendar, calendar_key, is_calendar_key
from campaigns.exports import LeagueFiles
from campaigns.models import EventVisibility
from campaigns.operations.print_all import print_round
from campaigns.queries.schedule import ScheduledFixture, load_schedule, standings_in
from campaigns.views.requests import event_for, organised_event_for, paper_asked
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
    # A calendar cannot sign in, so the address of a club's own event carries a key to its feed.
    key = {"key": calendar_key(token)} if is_club else {}
    address = request.build_absolute_uri(reverse("event-calendar", args=[token]))
    asked = [("All games", key)]
    if event.mine:
        asked.insert(0, ("Your games", {"entry": event.mine, **key}))
    feeds = [{"label": label, "address": _with_query(address, query)} for label, query in asked]
    files = [{"label": what.capitalize(), "links": _links(token, what)} for what in exports.WHATS]
    context = {"event": event, "feeds": feeds, "files": files, "is_club": is_club}
    return render(request, "campaigns/files.html", context)


def _with_query(address: str, asked: dict[str, str]) -> str:
    return f"{address}?{urlencode(asked)}" if asked else address


def _links(token: str, what: str) -> list[tuple[str, str]]:
    """Return a link for each kind of file: what stands there, and its address."""
    return [(kind.upper(), reverse("event-export", args=[token, what, kind])) for kind in DRAW]


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
    name = file_name(of.schedule.event.name, "md")
    return as_file(body, "text/markdown; charset=utf-8", name, attached=False)


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
        to = reverse("event-read", args=[token])
        if fixture:
            to = reverse("fixture-read", args=[token, fixture.record.token])
        return request.build_absolute_uri(to)

    body = as_calendar(schedule, address, request.GET.get("entry", ""))
    name = file_name(schedule.event.name, "ics")
    return as_file(body, "text/calendar; charset=utf-8", name, attached=False)


def _files(request: HttpRequest, token: str) -> LeagueFiles:
    _, schedule = record_or_404(load_schedule, request, token)
    return LeagueFiles(schedule, standings_in(schedule))


@require_POST
def round_print(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Begin to print every table of a round, then look how far it is. ``paper`` a4 or letter."""
    owner, _ = organised_event_for(request, token)
    paper = paper_asked(request.POST.get("paper"))
    site = request.build_absolute_uri("/").rstrip("/")
    with refused_as_message(request, passing=NotAllowed):
        return redirect("job-read", print_round(owner, token, number, paper=paper, site=site))
    return redirect("round-read", token, number)
