"""Policies: what no list can meet is said in a sentence; what some list can meet passes."""

from typing import Any

import pytest

from campaigns.list_checks import policy_fault
from rulesdata import registry
from tests.systems import systems_with

RULESETS = systems_with()


def strictest(system: Any) -> dict[str, str]:
    return {guideline.code: "error" for guideline in system.guidelines}


@pytest.mark.parametrize("system", RULESETS, ids=lambda system: system.address)
def test_the_strictest_policy_of_every_system_can_be_met_at_its_usual_limit(system):
    for limit in (system.default_limit, None):
        assert policy_fault(system, limit, strictest(system)) is None


@pytest.mark.parametrize("key, limit, levels, field, words", [
    ("warhammer-skirmish", 1, {}, "points_limit", "the cheapest unit costs more than 1"),
    ("warhammer-skirmish", 0, {}, "points_limit", "the cheapest unit costs more than 0"),
    ("warhammer-skirmish", 1, {"points.over_limit": "warning"}, "", ""),
    ("warhammer-skirmish", 500, {}, "", ""),
    (
        "warhammer-skirmish",
        500,
        {"points.limit_range": "error"},
        "points_limit",
        "from 100 to 250 points, not 500",
    ),
    ("warhammer-skirmish", 150, {"points.under_limit": "error"}, "", ""),
    (
        "english-civil-war",
        100,
        {"unit.too_small": "error", "leader.missing": "error"},
        "",
        "",
    ),
    (
        "english-civil-war",
        5,
        {"unit.too_small": "error", "leader.missing": "error"},
        "levels",
        "Raise the limit",
    ),
    ("d10-skirmish", 0, {}, "", ""),
])  # fmt: skip
def test_a_policy_no_list_can_meet_says_so(key, limit, levels, field, words):
    fault = policy_fault(registry.load_system(key), limit, levels)
    if not field:
        assert fault is None
        return
    assert fault is not None
    assert (fault.field, words in fault.message) == (field, True), fault.message
    assert fault.message.startswith("No list can meet this")
