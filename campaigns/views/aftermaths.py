"""Before and after a battle of a growing campaign: who fights, then its rolls and choices."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.owner import Owner
from accounts.requests import (
    form_data,
    form_page,
    read_page,
    record_or_404,
    redirect_with_message,
    refused,
    refused_as_message,
)
from campaigns.forms.growth import AnswerForm, ConfirmForm, LineupForm, ObjectivesForm
from campaigns.operations.aftermaths import tell_objectives
from campaigns.operations.growth.answers import (
    answer_dues,
    preview_answers,
    roll_dues,
)
from campaigns.operations.growth.withdrawals import (
    Withdrawal,
    preview_take_back,
    take_back,
)
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import field_fixture
from campaigns.queries.fixture_page import FixturePage
from campaigns.queries.growth.aftermaths import AfterPage, AfterSide, load_after_page
from campaigns.queries.growth.cards import build_anchor
from campaigns.queries.growth.lineup_pages import load_lineup_page
from campaigns.queries.growth.reports import load_preview
from campaigns.queries.growth.warbands import find_warband
from campaigns.views.requests import (
    confirm_page,
    draw_page,
    entry_or_404,
    event_for,
    keyed_request,
    over_page,
)
from warbands.views.presenters import form_key, page_key

# The page, and who fights


@read_page
def fixture_after(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Show what came of a battle, what is to roll and to choose, and what changed."""
    _, page = record_or_404(load_after_page, request, token, fixture)
    return _draw_after(request, page)


def _draw_after(
    request: HttpRequest, page: AfterPage, form: AnswerForm | None = None
) -> HttpResponse:
    """Draw the page after a battle; ``form`` is an answer that was refused, shown at its card."""
    return draw_page(
        request,
        "growth_after",
        page=page,
        event=page.fixture.event,
        fixture=page.fixture,
        form=form,
        wrong=form.refusal_words if form else "",
        key=page_key(),
    )


