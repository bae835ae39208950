"""The rule book's pages.

Each asks one question of the queries, or hands one draft to the operations.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import form_data, owner_of, redirect_with_message, refused
from engine.records import Fields
from engine.types.systems import System
from rulesdata.forms.content import ScenarioForm, draft_from, sides_form
from rulesdata.operations.scenarios import (
    archive_scenario,
    change_scenario,
    create_scenario,
)
from rulesdata.queries import book, search_index, tables, unit_pages
from rulesdata.queries import scenarios as scenario_queries
from rulesdata.queries.lookup import NeedsVariant

View = Callable[..., HttpResponse]
FORM = ("GET", "HEAD", "POST")
done = redirect_with_message


def answer_book_errors(view: View) -> View:
    """Redirect to a variant where a page needs one; 400 for no such chart or comparison."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NeedsVariant as needs:
            return _redirect_to_variant(request, needs.system)
        except (tables.NotOnTheChart, unit_pages.BadComparison) as error:
            raise BadRequest(str(error)) from None

    return answer


def book_page(template: str, partial: str = "") -> Callable[[Callable[..., Any]], View]:
    """Make a page for reading of a function that returns the context of its template.

    Where htmx asks for ``partial`` of it, that part alone is drawn.
    """

    def decorate(load: Callable[..., Any]) -> View:
        """Make a page of the function, which may answer with a response of its own."""

        @require_safe
        @answer_book_errors
        @wraps(load)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            context = load(request, *args, **kwargs)
            if isinstance(context, HttpResponse):
                return context
            return render(request, choose_template(request, template, partial), context)

        return answer

    return decorate


def choose_template(request: HttpRequest, template: str, partial: str) -> str:
    """The page, or only the named part where htmx asks for that part."""
    htmx = getattr(request, "htmx", None)
    is_part = htmx and not htmx.boosted and htmx.target == partial
    return f"{template}#{partial}" if is_part else template


def _redirect_to_variant(request: HttpRequest, system: System) -> HttpResponse:
    """The same page of the variant that ``variant`` asks for, or of the one to begin with."""
    match = request.resolver_match
    variant = request.GET.get("variant") or system.default_variant
    if match is None or "system" not in match.kwargs or variant not in system.variant_keys:
        raise Http404(str(NeedsVariant(system)))
    address = reverse(
        str(match.url_name), kwargs={**match.kwargs, "system": f"{system.key}.{variant}"}
    )
    # The rest of the query stays, such as the lit row of a chart.
    rest = request.GET.copy()
    rest.pop("variant", None)
    return redirect(f"{address}?{rest.urlencode()}" if rest else address)


@book_page("rulesdata/home.html")
def rulebook(request: HttpRequest) -> Any:
    """All rule systems."""
    return {"cards": book.load_systems()}


@book_page("rulesdata/family.html")
def family_detail(request: HttpRequest, family: str) -> Any:
    """Rule systems that people know by one name."""
    return book.load_family(family)


@book_page("rulesdata/system.html")
def system_detail(request: HttpRequest, system: str) -> Any:
    """One rule system; what its texts share where it has several, unless ``variant`` asks for one
    of them.
    """
    page = book.load_system_page(system)
    if page["system"].is_shared_part and request.GET.get("variant"):
        return _redirect_to_variant(request, page["system"])
    return {"page": page}


@book_page("rulesdata/charts.html")
def chart_list(request: HttpRequest, system: str) -> Any:
    """The charts; ``chart``, ``row`` and ``column`` light one."""
    query = request.GET
    return {"page": book.load_chart_page(system, query.get("chart"), _cell(request))}


def _cell(request: HttpRequest) -> tables.Cell:
    return request.GET.get("row"), request.GET.get("column")


@book_page("rulesdata/items.html")
def weapon_list(request: HttpRequest, system: str) -> Any:
    """The weapons of a system's lists."""
    return {**tables.load_weapons(system), "title": "Weapons"}


@book_page("rulesdata/items.html")
def armour_list(request: HttpRequest, system: str) -> Any:
    """The armour of a system's lists."""
    return {**tables.load_armour(system), "title": "Armour"}


@book_page("rulesdata/armies.html")
def army_list(request: HttpRequest, system: str) -> Any:
    """The army lists of a system."""
    return book.load_armies(system)


@book_page("rulesdata/collection.html")
def collection_detail(request: HttpRequest, system: str, collection: str) -> Any:
    """What the armies of a collection share: hired swords, the trading post, skills."""
    return book.load_collection(system, collection)


