"""What every page of a club takes from its request: who asks, and which club."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from accounts.errors import NotAllowed, NotFound
from accounts.owner import Owner
from accounts.owners import owner_of
from accounts.queries import ClubRecord, load_club


def club_for(request: HttpRequest, slug: str) -> tuple[Owner, ClubRecord]:
    """Who asks and the club they may see; raises Http404 for everybody else."""
    owner = owner_of(request)
    club = load_club(owner, slug)
    if club is None:
        raise Http404
    return owner, club


def joined_club_for(request: HttpRequest, slug: str) -> tuple[Owner, ClubRecord]:
    """Who asks and the club they belong to; a 404 for those who may not see it, a 403 for those who may."""
    owner, club = club_for(request, slug)
    if not club.is_member:
        raise PermissionDenied
    return owner, club


def organised_club_for(request: HttpRequest, slug: str) -> tuple[Owner, ClubRecord]:
    """Who asks and the club they run; a 404 for those who may not see it, a 403 for those who may."""
    owner, club = club_for(request, slug)
    if not club.is_organiser:
        raise PermissionDenied
    return owner, club


@contextmanager
def answering_strangers() -> Iterator[None]:
    """The same answers where an operation finds out: 404 for what is not there to see, 403 for what is not theirs."""
    try:
        yield
    except NotFound:
        raise Http404 from None
    except NotAllowed:
        raise PermissionDenied from None
