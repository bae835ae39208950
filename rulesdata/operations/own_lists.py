"""How a club's own list is changed: lock it, look who asks, change its file or a single
record, check, write rows.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.errors import NotAllowed, Stale
from accounts.owner import Owner
from engine.errors import Refusal, refused_at
from engine.records import Fields, NamedValues, frozen_dataclass
from engine.text import clean_line
from rulesdata import access, own_store, registry
from rulesdata.errors import STALE_RECORD, FaultyList
from rulesdata.keys import free_key, key_from
from rulesdata.models import Army, ClubLevels, Collection, MagicItem, Profile, System
from rulesdata.operations.packs import project
from rulesdata.own_lists import FILE, PREFIX, document_digest, dump
from rulesdata.own_store import parse_own_list
from rulesdata.pack_files.yaml_files import (
    Document,
    Fault,
    Limits,
    Place,
    ReadingError,
    read_text,
)
from rulesdata.queries.clubs import NOT_THEIRS, ClubHead, load_club_to_write
from rulesdata.queries.drafts import PARTS, RecordPlace
from rulesdata.queries.lookup import (
    NotInRuleBook,
    find_book,
    find_printed_lists,
    list_guidelines,
)
from rulesdata.schema.lists import OwnListFile
from rulesdata.signals import own_list_changed

# How a club's own list is changed: lock it, look who asks, change its file, check all of
# it, make the rows the same.
#
# The file is the whole list as plain data, as an upload holds it; whatever form a change
# came through, it enters by the same shape and the same checks. Nothing else writes a
# club's army, profiles, options, weapons, armour and magic items.

LISTS_MAX = 40
NAME_MAX = 80
NOTE_MAX = 300
# With the signs below 90 bits: a token stands in addresses and cannot be guessed.
TOKEN_LENGTH = 18
# Without l, o, 0 and 1, which people confuse when they read a token out.
SIGNS = "abcdefghijkmnpqrstuvwxyz23456789"

Work = Callable[[Fields, Fields], None]
"""Changes the list's data in place; the second is what was put away."""


@frozen_dataclass
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

    Raises Refusal naming the field, NotAllowed for other members, NotInRuleBook for everybody else.
    """
    name = _name(draft.name)
    shelf = find_printed_lists(draft.collection, draft.base)
    data: Fields = {
        "army": key_from(name, instead="list"),
        "name": name,
        "collection": draft.collection,
        "edition": shelf.collection.edition,
        **_note(draft.note),
    }
    if draft.base:
        data["base"] = draft.base
    with transaction.atomic():
        club = load_club_to_write(actor, club_slug)
        return insert_list(club, parse_own_list(Document(data), shelf))


def change_list(actor: Owner, token: str, *, name: str, note: str) -> None:
    """What a list is called and what is said of it. Raises as create_list."""
    head = {"name": _name(name), **_note(note)}

    def work(data: Fields, archived: Fields) -> None:
        data.pop("note", None)
        data.update(head)

    change_own_list(actor, token, work)


def retire_list(actor: Owner, token: str, *, is_retired: bool = True) -> None:
    """Archive a list, or offer it again where it is not to be retired.

    Nobody musters from a retired list; warbands that have it keep it. Raises as create_list.
    """
    with transaction.atomic():
        _set_retired(lock_list(actor, token), is_retired=is_retired)


def _set_retired(row: Army, *, is_retired: bool = True) -> None:
    row.retired_at = (row.retired_at or timezone.now()) if is_retired else None
    row.save(update_fields=["retired_at"])
    transaction.on_commit(lambda: own_store.forget(str(row.token)))


def lock_list(actor: Owner, token: str) -> Army:
    """The row, locked until the transaction ends, for those who run its club.

    Raises NotInRuleBook or NotAllowed.
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
    NotInRuleBook, NotAllowed.
    """
    with transaction.atomic():
        row = lock_list(actor, token)
        before = own_store.load_own_list(row)
        data, had = dump(before.file), dump(before.file)
        work(data, dump(before.archived))
        # A change that changes nothing gives no new stamp, so nothing is recalculated for it.
        if data == had:
            return False
        shelf = find_printed_lists(before.collection, before.base)
        write_own_list(row, parse_own_list(Document(data), shelf))
        return True


def write_own_list(row: Army, file: OwnListFile) -> None:
    """Make the rows of a locked list say what a checked file says, and tell who listens."""
    before = own_store.load_own_list(row)
    row.stamp, row.changed_at = secrets.token_hex(8), timezone.now()
    project(row, file)
    token = str(row.token)
    # Within this transaction the list is read anew; after it, by the rest of the request.
    own_store.forget(token)
    own_list_changed.send(sender=None, before=before, after=own_store.load_own_list(row))
    transaction.on_commit(lambda: own_store.forget(token))


def insert_list(club: ClubHead, file: OwnListFile) -> str:
    """The rows of a new list of this club; returns its token.

    Raises Refusal where the club may keep no more.
    """
    lists = Army.objects.filter(club_id=club.id, token__isnull=False)
    if lists.count() >= LISTS_MAX:
        raise Refusal(f"{club.name} has {LISTS_MAX} lists, the maximum for a club.")
    collection = Collection.objects.get(key=file.collection)
    token = PREFIX + "".join(secrets.choice(SIGNS) for _ in range(TOKEN_LENGTH))
    row = Army(
        club_id=club.id,
        collection=collection,
        token=token,
        base=file.base or "",
        key=file.army,
        stamp=secrets.token_hex(8),
        changed_at=timezone.now(),
    )
    # Its key is made of its name, so two lists of one name would have one key.
    if lists.filter(collection=collection, key=file.army).exists():
        raise Refusal(
            f"Name: {club.name} has a list “{file.army}” already. Give this one another name.",
            field="name",
        )
    try:
        with transaction.atomic():
            project(row, file)
    except IntegrityError:  # the same request came twice at once
        raise Refusal(
            f"Name: {club.name} has just been given this list.", field="name"
        ) from None
    return token


def _name(text: str) -> str:
    """Return the name of a list, cleaned; raise Refusal where it is empty."""
    name = clean_field(text, "name", "Name", NAME_MAX)
    if not name:
        raise Refusal(
            "Name: give the list a name, so that members can choose it.", field="name"
        )
    return name


def _note(text: str) -> Fields:
    note = clean_field(text, "note", "Note", NOTE_MAX)
    return {"note": note} if note else {}


def clean_field(text: str, name: str, label: str, limit: int) -> str:
    """One clean line of text. Raises Refusal for the field, called ``label`` in its sentence."""
    with refused_at(name):
        return clean_line(text, field=label, limit=limit)


def find_system_row(key: str) -> System:
    """The row of a rule system that is still there. Raises NotInRuleBook."""
    system = System.objects.filter(key=key, retired_at=None).first()
    if system is None:
        raise NotInRuleBook(f"There is no rule system '{key[:60]}'.")
    return system


LIMITS = Limits(size=524_288, depth=16, nodes=40_000, text=1_000)
"""Half of what a pack's file may hold: the whole of it is read again whenever the list changes."""
# A page of faults is enough to work on.
FAULTS_MAX = 100


