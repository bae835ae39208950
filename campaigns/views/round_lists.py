"""Lists of a round on pages: who has handed one in, handing in, one list as it was frozen,
unlocking and showing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import NotFound, Refusal
from accounts.requests import version_seen, without_robots
from campaigns.forms.entries import HandInForm, ReasonForm, RoundChoiceForm, UnlockForm, WaiveForm
from campaigns.operations import round_lists, waivers
from campaigns.queries.entries import load_choices
from campaigns.queries.events import load_entry
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.round_lists import (
    HandInPage,
    load_effects,
    load_hand_in,
    load_lists,
    load_shown_sheet,
    load_waivers,
)
from campaigns.views.requests import event_for, organised_event_for
from engine.findings.core import guidelines_of
from warbands.pdf import PAPERS, roster_pdf
from warbands.views.manage import file_name
from warbands.views.presenters import roll_line
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
    if record is None and not entry:
        return redirect("event-enter", token)
    if record is None or not (record.is_mine or event.may_organise):
        raise Http404 if record is None else PermissionDenied
    choices = load_choices(owner, event, record)
    form = HandInForm(
        request.POST if request.method == "POST" else None,
        choices=choices,
        initial={"warband": _usual(request, record, choices)},
    )
    asked = (
        form.warband_token
        if request.method == "POST" and form.is_valid()
        else str(form["warband"].initial or "")
    )
    found = load_hand_in(owner, event, record, number, asked)
    if found is None:
        raise Http404
    if request.method == "POST" and form.is_valid() and "look" not in request.POST:
        try:
            done = round_lists.hand_in_list(
                owner, token, number, form.warband_token, entry=record.token
            )
            messages.success(request, f"The list is in: {_told(done, found)}.")
            return redirect(_back(event, record, number))
        except Refusal as refusal:
            form.add_refusal(refusal)
    context: dict[str, Any] = {
        "event": event,
        "entry": record,
        "found": found,
        "form": form,
        "choices": choices,
    }
    page = render(request, "campaigns/hand_in.html", context, status=422 if form.errors else 200)
    return without_robots(page)


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
            roll_line(one, (), token="", home="", is_priced=sheet.shows_points)
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
    try:
        asked = form.cleaned_data
        round_lists.unlock_list(owner, token, number, asked["entry"], is_unlocked=not asked["lock"])
        messages.success(
            request,
            "Locked again." if asked["lock"] else "Unlocked: they can hand in another list.",
        )
    except Refusal as refusal:
        messages.error(request, refusal.message)
    except NotFound:
        raise Http404 from None
    return redirect(lists_url(token, number))


@require_POST
def list_publish(request: HttpRequest, token: str, number: int, *, is_shown: bool) -> HttpResponse:
    """Show all lists of the round, or take them back."""
    owner, _ = organised_event_for(request, token)
    do = round_lists.publish_lists if is_shown else round_lists.withdraw_lists
    try:
        do(owner, token, number, expected=version_seen(request))
        messages.success(
            request, "The lists are shown." if is_shown else "The lists are secret again."
        )
    except Refusal as refusal:
        messages.error(request, refusal.message)
    except NotFound:
        raise Http404 from None
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
    page = render(request, "campaigns/waive.html", context, status=422 if form.errors else 200)
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
    page = render(request, "campaigns/waive.html", context, status=422 if form.errors else 200)
    return without_robots(page)


def _done(
    request: HttpRequest, form: WaiveForm | ReasonForm, do: Callable[[], int], words: str
) -> bool:
    """Whether the operation went through; what it refuses stands in the form."""
    try:
        do()
    except Refusal as refusal:
        form.add_refusal(refusal)
    else:
        messages.success(request, words)
        return True
    return False
