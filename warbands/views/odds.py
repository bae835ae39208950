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
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.owner import Owner
from accounts.requests import owner_of, without_robots
from engine.errors import Refusal
from engine.records import Fields, Texts
from engine.types.systems import System
from odds import dice_tray
from odds.calculator import build_calculator
from odds.circumstances import parse_int
from odds.fight_modes import UnknownSubject, ruleset
from rulesdata import registry
from rulesdata.own_lists import is_own
from warbands.queries import odds_subjects
from warbands.queries.lists import Starter, starters, warbands_of
from warbands.queries.odds import MOST_KINDS, build_match_up, build_page
from warbands.queries.odds_subjects import COLUMNS, OddsWarband, find_odds_warband
from warbands.queries.records import WarbandRow
from warbands.views.presenters import build_tabs

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
    is_faulty: bool = False,
) -> HttpResponse:
    """A page of this part of the site, 422 where something in its form cannot be."""
    pages = [(name, label, reverse(name)) for name, label in TABS]
    context["tabs"] = build_tabs(pages, tab)
    status = 422 if is_faulty else 200
    return without_robots(render(request, template, context, status=status))


def is_part(request: HttpRequest, target: str) -> bool:
    """Whether htmx asks for that part of the page alone."""
    htmx = getattr(request, "htmx", None)
    return bool(htmx and not htmx.boosted and htmx.target == target)


def own_warbands(owner: Owner) -> Sequence[WarbandRow]:
    """The warbands to choose from first; a visitor without a session has none."""
    return [] if owner.is_nobody else warbands_of(owner, per_page=BANDS_SHOWN).rows


def chosen_ruleset(query: QueryDict) -> System:
    """The rules that a page was asked under, else the first there are."""
    return ruleset(query.get("book") or registry.rulesets()[0].address)


def build_query(**values: Any) -> str:
    return f"?{urlencode(values, doseq=True)}"


@odds_page
@vary_on_headers("HX-Request")
def odds_read(request: HttpRequest) -> HttpResponse:
    """Two warriors (``a`` against ``b``) under the rules of ``book``, in the circumstances that the
    form names.
    """
    query, owner, warbands = request.GET, owner_of(request), dict[str, OddsWarband]()
    options, others = query.getlist("ao"), query.getlist("bo")
    is_example = not (query.get("a") or query.get("b"))
    keys = odds_subjects.example()
    key = query.get("a") or keys[0]
    first = odds_subjects.find_odds_subject(owner, key, options, warbands)
    # Whoever is chosen alone meets the like of themselves.
    key = query.get("b") or (keys[1] if is_example else first.key)
    second = odds_subjects.find_odds_subject(owner, key, others, warbands)
    choose = reverse("odds-choose")
    links = {
        "swap": build_query(a=second.key, b=first.key, ao=others, bo=options),
        "choose_a": f"{choose}{build_query(side='a', b=second.key, bo=others)}",
        "choose_b": f"{choose}{build_query(side='b', a=first.key, ao=options)}",
    }
    try:
        is_asked = bool(query.get("set"))
        page = build_page(first, second, query.dict(), _own_sets(query), is_asked=is_asked)
    except UnknownSubject as error:
        context = {"first": first, "second": second, "sentence": str(error), "links": links}
        return draw(request, "odds/apart.html", "odds-read", context, is_faulty=True)
    beside = _beside(page, query)
    headlines = next(row["headlines"] for row in beside["rows"] if row["is_shown"])
    context = {
        "page": page,
        "is_example": is_example,
        "beside": beside,
        "said": ", ".join(f"{line.name} {line.percent}" for line in headlines),
        "links": links,
    }
    template = "odds/pair.html" if is_part(request, "odds") else "odds/odds.html"
    return draw(request, template, "odds-read", context, is_faulty=bool(page["faults"]))


def _own_sets(query: QueryDict) -> list[Texts | None]:
    """The sets of gear to compare; None in the place of one that nobody has chosen yet."""
    count = query.get("sets", "")
    if count not in COLUMNS:
        return []
    # An empty text stands for a set that nothing was chosen for.
    sets = (query.getlist(f"l{number}") for number in range(1, int(count) + 1))
    return [tuple(filter(None, keys)) if keys else None for keys in sets]


