"""What every warband view takes from its request: who asks, which warband, the version seen, the request key."""

from __future__ import annotations

import hashlib
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse

from accounts.owner import Owner
from accounts.owners import owner_for_storing, owner_of
from warbands import operations, queries
from warbands.queries.records import WarbandRecord

MAX_DIGITS = 9
KEY_MAX = 100
NO_ROBOTS = "noindex, nofollow"


def record_for(request: HttpRequest, token: str) -> tuple[Owner, WarbandRecord]:
    """Who asks and the warband they may see; raises Http404 for everybody else."""
    owner = owner_of(request)
    record = queries.load_warband(owner, token)
    if record is None:
        raise Http404
    return owner, record


def own_record_for(request: HttpRequest, token: str) -> tuple[Owner, WarbandRecord]:
    """Who asks and the warband they may change; raises Http404 for everybody else, readers included."""
    owner, record = record_for(request, token)
    if not record.may_change:
        raise Http404
    return owner, record


def storing_owner(request: HttpRequest) -> Owner:
    """Who is about to make a new warband; once a day what nobody came back for goes then."""
    operations.purge_when_due()
    return owner_for_storing(request)


def parse_int(text: str | None, field: str, low: int = 0, high: int = 10**MAX_DIGITS - 1) -> int:
    """A whole number a form sent; raises BadRequest naming the field and its limits."""
    value = text or ""
    if (
        not (value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS)
        or not low <= int(value) <= high
    ):
        raise BadRequest(f"“{field}” must be a whole number from {low} to {high:,}.")
    return int(value)


def expected_kwargs(request: HttpRequest) -> dict[str, Any]:
    """The keywords every operation takes: the version this form was made from, and its request key."""
    seen = request.POST.get("version")
    return {"version": parse_int(seen, "version") if seen else None, "key": request_key(request)}


def request_key(request: HttpRequest) -> str:
    """One key for each button of a page: the page's own key with what this button sends.

    All forms of a page carry the same key, so what tells two buttons apart is where they post and what they hold.
    """
    key = request.POST.get("key", "")
    if not key:
        return ""
    if len(key) > KEY_MAX:
        raise BadRequest(f"“key” must have at most {KEY_MAX} characters.")
    sent = sorted(
        (name, tuple(values)) for name, values in request.POST.lists() if name not in _NOT_SENT
    )
    told = repr((key, request.path, sent)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(told).hexdigest()


_NOT_SENT = frozenset({"csrfmiddlewaretoken", "open", "version"})


def open_warriors(request: HttpRequest) -> tuple[int, ...]:
    """The warriors whose options stand open on the page that asks; rubbish opens nothing."""
    asked = request.POST.get("open") or request.GET.get("open") or ""
    parts = (
        part
        for part in asked[:400].split(",")
        if part.isascii() and part.isdigit() and len(part) < 19
    )
    return tuple(int(part) for part in parts)[:20]


def without_robots(response: HttpResponse) -> HttpResponse:
    """Tell search engines to leave this alone; a link that was shared is not for everybody."""
    response.headers["X-Robots-Tag"] = NO_ROBOTS
    return response
