"""A warband founds itself in a campaign: a copy of a roster, which grows there alone."""

from __future__ import annotations

from dataclasses import replace

from accounts.errors import WrongState
from accounts.owner import Owner
from accounts.tokens import new_token
from campaigns.list_checks import is_of_system
from campaigns.models import CampaignWarband, Entry, EntryStatus
from campaigns.operations.growth.ledger import (
    LedgerChange,
    check_grows_on,
    check_own,
    idempotent,
    open_growth,
    row_of,
)
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from campaigns.operations.rows import find_entry, update_row
from campaigns.queries.growth.joiners import joiners_of
from campaigns.queries.growth.ledger import LATE_MOST, closed_rounds
from engine.errors import Refusal, refused_at
from engine.growth.campaign_fold import GrowthDifference
from engine.growth.log import Founding, check_size
from engine.records import JsonObject, frozen_dataclass
from engine.roster import Roster
from rulesdata import registry
from rulesdata.queries.clubs import may_muster_from
from warbands import rulebook
from warbands.exchange.document import parse
from warbands.operations.warbands import store_for_campaign
from warbands.queries.warbands import load_warband
from warbands.sheet.structure import without_growth


@frozen_dataclass
class FoundingDraft:
    """A warband to be founded: by a roster document, or of a warband the actor may open.

    ``late_rounds`` None is one for each closed round; organisers may say otherwise.
    """

    entry: str
    roster: JsonObject | None = None
    warband: str = ""
    late_rounds: int | None = None


def found_warband(request: ChangeRequest, draft: FoundingDraft) -> str:
    """Copy a roster into the campaign as the warband of an entry; returns its id.

    By the entry's player and organisers. Raises Refusal naming the field, also for a roster that
    costs more than the purse; FaultyDocument, NotFound, NotAllowed, WrongState, KeyReused.
    """
    return _found(request, draft, roster=_read_roster(request.actor, draft))


@idempotent("found_warband", answer="warband")
def _found(change: LockedEvent, draft: FoundingDraft, *, roster: Roster) -> str:
    """Write the copy of a roster and the row of its founding."""
    growth = open_growth(change)
    entry = _checked_entry(growth, draft)
    founding = _founding(growth, entry, roster, draft)
    row = _insert(growth, entry, founding, roster)
    growth.append([row_of(founding, warband=row)])
    words = f"{entry.name} founded a warband in the campaign."
    change.log("growth_found", words, subject=entry.token)
    return row.token


def preview_founding(request: ChangeRequest, draft: FoundingDraft) -> GrowthDifference:
    """Return what founding would change. Raises as `found_warband`, and writes nothing."""
    roster = _read_roster(request.actor, draft)
    with readable_event(request) as change:
        growth = open_growth(change)
        entry = _checked_entry(growth, draft)
        founding = _founding(growth, entry, roster, draft)
        return growth.preview([row_of(founding)])


# Checking


def _read_roster(actor: Owner, draft: FoundingDraft) -> Roster:
    """Return the roster that is copied, without what another campaign made of it.

    It may be long, so it is read before the lock.
    """
    if (draft.roster is None) == (not draft.warband):
        raise Refusal("Send a roster or the id of a warband, not both.", field="roster")
    if draft.roster is None:
        record = load_warband(actor, draft.warband)
        if record is None:
            raise Refusal(
                "There is no such warband, or it is not shared with you.", field="warband"
            )
        return without_growth(record.roster)
    roster = parse(
        draft.roster,
        knows_scenario=lambda system, key: rulebook.may_choose_scenario(actor, system, key),
        knows_army=lambda system, key: may_muster_from(actor, system, key),
    )
    return without_growth(roster)


def _checked_entry(growth: LedgerChange, draft: FoundingDraft) -> Entry:
    """Return whose warband it will be. Raises NotFound, NotAllowed, WrongState, Refusal."""
    entry = find_entry(growth.event, draft.entry)
    is_organiser = check_own(growth, entry)
    check_grows_on(growth.change)
    if draft.late_rounds is not None:
        if not is_organiser:
            raise Refusal(
                "Organisers alone say how many rounds somebody is late.",
                field="late_rounds",
            )
        check_late(draft.late_rounds)
    if entry.status == EntryStatus.DROPPED:
        raise WrongState(f"{entry.name} dropped out. Take them back in first.")
    if CampaignWarband.objects.filter(entry=entry, closed_at=None).exists():
        raise WrongState(f"{entry.name} has a warband in this campaign already.")
    return entry


def check_late(rounds: int) -> None:
    """Raise Refusal for more rounds than an event has."""
    if not 0 <= rounds <= LATE_MOST:
        raise Refusal(
            f"The rounds missed are a number from 0 to {LATE_MOST}.", field="late_rounds"
        )


# What the warband begins with


def _founding(
    growth: LedgerChange, entry: Entry, roster: Roster, draft: FoundingDraft
) -> Founding:
    """Return the row of the log, whose price the purse can pay."""
    event = growth.event
    if not is_of_system(roster, event):
        wanted = registry.system_of(event).full_name
        raise Refusal(
            f"This roster is not for {wanted}, which is played here.", field="roster"
        )
    if not roster.warriors:
        raise Refusal("The roster has nobody in it.", field="roster.warriors")
    late = (
        closed_rounds(growth.event.pk) if draft.late_rounds is None else draft.late_rounds
    )
    founding = Founding(new_token(), roster.army, joiners_of(roster), late)
    with refused_at("entry"):
        check_size(growth.ledger.log.with_entries(founding))
    # The fold takes the price, so the purse is what it leaves.
    after = growth.with_rows([row_of(founding)]).state.warbands[founding.warband]
    rules = growth.ledger.rules
    left = after.treasury[rules.prices.currency]
    if left < 0:
        price = rules.prices.of(sum(warrior.worth for warrior in after.warriors.values()))
        name = rules.currency_name(rules.prices.currency)
        raise Refusal(
            f"The roster costs {price} {name}, {-left} more than the purse of {price + left}.",
            field="roster" if draft.roster is not None else "warband",
        )
    return founding


def _insert(
    growth: LedgerChange, entry: Entry, founding: Founding, roster: Roster
) -> CampaignWarband:
    """Write the copy of the roster, whose rows are the warriors of the campaign."""
    # A guest has no account: the organiser who founds looks after the copy.
    owner = Owner(user_id=entry.user_id) if entry.user_id else growth.change.actor
    # Its rows are new, at the prices it was founded at: those of the original stay with it.
    own = tuple(replace(warrior, id=None, kept=None) for warrior in roster.warriors)
    name = roster.name or entry.name
    # The purse is the limit here, and later the campaign's rules.
    counts = not registry.system_of(roster).are_points_optional
    limit = None if counts else roster.points_limit
    copied = replace(roster, warriors=own, name=name, points_limit=limit)
    stored = store_for_campaign(owner, copied)
    keys = (joiner.key for joiner in founding.joiners)
    number = CampaignWarband.objects.filter(entry=entry).count() + 1
    row = CampaignWarband.objects.create(
        entry=entry,
        token=founding.warband,
        number=number,
        warband_id=stored.id,
        rows=dict(
            zip(keys, (warrior.id for warrior in stored.roster.warriors), strict=True)
        ),
    )
    # Pages that name what an entry brings name the copy from now on.
    update_row(entry, warband_id=stored.id)
    return row
