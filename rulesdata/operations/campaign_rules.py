"""Campaign rules of a club's own: a draft takes whatever is typed, and each writing is
checked whole and kept.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from operator import getitem
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.errors import WrongState
from accounts.models import Club
from accounts.owner import Owner
from accounts.tokens import new_token
from engine.errors import Refusal
from engine.growth.faults import FaultyRules, RulesFault
from engine.records import NamedValues, frozen_dataclass
from engine.text import clean_line
from rulesdata.campaign_documents import (
    DOCUMENT_MAX,
    packed_rules,
    read_for,
)
from rulesdata.campaign_editor import NoPlace, put_figures
from rulesdata.errors import STALE_RECORD, FaultyCampaignRules, faults_told
from rulesdata.keys import key_from
from rulesdata.models import NAME_MAX, CampaignRules, CampaignRulesDraft
from rulesdata.own_lists import document_digest
from rulesdata.pack_files.yaml_files import Place, ReadingError, read_text, yaml_text
from rulesdata.queries.campaign_rules import (
    FILE_LIMITS,
    NO_SET,
    OWN,
    load_campaign_rules,
    read_draft,
    text_digest,
)
from rulesdata.queries.clubs import load_club_to_write
from rulesdata.queries.lookup import NotInRuleBook
from rulesdata.schema.campaigns import FORMAT

SETS_MAX = 40
VERSIONS_MAX = 200


@frozen_dataclass
class WrittenRules:
    """A version of a club's set that was written, or was there already."""

    id: str
    version: int


def write_campaign_rules(
    actor: Owner, club_slug: str, document: NamedValues
) -> WrittenRules:
    """Keep a document as a set of a club, or as the next version of the set that has its id.

    The id is that of the document, or the set's own (`own/…`). A document that the latest version
    holds already makes no new one. Raises FaultyCampaignRules with every fault and its path,
    Refusal, NotAllowed, NotInRuleBook.
    """
    # Of two writings at once the second meets the version of the first.
    with _locked_club(actor, club_slug) as club_id:
        rows = CampaignRules.objects.filter(club_id=club_id)
        sent = document.get("id")
        if isinstance(sent, str) and sent.startswith(OWN):
            token = sent.removeprefix(OWN)[:16].replace("\0", "")
            row = rows.filter(token=token).first()
            if row is None:
                message = "Your club has no campaign rules of this id."
                raise Refusal(message, field="document.id")
            document = {**document, "id": row.key}
        with faults_told():
            rules = read_for(None, document)
        latest = rows.filter(key=rules.id).order_by("-version").first()
        # The same document sent twice is one version.
        digest = document_digest(document)
        if latest is not None and latest.digest == digest:
            return WrittenRules(f"{OWN}{latest.token}", latest.version)
        number = latest.version + 1 if latest else 1
        others = 0 if latest else rows.values("key").distinct().count()
        check_room(others + 1, number)
        row = rows.create(
            club_id=club_id,
            token=latest.token if latest else new_token(),
            key=rules.id,
            version=number,
            name=rules.name,
            document=dict(document),
            digest=digest,
            author_id=actor.user_id,
        )
        return WrittenRules(f"{OWN}{row.token}", row.version)


def check_room(sets: int, versions: int) -> None:
    """Raise Refusal for more sets than a club keeps, or more versions than a set has."""
    if sets > SETS_MAX:
        raise Refusal(
            f"A club keeps at most {SETS_MAX} sets of campaign rules.", field="document"
        )
    if versions > VERSIONS_MAX:
        raise Refusal(
            f"A set of campaign rules has at most {VERSIONS_MAX} versions. Give the next "
            "one another id.",
            field="document.id",
        )


# Drafts take whatever is typed, and become versions

DRAFTS_MAX = SETS_MAX
FILE = "file"
ID_MOST = 40
EMPTY: NamedValues = {
    "format": FORMAT,
    "currencies": [{"id": "crowns", "name": "crowns", "start": 100, "is_spent": True}],
    "prices": {"currency": "crowns"},
    "kinds": [{"id": "warrior", "name": "Warrior", "match": {}}],
}
"""The least that campaign rules hold: from here a club writes its own."""


