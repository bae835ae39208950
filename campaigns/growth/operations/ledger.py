"""How every change of a growing campaign is made: lock its event, append, fold all, write.

Nothing is ever added to a stored figure: what warbands are is folded from the first row each time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.errors import NotAllowed, WrongState
from accounts.owner import Owner
from campaigns import access
from campaigns.growth.operations.notices import ChangedCampaign, growth_notices
from campaigns.growth.payloads import RULES, StoredRow, from_payload, kind_of, to_payload
from campaigns.growth.queries.ledger import (
    CampaignLedger,
    facts_of,
    keep_fold,
    ledger_of,
    load_ledger,
    warbands_of,
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
    ChangeRequest,
    LockedEvent,
    lock_event_row,
    readable_event,
)
from campaigns.operations.rows import check_running, find_by_token
from campaigns.queries.records import ASK_TO_REOPEN
from engine.errors import Refusal
from engine.growth.campaign_fold import GrowthDifference, difference
from engine.growth.log import (
    BuyAct,
    EnlargeAct,
    GrowthAct,
    LogEntry,
    RecruitAct,
    SearchAct,
    check_size,
    share_fault,
)
from engine.growth.state import CampaignFacts, WarbandGrowth, entry_growth, roster_growth
from engine.hired import with_hired
from engine.records import JsonObject, frozen_dataclass
from engine.roster import EntryGrowth, RosterEntry, RosterGrowth
from notices.operations import send_notices
from warbands.models import Warband, Warrior
from warbands.operations.transaction import (
    WriteResult,
    fingerprint,
    open_locked_warband,
    store_answer,
    stored_answer,
    write_result,
)
from warbands.roster_fields import growth_json

NOT_YOURS = "Only the warband's player and organisers of the club do this."


VERB = "campaign"
CHANGED = "The campaign changed it"
AT_CLOSE = ("rating", "treasury", "territories", "closed")
"""What is stored of a warband's state when a round is closed."""


P = ParamSpec("P")
T = TypeVar("T")
Lock = Callable[[ChangeRequest], AbstractContextManager[LockedEvent]]


def idempotent(
    verb: str, answer: str, lock: Lock = readable_event
) -> Callable[
    [Callable[Concatenate[LockedEvent, P], T]], Callable[Concatenate[ChangeRequest, P], T]
]:
    """Carry out a change of an event once for each request key; a repeat gets the same answer.

    The answer is stored under its name. A request is known by its verb, its event and what it asks
    for; arguments given by name are worked out of these, and no part of it. Raises KeyReused.
    """

    def decorate(
        change_event: Callable[Concatenate[LockedEvent, P], T],
    ) -> Callable[Concatenate[ChangeRequest, P], T]:
        @wraps(change_event)
        def once(request: ChangeRequest, /, *args: P.args, **kwargs: P.kwargs) -> T:
            printed = fingerprint(verb, request.token, *map(_printed, args))
            with lock(request) as change:
                earlier = stored_answer(request.actor, request.key, printed)
                if earlier is not None:
                    repeated: T = earlier[answer]
                    return repeated
                result = change_event(change, *args, **kwargs)
                store_answer(request.actor, request.key, printed, {answer: result})
                return result

        return once

    return decorate


def _printed(value: object) -> object:
    """Return an argument as the fingerprint of a request holds it."""
    if isinstance(value, str):
        return value
    return list(map(repr, value)) if isinstance(value, list | tuple) else repr(value)


# Appending


@frozen_dataclass
class NewRow:
    """A row to be appended, with what its columns say besides the payload."""

    kind: str
    payload: JsonObject
    columns: JsonObject = field(default_factory=dict)


def row_of(entry: LogEntry, **columns: object) -> NewRow:
    """Return the row of an entry."""
    return NewRow(kind_of(entry), to_payload(entry), columns)


