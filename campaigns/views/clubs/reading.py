"""The page of a club."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.owners import owner_of, without_robots
from campaigns.forms.clubs import FILTERS, ClubWarbandsForm
from campaigns.queries.clubs import load_club_page


@require_safe
@never_cache
def club_read(request: HttpRequest, slug: str) -> HttpResponse:
    """What a club says, when it meets next, and what its members bring, by army, points and findings.

    A listed club shows everybody what is public of it; another one is seen by its members alone.
    """
    form = ClubWarbandsForm(request.GET)
    page = load_club_page(owner_of(request), slug, form.asked if form.is_valid() else None)
    if page is None:
        raise Http404
    is_asked = any(request.GET.get(name) for name in FILTERS)
    context = {"page": page, "club": page.club, "form": form, "is_asked": is_asked}
    response = render(request, "clubs/read.html", context, status=200 if page.warbands else 400)
    return response if page.club.is_public else without_robots(response)
