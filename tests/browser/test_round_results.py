"""The slips of twelve tables on one page, from the keyboard and with one thumb."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from campaigns.models import Fixture, FixtureStatus
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up, report

pytestmark = [
    pytest.mark.browser, pytest.mark.soak, pytest.mark.django_db(transaction=True),
]  # fmt: skip
TABLES, MOST = 12, 26


class Hand:
    """Somebody who types slips; counted is what is pressed or tapped beside the figures."""

    def __init__(self, page: Page) -> None:
        self.page, self.presses = page, 0
        self.rows = page.locator("[data-slip]")

    def press(self, key: str) -> None:
        self.presses += 1
        self.page.keyboard.press(key)

    def tap(self, place: int, selector: str) -> None:
        self.presses += 1
        self.rows.nth(place).locator(selector).first.tap()

    def figures(self, first: int, second: int) -> None:
        self.page.keyboard.type(str(first))
        self.press("Tab")  # on a phone the key that leads to the next field
        self.page.keyboard.type(str(second))


def type_slips(hand: Hand) -> None:
    for place in range(TABLES):
        hand.press("adb"[place % 3])
        hand.figures(place % 4, 10 + place)
    hand.press("Enter")


def tap_slips(hand: Hand) -> None:
    for place in range(TABLES):
        hand.tap(place, f".seg label:nth-child({place % 3 + 1})")
        # Once somebody has typed casualties, a tap on who won leads to them.
        if place == 0:
            hand.tap(place, "input[type=number]")
        hand.figures(place % 4, 10 + place)
    hand.presses += 1
    hand.page.get_by_role("button", name="Save results").tap()


def open_page(browser: Browser, url: str, league: League, width: int) -> Page:
    is_phone = width < 400
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        has_touch=is_phone,
        is_mobile=is_phone,
        service_workers="block",
    )
    client = Client()
    client.force_login(User.objects.get(pk=league.organiser.user_id))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": url}])
    page = context.new_page()
    page.goto(url + reverse("round-results", args=[league.token, 1]))
    return page


@pytest.mark.parametrize("width, enter", [(1280, type_slips), (390, tap_slips)])
def test_twelve_results_take_at_most_26_presses(browser, live_server, faults, width, enter):
    league = make_league(players=2 * TABLES, guests=1)
    names = [entry.name for entry in league.entries]
    games = zip(names[: 2 * TABLES : 2], names[1::2], strict=False)
    put_up(league, 1, [*games, names[2 * TABLES :]])
    page = open_page(browser, live_server.url, league, width)
    assert faults(page) == []
    hand = Hand(page)
    enter(hand)
    expect(
        page.get_by_label("Messages").get_by_text(f"{TABLES} results saved.")
    ).to_be_visible()
    expect(page.locator("#settled, [aria-labelledby=settled]").first).to_be_visible()
    assert faults(page) == []
    assert hand.presses <= MOST
    rows = Fixture.objects.filter(other__isnull=False).order_by("position")
    assert [(row.status, row.out_one, row.out_other) for row in rows] == [
        (FixtureStatus.FINAL, place % 4, 10 + place) for place in range(TABLES)
    ]
    winners = [row.winner_id and row.ids.index(row.winner_id) for row in rows]
    assert winners == [(0, None, 1)[place % 3] for place in range(TABLES)]
    page.context.close()


def test_refused_row_is_in_front_of_whoever_typed_it(browser, live_server, faults):
    league = make_league(players=4)
    first, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(league, first, "Ada", by=league.player("Ada"))
    page = open_page(browser, live_server.url, league, 1280)
    page.keyboard.press("a")
    page.locator("[data-slip] .seg label", has_text="Ben").click()
    page.keyboard.press("Enter")
    reason = page.locator("[data-slip]").get_by_label("Reason")
    expect(reason).to_be_focused()
    expect(page.get_by_text("1 result saved.")).to_be_visible()
    assert faults(page) == []
    reason.fill("The slip says so.")
    reason.press("Enter")
    expect(page.get_by_text("No result is missing")).to_be_visible()
