"""Rounds: all of them, one of them, and its steps from drawn to closed."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.errors import NotAllowed, Refusal, Stale
from accounts.owner import Owner
from accounts.requests import (
    TellRefusal,
    form_data,
    form_page,
    owner_of,
    read_page,
    record_or_404,
    redirect_with_message,
    refused,
    refused_as_message,
    request_key,
)
from campaigns.forms.rounds import DrawForm, GuestForm, RoundForm
from campaigns.operations import decisions, pairing, rounds
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import RoundDraw
from campaigns.operations.print_all import print_round
from campaigns.operations.rounds import RoundDraft
from campaigns.operations.schedule import plan_rounds
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.rounds import RoundPage, load_round, load_schedule
from campaigns.views.requests import (
    change_request,
    draw_page,
    organised_event_for,
    paper_asked,
)
from engine.records import ChoiceList, Fields
from warbands import rulebook
from warbands.views.presenters import form_key, page_key

Change = Callable[[ChangeRequest], str]
"""Makes a change and says in a few words what was done."""


def round_for(request: HttpRequest, token: str, number: int) -> tuple[Owner, RoundPage]:
    """Return who asks and the round they may see; raises Http404 for everybody else."""
    return record_or_404(load_round, request, token, number)


def organised_round_for(
    request: HttpRequest, token: str, number: int
) -> tuple[Owner, RoundPage]:
    """Return the same for those who run it; raises PermissionDenied for those who only read."""
    owner, page = round_for(request, token, number)
    if not page.event.may_organise:
        raise PermissionDenied
    return owner, page


def offered_scenarios(owner: Owner, page: RoundPage) -> ChoiceList:
    """Return the scenarios on offer for a game, those of the round's or event's pool first."""
    known = dict(rulebook.offered_scenarios(owner, page.event.system))
    # A round may have a pool of its own.
    pool = page.round.scenarios or page.event.scenarios
    first = [(key, known[key]) for key in pool if key in known]
    return [*first, *((key, name) for key, name in known.items() if key not in pool)]


def draw_round(
    request: HttpRequest,
    page: RoundPage,
    *,
    part: str = "round_body",
    status: int = 200,
    **told: Any,
) -> HttpResponse:
    """Draw the round's page, for htmx the ``part`` of it that changed.

    ``told`` is what stands on it besides: ``notice``, ``said`` or a ``guest_form`` to correct.
    """
    context: Fields = {
        "page": page,
        "event": page.event,
        "notice": "",
        "said": "",
        "guest_form": GuestForm(),
        "draw_form": DrawForm(initial={"seed": page.round.seed}),
        "key": page_key(),
        **told,
    }
    name = part if request.htmx else "round"  # type: ignore[attr-defined]
    return draw_page(request, name, status=status, **context)


def change_round_page(
    request: HttpRequest, token: str, number: int, change: Change, part: str = "round_body"
) -> HttpResponse:
    """Make a change, then show the round as it is now; a refusal is told on top of it."""
    said, refusals = "", list[Refusal]()
    with TellRefusal(refusals.append, passing=NotAllowed):
        said = change(change_request(request, owner_of(request), token))
    if refusals:
        return _refused_page(request, token, number, refusals[0])
    if request.htmx:  # type: ignore[attr-defined]
        return draw_round(
            request, round_for(request, token, number)[1], part=part, said=said
        )
    if said:
        messages.success(request, said)
    return redirect("round-read", token, number)


def _refused_page(
    request: HttpRequest, token: str, number: int, refusal: Refusal
) -> HttpResponse:
    """Draw the round as it is now, with why it was not changed."""
    status = 409 if isinstance(refusal, Stale) else 422
    page = round_for(request, token, number)[1]
    return draw_round(request, page, notice=refusal.message, status=status)


TOKENS_MAX = 200


@require_POST
def round_present(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Tick who is here.

    A single tick (``one``) stands for itself; a whole form for what changed since ``was``.
    """
    here, was = set(request.POST.getlist("here")), set(request.POST.getlist("was"))
    one = request.POST.get("one", "")
    # Who ticked at the same time elsewhere is left alone: only what changed here is sent on.
    changed = {one} if one else here ^ was
    wanted = {name: name in here for name in sorted(changed)[:TOKENS_MAX]}

    def tick(asked: ChangeRequest) -> str:
        rounds.set_present(asked, number, wanted)
        return ""

    # A single tick is shown in the browser already: only the pairs are drawn anew.
    part = "fixture_rows_page" if one else "round_body"
    return change_round_page(request, token, number, tick, part)


