"""Promise R6: whatever order, repeats and clocks events arrive with, they come to one state, and
the totals add up.
"""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.battles import event_fold
from engine.battles.battle_summary import summary
from engine.battles.event_fold import fold, sort_events
from engine.battles.payloads import check_event
from engine.battles.types import BattleState, Event
from tests.engine.battles.making import Made, all_rules, battle, battles


def as_another_phone_has_it(chance: random.Random, events: list[Event]) -> list[Event]:
    """The same events in another order, some of them again, by a clock that is up to a day off."""
    found = [
        replace(event, at=f"2026-03-0{chance.randint(1, 3)}T12:00:00Z") for event in events
    ]
    found += chance.choices(found, k=len(found) // 3) if found else []
    chance.shuffle(found)
    return found


def totals_hold(state: BattleState) -> None:
    credited = [one.put_out_by for one in state.combatants.values() if one.put_out_by]
    assert sum(one.kills for one in state.combatants.values()) == len(credited)
    assert sum(side.out for side in state.sides.values()) == sum(
        one.is_out for one in state.combatants.values()
    )
    assert all(one.is_out for one in state.combatants.values() if one.put_out_by)


def test_any_order_comes_to_one_state(soak: Callable[[int, int], int]) -> None:
    rules = all_rules()

    @settings(max_examples=soak(100, 2000), deadline=None, database=None, derandomize=True)
    @given(
        seed=st.integers(0, 2**32),
        order=st.integers(0, 2**32),
        tables=st.sampled_from(rules),
        most=st.integers(0, 200),
    )
    def one_state(seed: int, order: int, tables: object, most: int) -> None:
        made = battle(random.Random(seed), tables, most)
        state = fold(*made)
        again = fold(*made[:2], as_another_phone_has_it(random.Random(order), made[2]))
        assert again == state
        assert set(state.verdicts) == {event.id for event in made[2]}
        totals_hold(state)

    one_state()


def test_without_the_order_phones_would_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: folded as they come, the same logs come to different states."""
    monkeypatch.setattr(
        event_fold,
        "sort_events",
        lambda events: list({event.id: event for event in events}.values()),
    )
    chance = random.Random(1)
    parted = 0
    for made in battles(seed=1, count=20):
        parted += fold(*made) != fold(*made[:2], as_another_phone_has_it(chance, made[2]))
    assert parted > 10


def only_what_counted(made: Made, state: BattleState) -> list[Event]:
    return [
        event
        for event in made[2]
        if state.verdicts[event.id] == "" and event.kind != "undo"
    ]


def test_what_was_undone_or_set_aside_leaves_no_trace() -> None:
    seen = 0
    for made in battles(seed=2, count=60):
        state = fold(*made)
        kept = only_what_counted(made, state)
        seen += len(made[2]) - len(kept)
        alone = fold(*made[:2], kept)
        assert replace(alone, verdicts={}) == replace(state, verdicts={})
        assert not any(alone.verdicts.values())
    assert seen > 500


def test_unsound_events_are_never_counted() -> None:
    met = 0
    for rules, field, events in battles(seed=3, count=30):
        verdicts = fold(rules, field, events).verdicts
        for event in events:
            fault = check_event(rules, field, event)
            # An end that was stored without its winner is still read.
            if fault and not fault.startswith("payload.winner: with the ending"):
                met += 1
                assert verdicts[event.id]
    assert met > 50


def test_summary_tells_every_event_once_and_the_same_state() -> None:
    for made in battles(seed=6, count=40):
        told = summary(*made)
        assert told.state == fold(*made)
        assert [entry.event for entry in told.timeline] == [
            event.id for event in sort_events(made[2])
        ]
        assert {one.combatant for one in told.casualties} == {
            k for k, one in told.state.combatants.items() if one.is_out
        }
        assert all(entry.text for entry in told.timeline)
        assert sum(count.thrown for count in told.dice) == sum(
            len(test.dice) for test in told.tests
        )
