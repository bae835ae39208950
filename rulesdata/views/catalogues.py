"""Catalogues of another app: sent, read by a job, shown as a report, and taken into a club."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.owner import Owner
from accounts.requests import form_data, refused, refused_as_message
from engine.records import Fields
from jobs.queue import wait_until_over
from rulesdata.forms.catalogues import (
    NAME_LENGTH,
    CatalogueForm,
    TakeForm,
    first_wishes,
)
from rulesdata.operations.sent_catalogues import send_catalogue, take_catalogue
from rulesdata.queries import clubs, drafts
from rulesdata.queries.catalogue_reports import of_unit, report_page
from rulesdata.queries.sent_catalogues import (
    SentRecord,
    load_earlier,
    load_list_report,
    load_sent,
)
from rulesdata.views.book import FORM, done, form_page
from rulesdata.views.content import Context, for_members

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
    sent = load_earlier(owner, slug, token, again)
    form = CatalogueForm(
        form_data(request),
        request.FILES or None,
        is_new=page is None,
        offers=_offers(sent),
        initial={**first_wishes(sent.wishes), "may_use": again is not None} if sent else {},
    )
    if form.is_valid():
        with refused(form):
            found = send_catalogue(owner, slug, form.draft(token))
            job = load_sent(owner, slug, found).job
            if job and not wait_until_over(job, WAIT_SECONDS):
                return redirect("job-read", token=job)
            return redirect("catalogue-read", slug, found)
    context: Context = {"form": form, "page": page, "club": club}
    return form_page(request, "rulesdata/content/catalogue.html", context)


def _offers(sent: SentRecord | None) -> Fields:
    """Return the names there are to choose from in what was sent."""
    if sent is None:
        return {}
    return sent.report or (sent.refusal or {}).get("offers", {})


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
        return _refused_page(request, record)
    context: Context = {"club": record.club, "sent": record, **_report(request, record)}
    return render(request, "rulesdata/content/catalogue_preview.html", context)


def _refused_page(request: HttpRequest, record: SentRecord) -> HttpResponse:
    """Show the form with the sentence beside the field. Files cannot be filled in again."""
    form = CatalogueForm(
        first_wishes(record.wishes), is_new=not record.is_newer, offers=_offers(record)
    )
    form.add_told(record.refusal or STOPPED)
    context: Context = {"form": form, "club": record.club, "sent": record}
    return render(request, "rulesdata/content/catalogue.html", context)


def _report(request: HttpRequest, record: SentRecord) -> Context:
    """Return the report of what was read, of one unit where one is asked for."""
    wanted = request.GET.get("unit", "")[:NAME_LENGTH]
    return {"wanted": wanted, "report": report_page(of_unit(record.report or {}, wanted))}


@require_POST
@for_members
def catalogue_take(
    request: HttpRequest, owner: Owner, slug: str, sent: str
) -> HttpResponse:
    """Make the list, or take the changes."""
    record = load_sent(owner, slug, sent)
    form = TakeForm(request.POST, report=record.report or {"places": [], "edits": []})
    if form.is_valid():
        with refused_as_message(request):
            token = take_catalogue(owner, slug, sent, form.choice())
            said = "List saved. The report under “More” says what you should check."
            return done(request, said, "own-list", slug, token)
    return redirect("catalogue-read", slug, sent)


@require_safe
@for_members
def list_report(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Show the report of the files that a list was last made of."""
    record = load_list_report(owner, slug, token)
    context: Context = {"club": record.club, "sent": record, **_report(request, record)}
    return render(request, "rulesdata/content/catalogue_report.html", context)
