"""The rule book's pages.

Each asks one question of the queries, or hands one draft to the operations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import owner_of
from engine.errors import Refusal
from engine.types.systems import System
from rulesdata.forms.scenarios import BaseSides, ScenarioForm, draft_from, sides_form
from rulesdata.operations.scenarios import (
    archive_scenario,
    change_scenario,
    create_scenario,
    restore_scenario,
)
from rulesdata.queries import book, comparison, gear, search_index, units
from rulesdata.queries import charts as chart_queries
from rulesdata.queries import scenarios as scenario_queries
from rulesdata.queries.lookup import NeedsVariant, NotInRuleBook

View = Callable[..., HttpResponse]


def answer_book_errors(view: View) -> View:
    """What the book lacks is 404; a chart or page that cannot be, is a 400 in words."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NeedsVariant as needs:
            return _redirect_to_variant(request, needs.system)
        except NotInRuleBook as error:
            raise Http404(str(error)) from None
        except (chart_queries.NotOnTheChart, comparison.BadComparison) as error:
            raise BadRequest(str(error)) from None

    return answer


def _redirect_to_variant(request: HttpRequest, system: System) -> HttpResponse:
    """The same page of the text that ``variant`` asks for, or of the first one."""
    match = request.resolver_match
    asked = request.GET.get("variant") or system.variant_keys[0]
    if match is None or "system" not in match.kwargs or asked not in system.variant_keys:
        raise Http404(str(NeedsVariant(system)))
    address = reverse(
        str(match.url_name), kwargs={**match.kwargs, "system": f"{system.key}.{asked}"}
    )
    rest = request.GET.copy()
    rest.pop("variant", None)
    return redirect(f"{address}?{rest.urlencode()}" if rest else address)


def _template(request: HttpRequest, name: str, partial: str) -> str:
    """The page, or only the named part where htmx asks for that part."""
    asked = getattr(request, "htmx", None)
    return f"{name}#{partial}" if asked and not asked.boosted and asked.target == partial else name


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """All rule systems."""
    return render(request, "rulesdata/home.html", {"cards": book.load_systems()})


@require_safe
@answer_book_errors
def system(request: HttpRequest, system: str) -> HttpResponse:
    """One rule system; what its texts share where it has several, unless ``variant`` asks for one
    of them.
    """
    page = book.load_system_page(system)
    if page.system.is_shared_part and request.GET.get("variant"):
        return _redirect_to_variant(request, page.system)
    return render(request, "rulesdata/system.html", {"page": page})


@require_safe
@answer_book_errors
def charts(request: HttpRequest, system: str) -> HttpResponse:
    """The charts; ``chart``, ``row`` and ``column`` light one."""
    asked = request.GET
    page = book.load_chart_page(system, asked.get("chart"), asked.get("row"), asked.get("column"))
    return render(request, "rulesdata/charts.html", {"page": page})


@require_safe
@answer_book_errors
def weapons(request: HttpRequest, system: str) -> HttpResponse:
    """The weapons of a system's lists."""
    found, tables = gear.load_weapons(system)
    return render(
        request, "rulesdata/items.html", {"system": found, "tables": tables, "title": "Weapons"}
    )


@require_safe
@answer_book_errors
def armour(request: HttpRequest, system: str) -> HttpResponse:
    """The armour of a system's lists."""
    found, tables = gear.load_armour(system)
    return render(
        request, "rulesdata/items.html", {"system": found, "tables": tables, "title": "Armour"}
    )


@require_safe
@answer_book_errors
def armies(request: HttpRequest, system: str) -> HttpResponse:
    """The army lists of a system."""
    found, cards = book.load_armies(system)
    return render(request, "rulesdata/armies.html", {"system": found, "cards": cards})


@require_safe
@answer_book_errors
def army(request: HttpRequest, system: str, army: str) -> HttpResponse:
    """One army list; ``q`` filters its units."""
    wanted = request.GET.get("q", "")
    if len(wanted) > search_index.QUERY_MAX:
        raise BadRequest(f"Filter: at most {search_index.QUERY_MAX} characters.")
    page = book.load_army_page(system, army, wanted)
    return render(request, _template(request, "rulesdata/army.html", "units"), {"page": page})


@require_safe
@answer_book_errors
def magic_items(request: HttpRequest, system: str, army: str) -> HttpResponse:
    """The magic items of an army."""
    found, its_army, groups = book.load_magic_items(system, army)
    return render(
        request, "rulesdata/magic_items.html", {"system": found, "army": its_army, "groups": groups}
    )


@require_safe
@answer_book_errors
def unit(request: HttpRequest, system: str, army: str, unit: str) -> HttpResponse:
    """One unit; ``row`` and ``column`` light its chart, ``beside`` names another unit."""
    asked = request.GET
    page = units.load_unit(
        system, army, unit, asked.get("row"), asked.get("column"), asked.get("beside")
    )
    return render(request, _template(request, "rulesdata/unit.html", "wounding"), {"page": page})


