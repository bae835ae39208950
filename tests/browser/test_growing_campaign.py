"""A campaign whose warbands grow, by clicks: two phones and an organiser, from its making to two
battles and the shop; then the first battle is corrected, and everything follows.
"""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.people import Person, found_club, join_club, mailing_site
from tests.browser.test_campaign import challenge, enter, open_round
from tests.campaigns.growing import roster
from tests.factories import make_person
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import import_document

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser, pytest.mark.soak, pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]  # fmt: skip


def begin(olga: Person) -> str:
    """A campaign with the rules of the site; return its address."""
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("New event")
    olga.choose("Campaign")
    olga.press("Continue")
    olga.fill("Name", "The long winter")
    olga.page.get_by_label("Campaign rules").select_option(label="Muster campaign")
    olga.press("Create event")
    olga.follow("The long winter")
    olga.sees("No warband is founded yet.")
    return olga.page.url


def found(player: Person, campaign: str) -> None:
    """Choose a roster that was built before, and found a warband with it."""
    user = User.objects.get(email=player.email)
    import_document(WriteContext(make_person(user=user)), roster(name=f"{player.name}s"))
    player.go(campaign)
    player.follow("Found your warband")
    player.sees("250 crowns")
    player.press("Found warband")
    player.sees("Hero, Captain")


def fight(winner, loser, campaign, *, out, warbands=("", "")) -> str:
    """The winner locks the battle and tells it; return the address of the page after it.

    ``warbands`` are the winner's and the loser's, named after their players if left out.
    """
    winners, losers = warbands[0] or winner.name, warbands[1] or loser.name
    winner.go(campaign)
    title = f"{winner.name} against {loser.name}|{loser.name} against {winner.name}"
    winner.follow(re.compile(title))
    winner.follow("Choose who fights")
    winner.press("Lock battle")
    winner.follow("Result")
    block = winner.page.locator("section.fates").filter(
        has=winner.page.get_by_role("heading", name=re.compile(f"^{losers}"))
    )
    row = block.locator("li.fate").filter(has_text=out).first
    row.locator("label.out").click()
    winner.page.get_by_role("radio", name=re.compile(f"^{winners}")).first.check()
    winner.page.locator("select[name=how]").select_option(label="Conceded")
    winner.press("Save result")
    winner.go(campaign)
    winner.follow("After the battle")
    winner.sees("What happened")
    return winner.page.url


def confirm(loser: Person) -> None:
    """The mail about the result leads to the game, where the loser confirms it."""
    loser.opens_mail("Confirm or dispute")
    loser.follow("Confirm result")
    loser.press(re.compile("Confirm"))
    loser.sees("Confirmed")


def settle(player: Person, after: str) -> None:
    """Roll everything, then choose whatever comes first."""
    player.go(after)
    player.press(re.compile(r"^Roll all"))
    choice = player.page.locator(".after-side").first.locator("button[name=choice]")
    while choice.count():
        choice.last.click()
    expect(player.page.locator(".after-side").first).to_contain_text(
        "Everything is settled"
    )


def shop(player: Person, campaign: str) -> None:
    """Buy something for the leader, and see the ledger."""
    player.go(campaign)
    player.follow("Trade and recruit")
    player.follow("Otto")
    player.press(re.compile("Physick"))
    player.sees("Stash")
    player.go(campaign)
    player.follow("Open warband")
    player.sees("Shield, Physick's bag")
    player.follow("Ledger")
    player.sees("Bought Physick's bag for Otto, 12 crowns")


def test_a_growing_campaign_and_its_first_battle_corrected(browser, live_server, faults):
    olga = Person(browser, live_server.url, "Olga", 1280)
    ben, cleo = (Person(browser, live_server.url, name, 390) for name in ("Ben", "Cleo"))
    invitation = found_club(olga)
    campaign = begin(olga)
    for player in (ben, cleo):
        join_club(player, invitation)
        enter(player)
        found(player, campaign)
        assert faults(player.page) == []
    open_round(olga, campaign)
    challenge(cleo, ben, campaign)
    first = fight(ben, cleo, campaign, out="Ilse")
    assert faults(ben.page) == []
    for player in (ben, cleo):
        settle(player, first)
    assert faults(cleo.page) == []
    shop(ben, campaign)
    assert faults(ben.page) == []
    confirm(cleo)
    challenge(ben, cleo, campaign)
    second = fight(cleo, ben, campaign, out="Ilse")
    for player in (cleo, ben):
        settle(player, second)
    olga.go(campaign)
    rows = olga.page.locator("section:has(#warbands) tbody tr")
    expect(rows).to_have_count(2)
    assert faults(olga.page) == []
    # The first battle was a draw after all, and nobody was out.
    olga.go(first)
    before = olga.page.locator(".after-side").filter(has_text="Cleo").inner_text()
    olga.press("Result")
    olga.page.locator("li.fate label.out:has(:checked)").first.click()
    olga.page.get_by_role("radio", name="Draw").check()
    olga.page.locator("[name=reason]").fill("The score sheet says so.")
    olga.press("Preview changes")
    olga.press("Save result")
    olga.go(first)
    olga.sees("Draw")
    assert olga.page.locator(".after-side").filter(has_text="Cleo").inner_text() != before
    olga.sees(re.compile("No longer called for"))
    olga.go(second)
    olga.sees("What happened")
    assert faults(olga.page) == []
    for person in (olga, ben, cleo):
        person.context.close()
