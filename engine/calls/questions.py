"""A call with its inputs filled in: what can be asked of it, and played with dice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from engine.calls.inputs import Input
from engine.dice import Dice, Rule
from engine.errors import Refusal
from engine.odds import distribution_of, repeated
from engine.rules import CombatRules
from engine.units import CountedCasualties, UnitAttack

Value = int | str | bool | None


@dataclass(frozen=True, slots=True)
class CallResult:
    """The chance of each outcome, exactly; ``values`` that are no chances; ``steps`` that led
    there, as sentences.
    """

    outcomes: dict[str, Fraction]
    values: dict[str, Value]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RollResult:
    """What the dice brought, and values that go with it."""

    outcome: str
    values: dict[str, Value]


class Question(Protocol):
    """A call whose inputs are known.

    ``is_spread``: its outcomes shut each other out, so that their chances add up to 1.
    """

    @property
    def values(self) -> Mapping[str, Value]: ...

    @property
    def steps(self) -> tuple[str, ...]: ...

    @property
    def is_spread(self) -> bool: ...

    def chances(self) -> dict[str, Fraction]:
        """The chance of each outcome."""

    def play(self, dice: Dice) -> RollResult:
        """One play of it."""


@dataclass(frozen=True)
class Spread:
    """A question with one outcome out of several."""

    rule: Rule[None, str]
    steps: tuple[str, ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    is_spread: bool = True

    def chances(self) -> dict[str, Fraction]:
        chances = distribution_of(self.rule, None).chances()
        return {name: chances[name] for name in sorted(chances, key=_severity)}

    def play(self, dice: Dice) -> RollResult:
        return RollResult(self.rule.play(dice, None), dict(self.values))


@dataclass(frozen=True)
class OutcomeTable:
    """Several tests beside one another, each with its own chance."""

    rows: Mapping[str, Rule[None, bool]]
    steps: tuple[str, ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    is_spread: bool = False

    def chances(self) -> dict[str, Fraction]:
        return {name: distribution_of(rule, None).chance(True) for name, rule in self.rows.items()}

    def play(self, dice: Dice) -> RollResult:
        passed: dict[str, Value] = {name: rule.play(dice, None) for name, rule in self.rows.items()}
        return RollResult(f"passed_{sum(map(bool, passed.values()))}_of_{len(passed)}", passed)


@dataclass(frozen=True)
class Casualties:
    """Like attacks of a unit: the chance of each, how many to expect, and the chance of at least so
    many.

    ``per`` names the chance of one of them, ``at_least`` is None where nobody asked.
    """

    attack: UnitAttack
    count: int
    per: str
    at_least: int | None
    steps: tuple[str, ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    is_spread: bool = False

    def chances(self) -> dict[str, Fraction]:
        one = distribution_of(self.attack, None).chance(True)
        found = {self.per: one, "expected_casualties": one * self.count}
        if self.at_least is not None:
            enough = repeated(CountedCasualties(self.attack, self.at_least), self.count, 0).chance(
                self.at_least
            )
            found[f"at_least_{self.at_least}"] = enough
        return found

    def play(self, dice: Dice) -> RollResult:
        lost = sum(self.attack.play(dice, None) for _ in range(self.count))
        values: dict[str, Value] = {"casualties": lost}
        if self.at_least is not None:
            values[f"at_least_{self.at_least}"] = lost >= self.at_least
        return RollResult(f"casualties_{lost}", values)


@dataclass(frozen=True)
class Call:
    """One kind of question: its inputs, whether a system has it, and what makes it of rules and
    checked inputs.
    """

    name: str
    title: str
    inputs: tuple[Input, ...]
    is_known: Callable[[CombatRules], bool]
    ask: Callable[[CombatRules, dict[str, Any]], Question]


_ORDER = (
    "acts_normally",
    "holds",
    "lands_safely",
    "no_damage_roll",
    "diver_falls",
    "pass",
    "fight_on",
    "unhurt",
)
_LAST = ("knocked_down", "stunned", "out_of_action", "removed", "explodes")
_NUMBER = re.compile(r"_(\d+)")


def _severity(name: str) -> tuple[int, int, str]:
    """Mildest first; of wounds left the most first."""
    for place, word in enumerate(_ORDER):
        if name.endswith(word):
            return place, 0, name
    for place, word in enumerate(_LAST):
        if name.endswith(word):
            return 100 + place, 0, name
    number = _NUMBER.search(name)
    return 50, -int(number[1]) if number else 0, name


def refuse_call(name: str) -> Refusal:
    """The refusal for a call this system has not got."""
    return Refusal(f"This system has no call '{name}'.", field="call")
