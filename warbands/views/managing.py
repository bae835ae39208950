"""What is done to a warband as a whole: its details, who may read it, another one like it, put away, deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import RefusalForm
from accounts.owner import Owner
from accounts.owners import owner_of, request_key, without_robots
from accounts.queries import load_clubs_of
from rulesdata import registry
from warbands import operations, queries
from warbands.errors import NotFound, Refusal, StaleVersion
from warbands.forms import DeleteForm, DetailsForm, ShareForm
from warbands.operations import ChangeResult
from warbands.queries.records import WarbandRecord
from warbands.views.asking import expected_kwargs, own_record_for, storing_owner
from warbands.views.drawing import page_key

HISTORY_SHOWN = 100

form_page = require_http_methods(["GET", "HEAD", "POST"])


def _save(
    request: HttpRequest,
    token: str,
    form: RefusalForm,
    call: Callable[[Owner, dict[str, Any]], ChangeResult],
) -> tuple[HttpResponse | None, int, str]:
    """Carry out a form's one operation: where to go next, or the status and the sentence it is shown again with."""
    if not form.is_valid():
        return None, 400, ""
    try:
        done = call(owner_of(request), expected_kwargs(request))
    except NotFound:
        raise Http404 from None
    except StaleVersion as stale:
        return None, 409, stale.message
    except Refusal as refusal:
        form.add_refusal(refusal)
        return None, 400, ""
    if done.changed and not done.is_repeat:
        messages.success(request, done.summary)
    return redirect("warband-read", token), 302, ""


def _draw(
    request: HttpRequest,
    template: str,
    record: WarbandRecord,
    form: RefusalForm,
    status: int,
    stale: str,
    **more: Any,
) -> HttpResponse:
    context = {"record": record, "form": form, "key": page_key(), "stale": stale, **more}
    return without_robots(render(request, template, context, status=status))


@form_page
def warband_change(request: HttpRequest, token: str) -> HttpResponse:
    """Name, limit, scenario, house rules and note."""
    owner, record = own_record_for(request, token)
    if record.archived_at:
        raise Http404
    system = registry.load_system(record.system, record.variant)
    form = DetailsForm(request.POST or None, owner=owner, record=record, system=system)
    status, stale = 200, ""
    if request.method == "POST":
        answer, status, stale = _save(
            request,
            token,
            form,
            lambda actor, common: operations.change_warband(
                actor, token, **form.operation_kwargs(), **common
            ),
        )
        if answer:
            return answer
    return _draw(request, "warbands/details.html", record, form, status, stale)


@form_page
def warband_share(request: HttpRequest, token: str) -> HttpResponse:
    """Who may read it, and the address to hand on."""
    owner, record = own_record_for(request, token)
    if record.archived_at:
        raise Http404
    clubs = [(club.id, club.name) for club in load_clubs_of(owner.user_id)] if owner.user_id else []
    form = ShareForm(request.POST or None, record=record, clubs=clubs)
    status, stale = 200, ""
    if request.method == "POST":
        answer, status, stale = _save(
            request, token, form, lambda actor, common: _share(actor, token, form, common)
        )
        if answer:
            return redirect("warband-share", token)
    link = request.build_absolute_uri(redirect("warband-read", token).url)
    return _draw(
        request,
        "warbands/share.html",
        record,
        form,
        status,
        stale,
        link=link,
        has_clubs=bool(clubs),
    )


def _share(actor: Owner, token: str, form: RefusalForm, common: dict[str, Any]) -> ChangeResult:
    chosen = form.cleaned_data
    club = {"club_id": chosen["club"]} if chosen["visibility"] == "club" else {}
    return operations.change_warband(
        actor, token, visibility=chosen["visibility"], **club, **common
    )


@require_safe
def warband_history(request: HttpRequest, token: str) -> HttpResponse:
    """What was changed, the newest first, and undo for the last of it."""
    owner, record = own_record_for(request, token)
    context = {
        "record": record,
        "rows": queries.history(owner, token, limit=HISTORY_SHOWN),
        "key": page_key(),
    }
    return without_robots(render(request, "warbands/history.html", context))


@require_POST
def warband_duplicate(request: HttpRequest, token: str) -> HttpResponse:
    """A copy of one's own, of any warband one may see."""
    if queries.load_warband(owner_of(request), token) is None:
        raise Http404
    try:
        done = operations.duplicate_warband(storing_owner(request), token, key=request_key(request))
    except NotFound:
        raise Http404 from None
    except Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("warband-read", token)
    messages.success(request, done.summary)
    return redirect("warband-read", done.token)


@require_POST
def warband_archive(request: HttpRequest, token: str) -> HttpResponse:
    """Put away: out of the list, unchanged, and back whenever wanted."""
    return _put(request, token, operations.archive_warband, "warband-list")


@require_POST
def warband_restore(request: HttpRequest, token: str) -> HttpResponse:
    """Back from the archive."""
    return _put(request, token, operations.restore_warband, "warband-read")


def _put(
    request: HttpRequest, token: str, operation: Callable[..., ChangeResult], then: str
) -> HttpResponse:
    try:
        done = operation(owner_of(request), token, **expected_kwargs(request))
    except NotFound:
        raise Http404 from None
    except (StaleVersion, Refusal) as error:
        messages.error(request, error.message)
        return redirect("warband-read", token)
    messages.success(request, done.summary)
    return redirect(then) if then == "warband-list" else redirect(then, token)


@form_page
def warband_delete(request: HttpRequest, token: str) -> HttpResponse:
    """Gone for good, once its name has been typed."""
    owner, record = own_record_for(request, token)
    form = DeleteForm(request.POST if request.method == "POST" else None, record=record)
    if request.method == "POST" and form.is_valid():
        try:
            operations.delete_warband(owner, token, form.cleaned_data["typed_name"])
            messages.success(request, f"{record.display_name} is deleted")
            return redirect("warband-list")
        except NotFound:
            raise Http404 from None
        except Refusal as refusal:
            form.add_refusal(refusal)
    return _draw(request, "warbands/delete.html", record, form, 400 if form.errors else 200, "")