@require_safe
@answer_book_errors
def compare(request: HttpRequest) -> HttpResponse:
    """Two units side by side, or the choice of them; ``q`` looks for one."""
    page = comparison.load_comparison(
        request.GET.get("a", ""), request.GET.get("b", ""), request.GET.get("q", "")
    )
    return render(request, "rulesdata/compare.html", {"page": page})


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Search across all systems, and people's scenarios."""
    text, kind = request.GET.get("q", ""), request.GET.get("in", "")
    context: dict[str, Any] = {"text": text[: search_index.QUERY_MAX], "kinds": search_index.KINDS}
    try:
        context["found"] = search_index.search(text, owner_of(request), kind)
    except search_index.BadSearch as error:
        return render(
            request, "rulesdata/search.html", {**context, "fault": str(error)}, status=400
        )
    return render(request, _template(request, "rulesdata/search.html", "results"), context)


@require_safe
@answer_book_errors
def scenarios(request: HttpRequest, system: str) -> HttpResponse:
    """The scenarios of a system: the rule book's and people's."""
    page, show = request.GET.get("page", "1"), request.GET.get("show", "")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 6 else 1
    found = scenario_queries.load_scenarios(system, owner_of(request), number, show)
    return render(request, "rulesdata/scenarios.html", {"page": found})


@require_safe
@answer_book_errors
def scenario(request: HttpRequest, system: str, key: str) -> HttpResponse:
    """A scenario of the rule book."""
    return render(
        request,
        "rulesdata/scenario.html",
        {"page": scenario_queries.load_pack_scenario(system, key)},
    )


@require_safe
@answer_book_errors
def scenario_own(request: HttpRequest, system: str, token: str) -> HttpResponse:
    """A person's scenario, for those it is shared with."""
    page = scenario_queries.load_own_scenario(system, token, owner_of(request))
    return render(request, "rulesdata/scenario.html", {"page": page})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@answer_book_errors
def scenario_create(request: HttpRequest, system: str) -> HttpResponse:
    """Write a scenario, from nothing or (``from``) from another one; only sending the form stores
    it.
    """
    source = request.GET.get("from", "")
    draft = scenario_queries.load_draft_page(system, owner_of(request), copy_of=source)

    def store(form: ScenarioForm, sides: BaseSides) -> str:
        return create_scenario(owner_of(request), system, draft_from(form, sides))

    return _scenario_form(request, draft, store, "The scenario is kept. Warbands may carry it now.")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@answer_book_errors
def scenario_edit(request: HttpRequest, system: str, token: str) -> HttpResponse:
    """Change one's own scenario."""
    draft = scenario_queries.load_draft_page(system, owner_of(request), token=token)

    def store(form: ScenarioForm, sides: BaseSides) -> str:
        change_scenario(owner_of(request), system, token, draft_from(form, sides))
        return token

    return _scenario_form(request, draft, store, "The changes are kept.")


def _scenario_form(
    request: HttpRequest,
    draft: scenario_queries.DraftPage,
    store: Callable[[ScenarioForm, BaseSides], str],
    said: str,
) -> HttpResponse:
    """Show the form, or store what was sent and go to the scenario; a form with faults is sent back
    with 422.
    """
    sent = request.POST if request.method == "POST" else None
    form = ScenarioForm(
        sent, initial=dict(draft.fields), guidelines=draft.guidelines, clubs=draft.clubs
    )
    sides = sides_form(sent, draft.fields.get("sides", ()))
    if sent is not None and all([form.is_valid(), sides.is_valid()]):
        try:
            token = store(form, sides)
        except Refusal as refusal:
            form.add_error(refusal.field if refusal.field in form.fields else None, refusal.message)
        else:
            messages.success(request, said)
            return redirect("scenario-own", draft.system.key, token)
    context = {"draft": draft, "form": form, "sides": sides}
    return render(
        request, "rulesdata/scenario_form.html", context, status=422 if sent is not None else 200
    )


@login_required
@require_POST
@answer_book_errors
def scenario_archive(request: HttpRequest, system: str, token: str) -> HttpResponse:
    """Put one's own scenario away."""
    archive_scenario(owner_of(request), system, token)
    messages.success(request, "The scenario is archived. Warbands that carry it keep it.")
    return redirect(f"{reverse('scenario-list', args=[system])}?show=archived")


@login_required
@require_POST
@answer_book_errors
def scenario_restore(request: HttpRequest, system: str, token: str) -> HttpResponse:
    """Bring an archived scenario back."""
    restore_scenario(owner_of(request), system, token)
    messages.success(request, "The scenario is back in the list.")
    return redirect("scenario-own", system, token)
