"""Lists of warbands: one's own, and the public ones."""

import json
from collections.abc import Iterable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import (
    form_data,
    owner_of,
    read_page,
    redirect_with_message,
    refused,
    refused_as_message,
    takes_document,
)
from engine.records import Fields
from engine.types.systems import System
from rulesdata import registry
from rulesdata.queries.clubs import list_choices
from rulesdata.queries.lookup import load_groups
from warbands.exchange.content import MAX_BYTES, decode
from warbands.exchange.foreign.matches import Match
from warbands.forms.foreign_lists import AS_NOTE, HELD_MAX, ImportForm, hold_list
from warbands.forms.warbands import NewWarbandForm, OwnForm, PublicForm
from warbands.names import suggest_names
from warbands.operations.foreign_lists import import_list
from warbands.operations.warbands import (
    create_from_starter,
    create_warband,
    import_document,
)
from warbands.queries.foreign_lists import ListPreview, load_list_preview
from warbands.queries.lists import (
    WarbandFilter,
    army_shelves,
    public_warbands,
    search_warbands,
    starter,
    starters,
)
from warbands.views.presenters import build_tabs, creation_context, form_key, page_key


@read_page
def warband_list(request: HttpRequest) -> HttpResponse:
    """One's own warbands, or with ``?archived=1`` those put away."""
    form = OwnForm(request.GET)
    is_archived = request.GET.get("archived") == "1"
    page, is_asked = None, bool(request.GET.get("search"))
    if form.is_valid():
        wanted = form.cleaned_data
        page = search_warbands(
            owner_of(request),
            wanted["search"],
            wanted["sort"],
            wanted["page"] or 1,
            archived=is_archived,
        )
    context: Fields = {
        "form": form,
        "page": page,
        "is_archived": is_archived,
        "is_asked": is_asked,
        # A few are seen at once.
        "has_finder": is_asked or page is None or len(page.rows) > 3 or page.number > 1,
        "tabs": _tabs(request, "archived" if is_archived else "mine"),
        "key": page_key(),
    }
    return render(request, "warbands/list.html", context, status=200 if page else 400)


@require_safe
def warband_public(request: HttpRequest) -> HttpResponse:
    """What people show everybody, by army, points and the beginning of the name."""
    form = PublicForm(request.GET)
    page = None
    if form.is_valid():
        wanted = form.cleaned_data
        system, _, army = wanted["army"].partition("/")
        page = public_warbands(
            WarbandFilter(
                system,
                army,
                wanted["points_from"],
                wanted["points_to"],
                search=wanted["search"],
                page=wanted["page"] or 1,
            )
        )
    names = ("army", "search", "points_from", "points_to")
    context = {
        "form": form,
        "page": page,
        "is_asked": any(request.GET.get(name) for name in names),
        "tabs": _tabs(request, "public"),
    }
    return render(request, "warbands/public.html", context, status=200 if page else 400)


def _tabs(request: HttpRequest, current: str) -> list[Fields]:
    mine = reverse("warband-list")
    parts = [
        ("mine", "Your warbands", mine),
        ("archived", "Archived", f"{mine}?archived=1"),
        ("clubs", "Your clubs", reverse("club-list")),
        ("public", "Public", reverse("warband-public")),
        ("starters", "Starters", reverse("starter-list")),
    ]
    if not request.user.is_authenticated:
        del parts[2]
    return build_tabs(parts, current)


@require_safe
def starter_list(request: HttpRequest) -> HttpResponse:
    """One ready warband for each army of a system, with what is in it; ``?army=`` opens one."""
    books = registry.rulesets()
    key = request.GET.get("system", "")
    book = next((book for book in books if key in (book.address, book.key)), books[0])
    context = {
        "starters": starters(book.address),
        "books": books,
        "book": book,
        "opened": request.GET.get("army", ""),
        "tabs": _tabs(request, "starters"),
        "key": page_key(),
    }
    return render(request, "warbands/starters.html", context)


@require_POST
def starter_use(request: HttpRequest) -> HttpResponse:
    """A starter becomes one's own warband."""
    key = request.POST.get("starter", "")
    # Before anything is stored: who asks for nothing gets no session.
    if starter(key) is None:
        raise Http404
    with refused_as_message(request):
        done = create_from_starter(creation_context(request), key)
        return redirect("warband-read", done.token)
    return redirect("starter-list")


