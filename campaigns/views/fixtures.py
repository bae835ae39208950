"""One game of a round, for organisers: changed, swapped, locked, added, taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import RefusalForm
from accounts.owner import Owner
from accounts.requests import form_data, refused, version_seen, without_robots
from battles.tallies import TableChange
from campaigns.forms.rounds import FixtureForm, FixtureNewForm, RemoveForm, SwapForm
from campaigns.operations import fixtures, swaps
from campaigns.operations.fixtures import FixtureDraft
from campaigns.operations.log import ChangeRequest
from campaigns.operations.swaps import SwapResult
from campaigns.queries.previews import preview_friendly
from campaigns.queries.rounds import FixtureLine, RoundPage
from campaigns.views.rounds import change_round_page, offered_scenarios, organised_round_for

SENT_FORMS: dict[type[RefusalForm], str] = {
    FixtureForm: "form",
    SwapForm: "swap_form",
    RemoveForm: "remove_form",
}
"""The forms of a game's page and their names in its template."""


@dataclass(frozen=True, slots=True)
class GameAsked:
    """Who asks, and the game they run."""

    owner: Owner
    page: RoundPage
    line: FixtureLine


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def fixture_change(request: HttpRequest, token: str, number: int, fixture: str) -> HttpResponse:
    """Table, scenario, attacker, day; whether it counts, of which is told first what it would move."""
    game = _game_of(request, token, number, fixture)
    owner, page, line = game.owner, game.page, game.line
    if request.method != "POST":
        return _draw(request, game)
    form = FixtureForm(request.POST, page=page, line=line, offered=offered_scenarios(owner, page))
    moves = None
    if form.is_valid():
        asked, draft = _request_of(request, game, form), form.draft
        is_friendly = form.cleaned_data["is_friendly"]
        is_told_first = is_friendly != line.record.is_friendly and "go" not in request.POST
        with refused(form):
            if is_told_first:
                fixtures.check_fixture_change(asked, fixture, draft)
                moves = preview_friendly(owner, token, fixture, is_friendly=is_friendly)
            if moves is None or not moves.changes:
                fixtures.change_fixture(asked, fixture, draft)
                return _done(request, page, f"Changed: {line.title}.")
    return _draw(request, game, form, preview=moves)


@require_POST
def fixture_swap(request: HttpRequest, token: str, number: int, fixture: str) -> HttpResponse:
    """Two players change places; what would come of it is told first."""
    game = _game_of(request, token, number, fixture)
    page, line = game.page, game.line
    form = SwapForm(request.POST, page=page, line=line)
    preview = None
    if form.is_valid():
        is_preview = "go" not in request.POST
        with refused(form):
            done = swaps.swap_entries(
                _request_of(request, game, form),
                number,
                **form.operation_kwargs(),
                is_preview=is_preview,
            )
            if not is_preview:
                return _done(request, page, f"Swapped: {'; '.join(done.after)}.")
            preview = done
    return _draw(request, game, form, swapped=preview)


@require_POST
def fixture_remove(request: HttpRequest, token: str, number: int, fixture: str) -> HttpResponse:
    """Take a game out of its round."""
    game = _game_of(request, token, number, fixture)
    page, line = game.page, game.line
    form = RemoveForm(request.POST)
    if form.is_valid():
        with refused(form):
            fixtures.remove_fixture(_request_of(request, game, form), fixture)
            return _done(request, page, f"Taken out: {line.title}.")
    return _draw(request, game, form)


@require_POST
def fixture_keep(request: HttpRequest, token: str, number: int, fixture: str) -> HttpResponse:
    """Lock a game, so that pairing again leaves it; or let it go."""
    is_kept = request.POST.get("keep") == "1"

    def keep(owner: Owner) -> str:
        fixtures.change_fixture(ChangeRequest(owner, token), fixture, FixtureDraft(is_kept=is_kept))
        return "Locked: pairing again leaves it." if is_kept else "Unlocked."

    return change_round_page(request, token, number, keep)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def fixture_new(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """A game by hand."""
    owner, page = organised_round_for(request, token, number)
    form = FixtureNewForm(
        form_data(request),
        page=page,
        offered=offered_scenarios(owner, page),
    )
    if request.method == "POST" and form.is_valid():
        with refused(form):
            seen = version_seen(request)
            fixtures.add_fixture(ChangeRequest(owner, token, expected=seen), number, form.draft)
            return _done(request, page, "Added.")
    context = {"page": page, "event": page.event, "form": form}
    return without_robots(
        render(request, "campaigns/fixture_new.html", context, status=form.status)
    )


def _game_of(request: HttpRequest, token: str, number: int, fixture: str) -> GameAsked:
    owner, page = organised_round_for(request, token, number)
    line = page.fixture(fixture)
    if line is None:
        raise Http404
    return GameAsked(owner, page, line)


def _request_of(request: HttpRequest, game: GameAsked, form: RefusalForm) -> ChangeRequest:
    """What is asked by a valid form of the game's page: who, which event, seen when, and why."""
    reason = form.cleaned_data.get("reason", "")
    return ChangeRequest(game.owner, game.page.event.token, version_seen(request), reason)


def _done(request: HttpRequest, page: RoundPage, said: str) -> HttpResponse:
    messages.success(request, said)
    return redirect("round-read", page.event.token, page.round.number)


def _draw(
    request: HttpRequest,
    game: GameAsked,
    form: RefusalForm | None = None,
    *,
    swapped: SwapResult | None = None,
    preview: TableChange | None = None,
) -> HttpResponse:
    """The page of a game with its three forms, of which ``form`` is the one that was sent."""
    page, line = game.page, game.line
    offered = offered_scenarios(game.owner, page)
    context: dict[str, Any] = {
        "page": page,
        "event": page.event,
        "line": line,
        "form": FixtureForm(page=page, line=line, offered=offered),
        "swap_form": SwapForm(page=page, line=line),
        "remove_form": RemoveForm(),
        "swapped": swapped,
        "preview": preview,
    }
    if form is not None:
        context[SENT_FORMS[type(form)]] = form
    status = form.status if form else 200
    return without_robots(render(request, "campaigns/swap.html", context, status=status))
