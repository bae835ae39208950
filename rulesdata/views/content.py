"""What a club has written: its page, its lists and their records, files, levels of guidelines and
catalogues of another app. Members read, organisers write.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.owner import Owner
from accounts.requests import (
    form_data,
    owner_of,
    refused,
    refused_as_message,
    takes_document,
)
from engine.records import Fields
from jobs.queue import wait_until_over
from rulesdata.errors import FaultyList
from rulesdata.forms.content import (
    NAME_LENGTH,
    CatalogueForm,
    LevelsForm,
    ListForm,
    ListHeadForm,
    UploadForm,
    first_wishes,
)
from rulesdata.forms.records import FORMS, options_form
from rulesdata.models import SentCatalogue
from rulesdata.operations.own_lists import (
    LIMITS,
    archive_record,
    change_list,
    create_list,
    restore_record,
    retire_list,
    save_record,
    set_levels,
    upload_list,
)
from rulesdata.operations.sent_catalogues import TakeChoice, send_catalogue, take_catalogue
from rulesdata.own_lists import list_prices
from rulesdata.queries import clubs, drafts
from rulesdata.queries.drafts import RecordPlace
from rulesdata.queries.sent_catalogues import (
    last_taken,
    live_job,
    load_list_report,
    load_sent,
    report_page,
    sent_offers,
)
from rulesdata.views.book import FORM, answer_book_errors, choose_template, done, form_page

View = Callable[..., HttpResponse]


def for_members(view: View) -> View:
    """For signed-in people; the view is told who asks."""

    @login_required
    @never_cache
    @answer_book_errors
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return view(request, owner_of(request), *args, **kwargs)

    return answer


def member_page(view: View) -> View:
    return require_safe(for_members(view))


def member_form(view: View) -> View:
    return require_http_methods(FORM)(for_members(view))


def member_action(view: View) -> View:
    return require_POST(for_members(view))


@member_page
def content_list(request: HttpRequest, owner: Owner, slug: str) -> HttpResponse:
    """Everything a club has written."""
    page = clubs.load_content(owner, slug)
    return render(request, "rulesdata/content/home.html", {"page": page})


@member_form
def own_list_new(request: HttpRequest, owner: Owner, slug: str) -> HttpResponse:
    """A list, begun with its head."""
    club = clubs.load_club_to_write(owner, slug)
    form = ListForm(form_data(request))
    if form.is_valid():
        with refused(form):
            token = create_list(owner, slug, form.draft())
            message = "List created. Add its first unit, or correct one."
            return done(request, message, "own-list", slug, token)
    return form_page(
        request, "rulesdata/content/list_new.html", {"form": form, "club": club}
    )


@member_page
def own_list(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """One list of a club."""
    page = clubs.load_list(owner, slug, token)
    return render(request, "rulesdata/content/list.html", {"page": page})


@member_form
def own_list_edit(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """The head of a list."""
    club, club_list = clubs.load_list_to_write(owner, slug, token)
    initial = {"name": club_list.file.name, "note": club_list.file.note or ""}
    form = ListHeadForm(form_data(request), initial=initial)
    if form.is_valid():
        with refused(form):
            change_list(owner, token, **form.cleaned_data)
            return done(request, "List saved.", "own-list", slug, token)
    stands_on = clubs.stands_on(club_list.collection, club_list.base)
    context = {"form": form, "own": club_list, "club": club, "stands_on": stands_on}
    return form_page(request, "rulesdata/content/list_edit.html", context)


@member_action
def list_retire(
    request: HttpRequest, owner: Owner, slug: str, token: str, *, is_retired: bool = True
) -> HttpResponse:
    """Archive a list, or offer it again."""
    clubs.load_list_to_write(owner, slug, token)
    retire_list(owner, token, is_retired=is_retired)
    if is_retired:
        message = "List archived. Existing warbands still use it."
        return done(request, message, "content-list", slug)
    return done(request, "List restored.", "own-list", slug, token)


@member_page
def own_list_file(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """The file of a list, as an upload takes it."""
    name, text = clubs.load_file(owner, slug, token)
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@takes_document("text", LIMITS.size)
@member_form
def list_upload(
    request: HttpRequest, owner: Owner, slug: str, token: str = ""
) -> HttpResponse:
    """A file of the pack format: a new list, or the whole content of one; what is wrong is listed
    by line.
    """
    club, club_list = clubs.load_place_to_write(owner, slug, token)
    form = UploadForm(form_data(request), request.FILES or None, is_new=club_list is None)
    if form.is_valid():
        with refused(form):
            collection = form.cleaned_data.get("collection", "")
            result = upload_list(owner, slug, form.raw, collection=collection, token=token)
            message = f"File saved: {result.units} units."
            if not result.changed:
                message = "No changes: the file matches the list."
            return done(request, message, "own-list", slug, result.token)
    context = {"form": form, "own": club_list, "club": club}
    return form_page(request, "rulesdata/content/upload.html", context)


@member_form
def levels_edit(request: HttpRequest, owner: Owner, slug: str, system: str) -> HttpResponse:
    """How seriously a club takes the guidelines of a system; its members read it."""
    page = clubs.load_levels(owner, slug, system)
    sent = form_data(request)
    if sent is not None:
        clubs.refuse_readers(page["club"])
    form = LevelsForm(sent, page=page)
    if form.is_valid():
        with refused(form):
            set_levels(owner, slug, system, form.cleaned_data)
            message = "Levels saved. New events of the club start with them."
            return done(request, message, "content-list", slug)
    context = {"form": form, "page": page, "club": page["club"]}
    return form_page(request, "rulesdata/content/levels.html", context)


# Records

RECORD_PAGES = {
    "units": "profile_edit",
    "weapons": "gear_edit",
    "armour": "gear_edit",
    "equipment": "equipment_edit",
}
SAVED = {
    "units": "Unit saved. Members can add it to warbands now.",
    "weapons": "Weapon saved. Units of this list can carry it now.",
    "armour": "Piece of armour saved. Units of this list can carry it now.",
    "equipment": "Equipment list saved. Tick it in the units that buy from it.",
}


@member_page
def own_profile(
    request: HttpRequest, owner: Owner, slug: str, token: str, key: str
) -> HttpResponse:
    """One profile of a list as warbands have it."""
    page = drafts.load_own_unit(owner, slug, token, key)
    return render(request, "rulesdata/content/profile.html", {"page": page})


def _preview_stored(draft: drafts.RecordDraft) -> Fields:
    """A stored record's preview, or its fault: a pack it stands on may have changed since."""
    try:
        return {"preview": drafts.preview_record(draft, draft.raw)}
    except FaultyList as refusal:
        return {"fault": refusal.message}


