"""What is settled before the dice of a test: who may take it, why, and on whose Leadership."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from battles.models import Battle
from tests.browser.looks import in_every_look
from tests.browser.recorders import Recorder, hold_key, recorded
from tests.factories import make_battle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.soak
@in_every_look
def test_friend_tests_on_the_leaders_leadership(page, live_server, faults, scheme, width):
    battle: Battle = make_battle(scenario="scouting-parties-meet")
    hold_key(page.context, live_server.url, battle)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 844})
    table = Recorder(page, live_server.url, battle.token).open()
    table.begin(battle.sides.get(key="a").name)

    table.choose("a2")
    more = page.get_by_role("button", name="More of")
    if more.is_visible():
        more.click()
    page.locator("#dock").get_by_role("button", name="Panic test", exact=True).click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Leader slain").click()
    sheet.get_by_role("button", name='Captain’s Leadership 8, within 6"').click()
    found = faults(page)
    for place, face in ((1, 4), (2, 4)):
        sheet.get_by_role("group", name=f"Die {place}").get_by_role(
            "button", name=str(face), exact=True
        ).click()
    sheet.get_by_role("button", name="Record: Halberdier 1, Panic test: 8").click()

    # Who runs rallies on its own Leadership, and is told so; who got away is no casualty.
    page.locator("#dock").get_by_role("button", name="Fleeing").click()
    page.locator("#dock").get_by_role("button", name="Rally", exact=True).click()
    expect(sheet).to_contain_text("On its own Leadership.")
    expect(sheet.get_by_role("button", name="Captain’s Leadership")).to_have_count(0)
    page.keyboard.press("Escape")
    if more.is_visible():
        more.click()
    table.choose("a3")
    if more.is_visible():
        more.click()
    page.locator("#dock").get_by_role("button", name="Got away").click()
    table.sent()
    test = next(payload for kind, payload in recorded(battle.token) if kind == "test")
    assert (test["lent_by"], test["cause"], test["need"]) == ("a1", "leader_slain", 8)
    battle.refresh_from_db()
    states = battle.state["combatants"]
    assert [states[key]["state"] for key in ("a2", "a3")] == ["fleeing", "got_away"]
    assert battle.state["sides"]["a"]["out"] == 0
    assert found + faults(page) == []