@form_page
def fixture_field(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Choose who fights, and lock the battle with them."""
    owner, page = record_or_404(load_lineup_page, request, token, fixture)
    game, event = page.fixture, page.fixture.event
    if not (game.plays or event.may_organise):
        raise PermissionDenied
    if event.is_finished:
        return over_page(request, event, "fixture-read", token, fixture)
    form = LineupForm(form_data(request), sides=page.sides)
    if form.is_valid():
        with refused(form):
            field_fixture(keyed_request(request, owner, token), fixture, form.choice)
            return redirect_with_message(
                request,
                "Battle locked with those who fight.",
                "fixture-read",
                token,
                fixture,
            )
    return draw_page(
        request,
        "growth_field",
        page=page,
        event=event,
        fixture=game,
        form=form,
        key=form_key(request),
    )


# What it sends


@require_POST
def after_answer(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Answer one roll or choice, or let the site throw all that is to roll.

    What an answer changes in later games is told first.
    """
    owner, page = _told_for(request, token, fixture)
    side = page.find(request.POST.get("warband", ""))
    address = reverse("fixture-after", args=[token, fixture])
    if side is None or not side.may_act:
        words = page.fixture.event.over_words or "Choose a warband that you play."
        messages.error(request, words)
        return redirect(address)
    if "all" in request.POST:
        with refused_as_message(request):
            rolled = roll_dues(keyed_request(request, owner, token), side.warband)
            messages.success(request, f"Rolled: {len(rolled)}.")
        return redirect(f"{address}#side-{side.entry}")
    form = AnswerForm(request.POST)
    due = request.POST.get("due", "")
    card = side.find_card(due)
    if form.is_valid():
        with refused(form):
            return _answer(request, owner, page.fixture, side, form)
    if card and (card.is_open or (card.rows and "row" in request.POST)):
        return _draw_after(request, page, form)
    # Somebody else was quicker, or nothing asks for it: the page has no place for what was typed.
    messages.error(request, form.refusal_words)
    return redirect(f"{address}#{build_anchor(due)}")


def _answer(
    request: HttpRequest,
    owner: Owner,
    game: FixturePage,
    side: AfterSide,
    form: AnswerForm,
) -> HttpResponse:
    """Give a valid answer, or tell first what it changes: a ruling, and an answer to the past."""
    due, event = form.cleaned_data["due"], game.event
    card = side.find_card(due)
    answer = form.answer(card.dice if card else "")
    asked = keyed_request(request, owner, event.token, answer.reason)
    address = reverse("fixture-after", args=[event.token, game.record.token])
    is_ruling = answer.row is not None
    # Dice that the site throws are not known before they are thrown.
    is_known = answer.faces is not None or answer.choice is not None
    if (is_ruling or (side.later and is_known)) and "go" not in request.POST:
        moved = preview_answers(asked, side.warband, [answer])
        row = dict(card.rows).get(str(answer.row), "") if card else ""
        return confirm_page(
            request,
            event=event,
            title=f"{card.title if card else 'Answer'}, {side.name}",
            about=f"Counts as: {row}. {answer.reason}".strip() if row else "",
            label="Save ruling" if is_ruling else "Save answer",
            preview=load_preview(event, moved),
            back=address,
        )
    answer_dues(asked, side.warband, [answer])
    return redirect(f"{address}#{build_anchor(due)}")


@require_POST
def after_objectives(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Say which objectives were taken, and by whom."""
    owner, page = _told_for(request, token, fixture)
    form = ObjectivesForm(request.POST, sides=page.sides)
    if form.is_valid():
        with refused_as_message(request):
            asked = ChangeRequest(owner, token)
            tell_objectives(asked, fixture, form.told)
            messages.success(request, "Objectives saved.")
    else:
        messages.error(request, "Objectives: enter numbers from 0 to 100.")
    return redirect("fixture-after", token, fixture)


@require_POST
def growth_take_back(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Take back an answer or a purchase; what changes is told first."""
    owner, event = event_for(request, token)
    record = entry_or_404(owner, event, entry)
    if not (record.is_mine or event.may_organise):
        raise PermissionDenied
    sent = request.POST
    number = sent.get("act", "")
    what = Withdrawal(
        due=sent.get("due", "")[:200],
        act=int(number)
        if number.isascii() and number.isdigit() and len(number) < 8
        else None,
    )
    address = _after_address(token, sent.get("back", "")) or reverse(
        "campaign-warband", args=[token, entry]
    )
    form = ConfirmForm(sent if "go" in sent else None, needs_reason=not record.is_mine)
    warband = find_warband(event, record, sent.get("warband", ""))
    with refused_as_message(request):
        if "go" in sent and form.is_valid():
            asked = keyed_request(request, owner, token, form.cleaned_data["reason"])
            take_back(asked, warband, what)
            messages.success(request, "Reversed. Dice are kept.")
            return redirect(address)
        # The reason is asked for below; a preview needs none.
        asked = ChangeRequest(owner, token, reason="preview")
        moved = preview_take_back(asked, warband, what)
        return confirm_page(
            request,
            event=event,
            title="Reverse entry",
            label="Reverse entry",
            preview=load_preview(event, moved),
            back=address,
            form=form,
        )
    return redirect(address)


def _after_address(token: str, fixture: str) -> str:
    """Return the address of the page after a game; "" for what names none."""
    # The form names where to go back to; anything else than a game is left out.
    is_plain = len(fixture) == 16 and all(one.isalnum() or one in "-_" for one in fixture)
    return (
        reverse("fixture-after", args=[token, fixture])
        if is_plain and fixture.isascii()
        else ""
    )


def _told_for(request: HttpRequest, token: str, fixture: str) -> tuple[Owner, AfterPage]:
    """Return who asks and a game they may answer for.

    Raises Http404 for who may not read it, PermissionDenied for other readers.
    """
    owner, page = record_or_404(load_after_page, request, token, fixture)
    if not (page.fixture.plays or page.fixture.event.may_organise):
        raise PermissionDenied
    return owner, page
