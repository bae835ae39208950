"""Rounds: all of them, one of them, and its steps from drawn to closed."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.errors import NotAllowed, NotFound, Refusal, Stale
from accounts.owner import Owner
from accounts.requests import (
    TellRefusal,
    form_data,
    form_page,
    owner_of,
    read_page,
    redirect_with_message,
    refused,
    refused_as_message,
    request_key,
)
from campaigns.forms.rounds import DrawForm, GuestForm, ReportRow, RoundForm
from campaigns.operations import pairing, results, rounds
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import RoundDraw
from campaigns.operations.round_robin import plan_rounds
from campaigns.operations.rounds import RoundDraft, print_round
from campaigns.queries.fixture_page import FixturePage, RoundResults, load_round_results
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.rounds import RoundPage, load_round, load_schedule
from campaigns.views.requests import (
    change_request,
    draw_page,
    organised_event_for,
    organised_page,
    paper_asked,
)
from engine.records import ChoiceList, Fields, quantity
from rulesdata import registry
from rulesdata.queries.scenarios import scenario_choices
from warbands.views.presenters import form_key, page_key

Change = Callable[[ChangeRequest], str]
"""Makes a change and says in a few words what was done."""


def offered_scenarios(owner: Owner, page: RoundPage) -> ChoiceList:
    """Return the scenarios on offer for a game, those of the round's or event's pool first."""
    names = dict(scenario_choices(page.event.system, owner))
    # A round may have a pool of its own.
    pool = page.round.scenarios or page.event.scenarios
    keys = [*filter(names.get, pool), *(key for key in names if key not in pool)]
    return [(key, names[key]) for key in keys]


def draw_round(
    request: HttpRequest,
    page: RoundPage,
    *,
    part: str = "round_body",
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Draw the round's page, for htmx the ``part`` of it that changed.

    ``more`` is what stands on it besides: ``notice``, ``said`` or a ``guest_form`` to correct.
    """
    context: Fields = {
        "page": page,
        "event": page.event,
        "notice": "",
        "said": "",
        "guest_form": GuestForm(),
        "draw_form": DrawForm(initial={"seed": page.round.seed}),
        "key": page_key(),
        **more,
    }
    name = part if request.htmx else "round"  # type: ignore[attr-defined]
    return draw_page(request, name, status=status, **context)


def change_round_page(
    request: HttpRequest, token: str, number: int, change: Change, part: str = "round_body"
) -> HttpResponse:
    """Make a change, then show the round as it is now; a refusal stands on top of it.

    Without a ``part`` the round is gone, and the list of rounds comes next.
    """
    message, refusals = "", list[Refusal]()
    with TellRefusal(refusals.append, passing=NotAllowed):
        message = change(change_request(request, owner_of(request), token))
    if not refusals and not part:
        return redirect_with_message(request, message, "round-list", token)
    if not refusals and not request.htmx:  # type: ignore[attr-defined]
        if message:
            messages.success(request, message)
        return redirect("round-read", token, number)
    page = load_round(owner_of(request), token, number)
    if not refusals:
        return draw_round(request, page, part=part, said=message)
    status = 409 if isinstance(refusals[0], Stale) else 422
    return draw_round(request, page, notice=refusals[0].message, status=status)


def round_change(make: Callable[..., str]) -> Callable[..., HttpResponse]:
    """Decorate what makes a change of a round from what was sent, and says what was done.

    The view shows the round as it is afterwards.
    """

    @require_POST
    @wraps(make)
    def view(request: HttpRequest, token: str, number: int, **more: str) -> HttpResponse:
        def change(change_request: ChangeRequest) -> str:
            return make(change_request, number, request.POST, **more)

        return change_round_page(request, token, number, change)

    return view


TOKENS_MAX = 200


