"""Appending events, in any order and from any number of devices; each is answered by itself."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.owner import Owner
from battles.access import BattleCall
from battles.hooks import battle_follower
from battles.intake import (
    BATCH_MAX,
    IntakeAnswer,
    classify_events,
    closed_reason,
    with_verdict,
)
from battles.models import Battle, BattleEvent, BattleStatus
from battles.operations.storage import charge, events_size
from battles.operations.transaction import (
    clean_author,
    lock_recordable_battle,
    write_totals,
)
from battles.replay import log_of
from battles.secret_lists import told_log
from engine.battles.types import Event
from engine.errors import Refusal
from engine.records import frozen_dataclass


class RecordedEvents(NamedTuple):
    """The answers in the order of the events, and how many events the battle holds now."""

    answers: tuple[IntakeAnswer, ...]
    position: int


@frozen_dataclass
class Recording:
    """Who records events, when, and from which address.

    ``author`` is what somebody without an account is called.
    """

    actor: Owner
    at: datetime
    author: str = ""
    address: str = ""


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
    recording = Recording(
        call.actor, timezone.now(), clean_author(call.author), call.address
    )
    with transaction.atomic():
        battle = lock_recordable_battle(call)
        answers = record_events(battle, recording, events)
        return RecordedEvents(answers, battle.events_count)


def record_events(
    battle: Battle,
    recording: Recording,
    events: Sequence[Any],
    *,
    is_correction: bool = False,
) -> tuple[IntakeAnswer, ...]:
    """Store what is new within a transaction that holds the battle's lock.

    A correction is taken by a closed battle too.
    """
    log = log_of(battle)
    if not log.rules.can_record:
        raise Refusal(
            f"Nothing is recorded of a battle in {log.rules.name}.", field="system"
        )
    reason = "" if is_correction else closed_reason(battle, recording.at)
    # Its sentences name combatants: to each as they are told them.
    told = told_log(recording.actor, battle, log)
    batch = classify_events(told, events, recording.at, reason)
    if not batch.fresh:
        return tuple(batch.answers)
    size = events_size(event.payload for event in batch.fresh)
    charge(battle, recording.address, size)
    begins = battle.events_count
    BattleEvent.objects.bulk_create(
        _row(battle, recording, event, begins + place)
        for place, event in enumerate(batch.fresh, start=1)
    )
    # Folded once for the whole batch: the verdict on each event depends on all of them.
    state = log.state_with(batch.fresh)
    write_totals(
        battle,
        state,
        events_count=begins + len(batch.fresh),
        events_bytes=battle.events_bytes + size,
    )
    # Until a result is told, what happens changes no table.
    if battle.status != BattleStatus.OPEN:
        battle_follower().after_events(battle)
    if told is not log:
        state = told.state_with(batch.fresh)
    return tuple(with_verdict(answer, state) for answer in batch.answers)


def _row(battle: Battle, recording: Recording, event: Event, position: int) -> BattleEvent:
    """Return the row of an event, not saved; people are named by account."""
    actor = recording.actor
    return BattleEvent(
        battle_id=battle.pk,
        position=position,
        uuid=UUID(event.id),
        device=event.device,
        seq=event.seq,
        at=datetime.fromisoformat(event.at),
        kind=event.kind,
        payload=event.payload,
        author_id=actor.user_id,
        author_key=actor.key,
        author_name="" if actor.is_person else recording.author,
        received_at=recording.at,
    )
