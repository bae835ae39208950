"""How every change of a growing campaign is made: lock its event, append, fold all, write.

Nothing is ever added to a stored figure: what warbands are is folded from the first row each time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.errors import NotAllowed, WrongState
from accounts.owner import Owner
from accounts.tokens import get_row
from campaigns import access
from campaigns.growth.operations.notices import ChangedCampaign
from campaigns.growth.payloads import StoredRow, find_kind, to_payload
from campaigns.growth.queries.ledger import (
    CampaignLedger,
    build_facts,
    build_ledger,
    load_campaign_warbands,
    load_ledger,
    store_fold,
)
from campaigns.growth.queries.shops import known_options
from campaigns.models import (
    CampaignWarband,
    ClubEvent,
    Entry,
    EventStatus,
    GrowthRow,
    GrowthRowKind,
)
from campaigns.operations.log import (
    LockedEvent,
    lock_event_row,
)
from campaigns.operations.rows import check_running
from campaigns.queries.records import ASK_TO_REOPEN
from engine.errors import Refusal
from engine.growth.differences import GrowthDifference, difference
from engine.growth.log import LogEntry, check_size, retelling_fault, share_fault
from engine.growth.money import can_pay
from engine.growth.state import WarbandGrowth, entry_growth, roster_growth
from engine.hired import with_hired
from engine.roster import EntryGrowth, RosterEntry, RosterGrowth
from notices.operations import send_notices
from warbands.models import Warband, Warrior
from warbands.operations.transaction import (
    WriteResult,
    open_locked_warband,
    write_result,
)
from warbands.roster_fields import growth_json

AT_CLOSE = ("rating", "treasury", "territories", "closed")
"""What is stored of a warband's state when a round is closed."""


# Appending


def build_row(entry: LogEntry, **columns: Any) -> GrowthRow:
    """Return the row of an entry; its place and its author follow when it is appended."""
    return GrowthRow(kind=find_kind(entry), payload=to_payload(entry), **columns)


class LedgerChange:
    """A campaign whose event is locked, as it is before the change."""

    def __init__(self, change: LockedEvent, ledger: CampaignLedger) -> None:
        """What was folded last is kept: what is checked is then appended."""
        self.change, self.event, self.ledger = change, change.event, ledger
        self._latest: tuple[list[GrowthRow], CampaignLedger] | None = None

    @property
    def is_organiser(self) -> bool:
        """Whether the actor runs the event."""
        return access.may_organise(self.change.actor, self.event)

    def may_retell(self, fixture: str, *, tells: bool) -> bool:
        """Return whether a game's result takes one more row; raises Refusal for who ``tells`` it.

        Events before a step write none then: the step may be an organiser's.
        """
        fault = "" if self.is_organiser else retelling_fault(self.ledger.log, fixture)
        if fault and tells:
            raise Refusal(fault, field="growth")
        return not fault

    def with_rows(self, rows: Sequence[GrowthRow]) -> CampaignLedger:
        """Return the campaign with these rows behind it; what is bought is priced.

        Raises Refusal for a campaign that would be larger than the site folds, and for more than a
        player may add.
        """
        if self._latest and self._latest[0] == list(rows):
            return self._latest[1]
        # Positions are those of the locked event, so that two phones never write the same one.
        for position, row in enumerate(rows, start=self.event.growth_position + 1):
            row.position = position
        # Folded without prices first: what a thing costs is known where it is bought.
        after = self._fold(rows)
        # The price of then is kept, whatever the list asks after a correction.
        priced = [_add_price(row, after) for row in rows]
        if any(priced):
            after = self._fold(rows)
        for warband in {row.payload["warband"] for row in rows if "warband" in row.payload}:
            fault = share_fault(after.log, warband)
            if fault and not self.is_organiser:
                raise Refusal(fault, field="growth")
        self._latest = list(rows), after
        return after

    def _fold(self, rows: Sequence[GrowthRow]) -> CampaignLedger:
        """Return the ledger with these rows at its end; nothing is stored yet.

        Raises Refusal for a campaign that has grown larger than the site folds.
        """
        # As they are read back: a list, never a tuple.
        stored = tuple(
            StoredRow(row.position, row.kind, json.loads(json.dumps(row.payload)))
            for row in rows
        )
        after = build_ledger(self.event, (*self.ledger.rows, *stored))
        check_size(after.log)
        return after

    def preview(self, rows: Sequence[GrowthRow]) -> GrowthDifference:
        """Return what these rows would change. Nothing is written."""
        return difference(self.ledger.state, self.with_rows(rows).state)

    def append(
        self, rows: Sequence[GrowthRow], reason: str = "", *, tells: bool = True
    ) -> CampaignLedger:
        """Write rows, what the campaign comes to with them, and return it.

        Call it in the transaction that holds the event's lock. ``reason`` is kept with each row.
        ``tells``: players get notices, also of what was appended before without any.
        """
        after = self.with_rows(rows)
        if tells:
            self.tell_players(after, reason)
        for row in rows:
            row.event, row.reason = self.event, reason
            row.author_id = self.change.actor.user_id
        GrowthRow.objects.bulk_create(rows)
        store_fold(self.event, after)
        write_position(self.event, after.position)
        write_states(self.event, after)
        return after

    def tell_players(self, after: CampaignLedger, reason: str = "") -> None:
        """Send the notices of what a campaign has become, and why, before rows are written.

        Events of a battle change its result without notices; the step behind them brings these.
        So what is new is told since the last row that was. One query.
        """
        rows = GrowthRow.objects.filter(event=self.event)
        rows = rows.exclude(kind=GrowthRowKind.RESULT, author=None)
        last = rows.aggregate(last=Max("position"))["last"] or 0
        before = self.ledger
        previous = tuple(row for row in before.rows if row.position <= last)
        if previous and len(previous) < len(before.rows):
            before = build_ledger(self.event, previous)
        changed = ChangedCampaign(self.event, before, after, reason)
        notices = changed.notices(self.change.actor.user_id)
        send_notices(notices, subject=self.event.name)


