"""The front page of somebody who plays in a league: whom they meet next stands first."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from campaigns.models import ClubEvent, Fixture, Round
from campaigns.operations.challenges import create_challenge
from campaigns.operations.entries import drop_entry
from campaigns.operations.events import settle_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.rounds import RoundDraft, add_round, publish_round
from campaigns.queries.events import own_events
from campaigns.queries.fixtures import load_upcoming_fixtures
from config.pages import heading
from tests.battles.pages import browser_of
from tests.battles.steps import dispute_result
from tests.campaigns.leagues import League, make_campaign, make_league, names_in
from tests.campaigns.results import put_up, report
from tests.factories import make_person

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday


def paired(league: League, **fields: Any) -> str:
    number = add_round(league.ask(), RoundDraft(**fields))
    draw_round(league.ask(), number, seed="front")
    publish_round(league.ask(), number)
    return next(name for name in names_in(league.fixture(number, "Ada")) if name != "Ada")


@pytest.mark.parametrize(
    "after, words",
    [
        (timedelta(hours=7), "Today, against"),
        (timedelta(days=1), "Tomorrow, against"),
        (timedelta(days=2), "Wednesday, against"),
        (timedelta(days=7), "9 March, against"),
        (timedelta(days=-1), "1 March, against"),
        (None, "Next game: against"),
    ],
)
def test_the_heading_says_the_day_as_people_do(
    league: League, after: timedelta | None, words: str
) -> None:
    other = paired(league, starts_at=NOW + after if after is not None else None)
    fixture = load_upcoming_fixtures(league.player("Ada"))[0]
    assert heading(fixture, NOW) == f"{words} {other}"


def test_the_next_fixture_is_the_soonest_that_is_open(
    league: League, django_assert_num_queries: Any
) -> None:
    ada = league.player("Ada")
    other = paired(league, starts_at=NOW + timedelta(days=9))
    paired(league, starts_at=NOW + timedelta(days=2))
    paired(league)
    with django_assert_num_queries(1):
        found = load_upcoming_fixtures(ada)
    assert [one.round.number for one in found] == [2, 1, 3]
    values = (found[1].against, found[1].players[0].name, found[1].round.event.name)
    assert values == (other, "Ada", "Autumn league")
    Fixture.objects.filter(round__event=league.event, round__number=2).update(
        status="final"
    )
    assert [one.round.number for one in load_upcoming_fixtures(ada)] == [1, 3]
    assert load_upcoming_fixtures(make_person()) == []


def test_nothing_is_next_in_drafts_in_the_archive_and_for_those_who_left(
    league: League,
) -> None:
    ada = league.player("Ada")
    paired(league)
    Round.objects.update(status="draft")
    assert load_upcoming_fixtures(ada) == []
    Round.objects.update(status="published")
    settle_event(league.ask(), "archive")
    assert load_upcoming_fixtures(ada) == []
    ClubEvent.objects.update(archived_at=None)
    drop_entry(ChangeRequest(ada, league.token), league.entry("Ada").token)
    assert load_upcoming_fixtures(ada) == []


def test_a_secret_list_is_not_told() -> None:
    league = make_league(players=2, with_warbands=True, needs_list=True)
    paired(league, lists_due_at=NOW)
    side = load_upcoming_fixtures(league.player("Ada"))[0].players[1]
    assert (side.is_secret, side.warband) == (True, None)
    Round.objects.update(lists_published_at=NOW)
    assert load_upcoming_fixtures(league.player("Ada"))[0].players[1].warband_name


@pytest.mark.parametrize("players", [4, 12])
def test_the_page_of_a_player_holds_it_all(
    players: int, django_assert_num_queries: Any
) -> None:
    league = make_league(players=players, with_warbands=True)
    other = paired(league)
    client = browser_of(league.player("Ada"))
    client.get("/")
    with django_assert_num_queries(FIGURE):
        page = client.get("/").content.decode()
    assert f"Next game: against {other}</h1>" in page
    assert (
        reverse("fixture-result", args=[league.token, league.fixture(1, "Ada").token])
        in page
    )
    assert reverse("standings-read", args=[league.token]) in page
    assert "Start battle" in page


FIGURE = 8  # the person, their warbands, battles and leagues, what is next, and the three of the table


def tasks(league: League, name: str = "") -> list[tuple[str, ...]]:
    actor = league.player(name) if name else league.organiser
    return [tuple(name for name, _ in row.tasks) for row in own_events(actor).rows]


def test_what_waits_in_ones_events_is_told_to_whom_it_waits_for() -> None:
    campaign = make_campaign(players=4)
    put_up(campaign, 1, [])
    create_challenge(campaign.by("Ada"), campaign.entry("Ben").token)
    assert [tasks(campaign, name) for name in ("Ada", "Ben", "")] == [
        [()],
        [("challenge",)],
        [()],
    ]
    page = browser_of(campaign.player("Ben")).get("/").content.decode()
    assert "Answer the challenge</a>" in page
    ClubEvent.objects.filter(pk=campaign.event.pk).update(
        growth_position=1, confirmation="organiser"
    )
    assert [tasks(campaign, name) for name in ("Ada", "")] == [[("warband",)], [()]]
    ClubEvent.objects.filter(pk=campaign.event.pk).update(growth_position=0)
    one, other = put_up(campaign, 2, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(campaign, one, "Ada", by=campaign.player("Ada"))
    assert tasks(campaign) == [("results",)]
    battle = report(campaign, other, "Cleo", by=campaign.player("Cleo")).battle
    dispute_result(campaign.player("Dora"), battle, reason="A draw.")
    assert tasks(campaign) == [("disputes", "results")]
    # The round where it waits, whatever was published since.
    put_up(campaign, 3, [("Ada", "Cleo")])
    address = reverse("round-results", args=[campaign.token, 2])
    assert f'href="{address}"' in browser_of(campaign.organiser).get("/").content.decode()
    settle_event(campaign.ask(), "finish")
    assert tasks(campaign) == [()]


def test_a_member_without_a_fixture_is_told_where_it_will_stand(league: League) -> None:
    page = browser_of(league.player("Ada")).get("/").content.decode()
    assert "No game scheduled</h1>" in page
    assert "Autumn league" in page
