"""The campaign rules that somebody may choose, and those that a club writes: its sets,
their versions and drafts.
"""

from itertools import zip_longest

import re2
from django.db.models import QuerySet

from accounts.access import joined_club_ids
from accounts.errors import NotFound
from accounts.owner import Owner
from engine.errors import Refusal
from engine.growth.faults import FaultyRules, RulesFault
from engine.records import ChoiceList, Fields, NamedValues, named_values
from rulesdata import registry
from rulesdata.campaign_documents import (
    DOCUMENT_MAX,
    PackedRules,
    packed_rules,
    read_for,
)
from rulesdata.campaign_editor import find_differences, find_figures
from rulesdata.models import CampaignRules, CampaignRulesDraft
from rulesdata.own_lists import document_digest
from rulesdata.pack_files.yaml_files import (
    Document,
    Limits,
    Place,
    ReadingError,
    read_text,
)
from rulesdata.queries.clubs import ClubHead, load_club, load_club_to_write
from rulesdata.queries.lookup import NotInRuleBook

# The campaign rules that somebody may choose: those of the packs, and those of their
# clubs.

OWN = "own/"


class CampaignRulesRecord:
    """A set of campaign rules at one version. ``club`` is "" for a set of the packs."""

    def __init__(
        self, id: str, version: int, document: NamedValues, club: str = ""
    ) -> None:
        self.id, self.version, self.document, self.club = id, version, document, club
        self.name = document["name"]
        self.summary = document.get("summary") or ""
        self.source = document.get("source") or ""
        self.systems = tuple(document.get("systems") or ())

    @property
    def token(self) -> str:
        """The token of a club's set; "" for a set of the packs."""
        return self.id.removeprefix(OWN) if self.club else ""


def load_campaign_sets(actor: Owner) -> tuple[CampaignRulesRecord, ...]:
    """Return the sets that this person may choose, at their latest versions. At most one query."""
    latest: dict[str, CampaignRules] = {}
    for row in _readable(actor):
        current = latest.setdefault(row.token, row)
        if current.version < row.version:
            latest[row.token] = row
    return (
        *map(_packed_record, packed_rules().values()),
        *map(_own_record, latest.values()),
    )


def load_campaign_rules(actor: Owner, id: str) -> CampaignRulesRecord:
    """Return a set of the packs, or one of the actor's clubs, as `find_campaign_rules`.

    At most one query. Raises NotFound.
    """
    record = find_campaign_rules(actor, id)
    if record is None:
        raise NotFound("rules")
    return record


def find_campaign_rules(actor: Owner, id: str) -> CampaignRulesRecord | None:
    """Return a set in its latest version; None where this person has none.

    At most one query.
    """
    # A set of the packs needs no query.
    packed = packed_rules().get(id)
    if packed is not None:
        return _packed_record(packed)
    token = id.removeprefix(OWN)
    # No database is asked for what can be no token.
    if not id.startswith(OWN) or len(token) > 16 or not token.isascii() or "\0" in token:
        return None
    row = _readable(actor).filter(token=token).order_by("-version").first()
    return _own_record(row) if row else None


def campaign_rules_faults(
    document: NamedValues, system: str = "", variant: str = ""
) -> tuple[RulesFault, ...]:
    """Return everything that is wrong with a document, for a system where one is named.

    Raises Refusal for a system or variant that there is not.
    """
    if variant and not system:
        raise Refusal("A variant belongs to a system: name the system too.", field="system")
    try:
        chosen = registry.load_system(system, variant or None) if system else None
    except registry.UnknownVariant as error:
        raise Refusal(str(error), field="variant") from None
    except registry.UnknownKey as error:
        raise Refusal(str(error), field="system") from None
    try:
        read_for(chosen, document)
    except FaultyRules as error:
        return error.faults
    return ()


def _readable(actor: Owner) -> QuerySet[CampaignRules]:
    """Return the rows of the sets of this person's clubs, with their club."""
    clubs = joined_club_ids(actor)
    rows = CampaignRules.objects.filter(club__in=clubs, archived_at=None)
    return rows.select_related("club")


def _own_record(row: CampaignRules) -> CampaignRulesRecord:
    """Return a club's set."""
    return CampaignRulesRecord(
        f"{OWN}{row.token}", row.version, row.document, row.club.slug
    )


def _packed_record(packed: PackedRules) -> CampaignRulesRecord:
    """Return a set of the packs."""
    return CampaignRulesRecord(packed.id, packed.rules.version, packed.document)


# Campaign rules as a club writes them: its sets with their versions, and what is being
# written.

SEEN_VERSIONS = 50
SOURCE_SHOWN = 120
FILE_LIMITS = Limits(size=DOCUMENT_MAX, depth=16, nodes=40_000, text=4_000)
UNNAMED = "Unnamed rules"
_STEP = re2.compile(r"\[([0-9]{1,6})\]|([^.\[\]]+)")
NO_SET = "Your club has no such campaign rules."


# Reading a draft, which may be faulty anywhere


def text_digest(text: str) -> str:
    """Return what tells one text from another."""
    return document_digest({"text": text})