@require_POST
def round_present(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Tick who is here.

    A single tick (``one``) stands for itself; a whole form for what changed since ``was``.
    """
    present = set(request.POST.getlist("here"))
    previous = set(request.POST.getlist("was"))
    single = request.POST.get("one", "")
    # Who ticked at the same time elsewhere is left alone: only what changed here is sent on.
    changed = {single} if single else present ^ previous
    ticks = {entry: entry in present for entry in sorted(changed)[:TOKENS_MAX]}

    def tick(change: ChangeRequest) -> str:
        rounds.set_present(change, number, ticks)
        return ""

    # A single tick is shown in the browser already: only the pairs are drawn anew.
    part = "fixture_rows_page" if single else "round_body"
    return change_round_page(request, token, number, tick, part)


@round_change
def round_check_in(change: ChangeRequest, number: int, post: QueryDict) -> str:
    """Note whether a player says that they are here."""
    is_here = post.get("away") != "1"
    rounds.check_in(change, number, is_here=is_here)
    return "You are marked as here." if is_here else "You are marked as away."


@require_POST
def round_guest(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Enter a guest who is here."""
    owner, page = organised_page(load_round, request, token, number)
    form = GuestForm(request.POST)
    if form.is_valid():
        name = form.cleaned_data["name"]
        change = ChangeRequest(owner, token, key=request_key(request))
        with refused(form):
            rounds.add_guest(change, number, name)
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
    schedule = load_schedule(owner_of(request), token)
    return draw_page(request, "rounds", schedule=schedule, event=schedule.event)


@form_page
def round_new(request: HttpRequest, token: str) -> HttpResponse:
    """Plan one more round."""
    owner, event = organised_event_for(request, token)
    return _edit_round(request, owner, event, None)


@form_page
def round_edit(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Change what a round is called and agrees on."""
    owner, page = organised_page(load_round, request, token, number)
    return _edit_round(request, owner, page.event, page)


def _edit_round(
    request: HttpRequest, owner: Owner, event: ClubEventRecord, page: RoundPage | None
) -> HttpResponse:
    """Draw or save the form of a round; ``page`` None is a new one."""
    record = page.round if page else None
    offered = scenario_choices(event.system, owner)
    form = RoundForm(form_data(request), event=event, offered=offered, record=record)
    if form.is_valid():
        change = change_request(request, owner, event.token, form)
        draft = RoundDraft(**form.operation_kwargs())
        with refused(form):
            if record is None:
                number = rounds.add_round(change, draft)
            else:
                number = record.number
                rounds.change_round(change, number, draft)
                messages.success(request, "Changed.")
            return redirect("round-read", event.token, number)
    return draw_page(request, "round_form", event=event, form=form, line=record, page=page)


@require_POST
def round_remove(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Take the last round away."""

    def remove(change: ChangeRequest) -> str:
        rounds.remove_round(change, number)
        return f"Round {number} removed."

    return change_round_page(request, token, number, remove, part="")


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
    return draw_round(request, load_round(owner_of(request), token, number))


@read_page
def round_seats(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Show who sits where, by name and by table: the list to pin up."""
    page = load_round(owner_of(request), token, number)
    return draw_page(request, "seats", page=page, event=page.event)


@round_change
def round_draw(change: ChangeRequest, number: int, post: QueryDict) -> str:
    """Pair a round, or pair it again."""
    return _describe_draw(pairing.draw_round(change, number, seed=post.get("seed", "")))


@round_change
def round_late(change: ChangeRequest, number: int, post: QueryDict) -> str:
    """Pair the latecomers of a published round."""
    return _describe_draw(pairing.pair_late(change, number))


@round_change
def round_accept(change: ChangeRequest, number: int, post: QueryDict) -> str:
    """Accept every reported result of a round; with ``close`` the round is closed too."""
    closes = "close" in post
    count = results.accept_round(change, number, closes=closes)
    message = f"{quantity(count, 'result')} accepted."
    return f"{message} Round closed." if closes else message


@form_page
def round_results(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Enter the results of a round: each game by itself, whatever becomes of the others."""
    _, page = organised_page(load_round_results, request, token, number)
    if not page.round.is_shown:
        messages.error(request, f"Round {number} is not published yet.")
        return redirect("round-read", token, number)
    refused_rows: dict[str, ReportRow] = {}
    if request.method == "POST":
        refused_rows = _save_rows(request, page)
        if not refused_rows:
            return redirect("round-results", token, number)
        _, page = organised_page(load_round_results, request, token, number)
    forms = _rows(page, None)
    for key, row in refused_rows.items():
        # What somebody else entered is shown as it is now; else what was typed in stays.
        if key in forms and not row.is_stale:
            forms[key] = row

    def line(game: FixturePage) -> tuple[FixturePage, ReportRow | None, ReportRow | None]:
        key = game.record.token
        return game, forms.get(key), refused_rows.get(key)

    lists = {name: [*map(line, games)] for name, games in page.lists.items()}
    status = max((row.status for row in refused_rows.values()), default=200)
    return draw_page(
        request, "results", event=page.event, page=page, **lists, status=status
    )


def _save_rows(request: HttpRequest, page: RoundResults) -> dict[str, ReportRow]:
    """Save what was typed in, say how many, and return the rows that were refused."""
    rows = {key: row for key, row in _rows(page, request.POST).items() if row.is_touched}
    reports = [row.report for row in rows.values() if row.is_valid()]
    change = ChangeRequest(owner_of(request), page.event.token)
    answers = results.report_round(change, page.round.number, reports)
    for report, answer in zip(reports, answers, strict=True):
        if isinstance(answer, NotFound):
            answer = Refusal("This game is no longer in the round.")
        if isinstance(answer, Refusal):
            rows[report.fixture].add_refusal(answer)
    refused_rows = {key: row for key, row in rows.items() if row.errors}
    if saved := len(rows) - len(refused_rows):
        messages.success(request, f"{quantity(saved, 'result')} saved.")
    return refused_rows


def _rows(page: RoundResults, data: QueryDict | None) -> dict[str, ReportRow]:
    """Return the forms of the games without a final result, or of all that ``data`` may name."""
    rules = registry.rules_of(page.event)
    return {
        game.record.token: ReportRow(data, fixture=game, rules=rules)
        for game in page.games
        if data or (game.is_open and not game.record.is_final)
    }


@round_change
def round_step(change: ChangeRequest, number: int, post: QueryDict, verb: str) -> str:
    """Publish a round, close it, open it again or take it back."""
    step, message = STEPS[verb]
    more = {}
    if verb == "publish":
        asks_for_lists = "without_lists" not in post
        more = {"as_drawn": "as_drawn" in post, "asks_for_lists": asks_for_lists}
    step(change, number, **more)
    return message


def _describe_draw(draw: RoundDraw) -> str:
    """Return what a draw came to, in a sentence."""
    parts = [quantity(draw.pairs, "game")]
    if draw.byes:
        parts.append(quantity(draw.byes, "bye"))
    rematches = quantity(draw.rematches, "rematch", "rematches")
    parts.append(rematches if draw.rematches else "no rematches")
    return f"Paired: {', '.join(parts)}."


@require_POST
def round_print(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Begin to print every table of a round, then look how far it is. ``paper`` a4 or letter."""
    owner, _ = organised_event_for(request, token)
    paper = paper_asked(request.POST.get("paper"))
    site = request.build_absolute_uri("/").rstrip("/")
    with refused_as_message(request, passing=NotAllowed):
        job = print_round(ChangeRequest(owner, token), number, paper=paper, site=site)
        return redirect("job-read", job)
    return redirect("round-read", token, number)
