"""Two who meet: the ways of it, the circumstances (charge, cover, range) as form fields, and what a
form sent for them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple

import re2

from engine.errors import Refusal
from engine.records import (
    Fields,
    NamedValues,
    Numbers,
    TextPairs,
    Texts,
    keyword_dataclass,
    named_values,
)
from engine.rules import CombatRules
from engine.types.mechanics import Ruling
from engine.types.systems import System
from odds.combat_profiles import CombatProfile, Held

ATTACKER, TARGET, SHOOTING, BONUS = "Attacker", "Target", "Shooting", "Bonus dice and cover"


class Encounter(NamedTuple):
    """Two who meet: how, under which rules, and in which circumstances, by name.

    ``mode`` is the module of a way to meet, as `odds.fight_modes` says.
    """

    mode: ModuleType
    system: System
    rules: CombatRules
    attacker: CombatProfile
    target: CombatProfile
    settings: NamedValues

    @property
    def weapon(self) -> Held | None:
        """The attacker's weapon of close combat."""
        return self.attacker.held(self.settings.get("weapon", ""))

    @property
    def missile(self) -> Held | None:
        """The attacker's missile weapon."""
        return self.attacker.held(self.settings.get("missile", ""), missile=True)

    @property
    def against(self) -> Held | None:
        """The target's weapon of close combat."""
        return self.target.held(self.settings.get("against", ""))

    def measured(self, measure: str) -> Fraction | None:
        """The chance of what is measured, or None where it cannot be."""
        chance: Fraction | None = self.mode.measured(self, measure)
        return chance


@keyword_dataclass
class Control:
    """One thing a form asks for.

    ``kind`` is flag, choice (pairs in ``choices``) or number (low to high); in the calculator also
    height, numbers or a group.
    """

    name: str
    label: str
    kind: str = "flag"
    help: str = ""
    choices: TextPairs = ()
    low: int = 0
    high: int = 0


@keyword_dataclass
class Circumstance(Control):
    """One thing that changes the odds; ``value`` is the modifier of a row of a chart."""

    part: str
    default: Any = False
    value: int = 0


def flag(
    name: str, label: str, part: str, help: str = "", *, default: bool = False
) -> Circumstance:
    return Circumstance(name=name, label=label, part=part, help=help, default=default)


def choice(
    name: str, label: str, part: str, choices: TextPairs, help: str = ""
) -> Circumstance:
    return Circumstance(
        name=name,
        label=label,
        part=part,
        kind="choice",
        choices=choices,
        default=choices[0][0],
        help=help,
    )


def number(name: str, label: str, part: str, **limits: Any) -> Circumstance:
    """A number; ``limits`` are its low, high and default (each 0) and its help."""
    options: Fields = {"kind": "number", "default": 0} | limits
    return Circumstance(name=name, label=label, part=part, **options)


def read(
    circumstances: Iterable[Circumstance], sent: Mapping[str, str], *, is_asked: bool
) -> tuple[Fields, list[Refusal]]:
    """The value of each circumstance, and what of it cannot be (those keep their default).

    ``is_asked``: a form was sent, so that a flag that is not there is off; otherwise what is not
    sent has its default.
    """
    values: Fields = {}
    faults: list[Refusal] = []
    for each in circumstances:
        name, label, text = each.name, each.label, sent.get(each.name)
        labels = dict(each.choices)
        values[name] = each.default
        try:
            if each.kind == "flag" and text is None:
                values[name] = each.default and not is_asked
            elif each.kind == "flag":
                if text not in ("0", "1"):
                    raise Refusal(f"{label}: give 1 for yes or 0 for no.", field=name)
                values[name] = text == "1"
            elif text and each.kind == "number":
                values[name] = parse_int(text, label, name, each.low, each.high)
            elif text:
                if text not in labels:
                    raise Refusal(f"{label}: give one of {', '.join(labels)}.", field=name)
                values[name] = text
        except Refusal as refusal:
            faults.append(refusal)
    return values, faults


