"""The odds of two warriors, and the page where each of them is chosen."""

from __future__ import annotations

import re
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.owner import Owner
from accounts.requests import owner_of, without_robots
from engine.errors import Refusal
from odds.fight_modes import UnknownSubject, ruleset
from rulesdata import registry
from rulesdata.own_lists import is_own
from warbands.queries import odds_subjects
from warbands.queries.lists import warbands_of
from warbands.queries.odds_page import OddsPage, build_page
from warbands.queries.odds_subjects import OddsSubject, OddsWarband
from warbands.queries.starters import starters

TABS = (
    ("odds-read", "Two warriors"),
    ("match-up-read", "Match-up"),
    ("test-read", "Tests"),
    ("dice-read", "Dice"),
)
SIDES = {"a": "attacker", "b": "target"}
BANDS_SHOWN = 30
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16}")


def tabs(current: str) -> list[dict[str, Any]]:
    """The four pages of this part of the site."""
    return [
        {"label": label, "url": reverse(name), "current": name == current} for name, label in TABS
    ]


def is_part(request: HttpRequest, target: str) -> bool:
    """Whether htmx asks for that part of the page alone."""
    asked = getattr(request, "htmx", None)
    return bool(asked and not asked.boosted and asked.target == target)


def source_for(
    owner: Owner, key: str, options: list[str], known: dict[str, OddsWarband]
) -> OddsSubject:
    """The warrior of a key: 400 in words for one that cannot be read, 404 for one that is not
    there.
    """
    try:
        return odds_subjects.odds_subject_of(owner, key, options, known)
    except Refusal as refusal:
        raise BadRequest(refusal.message) from None
    except UnknownSubject as error:
        raise Http404(str(error)) from None


@require_safe
@vary_on_headers("HX-Request")
def odds_read(request: HttpRequest) -> HttpResponse:
    """Two warriors (``a`` against ``b``) under the rules of ``book``, in the circumstances that the
    form names.
    """
    asked, owner, known = request.GET, owner_of(request), dict[str, OddsWarband]()
    first_key, second_key = odds_subjects.example()
    is_example = not (asked.get("a") or asked.get("b"))
    first = source_for(owner, asked.get("a") or first_key, asked.getlist("ao"), known)
    second = source_for(
        owner,
        asked.get("b") or (second_key if is_example else first.key),
        asked.getlist("bo"),
        known,
    )
    try:
        page = build_page(first, second, asked.dict(), is_asked=bool(asked.get("set")))
    except UnknownSubject as error:
        context = {
            "first": first,
            "second": second,
            "sentence": str(error),
            "tabs": tabs("odds-read"),
        }
        return without_robots(
            render(request, "odds/apart.html", _sides(context, asked, first, second), status=422)
        )
    context = {
        "page": page,
        "is_example": is_example,
        "tabs": tabs("odds-read"),
        "beside": _beside(page, asked),
        "said": _said(page),
    }
    template = "odds/pair.html" if is_part(request, "odds") else "odds/odds.html"
    status = 422 if page.faults else 200
    return without_robots(
        render(request, template, _sides(context, asked, first, second), status=status)
    )


def _sides(
    context: dict[str, Any], asked: QueryDict, first: OddsSubject, second: OddsSubject
) -> dict[str, Any]:
    """The context with the links that exchange the two, or one of them."""
    links = {
        "swap": query_of(a=second.key, b=first.key, ao=asked.getlist("bo"), bo=asked.getlist("ao"))
    }
    links["choose_a"] = (
        f"{reverse('odds-choose')}{query_of(side='a', b=second.key, bo=asked.getlist('bo'))}"
    )
    links["choose_b"] = (
        f"{reverse('odds-choose')}{query_of(side='b', a=first.key, ao=asked.getlist('ao'))}"
    )
    return {**context, "links": links}


