"""The odds of two warriors, everybody against everybody, the test calculator and the dice tray."""

import secrets
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import re2
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.owner import Owner
from accounts.requests import owner_of, without_robots
from engine.errors import Refusal
from engine.records import Fields, TextByKey, Texts
from engine.types.systems import System
from odds import dice_tray
from odds.calculator import build_calculator
from odds.circumstances import parse_int
from odds.fight_modes import UnknownSubject, ruleset
from rulesdata import registry
from rulesdata.own_lists import is_own
from warbands.queries import odds_subjects
from warbands.queries.lists import warbands_of
from warbands.queries.load_outs import COLUMNS
from warbands.queries.odds import MOST_KINDS, OddsPage, build_match_up, build_page
from warbands.queries.odds_subjects import OddsSubject, OddsWarband, odds_warband_of
from warbands.queries.records import Starter, WarbandRow
from warbands.queries.starters import starters

TABS = (
    ("odds-read", "Two models"),
    ("match-up-read", "Match-up"),
    ("test-read", "Tests"),
    ("dice-read", "Dice"),
)
SIDES = {"a": "attacker", "b": "target"}
BANDS_SHOWN = 30
TRAY = "dice_tray"
MOST_LINKED = 900  # cells; a larger table shows its figures without links
_TOKEN = re2.compile(r"[A-Za-z0-9_-]{16}")


