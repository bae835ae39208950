"""Lists of warbands: one's own, and the public ones."""

from collections.abc import Iterator

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.form_fields import TOO_LONG, echo_of
from accounts.forms import PageForm
from accounts.requests import (
    form_data,
    owner_of,
    read_page,
    refused,
    refused_as_message,
    takes_document,
)
from engine.records import ChoiceList, Fields, TextByKey, frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from warbands.exchange.content import MAX_BYTES, decode
from warbands.exchange.foreign.matches import Match
from warbands.exchange.foreign.preview import PartLine, PreviewLine
from warbands.forms.foreign_lists import AS_NOTE, HELD_MAX, ListImportForm, hold_list
from warbands.forms.warbands import ImportForm, NewWarbandForm, PublicForm
from warbands.operations.foreign_lists import import_list
from warbands.operations.warbands import (
    create_from_starter,
    create_warband,
    import_document,
)
from warbands.queries import starters
from warbands.queries.foreign_lists import ListPreview, load_list_preview
from warbands.queries.lists import WarbandFilter, public_warbands, warbands_of
from warbands.views.presenters import form_key, page_key
from warbands.views.requests import creation_context


@read_page
def warband_list(request: HttpRequest) -> HttpResponse:
    """One's own warbands, or with ``?archived=1`` those put away."""
    form = PageForm(request.GET)
    is_archived = request.GET.get("archived") == "1"
    page = None
    if form.is_valid():
        number = form.cleaned_data["page"] or 1
        page = warbands_of(owner_of(request), archived=is_archived, page=number)
    context: Fields = {
        "form": form,
        "page": page,
        "is_archived": is_archived,
        "tabs": _tabs(request, "archived" if is_archived else "mine"),
    }
    return render(request, "warbands/list.html", context, status=200 if page else 400)


