"""What every battle view takes from its request: who asks, with which key, which battle."""

from collections.abc import Sequence

import re2
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.errors import Refusal
from accounts.forms import PageForm
from accounts.owner import Owner
from accounts.requests import (
    TellRefusal,
    client_address,
    owner_for_storing,
    owner_of,
    read_page,
    record_or_404,
    request_key,
    without_robots,
)
from battles.exports import KINDS
from battles.forms.battles import BattleForm, BattleListForm, BattleSideForm, side_count
from battles.hooks import battle_follower
from battles.keys import join_address, qr_code, spell_key
from battles.models import SIDES_LEAST, SIDES_MOST, BattleVisibility
from battles.operations.setup import BattleDraft, open_battle
from battles.pdf import table_pack
from battles.presenters import (
    dice_rows,
    lines_left,
    losses_sentence,
    outcome_words,
    set_aside_lines,
    side_tables,
    turn_blocks,
)
from battles.queries.battles import load_battle, load_sheets
from battles.queries.careers import load_career
from battles.queries.index import (
    BattleRecord,
    own_battles,
    public_battles,
    waiting_for,
)
from battles.request_keys import find_key
from engine.records import Fields, TextByKey
from engine.types.systems import PART, System
from rulesdata import registry
from warbands.pdf.press import PAPERS
from warbands.queries.lists import warbands_of
from warbands.queries.records import WarbandRecord, WarbandRow
from warbands.queries.warbands import load_warband
from warbands.views.manage import as_file, file_name
from warbands.views.presenters import build_tabs, form_key
from warbands.views.sheets import as_pdf, read_choice


def battle_for(request: HttpRequest, token: str) -> tuple[Owner, str, BattleRecord]:
    """Who asks, the key they hold, and the battle they may see; raises Http404 for everybody else."""
    key = find_key(request, token)
    owner, record = record_or_404(load_battle, request, token, key)
    return owner, key, record


@require_safe
def warband_career(request: HttpRequest, token: str) -> HttpResponse:
    """Battles that stand, for whoever may read the warband."""
    _, career = record_or_404(load_career, request, token)
    return without_robots(render(request, "battles/career.html", {"career": career}))


@require_safe
def battle_export(request: HttpRequest, token: str, kind: str) -> HttpResponse:
    """Text, Markdown, JSON or CSV."""
    _, _, record = battle_for(request, token)
    write, media_type, _, is_copied = KINDS[kind]
    body = write(record).encode("utf-8", "replace")
    return as_file(
        body,
        f"{media_type}; charset=utf-8",
        file_name(record.title, kind),
        attached=not is_copied,
    )


TABS = (("list", "Your battles"), ("public", "Public"))


@read_page
def battle_list(request: HttpRequest) -> HttpResponse:
    """The battles somebody takes part in; ``?status=`` narrows them down."""
    form, owner = BattleListForm(request.GET), owner_of(request)
    context: Fields = {"statuses": form.fields["status"].choices, "page": None}  # type: ignore[attr-defined]
    if form.is_valid():
        status, page = form.cleaned_data["status"], form.cleaned_data["page"] or 1
        context |= {
            "status": status,
            "waiting": 0 if owner.is_nobody else waiting_for(owner),
            "page": own_battles(owner, status=status, page=page),
        }
    return _list_page(request, "list", form, context)


@require_safe
def battle_public(request: HttpRequest) -> HttpResponse:
    """The battles that everybody may find."""
    form, page = PageForm(request.GET), None
    if form.is_valid():
        page = public_battles(owner_of(request), page=form.cleaned_data["page"] or 1)
    return _list_page(request, "public", form, {"page": page})


def _list_page(
    request: HttpRequest, name: str, form: PageForm, context: Fields
) -> HttpResponse:
    """Draw a list below the tabs of all lists; a 400 where there is no such page."""
    pages = [(tab, label, reverse(f"battle-{tab}")) for tab, label in TABS]
    context |= {"form": form, "tabs": build_tabs(pages, name)}
    status = 200 if context["page"] else 400
    return render(request, f"battles/{name}.html", context, status=status)


