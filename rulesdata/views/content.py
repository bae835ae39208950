"""What a club has written: its page, its lists, their files, levels of guidelines.

For members; organisers write.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import owner_of
from engine.errors import Refusal
from rulesdata.errors import FaultyList, NotAllowed
from rulesdata.forms.content import LevelsForm, ListForm, ListHeadForm, UploadForm
from rulesdata.operations.levels import set_levels
from rulesdata.operations.own_lists import (
    Uploaded,
    change_list,
    create_list,
    restore_list,
    retire_list,
    upload_list,
)
from rulesdata.queries import clubs, drafts
from rulesdata.views.book import answer_book_errors

View = Callable[..., HttpResponse]
FORM = ("GET", "HEAD", "POST")


def answer_club_errors(view: View) -> View:
    """For signed-in people: what is not their club's is 404, what its organisers alone may do is
    403 for the others.
    """

    @login_required
    @never_cache
    @answer_book_errors
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotAllowed as error:
            raise PermissionDenied(error.message) from None

    return answer


@require_safe
@answer_club_errors
def content_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything a club has written."""
    return render(
        request,
        "rulesdata/content/home.html",
        {"page": clubs.load_content(owner_of(request), slug)},
    )


@require_http_methods(FORM)
@answer_club_errors
def list_new(request: HttpRequest, slug: str) -> HttpResponse:
    """A list, begun with its head."""
    club = clubs.load_club_to_write(owner_of(request), slug)
    form = ListForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            token = create_list(owner_of(request), slug, form.draft())
        except Refusal as refusal:
            _refuse(form, refusal, {"base": "stands_on", "collection": "stands_on"})
        else:
            messages.success(request, "The list is there. Add its first profile, or correct one.")
            return redirect("own-list", slug, token)
    return _form(request, "rulesdata/content/list_new.html", form, club=club)


@require_safe
@answer_club_errors
def own_list(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """One list of a club."""
    return render(
        request,
        "rulesdata/content/list.html",
        {"page": clubs.load_list(owner_of(request), slug, token)},
    )


@require_http_methods(FORM)
@answer_club_errors
def list_edit(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The head of a list."""
    page = drafts.load_list_to_write(owner_of(request), slug, token)
    file = page.own.file
    form = ListHeadForm(
        request.POST if request.method == "POST" else None,
        initial={"name": file.name, "note": file.note or ""},
    )
    if request.method == "POST" and form.is_valid():
        try:
            change_list(owner_of(request), token, **form.cleaned_data)
        except Refusal as refusal:
            _refuse(form, refusal)
        else:
            messages.success(request, "The changes are kept.")
            return redirect("own-list", slug, token)
    return _form(request, "rulesdata/content/list_edit.html", form, page=page, club=page.club)


@require_POST
@answer_club_errors
def list_retire(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Put a list away."""
    drafts.load_list_to_write(owner_of(request), slug, token)
    retire_list(owner_of(request), token)
    messages.success(request, "The list is put away. Warbands that were mustered from it keep it.")
    return redirect("content-list", slug)


@require_POST
@answer_club_errors
def list_restore(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Offer a list again."""
    drafts.load_list_to_write(owner_of(request), slug, token)
    restore_list(owner_of(request), token)
    messages.success(request, "The list is offered again.")
    return redirect("own-list", slug, token)


@require_safe
@answer_club_errors
def list_file(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The file of a list, as an upload takes it."""
    name, text = clubs.load_file(owner_of(request), slug, token)
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_http_methods(FORM)
@answer_club_errors
def list_upload(request: HttpRequest, slug: str, token: str = "") -> HttpResponse:
    """A file of the pack format: a new list, or the whole content of one; what is wrong is listed
    by line.
    """
    owner = owner_of(request)
    page = drafts.load_list_to_write(owner, slug, token) if token else None
    club = page.club if page else clubs.load_club_to_write(owner, slug)
    form = UploadForm(
        request.POST if request.method == "POST" else None,
        request.FILES or None,
        is_new=page is None,
    )
    faults: list[str] = []
    if request.method == "POST" and form.is_valid():
        try:
            collection = form.cleaned_data.get("collection", "")
            done = upload_list(owner, slug, form.raw, collection=collection, token=token)
        except FaultyList as error:
            faults = [str(fault) for fault in error.faults]
        except Refusal as refusal:
            _refuse(form, refusal)
        else:
            messages.success(request, _upload_words(done))
            return redirect("own-list", slug, done.token)
    return _form(
        request, "rulesdata/content/upload.html", form, page=page, club=club, faults=faults
    )


def _upload_words(done: Uploaded) -> str:
    if not done.changed:
        return "The list said all of this already."
    return f"The file is kept: {done.units} profiles."


@require_http_methods(FORM)
@answer_club_errors
def levels_edit(request: HttpRequest, slug: str, system: str) -> HttpResponse:
    """How seriously a club takes the guidelines of a system; its members read it."""
    page = clubs.load_levels(owner_of(request), slug, system)
    if request.method == "POST" and not page.club.may_write:
        raise NotAllowed(clubs.NOT_THEIRS)
    form = LevelsForm(request.POST if request.method == "POST" else None, page=page)
    if request.method == "POST" and form.is_valid():
        try:
            set_levels(owner_of(request), slug, system, form.cleaned_data)
        except Refusal as refusal:
            _refuse(form, refusal)
        else:
            messages.success(
                request, "The levels are kept. New events of the club begin with them."
            )
            return redirect("content-list", slug)
    return _form(request, "rulesdata/content/levels.html", form, page=page, club=page.club)


def _refuse(form: Any, refusal: Refusal, names: dict[str, str] | None = None) -> None:
    field = (names or {}).get(refusal.field, refusal.field)
    form.add_error(field if field in form.fields else None, refusal.message)


def _form(request: HttpRequest, template: str, form: Any, **context: Any) -> HttpResponse:
    """The page of a form; sent back with 422 when it could not be kept."""
    status = 422 if request.method == "POST" else 200
    return render(request, template, {"form": form, **context}, status=status)
