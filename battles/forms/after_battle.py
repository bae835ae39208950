"""The shape of the form after a battle: how everybody ended, and how it was won."""

from collections.abc import Iterable
from typing import Any

from django import forms

from accounts.errors import Refusal
from accounts.forms import LongTextField, PickField, ReasonField, TickField
from accounts.owner import Owner
from battles.after_battle import AfterBattleReport, ReportedCasualty
from battles.combatants import LockedCombatant
from battles.forms.battles import (
    OutcomeForm,
    number_field,
    outcome_fields,
    require_reason,
    say_who_reads,
)
from battles.models import REASON_MAX
from battles.queries.index import BattleRecord, BattleSideRecord
from engine.battles.event_fold import fold
from engine.battles.rules import CounterRule
from engine.battles.sentences import LIMITS
from engine.records import ChoiceList, Fields, NumberByKey, TextByKey
from warbands.exchange.document import clean_text

NOTE_MAX = 500
DETAILED_MAX = 120
"""Combatants of both sides up to which the form asks for more than who is out: each one may name
any of the others.
"""
PASSED, FAILED = "passed", "failed"
ROUT_CHOICES = (("", "not taken"), (PASSED, "passed"), (FAILED, "failed"))


class AftermathForm(OutcomeForm):
    """A whole battle at once: who is out and by whose hand, the tests, the turns, the end.

    ``position`` is how many events the page was drawn from: what it shows is what they come to, and
    only what differs from that was said by whoever sends it. ``seen`` is how many steps the result
    had then (None: as was sent, or as they are now); with any the form corrects it, and asks for a
    reason.
    """

    turns = number_field("Turns played", 1, LIMITS["turn"], required=True)
    note = LongTextField("Note", NOTE_MAX, rows=2)
    reason = ReasonField(required=False, max_length=REASON_MAX)

    def __init__(
        self,
        *args: Any,
        record: BattleRecord,
        owner: Owner,
        seen: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Set the fields for how everybody ended; after a result they correct it.

        A correction asks why. ``seen`` is the result number that the page showed; by
        default it is read from what was sent.
        """
        super().__init__(*args, record=record, owner=owner, **kwargs)
        result = record.result
        self.seen = self._drawn("seen", result.number) if seen is None else seen
        self.expected = self.seen
        self.is_correction = self.seen > 0
        self.position = self._drawn("position", record.position)
        # Events may have arrived since the page was drawn; it is compared with what it showed.
        self.state = (
            record.state
            if self.position == record.position
            else fold(record.rules, record.field, record.events[: self.position])
        )
        self.initial["turns"] = self.state.turn
        if self.is_correction:
            self.initial.update(outcome_fields(result.winner, result.how))
            require_reason(self)
            say_who_reads(self, record)
            self.require_winner()
        else:
            if end := self.state.end:
                self.initial.update(outcome_fields(end.winner, end.how))
            del self.fields["reason"]
            winner: Any = self.fields["winner"]
            winner.choices = [("", "Not over yet"), *winner.choices]
        self.is_detailed = len(record.fighters) <= DETAILED_MAX
        for side in record.sides:
            self._add_side(side)

    def _drawn(self, name: str, now: int) -> int:
        """What a page that is sent was drawn from; for a page drawn now, and for nonsense, how it
        is now.
        """
        sent = str(self.data.get(name, "")) if self.is_bound else ""
        return (
            min(int(sent), now)
            if sent.isascii() and sent.isdigit() and len(sent) < 8
            else now
        )

    # The fields of everybody

    def _add_side(self, side: BattleSideRecord) -> None:
        """Add the fields of a side's fighters, and of its Rout test if there is one."""
        others = [
            (other.name, [(fighter.id, fighter.name) for fighter in other.fighters])
            for other in self.record.sides
            if other.key != side.key
        ]
        enemies = [("", "not recorded"), *(others[0][1] if len(others) == 1 else others)]
        for fighter in side.fighters:
            self._add_fighter(fighter, enemies)
        if self.record.rules.rout is not None:
            passed = self.state.sides[side.key].rout.passed
            initial = "" if passed is None else PASSED if passed else FAILED
            self._choice(
                f"rout-{side.key}", f"Rout test of {side.name}", ROUT_CHOICES, initial
            )

    def _add_fighter(self, fighter: LockedCombatant, enemies: list[Any]) -> None:
        """Add the fields of a fighter; details only where the battle is small."""
        key, name, now = fighter.id, fighter.name, self.state.combatants[fighter.id]
        self.fields[f"out-{key}"] = TickField(f"{name}: out", initial=now.is_out)
        for rule in self._counters(fighter):
            self.fields[f"{rule.id}-{key}"] = number_field(
                f"{name}: {rule.name}", 0, fighter.models, initial=now.counters[rule.id]
            )
        if not self.is_detailed:
            return
        by = now.put_out_by or ""
        # Somebody of another side, or whoever stands there already.
        if by and self.record.fighters[by].side == fighter.side:
            enemies = [*enemies, (by, self.record.combatant_name(by))]
        self._choice(f"by-{key}", f"{name}: taken out by", enemies, by)
        ends, states = self._states(is_out=True), self._states(is_out=False)
        how, state = ends[0][0], now.state
        if now.is_out:
            how, state = now.state, self.record.rules.begins
        if len(ends) > 1:
            self._choice(f"how-{key}", f"{name}: how", ends, how)
        self._choice(f"state-{key}", f"{name}: state at the end", states, state)
        wounds = fighter.wounds or 0
        if wounds > 1:
            self.fields[f"wounds-{key}"] = number_field(
                f"{name}: wounds left", 0, wounds, initial=now.wounds
            )

    def _states(self, *, is_out: bool) -> ChoiceList:
        states = self.record.rules.states.items()
        return [(key, rule.name) for key, rule in states if rule.is_out == is_out]

    def _choice(self, name: str, label: str, choices: Iterable[Any], initial: str) -> None:
        self.fields[name] = PickField(label, choices=[*choices], initial=initial)

    def _counters(self, fighter: LockedCombatant) -> list[CounterRule]:
        """What is counted of a combatant from the beginning to the end; nobody counts the one model
        of one.
        """
        rules = self.record.rules.counters.values()
        return [
            rule
            for rule in rules
            if rule.of == "combatant"
            and rule.lasts == "battle"
            and (rule.begins != "models" or fighter.models > 1)
        ]

    @property
    def sides(self) -> list[Fields]:
        """Each side with its Rout test and the fields of everybody in it.

        ``more``: what else there is to ask for with a tick of the side, "" for nothing. Of a fighter
        ``out`` is a tick; ``after`` stands open with it, ``more`` are asked for with a tick of the
        side, ``counted`` always: labels and fields. Its state is told where it is not the one
        everybody begins in.
        """
        sides, rules = [], self.record.rules
        for side in self.record.sides:
            rows: list[Fields] = []
            for fighter in side.fighters:
                now = self.state.combatants[fighter.id]
                is_usual = now.is_out or now.state == rules.begins
                counters = {rule.id: rule.name for rule in self._counters(fighter)}
                more = {"state": "At the end", "wounds": "Wounds left"}
                rows.append(
                    {
                        "fighter": fighter,
                        "state": "" if is_usual else rules.states[now.state].name,
                        "out": self[f"out-{fighter.id}"],
                        "counted": self._bound(fighter, counters),
                        "after": self._bound(fighter, {"by": "Taken out by", "how": "How"}),
                        "more": self._bound(fighter, more),
                    }
                )
            labels = {label for row in rows for label, _ in row["more"]}
            others = f"States{' and wounds' if len(labels) > 1 else ''} of the others"
            sides.append(
                {
                    "side": side,
                    "rout": self[f"rout-{side.key}"] if rules.rout else None,
                    "rows": rows,
                    "more": others if labels else "",
                }
            )
        return sides

    def _bound(self, fighter: LockedCombatant, labels: TextByKey) -> list[Any]:
        """Return the fields that the form has of these, each with its label."""
        return [
            (label, self[f"{name}-{fighter.id}"])
            for name, label in labels.items()
            if f"{name}-{fighter.id}" in self.fields
        ]

    # What was said

    def clean_note(self) -> str:
        """Return the note cleaned, with its lines; raises ValidationError."""
        try:
            return clean_text("note", self.cleaned_data["note"], NOTE_MAX, many_lines=True)
        except Refusal as refusal:
            raise forms.ValidationError(refusal.message) from None

    def clean(self) -> Fields:
        """Return the values, with an error where the winner failed the Rout test."""
        cleaned = super().clean()
        winner = cleaned.get("winner")
        for side in self.record.sides:
            if winner == side.key and cleaned.get(f"rout-{side.key}") == FAILED:
                self.add_error(
                    "winner", f"{side.name} failed the Rout test. Choose another winner."
                )
        return cleaned

    @property
    def report(self) -> AfterBattleReport:
        """What the form says; only of a valid one."""
        cleaned, sides = self.cleaned_data, self.record.sides
        tests = {side.key: cleaned.get(f"rout-{side.key}", "") for side in sides}
        winner, how = self.outcome
        fates = {}
        # Where the form does not ask, or nothing was sent, it is as it was shown.
        for key, fighter in self.record.fighters.items():
            now, wounds = self.state.combatants[key], self._typed("wounds", fighter)
            counters = {}
            for rule in self._counters(fighter):
                typed = self._typed(rule.id, fighter)
                counters[rule.id] = now.counters[rule.id] if typed is None else typed
            state = self._final_state(fighter, counters)
            by = cleaned.get(f"by-{key}", now.put_out_by) or None
            fates[key] = ReportedCasualty(
                state,
                by if self.record.rules.states[state].is_out else None,
                now.wounds if wounds is None else wounds,
                counters,
            )
        return AfterBattleReport(
            seen=self.position,
            turns=cleaned["turns"],
            fates=fates,
            tests={key: test == PASSED if test else None for key, test in tests.items()},
            winner=winner,
            how=how,
            note=cleaned["note"],
        )

    def _typed(self, name: str, fighter: LockedCombatant) -> Any:
        """What was typed into a field of a combatant, None where there is nothing or no field."""
        return self.cleaned_data.get(f"{name}-{fighter.id}")

    def _final_state(self, fighter: LockedCombatant, counters: NumberByKey) -> str:
        """The key of the state at the end: out as it says, out by a counter, or up."""
        now = self.state.combatants[fighter.id]
        if self._typed("out", fighter):
            first_end = self._states(is_out=True)[0][0]
            usual = now.state if now.is_out else first_end
            return self._typed("how", fighter) or usual
        if now.is_out:
            return self._typed("state", fighter) or self.record.rules.begins
        for rule in self._counters(fighter):
            if rule.out_to and counters[rule.id] == rule.out_at:
                return rule.out_to
        return self._typed("state", fighter) or now.state