def read_draft(text: str) -> tuple[Fields, list[Fields]]:
    """Return the document of a draft's text, {} for none, and all that is wrong, by lines.

    Of a fault ``line`` is None where nothing stands that it is about, ``source`` that line.
    ``path`` are the keys that lead there, ``figure`` is the one that is wrong, where the form has
    it.
    """
    read = Document({})
    try:
        read = read_text(text, "", FILE_LIMITS)
    except ReadingError as error:
        message = error.fault.message.replace("the file", "the text")
        places = [(error.fault.line, RulesFault("", message))]
    else:
        if isinstance(read.data, dict):
            faults = draft_faults(read.data)
            places = [(read.line(_place(fault.path)), fault) for fault in faults]
        else:
            read = Document({})
            places = [(1, RulesFault("", "must be a mapping of keys and values."))]
    lines = text.split("\n")
    figures = {figure.path: figure for figure in find_figures(read.data)}
    result = []
    for line, fault in sorted(places, key=lambda place: place[0] or 0):
        # What ends too early is told of the line behind the last.
        line = min(line, len(lines)) if line else None
        source = lines[line - 1].strip()[:SOURCE_SHOWN] if line else ""
        path = _place(fault.path)
        figure = figures.get(path) or figures.get(path[:-1])
        texts = named_values(fault, "path", "message")
        result.append({**texts, "line": line, "source": source, "figure": figure})
    return read.data, result


def _place(path: str) -> Place:
    """Return the keys and places of a path such as tables.hurt.rows[2].most."""
    return tuple(int(number) if number else key for number, key in _STEP.findall(path))


def draft_faults(document: NamedValues) -> tuple[RulesFault, ...]:
    """Return everything that is wrong with a document, for each of the systems it names."""
    faults: dict[RulesFault, None] = {}
    systems = document.get("systems")
    keys = [
        key for key in registry.systems() if isinstance(systems, list) and key in systems
    ]
    # A characteristic may be known to one system and not to another.
    for key in keys or [""]:
        system = None
        if key:
            # Of several variants the first: all name the same characteristics.
            variants = registry.load_base(key).variant_keys
            system = registry.load_system(key, variants[0] if variants else None)
        try:
            read_for(system, document)
        except FaultyRules as error:
            faults |= dict.fromkeys(error.faults)
    return tuple(faults)


# A club's sets


def load_shelf(actor: Owner, slug: str) -> Fields:
    """Return the page of a club's campaign rules, for its members. Three queries.

    Drafts are for those who run it. Raises NotInRuleBook.
    """
    club = load_club(actor, slug)
    drafts = list(CampaignRulesDraft.objects.filter(club_id=club.id).defer("text"))
    latest: dict[str, CampaignRules] = {}
    rows = CampaignRules.objects.filter(club_id=club.id).defer("document")
    for row in rows.order_by("name", "token", "-version"):
        latest.setdefault(row.token, row)
    return {
        "club": club,
        "sets": [row for row in latest.values() if row.archived_at is None],
        "archived": [row for row in latest.values() if row.archived_at],
        "begun": {draft.base for draft in drafts if club.may_write},
        "drafts": [draft for draft in drafts if club.may_write and not draft.base],
    }


def load_versions(
    actor: Owner, slug: str, token: str
) -> tuple[ClubHead, list[CampaignRules]]:
    """Return the last versions of a club's set, the latest first, for its members. Two queries.

    Raises NotInRuleBook.
    """
    club = load_club(actor, slug)
    rows = CampaignRules.objects.filter(club_id=club.id, token=token).order_by("-version")
    versions = list(rows.select_related("author")[: SEEN_VERSIONS + 1])
    if not versions:
        raise NotInRuleBook(NO_SET)
    return club, versions


def load_own_rules(actor: Owner, slug: str, token: str) -> Fields:
    """Return the page of a club's set with what each of its last 50 versions changed.

    Three queries. Raises NotInRuleBook.
    """
    club, rows = load_versions(actor, slug, token)
    versions = [
        (row, find_differences(before.document, row.document) if before else ())
        for row, before in zip_longest(rows, rows[1:])
    ]
    return {
        "club": club,
        "set": rows[0],
        "has_draft": CampaignRulesDraft.objects.filter(
            club_id=club.id, base=token
        ).exists(),
        "versions": versions[:SEEN_VERSIONS],
        "first": rows[-1] if len(rows) <= SEEN_VERSIONS else None,
    }


# Drafts


def load_rules_draft(actor: Owner, slug: str, token: str) -> Fields:
    """Return campaign rules that are being written, for those who run the club. Two queries.

    ``document`` is {} where the text is none, ``seen`` tells whether somebody else has changed the
    draft meanwhile. Raises NotAllowed, NotInRuleBook.
    """
    club = load_club_to_write(actor, slug)
    draft = CampaignRulesDraft.objects.filter(club_id=club.id, token=token).first()
    if draft is None:
        raise NotInRuleBook("There is no such draft. Perhaps it was saved as a version.")
    document, faults = read_draft(draft.text)
    return {
        "club": club,
        "draft": draft,
        "name": draft.name or UNNAMED,
        "document": document,
        "faults": faults,
        "seen": text_digest(draft.text),
    }


def start_choices(club: ClubHead) -> ChoiceList:
    """Return what a new set can start from: nothing, a set of the site, or one of the club's."""
    packed = [
        (key, f"A copy of {packed.rules.name}") for key, packed in packed_rules().items()
    ]
    rows = CampaignRules.objects.filter(club_id=club.id, archived_at=None)
    names = dict(rows.order_by("name", "version").values_list("token", "name"))
    return [
        *packed,
        *((f"own/{token}", f"A copy of {name}") for token, name in names.items()),
        ("", "An empty set"),
    ]
