"""The form after a battle as events: only what was changed in it, whatever others recorded
meanwhile.
"""

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from battles.after_battle import (
    DEVICE,
    FORCED,
    AfterBattleReport,
    ReportedCasualty,
    report_events,
)
from battles.combatants import build_field, quick_lineup
from engine.battles.event_fold import BattleLog, fold
from engine.battles.payloads import check_event
from engine.battles.rules import BattleRules
from engine.battles.types import BattleState, Event, Field
from rulesdata import registry
from tests.conftest import Soak
from tests.factories import make_event
from tests.systems import systems_with

AT = datetime(2025, 5, 1, 18, 30, tzinfo=UTC)
OUT = "out_of_action"


class Table:
    """A battle of quick sides in one system, with what is recorded so far."""

    def __init__(self, system="warhammer-skirmish", sizes=(6, 6)) -> None:
        self.rules: BattleRules = registry.battle_rules(system)
        lineups = [
            quick_lineup(key, f"Side {key}", size, 7)
            for key, size in zip("abcd", sizes, strict=False)
        ]
        self.field: Field = build_field(lineups)
        self.log: list[Event] = []

    @property
    def battle_log(self) -> BattleLog:
        return BattleLog(self.rules, self.field, tuple(self.log))

    @property
    def state(self) -> BattleState:
        return fold(self.rules, self.field, self.log)

    def record(self, kind: str, **payload: Any) -> Event:
        event = Event(**make_event(kind, seq=len(self.log) + 1, **payload))
        self.log.append(event)
        assert self.state.verdicts[event.id] == ""
        return event

    def shown(self) -> AfterBattleReport:
        """What a form that was drawn now says before anybody touches it."""
        state = self.state
        fates = {
            key: ReportedCasualty(one.state, one.put_out_by, one.wounds)
            for key, one in state.combatants.items()
        }
        tests = {key: side.rout.passed for key, side in state.sides.items()}
        winner, how = (state.end.winner, state.end.how) if state.end else (None, "")
        return AfterBattleReport(len(self.log), state.turn, fates, tests, winner, how)

    def tell(self, told: AfterBattleReport) -> list[tuple[str, dict[str, Any]]]:
        """Send a form of its own name; every event of it is sound and counts.

        Returns what it sent.
        """
        sent = report_events(self.battle_log, told, name=f"form {len(self.log)}", at=AT)
        events = [Event(**one) for one in sent]
        assert [check_event(self.rules, self.field, one) for one in events] == [""] * len(
            events
        )
        self.log += events
        verdicts = self.state.verdicts
        assert {one.kind: verdicts[one.id] for one in events if verdicts[one.id]} == {}
        return [(one.kind, dict(one.payload)) for one in events]


def with_fates(told: AfterBattleReport, **fates: ReportedCasualty) -> AfterBattleReport:
    return replace(told, fates={**told.fates, **fates})


@pytest.fixture
def table() -> Table:
    return Table()


def test_untouched_form_says_nothing(table: Table) -> None:
    assert table.tell(table.shown()) == []
    table.record("turn", number=2, side="a")
    table.record("state", combatant="b1", to=OUT, by="a1")
    assert table.tell(table.shown()) == []


def test_form_says_what_a_recorder_would_have_said(table: Table) -> None:
    told = with_fates(
        table.shown(),
        b1=ReportedCasualty(OUT, "a2"),
        b2=ReportedCasualty("left_table"),
        a1=ReportedCasualty("stunned"),
    )
    told = replace(told, turns=5, winner="a", how="objective", note="Rain.")
    assert table.tell(told) == [
        ("turn", {"number": 5}),
        ("state", {"combatant": "a1", "to": "stunned"}),
        ("state", {"combatant": "b1", "to": OUT, "by": "a2"}),
        ("state", {"combatant": "b2", "to": "left_table", "forced": True, "note": FORCED}),
        ("note", {"text": "Rain."}),
        ("end", {"how": "objective", "winner": "a"}),
    ]
    state = table.state
    assert (state.turn, state.sides["b"].out, state.combatants["a2"].kills) == (5, 2, 1)
    assert state.end is not None
    assert (state.end.winner, state.end.how) == ("a", "objective")
    assert {event.device for event in table.log} == {DEVICE}


def test_same_form_makes_the_same_events_and_another_one_others(table: Table) -> None:
    told = with_fates(table.shown(), b1=ReportedCasualty(OUT, "a2"))
    first, again, other = (
        report_events(table.battle_log, told, name=name, at=AT) for name in ("x", "x", "y")
    )
    assert first == again
    assert {one["id"] for one in first}.isdisjoint(one["id"] for one in other)


