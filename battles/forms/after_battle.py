"""The shape of the form after a battle: how everybody ended, and how it was won."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from accounts.errors import Refusal
from accounts.form_fields import LongTextField, PickField, TickField
from accounts.forms import ReasonField
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
from engine.battles.types import BattleState, CombatantState
from engine.records import ChoiceList, Fields, NumberByKey, TextByKey, frozen_dataclass
from warbands.exchange.document import clean_text

NOTE_MAX = 500
DETAILED_MAX = 120
"""Combatants of both sides up to which the form asks for more than who is out: each one may name
any of the others.
"""
PASSED, FAILED = "passed", "failed"
ROUT_CHOICES = (("", "not taken"), (PASSED, "passed"), (FAILED, "failed"))


@frozen_dataclass
class AftermathContext:
    """A field of a combatant, and its label where the name stands beside it already."""

    label: str
    bound: forms.BoundField


@frozen_dataclass
class FighterRow:
    """The fields of one combatant.

    ``told`` is its state where that is not the one everybody begins in.

    ``out``: a tick; ``after`` stands open with it, ``more`` are asked for with a tick of the side,
    ``counted`` always.
    """

    fighter: LockedCombatant
    told: str
    out: forms.BoundField
    counted: list[AftermathContext]
    after: list[AftermathContext]
    more: list[AftermathContext]


@frozen_dataclass
class SideRows:
    """The rows of one side."""

    side: BattleSideRecord
    rout: forms.BoundField | None
    rows: list[FighterRow]

    @property
    def more(self) -> str:
        """What else there is to ask for, "" for nothing."""
        asked = {one.label for row in self.rows for one in row.more}
        return (
            f"States{' and wounds' if len(asked) > 1 else ''} of the others"
            if asked
            else ""
        )


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
        self.seen = self._drawn("seen", record.result.number) if seen is None else seen
        self.expected = self.seen
        self.is_correction = self.seen > 0
        self.position = self._drawn("position", record.position)
        self.shown = self._shown()
        self.initial.update({"turns": self.shown.turn, **self._outcome_shown()})
        if self.is_correction:
            require_reason(self)
            say_who_reads(self, record)
            self.fields["winner"].required = True
            self.fields["winner"].error_messages["required"] = (
                "Choose the winner, or “Draw”."
            )
        else:
            del self.fields["reason"]
            self._offer("winner", [("", "Not over yet"), *self.fields["winner"].choices])  # type: ignore[attr-defined]
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

    def _shown(self) -> BattleState:
        """Return the state that the page was drawn from, folded from its first events."""
        record = self.record
        # Events may have arrived since the page was drawn; it is compared with what it showed.
        if self.position == record.position:
            return record.state
        return fold(record.rules, record.field, record.events[: self.position])

    def _outcome_shown(self) -> TextByKey:
        """Return the outcome fields to begin with: the result's, or the end's."""
        result, end = self.record.result, self.shown.end
        if self.is_correction:
            return outcome_fields(result.winner, result.how)
        return outcome_fields(end.winner, end.how) if end else {}

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
            passed = self.shown.sides[side.key].rout.passed
            initial = "" if passed is None else PASSED if passed else FAILED
            self._choice(
                f"rout-{side.key}", f"Rout test of {side.name}", ROUT_CHOICES, initial
            )

    def _add_fighter(self, fighter: LockedCombatant, enemies: list[Any]) -> None:
        """Add the fields of a fighter; details only where the battle is small."""
        now = self.shown.combatants[fighter.id]
        self.fields[f"out-{fighter.id}"] = TickField(
            f"{fighter.name}: out", initial=now.is_out
        )
        for rule in self._counters(fighter):
            label = f"{fighter.name}: {rule.name}"
            self._number(
                f"{rule.id}-{fighter.id}", label, fighter.models, now.counters[rule.id]
            )
        if self.is_detailed:
            self._add_slayer(fighter, now, enemies)
            self._add_ends(fighter, now)

    def _add_slayer(
        self, fighter: LockedCombatant, now: CombatantState, enemies: list[Any]
    ) -> None:
        """Who put it out: somebody of another side, or whoever stands there already."""
        by = now.put_out_by or ""
        if by and self.record.fighters[by].side == fighter.side:
            enemies = [*enemies, (by, self.record.combatant_name(by))]
        self._choice(f"by-{fighter.id}", f"{fighter.name}: taken out by", enemies, by)

    def _add_ends(self, fighter: LockedCombatant, now: CombatantState) -> None:
        """How it went out, where there are several ways; its state and wounds where it did not."""
        out, up = self._states(is_out=True), self._states(is_out=False)
        how, state = out[0][0], self.record.rules.begins
        if now.is_out:
            how = now.state
        else:
            state = now.state
        if len(out) > 1:
            self._choice(f"how-{fighter.id}", f"{fighter.name}: how", out, how)
        self._choice(f"state-{fighter.id}", f"{fighter.name}: state at the end", up, state)
        wounds = fighter.wounds or 0
        if wounds > 1:
            label = f"{fighter.name}: wounds left"
            self._number(f"wounds-{fighter.id}", label, wounds, now.wounds)

    def _states(self, *, is_out: bool) -> ChoiceList:
        states = self.record.rules.states.items()
        return [(key, rule.name) for key, rule in states if rule.is_out == is_out]

    def _choice(self, name: str, label: str, choices: Iterable[Any], initial: str) -> None:
        self.fields[name] = PickField(label, choices=[*choices], initial=initial)

    def _number(self, name: str, label: str, most: int, initial: int | None) -> None:
        self.fields[name] = number_field(label, 0, most, initial=initial)

    def _counters(self, fighter: LockedCombatant) -> list[CounterRule]:
        """What is counted of a combatant from the beginning to the end; nobody counts the one model
        of one.
        """
        rules = self.record.rules.counters.values()
        kept = [rule for rule in rules if rule.of == "combatant" and rule.lasts == "battle"]
        return [rule for rule in kept if rule.begins != "models" or fighter.models > 1]

    @property
    def sides(self) -> list[SideRows]:
        """Each side with its Rout test and the fields of everybody in it."""
        return [
            SideRows(
                side,
                self[f"rout-{side.key}"] if self.record.rules.rout else None,
                [self._row(fighter) for fighter in side.fighters],
            )
            for side in self.record.sides
        ]

    def _row(self, fighter: LockedCombatant) -> FighterRow:
        """Return the row of a fighter with those of its fields that are in the form."""
        now, rules = self.shown.combatants[fighter.id], self.record.rules
        return FighterRow(
            fighter=fighter,
            told=""
            if now.is_out or now.state == rules.begins
            else rules.states[now.state].name,
            out=self[f"out-{fighter.id}"],
            counted=self._asked(
                fighter, {rule.id: rule.name for rule in self._counters(fighter)}
            ),
            after=self._asked(fighter, {"by": "Taken out by", "how": "How"}),
            more=self._asked(fighter, {"state": "At the end", "wounds": "Wounds left"}),
        )

    def _asked(
        self, fighter: LockedCombatant, labels: Mapping[str, str]
    ) -> list[AftermathContext]:
        """Return the fields that the form has of these, each with its label."""
        asked = {f"{name}-{fighter.id}": label for name, label in labels.items()}
        return [
            AftermathContext(label, self[name])
            for name, label in asked.items()
            if name in self.fields
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
        lost = [
            side for side in self.record.sides if cleaned.get(f"rout-{side.key}") == FAILED
        ]
        for side in lost:
            if cleaned.get("winner") == side.key:
                self.add_error(
                    "winner", f"{side.name} failed the Rout test. Choose another winner."
                )
        return cleaned

    @property
    def told(self) -> AfterBattleReport:
        """What the form says; only of a valid one."""
        cleaned = self.cleaned_data
        fighters = [fighter for side in self.record.sides for fighter in side.fighters]
        said = {side.key: cleaned.get(f"rout-{side.key}", "") for side in self.record.sides}
        winner, how = self.outcome
        return AfterBattleReport(
            seen=self.position,
            turns=cleaned["turns"],
            fates={fighter.id: self._fate(fighter) for fighter in fighters},
            tests={
                side: None if not word else word == PASSED for side, word in said.items()
            },
            winner=winner,
            how=how,
            note=cleaned["note"],
        )

    def _fate(self, fighter: LockedCombatant) -> ReportedCasualty:
        """Where the form does not ask, or nothing was sent, it is as it was shown."""
        now = self.shown.combatants[fighter.id]
        rules = self._counters(fighter)
        typed = {rule.id: self._typed(rule.id, fighter) for rule in rules}
        shown = {rule.id: now.counters[rule.id] for rule in rules}
        counters = shown | {key: to for key, to in typed.items() if to is not None}
        state = self._ends_as(fighter, counters)
        is_out = self.record.rules.states[state].is_out
        by = self.cleaned_data.get(f"by-{fighter.id}", now.put_out_by) or None
        wounds = self._typed("wounds", fighter)
        left = now.wounds if wounds is None else wounds
        return ReportedCasualty(state, by if is_out else None, left, counters)

    def _typed(self, name: str, fighter: LockedCombatant) -> Any:
        """What was typed into a field of a combatant, None where there is nothing or no field."""
        return self.cleaned_data.get(f"{name}-{fighter.id}")

    def _ends_as(self, fighter: LockedCombatant, counters: NumberByKey) -> str:
        """The key of the state at the end: out as it says, out by a counter, or up."""
        now = self.shown.combatants[fighter.id]
        if self._typed("out", fighter):
            shown, asked = (
                now.state if now.is_out else self._states(is_out=True)[0][0],
                "how",
            )
        elif now.is_out:
            shown, asked = self.record.rules.begins, "state"
        else:
            ends = self._counters(fighter)
            reached = (one.out_to for one in ends if counters[one.id] == one.out_at)
            if by_counter := next(filter(None, reached), None):
                return by_counter
            shown, asked = now.state, "state"
        return self._typed(asked, fighter) or shown
