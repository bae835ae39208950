"""What battles made up at random come to stays: every sentence of their story and where everybody
ends, for each system.

A change that is meant is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/engine/battles/test_recorded_battles.py
"""

import random
from typing import Any

import pytest

from engine.battles.battle_summary import TimelineEntry, summary
from engine.battles.rules import BattleRules
from tests.engine.battles.making import all_rules, battle
from tests.vectors.recorded import check_recorded

BATTLES, EVENTS = 6, 80


def name_of(rules: BattleRules) -> str:
    return " ".join(filter(None, (rules.system, rules.variant)))


def line(one: TimelineEntry) -> str:
    """A line of the timeline as a page shows it: when, what, and whether it counted."""
    when = f"{one.turn}{one.side or '-'} {one.phase}"
    marks = (
        f"{' forced' if one.is_forced else ''}{f' ({one.verdict})' if one.verdict else ''}"
    )
    return f"{when}: {one.text}{marks}"


def story(rules: BattleRules, seed: str) -> dict[str, Any]:
    told = summary(*battle(random.Random(seed), rules, EVENTS))
    state = told.state
    return {
        "timeline": [line(one) for one in told.timeline],
        "ends": {key: str(one) for key, one in state.combatants.items()},
        "sides": {key: str(one) for key, one in state.sides.items()},
        "tests": [
            f"{one.name} {one.score} {one.needed} {one.passed}" for one in told.tests
        ],
        "dice": [f"{one.side} {one.source} {one.faces}" for one in told.dice],
        "casualties": [f"{one.combatant} {one.turn} {one.by}" for one in told.casualties],
        "kills": dict(told.kills),
        "rounds": told.rounds,
    }


@pytest.mark.parametrize("rules", all_rules(), ids=name_of)
def test_battles_made_up_are_told_as_recorded(rules: BattleRules) -> None:
    told = {str(n): story(rules, f"battle {n}") for n in range(BATTLES)}
    check_recorded("battle_stories.json", told, part=name_of(rules))