def query_of(**values: Any) -> str:
    query = QueryDict(mutable=True)
    for name, value in values.items():
        query.setlist(name, value if isinstance(value, list) else [value])
    return f"?{query.urlencode()}"


def _beside(page: OddsPage, asked: QueryDict) -> dict[str, Any]:
    """The same pair under every system as a table; the columns are what any of them has a figure
    for.
    """
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


@require_safe
def odds_choose(request: HttpRequest) -> HttpResponse:
    """Whom to set on one side: a warrior of an own warband, of one somebody shared, of a starter,
    or of a list.
    """
    asked, owner = request.GET, owner_of(request)
    side = asked.get("side") or "a"
    if side not in SIDES:
        raise BadRequest("“side” must be a or b.")
    kept = _kept(asked, "b" if side == "a" else "a")
    context: dict[str, Any] = {
        "side": side,
        "who": SIDES[side],
        "kept": [(name, value) for name, values in kept.lists() for value in values],
        "tabs": tabs("odds-read"),
        "here": query_of(side=side, **dict(kept.lists())),
        "back": f"?{kept.urlencode()}" if kept else "",
    }
    try:
        context |= _chooser(owner, asked, side, kept)
    except Refusal as refusal:
        raise BadRequest(refusal.message) from None
    except (UnknownSubject, registry.UnknownKey) as error:
        raise Http404(str(error)) from None
    return without_robots(render(request, "odds/choose.html", context))


def _kept(asked: QueryDict, other: str) -> QueryDict:
    """What is chosen already for the other side: who, and with which options."""
    kept = QueryDict(mutable=True)
    if who := asked.get(other, "")[: odds_subjects.KEY_MAX]:
        kept[other] = who
    if options := asked.getlist(f"{other}o")[:40]:
        kept.setlist(f"{other}o", options)
    return kept


def _chooser(owner: Owner, asked: QueryDict, side: str, kept: QueryDict) -> dict[str, Any]:
    """The step of choosing that was asked for: one of a warband, one of an army, or which."""

    def chosen(key: str) -> str:
        return query_of(**dict(kept.lists()), **{side: key})

    link = band_key(asked.get("link", ""))
    if wanted := link or asked.get("band", ""):
        band = odds_subjects.odds_warband_of(owner, wanted[: odds_subjects.KEY_MAX])
        members = [(one, _title(one)) for one in odds_subjects.members(band)]
        found = [(one.entry.name or title, title, chosen(one.key)) for one, title in members]
        return {"band": band, "warriors": found}
    system = ruleset(asked.get("book") or registry.rulesets()[0].address)
    context: dict[str, Any] = {"book": system, "books": registry.rulesets()}
    if (army_key := asked.get("army")) and not is_own(army_key):
        army = registry.load_army(system.key, army_key, system.variant)
        units = [profile for profile in army.profiles.values() if profile.is_offered]
        prefix = f"p:{system.address}:{army.key}"
        context["army"] = army
        context["units"] = [(one, chosen(f"{prefix}:{one.key}")) for one in units]
        return context
    context["own"] = [] if owner.is_nobody else warbands_of(owner, per_page=BANDS_SHOWN).rows
    context["armies"] = registry.army_names(system.key).items()
    context["starters"] = starters(system.address)
    return context


def _title(source: OddsSubject) -> str:
    system = ruleset(source.book)
    profile = registry.load_army(system.key, source.army, system.variant).profiles.get(
        source.entry.profile
    )
    return (profile.model_name or profile.name) if profile else source.entry.profile


def band_key(text: str) -> str:
    """A warband's key out of a link or token somebody pasted; empty where nothing was.

    Raises Refusal.
    """
    if not text.strip():
        return ""
    found = _TOKEN.findall(text[:500].rstrip("/ ").partition("?")[0])
    if not found:
        raise Refusal(
            "Link: paste the whole address of a warband that is shared with you.", field="link"
        )
    return f"w:{found[-1]}"
