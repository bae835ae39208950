"""The recorder's modules by themselves, with no site behind them: dice, odds, ids, what a tap leads
to.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page

from rulesdata import registry
from tests.browser.folding import ORIGIN, open_fold
from tests.systems import keys_with

pytestmark = pytest.mark.browser


def call(page: Page, module: str, script: str, given: Any = None) -> Any:
    url = f"{ORIGIN}/static/js/battle/{module}.js"
    return page.evaluate(
        f"async ([url, given]) => ({script})(await import(url), given)", [url, given]
    )


@pytest.mark.parametrize("dice, count, faces", [("2D6", 2, 6), ("D10", 1, 10)])
def test_odds_are_exact(page: Page, dice: str, count: int, faces: int) -> None:
    open_fold(page)
    throws = [sum(throw) for throw in product(range(1, faces + 1), repeat=count)]
    needs = list(range(count * faces + 2))
    rules = (
        ("at_most", lambda total, need: total <= need),
        ("at_least", lambda total, need: total >= need),
    )
    for rule, is_good in rules:
        told = call(
            page,
            "dice",
            f"(m, needs) => needs.map((need) => m.chance('{dice}', need, '{rule}'))",
            needs,
        )
        exact = [
            Fraction(sum(is_good(total, need) for total in throws), len(throws))
            for need in needs
        ]
        assert told == pytest.approx([float(one) for one in exact], abs=1e-12)


def test_certain_and_possible_are_told_apart(page: Page) -> None:
    open_fold(page)
    told = call(
        page, "dice", "(m, shares) => shares.map(m.percent)", [0, 0.0001, 0.5833, 0.9999, 1]
    )
    assert told == ["0 %", "1 %", "58 %", "99 %", "100 %"]


def test_dice_show_every_face_and_no_other(page: Page) -> None:
    open_fold(page)
    thrown = Counter(
        call(page, "dice", "(m) => Array.from({ length: 6000 }, () => m.rollOne(6))")
    )
    assert sorted(thrown) == [1, 2, 3, 4, 5, 6]
    assert (
        min(thrown.values()) > 700
    )  # 1,000 each; fewer than 700 once in more tries than there are atoms


def test_low_faces_are_not_favoured(page: Page) -> None:
    """A number drawn beyond the last whole multiple of the faces is thrown again."""
    open_fold(page)
    script = """(m) => {
      const drawn = [4294967295, 4294967292, 4294967291];
      crypto.getRandomValues = (into) => { into[0] = drawn.shift(); return into; };
      return [m.rollOne(6), drawn.length];
    }"""
    assert call(page, "dice", script) == [6, 0]


def test_ids_are_uuids_of_version_4(page: Page) -> None:
    open_fold(page)
    made = call(page, "dice", "(m) => Array.from({ length: 200 }, m.uuid)")
    assert len(set(made)) == 200
    pattern = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
    assert call(page, "dice", f"(m, ids) => ids.every((id) => /{pattern}/.test(id))", made)


def test_tap_leads_to_the_next_state_the_rules_allow(page: Page) -> None:
    open_fold(page)
    seen = {}
    for system in keys_with("battle"):
        variants = registry.load_base(system).variants
        rules = registry.battle_rules(system, variants[0].key if variants else None)
        script = (
            "(m, rules) => Object.keys(rules.states).map((state) => [state, m.tapFrom(rules, "
            "state)])"
        )
        seen[system] = dict(call(page, "turns", script, rules.to_json()))
        steps = {(step.before, step.after) for step in rules.steps}
        assert all(to is None or (state, to) in steps for state, to in seen[system].items())
    assert seen["warhammer-skirmish"] == {
        "standing": "knocked_down", "hidden": "knocked_down", "fleeing": "knocked_down",
        "rallied_this_turn": "knocked_down", "knocked_down": "stunned",
        "stood_up_this_turn": "knocked_down", "stunned": "out_of_action",
        "out_of_action": None, "left_table": None,
    }  # fmt: skip


def test_waiting_grows_and_ends_at_half_a_minute(page: Page) -> None:
    open_fold(page)
    waits = call(
        page,
        "sync",
        "(m) => [1, 2, 3, 4, 5, 6, 20].map((failures) => m.waitAfter(failures) / 1000)",
    )
    for wait, middle in zip(waits, [1, 2, 4, 8, 16, 30, 30], strict=True):
        assert 0.75 * middle <= wait <= 1.25 * middle
