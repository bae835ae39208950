"""The same battle played twice in a browser, live by taps and afterwards in the form: the records
agree.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.owner import NOBODY
from battles.models import Battle
from battles.queries.battles import load_battle
from rulesdata import registry
from tests.browser.recorders import Recorder, a_battle, hold_key
from tests.systems import keys_with

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FALLEN = (("b2", "a1"), ("a3", ""), ("b4", "a1"))
"""Who goes out, and by whose hand."""


def digest(token: str) -> dict[str, Any]:
    record = load_battle(NOBODY, token)
    assert record is not None
    state = record.state
    assert state.end is not None
    return {
        "turn": state.turn,
        "end": (state.end.winner, state.end.how),
        "fates": {
            key: (one.state, one.is_out, one.kills, one.put_out_by)
            for key, one in state.combatants.items()
        },
        "sides": {
            key: (one.out, one.size, one.has_routed) for key, one in state.sides.items()
        },
    }


def record_live(page: Page, url: str, battle: Battle) -> None:
    """By taps: everybody who falls steps through the states until it is out."""
    table = Recorder(page, url, battle.token).open()
    page.locator("#banner [data-do=begin]").first.click()
    for who, by in FALLEN:
        for _ in range(8):
            if "out" in (page.locator(f"#tile-{who}").get_attribute("class") or "").split():
                break
            table.tap(who)
        if by:
            page.get_by_label("Taken out by").select_option(value=by)
    page.get_by_role("button", name="More: tests").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="End the battle").click()
    dialog.get_by_role("button", name="Objective").click()
    dialog.get_by_role("button", name="The Ferrymen").click()
    page.get_by_role("button", name="End battle").click()
    table.sent()


def tell_afterwards(page: Page, url: str, battle: Battle) -> None:
    """In the form: a tick for each one who fell, and who did it."""
    page.goto(f"{url}/battles/{battle.token}/enter/")
    for who, by in FALLEN:
        page.locator(f"[name=out-{who}]").check()
        if by:
            page.locator(f"[name=by-{who}]").select_option(value=by)
    page.locator("[name=turns]").fill("1")
    page.locator("[name=winner][value=a]").check()
    page.locator("[name=how]").select_option(value="objective")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#verdict")).to_contain_text("The Ferrymen won")


@pytest.mark.soak  # taps are recorded in test_recorder.py, told afterwards in battles/test_both_ways.py
@pytest.mark.parametrize("system", keys_with("battle"))
def test_played_live_and_told_afterwards(page, live_server, system):
    variants = registry.load_base(system).variants
    variant = variants[0].key if variants else None
    page.set_viewport_size({"width": 390, "height": 844})
    told: list[dict[str, Any]] = []
    for play in (record_live, tell_afterwards):
        battle = a_battle(system=system, variant=variant)
        hold_key(page.context, live_server.url, battle)
        play(page, live_server.url, battle)
        told.append(digest(battle.token))
    assert told[0] == told[1]
    assert sum(one[0] for one in told[0]["sides"].values()) == len(FALLEN)
