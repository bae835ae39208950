"""Without a network: a roster built by few taps, shared, opened on a second phone and read there;
and who may still read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from config import service_worker
from tests.browser.people import PASSWORD
from tests.browser.recorders import Recorder, a_battle, hold_key, sign_in
from tests.browser.signals import Signal
from tests.factories import make_legal_warband, make_person, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TAPS_MOST = 12
# Headless Chromium has no share sheet.
SHARES = """window.sent = new Promise((done) => {
  if (!navigator.share) Navigator.prototype.share = async (content) => done(content.url);
});"""
LARGE_TEXT = """document.addEventListener("DOMContentLoaded", () => {
  document.documentElement.style.fontSize = "200%";
});"""
LOOKS = [
    pytest.param(390, "", id="390"),
    pytest.param(320, "", id="320", marks=pytest.mark.soak),
    pytest.param(390, LARGE_TEXT, id="twice", marks=pytest.mark.soak),
]
READS = (
    "async () => { while (!(await caches.match('/', {cacheName: 'reader'}))) await null; }"
)
KEPT = """async () => {
  const names = (await caches.keys()).filter((name) => name.startsWith("pages-"));
  const pages = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return pages.flat().map(({ url }) => new URL(url).pathname).sort();
}"""
STORED = """async () => {
  const name = (await caches.keys()).find((name) => name.startsWith("pages-"));
  return (await (await caches.open(name)).match(location.href)).text();
}"""
BATTLES = """async () => {
  const open = indexedDB.open("muster-battles");
  const database = await new Promise((done) => (open.onsuccess = () => done(open.result)));
  const keys = database.transaction("battles").objectStore("battles").getAllKeys();
  return new Promise((done) => (keys.onsuccess = () => done(keys.result)));
}"""
EMPTY = f"""async () => {{
  const kept = {KEPT};
  for (let tries = 200; (await kept()).length; tries -= 1) {{
    if (!tries) throw new Error(`still kept: ${{await kept()}}`);
    await new Promise((done) => setTimeout(done, 50));
  }}
}}"""
OLDER = """async (days) => {
  for (const name of (await caches.keys()).filter((name) => name.startsWith("pages-"))) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) {
      const page = await cache.match(url);
      const headers = new Headers(page.headers);
      const told = JSON.parse(decodeURIComponent(headers.get("X-Kept")));
      told.at -= days * 864e5;
      headers.set("X-Kept", encodeURIComponent(JSON.stringify(told)));
      await cache.put(url, new Response(await page.text(), { headers }));
    }
  }
}"""


class Phone:
    """A phone with a signal of its own, whose taps are counted."""

    def __init__(self, browser, site, width=390, script="") -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 844}, locale="en-GB"
        )
        context.add_init_script(SHARES + script)
        self.signal = Signal(context, site)
        self.page: Page = context.new_page()
        self.taps = 0

    def go(self, path: str) -> Phone:
        self.page.goto(self.signal.url + path)
        return self

    def at_hand(self) -> Phone:
        """Wait until the page is kept as it now is, with what belongs to it."""
        expect(self.page.locator("html")).to_have_attribute(
            "data-at-hand", "ready", timeout=20_000
        )
        return self

    def tap(self, target: Locator) -> None:
        self.taps += 1
        target.click()

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True).first

    def says_age(self) -> None:
        expect(self.page.locator("#as-of")).to_contain_text(
            re.compile(r"No connection\. This page is as of \d\d:\d\d\.")
        )

    def comes_back(self) -> None:
        """Into the signal: the page asks for itself, and comes anew."""
        self.says_age()
        self.signal.find()
        expect(self.page.locator("#as-of")).to_have_count(0, timeout=30_000)
        self.page.wait_for_load_state()

    def shows_nothing(self, path: str) -> None:
        self.go(path)
        expect(self.page.get_by_role("heading", name="No connection")).to_be_visible()


@pytest.fixture
def phone(browser: Browser, live_server: LiveServer) -> Iterator[Callable[..., Phone]]:
    made: list[Phone] = []

    def make(width: int = 390, script: str = "") -> Phone:
        made.append(Phone(browser, live_server.url, width, script))
        return made[-1]

    yield make
    for one in made:
        one.signal.close()


def build(phone: Phone, army: str, wanted: dict[str, int], leader: str) -> None:
    """From the page for a new warband to a list with those counts, in few taps."""
    page = phone.go("/warbands/new/").page
    phone.taps += 2  # open the select, and choose
    page.get_by_label("Army").select_option(label=army)
    phone.tap(phone.button("Create warband"))
    phone.tap(phone.button(leader))
    expect(page.locator(".roll > li")).to_have_count(1)
    phone.tap(page.locator(".panes a[data-shows=army]"))
    for number, profile in enumerate(wanted, start=2):
        phone.tap(phone.button(re.compile(f"^Add {profile},")))
        expect(page.locator("#models-shown")).to_have_text(str(number))
    phone.tap(page.locator(".panes a[data-shows=roster]"))
    for place, count in enumerate(wanted.values(), start=1):
        row = page.locator(".roll > li").nth(place)
        phone.tap(row.locator(".typed"))
        field = row.locator("input.in-place")
        field.fill(str(count))
        phone.taps += 1
        field.press("Enter")
        expect(row).to_have_attribute("data-count", str(count))
    expect(page.locator("#points")).to_contain_text("150 / 150")
    expect(page.locator("#findings [data-code]")).to_have_count(1)
    expect(page.locator("#findings [data-code=none]")).to_be_visible()


def share(phone: Phone) -> str:
    """One tap in the menu of the warband; return the path that the share sheet gets."""
    phone.page.locator(".head .tools summary").last.click()
    phone.page.get_by_role("link", name="Share", exact=True).locator("visible=true").click()
    link: str = phone.page.evaluate("window.sent")
    return urlsplit(link).path


def reads(phone, faults, units) -> None:
    """The roster, its sheet and its reference without a network, by the links of the pages."""
    page = phone.page
    page.get_by_role("link", name="Sheet", exact=True).first.click()
    phone.says_age()
    for unit in units:
        expect(
            page.locator(".rsheet").get_by_text(unit).locator("visible=true").first
        ).to_be_visible()
    assert faults(page) == []
    page.get_by_role("link", name="Quick reference", exact=True).click()
    phone.says_age()
    expect(page.locator("main h1")).to_be_visible()
    assert faults(page) == []


@pytest.mark.parametrize("width, script", LOOKS)
def test_roster_is_built_shared_and_read_without_a_network(phone, faults, width, script):
    if script:  # at twice the text size axe finds what it finds with a network

        def faults(page: Page) -> list[str]:
            is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
            return [f"{page.url} is wider than its window"] * is_wide

    ada, ben = phone(width, script), phone(width, script)
    build(
        ada, "Orcs & Goblins", {"Orc Boyz": 3, "Orc Arrer Boyz": 10}, "Orc Big Boss, 65 pts"
    )
    assert ada.taps <= TAPS_MOST
    ada.taps = 0
    build(ada, "The Empire", {"Halberdiers": 6, "Archers": 8}, "Captain, 50 pts")
    assert ada.taps <= TAPS_MOST
    units = ("Captain", "Halberdier", "Archer")
    link = share(ada)

    ben.go(link).at_hand()
    ben.signal.lose()
    reads(ben, faults, units)
    ben.shows_nothing("/leagues/")
    expect(ben.page.locator("#kept-pages li")).to_have_count(3)
    assert faults(ben.page) == []
    ben.page.locator("#kept-pages a").first.click()
    ben.comes_back()

    # Her page holds all that she tapped, and takes no more without a network.
    ada.at_hand().signal.lose()
    more = ada.page.locator(".roll > li .step button[id$=-more]").last
    expect(more).to_be_disabled()
    ada.page.reload()
    ada.says_age()
    expect(ada.page.locator(".roll > li").nth(1)).to_have_attribute("data-count", "6")
    expect(more).to_be_disabled()
    expect(ada.page.locator(".needs").first).to_contain_text("Needs a connection.")
    assert faults(ada.page) == []
    reads(ada, faults, units)
    ada.page.get_by_role("link", name="Edit", exact=True).click()
    ada.comes_back()
    more.click()
    expect(ada.page.locator(".roll > li").last).to_have_attribute("data-count", "9")


def test_what_is_kept_is_forgotten(phone, monkeypatch):
    hanna, device = make_user(name="Hanna"), phone()
    warband = make_legal_warband(actor=make_person(user=hanna), visibility="private")
    path = f"/warbands/{warband.token}/"

    def keep() -> list[str]:
        sign_in(device.page.context, device.signal.url, hanna)
        device.go(path).at_hand()
        kept: list[str] = device.page.evaluate(KEPT)
        assert {path, f"{path}sheet/", f"{path}sheet/reference/"} <= set(kept)
        return kept

    keep()
    device.page.evaluate(OLDER, 13.9)
    device.signal.lose()
    device.go(path).says_age()
    device.page.evaluate(OLDER, 0.2)
    device.shows_nothing(path)
    device.signal.find()

    keep()
    stored = device.page.evaluate(STORED)
    assert "csrfmiddlewaretoken" in stored
    assert not re.search(r'csrfmiddlewaretoken" value="[^"]', stored)
    device.page.locator(".mast summary").locator("visible=true").last.click()
    # Even where the server does not hear of it.
    device.page.route("**/logout/", lambda route: route.fulfill(status=204), times=1)
    with device.page.expect_response("**/logout/"):
        device.button("Sign out").click(no_wait_after=True)
    device.page.evaluate(EMPTY)

    keep()
    device.page.locator(".mast summary").locator("visible=true").last.click()
    device.button("Sign out").click()
    device.page.wait_for_url(device.signal.url + "/")
    device.at_hand()
    assert device.page.evaluate(KEPT) == ["/"]
    device.signal.lose()
    device.shows_nothing(path)
    device.signal.find()

    keep()
    sign_in(device.page.context, device.signal.url, make_user(name="Piet"))
    device.go("/rules/").at_hand()
    assert device.page.evaluate(KEPT) == ["/rules/"]
    device.signal.lose()
    device.shows_nothing(path)
    device.signal.find()

    keep()
    device.page.evaluate(
        "document.dispatchEvent(new CustomEvent('htmx:afterRequest', {detail: {xhr: {status: 401}}}))"
    )
    device.page.evaluate(EMPTY)
    keep()
    monkeypatch.setattr(
        service_worker,
        "mark_kept",
        lambda _, response: setattr(response, "status_code", 401),
    )
    device.go("/rules/").page.evaluate(EMPTY)


def test_shared_device_keeps_nothing_and_acts_not_yet_sent_stay(phone, live_server):
    device, battle = phone(), a_battle()
    page, url = device.page, device.signal.url
    hold_key(page.context, url, battle)
    table = Recorder(page, url, battle.token).open().offline_ready()
    table.begin("The Ferrymen")
    table.sent()
    page.route("**/api/**", lambda route: route.abort())
    table.tap("a1", 2)
    page.goto("about:blank")

    user = User.objects.create_user("ada@club.example", PASSWORD, name="Ada")
    warband = make_legal_warband(actor=make_person(user=user))
    device.go("/accounts/login/")
    page.get_by_label("Email address").fill(user.email)
    page.get_by_label("Password").first.fill(PASSWORD)
    page.get_by_label("This is a shared device").check()
    page.locator("main").get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(url + "/")
    for path in (f"/warbands/{warband.token}/", "/rules/"):
        device.go(path)
    page.evaluate(READS)
    assert page.evaluate(KEPT) == []

    device.signal.lose()
    device.shows_nothing(f"/warbands/{warband.token}/")
    assert Recorder(page, url, battle.token).open().unsent() == 2
    device.signal.find()


def test_signing_out_forgets_battles_but_for_what_is_not_sent(phone):
    device, hanna = phone(), make_user(name="Hanna")
    page, url = device.page, device.signal.url
    sent, unsent = a_battle(), a_battle()
    for battle in (sent, unsent):
        hold_key(page.context, url, battle)
        table = Recorder(page, url, battle.token).open().offline_ready()
        table.begin("The Ferrymen")
        table.sent()
    page.route("**/api/**", lambda route: route.abort())
    table.tap("a1", 2)

    sign_in(page.context, url, hanna)
    device.go("/rules/")
    page.locator(".mast summary").locator("visible=true").last.click()
    device.button("Sign out").click()
    page.wait_for_url(url + "/")
    assert page.evaluate(BATTLES) == [unsent.token]
