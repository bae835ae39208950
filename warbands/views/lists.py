"""Lists of warbands: one's own, and the public ones."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.forms import PageForm
from accounts.owners import owner_of
from warbands import queries
from warbands.forms import PublicForm

PER_PAGE = 30


@require_safe
@never_cache
def warband_list(request: HttpRequest) -> HttpResponse:
    """One's own warbands, or with ``?archived=1`` those put away."""
    form = PageForm(request.GET)
    is_archived = request.GET.get("archived") == "1"
    page = None
    if form.is_valid():
        owner = owner_of(request)
        page = queries.warbands_of(
            owner, archived=is_archived, page=form.cleaned_data["page"] or 1, per_page=PER_PAGE
        )
    context: dict[str, Any] = {
        "form": form,
        "page": page,
        "is_archived": is_archived,
        "tabs": _tabs(request, "archived" if is_archived else "mine"),
    }
    return render(request, "warbands/list.html", context, status=200 if page else 400)


@require_safe
def warband_public(request: HttpRequest) -> HttpResponse:
    """What people show everybody, by army, points and the beginning of the name."""
    form = PublicForm(request.GET)
    page = None
    if form.is_valid():
        asked = form.cleaned_data
        system, _, army = asked["army"].partition("/")
        page = queries.public_warbands(
            system=system,
            army=army,
            search=asked["search"],
            points_from=asked["points_from"],
            points_to=asked["points_to"],
            page=asked["page"] or 1,
            per_page=PER_PAGE,
        )
    is_asked = any(request.GET.get(name) for name in ("army", "search", "points_from", "points_to"))
    context = {"form": form, "page": page, "is_asked": is_asked, "tabs": _tabs(request, "public")}
    return render(request, "warbands/public.html", context, status=200 if page else 400)


def _tabs(request: HttpRequest, current: str) -> list[dict[str, Any]]:
    mine = reverse("warband-list")
    clubs = (
        (("clubs", "Your clubs", reverse("club-list")),) if request.user.is_authenticated else ()
    )
    parts = (
        ("mine", "Your warbands", mine),
        ("archived", "Archived", f"{mine}?archived=1"),
        *clubs,
        ("public", "Public", reverse("warband-public")),
        ("starters", "Starters", reverse("starter-list")),
    )
    return [{"label": label, "url": url, "current": key == current} for key, label, url in parts]


def starter_tabs(request: HttpRequest) -> list[dict[str, Any]]:
    """The same tabs, seen from the starters."""
    return _tabs(request, "starters")
