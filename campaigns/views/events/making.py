"""Making an event, changing what it agrees on, and putting it away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.owner import Owner
from accounts.owners import owner_of, request_key, version_seen
from accounts.queries import ClubOfPerson, load_clubs_of
from campaigns.errors import NotAllowed, NotFound, Refusal, StaleEvent
from campaigns.forms.events.making import EventForm
from campaigns.forms.events.ties import move_tie
from campaigns.models import EventKind
from campaigns.operations.events import making
from campaigns.queries.events.records import ClubEventRecord
from campaigns.views.events.asking import organised_event_for
from engine.types import System
from rulesdata import registry
from warbands import scenarios
from warbands.views.drawing import page_key

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
    "archive": (making.archive_event, "It is in the archive. Everything in it is kept."),
    "restore": (making.restore_event, "It is out of the archive."),
    "finish": (making.finish_event, "It is finished. Results can still be put right."),
    "reopen": (making.reopen_event, "It goes on."),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def event_new(request: HttpRequest) -> HttpResponse:
    """What is agreed on. ``?kind=`` and ``?club=`` are asked for first, ``?system=`` chooses another rule system."""
    owner = owner_of(request)
    clubs = [club for club in load_clubs_of(owner.user_id or 0) if club.is_organiser]
    kind = request.POST.get("kind") or request.GET.get("kind") or ""
    if kind not in EventKind.values:
        if request.method == "POST":
            raise BadRequest(f"“kind” must be one of {', '.join(EventKind.values)}.")
        context = {"clubs": clubs, "club": _club(request, clubs), "kinds": KINDS}
        return render(request, "campaigns/events/begin.html", context)
    club = _club(request, clubs)
    if club is None:
        raise Http404
    system = _system_asked(request)
    form = _form(request, owner, kind, system, None)
    if _is_sent(request) and form.is_valid():
        try:
            made = making.create_event(
                owner, club.slug, form.draft, request_key=request_key(request)
            )
            return redirect("event-entries", made.token)
        except Refusal as refusal:
            form.add_refusal(refusal)
    told = {"club": club, "club_slug": club.slug, "club_name": club.name}
    return _page(request, form, {**told, "system": system, "kind": EventKind(kind)})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def event_edit(request: HttpRequest, token: str) -> HttpResponse:
    """Change what was agreed on; the log keeps what was. ``?system=`` chooses another rule system."""
    owner, event = organised_event_for(request, token)
    system = _system_asked(request, event)
    form = _form(request, owner, event.kind, system, event)
    version = event.version
    if _is_sent(request) and form.is_valid():
        try:
            reason = form.cleaned_data["reason"]
            making.change_event(
                owner, token, form.draft, expected=version_seen(request), reason=reason
            )
            messages.success(request, "The changes are kept.")
            return redirect("event-read", token)
        except StaleEvent as stale:
            # What was typed stays; sent once more it changes the event as it is now.
            version = stale.current
            form.add_error(None, f"{stale.message} What you typed is still here.")
        except Refusal as refusal:
            form.add_refusal(refusal)
    told = {
        "event": event,
        "club_slug": event.club_slug,
        "club_name": event.club_name,
        "version": version,
    }
    return _page(request, form, {**told, "system": system, "kind": EventKind(event.kind)})


@require_POST
def event_settle(request: HttpRequest, token: str, verb: str) -> HttpResponse:
    """Archive, restore, finish or reopen it."""
    owner, event = organised_event_for(request, token)
    do, said = DONE[verb]
    try:
        do(owner, event.token, expected=version_seen(request))
        messages.success(request, said)
    except (NotFound, NotAllowed):
        raise PermissionDenied from None
    except Refusal as refusal:
        messages.error(request, refusal.message)
    except StaleEvent as stale:
        messages.error(request, stale.message)
    return redirect("event-read", token)


def _club(request: HttpRequest, clubs: list[ClubOfPerson]) -> ClubOfPerson | None:
    """The club of the page: the one asked for among those the person runs, their only one where none is."""
    asked = request.POST.get("club") or request.GET.get("club") or ""
    if not asked:
        return clubs[0] if clubs else None
    return next((club for club in clubs if club.slug == asked), None)


def _system_asked(request: HttpRequest, event: ClubEventRecord | None = None) -> System:
    """The system of the page; raises BadRequest for a form of one that there is not."""
    books = registry.rulesets()
    asked = request.POST.get("system") or request.GET.get("system") or ""
    if not asked and event is not None:
        return event.load_system()
    found = next((book for book in books if asked in (book.address, book.key)), None)
    if found is None and request.method == "POST":
        raise BadRequest(f"“system” must be one of {', '.join(book.address for book in books)}.")
    return found or books[0]


def _is_sent(request: HttpRequest) -> bool:
    """Whether the form is to be kept; a button of the tie-breaks sends it only to be shown again."""
    return request.method == "POST" and "tie_move" not in request.POST


def _form(
    request: HttpRequest, owner: Owner, kind: str, system: System, event: ClubEventRecord | None
) -> EventForm:
    is_sent, is_moved = _is_sent(request), "tie_move" in request.POST
    pool = scenarios.offered_scenarios(owner, system.key)
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
    return render(
        request, "campaigns/events/policy.html", context, status=422 if form.errors else 200
    )
