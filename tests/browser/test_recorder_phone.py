"""The recorder on the smallest phones, with large text, and with two phones at one table."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from battles.models import BattleSide
from battles.operations.sides import RosterSide
from tests.browser.recorders import Recorder, a_battle, hold_key, recorded
from tests.factories import make_battle, make_duel
from warbands.exchange.document import to_document
from warbands.queries.lists import starter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONES = [
    pytest.param(320, 568, "200%", id="320x568-twice"),
    pytest.param(320, 568, "100%", id="320x568", marks=pytest.mark.soak),
    pytest.param(390, 844, "200%", id="390x844-twice", marks=pytest.mark.soak),
    pytest.param(390, 844, "100%", id="390x844", marks=pytest.mark.soak),
]
# What a thumb would hit in the middle of an element.
HIT = """(one) => {
  const box = one.getBoundingClientRect();
  const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return one.contains(hit);
}"""


def on_phone(page: Page, live_server: LiveServer, battle: Any) -> Recorder:
    hold_key(page.context, live_server.url, battle)
    return Recorder(page, live_server.url, battle.token).open()


@pytest.mark.parametrize("width, height, text", PHONES)
def test_dock_stays_in_reach_and_names_can_be_tapped(
    page: Page, live_server: LiveServer, width: int, height: int, text: str
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    table = on_phone(page, live_server, a_battle())
    page.evaluate(f"document.documentElement.style.fontSize = '{text}'")
    table.begin("The Ferrymen")
    for who in ("a1", "a7", "b15"):
        table.choose(who)
        name = page.locator(f"#tile-{who} .cb-name")
        assert name.evaluate(HIT), f"{who} lies under something"
        for button in page.locator(".act .btn").all():
            assert button.evaluate(HIT), f"{button.inner_text()} is out of reach"
        expect(page.locator(".chosen h2")).to_be_in_viewport()
    page.locator("#dock [data-do=more]").click()
    page.locator("#dock [data-do=mark][data-mark=has_shot]").click()
    reason = page.locator("#forcing p").first
    assert reason.evaluate(HIT), "what the rules say lies out of sight"


@pytest.mark.soak
def test_dock_has_room_for_a_state_beside_three_ways_on(page, live_server):
    page.set_viewport_size({"width": 390, "height": 844})
    table = on_phone(page, live_server, a_battle(system="d10-skirmish"))
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    for _ in range(2):  # the round, then somebody's turn
        page.locator("#banner [data-do=begin]").first.click()
    expect(page.locator(".act .btn")).to_have_count(3)
    table.choose("a1")
    dock, acts, state = (
        page.locator(at).first.evaluate("one => one.clientHeight")
        for at in (".dock", ".act", "#dock .state")
    )
    assert dock - acts > 2 * state  # a name and a state


def test_prompts_give_way_to_an_open_dock(page: Page, live_server: LiveServer) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    table = on_phone(page, live_server, a_battle(system="english-civil-war"))
    table.begin("The Ferrymen")
    for _ in range(3):
        table.next()
    table.choose("a1")
    page.locator("#dock [data-do=state][data-to=broken]").click()
    page.locator("#dock [data-do=more]").click()
    # Else the names of the sides lie over the buttons of the dock.
    below = "() => document.querySelector('#board').getBoundingClientRect().bottom"
    top = "() => document.querySelector('.dock').getBoundingClientRect().top"
    assert page.evaluate(below) <= page.evaluate(top) + 1
    prompt = page.locator("#banner li").last
    prompt.scroll_into_view_if_needed()
    assert prompt.evaluate(HIT)


@pytest.mark.soak
@pytest.mark.parametrize("width", [320, 390])
def test_phase_is_never_cut(page: Page, live_server: LiveServer, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 568})
    table = on_phone(page, live_server, a_battle())
    table.begin("The Ferrymen")
    for name in ("Recovery", "Movement", "Magic", "Shooting", "Close Combat"):
        now = page.locator(".phases [aria-current] span")
        expect(now).to_have_text(name)
        assert now.evaluate("one => one.scrollWidth <= one.clientWidth"), name
        assert now.evaluate("one => getComputedStyle(one).textOverflow") == "clip"
        table.next()


@pytest.mark.soak
def test_casualty_of_a_regiment_takes_two_taps(page: Page, live_server: LiveServer) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    system = "english-civil-war"
    band = starter(f"{system}--parliament")
    assert band is not None
    sides = [RosterSide(to_document(band.roster)) for _ in range(2)]
    battle = make_battle(system=system, sides=sides)
    table = on_phone(page, live_server, battle)
    page.locator("#banner button").first.click()
    regiment = page.locator(".cb", has_text="Models left").first
    regiment.locator(".cb-name").click()
    page.locator(".chosen > header").get_by_role(
        "button", name="Models left: one fewer"
    ).click()
    table.sent()
    assert [kind for kind, _ in recorded(battle.token)] == ["turn", "counter"]


def test_last_wound_asks_for_the_injury_at_once_or_later(page, live_server):
    battle = make_duel()
    assert BattleSide.objects.filter(battle=battle).count() == 2
    table = on_phone(page, live_server, battle)
    page.locator("#banner button").first.click()
    table.choose("a1")
    for _ in range(2):
        table.button("Wounds: one fewer").click()
    asked = page.get_by_role(
        "heading", name="The last Wound is lost. Injury: what becomes of"
    )
    expect(asked).to_be_visible()
    expect(page.locator("#tile-a1")).to_contain_text("Must take injury")
    table.button("Decide later").click()
    expect(asked).to_have_count(0)
    table.button("Decide: injury").click()
    page.locator(".deciding").get_by_role("button", name="Roll D6").click()
    expect(asked).to_have_count(0)
    table.sent()
    assert recorded(battle.token)[-1][0] == "test"


def test_second_phone_follows_by_itself(page, browser, live_server):
    """This server has no event streams: the second phone asks, as behind a proxy that holds them up."""
    battle = a_battle()
    table = on_phone(page, live_server, battle)
    context = browser.new_context(service_workers="block")
    second = on_phone(context.new_page(), live_server, battle)
    table.begin("The Ferrymen")
    table.tap("a1")
    expect(second.state_block("a1")).to_have_attribute(
        "aria-label", re.compile("knocked down"), timeout=10_000
    )
    context.close()


@pytest.mark.soak
def test_ended_battle_offers_to_report_first(page: Page, live_server: LiveServer) -> None:
    battle = a_battle()
    table = on_phone(page, live_server, battle)
    table.begin("The Ferrymen")
    table.button("More: tests").click()
    page.get_by_role("dialog").get_by_role("button", name="End the battle").click()
    page.get_by_role("dialog").get_by_role("button", name="Drawn").click()
    table.button("End battle").click()
    table.sent()
    page.goto(f"{live_server.url}/battles/{battle.token}/")
    first = page.locator(".tools a.btn").first
    expect(first).to_have_text("Result")
    expect(page.locator(".tools").get_by_role("link", name="Record live")).to_have_count(0)
