"""A warband across its battles: its record, the careers of its warriors, each opponent."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.owners import owner_of, without_robots
from campaigns import queries


@require_safe
def warband_career(request: HttpRequest, token: str) -> HttpResponse:
    """Battles that stand, for whoever may read the warband."""
    career = queries.career_of(owner_of(request), token)
    if career is None:
        raise Http404
    return without_robots(render(request, "campaigns/career.html", {"career": career}))
