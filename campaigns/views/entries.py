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

from accounts.errors import NotAllowed, Refusal
from accounts.owner import Owner
from accounts.requests import (
    form_data,
    owner_of,
    record_or_404,
    refused,
    refused_as_message,
    request_key,
    without_robots,
)
from campaigns.forms.entries import AddForm, DropForm, EnterForm, EntryForm, ReasonForm
from campaigns.forms.steps import StepForm
from campaigns.operations import entries as entering
from campaigns.operations import steps
from campaigns.operations.log import ChangeRequest
from campaigns.queries.entries import load_candidates, load_choices, load_player
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
    is_sent = request.method == "POST"
    if is_sent and not event.may_organise:
        raise PermissionDenied
    form = None
    if event.may_organise and not (event.is_finished or event.is_archived):
        form = AddForm(form_data(request), candidates=load_candidates(event))
    if not is_sent:
        return _entries_page(request, owner, event, form)
    return _post_entries(request, owner, event, form)


def _post_entries(
    request: HttpRequest, owner: Owner, event: ClubEventRecord, form: AddForm | None
) -> HttpResponse:
    if form is None:
        messages.error(request, entering.OVER)
        return redirect("event-entries", event.token)
    if form.is_valid():
        with refused(form):
            added = entering.add_entries(ChangeRequest(owner, event.token), **form.operation_kwargs)
            messages.success(
                request, "1 more is in." if len(added) == 1 else f"{len(added)} more are in."
            )
            return redirect("event-entries", event.token)
    return _entries_page(request, owner, event, form)


def _entries_page(
    request: HttpRequest, owner: Owner, event: ClubEventRecord, form: AddForm | None
) -> HttpResponse:
    entries = load_entries(owner, event)
    context = {
        "event": event,
        "form": form,
        "playing": [one for one in entries if not one.is_dropped],
        "dropped": [one for one in entries if one.is_dropped],
        "has_play_off": any(one.play_off for one in entries),
        "may_enter": not (event.mine or event.is_finished or event.is_archived),
        "enter_address": request.build_absolute_uri(reverse("event-enter", args=[event.token])),
    }
    status = form.status if form else 200
    return without_robots(render(request, "campaigns/entries.html", context, status=status))


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
        usual = choices[0][0] if choices else ""
        form = EnterForm(form_data(request), choices=choices, initial={"warband": usual})
    if request.method == "POST":
        return _post_enter(request, owner, event, form)
    return _enter_page(request, event, form)


def _post_enter(
    request: HttpRequest, owner: Owner, event: ClubEventRecord, form: EnterForm | None
) -> HttpResponse:
    if form is None or form.is_valid():
        try:
            _enter(owner, event.token, form)
            messages.success(request, "You are in.")
            return redirect("event-read", event.token)
        except NotAllowed as refusal:
            messages.error(request, refusal.message)
            return redirect("event-enter", event.token)
        except Refusal as refusal:
            assert form is not None
            form.add_refusal(refusal)
    return _enter_page(request, event, form)


def _enter_page(
    request: HttpRequest, event: ClubEventRecord, form: EnterForm | None
) -> HttpResponse:
    context = {
        "event": event,
        "form": form,
        "is_open": not (event.is_finished or event.is_archived),
    }
    status = form.status if form else 200
    return without_robots(render(request, "campaigns/join.html", context, status=status))


def _enter(owner: Owner, token: str, form: EnterForm | None) -> None:
    if form is None:
        entering.enter_event(ChangeRequest(owner, token))
    else:
        entering.enter_event(
            ChangeRequest(owner, token), name=form.cleaned_data["name"], warband=form.warband_token
        )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def entry_edit(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """What an entry is called and brings, by whose it is or an organiser."""
    owner, event, record = _entry_for(request, token, entry)
    choices = load_choices(owner, event, record)
    form = EntryForm(
        form_data(request),
        entry=record,
        choices=choices,
        may_organise=event.may_organise,
    )
    if request.method == "POST" and form.is_valid():
        with refused(form):
            entering.change_entry(ChangeRequest(owner, token), entry, **form.operation_kwargs)
            messages.success(request, "Changed.")
            return redirect("event-entries", token)
    context: dict[str, Any] = {
        "event": event,
        "entry": record,
        "form": form,
        "drop_form": DropForm(),
    }
    return without_robots(render(request, "campaigns/entry.html", context, status=form.status))


@require_POST
def entry_drop(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Paired no more."""
    owner, _, record = _entry_for(request, token, entry)
    form = DropForm(request.POST)
    with refused_as_message(request):
        if not form.is_valid():
            raise Refusal(str(next(iter(form.errors["reason"]))))
        entering.drop_entry(ChangeRequest(owner, token, reason=form.cleaned_data["reason"]), entry)
        messages.success(request, f"{record.name} is paired no more. What was played stays.")
        return redirect("event-entries", token)
    return redirect("entry-edit", token, entry)


@require_POST
def entry_rejoin(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Back in."""
    owner, _, record = _entry_for(request, token, entry)
    with refused_as_message(request):
        entering.rejoin_entry(ChangeRequest(owner, token), entry)
        messages.success(request, f"{record.name} is back, from the next round that is drawn.")
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
    _, page = record_or_404(load_player, request, token, entry)
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
    _, page = record_or_404(load_player, request, token, entry)
    if not page.may_take:
        raise PermissionDenied
    form = StepForm(request.POST)
    if not form.is_valid():
        raise BadRequest(next(iter(form.errors.values()))[0])
    with refused_as_message(request):
        messages.success(request, _take(request, token, entry, sort, form.cleaned_data).words)
    return redirect("entry-read", token, entry)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def step_revoke(request: HttpRequest, token: str, entry: str, step_id: int) -> HttpResponse:
    """Take a step back; it stays to be read, with the reason."""
    owner, page = record_or_404(load_player, request, token, entry)
    standing = [one for one in page.ledger.rows if one.id == step_id and not one.is_revoked]
    if not standing:
        raise Http404
    if not page.may_take:
        raise PermissionDenied
    form = ReasonForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        with refused(form):
            steps.revoke_step(
                ChangeRequest(owner, token, reason=form.cleaned_data["reason"]), entry, step_id
            )
            messages.success(request, "Taken back.")
            return redirect("entry-read", token, entry)
    context = {"event": page.event, "entry": page.entry, "row": standing[0], "form": form}
    return without_robots(
        render(request, "campaigns/step_revoke.html", context, status=form.status)
    )


def _take(
    request: HttpRequest, token: str, entry: str, kind: str, said: dict[str, Any]
) -> steps.StepTaken:
    actor, fixture = owner_of(request), said["fixture"]
    if kind == FATE:
        return steps.roll_fate(
            ChangeRequest(actor, token), fixture, entry, said["combatant"], typed=said["roll"]
        )
    if kind == PAY:
        return steps.collect_pay(ChangeRequest(actor, token), fixture, entry)
    key = request_key(request)
    return steps.add_recruit(ChangeRequest(actor, token, key=key), fixture, entry, said["name"])
