"""Campaigns in which warbands grow: rules, foundings, and each warband with ledger and shop."""

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
from campaigns.forms.growth import ActForm, FoundForm, GrowthRulesForm, LedgerForm
from campaigns.models import EventKind
from campaigns.operations.aftermaths import remind_of_dues
from campaigns.operations.growth.acts import take_act
from campaigns.operations.growth.rules import preview_growth_rules, set_growth_rules
from campaigns.operations.growth.warbands import found_warband
from campaigns.operations.log import ChangeRequest
from campaigns.queries.growth.ledger_pages import (
    EVERYTHING,
    load_act_words,
    load_ledger_page,
    load_unit_lines,
)
from campaigns.queries.growth.reports import load_preview
from campaigns.queries.growth.setup import (
    load_campaign_book,
    load_founding_page,
    load_rules_page,
)
from campaigns.queries.growth.shops import load_shop
from campaigns.queries.growth.warbands import load_unit_page, load_warband_page
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.views.requests import (
    draw_page,
    entry_or_404,
    event_for,
    keyed_request,
    organised_event_for,
    over_page,
)
from warbands.views.presenters import form_key, page_key

PARTS = {
    "buy": "buy",
    "recruit": "recruit",
    "search": "rare",
    "sell": "sell",
    "give": "sell",
}
"""The part of the shop to which somebody comes back after an act."""


# Rules and founding


@read_page
def growth_book(request: HttpRequest, token: str) -> HttpResponse:
    """Explain the rules in force in a campaign to whoever may read it."""
    _, event = event_for(request, token)
    if not event.growth_position:
        raise Http404
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
    page = load_rules_page(owner, event)
    form = GrowthRulesForm(
        form_data(request),
        sets=page.choices,
        current=page.current,
        has_begun=page.has_begun,
    )
    preview = None
    if form.is_valid():
        asked = keyed_request(request, owner, token, form.cleaned_data.get("reason", ""))
        with refused(form):
            # Before anybody founded, no rule has moved anything.
            if page.has_begun and not form.is_previewed:
                preview = load_preview(event, preview_growth_rules(asked, form.draft))
            else:
                set_growth_rules(asked, form.draft)
                said = "Campaign rules saved."
                return redirect_with_message(request, said, "event-read", token)
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
        told = remind_of_dues(ChangeRequest(owner, token))
        words = "1 player reminded." if told == 1 else f"{told} players reminded."
        messages.success(request, words)
    return redirect("event-read", token)


@form_page
def warband_found(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Found the warband of a player: a copy of one of their rosters."""
    owner, event = event_for(request, token)
    record = entry_or_404(owner, event, entry)
    if not (record.is_mine or event.may_organise):
        raise PermissionDenied
    if event.is_over:
        return over_page(request, event, "campaign-warband", token, entry)
    page = load_founding_page(owner, event, record, request.GET.get("warband", ""))
    form = FoundForm(
        form_data(request),
        choices=page.choices,
        usual=page.usual,
        may_organise=event.may_organise,
    )
    if form.is_valid():
        with refused(form):
            asked = keyed_request(request, owner, token)
            found_warband(asked, form.draft(entry))
            said = f"{record.name} founded a warband."
            return redirect_with_message(request, said, "campaign-warband", token, entry)
    limit = page.points
    system = f"{event.system}.{event.variant}" if event.variant else event.system
    ways = {
        "build": f"{reverse('warband-new')}?system={system}&points_limit={limit}",
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
    )


@read_page
def warband_ledger(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Show every row of a warband's log, the latest first."""
    _, event, record = _growing_entry(request, token, entry)
    form = LedgerForm(request.GET)
    is_valid = form.is_valid()
    page = load_ledger_page(
        event,
        record,
        page=form.cleaned_data.get("page") or 1,
        wanted=form.wanted if is_valid else EVERYTHING,
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
    owner, event, record = _growing_entry(request, token, entry)
    if not (record.is_mine or event.may_organise):
        raise PermissionDenied
    if event.is_over:
        return over_page(request, event, "campaign-warband", token, entry)
    shop = load_shop(event, record, request.GET.get("for", ""))
    form = ActForm(form_data(request), search_dice=shop.search_dice)
    if form.is_valid():
        act = form.given
        with refused(form):
            # The same button pressed twice acts once: the page's key goes with it.
            asked = keyed_request(request, owner, token, act.reason)
            number = take_act(asked, shop.head.id, act)
            messages.success(request, load_act_words(event, record, number))
            if act.kind == "disband":
                return redirect("campaign-warband", token, entry)
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


def _growing_entry(
    request: HttpRequest, token: str, entry: str
) -> tuple[Owner, ClubEventRecord, EntryRecord]:
    """Return who asks, and an entry of a growing campaign. Raises Http404."""
    owner, event = event_for(request, token)
    if not event.growth_position:
        raise Http404
    return owner, event, entry_or_404(owner, event, entry)
