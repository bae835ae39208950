"""Rounds: all of them, one of them, and its steps from drawn to closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.errors import NotAllowed, Refusal, Stale
from accounts.owner import Owner
from accounts.requests import (
    TellRefusal,
    form_data,
    owner_of,
    record_or_404,
    refused,
    refused_as_message,
    request_key,
    version_seen,
    without_robots,
)
from campaigns.forms.rounds import DrawForm, GuestForm, RoundForm
from campaigns.operations import pairing, rounds
from campaigns.operations import schedule as planning
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import RoundDraw
from campaigns.operations.rounds import RoundDraft
from campaigns.queries.rounds import RoundPage, load_round, load_schedule
from campaigns.views.requests import organised_event_for
from warbands import rulebook
from warbands.views.presenters import page_key

Change = Callable[[Owner], str]
"""Makes a change and says in a few words what was done."""


def round_for(request: HttpRequest, token: str, number: int) -> tuple[Owner, RoundPage]:
    """Who asks and the round they may see; raises Http404 for everybody else."""
    return record_or_404(load_round, request, token, number)


def organised_round_for(request: HttpRequest, token: str, number: int) -> tuple[Owner, RoundPage]:
    """The same for those who run it; a 403 for those who may only read."""
    owner, page = round_for(request, token, number)
    if not page.event.may_organise:
        raise PermissionDenied
    return owner, page


def offered_scenarios(owner: Owner, page: RoundPage) -> list[tuple[str, str]]:
    """The scenarios a game may be over: those of the pool first, then whatever else the organiser
    is offered.
    """
    known = dict(rulebook.offered_scenarios(owner, page.event.system))
    pool = page.round.scenarios or page.event.scenarios
    first = [(key, known[key]) for key in pool if key in known]
    return [*first, *((key, name) for key, name in known.items() if key not in pool)]


def draw_page(
    request: HttpRequest,
    page: RoundPage,
    *,
    notice: str = "",
    said: str = "",
    guest_form: GuestForm | None = None,
    only_pairs: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The round's page; for htmx the part that changed (``only_pairs``: without the ticks, which
    stay as they are).
    """
    context: dict[str, Any] = {
        "page": page,
        "event": page.event,
        "notice": notice,
        "said": said,
        "guest_form": guest_form or GuestForm(),
        "draw_form": DrawForm(initial={"seed": page.round.seed}),
        "key": request.POST.get("key") if guest_form else page_key(),
    }
    name = "round"
    if request.htmx:  # type: ignore[attr-defined]
        name = "fixture_rows_page" if only_pairs else "round_body"
    return without_robots(render(request, f"campaigns/{name}.html", context, status=status))


def change_round_page(
    request: HttpRequest, token: str, number: int, change: Change, *, only_pairs: bool = False
) -> HttpResponse:
    """Make a change, then show the round as it is now; what was not done is told on top of it."""
    said = ""
    refusals: list[Refusal] = []
    with TellRefusal(refusals.append, passing=NotAllowed):
        said = change(owner_of(request))
    if refusals:
        return _refused_page(request, token, number, refusals[0])
    if request.htmx:  # type: ignore[attr-defined]
        return draw_page(
            request, round_for(request, token, number)[1], said=said, only_pairs=only_pairs
        )
    if said:
        messages.success(request, said)
    return redirect("round-read", token, number)


def _refused_page(request: HttpRequest, token: str, number: int, refusal: Refusal) -> HttpResponse:
    """The round as it is now, with why it was not changed."""
    status = 409 if isinstance(refusal, Stale) else 422
    page = round_for(request, token, number)[1]
    return draw_page(request, page, notice=refusal.message, status=status)


TOKENS_MAX = 200


