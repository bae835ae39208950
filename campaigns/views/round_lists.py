"""Lists of a round: handed in, read as they were frozen, unlocked, shown; and waivers."""

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.owner import Owner
from accounts.requests import (
    form_data,
    form_page,
    read_page,
    redirect_with_message,
    refused,
    refused_as_message,
)
from campaigns.forms.entries import (
    HandInForm,
    ReasonForm,
    RoundChoiceForm,
    UnlockForm,
    WaiveForm,
)
from campaigns.operations import round_lists
from campaigns.operations.log import ChangeRequest
from campaigns.queries.entries import load_choices
from campaigns.queries.events import load_entry
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from campaigns.queries.round_lists import (
    HandInPage,
    load_hand_in,
    load_lists,
    load_shown_sheet,
)
from campaigns.queries.waivers import load_effects, load_waivers
from campaigns.views.requests import (
    change_request,
    draw_page,
    entry_or_404,
    event_for,
    organised_event_for,
    paper_asked,
)
from engine.findings.policy import guidelines_of
from warbands.pdf import kept_roster_pdf
from warbands.views.manage import file_name
from warbands.views.presenters import RollLine
from warbands.views.sheets import as_pdf


@read_page
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
    return draw_page(request, "lists", event=event, lists=found)


@form_page
def list_hand_in(
    request: HttpRequest, token: str, number: int, entry: str = ""
) -> HttpResponse:
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
    request: HttpRequest,
    owner: Owner,
    event: ClubEventRecord,
    entry: EntryRecord,
    number: int,
) -> HttpResponse:
    """Draw the form for a list, or hand it in and go to the page of lists.

    “look” checks without handing in. Raises PermissionDenied or Http404.
    """
    if not (entry.is_mine or event.may_organise):
        raise PermissionDenied
    choices = load_choices(owner, event, entry)
    warband = _usual(request, entry, choices)
    form = HandInForm(form_data(request), choices=choices, initial={"warband": warband})
    is_sent = form.is_valid()
    if is_sent:
        warband = form.warband_token
    found = load_hand_in(owner, event, entry, number, warband)
    if found is None:
        raise Http404
    if is_sent and "look" not in request.POST:
        with refused(form):
            done = round_lists.hand_in_list(
                ChangeRequest(owner, event.token), number, warband, entry=entry.token
            )
            messages.success(request, f"List handed in: {_told(done, found)}.")
            if entry.is_mine:
                return redirect("list-hand-in", event.token, number)
            return redirect(lists_url(event.token, number))
    return draw_page(
        request,
        "hand_in",
        event=event,
        entry=entry,
        found=found,
        form=form,
        choices=choices,
    )


@read_page
def list_read(request: HttpRequest, token: str, number: int, entry: str) -> HttpResponse:
    """Show a list as it was frozen, for those it is shown to."""
    owner, event = event_for(request, token)
    record = entry_or_404(owner, event, entry)
    sheet = load_shown_sheet(owner, event, number, entry)
    if sheet is None:
        raise Http404
    rows = [
        RollLine(home="", token="", warrior=one, badges=(), currency=sheet.shown_currency)
        for one in sheet.warriors
    ]
    return draw_page(
        request,
        "list_read",
        event=event,
        entry=record,
        sheet=sheet,
        number=number,
        stat_names=[stat.key for stat in sheet.stats],
        rows=rows,
    )


@require_safe
def list_sheet(request: HttpRequest, token: str, number: int, entry: str) -> HttpResponse:
    """Return the same on paper. ``?paper=a4|letter``."""
    owner, event = event_for(request, token)
    sheet = load_shown_sheet(owner, event, number, entry)
    if sheet is None:
        raise Http404
    paper = paper_asked(request.GET.get("paper"))
    back = (reverse("list-read", args=[token, number, entry]), sheet.name)
    return as_pdf(
        request, lambda: kept_roster_pdf(sheet, paper), file_name(sheet.name, "pdf"), back
    )


