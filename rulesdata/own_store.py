"""Clubs' lists out of their rows, kept by each process for as long as their stamp is the same.

A request asks for the stamp of a list once, whatever it draws from it, so that a change made by
another process is seen by the next request. Outside of requests every question asks again.
"""

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

from django.core.signals import request_finished, request_started

from rulesdata import registry
from rulesdata.errors import FaultyList
from rulesdata.models import Armour, Army, MagicItem, Profile, Weapon
from rulesdata.own_lists import OwnList, PrintedLists, is_own, read_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.schema.lists import OwnListFile

# Lists of a few hundred units take memory; a full store is emptied, not sorted out.
KEPT_MAX = 500
Rows = dict[str, list[dict[str, Any]]]

_kept: dict[str, OwnList] = {}
# None outside of a request: a command or a job runs too long to trust what it has seen once.
_asked: ContextVar[dict[str, OwnList | None] | None] = ContextVar(
    "own_lists_asked", default=None
)


def parse_own_list(document: Document, shelf: PrintedLists) -> OwnListFile:
    """The list a document describes. Raises FaultyList with everything that is wrong with it."""
    file, faults = read_own_list(document, shelf)
    if file is None or faults:
        raise FaultyList(faults)
    return file


def connect() -> None:
    """Give the registry its lists, and follow the requests; called once when the app is ready."""
    registry.find_own_list = find
    request_started.connect(_begin, dispatch_uid="rulesdata.own_store.begin")
    request_finished.connect(_end, dispatch_uid="rulesdata.own_store.end")


def _begin(**_: object) -> None:
    _asked.set({})


def _end(**_: object) -> None:
    _asked.set(None)


def find(token: str) -> OwnList | None:
    """The list of a token, or None.

    One query, none for one this request has asked for; five where it has changed.
    """
    if not is_own(token):
        return None
    seen = _asked.get()
    if seen is not None and token in seen:
        return seen[token]
    row = Army.objects.filter(token=token).select_related("club", "collection").first()
    return _remember(token, _cached_list(row) if row else None)


def preload(tokens: Iterable[str]) -> None:
    """Ask for several lists with one query, so that a page that names many asks no more.

    Only within a request.
    """
    seen = _asked.get()
    wanted = {token for token in tokens if is_own(token)} - set(seen or ())
    if not wanted or seen is None:
        return
    rows = Army.objects.filter(token__in=wanted).select_related("club", "collection")
    by_token = {str(row.token): row for row in rows}
    for token in wanted:
        _remember(token, _cached_list(by_token[token]) if token in by_token else None)


def forget(token: str) -> None:
    """Ask for this list anew; whoever changed it says so."""
    seen = _asked.get()
    if seen is not None:
        seen.pop(token, None)


def _remember(token: str, own_list: OwnList | None) -> OwnList | None:
    seen = _asked.get()
    if seen is not None:
        seen[token] = own_list
    return own_list


def _cached_list(row: Army) -> OwnList:
    """Return the list of a row, kept for as long as its stamp, club and shelf last."""
    token = str(row.token)
    cached = _kept.get(token)
    # The name of the club and whether the list is put away are no part of its stamp.
    now = (row.stamp, row.club.name if row.club else "", row.retired_at is not None)
    if cached is not None and (cached.stamp, cached.club_name, cached.is_retired) == now:
        return cached
    own_list = load_own_list(row)
    if len(_kept) >= KEPT_MAX:
        _kept.clear()
    _kept[token] = own_list
    return own_list


def load_own_list(row: Army) -> OwnList:
    """The list of a row, with what was put away beside it.

    Four queries; the row's club and collection are at hand.
    """
    assert row.club
    # By the key of the list's file, in order.
    live: Rows = {}
    away: Rows = {}
    for name, model, order in (
        ("weapons", Weapon, "id"), ("armour", Armour, "id"), ("magic_items", MagicItem, "id"),
        ("units", Profile, "position"),
    ):  # fmt: skip
        records = model._default_manager.filter(army=row, club__isnull=False)
        rows = records.order_by(order, "id").values_list("data", "retired_at")
        for data, retired_at in rows:
            (live if retired_at is None else away).setdefault(name, []).append(data)
    header = {
        **row.data,
        "name": row.name,
        "collection": row.collection.key,
        "base": row.base or None,
    }
    return OwnList(
        token=str(row.token),
        stamp=row.stamp,
        collection=row.collection.key,
        club_id=row.club.pk,
        club_name=row.club.name,
        file=OwnListFile.model_validate({**header, **live}),
        archived=OwnListFile.model_validate({**header, **away}),
        is_retired=row.retired_at is not None,
    )
