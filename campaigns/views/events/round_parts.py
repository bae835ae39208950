"""The page of a round, whole or as the part htmx swaps, and how every change of one is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.owner import Owner
from accounts.owners import owner_of, without_robots
from campaigns.errors import KeyReused, NotAllowed, NotFound, Refusal, StaleEvent
from campaigns.forms.events.rounds import DrawForm, GuestForm
from campaigns.queries.events.round_records import RoundPage
from campaigns.queries.events.rounds import load_round
from warbands import scenarios
from warbands.views.drawing import page_key

Change = Callable[[Owner], str]
"""Makes a change and says in a few words what was done."""


def round_for(request: HttpRequest, token: str, number: int) -> tuple[Owner, RoundPage]:
    """Who asks and the round they may see; raises Http404 for everybody else."""
    owner = owner_of(request)
    page = load_round(owner, token, number)
    if page is None:
        raise Http404
    return owner, page


def organised_round_for(request: HttpRequest, token: str, number: int) -> tuple[Owner, RoundPage]:
    """The same for those who run it; a 403 for those who may only read."""
    owner, page = round_for(request, token, number)
    if not page.event.may_organise:
        raise PermissionDenied
    return owner, page


def offered_scenarios(owner: Owner, page: RoundPage) -> list[tuple[str, str]]:
    """The scenarios a game may be over: those of the pool first, then whatever else the organiser is offered."""
    known = dict(scenarios.offered_scenarios(owner, page.event.system))
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
    """The round's page; for htmx the part that changed (``only_pairs``: without the ticks, which stay as they are)."""
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
        name = "pairs_alone" if only_pairs else "night"
    return without_robots(render(request, f"campaigns/events/{name}.html", context, status=status))


def change_round_page(
    request: HttpRequest, token: str, number: int, change: Change, *, only_pairs: bool = False
) -> HttpResponse:
    """Make a change, then show the round as it is now; what was not done is told on top of it."""
    try:
        said = change(owner_of(request))
    except NotFound:
        raise Http404 from None
    except NotAllowed as refusal:
        raise PermissionDenied from refusal
    except StaleEvent as stale:
        return draw_page(
            request, round_for(request, token, number)[1], notice=stale.message, status=409
        )
    except (Refusal, KeyReused) as refusal:
        return draw_page(
            request, round_for(request, token, number)[1], notice=refusal.message, status=422
        )
    if request.htmx:  # type: ignore[attr-defined]
        return draw_page(
            request, round_for(request, token, number)[1], said=said, only_pairs=only_pairs
        )
    if said:
        messages.success(request, said)
    return redirect("round-read", token, number)
