"""A roster to take elsewhere: as text, as Markdown, in one line, as an open document."""

import json
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import Refusal
from accounts.queries import load_clubs_of
from accounts.requests import (
    form_data,
    owner_of,
    parse_int,
    read_page,
    redirect_with_message,
    refused,
    refused_as_message,
    without_robots,
)
from engine.records import quantity
from engine.types.lists import Army
from rulesdata import registry
from rulesdata.queries.lookup import NotInRuleBook
from warbands.exchange import text
from warbands.exchange.document import to_document
from warbands.exchange.foreign.export import write_roster
from warbands.forms.warbands import (
    DeleteForm,
    DetailsForm,
    GrownDetailsForm,
    ShareForm,
    WarbandForm,
)
from warbands.operations.transaction import Operation, WriteContext
from warbands.operations.upkeep import TAKEN_MAX, take_prices
from warbands.operations.warbands import (
    archive_warband,
    change_warband,
    delete_warband,
    duplicate_warband,
    restore_warband,
)
from warbands.pdf.header import qr_code_png
from warbands.queries.foreign_lists import outgoing_roster
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import history, load_prices, sheet_of
from warbands.sheet.structure import RosterSheet
from warbands.views.presenters import (
    creation_context,
    own_record_for,
    page_key,
    reader_address,
    record_for,
    tell_change,
    write_context,
)

_NAME_MAX = 60


def file_name(name: str, ending: str) -> str:
    """A file name from a warband's: letters and figures of any script, never a path, never empty."""
    # No signs at all: a file name must hold on every system and in every header.
    parts = "".join(sign if sign.isalnum() or sign == "_" else " " for sign in name).split()
    return f"{'-'.join(parts)[:_NAME_MAX].strip('-') or 'warband'}.{ending}"


def as_file(body: bytes, kind: str, name: str, *, attached: bool) -> HttpResponse:
    """A file to keep (``attached``) or to look at."""
    response = HttpResponse(body, content_type=kind)
    response.headers["Content-Disposition"] = (
        content_disposition_header(attached, name) or "inline"
    )
    return without_robots(response)


def _text_view(draw: Callable[[RosterSheet, Army], str]) -> Callable[..., HttpResponse]:
    """The view of the roster as words to paste."""

    @require_safe
    def view(request: HttpRequest, token: str) -> HttpResponse:
        record = record_for(request, token)
        sheet = sheet_of(record, url=reader_address(request, record))
        _, army = registry.load_ruleset(record.roster)
        body = draw(sheet, army).encode("utf-8", "replace")
        return without_robots(HttpResponse(body, content_type="text/plain; charset=utf-8"))

    return view


roster_text = _text_view(text.as_text)
roster_markdown = _text_view(text.as_markdown)
roster_compact = _text_view(text.as_compact)
roster_discord = _text_view(text.as_discord)


@require_safe
def roster_json(request: HttpRequest, token: str) -> HttpResponse:
    """The open roster document, to keep or to bring in elsewhere."""
    record = record_for(request, token)
    document = json.dumps(to_document(record.roster), ensure_ascii=False, indent=2)
    name = file_name(record.display_name, "json")
    return as_file(
        document.encode("utf-8", "replace"), "application/json", name, attached=True
    )


# What each form is called, and which tools open it.
FORMS = {
    "ros": (
        "BattleScribe",
        "BattleScribe, New Recruit, and tools that show or print lists",
    ),
    "rosz": ("BattleScribe, zipped", "the same apps; it is the same file in a zip file"),
    "newrecruit-json": ("New Recruit", "tools that read the JSON of New Recruit"),
    "owb-json": (
        "Old World Builder",
        "Old World Builder, which can change the units only within what is written",
    ),
}


@read_page
def list_export(request: HttpRequest, token: str) -> HttpResponse:
    """The forms a roster can be taken to other apps in, each with what it loses."""
    record = record_for(request, token)
    out = outgoing_roster(record.roster)
    files = {form: write_roster(out, form) for form in out.forms}
    offered = [
        {"form": form, "name": FORMS[form][0], "opens_in": FORMS[form][1], "file": file}
        for form, file in files.items()
    ]
    is_complete = next(iter(files.values())).is_complete
    context = {"record": record, "offered": offered, "is_complete": is_complete}
    return without_robots(render(request, "warbands/list_export.html", context))


@require_safe
def list_export_file(request: HttpRequest, token: str, form: str) -> HttpResponse:
    """The roster as a file of another app."""
    record = record_for(request, token)
    out = outgoing_roster(record.roster)
    if form not in out.forms:
        raise Http404
    file = write_roster(out, form)
    name = file_name(record.display_name, file.ending)
    return as_file(file.write(), file.media_type, name, attached=True)


HISTORY_SHOWN = 100

form_page = require_http_methods(["GET", "HEAD", "POST"])


def _open_for(request: HttpRequest, token: str) -> WarbandRecord:
    """The warband for who may change it as it stands; 404 for one in the archive."""
    record = own_record_for(request, token)
    if record.archived_at:
        raise Http404
    return record


