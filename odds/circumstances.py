"""Circumstances of a fight (charge, cover, range) as form fields, and what a form sent for them."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

import re2

from engine.errors import Refusal
from engine.records import (
    Fields,
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

Given = Mapping[str, Any]

ATTACKER, TARGET, SHOOTING, BONUS = "Attacker", "Target", "Shooting", "Bonus dice and cover"


class Encounter(NamedTuple):
    """Two who meet: under which rules, and in which circumstances, by name."""

    system: System
    rules: CombatRules
    attacker: CombatProfile
    target: CombatProfile
    given: Given

    @property
    def weapon(self) -> Held | None:
        """The attacker's weapon of close combat."""
        return self.attacker.held(self.given.get("weapon", ""))

    @property
    def missile(self) -> Held | None:
        """The attacker's missile weapon."""
        return self.attacker.held(self.given.get("missile", ""), missile=True)

    @property
    def against(self) -> Held | None:
        """The target's weapon of close combat."""
        return self.target.held(self.given.get("against", ""))


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
    name: str, label: str, part: str, choices: Iterable[tuple[str, str]], help: str = ""
) -> Circumstance:
    pairs = tuple(choices)
    options: Fields = {
        "kind": "choice",
        "choices": pairs,
        "default": pairs[0][0],
        "help": help,
    }
    return Circumstance(name=name, label=label, part=part, **options)


def number(name: str, label: str, part: str, **limits: Any) -> Circumstance:
    """Return a number; ``limits`` are its low, high and default (each 0) and its help."""
    return Circumstance(
        name=name, label=label, part=part, kind="number", **{"default": 0} | limits
    )


def read(
    wanted: Iterable[Circumstance], sent: Mapping[str, str], *, is_asked: bool
) -> tuple[Fields, list[Refusal]]:
    """The value of each circumstance, and what of it cannot be (those keep their default).

    ``is_asked``: a form was sent, so that a flag that is not there is off; otherwise what is not
    sent has its default.
    """
    values: Fields = {}
    faults: list[Refusal] = []
    for one in wanted:
        try:
            values[one.name] = _value(one, sent.get(one.name), is_asked=is_asked)
        except Refusal as refusal:
            values[one.name] = one.default
            faults.append(refusal)
    return values, faults


def _value(one: Circumstance, text: str | None, *, is_asked: bool) -> Any:
    if one.kind == "flag":
        if text is None:
            return one.default and not is_asked
        if text not in ("0", "1"):
            raise Refusal(f"{one.label}: give 1 for yes or 0 for no.", field=one.name)
        return text == "1"
    if text is None or text == "":
        return one.default
    if one.kind == "choice":
        known = dict(one.choices)
        if text not in known:
            raise Refusal(f"{one.label}: give one of {', '.join(known)}.", field=one.name)
        return text
    return parse_int(text, one.label, one.name, one.low, one.high)


def parse_int(text: str, label: str, field: str, low: int, high: int) -> int:
    """A whole number somebody typed. Raises Refusal naming the field and its range."""
    if not re2.fullmatch(r"[+-]?[0-9]{1,6}", text.strip()) or not low <= int(text) <= high:
        raise Refusal(f"{label}: give a whole number from {low} to {high}.", field=field)
    return int(text)


# A row of the chart that always holds, because nobody here shoots at a body of troops.
ALWAYS = frozenset({"A single target"})
CHART = "shooting-modifiers"


def shooting_modifiers(system: System) -> tuple[Circumstance, ...]:
    """One flag for each row of the system's own chart of modifiers; none where it prints none."""
    chart = system.charts.get(CHART)
    if chart is None:
        return ()
    return tuple(
        Circumstance(
            name=f"to-hit-{slug(name)}",
            label=f"{name} ({cells[0]:+d})".replace("(-", "(−"),
            part=SHOOTING,
            default=name in ALWAYS,
            value=int(cells[0]),
        )
        for name, cells in chart.rows.items()
        if isinstance(cells[0], int)
    )


def modifiers_of(wanted: Iterable[Circumstance], given: Given) -> Numbers:
    """The modifiers of the flags that are on."""
    return tuple(one.value for one in wanted if one.value and given.get(one.name))


def slug(text: str) -> str:
    return re2.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


PART = "Rulings and house rules"
PREFIX = "play-"


def switches(
    system: System, rules: CombatRules, sections: Texts
) -> tuple[Circumstance, ...]:
    """A switch for each ruling or house rule of the system that changes a figure of these sections
    of its rules.
    """
    known = _known(rules, sections)
    house = [rule for rule in system.house_rules if isinstance(known.get(rule.key), bool)]
    found = {
        rule.key: flag(PREFIX + rule.key, rule.name, PART, rule.summary) for rule in house
    }
    for ruling in system.rulings:
        others = _others(ruling)
        # A house rule with the same key says the same and comes first.
        if ruling.key not in known or ruling.key in found or not others:
            continue
        name = PREFIX + ruling.key
        if len(others) == 1:
            found[ruling.key] = flag(name, ruling.title, PART, others[0][1])
        else:
            choices = (
                ("", ruling.default),
                *((str(place), told) for place, told, _ in others),
            )
            found[ruling.key] = choice(name, ruling.title, PART, choices)
    return tuple(found.values())


def _known(rules: CombatRules, sections: Texts) -> Fields:
    """The rulings that stand in these sections, with what they are now."""
    known: Fields = {}
    for part in filter(None, (getattr(rules, name) for name in sections)):
        names = [field.name for field in fields(part) if field.metadata.get("ruling")]
        known |= named_values(part, *names)
    return known


def _others(ruling: Ruling) -> list[tuple[int, str, Any]]:
    """The alternatives a die knows: place, words and value."""
    # The first value is the ruling as it is played; one without a value only stands in words.
    pairs = zip(ruling.alternatives, ruling.values[1:], strict=False)
    return [
        (place, told, value)
        for place, (told, value) in enumerate(pairs, start=1)
        if value is not None
    ]


def ruled(system: System, rules: CombatRules, sections: Texts, given: Given) -> CombatRules:
    """Return the rules with every ruling played the other way whose switch is on."""
    known = _known(rules, sections)
    rulings = {ruling.key: ruling for ruling in system.rulings if ruling.key}
    changes: Fields = {}
    for name, value in given.items():
        key = name.removeprefix(PREFIX)
        if value and key != name and key in known:
            changes |= _change(rulings.get(key), key, value, known[key])
    return rules.with_rulings(changes)


def _change(ruling: Ruling | None, key: str, value: Any, now: Any) -> Fields:
    """Return what a switch that is on makes of a ruling or house rule, by its key.

    Nothing for a key that has no switch.
    """
    others = _others(ruling) if ruling else []
    if others:
        wanted = int(value) if isinstance(value, str) else others[0][0]
        return {key: next(new for place, _, new in others if place == wanted)}
    return {key: not now} if isinstance(now, bool) else {}
