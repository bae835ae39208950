"""The recorder takes what the texts allow when they allow it, refuses the rest, and draws what
follows: random battles against the tables of ``tests/engine/oracle/turns.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from rulesdata import registry
from tests.engine.oracle.moments import TEXTS, trials
from tests.engine.oracle.outcomes import faults

NOT_YET: dict[str, str] = {}
"""Rows of the tables that the recorder does not guard yet, each with the texts it is about."""


def differences(name: str, count: int) -> tuple[Counter[tuple[str, ...]], Counter[str]]:
    """What a recorder of this text does otherwise, and how often each answer was right."""
    key, _, variant = name.partition(" ")
    rules = registry.battle_rules(key, variant or None)
    found: Counter[tuple[str, ...]] = Counter()
    right: Counter[str] = Counter()
    for game, event, state, counts, (answer, line) in trials(rules, seed=1, count=count):
        if answer is not None and answer != counts:
            verb = "takes" if counts else f"refuses ({state.verdicts[event.id]})"
            what = next(
                word
                for key in ("mark", "test", "to", "phase", "counter")
                if (word := event.payload.get(key))
            )
            found[line.row, f"{verb} {event.kind} {what}: {line.act}, {line.heading}"] += 1
        elif answer is not None:
            right[f"{line.act} {'taken' if counts else 'refused'}"] += 1
        if counts:
            found.update(
                (row, f"what follows: {heading}")
                for row, heading in faults(game, event, state)
            )
    return found, right


@pytest.mark.parametrize("name", TEXTS)
def test_acts_count_when_the_texts_allow_them(
    name: str, soak: Callable[[int, int], int]
) -> None:
    found, right = differences(name, soak(1_000, 20_000))
    known = {row for row, texts in NOT_YET.items() if TEXTS[name] in texts}
    assert {what: n for what, n in found.items() if what[0] not in known} == {}
    assert sum(right.values()) > 300
