"""Appending events: each answered by itself, any number of times, and every total worked out anew."""

import random
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import Refusal
from accounts.owner import NOBODY
from battles.intake import BATCH_MAX
from battles.models import Battle, BattleCombatant
from battles.operations.sides import QuickSide
from battles.queries.battles import load_events
from tests.battles.ledger import faults
from tests.battles.steps import append_events, propose_result, restore_result, void_result
from tests.database import statements
from tests.factories import (
    battle_owner,
    battle_record,
    make_battle,
    make_duel,
    make_event,
    make_person,
)

pytestmark = pytest.mark.django_db

DOWN = {"combatant": "a2", "to": "out_of_action", "by": "b1"}


@pytest.fixture
def battle() -> Battle:
    return make_battle()


def send(battle, *events, actor=None, **fields) -> list[tuple[str, str]]:
    done = append_events(
        actor or battle_owner(battle), battle.token, events=events, **fields
    )
    assert faults(battle) == []
    return [(answer.outcome, answer.reason) for answer in done.answers]


def test_event_is_stored_as_it_came_and_counts(battle: Battle) -> None:
    event = make_event("state", seq=7, device="Ada's phone", **DOWN)
    before = timezone.now()
    assert send(battle, event) == [("accepted", "")]
    row = battle.events.get()
    assert (str(row.uuid), row.device, row.seq, row.kind, row.payload) == (
        event["id"], "Ada's phone", 7, "state", DOWN,
    )  # fmt: skip
    assert (row.at.isoformat(), row.position) == ("2025-05-01T18:30:00+00:00", 1)
    assert row.received_at >= before
    fallen, victor = (
        BattleCombatant.objects.get(key="a2"),
        BattleCombatant.objects.get(key="b1"),
    )
    assert (fallen.state, fallen.is_out, fallen.put_out_by) == ("out_of_action", True, "b1")
    assert (victor.kills, victor.is_out) == (1, False)
    record = battle_record(battle)
    assert (record.sides[0].out, record.sides[1].out, record.position, record.version) == (
        1, 0, 1, 2,
    )  # fmt: skip


def test_author_is_kept() -> None:
    ada, ben = make_person(), make_person()
    battle = make_duel(ada=ada, ben=ben)
    send(battle, make_event(seq=1), actor=ada)
    send(battle, make_event(seq=2), actor=ben, author="not this")
    append_events(NOBODY, battle.token, battle.key, [make_event(seq=3)], author="Jost")
    append_events(NOBODY, battle.token, battle.key, [make_event(seq=4)])
    names = [event.author for event in battle_record(battle).events]
    assert names == [f"Player {ada.user_id}", f"Player {ben.user_id}", "Jost", ""]


def test_same_event_again_is_a_duplicate_and_writes_nothing(battle: Battle) -> None:
    events = [make_event("state", **DOWN), make_event(seq=2)]
    assert send(battle, *events) == [("accepted", "")] * 2
    version = Battle.objects.get(pk=battle.pk).version
    assert send(battle, *events) == [("duplicate", "")] * 2
    assert send(battle, *reversed(events), events[0]) == [("duplicate", "")] * 3
    assert Battle.objects.get(pk=battle.pk).version == version


def test_one_event_twice_in_a_batch_is_stored_once(battle: Battle) -> None:
    event = make_event()
    assert (
        send(battle, event, event, {**event, "id": event["id"].upper()})
        == [("accepted", "")] + [("duplicate", "")] * 2
    )
    assert battle.events.count() == 1


def test_same_moment_told_otherwise_is_the_same_event(battle: Battle) -> None:
    event = make_event(at="2025-05-01T18:30:00.123456Z")
    send(battle, event)
    for at in (
        "2025-05-01T18:30:00.123Z",
        "2025-05-01T20:30:00.123+02:00",
        "2025-05-01T18:30:00.123",
    ):
        assert send(battle, {**event, "at": at}) == [("duplicate", "")]


@pytest.mark.parametrize("change", [
    {"seq": 2}, {"device": "other"},
    {"payload": {"text": "Sun."}},
    {"at": "2025-05-01T18:31:00Z"},
])  # fmt: skip
def test_same_id_for_something_else_is_refused(battle, change):
    event = make_event()
    send(battle, event)
    ((outcome, reason),) = send(battle, {**event, **change})
    assert outcome == "refused"
    assert "used before for another event" in reason
    assert battle.events.get().payload == {"text": "Rain."}


