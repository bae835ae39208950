"""One game of a round, for organisers: changed, swapped, locked, added, taken out."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.errors import Refusal, Stale
from accounts.forms import RefusalForm
from accounts.owner import Owner
from accounts.requests import version_seen, without_robots
from battles.tallies import TableChange
from campaigns.forms.rounds import FixtureForm, FixtureNewForm, RemoveForm, SwapForm
from campaigns.operations import fixtures, swaps
from campaigns.operations.swaps import SwapResult
from campaigns.queries.previews import preview_friendly
from campaigns.queries.rounds import FixtureLine, RoundPage
from campaigns.views.rounds import change_round_page, offered_scenarios, organised_round_for


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def fixture_change(request: HttpRequest, token: str, number: int, fixture: str) -> HttpResponse:
    """Table, scenario, attacker, day; whether it counts, of which is told first what it would move."""
    owner, page, line = _fixture_for(request, token, number, fixture)
    if request.method != "POST":
        return _draw(request, owner, page, line)
    form = FixtureForm(request.POST, page=page, line=line, offered=offered_scenarios(owner, page))
    status, moves = 422, None
    if form.is_valid():
        asked = {**form.operation_kwargs(), "expected": version_seen(request)}
        is_told_first = asked["is_friendly"] != line.is_friendly and "go" not in request.POST
        try:
            if is_told_first:
                fixtures.change_fixture(owner, token, fixture, **asked, is_preview=True)
                moves = preview_friendly(owner, token, fixture, is_friendly=asked["is_friendly"])
            if moves is None or not moves.changes:
                fixtures.change_fixture(owner, token, fixture, **asked)
                return _done(request, page, f"Changed: {line.title}.")
            status = 200
        except Refusal as refusal:
            status = _tell(form, refusal)
    return _draw(request, owner, page, line, form=form, moves=moves, status=status)


@require_POST
def fixture_swap(request: HttpRequest, token: str, number: int, fixture: str) -> HttpResponse:
    """Two players change places; what would come of it is told first."""
    owner, page, line = _fixture_for(request, token, number, fixture)
    form = SwapForm(request.POST, page=page, line=line)
    status, preview = 422, None
    if form.is_valid():
        is_preview = "go" not in request.POST
        seen = version_seen(request)
        try:
            done = swaps.swap_entries(
                owner,
                token,
                number=number,
                **form.operation_kwargs(),
                expected=seen,
                is_preview=is_preview,
            )
            if not is_preview:
                return _done(request, page, f"Swapped: {'; '.join(done.after)}.")
            status, preview = 200, done
        except Refusal as refusal:
            status = _tell(form, refusal)
    return _draw(request, owner, page, line, swap_form=form, preview=preview, status=status)


@require_POST
def fixture_remove(request: HttpRequest, token: str, number: int, fixture: str) -> HttpResponse:
    """Take a game out of its round."""
    owner, page, line = _fixture_for(request, token, number, fixture)
    form = RemoveForm(request.POST)
    status = 422
    if form.is_valid():
        try:
            fixtures.remove_fixture(
                owner,
                token,
                fixture,
                reason=form.cleaned_data["reason"],
                expected=version_seen(request),
            )
            return _done(request, page, f"Taken out: {line.title}.")
        except Refusal as refusal:
            status = _tell(form, refusal)
    return _draw(request, owner, page, line, remove_form=form, status=status)


@require_POST
def fixture_keep(request: HttpRequest, token: str, number: int, fixture: str) -> HttpResponse:
    """Lock a game, so that pairing again leaves it; or let it go."""
    is_kept = request.POST.get("keep") == "1"

    def keep(owner: Owner) -> str:
        fixtures.change_fixture(owner, token, fixture, is_kept=is_kept)
        return "Locked: pairing again leaves it." if is_kept else "Unlocked."

    return change_round_page(request, token, number, keep)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def fixture_new(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """A game by hand."""
    owner, page = organised_round_for(request, token, number)
    form = FixtureNewForm(
        request.POST if request.method == "POST" else None,
        page=page,
        offered=offered_scenarios(owner, page),
    )
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                fixtures.add_fixture(
                    owner, token, number, **form.operation_kwargs(), expected=version_seen(request)
                )
                return _done(request, page, "Added.")
            except Refusal as refusal:
                status = _tell(form, refusal)
    context = {"page": page, "event": page.event, "form": form}
    return without_robots(render(request, "campaigns/fixture_new.html", context, status=status))


def _fixture_for(
    request: HttpRequest, token: str, number: int, fixture: str
) -> tuple[Owner, RoundPage, FixtureLine]:
    owner, page = organised_round_for(request, token, number)
    line = page.fixture(fixture)
    if line is None:
        raise Http404
    return owner, page, line


def _tell(form: RefusalForm, refusal: Refusal) -> int:
    """The sentence where it belongs; the status of the answer."""
    if isinstance(refusal, Stale):
        form.add_error(None, refusal.message)
        return 409
    form.add_refusal(refusal)
    return 422


def _done(request: HttpRequest, page: RoundPage, said: str) -> HttpResponse:
    messages.success(request, said)
    return redirect("round-read", page.event.token, page.round.number)


def _draw(
    request: HttpRequest,
    owner: Owner,
    page: RoundPage,
    line: FixtureLine,
    *,
    form: FixtureForm | None = None,
    swap_form: SwapForm | None = None,
    remove_form: RemoveForm | None = None,
    preview: SwapResult | None = None,
    moves: TableChange | None = None,
    status: int = 200,
) -> HttpResponse:
    offered = offered_scenarios(owner, page)
    context: dict[str, Any] = {
        "page": page,
        "event": page.event,
        "line": line,
        "form": form or FixtureForm(page=page, line=line, offered=offered),
        "swap_form": swap_form or SwapForm(page=page, line=line),
        "remove_form": remove_form or RemoveForm(),
        "swapped": preview,
        "preview": moves,
    }
    return without_robots(render(request, "campaigns/swap.html", context, status=status))