def begin_draft(actor: Owner, club_slug: str, *, name: str, start: str) -> str:
    """Begin a new set of campaign rules, empty or as a copy of a set; return the draft's token.

    Raises Refusal naming the field, NotAllowed, NotFound, NotInRuleBook.
    """
    name = clean_line(name, field="name", limit=NAME_MAX)
    if not name:
        raise Refusal("Name: give the set a name.", field="name")
    packed = packed_rules().get(start)
    copied = load_campaign_rules(actor, start).document if start else EMPTY
    with _locked_club(actor, club_slug) as club_id:
        head = {"id": _free_key(club_id, name), "name": name, "version": 1}
        if packed:
            # The file as it is, for its comments say what its parts are for.
            text = put_figures(packed.text, {(key,): head[key] for key in head})
        else:
            text = yaml_text({**copied, **head})
        return _create(actor, club_id, text)


def open_draft(actor: Owner, club_slug: str, token: str) -> str:
    """Begin the next version of a set, or go on with what was begun; return the draft's token.

    Raises Refusal, NotAllowed, NotInRuleBook.
    """
    with _locked_club(actor, club_slug) as club_id:
        row = _latest(club_id, token)
        current = CampaignRulesDraft.objects.filter(club_id=club_id, base=token).first()
        if current is not None:
            return current.token
        return _create(actor, club_id, yaml_text(dict(row.document)), base=token)


def upload_draft(actor: Owner, club_slug: str, raw: bytes | str, *, token: str = "") -> str:
    """Take a file, in YAML or JSON, as a draft, however faulty; return the draft's token.

    With the ``token`` of a draft it replaces what that holds. Otherwise a file with the id of a set
    of the club is its next version. Raises FaultyCampaignRules for what is no document at all,
    Refusal, NotAllowed, NotInRuleBook.
    """
    load_club_to_write(actor, club_slug)  # before what is faulty, who may write
    try:
        document = read_text(raw, FILE, FILE_LIMITS).data
    except ReadingError as error:
        line = f"line {error.fault.line}: " if error.fault.line else ""
        raise _faulty(f"{line}{error.fault.message}") from None
    if not isinstance(document, Mapping):
        raise _faulty("must be a mapping of keys and values.")
    text = raw if isinstance(raw, str) else raw.decode()
    with _locked_club(actor, club_slug) as club_id:
        if token:
            draft = _locked(club_id, token)
            _store(actor, draft, text)
            return draft.token
        same = CampaignRules.objects.filter(club_id=club_id, key=str(document.get("id")))
        base = same.values_list("token", flat=True).first() or ""
        current = CampaignRulesDraft.objects.filter(club_id=club_id, base=base).first()
        if base and current is not None:
            _store(actor, current, text)
            return current.token
        return _create(actor, club_id, text, base=base)


# Changing and saving


def change_draft(
    actor: Owner, place: tuple[str, str], text: str, figures: Mapping[Place, Any], seen: str
) -> None:
    """Write a text into a draft, with other figures in it; right or wrong, it is kept.

    ``place`` is the club's slug and the draft's token, ``seen`` what the page was drawn from.
    Raises WrongState where somebody else changed the draft meanwhile, Refusal for a figure whose
    part of the text was changed as well, FaultyCampaignRules for a text that is too large,
    NotAllowed, NotInRuleBook.
    """
    with _locked_club(actor, place[0]) as club_id:
        draft = _locked(club_id, place[1])
        if text_digest(draft.text) != seen:
            raise WrongState(STALE_RECORD)
        if figures:
            text = _with_figures(text, draft.text, figures)
        _store(actor, draft, text)


def _with_figures(text: str, previous: str, figures: Mapping[Place, Any]) -> str:
    """Return a text with changed figures. Raises Refusal where it is not clear which are meant."""
    before, _ = read_draft(previous)
    after, _ = read_draft(text)
    for path in figures:
        # Rows may have moved, so the whole row has to be as it was.
        if _holder(before, path) != _holder(after, path):
            message = "its part of the text was changed too. Change it in the text."
            raise Refusal(message, field="-".join(map(str, path)))
    try:
        return put_figures(text, figures)
    except NoPlace as error:
        message = "the text has it on several lines. Change it in the text."
        raise Refusal(message, field="-".join(map(str, error.args[0]))) from None


def _holder(document: Any, path: Place) -> Any:
    """Return the mapping that holds a figure, None for none."""
    try:
        return reduce(getitem, path[:-1], document)
    except (KeyError, IndexError, TypeError):
        return None


