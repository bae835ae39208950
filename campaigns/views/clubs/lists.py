"""One's own clubs and the listed ones, and founding another."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.owners import owner_of, request_key
from accounts.queries import clubs_joined, clubs_listed
from campaigns.errors import Refusal
from campaigns.forms.clubs import ClubListForm, ClubTextForm
from campaigns.operations.clubs import found_club
from warbands.views.drawing import page_key


@require_safe
@never_cache
def club_list(request: HttpRequest) -> HttpResponse:
    """The clubs somebody belongs to, then those that everybody may find; ``?search=`` looks for a part of a name."""
    form = ClubListForm(request.GET)
    owner = owner_of(request)
    page = None
    if form.is_valid():
        asked = form.cleaned_data
        page = clubs_listed(owner, search=asked["search"], page=asked["page"] or 1)
    mine = clubs_joined(owner) if owner.is_person else ()
    context = {
        "form": form,
        "page": page,
        "mine": mine,
        "is_asked": bool(request.GET.get("search")),
    }
    return render(request, "clubs/list.html", context, status=200 if page else 400)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def club_new(request: HttpRequest) -> HttpResponse:
    """Found a club, and be its owner."""
    form = ClubTextForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            slug = found_club(
                owner_of(request), **form.cleaned_data, request_key=request_key(request)
            )
            messages.success(request, "The club stands. Now invite the others.")
            return redirect("club-invite", slug)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {"form": form, "key": request.POST.get("key") or page_key()}
    return render(request, "clubs/new.html", context, status=422 if form.errors else 200)
