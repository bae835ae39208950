"""How a club's own list is changed: lock it, look who asks, change its file, check all of it, make
the rows the same.

The file is the whole list as plain data, as an upload holds it; whatever form a change came
through, it enters by the same shape and the same checks. Nothing else writes a club's army,
profiles, options, weapons, armour and magic items.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.access import clubs_joined_by, may_organise_club
from accounts.errors import Stale
from accounts.models import Club
from accounts.owner import Owner
from accounts.text import clean_line
from engine.errors import Refusal
from rulesdata import access, own_store, registry
from rulesdata.errors import STALE_RECORD, FaultyList, NotAllowed
from rulesdata.keys import free_key, key_from
from rulesdata.models import Army, Collection
from rulesdata.operations.rows import project
from rulesdata.own_lists import FILE, PREFIX, PrintedLists, digest, dump, read_own_list
from rulesdata.pack_files.yaml_files import Document, Fault, Limits, ReadingError, read_text
from rulesdata.queries.lookup import NotInRuleBook
from rulesdata.schema.lists import OwnListFile
from rulesdata.signals import own_list_changed

LISTS_MAX = 40
NAME_MAX = 80
NOTE_MAX = 300
TOKEN_LENGTH = 18
SIGNS = "abcdefghijkmnpqrstuvwxyz23456789"
NOT_THEIRS = "Only organisers of the club change its content."

Data = dict[str, Any]
Work = Callable[[Data, Data], None]
"""Changes the list's data in place; the second is what was put away."""


@dataclass(frozen=True, slots=True)
class ListDraft:
    """The head of a list: what it is called, whose stat lines it has, which army it lies over
    (empty: none).
    """

    name: str
    collection: str
    base: str = ""
    note: str = ""


def create_list(actor: Owner, club_slug: str, draft: ListDraft) -> str:
    """A list without records, of a club this person runs; returns its token.

    Raises Refusal naming the field, NotAllowed for other members, NotInTheBook for everybody else.
    """
    name = _name(draft.name)
    shelf = find_printed_lists(draft.collection, draft.base)
    data: Data = {
        "army": key_from(name, instead="list"),
        "name": name,
        "collection": draft.collection,
        "edition": shelf.collection.edition,
        **({"base": draft.base} if draft.base else {}),
        **_note(draft.note),
    }
    with transaction.atomic():
        club = organised_club(actor, club_slug)
        return insert_list(club, parse_own_list(Document(data), shelf))


def change_list(actor: Owner, token: str, *, name: str, note: str) -> None:
    """What a list is called and what is said of it. Raises as create_list."""
    head = {"name": _name(name), **_note(note)}

    def work(data: Data, away: Data) -> None:
        data.pop("note", None)
        data.update(head)

    change_own_list(actor, token, work)


def retire_list(actor: Owner, token: str) -> None:
    """Put a list away: nobody musters from it any more, warbands that have it keep it.

    Raises as create_list.
    """
    _set_retired(actor, token, True)


def restore_list(actor: Owner, token: str) -> None:
    """Offer a list again. Raises as create_list."""
    _set_retired(actor, token, False)


def _set_retired(actor: Owner, token: str, is_retired: bool) -> None:
    with transaction.atomic():
        row = lock_list(actor, token)
        row.retired_at = (row.retired_at or timezone.now()) if is_retired else None
        row.save(update_fields=["retired_at"])
        transaction.on_commit(lambda: own_store.forget(token))


def organised_club(actor: Owner, slug: str) -> Club:
    """A club this person runs.

    Raises NotAllowed for its other members, NotInTheBook for everybody else.
    """
    club = clubs_joined_by(actor).filter(slug=slug).first()
    if club is None:
        raise NotInRuleBook("There is no such club, or you are not in it.")
    if not may_organise_club(actor, club.pk):
        raise NotAllowed(NOT_THEIRS)
    return club


