"""What every battle view takes from its request: who asks, with which key, which battle."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.errors import Refusal
from accounts.forms import PageForm
from accounts.owner import Owner
from accounts.queries.clubs import load_clubs_of
from accounts.requests import (
    TellRefusal,
    owner_for_storing,
    owner_of,
    record_or_404,
    request_key,
    without_robots,
)
from battles.exports import KINDS
from battles.forms.setup import BattleForm, BattleListForm, BattleSideForm, side_count
from battles.hooks import battle_follower
from battles.keys import join_address, qr_code, spell_key
from battles.models import SIDES_LEAST, SIDES_MOST, BattleStatus, BattleVisibility
from battles.operations.setup import BattleDraft, open_battle
from battles.pdf import table_pack
from battles.presenters import (
    dice_rows,
    losses_sentence,
    outcome_words,
    result_step_lines,
    set_aside_lines,
    side_tables,
    turn_blocks,
)
from battles.queries.battles import load_battle
from battles.queries.careers import career_of
from battles.queries.index import battles_of, public_battles, waiting_for
from battles.queries.records import BattleRecord
from battles.queries.snapshots import load_sheets
from battles.request_keys import key_of
from engine.types.systems import System
from rulesdata import registry
from warbands.pdf import PAPERS
from warbands.queries.lists import warbands_of
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband
from warbands.views.manage import as_file, file_name
from warbands.views.presenters import page_key
from warbands.views.sheets import as_pdf


def battle_for(request: HttpRequest, token: str) -> tuple[Owner, str, BattleRecord]:
    """Who asks, the key they hold, and the battle they may see; raises Http404 for everybody else."""
    key = key_of(request, token)
    owner, record = record_or_404(load_battle, request, token, key)
    return owner, key, record


@require_safe
def warband_career(request: HttpRequest, token: str) -> HttpResponse:
    """Battles that stand, for whoever may read the warband."""
    _, career = record_or_404(career_of, request, token)
    return without_robots(render(request, "battles/career.html", {"career": career}))


ATTACHED = ("json", "csv")


@require_safe
def battle_export(request: HttpRequest, token: str, kind: str) -> HttpResponse:
    """Text, Markdown, JSON or CSV."""
    _, _, record = battle_for(request, token)
    write, media_type = KINDS[kind]
    body = write(record).encode("utf-8", "replace")
    return as_file(
        body,
        f"{media_type}; charset=utf-8",
        file_name(record.title, kind),
        attached=kind in ATTACHED,
    )


STATUSES = (("", "All"), *BattleStatus.choices)
TABS = (("battle-list", "Your battles"), ("battle-public", "Public"))


@require_safe
@never_cache
def battle_list(request: HttpRequest) -> HttpResponse:
    """The battles somebody takes part in; ``?status=`` narrows them down."""
    form = BattleListForm(request.GET)
    owner = owner_of(request)
    context: dict[str, Any] = {
        "form": form,
        "page": None,
        "tabs": _tabs("battle-list"),
        "statuses": STATUSES,
    }
    if form.is_valid():
        asked = form.cleaned_data
        context["status"] = asked["status"]
        context["page"] = battles_of(owner, status=asked["status"], page=asked["page"] or 1)
        context["waiting"] = 0 if owner.is_nobody else waiting_for(owner)
    return render(request, "battles/list.html", context, status=200 if context["page"] else 400)


@require_safe
def battle_public(request: HttpRequest) -> HttpResponse:
    """The battles that everybody may find."""
    form = PageForm(request.GET)
    page = (
        public_battles(owner_of(request), page=form.cleaned_data["page"] or 1)
        if form.is_valid()
        else None
    )
    context = {"form": form, "page": page, "tabs": _tabs("battle-public")}
    return render(request, "battles/public.html", context, status=200 if page else 400)


def _tabs(current: str) -> list[dict[str, Any]]:
    return [
        {"label": label, "url": reverse(name), "current": name == current} for name, label in TABS
    ]


CHOICES_MAX = 100
_SIDE = re.compile(r"sides\[(\d)\]\.?(.*)")


@require_http_methods(["GET", "HEAD", "POST"])
def battle_new(request: HttpRequest) -> HttpResponse:
    """Sides, scenario and what was agreed.

    ``?warband=`` begins with one, ``?system=`` and ``?sides=`` with others.

    The button that asks for another side sends what was typed so far, and gets it back with one
    more.
    """
    setup = _setup_asked(request)
    is_sent = request.method == "POST" and "sides_to" not in request.POST
    form, sides = _setup_forms(request, setup, request.POST if is_sent else None)
    if is_sent and all([form.is_valid(), *(side.is_valid() for side in sides)]):
        with TellRefusal(lambda refusal: _show(refusal, form, sides), passing=()):
            draft = BattleDraft(
                system=setup.system.key,
                variant=setup.system.variant,
                sides=[side.choice for side in sides],
                **form.operation_kwargs(),
            )
            owner = owner_for_storing(request)
            opened = open_battle(owner, draft, request_key=request_key(request))
            return redirect("battle-read", opened.token)
    return _setup_page(request, setup, form, sides)


def _setup_page(
    request: HttpRequest, setup: SetupAsked, form: BattleForm, sides: list[BattleSideForm]
) -> HttpResponse:
    wrong = bool(form.errors) or any(side.errors for side in sides)
    count = setup.count
    context: dict[str, Any] = {
        "form": form,
        "sides": sides,
        "system": setup.system,
        "systems": registry.rulesets(),
        "wished": setup.wished,
        "more_sides": count + 1 if count < SIDES_MOST else 0,
        "fewer_sides": count - 1 if count > SIDES_LEAST else 0,
        "key": request.POST.get("key") or page_key(),
    }
    return render(request, "battles/new.html", context, status=400 if wrong else 200)


@dataclass(frozen=True, slots=True)
class SetupAsked:
    """What a page that sets up a battle begins with."""

    owner: Owner
    system: System
    count: int  # of sides
    wished: WarbandRecord | None  # the warband the page was asked for with


def _setup_asked(request: HttpRequest) -> SetupAsked:
    owner = owner_of(request)
    wished = load_warband(owner, request.GET.get("warband", ""))
    sent = request.POST
    count = side_count(sent.get("sides_to") or sent.get("sides") or request.GET.get("sides") or "")
    usual = registry.load_ruleset(wished.roster)[0] if wished else None
    return SetupAsked(owner, system_asked(request, usual), count, wished)


def _setup_forms(
    request: HttpRequest, setup: SetupAsked, data: Mapping[str, str] | None
) -> tuple[BattleForm, list[BattleSideForm]]:
    """The form of the battle and one for each side; ``data`` is what is to be checked, if any."""
    form = BattleForm(
        data,
        owner=setup.owner,
        system=setup.system,
        sides=setup.count,
        clubs=_clubs(setup.owner),
        initial=_begins(request, setup.system, setup.wished),
    )
    return form, _side_forms(request, setup, data)


def system_asked(request: HttpRequest, usual: System | None = None) -> System:
    """The system a page is asked for, else the usual one, else the first there is.

    Raises BadRequest for a form of a system that there is not.
    """
    books = registry.rulesets()
    asked = request.POST.get("system") or request.GET.get("system") or ""
    if usual is not None and not asked:
        return usual
    for book in books:
        if asked in (book.address, book.key):
            return book
    if request.method == "POST":
        raise BadRequest(f"“system” must be one of {', '.join(book.address for book in books)}.")
    return books[0]


def _begins(request: HttpRequest, system: System, wished: WarbandRecord | None) -> dict[str, Any]:
    """What stands in the form before anything is typed, or what was typed before another side was
    asked for.
    """
    if request.method == "POST":
        ticks = {
            f"rule-{rule.key}": f"rule-{rule.key}" in request.POST for rule in system.house_rules
        }
        return {
            **{name: request.POST[name] for name in BattleForm.base_fields if name in request.POST},
            **ticks,
        }
    return {
        "fought_date": timezone.localdate(),
        "scenario": (wished.roster.scenario if wished else "") or "",
    }


def _side_forms(
    request: HttpRequest, setup: SetupAsked, data: Mapping[str, str] | None
) -> list[BattleSideForm]:
    offered = _own_warbands(setup.owner, setup.system)
    token = setup.wished.token if setup.wished else ""
    return [
        BattleSideForm(
            data,
            place=place,
            warbands=offered,
            has_leadership=bool(setup.system.leadership_stat),
            initial=_first_choice(place, token, dict(offered)),
            typed=request.POST,
        )
        for place in range(setup.count)
    ]


def _first_choice(place: int, wished: str, offered: Mapping[str, str]) -> Mapping[str, str]:
    """What stands there before anything is typed: one's own warband first, somebody else's against
    it.
    """
    if place == 0:
        own = wished if wished in offered else ""
        return {
            "kind": "own" if offered else "quick",
            "own": own or (next(iter(offered)) if len(offered) == 1 else ""),
        }
    if place == 1 and wished and wished not in offered:
        return {"kind": "link", "link": wished}
    return {"kind": "link"}


def _own_warbands(owner: Owner, system: System) -> list[tuple[str, str]]:
    if owner.is_nobody:
        return []
    rows = warbands_of(owner, per_page=CHOICES_MAX).rows
    return [
        (row.token, f"{row.display_name}, {row.army_name}")
        for row in rows
        if (row.system, row.variant or None) == (system.key, system.variant) and row.models
    ]


def _clubs(owner: Owner) -> list[tuple[int, str]]:
    return (
        [(club.id, club.name) for club in load_clubs_of(owner.user_id)]
        if owner.user_id is not None
        else []
    )


def _show(refusal: Refusal, form: BattleForm, sides: list[BattleSideForm]) -> None:
    """What was refused, at the side or the field it is about."""
    found = _SIDE.match(refusal.field)
    if found and int(found[1]) < len(sides):
        sides[int(found[1])].add_refusal(found[2], refusal.message)
    else:
        form.add_refusal(refusal)


@require_safe
def battle_table_pack(request: HttpRequest, token: str) -> HttpResponse:
    """Scenario, result slip, every side's sheet and quick reference. ``?paper=a4|letter``."""
    _, _, record = battle_for(request, token)
    paper: Any = request.GET.get("paper") or "a4"
    if paper not in PAPERS:
        raise BadRequest(f"“paper” must be {' or '.join(PAPERS)}.")
    join_url = request.build_absolute_uri(join_address(record)) if record.key else ""
    return as_pdf(
        request,
        lambda: table_pack(record, load_sheets(record), join_url=join_url, paper=paper),
        file_name(record.title, "pdf"),
        (reverse("battle-read", args=[token]), record.title),
    )


