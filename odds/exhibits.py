"""Chances as people read them: per cent and exact fractions, outcomes by name, one table of bars."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from engine.records import Fields, Texts, frozen_dataclass
from rulesdata.text import true_minus

WORDS: Fields = json.loads(
    Path(__file__).with_name("words.json").read_text(encoding="utf-8")
)
"""How people call what the engine names: outcomes, and the calls and inputs of the calculator."""


@frozen_dataclass
class OutcomeChance:
    """One line of a table: its name and its chance.

    ``is_chance`` False: a number to expect, not a chance.
    """

    name: str
    chance: Fraction
    is_chance: bool = True

    @property
    def percent(self) -> str:
        return percent(self.chance) if self.is_chance else f"{float(self.chance):.2f}"

    @property
    def halves(self) -> Texts:
        """What stands before and behind the fraction's bar, where it may be broken."""
        return tuple(fraction(self.chance).split("/"))

    @property
    def width(self) -> str:
        """The length of its bar out of 100; empty for what is no chance."""
        return f"{float(self.chance) * 100:.2f}" if self.is_chance else ""


@frozen_dataclass
class Exhibit:
    """One question with its answer: a title, what is assumed, a table of outcomes and the steps in
    words.
    """

    key: str
    title: str
    outcomes: tuple[OutcomeChance, ...]
    note: str = ""
    steps: Texts = ()

    @property
    def printed_steps(self) -> Texts:
        """The steps as print sets them, with a true minus."""
        return tuple(map(true_minus, self.steps))


def percent(chance: Fraction) -> str:
    """A chance in per cent, no more exact than people can use: 31 %, 0.4 %, under 0.1 %."""
    if chance in (0, 1):
        return f"{int(chance) * 100}\N{NO-BREAK SPACE}%"
    hundred = chance * 100
    if hundred < Fraction(1, 10):
        return "under 0.1\N{NO-BREAK SPACE}%"
    if hundred > Fraction(999, 10):
        return "over 99.9\N{NO-BREAK SPACE}%"
    digits = 1 if hundred < 10 or hundred > 90 else 0
    return f"{float(hundred):.{digits}f}\N{NO-BREAK SPACE}%"


def fraction(chance: Fraction) -> str:
    """The exact chance as a fraction, or about as much where it has too many digits to read."""
    text = str(chance)
    return text if len(text) <= 24 else f"{float(chance):.10f}…"


def outcome_rows(chances: Mapping[str, Fraction]) -> tuple[OutcomeChance, ...]:
    """A table out of the engine's names."""
    return tuple(
        OutcomeChance(outcome_name(name), c, not name.startswith("expected_"))
        for name, c in chances.items()
    )


def sum_chances(chances: Mapping[str, Fraction], *names: str) -> Fraction:
    """The chance of any of these outcomes, 0 for one that is not among them."""
    return sum((chances.get(name, Fraction(0)) for name in names), Fraction(0))


def outcome_name(name: str) -> str:
    """The engine's name of an outcome in words."""
    if name in WORDS["outcomes"]:
        return str(WORDS["outcomes"][name])
    # An outcome with a figure in its name, such as at_least_3.
    for start, text in WORDS["numbered_outcomes"].items():
        if name.startswith(start):
            figure = name.removeprefix(start).removesuffix("_left")
            return str(text.format(figure))
    return name.replace("_", " ").capitalize()
