"""The campaign rules that somebody may choose, and those that a club writes: its sets,
their versions and drafts.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from django.db.models import QuerySet

from accounts.access import joined_club_ids
from accounts.errors import NotFound
from accounts.owner import Owner
from engine.errors import Refusal
from engine.growth.faults import FaultyRules, RulesFault
from engine.growth.rules import CampaignRules as Rules
from engine.records import ChoiceList, NamedValues, TextByKey, Texts, frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from rulesdata.campaign_documents import digest_of, find_system, packed_rules, read_for
from rulesdata.campaign_editor.differences import RulesDifference, differences_of
from rulesdata.campaign_editor.parts import EditorPage
from rulesdata.campaign_editor.phrases import place_words
from rulesdata.campaign_editor.places import NAMED, ORDER, names_in, page_key_of, page_of
from rulesdata.campaign_editor.values import MISSING, WARBAND, value_at
from rulesdata.models import CampaignRules, CampaignRulesDraft
from rulesdata.queries.clubs import ClubHead, load_club, load_club_to_write
from rulesdata.queries.lookup import NotInRuleBook

# The campaign rules that somebody may choose: those of the packs, and those of their
# clubs.

OWN = "own/"


@frozen_dataclass
class CampaignRulesRecord:
    """A set of campaign rules at one version. ``club`` is "" for a set of the packs."""

    id: str
    version: int
    name: str
    summary: str
    systems: Texts
    document: NamedValues
    club: str = ""

    @property
    def token(self) -> str:
        """The token of a club's set; "" for a set of the packs."""
        return self.id.removeprefix(OWN) if self.club else ""


def load_campaign_sets(actor: Owner) -> tuple[CampaignRulesRecord, ...]:
    """Return the sets that this person may choose, at their latest versions. At most one query."""
    packed = (
        _record(key, one.rules, one.document, one.rules.version)
        for key, one in packed_rules().items()
    )
    rows = _readable(actor)
    found: dict[str, CampaignRules] = {}
    for row in rows:
        known = found.setdefault(row.token, row)
        if known.version < row.version:
            found[row.token] = row
    return (*packed, *map(_own_record, list(found.values())))


def load_campaign_rules(
    actor: Owner, id: str, version: int | None = None
) -> CampaignRulesRecord:
    """Return a set of the packs, or one of the actor's clubs, as `find_campaign_rules`.

    At most one query. Raises NotFound.
    """
    record = find_campaign_rules(actor, id, version)
    if record is None:
        raise NotFound("rules")
    return record


def find_campaign_rules(
    actor: Owner, id: str, version: int | None = None
) -> CampaignRulesRecord | None:
    """Return a set in its latest version unless one is named; None where this person has none.

    At most one query.
    """
    # A set of the packs needs no query.
    packed = packed_rules().get(id)
    if packed is not None:
        return _record(id, packed.rules, packed.document, packed.rules.version)
    rows = _readable(actor).filter(token=id.removeprefix(OWN))
    if version is not None:
        rows = rows.filter(version=version)
    row = rows.order_by("-version").first() if _is_own(id) else None
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
        found = find_system(system, variant) if system else None
    except registry.UnknownVariant as error:
        raise Refusal(str(error), field="variant") from None
    except registry.UnknownKey as error:
        raise Refusal(str(error), field="system") from None
    try:
        read_for(found, document)
    except FaultyRules as error:
        return error.faults
    return ()


def _is_own(id: str) -> bool:
    """Return whether an id can be that of a club's set; others no database is asked for."""
    token = id.removeprefix(OWN)
    return id.startswith(OWN) and len(token) <= 16 and token.isascii() and "\0" not in token


def _readable(actor: Owner) -> QuerySet[CampaignRules]:
    """Return the rows of the sets of this person's clubs, with their club."""
    clubs = joined_club_ids(actor)
    rows = CampaignRules.objects.filter(club__in=clubs, archived_at=None)
    return rows.select_related("club")


def _own_record(row: CampaignRules) -> CampaignRulesRecord:
    """Return a club's set."""
    document = row.document
    return CampaignRulesRecord(
        id=f"{OWN}{row.token}",
        version=row.version,
        name=row.name,
        summary=document.get("summary", ""),
        systems=tuple(document.get("systems") or ()),
        document=document,
        club=row.club.slug,
    )


def _record(
    key: str, rules: Rules, document: NamedValues, version: int
) -> CampaignRulesRecord:
    """Return a set of the packs."""
    return CampaignRulesRecord(
        key, version, rules.name, rules.summary, rules.systems, document
    )


# Campaign rules as a club writes them: its sets with their versions, and what is being
# written.

SEEN_VERSIONS = 50
NO_SET = "Your club has no such campaign rules."


# What the pages show


@frozen_dataclass
class RulesVersion:
    """A version of a set, with what it changed; ``is_first`` has nothing before it."""

    number: int
    author: str
    at: datetime
    changes: tuple[RulesDifference, ...] = ()
    is_first: bool = False

    @property
    def words(self) -> str:
        """Its number, for a heading."""
        return str(self.number)


