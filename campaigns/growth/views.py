"""Campaigns in which warbands grow: rules, foundings, and each warband with ledger and shop."""

from __future__ import annotations

import re2
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.errors import NotAllowed
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
from campaigns.charts import draw_rating_line
from campaigns.growth.forms import (
    ActForm,
    AnswerForm,
    ConfirmForm,
    FoundForm,
    GrowthRulesForm,
    LedgerForm,
    LineupForm,
    ObjectivesForm,
)
from campaigns.growth.operations.acts import take_act
from campaigns.growth.operations.answers import (
    Withdrawal,
    answer_dues,
    preview_answers,
    preview_take_back,
    roll_dues,
    take_back,
)
from campaigns.growth.operations.results import remind_of_dues, tell_objectives
from campaigns.growth.operations.setup import (
    found_warband,
    preview_growth_rules,
    set_growth_rules,
)
from campaigns.growth.queries.aftermaths import AfterPage, AfterSide, load_after_page
from campaigns.growth.queries.cards import build_anchor
from campaigns.growth.queries.ledger_pages import (
    load_act_words,
    load_ledger_page,
    load_unit_lines,
)
from campaigns.growth.queries.lineups import load_lineup_page
from campaigns.growth.queries.reports import load_preview
from campaigns.growth.queries.setup import (
    FoundingPage,
    RulesPage,
    load_campaign_book,
)
from campaigns.growth.queries.shops import load_shop
from campaigns.growth.queries.warbands import (
    find_warband,
    load_unit_page,
    load_warband_page,
)
from campaigns.models import EventKind
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import field_fixture
from campaigns.queries.events import load_entry
from campaigns.queries.fixture_page import FixturePage
from campaigns.views.requests import (
    confirm_page,
    draw_page,
    event_for,
    keyed_request,
    organised_event_for,
    over_page,
    own_entry_for,
)
from engine.records import quantity
from warbands.views.presenters import form_key, page_key

_ACT = re2.compile("[0-9]{1,7}")
_GAME = re2.compile("[A-Za-z0-9_-]{16}")
PARTS = {
    "buy": "buy",
    "recruit": "recruit",
    "search": "rare",
    "sell": "sell",
    "give": "sell",
    "captive": "captives",
}
"""The part of the shop to which somebody comes back after an act."""


# Rules and founding


@read_page
def growth_book(request: HttpRequest, token: str) -> HttpResponse:
    """Explain the rules in force in a campaign to whoever may read it."""
    _, event = event_for(request, token)
    book, versions = load_campaign_book(event)
    return draw_page(request, "growth_book", event=event, book=book, versions=versions)


@form_page
def growth_rules(request: HttpRequest, token: str) -> HttpResponse:
    """Choose the rules by which warbands grow; what they would move is told first."""
    owner, event = organised_event_for(request, token)
    if event.kind != EventKind.CAMPAIGN:
        raise Http404
    if event.is_over:
        return over_page(request, event, "event-read", token)
    page = RulesPage(owner, event)
    form = GrowthRulesForm(form_data(request), page=page)
    preview = None
    if form.is_valid():
        change = keyed_request(request, owner, token, form.cleaned_data.get("reason", ""))
        with refused(form):
            # Before anybody founded, no rule has moved anything; the reader sees what others move.
            if page.has_begun and form.cleaned_data["previewed"] != form.choice:
                preview = load_preview(event, preview_growth_rules(change, form.draft))
            else:
                set_growth_rules(change, form.draft)
                message = "Campaign rules saved."
                return redirect_with_message(request, message, "event-read", token)
    return draw_page(
        request,
        "growth_rules",
        event=event,
        page=page,
        form=form,
        preview=preview,
        key=form_key(request),
    )


@require_POST
def growth_remind(request: HttpRequest, token: str) -> HttpResponse:
    """Remind the players of what their warbands still owe."""
    owner, _ = organised_event_for(request, token)
    with refused_as_message(request, passing=NotAllowed):
        count = remind_of_dues(ChangeRequest(owner, token))
        message = f"{quantity(count, 'player')} reminded."
        messages.success(request, message)
    return redirect("event-read", token)


