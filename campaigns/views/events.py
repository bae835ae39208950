"""Lists of leagues, club nights and campaigns: one's own, one's clubs', and those everybody may
find.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import NotAllowed
from accounts.forms import PageForm
from accounts.owner import Owner
from accounts.queries.clubs import ClubOfPerson, load_clubs_of
from accounts.requests import (
    owner_of,
    record_or_404,
    refused,
    refused_as_message,
    request_key,
    version_seen,
    without_robots,
)
from battles.views.battles import system_asked
from campaigns.charts import draw_matrix, draw_place_chart
from campaigns.forms.events import EventForm, EventListForm, move_tie
from campaigns.models import EventKind
from campaigns.operations import events
from campaigns.operations.log import ChangeRequest
from campaigns.queries.event_page import load_event_page, load_log
from campaigns.queries.events import events_of, events_of_own_clubs, public_events
from campaigns.queries.records import ClubEventRecord, EventPage
from campaigns.queries.standings import load_standings
from campaigns.views.requests import event_for, organised_event_for
from engine.tournament.types import Scoring
from engine.types.systems import System
from rulesdata import registry
from warbands import rulebook
from warbands.views.presenters import page_key

MINE, CLUBS, ARCHIVE = "", "clubs", "archived"
READERS: dict[str, Callable[[Owner, int], EventPage]] = {
    MINE: lambda owner, page: events_of(owner, page=page),
    CLUBS: lambda owner, page: events_of_own_clubs(owner, page=page),
    ARCHIVE: lambda owner, page: events_of(owner, archived=True, page=page),
}


@require_safe
@never_cache
def event_list(request: HttpRequest) -> HttpResponse:
    """What somebody is in or runs; with ``?show=clubs`` all of their clubs', with
    ``?show=archived`` the archive.

    Without an account there is nothing of one's own, and the page says how there would be.
    """
    form = EventListForm(request.GET)
    owner = owner_of(request)
    clubs = load_clubs_of(owner.user_id) if owner.user_id is not None else ()
    organised = [club for club in clubs if club.is_organiser]
    context: dict[str, Any] = {"form": form, "page": None, "clubs": clubs, "organised": organised}
    show = MINE
    if form.is_valid():
        show = form.cleaned_data["show"]
        context["page"] = READERS[show](owner, form.cleaned_data["page"] or 1)
    context |= {"show": show, "tabs": _tabs(show, has_clubs=bool(clubs))}
    return render(request, "campaigns/list.html", context, status=200 if context["page"] else 400)


@require_safe
def event_public(request: HttpRequest) -> HttpResponse:
    """What everybody may find."""
    form = PageForm(request.GET)
    owner = owner_of(request)
    page = public_events(owner, page=form.cleaned_data["page"] or 1) if form.is_valid() else None
    context = {"form": form, "page": page, "tabs": _tabs("public", has_clubs=owner.is_person)}
    return render(request, "campaigns/public.html", context, status=200 if page else 400)


def _tabs(current: str, *, has_clubs: bool) -> list[dict[str, Any]]:
    own = reverse("event-list")
    tabs = [("Yours", own, MINE), ("Your clubs", f"{own}?show={CLUBS}", CLUBS)]
    told = [*(tabs if has_clubs else tabs[:1]), ("Public", reverse("event-public"), "public")]
    return [{"label": label, "url": url, "current": key == current} for label, url, key in told]


KINDS = (
    (
        EventKind.LEAGUE,
        "Everybody meets everybody, or rounds of like against like. Standings count.",
    ),
    (
        EventKind.NIGHT,
        "Tick who is here, and everybody has a table, a scenario and somebody new to meet.",
    ),
    (
        EventKind.CAMPAIGN,
        "Open-ended, by challenges or in rounds; warbands grow and carry their past.",
    ),
)
DONE: dict[str, tuple[Callable[..., int], str]] = {
    "archive": (events.archive_event, "It is in the archive. Everything in it is kept."),
    "restore": (events.restore_event, "It is out of the archive."),
    "finish": (events.finish_event, "It is finished. Results can still be put right."),
    "reopen": (events.reopen_event, "It goes on."),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def event_new(request: HttpRequest) -> HttpResponse:
    """What is agreed on.

    ``?kind=`` and ``?club=`` are asked for first, ``?system=`` chooses another rule system.
    """
    owner = owner_of(request)
    clubs = [club for club in load_clubs_of(owner.user_id or 0) if club.is_organiser]
    kind = request.POST.get("kind") or request.GET.get("kind") or ""
    if kind not in EventKind.values:
        if request.method == "POST":
            raise BadRequest(f"“kind” must be one of {', '.join(EventKind.values)}.")
        context = {"clubs": clubs, "club": _club(request, clubs), "kinds": KINDS}
        return render(request, "campaigns/event_choose_club.html", context)
    return _new_of_kind(request, owner, kind, _club(request, clubs))


def _new_of_kind(
    request: HttpRequest, owner: Owner, kind: str, club: ClubOfPerson | None
) -> HttpResponse:
    if club is None:
        raise Http404
    system = system_asked(request)
    form = _form(request, owner, kind, system, None)
    if _is_sent(request) and form.is_valid():
        with refused(form):
            key = request_key(request)
            made = events.create_event(owner, club.slug, form.draft, request_key=key)
            return redirect("event-entries", made.token)
    told = {"club": club, "club_slug": club.slug, "club_name": club.name}
    return _page(request, form, {**told, "system": system, "kind": EventKind(kind)})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def event_edit(request: HttpRequest, token: str) -> HttpResponse:
    """Change what was agreed on; the log keeps what was.

    ``?system=`` chooses another rule system.
    """
    owner, event = organised_event_for(request, token)
    system = system_asked(request, event.load_system())
    form = _form(request, owner, event.kind, system, event)
    if _is_sent(request) and form.is_valid():
        with refused(form):
            reason, seen = form.cleaned_data["reason"], version_seen(request)
            events.change_event(
                ChangeRequest(owner, token, expected=seen, reason=reason), form.draft
            )
            messages.success(request, "The changes are kept.")
            return redirect("event-read", token)
    told = {
        "event": event,
        "club_slug": event.club_slug,
        "club_name": event.club_name,
        "version": form.version,
    }
    return _page(request, form, {**told, "system": system, "kind": EventKind(event.kind)})


@require_POST
def event_settle(request: HttpRequest, token: str, verb: str) -> HttpResponse:
    """Archive, restore, finish or reopen it."""
    owner, event = organised_event_for(request, token)
    do, said = DONE[verb]
    with refused_as_message(request, passing=NotAllowed):
        do(ChangeRequest(owner, event.token, version_seen(request)))
        messages.success(request, said)
    return redirect("event-read", token)


def _club(request: HttpRequest, clubs: list[ClubOfPerson]) -> ClubOfPerson | None:
    """The club of the page: the one asked for among those the person runs, their only one where
    none is.
    """
    asked = request.POST.get("club") or request.GET.get("club") or ""
    if not asked:
        return clubs[0] if clubs else None
    return next((club for club in clubs if club.slug == asked), None)


def _is_sent(request: HttpRequest) -> bool:
    """Whether the form is to be kept; a button of the tie-breaks sends it only to be shown again."""
    return request.method == "POST" and "tie_move" not in request.POST


def _form(
    request: HttpRequest, owner: Owner, kind: str, system: System, event: ClubEventRecord | None
) -> EventForm:
    is_sent, is_moved = _is_sent(request), "tie_move" in request.POST
    pool = rulebook.offered_scenarios(owner, system.key)
    form = EventForm(
        request.POST if is_sent else None,
        kind=kind,
        system=system,
        pool=pool,
        event=event,
        typed=request.POST if is_moved else None,
    )
    if is_moved:
        form.ties = move_tie(form.ties, request.POST["tie_move"])
    return form


def _page(request: HttpRequest, form: EventForm, more: dict[str, Any]) -> HttpResponse:
    context = {
        "form": form,
        "systems": registry.rulesets(),
        "key": request.POST.get("key") or page_key(),
        **more,
    }
    return render(request, "campaigns/policy.html", context, status=form.status)


@require_safe
@never_cache
def event_read(request: HttpRequest, token: str) -> HttpResponse:
    """Standings first, then who meets whom next, what happened, and who is honoured."""
    _, page = record_or_404(load_event_page, request, token)
    context: dict[str, Any] = {
        "page": page,
        "event": page.event,
        "table": page.table,
        "bump": draw_place_chart(page.courses) if page.courses else None,
        "matrix": draw_matrix(page.matrix),
        "scoring": scoring_words(page.event.scoring),
        "games": f"{page.games} battle{'' if page.games == 1 else 's'}" if page.games else "",
        "rounds": [line for line in page.rounds if line.is_shown or page.event.may_organise],
    }
    return _listed(page.event.visibility, render(request, "campaigns/read.html", context))


@require_safe
@never_cache
def standings_read(request: HttpRequest, token: str) -> HttpResponse:
    """The table alone, with every place explained; for a wall, a phone, a printer."""
    _, table = record_or_404(load_standings, request, token)
    context = {"event": table.event, "table": table, "scoring": scoring_words(table.event.scoring)}
    return _listed(table.event.visibility, render(request, "campaigns/standings.html", context))


@require_safe
@never_cache
def event_log(request: HttpRequest, token: str) -> HttpResponse:
    """Who changed what, when and why."""
    _, event = event_for(request, token)
    form = PageForm(request.GET)
    page = load_log(event, page=form.cleaned_data["page"] or 1) if form.is_valid() else None
    context = {"event": event, "form": form, "page": page}
    return without_robots(
        render(request, "campaigns/log.html", context, status=200 if page else 400)
    )


def scoring_words(scoring: Scoring) -> str:
    """What results are worth: "Win 3, draw 1"; a loss only where it is worth anything."""
    told = f"Win {scoring.win}, draw {scoring.draw}"
    return f"{told}, loss {scoring.loss}" if scoring.loss else told


def _listed(visibility: str, response: HttpResponse) -> HttpResponse:
    """Search engines may keep what everybody may find, and nothing else."""
    return response if visibility == "public" else without_robots(response)
