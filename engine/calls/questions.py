"""What a call takes, the question that it makes of rules and inputs, and the answers of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from engine.combat.hits import Aim
from engine.dice import Dice, Rule, reaches
from engine.errors import Refusal
from engine.odds import Distribution, exact_distribution, series
from engine.records import (
    Fields,
    NamedValues,
    Texts,
    frozen_dataclass,
    is_int_within,
    keyword_dataclass,
)
from engine.rules import CombatRules

ATTACKS_MAX = 20
ALL_ATTACKS_MAX = 30
UNIT_ATTACKS_MAX = 200
MODELS_MAX = 200
GROUPS_MAX = 10
VALUES_MAX = 20
HEIGHT_MAX = 100

Value = int | str | bool | None
Steps = Texts
"""How an answer was reached, a sentence a step."""


class _Required:
    """The default of an input that has none."""

    def __repr__(self) -> str:
        return "required"


REQUIRED = _Required()


@keyword_dataclass
class Input:
    """One input of a call.

    ``kind``: number, height, flag, choice, numbers (a list), group (inputs of its own) or groups (a
    list of those). ``low`` and ``high`` bound a number or each number of a list; ``least`` and
    ``most`` the length of a list. A default of None also lets None be given. ``is_counted`` flags
    may be given as 0 or 1.
    """

    name: str
    kind: str
    default: Any = REQUIRED
    low: int = 0
    high: int = 0
    least: int = 0
    most: int = 0
    choices: Texts = ()
    fields: tuple[Input, ...] = ()
    is_counted: bool = False

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED


def number(name: str, low: int, high: int, default: Any = REQUIRED) -> Input:
    return Input(name=name, kind="number", low=low, high=high, default=default)


def characteristic(name: str, default: Any = REQUIRED) -> Input:
    """A characteristic as it is put in: 1 to 10.

    Only sums made on the way may go beyond, and are held to 10.
    """
    return number(name, 1, 10, default)


def flag(name: str, *, default: bool = False, is_counted: bool = False) -> Input:
    return Input(name=name, kind="flag", default=default, is_counted=is_counted)


def choice(name: str, choices: Texts, default: Any = REQUIRED) -> Input:
    return Input(name=name, kind="choice", choices=choices, default=default)


def group(name: str, fields: Sequence[Input], default: Any = REQUIRED) -> Input:
    return Input(name=name, kind="group", fields=tuple(fields), default=default)


def several(each: Input, least: int, most: int, default: Any = REQUIRED) -> Input:
    """A list of so many numbers or groups, each of them as ``each`` may be."""
    return replace(each, kind=f"{each.kind}s", least=least, most=most, default=default)


HEIGHT = Input(name="height", kind="height", high=HEIGHT_MAX)
SAVE = number("save", 1, 6, None)
WOUNDS = characteristic("wounds", 1)


def checked(fields: Sequence[Input], inputs: object, where: str = "") -> Fields:
    """Every input with its value, defaults filled in; lists as tuples, groups as dictionaries.

    Raises Refusal naming the input and what it may be.
    """
    if not isinstance(inputs, Mapping):
        path = where or "inputs"
        raise Refusal(f"{path}: give an object with names and values.", field=path)
    prefix = f"{where}." if where else ""
    declared = {field.name: field for field in fields}
    for name in inputs:
        if not isinstance(name, str) or name not in declared:
            path, names = f"{prefix}{str(name)[:80]}", ", ".join(declared) or "none"
            message = f"{path}: there is no such input; there may be {names}."
            raise Refusal(message, field=path)
    return {
        name: _input_value(field, inputs, f"{prefix}{name}")
        for name, field in declared.items()
    }


def _input_value(field: Input, inputs: NamedValues, path: str) -> Any:
    """The checked value of an input, or its default. Raises Refusal where it is missing."""
    if field.name in inputs:
        value = inputs[field.name]
        # A default of None says that the input may be left open by giving None, too.
        is_open = value is None and field.default is None
        return None if is_open else _checked_value(field, value, path)
    if field.is_required:
        raise missing(path)
    is_filled = field.kind == "group" and field.default is not None
    return checked(field.fields, {}, path) if is_filled else field.default


def missing(path: str) -> Refusal:
    """The refusal for an input that is needed and was left out."""
    return Refusal(f"{path}: this is needed.", field=path)


def _checked_value(field: Input, value: Any, path: str) -> Any:
    if field.kind == "group":
        return checked(field.fields, value, path)
    if field.kind in ("numbers", "groups"):
        is_list = isinstance(value, list | tuple)
        if not is_list or not field.least <= len(value) <= field.most:
            raise Refusal(
                f"{path}: give a list of {field.least} to {field.most}.", field=path
            )
        each = replace(field, kind=field.kind[:-1])
        return tuple(
            _checked_value(each, item, f"{path}.{place}")
            for place, item in enumerate(value)
        )
    is_right, wanted = _is_right(field, value)
    if not is_right:
        raise Refusal(f"{path}: give {wanted}.", field=path)
    return bool(value) if field.kind == "flag" else value


def _is_right(field: Input, value: Any) -> tuple[bool, str]:
    """Whether an input that is no list and no group may have this value, and what it may be."""
    is_bool = isinstance(value, bool)
    if field.kind == "number":
        wanted = f"a whole number from {field.low} to {field.high}"
        return is_int_within(value, field.low, field.high), wanted
    if field.kind == "height":
        is_number = isinstance(value, int | float) and not is_bool
        wanted = f"inches, more than 0 and at most {field.high}"
        return is_number and 0 < value <= field.high, wanted
    if field.kind == "choice":
        wanted = f"one of {', '.join(field.choices)}"
        return isinstance(value, str) and value in field.choices, wanted
    is_count = field.is_counted and isinstance(value, int) and value in (0, 1)
    return is_bool or is_count, "true or false"


@frozen_dataclass
class CallResult:
    """The chance of each outcome, exactly; ``values`` that are no chances; ``steps`` that led
    there, as sentences.
    """

    outcomes: dict[str, Fraction]
    values: dict[str, Value]
    steps: Steps


@frozen_dataclass
class Spread:
    """A question with one outcome out of several, whose chances add up to 1."""

    rule: Rule[None, str]
    steps: Steps = ()
    values: Mapping[str, Value] = field(default_factory=dict)

    def chances(self) -> dict[str, Fraction]:
        chances = exact_distribution(self.rule, None).chances()
        return {name: chances[name] for name in sorted(chances, key=_severity)}

    def play(self, dice: Dice) -> tuple[str, dict[str, Value]]:
        return self.rule.play(dice, None), dict(self.values)


@frozen_dataclass
class OutcomeTable:
    """Several tests beside one another, each with its own chance."""

    rows: Mapping[str, Rule[None, bool]]
    steps: Steps

    def chances(self) -> dict[str, Fraction]:
        return {
            name: exact_distribution(rule, None).chance(value=True)
            for name, rule in self.rows.items()
        }

    def play(self, dice: Dice) -> tuple[str, dict[str, Value]]:
        """Play every test once: how many were passed, and which."""
        passed: dict[str, Value] = {
            name: rule.play(dice, None) for name, rule in self.rows.items()
        }
        return f"passed_{sum(map(bool, passed.values()))}_of_{len(passed)}", passed


@frozen_dataclass
class UnitAttack:
    """One attack or shot of a unit: to hit, to wound, to save. True takes off a model."""

    aim: Aim
    need: int | None
    save: int | None

    def play(self, dice: Dice, state: None) -> bool:
        if not dice.run(self.aim, None) or self.need is None:
            return False
        if not reaches(dice, self.need, "to wound", ("no wound", "wound")):
            return False
        names = ("casualty", "saved")
        return self.save is None or not reaches(dice, self.save, "save", names)


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
    at_least: int | None = None
    steps: Steps = ()

    def each(self) -> Fraction:
        """The chance that one attack takes off a model."""
        return exact_distribution(self.attack, None).chance(value=True)

    def counted(self, most: int) -> Distribution[int]:
        """How many models all attacks take off, counted up to ``most``."""
        return series(((CountedCasualties(self.attack, most), self.count),), 0)

    def chances(self) -> dict[str, Fraction]:
        each = self.each()
        chances = {self.per: each, "expected_casualties": each * self.count}
        if self.at_least is not None:
            law = self.counted(self.at_least)
            chances[f"at_least_{self.at_least}"] = law.chance(self.at_least)
        return chances

    def play(self, dice: Dice) -> tuple[str, dict[str, Value]]:
        """Play every attack and return how many models were lost."""
        lost = sum(self.attack.play(dice, None) for _ in range(self.count))
        values: dict[str, Value] = {"casualties": lost}
        if self.at_least is not None:
            values[f"at_least_{self.at_least}"] = lost >= self.at_least
        return f"casualties_{lost}", values


Question = Spread | OutcomeTable | Casualties
"""A call whose inputs are known: its steps, its chances, and one play of it."""

Inputs = SimpleNamespace
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
    ask: Callable[[CombatRules, Inputs], Question]
    house_rule: str = ""

    def is_known(self, rules: CombatRules) -> bool:
        """Whether a system has the call."""
        for path in self.needs:
            section, _, figure = path.partition(".")
            part = getattr(rules, section)
            # False is a figure like any other: only None says that the text has no such rule.
            if part is None or (figure and getattr(part, figure) is None):
                return False
        return not self.house_rule or bool(getattr(rules.house, self.house_rule, False))


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
