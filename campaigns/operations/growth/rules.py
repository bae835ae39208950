"""The rules by which warbands of a campaign grow: chosen, replaced, and changed midway."""

from __future__ import annotations

from accounts.errors import NotFound
from accounts.owner import Owner
from battles.models import REASON_MAX
from campaigns.growth_payloads import RULES, StoredRow
from campaigns.models import ClubEvent, EventKind, GrowthRow
from campaigns.operations.growth.ledger import (
    LedgerChange,
    NewRow,
    idempotent,
    open_growth,
    write_position,
)
from campaigns.operations.log import SETTINGS, ChangeRequest, LockedEvent, organised_event
from campaigns.operations.rows import check_running
from campaigns.queries.growth.ledger import has_begun, ledger_of
from engine.errors import Refusal
from engine.growth.campaign_fold import GrowthDifference
from engine.records import JsonObject, NamedValues, frozen_dataclass
from rulesdata import registry
from rulesdata.campaign_documents import read_for
from rulesdata.errors import faults_told
from rulesdata.queries.campaign_rules import find_campaign_rules
from warbands.exchange.document import clean_text

START, NOW = "start", "now"
AREA = f"{SETTINGS}/growth"


@frozen_dataclass
class RulesDraft:
    """Rules to play by: a set by its id, a document, or ``changes`` of the document in force.

    ``since`` is "start" or "now"; it and a reason are asked for once somebody has founded.
    """

    rules: str = ""
    document: NamedValues | None = None
    changes: NamedValues | None = None
    since: str = ""


@idempotent("growth_rules", answer="done", lock=organised_event)
def set_growth_rules(change: LockedEvent, draft: RulesDraft) -> bool:
    """Play by these rules; an event that had none is one in which warbands grow from now on.

    By organisers. Raises FaultyCampaignRules with each fault, Refusal naming the field,
    NotFound, NotAllowed, Stale, KeyReused.
    """
    change = change.within(AREA)
    row, growth = _checked(change, draft)
    if growth is None:
        _begin(change, row)
    else:
        growth.append([row], change.asked.reason)
    since = ", from the start" if row.payload["from_start"] else " from now on"
    name = [row.payload["rules"], row.payload["version"]]
    words = f"Changed the rules of growth{since}."
    change.write("growth_rules", words, changes={"growth": name})
    return True


def preview_growth_rules(request: ChangeRequest, draft: RulesDraft) -> GrowthDifference:
    """Return what these rules would change. Raises as `set_growth_rules`, and writes nothing."""
    with organised_event(request) as change:
        row, growth = _checked(change.within(AREA), draft)
        return growth.preview([row]) if growth else GrowthDifference()


# Checking and beginning


def _checked(change: LockedEvent, draft: RulesDraft) -> tuple[NewRow, LedgerChange | None]:
    """Return the row of these rules, and the campaign they change, None for one that begins."""
    event, reason = change.event, clean_text("reason", change.asked.reason, REASON_MAX)
    if event.kind != EventKind.CAMPAIGN:
        raise Refusal("Warbands grow in campaigns alone.", field="event")
    check_running(event)
    growth = open_growth(change) if event.growth_position else None
    begun = growth is not None and has_begun(growth.ledger)
    if draft.since not in ("", START, NOW):
        raise Refusal('from must be "now" or "start".', field="from")
    # Before anybody has founded, both come to the same.
    if begun and not draft.since:
        raise Refusal('Say "from": "now" or "start".', field="from")
    if begun and not reason:
        raise Refusal(f"Say why, in at most {REASON_MAX} characters.", field="reason")
    payload = _payload(change.actor, growth, draft)
    # Before anybody founded, nothing has happened that rules of before could hold for.
    payload["from_start"] = draft.since == START or not begun
    row = NewRow(RULES, payload)
    with faults_told():
        if growth is None:
            read_for(registry.system_of(event), payload["document"])
        else:
            growth.with_rows([row])
    return row, growth


def _payload(actor: Owner, growth: LedgerChange | None, draft: RulesDraft) -> JsonObject:
    """Return the payload of a row of rules: a document whole, or what changes in it."""
    if draft.changes is not None:
        if growth is None:
            raise NotFound("growth")
        name, version = growth.ledger.rules_name
        return {
            "document": dict(draft.changes),
            "is_whole": False,
            "rules": name,
            "version": version,
        }
    if bool(draft.rules) == (draft.document is not None):
        raise Refusal("Name a set of rules or send a document, not both.", field="rules")
    if draft.document is not None:
        document = dict(draft.document)
        number = document.get("version")
        return {
            "document": document,
            "is_whole": True,
            "rules": str(document.get("id"))[:60],
            "version": number if isinstance(number, int) else 1,
        }
    # The row holds the document itself: a set that its club archives goes on here.
    record = find_campaign_rules(actor, draft.rules)
    if record is None:
        words = "There are no such campaign rules, or they are not shared with you."
        raise Refusal(words, field="rules")
    return {
        "document": dict(record.document),
        "is_whole": True,
        "rules": record.id,
        "version": record.version,
    }


def _begin(change: LockedEvent, row: NewRow) -> None:
    """Write the first row of a campaign's log."""
    event: ClubEvent = change.event
    # Checked as it will be read: a row that cannot be folded is never written.
    ledger_of(event, (StoredRow(1, row.kind, row.payload),))
    GrowthRow.objects.create(
        event=event,
        position=1,
        kind=row.kind,
        payload=row.payload,
        author_id=change.actor.user_id,
    )
    write_position(event, 1)
