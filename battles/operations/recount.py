"""Working every total out again: what is stored must be what the events and the entries of the
result come to.
"""

from typing import Any

from django.db import transaction

from battles.hooks import battle_follower
from battles.models import Battle, BattleCombatant, ResultEntry
from battles.operations.storage import events_size
from battles.operations.transaction import write_combatants
from battles.replay import TOTALS, Totals, log_of, result_step_of, stored_state, totals_of
from battles.results import standing_of
from engine.errors import Refusal

BATCH = 200


def recount_battles(token: str = "") -> int:
    """Every battle with what follows from it, or the one of that token; returns how many had other
    totals.

    What a total says is not a change of the battle: no new version. Battles of systems that no pack
    holds any more keep what they have.
    """
    count, last = 0, 0
    wanted = Battle.objects.filter(token=token) if token else Battle.objects.all()
    while batch := list(
        wanted.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:BATCH]
    ):
        count += sum(_recount(pk) for pk in batch)
        last = batch[-1]
    return count


def _recount(pk: int) -> bool:
    """Recount one battle; return whether anything was wrong."""
    with transaction.atomic():
        battle = Battle.objects.select_for_update().filter(pk=pk).first()
        if battle is None:
            return False
        try:
            columns = battle_columns(battle)
        except Refusal:
            return False
        wrong = _wrong_combatants(battle, totals_of(columns["state"]))
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


def _wrong_combatants(battle: Battle, totals: Totals) -> Totals:
    """Return the totals of those combatants whose row says something else. One query."""
    rows = BattleCombatant.objects.filter(battle=battle).values("key", *TOTALS)
    stored = {row["key"]: row for row in rows}
    return {
        key: totals[key]
        for key, row in stored.items()
        if {**totals[key], "key": key} != row
    }


def battle_columns(battle: Battle) -> dict[str, Any]:
    """What the columns of a battle that hold totals should say. Two queries.

    Raises Refusal without its rules.
    """
    log = log_of(battle)
    state = log.state_with()
    steps = ResultEntry.objects.filter(battle=battle).order_by("number")
    standing = standing_of([result_step_of(row) for row in steps])
    return {
        "state": stored_state(state),
        "turn": state.turn,
        "phase": state.phase,
        "events_count": battle.events.count(),
        "events_bytes": events_size(event.payload for event in log.events),
        "results_count": len(steps),
        **standing.columns,
    }
