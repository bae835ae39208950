"""The page of one warband: the builder for its owner, the roster to read for everybody else who may
see it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Literal

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.errors import KeyReused, Refusal, Stale
from accounts.owner import Owner
from accounts.requests import owner_of, parse_int, without_robots
from warbands.operations.options import (
    add_option,
    apply_fix,
    choose_in_group,
    remove_option,
    set_options,
    swap_option,
)
from warbands.operations.transaction import UNSET, ChangeResult
from warbands.operations.warbands import undo_last_change
from warbands.operations.warriors import (
    add_warrior,
    change_warrior,
    duplicate_warrior,
    move_warrior,
    remove_warrior,
    set_leader,
    sort_warriors,
    split_warrior,
)
from warbands.queries.profile_picker import load_picker
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import last_change, load_warband
from warbands.views.presenters import ChangeNotice, army_line, roster_context
from warbands.views.requests import expected_kwargs, open_warriors, own_record_for, record_for

PANES = ("roster", "army")


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def warband_read(request: HttpRequest, token: str) -> HttpResponse:
    """The builder, or what a reader sees of it."""
    _, record = record_for(request, token)
    return without_robots(draw_page(request, record, open_warriors(request)))


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def warrior_read(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """The builder with one warrior's options open; for htmx only that warrior's line (``?fold=1``:
    closed again).
    """
    _, record = own_record_for(request, token)
    if record.index_of(warrior_id) is None or record.archived_at:
        raise Http404
    if not request.htmx:  # type: ignore[attr-defined]
        return without_robots(draw_page(request, record, (warrior_id,)))
    shown = () if request.GET.get("fold") else (warrior_id,)
    context = roster_context(request, record, opened=shown)
    row = next(row for row in context["rows"] if row.warrior.id == warrior_id)
    return without_robots(render(request, "warbands/builder/row.html", {**context, "row": row}))


def draw_page(
    request: HttpRequest,
    record: WarbandRecord,
    shown: Iterable[int] = (),
    *,
    notice: ChangeNotice | None = None,
    status: int = 200,
) -> HttpResponse:
    """The whole page of a warband, with a notice on top where a change was not made."""
    context: dict[str, Any] = roster_context(request, record, opened=shown, notice=notice)
    if not record.may_change or record.archived_at:
        return render(request, "warbands/read.html", context, status=status)
    pane = request.GET.get("pane", "")
    context |= {
        "pane": pane if pane in PANES else "roster",
        **_army_list(record, is_priced=context["sheet"].shows_points),
        "last_change": last_change(record),
        "left": context["sheet"].left,
    }
    return render(request, "warbands/builder.html", context, status=status)


def _army_list(record: WarbandRecord, *, is_priced: bool) -> dict[str, Any]:
    """The army list as lines that were drawn, those that nobody may take apart."""
    categories = load_picker(record)
    profiles = list(chain.from_iterable(category.profiles for category in categories))
    offered = [one for one in profiles if one.is_offered]
    kept_back = [one for one in profiles if not one.is_offered]
    return {
        "categories": [one for one in categories if any(p.is_offered for p in one.profiles)],
        "offered": [army_line(one, is_priced) for one in offered],
        "kept_back": [army_line(one, is_priced) for one in kept_back],
    }


Change = Callable[[Owner, dict[str, Any]], ChangeResult]

_DIRECTIONS: dict[str, Literal["up", "down"]] = {"up": "up", "down": "down"}
_MAY_TAKE_AWAY = frozenset({"remove_warrior", "undo_last_change"})
_PLUMBING = frozenset({"csrfmiddlewaretoken", "version", "key", "open"})


def make_change(request: HttpRequest, token: str, change: Change) -> HttpResponse:
    """Carry out one change of the roster and answer with what it looks like now."""
    actor = owner_of(request)
    try:
        done = change(actor, expected_kwargs(request))
    except Refusal as refusal:
        return _refused(request, token, refusal)
    return _done(request, token, done)


def _refused(request: HttpRequest, token: str, refusal: Refusal) -> HttpResponse:
    """Why it was not done: a line of text for htmx, else the page with a notice.

    What came too late is told with the newest roster in both cases.
    """
    if isinstance(refusal, Stale):
        return _not_done(request, token, 409, "Somebody was quicker.", refusal.message)
    status = 422 if isinstance(refusal, KeyReused) else 400
    if request.htmx:  # type: ignore[attr-defined]
        plain = "text/plain; charset=utf-8"
        return HttpResponse(refusal.message, status=status, content_type=plain)
    return _not_done(request, token, status, "That was not done.", refusal.message)


def _done(request: HttpRequest, token: str, done: ChangeResult) -> HttpResponse:
    shown = open_warriors(request)
    if request.htmx:  # type: ignore[attr-defined]
        return _parts(
            request, done.record or _newest(request, token), said=done.summary, undoes=_undoes(done)
        )
    if done.changed and not done.is_repeat:
        messages.success(request, done.summary)
    if len(shown) == 1 and done.verb not in _MAY_TAKE_AWAY:
        return redirect("warrior-read", token, shown[0])
    if request.POST.get("pane") == "army":
        return redirect(f"{redirect('warband-read', token).url}?pane=army")
    if request.POST.get("pane") == "history":
        return redirect("warband-history", token)
    return redirect("warband-read", token)


def _undoes(done: ChangeResult) -> str | None:
    """What undo would take back after this change: the change itself; None where that must be
    looked up.
    """
    is_head = done.record is not None and done.record.undo_head == done.version
    return done.summary if done.changed and is_head else None


def _newest(request: HttpRequest, token: str) -> WarbandRecord:
    record = load_warband(owner_of(request), token)
    if record is None or not record.may_change:
        raise Http404
    return record


def _parts(
    request: HttpRequest,
    record: WarbandRecord,
    *,
    said: str = "",
    undoes: str | None = None,
    notice: ChangeNotice | None = None,
    status: int = 200,
) -> HttpResponse:
    context = roster_context(
        request, record, opened=open_warriors(request), notice=notice, said=said
    )
    last = last_change(record) if undoes is None else undoes
    context |= {"last_change": last, "left": context["sheet"].left}
    return without_robots(render(request, "warbands/builder/parts.html", context, status=status))


def _not_done(
    request: HttpRequest, token: str, status: int, title: str, sentence: str
) -> HttpResponse:
    """The newest state of the roster, with what was sent kept beside it, to be sent again by one
    press.
    """
    notice = ChangeNotice(title, sentence, _typed(request), request.path, _resend(request))
    record = _newest(request, token)
    if request.htmx:  # type: ignore[attr-defined]
        return _parts(request, record, notice=notice, status=status, said=sentence)
    known = tuple(i for i in open_warriors(request) if record.index_of(i) is not None)
    return without_robots(draw_page(request, record, known, notice=notice, status=status))


_LABELS = {
    "count": "How many",
    "name": "Name",
    "note": "Note",
    "lore": "Lore",
    "profile": "Profile",
    "to": "Move",
}


def _typed(request: HttpRequest) -> tuple[tuple[str, str], ...]:
    """What a person chose or wrote, in words."""
    return tuple(
        (label, request.POST[name]) for name, label in _LABELS.items() if request.POST.get(name)
    )


def _resend(request: HttpRequest) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, value)
        for name, values in request.POST.lists()
        if name not in _PLUMBING
        for value in values
    )


@require_POST
def warrior_add(request: HttpRequest, token: str) -> HttpResponse:
    """Another one of the army list's profile ``profile``: troops join those just like them."""
    profile = request.POST.get("profile", "")
    return make_change(
        request,
        token,
        lambda actor, common: add_warrior(actor, token, profile, joins=True, **common),
    )


