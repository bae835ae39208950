"""What every page of an event shares: who asks, which event, and how a page is drawn."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.forms import RefusalForm
from accounts.owner import Owner
from accounts.requests import (
    owner_of,
    request_key,
    version_seen,
    without_robots,
)
from campaigns.growth.queries.reports import GrowthPreview
from campaigns.operations.log import ChangeRequest
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.records import ClubEventRecord, EntryRecord
from warbands.pdf.press import PAPERS
from warbands.views.presenters import form_key


def event_for(request: HttpRequest, token: str) -> tuple[Owner, ClubEventRecord]:
    """Return who asks and the event they may read; raises Http404 for everybody else."""
    owner = owner_of(request)
    return owner, load_event(owner, token)


def organised_event_for(request: HttpRequest, token: str) -> tuple[Owner, ClubEventRecord]:
    """Return who asks and the event they run.

    Raises Http404 for those who may not read it, PermissionDenied for those who may only read it.
    """
    owner, event = event_for(request, token)
    # A person who may not read the event is not told that it exists, so 404 comes before 403.
    if not event.may_organise:
        raise PermissionDenied
    return owner, event


def organised_page(
    load: Callable[..., Any], request: HttpRequest, *args: Any
) -> tuple[Owner, Any]:
    """Return who asks and what ``load`` gives them of an event they run.

    Raises as `organised_event_for`.
    """
    owner = owner_of(request)
    page = load(owner, *args)
    if not page.event.may_organise:
        raise PermissionDenied
    return owner, page


def own_entry_for(
    request: HttpRequest, token: str, entry: str
) -> tuple[Owner, ClubEventRecord, EntryRecord]:
    """Return who asks, the event, and an entry that is theirs or that they run.

    Raises Http404 for what they may not read, PermissionDenied for what is not theirs.
    """
    owner, event = event_for(request, token)
    record = load_entry(owner, event, entry)
    refuse_others(event, record)
    return owner, event, record


def refuse_others(event: ClubEventRecord, entry: EntryRecord) -> None:
    """Raise PermissionDenied for those who neither are the entry nor run the event."""
    if not (entry.is_mine or event.may_organise):
        raise PermissionDenied


def over_page(
    request: HttpRequest, event: ClubEventRecord, to: str, *args: str
) -> HttpResponse:
    """Redirect somebody who comes to change an event that is over, with a message."""
    messages.error(request, event.over_words)
    return redirect(to, *args)


def change_request(
    request: HttpRequest, owner: Owner, token: str, form: RefusalForm | None = None
) -> ChangeRequest:
    """Return who asks for a change of which event, at the version seen, and why by a valid form."""
    reason = form.cleaned_data.get("reason", "") if form else ""
    return ChangeRequest(owner, token, version_seen(request), reason)


def keyed_request(
    request: HttpRequest, owner: Owner, token: str, reason: str = ""
) -> ChangeRequest:
    """Return who asks for a change of which event, once for each button of a page."""
    return ChangeRequest(owner, token, reason=reason, key=request_key(request))


def draw_page(
    request: HttpRequest, name: str, *, status: int | None = None, **context: Any
) -> HttpResponse:
    """Draw a page of an event, which search engines are told to leave alone.

    ``context`` is what its template takes. The status is that of its ``form`` where none is given.
    """
    form = context.get("form")
    if status is None:
        status = form.status if isinstance(form, RefusalForm) else 200
    return without_robots(render(request, f"campaigns/{name}.html", context, status=status))


def paper_asked(size: str | None) -> Any:
    """Return the size of paper a request names, A4 where it names none; raises BadRequest."""
    paper = size or "a4"
    if paper not in PAPERS:
        raise BadRequest(f"“paper” must be {' or '.join(PAPERS)}.")
    return paper


NOT_SENT = ("csrfmiddlewaretoken", "go", "key")
"""Fields that the page which asks for confirmation has anew."""


def confirm_page(
    request: HttpRequest,
    *,
    preview: GrowthPreview,
    form: RefusalForm | None = None,
    **more: Any,
) -> HttpResponse:
    """Draw what a change of a growing campaign would move, with a button that makes it.

    What was sent is sent again with the button; ``form`` asks why where a reason is wanted.
    """
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in NOT_SENT and not (form and name in form.fields)
        for value in values
    ]
    status = form.status if form is not None else 200
    return draw_page(
        request,
        "growth_confirm",
        status=status,
        preview=preview,
        form=form,
        fields=fields,
        key=form_key(request),
        **more,
    )
