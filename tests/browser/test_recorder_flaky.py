"""Promise R7: bad wifi loses no tap and doubles none.

Calls are aborted, answers dropped after the server has stored what they were about, pages reloaded
and closed, all by a seeded die; two controls show that the test would notice.
"""

from __future__ import annotations

import json
import random
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import BrowserContext, Route

from battles.models import Battle, BattleEvent
from tests.browser.recorders import Recorder, a_battle, hold_key, state_words

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ABORTED, DROPPED = 0.3, 0.1
EVENTS = "**/api/v1/battles/*/events/**"
NO_STORE = "Object.defineProperty(window, 'indexedDB', { get() { throw new Error('nothing is kept') } })"
CYCLE = ["standing", "knocked down", "stunned", "out of action"]


class BadWifi:
    """What happens to every call: most get through, some never leave, some are carried out but
    never answered.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.aborted = self.dropped = self.passed = 0
        # Not unrouted: that would let through the calls under way, whose fate is being decided.
        self.is_mended = False

    def __call__(self, route: Route) -> None:
        fate = 1.0 if self.is_mended else self.chance.random()
        if fate < ABORTED:
            self.aborted += 1
            route.abort()
        elif fate < ABORTED + DROPPED:
            self.dropped += 1
            route.fetch()
            route.abort()
        else:
            self.passed += 1
            route.continue_()


class Taps:
    """Somebody taps at random, and remembers what must have come of it."""

    def __init__(self, context, url, battle, seed) -> None:
        self.context, self.root, self.battle = context, url, battle
        self.chance = random.Random(seed)
        self.states = {
            f"{side}{n}": 0
            for side, count in (("a", 12), ("b", 15))
            for n in range(1, count + 1)
        }
        self.events = self.reloads = self.reopened = 0
        self.table = self.fresh()

    def fresh(self) -> Recorder:
        return Recorder(self.context.new_page(), self.root, self.battle.token).open()

    def tap(self) -> None:
        """One tap, which is one event: a state while there is one to step to, else the next phase."""
        who = self.chance.choice(sorted(self.states))
        if self.states[who] < 3:
            self.table.tap(who)
            self.states[who] += 1
        else:
            self.table.next()
        self.events += 1
        self.table.hurry()  # one call for nearly every tap, or there would be too few to lose

    def disturb(self) -> None:
        """Now and then the page is reloaded, or closed on the spot and opened anew."""
        fate = self.chance.random()
        if fate < 0.05:
            self.reloads += 1
            self.table.reload()
        elif fate < 0.1:
            self.reopened += 1
            self.table.page.close()
            self.table = self.fresh()


def play(taps: Taps, count: int) -> None:
    taps.table.begin("The Ferrymen")
    taps.events += 1
    while taps.events < count:
        taps.tap()
        taps.disturb()


def stored(battle: Battle) -> tuple[int, int]:
    """How many events the server holds, and how many different ones by what they say of whom."""
    rows = BattleEvent.objects.filter(battle__token=battle.token)
    return rows.count(), len(
        {json.dumps([row.kind, row.payload, row.seq, row.device]) for row in rows}
    )


def at(context: BrowserContext, url: str, seed: int) -> tuple[Battle, Taps]:
    battle = a_battle()
    hold_key(context, url, battle)
    return battle, Taps(context, url, battle, seed)


def test_bad_wifi_loses_no_tap_and_doubles_none(context, live_server, soak):
    battle, taps = at(context, live_server.url, seed=7)
    wifi = BadWifi(seed=7)
    context.route(EVENTS, wifi)
    play(taps, soak(20, 300))
    wifi.is_mended = True
    taps.table.sent()
    assert stored(battle) == (taps.events, taps.events)
    words = {who: CYCLE[step] for who, step in taps.states.items()}
    assert state_words(battle.token) == words
    assert taps.table.states() == words
    assert wifi.aborted > 5
    assert wifi.dropped > 0
    assert taps.reloads > 0
    assert taps.reopened > 0


@pytest.mark.soak
def test_without_the_outbox_bad_wifi_loses_taps(context, live_server):
    """Control: a browser that keeps nothing, nothing gets through, and a page that is closed."""
    context.add_init_script(NO_STORE)
    battle, taps = at(context, live_server.url, seed=7)

    def nowhere(route: Route) -> None:
        route.abort()

    context.route(EVENTS, nowhere)
    taps.table.begin("The Ferrymen")
    taps.table.tap("a1")
    taps.table.page.close(run_before_unload=False)
    context.unroute(EVENTS, nowhere)
    taps.table = taps.fresh()
    taps.table.sent()
    assert stored(battle) == (0, 0)


@pytest.mark.soak
def test_without_ids_of_their_own_dropped_answers_double_taps(context, live_server):
    """Control: every time an event is sent it is given another id, and each first answer is
    dropped.
    """
    battle, taps = at(context, live_server.url, seed=7)
    calls = {"count": 0}

    def renamed(route: Route) -> None:
        if route.request.method != "POST":
            return route.continue_()
        body: dict[str, Any] = route.request.post_data_json
        for event in body["events"]:
            event["id"] = str(uuid4())
        route.fetch(post_data=json.dumps(body))
        calls["count"] += 1
        return route.abort()

    context.route(EVENTS, renamed)
    taps.table.begin("The Ferrymen")
    taps.table.page.wait_for_function(
        "() => document.querySelector('#notice b')?.textContent === 'No signal.'"
    )
    context.unroute(EVENTS, renamed)
    taps.table.sent()
    count, different = stored(battle)
    assert (count, different) == (1 + calls["count"], 1)
    assert count > 1
