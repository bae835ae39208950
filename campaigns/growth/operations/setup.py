"""How a campaign begins: its rules are chosen and changed, and warbands found themselves in it.

A warband is a copy of a roster, which grows there alone.
"""

from __future__ import annotations

from dataclasses import replace

from accounts.errors import NotFound, WrongState
from accounts.owner import Owner
from accounts.tokens import new_token
from battles.models import REASON_MAX
from campaigns.growth.operations.ledger import (
    LedgerChange,
    build_row,
    check_grows_on,
    check_own,
    open_growth,
    write_position,
)
from campaigns.growth.payloads import StoredRow
from campaigns.growth.queries.ledger import (
    LATE_MOST,
    build_ledger,
    closed_rounds,
    has_begun,
)
from campaigns.growth.queries.shops import build_joiner
from campaigns.list_checks import is_of_system
from campaigns.models import (
    CampaignWarband,
    Entry,
    EntryStatus,
    EventKind,
    GrowthRow,
    GrowthRowKind,
)
from campaigns.operations.log import (
    SETTINGS,
    ChangeRequest,
    LockedEvent,
    idempotent,
    organised_event,
    readable_event,
)
from campaigns.operations.rows import check_running, find_entry, update_row
from engine.errors import Refusal, refused_at
from engine.growth.differences import GrowthDifference
from engine.growth.log import Founding, check_size
from engine.growth.money import founding_purse
from engine.records import JsonObject, NamedValues, frozen_dataclass
from engine.roster import Roster
from rulesdata import registry
from rulesdata.campaign_documents import read_for
from rulesdata.errors import faults_told
from rulesdata.queries.campaign_rules import find_campaign_rules
from rulesdata.queries.clubs import may_muster_from
from rulesdata.queries.scenarios import may_choose_scenario
from warbands.exchange.document import clean_text, parse
from warbands.operations.warbands import store_for_campaign
from warbands.queries.warbands import load_warband
from warbands.sheet.structure import without_growth

START, NOW = "start", "now"
AREA = f"{SETTINGS}/growth"


# Rules


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
    row, growth = _check_rules(change, draft)
    payload, event = row.payload, change.event
    if growth is None:
        # Checked as it will be read: a row that cannot be folded is never written.
        build_ledger(event, (StoredRow(1, GrowthRowKind.RULES, payload),))
        GrowthRow.objects.create(
            event=event,
            position=1,
            kind=GrowthRowKind.RULES,
            payload=payload,
            author_id=change.actor.user_id,
        )
        write_position(event, 1)
    else:
        growth.append([row], change.request.reason)
    since = ", from the start" if payload["from_start"] else " from now on"
    name = [payload["rules"], payload["version"]]
    message = f"Changed the rules of growth{since}."
    change.write("growth_rules", message, changes={"growth": name})
    return True


def preview_growth_rules(request: ChangeRequest, draft: RulesDraft) -> GrowthDifference:
    """Return what these rules would change. Raises as `set_growth_rules`, and writes nothing."""
    with organised_event(request) as change:
        row, growth = _check_rules(change.within(AREA), draft)
        return growth.preview([row]) if growth else GrowthDifference()


def _check_rules(
    change: LockedEvent, draft: RulesDraft
) -> tuple[GrowthRow, LedgerChange | None]:
    """Return the row of these rules, and the campaign they change, None for one that begins."""
    event, reason = change.event, clean_text("reason", change.request.reason, REASON_MAX)
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
    payload = _build_payload(change.actor, growth, draft)
    # Before anybody founded, nothing has happened that rules of before could hold for.
    payload["from_start"] = draft.since == START or not begun
    row = GrowthRow(kind=GrowthRowKind.RULES, payload=payload)
    with faults_told():
        if growth is None:
            read_for(registry.system_of(event), payload["document"])
        else:
            growth.with_rows([row])
    return row, growth


def _build_payload(
    actor: Owner, growth: LedgerChange | None, draft: RulesDraft
) -> JsonObject:
    """Return the payload of a row of rules: a document whole, or what changes in it."""
    if draft.changes is not None:
        if growth is None:
            raise NotFound("growth")
        document, (name, version) = draft.changes, growth.ledger.rules_name
    elif bool(draft.rules) == (draft.document is not None):
        raise Refusal("Name a set of rules or send a document, not both.", field="rules")
    elif draft.document is not None:
        document, number = draft.document, draft.document.get("version")
        name = str(document.get("id"))[:60]
        version = number if isinstance(number, int) else 1
    else:
        # The row holds the document itself: a set that its club archives goes on here.
        record = find_campaign_rules(actor, draft.rules)
        if record is None:
            message = "There are no such campaign rules, or they are not shared with you."
            raise Refusal(message, field="rules")
        document, name, version = record.document, record.id, record.version
    return {
        "document": dict(document),
        "is_whole": draft.changes is None,
        "rules": name,
        "version": version,
    }


# Founding


@frozen_dataclass
class FoundingDraft:
    """A warband to be founded: by a roster document, or of a warband the actor may open.

    ``late_rounds`` None is one for each closed round; organisers may say otherwise.
    """

    entry: str
    roster: JsonObject | None = None
    warband: str = ""
    late_rounds: int | None = None


@idempotent("found_warband", answer="warband")
def _found_once(change: LockedEvent, draft: FoundingDraft, *, roster: Roster) -> str:
    """Write the copy of a roster and the row of its founding."""
    growth = open_growth(change)
    entry = _find_founder(growth, draft)
    founding = _build_founding(growth, roster, draft)
    row = _insert(growth, entry, founding, roster)
    growth.append([build_row(founding, warband=row)])
    message = f"{entry.name} founded a warband in the campaign."
    change.log("growth_found", message, subject=entry.token)
    return row.token


