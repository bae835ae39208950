"""The log of a battle: locked, appended to by any number of devices, and every total
worked out of it again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple, cast
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, Sum, Value, When
from django.utils import timezone

from accounts.access import may_organise_club, owned_by, owns
from accounts.allowance import MEGABYTE, charge_visitor, json_size
from accounts.errors import NoRoom, NotAllowed, NotFound
from accounts.tokens import is_token
from battles import access
from battles.access import BattleCall
from battles.hooks import battle_follower
from battles.intake import (
    BATCH_MAX,
    TOTALS,
    IntakeAnswer,
    classify_events,
    closed_reason,
    combatant_totals,
    load_log,
    stored_state,
    with_verdict,
)
from battles.models import (
    AUTHOR_MAX,
    Battle,
    BattleCombatant,
    BattleEvent,
    BattleSide,
    BattleStatus,
    ResultEntry,
    Snapshot,
)
from battles.results import ResultStep, fold_result
from battles.secret_lists import visible_log
from engine.battles.types import Event
from engine.errors import Refusal
from engine.records import NamedValues, copy_fields
from warbands.exchange.document import clean_text

# How every change of a battle is made: lock it, look who asks, add what is new, work the
# totals out anew.


def lock_battle(call: BattleCall) -> Battle:
    """The row, locked until the transaction ends, for those who may read it; raises NotFound for
    everybody else.

    One query, and two about a club for those whom nothing else lets in. ``is_side``: one of its
    sides is the actor's.
    """
    rows = (
        Battle.objects.select_for_update(of=("self",)).filter(token=call.token).order_by()
    )
    if not call.actor.is_nobody:
        sides = BattleSide.objects.filter(owned_by(call.actor), battle=OuterRef("pk"))
        rows = rows.annotate(is_side=Exists(sides))
    battle = next(iter(rows), None) if is_token(call.token) else None
    if battle is None:
        raise NotFound("battle")
    is_open = may_record(call, battle) or access.is_open_to(call.actor, battle)
    if not is_open and not may_organise_club(call.actor, battle.club_id):
        raise NotFound("battle")
    return battle


def lock_recordable_battle(call: BattleCall) -> Battle:
    """The row as above, for those who may record it; raises NotAllowed for those who may only read."""
    battle = lock_battle(call)
    if not may_record(call, battle):
        raise NotAllowed(
            "Only the players of this battle, and people with its code, can record it."
        )
    return battle


def may_record(call: BattleCall, battle: Battle) -> bool:
    """Whether whoever locked this row with ``lock_battle`` takes part, or holds the key."""
    return (
        access.holds_key(battle, call.key)
        or owns(call.actor, battle)
        or getattr(battle, "is_side", False)
    )


def write_battle(battle: Battle, **columns: Any) -> None:
    """Columns of the battle, and its next version. One statement."""
    columns |= {"version": battle.version + 1, "updated_at": timezone.now()}
    # The row in hand keeps step, for whoever goes on with it in this transaction.
    for column, value in columns.items():
        setattr(battle, column, value)
    Battle.objects.filter(pk=battle.pk).update(**columns)


def write_combatants(battle_id: int, totals: Mapping[str, Mapping[str, Any]]) -> None:
    """The totals of those who have others than before, all of them in one statement."""
    if not totals:
        return
    columns = next(iter(totals.values()))
    BattleCombatant.objects.filter(battle_id=battle_id, key__in=list(totals)).update(
        **{
            column: Case(
                *(
                    When(key=key, then=Value(values[column]))
                    for key, values in totals.items()
                ),
                default=F(column),
                output_field=cast(Any, BattleCombatant._meta.get_field(column)),
            )
            for column in columns
        }
    )


def clean_author(name: str) -> str:
    """What somebody without an account is called. Raises Refusal for what cannot be shown."""
    return clean_text("author", name, AUTHOR_MAX)


# Appending events, in any order and from any number of devices; each is answered by
# itself.


class RecordedEvents(NamedTuple):
    """The answers in the order of the events, and how many events the battle holds now."""

    answers: tuple[IntakeAnswer, ...]
    position: int


def check_batch(events: Sequence[Any]) -> None:
    """Raise Refusal for too many events.

    Call it before the lock: an answer for each of a million would hold it for half a minute.
    """
    if len(events) > BATCH_MAX:
        raise Refusal(
            f"At most {BATCH_MAX} events in a batch, not {len(events):,}. Send the rest in the next.",
            field="events",
        )


def append_events(call: BattleCall, events: Sequence[Any]) -> RecordedEvents:
    """Store what is new of these events and count the totals anew.

    At most 500 at once, 10,000 in a battle. ``events`` are JSON objects as devices send them. A
    closed battle (its result stands, or it is void) takes no new ones. Raises NotFound, NotAllowed,
    ShareUsed, NoRoom, Refusal (for the author, or too many events).
    """
    check_batch(events)
    call = replace(call, author=clean_author(call.author))
    with transaction.atomic():
        battle = lock_recordable_battle(call)
        answers = record_events(battle, call, events)
        return RecordedEvents(answers, battle.events_count)


def record_events(
    battle: Battle,
    call: BattleCall,
    events: Sequence[Any],
    *,
    is_correction: bool = False,
) -> tuple[IntakeAnswer, ...]:
    """Store what is new within a transaction that holds the battle's lock.

    The author of the call is cleaned.

    A correction is taken by a closed battle too.
    """
    log, now = load_log(battle), timezone.now()
    if not log.rules.can_record:
        raise Refusal(
            f"Nothing is recorded of a battle in {log.rules.name}.", field="system"
        )
    reason = "" if is_correction else closed_reason(battle, now)
    # Its sentences name combatants: to each as they are told them.
    visible = visible_log(call.actor, battle, log)
    answers, new = classify_events(visible, events, now, reason)
    if not new:
        return tuple(answers)
    size = events_size(event.payload for event in new)
    charge(battle, call.address, size)
    begins = battle.events_count
    _insert_events(battle, call, new, now)
    # Folded once for the whole batch: the verdict on each event depends on all of them.
    state = log.state_with(new)
    stored, before = stored_state(state), combatant_totals(battle.state)
    totals = combatant_totals(stored)
    write_combatants(
        battle.pk, {key: totals[key] for key in totals if totals[key] != before.get(key)}
    )
    write_battle(
        battle,
        state=stored,
        turn=state.turn,
        phase=state.phase,
        ended_at=(battle.ended_at or now) if state.end else None,
        events_count=begins + len(new),
        events_bytes=battle.events_bytes + size,
    )
    # Until a result is told, what happens changes no table.
    if battle.status != BattleStatus.OPEN:
        battle_follower().after_events(battle)
    if visible is not log:
        state = visible.state_with(new)
    return tuple(with_verdict(answer, state) for answer in answers)


def _insert_events(
    battle: Battle, call: BattleCall, events: Sequence[Event], now: datetime
) -> None:
    BattleEvent.objects.bulk_create(
        BattleEvent(
            battle=battle,
            position=position,
            uuid=UUID(event.id),
            device=event.device,
            seq=event.seq,
            at=datetime.fromisoformat(event.at),
            kind=event.kind,
            payload=event.payload,
            author_id=call.actor.user_id,
            author_key=call.actor.key,
            author_name="" if call.actor.is_person else call.author,
            received_at=now,
        )
        for position, event in enumerate(events, start=battle.events_count + 1)
    )


# Working every total out again: what is stored must be what the events and the entries of
# the result come to.


def recount_battles() -> int:
    """Every battle with what follows from it; returns how many had other totals.

    What a total says is not a change of the battle: no new version. Battles of systems that no pack
    holds any more keep what they have.
    """
    return sum(map(_recount, Battle.objects.order_by("pk").values_list("pk", flat=True)))


def _wrong_totals(battle: Battle, totals: NamedValues) -> NamedValues:
    """The totals of those combatants whose rows have others."""
    rows = BattleCombatant.objects.filter(battle=battle).values("key", *TOTALS)
    return {
        row["key"]: totals[row["key"]]
        for row in rows
        if {**totals[row["key"]], "key": row["key"]} != row
    }


def _recount(pk: int) -> bool:
    """Recount one battle; return whether anything was wrong."""
    with transaction.atomic():
        battle = Battle.objects.select_for_update().filter(pk=pk).first()
        if battle is None:
            return False
        try:
            log = load_log(battle)
        except Refusal:
            return False
        state = log.state_with()
        steps = ResultEntry.objects.filter(battle=battle).order_by("number")
        standing = fold_result([copy_fields(ResultStep, row) for row in steps])
        columns = {
            "state": stored_state(state),
            "turn": state.turn,
            "phase": state.phase,
            "events_count": battle.events.count(),
            "events_bytes": events_size(event.payload for event in log.events),
            "results_count": len(steps),
            **standing.columns,
        }
        wrong = _wrong_totals(battle, combatant_totals(columns["state"]))
        write_combatants(pk, wrong)
        changed = {
            name: new for name, new in columns.items() if getattr(battle, name) != new
        }
        if changed:
            Battle.objects.filter(pk=pk).update(**changed)
            for column, value in changed.items():
                setattr(battle, column, value)
        # Asked for every battle: its fixture may be wrong though its own totals are right.
        is_other = battle_follower().after_recount(battle)
        return bool(wrong or changed or is_other)


# How much battles of nobody may hold: each, and with what else visitors store
# (`accounts.allowance`). Somebody with an account can be found, so theirs are not counted.

EVENT_ROW_BYTES = 300  # of a row and its indexes, without the payload
SITE_KEY = "battles:unclaimed"


def unclaimed() -> Q:
    """Return the condition on battles that neither an account nor an event has a part in."""
    claimed_side = BattleSide.objects.filter(battle=OuterRef("pk"), owner__isnull=False)
    return Q(owner=None) & ~Q(Exists(claimed_side)) & ~battle_follower().is_bound()


def events_size(payloads: Iterable[Any]) -> int:
    """Return the bytes that events with these payloads take."""
    return sum(EVENT_ROW_BYTES + json_size(payload) for payload in payloads)


def charge_setup(battle: Battle, address: str) -> None:
    """Write what the sides of a battle take, and charge what is more than before."""
    sheets = Snapshot.objects.filter(sides__battle=battle)
    # The state begins as large as what is locked.
    parts = [*sheets.values_list("document", "sheet"), battle.locked, battle.locked]
    size = json_size(parts)
    charge(battle, address, size - battle.setup_bytes)
    Battle.objects.filter(pk=battle.pk).update(setup_bytes=size)


def charge(battle: Battle, address: str, size: int) -> None:
    """Count bytes that are to be stored in a battle, for an address ("" for none) and the site.

    At most two queries, none for a battle with an owner. Raises ShareUsed, NoRoom.
    """
    rows = Battle.objects.filter(unclaimed())
    if battle.owner_id is not None or not rows.filter(pk=battle.pk).exists():
        return
    most = settings.UNCLAIMED_BATTLE_BYTES
    if battle.events_bytes + size > most:
        raise NoRoom(
            f"A battle without an account holds at most {most // MEGABYTE} MB, and this one is "
            "full. Sign in to go on, if you set it up."
        )
    total = Sum(F("setup_bytes") + F("events_bytes"), default=0)
    charge_visitor(address, size, SITE_KEY, lambda: rows.aggregate(total=total)["total"])
