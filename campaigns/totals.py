"""The totals a battle keeps of its events: what is stored, and what of it is new. Worked out from the fold alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.battles.types import BattleState

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
    """What a step of the result remembers of the battle: the turn, and how many of each side are out."""
    sides = {
        key: {"out": side["out"], "size": side["size"]}
        for key, side in stored.get("sides", {}).items()
    }
    return {"turn": stored.get("turn", 0), "sides": sides}