def test_same_id_in_another_battle_is_another_event(battle: Battle) -> None:
    event = make_event()
    for one in (battle, make_battle()):
        assert send(one, event) == [("accepted", "")]


def test_sound_but_illegal_event_is_kept_told_of_and_has_no_effect(battle: Battle) -> None:
    illegal = make_event("state", combatant="a2", to="left_table")
    done = append_events(battle_owner(battle), battle.token, events=[illegal])
    (answer,) = done.answers
    assert (answer.outcome, answer.stored) == ("refused", True)
    assert answer.reason
    assert BattleCombatant.objects.get(key="a2").state == "standing"
    assert send(battle, illegal) == [("duplicate", "")]
    (event,) = battle_record(battle).events
    assert event.verdict == answer.reason


def test_forced_step_with_a_note_counts(battle: Battle) -> None:
    forced = make_event(
        "state", combatant="a2", to="left_table", forced=True, note="Agreed."
    )
    assert send(battle, forced) == [("accepted", "")]
    assert BattleCombatant.objects.get(key="a2").is_out


def test_undo_is_an_event_and_its_undo_another(battle: Battle) -> None:
    down = make_event("state", **DOWN)
    undo = make_event("undo", seq=2, event=down["id"])
    send(battle, down, undo)
    assert not BattleCombatant.objects.get(key="a2").is_out
    assert BattleCombatant.objects.get(key="b1").kills == 0
    assert [event.verdict == "undone" for event in battle_record(battle).events] == [
        True,
        False,
    ]
    send(battle, make_event("undo", seq=3, event=undo["id"]))
    assert BattleCombatant.objects.get(key="a2").is_out
    assert BattleCombatant.objects.get(key="b1").kills == 1


def test_end_is_told_and_can_be_undone(battle: Battle) -> None:
    end = make_event("end", winner="b", how="conceded")
    send(battle, end)
    assert Battle.objects.get(pk=battle.pk).ended_at is not None
    assert battle_record(battle).state.end is not None
    send(battle, make_event("undo", seq=2, event=end["id"]))
    assert Battle.objects.get(pk=battle.pk).ended_at is None


# What cannot be stored


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


BAD: dict[str, Any] = {
    "no object": 5,
    "a list": [],
    "null": None,
    "nothing in it": {},
    "another key": {**make_event(), "battle": "x"},
    "no payload": {k: v for k, v in make_event().items() if k != "payload"},
    "id no UUID": make_event(id="1"),
    "id a number": make_event(id=7),
    "id with a tail": make_event(id="0b9f6c1e-5d0e-4c3a-9d43-6f4a1b2c3d4e\n"),
    "id in Arabic digits": make_event(id="٠b9f6c1e-5d0e-4c3a-9d43-6f4a1b2c3d4e"),
    "device empty": {**make_event(), "device": ""},
    "device long": {**make_event(), "device": "x" * 101},
    "device turned": {**make_event(), "device": "a\u202eb"},
    "device with NUL": {**make_event(), "device": "a\x00"},
    "device half a pair": {**make_event(), "device": "a\ud800"},
    "seq below 0": make_event(seq=-1),
    "seq too high": make_event(seq=2**63),
    "seq true": make_event(seq=True),
    "seq text": make_event(seq="1"),
    "seq a fraction": make_event(seq=1.5),
    "seq far ahead": make_event(seq=20_002),
    "at no text": make_event(at=5),
    "at no moment": make_event(at="yesterday"),
    "at the 31st of February": make_event(at="2025-02-31T10:00:00Z"),
    "from the future": make_event(at="2999-01-01T00:00:00Z"),
    "from before": make_event(at="1999-12-31T00:00:00Z"),
    "the end of time": make_event(at="9999-12-31T23:59:59-14:00"),
    "of an unknown kind": make_event("dance"),
    "kind a number": {**make_event(), "kind": 5},
    "kind long": make_event("x" * 1000),
    "payload a list": {**make_event(), "payload": []},
    "payload null": {**make_event(), "payload": None},
    "payload of 1 MB": make_event(text="x" * 1_000_000),
    "payload of 1 MB of keys": make_event(**{f"k{n}": 1 for n in range(100_000)}),
    "payload of emptiness": {**make_event(), "payload": {"text": deep(20)}},
    "note too long": make_event(text="x" * 501),
    "note with NUL": make_event(text="a\x00b"),
    "note half a pair": make_event(text="a\ud800"),
    "note turned": make_event(text="a\u202eb"),
    "note of marks": make_event(text="a" + "\u0301" * 100),
    "note of nothing": make_event("note", nothing=1),
    "combatant of another battle": make_event("state", combatant="z9", to="stunned"),
    "combatant a list": make_event("state", combatant=["a1"], to="stunned"),
    "unknown state": make_event("state", combatant="a1", to="asleep"),
    "unknown mark": make_event("mark", combatant="a1", mark="cursed", on=True),
    "unknown phase": make_event("phase", phase="tea"),
    "turn 0": make_event("turn", number=0),
    "turn 100": make_event("turn", number=100),
    "wounds below 0": make_event("wounds", combatant="a1", to=-1),
    "wounds huge": make_event("wounds", combatant="a1", to=2**63),
    "unknown ending": make_event("end", winner="a", how="magic"),
    "won by nobody": make_event("end", how="conceded"),
    "ended for a stranger": make_event("end", winner="z", how="conceded"),
    "undo of nothing": make_event("undo"),
}


