"""The form after a battle, turned into the events that a recorder would have sent.

The form is compared with what it was drawn from, and only what somebody changed in it becomes an
event. So both ways can be mixed, what others recorded meanwhile stays, and a form that changes
nothing makes no event. No database and no clock here.
"""

import uuid
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime

from engine.battles.battle_summary import TestTaken, summary
from engine.battles.event_fold import BattleLog, fold
from engine.battles.types import BattleState, CombatantState, Event
from engine.records import JsonObject, NamedValues, NumberByKey, frozen_dataclass

DEVICE = "form"
FORCED = "Entered after the battle."
_FORCED = {"forced": True, "note": FORCED}
Outcome = tuple[str | None, str] | None
"""Who won (a side's key, None for nobody) and how; None for a battle that is not over."""


@frozen_dataclass
class ReportedCasualty:
    """How a combatant ended. ``by``: who put it out.

    ``wounds`` and ``counters`` only where the form asks for them.
    """

    state: str
    by: str | None = None
    wounds: int | None = None
    counters: NumberByKey = field(default_factory=dict)


@frozen_dataclass
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
    """Return how the events say it ended, None while they say nothing."""
    return (state.end.winner, state.end.how) if state.end else None


def report_events(
    log: BattleLog, report: AfterBattleReport, *, name: str, at: datetime
) -> list[JsonObject]:
    """Return the events that make of ``log`` what the form says, as a device would send them.

    ``name`` tells this form from all others: the same form on the same log makes the same events.
    """
    writer = _EventWriter(log, name, at.isoformat(timespec="milliseconds"))
    drawn = fold(log.rules, log.field, log.events[: report.seen])
    current = writer.state()
    is_new_end = report.outcome != outcome_from_state(drawn)
    end = report.outcome if is_new_end else outcome_from_state(current)
    winner, how = end or (None, "")
    writer.report(
        replace(
            report,
            turns=0 if report.turns in (drawn.turn, current.turn) else report.turns,
            fates={
                key: fate
                for key, fate in report.fates.items()
                if _differs(fate, drawn.combatants[key])
                and _differs(fate, current.combatants[key])
            },
            tests={
                side: passed
                for side, passed in report.tests.items()
                if passed
                not in (drawn.sides[side].rout.passed, current.sides[side].rout.passed)
            },
            winner=winner,
            how=how,
        )
    )
    return writer.sent