def test_what_others_recorded_meanwhile_stays(table: Table) -> None:
    drawn = table.shown()
    table.record("turn", number=3, side="b")
    table.record("state", combatant="a4", to=OUT, by="b4")
    table.record("state", combatant="b5", to=OUT, by="a1")
    table.tell(
        with_fates(drawn, b1=ReportedCasualty(OUT, "a2"), b5=ReportedCasualty(OUT, "a1"))
    )
    state = table.state
    assert {key for key, one in state.combatants.items() if one.is_out} == {
        "a4",
        "b1",
        "b5",
    }
    assert state.turn == 3
    assert len(table.log) == 4  # b5 was out by the same hand already


def test_who_is_out_by_another_hand(table: Table) -> None:
    table.record("state", combatant="b1", to=OUT, by="a1")
    table.tell(with_fates(table.shown(), b1=ReportedCasualty(OUT, "a2")))
    state = table.state
    assert (state.combatants["b1"].state, state.combatants["b1"].put_out_by) == (OUT, "a2")
    assert (state.combatants["a1"].kills, state.combatants["a2"].kills) == (0, 1)


def test_who_was_out_is_back(table: Table) -> None:
    table.record("state", combatant="b1", to=OUT, by="a1")
    table.tell(with_fates(table.shown(), b1=ReportedCasualty("fleeing")))
    assert (table.state.combatants["b1"].state, table.state.combatants["a1"].kills) == (
        "fleeing",
        0,
    )


def test_failed_rout_test_ends_it_by_itself(table: Table) -> None:
    told = with_fates(table.shown(), b1=ReportedCasualty(OUT), b2=ReportedCasualty(OUT))
    sent = table.tell(replace(told, tests={"a": True, "b": False}, winner="a", how="rout"))
    assert [kind for kind, _ in sent] == ["state", "state", "test", "test"]
    state = table.state
    assert (
        state.sides["a"].rout.passed,
        state.sides["b"].rout.passed,
        state.sides["b"].has_routed,
    ) == (True, False, True)
    assert state.end is not None
    assert (state.end.winner, state.end.how) == ("a", "rout")


def routed(table: Table) -> Event:
    for who in ("b1", "b2"):
        table.record("state", combatant=who, to=OUT, by="a1")
    table.record("turn", number=2, side="b")
    return table.record("test", test="rout", side="b", dice=[6, 6], source="typed")


def test_casualty_after_the_end_is_put_before_it(table: Table) -> None:
    """A battle that a Rout test ended: the test holds as it was taken, dice and all."""
    test = routed(table)
    table.tell(
        with_fates(
            table.shown(), b3=ReportedCasualty(OUT, "a2"), a1=ReportedCasualty(OUT, "b4")
        )
    )
    state = table.state
    assert state.verdicts[test.id] == "undone"
    assert state.end is not None
    assert (state.end.winner, state.end.how, state.sides["b"].out) == ("a", "rout", 3)
    again = next(event for event in reversed(table.log) if event.kind == "test")
    assert (again.payload["dice"], again.payload["source"], again.payload["need"]) == (
        [6, 6],
        "typed",
        7,
    )


def test_another_end_takes_the_place_of_the_one_recorded(table: Table) -> None:
    end = table.record("end", winner="a", how="objective")
    sent = table.tell(replace(table.shown(), winner="b", how="time"))
    assert sent == [("undo", {"event": end.id}), ("end", {"how": "time", "winner": "b"})]
    assert table.tell(replace(table.shown(), winner=None, how="drawn"))[-1] == (
        "end",
        {"how": "drawn"},
    )
    table.tell(replace(table.shown(), winner=None, how=""))
    assert table.state.end is None


def test_rout_test_that_was_another(table: Table) -> None:
    """Said to be passed after all, or never taken: the battle goes on."""
    routed(table)
    table.tell(replace(table.shown(), tests={"a": None, "b": True}, winner=None, how=""))
    state = table.state
    assert (state.end, state.sides["b"].rout.passed, state.sides["b"].has_routed) == (
        None,
        True,
        False,
    )
    table.tell(replace(table.shown(), tests={"a": None, "b": None}))
    assert table.state.sides["b"].rout.passed is None


