"""The live recorder as a person at the table uses it: by what is written on it."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Locator, Page, expect

from accounts.models import User
from accounts.owner import NOBODY, Owner
from battles.models import Battle, BattleEvent
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide
from battles.queries.battles import load_battle

HURRY = "window.dispatchEvent(new Event('online'))"
KEEP_KEY = """async ([token, key]) => {
  const outbox = await import(document.querySelector("script[type=module]").src.replace("screen.js", "outbox.js"));
  await outbox.keepKey(token, key);
}"""


def a_battle(
    owner: User | None = None, system: str = "warhammer-skirmish", **more: Any
) -> Battle:
    """The Ferrymen, 12 of them on Leadership 8, against Gorrak's Lads, 15 on 7."""
    actor = Owner(user_id=owner.pk) if owner else NOBODY
    sides = [QuickSide("The Ferrymen", 12, 8), QuickSide("Gorrak’s Lads", 15, 7)]
    return open_battle(actor, BattleDraft(system, sides, **more))


def sign_in(context: BrowserContext, url: str, user: User) -> None:
    client = Client()
    client.force_login(user)
    put_session(context, url, client)


def put_session(context: BrowserContext, url: str, client: Client) -> None:
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])


def hold_key(context: BrowserContext, url: str, battle: Battle) -> None:
    client = Client()
    session = client.session
    session["battle_keys"] = {battle.token: battle.key}
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    put_session(context, url, client)


class Recorder:
    def __init__(self, page: Page, url: str, token: str) -> None:
        self.page = page
        self.token = token
        self.url = f"{url}/battles/{token}/record/"
        # The page asks before it is left while something is not kept; people say yes, and so do we.
        page.on("dialog", lambda dialog: dialog.accept())

    def open(self) -> Recorder:
        self.page.goto(self.url, wait_until="domcontentloaded")
        return self.ready()

    def reload(self) -> Recorder:
        self.page.reload()
        return self.ready()

    def ready(self) -> Recorder:
        expect(self.page.locator("html")).to_have_attribute(
            "data-recorder", "ready", timeout=15_000
        )
        return self

    def offline_ready(self) -> Recorder:
        """Wait until the page is kept for opening without a signal."""
        expect(self.page.locator("html")).to_have_attribute(
            "data-offline", "ready", timeout=15_000
        )
        return self

    def button(self, name: str | re.Pattern[str], exact: bool = False) -> Locator:
        return self.page.get_by_role("button", name=name, exact=exact)

    def begin(self, side: str) -> None:
        self.page.locator("#banner").get_by_role("button", name=side, exact=True).click()
        expect(self.page.locator("h1")).to_contain_text("1")

    def next(self) -> None:
        self.page.locator(".act .next").click()

    def to_turn(self, number: int) -> None:
        """Press the large button until that turn has begun."""
        while (
            f"Turn {number} "
            not in self.page.locator("h1").inner_text().replace("\n", " ") + " "
        ):
            self.next()

    def state_block(self, combatant: str) -> Locator:
        return self.page.locator(f"#tile-{combatant} .cb-state")

    def tap(self, combatant: str, times: int = 1) -> None:
        for _ in range(times):
            self.state_block(combatant).click()

    def choose(self, combatant: str) -> None:
        self.page.locator(f"#tile-{combatant} .cb-name").click()

    def states(self) -> dict[str, str]:
        """Everybody's state as the tiles say it, by combatant id."""
        labels = self.page.eval_on_selector_all(
            ".cb",
            "tiles => tiles.map((one) => [one.id, one.querySelector('.cb-state').ariaLabel])",
        )
        return {
            key.removeprefix("tile-"): label.split(": ", 1)[1].split(". ")[0]
            for key, label in labels
        }

    def shows(self, states: dict[str, str]) -> None:
        for who, state in states.items():
            expect(self.state_block(who)).to_have_attribute(
                "aria-label", re.compile(rf": {re.escape(state)}\. ")
            )

    def hurry(self) -> None:
        self.page.evaluate(HURRY)

    def sent(self) -> None:
        """Wait until the server has answered for everything."""
        self.hurry()
        expect(self.page.locator("html")).to_have_attribute("data-keeping", "0")
        expect(self.page.locator(".sending")).to_have_count(0, timeout=60_000)

    def unsent(self) -> int:
        shown = self.page.locator(".sending")
        return int(shown.inner_text().split()[-1]) if shown.count() else 0


def recorded(token: str) -> list[tuple[str, dict[str, Any]]]:
    """Kind and payload of every event the server holds, in the order they came."""
    rows = BattleEvent.objects.filter(battle__token=token).order_by("position")
    return [(row.kind, row.payload) for row in rows]


def state_words(token: str) -> dict[str, str]:
    """Everybody's state as the server folds it, in the words of the tiles."""
    record = load_battle(NOBODY, token)
    assert record is not None
    names = {key: rule.name.lower() for key, rule in record.rules.states.items()}
    return {key: names[one.state] for key, one in record.state.combatants.items()}
