"""Pages of who is in an event: entering by the link, being entered, dropping out, what is brought."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Entry, Round
from campaigns.operations.events import finish_event
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up
from tests.campaigns.test_pages_making import client_of
from tests.factories import make_legal_warband, make_person, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def names(league: League) -> list[str]:
    return list(
        Entry.objects.filter(event=league.event)
        .order_by("id")
        .values_list("name", flat=True)
    )


def test_a_person_enters_by_the_link_with_a_warband() -> None:
    league = make_league(players=1, visibility="link")
    person = make_person(user=make_user(name="Fritz"))
    mine = make_legal_warband(actor=person, name="The Ferrymen")
    client, url = client_of(person.user_id), reverse("event-enter", args=[league.token])
    assert "The Ferrymen" in client.get(url).content.decode()
    answer = client.post(url, {"name": "", "warband": mine.token})
    assert answer.headers["Location"] == reverse("event-read", args=[league.token])
    assert (names(league), league.entry("Fritz").warband) == (["Ada", "Fritz"], mine)
    # Who is in already is shown their own entry.
    assert (
        reverse("entry-edit", args=[league.token, league.entry("Fritz").token])
        in client.get(url).headers["Location"]
    )


def test_who_joins_a_published_round_reads_that_nobody_paired_them() -> None:
    league = make_league(players=3)
    said, url = "You have no game in Round 1", reverse("event-read", args=[league.token])
    cleo = client_of(league.player("Cleo").user_id)
    assert said not in cleo.get(url).content.decode()
    put_up(league, 1, [("Ada", "Ben")])
    assert said in cleo.get(url).content.decode()
    for other in ("Ada", "Ben"):
        page = client_of(league.player(other).user_id).get(url)
        assert said not in page.content.decode()
    assert said not in client_of(league.organiser.user_id).get(url).content.decode()


def test_without_an_account_the_link_shows_the_door() -> None:
    league = make_league(players=1, visibility="link")
    url = reverse("event-enter", args=[league.token])
    page = Client().get(url).content.decode()
    assert f"{reverse('account_login')}?next=" in page
    assert Client().post(url).status_code == 302
    assert names(league) == ["Ada"]


def test_organisers_tick_members_and_type_guests(league: League) -> None:
    client, url = (
        client_of(league.organiser.user_id),
        reverse("event-entries", args=[league.token]),
    )
    answer = client.post(
        url, {"members": [league.organiser.user_id], "guests": "Gwen\n\n  Hugo  \n"}
    )
    assert (answer.status_code, names(league)[-3:]) == (302, ["Olga", "Gwen", "Hugo"])


@pytest.mark.parametrize(
    "sent, words",
    [
        ({"guests": "  "}, "Tick a member, or enter the name of a guest"),
        ({"guests": "Gwen\nBen"}, "There is already a player Ben"),
        ({"guests": "Gwen\n\u202eBen"}, "cannot be shown"),
        ({"members": ["999999"]}, "999999"),
    ],
)
def test_nobody_is_added_where_one_cannot_be(
    league: League, sent: dict[str, Any], words: str
) -> None:
    client = client_of(league.organiser.user_id)
    answer = client.post(reverse("event-entries", args=[league.token]), sent)
    assert (answer.status_code, len(names(league))) == (422, 4)
    assert words in answer.content.decode()


@pytest.mark.parametrize(
    "players, words",
    [(0, "No players yet"), (1, "needs at least two players"), (3, "3 players")],
)
def test_tiny_fields_are_told_what_they_come_to(players: int, words: str) -> None:
    league = make_league(players=players)
    page = client_of(league.organiser.user_id).get(
        reverse("event-entries", args=[league.token])
    )
    assert words in page.content.decode()


def test_a_player_drops_out_and_an_organiser_brings_them_back(league: League) -> None:
    Round.objects.create(event=league.event, number=1, status="published")
    ada, entry = league.player("Ada"), league.entry("Ada").token
    answer = client_of(ada.user_id).post(
        reverse("entry-drop", args=[league.token, entry]), {"reason": "Moved away"}
    )
    assert (answer.status_code, league.entry("Ada").dropped) == (302, 2)
    page = (
        client_of(league.organiser.user_id)
        .get(reverse("event-entries", args=[league.token]))
        .content.decode()
    )
    assert "out from round 2" in " ".join(page.split())
    client_of(league.organiser.user_id).post(
        reverse("entry-rejoin", args=[league.token, entry])
    )
    assert league.entry("Ada").status == "active"


def test_an_entry_is_changed_by_its_player_and_its_play_off_by_organisers(
    league: League,
) -> None:
    ada = league.player("Ada")
    mine = make_legal_warband(actor=ada, name="The Ferrymen")
    url = reverse("entry-edit", args=[league.token, league.entry("Ada").token])
    client_of(ada.user_id).post(
        url, {"name": "Ada", "warband": mine.token, "play_off": "1"}
    )
    assert (league.entry("Ada").warband, league.entry("Ada").play_off) == (mine, None)
    # The organiser cannot open it, and leaves it as it is.
    page = client_of(league.organiser.user_id).get(url).content.decode()
    assert "The Ferrymen, as it is now" in page
    client_of(league.organiser.user_id).post(
        url, {"name": "Ada", "warband": "kept", "link": "", "play_off": "1"}
    )
    assert (league.entry("Ada").warband, league.entry("Ada").play_off) == (mine, 1)
    assert client_of(league.player("Ben").user_id).get(url).status_code == 403


def test_a_warband_is_brought_by_its_link_or_says_why_not(league: League) -> None:
    guest = make_legal_warband(actor=league.organiser, name="Lent", visibility="link")
    client, url = (
        client_of(league.organiser.user_id),
        reverse("event-entries", args=[league.token]),
    )
    client.post(url, {"guests": "Gwen"})
    entry = reverse("entry-edit", args=[league.token, league.entry("Gwen").token])
    for link, words in (
        ("not a link", "Paste the whole link"),
        ("A" * 16, "There is no such warband"),
    ):
        answer = client.post(entry, {"name": "Gwen", "warband": "", "link": link})
        assert (answer.status_code, words in answer.content.decode()) == (422, True)
    client.post(
        entry,
        {"name": "Gwen", "warband": "", "link": f"https://x.org/warbands/{guest.token}/"},
    )
    assert league.entry("Gwen").warband == guest


def test_a_finished_event_takes_nobody_and_says_so(league: League) -> None:
    finish_event(league.ask())
    client = client_of(league.organiser.user_id)
    assert (
        "takes no new players"
        in client.get(reverse("event-enter", args=[league.token])).content.decode()
    )
    answer = client.post(
        reverse("event-entries", args=[league.token]), {"guests": "Gwen"}, follow=True
    )
    assert "takes no new players" in answer.content.decode()
    assert len(names(league)) == 4
