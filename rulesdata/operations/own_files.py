"""A club's list out of a file of the pack format: all of it, or nothing and the list of what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.owner import Owner
from accounts.text import clean_line
from engine.refusal import Refusal
from rulesdata import own_store, registry
from rulesdata.errors import FaultyList
from rulesdata.operations.own_lists import (
    find_printed_lists,
    insert_list,
    lock_list,
    organised_club,
    parse_own_list,
    write_own_list,
)
from rulesdata.own_lists import FILE, dump
from rulesdata.reading import Document, Fault, Limits, ReadingError, read_text

LIMITS = Limits(size=524_288, depth=16, nodes=40_000, text=1_000)
"""Half of what a pack's file may hold: the whole of it is read again whenever the list changes."""
FAULTS_MAX = 100


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What an upload came to. ``changed`` is False for a file that said what the list says already."""

    token: str
    units: int
    is_new: bool
    changed: bool = True


def upload_list(
    actor: Owner, club_slug: str, raw: bytes | str, *, collection: str = "", token: str = ""
) -> Uploaded:
    """A new list, or the whole content of the list of ``token``, out of a file.

    ``collection`` is where the file does not say; what the file lacks is put away. Raises FaultyList with every fault,
    its line and the limit it broke, before a row is touched; Refusal, NotAllowed, NotInTheBook.
    """
    with transaction.atomic():
        club = organised_club(actor, club_slug)
        document = _document(raw, collection)
        shelf = find_printed_lists(document.data["collection"], document.data.get("base") or "")
        file = parse_own_list(document, shelf)
        if not token:
            return Uploaded(insert_list(club, file), len(file.units), is_new=True)
        row = lock_list(actor, token)
        before = own_store.own_list_of(row)
        if (file.collection, file.base or "") != (before.collection, before.base):
            theirs = f"{before.collection}{f' over {before.base}' if before.base else ''}"
            raise FaultyList(
                [_fault(document, "base", f"expected the list's own, which stands on {theirs}")]
            )
        file = file.model_copy(update={"army": before.file.army})
        if dump(file) == dump(before.file):
            return Uploaded(token, len(file.units), is_new=False, changed=False)
        write_own_list(row, file)
    return Uploaded(token, len(file.units), is_new=False)


def _document(raw: bytes | str, collection: str) -> Document:
    """The document, with its collection said. Raises FaultyList for what cannot be read or shown."""
    try:
        document = read_text(raw, FILE, LIMITS)
    except ReadingError as error:
        raise FaultyList([error.fault]) from None
    if not isinstance(document.data, dict):
        raise FaultyList(
            [Fault(FILE, "", "expected a mapping with army, name, edition and units", 1)]
        )
    faults: list[Fault] = []
    _check_texts(document, document.data, (), faults)
    for key in ("collection", "base"):
        if document.data.get(key) is not None and not isinstance(document.data[key], str):
            faults.append(_fault(document, key, "expected a text"))
    found = document.data.get("collection") or collection
    if not found:
        faults.append(
            Fault(FILE, "collection", "say which collection of army lists this list stands on")
        )
    if faults:
        raise FaultyList(faults[:FAULTS_MAX])
    known = registry.collections()
    if found not in known:
        raise FaultyList(
            [_fault(document, "collection", f"expected {' or '.join(known)}, found '{found[:60]}'")]
        )
    return Document({**document.data, "collection": found}, document.lines)


def _check_texts(
    document: Document, value: Any, place: tuple[str | int, ...], faults: list[Fault]
) -> None:
    """A fault for each text that no page could show; the reader has refused control signs already."""
    if isinstance(value, dict):
        for key, one in value.items():
            _check_texts(document, one, (*place, key), faults)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            _check_texts(document, one, (*place, number), faults)
    elif isinstance(value, str):
        try:
            clean_line(value, field="this text", limit=LIMITS.text)
        except Refusal as refusal:
            faults.append(
                Fault(FILE, "/".join(map(str, place)), refusal.message, document.line(place))
            )


def _fault(document: Document, key: str, message: str) -> Fault:
    return Fault(FILE, key, message, document.line((key,)))
