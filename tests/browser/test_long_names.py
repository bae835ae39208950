"""The longest names on the pages of an event: nothing is wider than its window or its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from accounts.models import NAME_MAX, User
from campaigns.operations.screens import step_screen
from tests.campaigns.leagues import make_event, make_league
from tests.campaigns.results import put_up, report

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NAMES = ("Konstantin" * 6, "Bartholomew of the Eleven Bridges beyond the Long River", "Ada")
WIDTHS = (320, 390, 640, 768, 960, 1280)
# Tables that do not scroll by themselves, and texts that are drawn over their neighbour.
FAULTS = """() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page");
  for (const table of document.querySelectorAll("main table")) {
    const over = table.getBoundingClientRect().right - table.parentElement.getBoundingClientRect().right;
    if (over > 1 && !table.closest(".scroll")) faults.push(`a table by ${Math.round(over)}px`);
  }
  for (const link of document.querySelectorAll(".dates h3 a")) {
    const text = document.createRange();
    text.selectNodeContents(link);
    const next = link.closest("h3").nextElementSibling;
    if (text.getBoundingClientRect().bottom > next.getBoundingClientRect().top + 2) faults.push("a title");
  }
  return faults;
}"""


def test_longest_names_find_room(
    page: Page, live_server: LiveServer, sign_in: Callable[[User], None]
) -> None:
    long, words, ada = (name[:NAME_MAX] for name in NAMES)
    scores = {"score_name": "Victory points", "player_score_name": "Painting"}
    league = make_league(
        players=3, guests=1, names=(long, words, ada), name=f"{words}, again", **scores
    )
    make_event(organiser=league.organiser, club=league.club, name="Empty")
    games = put_up(league, 1, [(words, long), (ada, "Guest 1")])
    report(league, games[1], ada)
    token, slug = league.token, league.club.slug
    screen = step_screen(league.ask(), "on")
    sign_in(User.objects.get(pk=league.organiser.user_id))
    addresses = [
        *(
            reverse(name, args=[token])
            for name in ("event-read", "standings-read", "event-entries", "event-scores")
        ),
        *(reverse(name, args=[token, 1]) for name in ("round-seats", "round-results")),
        reverse("club-read", args=[slug]),
        reverse("screen-read", args=[screen]),
    ]
    faults = []
    for address in addresses:
        page.goto(live_server.url + address)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            faults += [f"{address} {width}: {fault}" for fault in page.evaluate(FAULTS)]
    assert not faults, "\n".join(faults)
