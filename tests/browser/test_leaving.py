"""An account deleted in mid-league: what its owner reads before, what the others see and are told,
and how the league goes on. From an empty site that sends mail, by clicks alone.
"""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.people import PASSWORD, Person, found_club, join_club, mailing_site

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]
WIDTHS = [pytest.param(width, marks=pytest.mark.soak) for width in (390, 1280)]
FORMER = "Former player 1"


def publish(olga: Person) -> None:
    olga.press(re.compile("^Prepare"))
    olga.press("Publish pairings")
    expect(olga.page.locator("#drawn > header")).to_contain_text("Published")


def begin(olga: Person) -> str:
    """A league of all members, planned and with its first round published; return its address."""
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("New event")
    olga.press("Continue")
    olga.fill("Name", "Autumn league")
    olga.choose("More settings")
    olga.page.get_by_label("Who can see it").select_option(value="link")
    olga.page.get_by_label("Pairing method").select_option(value="robin")
    olga.press("Create event")
    for name in ("Olga", "Ada", "Ben", "Cleo"):
        olga.page.get_by_label(name, exact=True).check()
    olga.press("Add players")
    expect(olga.page.get_by_text("4 players added.")).to_be_visible()
    olga.follow("Plan all rounds.")
    olga.press("Plan all rounds")
    olga.follow("Round 1")
    publish(olga)
    return olga.page.url.replace("rounds/1/", "")


def opponent_of(player: Person, others: dict[str, Person]) -> Person:
    player.go("/")
    words = player.page.locator("main h1").inner_text()
    found = [name for name in others if re.search(rf"\b{name}\b", words)]
    assert len(found) == 1, words
    return others[found[0]]


def play(ada: Person, other: Person) -> None:
    ada.follow("Result")
    ada.page.get_by_label("Ada won", exact=True).check()
    ada.page.get_by_label("How it ended").select_option(label="Conceded")
    ada.press("Save result")
    ada.sees("Ada wins")
    other.opens_mail()
    other.follow("Confirm result")
    other.press(re.compile("Confirm"))
    other.sees("Confirmed")


def leave(ada: Person) -> None:
    ada.menu("Your account")
    ada.follow("Delete account")
    ada.page.get_by_label("Password").fill(PASSWORD)
    ada.press("Continue")
    ada.sees("You are in Autumn league.")
    ada.sees("“Former player” and a number")
    ada.sees("Your 1 open game is cancelled.")
    ada.page.get_by_label("Type your email address to confirm").fill(ada.email)
    ada.press("Delete account")
    expect(ada.page).not_to_have_url(re.compile("/accounts/close/"))


@pytest.mark.parametrize("width", WIDTHS)
def test_account_deleted_in_mid_league(browser, live_server, faults, width):
    assert not User.objects.exists()
    olga, ada, ben, cleo = (
        Person(browser, live_server.url, name, width)
        for name in ("Olga", "Ada", "Ben", "Cleo")
    )
    invitation = found_club(olga)
    for player in (ada, ben, cleo):
        join_club(player, invitation)
    league = begin(olga)
    others = {one.name: one for one in (olga, ben, cleo)}
    play(ada, opponent_of(ada, others))
    olga.go(f"{league}rounds/2/")
    publish(olga)
    left = opponent_of(ada, others)
    leave(ada)

    # The organiser and the opponent of the open game are told, here and by mail.
    for person in {olga, left}:
        assert any(f"{FORMER} deleted their account" in one.body for one in person.mails)
        person.go("/notices/")
        person.sees(re.compile(f"{FORMER} deleted their account. Cancelled: 1 open game."))
    assert faults(left.page) == []
    # The others see a name that says nothing, with the points it had.
    stranger = Person(browser, live_server.url, "Somebody", width)
    for reader in (ben, stranger):
        for page in ("", "standings/", "rounds/", "rounds/1/", "rounds/2/", "log/"):
            reader.go(f"{league}{page}")
            reader.sees(re.compile(FORMER))
            reader.sees_not("Ada")
    stranger.go(f"{league}standings/")
    first = stranger.page.locator(".standings tbody tr").first
    expect(first).to_contain_text(FORMER)
    expect(first).to_contain_text("3")
    # And the league goes on without them.
    olga.go(f"{league}rounds/3/")
    publish(olga)
    expect(olga.page.locator(".pairs")).not_to_contain_text("Former")
    expect(olga.page.locator(".pairs > li")).to_have_count(2)
    for person in (olga, ada, ben, cleo, stranger):
        person.context.close()