@book_page("rulesdata/army.html", "units")
def army_detail(request: HttpRequest, system: str, army: str) -> Any:
    """One army list; ``q`` filters its units."""
    wanted = request.GET.get("q", "")
    if len(wanted) > search_index.QUERY_MAX:
        raise BadRequest(f"Filter: at most {search_index.QUERY_MAX} characters.")
    return {"page": book.load_army_page(system, army, wanted)}


@book_page("rulesdata/magic_items.html")
def magic_item_list(request: HttpRequest, system: str, army: str) -> Any:
    """The magic items of an army."""
    return book.load_magic_items(system, army)


@book_page("rulesdata/unit.html", "wounding")
def unit_detail(request: HttpRequest, system: str, army: str, unit: str) -> Any:
    """One unit; ``row`` and ``column`` light its chart, ``beside`` names another unit."""
    view = unit_pages.find_unit(system, army, unit)
    return {"page": unit_pages.load_unit(view, _cell(request), request.GET.get("beside"))}


@book_page("rulesdata/compare.html")
def unit_compare(request: HttpRequest) -> Any:
    """Two units side by side, or the choice of them; ``q`` looks for one."""
    paths = [request.GET.get(name, "") for name in ("a", "b", "q")]
    return {"page": unit_pages.load_comparison(*paths)}


@book_page("rulesdata/search.html", "results")
def search(request: HttpRequest) -> Any:
    """Search across all systems, and people's scenarios."""
    text, kind = request.GET.get("q", ""), request.GET.get("in", "")
    context: Fields = {
        "text": text[: search_index.QUERY_MAX],
        "kinds": search_index.KINDS,
        "fault": "",
    }
    try:
        context["found"] = search_index.search(text, owner_of(request), kind)
    except search_index.BadSearch as error:
        context["fault"] = str(error)
        return render(request, "rulesdata/search.html", context, status=400)
    return context


@book_page("rulesdata/scenarios.html")
def scenario_list(request: HttpRequest, system: str) -> Any:
    """The scenarios of a system: the rule book's and people's."""
    page, show = request.GET.get("page", "1"), request.GET.get("show", "")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 6 else 1
    return {
        "page": scenario_queries.load_scenarios(system, owner_of(request), number, show)
    }


@book_page("rulesdata/scenario.html")
def scenario_detail(request: HttpRequest, system: str, key: str) -> Any:
    """A scenario of the rule book."""
    return {"page": scenario_queries.load_pack_scenario(system, key)}


@book_page("rulesdata/scenario.html")
def scenario_own(request: HttpRequest, system: str, token: str) -> Any:
    """A person's scenario, for those it is shared with."""
    return {"page": scenario_queries.load_own_scenario(system, token, owner_of(request))}


@login_required
@require_http_methods(FORM)
@never_cache
@answer_book_errors
def scenario_edit(request: HttpRequest, system: str, token: str = "") -> HttpResponse:
    """Write a scenario, from nothing or (``from``) from another one, or change one's own.

    Only sending the form stores it; a form with faults is sent back with 422.
    """
    owner, data = owner_of(request), form_data(request)
    source = request.GET.get("from", "")
    page = scenario_queries.load_draft_page(system, owner, token, source)
    form = ScenarioForm(data, page=page)
    sides = sides_form(data, page["fields"].get("sides", ()))
    # Both are asked, so that the faults of both are shown at once.
    if all([form.is_valid(), sides.is_valid()]):
        with refused(form):
            draft = draft_from(form, sides)
            if token:
                change_scenario(owner, system, token, draft)
                message = "Scenario saved."
            else:
                token = create_scenario(owner, system, draft)
                message = "Scenario created. You can choose it for warbands now."
            return done(request, message, "scenario-own", page["system"].key, token)
    context = {"draft": page, "form": form, "sides": sides}
    return form_page(request, "rulesdata/scenario_form.html", context)


def form_page(request: HttpRequest, template: str, context: Fields) -> HttpResponse:
    """The page of a form; sent back with 422 when it could not be kept."""
    return render(
        request, template, context, status=422 if request.method == "POST" else 200
    )


@login_required
@require_POST
@answer_book_errors
def scenario_archive(
    request: HttpRequest, system: str, token: str, *, is_archived: bool = True
) -> HttpResponse:
    """Archive one's own scenario, or bring it back."""
    archive_scenario(owner_of(request), system, token, is_archived=is_archived)
    if not is_archived:
        return done(request, "Scenario restored.", "scenario-own", system, token)
    address = f"{reverse('scenario-list', args=[system])}?show=archived"
    return done(
        request, "Scenario archived. Warbands that use it are not changed.", address
    )
