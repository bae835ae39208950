"""A made-up game from its files to the second round of a league, by clicks: an organiser brings it,
two members build warbands of it, print them and play; a member of another club sees none of it.
"""

import io
import re
from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from tests.browser.people import Person
from tests.browser.test_building import add, raise_count, row, show
from tests.factories import make_club, make_person, make_user
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_catalogues import NAMES
from tests.rulesdata.own_lists import make_books

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WIDTHS = [pytest.param(width, marks=pytest.mark.soak) for width in (390, 1280)]
FILES = [MADE / name for name in (*NAMES, "lantern-hands.cat", "lantern-bazaar.cat")]
EVENT = re.compile(r"(/leagues/[^/]+/).*")


def arrive(browser: Browser, live_server: LiveServer, user: User, width: int) -> Person:
    person = Person(browser, live_server.url, str(user), width)
    client = Client()
    client.force_login(user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    person.context.add_cookies(
        [{"name": cookie.key, "value": cookie.value, "url": live_server.url}]
    )
    person.go("/")
    return person


def open_lists(person: Person) -> None:
    person.menu("Your clubs")
    person.follow("Harbour Street")
    person.follow("Club lists")


def bring_game(olga: Person, faults: Callable[[Page], list[str]]) -> str:
    """The files of the game, a choice among its catalogues, the report, the list; return its
    address.
    """
    page = olga.page
    open_lists(olga)
    olga.follow("Bring a game")
    olga.press("Read files")
    # Everything that is missing is said at once.
    expect(page.locator(".errors li")).to_have_count(3)
    send(olga)
    olga.sees(re.compile("choose which of these becomes the list"))
    assert faults(page) == []
    page.locator("#id_catalogue").select_option("The Wardens (1a)")
    for name in ("Night Hands", "The Bazaar"):
        page.get_by_role("group").get_by_label(name, exact=True).check()
    send(olga)
    main = page.locator("main")
    expect(page.locator("h1")).to_have_text("Preview of The Wardens")
    expect(main).to_contain_text("Lamplighters: at most 5")
    expect(main).to_contain_text("Stalls, 3 options")
    assert faults(page) == []
    olga.press("Create list")
    expect(page.locator("h1")).to_have_text("The Wardens")
    expect(main).to_contain_text("Prices in gold crowns")
    expect(main).to_contain_text("Lamp Captain: exactly 1")
    expect(main).to_contain_text("Rope +2, Flare +4, Veil +6")
    assert faults(page) == []
    return page.url


def send(olga: Person) -> None:
    page = olga.page
    page.locator("#id_file").set_input_files(FILES)
    page.locator("#id_collection").select_option("whfb6")
    page.locator("#id_may_use").check()
    olga.press("Read files")


def build(player: Person, faults: Callable[[Page], list[str]], name: str) -> str:
    """A warband with a hired sword beside its points; once it has more than the list allows."""
    page = player.page
    open_lists(player)
    player.follow(re.compile("^The Wardens"))
    player.follow("Build a warband")
    page.get_by_label("Name").fill(name)
    player.press("Create warband")
    page.get_by_role("button", name="Lamp Captain, 60 gc").click()
    expect(page.locator(".roll > li")).to_have_count(1)
    add(page, "lighter", "Lamplighters")
    expect(page.locator(".roll > li")).to_have_count(2)
    add(page, "fog", "Fog Walker")
    expect(page.locator(".roll > li")).to_have_count(3)
    show(page, "roster")
    row(page, "Lamp Captain").get_by_role("link", name="Options for").click()
    row(page, "Lamp Captain").get_by_label("Mail Coat").check()
    expect(row(page, "Lamp Captain").locator(".pts")).to_contain_text("75")
    raise_count(page, "Lamplighter", 6)
    expect(page.locator("#findings")).to_contain_text("the army list allows 5")
    row(page, "Lamplighter").get_by_role("button", name="One Lamplighter fewer").click()
    expect(page.locator("#findings")).not_to_contain_text("the army list allows 5")
    # What the list itself says is usual is no issue.
    expect(page.locator("#findings")).not_to_contain_text("An unusual limit")
    expect(page.locator("#findings")).not_to_contain_text("Leader is no character")
    expect(page.locator("#points")).to_contain_text("175 / 500 gc")
    expect(page.locator("#points")).to_contain_text("Standing 34")
    assert faults(page) == []
    return page.url


def print_sheet(player: Person, warband: str, faults: Callable[[Page], list[str]]) -> None:
    page = player.page
    page.goto(f"{warband}sheet/")
    player.sees("Gold crowns")
    assert faults(page) == []
    address = player.page.get_by_role("link", name=re.compile("^Print")).get_attribute(
        "href"
    )
    body = page.request.get(f"{player.url}{address}").body()
    words = "\n".join(one.extract_text() for one in PdfReader(io.BytesIO(body)).pages)
    for said in (
        "The Wardens", "175 of 500", "Standing", "Fog Walker", "Mail Coat", "Ld 8",
    ):  # fmt: skip
        assert said in words
    for part in ("cards", "reference"):
        page.goto(f"{warband}sheet/{part}/")
        assert faults(page) == []


def make_league(olga: Person) -> str:
    """A league of two members and two guests, with lists; return its address."""
    page = olga.page
    olga.menu("Your clubs")
    olga.follow("Harbour Street")
    olga.follow("New event")
    olga.press("Continue")
    olga.fill("Name", "Lantern league")
    olga.fill("Points limit", "500")
    olga.choose("More settings")
    page.get_by_label("Pairing method").select_option(value="swiss")
    page.get_by_label("Players hand in").select_option(value="each")
    olga.press("Create event")
    for name in ("Ben", "Cleo"):
        page.get_by_label(name, exact=True).check()
    page.get_by_label("Guests").fill("Dora\nEmil")
    olga.press("Add players")
    expect(page.locator("main")).to_contain_text("4 playing")
    return EVENT.sub(r"\1", page.url)


def hand_in(player: Person, league: str) -> None:
    player.go(f"{league}lists/1/")
    player.page.get_by_label("Warband", exact=True).select_option(index=1)
    player.press("Hand in list")
    messages = player.page.get_by_role("region", name="Messages")
    expect(messages.get_by_text(re.compile("^List handed in:"))).to_be_visible()


def pair(olga: Person, faults: Callable[[Page], list[str]]) -> None:
    olga.press("Pair players")
    expect(olga.page.locator(".pairs > li")).to_have_count(2)
    olga.press(re.compile("^Publish"))
    expect(olga.page.locator("#drawn > header")).to_contain_text("Published")
    assert faults(olga.page) == []


def play_round(olga: Person, address: str) -> None:
    """The first of each game wins, and the round is closed."""
    page = olga.page
    for place in (0, 1):
        page.goto(address)
        game = page.locator(".pairs > li").nth(place)
        winner = game.locator(".vs b").first.inner_text()
        game.locator(".what a").click()
        olga.follow("Result")
        page.get_by_label(f"{winner} won", exact=True).check()
        page.get_by_label("How it ended").select_option(label="Conceded")
        olga.press("Save result")
        olga.sees(f"{winner} wins")
    page.goto(address)
    olga.press(re.compile("lose round$"))
    expect(page.locator("#drawn > header")).to_contain_text("Closed")


def add_round(olga: Person, league: str) -> str:
    olga.go(f"{league}rounds/new/")
    olga.press("Add round")
    return olga.page.url


def is_hidden(outsider: Person, game: str, warband: str) -> None:
    """Neither list nor warband is there for a member of another club."""
    page = outsider.page
    for address in (game, f"{game}file/", f"{game}report/", warband):
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == 404
    for address in ("/rules/", "/warbands/new/", "/warbands/public/"):
        outsider.go(address)
        assert "The Wardens" not in page.content()


@pytest.mark.parametrize("width", WIDTHS)
def test_made_up_game_from_its_files_to_a_leagues_second_round(
    browser, live_server, faults, width
):
    make_books()
    users = {name: make_user(name=name) for name in ("Olga", "Ben", "Cleo", "Vera")}
    actors = {name: make_person(user=user) for name, user in users.items()}
    make_club(
        owner=actors["Olga"], members=(actors["Ben"], actors["Cleo"]), name="Harbour Street"
    )
    make_club(owner=actors["Vera"], name="Mill Lane")
    olga, ben, cleo, vera = (
        arrive(browser, live_server, user, width) for user in users.values()
    )
    game = bring_game(olga, faults)
    warband = build(ben, faults, "Ben’s lamps")
    print_sheet(ben, warband, faults)
    build(cleo, faults, "Cleo’s lamps")
    is_hidden(vera, game, warband)
    league = make_league(olga)
    first = add_round(olga, league)
    for player in (ben, cleo):
        hand_in(player, league)
        assert faults(player.page) == []
    olga.go(first)
    pair(olga, faults)
    play_round(olga, olga.page.url)
    add_round(olga, league)
    pair(olga, faults)
    expect(olga.page.locator(".pairs")).not_to_contain_text("Rematch")
    olga.go(f"{league}standings/")
    expect(olga.page.locator(".standings tbody th[scope=row]")).to_have_count(4)
    ben.go(f"{league}rounds/2/")
    ben.sees("Ben")
    assert faults(ben.page) == []
    for person in (olga, ben, cleo, vera):
        person.context.close()
