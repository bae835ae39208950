"""Setting a battle up: who meets whom, by which scenario and house rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.owner import Owner
from accounts.owners import owner_for_storing, owner_of, request_key
from accounts.queries import load_clubs_of
from campaigns import operations
from campaigns.errors import Refusal
from campaigns.forms import BattleForm, BattleSideForm, side_count
from campaigns.models import SIDES_LEAST, SIDES_MOST
from engine.types import System
from rulesdata import registry
from warbands import queries as rosters
from warbands.queries import WarbandRecord
from warbands.views.drawing import page_key

CHOICES_MAX = 100
_SIDE = re.compile(r"sides\[(\d)\]\.?(.*)")


@require_http_methods(["GET", "HEAD", "POST"])
def battle_new(request: HttpRequest) -> HttpResponse:
    """Sides, scenario and what was agreed. ``?warband=`` begins with one, ``?system=`` and ``?sides=`` with others.

    The button that asks for another side sends what was typed so far, and gets it back with one more.
    """
    owner = owner_of(request)
    wished = rosters.load_warband(owner, request.GET.get("warband", ""))
    system = _system_asked(request, wished)
    is_sent = request.method == "POST" and "sides_to" not in request.POST
    data = request.POST if is_sent else None
    count = side_count(
        request.POST.get("sides_to") or request.POST.get("sides") or request.GET.get("sides") or ""
    )
    sides = _side_forms(request, data, owner, system, count, wished)
    form = BattleForm(
        data,
        owner=owner,
        system=system,
        sides=count,
        clubs=_clubs(owner),
        initial=_begins(request, system, wished),
    )
    if is_sent and all([form.is_valid(), *(side.is_valid() for side in sides)]):
        try:
            opened = operations.open_battle(
                owner_for_storing(request),
                system=system.key,
                variant=system.variant,
                sides=[side.choice for side in sides],
                request_key=request_key(request),
                **form.operation_kwargs(),
            )
            return redirect("battle-read", opened.token)
        except Refusal as refusal:
            _show(refusal, form, sides)
    wrong = bool(form.errors) or any(side.errors for side in sides)
    context: dict[str, Any] = {
        "form": form,
        "sides": sides,
        "system": system,
        "systems": registry.rulesets(),
        "wished": wished,
        "more_sides": count + 1 if count < SIDES_MOST else 0,
        "fewer_sides": count - 1 if count > SIDES_LEAST else 0,
        "key": request.POST.get("key") or page_key(),
    }
    return render(request, "campaigns/new.html", context, status=400 if wrong else 200)


def _system_asked(request: HttpRequest, wished: WarbandRecord | None) -> System:
    """The system of the page; raises BadRequest for a form of one that there is not."""
    books = registry.rulesets()
    asked = request.POST.get("system") or request.GET.get("system") or ""
    if not asked and wished is not None:
        return registry.load_system(wished.system, wished.variant)
    found = next((book for book in books if asked in (book.address, book.key)), None)
    if found is None and request.method == "POST":
        raise BadRequest(f"“system” must be one of {', '.join(book.address for book in books)}.")
    return found or books[0]


def _begins(request: HttpRequest, system: System, wished: WarbandRecord | None) -> dict[str, Any]:
    """What stands in the form before anything is typed, or what was typed before another side was asked for."""
    if request.method == "POST":
        ticks = {
            f"rule-{rule.key}": f"rule-{rule.key}" in request.POST for rule in system.house_rules
        }
        return {
            **{name: request.POST[name] for name in BattleForm.base_fields if name in request.POST},
            **ticks,
        }
    return {
        "fought_date": timezone.localdate(),
        "scenario": (wished.scenario if wished else "") or "",
    }


def _side_forms(
    request: HttpRequest,
    data: Mapping[str, str] | None,
    owner: Owner,
    system: System,
    count: int,
    wished: WarbandRecord | None,
) -> list[BattleSideForm]:
    offered = _own_warbands(owner, system)
    token = wished.token if wished else ""
    return [
        BattleSideForm(
            data,
            place=place,
            warbands=offered,
            has_leadership=bool(system.leadership_stat),
            initial=_first_choice(place, token, dict(offered)),
            typed=request.POST,
        )
        for place in range(count)
    ]


def _first_choice(place: int, wished: str, offered: Mapping[str, str]) -> Mapping[str, str]:
    """What stands there before anything is typed: one's own warband first, somebody else's against it."""
    if place == 0:
        own = wished if wished in offered else ""
        return {
            "kind": "own" if offered else "quick",
            "own": own or (next(iter(offered)) if len(offered) == 1 else ""),
        }
    if place == 1 and wished and wished not in offered:
        return {"kind": "link", "link": wished}
    return {"kind": "link"}


def _own_warbands(owner: Owner, system: System) -> list[tuple[str, str]]:
    if owner.is_nobody:
        return []
    rows = rosters.warbands_of(owner, per_page=CHOICES_MAX).rows
    return [
        (row.token, f"{row.display_name}, {row.army_name}")
        for row in rows
        if (row.system, row.variant or None) == (system.key, system.variant) and row.models
    ]


def _clubs(owner: Owner) -> list[tuple[int, str]]:
    return (
        [(club.id, club.name) for club in load_clubs_of(owner.user_id)]
        if owner.user_id is not None
        else []
    )


def _show(refusal: Refusal, form: BattleForm, sides: list[BattleSideForm]) -> None:
    """What was refused, at the side or the field it is about."""
    found = _SIDE.match(refusal.field)
    if found and int(found[1]) < len(sides):
        sides[int(found[1])].add_refusal(found[2], refusal.message)
    else:
        form.add_refusal(refusal)