@frozen_dataclass
class LedgerChange:
    """A campaign whose event is locked, as it is before the change.

    ``latest`` keeps what was folded last: what is checked is then appended.
    """

    change: LockedEvent
    ledger: CampaignLedger
    latest: list[tuple[list[NewRow], CampaignLedger]] = field(default_factory=list)

    @property
    def event(self) -> ClubEvent:
        """The locked event."""
        return self.change.event

    @property
    def is_organiser(self) -> bool:
        """Whether the actor runs the event."""
        return access.may_organise(self.change.actor, self.event)

    def with_rows(self, rows: Sequence[NewRow]) -> CampaignLedger:
        """Return the campaign with these rows behind it; what is bought is priced.

        Raises Refusal for a campaign that would be larger than the site folds, and for more than a
        player may add.
        """
        for known, after in self.latest:
            if known == list(rows):
                return after
        # Folded without prices first: what a thing costs is known where it is bought.
        after = self._appended(rows)
        priced = [_priced(row, after) for row in rows]
        # The price of then is kept, whatever the list asks after a correction.
        if priced != list(rows):
            after = self._appended(priced)
        for warband in {row.payload["warband"] for row in rows if "warband" in row.payload}:
            fault = share_fault(after.log, warband)
            if fault and not self.is_organiser:
                raise Refusal(fault, field="growth")
        self.latest[:] = [(list(rows), after)]
        return after

    def _appended(self, rows: Sequence[NewRow]) -> CampaignLedger:
        """Return the ledger with these rows at its end; nothing is stored yet.

        Raises Refusal for a campaign that has grown larger than the site folds.
        """
        # Positions are those of the locked event, so that two phones never write the same one.
        start = self.event.growth_position
        # As they are read back: a list, never a tuple.
        stored = tuple(
            StoredRow(position, row.kind, json.loads(json.dumps(row.payload)))
            for position, row in enumerate(rows, start=start + 1)
        )
        after = ledger_of(self.event, (*self.ledger.rows, *stored))
        check_size(after.log)
        return after

    def preview(self, rows: Sequence[NewRow]) -> GrowthDifference:
        """Return what these rows would change. Nothing is written."""
        return difference(self.ledger.state, self.with_rows(rows).state)

    def append(
        self, rows: Sequence[NewRow], reason: str = "", *, tells: bool = True
    ) -> CampaignLedger:
        """Write rows, what the campaign comes to with them, and return it.

        Call it in the transaction that holds the event's lock. ``reason`` is kept with each row.
        ``tells``: players get notices, also of what was appended before without any.
        """
        after = self.with_rows(rows)
        if tells:
            self.tell_players(after, reason)
        written = after.rows[len(self.ledger.rows) :]
        GrowthRow.objects.bulk_create(
            GrowthRow(
                event=self.event,
                position=stored.position,
                kind=stored.kind,
                payload=stored.payload,
                reason=reason,
                author_id=self.change.actor.user_id,
                **row.columns,
            )
            for row, stored in zip(rows, written, strict=True)
        )
        keep_fold(self.event, after)
        write_position(self.event, after.position)
        write_states(self.event, after)
        return after

    def tell_players(self, after: CampaignLedger, reason: str = "") -> None:
        """Send the notices of what a campaign has become, and why, before rows are written."""
        changed = ChangedCampaign(self.event, self._told_last(), after, reason)
        told = growth_notices(changed, self.change.actor.user_id)
        send_notices(told, subject=self.event.name)

    def _told_last(self) -> CampaignLedger:
        """Return the campaign as it was when players were told of it last. One query.

        Events of a battle change its result without notices; the step behind them brings these.
        """
        rows = GrowthRow.objects.filter(event=self.event)
        told = rows.exclude(kind=GrowthRowKind.RESULT, author=None)
        last = told.aggregate(last=Max("position"))["last"] or 0
        known = tuple(row for row in self.ledger.rows if row.position <= last)
        is_same = not known or len(known) == len(self.ledger.rows)
        return self.ledger if is_same else ledger_of(self.event, known)


def _priced(row: NewRow, after: CampaignLedger) -> NewRow:
    """Return a row of something bought with what was paid for it.

    Other rows, and acts that are priced already, come back as they are.
    """
    if row.kind == RULES:
        return row
    entry = from_payload(row.kind, row.payload)
    if not isinstance(entry, RecruitAct | EnlargeAct | BuyAct | SearchAct):
        return row
    outcome = after.state.acts.get(entry.number)
    if entry.paid is not None or outcome is None or outcome.paid is None:
        return row
    return replace(row, payload={**row.payload, "paid": outcome.paid})


