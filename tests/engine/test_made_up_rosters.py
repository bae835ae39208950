"""What rosters made up at random come to stays: prices, stat lines, gear, choices and findings, of
every army of every system.

A change that is meant, of a list or of the rules, is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/engine/test_made_up_rosters.py
"""

import random
from typing import Any

import pytest

from engine.choices import picker
from engine.equipment import armour_save, attack_notes, carried_weapons, paired_weapons
from engine.findings.checks import check
from engine.option_rules import conflicts, count_bearers, missing
from engine.roster import Roster, RosterEntry
from engine.selection import second_price, select_all
from engine.stat_lines import stat_lines
from engine.types.lists import COMMAND, Army, Profile
from engine.types.systems import System
from rulesdata import registry
from tests.vectors.recorded import as_json, as_line, check_recorded

ENTRIES = 5
# Systems share lists, so each army is of one of its systems, in turn.
FIELDING: dict[str, list[System]] = {}
for one in registry.rulesets():
    for name in registry.list_army_keys(one.key):
        FIELDING.setdefault(name, []).append(one)
CASES = [
    pytest.param(name, systems[place % len(systems)], id=name)
    for place, (name, systems) in enumerate(FIELDING.items())
]


def roster_of(chance: random.Random, system: str, army: Army) -> Roster:
    """A roster that keeps to nothing, with many of the faults that there can be."""
    profiles = list(army.profiles.values())
    entries = [entry_of(chance, chance.choice(profiles), army) for _ in range(ENTRIES)]
    limit = chance.choice((None, 100, 240, 500))
    return Roster(system, army.key, points_limit=limit, warriors=tuple(entries))


def entry_of(chance: random.Random, profile: Profile, army: Army) -> RosterEntry:
    sold = [option.key for option in profile.all_options]
    items = [item.option_key for item in army.magic_items.values()]
    kinds = (sold, sold, sold, COMMAND, items, ["jetpack"])
    bought = [chance.choice(kind) for kind in kinds if kind and chance.random() < 0.5]
    return RosterEntry(
        profile.key,
        count=chance.choice((1, 1, 2, 5)),
        is_leader=chance.random() < 0.25,
        options=tuple(bought),
        kept=chance.choice((None, None, None, 7)),
    )


def told_entry(one, system, army, bearers) -> dict[str, Any]:
    return {
        "label": f"{one.label}, {one.title}",
        "points": f"{one.points} of {one.points_each} each, {one.points_once} once",
        "second": second_price(one, army),
        "receipt": [as_line(line) for line in one.receipt],
        "lines": [as_line(line) for line in stat_lines(one, army)],
        "save": as_json(armour_save(one, army, system.saves)),
        "weapons": [as_line(weapon) for weapon in carried_weapons(one, army)],
        "pairs": [weapon.name for weapon in paired_weapons(one, army)],
        "notes": as_json(dict(attack_notes(one, army))),
        "choices": [
            f"{group.name}: {as_line(choice)}"
            for group in picker(one, army)
            for choice in (group.nothing, *group.choices)
            if choice
        ],
        "faults": [
            as_line(f) for f in (*conflicts(one, army, bearers), *missing(one, army))
        ],
    }


@pytest.mark.parametrize("name,system", CASES)
def test_a_roster_made_up_is_told_as_recorded(name: str, system: System) -> None:
    army = registry.load_army(system.key, name, system.variant)
    roster = roster_of(random.Random(f"roster of {name}"), system.key, army)
    chosen = select_all(army, roster.warriors)
    bearers = dict(count_bearers(chosen))
    whole = {
        "entries": [told_entry(one, system, army, bearers) for one in chosen],
        "findings": [as_line(one) for one in check(roster, system, army)],
    }
    check_recorded("rosters.json", whole, part=name)
