"""The live recorder at 390 pixels: a battle by taps, what the rules refuse, undo, tests, the end."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.owner import NOBODY
from battles import exports
from battles.queries.battles import load_battle, load_state
from engine.battles.rules import BattleRules
from engine.battles.types import BattleState
from rulesdata import registry
from tests.battles.steps import append_events
from tests.browser.looks import with_soak
from tests.browser.recorders import (
    HURRY,
    KEEP_KEY,
    Recorder,
    a_battle,
    hold_key,
    recorded,
    state_words,
)
from tests.factories import make_event
from tests.systems import keys_with

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Faults = Callable[[Page], list[str]]


def folded(token: str) -> BattleState:
    state = load_state(NOBODY, token)
    assert state is not None
    return state


def test_battle_by_taps_is_what_the_server_knows(table: Recorder) -> None:
    page = table.page
    table.begin("The Ferrymen")
    expect(page.locator("h1")).to_have_text("Turn 1 The Ferrymen’s turn, recovery")
    table.tap("b1")
    table.tap("b2", 2)
    for who in ("b3", "b4", "b5"):
        table.tap(who, 3)
    expect(page.locator(".rout")).to_have_count(0)
    page.get_by_label("Taken out by").select_option(label="Model 7")
    for _ in range(3):
        table.next()
    table.choose("a3")
    table.button("More of Model 3").click()
    table.button("Has shot").click()
    table.next()
    expect(page.locator(".phases [aria-current]")).to_have_text("Close Combat")
    # Who felled an enemy in this phase cannot finish it: the recorder asks who did.
    table.tap("b6", 3)
    expect(page.locator(".forcing")).to_contain_text("Who felled it cannot finish it")
    page.locator(".forcing").get_by_label("Taken out by").select_option(label="Model 4")
    expect(
        page.get_by_role("heading", name="Rout test to come: Gorrak’s Lads")
    ).to_be_visible()
    expect(page.locator(".rout")).to_contain_text("2D6, 7 or less holds: 58 %")
    table.next()
    expect(page.locator("h1")).to_contain_text("Gorrak’s Lads’ turn, recovery")
    expect(page.get_by_role("heading", name="Rout test due: Gorrak’s Lads")).to_be_visible()
    page.locator(".todo").get_by_role("button", name="Model 2", exact=True).click()
    expect(table.state_block("b2")).to_have_attribute(
        "aria-label", "Model 2: knocked down. Change to stunned"
    )
    table.button("Open: Rout test due").click()
    page.locator(".rout").get_by_role("button", name="Type dice").click()
    for die in ("Die 1", "Die 2"):
        page.get_by_role("group", name=die).get_by_role(
            "button", name="2", exact=True
        ).click()
    table.button("Record: Gorrak’s Lads, Rout test: 4, needed 7 or less, passed").click()
    expect(page.locator(".rout")).to_have_count(0)
    table.button("More: tests").click()
    page.get_by_role("dialog").get_by_role("button", name="End the battle").click()
    page.get_by_role("dialog").get_by_role("button", name="Objective").click()
    page.get_by_role("dialog").get_by_role("button", name="The Ferrymen").click()
    table.button("End battle").click()
    expect(page.get_by_role("heading", name="The Ferrymen won")).to_be_visible()
    table.sent()

    state = folded(table.token)
    assert table.states() == state_words(table.token)
    assert [key for key, one in state.combatants.items() if one.is_out] == [
        "b3", "b4", "b5", "b6",
    ]  # fmt: skip
    assert state.combatants["b5"].put_out_by == "a7"
    assert (state.turn, state.side, state.phase) == (1, "b", "recovery")
    assert state.sides["b"].rout.passed is True
    assert state.end is not None
    assert (state.end.how, state.end.winner) == ("objective", "a")
    shot = {"combatant": "a3", "mark": "has_shot", "on": True}
    moment = {"in_phase": "shooting", "in_turn_of": "a"}
    assert ("mark", {**shot, **moment}) in recorded(table.token)
    assert set(state.verdicts.values()) == {"", "undone"}


@pytest.mark.soak
def test_tap_shows_while_the_network_is_silent(table: Recorder) -> None:
    """Nothing is answered at all, and every tap is there at once and counted as not sent."""
    table.page.route("**/events/**", lambda route: None)
    table.begin("The Ferrymen")
    table.tap("a1", 2)
    expect(table.state_block("a1")).to_have_attribute(
        "aria-label", "Model 1: stunned. Change to out of action"
    )
    expect(table.page.locator(".sending")).to_contain_text("3")


def test_step_against_the_rules_is_told_and_needs_a_note(table: Recorder) -> None:
    table.begin("The Ferrymen")
    table.tap("b1", 4)
    told = table.page.locator(".forcing")
    expect(told).to_contain_text("The rules have no step from out of action to standing.")
    table.button("Cancel").click()
    expect(told).to_have_count(0)
    table.tap("a1")
    table.page.get_by_role("group", name="State of Model 1").get_by_role(
        "button", name="Standing"
    ).click()
    expect(told).to_contain_text("Just stood up: its own next Recovery, if it likes.")
    table.button("Record anyway").click()
    assert told.get_by_label("Reason").evaluate("one => one.validity.valueMissing")
    told.get_by_label("Reason").fill("A scenario rule")
    table.button("Record anyway").click()
    expect(table.state_block("a1")).to_have_attribute(
        "aria-label", "Model 1: standing. Change to knocked down"
    )
    table.sent()
    assert recorded(table.token)[-1] == (
        "state",
        {"combatant": "a1", "to": "standing", "forced": True, "note": "A scenario rule"},
    )
    assert folded(table.token).combatants["a1"].state == "standing"


def test_undo_and_redo_at_once_and_from_the_log(table: Recorder) -> None:
    page = table.page
    table.begin("The Ferrymen")
    table.tap("a1")
    table.button("Undo: Model 1").click()
    expect(table.state_block("a1")).to_have_attribute(
        "aria-label", "Model 1: standing. Change to knocked down"
    )
    table.button("Redo: Model 1").click()
    expect(table.state_block("a1")).to_have_attribute(
        "aria-label", "Model 1: knocked down. Change to stunned"
    )
    table.tap("a2")
    table.button("More: tests").click()
    page.get_by_role("dialog").get_by_role("button", name="Log", exact=True).click()
    page.get_by_role("dialog").get_by_role(
        "button", name="Undo: Turn 1, The Ferrymen begins"
    ).click()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.locator("h1")).to_contain_text("Before the battle")
    table.sent()
    state = folded(table.token)
    assert {key for key, one in state.combatants.items() if one.state != "standing"} == {
        "a1",
        "a2",
    }
    assert [kind for kind, _ in recorded(table.token)] == [
        "turn", "state", "undo", "undo", "state", "undo",
    ]  # fmt: skip


@pytest.mark.soak
def test_undo_is_offered_for_ten_seconds(table: Recorder) -> None:
    table.page.clock.install()
    table.begin("The Ferrymen")
    table.tap("a1")
    table.page.clock.run_for(9_000)
    expect(table.button("Undo: Model 1")).to_be_visible()
    table.page.clock.run_for(1_000)
    expect(table.button("Undo: Model 1")).to_have_count(0)
    expect(table.button("Log undo anything")).to_be_visible()


@pytest.mark.soak
def test_rolled_dice_are_fair_game_and_marked_as_rolled_here(table: Recorder) -> None:
    page = table.page
    table.begin("The Ferrymen")
    table.choose("a1")
    table.button("More of Model 1").click()
    table.button("Injury").click()
    table.button("Roll D6").click()
    expect(page.locator(".shown .die")).to_have_count(1)
    table.sent()
    kind, payload = recorded(table.token)[-1]
    assert (kind, payload["test"], payload["source"]) == ("test", "injury", "app")
    assert payload["dice"] == [int(page.locator(".shown .die").inner_text())]


@pytest.mark.soak
def test_changes_are_spoken(table: Recorder) -> None:
    table.begin("The Ferrymen")
    table.tap("a1")
    expect(table.page.locator("#live")).to_contain_text("Model 1: knocked down")


@pytest.mark.soak
def test_keyboard_keeps_its_place(table: Recorder) -> None:
    table.begin("The Ferrymen")
    table.state_block("a2").focus()
    table.page.keyboard.press("Enter")
    table.page.keyboard.press("Enter")
    expect(table.state_block("a2")).to_be_focused()
    expect(table.state_block("a2")).to_have_attribute(
        "aria-label", "Model 2: stunned. Change to out of action"
    )


def test_reader_watches_and_changes_nothing(page: Page, live_server: LiveServer) -> None:
    battle = a_battle()
    table = Recorder(page, live_server.url, battle.token).open()
    expect(page.locator("#notice")).to_contain_text("You can watch this battle.")
    expect(table.button("The Ferrymen", exact=True)).to_have_count(0)
    table.tap("a1")
    expect(table.state_block("a1")).to_have_attribute(
        "aria-label", "Model 1: standing. Change to knocked down"
    )
    page.wait_for_load_state("networkidle")
    assert recorded(battle.token) == []
    page.evaluate(KEEP_KEY, [battle.token, battle.key])
    table.reload()
    table.begin("The Ferrymen")
    table.sent()
    assert recorded(battle.token) == [("turn", {"number": 1, "side": "a"})]


def test_what_is_not_sent_is_a_file_the_server_takes(table: Recorder) -> None:
    page = table.page
    page.route("**/events/**", lambda route: route.abort())
    table.begin("The Ferrymen")
    table.tap("a1", 2)
    expect(page.locator("#notice")).to_contain_text("3 not sent, all saved on this device.")
    page.locator("#notice").get_by_role("button", name="Show").click()
    with page.expect_download() as saved:
        table.button("Save to file").click()
    body = json.loads(saved.value.path().read_text())
    assert recorded(table.token) == []
    key = page.evaluate("JSON.parse(document.getElementById('battle').textContent).key")
    done = append_events(NOBODY, table.token, key, body["events"])
    assert [answer.outcome for answer in done.answers] == ["accepted"] * 3
    page.unroute("**/events/**")
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    table.sent()
    assert len(recorded(table.token)) == 3
    assert folded(table.token).combatants["a1"].state == "stunned"


@pytest.mark.parametrize("limit", with_soak(["BATTLE", "ADDRESS", "SITE"]))
def test_what_finds_no_room_is_kept_and_sent_later(table, settings, limit):
    name = f"UNCLAIMED_{limit}_BYTES"
    most = getattr(settings, name)
    setattr(settings, name, 1)
    table.begin("The Ferrymen")
    table.tap("a1", 2)
    notice = table.page.locator("#notice")
    expect(notice).to_contain_text("3 not sent.")
    expect(notice).to_contain_text("Sign in")
    table.reload()
    assert table.unsent() == 3
    expect(notice).to_contain_text("Sign in")
    assert recorded(table.token) == []
    setattr(settings, name, most)
    table.page.evaluate(HURRY)
    table.sent()
    expect(notice).to_be_hidden()
    assert len(recorded(table.token)) == 3
    assert folded(table.token).combatants["a1"].state == "stunned"


def test_long_battle_opens_whole(page, live_server, monkeypatch):
    """The page holds the first events of many; the recorder has them all before it is drawn."""
    battle = a_battle()
    steps = [make_event("turn", seq=1, number=1, side="a")]
    steps += [make_event("note", seq=seq, text=f"Note {seq}.") for seq in range(2, 9)]
    append_events(NOBODY, battle.token, battle.key, steps)
    monkeypatch.setattr(exports, "EVENTS_BYTES", 700)
    asked: list[str] = []
    page.on(
        "request", lambda sent: asked.append(sent.url) if "?after=" in sent.url else None
    )
    hold_key(page.context, live_server.url, battle)
    table = Recorder(page, live_server.url, battle.token).open()
    table.button(re.compile("^Log")).click()
    expect(page.get_by_role("dialog")).to_contain_text("Note 8.")
    bundle = page.evaluate(
        "JSON.parse(document.getElementById('battle').textContent).bundle"
    )
    assert 0 < len(bundle["events"]) < 8
    assert bundle["more"]
    assert len(asked) > 1


LOCK = """
window.locks = [];
Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
  const lock = new EventTarget();
  lock.release = async () => { window.locks.push("released"); lock.dispatchEvent(new Event("release")); };
  window.locks.push(kind);
  return lock;
} } });
"""


@pytest.mark.soak
def test_screen_stays_on_from_the_first_tap_until_somebody_lets_it_sleep(page, live_server):
    battle = a_battle()
    page.add_init_script(LOCK)
    hold_key(page.context, live_server.url, battle)
    table = Recorder(page, live_server.url, battle.token).open()
    assert page.evaluate("window.locks") == []
    table.begin("The Ferrymen")
    table.tap("a1")
    table.sent()  # the page is drawn anew by then, and a click meets what stays
    assert page.evaluate("window.locks") == ["screen"]
    table.button("More: tests").click()
    table.button("Let the screen sleep").click()
    table.button("Keep the screen on").click()
    expect(table.button("Let the screen sleep")).to_be_visible()
    assert page.evaluate("window.locks") == ["screen", "released", "screen"]


@pytest.mark.soak
def test_name_of_somebody_without_an_account_stands_in_the_log(table: Recorder) -> None:
    page = table.page
    table.button("More: tests").click()
    table.button("Your name in the log: none").click()
    page.get_by_role("textbox", name="Name").fill("Hedda")
    table.button("Save name").click()
    table.begin("The Ferrymen")
    table.sent()
    table.reload()
    table.button("More: tests").click()
    expect(table.button("Your name in the log: Hedda")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Log", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Hedda")


def test_page_says_what_it_needs_without_javascript(browser, live_server):
    battle = a_battle()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/battles/{battle.token}/record/")
    expect(page.get_by_role("heading", name="This page needs JavaScript")).to_be_visible()
    expect(page.get_by_role("link", name="Result")).to_have_attribute(
        "href", f"/battles/{battle.token}/enter/"
    )
    context.close()


@pytest.mark.parametrize("system", with_soak(keys_with("battle")[::-1]))
def test_turn_goes_round_in_every_system(page, live_server, system):
    """From nothing to the second turn by the large buttons alone, in each system or the first of
    its variants.
    """
    variants = registry.load_base(system).variants
    battle = a_battle(system=system, variant=variants[0].key if variants else None)
    hold_key(page.context, live_server.url, battle)
    table = Recorder(page, live_server.url, battle.token).open()
    record = load_battle(NOBODY, battle.token)
    assert record is not None
    rules = record.rules
    begin, over = (
        page.locator("#banner [data-do=begin]"),
        page.locator("[data-do=end-round]"),
    )
    sides: set[str] = set()
    for _ in range(40):
        if f"{rules.turn_name} 2" in page.locator("h1").inner_text():
            break
        if begin.count():
            begin.first.click()
        elif over.count() and sides == {"a", "b"}:
            over.click()
        else:
            table.next()
        table.sent()
        sides |= {
            payload["side"] for kind, payload in recorded(battle.token) if "side" in payload
        }
    state = folded(battle.token)
    assert state.turn == 2
    assert set(state.verdicts.values()) == {""}
    taken = {
        payload["phase"] for kind, payload in recorded(battle.token) if kind == "phase"
    }
    assert taken | {rules.round_phase, rules.turn_phase} == {
        phase.id for phase in rules.phases
    }
    page.locator("[data-do=menu]").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Log", exact=True).click()
    shown = page.get_by_role("dialog").locator(".place")
    assert shown.all_text_contents()[::-1] == places(rules, recorded(battle.token))


def places(rules: BattleRules, events: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Where each event stands: a turn of the same round begins in another phase than the round."""
    turn, phase, found = 0, "", []
    for kind, payload in events:
        if kind == "turn":
            phase = rules.turn_phase if payload["number"] == turn else rules.round_phase
            turn = payload["number"]
        phase = payload["phase"] if kind == "phase" else phase
        number = [one.id for one in rules.phases].index(phase) + 1
        found.append(f"{turn}.{number}")
    return found