CHOICES_MAX = 100
_SIDE = re2.compile(r"sides\[(\d)\]\.?(.*)")


@require_http_methods(["GET", "HEAD", "POST"])
def battle_new(request: HttpRequest) -> HttpResponse:
    """Sides, scenario and what was agreed.

    ``?warband=`` begins with one, ``?system=`` and ``?sides=`` with others.

    The button that asks for another side sends what was typed so far, and gets it back with one
    more.
    """
    owner, sent = owner_of(request), request.POST
    wished = load_warband(owner, request.GET.get("warband", ""))
    usual = registry.load_ruleset(wished.roster)[0] if wished else None
    system = system_asked(request, usual)
    # As a button asks, as the form had, or as the address says.
    counts = (sent.get("sides_to"), sent.get("sides"), request.GET.get("sides"))
    count = side_count(next(filter(None, counts), ""))
    is_sent = request.method == "POST" and "sides_to" not in sent
    data = sent if is_sent else None
    initial = _begins(request, system, wished)
    form = BattleForm(data, owner=owner, system=system, sides=count, initial=initial)
    rows = _own_warbands(owner, system)
    offered = [(row.token, f"{row.display_name}, {row.army_name}") for row in rows]
    sides = []
    for place in range(count):
        # What stood in its fields when another side was asked for.
        typed = {
            name.removeprefix(f"side{place}-"): sent[name]
            for name in sent
            if name.startswith(f"side{place}-")
        }
        first = _first_choice(place, wished, rows) | typed
        sides.append(
            BattleSideForm(
                data, place=place, system=system, warbands=offered, initial=first
            )
        )
    if is_sent and all([form.is_valid(), *(side.is_valid() for side in sides)]):
        with TellRefusal(lambda refusal: _show(refusal, form, sides), passing=()):
            choices = [side.choice for side in sides]
            draft = BattleDraft(
                system.key, choices, variant=system.variant, **form.operation_kwargs()
            )
            opened = open_battle(
                owner_for_storing(request),
                draft,
                request_key=request_key(request),
                address=client_address(request),
            )
            return redirect("battle-read", opened.token)
    return _setup_page(request, form, sides, wished)


def _setup_page(
    request: HttpRequest,
    form: BattleForm,
    sides: list[BattleSideForm],
    wished: WarbandRecord | None,
) -> HttpResponse:
    """Draw the form to set a battle up; the status is 400 where a form has errors."""
    count = len(sides)
    is_wrong = form.errors or any(side.errors for side in sides)
    context = {
        "form": form,
        "sides": sides,
        "system": form.system,
        "systems": registry.rulesets(),
        "wished": wished,
        "more_sides": count + 1 if count < SIDES_MOST else 0,
        "fewer_sides": count - 1 if count > SIDES_LEAST else 0,
        "key": form_key(request),
    }
    status = (form.limit_status or 400) if is_wrong else 200
    return render(request, "battles/new.html", context, status=status)


def system_asked(request: HttpRequest, usual: System | None = None) -> System:
    """The system a page is asked for, else the usual one, else the first there is.

    Raises BadRequest for a form of a system that there is not.
    """
    books = registry.rulesets()
    address = request.POST.get("system") or request.GET.get("system") or ""
    if usual is not None and not address:
        return usual
    for book in books:
        if address in (book.address, book.key):
            return book
    if request.method == "POST":
        raise BadRequest(
            f"“system” must be one of {', '.join(book.address for book in books)}."
        )
    return books[0]


def _begins(request: HttpRequest, system: System, wished: WarbandRecord | None) -> Fields:
    """What stands in the form before anything is typed, or what was typed before another side was
    asked for.
    """
    if request.method == "POST":
        rules = [f"rule-{rule.key}" for rule in system.house_rules]
        return request.POST.dict() | {name: name in request.POST for name in rules}
    scenario = (wished.roster.scenario if wished else None) or ""
    # The battle is of the whole scenario, whichever side the warband plays in it.
    return {"fought_date": timezone.localdate(), "scenario": scenario.partition(PART)[0]}


