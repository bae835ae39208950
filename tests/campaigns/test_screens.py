"""The hall screen: its address, what it shows and what it does not, its clock, its messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, WrongState
from campaigns.models import EventLog
from campaigns.models.leagues import HallScreen
from campaigns.operations.screens import CLOCK_MAX, step_screen
from campaigns.queries.screens import Clock, load_screen, load_watched_screen
from tests.battles.pages import browser_of
from tests.campaigns.leagues import NAMES, League, make_league
from tests.campaigns.results import put_up, report
from warbands.models import Warband

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_day(module_rows: None) -> League:
    league = make_league(players=12, with_warbands=True)
    pairs = [NAMES[:2], NAMES[2:4], NAMES[4:6], NAMES[6:8], NAMES[8:10], NAMES[10:11]]
    games = put_up(league, 1, pairs)
    for table, game in enumerate(games[:5], 1):
        type(game).objects.filter(pk=game.pk).update(table=table)
    return league


@pytest.fixture
def day(kept_day: League, db: None) -> League:
    kept_day.fresh()
    return kept_day


def clock(league: League) -> Clock | None:
    screen = load_screen(league.organiser, league.token)
    assert screen is not None
    return screen.clock


def test_address_is_given_kept_revoked_and_given_anew(day: League) -> None:
    key = step_screen(day.ask(), "on")
    assert step_screen(day.ask(), "on") == key
    address = reverse("screen-read", args=[key])
    assert browser_of().get(address).status_code == 200
    step_screen(day.ask(), "off")
    step_screen(day.ask(), "off")
    assert browser_of().get(address).status_code == 404
    assert step_screen(day.ask(), "on") != key
    verbs = EventLog.objects.filter(event=day.event, verb__startswith="screen")
    assert list(verbs.order_by("id").values_list("verb", flat=True)) == [
        "screen_on",
        "screen_off",
        "screen_on",
    ]
    for step in ("on", "off", "stop"):
        with pytest.raises(NotAllowed):
            step_screen(day.by("Ada"), step)


def test_screen_shows_names_tables_standings_and_messages_alone(day: League) -> None:
    key = step_screen(day.ask(), "on")
    assert Warband.objects.update(name="Hidden legion")
    report(day, day.fixtures(1)[0], "Ben")
    change = {"event": day.event, "author_id": day.organiser.user_id, "words": "Message."}
    lines = [("all", "Lunch at one."), ("round", "Only of a round."), ("all", "Old news.")]
    for subject, reason in lines:
        with patch("tests.campaigns.conftest.is_told", return_value=True):
            EventLog.objects.create(
                verb="message", subject=subject, reason=reason, **change
            )
    yesterday = timezone.now() - timedelta(days=1)
    EventLog.objects.filter(reason="Old news.").update(at=yesterday)
    screen = load_watched_screen(key)
    assert screen is not None
    assert [(game.record.table, game.names) for game in screen.games][:2] == [
        (1, ("Ada", "Ben")),
        (2, ("Cleo", "Dora")),
    ]
    assert screen.games[-1].names == ("Kate",)
    seats = [(seat.name, seat.table, not seat.opponents) for seat in screen.seats]
    assert (seats[0], seats[-1]) == (("Ada", 1, False), ("Kate", None, True))
    assert [message.reason for message in screen.messages] == ["Lunch at one."]
    assert [(kind, len(rows)) for kind, _, rows in screen.slides] == [
        ("messages", 1),
        ("tables", 6),
        ("names", 11),
        ("standings", 12),
    ]
    page = browser_of().get(reverse("screen-read", args=[key]))
    text = page.content.decode()
    assert "Lunch at one." in text
    assert "Hidden legion" not in text
    assert "noindex" in text


def test_draft_is_not_on_the_screen(day: League) -> None:
    key = step_screen(day.ask(), "on")
    (draft,) = put_up(day, 2, [("Ada", "Cleo")])
    type(draft.round).objects.filter(pk=draft.round_id).update(status="draft")
    screen = load_watched_screen(key)
    assert screen is not None
    assert screen.round is not None
    assert (screen.round.number, len(screen.games)) == (1, 6)


def test_clock_starts_stops_resumes_and_extends_by_the_servers_time(day: League) -> None:
    now = timezone.now()

    def at(seconds: int, step: str, minutes: int | None = None) -> None:
        moment = now + timedelta(seconds=seconds)
        with patch("campaigns.operations.screens.timezone.now", return_value=moment):
            step_screen(day.ask(), step, minutes)

    def left(seconds: int) -> tuple[int, bool]:
        moment = now + timedelta(seconds=seconds)
        with patch("campaigns.queries.screens.timezone.now", return_value=moment):
            found = clock(day)
        assert found is not None
        return found.left, found.is_running

    with pytest.raises(WrongState, match="is off"):
        at(0, "start", 10)
    step_screen(day.ask(), "on")
    assert clock(day) is None
    for step in ("stop", "resume", "extend"):
        with pytest.raises(WrongState, match="No clock"):
            at(0, step, 5)
    at(0, "start", 10)
    assert (left(0), left(90), left(700)) == ((600, True), (510, True), (0, True))
    at(60, "stop")
    assert left(500) == (540, False)
    at(100, "extend", 1)
    assert left(500) == (600, False)
    at(200, "resume")
    assert left(260) == (540, True)
    at(260, "extend", 5)
    assert left(260) == (840, True)
    at(5000, "extend", 2)
    assert left(5000) == (120, True)
    at(5000, "start", 1)
    assert left(5000) == (60, True)


@pytest.mark.parametrize("minutes", [None, 0, CLOCK_MAX + 1])
def test_clock_has_a_limit(day: League, minutes: int | None) -> None:
    step_screen(day.ask(), "on")
    step_screen(day.ask(), "start", CLOCK_MAX)
    for step in ("start", "extend"):
        with pytest.raises(Refusal) as refused:
            step_screen(day.ask(), step, minutes)
        assert refused.value.field == "minutes"
    with pytest.raises(Refusal, match="at most 600 more minutes"):
        step_screen(day.ask(), "extend", 1)
    with pytest.raises(Refusal, match="steps of the clock"):
        step_screen(day.ask(), "reverse")


def test_organiser_runs_the_screen_on_its_page(day: League) -> None:
    browser = browser_of(day.organiser)
    address = reverse("event-screen", args=[day.token])
    assert "is off" in browser.get(address).content.decode()
    browser.post(address, {"step": "on"})
    key = HallScreen.objects.get(event=day.event).token
    text = browser.get(address).content.decode()
    assert reverse("screen-read", args=[key]) in text
    assert browser.post(address, {"step": "start"}).status_code == 422
    browser.post(address, {"step": "start", "minutes": 150})
    now = clock(day)
    assert now is not None
    assert now.is_running
    assert "150:00" in browser.get(address).content.decode()
    assert browser_of(day.player("Ada")).get(address).status_code == 403
    browser.post(address, {"step": "off"})
    assert not HallScreen.objects.exists()


def test_screen_asks_as_often_for_one_game_as_for_six(
    day: League, django_assert_num_queries: Callable[[int], Any]
) -> None:
    key = step_screen(day.ask(), "on")
    for kept in (6, 1):
        for game in day.fixtures(1)[kept:]:
            game.delete()
        with django_assert_num_queries(6):
            load_watched_screen(key)
