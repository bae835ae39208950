"""Catalogues of another app: sent, shown as the list they come to, and taken into a club."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.owner import Owner
from accounts.requests import form_data, refused, takes_document
from rulesdata.forms.catalogues import (
    HELD_MAX,
    CatalogueForm,
    held_document,
    hold_document,
)
from rulesdata.operations.own_lists import upload_list
from rulesdata.queries import clubs, drafts
from rulesdata.queries.catalogue_readings import load_catalogue_reading
from rulesdata.views.book import FORM, done, form_page
from rulesdata.views.content import Context, for_members


@takes_document("held", HELD_MAX)
@require_http_methods(FORM)
@for_members
def list_catalogue(
    request: HttpRequest, owner: Owner, slug: str, token: str = ""
) -> HttpResponse:
    """Files of a game: a preview of the list, and with ``held`` the list itself."""
    page = drafts.load_list_to_write(owner, slug, token) if token else None
    club = page.club if page else clubs.load_club_to_write(owner, slug)
    sent = form_data(request)
    form = CatalogueForm(sent, request.FILES or None, is_new=page is None)
    context: Context = {"form": form, "page": page, "club": club}
    held = sent.get("held", "") if sent is not None else ""
    if held:
        # The preview sends no files again, so only what it held counts.
        form.is_valid()
        form.errors.clear()
        with refused(form):
            kept = upload_list(owner, slug, held_document(slug, held), token=token)
            said = f"List saved: {kept.units} units. Check what is marked as doubtful."
            return done(request, said, "own-list", slug, kept.token)
    elif form.is_valid():
        with refused(form):
            reading = load_catalogue_reading(owner, slug, form.draft(token))
            context |= {"reading": reading, "held": hold_document(slug, reading.document)}
            return render(request, "rulesdata/content/catalogue_preview.html", context)
    return form_page(request, "rulesdata/content/catalogue.html", context)
