"""Lists of a round on pages: who has handed one in, handing in, one list as it was frozen,
unlocking and showing.
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

from accounts.owner import Owner
from accounts.requests import form_data, refused, refused_as_message, version_seen, without_robots
from campaigns.forms.entries import HandInForm, ReasonForm, RoundChoiceForm, UnlockForm, WaiveForm
from campaigns.operations import round_lists, waivers
from campaigns.operations.log import ChangeRequest
from campaigns.queries.entries import load_choices
from campaigns.queries.events import load_entry
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.round_lists import (
    HandInPage,
    WaiverRow,
    load_effects,
    load_hand_in,
    load_lists,
    load_shown_sheet,
    load_waivers,
)
from campaigns.views.requests import event_for, organised_event_for
from engine.findings.policy import guidelines_of
from warbands.pdf import PAPERS, roster_pdf
from warbands.views.manage import file_name
from warbands.views.presenters import RollLine
from warbands.views.sheets import as_pdf


@require_safe
@never_cache
def event_lists(request: HttpRequest, token: str) -> HttpResponse:
    """The lists of a round: ``?round=`` names it, else the one that is under way."""
    owner, event = event_for(request, token)
    form = RoundChoiceForm(request.GET)
    if not form.is_valid():
        raise Http404
    asked = form.cleaned_data["round"]
    found = load_lists(owner, event, asked)
    if found is None and asked is not None:
        raise Http404
    return without_robots(render(request, "campaigns/lists.html", {"event": event, "lists": found}))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def list_hand_in(request: HttpRequest, token: str, number: int, entry: str = "") -> HttpResponse:
    """Hand in one's list of a round, or as an organiser somebody's; ``?warband=`` shows first what
    would be found.
    """
    owner, event = event_for(request, token)
    record = load_entry(owner, event, entry or event.mine)
    if record is not None:
        return _hand_in(request, owner, event, record, number)
    if entry:
        raise Http404
    return redirect("event-enter", token)


def _hand_in(
    request: HttpRequest, owner: Owner, event: ClubEventRecord, record: EntryRecord, number: int
) -> HttpResponse:
    if not (record.is_mine or event.may_organise):
        raise PermissionDenied
    choices = load_choices(owner, event, record)
    usual = _usual(request, record, choices)
    form = HandInForm(form_data(request), choices=choices, initial={"warband": usual})
    is_sent = request.method == "POST" and form.is_valid()
    found = load_hand_in(owner, event, record, number, form.warband_token if is_sent else usual)
    if found is None:
        raise Http404
    if is_sent and "look" not in request.POST:
        with refused(form):
            done = round_lists.hand_in_list(
                ChangeRequest(owner, event.token), number, form.warband_token, entry=record.token
            )
            messages.success(request, f"The list is in: {_told(done, found)}.")
            return redirect(_back(event, record, number))
    context: dict[str, Any] = {
        "event": event,
        "entry": record,
        "found": found,
        "form": form,
        "choices": choices,
    }
    return without_robots(render(request, "campaigns/hand_in.html", context, status=form.status))


@require_safe
@never_cache
def list_read(request: HttpRequest, token: str, number: int, entry: str) -> HttpResponse:
    """A list as it was frozen, for those it is shown to."""
    owner, event = event_for(request, token)
    record = load_entry(owner, event, entry)
    sheet = load_shown_sheet(owner, event, number, entry) if record else None
    if record is None or sheet is None:
        raise Http404
    context = {
        "event": event,
        "entry": record,
        "sheet": sheet,
        "number": number,
        "stat_names": [stat.key for stat in sheet.stats],
        "rows": [
            RollLine(home="", token="", warrior=one, badges=(), is_priced=sheet.shows_points)
            for one in sheet.warriors
        ],
    }
    return without_robots(render(request, "campaigns/list_read.html", context))


@require_safe
def list_sheet(request: HttpRequest, token: str, number: int, entry: str) -> HttpResponse:
    """The same on paper. ``?paper=a4|letter``."""
    owner, event = event_for(request, token)
    sheet = load_shown_sheet(owner, event, number, entry)
    if sheet is None:
        raise Http404
    paper: Any = request.GET.get("paper") or "a4"
    if paper not in PAPERS:
        raise BadRequest(f"“paper” must be {' or '.join(PAPERS)}.")
    back = (reverse("list-read", args=[token, number, entry]), sheet.name)
    return as_pdf(request, lambda: roster_pdf(sheet, paper), file_name(sheet.name, "pdf"), back)


@require_POST
def list_unlock(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Let one player hand in another list, or lock it again."""
    owner, _ = organised_event_for(request, token)
    form = UnlockForm(request.POST)
    if not form.is_valid():
        raise BadRequest("Say whose list.")
    with refused_as_message(request):
        asked = form.cleaned_data
        round_lists.unlock_list(
            ChangeRequest(owner, token), number, asked["entry"], is_unlocked=not asked["lock"]
        )
        messages.success(
            request,
            "Locked again." if asked["lock"] else "Unlocked: they can hand in another list.",
        )
    return redirect(lists_url(token, number))


