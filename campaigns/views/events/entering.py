"""Who is in an event: the list of entries, entering oneself, one entry, dropping out and coming back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.owner import Owner
from accounts.owners import without_robots
from campaigns.errors import NotAllowed, Refusal
from campaigns.forms.events.entering import AddForm, DropForm, EnterForm, EntryForm
from campaigns.operations.events import entering
from campaigns.queries.events.candidates import load_candidates, load_choices
from campaigns.queries.events.loading import load_entries, load_entry
from campaigns.queries.events.records import ClubEventRecord, EntryRecord
from campaigns.views.events.asking import event_for


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def event_entries(request: HttpRequest, token: str) -> HttpResponse:
    """Who is in; organisers tick members and type guests here."""
    owner, event = event_for(request, token)
    if request.method == "POST" and not event.may_organise:
        raise PermissionDenied
    form = None
    if event.may_organise and not (event.is_finished or event.is_archived):
        form = AddForm(
            request.POST if request.method == "POST" else None, candidates=load_candidates(event)
        )
    if request.method == "POST" and form is None:
        messages.error(request, entering.OVER)
        return redirect("event-entries", token)
    if request.method == "POST" and form is not None and form.is_valid():
        try:
            added = entering.add_entries(owner, token, **form.operation_kwargs)
            messages.success(
                request, "1 more is in." if len(added) == 1 else f"{len(added)} more are in."
            )
            return redirect("event-entries", token)
        except Refusal as refusal:
            form.add_refusal(refusal)
    entries = load_entries(owner, event)
    playing = [one for one in entries if not one.is_dropped]
    context = {
        "event": event,
        "form": form,
        "playing": playing,
        "dropped": [one for one in entries if one.is_dropped],
        "has_play_off": any(one.play_off for one in entries),
        "may_enter": not (event.mine or event.is_finished or event.is_archived),
        "enter_address": request.build_absolute_uri(reverse("event-enter", args=[token])),
    }
    page = render(
        request,
        "campaigns/events/entries.html",
        context,
        status=422 if form and form.errors else 200,
    )
    return without_robots(page)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def event_enter(request: HttpRequest, token: str) -> HttpResponse:
    """Enter oneself; who comes by the link without an account is shown the door first."""
    owner, event = event_for(request, token)
    if event.mine and event.is_playing:
        return redirect("entry-edit", token, event.mine)
    form = None
    if owner.is_person:
        choices = load_choices(owner, event)
        form = EnterForm(
            request.POST if request.method == "POST" else None,
            choices=choices,
            initial={"warband": choices[0][0] if choices else ""},
        )
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            _enter(owner, token, form)
            messages.success(request, "You are in.")
            return redirect("event-read", token)
        except NotAllowed as refusal:
            messages.error(request, refusal.message)
            return redirect("event-enter", token)
        except Refusal as refusal:
            assert form is not None
            form.add_refusal(refusal)
    context = {
        "event": event,
        "form": form,
        "is_open": not (event.is_finished or event.is_archived),
    }
    page = render(
        request, "campaigns/events/join.html", context, status=422 if form and form.errors else 200
    )
    return without_robots(page)


def _enter(owner: Owner, token: str, form: EnterForm | None) -> None:
    if form is None:
        entering.enter_event(owner, token)
    else:
        entering.enter_event(
            owner, token, name=form.cleaned_data["name"], warband=form.warband_token
        )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def entry_edit(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """What an entry is called and brings, by whose it is or an organiser."""
    owner, event, record = _entry_for(request, token, entry)
    choices = load_choices(owner, event, record)
    form = EntryForm(
        request.POST if request.method == "POST" else None,
        entry=record,
        choices=choices,
        may_organise=event.may_organise,
    )
    if request.method == "POST" and form.is_valid():
        try:
            entering.change_entry(owner, token, entry, **form.operation_kwargs)
            messages.success(request, "Changed.")
            return redirect("event-entries", token)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context: dict[str, Any] = {
        "event": event,
        "entry": record,
        "form": form,
        "drop_form": DropForm(),
    }
    page = render(
        request, "campaigns/events/entry.html", context, status=422 if form.errors else 200
    )
    return without_robots(page)


@require_POST
def entry_drop(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Paired no more."""
    owner, _, record = _entry_for(request, token, entry)
    form = DropForm(request.POST)
    try:
        if not form.is_valid():
            raise Refusal(str(next(iter(form.errors["reason"]))))
        entering.drop_entry(owner, token, entry, reason=form.cleaned_data["reason"])
        messages.success(request, f"{record.name} is paired no more. What was played stays.")
    except Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("entry-edit", token, entry)
    return redirect("event-entries", token)


@require_POST
def entry_rejoin(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Back in."""
    owner, _, record = _entry_for(request, token, entry)
    try:
        entering.rejoin_entry(owner, token, entry)
        messages.success(request, f"{record.name} is back, from the next round that is drawn.")
    except Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("event-entries", token)


def _entry_for(
    request: HttpRequest, token: str, entry: str
) -> tuple[Owner, ClubEventRecord, EntryRecord]:
    """Who asks, the event and an entry they may change; 404 for what they may not read, 403 for what is not theirs."""
    owner, event = event_for(request, token)
    record = load_entry(owner, event, entry)
    if record is None:
        raise Http404
    if not (record.is_mine or event.may_organise):
        raise PermissionDenied
    return owner, event, record
