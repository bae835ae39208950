"""Lists of leagues, club nights and campaigns: one's own, one's clubs', and those everybody may find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.forms import PageForm
from accounts.owner import Owner
from accounts.owners import owner_of
from accounts.queries import load_clubs_of
from campaigns.forms.events.making import EventListForm
from campaigns.queries.events.lists import events_of, events_of_own_clubs, public_events
from campaigns.queries.events.records import EventPage

MINE, CLUBS, ARCHIVE = "", "clubs", "archived"
READERS: dict[str, Callable[[Owner, int], EventPage]] = {
    MINE: lambda owner, page: events_of(owner, page=page),
    CLUBS: lambda owner, page: events_of_own_clubs(owner, page=page),
    ARCHIVE: lambda owner, page: events_of(owner, archived=True, page=page),
}


@require_safe
@never_cache
def event_list(request: HttpRequest) -> HttpResponse:
    """What somebody is in or runs; with ``?show=clubs`` all of their clubs', with ``?show=archived`` the archive.

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
    return render(
        request, "campaigns/events/list.html", context, status=200 if context["page"] else 400
    )


@require_safe
def event_public(request: HttpRequest) -> HttpResponse:
    """What everybody may find."""
    form = PageForm(request.GET)
    owner = owner_of(request)
    page = public_events(owner, page=form.cleaned_data["page"] or 1) if form.is_valid() else None
    context = {"form": form, "page": page, "tabs": _tabs("public", has_clubs=owner.is_person)}
    return render(request, "campaigns/events/public.html", context, status=200 if page else 400)


def _tabs(current: str, *, has_clubs: bool) -> list[dict[str, Any]]:
    own = reverse("event-list")
    tabs = [("Yours", own, MINE), ("Your clubs", f"{own}?show={CLUBS}", CLUBS)]
    told = [*(tabs if has_clubs else tabs[:1]), ("Public", reverse("event-public"), "public")]
    return [{"label": label, "url": url, "current": key == current} for label, url, key in told]
