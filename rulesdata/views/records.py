"""The records of a club's list: profiles, weapons, armour; seen, previewed, kept, put away, brought
back.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import owner_of
from engine.errors import Refusal
from rulesdata.errors import FaultyList
from rulesdata.forms.options import options_form
from rulesdata.forms.records import ArmourForm, RecordForm, UnitForm, WeaponForm
from rulesdata.operations.own_lists import bring_back, put_away, save_record
from rulesdata.own_lists import prices_of
from rulesdata.queries import drafts
from rulesdata.queries.drafts import RecordDraft
from rulesdata.views.content import FORM, answer_club_errors

GEAR_FORMS: dict[str, type[RecordForm]] = {"weapons": WeaponForm, "armour": ArmourForm}


@require_safe
@answer_club_errors
def profile_read(request: HttpRequest, slug: str, token: str, key: str) -> HttpResponse:
    """One profile of a list as warbands have it."""
    page = drafts.load_own_unit(owner_of(request), slug, token, key)
    return render(request, "rulesdata/content/profile.html", {"page": page})


@require_http_methods(FORM)
@answer_club_errors
def profile_edit(request: HttpRequest, slug: str, token: str, key: str = "") -> HttpResponse:
    """A profile's form beside how it will look; ``from`` copies another one, ``go`` says preview
    instead of keep.

    Who has changed a price is asked next what becomes of the warbands that paid the old one.
    """
    source = request.GET.get("from", "")
    draft = drafts.load_unit_draft(owner_of(request), slug, token, key, source)
    sent = request.POST if request.method == "POST" else None
    form, options = UnitForm(sent, draft=draft), options_form(draft, sent)
    shown: dict[str, Any] = {}
    is_whole = sent is not None and all([form.is_valid(), options.is_valid()])
    if is_whole or (sent is None and draft.raw):
        raw = {**form.record(), "options": options.records()} if is_whole else dict(draft.raw)
        try:
            shown["preview"] = drafts.preview_unit(draft, raw)
            if is_whole and not _is_preview(request):
                return _keep_profile(request, slug, draft, raw, form.cleaned_data["seen"])
        except Refusal as refusal:
            _refuse(form, refusal, is_bound=sent is not None, shown=shown)
    context = {"draft": draft, "form": form, "options": options, **shown}
    return _answer(
        request,
        "rulesdata/content/profile_edit.html",
        context,
        form.errors or not options.is_valid(),
    )


def _keep_profile(
    request: HttpRequest, slug: str, draft: RecordDraft, raw: dict[str, Any], seen: str
) -> HttpResponse:
    """Keep a profile and go to its page, or to the warbands that paid another price."""
    token, key = draft.own.token, draft.key
    kept = save_record(owner_of(request), token, "units", raw, key=key, seen=seen)
    messages.success(request, "The profile is kept. Members may muster it now.")
    if key and prices_of(raw) != prices_of(draft.raw):
        return redirect("content-prices", slug, token)
    return redirect("own-profile", slug, token, kept)


@require_http_methods(FORM)
@answer_club_errors
def gear_edit(
    request: HttpRequest, slug: str, token: str, part: str, key: str = ""
) -> HttpResponse:
    """The form of a weapon or a piece of armour."""
    draft = drafts.load_gear_draft(owner_of(request), slug, token, part, key)
    sent = request.POST if request.method == "POST" else None
    form = GEAR_FORMS[part](sent, draft=draft)
    shown: dict[str, Any] = {}
    is_whole = sent is not None and form.is_valid()
    if is_whole:
        try:
            shown["line"] = drafts.preview_gear(draft, form.record())
            if not _is_preview(request):
                seen = form.cleaned_data["seen"]
                save_record(owner_of(request), token, part, form.record(), key=key, seen=seen)
                messages.success(
                    request,
                    f"The {drafts.GEAR[part]} is kept. Profiles of this list may carry it now.",
                )
                return redirect("own-list", slug, token)
        except Refusal as refusal:
            _refuse(form, refusal, is_bound=True, shown=shown)
    context = {"draft": draft, "form": form, "what": drafts.GEAR[part], **shown}
    return _answer(request, "rulesdata/content/gear_edit.html", context, form.errors)


@require_POST
@answer_club_errors
def record_retire(request: HttpRequest, slug: str, token: str, part: str, key: str) -> HttpResponse:
    """Put a record away, or drop a correction."""
    drafts.load_list_to_write(owner_of(request), slug, token)
    try:
        put_away(owner_of(request), token, part, key)
        messages.success(request, "Put away. Warbands that have it keep it.")
    except FaultyList as error:
        messages.error(
            request,
            f"It stays, because the list still needs it. {error.faults[0]}.",
        )
    return redirect("own-list", slug, token)


@require_POST
@answer_club_errors
def record_restore(
    request: HttpRequest, slug: str, token: str, part: str, key: str
) -> HttpResponse:
    """Offer a record again."""
    drafts.load_list_to_write(owner_of(request), slug, token)
    try:
        bring_back(owner_of(request), token, part, key)
        messages.success(request, "It is offered again.")
    except FaultyList as error:
        messages.error(request, f"It stays put away. {error.faults[0]}.")
    return redirect("own-list", slug, token)


def _is_preview(request: HttpRequest) -> bool:
    return request.POST.get("go") == "preview"


def _refuse(form: RecordForm, refusal: Refusal, *, is_bound: bool, shown: dict[str, Any]) -> None:
    """At the form's fields where something was sent; beside the preview where the stored record is
    at fault.
    """
    if is_bound:
        form.add_refusal(refusal)
    else:
        shown["fault"] = refusal.message


def _answer(
    request: HttpRequest, template: str, context: dict[str, Any], has_faults: Any
) -> HttpResponse:
    """The page, or its preview alone for htmx; 422 where something was sent that cannot be kept."""
    asked: RecordDraft = context["draft"]
    context = {"club": asked.club, **context}
    htmx = getattr(request, "htmx", None)
    if htmx and not htmx.boosted and htmx.target == "preview":
        return render(request, f"{template}#preview", context)
    return render(
        request, template, context, status=422 if request.method == "POST" and has_faults else 200
    )