EXPORTS = (
    ("txt", "Copy as text", True),
    ("md", "Markdown", True),
    ("json", "JSON", False),
    ("csv", "CSV", False),
)
"""The kind of file, its label, and whether it is copied rather than saved."""


@require_safe
@never_cache
def battle_read(request: HttpRequest, token: str) -> HttpResponse:
    """Summary, result, casualties, timeline and dice of a battle."""
    owner, _, record = battle_for(request, token)
    context = {
        **battle_context(record),
        **_sharing(request, record),
        "game": battle_follower().event_of(owner, record.token),
    }
    return without_robots(render(request, "battles/read.html", context))


@require_safe
@never_cache
def battle_report(request: HttpRequest, token: str) -> HttpResponse:
    """The same to print."""
    _, _, record = battle_for(request, token)
    return without_robots(render(request, "battles/report.html", battle_context(record)))


def _sharing(request: HttpRequest, record: BattleRecord) -> dict[str, Any]:
    """The key and its QR code, for those who record."""
    if not record.key:
        return {}
    return {
        "key_shown": spell_key(record.key),
        "qr": qr_code(request.build_absolute_uri(join_address(record))),
        "visibilities": BattleVisibility.choices,
    }


def battle_context(record: BattleRecord) -> dict[str, Any]:
    """Everything both pages draw."""
    sides, end = side_tables(record), record.state.end
    return {
        "record": record,
        "sides": sides,
        "losses": losses_sentence(sides),
        "ended": outcome_words(record, end.winner, end.how) if end else "",
        "turns": turn_blocks(record),
        "aside": set_aside_lines(record),
        "dice": dice_rows(record),
        "steps": result_step_lines(record),
        "exports": [
            (reverse("battle-export", args=[record.token, kind]), *rest) for kind, *rest in EXPORTS
        ],
    }
