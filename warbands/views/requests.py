"""What every warband view takes from its request: who asks, which warband, the version seen, the
request key.
"""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest

from accounts.owner import Owner
from accounts.requests import owner_for_storing, owner_of, request_key, version_seen
from warbands.operations.ownership import purge_when_due
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband


def record_for(request: HttpRequest, token: str) -> tuple[Owner, WarbandRecord]:
    """Who asks and the warband they may see; raises Http404 for everybody else."""
    owner = owner_of(request)
    record = load_warband(owner, token)
    if record is None:
        raise Http404
    return owner, record


def own_record_for(request: HttpRequest, token: str) -> tuple[Owner, WarbandRecord]:
    """Who asks and the warband they may change; raises Http404 for everybody else, readers
    included.
    """
    owner, record = record_for(request, token)
    if not record.may_change:
        raise Http404
    return owner, record


def storing_owner(request: HttpRequest) -> Owner:
    """Who is about to make a new warband; once a day what nobody came back for goes then."""
    purge_when_due()
    return owner_for_storing(request)


def expected_kwargs(request: HttpRequest) -> dict[str, Any]:
    """The keywords every operation takes: the version this form was made from, and its request key."""
    return {"version": version_seen(request), "key": request_key(request)}


def open_warriors(request: HttpRequest) -> tuple[int, ...]:
    """The warriors whose options stand open on the page that asks; rubbish opens nothing."""
    asked = request.POST.get("open") or request.GET.get("open") or ""
    parts = (
        part
        for part in asked[:400].split(",")
        if part.isascii() and part.isdigit() and len(part) < 19
    )
    return tuple(int(part) for part in parts)[:20]
