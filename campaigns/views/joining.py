"""Joining a battle with its key, and handing the key on."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.owners import without_robots
from campaigns import operations
from campaigns.errors import NotFound, Refusal
from campaigns.holding import keep_key
from campaigns.views.asking import battle_for

WRONG = "That is not the key of this battle. Look at it again; it has twelve signs."


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def battle_join(request: HttpRequest, token: str) -> HttpResponse:
    """Type the key, or come by the QR code, whose key a script puts into the form. Tells nothing about the battle."""
    wrong = ""
    if request.method == "POST":
        if keep_key(request, token, request.POST.get("key", "")):
            return redirect(
                "battle-record" if request.POST.get("to") == "record" else "battle-read", token
            )
        wrong = WRONG
    context = {"wrong": wrong, "typed": request.POST.get("key", "")[:60]}
    return without_robots(
        render(request, "campaigns/join.html", context, status=400 if wrong else 200)
    )


@require_POST
def battle_share(request: HttpRequest, token: str) -> HttpResponse:
    """Change who may read the battle, or its key."""
    owner, key, record = battle_for(request, token)
    if not record.may_share:
        raise Http404
    try:
        if "new_key" in request.POST:
            fresh = operations.new_key(owner, token, key)
            keep_key(request, token, fresh)
            messages.success(request, "The battle has a new key; the old one records no more.")
        else:
            operations.change_visibility(
                owner, token, key, visibility=request.POST.get("visibility", "")
            )
            messages.success(request, "Changed who may read it.")
    except NotFound:
        raise Http404 from None
    except Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("battle-read", token)
