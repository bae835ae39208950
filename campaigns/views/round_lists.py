"""Lists of a round on pages: handed in, read as frozen, checked, revealed; and waivers."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import Refusal, WrongState
from accounts.requests import (
    form_data,
    form_page,
    owner_of,
    read_page,
    redirect_with_message,
    refused,
    refused_as_message,
)
from campaigns.forms.entries import (
    CheckForm,
    HandInForm,
    ReasonForm,
    RoundChoiceForm,
    UnlockForm,
    WaiveForm,
)
from campaigns.list_checks import CheckedList
from campaigns.models import ListCheck, ListLock
from campaigns.operations import round_lists
from campaigns.operations.log import ChangeRequest
from campaigns.queries.entries import (
    load_choices,
)
from campaigns.queries.events import (
    load_entry,
)
from campaigns.queries.records import Choices, ClubEventRecord
from campaigns.queries.round_lists import (
    LIST_FILTERS,
    load_effects,
    load_hand_in,
    load_listed_warband,
    load_lists,
    load_shown_sheet,
    load_waivers,
)
from campaigns.views.requests import (
    change_request,
    draw_page,
    event_for,
    organised_event_for,
    paper_asked,
    refuse_others,
)
from engine.findings.checks import guidelines_of
from engine.records import quantity
from warbands.pdf.documents import kept_roster_pdf
from warbands.views.manage import file_name
from warbands.views.presenters import RollLine
from warbands.views.sheets import as_pdf


@read_page
def event_lists(request: HttpRequest, token: str) -> HttpResponse:
    """The lists of a round: ``?round=`` names it, else the one that is under way.

    Organisers see those of one kind alone by ``?show=``.
    """
    _, event = event_for(request, token)
    form = RoundChoiceForm(request.GET)
    if not form.is_valid():
        raise Http404
    choice = form.cleaned_data
    return _draw_lists(request, event, choice["round"], show=choice["show"])


def _draw_lists(
    request: HttpRequest,
    event: ClubEventRecord,
    number: int | None,
    *,
    show: str = "",
    asks: str = "",
) -> HttpResponse:
    """Draw the lists of a round; ``asks`` is what stands in the way of revealing them."""
    lists = load_lists(owner_of(request), event, number)
    filters: list[tuple[str, str, int]] = []
    if event.may_organise:
        filters = [
            (key, name, sum(map(is_shown, lists.lines)))
            for key, (name, is_shown) in LIST_FILTERS.items()
        ]
    lines = [*filter(LIST_FILTERS[show][1], lists.lines)] if filters else lists.lines
    return draw_page(
        request,
        "lists",
        event=event,
        lists=lists,
        lines=lines,
        filters=filters,
        show=show,
        asks=asks,
    )


@form_page
def list_hand_in(
    request: HttpRequest, token: str, number: int, entry: str = ""
) -> HttpResponse:
    """Hand in one's list of a round, or as an organiser somebody's; ``?warband=`` shows first what
    would be found.
    """
    owner, event = event_for(request, token)
    if not (entry or event.mine):
        return redirect("event-enter", token)
    record = load_entry(owner, event, entry or event.mine)
    refuse_others(event, record)
    choices = load_choices(owner, event, record)
    # A page shows the warband asked for, or what the entry means to bring. A list that is handed
    # in stands beside the form anyway.
    listed = load_listed_warband(event, record, number)
    brought = "" if listed else record.warband
    warband = _find_offered(choices, request.GET.get("warband", ""), brought)
    form = HandInForm(
        form_data(request), choices=choices, initial={"warband": warband or listed}
    )
    if form.is_valid():
        warband = form.warband_token
    page = load_hand_in(owner, event, record, number, warband)
    if form.is_valid() and "look" not in request.POST:
        with refused(form):
            change = ChangeRequest(owner, event.token)
            lock = round_lists.hand_in_list(change, number, warband, entry=record.token)
            message = f"List handed in: {_describe_list(lock, page.checked)}."
            messages.success(request, message)
            if record.is_mine:
                return redirect("list-hand-in", event.token, number)
            return redirect(lists_url(event.token, number))
    return draw_page(
        request,
        "hand_in",
        event=event,
        entry=record,
        page=page,
        form=form,
        choices=choices,
    )


def _find_offered(choices: Choices, *preferred: str) -> str:
    """Return the first of the preferred warbands that is on offer, "" for none."""
    offered = dict(choices)
    return next((choice for choice in preferred if choice in offered), "")


def _describe_list(lock: ListLock, checked: CheckedList | None) -> str:
    """Return points and errors of a list in words, in what it counts; none where it counts none."""
    sheet = checked.sheet if checked else None
    errors = quantity(lock.errors, "error") if lock.errors else "no errors"
    if sheet and sheet.counts_points:
        return f"{lock.points} {sheet.currency.name}, {errors}"
    return errors


@read_page
def list_read(request: HttpRequest, token: str, number: int, entry: str) -> HttpResponse:
    """Show a list as it was frozen, for those it is shown to."""
    owner, event = event_for(request, token)
    record = load_entry(owner, event, entry)
    lock, sheet = load_shown_sheet(owner, event, number, entry)
    currency = sheet.shown_currency
    rows = [
        RollLine(home="", token="", warrior=unit, badges=(), currency=currency)
        for unit in sheet.warriors
    ]
    return draw_page(
        request,
        "list_read",
        event=event,
        entry=record,
        sheet=sheet,
        list=lock,
        number=number,
        form=CheckForm(),
        stat_names=[stat.key for stat in sheet.stats],
        rows=rows,
    )


@require_safe
def list_sheet(request: HttpRequest, token: str, number: int, entry: str) -> HttpResponse:
    """Return the same on paper. ``?paper=a4|letter``."""
    owner, event = event_for(request, token)
    _, sheet = load_shown_sheet(owner, event, number, entry)
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
        change = ChangeRequest(owner, token)
        round_lists.unlock_list(change, number, entry, is_unlocked=is_unlocked)
        message = "List unlocked. The player can replace it."
        messages.success(request, message if is_unlocked else "List locked.")
    return redirect(lists_url(token, number))


@require_POST
def list_publish(
    request: HttpRequest, token: str, number: int, *, is_shown: bool
) -> HttpResponse:
    """Reveal all lists of the round, or hide them again."""
    owner, event = organised_event_for(request, token)
    change = change_request(request, owner, token)
    with refused_as_message(request):
        asks = "without_lists" not in request.POST
        try:
            round_lists.show_lists(change, number, is_shown=is_shown, asks_for_lists=asks)
        except WrongState as refusal:
            return _draw_lists(request, event, number, asks=refusal.message)
        message = "Lists revealed." if is_shown else "The lists are secret again."
        messages.success(request, message)
    return redirect(lists_url(token, number))


@require_POST
def list_check(request: HttpRequest, token: str, number: int, entry: str) -> HttpResponse:
    """Note that a list is checked, or send it back with a sentence."""
    owner, _ = organised_event_for(request, token)
    form = CheckForm(request.POST)
    # Without a sentence the page with its field is shown again.
    is_sent_back = form["check"].value() == ListCheck.SENT_BACK
    lists = lists_url(token, number)
    address = reverse("list-read", args=[token, number, entry]) if is_sent_back else lists
    with refused_as_message(request):
        if not form.is_valid():
            raise Refusal(form.refusal_words)
        marked = form.cleaned_data
        show = marked.pop("show")
        round_lists.mark_list(ChangeRequest(owner, token), number, entry, **marked)
        messages.success(request, CHECKED[marked["check"]])
        address = f"{lists}&show={show}" if show else lists
    return redirect(address)


CHECKED = {
    ListCheck.NONE: "List not checked any more.",
    ListCheck.CHECKED: "List checked.",
    ListCheck.SENT_BACK: "List sent back. The player is told why.",
}


@require_POST
def list_remind(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Remind whoever has still to hand in a list."""
    owner, _ = organised_event_for(request, token)
    with refused_as_message(request):
        count = round_lists.remind_missing(ChangeRequest(owner, token), number)
        message = f"{quantity(count, 'player')} reminded."
        messages.success(request, message)
    return redirect(lists_url(token, number))