def _beside(page: Fields, sent: QueryDict) -> Fields:
    """The same pair under every system as a table; the columns are what any of them has a figure
    for.
    """
    # In the order of the first system that has the figure.
    columns = list(
        dict.fromkeys(line.name for _, lines in page["beside"] for line in lines)
    )
    rows = []
    for system, headlines in page["beside"]:
        query = sent.copy()
        query["a"], query["b"] = page["first"].key, page["second"].key
        query["book"] = system.address
        figures = {line.name: line for line in headlines}
        rows.append(
            {
                "system": system,
                "headlines": headlines,
                "is_shown": system.address == page["encounter"].system.address,
                "query": f"?{query.urlencode()}",
                "cells": [figures.get(name) for name in columns],
            }
        )
    return {"columns": columns, "rows": rows}


@odds_page
def odds_choose(request: HttpRequest) -> HttpResponse:
    """Whom to set on one side: a warrior of an own warband, of one somebody shared, of a starter,
    or of a list.
    """
    query = request.GET
    side = query.get("side") or "a"
    if side not in SIDES:
        raise BadRequest("“side” must be a or b.")
    # What is chosen already for the other side: who, and with which options.
    other = "b" if side == "a" else "a"
    chosen = {
        other: [query.get(other, "")[: odds_subjects.KEY_MAX]],
        f"{other}o": query.getlist(f"{other}o")[:40],
    }
    chosen = {name: values for name, values in chosen.items() if any(values)}

    def link(key: str) -> str:
        return build_query(**chosen, **{side: key})

    context: Fields = {
        "side": side,
        "who": SIDES[side],
        "kept": [(name, value) for name, values in chosen.items() for value in values],
        "here": build_query(side=side, **chosen),
        "back": build_query(**chosen) if chosen else "",
    }
    context |= _chooser(owner_of(request), query, link)
    return draw(request, "odds/choose.html", "odds-read", context)


def _chooser(owner: Owner, query: QueryDict, link: Callable[[str], str]) -> Fields:
    """The step of choosing that was asked for: one of a warband, one of an army, or which."""
    if wanted := band_key(query.get("link", "")) or query.get("band", ""):
        band = find_odds_warband(owner, wanted[: odds_subjects.KEY_MAX])
        system = ruleset(band.book)
        army = registry.load_army(system.key, band.roster.army, system.variant)
        warriors = []
        for subject in odds_subjects.members(band):
            profile = army.profiles.get(subject.entry.profile)
            title = subject.entry.profile
            if profile:
                title = profile.shown_title
            warriors.append((subject.entry.name or title, title, link(subject.key)))
        return {"band": band, "warriors": warriors}
    system, army_key = chosen_ruleset(query), query.get("army", "")
    context: Fields = {"book": system, "books": registry.rulesets()}
    if army_key and not is_own(army_key):
        army = registry.load_army(system.key, army_key, system.variant)
        prefix = f"p:{system.address}:{army.key}"
        offered = [profile for profile in army.profiles.values() if profile.is_offered]
        units = [(profile, link(f"{prefix}:{profile.key}")) for profile in offered]
        return {**context, "army": army, "units": units}
    return {
        **context,
        "own": own_warbands(owner),
        "armies": registry.army_names(system.key).items(),
        "starters": starters(system.address),
    }


def band_key(text: str) -> str:
    """A warband's key out of a link or token somebody pasted; empty where nothing was.

    Raises Refusal.
    """
    if not text.strip():
        return ""
    # The last match: a site under a path may have a word of that shape before it.
    tokens = _TOKEN.findall(text[:500].rstrip("/ ").partition("?")[0])
    if not tokens:
        raise Refusal(
            "Link: paste the whole address of a warband that is shared with you.",
            field="link",
        )
    return f"w:{tokens[-1]}"


