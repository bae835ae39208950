"""Results put right: corrected, made void, restored; steps that come twice, too late, or from the
wrong person.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.errors import KeyReused, NotAllowed, NotFound, Refusal, StaleResult
from accounts.owner import NOBODY
from battles.operations.sides import WarbandSide
from tests.battles import steps as results
from tests.battles.ledger import faults
from tests.battles.tables import LOST, WON, Table, may
from tests.factories import (
    battle_record,
    make_battle,
    make_event,
    make_legal_warband,
    make_person,
)

pytestmark = pytest.mark.django_db


def test_confirmed_result_is_corrected_voided_and_restored(table: Table) -> None:
    results.propose_result(table.ada, table.token, **WON)
    results.confirm_result(table.ben, table.token)
    for actor, key in ((table.ben, ""), (table.organiser, ""), (NOBODY, table.battle.key)):
        with pytest.raises(NotAllowed):
            results.correct_result(actor, table.token, key, reason="-", **LOST)
        with pytest.raises(NotAllowed):
            results.void_result(actor, table.token, key, reason="-")
    results.correct_result(table.ada, table.token, reason="It was theirs.", **LOST)
    assert table.told() == ("confirmed", "b", "objective")
    results.void_result(table.ada, table.token, reason="Wrong scenario.")
    found = table.result()
    # What it was stays to be seen.
    assert (found.status, found.winner, found.how, found.stands) == (
        "void",
        "b",
        "objective",
        False,
    )
    with pytest.raises(NotAllowed):
        results.restore_result(table.ben, table.token)
    results.restore_result(table.ada, table.token)
    assert table.told() == ("confirmed", "b", "objective")
    assert [step.verb for step in table.result().steps] == [
        "propose",
        "confirm",
        "correct",
        "void",
        "restore",
    ]
    assert [step.reason for step in table.result().steps][2:4] == [
        "It was theirs.",
        "Wrong scenario.",
    ]


def test_correction_brings_the_events_that_were_missing(table: Table) -> None:
    results.propose_result(table.ada, table.token, **WON)
    results.confirm_result(table.ben, table.token)
    down = make_event("state", combatant="b2", to="out_of_action", by="a1")
    results.correct_result(table.ada, table.token, reason="One more.", events=[down], **WON)
    record = battle_record(table.battle, actor=table.ada)
    assert (
        record.sides[1].out,
        record.state.combatants["a1"].kills,
        faults(table.battle),
    ) == (1, 1, [])
    assert record.result.steps[-1].figures["sides"]["b"]["out"] == 1


def test_clubs_organiser_decides_a_dispute_and_later_corrections(club_table: Table) -> None:
    table = club_table
    results.propose_result(table.ada, table.token, **WON)
    results.dispute_result(table.ben, table.token, reason="No.", **LOST)
    assert may(table.result(table.organiser)) == {"confirm", "correct", "void"}
    results.correct_result(table.organiser, table.token, reason="I was there.", **LOST)
    assert table.told() == ("confirmed", "b", "objective")
    for player in (table.ada, table.ben):
        with pytest.raises(NotAllowed, match="organiser"):
            results.correct_result(player, table.token, reason="-", **WON)
    results.void_result(table.organiser, table.token, reason="Both left early.")
    results.restore_result(table.organiser, table.token)
    assert table.told() == ("confirmed", "b", "objective")


def test_who_set_it_up_does_not_decide_their_own_dispute(table: Table) -> None:
    results.propose_result(table.ada, table.token, **WON)
    results.dispute_result(table.ben, table.token, reason="No.")
    assert (
        results.correct_result(table.ada, table.token, reason="I insist.", **WON).status
        == "proposed"
    )


def test_somebody_without_a_side_decides_what_they_set_up() -> None:
    ada, ben, host = make_person(), make_person(), make_person()
    sides = [
        WarbandSide(make_legal_warband(actor=one, visibility="link").token)
        for one in (ada, ben)
    ]
    battle = make_battle(actor=host, sides=sides)
    results.propose_result(ada, battle.token, **WON)
    results.dispute_result(ben, battle.token, reason="No.")
    assert (
        results.correct_result(host, battle.token, reason="I saw it.", **LOST).status
        == "confirmed"
    )


def test_waiting_result_is_voided_by_a_player_and_waits_anew_when_restored(
    table: Table,
) -> None:
    results.propose_result(table.ada, table.token, **WON)
    table.time_passes(days=2)
    results.void_result(table.ben, table.token, reason="We never met.")
    assert table.told()[0] == "void"
    table.time_passes(days=30)
    assert table.told()[0] == "void"
    results.restore_result(table.ada, table.token)
    waiting = table.result().confirm_by
    assert waiting is not None
    assert waiting - timezone.now() > timedelta(days=2)


def test_battle_that_was_never_ended_can_be_called_off_and_taken_up(table: Table) -> None:
    results.void_result(table.ben, table.token, reason="Rain.")
    results.restore_result(table.ben, table.token)
    assert table.told() == ("open", None, "")
    assert results.propose_result(table.ben, table.token, **LOST).status == "proposed"


def test_steps_before_there_is_a_result_are_refused(table: Table) -> None:
    for call in (
        lambda: results.confirm_result(table.ben, table.token),
        lambda: results.dispute_result(table.ben, table.token, reason="-"),
        lambda: results.correct_result(table.ada, table.token, reason="-", **WON),
        lambda: results.restore_result(table.ada, table.token),
    ):
        with pytest.raises(Refusal) as refused:
            call()
        assert refused.value.field == "status"
    assert table.battle.results.count() == 0


def test_second_proposal_and_second_void_are_refused(table: Table) -> None:
    results.propose_result(table.ada, table.token, **WON)
    for actor in (table.ada, table.ben):
        with pytest.raises(Refusal, match="already has a result"):
            results.propose_result(actor, table.token, **LOST)
    results.void_result(table.ada, table.token, reason="-")
    for call in (results.void_result, results.correct_result):
        with pytest.raises(Refusal):
            call(
                table.ada,
                table.token,
                reason="-",
                **(WON if call is results.correct_result else {}),
            )


def test_steps_that_take_something_away_need_a_reason(table: Table) -> None:
    results.propose_result(table.ada, table.token, **WON)
    for verb in ("dispute", "correct", "void"):
        with pytest.raises(Refusal) as refused:
            getattr(results, f"{verb}_result")(table.ben, table.token, reason="")
        assert refused.value.field == "reason", verb


def test_record_says_what_its_reader_may_do(table: Table) -> None:
    stranger = make_person()
    assert (
        may(table.result(table.ada)) == may(table.result(table.ben)) == {"propose", "void"}
    )
    assert may(table.result(stranger)) == set()
    results.propose_result(table.ada, table.token, **WON)
    assert may(table.result(table.ada)) == {"correct", "void"}
    assert may(table.result(table.ben)) == {"confirm", "dispute", "correct", "void"}
    assert may(table.result(NOBODY, table.battle.key)) == {"correct", "void"}
    results.confirm_result(table.ben, table.token)
    assert may(table.result(table.ada)) == {"correct", "void"}
    assert may(table.result(table.ben)) == set()
    results.void_result(table.ada, table.token, reason="-")
    assert (may(table.result(table.ada)), may(table.result(table.ben))) == (
        {"restore"},
        set(),
    )


# Twice, and at once


def test_same_request_takes_a_step_once(table: Table) -> None:
    first = results.propose_result(table.ada, table.token, **WON, request_key="k1")
    again = results.propose_result(table.ada, table.token, **WON, request_key="k1")
    assert (again.status, again.results_count) == (first.status, 1)
    with pytest.raises(KeyReused):
        results.propose_result(table.ada, table.token, **LOST, request_key="k1")
    assert table.battle.results.count() == 1


def test_holders_of_a_key_share_their_request_keys(table: Table) -> None:
    key = table.battle.key
    done = [
        results.propose_result(NOBODY, table.token, key, **WON, request_key="k1")
        for _ in range(2)
    ]
    assert [one.results_count for one in done] == [1, 1]
    with pytest.raises(NotAllowed):
        results.propose_result(NOBODY, table.token, **WON, request_key="k1")


def test_step_on_what_has_changed_since_is_told(table: Table) -> None:
    results.propose_result(table.ada, table.token, **WON)
    results.correct_result(table.ada, table.token, reason="Typing error.", **LOST)
    with pytest.raises(StaleResult) as stale:
        results.confirm_result(table.ben, table.token, expected=1)
    assert (stale.value.current, stale.value.expected) == (2, 1)
    assert results.confirm_result(table.ben, table.token, expected=2).winner == "b"


def test_steps_of_a_battle_that_is_not_there() -> None:
    with pytest.raises(NotFound):
        results.propose_result(make_person(), "x" * 16, **WON)