def test_side_that_routed_while_others_fight_on() -> None:
    table = Table(sizes=(4, 4, 4))
    for who in ("c1", "c2"):
        table.record("state", combatant=who, to=OUT)
    table.record("turn", number=2, side="c")
    table.record("test", test="rout", side="c", dice=[6, 6], source="app")
    table.tell(
        with_fates(
            table.shown(), c3=ReportedCasualty(OUT, "a1"), b1=ReportedCasualty(OUT, "a2")
        )
    )
    state = table.state
    assert (
        state.sides["c"].has_routed, state.sides["c"].out, state.sides["b"].out, state.end,
    ) == (True, 3, 1, None)  # fmt: skip


def test_what_came_after_the_end_stays_set_aside(table: Table) -> None:
    """Taking the end back brings nothing to life that was set aside because of it."""
    table.record("end", winner="a", how="objective")
    for kind, payload in (
        ("state", {"combatant": "b6", "to": OUT}),
        ("turn", {"number": 9}),
        ("end", {"winner": "b", "how": "time"}),
    ):
        table.log.append(Event(**make_event(kind, seq=len(table.log) + 1, **payload)))
    table.tell(with_fates(table.shown(), b1=ReportedCasualty(OUT, "a2")))
    state = table.state
    assert {key for key, one in state.combatants.items() if one.is_out} == {"b1"}
    assert state.turn == 1
    assert state.end is not None
    assert state.end.winner == "a"


def test_regiment_counts_down_to_its_last_model() -> None:
    """Destroyed is what the counter says at 0; whoever is destroyed no longer has models."""
    table = Table("english-civil-war", (3, 3))
    start = table.state.combatants["a1"].counters["models"]
    told = table.shown()
    fates = {
        key: replace(fate, counters={"models": start}) for key, fate in told.fates.items()
    }
    fates["b1"] = ReportedCasualty("destroyed", "a2", counters={"models": start})
    assert table.tell(replace(told, fates=fates)) == [
        ("counter", {"combatant": "b1", "counter": "models", "to": 0, "by": "a2"})
    ]
    one = table.state.combatants["b1"]
    assert (one.state, one.put_out_by, one.counters["models"]) == ("destroyed", "a2", 0)
    table.tell(
        with_fates(
            table.shown(), b1=ReportedCasualty("destroyed", "a3", counters={"models": 0})
        )
    )
    assert table.state.combatants["b1"].put_out_by == "a3"
    table.tell(
        with_fates(table.shown(), b1=ReportedCasualty("formed", counters={"models": 1}))
    )
    assert (
        table.state.combatants["b1"].state,
        table.state.combatants["b1"].counters["models"],
    ) == ("formed", 1)


@pytest.mark.parametrize("address", [book.address for book in systems_with("battle")])
def test_any_form_on_any_record_comes_to_what_it_says(address: str, soak: Soak) -> None:
    """Forms of every kind, one after another, in every system, with recorders in between."""
    key, _, variant = address.partition(".")
    draw = random.Random(address)
    table = Table(sizes=(4, 3, 2))
    table.rules = registry.battle_rules(key, variant or None)
    states = list(table.rules.states)
    for number in range(soak(10, 200)):
        if draw.random() < 0.5:
            who = draw.choice(list(table.state.combatants))
            event = make_event(
                "state",
                seq=len(table.log) + 1,
                combatant=who,
                to=draw.choice(states),
                forced=True,
                note="-",
            )
            table.log.append(Event(**event))
        told = table.shown()
        fates, fates_before = dict(told.fates), told.fates
        passing = {become.state for become in table.rules.becomes}
        for who in draw.sample(sorted(fates), draw.randint(0, 4)):
            to = draw.choice(states)
            others = [other for other in fates if other != who]
            fates[who] = ReportedCasualty(
                to, draw.choice([None, *others]) if table.rules.states[to].is_out else None
            )
        winners = [(None, ""), (None, "drawn"), ("a", "objective"), ("b", "conceded")]
        winner, how = draw.choice(winners)
        tests = (
            {side: draw.choice([None, True]) for side in told.tests}
            if table.rules.rout
            else told.tests
        )
        told = replace(
            told, turns=draw.randint(1, 9), fates=fates, tests=tests, winner=winner, how=how
        )
        table.tell(told)
        state = table.state
        for who, fate in told.fates.items():
            now = state.combatants[who]
            if fate == fates_before[who] and fate.state in passing:
                continue  # a state that is over when the turn is
            assert (now.state, now.put_out_by) == (
                fate.state,
                fate.by if now.is_out else None,
            ), (number, who)
        assert state.turn == told.turns
        assert ((state.end.winner, state.end.how) if state.end else (None, "")) == (
            winner,
            how,
        )
        assert {side: one.rout.passed for side, one in state.sides.items()} == dict(
            told.tests
        )