@frozen_dataclass
class Uploaded:
    """What an upload came to.

    ``changed`` is False for a file that said what the list says already.
    """

    token: str
    units: int
    changed: bool = True


def upload_list(
    actor: Owner, club_slug: str, raw: bytes | str, *, collection: str = "", token: str = ""
) -> Uploaded:
    """A new list, or the whole content of the list of ``token``, out of a file.

    ``collection`` is where the file does not say; what the file lacks is put away. Raises
    FaultyList with every fault, its line and the limit it broke, before a row is touched; Refusal,
    NotAllowed, NotInRuleBook.
    """
    load_club_to_write(actor, club_slug)  # before what is faulty, who may write
    document = _document(raw, collection)
    with transaction.atomic():
        club = load_club_to_write(actor, club_slug)
        shelf = find_printed_lists(
            document.data["collection"], document.data.get("base") or ""
        )
        file = parse_own_list(document, shelf)
        if not token:
            return Uploaded(insert_list(club, file), len(file.units))
        row = lock_list(actor, token)
        before = own_store.load_own_list(row)
        if (file.collection, file.base or "") != (before.collection, before.base):
            theirs = before.collection + (f" over {before.base}" if before.base else "")
            message = f"expected the list's own, which stands on {theirs}"
            raise FaultyList([_fault(document, "base", message)])
        # The list keeps its key, whatever the file calls itself: rosters carry it.
        file = file.model_copy(update={"army": before.file.army})
        if dump(file) == dump(before.file):
            return Uploaded(token, len(file.units), changed=False)
        write_own_list(row, file)
    return Uploaded(token, len(file.units))


def _document(raw: bytes | str, collection: str) -> Document:
    """The document, with its collection said.

    Raises FaultyList for what cannot be read or shown.
    """
    try:
        document = read_text(raw, FILE, LIMITS)
    except ReadingError as error:
        raise FaultyList([error.fault]) from None
    data = document.data
    if not isinstance(data, dict):
        message = "expected a mapping with army, name, edition and units"
        raise FaultyList([Fault(FILE, "", message, 1)])
    faults = list(_text_faults(document, data, ()))
    heads = [
        key
        for key in ("collection", "base")
        if not isinstance(data.get(key, ""), str | None)
    ]
    faults += [_fault(document, key, "expected a text") for key in heads]
    key = data.get("collection") or collection
    if not key:
        message = "say which collection of army lists this list stands on"
        faults.append(Fault(FILE, "collection", message))
    if faults:
        raise FaultyList(faults[:FAULTS_MAX])
    keys = registry.collections()
    if key not in keys:
        message = f"expected {' or '.join(keys)}, found '{key[:60]}'"
        raise FaultyList([_fault(document, "collection", message)])
    return Document({**data, "collection": key}, document.lines)


def _text_faults(document: Document, value: Any, place: Place) -> Iterator[Fault]:
    """A fault for each text that no page could show; the reader refuses control signs."""
    if isinstance(value, str):
        try:
            clean_line(value, field="this text", limit=LIMITS.text)
        except Refusal as refusal:
            yield Fault(
                FILE, "/".join(map(str, place)), refusal.message, document.line(place)
            )
    elif isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in inner:
            yield from _text_faults(document, item, (*place, step))