def open_growth(change: LockedEvent) -> LedgerChange:
    """Return the campaign of a locked event.

    Raises NotFound where warbands do not grow, Stale where somebody was quicker.
    """
    change.asked.check_position(change.event)
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
    rows = warbands_of(event.pk)
    facts = facts_of(event, after, rows)
    # What the rosters say of their warriors, by row.
    entries = Warrior.objects.filter(warband__campaign_warband__entry__event=event)
    printed = dict(entries.order_by().values_list("pk", "growth"))
    changed = []
    for row in rows:
        grown = after.state.warbands.get(row.token)
        if grown is None:
            continue
        # Most warbands stay as they were: only those that differ are written.
        state = grown.to_json()
        was_closed = row.closed_at is not None
        shown = ShownWarband.of(facts, grown)
        counted = (
            currency.id for currency in after.rules.currencies if not currency.is_spent
        )
        points = grown.treasury.get(next(counted, ""), 0)
        is_same = (state, points) == (row.state, row.points)
        is_same = is_same and grown.is_closed == was_closed
        if is_same and shown.is_printed(row, printed):
            continue
        row.state, row.rating, row.points = state, grown.rating, points
        if grown.is_closed != was_closed:
            row.closed_at = timezone.now() if grown.is_closed else None
        project(row, shown)
        row.save(update_fields=["state", "rating", "points", "closed_at", "rows"])
        changed.append(row)
    return changed


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
    row = find_by_token(rows.select_related("entry", "warband"), token, "warband")
    row.entry.event = change.event
    return row


def check_own(growth: LedgerChange, entry: Entry) -> bool:
    """Return whether the actor runs the event. Raises NotAllowed for others than the player."""
    if growth.is_organiser:
        return True
    if not access.plays_as(growth.change.actor, entry):
        raise NotAllowed(NOT_YOURS)
    return False


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


def acts_so_far(ledger: CampaignLedger) -> int:
    """Return the highest number of an act."""
    numbers = [
        row.entry.number for row in ledger.log.rows if isinstance(row.entry, GrowthAct)
    ]
    return max(numbers, default=0)


# The rosters of campaign warbands


@frozen_dataclass
class ShownWarband:
    """A warband as its campaign made it, with what its roster shows of that."""

    grown: WarbandGrowth
    head: RosterGrowth
    entries: Mapping[str, EntryGrowth]

    @classmethod
    def of(cls, facts: CampaignFacts, grown: WarbandGrowth) -> ShownWarband:
        """Return a warband of a campaign with what is shown of it."""
        # The dead have no entry in a roster.
        entries = {
            key: entry_growth(facts, grown, key)
            for key, warrior in grown.warriors.items()
            if warrior.count and not warrior.gone
        }
        return cls(grown, roster_growth(facts, grown), entries)

    def is_printed(self, row: CampaignWarband, printed: Mapping[int, JsonObject]) -> bool:
        """Return whether the roster of a row says this already, or is not there any more."""
        if row.warband is None:
            return True
        if row.warband.growth != growth_json(self.head):
            return False
        return all(
            printed.get(row.rows.get(key, 0)) == growth_json(one)
            for key, one in self.entries.items()
        )


def project(row: CampaignWarband, shown: ShownWarband) -> None:
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
    army = with_hired(draft.army, shown.head)
    draft = replace(draft, army=army)
    previous = {entry.id: entry for entry in draft.roster.warriors}
    entries = {}
    for key, growth in shown.entries.items():
        # The dead have no row; the id they had is kept for a correction.
        pk, warrior = row.rows.get(key), shown.grown.warriors[key]
        profile, name = warrior.joined.profile, warrior.joined.name
        entries[key] = replace(
            # What somebody wrote about an entry stays.
            previous.get(pk or 0) or RosterEntry(profile, name=name, id=pk),
            count=warrior.count,
            # A group leads nobody: its member is promoted first.
            is_leader=warrior.is_leader and warrior.count == 1,
            # Goods that no list sells are not in it.
            options=known_options(army, warrior),
            growth=growth,
        )
    roster = replace(draft.roster, warriors=tuple(entries.values()), growth=shown.head)
    if roster == draft.roster:
        return
    done = write_result(draft, WriteResult(roster, CHANGED), VERB)
    assert done.record is not None
    ids = (entry.id for entry in done.record.roster.warriors)
    row.rows = {**row.rows, **dict(zip(entries, ids, strict=True))}
