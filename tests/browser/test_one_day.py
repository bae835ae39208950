"""A one-day tournament as its people walk it, from the sign-up to the table of the season: players on
phones, an organiser at a desk and one on a phone, the hall screen in a browser without an account.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page, expect

from accounts.models import Membership, Role, User
from tests.browser.people import PASSWORD, Person, found_club, join_club, mailing_site
from tests.campaigns.leagues import NAMES, make_entry, make_event
from tests.factories import make_club, make_person, make_user

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]
CHANGES_MIND, WAITS, LATE = "Pia", "Quinn", "Ada"
MISTAKEN, LEAVES, IS_SENT_HOME = "Ben", "Cleo", "Dora"
MADE_MOST, RESULTS_MOST, ROUND_MOST = 8, 26, 6
LOOKS = os.environ.get("LOOKS", "")
# A press of a pointer, a key beside the figures, and two for what is chosen from a list.
COUNT = """
const count = (type, presses) => addEventListener(type, (event) => {
  if (event.isTrusted) sessionStorage.presses = Number(sessionStorage.presses || 0) + presses(event);
}, true);
count("pointerdown", () => 1);
count("keydown", (event) => /^[0-9]$/.test(event.key) ? 0 : 1);
count("change", (event) => event.target.matches("select") ? 2 : 0);
"""
Look = Callable[[Page, str], None]


class Organiser(Person):
    """Somebody who runs the day, whose presses are counted."""

    def __init__(self, browser: Browser, url: str, name: str, width: int) -> None:
        super().__init__(browser, url, name, width)
        self.page.add_init_script(COUNT)

    def counts(self) -> None:
        self.page.evaluate("sessionStorage.presses = 0")

    @property
    def presses(self) -> int:
        return int(self.page.evaluate("sessionStorage.presses"))


def sign_in(person: Person) -> None:
    person.go("/accounts/login/")
    person.signs_in()
    person.page.wait_for_url(lambda address: "login" not in address)


@dataclass
class Day:
    """Who runs it and who plays, and where it is; one more than it has places for waits."""

    browser: Browser
    olga: Organiser
    oskar: Organiser
    places: int
    rounds: int
    look: Look
    address: str = ""
    screen: str = ""

    @property
    def names(self) -> list[str]:
        first = [*NAMES, "Mara", "Nils", "Olaf"][: self.places - 1]
        return [*first, CHANGES_MIND, WAITS]

    def back(self, name: str) -> Person:
        """Somebody who has an account takes the phone out again."""
        player = Person(self.browser, self.olga.url, name, 390)
        sign_in(player)
        player.go(self.address)
        return player

    def round(self, number: int) -> str:
        return f"{self.address}rounds/{number}/"


@pytest.fixture
def day(browser, live_server, faults, soak) -> Iterator[Day]:
    looks_at_all = bool(LOOKS) or soak(0, 1)

    def look(page: Page, name: str) -> None:
        """On a desk and on a phone, in light and in dark; pictures go to the folder of LOOKS."""
        size = page.viewport_size
        assert size
        if not looks_at_all:
            return
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            for scheme in ("dark", "light"):
                page.emulate_media(color_scheme=scheme)
                assert faults(page) == []
                if LOOKS:
                    path = Path(LOOKS) / f"{name}-{width}-{scheme}.png"
                    page.screenshot(path=path, full_page=True)
        page.set_viewport_size(size)

    olga = Organiser(browser, live_server.url, "Olga", 1280)
    oskar = Organiser(browser, live_server.url, "Oskar", 390)
    yield Day(browser, olga, oskar, soak(4, 16), soak(1, 4), look)
    for context in browser.contexts:
        context.close()


def sign_up_all(day: Day) -> None:
    """A club with two organisers, an event of tomorrow, and lists of all but two of its players."""
    olga, morning = day.olga, timezone.localtime() + timedelta(days=1)
    join_club(day.oskar, found_club(olga))
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("All 2")
    olga.page.get_by_label("Change Oskar").click()
    olga.press("Make organiser")
    olga.go("/leagues/")
    olga.counts()
    olga.follow("New event")
    olga.choose("One-day tournament")
    olga.press("Continue")
    olga.fill("Name", "Winter day")
    olga.fill("Starts", morning.strftime("%Y-%m-%dT10:00"))
    olga.fill("Places for players", str(day.places))
    olga.choose("More settings")
    olga.page.get_by_label("Who can see it").select_option(value="link")
    olga.press("Create event")
    olga.sees("Sign-up link")
    assert olga.presses <= MADE_MOST
    day.look(olga.page, "entries-empty")
    day.address = re.sub(r"(/leagues/[^/]+/).*", r"\1", olga.page.url)
    link = olga.page.locator("#enter-link").inner_text()
    for place, name in enumerate(day.names):
        player = Person(day.browser, olga.url, name, 390)
        sign_up(player, link)
        if name == WAITS:
            day.look(player.page, "waiting")
        if name not in (LATE, CHANGES_MIND):
            bring(player, place % 8)
            player.go(day.address)
            if name == WAITS:
                player.follow("hand in your list")
            else:
                player.go(f"{day.address}lists/")
                player.follow("Hand in your list")
            hand_in(player)
        player.context.close()


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
    player.go("/warbands/starters/")
    fold = player.page.locator(".starter").nth(number)
    fold.locator("summary").click()
    fold.get_by_role("button", name=re.compile("Use this warband")).click()
    expect(player.page.locator("#points")).to_be_visible()


def hand_in(player: Person) -> None:
    player.page.get_by_label("Warband", exact=True).select_option(index=1)
    player.press("Hand in list")
    expect(player.page.get_by_text(re.compile("^List handed in:")).first).to_be_visible()


def check_lists(day: Day) -> None:
    """One is sent back and handed in again, one is reminded, all are checked and revealed."""
    oskar = day.oskar
    oskar.go(day.address)
    oskar.more("Lists")
    day.look(oskar.page, "lists-missing")
    mail.outbox.clear()
    oskar.press("Remind")
    assert {to for letter in mail.outbox for to in letter.to} == {
        f"{name.lower()}@club.example" for name in (LATE, CHANGES_MIND)
    }
    oskar.page.get_by_label(f"List of {MISTAKEN}", exact=True).click()
    oskar.page.get_by_label("What to change").fill("The leader needs a weapon.")
    day.look(oskar.page, "list-check")
    oskar.press("Send back")
    oskar.sees("Sent back: The leader needs a weapon.")
    ben = day.back(MISTAKEN)
    assert "The leader needs a weapon." in ben.opens_mail("sent your list back")
    day.look(ben.page, "hand-in-sent-back")
    hand_in(ben)
    ben.context.close()
    late = day.back(LATE)
    bring(late, 0)
    late.go("/")
    late.follow("Hand in your list")
    hand_in(late)
    late.context.close()


def change_mind(day: Day) -> None:
    """Somebody drops out before the draw, and whoever waits has the place and is told."""
    pia = day.back(CHANGES_MIND)
    pia.follow("Players")
    pia.follow(re.compile("Change"))
    pia.press("Drop out of event")
    pia.context.close()
    quinn = day.back(WAITS)
    assert "place" in quinn.opens_mail("a place is free")
    quinn.context.close()
    oskar = day.oskar
    oskar.go(f"{day.address}lists/")
    unchecked = oskar.page.get_by_role("button", name=re.compile("^Mark as checked"))
    for count in range(day.places, 0, -1):
        expect(unchecked).to_have_count(count)
        unchecked.first.click()
    expect(unchecked).to_have_count(0)
    day.look(oskar.page, "lists-checked")
    oskar.press("Reveal all lists")
    oskar.sees("Revealed on")
    olga = day.olga
    olga.go(f"{day.address}desk/")
    day.look(olga.page, "desk")
    for page in ("messages", "copy"):
        olga.go(f"{day.address}{page}/")
        day.look(olga.page, page)
    olga.go(f"{day.address}desk/")
    olga.press("All paid")
    expect(
        olga.page.get_by_role("checkbox", name=re.compile("has paid")).first
    ).to_be_checked()


def set_up(day: Day) -> None:
    """The same without a walk: four players of a club, nobody waits and no lists."""
    people = {
        name: make_person(user=make_user(name=name, email=address, password=PASSWORD))
        for name in ("Olga", "Oskar", *NAMES[: day.places])
        for address in [f"{name.lower()}@club.example"]
    }
    for user in User.objects.all():
        EmailAddress.objects.create(
            user=user, email=user.email, verified=True, primary=True
        )
    olga, oskar, *members = people.values()
    club = make_club(owner=olga, members=[oskar, *members], name="Harbour Street")
    rows = Membership.objects.filter(club=club, user_id=oskar.user_id)
    rows.update(role=Role.ORGANISER)
    settings = {"name": "Winter day", "kind": "one_day", "confirmation": "reports"}
    event = make_event(organiser=olga, club=club, **settings)
    for member in members:
        make_entry(event=event, organiser=olga, user_id=member.user_id)
    day.address = f"{day.olga.url}/leagues/{event.token}/"
    sign_in(day.olga)
    sign_in(day.oskar)


def draw_first(day: Day) -> None:
    """From the players to printed tables, with the hall screen turned on."""
    olga = day.olga
    olga.go(f"{day.address}entries/")
    # Who hands in a list plans the first round.
    olga.follow(re.compile("^(Add a round|Go to round 1)[.]$"))
    olga.sees(re.compile("^(New round|Round 1)$"))
    if olga.page.url.endswith("/rounds/new/"):
        olga.press("Add round")
    olga.press("Pair players")
    olga.press("Publish pairings")
    olga.sees("Published")
    olga.go(day.address)
    olga.more("Hall screen")
    day.look(olga.page, "screen-off")
    olga.press("Turn on hall screen")
    olga.fill("Minutes", "150")
    olga.press("Start clock")
    olga.sees("Stop clock")
    day.look(olga.page, "screen-control")
    day.screen = olga.page.locator("#screen-link").inner_text()


def watch(day: Day, words: str) -> None:
    """The hall screen in a browser of nobody says so, on one of its pages."""
    page = day.browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(day.screen)
    expect(page.locator("#slides")).to_contain_text(words, use_inner_text=False)
    expect(page.locator("#clock")).to_contain_text(":")
    if words.startswith("Round 1"):
        day.look(page, "screen")
    page.context.close()


def dispute(day: Day) -> None:
    """A player reports from a phone, and the opponent says that it was otherwise."""
    ben = day.back(MISTAKEN)
    ben.page.locator(".own-games a").click()
    title = ben.page.locator("main h1").inner_text()
    ben.follow("Result")
    ben.page.get_by_label(f"{MISTAKEN} won", exact=True).check()
    ben.press("Save result")
    ben.sees(f"{MISTAKEN} wins")
    other = next(name for name in re.split(" against | v ", title) if name != MISTAKEN)
    ben.context.close()
    opponent = day.back(other)
    opponent.page.locator("#next ~ *, .chipline").get_by_role(
        "link", name="Round 1"
    ).click()
    opponent.page.locator(".own h3 a").click()
    opponent.follow("Dispute result")
    opponent.fill("Reason", "It was a draw.")
    opponent.press("Dispute result")
    opponent.sees("Disputed")
    opponent.context.close()


def say_why(rows: Locator, places: range) -> None:
    for place in places:
        if rows.nth(place).get_by_text("Disputed").count():
            rows.nth(place).get_by_label("Reason").fill("Both agree now.")


def enter(day: Day, number: int) -> None:
    """Two organisers fill in the same page at once; whoever is later overwrites nothing."""
    olga, oskar = day.olga, day.oskar
    for person in (olga, oskar):
        person.go(day.round(number))
        person.follow("Enter results")
        person.counts()
    rows = olga.page.locator("[data-slip]")
    count = rows.count()
    if number == 1:
        day.look(olga.page, "results")
    half = count // 2
    for place in range(half):
        olga.page.keyboard.press("ab"[place % 2])
        olga.page.keyboard.type(str(place))
        olga.page.keyboard.press("Tab")
        olga.page.keyboard.type("3")
    say_why(rows, range(half))
    olga.page.keyboard.press("Enter")
    olga.sees(re.compile("missing"))
    expect(rows).to_have_count(count - half)
    rows = oskar.page.locator("[data-slip]")
    for place in range(half - 1, count):
        # In the row that Olga has entered, something else.
        rows.nth(place).locator(".seg label").nth(0 if place >= half else 1).click()
    say_why(rows, range(half, count))
    oskar.press("Save results")
    oskar.sees("No result is missing")
    oskar.sees("Not saved: this result was entered in the meantime.")
    assert olga.presses + oskar.presses <= RESULTS_MOST
    if number == 1:
        day.look(oskar.page, "results-entered")


def correct(day: Day) -> None:
    """A slip of the first round was read wrongly, which shows when the second is drawn."""
    oskar, olga = day.oskar, day.olga
    oskar.go(day.round(1))
    oskar.page.locator(".pairs .what a").first.click()
    oskar.follow("Result")
    winner = oskar.page.get_by_label(re.compile(" won$"))
    winner.nth(1 if winner.first.is_checked() else 0).check()
    oskar.page.get_by_label("Reason").fill("The slip was misread.")
    oskar.press("Preview changes")
    day.look(oskar.page, "correct-preview")
    oskar.press("Save result")
    oskar.sees("wins")
    olga.page.reload()
    olga.sees("1 result changed after this pairing.")
    day.look(olga.page, "stale")
    olga.page.locator("#drawn").get_by_role("button", name="Pair again").click()
    expect(olga.page.locator("#late-results")).to_have_count(0)


def go_on(day: Day, number: int) -> None:
    """From the results of a round to the printed tables of the next."""
    olga = day.olga
    olga.go(f"{day.round(number)}results/")
    olga.counts()
    olga.press("Close round")
    olga.press("Add next round")
    if number == 1:
        day.look(olga.page, "round-planned")
    olga.press("Pair players")
    olga.sees("No rematches")
    if number == 1:
        presses = olga.presses
        correct(day)
        olga.counts()
        assert presses == 3
    olga.press("Publish pairings")
    olga.sees("Published")
    if number == 1:
        day.look(olga.page, "round")
    olga.page.get_by_role("button", name=re.compile("^Print all")).click(timeout=90_000)
    expect(olga.page.get_by_role("link", name="Open file")).to_be_visible(timeout=90_000)
    assert olga.presses + 1 <= (ROUND_MOST if number > 1 else ROUND_MOST - 3)


def leave(day: Day, number: int) -> None:
    """One drops out by phone after the first round, an organiser sends one home after the second."""
    if number == 1:
        player = day.back(LEAVES)
        player.follow("Players")
        player.follow(re.compile("Change"))
        player.press("Drop out of event")
        player.sees("dropped out")
        player.context.close()
    if number == 2:
        day.oskar.go(day.address)
        day.oskar.follow("Players")
        day.oskar.page.get_by_label(f"Change {IS_SENT_HOME}").click()
        day.oskar.page.get_by_label("Reason").fill("Taken ill.")
        day.oskar.press("Remove from event")


def finish(day: Day) -> None:
    olga = day.olga
    olga.go(f"{day.round(day.rounds)}results/")
    olga.press("Close round")
    day.look(olga.page, "last-round")
    olga.follow("Show final standings")
    day.look(olga.page, "standings")


def count_season(day: Day) -> None:
    """The table of the club's season, and the record of whoever leads it."""
    olga = day.olga
    olga.go(day.address)
    first = olga.page.locator(".standings tbody a").first.inner_text()
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("Season tables")
    day.look(olga.page, "seasons-empty")
    olga.follow("New season")
    day.look(olga.page, "season-new")
    olga.fill("Name", "Winter season")
    olga.page.get_by_label("Winter day").check()
    olga.press("Create season")
    day.look(olga.page, "season")
    leader = olga.page.locator(".season tbody a").first
    expect(leader).to_have_text(first)
    leader.click()
    olga.sees("Opponents")
    day.look(olga.page, "player-record")


def test_one_round(day: Day) -> None:
    set_up(day)
    draw_first(day)
    watch(day, "Round 1 by table")
    dispute(day)
    enter(day, 1)
    go_on(day, 1)
    watch(day, "Round 2 by table")
    count_season(day)


@pytest.mark.soak
def test_one_day(day: Day) -> None:
    sign_up_all(day)
    check_lists(day)
    change_mind(day)
    draw_first(day)
    watch(day, "Round 1 by table")
    dispute(day)
    for number in range(1, day.rounds + 1):
        enter(day, number)
        leave(day, number)
        watch(day, "Standings")
        if number < day.rounds:
            go_on(day, number)
    finish(day)
    count_season(day)