@odds_page
def match_up_read(request: HttpRequest) -> HttpResponse:
    """Every warrior of warband ``a`` against every warrior of ``b``."""
    query, owner = request.GET, owner_of(request)
    warbands, ready = own_warbands(owner), starters(chosen_ruleset(query).address)
    usual = [f"s:{ready[0].key}", f"s:{ready[min(1, len(ready) - 1)].key}"]
    # Copies of campaigns stand last, and nobody begins with one.
    if warbands and not warbands[0].is_grown:
        usual[0] = f"w:{warbands[0].token}"
    # A pasted link first, then the choice, then what there is to begin with.
    first, second = (
        band_key(query.get(f"{side}_link", ""))
        or (query.get(side) or key)[: odds_subjects.KEY_MAX]
        for side, key in zip(SIDES, usual, strict=True)
    )
    band = find_odds_warband(owner, first)
    # A warband against itself is loaded once.
    bands = [band, band if second == first else find_odds_warband(owner, second)]
    is_asked = bool(query.get("set"))
    page = build_match_up(bands[0], bands[1], query.dict(), is_asked=is_asked)
    settings = {each.name: "1" for each, value in page["settings"] if value}
    book, size = page["system"].address, len(page["rows"]) * len(page["columns"])
    values = {"book": book, "measure": page["measure"], "set": "1", **settings}
    context = {
        "page": page,
        "bands": bands,
        "choices": _choices(warbands, ready, bands),
        "books": registry.rulesets(),
        "most": MOST_KINDS,
        "is_linked": size <= MOST_LINKED,
        "swap": build_query(a=second, b=first, **values),
        "pair": f"{reverse('odds-read')}?book={book}",
    }
    template, is_faulty = "odds/match_up.html", bool(page["faults"])
    return draw(request, template, "match-up-read", context, is_faulty=is_faulty)


def _choices(
    warbands: Sequence[WarbandRow], ready: Sequence[Starter], bands: Sequence[OddsWarband]
) -> list[tuple[str, str, str]]:
    """Warbands to choose from as (heading, key, name); those that are shown stand first whatever
    they are.
    """
    choices = [
        ("Your warbands", f"w:{row.token}", f"{row.display_name}, {row.army_name}")
        for row in warbands
    ]
    for starter in ready:
        name = f"{starter.sheet.name}, {starter.sheet.army_name}"
        choices.append(("Starter warbands", f"s:{starter.key}", name))
    listed = {key for _, key, _ in choices}
    others = dict.fromkeys((b.key, b.name) for b in bands if b.key not in listed)
    return [("Shown now", key, name) for key, name in others] + choices


@odds_page
@vary_on_headers("HX-Request")
def test_read(request: HttpRequest) -> HttpResponse:
    """One test: its form, the chance of each outcome and the steps that lead there."""
    query = request.GET
    page = build_calculator(query.dict(), is_asked=bool(query.get("set")))
    template = "odds/test.html" if is_part(request, "test") else "odds/tests.html"
    return draw(
        request, template, "test-read", {"page": page}, is_faulty=bool(page["fault"])
    )


@require_http_methods(["GET", "HEAD", "POST"])
def dice_read(request: HttpRequest) -> HttpResponse:
    """The dice tray; posting throws, or writes down what was thrown at the table.

    The session keeps the last fifty.
    """
    throws = dice_tray.restored(request.session.get(TRAY))
    query = request.POST if request.method == "POST" else request.GET
    sent = {"dice": request.POST.get("dice", ""), "why": query.get("why", "")[:100]}
    fault: Refusal | None = None
    if request.method == "POST":
        try:
            dice, faces = query.get("dice", ""), query.get("faces", "").strip()
            why = " ".join(query.get("why", "").replace("\0", " ").split())
            most, now = dice_tray.MOST_DICE, timezone.now()
            times = parse_int(query.get("times") or "1", "How many", "times", 1, most)
            if faces:
                throw = dice_tray.read_dice(dice, times, faces, why, now)
            else:
                throw = dice_tray.roll_dice(
                    dice, times, why, now, lambda sides: secrets.randbelow(sides) + 1
                )
            throws = (throw, *throws)[: dice_tray.MOST_KEPT]
        except Refusal as refusal:
            fault, sent = refusal, query.dict()
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
        "sent": sent,
    }
    template = "odds/tray.html" if is_part(request, "tray") else "odds/dice.html"
    return draw(request, template, "dice-read", context, is_faulty=fault is not None)


@require_POST
def dice_clear(request: HttpRequest) -> HttpResponse:
    """Empty the tray."""
    request.session.pop(TRAY, None)
    return redirect("dice-read")
