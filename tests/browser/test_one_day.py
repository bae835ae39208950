"""The sign-up of a one-day tournament as the people in it walk it: 16 players and one who waits, each
on a phone of their own; all but one hand in a list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.people import Person, found_club, join_club, mailing_site
from tests.campaigns.leagues import NAMES

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.soak,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]
PLACES = 16
CHANGES_MIND, WAITS = "Pia", "Quinn"
PLAYERS = [*[*NAMES, "Mara", "Nils", "Olaf"][: PLACES - 1], CHANGES_MIND, WAITS]
SLOW, MADE_MOST = "Ada", 8
LOOKS = os.environ.get("LOOKS", "")
COUNT = "addEventListener('click', e => e.isTrusted && sessionStorage.clicks++, true)"
Look = Callable[[Person, str], None]


@pytest.fixture
def look(faults: Callable[[Page], list[str]]) -> Look:
    """At the page in front of somebody, on a desk and on a phone, in light and in dark; with LOOKS
    in the environment, pictures go to the folder it names.
    """

    def see(person: Person, name: str) -> None:
        page, size = person.page, person.page.viewport_size
        assert size
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            for scheme in ("dark", "light"):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                assert faults(page) == []
                if LOOKS:
                    path = Path(LOOKS) / f"{name}-{width}-{scheme}.png"
                    page.screenshot(path=path, full_page=True)
        page.set_viewport_size(size)

    return see


class Organiser(Person):
    """Somebody who runs the day; every click is counted."""

    event = ""

    def counts(self) -> None:
        """From here on."""
        self.page.evaluate("sessionStorage.clicks = 0")

    @property
    def clicks(self) -> int:
        return int(self.page.evaluate("sessionStorage.clicks"))


def make_event(olga: Organiser) -> str:
    """A one-day tournament of tomorrow that strangers may join; return the link to join it by."""
    morning = timezone.localtime() + timedelta(days=1)
    olga.go("/leagues/")
    olga.page.add_init_script(COUNT)
    olga.page.reload()
    olga.counts()
    olga.follow("New event")
    olga.choose("One-day tournament")
    olga.press("Continue")
    olga.fill("Name", "Winter day")
    olga.fill("Starts", morning.strftime("%Y-%m-%dT10:00"))
    olga.fill("Places for players", str(PLACES))
    olga.choose("More settings")
    olga.page.get_by_label("Who can see it").select_option(value="link")
    olga.press("Create event")
    olga.sees("Sign-up link")
    assert olga.clicks <= MADE_MOST
    olga.event = re.sub(r"(/leagues/[^/]+/).*", r"\1", olga.page.url)
    return olga.page.locator("#enter-link").inner_text()


def sign_up(player: Person, link: str) -> None:
    """Without an account so far; whoever comes too late waits."""
    player.go(link)
    player.creates_account()
    if player.name == WAITS:
        player.sees("All places are taken.")
        player.press("Join waiting list")
        player.sees("You are on the")
    else:
        player.press("Join event")
        expect(player.page.get_by_text("You have joined the event.").first).to_be_visible()


def bring(player: Person, number: int) -> None:
    """Take a starter warband."""
    player.go("/warbands/starters/")
    fold = player.page.locator(".starter").nth(number)
    fold.locator("summary").click()
    fold.get_by_role("button", name=re.compile("Use this warband")).click()
    expect(player.page.locator("#points")).to_be_visible()


def hand_in(player: Person) -> None:
    """From the page of lists in front of the player."""
    player.page.get_by_label("Warband", exact=True).select_option(index=1)
    player.press("Hand in list")
    expect(player.page.get_by_text(re.compile("^List handed in:")).first).to_be_visible()


def gather(browser: Browser, olga: Organiser, link: str, look: Look) -> dict[str, Person]:
    """Everybody signs up; all but the slow one hand in a list."""
    players = {name: Person(browser, olga.url, name, 390) for name in PLAYERS}
    for place, player in enumerate(players.values()):
        sign_up(player, link)
        if player.name == WAITS:
            look(player, "waiting")
        if player.name not in (SLOW, CHANGES_MIND):
            bring(player, place % 8)
            if player.name == WAITS:
                player.go(olga.event)
                player.follow("hand in your list")
            else:
                player.go(f"{olga.event}lists/")
                player.follow("Hand in your list")
            hand_in(player)
    return players


def test_signing_up(browser: Browser, live_server: LiveServer, look: Look) -> None:
    olga = Organiser(browser, live_server.url, "Olga", 1280)
    oskar = Organiser(browser, live_server.url, "Oskar", 390)
    invitation = found_club(olga)
    join_club(oskar, invitation)
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("All 2")
    olga.page.get_by_label("Change Oskar").click()
    olga.press("Make organiser")
    link = make_event(olga)
    players = gather(browser, olga, link, look)
    for person in (olga, oskar, *players.values()):
        person.context.close()
