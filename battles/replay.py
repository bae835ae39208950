"""The rows of a battle as the engine takes them: its rules, what was locked, and its log."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from accounts.owner import Owner
from battles import access
from battles.combatants import field_of, from_locked
from battles.intake import format_moment
from battles.models import Battle, BattleEvent, BattleSide, ResultEntry
from battles.result_rules import ResultContext
from battles.results import ResultStep, standing_of
from engine.battles.event_fold import BattleLog
from engine.battles.rules import BattleRules
from engine.battles.types import BattleState, Event, Field
from engine.errors import Refusal
from engine.records import JsonObject, NamedValues, copy_fields
from rulesdata import registry

EVENT_COLUMNS = ("uuid", "device", "seq", "at", "kind", "payload")


def rules_of(battle: Battle) -> BattleRules:
    """What the battle's system plays by. Raises Refusal where no pack knows the system any more."""
    try:
        return registry.rules_of(battle)
    except registry.UnknownKey as error:
        raise Refusal(str(error), field="system") from None


def locked_field(battle: Battle) -> Field:
    """What the fold of the battle begins with."""
    return field_of(from_locked(battle.locked))


def log_of(battle: Battle) -> BattleLog:
    """Return the battle's log: every event stored when its row was read, in order of arrival.

    One query. Raises Refusal as ``rules_of``.
    """
    rows = BattleEvent.objects.filter(
        battle_id=battle.pk, position__lte=battle.events_count
    )
    columns = rows.order_by("position").values_list(*EVENT_COLUMNS, named=True)
    events = tuple(event_of(row) for row in columns)
    return BattleLog(rules_of(battle), locked_field(battle), events)


def event_of(row: Any) -> Event:
    """Return the event of a row, or of any record with the same columns, as the fold takes it."""
    at = format_moment(row.at)
    return Event(str(row.uuid), row.device, row.seq, at, row.kind, row.payload)


class ResultRows(NamedTuple):
    """A battle with its sides by position and the steps of its result by number."""

    battle: Battle
    sides: Sequence[BattleSide]
    steps: Sequence[ResultEntry]


def result_context_of(
    actor: Owner,
    key: str,
    rows: ResultRows,
    now: datetime,
    *,
    may_organise: bool | None = None,
) -> ResultContext:
    """Return what the rules of results look at.

    ``may_organise`` is what the caller knows already, and saves a query. One query where the battle
    has a club, none without.
    """
    battle, sides, steps = rows
    if may_organise is None:
        may_organise = access.may_organise(actor, battle, key)
    return ResultContext(
        actor=actor,
        key=key,
        battle=battle,
        sides=tuple(sides),
        standing=standing_of([result_step_of(row) for row in steps]).after_silence(now),
        may_organise=may_organise,
        confirm_days=battle.confirm_days,
        now=now,
    )


def result_step_of(row: ResultEntry) -> ResultStep:
    """A row of the result's history as the rules of results take it."""
    return copy_fields(ResultStep, row)


TOTALS = {"state": "", "is_out": False, "kills": 0, "put_out_by": ""}
"""The columns of a combatant's row that are totals, with what stands there for none."""
Totals = dict[str, JsonObject]


def stored_state(state: BattleState) -> JsonObject:
    """The state as a battle keeps it: plain JSON, without the verdicts of its events."""
    data = state.to_json()
    del data["verdicts"]
    return data


def totals_of(stored: NamedValues) -> Totals:
    """Combatant id to the columns of its row."""
    states = stored.get("combatants", {})
    return {
        key: {column: one[column] or nothing for column, nothing in TOTALS.items()}
        for key, one in states.items()
    }


def changed_totals(before: NamedValues, after: NamedValues) -> Totals:
    """The totals of those combatants who have others than they had."""
    old = totals_of(before)
    return {
        key: totals for key, totals in totals_of(after).items() if old.get(key) != totals
    }


def figures_of(stored: NamedValues) -> JsonObject:
    """What a step of the result remembers of the battle: the turn, and how many of each side are
    out.
    """
    sides = stored.get("sides", {}).items()
    figures = {key: {"out": side["out"], "size": side["size"]} for key, side in sides}
    return {"turn": stored.get("turn", 0), "sides": figures}
