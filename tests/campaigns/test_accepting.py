"""An organiser accepts results; an event chooses who confirms; what waits counts as provisional."""

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, Stale, WrongState
from accounts.owner import Owner
from battles.models import Battle, BattleStatus, Confirmation, ResultVerb
from battles.queries.index import current_battles, waiting_for
from campaigns.models import ClubEvent, FixtureStatus, RoundStatus
from campaigns.operations.events import change_event, settle_event
from campaigns.operations.fixtures import FixtureDraft, change_fixture
from campaigns.operations.log import ChangeRequest, check_untouched
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import accept_result, accept_round, open_fixture
from campaigns.operations.rounds import RoundDraft, change_round, close_round, publish_round
from campaigns.queries.standings import StandingRow, load_standings
from tests.battles.pages import browser_of
from tests.battles.steps import confirm_result, dispute_result
from tests.campaigns.leagues import League, make_draft, make_league, make_round
from tests.campaigns.results import faults, fresh, put_up, report
from tests.factories import make_person, make_user

pytestmark = pytest.mark.django_db
PAIRS = (("Ada", "Ben"), ("Cleo", "Dora"))


def confirm_by(league: League, confirmation: str) -> None:
    ClubEvent.objects.filter(pk=league.event.pk).update(confirmation=confirmation)


@pytest.fixture(params=Confirmation.values)
def confirmation(league: League, request: pytest.FixtureRequest) -> str:
    confirm_by(league, request.param)
    return str(request.param)


def row_of(league: League, name: str) -> StandingRow:
    table = load_standings(league.organiser, league.token)
    assert table
    return next(row for row in table.rows if row.entry.name == name)


def page_of(actor: Owner, name: str, *args: object) -> str:
    client = browser_of(actor)
    return str(client.get(reverse(name, args=args)).content.decode())


def test_reported_result_counts_as_provisional_until_it_is_disputed(league, confirmation):
    game = put_up(league, 1, PAIRS)[0]
    report(league, game, "Ada", by=league.player("Ada"))
    values = (row_of(league, "Ada").standing.points, row_of(league, "Ada").provisional)
    assert values == (3, 1)
    assert "1 provisional" in page_of(league.player("Cleo"), "standings-read", league.token)
    player = (league.player("Cleo"), "entry-read", league.token, league.entry("Ada").token)
    assert "<span>1 won, 0 drawn, 0 lost</span>" in page_of(*player)
    assert '<span class="won">Won</span>, provisional' in page_of(*player)
    battle = fresh(game).battle
    assert battle
    dispute_result(league.player("Ben"), battle.token, reason="It was a draw.")
    values = (row_of(league, "Ada").standing.points, row_of(league, "Ada").provisional)
    assert values == (0, 0)
    assert "<span>0 won, 0 drawn, 0 lost</span>" in page_of(*player)
    accept_result(league.ask(), game.token)
    values = (row_of(league, "Ada").standing.points, row_of(league, "Ada").provisional)
    assert values == (3, 0)
    assert fresh(game).status == FixtureStatus.FINAL
    assert not faults(game)


def test_opponent_confirms_unless_the_organiser_does(league, confirmation):
    game = put_up(league, 1, PAIRS)[0]
    done = report(league, game, "Ada", by=league.player("Ada"))
    if confirmation == Confirmation.ORGANISER:
        with pytest.raises(NotAllowed, match="organiser"):
            confirm_result(league.player("Ben"), done.battle)
    else:
        confirm_result(league.player("Ben"), done.battle)
        assert fresh(game).status == FixtureStatus.FINAL


def test_what_an_organiser_accepts_is_not_confirmed_by_silence(league, confirmation):
    game = put_up(league, 1, PAIRS)[0]
    report(league, game, "Ada", by=league.player("Ada"))
    is_waiting_for_ever = fresh(game).waits_until is None
    assert is_waiting_for_ever == (confirmation == Confirmation.ORGANISER)
    ben = league.player("Ben")
    assert waiting_for(ben) == (not is_waiting_for_ever)
    assert [row.waits_for_me for row in current_battles(ben)] == [not is_waiting_for_ever]


