"""Results put right: corrected, made void, restored; steps that come twice, too late, or from the
wrong person.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import KeyReused, NotAllowed, NotFound, Refusal, StaleResult
from accounts.owner import NOBODY
from battles.operations import results as op
from battles.operations.setup import WarbandSide
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
    op.propose_result(table.ada, table.token, **WON)
    op.confirm_result(table.ben, table.token)
    for actor, key in ((table.ben, ""), (table.organiser, ""), (NOBODY, table.battle.key)):
        with pytest.raises(NotAllowed):
            op.correct_result(actor, table.token, key, reason="-", **LOST)
        with pytest.raises(NotAllowed):
            op.void_result(actor, table.token, key, reason="-")
    op.correct_result(table.ada, table.token, reason="It was theirs.", **LOST)
    assert table.told() == ("confirmed", "b", "objective")
    op.void_result(table.ada, table.token, reason="Wrong scenario.")
    found = table.result()
    # What it was stays to be seen.
    assert (found.status, found.winner, found.how, found.stands) == (
        "void",
        "b",
        "objective",
        False,
    )
    with pytest.raises(NotAllowed):
        op.restore_result(table.ben, table.token)
    op.restore_result(table.ada, table.token)
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
    op.propose_result(table.ada, table.token, **WON)
    op.confirm_result(table.ben, table.token)
    down = make_event("state", combatant="b2", to="out_of_action", by="a1")
    op.correct_result(table.ada, table.token, reason="One more.", events=[down], **WON)
    record = battle_record(table.battle, actor=table.ada)
    assert (record.sides[1].out, record.state.combatants["a1"].kills, faults(table.battle)) == (
        1,
        1,
        [],
    )
    assert record.result.steps[-1].figures["sides"]["b"]["out"] == 1


def test_clubs_organiser_decides_a_dispute_and_later_corrections(club_table: Table) -> None:
    table = club_table
    op.propose_result(table.ada, table.token, **WON)
    op.dispute_result(table.ben, table.token, reason="No.", **LOST)
    assert may(table.result(table.organiser)) == {"correct", "void"}
    op.correct_result(table.organiser, table.token, reason="I was there.", **LOST)
    assert table.told() == ("confirmed", "b", "objective")
    for player in (table.ada, table.ben):
        with pytest.raises(NotAllowed, match="organiser"):
            op.correct_result(player, table.token, reason="-", **WON)
    op.void_result(table.organiser, table.token, reason="Both left early.")
    op.restore_result(table.organiser, table.token)
    assert table.told() == ("confirmed", "b", "objective")


def test_who_set_it_up_does_not_decide_their_own_dispute(table: Table) -> None:
    op.propose_result(table.ada, table.token, **WON)
    op.dispute_result(table.ben, table.token, reason="No.")
    assert op.correct_result(table.ada, table.token, reason="I insist.", **WON).status == "proposed"


def test_somebody_without_a_side_decides_what_they_set_up() -> None:
    ada, ben, host = make_person(), make_person(), make_person()
    sides = [
        WarbandSide(make_legal_warband(actor=one, visibility="link").token) for one in (ada, ben)
    ]
    battle = make_battle(actor=host, sides=sides)
    op.propose_result(ada, battle.token, **WON)
    op.dispute_result(ben, battle.token, reason="No.")
    assert op.correct_result(host, battle.token, reason="I saw it.", **LOST).status == "confirmed"


def test_waiting_result_is_voided_by_a_player_and_waits_anew_when_restored(table: Table) -> None:
    op.propose_result(table.ada, table.token, **WON)
    table.time_passes(days=2)
    op.void_result(table.ben, table.token, reason="We never met.")
    assert table.told()[0] == "void"
    table.time_passes(days=30)
    assert table.told()[0] == "void"
    op.restore_result(table.ada, table.token)
    waiting = table.result().confirm_by
    assert waiting is not None
    assert waiting - timezone.now() > timedelta(days=2)


def test_battle_that_was_never_ended_can_be_called_off_and_taken_up(table: Table) -> None:
    op.void_result(table.ben, table.token, reason="Rain.")
    op.restore_result(table.ben, table.token)
    assert table.told() == ("open", None, "")
    assert op.propose_result(table.ben, table.token, **LOST).status == "proposed"


@pytest.mark.parametrize(
    "call",
    [
        lambda t: op.confirm_result(t.ben, t.token),
        lambda t: op.dispute_result(t.ben, t.token, reason="-"),
        lambda t: op.correct_result(t.ada, t.token, reason="-", **WON),
        lambda t: op.restore_result(t.ada, t.token),
    ],
)
def test_steps_before_there_is_a_result_are_refused(table: Table, call: Any) -> None:
    with pytest.raises(Refusal) as refused:
        call(table)
    assert refused.value.field == "status"
    assert table.battle.results.count() == 0


def test_second_proposal_and_second_void_are_refused(table: Table) -> None:
    op.propose_result(table.ada, table.token, **WON)
    for actor in (table.ada, table.ben):
        with pytest.raises(Refusal, match="has a result already"):
            op.propose_result(actor, table.token, **LOST)
    op.void_result(table.ada, table.token, reason="-")
    for call in (op.void_result, op.correct_result):
        with pytest.raises(Refusal):
            call(table.ada, table.token, reason="-", **(WON if call is op.correct_result else {}))


@pytest.mark.parametrize("verb", ["dispute", "correct", "void"])
def test_steps_that_take_something_away_need_a_reason(table: Table, verb: str) -> None:
    op.propose_result(table.ada, table.token, **WON)
    call = getattr(op, f"{verb}_result")
    with pytest.raises(Refusal) as refused:
        call(table.ben, table.token, reason="")
    assert refused.value.field == "reason"


def test_record_says_what_its_reader_may_do(table: Table) -> None:
    stranger = make_person()
    assert may(table.result(table.ada)) == may(table.result(table.ben)) == {"propose", "void"}
    assert may(table.result(stranger)) == set()
    op.propose_result(table.ada, table.token, **WON)
    assert may(table.result(table.ada)) == {"correct", "void"}
    assert may(table.result(table.ben)) == {"confirm", "dispute", "correct", "void"}
    assert may(table.result(NOBODY, table.battle.key)) == {"correct", "void"}
    op.confirm_result(table.ben, table.token)
    assert may(table.result(table.ada)) == {"correct", "void"}
    assert may(table.result(table.ben)) == set()
    op.void_result(table.ada, table.token, reason="-")
    assert (may(table.result(table.ada)), may(table.result(table.ben))) == ({"restore"}, set())


# Twice, and at once


def test_same_request_takes_a_step_once(table: Table) -> None:
    first = op.propose_result(table.ada, table.token, **WON, request_key="k1")
    again = op.propose_result(table.ada, table.token, **WON, request_key="k1")
    assert (again.is_repeat, again.status, again.number) == (True, first.status, 1)
    with pytest.raises(KeyReused):
        op.propose_result(table.ada, table.token, **LOST, request_key="k1")
    assert table.battle.results.count() == 1


def test_holders_of_a_key_share_their_request_keys(table: Table) -> None:
    key = table.battle.key
    done = [op.propose_result(NOBODY, table.token, key, **WON, request_key="k1") for _ in range(2)]
    assert [one.is_repeat for one in done] == [False, True]
    with pytest.raises(NotAllowed):
        op.propose_result(NOBODY, table.token, **WON, request_key="k1")


def test_step_on_what_has_changed_since_is_told(table: Table) -> None:
    op.propose_result(table.ada, table.token, **WON)
    op.correct_result(table.ada, table.token, reason="Typing error.", **LOST)
    with pytest.raises(StaleResult) as stale:
        op.confirm_result(table.ben, table.token, expected=1)
    assert (stale.value.current, stale.value.expected) == (2, 1)
    assert op.confirm_result(table.ben, table.token, expected=2).winner == "b"


def test_steps_of_a_battle_that_is_not_there() -> None:
    with pytest.raises(NotFound):
        op.propose_result(make_person(), "x" * 16, **WON)