def save_draft(actor: Owner, club_slug: str, token: str) -> WrittenRules:
    """Make a draft the next version of its set, or the first of a new one; the draft is deleted.

    Raises FaultyCampaignRules with every fault and its path, Refusal, NotAllowed, NotInRuleBook.
    """
    with _locked_club(actor, club_slug) as club_id:
        draft = _locked(club_id, token)
        document, faults = read_draft(draft.text)
        if faults:
            reasons = [RulesFault(fault["path"], fault["message"]) for fault in faults]
            raise FaultyCampaignRules(FaultyRules(reasons))
        if draft.base:
            latest = _latest(club_id, draft.base)
            # The number of a version is no change: the same rules saved again are the same one.
            number = latest.document.get("version", 1)
            document = {**document, "id": latest.key, "version": number}
            if document_digest(document) != document_digest(latest.document):
                document["version"] = latest.version + 1
        else:
            key = _free_key(club_id, str(document.get("id")))
            document = {**document, "id": key, "version": 1}
        written = write_campaign_rules(actor, club_slug, document)
        draft.delete()
    return written


# Leaving


def delete_draft(actor: Owner, club_slug: str, token: str) -> None:
    """Delete a draft; the versions of its set stay. Raises NotAllowed, NotInRuleBook."""
    with _locked_club(actor, club_slug) as club_id:
        _locked(club_id, token).delete()


def archive_rules(
    actor: Owner, club_slug: str, token: str, *, is_archived: bool = True
) -> None:
    """Archive a set, or restore it: new campaigns do not offer what is archived.

    Campaigns that play by it keep their rules. Raises NotAllowed, NotInRuleBook.
    """
    with _locked_club(actor, club_slug) as club_id:
        _latest(club_id, token)
        rows = CampaignRules.objects.filter(club_id=club_id, token=token)
        rows.update(archived_at=timezone.now() if is_archived else None)


# Rows, locked in the order of club, draft, set


@contextmanager
def _locked_club(actor: Owner, club_slug: str) -> Iterator[int]:
    """A transaction that locks a club's row; gives its id. Raises NotAllowed, NotInRuleBook."""
    with transaction.atomic():
        club = load_club_to_write(actor, club_slug)
        list(Club.objects.select_for_update().filter(pk=club.id).order_by())
        yield club.id


def _locked(club_id: int, token: str) -> CampaignRulesDraft:
    """Return a draft of a club whose row is locked. Raises NotInRuleBook."""
    draft = CampaignRulesDraft.objects.filter(club_id=club_id, token=token).first()
    if draft is None:
        raise NotInRuleBook("There is no such draft. Perhaps it was saved as a version.")
    return draft


def _latest(club_id: int, token: str) -> CampaignRules:
    """Return the latest version of a set. Raises NotInRuleBook."""
    rows = CampaignRules.objects.filter(club_id=club_id, token=token)
    row = rows.order_by("-version").first()
    if row is None:
        raise NotInRuleBook(NO_SET)
    return row


def _free_key(club_id: int, name: str) -> str:
    """Return an id for a new set that no other of the club has."""
    keys = set(CampaignRules.objects.filter(club_id=club_id).values_list("key", flat=True))
    stem = key_from(name, instead="rules")[: ID_MOST - 4].strip("-")
    key, number = stem, 2
    while key in keys:
        key, number = f"{stem}-{number}", number + 1
    return key


def _create(actor: Owner, club_id: int, text: str, *, base: str = "") -> str:
    """Create a draft; return its token. Raises Refusal where a club has too many."""
    if CampaignRulesDraft.objects.filter(club_id=club_id).count() >= DRAFTS_MAX:
        message = f"A club keeps at most {DRAFTS_MAX} drafts. Save or delete one first."
        raise Refusal(message, field="name")
    draft = CampaignRulesDraft(club_id=club_id, base=base)
    _store(actor, draft, text)
    return draft.token


def _store(actor: Owner, draft: CampaignRulesDraft, text: str) -> None:
    """Store what a draft holds now. Raises FaultyCampaignRules where it is too large."""
    text = text.replace("\r\n", "\n")
    if len(text.encode()) > DOCUMENT_MAX:
        raise _faulty(f"at most {DOCUMENT_MAX // 1024} KiB.")
    name = read_draft(text)[0].get("name")
    if isinstance(name, str):
        printable = "".join(sign if sign.isprintable() else " " for sign in name)
        draft.name = printable.strip()[:NAME_MAX]
    draft.text = text
    draft.author_id = actor.user_id
    draft.save()


def _faulty(message: str) -> FaultyCampaignRules:
    """Return the refusal of a file that is no document."""
    return FaultyCampaignRules(FaultyRules([RulesFault("file", message)]))