def odds_page(
    view: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer 400 in words for a key that cannot be read, 404 for one that is not there."""

    @require_safe
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        try:
            return view(request)
        except Refusal as refusal:
            raise BadRequest(refusal.message) from None
        except (UnknownSubject, registry.UnknownKey) as error:
            raise Http404(str(error)) from None

    return answer


def draw(
    request: HttpRequest,
    template: str,
    tab: str,
    context: Fields,
    *,
    is_faulty: bool,
) -> HttpResponse:
    """A page of this part of the site, 422 where something in its form cannot be."""
    tabs = [
        {"label": label, "url": reverse(name), "current": name == tab}
        for name, label in TABS
    ]
    context["tabs"] = tabs
    return without_robots(
        render(request, template, context, status=422 if is_faulty else 200)
    )


def is_part(request: HttpRequest, target: str) -> bool:
    """Whether htmx asks for that part of the page alone."""
    asked = getattr(request, "htmx", None)
    return bool(asked and not asked.boosted and asked.target == target)


def own_warbands(owner: Owner) -> Sequence[WarbandRow]:
    """The warbands to choose from first; a visitor without a session has none."""
    return [] if owner.is_nobody else warbands_of(owner, per_page=BANDS_SHOWN).rows


def asked_ruleset(asked: QueryDict) -> System:
    """The rules that a page was asked under, else the first there are."""
    return ruleset(asked.get("book") or registry.rulesets()[0].address)


@odds_page
@vary_on_headers("HX-Request")
def odds_read(request: HttpRequest) -> HttpResponse:
    """Two warriors (``a`` against ``b``) under the rules of ``book``, in the circumstances that the
    form names.
    """
    asked, owner, known = request.GET, owner_of(request), dict[str, OddsWarband]()
    is_example = not (asked.get("a") or asked.get("b"))
    keys = odds_subjects.example()
    key = asked.get("a") or keys[0]
    first = odds_subjects.odds_subject_of(owner, key, asked.getlist("ao"), known)
    # Whoever is chosen alone meets the like of themselves.
    key = asked.get("b") or (keys[1] if is_example else first.key)
    second = odds_subjects.odds_subject_of(owner, key, asked.getlist("bo"), known)
    links = _links(asked, first, second)
    try:
        is_asked, sets = bool(asked.get("set")), _own_sets(asked)
        page = build_page(first, second, asked.dict(), sets, is_asked=is_asked)
    except UnknownSubject as error:
        context = {"first": first, "second": second, "sentence": str(error), "links": links}
        return draw(request, "odds/apart.html", "odds-read", context, is_faulty=True)
    context = {
        "page": page,
        "is_example": is_example,
        "beside": _beside(page, asked),
        "said": _said(page),
        "links": links,
    }
    template = "odds/pair.html" if is_part(request, "odds") else "odds/odds.html"
    return draw(request, template, "odds-read", context, is_faulty=bool(page.faults))


def _own_sets(asked: QueryDict) -> list[Texts | None]:
    """The sets of gear to compare; None in the place of one that nobody has chosen yet."""
    count = asked.get("sets", "")
    if count not in COLUMNS:
        return []
    # An empty text stands for a set that nothing was chosen for.
    sent = (asked.getlist(f"l{number}") for number in range(1, int(count) + 1))
    return [tuple(filter(None, keys)) if keys else None for keys in sent]


def _links(asked: QueryDict, first: OddsSubject, second: OddsSubject) -> TextByKey:
    """The links that exchange the two, or one of them."""
    options, others = asked.getlist("ao"), asked.getlist("bo")
    choose = reverse("odds-choose")
    return {
        "swap": query_of(a=second.key, b=first.key, ao=others, bo=options),
        "choose_a": f"{choose}{query_of(side='a', b=second.key, bo=others)}",
        "choose_b": f"{choose}{query_of(side='b', a=first.key, ao=options)}",
    }


def query_of(**values: Any) -> str:
    query = QueryDict(mutable=True)
    for name, value in values.items():
        query.setlist(name, value if isinstance(value, list) else [value])
    return f"?{query.urlencode()}"


def _beside(page: OddsPage, asked: QueryDict) -> Fields:
    """The same pair under every system as a table; the columns are what any of them has a figure
    for.
    """
    # In the order of the first system that has the figure.
    columns = list(dict.fromkeys(h.what for one in page.beside for h in one.headlines))
    rows = []
    for one in page.beside:
        query = asked.copy()
        query["a"], query["b"], query["book"] = page.first.key, page.second.key, one.address
        figures = {h.what: h for h in one.headlines}
        rows.append(
            {
                "one": one,
                "query": f"?{query.urlencode()}",
                "cells": [figures.get(name) for name in columns],
            }
        )
    return {"columns": columns, "rows": rows}


def _said(page: OddsPage) -> str:
    shown = next(one for one in page.beside if one.is_shown)
    return ", ".join(f"{h.what} {h.percent}" for h in shown.headlines)


@odds_page
def odds_choose(request: HttpRequest) -> HttpResponse:
    """Whom to set on one side: a warrior of an own warband, of one somebody shared, of a starter,
    or of a list.
    """
    asked, owner = request.GET, owner_of(request)
    side = asked.get("side") or "a"
    if side not in SIDES:
        raise BadRequest("“side” must be a or b.")
    kept = _kept(asked, "b" if side == "a" else "a")
    values = dict(kept.lists())

    def chosen(key: str) -> str:
        return query_of(**values, **{side: key})

    context = {
        "side": side,
        "who": SIDES[side],
        "kept": [(name, value) for name, sent in kept.lists() for value in sent],
        "here": query_of(side=side, **values),
        "back": f"?{kept.urlencode()}" if kept else "",
        **_chooser(owner, asked, chosen),
    }
    return draw(request, "odds/choose.html", "odds-read", context, is_faulty=False)


def _kept(asked: QueryDict, other: str) -> QueryDict:
    """What is chosen already for the other side: who, and with which options."""
    kept = QueryDict(mutable=True)
    if who := asked.get(other, "")[: odds_subjects.KEY_MAX]:
        kept[other] = who
    if options := asked.getlist(f"{other}o")[:40]:
        kept.setlist(f"{other}o", options)
    return kept


def _chooser(owner: Owner, asked: QueryDict, chosen: Callable[[str], str]) -> Fields:
    """The step of choosing that was asked for: one of a warband, one of an army, or which."""
    if wanted := band_key(asked.get("link", "")) or asked.get("band", ""):
        band = odds_warband_of(owner, wanted[: odds_subjects.KEY_MAX])
        titled = [(one, _title(one)) for one in odds_subjects.members(band)]
        found = [(one.entry.name or title, title, chosen(one.key)) for one, title in titled]
        return {"band": band, "warriors": found}
    system = asked_ruleset(asked)
    context: Fields = {"book": system, "books": registry.rulesets()}
    army_key = asked.get("army", "")
    if army_key and not is_own(army_key):
        return {**context, **_units(system, army_key, chosen)}
    return {
        **context,
        "own": own_warbands(owner),
        "armies": registry.army_names(system.key).items(),
        "starters": starters(system.address),
    }


def _units(system: System, army_key: str, chosen: Callable[[str], str]) -> Fields:
    army = registry.load_army(system.key, army_key, system.variant)
    offered = [profile for profile in army.profiles.values() if profile.is_offered]
    prefix = f"p:{system.address}:{army.key}"
    return {
        "army": army,
        "units": [(one, chosen(f"{prefix}:{one.key}")) for one in offered],
    }


def _title(source: OddsSubject) -> str:
    system = ruleset(source.book)
    army = registry.load_army(system.key, source.army, system.variant)
    profile = army.profiles.get(source.entry.profile)
    return (profile.model_name or profile.name) if profile else source.entry.profile


def band_key(text: str) -> str:
    """A warband's key out of a link or token somebody pasted; empty where nothing was.

    Raises Refusal.
    """
    if not text.strip():
        return ""
    # The last match: a site under a path may have a word of that shape before it.
    found = _TOKEN.findall(text[:500].rstrip("/ ").partition("?")[0])
    if not found:
        raise Refusal(
            "Link: paste the whole address of a warband that is shared with you.",
            field="link",
        )
    return f"w:{found[-1]}"


@odds_page
def match_up_read(request: HttpRequest) -> HttpResponse:
    """Every warrior of warband ``a`` against every warrior of ``b``."""
    asked, owner = request.GET, owner_of(request)
    own, book = own_warbands(owner), asked_ruleset(asked)
    ready = starters(book.address)
    first, second = (_band_asked(asked, side, own, ready) for side in SIDES)
    band = odds_warband_of(owner, first)
    # A warband against itself is loaded once.
    bands = [band, band if second == first else odds_warband_of(owner, second)]
    page = build_match_up(bands[0], bands[1], asked.dict(), is_asked=bool(asked.get("set")))
    more: Fields = {
        "book": page.system.address,
        "measure": page.measure,
        "set": "1",
    }
    more |= {one.name: "1" for one, value in page.settings if value}
    context = {
        "page": page,
        "bands": bands,
        "choices": _choices(own, ready, bands),
        "books": registry.rulesets(),
        "most": MOST_KINDS,
        "is_linked": len(page.rows) * len(page.columns) <= MOST_LINKED,
        "swap": query_of(a=second, b=first, **more),
        "pair": f"{reverse('odds-read')}?book={page.system.address}",
    }
    is_faulty = bool(page.faults)
    return draw(
        request, "odds/match_up.html", "match-up-read", context, is_faulty=is_faulty
    )


def _band_asked(
    asked: QueryDict, side: str, own: Sequence[WarbandRow], ready: Sequence[Starter]
) -> str:
    """The warband of one side: a pasted link first, then the choice, then what there is to begin
    with.
    """
    if link := band_key(asked.get(f"{side}_link", "")):
        return link
    if chosen := asked.get(side):
        return chosen[: odds_subjects.KEY_MAX]
    # Copies of campaigns stand last, and nobody begins with one.
    if side == "a" and own and not own[0].is_grown:
        return f"w:{own[0].token}"
    return f"s:{ready[0 if side == 'a' else min(1, len(ready) - 1)].key}"


def _choices(
    own: Sequence[WarbandRow], ready: Sequence[Starter], bands: Sequence[OddsWarband]
) -> list[tuple[str, str, str]]:
    """Warbands to choose from as (heading, key, name): own, ready made, and those that are shown
    whatever they are.
    """
    found = [
        ("Your warbands", f"w:{row.token}", f"{row.display_name}, {row.army_name}")
        for row in own
    ]
    found += [
        ("Starter warbands", f"s:{one.key}", f"{one.name}, {one.army}") for one in ready
    ]
    known = {key for _, key, _ in found}
    shown = dict.fromkeys((band.key, band.name) for band in bands if band.key not in known)
    return [("Shown now", key, name) for key, name in shown] + found


@odds_page
@vary_on_headers("HX-Request")
def test_read(request: HttpRequest) -> HttpResponse:
    """One test: its form, the chance of each outcome and the steps that lead there."""
    asked = request.GET
    page = build_calculator(asked.dict(), is_asked=bool(asked.get("set")))
    template = "odds/test.html" if is_part(request, "test") else "odds/tests.html"
    return draw(request, template, "test-read", {"page": page}, is_faulty=bool(page.fault))


@require_http_methods(["GET", "HEAD", "POST"])
def dice_read(request: HttpRequest) -> HttpResponse:
    """The dice tray; posting throws, or writes down what was thrown at the table.

    The session keeps the last fifty.
    """
    throws = dice_tray.restored(request.session.get(TRAY))
    sent = request.POST if request.method == "POST" else request.GET
    kept = {"dice": request.POST.get("dice", ""), "why": sent.get("why", "")[:100]}
    fault: Refusal | None = None
    if request.method == "POST":
        try:
            throws = (_throw(sent), *throws)[: dice_tray.MOST_KEPT]
        except Refusal as refusal:
            fault, kept = refusal, sent.dict()
        else:
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
        "sent": kept,
    }
    template = "odds/tray.html" if is_part(request, "tray") else "odds/dice.html"
    return draw(request, template, "dice-read", context, is_faulty=fault is not None)


def _throw(sent: QueryDict) -> dice_tray.Throw:
    dice, why = (
        sent.get("dice", ""),
        " ".join(sent.get("why", "").replace("\0", " ").split()),
    )
    times = parse_int(sent.get("times") or "1", "How many", "times", 1, dice_tray.MOST_DICE)
    now = timezone.now()
    if faces := sent.get("faces", "").strip():
        return dice_tray.read_dice(dice, times, faces, why, now)
    return dice_tray.roll_dice(
        dice, times, why, now, lambda sides: secrets.randbelow(sides) + 1
    )


@require_POST
def dice_clear(request: HttpRequest) -> HttpResponse:
    """Empty the tray."""
    request.session.pop(TRAY, None)
    return redirect("dice-read")
