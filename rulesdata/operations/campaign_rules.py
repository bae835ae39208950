"""Campaign rules of a club's own: each writing is checked whole and kept as the next version."""

from django.db import transaction

from accounts.models import Club
from accounts.owner import Owner
from accounts.tokens import new_token
from engine.errors import Refusal
from engine.growth.rules import CampaignRules as Rules
from engine.records import JsonObject, NamedValues, frozen_dataclass
from rulesdata.campaign_documents import digest_of, read_for
from rulesdata.errors import faults_told
from rulesdata.models import CampaignRules
from rulesdata.queries.campaign_rules import OWN
from rulesdata.queries.clubs import load_club_to_write

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
    load_club_to_write(actor, club_slug)  # before what is faulty, who may write
    with transaction.atomic():
        club = load_club_to_write(actor, club_slug)
        # Of two writings at once the second meets the version of the first.
        list(Club.objects.select_for_update().filter(pk=club.id).order_by())
        document = _with_key(club.id, document)
        with faults_told():
            rules = read_for(None, document)
        return _write(actor, club.id, rules, document)


def _with_key(club_id: int, document: NamedValues) -> NamedValues:
    """Return the document under the id that its documents give the set, where it names the set."""
    sent = document.get("id")
    if not isinstance(sent, str) or not sent.startswith(OWN):
        return document
    rows = CampaignRules.objects.filter(club_id=club_id)
    row = rows.filter(token=sent.removeprefix(OWN)[:16].replace("\0", "")).first()
    if row is None:
        raise Refusal("Your club has no campaign rules of this id.", field="document.id")
    return {**document, "id": row.key}


def _write(actor: Owner, club_id: int, rules: Rules, document: NamedValues) -> WrittenRules:
    """Write the next version of a set under the lock of its club."""
    rows = CampaignRules.objects.filter(club_id=club_id)
    latest = rows.filter(key=rules.id).order_by("-version").first()
    # The same document sent twice is one version.
    digest = digest_of(document)
    if latest is not None and latest.digest == digest:
        return WrittenRules(f"{OWN}{latest.token}", latest.version)
    number = latest.version + 1 if latest else 1
    others = 0 if latest else rows.values("key").distinct().count()
    check_room(others + 1, number)
    columns: JsonObject = {
        "club_id": club_id,
        "token": latest.token if latest else new_token(),
        "key": rules.id,
        "version": number,
        "name": rules.name,
        "document": dict(document),
        "digest": digest,
        "author_id": actor.user_id,
    }
    row = CampaignRules.objects.create(**columns)
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
