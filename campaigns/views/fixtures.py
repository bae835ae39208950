"""One fixture: read, played, reported, decided; and changed in its round by organisers."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.errors import NotAllowed
from accounts.forms import RefusalForm
from accounts.owner import Owner
from accounts.requests import (
    form_data,
    form_page,
    owner_of,
    read_page,
    record_or_404,
    redirect_with_message,
    refused,
    refused_as_message,
    request_key,
    version_seen,
)
from battles.access import BattleCall
from battles.models import ResultVerb
from battles.operations.results import take_step
from battles.request_keys import keep_key
from battles.result_rules import Claim
from campaigns.forms.rounds import (
    DecideForm,
    FixtureForm,
    FixtureNewForm,
    OpenForm,
    RemoveForm,
    ReportForm,
    SwapForm,
)
from campaigns.growth.queries.lineups import load_strengths
from campaigns.growth.queries.reports import load_preview
from campaigns.operations import decisions, fixtures, results
from campaigns.operations.fixtures import FixtureDraft, swap_entries
from campaigns.operations.log import ChangeRequest
from campaigns.queries.fixture_page import FixturePage, load_battle_key, load_fixture
from campaigns.queries.round_lists import listed_entries
from campaigns.queries.rounds import FixtureLine, RoundPage, load_round
from campaigns.queries.standings import preview_decision, preview_friendly, preview_report
from campaigns.views.requests import change_request, draw_page, organised_page
from campaigns.views.rounds import offered_scenarios, round_change
from rulesdata import registry
from warbands.views.presenters import form_key

REPORTED = {
    "proposed": "Result reported. It is provisional until it is confirmed.",
    "confirmed": "Result reported and confirmed.",
}
REPEATED = "This result was already reported. Nothing was changed."
CONFIRMED = "The result is confirmed. Ask an organiser of the club to correct it."


@read_page
def fixture_read(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Show a game: its players, its result, and what the reader can do with it."""
    page = load_fixture(owner_of(request), token, fixture)
    return draw_page(
        request,
        "fixture",
        fixture=page,
        event=page.event,
        strengths=load_strengths(page),
        opening=_offer_opening(page),
    )


