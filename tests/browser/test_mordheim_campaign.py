"""A campaign of Mordheim as three players walk it, by clicks: three rounds on phones with mail on,
the paper of each treasury beside them; then the first battle is corrected.

The dice are typed, so that the way is the same each time. What a player has is worked out here, as
on paper, and never read from a page.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.people import Person, found_club, join_club, mailing_site
from tests.browser.recorders import Recorder
from tests.browser.test_campaign import challenge, enter, open_round
from tests.browser.test_growing_campaign import confirm

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser, pytest.mark.soak, pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]  # fmt: skip

PURSE = 500
SHARDS = {  # what so many bring to a warband of 10 to 12 models, and of 13 to 15
    12: (30, 45, 60, 65),
    15: (30, 40, 55, 60),
}


class Player(Person):
    """A player with a warband: what they click in the campaign, and the paper of their treasury."""

    campaign = after = ""
    crowns = PURSE

    def pays(self, amount: int) -> None:
        self.crowns -= amount

    def agrees(self) -> None:
        expect(self.page.locator("main")).to_contain_text(f"{self.crowns} gold crowns")

    def founds(self, starter: str, price: int) -> None:
        self.go(self.campaign)
        self.follow("Found your warband")
        self.sees(f"{PURSE} gold crowns")
        self.follow("Use a starter")
        self.choose(starter)
        self.press(f"Use this warband: {starter}")
        self.follow(re.compile("^Found your warband"))
        self.press("Found warband")
        self.pays(price)
        self.agrees()

    # After a battle

    @property
    def side(self) -> Locator:
        return self.page.locator(".after-side").first

    def card(self, title: str) -> Locator:
        return self.side.locator(".roll-card.is-open").filter(has_text=title).first

    def opens_after(self, fixture: str) -> None:
        self.after = fixture
        self.go(fixture)

    def throws(self, title: str, faces: str) -> None:
        card = self.card(title)
        card.locator("input[name=faces]").fill(faces)
        card.get_by_role("button", name=re.compile("^Roll")).click()
        shown = ", ".join(re.findall(r"\d", faces))
        expect(self.side.locator(".faces").filter(has_text=shown).first).to_be_visible()

    def picks(self, title: str, choice: str) -> None:
        self.card(title).get_by_role(
            "button", name=re.compile(f"^{re.escape(choice)}")
        ).click()

    def sells_shards(self, count: int, models: int) -> None:
        self.page.locator("select[name=count]").first.select_option(str(count))
        self.press("Sell treasure")
        self.crowns += SHARDS[models][count - 1]
        self.agrees()

    def is_settled(self) -> None:
        expect(self.side).to_contain_text("Everything is settled")

    # The shop

    def trades(self) -> None:
        self.go(self.campaign)
        self.follow("Trade and recruit")

    def offers(self, select: str, words: str) -> None:
        box = self.page.locator(select)
        option = box.locator("option").filter(has_text=re.compile(f"^{re.escape(words)}"))
        box.select_option(option.first.get_attribute("value"))

    def buys(self, bearer: str, piece: str, price: int) -> None:
        self.follow(bearer)
        self.press(re.compile(f"Buy for {price}.*{piece}"))
        self.pays(price)
        self.agrees()

    def searches(self, good: str, seeker: str, faces: str) -> None:
        self.offers("#t-good", good)
        self.offers("#t-seeker", seeker)
        self.page.locator("#t-faces").fill(faces)
        self.press("Roll and buy")

    def is_refused(self, words: str) -> None:
        expect(self.page.get_by_role("alert").filter(has_text=words).first).to_be_visible()


def begin(olga: Person) -> str:
    """A campaign of Mordheim with the rules that are offered for it; return its address."""
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("New event")
    olga.choose("Campaign")
    olga.page.get_by_label("Rule system").select_option("mordheim-rulings.A")
    olga.press("Continue")
    olga.fill("Name", "The long winter")
    olga.press("Create event")
    olga.follow("The long winter")
    olga.sees("No warband is founded yet.")
    return olga.page.url


def lock(player: Player, other: Player) -> None:
    """Open the game between two, and lock it with those who fight."""
    player.go(player.campaign)
    names = f"{player.name} against {other.name}|{other.name} against {player.name}"
    player.follow(re.compile(names))
    player.follow("Choose who fights")
    player.press("Lock battle")


def put_out(player: Player, model: str, by: str) -> None:
    player.page.get_by_label(f"{model}: Out", exact=True).locator("xpath=..").click()
    player.page.get_by_label(f"{model}: Taken out by").select_option(label=by)


def enter_result(player: Player, winner: str, fates: dict[str, str]) -> str:
    """Enter who took out whom; return the address of the page after the battle."""
    player.follow("Result")
    for model, by in fates.items():
        put_out(player, model, by)
    player.page.get_by_role("radio", name=re.compile(f"^{winner}")).first.check()
    player.page.locator("select[name=how]").select_option(label="Rout")
    player.press("Save result")
    player.follow("After the battle")
    player.sees("What happened")
    return player.page.url


def record(player: Player, winner: str, fates: dict[str, str]) -> str:
    """Record the battle as it is played, and report it; return the same."""
    player.follow("Record live")
    page = player.page
    token = page.url.split("/battles/")[1].partition("/")[0]
    table = Recorder(page, player.url, token).ready()
    table.begin(winner)
    for model, by in fates.items():
        page.locator(".cb", has_text=model).first.locator(".cb-name").click()
        page.get_by_role("button", name=re.compile("Out of action")).last.click()
        page.get_by_label("Taken out by").select_option(label=by)
    table.button("More: tests").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="End the battle").click()
    dialog.get_by_role("button", name="Rout").click()
    dialog.get_by_role("button", name=winner).click()
    dialog.get_by_role("button", name="End battle").click()
    result = page.get_by_role("link", name="Open result")
    expect(result).to_be_visible()
    table.sent()
    result.click()
    player.sees("493 gc")
    player.follow("Result")
    # Who learns nothing is promised nothing.
    player.sees_not("The Old Household")
    player.press("Save result")
    player.follow("After the battle")
    return page.url


def next_round(olga: Person, campaign: str) -> None:
    olga.go(campaign)
    olga.follow("Rounds")
    olga.page.locator("main").get_by_role("link", name=re.compile("^Round")).last.click()
    olga.press("Close round")
    olga.sees("Closed")
    open_round(olga, campaign)


def rule(olga: Person, player: Player, amount: int) -> None:
    """An organiser pays out what was found, and keeps somebody away by a ruling."""
    olga.go(player.campaign)
    olga.follow(player.name)
    olga.follow("Trade and recruit")
    olga.page.locator("#t-amount").fill(str(amount))
    olga.page.locator("#t-reason1").fill("Cellar of barrels: 4D6.")
    olga.press("Adjust treasury")
    olga.page.get_by_label("Ruling for").select_option(label="Pip")
    olga.page.get_by_label("What happens").select_option(label="Misses 1 game")
    olga.page.locator("#t-reason3").fill("He slept in the cellar.")
    olga.press("Save ruling")
    player.crowns += amount


@pytest.fixture
def players(browser: Browser, live_server: LiveServer) -> Iterator[list[Player]]:
    people = [
        Player(browser, live_server.url, name, 390) for name in ("Ben", "Cleo", "Dan")
    ]
    yield people
    for person in people:
        person.context.close()


def test_a_campaign_of_mordheim(browser, live_server, players, faults):
    olga = Person(browser, live_server.url, "Olga", 1280)
    ben, cleo, dan = players
    invitation = found_club(olga)
    campaign = begin(olga)
    starters = (
        ("The Ferrygate Halberds", 493),
        ("The Court at Sallow House", 491),
        ("The Gnawed Cellar", 489),
    )
    for player, starter in zip(players, starters, strict=True):
        player.campaign = campaign
        join_club(player, invitation)
        enter(player)
        player.founds(*starter)
        assert faults(player.page) == []
    open_round(olga, campaign)
    ben.trades()
    # The post and the list both sell it; it is offered once.
    expect(ben.page.locator("main").get_by_text("Sword", exact=True)).to_have_count(1)
    ben.buys("Wenzel Pohl", "Rope and hook", 5)

    # The first round, recorded live: Ben wins, and Wenzel is taken captive.
    challenge(cleo, ben, campaign)
    lock(ben, cleo)
    first = record(
        ben,
        "The Ferrygate Halberds",
        {
            "Nurse Prisca": "Captain Ottmar Reuss",
            "Zombie 1": "Tomas Hallmeier",
            "Zombie 2": "Tomas Hallmeier",
            "Hob": "The Ferrymen",
            "Wenzel Pohl": "Lady Aurelia Sallow",
        },
    )
    ben.after = first
    ben.choose("Objectives")
    ben.page.get_by_label("Shards carried off").first.fill("1")
    ben.page.get_by_label("Ilse Kramm took").fill("1")
    ben.press("Save objectives")
    ben.card("Wenzel Pohl").locator("input[name=faces]").fill("79")
    ben.card("Wenzel Pohl").get_by_role("button", name=re.compile("^Roll")).click()
    ben.sees("D66 cannot show 7, 9.")
    ben.throws("Wenzel Pohl", "61")
    # His price, with the rope, is more than there is.
    ben.picks("Ransom", "Pay 23")
    ben.sees("It costs 23 gold crowns, and the treasury has 2.")
    ben.throws("Tomas Hallmeier", "1 3")
    ben.picks("Tomas Hallmeier", "Step Aside")
    ben.throws("Ilse Kramm", "3 4")
    ben.picks("Ilse Kramm", "+1 WS")
    # Four heroes and the victory: five dice. 15 is three shards, and two 3s a corpse.
    ben.throws("Searching the ruins", "1 3 3 6 2")
    ben.throws("Fresh corpse", "1")
    ben.throws("Purse", "4")
    ben.crowns += 4
    ben.throws("Veterans", "2 3")
    ben.sells_shards(4, 12)
    assert faults(ben.page) == []

    cleo.opens_after(first)
    for model, faces in (
        ("Nurse Prisca", "11"),
        ("Hob", "55"),
        ("model 2", "1"),
        ("model 3", "4"),
    ):
        cleo.throws(model, faces)
    cleo.throws("Searching the ruins", "552")
    cleo.throws("Upset cart", "4")
    cleo.throws("Purse", "36")
    cleo.crowns += 9
    cleo.throws("Veterans", "33")
    cleo.sells_shards(3, 12)
    cleo.is_settled()
    cleo.follow("Name ransom")
    cleo.fill("Ransom", "4")
    cleo.press("Name ransom")
    cleo.is_refused("A ransom is at least 5.")
    cleo.fill("Ransom", "30")
    cleo.press("Name ransom")
    cleo.sees("Treasury")
    assert faults(cleo.page) == []

    assert "Pay 30 gold crowns" in ben.opens_mail()
    ben.picks("Ransom", "Pay 30")
    ben.pays(30)
    cleo.crowns += 30
    ben.is_settled()
    ben.agrees()
    ben.trades()
    ben.offers("#t-profile", "Pit Fighter")
    ben.press("Recruit unit")
    ben.pays(30)
    ben.agrees()
    ben.press("Add models")
    # A Warrior with his halberd, and 2 crowns for what the group has learned.
    ben.is_refused(f"It costs 37 gold crowns, and the treasury has {ben.crowns}.")

    cleo.trades()
    cleo.agrees()
    cleo.searches("Lucky charm", "Lady Aurelia Sallow", "12")
    expect(cleo.page.locator("#toasts")).to_contain_text("not found")
    cleo.agrees()
    # Each looks once.
    expect(cleo.page.locator("#t-seeker")).not_to_contain_text("Lady Aurelia Sallow")
    cleo.searches("Dark venom", "Doctor Emmerich Quill", "5 4 2 3")
    cleo.pays(30 + 2 + 3)
    cleo.agrees()
    confirm(cleo)

    # The second round: the captain is killed, a Warrior is promoted, upkeep is missing.
    next_round(olga, campaign)
    challenge(dan, ben, campaign)
    lock(ben, dan)
    second = enter_result(
        ben,
        "The Gnawed",
        {
            "Snikk": "Tomas Hallmeier",
            "Verminkin 2": "Gerlind Brack",
            "Captain Ottmar Reuss": "Skrittle Ninetoes",
            "Pit Fighter": "Krutch",
        },
    )
    ben.after = second
    ben.throws("Captain Ottmar Reuss", "12")
    ben.picks("New leader", "Tomas Hallmeier")
    ben.throws("Pit Fighter", "5")
    ben.throws("The Ferrymen", "56")
    ben.picks("List of skills 1", "Combat")
    ben.picks("List of skills 2", "Strength")
    ben.throws("Advance 1, hero", "42")
    ben.throws("Strength or attack", "2")
    ben.throws("Advance 1, others", "11")
    ben.throws("Gerlind Brack", "45")
    ben.throws("Wounds or toughness", "5")
    ben.throws("Wenzel Pohl", "55")
    ben.picks("Wenzel Pohl", "Sprint")
    ben.throws("The Tollhouse Bows", "33")
    ben.picks("The Tollhouse Bows", "+1 BS")
    ben.throws("Searching the ruins", "6661")
    ben.throws("Veterans", "11")
    ben.picks("Upkeep", "Pay 15")
    ben.sees(f"It costs 15 gold crowns, and the treasury has {ben.crowns}.")
    ben.sells_shards(4, 12)
    ben.picks("Upkeep", "Pay 15")
    ben.pays(15)
    ben.is_settled()
    ben.agrees()

    dan.opens_after(second)
    dan.throws("Snikk", "61")
    dan.throws("The Cellar Clan", "6")
    dan.throws("Searching the ruins", "111223")
    dan.throws("Veterans", "44")
    dan.picks("Ransom", "Refuse")
    dan.throws("Ransom, sold", "4")
    ben.crowns += 4 * 5
    dan.sells_shards(2, 15)
    dan.is_settled()
    rule(olga, dan, 13)
    dan.trades()
    dan.agrees()
    confirm(dan)

    # Who was refused leaves his swords to the captor.
    ben.go(campaign)
    ben.follow("Open warband")
    ben.sees("Sword, Sword")
    ben.sees("The Ferrymen, hero")
    expect(ben.page.locator("main")).not_to_contain_text("Fewer than the list needs")
    assert faults(ben.page) == []
    ben.trades()
    ben.offers("#t-piece", "Sword (Stash)")
    ben.page.locator("#t-target").select_option(label="Ilse Kramm")
    ben.press("Give piece")
    ben.offers("#t-piece", "Sword (Stash)")
    ben.press("Sell piece")
    ben.crowns += 10 // 2
    ben.agrees()
    ben.go(campaign)
    ben.follow("Open warband")
    ben.follow("Ledger")
    ben.sees("Sold Sword from the stash, 5 gold crowns")

    # The third round: Cleo lets so many go that she is the underdog.
    next_round(olga, campaign)
    cleo.trades()
    for unit, models in (
        ("The Larder (3)", 4),
        ("The Larder (3)", 3),
        ("The Hunting Hounds", 1),
    ):
        cleo.page.locator("#t-who").select_option(label=unit)
        cleo.page.locator("#t-leave").fill(str(models))
        cleo.press("Dismiss models")
        if models == 4:
            cleo.is_refused("The Larder has fewer than 4 models")
    challenge(cleo, dan, campaign)
    lock(cleo, dan)
    third = enter_result(
        cleo, "The Court", {"Tip-Tap": "Lady Aurelia Sallow", "Hob": "Skrittle Ninetoes"}
    )
    cleo.sees(re.compile(r"Led the winners \+1, Underdog \+1"))
    cleo.sees_not("Pip")

    # Nurse Prisca was not out in the first battle: a fourth die, and no underdog any more.
    olga.go(first)
    olga.press("Result")
    olga.page.get_by_label("Nurse Prisca: Out", exact=True).locator("xpath=..").click()
    olga.page.locator("[name=reason]").fill("The score sheet says so.")
    olga.press("Preview changes")
    olga.sees(f"Cleo: gold crowns {cleo.crowns} → {cleo.crowns - 60 - 9}.")
    olga.press("Save result")
    cleo.go(third)
    cleo.sees("Led the winners +1")
    cleo.sees_not("Underdog")
    cleo.opens_after(first)
    cleo.sees(re.compile("No longer called for"))
    cleo.card("Searching the ruins").locator("input[name=faces]").fill("5523")
    cleo.card("Searching the ruins").get_by_role("button", name=re.compile("^Roll")).click()
    cleo.sees(f"Cleo: gold crowns {cleo.crowns - 60 - 9} → {cleo.crowns}.")
    cleo.press("Save answer")
    cleo.agrees()
    olga.go(campaign)
    for player in players:
        row = olga.page.locator("table.warbands tr").filter(has_text=player.name)
        expect(row.get_by_role("cell", name=str(player.crowns), exact=True)).to_be_visible()
    for scheme in ("light", "dark"):
        olga.page.emulate_media(color_scheme=scheme)
        for address in (campaign, first, third):
            olga.go(address)
            assert faults(olga.page) == []
    olga.context.close()
