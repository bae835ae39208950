"""Limits of battles and odds: sides, models, events, dice."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from battles import combatants, intake
from battles.api import serializers
from battles.forms.after_battle import AftermathForm
from battles.operations.log import check_batch
from battles.operations.setup import checked_days
from battles.operations.sides import QuickSide
from battles.queries.battles import load_battle
from engine.calls import attacks
from odds import dice_tray, questions
from rulesdata import registry
from tests.factories import (
    EMPIRE,
    SYSTEM,
    make_battle,
    make_entry,
    make_event,
    make_person,
    make_roster,
)
from tests.guards.limits import NOW, Row, takes
from warbands.queries import odds_subjects
from warbands.sheet.build import build_sheet

_DECODED = len('{"a":""}')


def _sides(size: int) -> bool:
    """Both where a program sends them and where a battle is opened."""
    sides = [QuickSide(f"Side {n}", 1) for n in range(size)]
    return takes(
        "must be a list of", lambda: serializers.Sides().run_validation([{}] * size)
    ) and takes("A battle has", lambda: make_battle(sides=sides))


def _models(size: int) -> bool:
    roster = make_roster(warriors=[make_entry(count=100), make_entry(count=size - 100)])
    ruleset = registry.load_ruleset(roster)
    sheet = build_sheet(roster, *ruleset)
    return takes(
        "A side may have at most", lambda: combatants.sheet_lineup("A", sheet, *ruleset)
    )


def _dice(size: int) -> bool:
    question = {"call": "initiative_test", "inputs": {"initiative": 6}}
    body = {"system": SYSTEM, **question, "dice": [1] * size}
    return takes("Give a list of at most", lambda: questions.roll(body))


def _batch(size: int) -> bool:
    return takes("At most 500 events", lambda: check_batch([{}] * size))


def _kind(size: int) -> bool:
    return takes(
        "kind must be one of",
        lambda: intake.read_event({**make_event(), "kind": "k" * size}, NOW),
    )


def _source(size: int) -> bool:
    key = f"p:{SYSTEM}:{EMPIRE}:captain"
    options = ["shield"] * size
    return takes(
        "Options: give",
        lambda: odds_subjects.find_odds_subject(make_person(), key, options),
    )


def _fight(size: int) -> bool:
    inputs: Any = SimpleNamespace(attacker={}, defender={"ws": 1, "toughness": 1})
    rules: Any = None
    with patch.object(attacks, "make_attacker", return_value=SimpleNamespace(blows=size)):
        return takes("attacks together", lambda: attacks._fight(rules, inputs))


def _detailed(size: int) -> bool:
    """Whether so many combatants of a battle are each asked for."""
    owner = make_person()
    sides = [QuickSide("Many", 60), QuickSide("More", size - 60)]
    record = load_battle(owner, make_battle(actor=owner, sides=sides).token)
    assert record
    return AftermathForm(None, record=record, owner=owner).is_detailed


ROWS = (
    Row("CONFIRM_DAYS_MAX", 60, lambda n: takes("days to answer", lambda: checked_days(n))),
    Row(
        "QUICK_MODELS_MAX",
        200,
        lambda n: takes(
            "The models must", lambda: combatants.quick_lineup("A", "x", n, None)
        ),
    ),
    Row(
        "QUICK_LEADERSHIP_MAX",
        10,
        lambda n: takes("The Leadership", lambda: combatants.quick_lineup("A", "x", 1, n)),
    ),
    Row("MODELS_MAX", 200, _models),
    Row("SIDES_LEAST", 2, _sides, is_least=True),
    Row("SIDES_MOST", 8, _sides),
    Row("WORD_MAX", 40, _kind),
    Row(
        "PAYLOAD_MAX",
        4096,
        lambda n: takes(
            "payload must", lambda: intake._payload({"a": "x" * (n - _DECODED)})
        ),
    ),
    Row("BATCH_MAX", 500, _batch),
    Row(
        "EVENTS_MAX",
        10_000,
        lambda n: not intake._limit_reason(n - 1, 0, SimpleNamespace(seq=1)),
    ),
    Row("ALL_ATTACKS_MAX", 30, _fight),
    Row("DICE_MAX", 2000, _dice),
    Row(
        "KEY_MAX",
        200,
        lambda n: takes(
            "key has 1 to", lambda: odds_subjects.find_odds_subject(make_person(), "p" * n)
        ),
    ),
    Row("OPTIONS_MAX", 40, _source),
    Row(
        "WHY_MAX",
        100,
        lambda n: takes("What for", lambda: dice_tray._checked("D6", 1, "w" * n)),
    ),
    Row("DETAILED_MAX", 120, _detailed),
)
