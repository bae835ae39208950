"""The page of one warband: the builder for its owner, the roster to read for everybody else who may
see it.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.errors import KeyReused, Refusal, Stale
from accounts.forms import LIMIT_STATUSES
from accounts.requests import owner_of, parse_int, read_page, without_robots
from engine.records import Fields
from engine.types.lists import Category
from warbands.exchange.text import head_words
from warbands.hooks import load_uses
from warbands.models import KEY_MAX
from warbands.operations.transaction import ChangeResult
from warbands.operations.warbands import (
    acknowledge_figures,
    restore_version,
    undo_last_change,
    withdraw_acknowledgement,
)
from warbands.operations.warriors import (
    WarriorDraft,
    add_option,
    add_warrior,
    apply_fix,
    change_warrior,
    choose_in_group,
    duplicate_warrior,
    move_warrior,
    remove_option,
    remove_warrior,
    set_leader,
    set_options,
    sort_warriors,
    split_warrior,
    swap_option,
)
from warbands.queries.profile_picker import legal_profiles, load_about, load_picker
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import last_change
from warbands.roster_fields import EDITED_FIELDS
from warbands.views.presenters import (
    army_line,
    open_warriors,
    own_record_for,
    record_for,
    roster_context,
    tell_change,
    write_context,
)

PANES = ("roster", "army")


@read_page
@vary_on_headers("HX-Request")
def warband_read(request: HttpRequest, token: str) -> HttpResponse:
    """The builder, or what a reader sees of it; for htmx the roster as it is now."""
    record = record_for(request, token)
    if request.htmx and record.may_build:  # type: ignore[attr-defined]
        return _draw_parts(request, record, "")
    return without_robots(draw_page(request, record, open_warriors(request)))


@read_page
@vary_on_headers("HX-Request")
def warrior_read(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """The builder with one warrior's options open; for htmx only that warrior's line."""
    record = own_record_for(request, token)
    index = record.index_of(warrior_id)
    # A warrior that was removed meanwhile, or one nobody may change now.
    if index is None or record.archived_at:
        raise Http404
    if not request.htmx:  # type: ignore[attr-defined]
        return without_robots(draw_page(request, record, (warrior_id,)))
    context = roster_context(record, opened=(warrior_id,))
    context["row"] = context["rows"][index]
    return without_robots(render(request, "warbands/builder/row.html", context))


@read_page
def unit_about(request: HttpRequest, token: str) -> HttpResponse:
    """What a profile of the army list carries, can do and may take (``?unit=``).

    A part for htmx, else a page.
    """
    record = own_record_for(request, token)
    entry = load_about(record, request.GET.get("unit", "")[:KEY_MAX])
    context = {"record": record, "about": entry, "system": entry["unit"].system}
    folder = "warbands/builder" if request.htmx else "warbands"  # type: ignore[attr-defined]
    return without_robots(render(request, f"{folder}/about.html", context))


@read_page
def profile_legal(request: HttpRequest, token: str) -> HttpResponse:
    """The keys of the profiles of which one more brings no new error."""
    record = own_record_for(request, token)
    return without_robots(JsonResponse({"profiles": legal_profiles(record)}))


def draw_page(
    request: HttpRequest,
    record: WarbandRecord,
    opened: Iterable[int] = (),
    notice: Fields | None = None,
) -> HttpResponse:
    """The whole page of a warband, with a notice on top where a change was not made."""
    context = roster_context(record, opened=opened, notice=notice)
    context["uses"] = load_uses(owner_of(request), record)
    status = notice["status"] if notice else 200
    # Whoever may not change it reads it, its owner too while it is in the archive or a campaign.
    if not record.may_build:
        context["preview_text"] = head_words(context["sheet"])
        return render(request, "warbands/read.html", context, status=status)
    pane = request.GET.get("pane", "")
    currency = context["sheet"].shown_currency
    # The army list as lines that were drawn, those that nobody may take apart.
    categories: list[Category] = []
    offered: list[str] = []
    not_offered: list[str] = []
    for category, profiles in load_picker(record):
        for profile in profiles:
            lines = offered if profile.is_offered else not_offered
            lines.append(army_line(profile, currency))
        if any(profile.is_offered for profile in profiles):
            categories.append(category)
    context |= {
        "pane": pane if pane in PANES else "roster",
        "categories": categories,
        "offered": offered,
        "kept_back": not_offered,
        "last_change": last_change(record),
    }
    return render(request, "warbands/builder.html", context, status=status)


_MAY_TAKE_AWAY = frozenset({"remove_warrior", "undo_last_change"})
_PLUMBING = frozenset({"csrfmiddlewaretoken", "version", "key", "open"})


def roster_view(change: Callable[..., ChangeResult]) -> Callable[..., HttpResponse]:
    """Make a view that carries out one change and answers with what the roster looks like now.

    ``change`` gets the request, the warband's token and the warrior's id where it is about one.
    """

    @require_POST
    @wraps(change)
    def view(request: HttpRequest, token: str, **place: int) -> HttpResponse:
        try:
            done = change(request, token, **place)
        except Refusal as refusal:
            return _answer_refusal(request, token, refusal)
        if request.htmx:  # type: ignore[attr-defined]
            record = done.record or own_record_for(request, token)
            # The event just written is the head of undo, so its words need no query.
            is_head = done.record is not None and done.record.undo_head == done.version
            undoes = done.summary if done.changed and is_head else None
            return _draw_parts(request, record, done.summary, undoes=undoes)
        tell_change(request, done)
        opened, pane = open_warriors(request), request.POST.get("pane")
        # The one open warrior stays open, unless the change may have taken it off.
        if len(opened) == 1 and done.verb not in _MAY_TAKE_AWAY:
            return redirect("warrior-read", token, opened[0])
        if pane == "army":
            return redirect(f"{redirect('warband-read', token).url}?pane=army")
        return redirect("warband-history" if pane == "history" else "warband-read", token)

    return view


def _plain_view(operation: Callable[..., ChangeResult]) -> Callable[..., HttpResponse]:
    """The view of an operation for which nothing is typed."""

    @wraps(operation)
    def change(request: HttpRequest, token: str, **place: int) -> ChangeResult:
        return operation(write_context(request, token), *place.values())

    return roster_view(change)


def _draw_parts(
    request: HttpRequest,
    record: WarbandRecord,
    message: str,
    *,
    undoes: str | None = None,
    notice: Fields | None = None,
) -> HttpResponse:
    """What htmx puts in the place of the roster, and beside it.

    ``undoes`` is what undo would take back; None where that must be looked up.
    """
    context = roster_context(
        record, opened=open_warriors(request), notice=notice, message=message
    )
    context["last_change"] = last_change(record) if undoes is None else undoes
    status = notice["status"] if notice else 200
    return without_robots(
        render(request, "warbands/builder/parts.html", context, status=status)
    )


_LABELS = {
    "count": "How many",
    "name": "Name",
    "note": "Note",
    "lore": "Lore",
    "profile": "Profile",
    "to": "Move",
}


def _answer_refusal(request: HttpRequest, token: str, refusal: Refusal) -> HttpResponse:
    """The newest state of the roster, with what was sent kept beside it, to be sent again by one
    press.
    """
    is_stale = isinstance(refusal, Stale)
    # As the API answers for the same refusals.
    statuses: dict[type[Refusal], int] = {KeyReused: 422, **LIMIT_STATUSES}
    status = statuses.get(type(refusal), 400)
    if request.htmx and not is_stale:  # type: ignore[attr-defined]
        plain = "text/plain; charset=utf-8"
        return HttpResponse(refusal.message, status=status, content_type=plain)
    sent = request.POST
    notice = {
        "title": "This page is out of date." if is_stale else "Not saved.",
        "sentence": refusal.message,
        "status": 409 if is_stale else status,
        "typed": [(label, sent[name]) for name, label in _LABELS.items() if sent.get(name)],
        "action": request.path,
        "fields": _resent(sent),
    }
    record = own_record_for(request, token)
    if request.htmx:  # type: ignore[attr-defined]
        return _draw_parts(request, record, refusal.message, notice=notice)
    # A warrior that somebody else removed cannot be opened any more.
    opened = [i for i in open_warriors(request) if record.index_of(i) is not None]
    return without_robots(draw_page(request, record, opened, notice))


def _resent(sent: QueryDict) -> list[tuple[str, Any]]:
    """Every field as it was sent, but for those that the page has anew."""
    fields = [(name, values) for name, values in sent.lists() if name not in _PLUMBING]
    return [(name, value) for name, values in fields for value in values]


roster_sort = _plain_view(sort_warriors)
change_undo = _plain_view(undo_last_change)
figures_acknowledge = _plain_view(acknowledge_figures)
figures_withdraw = _plain_view(withdraw_acknowledgement)
warrior_lead = _plain_view(set_leader)
warrior_duplicate = _plain_view(duplicate_warrior)
warrior_split = _plain_view(split_warrior)
warrior_remove = _plain_view(remove_warrior)


@roster_view
def version_restore(request: HttpRequest, token: str) -> ChangeResult:
    """The roster as it was at the version ``to``."""
    number = parse_int(request.POST.get("to"), "to")
    return restore_version(write_context(request, token), number)


@roster_view
def warrior_add(request: HttpRequest, token: str) -> ChangeResult:
    """Another one of the army list's profile ``profile``: troops join those just like them."""
    wanted = WarriorDraft(request.POST.get("profile", ""))
    return add_warrior(write_context(request, token), wanted, joins=True)


