"""Rounds: all of them, one of them, and its steps from drawn to closed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.owner import Owner
from accounts.owners import owner_of, version_seen, without_robots
from campaigns.errors import NotAllowed, NotFound, Refusal, StaleEvent
from campaigns.forms.events.rounds import DrawForm, RoundForm
from campaigns.operations.events import drawing, planning, rounds
from campaigns.operations.events.drawing import RoundDraw
from campaigns.queries.events.rounds import load_schedule
from campaigns.views.events.asking import organised_event_for
from campaigns.views.events.round_parts import (
    change_round_page,
    draw_page,
    organised_round_for,
    round_for,
)
from warbands import scenarios

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
    schedule = load_schedule(owner_of(request), token)
    if schedule is None:
        raise Http404
    context = {"schedule": schedule, "event": schedule.event}
    return without_robots(render(request, "campaigns/events/rounds.html", context))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def round_new(request: HttpRequest, token: str) -> HttpResponse:
    """One more round."""
    owner, event = organised_event_for(request, token)
    form = RoundForm(
        request.POST if request.method == "POST" else None,
        event=event,
        offered=scenarios.offered_scenarios(owner, event.system),
    )
    status = 200
    if request.method == "POST":
        status = 422
        try:
            if form.is_valid():
                number = rounds.add_round(
                    owner, token, **form.operation_kwargs(), expected=version_seen(request)
                )
                return redirect("round-read", token, number)
        except StaleEvent as stale:
            form.add_error(None, stale.message)
            status = 409
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {"event": event, "form": form, "line": None}
    return without_robots(
        render(request, "campaigns/events/round_form.html", context, status=status)
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def round_edit(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """What a round is called and agrees on."""
    owner, page = organised_round_for(request, token, number)
    offered = scenarios.offered_scenarios(owner, page.event.system)
    form = RoundForm(
        request.POST if request.method == "POST" else None,
        event=page.event,
        offered=offered,
        line=page.round,
    )
    status = 200
    if request.method == "POST":
        status = 422
        try:
            if form.is_valid():
                rounds.change_round(
                    owner, token, number, **form.operation_kwargs(), expected=version_seen(request)
                )
                messages.success(request, "Changed.")
                return redirect("round-read", token, number)
        except StaleEvent as stale:
            form.add_error(None, stale.message)
            status = 409
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {"event": page.event, "form": form, "line": page.round, "page": page}
    return without_robots(
        render(request, "campaigns/events/round_form.html", context, status=status)
    )


@require_POST
def round_remove(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Take the last round away."""

    try:
        rounds.remove_round(owner_of(request), token, number, expected=version_seen(request))
    except NotFound:
        raise Http404 from None
    except NotAllowed as refusal:
        raise PermissionDenied from refusal
    except (Refusal, StaleEvent) as refusal:
        page = round_for(request, token, number)[1]
        status = 409 if isinstance(refusal, StaleEvent) else 422
        return draw_page(request, page, notice=refusal.message, status=status)
    messages.success(request, f"Round {number} is taken away.")
    return redirect("round-list", token)


@require_POST
def rounds_plan(request: HttpRequest, token: str) -> HttpResponse:
    """The whole schedule of a round robin, planned or planned anew."""
    try:
        done = planning.plan_rounds(owner_of(request), token, expected=version_seen(request))
        messages.success(request, f"{done.rounds} rounds are planned.")
    except NotFound:
        raise Http404 from None
    except NotAllowed as refusal:
        raise PermissionDenied from refusal
    except (Refusal, StaleEvent) as refusal:
        messages.error(request, refusal.message)
    return redirect("round-list", token)


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def round_read(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """A round: for organisers the club night screen, for players what is published, their own game first."""
    return draw_page(request, round_for(request, token, number)[1])


@require_POST
def round_draw(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Pair a round, or pair it again."""
    form = DrawForm(request.POST)
    seed, seen = (form.cleaned_data["seed"] if form.is_valid() else ""), version_seen(request)

    def draw(owner: Owner) -> str:
        if not form.is_valid():
            raise Refusal(str(form.errors["seed"][0]), field="seed")
        return _told(drawing.draw_round(owner, token, number, seed=seed, expected=seen))

    return change_round_page(request, token, number, draw)


@require_POST
def round_late(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Pair who came late in a published round."""
    seen = version_seen(request)

    def pair(owner: Owner) -> str:
        return _told(drawing.pair_late(owner, token, number, expected=seen))

    return change_round_page(request, token, number, pair)


@require_POST
def round_step(request: HttpRequest, token: str, number: int, verb: str) -> HttpResponse:
    """Publish, close, open again, take back."""
    do, said = STEPS[verb]
    seen = version_seen(request)

    def step(owner: Owner) -> str:
        do(owner, token, number, expected=seen)
        return said

    return change_round_page(request, token, number, step)


def _told(drawn: RoundDraw) -> str:
    """What a draw came to, in a sentence."""
    parts: list[Any] = [f"{drawn.pairs} game{'' if drawn.pairs == 1 else 's'}"]
    if drawn.byes:
        parts.append("1 sits out" if drawn.byes == 1 else f"{drawn.byes} sit out")
    parts.append("no rematch" if not drawn.rematches else f"{drawn.rematches} met before")
    return f"Paired: {', '.join(parts)}."