@member_form
def record_edit(
    request: HttpRequest, owner: Owner, slug: str, **place: str
) -> HttpResponse:
    """A record's form beside how it will look; ``from`` copies another unit, ``go`` says preview
    instead of save.

    Who has changed a price is asked next what becomes of the warbands that paid the old one.
    """
    draft = drafts.load_draft(
        owner, slug, RecordPlace(**place), request.GET.get("from", "")
    )
    data = form_data(request)
    form = FORMS[draft.part](data, draft=draft)
    options = options_form(draft, data)
    context: Fields = {"draft": draft, "form": form, "options": options, "club": draft.club}
    context["what"] = drafts.PARTS[draft.part]
    has_options = draft.part in ("units", "equipment")
    # Both are asked, so that the faults of both are shown at once.
    if all([form.is_valid(), not has_options or options.is_valid()]):
        raw = form.record()
        if has_options:
            raw["options"] = options.records()
        with refused(form):
            context["preview"] = drafts.preview_record(draft, raw)
            if request.POST.get("go") != "preview":
                return _save_record(request, draft, raw, form.cleaned_data["seen"])
    elif data is None and draft.raw:
        context |= _preview_stored(draft)
    template = f"rulesdata/content/{RECORD_PAGES[draft.part]}.html"
    part = choose_template(request, template, "preview")
    # A preview says itself what is wrong, and htmx draws no answer of 422.
    is_whole = part == template and data is not None
    has_faults = form.errors or (has_options and not options.is_valid())
    return render(request, part, context, status=422 if is_whole and has_faults else 200)


def _save_record(
    request: HttpRequest, draft: drafts.RecordDraft, raw: Fields, seen: str
) -> HttpResponse:
    """Save a record and go to its page or its list, or to the warbands that paid another price."""
    token, part = draft.own.token, draft.part
    key = save_record(owner_of(request), RecordPlace(token, part, draft.key), raw, seen)
    to = ["own-list", draft.club.slug, token]
    if draft.key and list_prices(raw) != list_prices(draft.raw):
        to[0] = "content-prices"
    elif part == "units":
        to = ["own-profile", draft.club.slug, token, key]
    return done(request, SAVED[part], *to)


