"""Every field of a combatant goes into the battle's row and to the fold."""

import json
from dataclasses import fields, replace

import pytest

from battles.combatants import (
    LockedCombatant,
    SideLineup,
    build_field,
    from_locked,
    to_locked,
)
from engine.battles.types import Combatant

COMBATANT = {
    "id": "a17", "side": "c", "name": "Zoë “Ferret”", "wounds": 5, "leadership": 3,
    "is_leader": True, "models": 19, "kinds": ("big", "odd"), "initiative": 8, "flight": 3,
    "traits": ("fear", "web_spinner"), "points": 71, "is_hidden": True,
}  # fmt: skip


@pytest.mark.parametrize("name", COMBATANT)
def test_field_of_a_combatant_is_locked_with_the_battle(name: str) -> None:
    """Through what the battle's row keeps, to the fold and to the browser's."""
    usual = LockedCombatant("a1", "a", "Model 1")
    fighter = replace(usual, **{name: COMBATANT[name]})
    kept = json.loads(json.dumps(to_locked([SideLineup("a", "Ferrymen", (fighter,))])))
    (side,) = from_locked(kept)
    assert side.fighters == (fighter,)
    (folded,) = build_field([side]).sides[0].combatants
    assert getattr(folded, name) == COMBATANT[name] != getattr(usual, name)
    told = json.loads(json.dumps(build_field([side]).to_json()))["sides"][0]["combatants"][
        0
    ]
    assert told[name] == json.loads(json.dumps(COMBATANT[name]))


def test_every_field_of_a_combatant_has_an_unusual_value() -> None:
    assert {one.name for one in fields(Combatant)} == set(COMBATANT)
