"""How a club's own list is changed: lock it, look who asks, change its file, check all of it, make the rows the same.

The file is the whole list as plain data, as an upload holds it; whatever form a change came through, it enters by the
same shape and the same checks. Nothing else writes a club's army, profiles, options, weapons, armour and magic items.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.access import clubs_joined_by, may_organise_club
from accounts.models import Club
from accounts.owner import Owner
from accounts.text import clean_line
from engine.refusal import Refusal
from rulesdata import access, own_store, registry
from rulesdata.errors import FaultyList, NotAllowed
from rulesdata.keys import key_from
from rulesdata.models import Army, Collection
from rulesdata.operations.projecting import project
from rulesdata.own_lists import PREFIX, PrintedLists, dump, read_own_list
from rulesdata.queries.shelf import NotInRuleBook
from rulesdata.reading import Document
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
    """The head of a list: what it is called, whose stat lines it has, which army it lies over (empty: none)."""

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
    """Put a list away: nobody musters from it any more, warbands that have it keep it. Raises as create_list."""
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
    """A club this person runs. Raises NotAllowed for its other members, NotInTheBook for everybody else."""
    club = clubs_joined_by(actor).filter(slug=slug).first()
    if club is None:
        raise NotInRuleBook("There is no such club, or you are not in it.")
    if not may_organise_club(actor, club.pk):
        raise NotAllowed(NOT_THEIRS)
    return club


def lock_list(actor: Owner, token: str) -> Army:
    """The row, locked until the transaction ends, for those who run its club. Raises NotInTheBook or NotAllowed."""
    rows = Army.objects.select_for_update(of=("self",)).select_related("club", "collection")
    row = rows.filter(access.lists_read_by(actor), token=token).order_by().first()
    if row is None:
        raise NotInRuleBook("There is no such army list, or it is not your club's.")
    if not access.may_write_list(actor, row):
        raise NotAllowed(NOT_THEIRS)
    return row


def change_own_list(actor: Owner, token: str, work: Work) -> bool:
    """Change a list's file and make its rows say the same, all of it or nothing. False where nothing changed.

    Tells `own_list_changed` within the transaction. Raises FaultyList with everything wrong, NotInTheBook, NotAllowed.
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
    """The rows of a new list of this club; returns its token. Raises Refusal where the club may keep no more."""
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