def _fault(document: Document, key: str, message: str) -> Fault:
    return Fault(FILE, key, message, document.line((key,)))


# Levels of guidelines

LEVELS = ("error", "warning", "note", "off")


def set_levels(
    actor: Owner, club_slug: str, system_key: str, levels: Mapping[str, str]
) -> None:
    """Keep the levels that differ from the system's own; the others are left to the system.

    Raises Refusal naming the code, NotAllowed for members who do not run the club, NotInRuleBook for
    everybody else.
    """
    guidelines = {g.code: g for g in list_guidelines(find_book(system_key))}
    for code, level in levels.items():
        if code not in guidelines:
            # Levels of codes that are gone would lie there unseen for ever.
            raise Refusal(f"“{code[:40]}” is no guideline of this system.", field=code)
        if level not in LEVELS:
            title = guidelines[code].title or code
            raise Refusal(f"{title}: choose one of {', '.join(LEVELS)}.", field=code)
    changed = {
        code: level for code, level in levels.items() if level != guidelines[code].level
    }
    with transaction.atomic():
        club = load_club_to_write(actor, club_slug)
        system = find_system_row(system_key)
        ClubLevels.objects.update_or_create(
            club_id=club.id, system=system, defaults={"levels": changed}
        )


# By the staff, whoever asks


def forget_list(token: str, *, is_deleted: bool) -> str:
    """Archive a list, or delete it with its records and the reports of its catalogues.

    Returns its name, "" where there is none.
    """
    with transaction.atomic():
        rows = Army.objects.select_for_update().filter(token=token, club__isnull=False)
        row = rows.order_by().first()
        if row is None:
            return ""
        if not is_deleted:
            _set_retired(row)
            return row.name
        for part in (Profile, MagicItem):
            part._default_manager.filter(army=row).delete()
        row.delete()
        transaction.on_commit(lambda: own_store.forget(token))
    return row.name


# Single records of a club's own list: written, put away, brought back, and the keys they
# get.


def save_record(
    actor: Owner, place: RecordPlace, record: NamedValues, seen: str | None = None
) -> str:
    """Put one record of the pack format into a list, at its place; returns its key.

    Without a key it is new and gets one from its name, unless it brings an ``id``: that of a record
    of the army it corrects. ``seen`` is the digest of the record as the form was opened with it,
    empty where there was none. Raises FaultyList, Stale, Refusal, NotAllowed, NotInRuleBook.
    """
    new = dict(record)

    def work(data: Fields, archived: Fields) -> None:
        """Put the record in at its key, or at the end; Stale where it changed meanwhile."""
        records: list[Fields] = data.setdefault(place.part, [])
        keys = [record["id"] for record in records]
        key = place.key or new.get("id") or _new_key(new, place.part, data, archived)
        at = keys.index(key) if key in keys else len(records)
        current = document_digest(records[at]) if key in keys else ""
        if seen is not None and seen != current:
            raise Stale("record", current, seen, STALE_RECORD)
        new["id"] = key
        # The key comes first, as a file has it; an empty slice at the end adds the record.
        records[at : at + 1] = [{"id": key, **new}]

    change_own_list(actor, place.token, work)
    return str(new["id"])


def _new_key(new: Fields, part: str, data: Fields, archived: Fields) -> str:
    """Return a key made of its name that nothing of the list has.

    Raises Refusal where a record has the name already, as when it is sent twice.
    """
    name = str(new.get("name", ""))
    if any(record.get("name") == name for record in data[part]):
        what = f"an {PARTS[part]}" if part == "equipment" else f"a {PARTS[part]}"
        message = f"Name: this list has {what} “{name}” already. Change that one."
        raise Refusal(message, field="name")
    rows = [*data[part], *archived.get(part, ())]
    return free_key(name, {record["id"] for record in rows}, instead="record")


def archive_record(actor: Owner, place: RecordPlace) -> None:
    """Offer a record no more.

    A correction goes, and the army's own record is back; what rosters hold they keep.

    Raises FaultyList where something else of the list still needs it, NotInRuleBook, NotAllowed.
    """

    def work(data: Fields, archived: Fields) -> None:
        record = _find_record(data, place, "")
        data[place.part].remove(record)

    change_own_list(actor, place.token, work)


def restore_record(actor: Owner, place: RecordPlace) -> None:
    """Offer again what was archived. Raises FaultyList, NotInRuleBook, NotAllowed."""

    def work(data: Fields, archived: Fields) -> None:
        data.setdefault(place.part, []).append(_find_record(archived, place, "archived "))

    change_own_list(actor, place.token, work)


def _find_record(parts: Fields, place: RecordPlace, state: str) -> Any:
    """The record of the place; raises NotInRuleBook where there is none."""
    for record in parts.get(place.part, ()):
        if record["id"] == place.key:
            return record
    raise NotInRuleBook(f"This list has no {state}{PARTS[place.part]} '{place.key[:60]}'.")