@frozen_dataclass
class RulesCard:
    """A set of a club; ``draft`` is the token of what is being written for it."""

    token: str
    name: str
    version: int
    at: datetime
    is_archived: bool
    draft: str = ""

    @property
    def id(self) -> str:
        """How other pages and programs name it."""
        return f"own/{self.token}"


@frozen_dataclass
class DraftCard:
    """A new set that is being written."""

    token: str
    name: str
    changed_at: datetime


@frozen_dataclass
class RulesShelf:
    """All campaign rules of a club. Drafts are for those who run it."""

    club: ClubHead
    sets: tuple[RulesCard, ...]
    archived: tuple[RulesCard, ...]
    drafts: tuple[DraftCard, ...]


@frozen_dataclass
class OwnRulesPage:
    """A set of a club with its versions, the latest first."""

    club: ClubHead
    card: RulesCard
    document: NamedValues
    versions: tuple[RulesVersion, ...]


@frozen_dataclass
class FaultLink:
    """A fault as the editor tells it: the key of its page, where it is, and what is wrong."""

    key: str
    where: str
    message: str


@frozen_dataclass
class EditorLink:
    """A page of the editor in the list of them, with how many faults are on it."""

    key: str
    title: str
    lead: str
    faults: int

    @property
    def name(self) -> str:
        """The name of a table or a list of skills; "" of a section."""
        return self.key.partition("/")[2]

    @property
    def is_entry(self) -> bool:
        """Whether it is one table or one list of a section."""
        return bool(self.name)


@frozen_dataclass
class RulesDraftPage:
    """Campaign rules that are being written, with all their faults."""

    club: ClubHead
    token: str
    base: str
    document: NamedValues
    faults: tuple[RulesFault, ...]
    changed_at: datetime

    @property
    def name(self) -> str:
        """The name of the set, as far as it has one."""
        return draft_name(self.document)

    @property
    def links(self) -> tuple[EditorLink, ...]:
        """The pages in their order; tables and lists of skills follow their section."""
        keys: list[str] = []
        for key in ORDER:
            keys.append(key)
            if key in NAMED:
                keys += [f"{key}/{name}" for name in self.named(key)]
        return tuple(map(self._link, keys))

    def _link(self, key: str) -> EditorLink:
        """Return the link of a page."""
        page = page_of(self.document, key)
        title, lead = (page.title, page.lead) if page else NAMED[key]
        return EditorLink(key, title, lead, len(self.faults_on(key)))

    @property
    def fault_links(self) -> list[FaultLink]:
        """Every fault with the page on which it is put right."""
        return list(map(self._fault_link, self.faults))

    def _fault_link(self, fault: RulesFault) -> FaultLink:
        """Return a fault in words."""
        key = page_key_of(fault.path, self.document)
        return FaultLink(key, place_words(fault.path, self.document), fault.message)

    def fault_links_on(self, key: str) -> list[FaultLink]:
        """Return the faults that are put right on a page, in words."""
        return [one for one in self.fault_links if one.key == key]

    def faults_on(self, key: str) -> tuple[RulesFault, ...]:
        """Return the faults that are put right on a page."""
        document = self.document
        return tuple(one for one in self.faults if page_key_of(one.path, document) == key)

    def named(self, section: str) -> list[str]:
        """Return the names of tables, or of lists of skills."""
        return names_in(self.document, section)[0]

    def odd_names(self, section: str) -> list[str]:
        """Return what can be no name of a table or list, and can only be deleted."""
        return names_in(self.document, section)[1]

    def page(self, key: str) -> EditorPage:
        """Return a page of the editor. Raises NotInRuleBook."""
        page = page_of(self.document, key)
        if page is None:
            raise NotInRuleBook("These campaign rules have no such section.")
        return page

    def seen(self, page: EditorPage) -> str:
        """Return what tells whether somebody else has changed a page meanwhile."""
        return seen_of(self.document, page.paths)

    @property
    def choices(self) -> Mapping[str, ChoiceList]:
        """What the document names and a form may choose from."""
        kinds = _named_entries(self.document.get("kinds"))
        tables = [(key, key) for key in self.named("tables")]
        return {
            "currencies": _named_entries(self.document.get("currencies")),
            "kinds": kinds,
            "tables": tables,
            "skills": [(key, key) for key in self.named("skills")],
            "rollers": [(WARBAND, "The warband"), *kinds],
            "systems": [(key, registry.load_base(key).name) for key in registry.systems()],
        }


# Reading a draft, which may be faulty anywhere


def draft_name(document: NamedValues) -> str:
    """Return the name of a document, as far as it has one."""
    name = document.get("name")
    return name[:120] if isinstance(name, str) and name.strip() else "Unnamed rules"


def _named_entries(entries: object) -> ChoiceList:
    """Return the entries of a list that have an id, by id and name."""
    known: TextByKey = {}
    for one in entries if isinstance(entries, list | tuple) else ():
        if isinstance(one, Mapping) and isinstance(one.get("id"), str):
            known[one["id"]] = str(one.get("name", one["id"]))
    return list(known.items())