class _EventWriter:
    """Writes one event after another, and knows what they come to so far."""

    def __init__(self, log: BattleLog, name: str, at: str) -> None:
        """Begin after the events of ``log``; ``name`` and ``at`` are the form's."""
        self.rules, self.field, self.name, self.at = log.rules, log.field, name, at
        self.log = list(log.events)
        self.seq = max((event.seq for event in log.events), default=0)
        self.sent: list[JsonObject] = []
        self.events = {event.id: event for event in log.events}
        self.sides = {
            fighter.id: side.id for side in log.field.sides for fighter in side.combatants
        }
        self.forced: set[str] = set()
        self.rout = log.rules.rout.test if log.rules.rout else ""
        tests = summary(log.rules, log.field, log.events).tests if self.rout else ()
        self.rout_tests = {test.side: test for test in tests if test.test == self.rout}

    def add(self, kind: str, payload: NamedValues) -> None:
        """Append an event with the next number to what is sent and to the log.

        Its id comes of the form's name and its place, so the same form makes the same ids.
        """
        number = len(self.sent) + 1
        event: JsonObject = {
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.name}/{number}")),
            "device": DEVICE,
            "seq": self.seq + number,
            "at": self.at,
            "kind": kind,
            "payload": dict(payload),
        }
        self.sent.append(event)
        self.log.append(Event(**event))

    def state(self) -> BattleState:
        return fold(self.rules, self.field, self.log)

    def report(self, changes: AfterBattleReport) -> None:
        """Write what was changed, in the order in which the rules let it count: the end last."""
        current, end = self.state(), changes.outcome
        is_other_end = end != outcome_from_state(current)
        if changes.turns or changes.fates or changes.tests or is_other_end:
            payloads = self._reopen(current, changes)
            self._write_fates(current, changes)
            payloads += [
                {"test": self.rout, "side": side, "passed": passed, **_FORCED}
                for side, passed in changes.tests.items()
                if passed is not None
            ]
            # A failed test may end the battle, so those that were passed come first.
            for payload in sorted(payloads, key=lambda test: not test.get("passed")):
                self.add("test", payload)
        if changes.note:
            self.add("note", {"text": changes.note})
        if end and outcome_from_state(self.state()) != end:
            winner, how = end
            self.add("end", {"how": how, "winner": winner} if winner else {"how": how})

    def _write_fates(self, current: BattleState, changes: AfterBattleReport) -> None:
        """Write the turn and everybody's fate.

        Taking back the end may bring somebody to life again: those are put back as they were.
        """
        back = self.state()
        fates = {
            key: ReportedCasualty(
                state.state, state.put_out_by, state.wounds, state.counters
            )
            for key, state in current.combatants.items()
        } | dict(changes.fates)
        turns = changes.turns or current.turn
        if turns != back.turn:
            self.add("turn", {"number": turns})
        written = {
            key: fate
            for key, fate in fates.items()
            if key in changes.fates or _differs(fate, back.combatants[key])
        }
        before, sent, log = self.state(), len(self.sent), len(self.log)
        for key, fate in written.items():
            self._write_fate(before.combatants[key], key, fate)
        after = self.state()
        # How somebody ended is no act of this moment: what the rules refuse now is forced.
        self.forced = {
            key for key in written if after.combatants[key].state != written[key].state
        }
        if self.forced:
            del self.sent[sent:], self.log[log:]
            for key, fate in written.items():
                self._write_fate(before.combatants[key], key, fate)

    def _reopen(self, current: BattleState, changes: AfterBattleReport) -> list[JsonObject]:
        """Take back what bars the way, and return the tests among it that hold all the same.

        What bars the way: the end, the Rout of a side that is told of, a test that came to
        something else. The tests returned are to be written again.
        """
        sides = {self.sides[key] for key in changes.fates}
        barring = {
            self.rout_tests[side].event for side in sides if current.sides[side].has_routed
        }
        replaced = {
            test.event for side, test in self.rout_tests.items() if side in changes.tests
        }
        if current.end:
            barring.add(current.end.event)
            if changes.outcome != outcome_from_state(current):
                replaced.add(current.end.event)
        # Sorted, so that the same form makes the same events with the same ids.
        for event in sorted(replaced | barring):
            self.add("undo", {"event": event})
        # An end that was set aside, as the battle had ended before it, counts now.
        while end := self.state().end:
            self.add("undo", {"event": end.event})
        return [
            self._again(test)
            for test in self.rout_tests.values()
            if test.event in barring - replaced
        ]

    def _again(self, test: TestTaken) -> JsonObject:
        """A test as it was taken, on the Leadership it was taken on."""
        payload = {
            **_FORCED,
            **self.events[test.event].payload,
            "forced": True,
            "passed": test.passed,
        }
        if test.need is not None:
            payload["need"] = test.need
        return payload

    def _write_fate(
        self, current: CombatantState, key: str, fate: ReportedCasualty
    ) -> None:
        """Write the fate of a combatant.

        Whoever was out is back first; then what is counted, which nobody does who is out; then the
        new state.
        """
        state = current.state
        is_out = self.rules.states[fate.state].is_out
        # Who is out already, and of whom only the slayer is new, goes out once more by that hand.
        if current.is_out and (not is_out or fate.state == state):
            state = self.rules.begins if is_out else fate.state
            self.add("state", {"combatant": key, "to": state, **_FORCED})
        if not is_out:
            # Write each counter and the Wounds that ended otherwise than the state says.
            for counter, to in fate.counters.items():
                if current.counters.get(counter) != to:
                    self.add("counter", {"combatant": key, "counter": counter, "to": to})
            if fate.wounds is not None and fate.wounds != current.wounds:
                self.add("wounds", {"combatant": key, "to": fate.wounds})
        is_still_out = current.is_out and state == current.state
        self._write_state(key, fate, state, may_count=not is_still_out)

    def _write_state(
        self, key: str, fate: ReportedCasualty, state: str, *, may_count: bool
    ) -> None:
        """Write the state a combatant ended in, by its counter where that one puts into it."""
        by = {"by": fate.by} if fate.by else {}
        counters = self.rules.counters.values()
        # The counter that puts into this state by itself at its last figure.
        counter = next((rule for rule in counters if rule.out_to == fate.state), None)
        if counter and may_count:
            payload = {"combatant": key, "counter": counter.id, "to": counter.out_at, **by}
            self.add("counter", payload)
        elif fate.state != state:
            why = _FORCED if key in self.forced else {}
            self.add("state", {"combatant": key, "to": fate.state, **by, **why})


def _differs(fate: ReportedCasualty, current: CombatantState) -> bool:
    """Whether the form says something else of a combatant."""
    if fate.state != current.state:
        return True
    if current.is_out:
        return fate.by != current.put_out_by
    wounds = fate.wounds is not None and fate.wounds != current.wounds
    return wounds or any(
        current.counters.get(key) != to for key, to in fate.counters.items()
    )
