"""One fixture: read, played, told, decided; and changed in its round by organisers."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.errors import NotAllowed
from accounts.forms import RefusalForm
from accounts.owner import Owner
from accounts.requests import (
    form_data,
    form_page,
    read_page,
    record_or_404,
    redirect_with_message,
    refused,
    refused_as_message,
    request_key,
    version_seen,
)
from battles.request_keys import keep_key
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
from campaigns.operations.fixtures import FixtureDraft
from campaigns.operations.log import ChangeRequest
from campaigns.operations.schedule import swap_entries
from campaigns.queries.fixture_page import FixturePage, load_battle_key, load_fixture
from campaigns.queries.round_lists import listed_entries
from campaigns.queries.rounds import FixtureLine, RoundPage
from campaigns.queries.standings import preview_decision, preview_friendly, preview_report
from campaigns.views.requests import change_request, draw_page
from campaigns.views.rounds import change_round_page, offered_scenarios, organised_round_for
from engine.battles.rules import BattleRules
from rulesdata import registry
from warbands.views.presenters import form_key

DONE = {
    "proposed": "Result reported. It is provisional until it is confirmed.",
    "confirmed": "Result reported and confirmed.",
}
ENTERED = "This result was already reported. Nothing was changed."
SENT_FORMS: dict[type[RefusalForm], str] = {
    FixtureForm: "form",
    SwapForm: "swap_form",
    RemoveForm: "remove_form",
}
"""The forms of a game's page and their names in its template."""


