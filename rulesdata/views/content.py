"""What a club has written: its page, its lists and their records, files, and catalogues of
another app.
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

from accounts.errors import NotAllowed
from accounts.owner import Owner
from accounts.requests import (
    TellRefusal,
    form_data,
    owner_of,
    refused,
    refused_as_message,
    takes_document,
)
from engine.errors import Refusal
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
from rulesdata.operations.own_lists import (
    LIMITS,
    Uploaded,
    bring_back,
    change_list,
    create_list,
    put_away,
    retire_list,
    save_record,
    set_levels,
    upload_list,
)
from rulesdata.operations.sent_catalogues import (
    TakeChoice,
    send_catalogue,
    take_catalogue,
)
from rulesdata.own_lists import prices_of
from rulesdata.queries import clubs, drafts
from rulesdata.queries.drafts import RecordPlace
from rulesdata.queries.sent_catalogues import (
    SentRecord,
    load_earlier,
    load_list_report,
    load_sent,
    report_page,
)
from rulesdata.views.book import FORM, answer_book_errors, done, form_page, part_of

# What a club has written: its page, its lists and their records, files, levels of
# guidelines.
#
# For members; organisers write.

Context = dict[str, Any]

View = Callable[..., HttpResponse]


def for_members(view: View) -> View:
    """For signed-in people, and told to the view as the one who asks."""

    @login_required
    @never_cache
    @answer_book_errors
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return view(request, owner_of(request), *args, **kwargs)

    return answer


@require_safe
@for_members
def content_list(request: HttpRequest, owner: Owner, slug: str) -> HttpResponse:
    """Everything a club has written."""
    page = clubs.load_content(owner, slug)
    return render(request, "rulesdata/content/home.html", {"page": page})


@require_http_methods(FORM)
@for_members
def list_new(request: HttpRequest, owner: Owner, slug: str) -> HttpResponse:
    """A list, begun with its head."""
    club = clubs.load_club_to_write(owner, slug)
    form = ListForm(form_data(request))
    if form.is_valid():
        with refused(form):
            token = create_list(owner, slug, form.draft())
            said = "List created. Add its first unit, or correct one."
            return done(request, said, "own-list", slug, token)
    return form_page(
        request, "rulesdata/content/list_new.html", {"form": form, "club": club}
    )


@require_safe
@for_members
def own_list(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """One list of a club."""
    page = clubs.load_list(owner, slug, token)
    return render(request, "rulesdata/content/list.html", {"page": page})


@require_http_methods(FORM)
@for_members
def list_edit(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """The head of a list."""
    page = drafts.load_list_to_write(owner, slug, token)
    file = page.own.file
    form = ListHeadForm(
        form_data(request), initial={"name": file.name, "note": file.note or ""}
    )
    if form.is_valid():
        with refused(form):
            change_list(owner, token, **form.cleaned_data)
            return done(request, "List saved.", "own-list", slug, token)
    context = {"form": form, "page": page, "club": page.club}
    return form_page(request, "rulesdata/content/list_edit.html", context)


@require_POST
@for_members
def list_retire(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Put a list away."""
    drafts.load_list_to_write(owner, slug, token)
    retire_list(owner, token)
    said = "List archived. Existing warbands still use it."
    return done(request, said, "content-list", slug)


