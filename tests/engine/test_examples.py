"""The worked examples, exactly."""

from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from engine.calls import evaluate
from tests.engine.combat_rules import rules

CASES = yaml.safe_load(
    (Path(__file__).parent / "examples.yaml").read_text(encoding="utf-8")
)


def test_all_examples_were_found():
    assert len(CASES) == 40


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_example_comes_out_exactly(case):
    system = rules(" ".join(filter(None, (case["system"], case.get("variant")))))
    ruled = system.with_rulings(case.get("rulings", {}))
    answer = evaluate(ruled, case["call"], case["inputs"])
    assert answer.outcomes == {
        name: Fraction(chance) for name, chance in case["outcomes"].items()
    }
    assert answer.values == case.get("values", {})
    assert answer.steps