@roster_view
def warrior_count(request: HttpRequest, token: str, warrior_id: int) -> ChangeResult:
    """How many of them there are; none takes the entry off the roster."""
    count = parse_int(request.POST.get("count"), "count", 0, 10_000)
    context = write_context(request, token)
    if count == 0:
        return remove_warrior(context, warrior_id)
    return change_warrior(context, warrior_id, count=count)


@roster_view
def warrior_change(request: HttpRequest, token: str, warrior_id: int) -> ChangeResult:
    """Name, note, lore and so on: those that were sent."""
    values: dict[str, str | int] = {}
    for name, field in EDITED_FIELDS.items():
        if name not in request.POST:
            continue
        text = request.POST[name]
        if field.form == "count":
            values[name] = parse_int(text, name)
        else:
            # A flag's box follows an empty field of its name.
            values[name] = bool(text) if field.form == "flag" else text
    return change_warrior(write_context(request, token), warrior_id, **values)


@roster_view
def warrior_options(request: HttpRequest, token: str, warrior_id: int) -> ChangeResult:
    """What one warrior has bought: one choice that was just made, or everything as the form shows
    it.
    """
    sent, context = request.POST, write_context(request, token)
    if "group" in sent:
        return choose_in_group(context, warrior_id, sent["group"], sent.get("option", ""))
    if "take" in sent:
        return add_option(context, warrior_id, sent["take"])
    if "leave" in sent:
        return remove_option(context, warrior_id, sent["leave"])
    pieces: dict[str, int] = dict.fromkeys(filter(None, sent.getlist("kept")), 1)
    for name, values in sent.lists():
        if name.startswith(f"c{warrior_id}-"):
            pieces.update(dict.fromkeys(filter(None, values), 1))
        # An empty number field is none of that piece.
        elif name.startswith(f"n{warrior_id}-"):
            key = name.partition("-")[2]
            pieces[key] = parse_int(values[-1] or "0", key[:100], 0, 100)
    options = [key for key, times in pieces.items() for _ in range(times)]
    return set_options(context, warrior_id, options)


@roster_view
def warrior_swap(request: HttpRequest, token: str, warrior_id: int) -> ChangeResult:
    """Take one option off and another in its place: ``swap`` holds both keys with a blank between."""
    option, _, instead = request.POST.get("swap", "").partition(" ")
    if not option or not instead:
        raise BadRequest(
            "“swap” must hold two option keys, the one to take off and the one to take instead."
        )
    return swap_option(write_context(request, token), warrior_id, option, instead)


@roster_view
def warrior_move(request: HttpRequest, token: str, warrior_id: int) -> ChangeResult:
    """One line up or down."""
    to = request.POST.get("to")
    if to not in ("up", "down"):
        raise BadRequest("“to” must be up or down.")
    return move_warrior(write_context(request, token), warrior_id, to)


@roster_view
def finding_fix(request: HttpRequest, token: str) -> ChangeResult:
    """A finding's own remedy."""
    sent = request.POST.dict()
    warrior, value = (
        parse_int(sent[name], name) if sent.get(name) else None
        for name in ("warrior", "value")
    )
    options = {name: sent.get(name, "") for name in ("option", "instead")}
    context = write_context(request, token)
    return apply_fix(context, sent.get("action", ""), warrior, value, **options)