def _add_price(row: GrowthRow, after: CampaignLedger) -> bool:
    """Write what was paid into the row of something bought; returns whether it had no price."""
    outcome = after.state.acts.get(row.act or 0)
    # Only an act that buys has something to pay.
    if row.payload.get("paid", 0) is not None or outcome is None or outcome.paid is None:
        return False
    row.payload = {**row.payload, "paid": outcome.paid}
    return True


def open_growth(change: LockedEvent) -> LedgerChange:
    """Return the campaign of a locked event.

    Raises NotFound where warbands do not grow, Stale where somebody was quicker.
    """
    change.request.check_position(change.event)
    return LedgerChange(change, load_ledger(change.event))


# Writing what the fold came to


def write_position(event: ClubEvent, position: int) -> None:
    """Write the place of the last row."""
    event.growth_position = position
    ClubEvent.objects.filter(pk=event.pk).update(growth_position=position)


def write_states(event: ClubEvent, after: CampaignLedger) -> list[CampaignWarband]:
    """Write what warbands have become, and their rosters; returns those that differ.

    Two queries, and a handful of statements for each that differs.
    """
    rows = load_campaign_warbands(event.pk)
    facts = build_facts(event, after, rows)
    # What the rosters say of their warriors, by row.
    units = Warrior.objects.filter(warband__campaign_warband__entry__event=event)
    printed = units.only("name", "growth").in_bulk()
    changed = []
    for row in rows:
        grown = after.state.warbands.get(row.token)
        if grown is None:
            continue
        head = roster_growth(facts, grown)
        # The dead have no entry in a roster.
        entries = {
            key: entry_growth(facts, grown, key)
            for key, warrior in grown.warriors.items()
            if warrior.count and not warrior.gone
        }
        state, currencies = grown.to_json(), after.rules.currencies
        collected = next((unit.id for unit in currencies if not unit.is_spent), "")
        points = grown.treasury.get(collected, 0)
        is_closed = row.closed_at is not None
        # Most warbands stay as they were: only those that differ are written.
        is_same = (state, points, grown.is_closed) == (row.state, row.points, is_closed)
        if is_same and _is_printed(row, grown, head, entries, printed):
            continue
        row.state, row.rating, row.points = state, grown.rating, points
        if grown.is_closed != is_closed:
            row.closed_at = timezone.now() if grown.is_closed else None
        _write_roster(row, grown, head, entries)
        row.save(update_fields=["state", "rating", "points", "closed_at", "rows"])
        changed.append(row)
    return changed


def _is_printed(
    row: CampaignWarband,
    grown: WarbandGrowth,
    head: RosterGrowth,
    entries: Mapping[str, EntryGrowth],
    printed: Mapping[int, Warrior],
) -> bool:
    """Return whether the roster of a row says this already, or is not there any more."""
    if row.warband is None:
        return True
    return row.warband.growth == growth_json(head) and all(
        (unit := printed.get(row.rows.get(key, 0)))
        and (unit.name, unit.growth)
        == (grown.warriors[key].joined.name, growth_json(entry))
        for key, entry in entries.items()
    )


