"""Who is here: ticks of an organiser, a player who says so, a guest who walks in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from accounts.owner import Owner
from accounts.owners import request_key
from campaigns.errors import Refusal
from campaigns.forms.events.rounds import GuestForm
from campaigns.operations.events import presence
from campaigns.views.events.round_parts import change_round_page, draw_page, organised_round_for

TOKENS_MAX = 200


@require_POST
def round_present(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Tick who is here. A single tick (``one``) stands for itself; a whole form for what changed since ``was``."""
    here, was = set(request.POST.getlist("here")), set(request.POST.getlist("was"))
    one = request.POST.get("one", "")
    changed = {one} if one else here ^ was
    wanted = {name: name in here for name in sorted(changed)[:TOKENS_MAX]}

    def tick(owner: Owner) -> str:
        presence.set_present(owner, token, number, wanted)
        return ""

    return change_round_page(request, token, number, tick, only_pairs=bool(one))


@require_POST
def round_check_in(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """A player says whether they are here."""
    is_here = request.POST.get("away") != "1"

    def say(owner: Owner) -> str:
        presence.check_in(owner, token, number, is_here=is_here)
        return "You are ticked as here." if is_here else "You are ticked as away."

    return change_round_page(request, token, number, say)


@require_POST
def round_guest(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """A guest, entered and here."""
    owner, page = organised_round_for(request, token, number)
    form = GuestForm(request.POST)
    if form.is_valid():
        name = form.cleaned_data["name"]
        try:
            presence.add_guest(owner, token, number, name, request_key=request_key(request))
        except Refusal as refusal:
            form.add_refusal(refusal)
        else:
            return change_round_page(request, token, number, lambda _: f"{name} is here.")
    return draw_page(request, page, guest_form=form, status=422)
