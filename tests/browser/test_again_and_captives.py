"""What two players of a campaign do with few clicks on their phones: throw dice again, exchange
captives, rename a unit.
"""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from tests.browser.people import Person
from tests.campaigns.growing import Campaign, make_growing
from tests.campaigns.test_growth_warband_pages import search_again

pytestmark = [
    pytest.mark.browser, pytest.mark.soak, pytest.mark.django_db(transaction=True),
]  # fmt: skip


@pytest.fixture
def campaign() -> Campaign:
    return make_growing()


@pytest.fixture
def players(browser, live_server, campaign) -> Iterator[list[Person]]:
    people = [Person(browser, live_server.url, name, 390) for name in ("Ada", "Ben")]
    for person in people:
        client = Client()
        user = campaign.league.player(person.name).user_id
        client.force_login(User.objects.get(pk=user))
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        person.context.add_cookies(
            [{"name": cookie.key, "value": cookie.value, "url": live_server.url}]
        )
    yield people
    for person in people:
        person.context.close()


def test_dice_are_thrown_again_and_captives_exchanged(campaign, players, faults):
    ada, ben = players
    search_again(campaign, "one")
    fixture = campaign.game("Ada", "Ben")
    fates = {name: [{"who": "w2", "by": None}] for name in ("Ada", "Ben")}
    campaign.report(fixture, "Ada", fates=fates)
    captured = GivenAnswer(f"{fixture}/injury/w2", row=11, reason="It was so.")
    for name in ("Ada", "Ben"):
        answer_dues(campaign.asked, campaign.warbands[name], [captured])

    league = campaign.league.token
    ada.go(reverse("fixture-after", args=[league, fixture]))
    card = ada.page.locator(".roll-card").filter(has_text="Ruins").first
    card.get_by_label("Dice").fill("1 2")
    card.get_by_role("button", name="Roll").click()
    ada.sees("If you like")
    assert faults(ada.page) == []
    ada.page.get_by_label("Dice of Ruins, Chart").fill("6")
    ada.page.get_by_role("button", name="Throw the 1 again").click()
    expect(ada.page.locator("main")).not_to_contain_text("If you like")
    ada.sees("Chosen:")

    for person, other in ((ada, "Ben"), (ben, "Ada")):
        ada_or_ben = campaign.league.entry(person.name).token
        person.go(reverse("warband-trade", args=[league, ada_or_ben]) + "#captives")
        held = person.page.get_by_label("In exchange for")
        expect(held).to_contain_text(f"Ilse, held by {other}")
        assert faults(person.page) == []
        person.press("Exchange captives")
        expect(person.page.locator("#toasts")).to_contain_text("exchange for Ilse")
    expect(ben.page.locator("main")).not_to_contain_text("held by")

    entry = campaign.league.entry("Ben").token
    ben.go(reverse("campaign-unit", args=[league, entry, "w2"]))
    ben.choose("Rename unit")
    assert faults(ben.page) == []
    ben.fill("Name", "Ilse the Returned")
    ben.press("Rename unit")
    expect(ben.page.get_by_role("heading", level=1)).to_have_text("Ilse the Returned")
