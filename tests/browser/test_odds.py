"""Odds, match-ups, tests and dice in a browser: a journey, and nothing for axe to find, light and
dark.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import in_every_look, with_soak
from tests.factories import make_legal_warband, make_person, make_user
from warbands.models import Warrior

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAIR = "?a=p:warhammer-skirmish:the-empire:captain&b=p:warhammer-skirmish:the-empire:halberdiers&ao=handgun&set=1"
PAGES = [
    "", PAIR,
    "?a=p:english-civil-war:parliament:musketeers&b=p:english-civil-war:royalists:pikemen",
    "?a=p:d10-skirmish:starter-list:sniper&b=p:d10-skirmish:starter-list:truck", "choose/",
    "choose/?army=the-empire", "match-up/", "tests/", "tests/?call=diving_charge",
    "tests/?call=leadership_test&set=1&leadership=17", "dice/",
]  # fmt: skip


@pytest.mark.soak
@in_every_look
def test_axe_finds_nothing(page, live_server, faults, share, scheme, width):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    found = []
    for path in share(PAGES, 2, scheme == "dark"):
        page.goto(f"{live_server.url}/odds/{path}")
        found += faults(page)
    page.goto(f"{live_server.url}/odds/dice/")
    page.get_by_role("button", name="2D6").click()
    expect(page.locator(".die")).to_have_count(2)
    found += faults(page)
    assert found == []


def test_choice_changes_the_answer_and_the_address(page, live_server):
    page.goto(f"{live_server.url}/odds/{PAIR}")
    sum_up = page.locator(".odds-sum dd").first
    before = sum_up.inner_text()
    page.get_by_label("The target is").select_option("stunned")
    expect(sum_up).to_have_text("100\N{NO-BREAK SPACE}%")
    assert before != sum_up.inner_text()
    expect(page).to_have_url(re.compile("state=stunned"))
    page.reload()
    expect(page.locator(".odds-sum dd").first).to_have_text("100\N{NO-BREAK SPACE}%")


def test_without_script_the_form_says_the_same(browser, live_server):
    context = browser.new_context(java_script_enabled=False)
    page: Page = context.new_page()
    page.goto(f"{live_server.url}/odds/{PAIR}")
    page.get_by_label("The target is").select_option("stunned")
    page.get_by_role("button", name="Calculate").click()
    expect(page.locator(".odds-sum dd").first).to_have_text("100\N{NO-BREAK SPACE}%")
    page.goto(f"{live_server.url}/odds/dice/")
    page.get_by_label("Faces you rolled yourself").fill("3, 4")
    page.get_by_role("button", name="2D6").click()
    expect(page.locator(".dice-log")).to_contain_text("Typed in")
    context.close()


@pytest.mark.soak
def test_from_the_roll_to_its_odds(page, live_server, sign_in):
    user = make_user(name="Hanna")
    warband = make_legal_warband(actor=make_person(user=user), name="The Ferrymen")
    sign_in(user)
    captain = Warrior.objects.filter(warband=warband).earliest("position")
    page.goto(f"{live_server.url}/warbands/{warband.token}/warrior/{captain.pk}/")
    expect(page.locator(".opt .why").first).to_be_visible()
    page.get_by_role("link", name="Odds of Captain").click()
    expect(page.get_by_role("heading", name="Captain").first).to_be_visible()
    page.get_by_role("link", name="Choose another target").click()
    page.get_by_role("link", name="The Ferrymen").click()
    page.get_by_role("link", name="Halberdier").click()
    expect(page.locator(".odds-who")).to_contain_text("against Halberdier")
    page.get_by_role("link", name="Swap", exact=True).click()
    expect(page.locator(".odds-who")).to_contain_text("against Captain")


@pytest.mark.parametrize("width", with_soak([390, 1280]))
def test_load_outs_of_ones_own_stand_side_by_side(page, live_server, faults, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/odds/{PAIR.replace('&set=1', '')}")
    page.get_by_role("button", name="Choose your own load-outs").click()
    page.get_by_label("Great Weapon in load-out 2").check()
    page.get_by_role("button", name="Compare load-outs").click()
    table = page.get_by_role("region", name=re.compile("Your own load-outs"))
    points = table.locator("tr", has_text="Points").first.locator("td")
    expect(points.nth(1)).not_to_have_text(points.nth(0).inner_text())
    page.get_by_role("button", name="Add a load-out").click()
    expect(table.get_by_role("columnheader", name="Load-out 3")).to_be_visible()
    # What was chosen stays while the circumstances change.
    expect(page.get_by_label("Great Weapon in load-out 2")).to_be_checked()
    assert faults(page) == []