@require_safe
def warband_public(request: HttpRequest) -> HttpResponse:
    """What people show everybody, by army, points and the beginning of the name."""
    form = PublicForm(request.GET)
    page = None
    if form.is_valid():
        asked = form.cleaned_data
        system, _, army = asked["army"].partition("/")
        wanted = WarbandFilter(
            system,
            army,
            asked["points_from"],
            asked["points_to"],
            search=asked["search"],
            page=asked["page"] or 1,
        )
        page = public_warbands(wanted)
    is_asked = any(
        request.GET.get(name) for name in ("army", "search", "points_from", "points_to")
    )
    context = {
        "form": form,
        "page": page,
        "is_asked": is_asked,
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
    return [
        {"label": label, "url": url, "current": key == current} for key, label, url in parts
    ]


@require_safe
def starter_list(request: HttpRequest) -> HttpResponse:
    """One ready warband for each army of a system, with what is in it; ``?army=`` opens one."""
    books = registry.rulesets()
    asked = request.GET.get("system", "")
    book = next((book for book in books if asked in (book.address, book.key)), books[0])
    context = {
        "starters": starters.starters(book.address),
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
    starter = request.POST.get("starter", "")
    # Before anything is stored: who asks for nothing gets no session.
    if starters.starter(starter) is None:
        raise Http404
    with refused_as_message(request):
        done = create_from_starter(creation_context(request), starter)
        return redirect("warband-read", done.token)
    return redirect("starter-list")


@require_http_methods(["GET", "HEAD", "POST"])
def warband_new(request: HttpRequest) -> HttpResponse:
    """System, army, name, points limit and scenario of a new warband."""
    asked = (request.POST.get("system") or request.GET.get("system") or "").partition(".")[
        0
    ]
    system = registry.load_base(
        asked if asked in registry.systems() else registry.systems()[0]
    )
    wishes = _wishes(request, system)
    form = NewWarbandForm(
        request.POST or None, owner=owner_of(request), system=system, wishes=wishes
    )
    if request.method == "POST" and form.is_valid():
        with refused(form):
            done = create_warband(creation_context(request), form.draft)
            return redirect("warband-read", done.token)
    systems = [registry.load_base(key) for key in registry.systems()]
    system_tabs = [
        {"label": one.name, "url": f"?system={one.key}", "current": one.key == system.key}
        for one in systems
    ]
    context: Fields = {
        "form": form,
        "system": system,
        "systems": system_tabs,
        "key": form_key(request),
    }
    return render(request, "warbands/new.html", context, status=form.status)


def _wishes(request: HttpRequest, system: System) -> TextByKey:
    """What a link to this page already chose: an army, a points limit, and a variant behind the
    full stop of the system's address.
    """
    variant = request.GET.get("system", "").partition(".")[2]
    asked = {name: request.GET.get(name, "") for name in ("army", "points_limit")}
    # What the form does not offer stays unchosen.
    wishes = {name: value for name, value in asked.items() if value}
    return {**wishes, "variant": variant} if variant in system.variant_keys else wishes


@takes_document("document", MAX_BYTES)
@require_http_methods(["GET", "HEAD", "POST"])
def warband_import(request: HttpRequest) -> HttpResponse:
    """A roster document, pasted or as a file, becomes a warband; what is wrong is listed and
    nothing typed is lost.
    """
    form = ImportForm(form_data(request), request.FILES or None)
    if form.is_valid():
        with refused(form):
            done = import_document(creation_context(request), decode(form.text))
            messages.success(request, done.summary)
            return redirect("warband-read", done.token)
    # A key stands for one content; after a fault the text changes, so the next try needs a key of
    # its own.
    text = echo_of(form.text)
    context = {"form": form, "faults": form.faults, "text": text, "key": page_key()}
    context["placeholder"] = "" if text == form.text else TOO_LONG
    return render(request, "warbands/import.html", context, status=form.status)


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


@frozen_dataclass
class Picker:
    """A select of what may be meant by a line or a part; ``value`` is what was chosen."""

    name: str
    label: str
    value: str
    choices: ChoiceList


@frozen_dataclass
class ListRow:
    """A line of the preview with its badge and what has to be chosen."""

    line: PreviewLine
    badge: tuple[str, str]
    pickers: tuple[Picker, ...]


@takes_document("held", HELD_MAX)
@takes_document("text", MAX_BYTES)
@require_http_methods(["GET", "HEAD", "POST"])
def list_import(request: HttpRequest) -> HttpResponse:
    """A list of another tool: first its preview, then the warband.

    Nothing is stored before "Create warband".
    """
    owner = owner_of(request)
    form = ListImportForm(form_data(request), request.FILES or None, owner=owner)
    context: Fields = {"form": form, "key": page_key()}
    if form.is_valid():
        with refused(form):
            tree, wishes = form.read_tree(), form.wishes
            found = load_list_preview(owner, tree, wishes)
            if "create" in request.POST and found.preview:
                done = import_list(creation_context(request), tree, wishes)
                messages.success(request, done.summary)
                return redirect("warband-read", done.token)
            context |= {"found": found, "held": hold_list(tree), "rows": _rows(found)}
    template = "preview" if "found" in context else "import"
    return render(
        request,
        f"warbands/list_{template}.html",
        context,
        status=form.status,
    )


def _rows(found: ListPreview) -> tuple[ListRow, ...]:
    """The lines of a preview; a matched one has nothing to choose."""
    if found.preview is None:
        return ()
    return tuple(
        ListRow(line, BADGES[line.match.how], tuple(_pickers(line, found)))
        for line in found.preview.lines
    )


def _pickers(line: PreviewLine, found: ListPreview) -> Iterator[Picker]:
    """What has to be chosen in a line: its unit first, then its options."""
    number, unit = line.theirs.line, found.price_unit
    profiles = found.preview.profiles if found.preview else []
    if line.match.how in {"suggested", "none", "chosen", "learned"}:
        label = f"Unit for {line.theirs.name}"
        yield _picker(f"unit-{number}", label, line.match, profiles, unit)
    for part in line.parts:
        if part.match.suggestions or part.match.how in {"chosen", "learned"}:
            yield _part_picker(number, part, unit)


def _part_picker(line: int, part: PartLine, unit: str) -> Picker:
    """A select of the options that may be meant."""
    own = [(part.match.key, part.name)] if part.match.key else []
    label = f"Option for {part.theirs.name}"
    return _picker(f"part-{line}-{part.number}", label, part.match, own, unit)


def _picker(name: str, label: str, match: Match, others: ChoiceList, unit: str) -> Picker:
    """A select: a note first, then the suggestions, then whatever else there is."""
    choices = [(AS_NOTE, "Leave as a note")]
    choices += [(one.key, f"{one.name}, {one.points} {unit}") for one in match.suggestions]
    known = {key for key, _ in choices}
    choices += [pair for pair in others if pair[0] not in known]
    return Picker(name, label, match.key or AS_NOTE, choices)