def lock_list(actor: Owner, token: str) -> Army:
    """The row, locked until the transaction ends, for those who run its club.

    Raises NotInTheBook or NotAllowed.
    """
    rows = Army.objects.select_for_update(of=("self",)).select_related("club", "collection")
    row = rows.filter(access.lists_read_by(actor), token=token).order_by().first()
    if row is None:
        raise NotInRuleBook("There is no such army list, or it is not your club's.")
    if not access.may_write_list(actor, row):
        raise NotAllowed(NOT_THEIRS)
    return row


def change_own_list(actor: Owner, token: str, work: Work) -> bool:
    """Change a list's file and make its rows say the same, all of it or nothing.

    False where nothing changed.

    Tells `own_list_changed` within the transaction. Raises FaultyList with everything wrong,
    NotInTheBook, NotAllowed.
    """
    with transaction.atomic():
        row = lock_list(actor, token)
        before = own_store.own_list_of(row)
        data, had = dump(before.file), dump(before.file)
        work(data, dump(before.put_away))
        if data == had:
            return False
        file = parse_own_list(Document(data), find_printed_lists(before.collection, before.base))
        return write_own_list(row, file)


def write_own_list(row: Army, file: OwnListFile) -> bool:
    """Make the rows of a locked list say what a checked file says, and tell who listens."""
    before = own_store.own_list_of(row)
    row.stamp, row.changed_at = secrets.token_hex(8), timezone.now()
    project(row, file)
    token = str(row.token)
    own_store.forget(token)
    own_list_changed.send(sender=None, before=before, after=own_store.own_list_of(row))
    transaction.on_commit(lambda: own_store.forget(token))
    return True


def insert_list(club: Club, file: OwnListFile) -> str:
    """The rows of a new list of this club; returns its token.

    Raises Refusal where the club may keep no more.
    """
    if Army.objects.filter(club=club, token__isnull=False).count() >= LISTS_MAX:
        raise Refusal(f"{club.name} has {LISTS_MAX} lists, which is the most a club may keep.")
    collection = Collection.objects.get(key=file.collection)
    token = PREFIX + "".join(secrets.choice(SIGNS) for _ in range(TOKEN_LENGTH))
    row = Army(club=club, collection=collection, token=token, base=file.base or "", key=file.army)
    row.stamp, row.changed_at = secrets.token_hex(8), timezone.now()
    if Army.objects.filter(club=club, collection=collection, key=file.army).exists():
        raise Refusal(
            f"Name: {club.name} has a list “{file.army}” already. Give this one another name.",
            field="name",
        )
    try:
        with transaction.atomic():
            project(row, file)
    except IntegrityError:  # the same request came twice at once
        raise Refusal(f"Name: {club.name} has just been given this list.", field="name") from None
    return token


def parse_own_list(document: Document, shelf: PrintedLists) -> OwnListFile:
    """The list a document describes. Raises FaultyList with everything that is wrong with it."""
    file, faults = read_own_list(document, shelf)
    if file is None or faults:
        raise FaultyList(faults)
    return file


def find_printed_lists(collection: str, base: str) -> PrintedLists:
    """The pack files a list stands on. Raises Refusal naming the field."""
    try:
        return registry.find_printed_lists(collection, base)
    except registry.UnknownArmy as error:
        raise Refusal(f"Army: {error} Choose one of the list.", field="base") from None
    except registry.UnknownKey as error:
        raise Refusal(f"Army: {error} Choose one of the list.", field="collection") from None


def _name(text: str) -> str:
    name = _line(text, "name", "Name", NAME_MAX)
    if not name:
        raise Refusal("Name: give the list a name, so that members can choose it.", field="name")
    return name


def _note(text: str) -> Data:
    note = _line(text, "note", "Note", NOTE_MAX)
    return {"note": note} if note else {}


def _line(text: str, name: str, label: str, limit: int) -> str:
    try:
        return clean_line(text, field=label, limit=limit)
    except Refusal as refusal:
        raise Refusal(refusal.message, field=name) from None