def test_bad_event_is_refused_and_the_rest_stored(battle: Battle) -> None:
    send(battle, make_event(seq=1))
    for seq, (name, bad) in enumerate(BAD.items(), 1):
        good = make_event(device=f"tablet {seq}")
        (refused, reason), (outcome, _) = send(battle, bad, good)
        assert (refused, outcome) == ("refused", "accepted"), name
        assert 10 < len(reason) < 400, (name, reason)
        assert reason.isprintable(), name
        assert battle.events.count() == 1 + seq, name


def test_clock_a_day_off_is_no_fault(battle: Battle) -> None:
    for seq, days in enumerate((-400, -1, 1), 1):
        at = (timezone.now() + timedelta(days=days)).isoformat()
        assert send(battle, make_event(seq=seq, at=at)) == [("accepted", "")]


def test_events_out_of_order_come_to_the_same(battle: Battle) -> None:
    events = [
        make_event("turn", seq=1, number=1, side="a"),
        make_event("state", seq=2, combatant="a2", to="knocked_down"),
        make_event("state", seq=3, combatant="a2", to="out_of_action", by="b1"),
        make_event("turn", seq=4, number=1, side="b"),
        make_event("mark", seq=5, combatant="b1", mark="has_shot", on=True),
        make_event("end", seq=6, winner="b", how="conceded"),
    ]
    other = make_battle(actor=battle_owner(battle))
    send(battle, *events)
    for event in random.Random(3).sample(events, len(events)):
        send(other, event)
        send(other, event)
    one, two = battle_record(battle), battle_record(other)
    assert (one.state.turn, one.state.end) == (two.state.turn, two.state.end)
    assert dict(one.state.combatants) == dict(two.state.combatants)


def test_batch_beyond_500_is_refused_whole(battle: Battle) -> None:
    events = [make_event(seq=seq) for seq in range(1, BATCH_MAX + 2)]
    with pytest.raises(Refusal, match="At most 500 events in a batch, not 501"):
        send(battle, *events)
    assert not battle.events.exists()
    assert send(battle, *events[:BATCH_MAX]) == [("accepted", "")] * BATCH_MAX
    assert send(battle, events[-1]) == [("accepted", "")]


def test_battle_holds_so_many_events(battle, monkeypatch):
    monkeypatch.setattr("battles.intake.EVENTS_MAX", 3)
    events = [make_event(seq=seq) for seq in range(1, 5)]
    answers = send(battle, *events)
    assert [outcome for outcome, _ in answers] == ["accepted"] * 3 + ["refused"]
    assert "at most 3 events" in answers[-1][1]
    assert send(battle, events[0], make_event(seq=9)) == [("duplicate", ""), answers[-1]]


def test_nobody_runs_away_with_the_numbers(battle: Battle) -> None:
    assert send(battle, make_event(seq=20_000)) == [("accepted", "")]
    assert send(battle, make_event(seq=40_000)) == [("accepted", "")]
    ((outcome, reason),) = send(battle, make_event(seq=60_001))
    assert (outcome, "at most 60,000 now" in reason) == ("refused", True)


