"""Fixtures that are played: their battles, who may tell how they ended, and what they come to."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.errors import KeyReused, NotAllowed, NotFound, Refusal, Stale
from battles.models import Battle, ResultEntry
from battles.operations.log import recount_battles
from battles.operations.ownership import settle_overdue
from battles.queries.index import waiting_for
from campaigns.models import ClubEvent, EventLog, FixtureStatus, ListLock, Round
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.entries import drop_entry, rejoin_entry
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import open_fixture, report_result
from campaigns.operations.round_lists import hand_in_list
from campaigns.queries.records import Outcome
from tests.battles.steps import (
    append_events,
    confirm_result,
    correct_result,
    dispute_result,
    restore_result,
    void_result,
)
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import agree, faults, fresh, put_up, report
from tests.factories import make_event, make_legal_warband, make_person, make_warrior

pytestmark = pytest.mark.django_db


def test_battle_of_a_fixture_is_agreed_as_the_event_says() -> None:
    league = make_league(players=2, guests=1, confirm_days=5)
    ada, ben = league.player("Ada"), league.player("Ben")
    brought = make_legal_warband(actor=ada, name="The Ferrymen")
    put_up(league, 1, [])
    hand_in_list(ChangeRequest(ada, league.token), 1, brought.token)
    make_warrior(
        warband=brought, count=5
    )  # the list that was handed in knows nothing of them
    (fixture,) = put_up(
        league, 1, [("Ada", "Ben")], scenario="", attacker=league.entry("Ben")
    )
    token = open_fixture(
        ChangeRequest(ben, league.token),
        fixture.token,
        sizes={league.entry("Ben").token: 7},
    )
    assert open_fixture(ChangeRequest(ada, league.token), fixture.token) == token
    battle = Battle.objects.get(token=token)
    values = (battle.club_id, battle.confirm_days, battle.visibility, battle.attacker)
    assert values == (league.club.pk, 5, "link", "b")
    listed, quick = battle.sides.order_by("position")
    values = (listed.name, listed.size, listed.owner_id, listed.snapshot)
    assert values == ("The Ferrymen", 8, ada.user_id, ListLock.objects.get().snapshot)
    values = (quick.name, quick.size, quick.is_quick, quick.owner_id)
    assert values == ("Ben", 7, True, ben.user_id)
    assert fresh(fixture).status == FixtureStatus.OPEN
    assert faults(fixture) == []


def test_report_waits_for_the_opponent_even_on_a_quick_side(league: League) -> None:
    fixture, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    ada, ben = league.player("Ada"), league.player("Ben")
    done = report(league, fixture, "Ada", by=ada)
    assert (done.status, fresh(fixture).status) == ("proposed", FixtureStatus.WAITING)
    assert (waiting_for(ada), waiting_for(ben)) == (0, 1)
    assert faults(fixture) == []
    confirm_result(ben, done.battle)
    row = fresh(fixture)
    assert (row.status, row.winner and row.winner.name, row.how) == (
        FixtureStatus.FINAL,
        "Ada",
        "conceded",
    )
    assert faults(fixture) == []


def test_organiser_who_does_not_play_reports_finally_and_a_player_who_organises_does_not(
    league: League,
) -> None:
    fixture, other = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    assert report(league, fixture, "Ben").status == "confirmed"
    assert fresh(fixture).status == FixtureStatus.FINAL
    league.entries[2].__class__.objects.filter(pk=league.entries[2].pk).update(
        user_id=league.organiser.user_id
    )
    assert report(league, other, "Cleo").status == "proposed"


def test_guest_has_nobody_to_ask() -> None:
    league = make_league(players=1, guests=1)
    (fixture,) = put_up(league, 1, [("Ada", "Guest 1")])
    assert report(league, fixture, "Ada", by=league.player("Ada")).status == "confirmed"


def test_every_step_of_the_result_keeps_the_fixture_in_step(league: League) -> None:
    fixture, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    ada, ben = league.player("Ada"), league.player("Ben")
    battle = report(league, fixture, "Ada", by=ada).battle

    def now() -> tuple[str, str]:
        assert faults(fixture) == []
        row = fresh(fixture)
        return row.status, row.winner.name if row.winner else ""

    dispute_result(ben, battle, reason="It was a draw.", how="drawn")
    assert now() == ("disputed", "Ada")
    correct_result(league.organiser, battle, winner="b", how="conceded", reason="I saw it.")
    assert now() == ("final", "Ben")
    void_result(league.organiser, battle, reason="Wrong table.")
    assert now() == ("void", "")
    restore_result(league.organiser, battle)
    assert now() == ("final", "Ben")
    assert [row.reason for row in EventLog.objects.filter(verb="result_void")] == [
        "Wrong table."
    ]


def test_silence_and_events_that_come_later_reach_the_fixture() -> None:
    league = make_league(players=2, with_warbands=True)
    (fixture,) = put_up(league, 1, [("Ada", "Ben")])
    ada = league.player("Ada")
    battle = report(league, fixture, "Ada", by=ada).battle
    append_events(
        ada,
        battle,
        events=[
            make_event(
                "state", combatant="b2", to="out_of_action", by="a1", forced=True, note="x"
            )
        ],
    )
    row = fresh(fixture)
    values = (row.out_one, row.out_other, row.destroyed_one > 0, row.status)
    assert values == (0, 1, True, "waiting")
    assert faults(fixture) == []
    late = timezone.now() + timedelta(days=4)
    assert settle_overdue(late) == 1
    assert fresh(fixture).status == "final"
    assert faults(fixture) == []


def test_recount_mends_a_fixture(league: League) -> None:
    fixture, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(
        league,
        fixture,
        "Ada",
        figures={league.entry("Ada").token: {"out": 2, "destroyed": 60}},
    )
    assert faults(fixture) == []
    type(fixture).objects.filter(pk=fixture.pk).update(
        out_one=9, winner=None, status="open", played_at=None
    )
    assert faults(fixture) != []
    assert recount_battles() == 1
    assert (faults(fixture), recount_battles()) == ([], 0)


def test_figures_that_were_typed_count_until_somebody_is_recorded_out() -> None:
    league = make_league(players=2, with_warbands=True)
    (fixture,) = put_up(league, 1, [("Ada", "Ben")])
    ada, ben = league.entry("Ada").token, league.entry("Ben").token
    typed = {ada: {"out": 2, "destroyed": 60}, ben: {"out": 5, "destroyed": None}}
    battle = report(league, fixture, "Ada", figures=typed).battle
    row = fresh(fixture)
    values = (row.out_one, row.out_other, row.destroyed_one, row.destroyed_other)
    assert values == (2, 5, 60, 0)
    event = make_event(
        "state", combatant="a2", to="out_of_action", by="b1", forced=True, note="x"
    )
    correct_result(
        league.organiser,
        battle,
        winner="a",
        how="conceded",
        reason="Found the notes.",
        events=[event],
    )
    row = fresh(fixture)
    assert (row.out_one, row.out_other, row.destroyed_one) == (1, 0, 0)
    assert row.destroyed_other > 0
    assert faults(fixture) == []


def test_same_report_twice_is_one_and_another_version_is_stale(league: League) -> None:
    fixture, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    first = report(league, fixture, "Ada", request_key="k", expected=1)
    again = report(league, fixture, "Ada", request_key="k", expected=1)
    assert again == first
    assert ResultEntry.objects.count() == 1
    with pytest.raises(KeyReused):
        report(league, fixture, "Ben", request_key="k", expected=1)
    with pytest.raises(Stale):
        report(league, fixture, "Ben", reason="No.", expected=1)


def test_walkover_and_not_played_stand_in_for_a_battle_and_can_be_taken_back(league):
    fixture, other = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    ben = league.entry("Ben").token
    with pytest.raises(NotAllowed):
        decide_fixture(league.by("Ada", reason="Ill"), fixture.token, decision="unplayed")
    decide_fixture(
        league.ask(reason="Ill"), fixture.token, decision="walkover", decided_for=ben
    )
    row = fresh(fixture)
    assert (row.status, row.winner and row.winner.name, faults(fixture)) == (
        "final",
        "Ben",
        [],
    )
    with pytest.raises(Refusal, match="Reverse the decision first"):
        report(league, fixture, "Ada")
    decide_fixture(league.ask(reason="He came"), fixture.token, decision="")
    assert (fresh(fixture).status, faults(fixture)) == ("open", [])
    # A decision over a result that was told leaves that as it was.
    agree(league, other, "Dora")
    decide_fixture(league.ask(reason="Wrong table"), other.token, decision="unplayed")
    assert (fresh(other).winner, faults(other)) == (None, [])
    decide_fixture(league.ask(reason="It was right"), other.token, decision="")
    assert (fresh(other).winner or other.one).name == "Dora"
    told = (
        EventLog.objects.filter(verb="decide").order_by("pk").values_list("words", "reason")
    )
    assert told[0] == ("Decided: Ada against Ben, round 1, wins by walkover: Ben.", "Ill")


def test_nothing_is_told_for_who_dropped_out_before(league: League) -> None:
    _, other = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    agree(league, other, "Cleo")
    drop_entry(league.ask(), league.entry("Dora").token)
    report(
        league, other, "Dora", reason="Dropped later, the result can still be corrected."
    )
    (late,) = put_up(league, 2, [("Ada", "Dora")])
    with pytest.raises(
        Refusal, match=r"Dora dropped out before this game\. Ask an organiser"
    ):
        report(league, late, "Ada", by=league.player("Ada"))
    rejoin_entry(league.ask(), league.entry("Dora").token)
    assert report(league, late, "Ada", by=league.player("Ada")).status == "proposed"


def _draft(league: League) -> None:
    Round.objects.filter(event=league.event).update(status="draft")


def _archived(league: League) -> None:
    ClubEvent.objects.filter(pk=league.event.pk).update(archived_at=timezone.now())


@pytest.mark.parametrize("change,fields,words", [
    (None, {"winner": "nobody-known"}, "does not play in this game"),
    (None, {"how": "by magic"}, "how must be one of"),
    (None, {"winner": "", "how": "conceded"}, "one side wins"),
    (None, {"figures": {"?": {"out": 1}}}, "does not play in this game"),
    (None, {"figures": {"Ada": {"out": -1}}}, "from 0 to 200"),
    (None, {"figures": {"Ada": {"destroyed": 10**6}}}, "from 0 to 100,000"),
    (None, {"figures": {"Ada": {"kills": 1}}}, "out and destroyed"),
    (_draft, {}, "is not published yet"),
    (_archived, {}, "is archived"),
])  # fmt: skip
def test_reports_that_cannot_be(league, change, fields, words):
    fixture, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    if change:
        change(league)
    known = {entry.name: entry.token for entry in league.entries}
    if "figures" in fields:
        fields = {
            "figures": {
                known.get(name, name): typed for name, typed in fields["figures"].items()
            }
        }
    asked = {"winner": known["Ada"], "how": "conceded", **fields}
    with pytest.raises(Refusal, match=words):
        report_result(league.ask(), fixture.token, Outcome(**asked))
    assert not Battle.objects.exists()
    assert fresh(fixture).told == {}


def test_who_may_tell_and_who_may_not_even_know(league: League) -> None:
    fixture, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    with pytest.raises(NotAllowed, match="Only the players of this game and organisers"):
        report(league, fixture, "Ada", by=league.player("Cleo"))
    with pytest.raises(NotFound):
        report(league, fixture, "Ada", by=make_person())
    _draft(league)
    with pytest.raises(NotFound):
        open_fixture(league.by("Ada"), fixture.token)
    (bye,) = put_up(league, 2, [("Ada",)])
    with pytest.raises(Refusal, match="A bye has no result to report"):
        open_fixture(league.ask(), bye.token)
    with pytest.raises(Refusal, match="A bye has no result to set"):
        decide_fixture(league.ask(reason="x"), bye.token, decision="unplayed")
