"""The first journey: on an empty site that sends mail, a visitor builds a legal list in at most 20
taps, shares it by link, and plays it against another visitor's list, without an account.
"""

import re

import pytest
from django.core import mail
from playwright.sync_api import Browser, Locator, Page, expect

from accounts.models import User
from battles.models import Battle
from warbands.models import Warband

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TAPS_MOST = 20
SMALL = 40 * 16  # pixels; narrower is a phone with two panes


class Visitor:
    """Somebody with a phone or a laptop, whose taps are counted."""

    def __init__(self, browser: Browser, url: str, width: int) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 844}, service_workers="block"
        )
        self.page: Page = context.new_page()
        self.url, self.taps, self.is_small = url, 0, width < SMALL
        self.page.goto(url)
        self.page.wait_for_load_state()

    def tap(self, target: Locator) -> None:
        self.taps += 1
        target.click()

    def press(self, name: str) -> None:
        self.tap(self.page.get_by_role("button", name=name, exact=True))

    def follow(self, name: str) -> None:
        self.tap(self.page.get_by_role("link", name=name, exact=True).first)

    def choose(self, label: str, option: str) -> None:
        self.taps += 2
        self.page.get_by_label(label, exact=True).select_option(label=option)

    def show(self, pane: str) -> None:
        tab = self.page.locator(f".panes a[data-shows={pane}]")
        if tab.is_visible():
            self.tap(tab)

    def add(self, profile: str) -> None:
        button = self.page.get_by_role("button", name=re.compile(f"^Add {profile},"))
        self.tap(button)
        expect(
            self.page.locator(".roll > li", has_text=re.compile(profile[:-1]))
        ).to_have_count(1)

    def type_count(self, title: str, count: int) -> None:
        """Tap the number where it stands, type another, and Enter."""
        row = self.page.locator(".roll > li", has_text=title)
        self.tap(row.locator(".typed"))
        field = row.locator("input.in-place")
        field.fill(str(count))
        self.taps += 1
        field.press("Enter")
        expect(row).to_have_attribute("data-count", str(count))

    def menu(self, link: str) -> None:
        """A link that stands in the open on a laptop, and on a phone in the menu."""
        found = self.page.locator(".head .tools").get_by_role("link", name=link, exact=True)
        if not found.first.is_visible():
            self.tap(self.page.locator(".head .tools summary").last)
        self.tap(found.locator("visible=true").first)


def build(visitor: Visitor) -> None:
    """From the front page to a roster without an error or a warning."""
    page = visitor.page
    visitor.follow("Build a warband")
    visitor.choose("Army", "The Empire")
    visitor.press("Create warband")
    expect(page.get_by_text("Add a leader first")).to_be_visible()
    expect(page.locator("#findings [data-code]")).to_have_count(0)
    visitor.press("Captain, 50 pts")
    expect(page.locator(".roll > li").first.get_by_label("Leader:")).to_be_visible()
    first = page.locator(".roll > li").first.bounding_box()
    assert first is not None
    assert first["y"] + 40 < 844, "the first model stands in the first screen"
    visitor.show("army")
    visitor.add("Halberdiers")
    visitor.add("Archers")
    visitor.show("roster")
    visitor.type_count("Halberdier", 8)
    visitor.type_count("Archer", 5)
    expect(page.locator("#points")).to_contain_text("/ 150")
    expect(page.locator("#findings [data-level=error]")).to_have_count(0)
    expect(page.locator("#findings [data-level=warning]")).to_have_count(0)


def share(visitor: Visitor) -> str:
    visitor.menu("Share")
    visitor.tap(visitor.page.get_by_text("Anyone with the link", exact=True))
    visitor.press("Save sharing")
    return visitor.page.locator("#share-link").input_value()


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.soak)])
def test_two_visitors_meet(browser, live_server, settings, width):
    settings.SENDS_MAIL = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    assert not User.objects.exists()
    assert not Warband.objects.exists()

    ada = Visitor(browser, live_server.url, width)
    build(ada)
    assert ada.taps <= TAPS_MOST, ada.taps
    link = share(ada)

    ben = Visitor(browser, live_server.url, width)
    ben.follow("Use a starter warband")
    ben.tap(ben.page.locator(".starter > summary").first)
    ben.tap(ben.page.get_by_role("button", name=re.compile("Use this warband")).first)
    expect(ben.page.locator("#points")).to_be_visible()
    ben.page.goto(link)
    expect(ben.page.get_by_text("Halberdier").first).to_be_visible()
    ben.menu("Battle")
    ben.press("Create battle")
    expect(ben.page.get_by_role("heading", name="Not started")).to_be_visible()
    code = ben.page.locator(".keybox code").inner_text()
    battle = Battle.objects.get()
    assert battle.sides.filter(is_quick=False).count() == 2

    # Ada has nothing but the code.
    ada.page.goto(f"{live_server.url}/battles/")
    ada.follow("Join with a code")
    ada.page.get_by_label("Battle code").fill(code.lower())
    ada.press("Record live")
    expect(ada.page.locator("html")).to_have_attribute(
        "data-recorder", "ready", timeout=15_000
    )
    ada.tap(ada.page.locator("#banner button").first)
    ada.tap(ada.page.get_by_role("button", name="More: tests"))
    ada.tap(ada.page.get_by_role("dialog").locator("[data-do=end-sheet]"))
    dialog = ada.page.get_by_role("dialog")
    ada.tap(dialog.get_by_role("button", name="Conceded"))
    ada.tap(dialog.locator("[data-do=ending][data-winner]").first)
    ada.tap(dialog.locator("button[type=submit]"))
    expect(ada.page.locator(".sending")).to_have_count(0, timeout=30_000)

    ben.page.reload()
    ben.follow("Result")
    ben.press("Save result")
    expect(ben.page.get_by_text("Waiting for your opponent")).to_be_visible()
    ada.page.goto(f"{live_server.url}/battles/{battle.token}/")
    ada.follow("Confirm result")
    for _ in range(2):
        button = ada.page.locator("form button.pri")
        if button.count():
            ada.tap(button)
    expect(ada.page.locator(".verdict").get_by_text("Confirmed").first).to_be_visible()
    assert not User.objects.exists()
    assert mail.outbox == []
    for visitor in (ada, ben):
        visitor.page.context.close()