def test_guest_has_nobody_to_answer_but_the_organiser_accepts() -> None:
    league = make_league(players=1, guests=1, confirmation=Confirmation.ORGANISER)
    game = put_up(league, 1, [("Ada", "Guest 1")])[0]
    report(league, game, "Ada", by=league.player("Ada"))
    assert fresh(game).status == FixtureStatus.WAITING
    accept_result(league.ask(), game.token)
    assert fresh(game).status == FixtureStatus.FINAL


def test_organiser_accepts_once_and_players_do_not(league, confirmation):
    game = put_up(league, 1, PAIRS)[0]
    with pytest.raises(WrongState, match="no reported result"):
        accept_result(league.ask(), game.token)
    done = report(league, game, "Ada", by=league.player("Ada"))
    with pytest.raises(NotAllowed):
        accept_result(league.by("Ben"), game.token)
    seen = fresh(game).version
    with pytest.raises(Stale):
        accept_result(league.ask(seen - 1), game.token)
    accept_result(league.ask(seen), game.token)
    accept_result(league.ask(seen), game.token)
    battle = Battle.objects.get(token=done.battle)
    values = [one.verb for one in battle.results.order_by("number")]
    assert values == [ResultVerb.PROPOSE, ResultVerb.CONFIRM]
    assert "Accepted by an organiser" in page_of(
        league.organiser, "fixture-read", league.token, game.token
    )


def test_organiser_who_plays_does_not_accept_where_opponents_confirm(league, confirmation):
    league.club.memberships.filter(user_id=league.player("Ada").user_id).update(
        role="organiser"
    )
    game = put_up(league, 1, PAIRS)[0]
    done = report(league, game, "Ada", by=league.player("Ada"))
    if confirmation == Confirmation.PLAYERS:
        with pytest.raises(NotAllowed):
            confirm_result(league.player("Ada"), done.battle)
        return
    accept_result(league.by("Ada"), game.token)
    assert fresh(game).status == FixtureStatus.FINAL


def test_all_of_a_round_is_accepted_and_closed_or_nothing(league, confirmation):
    one, other = put_up(league, 1, PAIRS)
    report(league, one, "Ada", by=league.player("Ada"))
    with pytest.raises(WrongState, match="Cleo against Dora"):
        accept_round(league.ask(), 1, closes=True)
    assert fresh(one).status == FixtureStatus.WAITING
    report(league, other, "Dora", by=league.player("Cleo"))
    if confirmation == Confirmation.ORGANISER:
        with pytest.raises(WrongState, match="Accept"):
            close_round(league.ask(), 1)
    with pytest.raises(NotAllowed):
        accept_round(league.by("Ada"), 1)
    assert accept_round(league.ask(), 1, closes=True) == 2
    assert {fresh(game).status for game in (one, other)} == {FixtureStatus.FINAL}
    assert league.round(1).status == RoundStatus.CLOSED


def test_disputed_result_of_a_round_is_left_to_be_looked_at(league: League) -> None:
    confirm_by(league, Confirmation.REPORTS)
    one, other = put_up(league, 1, PAIRS)
    done = report(league, one, "Ada", by=league.player("Ada"))
    report(league, other, "Dora", by=league.player("Cleo"))
    dispute_result(league.player("Ben"), done.battle, reason="It was a draw.")
    assert accept_round(league.ask(), 1) == 1
    assert fresh(one).status == FixtureStatus.DISPUTED


def test_round_page_accepts_all_and_closes(league: League) -> None:
    confirm_by(league, Confirmation.ORGANISER)
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
    client = browser_of(league.organiser)
    client.post(
        reverse("round-accept", args=[league.token, 1]),
        {"version": league.fresh().version, "close": "1"},
    )
    assert league.round(1).status == RoundStatus.CLOSED


