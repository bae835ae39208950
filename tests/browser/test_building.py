"""The whole way by tapping: from nothing to a legal warband and its PDF; and every finding in
words.
"""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from rulesdata import registry

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SYSTEM = "warhammer-skirmish"
WIDTHS = [390, pytest.param(1280, marks=pytest.mark.soak)]


def show(page: Page, pane: str) -> None:
    """On a phone the roster and the army list are two panes."""
    tab = page.locator(f".panes a[data-shows={pane}]")
    if tab.is_visible():
        tab.click()
        expect(tab).to_have_attribute("aria-current", "true")


def row(page: Page, title: str) -> Any:
    return page.locator(".roll > li").filter(has=page.locator(".nm", has_text=title))


def raise_count(page: Page, title: str, count: int) -> None:
    figure = row(page, title).locator(".step output")
    for number in range(int(figure.inner_text()) + 1, count + 1):
        row(page, title).get_by_role("button", name=f"One {title} more").click()
        expect(figure).to_have_text(str(number))


def add(page: Page, words: str, profile: str) -> None:
    show(page, "army")
    page.get_by_label("Find a unit").fill(words)
    page.locator("#army-list").get_by_role("button", name=f"Add {profile},").click()


@pytest.mark.parametrize("width", WIDTHS)
def test_legal_warband_from_nothing(page, live_server, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(live_server.url + "/warbands/")
    page.get_by_role("link", name="Build a warband").click()
    page.get_by_label("Army").select_option(label="The Empire")
    page.get_by_label("Name").fill("The Ferrymen")
    page.get_by_role("button", name="Create warband").click()

    page.get_by_role("button", name="Captain, 50 pts").click()
    expect(page.locator(".roll > li")).to_have_count(1)
    expect(row(page, "Captain").get_by_label("Leader:")).to_be_visible()

    add(page, "halberd", "Halberdiers")
    expect(page.locator(".roll > li")).to_have_count(2)
    show(page, "roster")
    row(page, "Halberdier").get_by_role("link", name="Options for Halberdier").click()
    row(page, "Halberdier").get_by_label("Shields").check()
    expect(row(page, "Halberdier").locator(".pts")).to_contain_text("7")
    raise_count(page, "Halberdier", 6)
    expect(row(page, "Halberdier").locator(".pts")).to_contain_text("42")

    row(page, "Captain").get_by_role("link", name="Options for Captain").click()
    row(page, "Captain").get_by_label("Heavy Armour").check()
    expect(row(page, "Captain").locator(".pts")).to_contain_text("54")

    add(page, "archer", "Archers")
    expect(page.locator(".roll > li")).to_have_count(3)
    show(page, "roster")
    raise_count(page, "Archer", 6)

    expect(page.locator("#points")).to_contain_text("144")
    expect(page.locator("#points")).to_contain_text("6 pts available")
    expect(page.locator("#findings [data-code]")).to_have_count(1)
    expect(page.locator("#findings [data-code=none]")).to_be_visible()

    page.get_by_role("link", name="Sheet", exact=True).click()
    expect(page.get_by_role("heading", name="The Ferrymen")).to_be_visible()
    page.locator("summary", has_text="PDF").click()
    address = page.get_by_role("link", name="A4", exact=True).get_attribute("href")
    answer = page.request.get(f"{live_server.url}{address}")
    assert answer.ok
    body = answer.body()
    assert body.startswith(b"%PDF")
    assert len(body) > 10_000


@pytest.mark.soak
def test_undo_says_what_it_takes_back(page: Page, live_server: LiveServer) -> None:
    bring_in(
        page,
        live_server,
        {"army": "the-empire", "warriors": [{"profile": "captain", "leader": True}]},
    )
    page.get_by_role("button", name="Remove Captain").click()
    expect(page.locator(".roll > li")).to_have_count(0)
    page.get_by_role("button", name="Undo: Removed Captain").click()
    expect(page.locator(".roll > li")).to_have_count(1)


@pytest.mark.soak
def test_removed_line_leaves_the_focus_there_and_ctrl_z_brings_it_back(page, live_server):
    three = ["captain", "archers", "halberdiers"]
    warriors = [{"profile": profile, "leader": profile == "captain"} for profile in three]
    bring_in(page, live_server, {"army": "the-empire", "warriors": warriors})
    lines = page.locator(".roll > li")
    remove = page.get_by_role("button", name="Remove Archer")
    remove.focus()
    page.keyboard.press("Enter")
    expect(lines).to_have_count(2)
    # The line that came into its place, not the top of the page.
    expect(row(page, "Halberdier").locator(":focus")).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(lines).to_have_count(3)
    expect(lines.nth(1)).to_contain_text("Archer")
    # Whoever types undoes their own letters.
    show(page, "army")
    find = page.get_by_label("Find a unit")
    find.fill("bow")
    find.press("Control+z")
    expect(lines).to_have_count(3)


@pytest.mark.soak
def test_search_finds_weapons_rules_and_options(page, live_server):
    bring_in(page, live_server, {"army": "skaven", "warriors": [{"profile": "clanrats"}]})
    show(page, "army")
    found = page.locator("#army-list li:visible")
    everybody = found.count()
    for words, profile in (
        ("halberd", "Stormvermin"),
        ("frenzy", "Plague Monks"),
        ("smoke bombs", "Assassin"),
    ):
        page.get_by_label("Find a unit").fill(words)
        button = page.locator("#army-list").get_by_role(
            "button", name=re.compile(f"^Add {profile}")
        )
        expect(button.first).to_be_visible()
        assert 0 < found.count() < everybody, words
    page.get_by_label("Find a unit").fill("no such thing")
    expect(found).to_have_count(0)


@pytest.mark.soak
def test_keyboard_keeps_its_place_and_the_change_is_spoken(page, live_server):
    bring_in(
        page, live_server, {"army": "the-empire", "warriors": [{"profile": "archers"}]}
    )
    more = page.locator(".step button[id$=-more]")
    more.focus()
    for number in ("2", "3"):
        page.keyboard.press("Enter")
        expect(page.locator(".step output")).to_have_text(number)
        expect(more).to_be_focused()
        expect(page.locator("#live")).to_contain_text(f"Archer: {number} instead of")


def test_quick_taps_all_count(page: Page, live_server: LiveServer) -> None:
    """Taps made while a change is on its way: every request is held back until all of them are
    made.
    """
    bring_in(
        page, live_server, {"army": "the-empire", "warriors": [{"profile": "archers"}]}
    )
    held: list[Route] = []
    page.route("**/count/", lambda route: held.append(route), times=1)
    more, figure = page.locator(".step button[id$=-more]"), page.locator(".step output")
    for _ in range(5):
        more.click(no_wait_after=True)
    expect(figure).to_have_text("6")
    expect(page.locator(".roll > li")).to_have_attribute("data-count", "1")
    show(page, "army")
    page.get_by_role("button", name="Add Swordsmen,").click()
    held[0].continue_()
    expect(page.locator(".roll > li")).to_have_count(2)
    expect(page.locator(".roll > li").first).to_have_attribute("data-count", "6")
    expect(figure.first).to_have_text("6")


@pytest.mark.parametrize("is_saved", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_a_lost_answer_is_asked_for(page, live_server, is_saved):
    bring_in(
        page,
        live_server,
        {"army": "the-empire", "warriors": [{"profile": "archers", "count": 3}]},
    )

    def lose(route: Route) -> None:
        if is_saved:
            route.fetch()
        route.abort()

    page.route("**/count/", lose, times=1)
    asked = re.compile(r"/warbands/[^/]+/\?open")
    page.route(asked, lambda route: route.abort(), times=1)
    page.locator(".step button[id$=-more]").click()
    expect(page.locator("#toasts")).to_contain_text("not known whether")
    expect(page.locator("#toasts")).to_contain_text("Checked", timeout=10_000)
    count = "4" if is_saved else "3"
    expect(page.locator(".roll > li")).to_have_attribute("data-count", count)
    expect(page.locator(".step output")).to_have_text(count)
    page.locator(".step button[id$=-more]").click()
    expect(page.locator(".roll > li")).to_have_attribute("data-count", str(int(count) + 1))


def test_count_and_points_are_drawn_before_the_answer(page, live_server):
    warriors = [{"profile": "archers"}, {"profile": "halberdiers"}]
    bring_in(page, live_server, {"army": "the-empire", "warriors": warriors})
    held: list[Route] = []
    page.route("**/count/", lambda route: held.append(route), times=1)
    row(page, "Archer").get_by_role("button", name="One Archer more").click(
        no_wait_after=True
    )
    expect(row(page, "Archer").locator(".step output")).to_have_text("2")
    expect(row(page, "Archer").locator(".pts")).to_contain_text("16")
    expect(page.locator("#points .fig")).to_have_text("22")
    expect(page.locator("#left")).to_have_text("128 pts available")
    show(page, "army")
    page.get_by_role("button", name="Add Captain,").click(no_wait_after=True)
    expect(page.locator("#points .fig")).to_have_text("72")
    # The answer to the first tap does not hide the second.
    held[0].continue_()
    expect(page.locator(".roll > li")).to_have_count(3)
    expect(page.locator("#points .fig")).to_have_text("72")


def test_folds_open_without_a_trip_and_stay_through_changes(page, live_server):
    warriors = [{"profile": "captain"}, {"profile": "archers"}]
    bring_in(page, live_server, {"army": "the-empire", "warriors": warriors})
    calls: list[str] = []
    page.route(
        "**/warrior/*/", lambda route: (calls.append(route.request.url), route.continue_())
    )
    captain, options = row(page, "Captain"), row(page, "Captain").locator(".opts")
    button = captain.locator(".op")
    button.click()
    expect(options).to_be_visible()
    assert len(calls) == 1
    button.click()
    expect(options).to_have_count(0)
    button.click()
    expect(options).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")
    assert len(calls) == 1
    captain.locator("summary", has_text="Magic items").click()
    captain.get_by_label("Find a magic item").fill("sword")
    row(page, "Archer").get_by_role("button", name="One Archer more").click()
    expect(row(page, "Archer")).to_have_attribute("data-count", "2")
    expect(captain.get_by_label("Find a magic item")).to_have_value("sword")
    expect(captain.locator(".magic .opt:visible").first).to_contain_text("Sword")
    # Closed, and opened again after a change: what was there at once, then as it is now.
    button.click()
    row(page, "Archer").get_by_role("button", name="One Archer more").click()
    expect(row(page, "Archer")).to_have_attribute("data-count", "3")
    expect(options).to_have_count(0)
    button.click()
    version = page.locator("#roster").get_attribute("data-version") or ""
    expect(options.locator("[name=version]").first).to_have_value(version)


def test_a_change_in_a_second_tab_is_taken_where_rows_differ(page, live_server):
    warriors = [{"profile": "captain"}, {"profile": "archers"}]
    bring_in(page, live_server, {"army": "the-empire", "warriors": warriors})
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_load_state()
    row(other, "Captain").get_by_role("button", name="One Captain more").click()
    expect(row(other, "Captain")).to_have_attribute("data-count", "2")
    row(page, "Archer").get_by_role("button", name="One Archer more").click()
    expect(row(page, "Archer")).to_have_attribute("data-count", "2")
    expect(row(page, "Captain")).to_have_attribute("data-count", "2")
    expect(page.locator(".notice")).to_have_count(0)
    # The same line in both: the person decides.
    other.reload()
    other.wait_for_load_state()
    row(other, "Archer").get_by_role("button", name="One Archer more").click()
    expect(row(other, "Archer")).to_have_attribute("data-count", "3")
    row(page, "Archer").get_by_role("button", name="One Archer more").click()
    expect(page.locator(".notice")).to_contain_text("out of date")
    expect(row(page, "Archer")).to_have_attribute("data-count", "3")


def test_builder_works_without_script(browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    page.goto(live_server.url + "/warbands/new/")
    page.get_by_label("Army").select_option(label="Orcs & Goblins")
    page.get_by_role("button", name="Create warband").click()
    page.locator(".empty button").first.click()
    page.get_by_role("link", name="Army list", exact=True).click()
    page.locator("#army-list button").nth(8).click()
    page.get_by_role("link", name="Roster, 2").click()
    page.locator(".roll > li .op").first.click()
    page.locator(".opts input[type=radio]:not(:checked)").first.check()
    page.get_by_role("button", name="Save these options").click()
    expect(page.locator(".opts")).to_be_visible()
    page.locator(".step button").first.click()
    expect(page.locator(".roll > li")).to_have_count(1)
    context.close()


def bring_in(page: Page, live_server: LiveServer, document: dict[str, Any]) -> None:
    page.goto(live_server.url + "/warbands/import/")
    text = json.dumps(
        {"format": "muster-roll/1", "system": SYSTEM, "points_limit": 150, **document}
    )
    page.get_by_label("Roster").fill(text)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#points")).to_be_visible()
    # Before the scripts run, the first press is an ordinary form and loads the page anew.
    page.wait_for_load_state()


def everything_wrong() -> dict[str, Any]:
    """Every profile of one list at once, two leaders who should not lead, and purchases the list
    forbids.
    """
    army = registry.load_army(SYSTEM, "chaos")
    warriors: list[dict[str, Any]] = [{"profile": key} for key in army.profiles]
    trooper = next(
        p for p in army.profiles.values() if p.musician_points and p.standard_bearer_points
    )
    limited = next(p for p in army.profiles.values() if p.army_max is not None)
    item = next(iter(army.magic_items.values()))
    bought = ["musician", "musician", "standard-bearer", "nothing-like-it", item.option_key]
    warriors += [
        {"profile": trooper.key, "options": bought, "leader": True},
        {"profile": trooper.key, "leader": True},
    ]
    warriors += [{"profile": limited.key}] * (limited.army_max or 1)
    warriors += [{"profile": "nobody-knows"}]
    return {"army": "chaos", "points_limit": 50, "warriors": warriors}


def a_little_of_much() -> dict[str, Any]:
    """One wizard, two magic items and two champions, without a limit."""
    warriors = [
        {"profile": "captain", "leader": True, "options": ["magic/sword-of-might"]},
        {"profile": "captain", "options": ["magic/biting-blade"]},
        {"profile": "battle-wizard"},
        {"profile": "halberdiers", "count": 10, "options": ["champion"]},
        {"profile": "spearmen", "count": 10, "options": ["champion"]},
    ]
    return {"army": "the-empire", "points_limit": None, "warriors": warriors}


def test_every_finding_is_told(page: Page, live_server: LiveServer) -> None:
    expected = {guideline.code for guideline in registry.load_system(SYSTEM).guidelines}
    assert len(expected) >= 30
    seen: set[str] = set()
    for document in (
        everything_wrong(),
        {"army": "the-empire", "warriors": [{"profile": "halberdiers"}]},
        a_little_of_much(),
    ):
        bring_in(page, live_server, document)
        if page.locator("#more-findings").count():
            page.locator("#more-findings > summary").click()
        for line in page.locator("#findings [data-code]").all():
            expect(line).to_be_visible()
            assert len(line.locator("p").first.inner_text()) > 20
            seen.add(line.get_attribute("data-code") or "")
    assert seen == expected