def test_author_that_cannot_be_shown_is_refused(battle: Battle) -> None:
    for name in ("x" * 61, "a\u202eb"):
        with pytest.raises(Refusal) as refused:
            append_events(NOBODY, battle.token, battle.key, [make_event()], author=name)
        assert refused.value.field == "author"


def test_closed_battle_takes_nothing_new_and_knows_what_it_has(battle: Battle) -> None:
    owner, known = battle_owner(battle), make_event()
    send(battle, known)
    propose_result(owner, battle.token, winner="a", how="conceded")
    ((outcome, reason),) = send(battle, make_event(seq=2))
    assert (outcome, "Correct the result instead" in reason) == ("refused", True)
    assert send(battle, known) == [("duplicate", "")]
    void_result(owner, battle.token, reason="Wrong day.")
    assert "Restore the result first" in send(battle, make_event(seq=2))[0][1]
    restore_result(owner, battle.token)
    assert battle.events.count() == 1


def test_battle_that_waits_still_records_until_silence_confirms(monkeypatch):
    battle = make_duel()
    propose_result(battle_owner(battle), battle.token, winner="a", how="conceded")
    assert send(battle, make_event()) == [("accepted", "")]
    Battle.objects.filter(pk=battle.pk).update(
        confirm_by=timezone.now() - timedelta(seconds=1)
    )
    answers = append_events(
        battle_owner(battle), battle.token, events=[make_event(seq=2)]
    ).answers
    assert answers[0].outcome == "refused"


# How many statements


@pytest.mark.parametrize("count", [1, 500])
def test_appending_takes_seven_statements_however_long_the_log(count: int) -> None:
    battle = make_duel()
    owner = battle_owner(battle)
    send(battle, *[make_event(seq=seq) for seq in range(1, count)])
    down = make_event("state", seq=count, **DOWN)
    # Begin, the battle, its log, the event, the combatants, the battle, commit.
    assert statements(lambda: append_events(owner, battle.token, events=[down])) == 7
    assert (
        statements(
            lambda: append_events(owner, battle.token, events=[make_event(seq=count + 1)])
        )
        == 6
    )
    assert statements(lambda: append_events(owner, battle.token, events=[down])) == 4
    assert (
        statements(
            lambda: append_events(
                NOBODY, battle.token, battle.key, [make_event(seq=count + 2)]
            )
        )
        == 6
    )


def test_whole_battle_at_once_takes_as_many(battle: Battle) -> None:
    events = [
        make_event("state", seq=seq, combatant=f"{side}{seq}", to="out_of_action")
        for side, seq in (("a", 1), ("a", 2), ("a", 3), ("b", 4), ("b", 5), ("b", 6))
    ]
    assert (
        statements(lambda: append_events(battle_owner(battle), battle.token, events=events))
        == 7
    )
    assert BattleCombatant.objects.filter(battle=battle, is_out=True).count() == 6


def test_battle_of_eight_full_sides_is_counted_in_one_statement() -> None:
    battle = make_battle(sides=[QuickSide(f"Side {n}", 200) for n in range(8)])
    events = [
        make_event("state", seq=n, combatant=f"h{n}", to="out_of_action", by=f"a{n}")
        for n in range(1, 201)
    ]
    # SQLite takes 200 events in three statements.
    assert (
        statements(lambda: append_events(battle_owner(battle), battle.token, events=events))
        <= 9
    )
    assert BattleCombatant.objects.filter(battle=battle, is_out=True).count() == 200
    assert faults(battle) == []


def test_later_events_are_read_in_two_statements(battle: Battle) -> None:
    send(battle, *[make_event(seq=seq) for seq in range(1, 31)])
    found = load_events(battle_owner(battle), battle.token, after=28)
    assert found is not None
    assert ([event.position for event in found[0]], found[1]) == ([29, 30], 30)
    for after in (0, 29, 1000):
        assert (
            statements(
                lambda a=after: load_events(battle_owner(battle), battle.token, after=a)
            )
            == 2
        )
    assert load_events(battle_owner(battle), battle.token, after=1000) == ((), 30)
