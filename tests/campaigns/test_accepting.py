"""An organiser accepts results; an event chooses who confirms; what waits counts as provisional."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, Stale, WrongState
from accounts.models import User
from accounts.owner import Owner
from battles.models import Battle, Confirmation, ResultVerb
from battles.queries.index import current_battles, waiting_for
from campaigns.models import FixtureStatus, RoundStatus
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import accept_result, accept_round
from campaigns.operations.rounds import close_round
from campaigns.queries.standings import StandingRow, load_standings
from notices.models import Notice
from tests.battles.steps import confirm_result, dispute_result
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import faults, fresh, put_up, report

pytestmark = pytest.mark.django_db
WAYS = Confirmation.values
PAIRS = (("Ada", "Ben"), ("Cleo", "Dora"))


def league_of(confirmation: str) -> League:
    return make_league(players=4, confirmation=confirmation)


def row_of(league: League, name: str) -> StandingRow:
    table = load_standings(league.organiser, league.token)
    assert table
    return next(row for row in table.rows if row.entry.name == name)


def asks(
    league: League, actor: Owner | None = None, expected: int | None = None
) -> ChangeRequest:
    return ChangeRequest(actor or league.organiser, league.token, expected)


def page_of(actor: Owner, name: str, *args: object) -> str:
    client = Client()
    client.force_login(User.objects.get(pk=actor.user_id))
    return str(client.get(reverse(name, args=args)).content.decode())


@pytest.mark.parametrize("confirmation", WAYS)
def test_reported_result_counts_as_provisional_until_it_is_disputed(
    confirmation: str,
) -> None:
    league = league_of(confirmation)
    game = put_up(league, 1, PAIRS)[0]
    report(league, game, "Ada", by=league.player("Ada"))
    assert (row_of(league, "Ada").standing.points, row_of(league, "Ada").provisional) == (
        3,
        1,
    )
    assert "1 provisional" in page_of(league.player("Cleo"), "standings-read", league.token)
    battle = fresh(game).battle
    assert battle
    dispute_result(league.player("Ben"), battle.token, reason="It was a draw.")
    assert (row_of(league, "Ada").standing.points, row_of(league, "Ada").provisional) == (
        0,
        0,
    )
    accept_result(asks(league), game.token)
    assert (row_of(league, "Ada").standing.points, row_of(league, "Ada").provisional) == (
        3,
        0,
    )
    assert fresh(game).status == FixtureStatus.FINAL
    assert not faults(game)


def test_opponent_confirms_unless_the_organiser_does() -> None:
    for confirmation in WAYS:
        league = league_of(confirmation)
        game = put_up(league, 1, PAIRS)[0]
        done = report(league, game, "Ada", by=league.player("Ada"))
        if confirmation == Confirmation.ORGANISER:
            with pytest.raises(NotAllowed, match="organiser"):
                confirm_result(league.player("Ben"), done.battle)
        else:
            confirm_result(league.player("Ben"), done.battle)
            assert fresh(game).status == FixtureStatus.FINAL


def test_what_an_organiser_accepts_is_not_confirmed_by_silence() -> None:
    for confirmation in WAYS:
        league = league_of(confirmation)
        game = put_up(league, 1, PAIRS)[0]
        report(league, game, "Ada", by=league.player("Ada"))
        is_waiting_for_ever = fresh(game).waits_until is None
        assert is_waiting_for_ever == (confirmation == Confirmation.ORGANISER)
        ben = league.player("Ben")
        assert waiting_for(ben) == (not is_waiting_for_ever)
        assert [row.waits_for_me for row in current_battles(ben)] == [
            not is_waiting_for_ever
        ]


def test_guest_has_nobody_to_answer_but_the_organiser_accepts() -> None:
    league = make_league(players=1, guests=1, confirmation=Confirmation.ORGANISER)
    game = put_up(league, 1, [("Ada", "Guest 1")])[0]
    report(league, game, "Ada", by=league.player("Ada"))
    assert fresh(game).status == FixtureStatus.WAITING
    accept_result(asks(league), game.token)
    assert fresh(game).status == FixtureStatus.FINAL


@pytest.mark.parametrize("confirmation", WAYS)
def test_organiser_accepts_once_and_players_do_not(confirmation: str) -> None:
    league = league_of(confirmation)
    game = put_up(league, 1, PAIRS)[0]
    with pytest.raises(WrongState, match="no reported result"):
        accept_result(asks(league), game.token)
    done = report(league, game, "Ada", by=league.player("Ada"))
    with pytest.raises(NotAllowed):
        accept_result(asks(league, league.player("Ben")), game.token)
    seen = fresh(game).version
    with pytest.raises(Stale):
        accept_result(asks(league, expected=seen - 1), game.token)
    accept_result(asks(league, expected=seen), game.token)
    accept_result(asks(league, expected=seen), game.token)
    battle = Battle.objects.get(token=done.battle)
    assert [one.verb for one in battle.results.order_by("number")] == [
        ResultVerb.PROPOSE,
        ResultVerb.CONFIRM,
    ]
    assert "Accepted by an organiser" in page_of(
        league.organiser, "fixture-read", league.token, game.token
    )


def test_organiser_who_plays_does_not_accept_where_opponents_confirm() -> None:
    for confirmation in WAYS:
        league = league_of(confirmation)
        league.club.memberships.filter(user_id=league.player("Ada").user_id).update(
            role="organiser"
        )
        game = put_up(league, 1, PAIRS)[0]
        done = report(league, game, "Ada", by=league.player("Ada"))
        if confirmation == Confirmation.PLAYERS:
            with pytest.raises(NotAllowed):
                confirm_result(league.player("Ada"), done.battle)
            continue
        accept_result(asks(league, league.player("Ada")), game.token)
        assert fresh(game).status == FixtureStatus.FINAL


@pytest.mark.parametrize("confirmation", WAYS)
def test_all_of_a_round_is_accepted_and_closed_or_nothing(confirmation: str) -> None:
    league = league_of(confirmation)
    one, other = put_up(league, 1, PAIRS)
    report(league, one, "Ada", by=league.player("Ada"))
    with pytest.raises(WrongState, match="Cleo against Dora"):
        accept_round(asks(league), 1, closes=True)
    assert fresh(one).status == FixtureStatus.WAITING
    report(league, other, "Dora", by=league.player("Cleo"))
    if confirmation == Confirmation.ORGANISER:
        with pytest.raises(WrongState, match="Accept"):
            close_round(asks(league), 1)
    with pytest.raises(NotAllowed):
        accept_round(asks(league, league.player("Ada")), 1)
    assert accept_round(asks(league), 1, closes=True) == 2
    assert {fresh(game).status for game in (one, other)} == {FixtureStatus.FINAL}
    assert league.round(1).status == RoundStatus.CLOSED


def test_disputed_result_of_a_round_is_left_to_be_looked_at() -> None:
    league = league_of(Confirmation.REPORTS)
    one, other = put_up(league, 1, PAIRS)
    done = report(league, one, "Ada", by=league.player("Ada"))
    report(league, other, "Dora", by=league.player("Cleo"))
    dispute_result(league.player("Ben"), done.battle, reason="It was a draw.")
    assert accept_round(asks(league), 1) == 1
    assert fresh(one).status == FixtureStatus.DISPUTED


def test_round_page_accepts_all_and_closes() -> None:
    league = league_of(Confirmation.ORGANISER)
    one, other = put_up(league, 1, PAIRS)
    report(league, one, "Ada", by=league.player("Ada"))
    shown = page_of(league.organiser, "round-read", league.token, 1)
    assert "Accept 1 result" in shown
    assert "close the round" not in shown
    report(league, other, "", by=league.player("Cleo"))
    shown = page_of(league.organiser, "round-read", league.token, 1)
    assert "Accept all results and close round" in shown
    assert "Accept 2 results" not in page_of(
        league.player("Ada"), "round-read", league.token, 1
    )
    client = Client()
    client.force_login(User.objects.get(pk=league.organiser.user_id))
    client.post(
        reverse("round-accept", args=[league.token, 1]),
        {"version": league.fresh().version, "close": "1"},
    )
    assert league.round(1).status == RoundStatus.CLOSED


@pytest.mark.parametrize(
    "confirmation, words",
    [
        (Confirmation.PLAYERS, "Confirm or dispute it by"),
        (Confirmation.ORGANISER, "otherwise an organiser accepts it"),
        (Confirmation.REPORTS, "after that it is final"),
    ],
)
def test_notice_says_the_result_and_what_can_be_done(confirmation: str, words: str) -> None:
    league = league_of(confirmation)
    game = put_up(league, 1, PAIRS)[0]
    figures = {league.entry("Ada").token: {"out": 3}, league.entry("Ben").token: {"out": 7}}
    report(league, game, "Ada", by=league.player("Ada"), figures=figures)
    told = Notice.objects.filter(user_id=league.player("Ben").user_id).latest("pk").words
    assert "Ada reported: Ada won" in told
    assert "models lost: Ada 3, Ben 7" in told
    assert words in told


def test_change_of_the_event_reaches_games_that_are_played() -> None:
    from campaigns.operations.events import change_event
    from campaigns.operations.results import open_fixture
    from tests.campaigns.leagues import make_draft

    league = league_of(Confirmation.PLAYERS)
    game = put_up(league, 1, PAIRS)[0]
    token = open_fixture(asks(league), game.token)
    change_event(asks(league), make_draft(confirmation=Confirmation.ORGANISER))
    assert Battle.objects.get(token=token).confirmation == Confirmation.ORGANISER
    report(league, game, "Ada", by=league.player("Ada"))
    assert fresh(game).waits_until is None


def test_waiting_result_is_final_once_silence_is_heard() -> None:
    league = league_of(Confirmation.REPORTS)
    game = put_up(league, 1, PAIRS)[0]
    report(league, game, "Ada", by=league.player("Ada"))
    row = fresh(game)
    assert row.waits_until
    assert row.waits_until > timezone.now()
    type(row).objects.filter(pk=row.pk).update(waits_until=timezone.now())
    assert row_of(league, "Ada").provisional == 0
