"""The result of a battle: one side proposes, the other answers, silence confirms."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal
from accounts.owner import NOBODY, Owner
from battles.intake import BATCH_MAX
from battles.models import Battle
from battles.operations.ownership import settle_overdue
from battles.operations.sides import QuickSide, RosterSide, WarbandSide
from battles.queries.index import own_battles, waiting_for
from tests.battles.ledger import faults
from tests.battles.steps import (
    append_events,
    confirm_result,
    correct_result,
    dispute_result,
    propose_result,
    restore_result,
    void_result,
)
from tests.battles.tables import LOST, WON, Table, sit_down
from tests.battles.test_opening import DOCUMENT
from tests.factories import (
    battle_record,
    make_battle,
    make_duel,
    make_event,
    make_legal_warband,
    make_owner,
    make_person,
)

pytestmark = pytest.mark.django_db


# Proposed and answered


def test_one_side_proposes_and_the_other_confirms(table: Table) -> None:
    done = propose_result(table.ada, table.token, **WON)
    assert (done.status, done.winner, done.how, done.results_count) == (
        "proposed",
        "a",
        "conceded",
        1,
    )
    waiting = table.result()
    assert waiting.confirm_by is not None
    assert (
        timedelta(days=2, hours=23)
        < waiting.confirm_by - timezone.now()
        <= timedelta(days=3)
    )
    assert (waiting.winner_name, waiting.how_name) == ("The Ferrymen", "Conceded")
    assert (waiting_for(table.ada), waiting_for(table.ben)) == (0, 1)
    assert [row.waits_for_me for row in own_battles(table.ben).rows] == [True]
    done = confirm_result(table.ben, table.token)
    assert (done.status, done.winner, done.results_count) == ("confirmed", "a", 2)
    assert (waiting_for(table.ben), table.told()) == (0, ("confirmed", "a", "conceded"))
    steps = table.result().steps
    assert [(s.verb, s.side, s.winner, s.is_silent) for s in steps] == [
        ("propose", "a", "a", False),
        ("confirm", "b", None, False),
    ]
    assert steps[0].figures == {
        "turn": 1,
        "sides": {"a": {"out": 0, "size": 8}, "b": {"out": 0, "size": 8}},
    }


def test_who_proposes_does_not_confirm(table: Table) -> None:
    propose_result(table.ada, table.token, **WON)
    for call in (
        lambda: confirm_result(table.ada, table.token),
        lambda: confirm_result(table.ada, table.token, side="b"),
        lambda: confirm_result(NOBODY, table.token, table.battle.key),
        lambda: confirm_result(NOBODY, table.token, table.battle.key, side="b"),
        lambda: confirm_result(table.organiser, table.token),
        lambda: dispute_result(table.ada, table.token, reason="-"),
    ):
        with pytest.raises(NotAllowed):
            call()
    with pytest.raises(NotAllowed, match="Waiting for your opponent: Night Watch"):
        confirm_result(table.ada, table.token)
    assert table.told()[0] == "proposed"


def test_result_is_what_the_events_say_unless_it_is_said(table: Table) -> None:
    with pytest.raises(Refusal, match="has not ended"):
        propose_result(table.ada, table.token)
    append_events(
        table.ada, table.token, events=[make_event("end", winner="b", how="objective")]
    )
    assert propose_result(table.ada, table.token).winner == "b"
    assert table.told() == ("proposed", "b", "objective")


def test_events_come_with_a_proposal_all_or_none(table: Table) -> None:
    down = make_event("state", combatant="a2", to="out_of_action", by="b1")
    end = make_event("end", seq=2, winner="b", how="conceded")
    with pytest.raises(Refusal) as refused:
        propose_result(
            table.ada, table.token, events=[down, end, make_event("dance", seq=3)]
        )
    assert refused.value.field == "events[2]"
    assert (table.battle.events.count(), table.told()[0]) == (0, "open")
    with pytest.raises(Refusal, match="Event 2 was refused"):
        propose_result(
            table.ada,
            table.token,
            events=[down, make_event("state", seq=2, combatant="a3", to="left_table")],
        )
    assert table.battle.events.count() == 0
    done = propose_result(table.ada, table.token, events=[down, end])
    assert (done.winner, done.how, table.battle.events.count()) == ("b", "conceded", 2)
    assert table.result().steps[0].figures["sides"]["a"] == {"out": 1, "size": 8}


def test_a_proposal_brings_so_many_events(table: Table) -> None:
    events = [make_event("note", seq=n, text="Rain") for n in range(BATCH_MAX + 1)]
    with pytest.raises(Refusal, match="At most 500 events in a batch, not 501") as refused:
        propose_result(table.ada, table.token, **WON, events=events)
    assert refused.value.field == "events"
    assert table.battle.events.count() == 0


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"winner": "a", "how": "magic"}, "how"),
    ({"winner": "z", "how": "conceded"}, "winner"),
    ({"winner": None, "how": "conceded"}, "winner"),
    ({"winner": "a", "how": "drawn"}, "winner"),
    ({**WON, "side": "z"}, "side"),
    ({**WON, "side": "b"}, "side"),
    ({**WON, "reason": "x" * 501}, "reason"),
    ({**WON, "reason": "a\x00"}, "reason"),
]


def test_result_that_cannot_be_is_refused(table: Table) -> None:
    for values, field in IMPOSSIBLE:
        with pytest.raises(Refusal) as refused:
            propose_result(table.ada, table.token, **values)
        assert refused.value.field == field, values
    assert table.told() == ("open", None, "")


def test_dispute_keeps_both_versions_and_correcting_asks_again(table: Table) -> None:
    propose_result(table.ada, table.token, **WON)
    with pytest.raises(Refusal) as refused:
        dispute_result(table.ben, table.token, reason=" ")
    assert refused.value.field == "reason"
    dispute_result(table.ben, table.token, reason="We held the bridge.", **LOST)
    assert table.told() == ("disputed", "a", "conceded")
    assert [(s.verb, s.side, s.winner, s.how) for s in table.result().steps] == [
        ("propose", "a", "a", "conceded"),
        ("dispute", "b", "b", "objective"),
    ]
    table.time_passes(days=10)
    assert table.told()[0] == "disputed"
    correct_result(table.ada, table.token, reason="They did.", **LOST)
    assert table.told() == ("proposed", "b", "objective")
    confirm_result(table.ben, table.token)
    assert table.told() == ("confirmed", "b", "objective")


def test_who_disputed_may_agree_after_all_or_make_a_proposal(table: Table) -> None:
    propose_result(table.ada, table.token, **WON)
    dispute_result(table.ben, table.token, reason="No.")
    confirm_result(table.ben, table.token)
    assert table.told() == ("confirmed", "a", "conceded")
    other = sit_down()
    propose_result(other.ada, other.token, **WON)
    correct_result(other.ben, other.token, reason="Other way round.", **LOST)
    assert other.told() == ("proposed", "b", "objective")
    with pytest.raises(NotAllowed):
        confirm_result(other.ben, other.token)
    confirm_result(other.ada, other.token)
    assert other.told() == ("confirmed", "b", "objective")


def test_silence_confirms_after_three_days(table: Table) -> None:
    propose_result(table.ada, table.token, **WON)
    table.time_passes(days=2, hours=23)
    assert table.told()[0] == "proposed"
    table.time_passes(hours=2)
    # Every reader counts it before anybody has written so.
    assert table.told() == ("confirmed", "a", "conceded")
    assert [row.status for row in own_battles(table.ben).rows] == ["confirmed"]
    assert waiting_for(table.ben) == 0
    assert Battle.objects.get(pk=table.battle.pk).status == "proposed"
    with pytest.raises(Refusal, match="can be disputed"):
        dispute_result(table.ben, table.token, reason="Too late.")
    assert settle_overdue(timezone.now()) == 1
    assert settle_overdue(timezone.now()) == 0
    assert Battle.objects.get(pk=table.battle.pk).status == "confirmed"
    (_, silent) = table.result().steps
    assert (silent.verb, silent.is_silent, silent.author, silent.reason) == (
        "confirm",
        True,
        "",
        "No dispute in time.",
    )


def test_command_settles_and_says_how_many(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    propose_result(table.ada, table.token, **WON)
    call_command("settle_results")
    table.time_passes(days=4)
    call_command("settle_results")
    assert capsys.readouterr().out == (
        "Confirmed 0 results, deleted 0 unclaimed battles.\nConfirmed 1 result, deleted 0 "
        "unclaimed battles.\n"
    )


def test_time_to_answer_is_the_battles_own() -> None:
    ada, ben = make_person(), make_person()
    battle = make_duel(ada=ada, ben=ben, confirm_days=10)
    propose_result(ada, battle.token, **WON)
    waiting = battle_record(battle).result.confirm_by
    assert waiting is not None
    assert waiting - timezone.now() > timedelta(days=9)


# Where nobody else is there to answer


def test_quick_sides_are_not_asked() -> None:
    battle = make_battle()
    done = propose_result(Owner(user_id=battle.owner_id), battle.token, **WON)
    assert (done.status, faults(battle)) == ("confirmed", [])


def test_who_owns_both_sides_is_not_asked_twice() -> None:
    ada = make_person()
    battle = make_duel(ada=ada, ben=ada)
    assert propose_result(ada, battle.token, **WON).status == "confirmed"


def test_visitors_answer_by_their_session_and_key() -> None:
    visitor, other = make_owner(), make_person()
    mine = make_legal_warband(actor=visitor)
    theirs = make_legal_warband(actor=other, visibility="link")
    battle = make_battle(
        actor=visitor, sides=(WarbandSide(mine.token), WarbandSide(theirs.token))
    )
    assert propose_result(visitor, battle.token, **WON).status == "proposed"
    with pytest.raises(NotAllowed):
        confirm_result(make_owner(), battle.token, battle.key)
    assert confirm_result(other, battle.token).status == "confirmed"


def test_battle_of_programs_is_settled_with_its_key() -> None:
    battle = make_battle(
        actor=NOBODY,
        sides=(RosterSide(DOCUMENT), RosterSide({**DOCUMENT, "name": "Other"})),
    )
    token, key = battle.token, battle.key
    assert propose_result(NOBODY, token, key, **WON).status == "proposed"
    assert confirm_result(NOBODY, token, key).status == "confirmed"
    assert (
        correct_result(NOBODY, token, key, reason="Typing error.", **LOST).status
        == "confirmed"
    )
    assert void_result(NOBODY, token, key, reason="A test.").status == "void"
    assert restore_result(NOBODY, token, key).status == "confirmed"
    with pytest.raises(NotAllowed):
        void_result(make_person(), token, reason="-")
    assert faults(battle) == []


def test_programs_side_that_proposed_does_not_answer_itself() -> None:
    battle = make_battle(
        actor=NOBODY,
        sides=(RosterSide(DOCUMENT), QuickSide("Night Watch", 5), RosterSide(DOCUMENT)),
    )
    token, key = battle.token, battle.key
    propose_result(NOBODY, token, key, side="a", **WON)
    for side in ("a", "b"):
        with pytest.raises(NotAllowed):
            confirm_result(NOBODY, token, key, side=side)
    assert confirm_result(NOBODY, token, key, side="c").status == "confirmed"


def test_who_set_it_up_does_not_answer_for_a_side_of_nobodys() -> None:
    ada = make_person()
    battle = make_battle(actor=ada, sides=(QuickSide("Mine", 3), RosterSide(DOCUMENT)))
    assert propose_result(ada, battle.token, side="a", **WON).status == "proposed"
    for side in ("", "b"):
        with pytest.raises(NotAllowed):
            confirm_result(ada, battle.token, side=side)
    assert confirm_result(NOBODY, battle.token, battle.key).status == "confirmed"


def test_one_of_three_sides_is_enough() -> None:
    people = [make_person() for _ in range(3)]
    sides = [
        WarbandSide(make_legal_warband(actor=one, visibility="link").token)
        for one in people
    ]
    battle = make_battle(actor=people[0], sides=sides)
    propose_result(people[1], battle.token, winner="c", how="objective")
    assert confirm_result(people[0], battle.token).status == "confirmed"


def test_who_owns_two_sides_is_not_told_to_answer_themselves() -> None:
    ada, ben = make_person(), make_person()
    sides = [
        WarbandSide(make_legal_warband(actor=one, visibility="link").token)
        for one in (ada, ada, ben)
    ]
    battle = make_battle(actor=ada, sides=sides)
    propose_result(ada, battle.token, **WON)
    for actor, is_asked in ((ada, False), (ben, True)):
        assert [row.waits_for_me for row in own_battles(actor).rows] == [is_asked]
        assert waiting_for(actor) == is_asked
