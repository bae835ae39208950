"""Lists of battles: one's own, and those everybody may find."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.forms import PageForm
from accounts.owners import owner_of
from campaigns import queries
from campaigns.forms import BattleListForm
from campaigns.models import BattleStatus

STATUSES = (("", "All"), *BattleStatus.choices)
TABS = (("battle-list", "Your battles"), ("battle-public", "Public"))


@require_safe
@never_cache
def battle_list(request: HttpRequest) -> HttpResponse:
    """The battles somebody takes part in; ``?status=`` narrows them down."""
    form = BattleListForm(request.GET)
    owner = owner_of(request)
    context: dict[str, Any] = {
        "form": form,
        "page": None,
        "tabs": _tabs("battle-list"),
        "statuses": STATUSES,
    }
    if form.is_valid():
        asked = form.cleaned_data
        context["status"] = asked["status"]
        context["page"] = queries.battles_of(owner, status=asked["status"], page=asked["page"] or 1)
        context["waiting"] = 0 if owner.is_nobody else queries.waiting_for(owner)
    return render(request, "campaigns/list.html", context, status=200 if context["page"] else 400)


@require_safe
def battle_public(request: HttpRequest) -> HttpResponse:
    """The battles that everybody may find."""
    form = PageForm(request.GET)
    page = (
        queries.public_battles(owner_of(request), page=form.cleaned_data["page"] or 1)
        if form.is_valid()
        else None
    )
    context = {"form": form, "page": page, "tabs": _tabs("battle-public")}
    return render(request, "campaigns/public.html", context, status=200 if page else 400)


def _tabs(current: str) -> list[dict[str, Any]]:
    return [
        {"label": label, "url": reverse(name), "current": name == current} for name, label in TABS
    ]
