"""The rows of a battle as the engine takes them: its rules, what was locked, and its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from accounts.owner import Owner
from battles import access
from battles.combatants import field_of, from_locked
from battles.intake import format_moment
from battles.models import Battle, BattleEvent, BattleSide, ResultEntry
from battles.results import ResultContext, ResultStep, standing_of
from engine.battles.types import BattleRules, BattleState, Event, Field
from engine.errors import Refusal
from rulesdata import registry

TOKEN_MAX = 40


def is_token(token: str) -> bool:
    """Whether this can be the token of a battle at all."""
    return 0 < len(token) <= TOKEN_MAX and token.isascii() and token.isprintable()


def rules_of(battle: Battle) -> BattleRules:
    """What the battle's system plays by. Raises Refusal where no pack knows the system any more."""
    try:
        return registry.result_rules(battle.system, battle.variant or None)
    except registry.UnknownKey as error:
        raise Refusal(str(error), field="system") from None


def locked_field(battle: Battle) -> Field:
    """What the fold of the battle begins with."""
    return field_of(from_locked(battle.locked))


def log_of(battle: Battle) -> list[Event]:
    """Every event that was stored when the battle's row was read, in the order of arrival.

    One query for all.
    """
    rows = BattleEvent.objects.filter(
        battle_id=battle.pk, position__lte=battle.events_count
    ).order_by("position")
    columns = rows.values_list("uuid", "device", "seq", "at", "kind", "payload")
    return [event_of(*one) for one in columns]


def event_of(
    uuid: Any, device: str, seq: int, at: datetime, kind: str, payload: Mapping[str, Any]
) -> Event:
    """The columns of an event as the fold takes it."""
    return Event(str(uuid), device, seq, format_moment(at), kind, payload)


def result_context_of(
    actor: Owner,
    key: str,
    battle: Battle,
    sides: Sequence[BattleSide],
    steps: Sequence[ResultEntry],
    now: datetime,
) -> ResultContext:
    """What the rules of results look at. One query where the battle has a club, none without."""
    return ResultContext(
        actor=actor,
        key=key,
        battle=battle,
        sides=tuple(sides),
        standing=standing_of([result_step_of(row) for row in steps]).after_silence(now),
        may_organise=access.may_organise(actor, battle, key),
        confirm_days=battle.confirm_days,
        now=now,
    )


def result_step_of(row: ResultEntry) -> ResultStep:
    """A row of the result's history as the rules of results take it."""
    return ResultStep(
        verb=row.verb,
        side=row.side,
        winner=row.winner,
        how=row.how,
        reason=row.reason,
        confirm_by=row.confirm_by,
        at=row.at,
        owner_id=row.author_id,
        owner_key=row.author_key,
        is_silent=row.is_silent,
    )


Totals = dict[str, dict[str, Any]]


def stored_state(state: BattleState) -> dict[str, Any]:
    """The state as a battle keeps it: plain JSON, without the verdicts of its events."""
    data = state.to_json()
    del data["verdicts"]
    return data


def totals_of(stored: Mapping[str, Any]) -> Totals:
    """Combatant id to the columns of its row."""
    return {
        key: {
            "state": one["state"],
            "is_out": one["is_out"],
            "kills": one["kills"],
            "put_out_by": one["put_out_by"] or "",
        }
        for key, one in stored.get("combatants", {}).items()
    }


def changed_totals(before: Mapping[str, Any], after: Mapping[str, Any]) -> Totals:
    """The totals of those combatants who have others than they had."""
    old = totals_of(before)
    return {key: totals for key, totals in totals_of(after).items() if old.get(key) != totals}


def figures_of(stored: Mapping[str, Any]) -> dict[str, Any]:
    """What a step of the result remembers of the battle: the turn, and how many of each side are
    out.
    """
    sides = {
        key: {"out": side["out"], "size": side["size"]}
        for key, side in stored.get("sides", {}).items()
    }
    return {"turn": stored.get("turn", 0), "sides": sides}
