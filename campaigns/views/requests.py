"""What every page of an event takes from its request: who asks, which event, the version seen."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from accounts.owner import Owner
from accounts.requests import record_or_404
from campaigns.queries.events import load_event
from campaigns.queries.records import ClubEventRecord


def event_for(request: HttpRequest, token: str) -> tuple[Owner, ClubEventRecord]:
    """Who asks and the event they may read; raises Http404 for everybody else."""
    return record_or_404(load_event, request, token)


def organised_event_for(request: HttpRequest, token: str) -> tuple[Owner, ClubEventRecord]:
    """Who asks and the event they run; a 404 for those who may not read it, a 403 for those who may
    only read.
    """
    owner, event = event_for(request, token)
    if not event.may_organise:
        raise PermissionDenied
    return owner, event
