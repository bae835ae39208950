"""What every warband view takes from its request: who asks, which warband, the version seen, the
request key.
"""

import re2
from django.contrib import messages
from django.http import Http404, HttpRequest

from accounts.owner import Owner
from accounts.requests import (
    owner_for_storing,
    owner_of,
    record_or_404,
    request_key,
    version_seen,
)
from warbands.operations.transaction import ChangeResult, WriteContext
from warbands.operations.upkeep import purge_when_due
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband


def record_for(request: HttpRequest, token: str) -> tuple[Owner, WarbandRecord]:
    """Who asks and the warband they may see; raises Http404 for everybody else."""
    return record_or_404(load_warband, request, token)


def own_record_for(request: HttpRequest, token: str) -> tuple[Owner, WarbandRecord]:
    """Who asks and the warband they may change; raises Http404 for everybody else, readers
    included.
    """
    owner, record = record_for(request, token)
    if not record.may_change:
        raise Http404
    return owner, record


def write_context(request: HttpRequest, token: str) -> WriteContext:
    """Who changes a warband, the version that this form was made from, and its request key."""
    return WriteContext(
        owner_of(request), token, version_seen(request), request_key(request)
    )


def creation_context(request: HttpRequest, token: str = "") -> WriteContext:
    """Who makes a new warband, out of the one that ``token`` names if it does.

    Once a day what nobody came back for goes then.
    """
    purge_when_due()
    return WriteContext(owner_for_storing(request), token, key=request_key(request))


def tell_change(request: HttpRequest, done: ChangeResult) -> None:
    """Say on the next page what was changed, unless nothing was or it was told before."""
    if done.changed and not done.is_repeat:
        messages.success(request, done.summary)


def open_warriors(request: HttpRequest) -> tuple[int, ...]:
    """The warriors whose options stand open on the page that asks; rubbish opens nothing."""
    sent = request.POST.get("open") or request.GET.get("open") or ""
    # 18 digits fit every key of a row; more would be refused by the database.
    parts = (part for part in sent[:400].split(",") if _NUMBER.fullmatch(part))
    return tuple(map(int, parts))[:20]


_NUMBER = re2.compile(r"[0-9]{1,18}")