@require_POST
@for_members
def list_restore(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Offer a list again."""
    drafts.load_list_to_write(owner, slug, token)
    retire_list(owner, token, is_retired=False)
    return done(request, "List restored.", "own-list", slug, token)


@require_safe
@for_members
def list_file(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """The file of a list, as an upload takes it."""
    name, text = clubs.load_file(owner, slug, token)
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@takes_document("text", LIMITS.size)
@require_http_methods(FORM)
@for_members
def list_upload(
    request: HttpRequest, owner: Owner, slug: str, token: str = ""
) -> HttpResponse:
    """A file of the pack format: a new list, or the whole content of one; what is wrong is listed
    by line.
    """
    page = drafts.load_list_to_write(owner, slug, token) if token else None
    club = page.club if page else clubs.load_club_to_write(owner, slug)
    form = UploadForm(form_data(request), request.FILES or None, is_new=page is None)
    if form.is_valid():
        with refused(form):
            collection = form.cleaned_data.get("collection", "")
            kept = upload_list(owner, slug, form.raw, collection=collection, token=token)
            return done(request, _upload_words(kept), "own-list", slug, kept.token)
    context = {"form": form, "page": page, "club": club}
    return form_page(request, "rulesdata/content/upload.html", context)


def _upload_words(kept: Uploaded) -> str:
    if not kept.changed:
        return "No changes: the file matches the list."
    return f"File saved: {kept.units} units."


@require_http_methods(FORM)
@for_members
def levels_edit(request: HttpRequest, owner: Owner, slug: str, system: str) -> HttpResponse:
    """How seriously a club takes the guidelines of a system; its members read it."""
    page = clubs.load_levels(owner, slug, system)
    sent = form_data(request)
    if sent is not None:
        clubs.refuse_readers(page.club)
    form = LevelsForm(sent, page=page)
    if form.is_valid():
        with refused(form):
            set_levels(owner, slug, system, form.cleaned_data)
            said = "Levels saved. New events of the club start with them."
            return done(request, said, "content-list", slug)
    context = {"form": form, "page": page, "club": page.club}
    return form_page(request, "rulesdata/content/levels.html", context)


# Records


def at_record(view: View) -> View:
    """For members as well, the record named to the view by its place."""

    @for_members
    @wraps(view)
    def answer(request: HttpRequest, owner: Owner, slug: str, **place: str) -> HttpResponse:
        return view(request, owner, slug, RecordPlace(**place))

    return answer


@require_safe
@for_members
def profile_read(
    request: HttpRequest, owner: Owner, slug: str, token: str, key: str
) -> HttpResponse:
    """One profile of a list as warbands have it."""
    page = drafts.load_own_unit(owner, slug, token, key)
    return render(request, "rulesdata/content/profile.html", {"page": page})


@require_http_methods(FORM)
@for_members
def profile_edit(
    request: HttpRequest, owner: Owner, slug: str, token: str, key: str = ""
) -> HttpResponse:
    """A profile's form beside how it will look; ``from`` copies another one, ``go`` says preview
    instead of keep.

    Who has changed a price is asked next what becomes of the warbands that paid the old one.
    """
    source = request.GET.get("from", "")
    draft = drafts.load_draft(owner, slug, RecordPlace(token, "units", key), source)
    sent = form_data(request)
    form, options = FORMS["units"](sent, draft=draft), options_form(draft, sent)
    context: Context = {"draft": draft, "form": form, "options": options}
    # Both are asked, so that the faults of both are shown at once.
    if all([form.is_valid(), options.is_valid()]):
        raw = {**form.record(), "options": options.records()}
        with refused(form):
            context["preview"] = drafts.preview_unit(draft, raw)
            if not _is_preview(request):
                return _keep_profile(request, draft, raw, form.cleaned_data["seen"])
    elif sent is None and draft.raw:
        # A stored record may be at fault: a pack it stands on has changed since.
        with TellRefusal(lambda refusal: _show_fault(context, refusal), ()):
            context["preview"] = drafts.preview_unit(draft, draft.raw)
    has_faults = form.errors or not options.is_valid()
    return _record_page(request, "rulesdata/content/profile_edit.html", context, has_faults)


def _show_fault(context: Context, refusal: Refusal) -> None:
    context["fault"] = refusal.message


def _keep_profile(
    request: HttpRequest, draft: drafts.RecordDraft, raw: Context, seen: str
) -> HttpResponse:
    """Keep a profile and go to its page, or to the warbands that paid another price."""
    slug, token = draft.club.slug, draft.own.token
    kept = save_record(owner_of(request), RecordPlace(token, "units", draft.key), raw, seen)
    said = "Unit saved. Members can add it to warbands now."
    if draft.key and prices_of(raw) != prices_of(draft.raw):
        return done(request, said, "content-prices", slug, token)
    return done(request, said, "own-profile", slug, token, kept)


@require_http_methods(FORM)
@at_record
def gear_edit(
    request: HttpRequest, owner: Owner, slug: str, place: RecordPlace
) -> HttpResponse:
    """The form of a weapon or a piece of armour."""
    draft = drafts.load_draft(owner, slug, place)
    form = FORMS[place.part](form_data(request), draft=draft)
    what = drafts.PARTS[place.part]
    context: Context = {"draft": draft, "form": form, "what": what}
    if form.is_valid():
        with refused(form):
            context["line"] = drafts.preview_gear(draft, form.record())
            if not _is_preview(request):
                save_record(owner, place, form.record(), form.cleaned_data["seen"])
                said = f"{what.capitalize()} saved. Units of this list can carry it now."
                return done(request, said, "own-list", slug, place.token)
    return _record_page(request, "rulesdata/content/gear_edit.html", context, form.errors)


@require_http_methods(FORM)
@for_members
def equipment_edit(
    request: HttpRequest, owner: Owner, slug: str, token: str, key: str = ""
) -> HttpResponse:
    """The form of an equipment list; whoever changes a price is asked next what becomes of the
    warbands that paid the old one.
    """
    place = RecordPlace(token, "equipment", key)
    draft = drafts.load_draft(owner, slug, place)
    sent = form_data(request)
    form, options = FORMS["equipment"](sent, draft=draft), options_form(draft, sent)
    # Both are asked, so that the faults of both are shown at once.
    if all([form.is_valid(), options.is_valid()]):
        raw = {**form.record(), "options": options.records()}
        with refused(form):
            save_record(owner, place, raw, form.cleaned_data["seen"])
            is_changed = key and prices_of(raw) != prices_of(draft.raw)
            said = "Equipment list saved. Tick it in the units that buy from it."
            following = "content-prices" if is_changed else "own-list"
            return done(request, said, following, slug, token)
    context = {"draft": draft, "form": form, "options": options, "club": draft.club}
    status = 200 if sent is None else 422
    return render(request, "rulesdata/content/equipment_edit.html", context, status=status)


@require_POST
@at_record
def record_retire(
    request: HttpRequest, owner: Owner, slug: str, place: RecordPlace
) -> HttpResponse:
    """Put a record away, or drop a correction."""
    drafts.load_list_to_write(owner, slug, place.token)
    stays = "Not archived, because the list still needs it."
    with _told_faults(request, stays):
        put_away(owner, place)
        messages.success(request, "Archived. Existing warbands still use it.")
    return redirect("own-list", slug, place.token)


@require_POST
@at_record
def record_restore(
    request: HttpRequest, owner: Owner, slug: str, place: RecordPlace
) -> HttpResponse:
    """Offer a record again."""
    drafts.load_list_to_write(owner, slug, place.token)
    with _told_faults(request, "Not restored: it stays archived."):
        bring_back(owner, place)
        messages.success(request, "Restored. Members can choose it again.")
    return redirect("own-list", slug, place.token)


def _told_faults(request: HttpRequest, stays: str) -> TellRefusal:
    """Say on the next page why a record stays as it is: the first thing that would be wrong."""

    def tell(refusal: Refusal) -> None:
        assert isinstance(refusal, FaultyList)
        messages.error(request, f"{stays} {refusal.faults[0]}.")

    return TellRefusal(tell, passing=NotAllowed)


def _is_preview(request: HttpRequest) -> bool:
    return request.POST.get("go") == "preview"


def _record_page(
    request: HttpRequest, template: str, context: Context, has_faults: Any
) -> HttpResponse:
    """The page, or its preview alone for htmx; 422 where something was sent that cannot be kept."""
    context["club"] = context["draft"].club
    drawn = part_of(request, template, "preview")
    # A preview says itself what is wrong, and htmx draws no answer of 422.
    is_refused = drawn == template and request.method == "POST" and has_faults
    return render(request, drawn, context, status=422 if is_refused else 200)


# Catalogues of another app: sent, read by a job, shown as a report, and taken into a
# club.

# As long as a page may take: what is small is read by then.
WAIT_SECONDS = 2.0
STOPPED: Fields = {
    "message": "Files: reading them was stopped. Choose them again.",
    "field": "files",
}


@require_http_methods(FORM)
@for_members
def list_catalogue(
    request: HttpRequest, owner: Owner, slug: str, token: str = ""
) -> HttpResponse:
    """Send files of a game; ``again`` is what was sent before, with other choices.

    A newer version begins with the choices that its list was made with.
    """
    page = drafts.load_list_to_write(owner, slug, token) if token else None
    club = page.club if page else clubs.load_club_to_write(owner, slug)
    again = request.GET.get("again")
    previous = load_earlier(owner, slug, token, again)
    initial: Fields = {}
    if previous:
        initial = {**first_wishes(previous.wishes), "may_use": again is not None}
    form = CatalogueForm(
        form_data(request),
        request.FILES or None,
        is_new=page is None,
        offers=previous.offers if previous else {},
        initial=initial,
    )
    if form.is_valid():
        with refused(form):
            sent = send_catalogue(owner, slug, form.draft(token))
            job = load_sent(owner, slug, sent).job
            if job and not wait_until_over(job, WAIT_SECONDS):
                return redirect("job-read", token=job)
            return redirect("catalogue-read", slug, sent)
    context: Context = {"form": form, "page": page, "club": club}
    return form_page(request, "rulesdata/content/catalogue.html", context)


@require_safe
@for_members
def catalogue_read(
    request: HttpRequest, owner: Owner, slug: str, sent: str
) -> HttpResponse:
    """Show what files came to: their report, the form again with what is wrong, or the job."""
    record = load_sent(owner, slug, sent)
    if record.job:
        return redirect("job-read", token=record.job)
    if record.is_taken:
        return redirect("own-list-report", slug, record.list_token)
    if record.report is None or record.document is None:
        # Files cannot be filled in again.
        form = CatalogueForm(
            first_wishes(record.wishes), is_new=not record.is_newer, offers=record.offers
        )
        form.show_refusal(record.refusal or STOPPED)
        context: Context = {"form": form, "club": record.club, "sent": record}
        return render(request, "rulesdata/content/catalogue.html", context)
    return _report(request, record)


@require_safe
@for_members
def list_report(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Show the report of the files that a list was last made of."""
    return _report(request, load_list_report(owner, slug, token))


def _report(request: HttpRequest, record: SentRecord) -> HttpResponse:
    """Show what was read, of the units asked for, with a button to save it while it is not."""
    unit = request.GET.get("unit", "")[:NAME_LENGTH]
    report = report_page(record.report or {}, unit)
    context: Context = {
        "club": record.club,
        "sent": record,
        "title": "Report of the catalogue"
        if record.is_taken
        else f"Preview of {report['list']}",
        "wanted": unit,
        "report": report,
    }
    return render(request, "rulesdata/content/catalogue_report.html", context)


@require_POST
@for_members
def catalogue_take(
    request: HttpRequest, owner: Owner, slug: str, sent: str
) -> HttpResponse:
    """Make the list, or take the changes; then come the warbands that paid older prices."""
    record = load_sent(owner, slug, sent)
    with refused_as_message(request):
        choice = TakeChoice(tuple(request.POST.getlist("take")))
        token = take_catalogue(owner, slug, sent, choice)
        message = "List saved. The report under “More” says what you should check."
        following = "content-prices" if record.is_newer else "own-list"
        return done(request, message, following, slug, token)
    return redirect("catalogue-read", slug, sent)
