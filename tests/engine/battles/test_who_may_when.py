"""The recorder takes what the texts allow when they allow it, refuses the rest, and draws what
follows: random battles against the tables of ``tests/engine/oracle/turns.py``.
"""

import pytest

from tests.engine.oracle.moments import TEXTS, rules_of, trials
from tests.engine.oracle.outcomes import faults


def differences(name: str, count: int) -> tuple[dict[str, str], int]:
    """What a recorder of this text does otherwise, each with an example; and how many acts were
    compared.
    """
    found: dict[str, str] = {}
    compared = 0
    for trial in trials(rules_of(name), seed=1, count=count):
        event, line = trial.event, trial.line
        example = f"{trial.game.phase}, turn of {trial.game.state.side}: {event.payload}"
        compared += trial.should is not None
        if line and trial.should != trial.counts:
            verdict = trial.state.verdicts[event.id] or "counts"
            key = f"{line.row} {event.kind} {line.act}"
            found.setdefault(key, f"{verdict} [{line.heading}]; {example}")
        if trial.counts:
            for row, heading in faults(trial.game, event, trial.state):
                found.setdefault(f"{row} follows", f"[{heading}]; {example}")
    return found, compared


@pytest.mark.parametrize("name", TEXTS)
def test_acts_count_when_the_texts_allow_them(name, soak):
    found, compared = differences(name, soak(1_500, 20_000))
    assert found == {}
    assert compared > 300