@require_POST
def round_check_in(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Note whether a player says that they are here."""
    is_here = request.POST.get("away") != "1"

    def say(asked: ChangeRequest) -> str:
        rounds.check_in(asked, number, is_here=is_here)
        return "You are marked as here." if is_here else "You are marked as away."

    return change_round_page(request, token, number, say)


@require_POST
def round_guest(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Enter a guest who is here."""
    owner, page = organised_round_for(request, token, number)
    form = GuestForm(request.POST)
    if form.is_valid():
        name = form.cleaned_data["name"]
        with refused(form):
            rounds.add_guest(
                ChangeRequest(owner, token, key=request_key(request)), number, name
            )
        if form.is_valid():
            return change_round_page(request, token, number, lambda _: f"{name} is here.")
    # The same key again, for what is corrected is the same change.
    return draw_round(request, page, guest_form=form, key=form_key(request), status=422)


STEPS: dict[str, tuple[Callable[..., None], str]] = {
    "publish": (
        rounds.publish_round,
        "Pairings published. Everyone who can see the event sees them.",
    ),
    "close": (rounds.close_round, "Round closed."),
    "reopen": (rounds.reopen_round, "Round reopened."),
    "withdraw": (rounds.withdraw_round, "Pairings unpublished or discarded."),
}


@read_page
def round_list(request: HttpRequest, token: str) -> HttpResponse:
    """Show every round with its games; of a round robin the whole schedule in advance."""
    _, schedule = record_or_404(load_schedule, request, token)
    return draw_page(request, "rounds", schedule=schedule, event=schedule.event)


@form_page
def round_new(request: HttpRequest, token: str) -> HttpResponse:
    """Plan one more round."""
    owner, event = organised_event_for(request, token)
    return _edit_round(request, owner, event, None)


@form_page
def round_edit(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Change what a round is called and agrees on."""
    owner, page = organised_round_for(request, token, number)
    return _edit_round(request, owner, page.event, page)


def _edit_round(
    request: HttpRequest, owner: Owner, event: ClubEventRecord, page: RoundPage | None
) -> HttpResponse:
    """Draw or keep the form of a round; ``page`` None is a new one."""
    line = page.round if page else None
    offered = rulebook.offered_scenarios(owner, event.system)
    form = RoundForm(form_data(request), event=event, offered=offered, line=line)
    if form.is_valid():
        asked = change_request(request, owner, event.token, form)
        draft = RoundDraft(**form.operation_kwargs())
        with refused(form):
            if line is None:
                number = rounds.add_round(asked, draft)
            else:
                number = line.number
                rounds.change_round(asked, number, draft)
                messages.success(request, "Changed.")
            return redirect("round-read", event.token, number)
    return draw_page(request, "round_form", event=event, form=form, line=line, page=page)


@require_POST
def round_remove(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Take the last round away."""
    refusals = list[Refusal]()
    with TellRefusal(refusals.append, passing=NotAllowed):
        rounds.remove_round(change_request(request, owner_of(request), token), number)
        return redirect_with_message(
            request, f"Round {number} removed.", "round-list", token
        )
    return _refused_page(request, token, number, refusals[0])


@require_POST
def rounds_plan(request: HttpRequest, token: str) -> HttpResponse:
    """Plan the whole schedule of a round robin, or plan it anew."""
    with refused_as_message(request, passing=NotAllowed):
        count = plan_rounds(change_request(request, owner_of(request), token))
        messages.success(request, f"{count} rounds are planned.")
    return redirect("round-list", token)


@read_page
@vary_on_headers("HX-Request")
def round_read(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Show a round: organisers all of it, players what is published, their own game first."""
    return draw_round(request, round_for(request, token, number)[1])


@read_page
def round_seats(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Show who sits where, by name and by table: the list to pin up."""
    _, page = round_for(request, token, number)
    return draw_page(request, "seats", page=page, event=page.event)


@require_POST
def round_draw(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Pair a round, or pair it again."""
    form = DrawForm(request.POST)

    def draw(asked: ChangeRequest) -> str:
        if not form.is_valid():
            raise Refusal(str(form.errors["seed"][0]), field="seed")
        return _told(pairing.draw_round(asked, number, seed=form.cleaned_data["seed"]))

    return change_round_page(request, token, number, draw)


@require_POST
def round_late(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Pair the latecomers of a published round."""
    return change_round_page(
        request, token, number, lambda asked: _told(pairing.pair_late(asked, number))
    )


@require_POST
def round_accept(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Accept every reported result of a round; with ``close`` the round is closed too."""
    closes = "close" in request.POST

    def accept(asked: ChangeRequest) -> str:
        count = decisions.accept_round(asked, number, closes=closes)
        told = f"{count} result{'' if count == 1 else 's'} accepted."
        return f"{told} Round closed." if closes else told

    return change_round_page(request, token, number, accept)


@require_POST
def round_step(request: HttpRequest, token: str, number: int, verb: str) -> HttpResponse:
    """Publish a round, close it, open it again or take it back."""
    do, said = STEPS[verb]
    more = {"as_drawn": True} if verb == "publish" and "as_drawn" in request.POST else {}

    def step(asked: ChangeRequest) -> str:
        do(asked, number, **more)
        return said

    return change_round_page(request, token, number, step)


def _told(drawn: RoundDraw) -> str:
    """Return what a draw came to, in a sentence."""
    parts = [f"{drawn.pairs} game{'' if drawn.pairs == 1 else 's'}"]
    if drawn.byes:
        parts.append("1 bye" if drawn.byes == 1 else f"{drawn.byes} byes")
    met = {0: "no rematches", 1: "1 rematch"}
    parts.append(met.get(drawn.rematches, f"{drawn.rematches} rematches"))
    return f"Paired: {', '.join(parts)}."


@require_POST
def round_print(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Begin to print every table of a round, then look how far it is. ``paper`` a4 or letter."""
    owner, _ = organised_event_for(request, token)
    paper = paper_asked(request.POST.get("paper"))
    site = request.build_absolute_uri("/").rstrip("/")
    with refused_as_message(request, passing=NotAllowed):
        return redirect(
            "job-read",
            print_round(ChangeRequest(owner, token), number, paper=paper, site=site),
        )
    return redirect("round-read", token, number)
