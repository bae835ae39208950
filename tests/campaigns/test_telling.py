"""Who is told what of an event: of rounds, entries, results, deadlines.

Never of what they did themselves.
"""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.owner import Owner
from campaigns.models import Round
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.entries import drop_entry
from campaigns.operations.events import settle_event
from campaigns.operations.fixtures import FixtureDraft, change_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.notify import remind_of_lists
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import report_result
from campaigns.operations.rounds import RoundDraft, add_round, publish_round, withdraw_round
from campaigns.queries.records import Outcome
from notices.models import Notice
from tests.battles.steps import confirm_result, correct_result, dispute_result, void_result
from tests.campaigns.leagues import League, make_league

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """Two members and a guest in a drawn round; nobody has been told anything yet."""
    league = make_league(players=2, guests=1, place="The Quay")
    add_round(league.ask(), RoundDraft(starts_at=timezone.now() + timedelta(days=3)))
    draw_round(league.ask(), 1, seed="x")
    Notice.objects.all().delete()
    return league


@pytest.fixture
def played() -> League:
    """Two members who meet in a published round; nobody has been told anything yet."""
    league = make_league(players=2)
    add_round(league.ask(), RoundDraft())
    draw_round(league.ask(), 1, seed="x")
    publish_round(league.ask(), 1)
    Notice.objects.all().delete()
    return league


def told(actor: Owner) -> list[str]:
    return list(
        Notice.objects.filter(user_id=actor.user_id)
        .order_by("id")
        .values_list("words", flat=True)
    )


def report(league: League, name: str) -> str:
    row = league.fixture(1, name)
    return report_result(
        league.by(name), row.token, Outcome(winner=league.entry(name).token, how="conceded")
    ).battle


def test_published_round_says_whom_when_where_and_once(league: League) -> None:
    publish_round(league.ask(), 1)
    withdraw_round(league.ask(), 1)
    publish_round(league.ask(), 1)
    starts_at = league.round(1).starts_at
    assert starts_at is not None
    when = f"{timezone.localtime(starts_at):%a %-d %B, %H:%M}"
    for name in ("Ada", "Ben"):
        row = league.fixture(1, name)
        (words,) = told(league.player(name))
        if row.other is None:
            assert words == "Autumn league, Round 1: you have a bye."
            continue
        other = row.other.name if row.one.name == name else row.one.name
        scenario = f", {row.scenario_name}" if row.scenario_name else ""
        assert words == (
            f"Autumn league, Round 1: you play {other} on {when}, The Quay, table "
            f"{row.table}{scenario}."
        )
        notice = Notice.objects.get(user_id=league.player(name).user_id)
        assert notice.path == reverse("fixture-read", args=[league.token, row.token])
    assert told(league.organiser) == []


def test_change_of_a_published_fixture_is_told_and_of_a_draft_not(league: League) -> None:
    row = next(row for row in league.fixtures(1) if row.other)
    change_fixture(league.ask(), row.token, FixtureDraft(table=7))
    assert not Notice.objects.exists()
    publish_round(league.ask(), 1)
    Notice.objects.all().delete()
    change_fixture(league.ask(), row.token, FixtureDraft(table=8))
    assert {
        "table 8" in words for words in Notice.objects.values_list("words", flat=True)
    } == {True}


def test_result_waits_for_the_other_side_then_is_disputed_corrected_and_void(played):
    ada, ben = played.player("Ada"), played.player("Ben")
    battle = report(played, "Ada")
    assert told(ada) == []
    (waits,) = told(ben)
    assert waits.startswith("Autumn league, ")
    assert "Ada reported: Ada won" in waits
    assert "Confirm or dispute it by" in waits
    dispute_result(ben, battle, reason="I held the bridge")
    assert told(ada)[-1].endswith(
        "Ben disputed the result. I held the bridge. It does not count until both players agree "
        "or an organiser decides."
    )
    assert told(played.organiser)[-1] == told(ada)[-1]
    assert told(ben) == [waits]
    correct_result(
        played.organiser, battle, winner=None, how="drawn", reason="Both agree on a draw"
    )
    assert told(ada)[-1].endswith("Both agree on a draw.")
    before = Notice.objects.count()
    void_result(played.organiser, battle, reason="Played on the wrong table")
    assert told(ben)[-1].endswith(
        "Olga voided the result. It does not count. Played on the wrong table."
    )
    assert Notice.objects.count() == before + 2


def test_confirmed_result_is_no_news(played: League) -> None:
    battle = report(played, "Ada")
    confirm_result(played.player("Ben"), battle)
    assert told(played.player("Ada")) == []


def test_decision_entry_drop_and_end_are_told_to_those_they_touch(played: League) -> None:
    row, organiser = played.fixture(1, "Ada"), played.organiser
    decide_fixture(
        ChangeRequest(organiser, played.token, reason="Snow"),
        row.token,
        decision="unplayed",
    )
    assert told(played.player("Ada"))[-1].endswith("not played (no fault). Snow.")
    drop_entry(played.by("Ben"), played.entry("Ben").token)
    assert len(told(played.player("Ben"))) == 1
    drop_entry(
        ChangeRequest(organiser, played.token, reason="Moved away"),
        played.entry("Ada").token,
    )
    assert (
        told(played.player("Ada"))[-1]
        == "An organiser removed you from Autumn league. Moved away."
    )
    league = make_league(players=1)
    assert told(league.player("Ada")) == ["An organiser added you to Autumn league as Ada."]
    settle_event(league.ask(), "finish")
    assert told(league.player("Ada"))[-1].startswith("Autumn league is finished.")
    assert told(league.organiser) == []


def test_lists_are_asked_for_a_day_before_and_missed_afterwards_once_each() -> None:
    league = make_league(players=2, guests=1, needs_list=True)
    now = timezone.now()
    add_round(league.ask(), RoundDraft(lists_due_at=now + timedelta(days=2)))
    Notice.objects.all().delete()
    assert remind_of_lists(now) == 0
    for _ in range(2):
        assert remind_of_lists(now + timedelta(days=1, hours=1)) == 2
    assert [words.split("by")[0] for words in told(league.player("Ada"))] == [
        "Autumn league, Round 1: hand in your list "
    ]
    for _ in range(2):
        remind_of_lists(now + timedelta(days=2, hours=1))
    assert "your list is missing" in told(league.player("Ben"))[-1]
    assert Notice.objects.count() == 4
    Round.objects.update(status="closed")
    assert remind_of_lists(now + timedelta(days=1)) == 0


def test_round_of_guests_alone_is_told_to_nobody() -> None:
    league = make_league(players=1, guests=2, method="present", kind="night")
    asked = league.ask()
    add_round(asked, RoundDraft())
    guests = [one.token for one in league.entries if one.user_id is None]
    draw_round(asked, 1, present=guests)
    Notice.objects.all().delete()
    publish_round(asked, 1)
    assert not Notice.objects.exists()
