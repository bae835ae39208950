"""Rulings and house rules that a group may play the other way, as circumstances of the page."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from engine.rules import CombatRules
from engine.types import Ruling, System
from warbands.odds.circumstances import Circumstance, Given, choice, flag

PART = "Rulings and house rules"
PREFIX = "play-"


def switches(
    system: System, rules: CombatRules, sections: tuple[str, ...]
) -> tuple[Circumstance, ...]:
    """A switch for each ruling or house rule of the system that changes a figure of these sections of its rules."""
    known = _known(rules, sections)
    house = [rule for rule in system.house_rules if _is_yes_no(known, rule.key)]
    found = {rule.key: flag(PREFIX + rule.key, rule.name, PART, rule.summary) for rule in house}
    for ruling in system.rulings:
        others = _others(ruling)
        if ruling.key not in known or ruling.key in found or not others:
            continue
        name = PREFIX + ruling.key
        if len(others) == 1:
            found[ruling.key] = flag(name, ruling.title, PART, others[0][1])
        else:
            choices = (("", ruling.default), *((str(place), told) for place, told, _ in others))
            found[ruling.key] = choice(name, ruling.title, PART, choices)
    return tuple(found.values())


def _known(rules: CombatRules, sections: tuple[str, ...]) -> dict[str, Any]:
    """The rulings that stand in these sections, with what they are now."""
    parts = [part for name in sections if (part := getattr(rules, name)) is not None]
    return {
        f.name: getattr(part, f.name)
        for part in parts
        for f in fields(part)
        if f.metadata.get("ruling")
    }


def _is_yes_no(known: dict[str, Any], key: str) -> bool:
    return isinstance(known.get(key), bool)


def _others(ruling: Ruling) -> list[tuple[int, str, Any]]:
    """The alternatives a die knows: place, words and value."""
    pairs = zip(ruling.alternatives, ruling.values[1:], strict=False)
    return [
        (place, told, value)
        for place, (told, value) in enumerate(pairs, start=1)
        if value is not None
    ]


def ruled(
    system: System, rules: CombatRules, sections: tuple[str, ...], given: Given
) -> CombatRules:
    """The rules with every ruling played the other way whose switch is on."""
    known, changes = _known(rules, sections), {}
    rulings = {ruling.key: ruling for ruling in system.rulings if ruling.key}
    for name, value in given.items():
        key = name.removeprefix(PREFIX)
        if not value or key == name or key not in known:
            continue
        others = _others(rulings[key]) if key in rulings else []
        if others:
            wanted = int(value) if isinstance(value, str) else others[0][0]
            changes[key] = next(new for place, _, new in others if place == wanted)
        elif _is_yes_no(known, key):
            changes[key] = not known[key]
    return rules.with_rulings(changes)