@require_http_methods(["GET", "HEAD", "POST"])
def warband_new(request: HttpRequest) -> HttpResponse:
    """System, army, name, points limit and scenario of a new warband."""
    address = request.POST.get("system") or request.GET.get("system") or ""
    keys = registry.systems()
    key = address.partition(".")[0]
    system = registry.load_base(key if key in keys else keys[0])
    owner, wishes = owner_of(request), _read_wishes(request, system)
    context = {**_group_systems(system), "system": system, "key": form_key(request)}
    # Among armies of several collections one is chosen first: each has its own limit.
    if request.method != "POST" and "army" not in wishes and len(system.collections) > 1:
        variant = wishes.get("variant", system.default_variant)
        book = registry.load_system(system.key, variant)
        first, *others = army_shelves(book)
        context |= {"book": book, "first_shelf": first, "other_shelves": others}
        context |= {"club_lists": list_choices(owner, system.key)}
        return render(request, "warbands/new_army.html", context)
    names = suggest_names()
    wishes["name"] = names[0]
    context["names"] = json.dumps([*names[1:], names[0]])
    form = NewWarbandForm(request.POST or None, owner=owner, system=system, wishes=wishes)
    if request.method == "POST" and form.is_valid():
        with refused(form):
            done = create_warband(creation_context(request), form.roster)
            return redirect("warband-read", done.token)
    context["form"] = form
    return render(request, "warbands/new.html", context, status=form.status)


def _read_wishes(request: HttpRequest, system: System) -> dict[str, str]:
    """What a link to the page already chose: an army, a points limit, and a variant behind the full
    stop of the system's address. What the form does not offer stays unchosen.
    """
    wishes = {name: request.GET.get(name, "") for name in ("army", "points_limit")}
    variant = request.GET.get("system", "").partition(".")[2]
    if variant in system.variant_keys:
        wishes["variant"] = variant
    return {name: value for name, value in wishes.items() if value}


def _group_systems(system: System) -> Fields:
    """The tabs of all systems, those of a family as one, and the others of this one's family."""
    groups = load_groups()
    pages = [(name, name, f"?system={group[0].key}") for name, _, group in groups]
    current, family, group = next(each for each in groups if system in each[2])
    return {
        "systems": build_tabs(pages, current),
        "family": family,
        "others": [each for each in group if each is not system],
    }


# Lists of other apps

# How a line was matched, as a badge says it: its level and its words.
BADGES = {
    "id": ("good", "By id"),
    "name": ("good", "By name"),
    "alias": ("good", "By another name"),
    "learned": ("good", "As you chose before"),
    "chosen": ("good", "Chosen"),
    "carried": ("good", "Included"),
    "suggested": ("warning", "Choose"),
    "none": ("note", "Not found"),
}
BY_HAND = {"chosen", "learned"}


@takes_document("held", HELD_MAX)
@takes_document("text", MAX_BYTES)
@require_http_methods(["GET", "HEAD", "POST"])
def warband_import(request: HttpRequest) -> HttpResponse:
    """A roster from anywhere becomes a warband: a document of ours at once, with all its faults
    listed; any other list after a preview, before which nothing is stored.
    """
    owner = owner_of(request)
    form = ImportForm(form_data(request), request.FILES or None, owner=owner)
    # A key stands for one content: after a fault the next try needs a key of its own.
    context: Fields = {"form": form, "key": page_key()}
    if form.is_valid():
        with refused(form):
            if document := form.document:
                done = import_document(creation_context(request), decode(document))
                return redirect_with_message(
                    request, done.summary, "warband-read", done.token
                )
            tree, wishes = form.read_tree(), form.wishes
            result = load_list_preview(owner, tree, wishes)
            if "create" in request.POST and result.preview:
                done = import_list(creation_context(request), tree, wishes)
                return redirect_with_message(
                    request, done.summary, "warband-read", done.token
                )
            rows = _rows(result)
            context |= {"found": result, "held": hold_list(tree), "rows": rows}
    context["faults"] = form.faults
    page = "warbands/list_preview.html" if "found" in context else "warbands/import.html"
    return render(request, page, context, status=form.status)


def _rows(result: ListPreview) -> list[Fields]:
    """The lines of a preview, each with its badge and what has to be chosen: its unit first, then
    its options. A matched one has nothing to choose.
    """
    preview, currency, rows = result.preview, result.price_unit, []
    for line in preview.lines if preview else ():
        pickers, number = [], line.theirs.line
        if preview and line.match.how in {"suggested", "none", *BY_HAND}:
            name, label = f"unit-{number}", f"Unit for {line.theirs.name}"
            picker = _picker(name, label, line.match, preview.profiles, currency)
            pickers.append(picker)
        for part in line.parts:
            if part.match.suggestions or part.match.how in BY_HAND:
                current = [(part.match.key, part.name)] if part.match.key else []
                name = f"part-{number}-{part.number}"
                label = f"Option for {part.theirs.name}"
                pickers.append(_picker(name, label, part.match, current, currency))
        badge = BADGES[line.match.how]
        rows.append({"line": line, "badge": badge, "pickers": pickers})
    return rows


def _picker(
    name: str, label: str, match: Match, others: Iterable[tuple[str, str]], currency: str
) -> Fields:
    """A select of what may be meant: a note first, then the suggestions, then whatever else there
    is.
    """
    choices = {AS_NOTE: "Leave as a note"}
    for suggestion in match.suggestions:
        text = f"{suggestion.name}, {suggestion.points} {currency}"
        choices.setdefault(suggestion.key, text)
    for key, text in others:
        choices.setdefault(key, text)
    value = match.key or AS_NOTE
    return {"name": name, "label": label, "value": value, "choices": choices.items()}
