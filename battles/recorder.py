"""A battle as the recorder takes it: everything it needs to go on without the server, as plain
JSON.
"""

from __future__ import annotations

from typing import Any

from battles.combatants import LockedCombatant
from battles.intake import format_moment
from battles.queries.records import BattleRecord, BattleSideRecord, EventRecord


def bundle_of(record: BattleRecord) -> dict[str, Any]:
    """Rules, sides, events and where the result stands. `rules` are the tables the fold goes by."""
    rules = record.rules.to_json()
    return {
        "id": record.token,
        "title": record.title,
        "system": record.system,
        "variant": record.variant,
        "rules": rules,
        "phases": rules["phases"],
        "states": list(rules["states"].values()),
        "sides": [_side(record, side) for side in record.sides],
        "scenario": record.scenario,
        "scenario_name": record.scenario_name,
        "house_rules": dict(record.house_rules),
        "attacker": record.attacker or None,
        "first": record.first or None,
        "events": [event_data(event) for event in record.events],
        "position": record.position,
        "result": {
            "status": record.result.status,
            "winner": record.result.winner,
            "how": record.result.how,
        },
    }


def _side(record: BattleRecord, side: BattleSideRecord) -> dict[str, Any]:
    locked = next(one for one in record.field.to_json()["sides"] if one["id"] == side.key)
    fighters = {fighter.id: fighter for fighter in side.fighters}
    combatants = [{**one, **_seen(fighters[one["id"]])} for one in locked["combatants"]]
    return {**locked, "army": side.army_name, "combatants": combatants}


def _seen(fighter: LockedCombatant) -> dict[str, Any]:
    """What of a combatant is shown beside its name."""
    return {"profile": fighter.profile, "title": fighter.title, "gear": fighter.gear}


def event_data(event: EventRecord) -> dict[str, Any]:
    """An event as the API tells it."""
    return {
        "id": event.id,
        "device": event.device,
        "seq": event.seq,
        "at": format_moment(event.at),
        "kind": event.kind,
        "payload": dict(event.payload),
        "position": event.position,
        "author": event.author,
    }
