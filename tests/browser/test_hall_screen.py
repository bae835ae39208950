"""The hall screen in a browser without an account: its pages in turn, its clock, and no network."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from campaigns.operations.screens import step_screen
from tests.browser.looks import in_every_look
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up, report

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LETTERS = """
const section = [...document.querySelectorAll("section")].find((each) => each.offsetHeight);
parseFloat(getComputedStyle(section).fontSize)
"""


def make_day(players: int = 24) -> League:
    league = make_league(players=players, guests=1, name="Harbour day")
    names = [entry.name for entry in league.entries]
    pairs = [*zip(names[:players:2], names[1:players:2], strict=True), names[players:]]
    games = put_up(league, 1, pairs)
    for table, game in enumerate(games[:-1], 1):
        type(game).objects.filter(pk=game.pk).update(table=table)
    report(league, games[0], names[1])
    return league


@in_every_look
def test_screen_is_read_from_afar(browser, live_server, faults, scheme, width):
    league = make_day()
    address = reverse("screen-read", args=[step_screen(league.ask(), "on")])
    step_screen(league.ask(), "start", 90)
    size = {"width": width, "height": 720 if width > 400 else 844}
    page = browser.new_page(viewport=size, color_scheme=scheme)
    page.clock.install()
    page.goto(live_server.url + address)
    titles = []
    for _ in page.locator("section").all():
        section = page.locator("section:visible")
        titles.append(section.locator("h2").inner_text())
        assert faults(page) == []
        if width > 400:
            # Letters of a twentieth of the height are read from eight metres, and nothing scrolls.
            # In one step, for news may replace the section at any moment.
            assert page.evaluate(LETTERS) >= 36
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        page.clock.run_for(12_100)
    assert titles == [
        *["Round 1 by table"] * 2, *["Round 1 by name"] * 2, *["Standings"] * 2,
    ]  # fmt: skip


def test_clock_follows_the_server_and_the_last_state_stays(browser, live_server):
    league = make_day(4)
    address = reverse("screen-read", args=[step_screen(league.ask(), "on")])
    step_screen(league.ask(), "start", 10)
    page = browser.new_page()
    page.clock.install()
    page.goto(live_server.url + address)
    clock, away = page.locator("#clock"), page.locator("#away")
    before = clock.inner_text()
    page.clock.run_for(5_000)
    expect(clock).not_to_have_text(before)
    step_screen(league.ask(), "stop")
    page.clock.run_for(10_100)
    expect(clock).not_to_have_attribute("data-runs", "")
    page.context.set_offline(True)
    page.clock.run_for(10_100)
    expect(away).to_contain_text("No connection since")
    expect(page.locator("section:visible h2")).to_have_count(1)
    page.get_by_role("button", name="Pause").click()
    title = page.locator("section:visible h2").inner_text()
    page.clock.run_for(30_000)
    expect(page.locator("section:visible h2")).to_have_text(title)
    page.context.set_offline(False)
    page.clock.run_for(10_100)
    expect(away).to_have_text("")
    step_screen(league.ask(), "off")
    page.clock.run_for(10_100)
    expect(page.locator("#slides")).to_have_count(0)
