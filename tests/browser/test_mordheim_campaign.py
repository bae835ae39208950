"""A campaign of Mordheim, by clicks: two phones found starters, fight, settle and sell; then the
battle is corrected.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.people import Person, found_club, join_club, mailing_site
from tests.browser.test_campaign import challenge, enter, open_round
from tests.browser.test_growing_campaign import fight, settle

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.soak,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]


def begin(olga: Person) -> str:
    """A campaign of Mordheim with the rules that are offered for it; return its address."""
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("New event")
    olga.choose("Campaign")
    olga.press("Continue")
    olga.choose("Change rule system")
    olga.page.get_by_label("Rule system", exact=True).select_option("mordheim-rulings.A")
    olga.press("Change rule system")
    olga.fill("Name", "The long winter")
    olga.press("Create event")
    olga.follow("The long winter")
    olga.sees("No warband is founded yet.")
    return olga.page.url


def found(player: Person, campaign: str, army: str) -> None:
    """Take a starter, and found a warband with it."""
    player.menu("Warbands")
    player.follow(re.compile("New warband|Build"))
    player.follow("Mordheim")
    player.press(f"Use starter warband: {army}")
    player.go(campaign)
    player.follow("Found your warband")
    player.press("Found warband")


def test_a_campaign_of_mordheim(
    browser: Browser, live_server: LiveServer, faults: Callable[[Page], list[str]]
) -> None:
    olga = Person(browser, live_server.url, "Olga", 1280)
    ben, cleo = (Person(browser, live_server.url, name, 390) for name in ("Ben", "Cleo"))
    invitation = found_club(olga)
    campaign = begin(olga)
    for player, army in ((ben, "Reiklanders"), (cleo, "Undead")):
        join_club(player, invitation)
        enter(player)
        found(player, campaign, army)
        assert faults(player.page) == []
    open_round(olga, campaign)
    challenge(cleo, ben, campaign)
    warbands = ("The Ferrygate", "The Court")
    after = fight(ben, cleo, campaign, out="Nurse Prisca", warbands=warbands)
    assert faults(ben.page) == []
    for player in (ben, cleo):
        settle(player, after)
        assert faults(player.page) == []
    # Ben sells what the search brought, and his page shows the crowns.
    ben.go(after)
    ben.page.locator("select[name=count]").select_option(index=0)
    ben.press("Sell treasure")
    ben.sees("Nothing to sell now.")
    ben.page.locator("main a.btn").filter(has_text="Trade and recruit").first.click()
    ben.follow("Captain Ottmar Reuss")
    # The post and the list both sell it; it is offered once.
    expect(ben.page.locator("main").get_by_text("Sword", exact=True)).to_have_count(1)
    assert faults(ben.page) == []
    # Nobody was out after all.
    olga.go(after)
    olga.press("Result")
    olga.page.locator("li.fate label.out:has(:checked)").first.click()
    olga.page.get_by_role("radio", name="Draw").check()
    olga.page.locator("[name=reason]").fill("The score sheet says so.")
    olga.press("Preview changes")
    olga.press("Correct the result")
    olga.go(after)
    olga.sees("Draw")
    olga.sees(re.compile("No longer called for"))
    assert faults(olga.page) == []