def parse_int(text: str, label: str, field: str, low: int, high: int) -> int:
    """A whole number somebody typed. Raises Refusal naming the field and its range."""
    if not re2.fullmatch(r"[+-]?[0-9]{1,6}", text.strip()) or not low <= int(text) <= high:
        raise Refusal(f"{label}: give a whole number from {low} to {high}.", field=field)
    return int(text)


# A row of the chart that always holds, because nobody here shoots at a body of troops.
ALWAYS = "A single target"


def shooting_modifiers(system: System) -> tuple[Circumstance, ...]:
    """One flag for each row of the system's own chart of modifiers; none where it prints none."""
    chart = system.charts.get("shooting-modifiers")
    return tuple(
        Circumstance(
            name="to-hit-" + re2.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-"),
            label=f"{name} ({cells[0]:+d})".replace("(-", "(−"),
            part=SHOOTING,
            default=name == ALWAYS,
            value=int(cells[0]),
        )
        for name, cells in (chart.rows.items() if chart else ())
        if isinstance(cells[0], int)
    )


def active_modifiers(
    circumstances: Iterable[Circumstance], settings: NamedValues
) -> Numbers:
    """The modifiers of the flags that are on."""
    return tuple(
        each.value for each in circumstances if each.value and settings.get(each.name)
    )


PART = "Rulings and house rules"
PREFIX = "play-"


def switches(
    system: System, rules: CombatRules, sections: Texts
) -> tuple[Circumstance, ...]:
    """A switch for each ruling or house rule of the system that changes a figure of these sections
    of its rules.
    """
    current = _rulings(rules, sections)
    switches = {
        rule.key: flag(PREFIX + rule.key, rule.name, PART, rule.summary)
        for rule in system.house_rules
        if isinstance(current.get(rule.key), bool)
    }
    for ruling in system.rulings:
        others = _alternatives(ruling)
        # A house rule with the same key says the same and comes first.
        if ruling.key not in current or ruling.key in switches or not others:
            continue
        name = PREFIX + ruling.key
        if len(others) == 1:
            switches[ruling.key] = flag(name, ruling.title, PART, others[0][1])
        else:
            choices = tuple((str(place), text) for place, text, _ in others)
            usual = ("", ruling.default)
            switches[ruling.key] = choice(name, ruling.title, PART, (usual, *choices))
    return tuple(switches.values())


def _rulings(rules: CombatRules, sections: Texts) -> Fields:
    """The rulings that stand in these sections, with what they are now."""
    current: Fields = {}
    for part in filter(None, (getattr(rules, name) for name in sections)):
        names = [field.name for field in fields(part) if field.metadata.get("ruling")]
        current |= named_values(part, *names)
    return current


def _alternatives(ruling: Ruling | None) -> list[tuple[int, str, Any]]:
    """The alternatives a die knows: place, words and value."""
    if ruling is None:
        return []
    # The first value is the ruling as it is played; one without a value only stands in words.
    pairs = zip(ruling.alternatives, ruling.values[1:], strict=False)
    return [
        (place, text, value)
        for place, (text, value) in enumerate(pairs, start=1)
        if value is not None
    ]


def ruled(
    system: System, rules: CombatRules, sections: Texts, settings: NamedValues
) -> CombatRules:
    """The rules with every ruling played the other way whose switch is on."""
    current = _rulings(rules, sections)
    rulings = {ruling.key: ruling for ruling in system.rulings if ruling.key}
    changes: Fields = {}
    for name, value in settings.items():
        key = name.removeprefix(PREFIX)
        if not value or key == name or key not in current:
            continue
        others = _alternatives(rulings.get(key))
        if others:
            wanted = int(value) if isinstance(value, str) else others[0][0]
            changes[key] = next(new for place, _, new in others if place == wanted)
        elif isinstance(current[key], bool):
            changes[key] = not current[key]
    return rules.with_rulings(changes)
