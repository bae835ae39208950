"""Lists of warbands: one's own, and the public ones."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.owners import owner_of
from accounts.queries import load_clubs_of
from warbands import queries
from warbands.forms import ClubForm, PageForm, PublicForm
from warbands.views.asking import unlisted

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
        page = queries.warbands_of(owner, archived=is_archived, page=form.cleaned_data["page"] or 1, per_page=PER_PAGE)
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


@login_required
@require_safe
def club_first(request: HttpRequest) -> HttpResponse:
    """The club somebody belongs to, the first by name of several; without one a page that says so."""
    clubs = load_clubs_of(request.user.pk or 0)
    if clubs:
        return redirect("warband-club", clubs[0].slug)
    context = {"tabs": _tabs(request, "club"), "clubs": ()}
    return render(request, "warbands/club.html", context)


@login_required
@require_safe
def warband_club(request: HttpRequest, slug: str) -> HttpResponse:
    """What the members of a club show each other, for its members."""
    clubs = load_clubs_of(request.user.pk or 0)
    club = next((one for one in clubs if one.slug == slug), None)
    if club is None:
        raise Http404
    form = ClubForm(request.GET)
    page = None
    if form.is_valid():
        asked = form.cleaned_data
        system, _, army = asked["army"].partition("/")
        page = queries.club_warbands(
            owner_of(request),
            club.id,
            system=system,
            army=army,
            points_from=asked["points_from"],
            points_to=asked["points_to"],
            page=asked["page"] or 1,
            per_page=PER_PAGE,
        )
    is_asked = any(request.GET.get(name) for name in ("army", "points_from", "points_to"))
    context = {
        "club": club,
        "clubs": clubs,
        "form": form,
        "page": page,
        "is_asked": is_asked,
        "tabs": _tabs(request, "club"),
    }
    return unlisted(render(request, "warbands/club.html", context, status=200 if page else 400))


def _tabs(request: HttpRequest, current: str) -> list[dict[str, Any]]:
    mine = reverse("warband-list")
    club = (("club", "Your club", reverse("club-first")),) if request.user.is_authenticated else ()
    parts = (
        ("mine", "Your warbands", mine),
        ("archived", "Archived", f"{mine}?archived=1"),
        *club,
        ("public", "Public", reverse("warband-public")),
        ("starters", "Starters", reverse("starter-list")),
    )
    return [{"label": label, "url": url, "current": key == current} for key, label, url in parts]


def starter_tabs(request: HttpRequest) -> list[dict[str, Any]]:
    """The same tabs, seen from the starters."""
    return _tabs(request, "starters")
