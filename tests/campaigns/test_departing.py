"""Deleting an account in mid-league: what is said before, what stays, and who is told."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.operations.people import close_account
from accounts.owner import Owner
from accounts.queries.people import closing_told
from campaigns.models import Decision, EntryStatus, Fixture, FixtureStatus
from campaigns.operations.challenges import create_challenge
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import open_fixture, report_result
from campaigns.queries.records import Outcome
from campaigns.queries.standings import load_standings
from notices.models import Notice
from tests.campaigns.leagues import League, make_campaign, make_league, make_round
from tests.campaigns.results import agree, faults, fresh, put_up
from tests.factories import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    """Ada has won a game, has one to play and one drawn; everybody with the link may read it."""
    made = make_league(players=4, visibility="link")
    won, _ = put_up(made, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    agree(made, won, "Ada")
    put_up(made, 2, [("Ada", "Cleo"), ("Ben", "Dora")])
    made.event.rounds.filter(number=2).update(status="published")
    return made


def close(league: League, name: str) -> Owner:
    gone = league.player(name)
    assert gone.user_id
    close_account(gone.user_id)
    return gone


def read(path: str, actor: Owner | None = None) -> str:
    client = Client()
    if actor:
        client.force_login(User.objects.get(pk=actor.user_id))
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def pages(league: League) -> list[str]:
    fixtures = Fixture.objects.filter(round__event=league.event)
    return [
        reverse("event-read", args=[league.token]),
        reverse("standings-read", args=[league.token]),
        reverse("event-entries", args=[league.token]),
        reverse("event-log", args=[league.token]),
        reverse("round-list", args=[league.token]),
        *(reverse("round-read", args=[league.token, n]) for n in (1, 2)),
        *(reverse("fixture-read", args=[league.token, one.token]) for one in fixtures),
    ]


def test_page_says_beforehand_what_stays(league: League) -> None:
    ada = league.player("Ada")
    assert ada.user_id
    told = " ".join(closing_told(ada.user_id))
    assert "You are in Autumn league" in told
    assert "“Former player” and a number" in told
    assert "Your 1 open game is cancelled" in told
    assert closing_told(0) == ()


def test_results_stay_without_the_name_and_open_games_are_cancelled(league: League) -> None:
    open_fixture(
        ChangeRequest(league.organiser, league.token), league.fixture(2, "Ada").token
    )
    close(league, "Ada")
    for path in pages(league):
        shown = read(path)
        assert "Ada" not in shown, path
    table = load_standings(league.organiser, league.token)
    assert table
    first = table.rows[0]
    assert (first.entry.name, first.standing.points) == ("Former player 1", 3)
    assert (first.entry.status, first.entry.user_id) == (EntryStatus.DROPPED, None)
    game = fresh(league.fixture(2, "Former player 1"))
    assert (game.decision, game.status) == (Decision.UNPLAYED, FixtureStatus.FINAL)
    assert not faults(game)
    close(league, "Ben")
    assert league.entry("Former player 2").dropped == 3


def test_organisers_and_opponents_are_told(league: League) -> None:
    # What nobody has seen yet is no game to cancel.
    put_up(league, 3, [("Ada", "Dora")])
    league.event.rounds.filter(number=3).update(status="draft")
    Notice.objects.all().delete()
    close(league, "Ada")
    words = "Autumn league: Former player 1 deleted their account. Cancelled: 1 open game."
    told = {(one.user.name, one.words) for one in Notice.objects.all()}
    assert told == {("Olga", words), ("Cleo", words)}


def test_drafts_and_challenges_lose_them() -> None:
    league = make_league(players=4)
    make_round(league)
    draw_round(ChangeRequest(league.organiser, league.token), 1)
    close(league, "Ada")
    assert not any("Former" in one.one.name for one in league.fixtures(1))
    winter = make_campaign(players=2)
    put_up(winter, 1, [])
    asked = ChangeRequest(winter.player("Ada"), winter.token)
    create_challenge(asked, winter.entry("Ben").token)
    close(winter, "Ben")
    assert not Fixture.objects.filter(round__event=winter.event).exists()


def test_strangers_read_no_reasons(league: League) -> None:
    game = league.fixture(2, "Ada")
    asked = ChangeRequest(league.organiser, league.token, reason="Ada is in hospital")
    decide_fixture(asked, game.token, decision="unplayed")
    log = reverse("event-log", args=[league.token])
    page = reverse("fixture-read", args=[league.token, game.token])
    assert "in hospital" not in read(log) + read(page)
    assert "in hospital" in read(log, league.player("Dora"))
    decide = reverse("fixture-decide", args=[league.token, game.token])
    assert "Members of the club and players of this event can read it." in read(
        decide, league.organiser
    )


def test_page_of_a_battle_tells_strangers_no_reasons(league: League) -> None:
    dora = league.player("Dora")
    league.club.memberships.filter(user_id=dora.user_id).delete()
    game = league.fixture(1, "Ada")
    assert game.battle
    asked = ChangeRequest(league.organiser, league.token, reason="Ada had too few models")
    report_result(
        asked, game.token, Outcome(how="conceded", winner=league.entry("Ben").token)
    )
    battle = game.battle.token
    for name in ("battle-read", "battle-report"):
        page = reverse(name, args=[battle])
        stranger = read(page)
        assert "Corrected" in stranger
        assert "too few models" not in stranger + read(page, make_person())
        # Members of the club and players of the event read it, whether they played it or not.
        for name in ("Cleo", "Dora", "Ben"):
            assert "too few models" in read(page, league.player(name))
    dispute = reverse("battle-result", args=[battle, "correct"])
    assert "Players, organisers and members of the club can read it." in read(
        dispute, league.organiser
    )
