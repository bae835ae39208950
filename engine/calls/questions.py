"""A call with its inputs filled in: what can be asked of it, and played with dice."""

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from engine.calls.inputs import Input
from engine.combat.hits import Aim
from engine.dice import Dice, Rule, reaches
from engine.odds import distribution_of, series
from engine.records import Texts, frozen_dataclass
from engine.rules import CombatRules

Value = int | str | bool | None
Steps = Texts
"""How an answer was reached, a sentence a step."""


@frozen_dataclass
class CallResult:
    """The chance of each outcome, exactly; ``values`` that are no chances; ``steps`` that led
    there, as sentences.
    """

    outcomes: dict[str, Fraction]
    values: dict[str, Value]
    steps: Steps


@frozen_dataclass
class RollResult:
    """What the dice brought, and values that go with it."""

    outcome: str
    values: dict[str, Value]


@frozen_dataclass
class Spread:
    """A question with one outcome out of several."""

    rule: Rule[None, str]
    steps: Steps = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    is_spread: bool = True

    def chances(self) -> dict[str, Fraction]:
        chances = distribution_of(self.rule, None).chances()
        return {name: chances[name] for name in sorted(chances, key=_severity)}

    def play(self, dice: Dice) -> RollResult:
        return RollResult(self.rule.play(dice, None), dict(self.values))


@frozen_dataclass
class OutcomeTable:
    """Several tests beside one another, each with its own chance."""

    rows: Mapping[str, Rule[None, bool]]
    steps: Steps = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    is_spread: bool = False

    def chances(self) -> dict[str, Fraction]:
        return {
            name: distribution_of(rule, None).chance(value=True)
            for name, rule in self.rows.items()
        }

    def play(self, dice: Dice) -> RollResult:
        """Play every test once and return how many were passed, and which."""
        passed: dict[str, Value] = {
            name: rule.play(dice, None) for name, rule in self.rows.items()
        }
        return RollResult(
            f"passed_{sum(map(bool, passed.values()))}_of_{len(passed)}", passed
        )


@frozen_dataclass
class UnitHit:
    """What follows a hit: the roll to wound and the save. True takes off a model."""

    need: int | None
    save: int | None

    def play(self, dice: Dice, state: None) -> bool:
        """Return True where the hit wounds and is not saved."""
        if self.need is None or not reaches(
            dice, self.need, "to wound", ("no wound", "wound")
        ):
            return False
        return self.save is None or not reaches(
            dice, self.save, "save", ("casualty", "saved")
        )


@frozen_dataclass
class UnitAttack:
    """One attack or shot of a unit: to hit, to wound, to save. True takes off a model."""

    aim: Aim
    hit: UnitHit

    def play(self, dice: Dice, state: None) -> bool:
        return dice.run(self.aim, None) and dice.run(self.hit, None)


@frozen_dataclass
class CountedCasualties:
    """The same attack counted: the state is the casualties so far, counted up to ``enough`` and no
    further.
    """

    attack: UnitAttack
    enough: int

    def play(self, dice: Dice, state: int) -> int:
        return min(state + dice.run(self.attack, None), self.enough)


@frozen_dataclass
class Casualties:
    """Like attacks of a unit: the chance of each, how many to expect, and the chance of at least so
    many.

    ``per`` names the chance of one of them, ``at_least`` is None where nobody asked.
    """

    attack: UnitAttack
    count: int
    per: str
    at_least: int | None
    steps: Steps = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    is_spread: bool = False

    def chances(self) -> dict[str, Fraction]:
        """Return the chances of a casualty and of ``at_least``, and how many to expect."""
        one = distribution_of(self.attack, None).chance(value=True)
        found = {self.per: one, "expected_casualties": one * self.count}
        if self.at_least is not None:
            counted = CountedCasualties(self.attack, self.at_least)
            law = series(((counted, self.count),), 0)
            found[f"at_least_{self.at_least}"] = law.chance(self.at_least)
        return found

    def play(self, dice: Dice) -> RollResult:
        """Play every attack and return how many models were lost."""
        lost = sum(self.attack.play(dice, None) for _ in range(self.count))
        values: dict[str, Value] = {"casualties": lost}
        if self.at_least is not None:
            values[f"at_least_{self.at_least}"] = lost >= self.at_least
        return RollResult(f"casualties_{lost}", values)


Question = Spread | OutcomeTable | Casualties
"""A call whose inputs are known: its values and steps, its chances, and one play of it.

``is_spread``: its outcomes shut each other out, so that their chances add up to 1.
"""

Given = SimpleNamespace
"""The checked inputs of a call, each an attribute of its name."""


@frozen_dataclass
class Call:
    """One kind of question: its inputs, what it needs, and what makes it of rules and inputs.

    ``needs`` are sections of the rules, or figures of a section (``tests.leadership_dice``), that a
    system with this call has. ``house_rule`` is the house rule that must be played besides.
    """

    name: str
    title: str
    inputs: tuple[Input, ...]
    needs: Texts
    ask: Callable[[CombatRules, Given], Question]
    house_rule: str = ""

    def is_known(self, rules: CombatRules) -> bool:
        """Return whether a system has the call."""
        if any(_part_of(rules, path) is None for path in self.needs):
            return False
        return not self.house_rule or bool(getattr(rules.house, self.house_rule, False))


def _part_of(rules: CombatRules, path: str) -> Any:
    section, _, figure = path.partition(".")
    part = getattr(rules, section)
    # False is a figure like any other: only None says that the text has no such rule.
    return getattr(part, figure) if part is not None and figure else part


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
    # Those who are hurt and still stand come between the mildest outcomes and the worst.
    number = _NUMBER.search(name)
    return 50, -int(number[1]) if number else 0, name