def test_change_of_the_event_reaches_games_that_are_played(league: League) -> None:
    from campaigns.operations.events import change_event
    from tests.campaigns.leagues import make_draft

    confirm_by(league, Confirmation.PLAYERS)
    game = put_up(league, 1, PAIRS)[0]
    token = open_fixture(league.ask(), game.token)
    change_event(league.ask(), make_draft(confirmation=Confirmation.ORGANISER))
    assert Battle.objects.get(token=token).confirmation == Confirmation.ORGANISER
    report(league, game, "Ada", by=league.player("Ada"))
    assert fresh(game).waits_until is None


def test_waiting_result_is_final_once_silence_is_heard(league: League) -> None:
    confirm_by(league, Confirmation.REPORTS)
    game = put_up(league, 1, PAIRS)[0]
    report(league, game, "Ada", by=league.player("Ada"))
    row = fresh(game)
    assert row.waits_until
    assert row.waits_until > timezone.now()
    type(row).objects.filter(pk=row.pk).update(waits_until=timezone.now())
    assert row_of(league, "Ada").provisional == 0


# The same result twice is one


def second_of(league: League) -> Owner:
    other = make_person(user=make_user(name="Otto"))
    league.club.memberships.create(user_id=other.user_id, role="organiser")
    return other


def steps_of(token: str) -> int:
    return Battle.objects.get(token=token).results.count()


# The same result twice


def test_same_result_twice_is_one_result(league: League) -> None:
    game = put_up(league, 1, [("Ada", "Ben")])[0]
    ada = league.player("Ada")
    figures = {league.entry("Ben").token: {"out": 4}}
    done = report(league, game, "Ada", by=ada, figures=figures)
    again = report(league, game, "Ada", by=ada, figures=figures, expected=1)
    assert (again.battle, again.status, again.is_repeat) == (done.battle, done.status, True)
    assert steps_of(done.battle) == 1
    assert not faults(game)


def test_opponent_who_reports_the_same_confirms_it(league: League) -> None:
    game = put_up(league, 1, [("Ada", "Ben")])[0]
    report(league, game, "Ada", by=league.player("Ada"))
    done = report(league, game, "Ada", by=league.player("Ben"))
    assert (done.status, done.is_repeat) == (BattleStatus.CONFIRMED, False)
    assert fresh(game).status == FixtureStatus.FINAL


@pytest.mark.parametrize(
    "winner, fields",
    [("Ben", {}), ("", {}), ("Ada", {"how": "bottled"}), ("Ada", {"figures": "more"})],
)
def test_another_result_still_needs_a_reason(league, winner, fields):
    game = put_up(league, 1, [("Ada", "Ben")])[0]
    report(league, game, "Ada")
    if "figures" in fields:
        fields["figures"] = {league.entry("Ben").token: {"out": 5}}
    if fields.get("how") == "bottled":
        fields["how"] = next(
            one.id
            for one in league_endings(league)
            if one.has_winner and one.id != "conceded"
        )
    with pytest.raises(Refusal, match="Give a reason"):
        report(league, game, winner, **fields)


def league_endings(league: League) -> list[object]:
    from rulesdata import registry

    rules = registry.result_rules(league.event.system, league.event.variant or None)
    return list(rules.endings.values())


def test_second_organiser_with_the_same_slip_reads_that_it_is_entered(league):
    game = put_up(league, 1, [("Ada", "Ben")])[0]
    other = second_of(league)
    client = browser_of(other)
    address = reverse("fixture-result", args=[league.token, game.token])
    seen = game.version
    report(league, game, "Ada")
    said = {
        "winner": league.entry("Ada").token,
        "how": "conceded",
        "seen": seen,
        "key": "k" * 20,
    }
    answer = client.post(address, {**said, "go": "1", "reason": ""}, follow=True)
    assert "already reported" in answer.content.decode()
    battle = fresh(game).battle
    assert battle
    assert steps_of(battle.token) == 1