def found_warband(request: ChangeRequest, draft: FoundingDraft) -> str:
    """Copy a roster into the campaign as the warband of an entry; returns its id.

    By the entry's player and organisers. Raises Refusal naming the field, also for a roster that
    costs more than the purse; FaultyDocument, NotFound, NotAllowed, WrongState, KeyReused.
    """
    return _found_once(request, draft, roster=_read_roster(request.actor, draft))


def preview_founding(request: ChangeRequest, draft: FoundingDraft) -> GrowthDifference:
    """Return what founding would change. Raises as `found_warband`, and writes nothing."""
    roster = _read_roster(request.actor, draft)
    with readable_event(request) as change:
        growth = open_growth(change)
        _find_founder(growth, draft)
        return growth.preview([build_row(_build_founding(growth, roster, draft))])


def _read_roster(actor: Owner, draft: FoundingDraft) -> Roster:
    """Return the roster that is copied, without what another campaign made of it.

    It may be long, so it is read before the lock.
    """
    if (draft.roster is None) == (not draft.warband):
        raise Refusal("Send a roster or the id of a warband, not both.", field="roster")
    if draft.roster is not None:
        roster = parse(
            draft.roster,
            knows_scenario=lambda system, key: may_choose_scenario(actor, system, key),
            knows_army=lambda system, key: may_muster_from(actor, system, key),
        )
        return without_growth(roster)
    record = load_warband(actor, draft.warband)
    if record is None:
        message = "There is no such warband, or it is not shared with you."
        raise Refusal(message, field="warband")
    return without_growth(record.roster)


def _find_founder(growth: LedgerChange, draft: FoundingDraft) -> Entry:
    """Return whose warband it will be. Raises NotFound, NotAllowed, WrongState, Refusal."""
    entry = find_entry(growth.event, draft.entry)
    is_organiser = check_own(growth, entry)
    check_grows_on(growth.change)
    if draft.late_rounds is not None:
        if not is_organiser:
            message = "Organisers alone say how many rounds somebody is late."
            raise Refusal(message, field="late_rounds")
        check_late(draft.late_rounds)
    if entry.status != EntryStatus.ACTIVE:
        raise WrongState(
            f"{entry.name} dropped out or waits for a place. Take them in first."
        )
    if CampaignWarband.objects.filter(entry=entry, closed_at=None).exists():
        raise WrongState(f"{entry.name} has a warband in this campaign already.")
    return entry


def check_late(rounds: int) -> None:
    """Raise Refusal for more rounds than an event has."""
    if not 0 <= rounds <= LATE_MOST:
        message = f"The rounds missed are a number from 0 to {LATE_MOST}."
        raise Refusal(message, field="late_rounds")


def _build_founding(growth: LedgerChange, roster: Roster, draft: FoundingDraft) -> Founding:
    """Return the row of the log, whose price the purse can pay."""
    event = growth.event
    if not is_of_system(roster, event):
        system = registry.system_of(event).full_name
        message = f"This roster is not for {system}, which is played here."
        raise Refusal(message, field="roster")
    if not roster.warriors:
        raise Refusal("The roster has nobody in it.", field="roster.warriors")
    late = draft.late_rounds
    if late is None:
        late = closed_rounds(event.pk)
    _, army = registry.load_ruleset(roster)
    joiners = tuple(
        build_joiner(army, warrior, f"w{place + 1}", f"roster.warriors[{place}].")
        for place, warrior in enumerate(roster.warriors)
    )
    rules = growth.ledger.rules
    purse = founding_purse(rules, event.points_limit or army.default_limit)
    founding = Founding(new_token(), roster.army, joiners, late, purse)
    with refused_at("entry"):
        check_size(growth.ledger.log.with_entries(founding))
    # The fold takes the price, so the purse is what it leaves.
    after = growth.with_rows([build_row(founding)]).state.warbands[founding.warband]
    left = after.treasury[rules.prices.currency]
    if left < 0:
        price = rules.prices.of(sum(warrior.worth for warrior in after.warriors.values()))
        raise Refusal(
            f"The roster costs {rules.amount(price)}, {-left} more than the purse of "
            f"{price + left}.",
            field="roster" if draft.roster is not None else "warband",
        )
    return founding


def _insert(
    growth: LedgerChange, entry: Entry, founding: Founding, roster: Roster
) -> CampaignWarband:
    """Write the copy of the roster, whose rows are the warriors of the campaign."""
    # A guest has no account: the organiser who founds looks after the copy.
    owner = Owner(user_id=entry.user_id) if entry.user_id else growth.change.actor
    # The purse is the limit here, and later the campaign's rules.
    counts = not registry.system_of(roster).are_points_optional
    copied = replace(
        roster,
        # Its rows are new, at the prices it was founded at: those of the original stay with it.
        warriors=tuple(replace(warrior, id=None, kept=None) for warrior in roster.warriors),
        name=roster.name or entry.name,
        points_limit=None if counts else roster.points_limit,
    )
    stored = store_for_campaign(owner, copied)
    row = CampaignWarband.objects.create(
        entry=entry,
        token=founding.warband,
        number=CampaignWarband.objects.filter(entry=entry).count() + 1,
        warband_id=stored.id,
        rows={
            joiner.key: warrior.id
            for joiner, warrior in zip(
                founding.joiners, stored.roster.warriors, strict=True
            )
        },
    )
    # Pages that name what an entry brings name the copy from now on.
    update_row(entry, warband_id=stored.id)
    return row
