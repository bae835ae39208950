"""The campaign rules that somebody may choose: those of the packs, and those of their clubs."""

from collections.abc import Iterable

from django.db.models import QuerySet

from accounts.access import joined_club_ids
from accounts.errors import NotFound
from accounts.owner import Owner
from engine.errors import Refusal
from engine.growth.faults import FaultyRules, RulesFault
from engine.growth.rules import CampaignRules as Rules
from engine.records import NamedValues, Texts, frozen_dataclass
from rulesdata import registry
from rulesdata.campaign_documents import find_system, packed_rules, read_for
from rulesdata.models import CampaignRules

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
    return (*packed, *map(_own_record, _latest(_readable(actor))))


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


def _latest(rows: Iterable[CampaignRules]) -> list[CampaignRules]:
    """Return the latest version of each set, by club and name of the set."""
    found: dict[str, CampaignRules] = {}
    for row in rows:
        known = found.setdefault(row.token, row)
        if known.version < row.version:
            found[row.token] = row
    return list(found.values())


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
