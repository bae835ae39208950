"""Who is in an event: the list of entries, entering oneself, one entry, dropping out and coming
back.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import NotAllowed, NotFound, Refusal
from accounts.owner import Owner
from accounts.requests import owner_of, request_key, without_robots
from campaigns.forms.entries import AddForm, DropForm, EnterForm, EntryForm, ReasonForm
from campaigns.forms.steps import StepForm
from campaigns.operations import entries as entering
from campaigns.operations import steps
from campaigns.queries.entries import PlayerPage, load_candidates, load_choices, load_player
from campaigns.queries.events import load_entries, load_entry
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.views.requests import event_for
from engine.tournament.campaign_steps import FATE, PAY
from warbands.views.presenters import page_key


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
        "campaigns/entries.html",
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
        request, "campaigns/join.html", context, status=422 if form and form.errors else 200
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
    page = render(request, "campaigns/entry.html", context, status=422 if form.errors else 200)
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
    """Who asks, the event and an entry they may change; 404 for what they may not read, 403 for
    what is not theirs.
    """
    owner, event = event_for(request, token)
    record = load_entry(owner, event, entry)
    if record is None:
        raise Http404
    if not (record.is_mine or event.may_organise):
        raise PermissionDenied
    return owner, event, record


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
    return without_robots(render(request, "campaigns/player.html", context))


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
        request, "campaigns/step_revoke.html", context, status=422 if form.errors else 200
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
