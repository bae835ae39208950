"""What a group agreed to play otherwise, as a program names it: by the key of a ruling or by its
number (G11). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import Refusal
from engine.rules import CombatRules
from engine.types.systems import System


def apply_rulings(system: System, rules: CombatRules, given: Mapping[str, Any]) -> CombatRules:
    """The rules of a system under other rulings: what is named by its number goes by that ruling's
    key.

    A ruling no die knows is taken and changes nothing. Raises Refusal with the field named as it
    was given, for a ruling the system has not got, for a value it cannot have, and for one that is
    given under both its names.
    """
    keys = {ruling.ref: ruling.key for ruling in system.rulings}
    named: dict[str, str] = {}
    for name, value in given.items():
        field, key = f"rulings.{name[:80]}", keys.get(name, name)
        if not key or (name in keys and key not in rules.rulings()):
            continue
        if key in named:
            raise Refusal(f"'{named[key]}' and '{name}' are one ruling; give it once.", field=field)
        named[key] = name
        try:
            rules = rules.with_rulings({key: value})
        except Refusal as refusal:
            raise Refusal(refusal.message, field=field) from None
    return rules