@require_POST
def fixture_open(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Set the battle of a fixture up, then go where it is recorded live or told afterwards."""
    owner, page = _playable_fixture_for(request, token, fixture)
    listed = listed_entries(page.event, page.round.number)
    form = OpenForm(request.POST, fixture=page, listed=listed)
    # Where there is a battle already, nobody is asked for the number of models.
    if not page.battle and not form.is_valid():
        return draw_page(
            request, "fixture", fixture=page, event=page.event, opening=form, status=422
        )
    with refused_as_message(request):
        sizes = {} if page.battle else form.sizes
        battle = results.open_fixture(ChangeRequest(owner, token), fixture, sizes=sizes)
        if page.event.may_organise:
            # Organisers who took no part in a battle put its casualties right.
            keep_key(request, battle, load_battle_key(page.event, fixture))
        enters = request.POST.get("go") == "enter"
        return redirect("battle-enter" if enters else "battle-record", battle)
    return redirect("fixture-read", token, fixture)


@form_page
def fixture_result(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Enter the result for both sides.

    What a second report would move is shown before it is made.
    """
    owner, page = _playable_fixture_for(request, token, fixture)
    event = page.event
    rules = registry.rules_of(event)
    form = ReportForm(form_data(request), fixture=page, rules=rules)
    if not (page.may_report or form.is_bound):
        messages.error(request, page.closed or CONFIRMED)
        return redirect("fixture-read", token, fixture)
    moves: dict[str, Any] = {}
    if form.is_valid():
        reason, seen = form.cleaned_data.get("reason", ""), form.cleaned_data["seen"]
        change = ChangeRequest(owner, event.token, seen, reason, request_key(request))
        outcome = form.outcome
        with refused(form):
            if not page.is_told or "go" in request.POST:
                report = results.report_result(change, fixture, outcome)
                message = REPORTED.get(report.status, "Result reported.")
                if report.is_repeat:
                    message = REPEATED
                return redirect_with_message(
                    request, message, "fixture-read", token, fixture
                )
            # What a corrected result moves: in the standings, and in warbands that grow.
            preview = preview_report(owner, event.token, fixture, outcome)
            if event.growth_position:
                difference = results.preview_result(change, fixture, outcome)
                moves["growth"] = load_preview(event, difference)
            moves["preview"] = preview
    moves["opening"] = _offer_opening(page)
    return _draw_outcome(request, "result", page, form, **moves, key=form_key(request))


def _offer_opening(page: FixturePage) -> OpenForm | None:
    """Return the form that sets a battle up, for those who may record it and have none yet."""
    if page.battle or not page.may_record:
        return None
    return OpenForm(fixture=page, listed=listed_entries(page.event, page.round.number))


@require_POST
def fixture_accept(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Accept the reported result; the page it is pressed on shows which."""
    owner, _ = record_or_404(load_fixture, request, token, fixture)
    with refused_as_message(request, passing=NotAllowed):
        change = ChangeRequest(owner, token, version_seen(request))
        results.accept_result(change, fixture)
        messages.success(request, "Result accepted.")
    return redirect("fixture-read", token, fixture)


@require_POST
def fixture_undo(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Take back the last step of a result, from the page of its round's results."""
    owner, page = organised_page(load_fixture, request, token, fixture)
    with refused_as_message(request, passing=NotAllowed):
        call = BattleCall(owner, page.battle, expected=version_seen(request))
        claim = Claim(reason=request.POST.get("reason", ""))
        take_step(call, ResultVerb.UNDO, claim)
        messages.success(request, f"Last step undone: {page.title}.")
    return redirect("round-results", token, page.round.number)


@form_page
def fixture_decide(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Give an organiser's word instead of a battle; what it would move is shown first."""
    owner, page = organised_page(load_fixture, request, token, fixture)
    if not page.may_decide:
        messages.error(request, page.closed or "There is no result to set here.")
        return redirect("fixture-read", token, fixture)
    form = DecideForm(form_data(request), fixture=page)
    preview = None
    if form.is_valid():
        decision = form.decision_kwargs
        with refused(form):
            if "go" not in request.POST:
                preview = preview_decision(owner, token, fixture, **decision)
            else:
                cleaned = form.cleaned_data
                change = ChangeRequest(owner, token, cleaned["seen"], cleaned["reason"])
                decisions.decide_fixture(change, fixture, **decision)
                return redirect("fixture-read", token, fixture)
    return _draw_outcome(request, "decide", page, form, preview=preview)


def _draw_outcome(
    request: HttpRequest, name: str, page: FixturePage, form: RefusalForm, **more: Any
) -> HttpResponse:
    """Draw the page of a form, or go back to the fixture where it was changed in the meantime."""
    if form.is_stale:
        messages.error(request, str(form.non_field_errors()[0]))
        return redirect("fixture-read", page.event.token, page.record.token)
    return draw_page(request, name, fixture=page, event=page.event, form=form, **more)


def _playable_fixture_for(
    request: HttpRequest, token: str, fixture: str
) -> tuple[Owner, FixturePage]:
    """Return who asks and a game they play or run.

    Raises Http404 for who may not read it, PermissionDenied for other readers.
    """
    owner, page = record_or_404(load_fixture, request, token, fixture)
    if not (page.plays or page.event.may_organise):
        raise PermissionDenied
    return owner, page


# A fixture as a game of its round, for organisers


@form_page
def fixture_change(
    request: HttpRequest, token: str, number: int, fixture: str
) -> HttpResponse:
    """Change table, scenario, attacker, day, and whether it counts.

    What another answer to the last would move is shown first.
    """
    owner, page, line = _game_for(request, token, number, fixture)
    offered = offered_scenarios(owner, page)
    form = FixtureForm(form_data(request), page=page, line=line, offered=offered)
    preview = None
    if form.is_valid():
        change, draft = change_request(request, owner, token, form), form.draft
        is_friendly = form.cleaned_data["is_friendly"]
        with refused(form):
            if is_friendly != line.record.is_friendly and "go" not in request.POST:
                # What would be refused is refused now, not after the organiser agreed to it.
                fixtures.check_fixture_change(change, fixture, draft)
                preview = preview_friendly(owner, token, fixture, is_friendly=is_friendly)
            if preview is None or not preview.changes:
                fixtures.change_fixture(change, fixture, draft)
                return _go_to_round(request, page, f"Changed: {line.title}.")
    return _draw_game(request, owner, page, line, form=form, preview=preview)


@require_POST
def fixture_swap(
    request: HttpRequest, token: str, number: int, fixture: str
) -> HttpResponse:
    """Let two players change places; what would come of it is shown first."""
    owner, page, line = _game_for(request, token, number, fixture)
    form = SwapForm(request.POST, page=page, line=line)
    swap = None
    if form.is_valid():
        is_preview = "go" not in request.POST
        change = change_request(request, owner, token, form)
        with refused(form):
            entries = form.operation_kwargs()
            swap = swap_entries(change, number, **entries, is_preview=is_preview)
            if not is_preview:
                return _go_to_round(request, page, f"Swapped: {'; '.join(swap.after)}.")
    return _draw_game(request, owner, page, line, swap_form=form, swapped=swap)


@require_POST
def fixture_remove(
    request: HttpRequest, token: str, number: int, fixture: str
) -> HttpResponse:
    """Take a game out of its round."""
    owner, page, line = _game_for(request, token, number, fixture)
    form = RemoveForm(request.POST)
    if form.is_valid():
        change = change_request(request, owner, token, form)
        with refused(form):
            fixtures.remove_fixture(change, fixture)
            return _go_to_round(request, page, f"Game removed: {line.title}.")
    return _draw_game(request, owner, page, line, remove_form=form)


@round_change
def fixture_keep(change: ChangeRequest, number: int, post: QueryDict, fixture: str) -> str:
    """Lock a game, so that pairing again leaves it; or let it go."""
    is_kept = post.get("keep") == "1"
    fixtures.change_fixture(change, fixture, FixtureDraft(is_kept=is_kept))
    return "Game locked: it stays when you pair again." if is_kept else "Game unlocked."


@form_page
def fixture_new(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Add a game by hand."""
    owner, page = organised_page(load_round, request, token, number)
    offered = offered_scenarios(owner, page)
    form = FixtureNewForm(form_data(request), page=page, offered=offered)
    if form.is_valid():
        with refused(form):
            fixtures.add_fixture(change_request(request, owner, token), number, form.draft)
            return _go_to_round(request, page, "Added.")
    return draw_page(request, "fixture_new", page=page, event=page.event, form=form)


def _game_for(
    request: HttpRequest, token: str, number: int, fixture: str
) -> tuple[Owner, RoundPage, FixtureLine]:
    """Return the organiser, round page and game; raises Http404 for no game.

    Raises PermissionDenied for those who only read.
    """
    owner, page = organised_page(load_round, request, token, number)
    line = page.fixture(fixture)
    if line is None:
        raise Http404
    return owner, page, line


def _go_to_round(request: HttpRequest, page: RoundPage, message: str) -> HttpResponse:
    token, number = page.event.token, page.round.number
    return redirect_with_message(request, message, "round-read", token, number)


def _draw_game(
    request: HttpRequest, owner: Owner, page: RoundPage, line: FixtureLine, **more: Any
) -> HttpResponse:
    """Draw the page of a game with its three forms.

    ``more`` is the form that was sent, and what it would come to: ``swapped`` or ``preview``.
    """
    context = {"page": page, "event": page.event, "line": line, **more}
    forms = (more.get(name) for name in ("form", "swap_form", "remove_form"))
    status = next((form.status for form in forms if form), 200)
    if "form" not in more:
        offered = offered_scenarios(owner, page)
        context["form"] = FixtureForm(page=page, line=line, offered=offered)
    context.setdefault("swap_form", SwapForm(page=page, line=line))
    context.setdefault("remove_form", RemoveForm())
    return draw_page(request, "swap", status=status, **context)