@member_action
def record_archive(
    request: HttpRequest, owner: Owner, slug: str, *, is_archived: bool = True, **place: str
) -> HttpResponse:
    """Archive a record, or drop a correction; or offer a record again.

    Why it stays as it is stands on the next page: the first thing that would be wrong.
    """
    clubs.load_list_to_write(owner, slug, place["token"])
    try:
        if is_archived:
            archive_record(owner, RecordPlace(**place))
            messages.success(request, "Archived. Existing warbands still use it.")
        else:
            restore_record(owner, RecordPlace(**place))
            messages.success(request, "Restored. Members can choose it again.")
    except FaultyList as refusal:
        stays = (
            "Not archived, because the list still needs it."
            if is_archived
            else "Not restored: it stays archived."
        )
        messages.error(request, f"{stays} {refusal.faults[0]}.")
    return redirect("own-list", slug, place["token"])


# Catalogues of another app: sent, read by a job, shown as a report, and taken into a
# club.

# As long as a page may take: what is small is read by then.
WAIT_SECONDS = 2.0
STOPPED = {
    "message": "Files: reading them was stopped. Choose them again.",
    "field": "files",
}


@member_form
def list_catalogue(
    request: HttpRequest, owner: Owner, slug: str, token: str = ""
) -> HttpResponse:
    """Send files of a game; ``again`` is what was sent before, with other choices.

    A newer version begins with the choices that its list was made with.
    """
    club, club_list = clubs.load_place_to_write(owner, slug, token)
    again = request.GET.get("again")
    previous = last_taken(token) if token else None
    if again is not None:
        previous = load_sent(owner, slug, again)
    initial: Fields = {}
    if previous:
        initial = {**first_wishes(previous.wishes), "may_use": again is not None}
    form = CatalogueForm(
        form_data(request),
        request.FILES or None,
        is_new=club_list is None,
        offers=sent_offers(previous) if previous else {},
        initial=initial,
    )
    if form.is_valid():
        with refused(form):
            sent = send_catalogue(owner, slug, form.draft(token))
            job = live_job(load_sent(owner, slug, sent))
            if job and not wait_until_over(job, WAIT_SECONDS):
                return redirect("job-read", token=job)
            return redirect("catalogue-read", slug, sent)
    context: Fields = {"form": form, "own": club_list, "club": club}
    return form_page(request, "rulesdata/content/catalogue.html", context)


@member_page
def catalogue_read(
    request: HttpRequest, owner: Owner, slug: str, sent: str
) -> HttpResponse:
    """Show what files came to: their report, the form again with what is wrong, or the job."""
    record = load_sent(owner, slug, sent)
    if job := live_job(record):
        return redirect("job-read", token=job)
    if record.taken_at and record.army:
        return redirect("own-list-report", slug, record.army.token)
    if "report" not in record.outcome:
        # Files cannot be filled in again.
        form = CatalogueForm(
            first_wishes(record.wishes),
            is_new=not record.wishes["token"],
            offers=sent_offers(record),
        )
        form.show_refusal(record.outcome.get("refusal", STOPPED))
        context: Fields = {"form": form, "club": record.club, "sent": record}
        return render(request, "rulesdata/content/catalogue.html", context)
    return _report(request, record)


@member_page
def own_list_report(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """Show the report of the files that a list was last made of."""
    return _report(request, load_list_report(owner, slug, token))


def _report(request: HttpRequest, record: SentCatalogue) -> HttpResponse:
    """Show what was read, of the units asked for, with a button to save it while it is not."""
    unit = request.GET.get("unit", "")[:NAME_LENGTH]
    report = report_page(record.outcome["report"], unit)
    context: Fields = {
        "club": record.club,
        "sent": record,
        "title": "Report of the catalogue"
        if record.taken_at
        else f"Preview of {report['list']}",
        "wanted": unit,
        "report": report,
    }
    return render(request, "rulesdata/content/catalogue_report.html", context)


@member_action
def catalogue_take(
    request: HttpRequest, owner: Owner, slug: str, sent: str
) -> HttpResponse:
    """Make the list, or take the changes; then come the warbands that paid older prices."""
    record = load_sent(owner, slug, sent)
    with refused_as_message(request):
        choice = TakeChoice(tuple(request.POST.getlist("take")))
        token = take_catalogue(owner, slug, sent, choice)
        message = "List saved. The report under “More” says what you should check."
        following = "content-prices" if record.wishes["token"] else "own-list"
        return done(request, message, following, slug, token)
    return redirect("catalogue-read", slug, sent)