@require_POST
def warrior_count(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """How many of them there are; none takes the entry off the roster."""
    count = parse_int(request.POST.get("count"), "count", 0, 10_000)

    def change(actor: Owner, common: dict[str, Any]) -> ChangeResult:
        if count == 0:
            return remove_warrior(actor, token, warrior_id, **common)
        return change_warrior(actor, token, warrior_id, count=count, **common)

    return make_change(request, token, change)


@require_POST
def warrior_change(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """Name, note and lore: those that were sent."""
    given: dict[str, Any] = {
        field: request.POST.get(field, UNSET) for field in ("name", "note", "lore")
    }
    return make_change(
        request,
        token,
        lambda actor, common: change_warrior(actor, token, warrior_id, **given, **common),
    )


@require_POST
def warrior_options(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """What one warrior has bought: one choice that was just made, or everything as the form shows
    it.
    """
    sent = request.POST

    def change(actor: Owner, common: dict[str, Any]) -> ChangeResult:
        if "group" in sent:
            chosen = sent.get("option", "")
            return choose_in_group(actor, token, warrior_id, sent["group"], chosen, **common)
        if "take" in sent:
            return add_option(actor, token, warrior_id, sent["take"], **common)
        if "leave" in sent:
            return remove_option(actor, token, warrior_id, sent["leave"], **common)
        return set_options(actor, token, warrior_id, _options_sent(request, warrior_id), **common)

    return make_change(request, token, change)


def _options_sent(request: HttpRequest, warrior_id: int) -> list[str]:
    """Option keys: ticked boxes and chosen radios (``c…``), pieces (``n…-key``), and what the form
    only kept.
    """
    found: dict[str, int] = dict.fromkeys(filter(None, request.POST.getlist("kept")), 1)
    for name, values in request.POST.lists():
        if name.startswith(f"c{warrior_id}-"):
            found.update(dict.fromkeys(filter(None, values), 1))
        elif name.startswith(f"n{warrior_id}-"):
            key = name.partition("-")[2]
            found[key] = parse_int(values[-1] or "0", key[:100], 0, 100)
    return [key for key, times in found.items() for _ in range(times)]


@require_POST
def warrior_swap(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """Take one option off and another in its place: ``swap`` holds both keys with a blank between."""
    taken, _, instead = request.POST.get("swap", "").partition(" ")
    if not taken or not instead:
        raise BadRequest(
            "“swap” must hold two option keys, the one to take off and the one to take instead."
        )
    return make_change(
        request,
        token,
        lambda actor, common: swap_option(actor, token, warrior_id, taken, instead, **common),
    )


@require_POST
def warrior_lead(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """This warrior leads, and nobody else."""
    return make_change(
        request,
        token,
        lambda actor, common: set_leader(actor, token, warrior_id, **common),
    )


@require_POST
def warrior_move(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """One line up or down."""
    to = _DIRECTIONS.get(request.POST.get("to", ""))
    if to is None:
        raise BadRequest("“to” must be up or down.")
    return make_change(
        request,
        token,
        lambda actor, common: move_warrior(actor, token, warrior_id, to, **common),
    )


@require_POST
def warrior_duplicate(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """The same entry once more."""
    return make_change(
        request,
        token,
        lambda actor, common: duplicate_warrior(actor, token, warrior_id, **common),
    )


@require_POST
def warrior_split(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """One miniature out of several, to be named and equipped alone."""
    return make_change(
        request,
        token,
        lambda actor, common: split_warrior(actor, token, warrior_id, **common),
    )


@require_POST
def warrior_remove(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """Off the roster; undo brings it back."""
    return make_change(
        request,
        token,
        lambda actor, common: remove_warrior(actor, token, warrior_id, **common),
    )


@require_POST
def roster_sort(request: HttpRequest, token: str) -> HttpResponse:
    """Leader first, then lords and heroes, then the rest."""
    return make_change(request, token, lambda actor, common: sort_warriors(actor, token, **common))


@require_POST
def change_undo(request: HttpRequest, token: str) -> HttpResponse:
    """One change back."""
    return make_change(
        request, token, lambda actor, common: undo_last_change(actor, token, **common)
    )


@require_POST
def finding_fix(request: HttpRequest, token: str) -> HttpResponse:
    """A finding's own remedy."""
    sent = request.POST
    given: dict[str, Any] = {name: sent.get(name, "") for name in ("action", "option", "instead")}
    given["warrior_id"] = (
        parse_int(sent["warrior"], "warrior", 0, 10**9 - 1) if sent.get("warrior") else None
    )
    given["value"] = parse_int(sent["value"], "value", 0, 10**9 - 1) if sent.get("value") else None
    return make_change(
        request, token, lambda actor, common: apply_fix(actor, token, **given, **common)
    )