LIMITS = Limits(size=524_288, depth=16, nodes=40_000, text=1_000)
"""Half of what a pack's file may hold: the whole of it is read again whenever the list changes."""
FAULTS_MAX = 100


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What an upload came to.

    ``changed`` is False for a file that said what the list says already.
    """

    token: str
    units: int
    is_new: bool
    changed: bool = True


def upload_list(
    actor: Owner, club_slug: str, raw: bytes | str, *, collection: str = "", token: str = ""
) -> Uploaded:
    """A new list, or the whole content of the list of ``token``, out of a file.

    ``collection`` is where the file does not say; what the file lacks is put away. Raises
    FaultyList with every fault, its line and the limit it broke, before a row is touched; Refusal,
    NotAllowed, NotInTheBook.
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
    """The document, with its collection said.

    Raises FaultyList for what cannot be read or shown.
    """
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


PARTS = {"units": "profile", "weapons": "weapon", "armour": "armour"}
"""Parts of a list's file that are written record by record, and what one of each is called."""


def save_record(
    actor: Owner,
    token: str,
    part: str,
    record: Mapping[str, Any],
    *,
    key: str = "",
    seen: str | None = None,
) -> str:
    """Put one record of the pack format into a list, in the place of the one of that ``key``;
    returns its key.

    Without a key it is new and gets one from its name, unless it brings an ``id``: that of a record
    of the army it corrects. ``seen`` is the digest of the record as the form was opened with it,
    empty where there was none. Raises FaultyList, Stale, Refusal, NotAllowed, NotInTheBook.
    """
    new = dict(record)

    def work(data: Data, away: Data) -> None:
        records: list[Data] = data.setdefault(part, [])
        wanted = key or new.get("id") or _key(new, part, data, away)
        new["id"] = wanted
        place = next((i for i, one in enumerate(records) if one["id"] == wanted), None)
        had = records[place] if place is not None else None
        current = digest(had) if had else ""
        if seen is not None and seen != current:
            raise Stale("record", current, seen, STALE_RECORD)
        if place is None:
            records.append({"id": wanted, **new})
        else:
            records[place] = {"id": wanted, **new}

    change_own_list(actor, token, work)
    return str(new["id"])


def put_away(actor: Owner, token: str, part: str, key: str) -> None:
    """Offer a record no more.

    A correction goes, and the army's own record is back; what rosters hold they keep.

    Raises FaultyList where something else of the list still needs it, NotInTheBook, NotAllowed.
    """

    def work(data: Data, away: Data) -> None:
        records: list[Data] = data.get(part, [])
        kept = [record for record in records if record["id"] != key]
        if len(kept) == len(records):
            raise NotInRuleBook(f"This list has no {PARTS[part]} '{key[:60]}'.")
        data[part] = kept

    change_own_list(actor, token, work)


def bring_back(actor: Owner, token: str, part: str, key: str) -> None:
    """Offer again what was put away. Raises FaultyList, NotInTheBook, NotAllowed."""

    def work(data: Data, away: Data) -> None:
        found = next((record for record in away.get(part, []) if record["id"] == key), None)
        if found is None:
            raise NotInRuleBook(f"This list has put away no {PARTS[part]} '{key[:60]}'.")
        data.setdefault(part, []).append(found)

    change_own_list(actor, token, work)


def _key(record: Data, part: str, data: Data, away: Data) -> str:
    """A key made of the record's name that nothing of the list has; sent twice, the second is
    refused.
    """
    name = str(record.get("name", ""))
    if any(one.get("name") == name for one in data.get(part, [])):
        raise Refusal(
            f"Name: this list has a {PARTS[part]} “{name}” already. Change that one.", field="name"
        )
    return free_key(
        name,
        {one["id"] for source in (data, away) for one in source.get(part, [])},
        instead="record",
    )