def seen_of(document: NamedValues, paths: tuple[Texts, ...]) -> str:
    """Return a digest of what stands at some places of a document."""
    found = {".".join(path): value_at(document, path) for path in paths}
    return digest_of({key: one for key, one in found.items() if one is not MISSING})


def draft_faults(document: NamedValues) -> tuple[RulesFault, ...]:
    """Return everything that is wrong with a document, for each of the systems it names."""
    found: dict[RulesFault, None] = {}
    named = document.get("systems")
    known = [key for key in registry.systems() if isinstance(named, list) and key in named]
    # A characteristic may be known to one system and not to another.
    for key in known or [""]:
        system = _system(key) if key else None
        try:
            read_for(system, document)
        except FaultyRules as error:
            found |= dict.fromkeys(error.faults)
    return tuple(found)


def _system(key: str) -> System:
    """Return a system, in its first variant where it has several: all name the same stats."""
    variants = registry.load_base(key).variant_keys
    return registry.load_system(key, variants[0] if variants else None)


# A club's sets


def load_shelf(actor: Owner, slug: str) -> RulesShelf:
    """Return the campaign rules of a club, for its members. Three queries. Raises NotInRuleBook."""
    club = load_club(actor, slug)
    drafts = list(CampaignRulesDraft.objects.filter(club_id=club.id))
    of_sets = {one.base: one.token for one in drafts if one.base}
    latest: dict[str, RulesCard] = {}
    rows = CampaignRules.objects.filter(club_id=club.id).defer("document")
    for row in rows.order_by("name", "token", "-version"):
        latest.setdefault(row.token, _card(row, of_sets.get(row.token, "")))
    cards = latest.values()
    return RulesShelf(
        club,
        tuple(card for card in cards if not card.is_archived),
        tuple(card for card in cards if card.is_archived),
        tuple(_new_drafts(drafts)) if club.may_write else (),
    )


def _new_drafts(drafts: Iterable[CampaignRulesDraft]) -> Iterator[DraftCard]:
    """Yield the drafts that are no next version of a set."""
    for one in drafts:
        if not one.base:
            yield DraftCard(one.token, draft_name(one.document), one.changed_at)


def _card(row: CampaignRules, draft: str) -> RulesCard:
    """Return the card of a set from its latest version."""
    is_archived = row.archived_at is not None
    return RulesCard(row.token, row.name, row.version, row.at, is_archived, draft)


def load_own_rules(
    actor: Owner, slug: str, token: str, version: int | None = None
) -> OwnRulesPage:
    """Return a set of a club, in its latest version unless one is named, for its members.

    Three queries. The last 50 versions are told. Raises NotInRuleBook.
    """
    club = load_club(actor, slug)
    rows = CampaignRules.objects.filter(club_id=club.id, token=token).order_by("-version")
    found = list(rows.select_related("author")[: SEEN_VERSIONS + 1])
    chosen = [one for one in found if version in (None, one.version)]
    if not chosen:
        raise NotInRuleBook(NO_SET)
    draft = CampaignRulesDraft.objects.filter(club_id=club.id, base=token).first()
    card = _card(found[0], draft.token if draft else "")
    versions = tuple(
        _version(row, before) for row, before in zip(found, [*found[1:], None], strict=True)
    )
    return OwnRulesPage(club, card, chosen[0].document, versions[:SEEN_VERSIONS])


def _version(row: CampaignRules, before: CampaignRules | None) -> RulesVersion:
    """Return a version with what it changed."""
    author = row.author.display_name if row.author else "Former member"
    if before is None:
        return RulesVersion(row.version, author, row.at, is_first=True)
    changes = differences_of(before.document, row.document)
    return RulesVersion(row.version, author, row.at, changes)


# Drafts


def load_rules_draft(actor: Owner, slug: str, token: str) -> RulesDraftPage:
    """Return campaign rules that are being written, for those who run the club. Two queries.

    Raises NotAllowed, NotInRuleBook.
    """
    club = load_club_to_write(actor, slug)
    row = CampaignRulesDraft.objects.filter(club_id=club.id, token=token).first()
    if row is None:
        raise NotInRuleBook("There is no such draft. Perhaps it was saved as a version.")
    faults = draft_faults(row.document)
    return RulesDraftPage(club, row.token, row.base, row.document, faults, row.changed_at)


def start_choices(club: ClubHead) -> ChoiceList:
    """Return what a new set can start from: nothing, a set of the site, or one of the club's."""
    packed = [(key, f"A copy of {one.rules.name}") for key, one in packed_rules().items()]
    rows = CampaignRules.objects.filter(club_id=club.id, archived_at=None)
    own = dict(rows.order_by("name", "version").values_list("token", "name"))
    return [
        *packed,
        *((f"own/{token}", f"A copy of {name}") for token, name in own.items()),
        ("", "An empty set"),
    ]
