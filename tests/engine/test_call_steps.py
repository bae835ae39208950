"""What each call says of its steps and of the dice of a play stays: every sentence, and how often it
is said in the awkward corners and in questions made up.

A change that is meant is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/engine/test_call_steps.py
"""

import random
from collections import Counter

import pytest

from engine.calls import CALLS, play
from engine.dice import ThrownDice
from tests.engine.combat_rules import rules
from tests.engine.questions import CORNERS, PAIRS, fits, made_up
from tests.vectors.recorded import check_recorded

MADE_UP = 20


def of_die(die):
    """What the record says of a die but its face, whose meaning it tells."""
    return f"D{die.sides} {die.why}, {die.need or 'no need'}: {die.outcome or 'unnamed'}"


@pytest.mark.parametrize("system,call", PAIRS)
def test_steps_and_dice_of_a_call_are_told_as_recorded(system, call):
    source = random.Random(f"steps of {system} {call}")
    made = [made_up(system, call, source) for _ in range(MADE_UP)]
    steps, dice = Counter(), Counter()
    for inputs in [one for one in (*CORNERS[call], *made) if fits(system, call, one)]:
        thrown = ThrownDice(lambda sides: source.randint(1, sides))
        record = play(rules(system), call, inputs, thrown)
        steps.update(record.steps)
        dice.update(map(of_die, record.dice))
    assert steps
    told = {"steps": dict(steps), "dice": dict(dice)}
    check_recorded("call_steps.json", told, part=f"{system} {call}")


def test_calls_take_what_is_recorded():
    told = {name: list(map(str, call.inputs)) for name, call in CALLS.items()}
    check_recorded("call_steps.json", told, part="inputs")