def _draw(
    request: HttpRequest,
    template: str,
    record: WarbandRecord,
    form: WarbandForm,
    **more: Any,
) -> HttpResponse:
    context = {"record": record, "form": form, "key": page_key(), "stale": form.stale}
    page = render(request, template, {**context, **more}, status=form.status)
    return without_robots(page)


@form_page
def warband_change(request: HttpRequest, token: str) -> HttpResponse:
    """Name, limit, scenario, house rules and note; in a campaign name and note alone."""
    owner, record = owner_of(request), _open_for(request, token)
    form: DetailsForm | GrownDetailsForm
    if record.is_grown:
        form = GrownDetailsForm(form_data(request), record=record)
    else:
        system = registry.system_of(record.roster)
        form = DetailsForm(form_data(request), owner=owner, record=record, system=system)
    if form.is_valid():
        with refused(form):
            done = change_warband(write_context(request, token), **form.changes)
            tell_change(request, done)
            return redirect("warband-read", token)
    return _draw(request, "warbands/details.html", record, form)


@form_page
def warband_share(request: HttpRequest, token: str) -> HttpResponse:
    """Who can see it, and the address to hand on."""
    owner, record = owner_of(request), _open_for(request, token)
    joined = load_clubs_of(owner.user_id) if owner.user_id else ()
    clubs = [(club.id, club.name) for club in joined]
    form = ShareForm(form_data(request), record=record, clubs=clubs)
    if form.is_valid():
        with refused(form):
            done = change_warband(write_context(request, token), **form.changes)
            tell_change(request, done)
            return redirect("warband-share", token)
    link = request.build_absolute_uri(reverse("warband-read", args=[token]))
    more = {"link": link, "has_clubs": bool(clubs), "qr": mark_safe(qr_code_png(link))}
    return _draw(request, "warbands/share.html", record, form, **more)


@require_safe
def warband_history(request: HttpRequest, token: str) -> HttpResponse:
    """What was changed, the newest first, and undo for the last of it."""
    context = {
        "record": own_record_for(request, token),
        "rows": history(owner_of(request), token, limit=HISTORY_SHOWN),
        "key": page_key(),
    }
    return without_robots(render(request, "warbands/history.html", context))


@require_POST
def warband_duplicate(request: HttpRequest, token: str) -> HttpResponse:
    """A copy of one's own, of any warband one may see."""
    # Before anything is stored: a stranger to the warband gets no session.
    record_for(request, token)
    with refused_as_message(request):
        done = duplicate_warband(creation_context(request, token))
        return redirect_with_message(request, done.summary, "warband-read", done.token)
    return redirect("warband-read", token)


@require_POST
def warband_archive(
    request: HttpRequest, token: str, operation: Operation = archive_warband
) -> HttpResponse:
    """Put away: out of the list, unchanged, and back whenever wanted."""
    with refused_as_message(request):
        done = operation(write_context(request, token))
        messages.success(request, done.summary)
        if operation is archive_warband:
            return redirect("warband-list")
    return redirect("warband-read", token)


@require_POST
def warband_restore(request: HttpRequest, token: str) -> HttpResponse:
    """Back from the archive."""
    return warband_archive(request, token, restore_warband)


@form_page
def warband_delete(request: HttpRequest, token: str) -> HttpResponse:
    """Gone for good, once its name has been typed."""
    record = own_record_for(request, token)
    form = DeleteForm(form_data(request), record=record)
    if form.is_valid():
        with refused(form):
            context = WriteContext(owner_of(request), token)
            delete_warband(context, form.cleaned_data["typed_name"])
            message = f"{record.display_name} is deleted"
            return redirect_with_message(request, message, "warband-list")
    return _draw(request, "warbands/delete.html", record, form)


@form_page
@login_required
@never_cache
def content_prices(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The warbands of a list that keep a price; those ticked take today's."""
    owner = owner_of(request)
    try:
        page = load_prices(owner, slug, token)
    except NotInRuleBook as error:
        raise Http404(str(error)) from None
    # A member knows that the list is there, so the page is refused, not hidden.
    if not page["club"].may_write:
        raise PermissionDenied(
            "Only organisers of the club decide here. In your own warband you can update prices."
        )
    fault, ticked = "", request.POST.getlist("warband")
    if request.method == "POST":
        versions: dict[str, int] = {}
        try:
            # One more than may be taken, so that the operation refuses too many in words.
            for pair in ticked[: TAKEN_MAX + 1]:
                key, _, version = pair.rpartition(":")
                versions[key] = parse_int(version, "warband")
            changed, stale = take_prices(owner, token, page["club"].id, versions)
        except Refusal as refusal:
            fault = refusal.message
        else:
            if changed:
                messages.success(request, f"{quantity(len(changed), 'warband')} updated.")
            if stale:
                messages.warning(
                    request,
                    "Not updated, because somebody else changed them: "
                    f"{', '.join(stale[:5])}. Look at them again.",
                )
            return redirect("content-prices", slug, token)
    context = {"page": page, "fault": fault, "ticked": ticked}
    return render(request, "warbands/prices.html", context, status=422 if fault else 200)
