"""Pages on which an event is made and changed: what was typed is kept, two organisers do not
overwrite each other."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from campaigns.models import ClubEvent, Entry, Round
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up
from tests.factories import make_club, make_legal_warband, make_person, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
POINTS = {
    "points_win": "3",
    "points_draw": "1",
    "points_loss": "0",
    "points_bye": "3",
    "points_unplayed": "0",
}
SENT = {
    **POINTS,
    "name": "Winter cup",
    "kind": "league",
    "method": "robin",
    "legs": "2",
    "system": "warhammer-skirmish",
    "visibility": "link",
    "points_limit": "150",
    "scenarios": ["border-skirmish", "ambush"],
    "tie": ["wins", "play_off"],
    "confirm_days": "5",
    "lists": "each",
}


@pytest.fixture
def run() -> tuple[Client, str]:
    """The browser of somebody who runs a club, and its slug."""
    organiser = make_person()
    return browser_of(organiser), make_club(owner=organiser).slug


def edit_form(league: League, **fields: Any) -> dict[str, Any]:
    event = league.fresh()
    sent = {
        **SENT,
        "name": event.name,
        "method": "swiss",
        "legs": "1",
        "version": str(event.version),
    }
    return {**sent, **fields}


def test_an_event_is_made_with_all_that_was_ticked(run: tuple[Client, str]) -> None:
    client, slug = run
    answer = client.post(reverse("event-new"), {**SENT, "club": slug})
    event = ClubEvent.objects.get()
    assert answer.headers["Location"] == reverse("event-entries", args=[event.token])
    values = (event.name, event.method, event.legs, event.visibility, event.points_limit)
    assert values == ("Winter cup", "robin", 2, "link", 150)
    assert event.scenarios == ["border-skirmish", "ambush"]
    assert (event.tie_breaks, event.confirm_days) == (["wins", "play_off"], 5)
    assert (event.needs_list, event.is_secret, event.has_core) == (True, False, False)


def test_a_double_click_makes_one(run: tuple[Client, str]) -> None:
    client, slug = run
    for _ in range(2):
        assert (
            client.post(
                reverse("event-new"), {**SENT, "club": slug, "key": "once"}
            ).status_code
            == 302
        )
    assert ClubEvent.objects.count() == 1


@pytest.mark.parametrize("kind", ["league", "night", "campaign", "one_day"])
@pytest.mark.parametrize("system", ["mordheim-rulings.B", "d10-skirmish"])
def test_the_form_of_every_kind_makes_an_event_as_it_stands(run, kind, system):
    client, slug = run
    page = client.get(reverse("event-new"), {"kind": kind, "club": slug, "system": system})
    form = page.context["form"]
    sent = {
        bound.html_name: value
        for bound in form
        if (value := bound.value()) or (value == 0 and value is not False)
    }
    sent |= {
        "name": "As it stands",
        "club": slug,
        "kind": kind,
        "system": system,
        "tie": form.ties,
    }
    assert client.post(reverse("event-new"), sent).status_code == 302
    assert ClubEvent.objects.get().kind == kind


@pytest.mark.parametrize("fields, words", [
    ({"name": ""}, "fill this in."),
    ({"points_limit": "1"}, "the cheapest unit costs more than 1"),
    ({"points_limit": "-5"}, "a whole number from 0 to 100,000"),
    ({"points_win": "many"}, "a whole number from -100 to 100"),
    ({"points_draw": "9"}, "at most as much as a win"),
    ({"lists_due_at": "2026-12-01T10:00", "lists": ""}, "only if players hand in lists"),
    (
        {"lists_due_at": "2026-12-01T10:01", "starts_at": "2026-12-01T10:00"},
        "Lists are due before the event starts",
    ),
    ({"method": "swiss"}, "Two legs are possible in a round robin only"),
    ({"scenarios": ["no-such"]}, "no-such"),
    ({"tie": ["height"]}, "is no tie-breaker"),
    ({"confirm_days": "0"}, "a whole number from 1 to 60"),
])  # fmt: skip
def test_what_cannot_be_is_said_and_what_was_typed_stays(run, fields, words):
    client, slug = run
    sent = {
        key: value
        for key, value in {
            **SENT,
            "club": slug,
            "place": "Harbour Street",
            **fields,
        }.items()
        if value
    }
    answer = client.post(reverse("event-new"), sent)
    page = answer.content.decode()
    assert (answer.status_code, ClubEvent.objects.exists()) == (422, False)
    assert words in page
    assert 'value="Harbour Street"' in page


def test_tie_breaks_move_by_buttons_without_saving(run: tuple[Client, str]) -> None:
    client, slug = run
    sent = {**SENT, "club": slug, "name": "Half typed", "points_limit": "none"}
    for move, order in (
        ("up play_off", ["play_off", "wins"]),
        ("up wins", ["wins", "play_off"]),
        ("down wins", ["play_off", "wins"]),
        ("drop wins", ["play_off"]),
        ("add head_to_head", ["wins", "play_off", "head_to_head"]),
        ("add height", ["wins", "play_off"]),
    ):
        answer = client.post(reverse("event-new"), {**sent, "tie_move": move})
        assert (answer.status_code, answer.context["form"].ties) == (200, order), move
        page = answer.content.decode()
        for value in ("Half typed", "none", "ambush"):
            assert f'value="{value}"' in page
        # Only warbands of campaigns collect any.
        assert "Campaign points" not in page
    assert not ClubEvent.objects.exists()
    campaign = {**sent, "kind": "campaign", "method": "challenge", "tie_move": "up wins"}
    assert "Campaign points" in client.post(reverse("event-new"), campaign).content.decode()


def test_rules_of_an_event_have_a_page_of_their_own(league: League) -> None:
    client = browser_of(league.organiser)
    url = reverse("event-rules", args=[league.token])
    sent = {
        "rule-swarms_no_injury_roll": "on",
        "level-leader.missing": "warning",
        "ruling-C04": "1",
        "version": str(league.fresh().version),
    }
    assert client.post(url, sent).status_code == 302
    # The settings leave them as they are.
    client.post(reverse("event-edit", args=[league.token]), edit_form(league, place="Hall"))
    event = league.fresh()
    assert event.place == "Hall"
    assert event.house_rules == {"swarms_no_injury_roll": True}
    assert event.levels == {"leader.missing": "warning"}
    assert event.ruling_layers == {"event": {"C04": 1}}
    # Under another system they mean nothing.
    moved = edit_form(league, system="mordheim-draft", points_limit="250", scenarios=[])
    assert client.post(reverse("event-edit", args=[league.token]), moved).status_code == 302
    event = league.fresh()
    assert (event.house_rules, event.levels, event.ruling_layers) == ({}, {}, {})


def test_the_foot_of_the_settings_names_the_version_of_the_site(league: League) -> None:
    page = browser_of(league.organiser).get(reverse("event-edit", args=[league.token]))
    assert f"Muster Roll {settings.VERSION}" in page.content.decode()


def test_a_part_of_the_settings_brings_along_what_was_typed(league: League) -> None:
    client = browser_of(league.organiser)
    url = reverse("event-edit", args=[league.token])
    sent = edit_form(league, name="Half typed")
    seen = sent["version"]
    client.post(url, edit_form(league, place="Changed by another"))
    page = client.post(url, {**sent, "part": "scenarios"}).content.decode()
    for name, value in (("name", "Half typed"), ("tie", "play_off"), ("version", seen)):
        assert f'name="{name}" value="{value}"' in page
    assert "checked" in page.partition('value="ambush"')[2][:40]
    back = client.post(url, {**sent, "scenarios": ["ambush"], "part": ""})
    assert [key for key, _ in back.context["form"].chosen_scenarios] == ["ambush"]
    # It is still the page that was seen before the other change.
    assert back.context["version"] == seen
    assert league.fresh().name != "Half typed"


def test_a_copy_is_made_by_a_button(league: League) -> None:
    client = browser_of(league.organiser)
    url = reverse("event-copy", args=[league.token])
    assert f'value="{league.event.name}"' in client.get(url).content.decode()
    assert client.post(url, {"name": " "}).status_code == 422
    sent = {"name": "Spring", "players": "on", "key": "once"}
    for _ in range(2):
        answer = client.post(url, sent)
    event = ClubEvent.objects.get(name="Spring")
    assert answer.headers["Location"] == reverse("event-read", args=[event.token])
    assert event.entries.count() == 4
    assert browser_of(league.player("Ada")).get(url).status_code == 403


def test_who_runs_no_club_is_told_how_to() -> None:
    page = browser_of(make_person()).get(reverse("event-new"))
    values = (page.status_code, "you are not an organiser" in page.content.decode())
    assert values == (200, True)


def test_settings_are_changed_with_a_reason(league: League) -> None:
    client = browser_of(league.organiser)
    url = reverse("event-edit", args=[league.token])
    assert client.get(url).status_code == 200
    assert (
        client.post(
            url, edit_form(league, points_limit="175", reason="Fewer points")
        ).status_code
        == 302
    )
    row = league.event.log.first()
    assert row is not None
    assert (league.fresh().points_limit, row.reason) == (175, "Fewer points")


def test_the_second_of_two_organisers_keeps_what_they_typed(league: League) -> None:
    client = browser_of(league.organiser)
    url = reverse("event-edit", args=[league.token])
    first, second = edit_form(league, name="First"), edit_form(league, name="Second")
    client.post(url, first)
    answer = client.post(url, second)
    page = answer.content.decode()
    assert (answer.status_code, league.fresh().name) == (422, "First")
    assert "Changed in the meantime. Olga: Changed: name from" in page
    assert 'value="Second"' in page
    again = {**second, "version": str(answer.context["version"])}
    assert client.post(url, again).status_code == 302
    assert league.fresh().name == "Second"


def test_it_is_finished_opened_archived_and_restored_by_buttons(league: League) -> None:
    client = browser_of(league.organiser)
    for name, (status, is_away) in {
        "event-finish": ("finished", False),
        "event-archive": ("finished", True),
        "event-restore": ("finished", False),
        "event-reopen": ("open", False),
    }.items():
        assert client.post(reverse(name, args=[league.token])).status_code == 302
        event = league.fresh()
        assert (event.status, event.archived_at is not None) == (status, is_away)


@pytest.mark.parametrize("players", [1, 12])
def test_pages_ask_as_often_whatever_the_size(players, django_assert_num_queries):
    league = make_league(players=players, with_warbands=True)
    client = browser_of(league.organiser)
    client.get("/")
    figures = {"event-edit": EDIT, "event-entries": ENTRIES}
    for name, figure in figures.items():
        with django_assert_num_queries(figure):
            client.get(reverse(name, args=[league.token]))


EDIT = (
    5  # the person, the event, the scenarios of their own and of clubs, what is not settled
)
ENTRIES = (
    6  # the person, the event, its entries, who waits, who else is in the club, a round
)


# Pages of who is in an event


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
    client, url = browser_of(person), reverse("event-enter", args=[league.token])
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
    cleo = browser_of(league.player("Cleo"))
    assert said not in cleo.get(url).content.decode()
    put_up(league, 1, [("Ada", "Ben")])
    assert said in cleo.get(url).content.decode()
    for other in ("Ada", "Ben"):
        page = browser_of(league.player(other)).get(url)
        assert said not in page.content.decode()
    assert said not in browser_of(league.organiser).get(url).content.decode()


def test_without_an_account_the_link_shows_the_door() -> None:
    league = make_league(players=1, visibility="link")
    url = reverse("event-enter", args=[league.token])
    page = Client().get(url).content.decode()
    assert f"{reverse('account_login')}?next=" in page
    assert Client().post(url).status_code == 302
    assert names(league) == ["Ada"]


def test_organisers_tick_members_and_type_guests(league: League) -> None:
    client, url = (
        browser_of(league.organiser),
        reverse("event-entries", args=[league.token]),
    )
    answer = client.post(
        url, {"members": [league.organiser.user_id], "guests": "Gwen\n\n  Hugo  \n"}
    )
    assert (answer.status_code, names(league)[-3:]) == (302, ["Olga", "Gwen", "Hugo"])


@pytest.mark.parametrize("sent, words", [
    ({"guests": "  "}, "Tick a member, or enter the name of a guest"),
    ({"guests": "Gwen\nBen"}, "There is already a player Ben"),
    ({"guests": "Gwen\n\u202eBen"}, "cannot be shown"),
    ({"members": ["999999"]}, "999999"),
])  # fmt: skip
def test_nobody_is_added_where_one_cannot_be(league, sent, words):
    client = browser_of(league.organiser)
    answer = client.post(reverse("event-entries", args=[league.token]), sent)
    assert (answer.status_code, len(names(league))) == (422, 4)
    assert words in answer.content.decode()


@pytest.mark.parametrize(
    "players, words",
    [(0, "No players yet"), (1, "needs at least two players"), (3, "3 players")],
)
def test_tiny_fields_are_told_what_they_come_to(players: int, words: str) -> None:
    league = make_league(players=players)
    page = browser_of(league.organiser).get(reverse("event-entries", args=[league.token]))
    assert words in page.content.decode()


def test_a_player_drops_out_and_an_organiser_brings_them_back(league: League) -> None:
    Round.objects.create(event=league.event, number=1, status="published")
    ada, entry = league.player("Ada"), league.entry("Ada").token
    answer = browser_of(ada).post(
        reverse("entry-drop", args=[league.token, entry]), {"reason": "Moved away"}
    )
    assert (answer.status_code, league.entry("Ada").dropped) == (302, 2)
    page = (
        browser_of(league.organiser)
        .get(reverse("event-entries", args=[league.token]))
        .content.decode()
    )
    assert "out from round 2" in " ".join(page.split())
    browser_of(league.organiser).post(reverse("entry-rejoin", args=[league.token, entry]))
    assert league.entry("Ada").status == "active"


def test_an_entry_is_changed_by_its_player_and_its_play_off_by_organisers(league):
    ada = league.player("Ada")
    mine = make_legal_warband(actor=ada, name="The Ferrymen")
    url = reverse("entry-edit", args=[league.token, league.entry("Ada").token])
    browser_of(ada).post(url, {"name": "Ada", "warband": mine.token, "play_off": "1"})
    assert (league.entry("Ada").warband, league.entry("Ada").play_off) == (mine, None)
    # The organiser cannot open it, and leaves it as it is.
    page = browser_of(league.organiser).get(url).content.decode()
    assert "The Ferrymen, as it is now" in page
    browser_of(league.organiser).post(
        url, {"name": "Ada", "warband": "kept", "link": "", "play_off": "1"}
    )
    assert (league.entry("Ada").warband, league.entry("Ada").play_off) == (mine, 1)
    assert browser_of(league.player("Ben")).get(url).status_code == 403


def test_a_warband_is_brought_by_its_link_or_says_why_not(league: League) -> None:
    guest = make_legal_warband(actor=league.organiser, name="Lent", visibility="link")
    client, url = (
        browser_of(league.organiser),
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
