"""What the front page shows: ready warbands, the rule systems and, once somebody has some, their own warbands."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.owners import owner_of
from rulesdata import registry
from rulesdata.queries import load_systems
from warbands import queries
from warbands.queries import Starter, WarbandRow

SHOWN = 6


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The front page."""
    owner = owner_of(request)
    own = queries.warbands_of(owner, per_page=SHOWN).rows if not owner.is_nobody else ()
    context = {
        "starters": [_starter(starter) for starter in ready(queries.starters(registry.rulesets()[0].address))],
        "systems": [
            {
                "key": card.system.key,
                "name": card.system.name,
                "summary": f"{card.armies} army lists, {card.units} units, {card.scenarios} scenarios",
                "url": reverse("system-detail", args=[card.system.key]),
            }
            for card in load_systems()
        ],
        "warbands": [_warband(row) for row in own],
    }
    return render(request, "home.html", context)


def ready(starters: tuple[Starter, ...]) -> tuple[Starter, ...]:
    """The starters to show: those with the fewest findings, one for each army, by the army's name."""
    best = sorted(starters, key=lambda s: (s.errors, s.warnings, s.army))[:SHOWN]
    return tuple(sorted(best, key=lambda s: s.army))


def _starter(starter: Starter) -> dict[str, Any]:
    return {
        "key": starter.key,
        "name": starter.name,
        "army": starter.army,
        "points": starter.points,
        "limit": starter.limit,
        "models": starter.models,
        "rows": starter.rows,
        "check": "" if starter.errors or starter.warnings else "Follows every guideline",
        "url": reverse("starter-use"),
    }


def _warband(row: WarbandRow) -> dict[str, Any]:
    return {
        "name": row.display_name,
        "army": row.army_name,
        "points": row.points,
        "shows_points": row.shows_points,
        "limit": row.points_limit,
        "models": row.models,
        "errors": row.errors,
        "warnings": row.warnings,
        "url": reverse("warband-read", args=[row.token]),
    }