def _first_choice(
    place: int, wished: WarbandRecord | None, rows: Sequence[WarbandRow]
) -> TextByKey:
    """What stands there before anything is typed: one's own warband first, somebody else's against
    it.
    """
    token = wished.token if wished else ""
    offered = {row.token: row.is_grown for row in rows}
    if place == 0:
        # Nobody plays with the copy of a campaign unless they choose it.
        only = next(iter(offered)) if list(offered.values()) == [False] else ""
        selected = token if token in offered else only
        return {"kind": "own" if offered else "quick", "own": selected}
    if place == 1 and token and token not in offered:
        return {"kind": "link", "link": token}
    return {"kind": "link"}


def _own_warbands(owner: Owner, system: System) -> list[WarbandRow]:
    """Return the own warbands of a system that have models, copies of campaigns last.

    Only the latest ``CHOICES_MAX`` are looked at.
    """
    if owner.is_nobody:
        return []
    rows = warbands_of(owner, per_page=CHOICES_MAX).rows
    played = system.key, system.variant
    return [
        row for row in rows if (row.system, row.variant or None) == played and row.models
    ]


def _show(refusal: Refusal, form: BattleForm, sides: list[BattleSideForm]) -> None:
    """What was refused, at the side or the field it is about."""
    match = _SIDE.match(refusal.field)
    if match and int(match[1]) < len(sides):
        sides[int(match[1])].add_refusal(match[2], refusal.message)
    else:
        form.add_refusal(refusal)


@require_safe
def battle_table_pack(request: HttpRequest, token: str) -> HttpResponse:
    """Scenario, result slip, every side's sheet and quick reference. ``?paper=a4|letter``."""
    _, _, record = battle_for(request, token)
    paper = read_choice(request, "paper", PAPERS, "a4")
    # Only who may record prints the code, for it holds the key.
    join_url = request.build_absolute_uri(join_address(record)) if record.key else ""
    return as_pdf(
        request,
        lambda: table_pack(record, load_sheets(record), join_url=join_url, paper=paper),
        file_name(record.title, "pdf"),
        (reverse("battle-read", args=[token]), record.title),
    )


@read_page
def battle_read(request: HttpRequest, token: str) -> HttpResponse:
    """Summary, result, casualties, timeline and dice of a battle."""
    owner, _, record = battle_for(request, token)
    context = {
        **battle_context(record),
        "game": battle_follower().event_of(owner, record.token),
    }
    # For those who record.
    if record.key:
        context |= {
            "key_shown": spell_key(record.key),
            "qr": qr_code(request.build_absolute_uri(join_address(record))),
            "visibilities": BattleVisibility.choices,
        }
    if record.open_sides and not context["game"]:
        system = registry.load_system(record.system, record.variant or None)
        context |= {
            "open_sides": record.open_sides,
            "own_warbands": _own_warbands(owner, system),
        }
    return without_robots(render(request, "battles/read.html", context))


@read_page
def battle_report(request: HttpRequest, token: str) -> HttpResponse:
    """The same to print."""
    _, _, record = battle_for(request, token)
    return without_robots(render(request, "battles/report.html", battle_context(record)))


def battle_context(record: BattleRecord) -> Fields:
    """Everything both pages draw."""
    sides, end = side_tables(record), record.state.end
    return {
        "record": record,
        "sides": sides,
        "losses": losses_sentence(sides),
        "ended": outcome_words(record, end.winner, end.how) if end else "",
        "turns": turn_blocks(record),
        "lines_left": lines_left(record),
        "superseded": set_aside_lines(record),
        "dice": dice_rows(record),
        "steps": [
            (
                step,
                ", for ".join(filter(None, (step.author, record.side_name(step.side)))),
                outcome_words(record, step.winner, step.how),
            )
            for step in record.result.steps
        ],
        "exports": [
            (reverse("battle-export", args=[record.token, kind]), label, is_copied)
            for kind, (_, _, label, is_copied) in KINDS.items()
        ],
    }
