"""What an organiser lets pass for one entry, and taking it back: one page each, which says what it changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.owners import version_seen, without_robots
from campaigns.errors import Refusal, StaleEvent
from campaigns.forms.events.handing_in import ReasonForm, WaiveForm
from campaigns.operations.events import waivers
from campaigns.queries.events.loading import load_entry
from campaigns.queries.events.waivers import load_effects, load_waivers
from campaigns.views.events.asking import organised_event_for
from engine.findings.core import guidelines_of


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def waiver_new(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Let a guideline pass for one entry; ``?code=`` names it."""
    owner, event = organised_event_for(request, token)
    record = load_entry(owner, event, entry)
    if record is None:
        raise Http404
    guidelines = guidelines_of(event.load_system())
    held = {one.code for one in load_waivers(event, record) if one.holds}
    effects = [one for one in load_effects(event, record) if one.code not in held]
    asked = request.GET.get("code") or next((one.code for one in effects), "")
    form = WaiveForm(
        request.POST if request.method == "POST" else None,
        guidelines=guidelines,
        initial={"code": asked},
    )
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data

        def do() -> int:
            return waivers.waive(
                owner,
                token,
                entry,
                said["code"],
                reason=said["reason"],
                expected=version_seen(request),
            )

        if _done(request, form, do, "It passes. The sheet prints it."):
            return redirect("entry-read", token, entry)
    context: dict[str, Any] = {"event": event, "entry": record, "form": form, "effects": effects}
    page = render(
        request, "campaigns/events/waive.html", context, status=422 if form.errors else 200
    )
    return without_robots(page)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def waiver_revoke(request: HttpRequest, token: str, entry: str, guideline: str) -> HttpResponse:
    """Take a waiver back; what it moves is told first."""
    owner, event = organised_event_for(request, token)
    record = load_entry(owner, event, entry)
    waiver = (
        next(
            (one for one in load_waivers(event, record) if one.holds and one.code == guideline),
            None,
        )
        if record
        else None
    )
    if record is None or waiver is None:
        raise Http404
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]

        def do() -> int:
            return waivers.revoke_waiver(
                owner, token, entry, guideline, reason=reason, expected=version_seen(request)
            )

        if _done(request, form, do, "It counts again."):
            return redirect("entry-read", token, entry)
    effects = [one for one in load_effects(event, record) if one.code == guideline]
    context = {"event": event, "entry": record, "waiver": waiver, "form": form, "effects": effects}
    page = render(
        request, "campaigns/events/waive.html", context, status=422 if form.errors else 200
    )
    return without_robots(page)


def _done(
    request: HttpRequest, form: WaiveForm | ReasonForm, do: Callable[[], int], words: str
) -> bool:
    """Whether the operation went through; what it refuses stands in the form."""
    try:
        do()
    except Refusal as refusal:
        form.add_refusal(refusal)
    except StaleEvent as stale:
        form.add_error(None, stale.message)
    else:
        messages.success(request, words)
        return True
    return False
