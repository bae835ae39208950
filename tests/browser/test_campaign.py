"""A campaign of challenges from its making to its third battle, on an empty site that sends mail,
by clicks alone.
"""

import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from engine.growth.log import ACTS_MOST
from tests.browser.people import Person, found_club, join_club, mailing_site
from tests.campaigns.growing import make_growing
from tests.campaigns.test_growth_shares import reverse_often

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]
WIDTHS = [pytest.param(width, marks=pytest.mark.soak) for width in (390, 1280)]


def begin(olga: Person) -> str:
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("New event")
    olga.choose("Campaign")
    olga.press("Continue")
    olga.fill("Name", "The long winter")
    olga.press("Create event")
    # The page where it leads says what comes next.
    olga.sees("Open the round. Players then challenge each other.")
    olga.follow("The long winter")
    olga.sees("The campaign has no open round. Add a round and open it.")
    return olga.page.url


def open_round(olga: Person, campaign: str) -> None:
    olga.go(campaign)
    olga.follow("Add round")
    olga.press("Add round")
    olga.press("Open round")
    expect(olga.page.locator("#drawn > header")).to_contain_text("Published")


def enter(player: Person) -> None:
    """From the page of the club, where joining it has led."""
    player.follow("The long winter")
    player.follow(re.compile("^Join"))
    player.press(re.compile("^Join"))
    player.go("/leagues/")
    player.follow("The long winter")


def challenge(one: Person, other: Person, campaign: str) -> None:
    """One asks, the other reads it in a mail and accepts."""
    one.go(campaign)
    one.page.get_by_label("Player to challenge", exact=True).select_option(label=other.name)
    one.press("Challenge player")
    one.sees(re.compile(f"{other.name} must accept|challenges"))
    before = len(other.mails)
    assert one.name in other.mails[-1].subject
    other.opens_mail()
    other.press("Accept challenge")
    assert before == len(other.mails)


def play(winner: Person, loser: Person, campaign: str) -> None:
    """The winner reports, the loser reads it in a mail and confirms."""
    winner.go(campaign)
    winner.follow(re.compile(f"{winner.name} against {loser.name}|{loser.name} against"))
    winner.follow("Result")
    winner.page.get_by_label(f"{winner.name} won", exact=True).check()
    winner.page.get_by_label("How it ended").select_option(label="Conceded")
    winner.press("Save result")
    winner.sees(f"{winner.name} wins")
    told = loser.opens_mail()
    assert f"{winner.name} won" in told
    loser.follow("Confirm result")
    loser.sees(f"{winner.name}")
    loser.press(re.compile("Confirm"))
    loser.sees("Confirmed")


@pytest.mark.parametrize("width", WIDTHS)
def test_campaign_from_its_making_to_its_third_battle(browser, live_server, faults, width):
    assert not User.objects.exists()
    olga, ben, cleo = (
        Person(browser, live_server.url, name, width) for name in ("Olga", "Ben", "Cleo")
    )
    invitation = found_club(olga)
    campaign = begin(olga)
    for player in (ben, cleo):
        join_club(player, invitation)
        enter(player)
        player.sees("No round is open yet.")
    open_round(olga, campaign)
    for winner, loser in ((ben, cleo), (cleo, ben), (ben, cleo)):
        challenge(loser, winner, campaign)
        play(winner, loser, campaign)
    olga.go(campaign)
    rows = olga.page.locator("#standings ~ * tbody tr, section:has(#standings) tbody tr")
    expect(rows.first).to_contain_text("Ben")
    expect(rows.first).to_contain_text("6")
    assert faults(olga.page) == []
    assert len(mail.outbox) > 3
    for person in (olga, ben, cleo):
        person.context.close()


def test_refusal_is_in_sight_where_the_address_names_a_part_of_the_page(
    page: Page, live_server: LiveServer, sign_in: Callable[[User], None]
) -> None:
    campaign = make_growing()
    sign_in(User.objects.get(pk=campaign.league.player("Ben").user_id))
    reverse_often(campaign, "Ben", ACTS_MOST)
    entry = campaign.league.entry("Ben").token
    shop = reverse("warband-trade", args=[campaign.league.token, entry])
    page.goto(f"{live_server.url}{shop}?for=w1#buy")
    page.get_by_role("button", name=re.compile("Physick")).click()
    fault = page.get_by_role("alert").filter(has_text="at most 300 times")
    expect(fault).to_be_focused()
    expect(fault).to_be_in_viewport()
