"""Pages on which an event is made and changed: what was typed is kept, two organisers do not
overwrite each other.
"""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import ClubEvent, Round
from tests.campaigns.leagues import League, make_league
from tests.factories import make_club, make_person

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
    "rule-swarms_no_injury_roll": "on",
    "level-leader.missing": "warning",
    "tie": ["wins", "play_off"],
    "confirm_days": "5",
    "needs_list": "on",
}


def client_of(user_id: int | None) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=user_id))
    return client


@pytest.fixture
def run() -> tuple[Client, str]:
    """The browser of somebody who runs a club, and its slug."""
    organiser = make_person()
    return client_of(organiser.user_id), make_club(owner=organiser).slug


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
    assert (event.name, event.method, event.legs, event.visibility, event.points_limit) == (
        "Winter cup",
        "robin",
        2,
        "link",
        150,
    )
    assert event.scenarios == ["border-skirmish", "ambush"]
    assert (event.house_rules, event.levels) == (
        {"swarms_no_injury_roll": True},
        {"leader.missing": "warning"},
    )
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


@pytest.mark.parametrize("kind", ["league", "night", "campaign"])
@pytest.mark.parametrize("system", ["mordheim-rulings.B", "d10-skirmish"])
def test_the_form_of_every_kind_makes_an_event_as_it_stands(
    run: tuple[Client, str], kind: str, system: str
) -> None:
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


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"name": ""}, "This field is required"),
        ({"points_limit": "1"}, "the cheapest unit costs more than 1"),
        ({"points_limit": "-5"}, "greater than or equal to 0"),
        ({"points_win": "many"}, "Enter a whole number"),
        ({"points_draw": "9"}, "at most as much as a win"),
        ({"has_core": "on", "needs_list": ""}, "players must hand in lists"),
        ({"method": "swiss"}, "Two legs are possible in a round robin only"),
        ({"scenarios": ["no-such"]}, "no-such"),
        ({"tie": ["height"]}, "is no tie-breaker"),
        ({"confirm_days": "0"}, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_is_said_and_what_was_typed_stays(
    run: tuple[Client, str], fields: dict[str, Any], words: str
) -> None:
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
        assert 'value="Half typed"' in page
        assert 'value="none"' in page
        assert "checked" in page.partition('value="ambush"')[2][:40]
        # Only warbands of campaigns collect any.
        assert "Campaign points" not in page
    assert not ClubEvent.objects.exists()
    campaign = {**sent, "kind": "campaign", "method": "challenge", "tie_move": "up wins"}
    assert "Campaign points" in client.post(reverse("event-new"), campaign).content.decode()


def test_who_runs_no_club_is_told_how_to() -> None:
    page = client_of(make_person().user_id).get(reverse("event-new"))
    assert (page.status_code, "you are not an organiser" in page.content.decode()) == (
        200,
        True,
    )


def test_settings_are_changed_with_a_reason(league: League) -> None:
    client = client_of(league.organiser.user_id)
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
    client = client_of(league.organiser.user_id)
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


def test_another_system_is_refused_once_a_round_is_published(league: League) -> None:
    client = client_of(league.organiser.user_id)
    Round.objects.create(event=league.event, number=1, status="published")
    url = reverse("event-edit", args=[league.token])
    sent = edit_form(league, system="mordheim-draft", points_limit="", scenarios=[])
    answer = client.post(url, sent)
    assert (answer.status_code, league.fresh().system) == (422, "warhammer-skirmish")
    assert "cannot change after a round is published" in answer.content.decode()


def test_it_is_finished_opened_archived_and_restored_by_buttons(league: League) -> None:
    client = client_of(league.organiser.user_id)
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
def test_pages_ask_as_often_whatever_the_size(
    players: int, django_assert_num_queries: Any
) -> None:
    league = make_league(players=players, with_warbands=True)
    client = client_of(league.organiser.user_id)
    client.get("/")
    figures = {"event-edit": EDIT, "event-entries": ENTRIES}
    for name, figure in figures.items():
        with django_assert_num_queries(figure):
            client.get(reverse(name, args=[league.token]))


EDIT = (
    5  # the person, the event, the scenarios of their own and of clubs, what is not settled
)
ENTRIES = 4  # the person, the event, its entries, who else is in the club