@require_POST
def list_publish(request: HttpRequest, token: str, number: int, *, is_shown: bool) -> HttpResponse:
    """Show all lists of the round, or take them back."""
    owner, _ = organised_event_for(request, token)
    do = round_lists.publish_lists if is_shown else round_lists.withdraw_lists
    with refused_as_message(request):
        do(ChangeRequest(owner, token, version_seen(request)), number)
        messages.success(
            request, "The lists are shown." if is_shown else "The lists are secret again."
        )
    return redirect(lists_url(token, number))


def lists_url(token: str, number: int) -> str:
    """The page of a round's lists."""
    return f"{reverse('event-lists', args=[token])}?round={number}"


def _back(event: ClubEventRecord, record: EntryRecord, number: int) -> str:
    if record.is_mine:
        return reverse("list-hand-in", args=[event.token, number])
    return lists_url(event.token, number)


def _usual(request: HttpRequest, record: EntryRecord, choices: tuple[tuple[str, str], ...]) -> str:
    """The warband a page begins with: the one asked for, else what the entry means to bring."""
    offered = [value for value, _ in choices]
    asked = request.GET.get("warband", "")
    return next((one for one in (asked, record.warband) if one in offered), "")


def _told(done: round_lists.HandedIn, found: HandInPage) -> str:
    errors = f"{done.errors} error{'' if done.errors == 1 else 's'}" if done.errors else "no errors"
    points = f"{done.points} points, " if found.round.limit is not None else ""
    return f"{points}{errors}"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def waiver_new(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Let a guideline pass for one entry; ``?code=`` names it."""
    owner, event = organised_event_for(request, token)
    record = load_entry(owner, event, entry)
    if record is None:
        raise Http404
    held = {one.code for one in load_waivers(event, record) if one.holds}
    effects = [one for one in load_effects(event, record) if one.code not in held]
    asked = request.GET.get("code") or next((one.code for one in effects), "")
    form = WaiveForm(
        form_data(request),
        guidelines=guidelines_of(event.load_system()),
        initial={"code": asked},
    )
    if request.method == "POST" and form.is_valid():
        said, seen = form.cleaned_data, version_seen(request)
        with refused(form):
            waivers.waive(
                ChangeRequest(owner, token, reason=said["reason"], expected=seen),
                entry,
                said["code"],
            )
            messages.success(request, "It passes. The sheet prints it.")
            return redirect("entry-read", token, entry)
    context: dict[str, Any] = {"event": event, "entry": record, "form": form, "effects": effects}
    return without_robots(render(request, "campaigns/waive.html", context, status=form.status))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def waiver_revoke(request: HttpRequest, token: str, entry: str, guideline: str) -> HttpResponse:
    """Take a waiver back; what it moves is told first."""
    owner, event = organised_event_for(request, token)
    record = load_entry(owner, event, entry)
    if record is None:
        raise Http404
    waiver = _waiver(event, record, guideline)
    form = ReasonForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        reason, seen = form.cleaned_data["reason"], version_seen(request)
        with refused(form):
            waivers.revoke_waiver(
                ChangeRequest(owner, token, reason=reason, expected=seen), entry, guideline
            )
            messages.success(request, "It counts again.")
            return redirect("entry-read", token, entry)
    effects = [one for one in load_effects(event, record) if one.code == guideline]
    context = {"event": event, "entry": record, "waiver": waiver, "form": form, "effects": effects}
    return without_robots(render(request, "campaigns/waive.html", context, status=form.status))


def _waiver(event: ClubEventRecord, record: EntryRecord, code: str) -> WaiverRow:
    """The waiver of a guideline that holds for the entry; raises Http404 without one."""
    for waiver in load_waivers(event, record):
        if waiver.holds and waiver.code == code:
            return waiver
    raise Http404
