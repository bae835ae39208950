"""A Swiss day of 24 players on a site that sends mail: secret lists, one of them late, a kept
pairing, a list to pin up, a stale draft, a drop-out, a dispute, acceptance.

Players send the forms of their pages; the organiser taps in a browser.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from campaigns.models import FixtureStatus, ListLock
from tests.browser.people import mailing_site
from tests.campaigns.leagues import League, make_league
from tests.factories import make_legal_warband

__all__ = ["mailing_site"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("mailing_site"),
]
PLAYERS = 24
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
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(
                path=Path(LOOKS) / f"{name}-{width}-{scheme}.png", full_page=True
            )


def post(league: League, name: str, view: str, *args: object, **sent: object) -> None:
    """Somebody sends a form of a page."""
    client = Client()
    client.force_login(User.objects.get(pk=league.player(name).user_id))
    answer = client.post(reverse(view, args=args), sent)
    assert answer.status_code == 302, answer.content.decode()[:2000]


def report(league: League, number: int) -> None:
    """The first player of each game that is still open reports having won it."""
    for game in league.fixtures(number):
        if game.status == FixtureStatus.OPEN and game.other:
            said = {"winner": game.one.token, "how": "conceded", "key": f"k{game.pk}" * 5}
            post(league, game.one.name, "fixture-result", league.token, game.token, **said)


def read(league: League, name: str, view: str, *args: object) -> str:
    """What a page shows to somebody."""
    client = Client()
    client.force_login(User.objects.get(pk=league.player(name).user_id))
    return client.get(reverse(view, args=args)).content.decode()


def add_round(page: Page, address: str) -> None:
    page.goto(f"{address}rounds/new/")
    page.locator("main form button.pri").click()


def pair(page: Page, address: str) -> None:
    add_round(page, address)
    page.get_by_role("button", name="Pair players").click()
    expect(page.locator(".pairs > li")).to_have_count(PLAYERS // 2)


def hand_in(league: League, name: str) -> None:
    warband = make_legal_warband(actor=league.player(name), name=f"Band of {name}").token
    post(league, name, "list-hand-in", league.token, 1, warband=warband)


def lists(
    page: Page, league: League, address: str, faults: Callable[[Page], list[str]]
) -> None:
    """Handed in before the deadline and once after it, secret until they are revealed."""
    add_round(page, address)
    hand_in(league, "Ada")
    page.goto(f"{address}rounds/1/edit/")
    page.get_by_label("Lists due").fill("2026-01-02T19:00")
    page.get_by_role("button", name="Save round").click()
    expect(page.get_by_text("Lists due 2 January, 19:00")).to_be_visible()
    assert "The deadline is over" in read(league, "Ben", "list-hand-in", league.token, 1)
    page.goto(f"{address}lists/")
    page.get_by_role("button", name="Unlock the list of Ben").click()
    expect(page.get_by_role("button", name="Lock the list of Ben")).to_be_visible()
    hand_in(league, "Ben")
    assert ListLock.objects.filter(snapshot__isnull=False).count() == 2
    seen = ("event-lists", league.token)
    assert "Band of Ada" not in read(league, "Ben", *seen)
    assert "Band of Ben" in read(league, "Ben", *seen)
    page.goto(f"{address}lists/")
    expect(page.locator(".handed")).to_contain_text("Band of Ben")
    look(page, "lists", faults)
    page.get_by_role("button", name="Reveal all lists").click()
    expect(page.get_by_text("Revealed on")).to_be_visible()
    assert "Band of Ada" in read(league, "Ben", *seen)


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


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.soak)])
def test_swiss_day(
    page: Page,
    live_server: LiveServer,
    sign_in: Callable[[User], None],
    faults: Callable[[Page], list[str]],
    width: int,
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    league = make_league(
        players=PLAYERS, visibility="link", confirmation="organiser", needs_list=True
    )
    EmailAddress.objects.bulk_create(
        EmailAddress(user=one, email=one.email, verified=True, primary=True)
        for one in User.objects.all()
    )
    sign_in(User.objects.get(pk=league.organiser.user_id))
    address = f"{live_server.url}{reverse('event-read', args=[league.token])}"
    lists(page, league, address, faults)
    page.goto(f"{address}rounds/1/")
    page.get_by_role("button", name="Pair players").click()
    expect(page.locator(".pairs > li")).to_have_count(PLAYERS // 2)
    keep_a_pair(page)
    mail.outbox.clear()
    page.get_by_role("button", name="Publish pairings").click()
    expect(page.get_by_role("button", name="Close round")).to_be_visible()
    assert len({one.to[0] for one in mail.outbox}) == PLAYERS
    page.goto(f"{address}rounds/1/seats/")
    expect(
        page.locator("#by-player ~ * tbody tr, section:has(#by-player) tbody tr")
    ).to_have_count(PLAYERS)
    look(page, "seats", faults)
    # All but one report, and the next round is paired too early.
    late = league.fixtures(1)[-1]
    report(league, 1)
    battle = league.fixture(1, late.one.name)
    page.goto(f"{address}standings/")
    expect(page.get_by_text("1 provisional").first).to_be_visible()
    look(page, "standings", faults)
    # One disputes; the round cannot be closed before the organiser has looked at it.
    battle.refresh_from_db()
    assert battle.battle
    assert battle.other
    post(
        league,
        battle.other.name,
        "battle-result",
        battle.battle.token,
        "dispute",
        reason="A draw",
    )
    page.goto(f"{address}rounds/1/")
    expect(page.get_by_role("button", name=re.compile("close the round"))).to_have_count(0)
    pair(page, address)
    page.goto(f"{address}fixtures/{battle.token}/")
    expect(page.locator(".verdict")).to_contain_text(f"Reported: {battle.one.name} won")
    look(page, "fixture", faults)
    page.get_by_role("button", name="Accept result").click()
    expect(page.get_by_text("Result accepted.")).to_be_visible()
    # The draft was paired without that result.
    page.goto(f"{address}rounds/2/")
    expect(page.locator("#late-results")).to_contain_text(
        "1 result changed after this pairing"
    )
    look(page, "stale", faults)
    page.locator("#drawn").get_by_role("button", name="Pair again").click()
    expect(page.locator("#late-results")).to_have_count(0)
    # Somebody drops out of the draft, and is paired no more.
    post(league, "Leo", "entry-drop", league.token, league.entry("Leo").token, reason="Ill")
    page.goto(f"{address}rounds/2/")
    page.get_by_role("button", name="Pair again").first.click()
    expect(page.locator(".pairs")).not_to_contain_text("Leo")
    page.get_by_role("button", name="Publish pairings").click()
    expect(page.get_by_role("button", name="Close round")).to_be_visible()
    page.goto(f"{address}rounds/1/")
    look(page, "round", faults)
    page.get_by_role("button", name="Accept all results and close round").click()
    expect(page.locator("#drawn header")).to_contain_text("Closed")
    page.goto(f"{live_server.url}{reverse('event-read', args=[league.token])}")
    page.locator("#who-sees summary").click()
    look(page, "event", faults)
    page.goto(f"{address}edit/")
    look(page, "edit", faults)
    page.goto(f"{live_server.url}/notices/")
    look(page, "notices", faults)
