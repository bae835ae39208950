"""Everybody against everybody, the test calculator and the dice tray."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.requests import owner_of, without_robots
from engine.errors import Refusal
from odds import dice_tray
from odds.calculator import build_calculator
from odds.circumstances import parse_int
from odds.fight_modes import UnknownSubject, ruleset
from rulesdata import registry
from warbands.queries import odds_subjects
from warbands.queries.lists import warbands_of
from warbands.queries.matchup import MOST_KINDS, build_match_up
from warbands.queries.starters import starters
from warbands.views.odds import BANDS_SHOWN, band_key, is_part, query_of, tabs

TRAY = "dice_tray"
MOST_LINKED = 900


@require_safe
def match_up_read(request: HttpRequest) -> HttpResponse:
    """Every warrior of warband ``a`` against every warrior of ``b``."""
    asked, owner = request.GET, owner_of(request)
    own = [] if owner.is_nobody else warbands_of(owner, per_page=BANDS_SHOWN).rows
    try:
        book = ruleset(asked.get("book") or registry.rulesets()[0].address)
        ready = starters(book.address)
        keys = [_band_asked(asked, side, own, ready, place) for place, side in enumerate("ab")]
        bands = [odds_subjects.odds_warband_of(owner, keys[0])]
        bands.append(
            bands[0] if keys[1] == keys[0] else odds_subjects.odds_warband_of(owner, keys[1])
        )
        page = build_match_up(bands[0], bands[1], asked.dict(), is_asked=bool(asked.get("set")))
    except Refusal as refusal:
        raise BadRequest(refusal.message) from None
    except UnknownSubject as error:
        raise Http404(str(error)) from None
    more: dict[str, Any] = {"book": page.system.address, "measure": page.measure, "set": "1"}
    more |= {one.name: "1" for one, value in page.settings if value}
    choices = _choices(own, ready, bands)
    context = {
        "page": page,
        "bands": bands,
        "choices": choices,
        "books": registry.rulesets(),
        "most": MOST_KINDS,
        "is_linked": len(page.rows) * len(page.columns) <= MOST_LINKED,
        "swap": query_of(a=keys[1], b=keys[0], **more),
        "tabs": tabs("match-up-read"),
        "pair": f"{reverse('odds-read')}?book={page.system.address}",
    }
    return without_robots(
        render(request, "odds/match_up.html", context, status=422 if page.faults else 200)
    )


def _band_asked(asked: Any, side: str, own: Any, ready: Any, place: int) -> str:
    """The warband of one side: a pasted link first, then the choice, then what there is to begin
    with.
    """
    if link := band_key(asked.get(f"{side}_link", "")):
        return link
    if chosen := asked.get(side):
        return str(chosen)[: odds_subjects.KEY_MAX]
    if own and not place:
        return f"w:{own[0].token}"
    return f"s:{ready[min(place, len(ready) - 1)].key}"


def _choices(
    own: Any, ready: Any, bands: list[odds_subjects.OddsWarband]
) -> list[tuple[str, str, str]]:
    """Warbands to choose from as (heading, key, name): own, ready made, and those that are shown
    whatever they are.
    """
    found = [
        ("Your warbands", f"w:{row.token}", f"{row.display_name}, {row.army_name}") for row in own
    ]
    found += [("Starter warbands", f"s:{one.key}", f"{one.name}, {one.army}") for one in ready]
    known = {key for _, key, _ in found}
    return [
        ("Shown now", b.key, b.name)
        for b in {b.key: b for b in bands}.values()
        if b.key not in known
    ] + found


@require_safe
@vary_on_headers("HX-Request")
def test_read(request: HttpRequest) -> HttpResponse:
    """One test: its form, the chance of each outcome and the steps that lead there."""
    asked = request.GET
    try:
        page = build_calculator(asked.dict(), is_asked=bool(asked.get("set")))
    except UnknownSubject as error:
        raise Http404(str(error)) from None
    template = "odds/test.html" if is_part(request, "test") else "odds/tests.html"
    context = {"page": page, "tabs": tabs("test-read")}
    return without_robots(render(request, template, context, status=422 if page.fault else 200))


@require_http_methods(["GET", "HEAD", "POST"])
def dice_read(request: HttpRequest) -> HttpResponse:
    """The dice tray; posting throws, or writes down what was thrown at the table.

    The session keeps the last fifty.
    """
    throws = dice_tray.restored(request.session.get(TRAY))
    sent = request.POST if request.method == "POST" else request.GET
    fault: Refusal | None = None
    if request.method == "POST":
        try:
            one = _throw(request)
        except Refusal as refusal:
            fault = refusal
        else:
            throws = (one, *throws)[: dice_tray.MOST_KEPT]
            request.session[TRAY] = dice_tray.stored(throws)
            if not is_part(request, "tray"):
                return redirect("dice-read")
    context = {
        "throws": throws,
        "fairness": dice_tray.fairness(throws),
        "kinds": dice_tray.KINDS,
        "most": dice_tray.MOST_DICE,
        "why_max": dice_tray.WHY_MAX,
        "fault": fault,
        "sent": sent.dict()
        if fault
        else {"dice": request.POST.get("dice", ""), "why": sent.get("why", "")[:100]},
        "tabs": tabs("dice-read"),
    }
    template = "odds/tray.html" if is_part(request, "tray") else "odds/dice.html"
    return without_robots(render(request, template, context, status=422 if fault else 200))


def _throw(request: HttpRequest) -> dice_tray.Throw:
    sent = request.POST
    dice, why = sent.get("dice", ""), " ".join(sent.get("why", "").replace("\0", " ").split())
    times = parse_int(sent.get("times") or "1", "How many", "times", 1, dice_tray.MOST_DICE)
    now = timezone.now()
    if faces := sent.get("faces", "").strip():
        return dice_tray.read_dice(dice, times, faces, why, now)
    return dice_tray.roll_dice(dice, times, why, now, lambda sides: secrets.randbelow(sides) + 1)


@require_POST
def dice_clear(request: HttpRequest) -> HttpResponse:
    """Empty the tray."""
    request.session.pop(TRAY, None)
    return redirect("dice-read")