@require_POST
def list_unlock(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Let one player hand in another list, or lock it again."""
    owner, _ = organised_event_for(request, token)
    form = UnlockForm(request.POST)
    if not form.is_valid():
        raise BadRequest("Name the player whose list this is.")
    entry, is_unlocked = form.cleaned_data["entry"], not form.cleaned_data["lock"]
    with refused_as_message(request):
        round_lists.unlock_list(
            ChangeRequest(owner, token), number, entry, is_unlocked=is_unlocked
        )
        said = (
            "List unlocked. The player can replace it." if is_unlocked else "List locked."
        )
        messages.success(request, said)
    return redirect(lists_url(token, number))


@require_POST
def list_publish(
    request: HttpRequest, token: str, number: int, *, is_shown: bool
) -> HttpResponse:
    """Reveal all lists of the round, or hide them again."""
    owner, _ = organised_event_for(request, token)
    do = round_lists.publish_lists if is_shown else round_lists.withdraw_lists
    with refused_as_message(request):
        do(change_request(request, owner, token), number)
        said = "Lists revealed." if is_shown else "The lists are secret again."
        messages.success(request, said)
    return redirect(lists_url(token, number))


def lists_url(token: str, number: int) -> str:
    """The page of a round's lists."""
    return f"{reverse('event-lists', args=[token])}?round={number}"


def _usual(request: HttpRequest, entry: EntryRecord, choices: Choices) -> str:
    """The warband a page begins with: the one asked for, else what the entry means to bring."""
    offered = [value for value, _ in choices]
    wished = (request.GET.get("warband", ""), entry.warband)
    return next((one for one in wished if one in offered), "")


def _told(done: round_lists.HandedIn, found: HandInPage) -> str:
    """Return points and errors of a list in words, in what it counts; none where it counts none."""
    errors = (
        f"{done.errors} error{'' if done.errors == 1 else 's'}"
        if done.errors
        else "no errors"
    )
    sheet = found.asked.sheet if found.asked else None
    is_counted = sheet is not None and sheet.counts_points
    points = f"{done.points} {sheet.currency.name}, " if sheet and is_counted else ""
    return f"{points}{errors}"


@form_page
def waiver_new(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Let a guideline pass for one entry; ``?code=`` names it."""
    owner, event = organised_event_for(request, token)
    record = entry_or_404(owner, event, entry)
    # What passes already is not offered a second time.
    held = {one.code for one in load_waivers(event, record) if one.holds}
    effects = [one for one in load_effects(event, record) if one.code not in held]
    code = request.GET.get("code") or next((one.code for one in effects), "")
    guidelines = guidelines_of(event.load_system())
    form = WaiveForm(form_data(request), guidelines=guidelines, initial={"code": code})
    if form.is_valid():
        asked = change_request(request, owner, token, form)
        with refused(form):
            round_lists.waive(asked, entry, form.cleaned_data["code"])
            return redirect_with_message(
                request,
                "Rule waived. The roster sheet shows it.",
                "entry-read",
                token,
                entry,
            )
    return draw_page(
        request, "waive", event=event, entry=record, form=form, effects=effects
    )


@form_page
def waiver_revoke(
    request: HttpRequest, token: str, entry: str, guideline: str
) -> HttpResponse:
    """Take a waiver back; what it moves is told first."""
    owner, event = organised_event_for(request, token)
    record = entry_or_404(owner, event, entry)
    held = [
        one for one in load_waivers(event, record) if one.holds and one.code == guideline
    ]
    if not held:
        raise Http404
    form = ReasonForm(form_data(request))
    if form.is_valid():
        asked = change_request(request, owner, token, form)
        with refused(form):
            round_lists.revoke_waiver(asked, entry, guideline)
            return redirect_with_message(
                request, "Waiver withdrawn.", "entry-read", token, entry
            )
    effects = [one for one in load_effects(event, record) if one.code == guideline]
    return draw_page(
        request,
        "waive",
        event=event,
        entry=record,
        waiver=held[0],
        form=form,
        effects=effects,
    )