def lists_url(token: str, number: int) -> str:
    """The page of a round's lists."""
    return f"{reverse('event-lists', args=[token])}?round={number}"


@form_page
def waiver_new(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Let a guideline pass for one entry; ``?code=`` names it."""
    owner, event = organised_event_for(request, token)
    record = load_entry(owner, event, entry)
    # What passes already is not offered a second time.
    waived = {waiver.code for waiver in load_waivers(event, record) if waiver.holds}
    effects = [row for row in load_effects(event, record) if row[1].code not in waived]
    code = request.GET.get("code") or next((issue.code for _, issue in effects), "")
    guidelines = guidelines_of(event.load_system())
    form = WaiveForm(form_data(request), guidelines=guidelines, initial={"code": code})
    if form.is_valid():
        change = change_request(request, owner, token, form)
        with refused(form):
            round_lists.waive(change, entry, form.cleaned_data["code"])
            message = "Rule waived. The roster sheet shows it."
            return redirect_with_message(request, message, "entry-read", token, entry)
    return draw_page(
        request, "waive", event=event, entry=record, form=form, effects=effects
    )


@form_page
def waiver_revoke(
    request: HttpRequest, token: str, entry: str, guideline: str
) -> HttpResponse:
    """Take a waiver back; the page says first which issues count again."""
    owner, event = organised_event_for(request, token)
    record = load_entry(owner, event, entry)
    waivers = load_waivers(event, record)
    waiver = next((row for row in waivers if row.holds and row.code == guideline), None)
    if waiver is None:
        raise Http404
    form = ReasonForm(form_data(request))
    if form.is_valid():
        change = change_request(request, owner, token, form)
        with refused(form):
            round_lists.revoke_waiver(change, entry, guideline)
            message = "Waiver withdrawn."
            return redirect_with_message(request, message, "entry-read", token, entry)
    effects = [row for row in load_effects(event, record) if row[1].code == guideline]
    return draw_page(
        request,
        "waive",
        event=event,
        entry=record,
        waiver=waiver,
        form=form,
        effects=effects,
    )
