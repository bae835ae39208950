"""Appending events: any number of times, in any order, from any number of devices, each answered by
itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.owner import Owner
from battles.hooks import battle_follower
from battles.intake import IntakeAnswer, classify_events, closed_reason, with_verdict
from battles.models import Battle, BattleEvent, BattleStatus
from battles.operations.transaction import clean_author, lock_recordable_battle, write_totals
from battles.replay import locked_field, log_of, rules_of
from engine.battles import fold
from engine.battles.types import Event
from engine.errors import Refusal


class RecordedEvents(NamedTuple):
    """The answers in the order of the events, and how many events the battle holds now."""

    answers: tuple[IntakeAnswer, ...]
    position: int


def append_events(
    actor: Owner, token: str, key: str = "", events: Sequence[Any] = (), *, author: str = ""
) -> RecordedEvents:
    """Store what is new of these events and work the totals out anew.

    At most 500 at once, 10,000 in a battle.

    ``events`` are JSON objects as devices send them; ``author`` is what a key's holder is called.
    Raises NotFound, NotAllowed, Refusal (for the author). A closed battle (its result stands, or it
    is void) takes no new events.
    """
    named = clean_author(author)
    now = timezone.now()
    with transaction.atomic():
        battle = lock_recordable_battle(actor, token, key)
        answers = record_events(battle, actor, events, now, named)
        return RecordedEvents(answers, battle.events_count)


def record_events(
    battle: Battle,
    actor: Owner,
    events: Sequence[Any],
    now: datetime,
    author: str = "",
    *,
    is_correction: bool = False,
) -> tuple[IntakeAnswer, ...]:
    """The same within a transaction that holds the battle's lock.

    A correction is taken by a closed battle too.
    """
    rules, field = rules_of(battle), locked_field(battle)
    if not rules.can_record:
        raise Refusal(f"Nothing is recorded of a battle in {rules.name}.", field="system")
    stored = {event.id: event for event in log_of(battle)}
    batch = classify_events(
        rules, field, stored, events, now, "" if is_correction else closed_reason(battle, now)
    )
    if not batch.fresh:
        return tuple(batch.answers)
    begins = battle.events_count
    BattleEvent.objects.bulk_create(
        [
            _row(battle, actor, event, begins + place, now, author)
            for place, event in enumerate(batch.fresh, 1)
        ]
    )
    state = fold(rules, field, [*stored.values(), *batch.fresh])
    write_totals(battle, state, events_count=begins + len(batch.fresh))
    if battle.status != BattleStatus.OPEN:  # until a result is told, what happens changes no table
        battle_follower().after_events(battle)
    return tuple(with_verdict(answer, state) for answer in batch.answers)


def _row(
    battle: Battle, actor: Owner, event: Event, position: int, now: datetime, author: str
) -> BattleEvent:
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
        author_name="" if actor.is_person else author,
        received_at=now,
    )