@require_POST
def round_present(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Tick who is here.

    A single tick (``one``) stands for itself; a whole form for what changed since ``was``.
    """
    here, was = set(request.POST.getlist("here")), set(request.POST.getlist("was"))
    one = request.POST.get("one", "")
    changed = {one} if one else here ^ was
    wanted = {name: name in here for name in sorted(changed)[:TOKENS_MAX]}

    def tick(owner: Owner) -> str:
        rounds.set_present(ChangeRequest(owner, token), number, wanted)
        return ""

    return change_round_page(request, token, number, tick, only_pairs=bool(one))


@require_POST
def round_check_in(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """A player says whether they are here."""
    is_here = request.POST.get("away") != "1"

    def say(owner: Owner) -> str:
        rounds.check_in(ChangeRequest(owner, token), number, is_here=is_here)
        return "You are ticked as here." if is_here else "You are ticked as away."

    return change_round_page(request, token, number, say)


@require_POST
def round_guest(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """A guest, entered and here."""
    owner, page = organised_round_for(request, token, number)
    form = GuestForm(request.POST)
    if form.is_valid():
        name = form.cleaned_data["name"]
        with refused(form):
            rounds.add_guest(ChangeRequest(owner, token, key=request_key(request)), number, name)
        if form.is_valid():
            return change_round_page(request, token, number, lambda _: f"{name} is here.")
    return draw_page(request, page, guest_form=form, status=422)


STEPS = {
    "publish": (rounds.publish_round, "Published. Everybody sees it now."),
    "close": (rounds.close_round, "Closed."),
    "reopen": (rounds.reopen_round, "Open again."),
    "withdraw": (rounds.withdraw_round, "Taken back."),
}


@require_safe
@never_cache
def round_list(request: HttpRequest, token: str) -> HttpResponse:
    """Every round with its games; of a round robin the whole schedule in advance."""
    _, schedule = record_or_404(load_schedule, request, token)
    context = {"schedule": schedule, "event": schedule.event}
    return without_robots(render(request, "campaigns/rounds.html", context))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def round_new(request: HttpRequest, token: str) -> HttpResponse:
    """One more round."""
    owner, event = organised_event_for(request, token)
    form = RoundForm(
        form_data(request),
        event=event,
        offered=rulebook.offered_scenarios(owner, event.system),
    )
    if request.method == "POST" and form.is_valid():
        with refused(form):
            asked = ChangeRequest(owner, token, version_seen(request))
            number = rounds.add_round(asked, RoundDraft(**form.operation_kwargs()))
            return redirect("round-read", token, number)
    context = {"event": event, "form": form, "line": None}
    return without_robots(render(request, "campaigns/round_form.html", context, status=form.status))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def round_edit(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """What a round is called and agrees on."""
    owner, page = organised_round_for(request, token, number)
    offered = rulebook.offered_scenarios(owner, page.event.system)
    form = RoundForm(
        form_data(request),
        event=page.event,
        offered=offered,
        line=page.round,
    )
    if request.method == "POST" and form.is_valid():
        with refused(form):
            reason = form.cleaned_data.get("reason", "")
            asked = ChangeRequest(owner, token, version_seen(request), reason)
            rounds.change_round(asked, number, RoundDraft(**form.operation_kwargs()))
            messages.success(request, "Changed.")
            return redirect("round-read", token, number)
    context = {"event": page.event, "form": form, "line": page.round, "page": page}
    return without_robots(render(request, "campaigns/round_form.html", context, status=form.status))


@require_POST
def round_remove(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Take the last round away."""
    refusals: list[Refusal] = []
    with TellRefusal(refusals.append, passing=NotAllowed):
        rounds.remove_round(
            ChangeRequest(owner_of(request), token, expected=version_seen(request)), number
        )
        messages.success(request, f"Round {number} is taken away.")
        return redirect("round-list", token)
    return _refused_page(request, token, number, refusals[0])


@require_POST
def rounds_plan(request: HttpRequest, token: str) -> HttpResponse:
    """The whole schedule of a round robin, planned or planned anew."""
    with refused_as_message(request, passing=NotAllowed):
        done = planning.plan_rounds(
            ChangeRequest(owner_of(request), token, expected=version_seen(request))
        )
        messages.success(request, f"{done.rounds} rounds are planned.")
    return redirect("round-list", token)


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def round_read(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """A round: for organisers the club night screen, for players what is published, their own game
    first.
    """
    return draw_page(request, round_for(request, token, number)[1])


@require_POST
def round_draw(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Pair a round, or pair it again."""
    form = DrawForm(request.POST)
    seed, seen = (form.cleaned_data["seed"] if form.is_valid() else ""), version_seen(request)

    def draw(owner: Owner) -> str:
        if not form.is_valid():
            raise Refusal(str(form.errors["seed"][0]), field="seed")
        return _told(
            pairing.draw_round(ChangeRequest(owner, token, expected=seen), number, seed=seed)
        )

    return change_round_page(request, token, number, draw)


@require_POST
def round_late(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Pair who came late in a published round."""
    seen = version_seen(request)

    def pair(owner: Owner) -> str:
        return _told(pairing.pair_late(ChangeRequest(owner, token, expected=seen), number))

    return change_round_page(request, token, number, pair)


@require_POST
def round_step(request: HttpRequest, token: str, number: int, verb: str) -> HttpResponse:
    """Publish, close, open again, take back."""
    do, said = STEPS[verb]
    seen = version_seen(request)

    def step(owner: Owner) -> str:
        do(ChangeRequest(owner, token, seen), number)
        return said

    return change_round_page(request, token, number, step)


def _told(drawn: RoundDraw) -> str:
    """What a draw came to, in a sentence."""
    parts: list[Any] = [f"{drawn.pairs} game{'' if drawn.pairs == 1 else 's'}"]
    if drawn.byes:
        parts.append("1 sits out" if drawn.byes == 1 else f"{drawn.byes} sit out")
    parts.append("no rematch" if not drawn.rematches else f"{drawn.rematches} met before")
    return f"Paired: {', '.join(parts)}."
