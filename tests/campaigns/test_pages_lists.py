"""Pages of lists, waivers, one entry and of what only campaigns have, through the door of a
browser.
"""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import Fixture, ListLock, Waiver
from campaigns.operations.entries import change_entry
from campaigns.operations.log import ChangeRequest
from campaigns.operations.round_lists import hand_in_list, show_lists
from campaigns.operations.rounds import publish_round
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_campaign, make_round
from tests.campaigns.test_lists import make_cannoneers
from tests.factories import make_legal_warband, make_person

pytestmark = pytest.mark.django_db


def count_of(client: Client, url: str) -> int:
    client.get(url)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """A campaign with lists; its first round is open."""
    league = make_campaign(players=4, needs_list=True, visibility="link")
    make_round(league)
    publish_round(league.ask(), 1)
    return league


def url(name: str, league: League, *args: Any) -> str:
    return reverse(name, args=[league.token, *args])


def test_player_looks_first_and_then_hands_in(league: League) -> None:
    ada, client = league.player("Ada"), browser_of(league.player("Ada"))
    page = url("list-hand-in", league, 1)
    token = make_cannoneers(ada)
    look = client.post(page, {"warband": token, "look": "1"})
    assert (look.status_code, ListLock.objects.count()) == (200, 0)
    assert "War machines" in look.content.decode()
    assert client.post(page, {"warband": token}).status_code == 302
    assert ListLock.objects.get().entry == league.entry("Ada")
    wrong = client.post(page, {"warband": "", "link": "nothing"})
    assert wrong.status_code == 422
    assert "nothing" in wrong.content.decode()
    # Somebody who is not in it is shown the way in.
    assert browser_of(make_person()).get(page).headers["Location"] == url(
        "event-enter", league
    )


def test_replacing_begins_with_the_list_that_is_handed_in(league: League) -> None:
    ada, entry, page = (
        league.player("Ada"),
        league.entry("Ada"),
        url("list-hand-in", league, 1),
    )
    brought, listed = (make_legal_warband(actor=ada, name=name) for name in ("Old", "New"))
    change_entry(league.by("Ada"), entry.token, warband=brought.token)

    def chosen(address: str = page) -> str:
        answer = browser_of(ada).get(address)
        return str(answer.context["form"]["warband"].value())

    assert chosen() == brought.token
    hand_in_list(league.by("Ada"), 1, listed.token)
    assert chosen() == listed.token
    assert chosen(f"{page}?warband={brought.token}") == brought.token
    make_round(league)
    assert chosen(url("list-hand-in", league, 2)) == brought.token


def test_list_is_secret_until_it_is_shown(league: League) -> None:
    ada, entry = league.player("Ada"), league.entry("Ada").token
    hand_in_list(
        ChangeRequest(ada, league.token),
        1,
        make_legal_warband(actor=ada, name="Zwyfinch").token,
    )
    pages = [url("list-read", league, 1, entry), url("list-pdf", league, 1, entry)]
    lists, player = url("event-lists", league), url("entry-read", league, entry)

    def seen(client: Client) -> tuple[list[int], list[bool]]:
        told = ["Zwyfinch" in client.get(page).content.decode() for page in (lists, player)]
        return [client.get(page).status_code for page in pages], told

    others = (browser_of(league.player("Ben")), Client())
    assert [seen(client) for client in others] == [([404, 404], [False, False])] * 2
    for owner in (ada, league.organiser):
        assert seen(browser_of(owner)) == ([200, 200], [True, True])
    show_lists(league.ask(), 1)
    assert [seen(client) for client in others] == [([200, 200], [True, True])] * 2


def test_organiser_waives_from_the_list_and_takes_it_back(league: League) -> None:
    ada, entry, client = (
        league.player("Ada"),
        league.entry("Ada").token,
        browser_of(league.organiser),
    )
    hand_in_list(ChangeRequest(ada, league.token), 1, make_cannoneers(ada))
    waive = f"{url('waiver-new', league, entry)}?code=type.war_machine"
    assert waive in client.get(url("event-lists", league)).content.decode()
    assert (
        client.post(waive, {"code": "type.war_machine", "reason": " "}).status_code == 422
    )
    assert not Waiver.objects.exists()
    version = str(league.fresh().version)
    sent = {"code": "type.war_machine", "reason": "First game", "version": version}
    assert client.post(waive, sent).status_code == 302
    assert "First game" in Client().get(url("entry-read", league, entry)).content.decode()
    back = url("waiver-revoke", league, entry, "type.war_machine")
    assert "War machines" in client.get(back).content.decode()
    assert client.post(back, {"reason": "Second game"}).status_code == 302
    assert client.get(back).status_code == 404


def test_challenge_goes_through_pages(league: League) -> None:
    ada, ben = browser_of(league.player("Ada")), browser_of(league.player("Ben"))
    assert (
        ada.post(
            url("challenge-new", league), {"other": league.entry("Ben").token}
        ).status_code
        == 302
    )
    fixture = Fixture.objects.get()
    page = ben.get(url("event-read", league)).content.decode()
    accept = url("challenge-answer", league, fixture.token, "accept")
    assert accept in page
    assert accept not in ada.get(url("event-read", league)).content.decode()
    assert ada.post(accept).status_code == 403
    ben.post(accept)
    assert accept not in ben.get(url("event-read", league)).content.decode()


@pytest.mark.parametrize("count", [1, 3])
def test_pages_ask_as_often_for_one_list_as_for_three(league: League, count: int) -> None:
    for name in ("Ada", "Ben", "Cleo")[:count]:
        hand_in_list(league.by(name), 1, make_cannoneers(league.player(name)))
    for number in range(2, count + 1):
        make_round(league)
        hand_in_list(league.by("Ada"), number, make_cannoneers(league.player("Ada")))
    organiser, ada = browser_of(league.organiser), browser_of(league.player("Ada"))
    # The person; the event, its rounds, entries, lists, waivers.
    assert count_of(organiser, f"{url('event-lists', league)}?round=1") == 6
    # The person; the event, its secrecy, entries, games, lists, waivers.
    assert count_of(ada, url("entry-read", league, league.entry("Ada").token)) == 7
    # The person; the event, its secrecy, the entry, the warbands to choose from, whose list is
    # handed in, the round, the lists.
    assert count_of(ada, url("list-hand-in", league, 1)) == 8


def test_deadline_is_in_sight_until_the_lists_are_revealed(league: League) -> None:
    due = datetime(2090, 5, 1, 18, 30, tzinfo=UTC)
    league.event.rounds.update(lists_due_at=due)
    for page in ("event-read", "event-enter"):
        shown = Client().get(url(page, league)).content.decode()
        assert "Round 1: <a" in shown
        assert "lists</a> due" in shown
    hand_in_list(league.by("Ada"), 1, make_cannoneers(league.player("Ada")))
    show_lists(league.ask(), 1)
    shown = Client().get(url("event-read", league)).content.decode()
    assert "lists</a> due" not in shown
