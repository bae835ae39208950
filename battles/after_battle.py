"""A battle told in one form, turned into the events that a recorder would have sent.

Pure: no database, no clock.

The form is compared with what it was drawn from, and only what somebody changed in it becomes an
event. So both ways can be mixed, what others recorded meanwhile stays, and a form that changes
nothing says nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.battles import fold, summary
from engine.battles.battle_summary import TestTaken
from engine.battles.types import BattleRules, BattleState, CombatantState, CounterRule, Event, Field

DEVICE = "form"
FORCED = "Entered after the battle."
Outcome = tuple[str | None, str] | None
"""Who won (a side's key, None for nobody) and how; None for a battle that is not over."""


@dataclass(frozen=True, slots=True)
class ReportedCasualty:
    """How a combatant ended. ``by``: who put it out.

    ``wounds`` and ``counters`` only where the form asks for them.
    """

    state: str
    by: str | None = None
    wounds: int | None = None
    counters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AfterBattleReport:
    """Everything the form says.

    ``seen``: it was drawn from so many events, in their order of arrival.

    ``tests``: side to whether its latest Rout test was passed, None for one that was not taken.
    Without ``how`` the battle is not over.
    """

    seen: int
    turns: int
    fates: Mapping[str, ReportedCasualty]
    tests: Mapping[str, bool | None] = field(default_factory=dict)
    winner: str | None = None
    how: str = ""
    note: str = ""

    @property
    def outcome(self) -> Outcome:
        return (self.winner, self.how) if self.how else None


def outcome_from_state(state: BattleState) -> Outcome:
    """How the events say it ended."""
    return (state.end.winner, state.end.how) if state.end else None


def report_events(
    rules: BattleRules,
    field: Field,
    log: Sequence[Event],
    told: AfterBattleReport,
    *,
    name: str,
    at: datetime,
) -> list[dict[str, Any]]:
    """The events that make of ``log`` (in its order of arrival) what the form says, as a device
    would send them.

    ``name`` tells this form from all others: the same form on the same log makes the same events.
    """
    teller = _EventWriter(rules, field, log, name, at.isoformat(timespec="milliseconds"))
    teller.tell(fold(rules, field, log[: told.seen]), told)
    return teller.sent


class _EventWriter:
    """Writes one event after another, and knows what they come to so far."""

    def __init__(
        self, rules: BattleRules, field: Field, log: Sequence[Event], name: str, at: str
    ) -> None:
        self.rules, self.field, self.name, self.at = rules, field, name, at
        self.log = list(log)
        self.seq = max((event.seq for event in log), default=0)
        self.sent: list[dict[str, Any]] = []
        self.events = {event.id: event for event in log}
        self.rout = rules.rout.test if rules.rout else ""
        tests = summary(rules, field, log).tests if self.rout else ()
        self.rout_tests = {test.side: test for test in tests if test.test == self.rout}

    def add(self, kind: str, payload: Mapping[str, Any]) -> None:
        number = len(self.sent) + 1
        one: dict[str, Any] = {
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.name}/{number}")),
            "device": DEVICE,
            "seq": self.seq + number,
            "at": self.at,
            "kind": kind,
            "payload": dict(payload),
        }
        self.sent.append(one)
        self.log.append(Event(**one))

    def state(self) -> BattleState:
        return fold(self.rules, self.field, self.log)

    def tell(self, shown: BattleState, told: AfterBattleReport) -> None:
        """What was changed, in the order in which the rules let it be told: the end last."""
        now = self.state()
        turns = told.turns if told.turns not in (shown.turn, now.turn) else 0
        fates = {
            key: fate
            for key, fate in told.fates.items()
            if _differs(fate, shown.combatants[key]) and _differs(fate, now.combatants[key])
        }
        tests = {
            side: passed
            for side, passed in told.tests.items()
            if passed not in (shown.sides[side].rout.passed, now.sides[side].rout.passed)
        }
        end = told.outcome if told.outcome != outcome_from_state(shown) else outcome_from_state(now)
        if turns or fates or tests or end != outcome_from_state(now):
            again = self._reopen(now, {self._side_of(key) for key in fates}, tests, end)
            self._fates(now, turns, fates)
            again += [
                {"test": self.rout, "side": side, "passed": passed, **_forced()}
                for side, passed in tests.items()
                if passed is not None
            ]
            for payload in sorted(
                again, key=lambda one: not one.get("passed")
            ):  # a failed one may end the battle
                self.add("test", payload)
        if told.note:
            self.add("note", {"text": told.note})
        if end and outcome_from_state(self.state()) != end:
            self.add("end", {"how": end[1], **({"winner": end[0]} if end[0] else {})})

    def _fates(self, now: BattleState, turns: int, fates: Mapping[str, ReportedCasualty]) -> None:
        """The turn and everybody's fate; what came to life again once the end was taken back is as
        it was, too.
        """
        back = self.state()
        asked = {key: fates.get(key) or _fate_of(one) for key, one in now.combatants.items()}
        wanted = {
            key: fate
            for key, fate in asked.items()
            if key in fates or _differs(fate, back.combatants[key])
        }
        turns = turns or now.turn
        if turns != back.turn:
            self.add("turn", {"number": turns})
        before = self.state()
        for key, fate in wanted.items():
            self._fate(before.combatants[key], key, fate)

    def _side_of(self, combatant: str) -> str:
        return next(
            side.id for side in self.field.sides for one in side.combatants if one.id == combatant
        )

    def _reopen(
        self,
        now: BattleState,
        sides: Collection[str],
        tests: Mapping[str, bool | None],
        end: Outcome,
    ) -> list[dict[str, Any]]:
        """Take back what bars the way: the end, the Rout of a side that is told of, a test that was
        another one.

        Returns the tests among them that hold all the same, to be told again.
        """
        taken = self.rout_tests
        replaced = {taken[side].event for side in tests if side in taken}
        barring = {taken[side].event for side in sides if now.sides[side].has_routed}
        over = {now.end.event} if now.end else set()
        if end != outcome_from_state(now):
            replaced |= over
        for event in sorted(replaced | barring | over):
            self.add("undo", {"event": event})
        while (
            end_now := self.state().end
        ):  # one that was set aside, as the battle had ended before it
            self.add("undo", {"event": end_now.event})
        told = [test for test in taken.values() if test.event in (barring | over) - replaced]
        return [self._again(test) for test in told]

    def _again(self, test: TestTaken) -> dict[str, Any]:
        """A test as it was taken, on the Leadership it was taken on."""
        payload = {
            **_forced(),
            **self.events[test.event].payload,
            "forced": True,
            "passed": test.passed,
        }
        if test.needed is not None:
            payload["need"] = test.needed - payload.get("modifier", 0)
        return payload

    def _fate(self, now: CombatantState, key: str, fate: ReportedCasualty) -> None:
        """Whoever was out is back first; then what is counted, which nobody does who is out; then
        the new state.
        """
        state, by = now.state, {"by": fate.by} if fate.by else {}
        is_out = self.rules.states[fate.state].is_out
        if now.is_out and (not is_out or fate.state == state):
            state = self.rules.begins if is_out else fate.state
            self.add("state", {"combatant": key, "to": state, **_forced()})
        if not is_out:
            self._counted(now, key, fate)
        counter = self._last_counter(fate.state)
        if counter and (state != now.state or not now.is_out):
            self.add(
                "counter", {"combatant": key, "counter": counter.id, "to": counter.out_at, **by}
            )
        elif fate.state != state:
            self.add(
                "state", {"combatant": key, "to": fate.state, **by, **self._why(state, fate.state)}
            )

    def _counted(self, now: CombatantState, key: str, fate: ReportedCasualty) -> None:
        for counter, to in fate.counters.items():
            if now.counters.get(counter) != to:
                self.add("counter", {"combatant": key, "counter": counter, "to": to})
        if fate.wounds is not None and fate.wounds != now.wounds:
            self.add("wounds", {"combatant": key, "to": fate.wounds})

    def _last_counter(self, state: str) -> CounterRule | None:
        """The counter that puts into this state by itself at its last figure."""
        return next((rule for rule in self.rules.counters.values() if rule.out_to == state), None)

    def _why(self, before: str, after: str) -> dict[str, Any]:
        is_legal = any(step.before == before and step.after == after for step in self.rules.steps)
        return {} if is_legal else _forced()


def _forced() -> dict[str, Any]:
    return {"forced": True, "note": FORCED}


def _fate_of(now: CombatantState) -> ReportedCasualty:
    return ReportedCasualty(now.state, now.put_out_by, now.wounds, now.counters)


def _differs(fate: ReportedCasualty, now: CombatantState) -> bool:
    """Whether the form says something else of a combatant."""
    if fate.state != now.state:
        return True
    if now.is_out:
        return fate.by != now.put_out_by
    wounds = fate.wounds is not None and fate.wounds != now.wounds
    return wounds or any(now.counters.get(key) != to for key, to in fate.counters.items())
