"""The same result twice is one; two organisers change different things without a conflict."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.errors import Refusal, Stale
from accounts.models import User
from accounts.owner import Owner
from battles.models import Battle, BattleStatus
from campaigns.models import FixtureStatus
from campaigns.operations.events import change_event, finish_event
from campaigns.operations.fixtures import FixtureDraft, change_fixture
from campaigns.operations.log import ChangeRequest, check_untouched
from campaigns.operations.pairing import draw_round
from campaigns.operations.rounds import RoundDraft, change_round, publish_round
from tests.campaigns.leagues import League, make_draft, make_round
from tests.campaigns.results import faults, fresh, put_up, report
from tests.factories import make_person, make_user

pytestmark = pytest.mark.django_db


def second_of(league: League) -> Owner:
    other = make_person(user=make_user(name="Otto"))
    league.club.memberships.create(user_id=other.user_id, role="organiser")
    return other


def asks(
    league: League, expected: int | None = None, actor: Owner | None = None
) -> ChangeRequest:
    return ChangeRequest(actor or league.organiser, league.token, expected)


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
def test_another_result_still_needs_a_reason(
    league: League, winner: str, fields: dict[str, object]
) -> None:
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


def test_second_organiser_with_the_same_slip_reads_that_it_is_entered(
    league: League,
) -> None:
    game = put_up(league, 1, [("Ada", "Ben")])[0]
    other = second_of(league)
    client = Client()
    client.force_login(User.objects.get(pk=other.user_id))
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
    change_event(asks(league, seen), make_draft(place="The Quay"))
    change_event(
        asks(league, seen, other), make_draft(points_limit=150, description="Bring dice")
    )
    event = league.fresh()
    assert (event.place, event.points_limit, event.description) == (
        "The Quay",
        150,
        "Bring dice",
    )


def test_what_both_changed_is_a_conflict_that_names_it(league: League) -> None:
    other, seen = second_of(league), league.fresh().version
    change_event(asks(league, seen), make_draft(points_limit=175))
    with pytest.raises(Stale) as told:
        change_event(
            asks(league, seen, other), make_draft(points_limit=150, place="The Quay")
        )
    assert "Olga: Changed: points limit from 200 to 175." in told.value.message
    assert league.fresh().place == ""
    # The same value from both is no conflict, and what is sent again wins.
    change_event(asks(league, seen, other), make_draft(points_limit=175, place="The Quay"))
    assert league.fresh().place == "The Quay"


def test_merged_settings_are_checked_together(league: League) -> None:
    other = second_of(league)
    change_event(asks(league), make_draft(needs_list=True))
    seen = league.fresh().version
    change_event(asks(league, seen), make_draft(needs_list=False))
    with pytest.raises(Refusal, match="compare models"):
        change_event(asks(league, seen, other), make_draft(needs_list=True, has_core=True))


def test_points_for_results_merge_too(league: League) -> None:
    from engine.tournament.types import Scoring

    other, seen = second_of(league), league.fresh().version
    change_event(asks(league, seen), make_draft(scoring=Scoring(win=4)))
    change_event(asks(league, seen, other), make_draft(scoring=Scoring(bye=2)))
    event = league.fresh()
    assert (event.points_win, event.points_bye) == (4, 2)


def test_settings_and_rounds_do_not_touch_each_other(league: League) -> None:
    other = second_of(league)
    make_round(league)
    make_round(league)
    seen = league.fresh().version
    change_event(asks(league, seen), make_draft(place="The Quay"))
    change_round(asks(league, seen), 2, RoundDraft(name="Second"))
    draw_round(asks(league, seen, other), 1)
    with pytest.raises(Stale, match=r"Otto: Paired round 1: 2 games"):
        publish_round(asks(league, seen), 1)
    now = league.fresh().version
    one, two = league.fixtures(1)
    change_fixture(asks(league, now), one.token, FixtureDraft(table=5))
    change_fixture(asks(league, now, other), two.token, FixtureDraft(table=6))
    with pytest.raises(Stale, match="table"):
        change_fixture(asks(league, now, other), one.token, FixtureDraft(table=7))
    with pytest.raises(Stale):
        publish_round(asks(league, now), 1)
    finish = league.fresh().version
    change_event(asks(league, finish), make_draft(place="The Barn"))
    publish_round(asks(league, finish), 1)
    finish_event(asks(league, finish, other))
    with pytest.raises(Stale, match="Finished"):
        finish_event(asks(league, finish))


def test_what_the_log_does_not_know_is_a_conflict(league: League) -> None:
    with pytest.raises(Stale, match="Somebody else changed this event"):
        check_untouched(league.fresh(), league.fresh().version + 1, "status")
    league.event.log.update(version=0)
    with pytest.raises(Stale, match="Somebody else changed this event"):
        check_untouched(league.fresh(), 1, "status")