def _write_roster(
    row: CampaignWarband,
    grown: WarbandGrowth,
    head: RosterGrowth,
    growth: Mapping[str, EntryGrowth],
) -> None:
    """Make the roster of a campaign warband say who is there now, captives too.

    Call it under the lock of the event. Ids of new rows are put into ``row.rows``, not saved.
    """
    # Its player may have deleted their account, and their warbands with it.
    rows = Warband.objects.filter(campaign_warband=row)
    warband = rows.select_for_update(of=("self",)).order_by().first()
    if warband is None:
        return
    draft = open_locked_warband(Owner(warband.owner_id, warband.owner_key), warband)
    # Somebody who was hired just now is in no list that the roster was read against.
    army = with_hired(draft.army, head)
    draft = replace(draft, army=army)
    previous = {entry.id: entry for entry in draft.roster.warriors}
    entries = {}
    for key, unit_growth in growth.items():
        # The dead have no row; the id they had is kept for a correction.
        pk, warrior = row.rows.get(key), grown.warriors[key]
        joined = warrior.joined
        entries[key] = replace(
            # What somebody wrote about an entry stays.
            previous.get(pk or 0) or RosterEntry(joined.profile, id=pk),
            name=joined.name,
            count=warrior.count,
            # A group leads nobody: its member is promoted first.
            is_leader=warrior.is_leader and warrior.count == 1,
            # Goods that no list sells are not in it.
            options=known_options(army, warrior),
            growth=unit_growth,
        )
    roster = replace(draft.roster, warriors=tuple(entries.values()), growth=head)
    if roster == draft.roster:
        return
    done = write_result(draft, WriteResult(roster, "The campaign changed it"), "campaign")
    assert done.record is not None
    ids = (entry.id for entry in done.record.roster.warriors)
    row.rows = {**row.rows, **dict(zip(entries, ids, strict=True))}


def store_figures(event: ClubEvent, number: int) -> None:
    """Store what others read of each warband from the close of this round on. Two queries."""
    rows = list(CampaignWarband.objects.filter(entry__event=event))
    for row in rows:
        figures = {key: row.state[key] for key in AT_CLOSE if key in row.state}
        row.at_close = {"round": number, "points": row.points, **figures}
    CampaignWarband.objects.bulk_update(rows, ["at_close"])


def recount_growth() -> tuple[int, list[str]]:
    """Fold every campaign anew; returns how many there are, and whose state was another."""
    events = ClubEvent.objects.filter(growth_position__gt=0).order_by("pk")
    wrong = []
    for pk in events.values_list("pk", flat=True):
        with transaction.atomic():
            event = lock_event_row(pk)
            wrong += [str(row) for row in write_states(event, load_ledger(event))]
    return events.count(), wrong


# Whose it is, and what may still be done


def find_campaign_warband(change: LockedEvent, token: str) -> CampaignWarband:
    """Return a warband of the campaign. Raises NotFound."""
    rows = CampaignWarband.objects.filter(entry__event=change.event)
    row = get_row(rows.select_related("entry", "warband"), token, "warband")
    row.entry.event = change.event
    return row


def check_own(growth: LedgerChange, entry: Entry) -> bool:
    """Return whether the actor runs the event. Raises NotAllowed for others than the player."""
    if growth.is_organiser:
        return True
    if not access.plays_as(growth.change.actor, entry):
        raise NotAllowed("Only the warband's player and organisers of the club do this.")
    return False


def check_funds(
    ledger: CampaignLedger, row: CampaignWarband, currency: str, price: int, field: str
) -> None:
    """Raise Refusal naming a field for a price that is more than is in a treasury."""
    money = ledger.state.warbands[row.token].treasury[currency]
    if not can_pay(money, price):
        cost = ledger.rules.amount(price, currency)
        message = f"It costs {cost}, and the treasury has {money}."
        raise Refusal(message, field=field)


def check_grows_on(change: LockedEvent) -> None:
    """Raise WrongState where a campaign is over, with the way on for who asks."""
    is_finished = change.event.status == EventStatus.FINISHED
    if is_finished and not access.may_organise(change.actor, change.event):
        raise WrongState(ASK_TO_REOPEN)
    check_running(change.event)


def check_naming(warband_id: int) -> None:
    """Raise WrongState for the roster of a campaign that is finished. One query."""
    rows = CampaignWarband.objects.filter(warband_id=warband_id)
    if rows.filter(entry__event__status=EventStatus.FINISHED).exists():
        raise WrongState(ASK_TO_REOPEN)