# Two organisers at once


def test_two_change_different_settings_and_both_stay(league: League) -> None:
    other, seen = second_of(league), league.fresh().version
    change_event(league.ask(seen), make_draft(place="The Quay"))
    change_event(
        ChangeRequest(other, league.token, seen),
        make_draft(points_limit=150, description="Bring dice"),
    )
    event = league.fresh()
    values = (event.place, event.points_limit, event.description)
    assert values == ("The Quay", 150, "Bring dice")


def test_what_both_changed_is_a_conflict_that_names_it(league: League) -> None:
    other, seen = second_of(league), league.fresh().version
    change_event(league.ask(seen), make_draft(points_limit=175))
    with pytest.raises(Stale) as told:
        change_event(
            ChangeRequest(other, league.token, seen),
            make_draft(points_limit=150, place="The Quay"),
        )
    assert "Olga: Changed: points limit from 200 to 175." in told.value.message
    assert league.fresh().place == ""
    # The same value from both is no conflict, and what is sent again wins.
    change_event(
        ChangeRequest(other, league.token, seen),
        make_draft(points_limit=175, place="The Quay"),
    )
    assert league.fresh().place == "The Quay"


def test_merged_settings_are_checked_together(league: League) -> None:
    other = second_of(league)
    change_event(league.ask(), make_draft(needs_list=True))
    seen = league.fresh().version
    change_event(league.ask(seen), make_draft(needs_list=False))
    with pytest.raises(Refusal, match="compare models"):
        change_event(
            ChangeRequest(other, league.token, seen),
            make_draft(needs_list=True, has_core=True),
        )


def test_points_for_results_merge_too(league: League) -> None:
    from engine.tournament.types import Scoring

    other, seen = second_of(league), league.fresh().version
    change_event(league.ask(seen), make_draft(scoring=Scoring(win=4)))
    change_event(
        ChangeRequest(other, league.token, seen), make_draft(scoring=Scoring(bye=2))
    )
    event = league.fresh()
    assert (event.points_win, event.points_bye) == (4, 2)


def test_settings_and_rounds_do_not_touch_each_other(league: League) -> None:
    other = second_of(league)
    make_round(league)
    make_round(league)
    seen = league.fresh().version
    change_event(league.ask(seen), make_draft(place="The Quay"))
    change_round(league.ask(seen), 2, RoundDraft(name="Second"))
    draw_round(ChangeRequest(other, league.token, seen), 1)
    with pytest.raises(Stale, match=r"Otto: Paired round 1: 2 games"):
        publish_round(league.ask(seen), 1)
    now = league.fresh().version
    one, two = league.fixtures(1)
    change_fixture(league.ask(now), one.token, FixtureDraft(table=5))
    change_fixture(
        ChangeRequest(other, league.token, now), two.token, FixtureDraft(table=6)
    )
    with pytest.raises(Stale, match="table"):
        change_fixture(
            ChangeRequest(other, league.token, now), one.token, FixtureDraft(table=7)
        )
    with pytest.raises(Stale):
        publish_round(league.ask(now), 1)
    finish = league.fresh().version
    change_event(league.ask(finish), make_draft(place="The Barn"))
    publish_round(league.ask(finish), 1)
    settle_event(ChangeRequest(other, league.token, finish), "finish")
    with pytest.raises(Stale, match="Finished"):
        settle_event(league.ask(finish), "finish")


def test_what_the_log_does_not_know_is_a_conflict(league: League) -> None:
    with pytest.raises(Stale, match="Somebody else changed this event"):
        check_untouched(league.fresh(), league.fresh().version + 1, "status")
    league.event.log.update(version=0)
    with pytest.raises(Stale, match="Somebody else changed this event"):
        check_untouched(league.fresh(), 1, "status")