@read_page
def fixture_read(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Show a game: its players, its result, and what the reader can do with it."""
    _, page = _fixture_for(request, token, fixture)
    told: dict[str, Any] = {"fixture": page, "event": page.event}
    told["strengths"] = load_strengths(page)
    if page.may_record and not page.battle:
        listed = listed_entries(page.event, page.round.number)
        told["opening"] = OpenForm(fixture=page, listed=listed)
    return draw_page(request, "fixture", **told)


@require_POST
def fixture_open(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Set the battle of a fixture up, then go where it is recorded live or told afterwards."""
    owner, page = _reported_for(request, token, fixture)
    listed = listed_entries(page.event, page.round.number)
    form = OpenForm(request.POST, fixture=page, listed=listed)
    # Where there is a battle already, nobody is asked for the number of models.
    if not page.battle and not form.is_valid():
        return draw_page(
            request, "fixture", fixture=page, event=page.event, opening=form, status=422
        )
    with refused_as_message(request):
        battle = results.open_fixture(
            ChangeRequest(owner, token), fixture, sizes={} if page.battle else form.sizes
        )
        if page.event.may_organise and page.event.growth_position:
            # What a battle did to warbands is put right by organisers who took no part in it.
            keep_key(request, battle, load_battle_key(page.event, fixture))
        is_told = request.POST.get("go") == "enter"
        return redirect("battle-enter" if is_told else "battle-record", battle)
    return redirect("fixture-read", token, fixture)


@form_page
def fixture_result(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Enter the result for both sides.

    What a second report would move is told before it is made.
    """
    owner, page = _reported_for(request, token, fixture)
    form = ReportForm(form_data(request), fixture=page, rules=_rules(page))
    if not page.may_report and not (form.is_bound and form.is_same):
        stands = "The result is confirmed. Ask an organiser of the club to correct it."
        messages.error(request, page.closed or stands)
        return redirect("fixture-read", token, fixture)
    moves: dict[str, Any] = {}
    if form.is_valid():
        reason, seen = form.cleaned_data.get("reason", ""), form.cleaned_data["seen"]
        asked = ChangeRequest(owner, page.event.token, seen, reason, request_key(request))
        with refused(form):
            if page.is_told and "go" not in request.POST and not form.is_same:
                moves = _moves_of(asked, page, form)
            else:
                done = results.report_result(asked, fixture, form.outcome)
                told = DONE.get(done.status, "Result reported.")
                said = ENTERED if done.is_repeat else told
                return redirect_with_message(request, said, "fixture-read", token, fixture)
    return _draw_outcome(request, "result", page, form, **moves, key=form_key(request))


def _moves_of(asked: ChangeRequest, page: FixturePage, form: ReportForm) -> dict[str, Any]:
    """Return what a corrected result moves: in the standings, and in warbands that grow."""
    owner, event, fixture = asked.actor, page.event, page.record.token
    moves = {"preview": preview_report(owner, event.token, fixture, form.outcome)}
    if not event.growth_position:
        return moves
    grown = results.preview_result(asked, fixture, form.outcome)
    return {**moves, "growth": load_preview(event, grown)}


@require_POST
def fixture_accept(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Accept the reported result; the page it is pressed on shows which."""
    owner, _ = _fixture_for(request, token, fixture)
    with refused_as_message(request, passing=NotAllowed):
        asked = ChangeRequest(owner, token, version_seen(request))
        decisions.accept_result(asked, fixture)
        messages.success(request, "Result accepted.")
    return redirect("fixture-read", token, fixture)


@form_page
def fixture_decide(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Give an organiser's word instead of a battle; what it would move is told first."""
    owner, page = _fixture_for(request, token, fixture)
    if not page.event.may_organise:
        raise PermissionDenied
    if not page.may_decide:
        messages.error(request, page.closed or "There is no result to set here.")
        return redirect("fixture-read", token, fixture)
    form = DecideForm(form_data(request), fixture=page)
    preview = None
    if form.is_valid():
        with refused(form):
            if "go" in request.POST:
                _decide(owner, token, fixture, form)
                return redirect("fixture-read", token, fixture)
            preview = preview_decision(owner, token, fixture, **form.decision_kwargs)
    return _draw_outcome(request, "decide", page, form, preview=preview)


def _decide(owner: Owner, token: str, fixture: str, form: DecideForm) -> None:
    """Write what the organiser decided on a game, or reverse the decision."""
    asked = ChangeRequest(
        owner, token, form.cleaned_data["seen"], form.cleaned_data["reason"]
    )
    if form.is_back:
        decisions.undecide_fixture(asked, fixture)
        return
    decisions.decide_fixture(asked, fixture, **form.decision_kwargs)


def _draw_outcome(
    request: HttpRequest, name: str, page: FixturePage, form: RefusalForm, **more: Any
) -> HttpResponse:
    """Draw the page of a form, or go back to the fixture where it was changed in the meantime."""
    if form.is_stale:
        messages.error(request, str(form.non_field_errors()[0]))
        return redirect("fixture-read", page.event.token, page.record.token)
    return draw_page(request, name, fixture=page, event=page.event, form=form, **more)


def _fixture_for(
    request: HttpRequest, token: str, fixture: str
) -> tuple[Owner, FixturePage]:
    """Return who asks and the fixture they may read; raises Http404 for everybody else."""
    return record_or_404(load_fixture, request, token, fixture)


def _reported_for(
    request: HttpRequest, token: str, fixture: str
) -> tuple[Owner, FixturePage]:
    """Return the same for its players and organisers; raises PermissionDenied for other readers."""
    owner, page = _fixture_for(request, token, fixture)
    if not (page.plays or page.event.may_organise):
        raise PermissionDenied
    return owner, page


def _rules(page: FixturePage) -> BattleRules:
    return registry.rules_of(page.event)


# A fixture as a game of its round, for organisers


class GameAsked(NamedTuple):
    """Who asks, and the game they run."""

    owner: Owner
    page: RoundPage
    line: FixtureLine


@form_page
def fixture_change(
    request: HttpRequest, token: str, number: int, fixture: str
) -> HttpResponse:
    """Change table, scenario, attacker, day, and whether it counts.

    What another answer to the last would move is told first.
    """
    game = _game_of(request, token, number, fixture)
    owner, page, line = game
    if request.method != "POST":
        return _draw_game(request, game)
    form = FixtureForm(
        request.POST, page=page, line=line, offered=offered_scenarios(owner, page)
    )
    moves = None
    if form.is_valid():
        asked, draft = change_request(request, owner, token, form), form.draft
        is_friendly = form.cleaned_data["is_friendly"]
        is_told_first = is_friendly != line.record.is_friendly and "go" not in request.POST
        with refused(form):
            if is_told_first:
                # What would be refused is refused now, not after the organiser agreed to it.
                fixtures.check_fixture_change(asked, fixture, draft)
                moves = preview_friendly(owner, token, fixture, is_friendly=is_friendly)
            if moves is None or not moves.changes:
                fixtures.change_fixture(asked, fixture, draft)
                return _done(request, page, f"Changed: {line.title}.")
    return _draw_game(request, game, form, preview=moves)


@require_POST
def fixture_swap(
    request: HttpRequest, token: str, number: int, fixture: str
) -> HttpResponse:
    """Let two players change places; what would come of it is told first."""
    game = _game_of(request, token, number, fixture)
    owner, page, line = game
    form = SwapForm(request.POST, page=page, line=line)
    done = None
    if form.is_valid():
        is_preview = "go" not in request.POST
        asked = change_request(request, owner, token, form)
        with refused(form):
            done = swap_entries(
                asked, number, **form.operation_kwargs(), is_preview=is_preview
            )
            if not is_preview:
                return _done(request, page, f"Swapped: {'; '.join(done.after)}.")
    return _draw_game(request, game, form, swapped=done)


@require_POST
def fixture_remove(
    request: HttpRequest, token: str, number: int, fixture: str
) -> HttpResponse:
    """Take a game out of its round."""
    game = _game_of(request, token, number, fixture)
    form = RemoveForm(request.POST)
    if form.is_valid():
        asked = change_request(request, game.owner, token, form)
        with refused(form):
            fixtures.remove_fixture(asked, fixture)
            return _done(request, game.page, f"Game removed: {game.line.title}.")
    return _draw_game(request, game, form)


@require_POST
def fixture_keep(
    request: HttpRequest, token: str, number: int, fixture: str
) -> HttpResponse:
    """Lock a game, so that pairing again leaves it; or let it go."""
    is_kept = request.POST.get("keep") == "1"

    def keep(asked: ChangeRequest) -> str:
        fixtures.change_fixture(asked, fixture, FixtureDraft(is_kept=is_kept))
        return "Game locked: it stays when you pair again." if is_kept else "Game unlocked."

    return change_round_page(request, token, number, keep)


@form_page
def fixture_new(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Add a game by hand."""
    owner, page = organised_round_for(request, token, number)
    form = FixtureNewForm(
        form_data(request), page=page, offered=offered_scenarios(owner, page)
    )
    if form.is_valid():
        with refused(form):
            fixtures.add_fixture(change_request(request, owner, token), number, form.draft)
            return _done(request, page, "Added.")
    return draw_page(request, "fixture_new", page=page, event=page.event, form=form)


def _game_of(request: HttpRequest, token: str, number: int, fixture: str) -> GameAsked:
    """Return the organiser, round page and game; raises Http404 for no game.

    Raises PermissionDenied for those who only read.
    """
    owner, page = organised_round_for(request, token, number)
    line = page.fixture(fixture)
    if line is None:
        raise Http404
    return GameAsked(owner, page, line)


def _done(request: HttpRequest, page: RoundPage, said: str) -> HttpResponse:
    return redirect_with_message(
        request, said, "round-read", page.event.token, page.round.number
    )


def _draw_game(
    request: HttpRequest, game: GameAsked, form: RefusalForm | None = None, **more: Any
) -> HttpResponse:
    """Draw the page of a game with its three forms, of which ``form`` is the one that was sent.

    ``more`` is what a change would come to: ``swapped`` or ``preview``.
    """
    owner, page, line = game
    offered = offered_scenarios(owner, page)
    context = {
        "page": page,
        "event": page.event,
        "line": line,
        "form": FixtureForm(page=page, line=line, offered=offered),
        "swap_form": SwapForm(page=page, line=line),
        "remove_form": RemoveForm(),
        **more,
    }
    status = None
    if form is not None:
        context[SENT_FORMS[type(form)]] = form
        status = form.status
    return draw_page(request, "swap", status=status, **context)
