"""The page of an event, the one a club puts on its wall; its table alone; and the log of what was changed."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.forms import PageForm
from accounts.owners import owner_of, without_robots
from campaigns.event_drawing import draw_matrix, draw_place_chart
from campaigns.queries.events.results import load_event_page, load_log
from campaigns.queries.events.standings import load_standings
from campaigns.queries.events.tables import SHOWN
from campaigns.views.events.asking import event_for
from engine.events.scores import Scoring


@require_safe
@never_cache
def event_read(request: HttpRequest, token: str) -> HttpResponse:
    """Standings first, then who meets whom next, what happened, and who is honoured."""
    page = load_event_page(owner_of(request), token)
    if page is None:
        raise Http404
    context: dict[str, Any] = {
        "page": page,
        "event": page.event,
        "table": page.table,
        "bump": draw_place_chart(page.courses) if page.courses else None,
        "matrix": draw_matrix(page.matrix),
        "scoring": scoring_words(page.event.scoring),
        "games": f"{page.games} battle{'' if page.games == 1 else 's'}" if page.games else "",
        "rounds": [line for line in page.rounds if line.status in SHOWN or page.event.may_organise],
    }
    return _listed(page.event.visibility, render(request, "campaigns/events/read.html", context))


@require_safe
@never_cache
def standings_read(request: HttpRequest, token: str) -> HttpResponse:
    """The table alone, with every place explained; for a wall, a phone, a printer."""
    table = load_standings(owner_of(request), token)
    if table is None:
        raise Http404
    context = {"event": table.event, "table": table, "scoring": scoring_words(table.event.scoring)}
    return _listed(
        table.event.visibility, render(request, "campaigns/events/standings.html", context)
    )


@require_safe
@never_cache
def event_log(request: HttpRequest, token: str) -> HttpResponse:
    """Who changed what, when and why."""
    _, event = event_for(request, token)
    form = PageForm(request.GET)
    page = load_log(event, page=form.cleaned_data["page"] or 1) if form.is_valid() else None
    context = {"event": event, "form": form, "page": page}
    return without_robots(
        render(request, "campaigns/events/log.html", context, status=200 if page else 400)
    )


def scoring_words(scoring: Scoring) -> str:
    """What results are worth: "Win 3, draw 1"; a loss only where it is worth anything."""
    told = f"Win {scoring.win}, draw {scoring.draw}"
    return f"{told}, loss {scoring.loss}" if scoring.loss else told


def _listed(visibility: str, response: HttpResponse) -> HttpResponse:
    """Search engines may keep what everybody may find, and nothing else."""
    return response if visibility == "public" else without_robots(response)