@form_page
def warband_found(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Found the warband of a player: a copy of one of their rosters."""
    owner, event, record = own_entry_for(request, token, entry)
    if event.is_over:
        return over_page(request, event, "campaign-warband", token, entry)
    page = FoundingPage(owner, event, record, request.GET.get("warband", ""))
    form = FoundForm(form_data(request), page=page, may_organise=event.may_organise)
    if form.is_valid():
        with refused(form):
            change = keyed_request(request, owner, token)
            found_warband(change, form.draft(entry))
            message = f"{record.name} founded a warband."
            return redirect_with_message(request, message, "campaign-warband", token, entry)
    system = f"{event.system}.{event.variant}" if event.variant else event.system
    ways = {
        "build": f"{reverse('warband-new')}?system={system}&points_limit={page.points}",
        "starters": f"{reverse('starter-list')}?system={system}",
    }
    return draw_page(
        request,
        "growth_found",
        event=event,
        entry=record,
        page=page,
        form=form,
        ways=ways,
        key=form_key(request),
    )


# The warband of a player


@read_page
def campaign_warband(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Show a warband as its campaign has made it."""
    _, page = record_or_404(load_warband_page, request, token, entry)
    line = draw_rating_line(page.ratings) if len(page.ratings) > 1 else None
    return draw_page(
        request,
        "growth_warband",
        page=page,
        event=page.event,
        entry=page.head.entry,
        head=page.head,
        line=line,
    )


@read_page
def campaign_unit(request: HttpRequest, token: str, entry: str, unit: str) -> HttpResponse:
    """Show a unit of a warband with its whole past."""
    _, page = record_or_404(load_unit_page, request, token, entry, unit)
    return draw_page(
        request,
        "growth_unit",
        page=page,
        event=page.campaign.event,
        entry=page.head.entry,
        head=page.head,
        unit=page.unit,
        lines=load_unit_lines(page.campaign, page.warband, unit),
        key=page_key(),
    )


@read_page
def warband_ledger(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Show every row of a warband's log, the latest first."""
    owner, event = event_for(request, token)
    record = load_entry(owner, event, entry)
    form = LedgerForm(request.GET)
    is_valid = form.is_valid()
    wanted = form.cleaned_data if is_valid else {}
    page = load_ledger_page(
        event,
        record,
        page=form.cleaned_data.get("page") or 1,
        unit=wanted.get("unit", ""),
        number=wanted.get("round"),
    )
    may_act = (record.is_mine or event.may_organise) and not event.is_over
    return draw_page(
        request,
        "growth_ledger",
        status=200 if is_valid else 400,
        event=event,
        entry=record,
        page=page,
        form=form,
        may_act=may_act,
        key=page_key(),
    )


@form_page
def warband_trade(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Buy, recruit, look for rare goods, sell, give away, dismiss and disband."""
    owner, event, record = own_entry_for(request, token, entry)
    if event.is_over:
        return over_page(request, event, "campaign-warband", token, entry)
    shop = load_shop(event, record, request.GET.get("for", ""))
    form = ActForm(form_data(request), trade=shop.rules.trade)
    if form.is_valid():
        act = form.order
        with refused(form):
            # The same button pressed twice acts once: the page's key goes with it.
            change = keyed_request(request, owner, token, act.reason)
            number = take_act(change, shop.head.id, act)
            messages.success(request, load_act_words(event, record, number))
            if act.kind == "disband":
                return redirect("campaign-warband", token, entry)
            if act.kind == "rename":
                return redirect("campaign-unit", token, entry, act.who)
            if _GAME.fullmatch(back := request.POST.get("back", "")):
                address = reverse("fixture-after", args=[token, back])
                return redirect(f"{address}#{entry}-sales")
            address = reverse("warband-trade", args=[token, entry])
            # Several things are often bought for one unit.
            chosen = f"?for={shop.bearer}" if shop.bearer and act.kind == "buy" else ""
            return redirect(f"{address}{chosen}#{PARTS.get(act.kind, '')}".rstrip("#"))
    return draw_page(
        request,
        "growth_trade",
        event=event,
        entry=record,
        page=shop,
        head=shop.head,
        form=form,
        key=page_key(),
    )


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
    owner, page = _playable_game(request, token, fixture)
    warband = request.POST.get("warband", "")
    side = next((side for side in page.sides if side.warband == warband), None)
    address = reverse("fixture-after", args=[token, fixture])
    if side is None or not side.may_act:
        message = page.fixture.event.over_words or "Choose a warband that you play."
        messages.error(request, message)
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
    return redirect(f"{address}#{build_anchor(due)}-{side.entry}")


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
    change = keyed_request(request, owner, event.token, answer.reason)
    address = reverse("fixture-after", args=[event.token, game.record.token])
    is_ruling = answer.row is not None
    # Dice that the site throws are not known before they are thrown.
    is_known = answer.faces is not None or answer.choice is not None
    if (is_ruling or (side.later and is_known)) and "go" not in request.POST:
        moved = preview_answers(change, side.warband, [answer])
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
    answer_dues(change, side.warband, [answer])
    return redirect(f"{address}#{build_anchor(due)}-{side.entry}")


@require_POST
def after_objectives(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Say which objectives were taken, and by whom."""
    owner, page = _playable_game(request, token, fixture)
    form = ObjectivesForm(request.POST, sides=page.sides)
    if form.is_valid():
        with refused_as_message(request):
            change = ChangeRequest(owner, token)
            tell_objectives(change, fixture, form.objectives)
            messages.success(request, "Objectives saved.")
    else:
        messages.error(request, "Objectives: enter numbers from 0 to 100.")
    return redirect("fixture-after", token, fixture)


@require_POST
def growth_take_back(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Take back an answer or a purchase; what changes is told first."""
    owner, event, record = own_entry_for(request, token, entry)
    sent = request.POST
    number, back = sent.get("act", ""), sent.get("back", "")
    act = int(number) if _ACT.fullmatch(number) else None
    what = Withdrawal(due=sent.get("due", "")[:200], act=act)
    address = reverse("campaign-warband", args=[token, entry])
    # The form names where to go back to; anything else than a game is left out.
    if _GAME.fullmatch(back):
        address = reverse("fixture-after", args=[token, back])
    form = ConfirmForm(sent if "go" in sent else None, needs_reason=not record.is_mine)
    warband = find_warband(event, record, sent.get("warband", ""))
    with refused_as_message(request):
        if "go" in sent and form.is_valid():
            change = keyed_request(request, owner, token, form.cleaned_data["reason"])
            take_back(change, warband, what)
            messages.success(request, "Reversed. Dice are kept.")
            return redirect(address)
        # The reason is asked for below; a preview needs none.
        change = ChangeRequest(owner, token, reason="preview")
        moved = preview_take_back(change, warband, what)
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


def _playable_game(
    request: HttpRequest, token: str, fixture: str
) -> tuple[Owner, AfterPage]:
    """Return who asks and a game they may answer for.

    Raises Http404 for who may not read it, PermissionDenied for other readers.
    """
    owner, page = record_or_404(load_after_page, request, token, fixture)
    if not (page.fixture.plays or page.fixture.event.may_organise):
        raise PermissionDenied
    return owner, page
