"""The page of one entry, and the steps of a campaign taken there."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.owner import Owner
from accounts.owners import owner_of, request_key, without_robots
from campaigns.errors import NotFound, Refusal
from campaigns.forms.events.handing_in import ReasonForm
from campaigns.forms.events.steps import StepForm
from campaigns.operations.events import steps
from campaigns.queries.events.player import PlayerPage, load_player
from engine.events.steps import FATE, PAY
from warbands.views.drawing import page_key


@require_safe
@never_cache
def entry_read(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Lists by round with what changed, games, waivers, and what came after battles."""
    page = _page(request, token, entry)
    context: dict[str, Any] = {
        "page": page,
        "event": page.event,
        "entry": page.entry,
        "key": page_key(),
    }
    return without_robots(render(request, "campaigns/events/player.html", context))


@require_POST
def step_take(request: HttpRequest, token: str, entry: str, sort: str) -> HttpResponse:
    """A fate rolled or typed, pay, or a recruit."""
    page = _page(request, token, entry)
    if not page.may_take:
        raise PermissionDenied
    form = StepForm(request.POST)
    if not form.is_valid():
        raise BadRequest(next(iter(form.errors.values()))[0])
    try:
        taken = _take(
            owner_of(request), token, entry, sort, form.cleaned_data, request_key(request)
        )
        messages.success(request, taken.words)
    except Refusal as refusal:
        messages.error(request, refusal.message)
    except NotFound:
        raise Http404 from None
    return redirect("entry-read", token, entry)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def step_revoke(request: HttpRequest, token: str, entry: str, step_id: int) -> HttpResponse:
    """Take a step back; it stays to be read, with the reason."""
    page = _page(request, token, entry)
    row = next((one for one in page.ledger.rows if one.id == step_id and not one.is_revoked), None)
    if row is None:
        raise Http404
    if not page.may_take:
        raise PermissionDenied
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            steps.revoke_step(
                owner_of(request), token, entry, step_id, reason=form.cleaned_data["reason"]
            )
            messages.success(request, "Taken back.")
            return redirect("entry-read", token, entry)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {"event": page.event, "entry": page.entry, "row": row, "form": form}
    drawn = render(
        request, "campaigns/events/step_revoke.html", context, status=422 if form.errors else 200
    )
    return without_robots(drawn)


def _page(request: HttpRequest, token: str, entry: str) -> PlayerPage:
    page = load_player(owner_of(request), token, entry)
    if page is None:
        raise Http404
    return page


def _take(
    actor: Owner, token: str, entry: str, kind: str, said: dict[str, Any], key: str
) -> steps.StepTaken:
    fixture = said["fixture"]
    if kind == FATE:
        return steps.roll_fate(actor, token, fixture, entry, said["combatant"], typed=said["roll"])
    if kind == PAY:
        return steps.collect_pay(actor, token, fixture, entry)
    return steps.add_recruit(actor, token, fixture, entry, said["name"], request_key=key)
