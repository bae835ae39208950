"""The recorder takes what the texts allow when they allow it, refuses the rest, and draws what
follows: random battles against the tables of ``tests/engine/oracle/turns.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from tests.engine.oracle.moments import TEXTS, rules_of, trials
from tests.engine.oracle.outcomes import faults

NOT_YET = {
    "T1": "SDABC", "T2": "SA", "T5": "E", "T6": "E", "T7": "SDABC", "T8": "E", "T9": "SE",
    "T11": "SDABC", "T12": "SDABC", "T13": "SA", "T15": "A", "T16": "DBCSA", "T17": "X",
    "T18": "X", "T19": "X", "T21": "SA",
}  # fmt: skip
"""Rows of the tables that the recorder does not guard yet, each with the texts it is about."""


Differences = Counter[tuple[str, str]]


def differences(name: str, count: int) -> tuple[Differences, int]:
    """What a recorder of this text does otherwise, by row; and how many acts were compared."""
    found: Differences = Counter()
    compared = 0
    for trial in trials(rules_of(name), seed=1, count=count):
        event, line = trial.event, trial.line
        compared += trial.should is not None
        if line and trial.should != trial.counts:
            keys = ("mark", "test", "to", "phase")
            act = next(str(event.payload[key]) for key in keys if key in event.payload)
            verb = "takes" if trial.counts else "refuses"
            found[line.row, f"{verb} {event.kind} {act}: {line.act}, {line.heading}"] += 1
        if trial.counts:
            later = faults(trial.game, event, trial.state)
            found.update((row, f"what follows: {heading}") for row, heading in later)
    return found, compared


@pytest.mark.parametrize("name", TEXTS)
def test_acts_count_when_the_texts_allow_them(
    name: str, soak: Callable[[int, int], int]
) -> None:
    found, compared = differences(name, soak(1_000, 20_000))
    open_rows = {row for row, texts in NOT_YET.items() if TEXTS[name] in texts}
    assert {what: n for what, n in found.items() if what[0] not in open_rows} == {}
    assert compared > 300


@pytest.mark.soak
@pytest.mark.parametrize("name", TEXTS)
def test_rows_not_guarded_yet_are_not_guarded(name: str) -> None:
    found, _ = differences(name, 20_000)
    open_rows = {row for row, texts in NOT_YET.items() if TEXTS[name] in texts}
    assert open_rows <= {row for row, _ in found}
