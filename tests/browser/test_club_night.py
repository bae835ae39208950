"""A whole club night by tapping: from an empty club to printed table packs and published standings."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.factories import make_user

# A one-day tournament walks the same pages in every run.
pytestmark = [
    pytest.mark.browser, pytest.mark.soak, pytest.mark.django_db(transaction=True),
]  # fmt: skip

GUESTS = ("Hanna", "Piet", "Marta", "Jonas")


def begin(page: Page) -> None:
    page.goto(page.url + "clubs/new/")
    page.get_by_label("Name").fill("Harbour Street")
    page.get_by_role("button", name="Create club").click()
    page.goto(re.sub(r"/clubs/.*", "/leagues/new/", page.url))
    page.get_by_text("Club night", exact=True).click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Name").fill("Thursday")
    page.get_by_role("button", name="Create event").click()
    expect(page).to_have_url(re.compile(r"/leagues/[\w-]{16}/"))


def guests_walk_in(page: Page) -> None:
    for number, name in enumerate(GUESTS, start=1):
        fold = page.locator("details.guest")
        if fold.get_attribute("open") is None:
            fold.locator("summary").click()
        page.get_by_label("Guest’s name").fill(name)
        fold.get_by_role("button", name="Add").click()
        expect(page.locator("#ticks .pick")).to_have_count(number)
        expect(page.locator("#ticks .pick", has_text=name).locator("input")).to_be_checked()


def report(page: Page, winner: str) -> None:
    page.get_by_role("link", name="Result", exact=True).click()
    page.get_by_label(f"{winner} won", exact=True).check()
    page.get_by_label("How it ended").select_option(index=1)
    page.get_by_role("button", name="Save result").click()
    expect(page.get_by_role("heading", name=f"{winner} wins")).to_be_visible()


def pair_up(page: Page) -> None:
    """One goes home before the draw and comes back: ticks answer at once, and what is drawn
    follows.
    """
    tick = page.locator("#ticks .pick", has_text="Jonas").locator("input")
    tick.uncheck()
    expect(page.locator("#here-count")).to_have_text("0 of 0, 3 guests")
    page.get_by_role("button", name="Pair players").click()
    expect(page.locator(".pairs > li")).to_have_count(2)
    expect(page.locator(".pairs")).to_contain_text("Bye: odd number of players")
    tick.check()
    expect(page.locator("#drawn")).to_contain_text("Jonas is here and not paired yet")
    page.get_by_role("button", name="Pair again").click()
    expect(page.locator("#drawn")).to_contain_text("No rematches in these pairings.")
    expect(page.locator(".pairs .tb")).to_have_text(["Table1", "Table2"])


def keep_and_swap(page: Page, faults: Callable[[Page], list[str]]) -> None:
    """A locked table stays; the players of the other might be swapped, which is shown first."""
    page.locator(".pairs > li").first.get_by_role(
        "button", name=re.compile("^Keep")
    ).click()
    expect(page.locator(".pairs [aria-pressed=true]")).to_have_count(1)
    page.get_by_role("link", name=re.compile("^Change")).first.click()
    page.get_by_role("button", name="Preview swap").click()
    expect(page.locator(".before-after")).to_contain_text("Then")
    assert faults(page) == []
    page.get_by_role("button", name="Swap players").click()
    expect(page.locator(".pairs")).to_contain_text("Paired by an organiser. First meeting.")


def print_all(page: Page) -> None:
    page.get_by_role("button", name="Print all 2 tables").click()
    expect(page.locator("#job[data-status=done]")).to_be_visible(timeout=90_000)
    address = page.get_by_role("link", name="Open file").get_attribute("href") or ""
    answer = page.request.get(page.url.partition("/jobs/")[0] + address)
    assert answer.body().startswith(b"%PDF")


def play_out(page: Page, round_page: str) -> str:
    """Both games reported and the round closed; returns who won the last one."""
    winner = ""
    for place in (0, 1):
        page.goto(round_page)
        winner = page.locator(".pairs > li").nth(place).locator(".vs b").first.inner_text()
        page.locator(".pairs > li").nth(place).locator(".what a").click()
        report(page, winner)
    page.goto(round_page)
    page.get_by_role("button", name="Close round").click()
    expect(page.locator("#drawn > header")).to_contain_text("Closed")
    return winner


@pytest.mark.parametrize("width", [390, 1280])
def test_club_night_from_an_empty_club_to_standings(
    page, live_server, sign_in, faults, width
):
    page.set_viewport_size({"width": width, "height": 844})
    sign_in(make_user(name="Olga"))
    page.goto(live_server.url)
    begin(page)
    event = re.sub(r"(/leagues/[\w-]{16}/).*", r"\1", page.url)

    page.goto(f"{event}rounds/")
    page.get_by_role("link", name="Add round").first.click()
    page.get_by_role("button", name="Add round").click()
    guests_walk_in(page)
    pair_up(page)
    keep_and_swap(page, faults)
    page.get_by_role("button", name="Publish pairings").click()
    expect(page.locator("#drawn > header")).to_contain_text("Published")
    assert faults(page) == []
    round_page = page.url

    print_all(page)
    winner = play_out(page, round_page)
    page.goto(f"{event}standings/")
    expect(page.locator(".standings tbody th[scope=row]")).to_have_count(4)
    expect(page.locator(".standings tbody")).to_contain_text(winner)
    assert faults(page) == []
