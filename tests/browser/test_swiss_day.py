"""A Swiss day of 24 players on a site that sends mail, from an empty database: secret lists, one of
them late, a kept pairing, a list to pin up, a stale draft, a drop-out, a dispute, acceptance.

The organiser and three players tap in browsers of their own; the others send the forms of the pages.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.core import mail
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from campaigns.models import ClubEvent, Fixture, FixtureStatus, ListLock
from tests.browser.people import Correspondent, Person, found_club, join_club, mailing_site
from tests.campaigns.leagues import NAMES

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]
PLAYERS = 24
TAPPING = ("Ada", "Ben", "Leo")
OTHERS = [one for one in NAMES if one not in TAPPING]
SENDING = OTHERS + [f"Player {n}" for n in range(len(OTHERS), PLAYERS - len(TAPPING))]
DISPUTES, LEAVES = "Ben", "Leo"
PHONE = 390
LOOKED_AT = ("lists", "stale")
LOOKS = os.environ.get("LOOKS", "")


def look(page: Page, name: str, faults: Callable[[Page], list[str]]) -> None:
    """Nothing for axe to find; a picture where somebody asks for one.

    On a phone a few pages are enough: the guards take every page through axe.
    """
    width = (page.viewport_size or {}).get("width", 0)
    if width > PHONE or name in LOOKED_AT:
        assert faults(page) == []
    if LOOKS:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(
                path=Path(LOOKS) / f"{name}-{width}-{scheme}.png", full_page=True
            )


@dataclass
class SwissDay:
    """The organiser, the players by their names, and where the event is."""

    olga: Person
    tapping: dict[str, Person]
    sending: dict[str, Correspondent]
    address: str = ""
    bands: dict[str, str] = field(default_factory=dict)

    @property
    def token(self) -> str:
        return ClubEvent.objects.get().token

    def fixtures(self, number: int) -> list[Fixture]:
        rows = Fixture.objects.filter(round__number=number).select_related("one", "other")
        return list(rows.order_by("position"))

    def fixture(self, name: str) -> Fixture:
        rows = self.fixtures(1)
        return next(
            row for row in rows if row.other and name in (row.one.name, row.other.name)
        )

    def close(self) -> None:
        for person in (self.olga, *self.tapping.values()):
            person.context.close()


def gather(browser: Browser, url: str, width: int) -> SwissDay:
    """Accounts, a club, and an event that all of them join."""
    day = SwissDay(
        Person(browser, url, "Olga", width),
        {name: Person(browser, url, name, width) for name in TAPPING},
        {name: Correspondent(name, place) for place, name in enumerate(SENDING, start=1)},
    )
    invitation = found_club(day.olga)
    link = make_event(day)
    for player in day.tapping.values():
        join_club(player, invitation)
        player.follow("Autumn league")
        player.follow(re.compile("^Join"))
        player.press("Join event")
    for one in day.sending.values():
        one.creates_account()
        one.send(invitation.removeprefix(url))
        one.send(link.removeprefix(url))
    day.olga.go(day.address)
    return day


def make_event(day: SwissDay) -> str:
    olga = day.olga
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("New event")
    olga.press("Continue")
    olga.fill("Name", "Autumn league")
    olga.choose("More settings")
    olga.page.get_by_label("Who can see it").select_option(value="link")
    olga.page.get_by_label("Pairing method").select_option(value="swiss")
    olga.page.get_by_label("Players hand in").select_option(value="each")
    olga.page.get_by_label("Lists are secret").check()
    confirms = olga.page.get_by_label("Who confirms a reported result")
    confirms.select_option(label="An organiser accepts it")
    olga.press("Create event")
    day.address = re.sub(r"(/leagues/[^/]+/).*", r"\1", olga.page.url)
    return olga.page.locator("#enter-link").inner_text()


def report(day: SwissDay, number: int) -> None:
    """Somebody of each open game reports having won it; Ben leaves that to his opponent."""
    for game in day.fixtures(number):
        if game.status != FixtureStatus.OPEN or game.other is None:
            continue
        winner = game.other if game.one.name == DISPUTES else game.one
        if winner.name in day.tapping:
            tell(day.tapping[winner.name], day, game)
        else:
            said = {"winner": winner.token, "how": "conceded", "key": f"k{game.pk}" * 5}
            address = reverse("fixture-result", args=[day.token, game.token])
            day.sending[winner.name].send(address, **said)


def tell(winner: Person, day: SwissDay, game: Fixture) -> None:
    winner.go(f"{day.address}fixtures/{game.token}/")
    winner.follow("Result")
    winner.page.get_by_label(f"{winner.name} won", exact=True).check()
    winner.page.get_by_label("How it ended").select_option(label="Conceded")
    winner.press("Save result")
    winner.sees(f"{winner.name} wins")


def bring(player: Person, number: int) -> str:
    player.go("/warbands/starters/")
    fold = player.page.locator(".starter").nth(number)
    fold.locator("summary").click()
    fold.get_by_role("button", name=re.compile("Use this warband")).click()
    expect(player.page.locator("#points")).to_be_visible()
    return player.page.locator("main h1").inner_text()


def hand_in(player: Person, day: SwissDay) -> None:
    player.go(f"{day.address}lists/1/")
    player.page.get_by_label("Warband", exact=True).select_option(index=1)
    player.press("Hand in list")
    expect(player.page.get_by_text(re.compile("^List handed in:"))).to_be_visible()


def add_round(page: Page, address: str) -> None:
    page.goto(f"{address}rounds/new/")
    page.locator("main form button.pri").click()


def pair(page: Page, address: str) -> None:
    add_round(page, address)
    page.get_by_role("button", name="Pair players").click()
    expect(page.locator(".pairs > li")).to_have_count(PLAYERS // 2)


def lists(day: SwissDay, faults: Callable[[Page], list[str]]) -> None:
    """Handed in before the deadline and once after it, secret until they are revealed."""
    page, ada, ben = day.olga.page, day.tapping["Ada"], day.tapping[DISPUTES]
    add_round(page, day.address)
    of_ada, of_ben = bring(ada, 0), bring(ben, 1)
    assert of_ada != of_ben
    hand_in(ada, day)
    page.goto(f"{day.address}rounds/1/edit/")
    page.get_by_label("Lists due").fill("2026-01-02T19:00")
    page.get_by_role("button", name="Save round").click()
    expect(page.get_by_text("Lists due 2 January, 19:00")).to_be_visible()
    ben.go(f"{day.address}lists/1/")
    ben.sees(re.compile("were due on 2 January 2026"))
    page.goto(f"{day.address}lists/")
    page.get_by_role("button", name="Unlock the list of Ben").click()
    expect(page.get_by_role("button", name="Lock the list of Ben")).to_be_visible()
    hand_in(ben, day)
    assert ListLock.objects.filter(snapshot__isnull=False).count() == 2
    ben.go(f"{day.address}lists/")
    ben.sees(of_ben)
    ben.sees_not(of_ada)
    page.goto(f"{day.address}lists/")
    expect(page.locator(".handed")).to_contain_text(of_ben)
    look(page, "lists", faults)
    page.get_by_role("button", name="Reveal all lists").click()
    page.get_by_role("button", name="Reveal anyway").click()
    expect(page.get_by_text("Revealed on")).to_be_visible()
    ben.go(f"{day.address}lists/")
    ben.sees(of_ada)


def dispute(day: SwissDay) -> Fixture:
    ben, game = day.tapping[DISPUTES], day.fixture(DISPUTES)
    ben.go(f"{day.address}fixtures/{game.token}/")
    ben.follow("Dispute result")
    ben.fill("Reason", "A draw")
    ben.press("Dispute result")
    ben.sees("Disputed")
    return game


def drop_out(leo: Person, day: SwissDay) -> None:
    """From his own page in the event, where the standings lead."""
    leo.go(f"{day.address}standings/")
    leo.follow(leo.name)
    leo.follow("Change or drop out")
    leo.page.get_by_label(re.compile("Reason")).fill("Ill")
    leo.press("Drop out of event")


def keep_a_pair(page: Page) -> None:
    """A locked game stays where the others are paired again."""
    first = page.locator(".pairs > li").first
    title = first.locator(".vs").inner_text()
    first.get_by_role("button", name=re.compile("^Keep")).click()
    expect(page.locator(".pairs [aria-pressed=true]")).to_have_count(1)
    with page.expect_response(re.compile("/draw/")):
        page.get_by_role("button", name="Pair again").first.click()
    page.reload()
    kept = page.locator(".pairs > li", has=page.locator("[aria-pressed=true]"))
    assert kept.locator(".vs").inner_text() == title


@pytest.mark.parametrize(
    "width", [pytest.param(width, marks=pytest.mark.soak) for width in (390, 1280)]
)
def test_swiss_day(browser, live_server, faults, width):
    assert not User.objects.exists()
    day = gather(browser, live_server.url, width)
    page, address = day.olga.page, day.address
    lists(day, faults)
    page.goto(f"{address}rounds/1/")
    page.get_by_role("button", name="Pair players").click()
    expect(page.locator(".pairs > li")).to_have_count(PLAYERS // 2)
    keep_a_pair(page)
    mail.outbox.clear()
    page.get_by_role("button", name=re.compile("^Publish")).click()
    expect(page.get_by_role("button", name="Close round")).to_be_visible()
    assert len({one.to[0] for one in mail.outbox}) == PLAYERS
    page.goto(f"{address}rounds/1/seats/")
    expect(
        page.locator("#by-player ~ * tbody tr, section:has(#by-player) tbody tr")
    ).to_have_count(PLAYERS)
    look(page, "seats", faults)
    report(day, 1)
    page.goto(f"{address}standings/")
    expect(page.get_by_text("1 provisional").first).to_be_visible()
    look(page, "standings", faults)
    # One disputes; the round cannot be closed before the organiser has looked at it.
    game = dispute(day)
    assert game.other
    winner = game.other.name if game.one.name == DISPUTES else game.one.name
    page.goto(f"{address}rounds/1/")
    expect(
        page.get_by_role("button", name=re.compile("close round", re.IGNORECASE))
    ).to_have_count(0)
    pair(page, address)
    page.goto(f"{address}fixtures/{game.token}/")
    expect(page.locator(".verdict")).to_contain_text(f"Reported: {winner} won")
    look(page, "fixture", faults)
    page.get_by_role("button", name="Accept result").click()
    expect(page.get_by_text("Result accepted.").first).to_be_visible()
    # The draft was paired without that result.
    page.goto(f"{address}rounds/2/")
    expect(page.locator("#late-results")).to_contain_text(
        "1 result changed after this pairing"
    )
    look(page, "stale", faults)
    page.locator("#drawn").get_by_role("button", name="Pair again").click()
    expect(page.locator("#late-results")).to_have_count(0)
    # Somebody drops out of the draft, and is paired no more.
    drop_out(day.tapping[LEAVES], day)
    page.goto(f"{address}rounds/2/")
    page.get_by_role("button", name="Pair again").first.click()
    expect(page.locator(".pairs")).not_to_contain_text(LEAVES)
    page.get_by_role("button", name=re.compile("^Publish")).click()
    expect(page.get_by_role("button", name="Close round")).to_be_visible()
    page.goto(f"{address}rounds/1/")
    look(page, "round", faults)
    page.get_by_role("button", name="Accept all results and close round").click()
    expect(page.locator("#drawn header")).to_contain_text("Closed")
    page.goto(address)
    page.locator("#who-sees summary").click()
    look(page, "event", faults)
    page.goto(f"{address}edit/")
    look(page, "edit", faults)
    page.goto(f"{live_server.url}/notices/")
    look(page, "notices", faults)
    day.close()
