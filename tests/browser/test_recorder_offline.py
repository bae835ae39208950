"""The recorder without a signal: reloads, several devices, a new release, plain http, two tabs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from accounts.owner import NOBODY
from battles.models import Battle, BattleEvent
from battles.queries.battles import load_battle
from config import service_worker
from tests.battles.steps import propose_result
from tests.browser.recorders import Recorder, a_battle, hold_key, recorded, state_words
from tests.browser.signals import Signal

Device = Callable[[], tuple[Signal, Recorder]]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WAITS = "async () => Boolean((await navigator.serviceWorker.getRegistration('/'))?.waiting)"
# Asked again and again in the page: a predicate that is handed over takes a promise for an answer.
WAITED = """async (isWanted) => {
  let tries = 300;
  const isWaiting = async () => Boolean((await navigator.serviceWorker.getRegistration("/"))?.waiting);
  while ((await isWaiting()) !== isWanted) {
    if (!(tries -= 1)) throw new Error("it never came");
    await new Promise((done) => setTimeout(done, 50));
  }
}"""
RELEASES = "async () => (await caches.keys()).filter((name) => name.startsWith('files-'))"
UPDATE = "async () => { await (await navigator.serviceWorker.getRegistration()).update() }"


@pytest.fixture
def battle(transactional_db: None) -> Battle:
    return a_battle()


@pytest.fixture
def device(browser, live_server, battle) -> Iterator[Device]:
    """A phone of somebody who has joined, with the recorder open and kept for going without a
    signal.
    """
    made: list[Signal] = []

    def make() -> tuple[Signal, Recorder]:
        context = browser.new_context(
            viewport={"width": 390, "height": 844}, locale="en-GB"
        )
        signal = Signal(context, live_server.url)
        made.append(signal)
        hold_key(context, signal.url, battle)
        return signal, Recorder(
            context.new_page(), signal.url, battle.token
        ).open().offline_ready()

    yield make
    for signal in made:
        signal.close()


def test_reload_without_a_signal_opens_the_battle_as_it_was(device, battle):
    signal, table = device()
    table.begin("The Ferrymen")
    table.tap("a1")
    table.sent()
    signal.lose()
    table.tap("a2", 2)
    expect(table.page.locator("#notice")).to_contain_text(
        "2 not sent, all saved on this device."
    )
    table.reload()
    assert table.unsent() == 2
    assert (table.states()["a1"], table.states()["a2"]) == ("knocked down", "stunned")
    table.tap("a3", 3)
    table.page.close()
    again = Recorder(signal.context.new_page(), signal.url, battle.token).open()
    assert again.unsent() == 5
    assert len(recorded(battle.token)) == 2
    signal.find()
    again.sent()
    expect(again.page.locator("#notice")).to_be_hidden()
    assert len(recorded(battle.token)) == 7
    assert again.states() == state_words(battle.token)


@pytest.mark.soak
def test_battle_never_opened_here_says_so(device: Device) -> None:
    signal, _ = device()
    signal.lose()
    page = signal.context.new_page()
    page.goto(f"{signal.url}/battles/{'A' * 16}/record/")
    expect(page.locator("#notice")).to_contain_text(
        "This battle was not opened on this device before."
    )


def test_two_devices_without_a_signal_come_to_one_state(device, battle):
    """Both go off in turn 2, record two turns apart from each other, one is even reloaded, and both
    come back.
    """
    (one_net, one), (other_net, other) = device(), device()
    one.begin("The Ferrymen")
    one.tap("b1", 2)
    one.to_turn(2)
    one.sent()
    other.hurry()
    expect(other.page.locator("h1")).to_contain_text("Turn 2")
    assert other.states() == one.states()

    one_net.lose()
    other_net.lose()
    taps = Counter[str]()
    for table, own, enemy in ((one, "a", "b"), (other, "b", "a")):
        table.tap(f"{own}5", 1)
        table.tap(f"{enemy}6", 3)
        table.to_turn(3)
        table.tap(f"{enemy}7", 2)
        table.tap("a9", 1)  # both tap him
        taps[own] = table.unsent()
    other.reload()
    assert other.unsent() == taps["b"] > 10
    before = len(recorded(battle.token))

    one_net.find()
    other_net.find()
    one.sent()
    other.sent()
    one.hurry()
    states = state_words(battle.token)
    one.shows(states)
    other.shows(states)
    rows = BattleEvent.objects.filter(battle__token=battle.token)
    assert rows.count() == before + taps["a"] + taps["b"]
    assert rows.values("uuid").distinct().count() == rows.count()
    assert rows.values("device").distinct().count() == 2
    expect(one.page.locator("h1")).to_contain_text("Turn 3")
    expect(other.page.locator("h1")).to_contain_text("Turn 3")
    told = [states[one] for one in ("a6", "b6", "a5", "b7")]
    assert told == ["out of action", "out of action", "knocked down", "stunned"]


@pytest.mark.soak
def test_second_tab_sees_what_the_first_records_without_a_signal(device, battle):
    signal, table = device()
    signal.lose()
    second = Recorder(signal.context.new_page(), signal.url, battle.token).open()
    table.begin("The Ferrymen")
    table.tap("a4", 2)
    expect(second.state_block("a4")).to_have_attribute(
        "aria-label", "Model 4: stunned. Change to out of action"
    )
    signal.find()
    second.sent()
    table.sent()
    assert len(recorded(battle.token)) == 3


def test_new_release_strands_no_open_battle(device, battle, monkeypatch):
    """The open page keeps the modules it began with; the new worker waits until every page of the
    older one is closed.
    """
    signal, table = device()
    table.begin("The Ferrymen")
    table.sent()
    watcher = signal.context.new_page()
    watcher.goto(signal.url + "/rules/")
    first = service_worker.version()
    monkeypatch.setattr(service_worker, "version", lambda: "next-release")
    table.page.evaluate(UPDATE)
    table.page.evaluate(WAITED, True)
    signal.lose()
    table.tap("a1", 2)
    table.reload()
    table.tap("a1")
    assert table.unsent() == 3
    assert table.page.evaluate(WAITS), "the newer worker did not wait"
    releases = [f"files-{first}", "files-next-release"]
    assert table.page.evaluate(RELEASES) == releases
    table.page.close()
    # A page that the older release drew comes with the older release's files.
    watcher.reload()
    expect(watcher.locator("#as-of")).to_contain_text("This page is as of")
    assert watcher.evaluate(RELEASES) == releases

    again = Recorder(signal.context.new_page(), signal.url, battle.token).open()
    assert again.unsent() == 3
    signal.find()
    again.sent()
    assert state_words(battle.token)["a1"] == "out of action"


@pytest.mark.soak
def test_plain_http_records_and_says_what_needs_https(
    browser_type, browser_type_launch_args, live_server, battle, settings
):
    """An address that is no localhost: no worker, no wake lock, no randomUUID; the outbox still
    holds.
    """
    settings.ALLOWED_HOSTS = ["*"]
    arguments = [
        *browser_type_launch_args["args"],
        "--host-resolver-rules=MAP club.test 127.0.0.1",
    ]
    browser = browser_type.launch(**{**browser_type_launch_args, "args": arguments})
    try:
        context = browser.new_context(viewport={"width": 390, "height": 844})
        signal = Signal(context, live_server.url, "club.test")
        hold_key(context, signal.url, battle)
        table = Recorder(context.new_page(), signal.url, battle.token).open()
        assert table.page.evaluate("isSecureContext") is False
        table.begin("The Ferrymen")
        signal.lose()
        table.tap("a1", 2)
        assert table.unsent() >= 2
        table.button("More: tests").click()
        expect(table.page.get_by_role("dialog")).to_contain_text(
            "This address is plain http"
        )
        table.button("Close").click()
        signal.find()
        table.reload()
        table.sent()
        assert state_words(battle.token)["a1"] == "stunned"
    finally:
        browser.close()


@pytest.mark.soak
def test_closed_battle_takes_nothing_and_says_so(device, battle):
    """Recorded without a signal while the result was settled elsewhere: nothing is dropped without
    a word.
    """
    signal, table = device()
    table.begin("The Ferrymen")
    table.sent()
    signal.lose()
    table.tap("a1")
    propose_result(NOBODY, battle.token, battle.key, winner="a", how="conceded")
    record = load_battle(NOBODY, battle.token)
    assert record is not None
    assert record.is_closed
    signal.find()
    table.sent()
    expect(table.page.locator("#notice")).to_contain_text(
        "1 refused. The result of this battle is confirmed"
    )
    table.button("More: tests").click()
    table.page.get_by_role("dialog").locator("[data-do=unsent]").click()
    told = table.page.get_by_role("dialog")
    expect(told).to_contain_text("Refused by the server")
    expect(told).to_contain_text("The result of this battle is confirmed")
    assert table.states()["a1"] == "standing"
    table.button("Discard these changes").click()
    expect(told).not_to_contain_text("Refused by the server")
