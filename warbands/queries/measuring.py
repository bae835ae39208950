"""What the options of a warrior change in its odds. No database here."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdata import registry
from warbands.odds.effects import effects
from warbands.queries.records import WarbandRecord, WarriorChoices


def effects_for(record: WarbandRecord, choices: WarriorChoices) -> Mapping[str, str]:
    """A line for each option that changes a figure against the system's plain opponent, by the option's key."""
    system = registry.load_system(record.system, record.variant)
    entry = record.roster.warriors[choices.index]
    found = effects(system.address, record.army, entry, choices.groups)
    return {key: f"{line[:1].upper()}{line[1:]}." for key, line in found.items()}
