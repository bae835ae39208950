"""What else is asked before dice are read: circumstances as data, and the reading of what a form sent for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.refusal import Refusal
from engine.types import System

Given = Mapping[str, Any]

ATTACKER, TARGET, SHOOTING, BONUS = "Attacker", "Target", "Shooting", "Bonus dice and cover"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """One thing that changes the odds. ``kind`` is flag, choice (pairs in ``choices``) or number (low to high)."""

    name: str
    label: str
    part: str
    kind: str = "flag"
    help: str = ""
    default: Any = False
    choices: tuple[tuple[str, str], ...] = ()
    low: int = 0
    high: int = 0
    value: int = 0


def flag(
    name: str, label: str, part: str, help: str = "", *, default: bool = False, value: int = 0
) -> Circumstance:
    return Circumstance(name=name, label=label, part=part, help=help, default=default, value=value)


def number(
    name: str, label: str, part: str, low: int, high: int, default: int, help: str = ""
) -> Circumstance:
    return Circumstance(
        name=name,
        label=label,
        part=part,
        kind="number",
        low=low,
        high=high,
        default=default,
        help=help,
    )


def choice(
    name: str, label: str, part: str, choices: Iterable[tuple[str, str]], help: str = ""
) -> Circumstance:
    pairs = tuple(choices)
    return Circumstance(
        name=name,
        label=label,
        part=part,
        kind="choice",
        choices=pairs,
        default=pairs[0][0],
        help=help,
    )


def read(
    wanted: Iterable[Circumstance], sent: Mapping[str, str], *, is_asked: bool
) -> tuple[dict[str, Any], list[Refusal]]:
    """The value of each circumstance, and what of it cannot be (those keep their default).

    ``is_asked``: a form was sent, so that a flag that is not there is off; otherwise what is not sent has its default.
    """
    values: dict[str, Any] = {}
    faults: list[Refusal] = []
    for one in wanted:
        try:
            values[one.name] = _value(one, sent.get(one.name), is_asked)
        except Refusal as refusal:
            values[one.name] = one.default
            faults.append(refusal)
    return values, faults


def _value(one: Circumstance, text: str | None, is_asked: bool) -> Any:
    if one.kind == "flag":
        if text is None:
            return one.default and not is_asked
        if text not in ("0", "1"):
            raise Refusal(f"{one.label}: give 1 for yes or 0 for no.", field=one.name)
        return text == "1"
    if text is None or text == "":
        return one.default
    if one.kind == "choice":
        if text not in dict(one.choices):
            raise Refusal(
                f"{one.label}: give one of {', '.join(key for key, _ in one.choices)}.",
                field=one.name,
            )
        return text
    return parse_int(text, one.label, one.name, one.low, one.high)


def parse_int(text: str, label: str, field: str, low: int, high: int) -> int:
    """A whole number somebody typed. Raises Refusal naming the field and its range."""
    if not re.fullmatch(r"[+-]?[0-9]{1,6}", text.strip(), re.ASCII) or not low <= int(text) <= high:
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
        flag(
            f"to-hit-{slug(name)}",
            f"{name} ({cells[0]:+d})".replace("(-", "(−"),
            SHOOTING,
            default=name in ALWAYS,
            value=int(cells[0]),
        )
        for name, cells in chart.rows.items()
        if isinstance(cells[0], int)
    )


def modifiers_of(wanted: Iterable[Circumstance], given: Given) -> tuple[int, ...]:
    """The modifiers of the flags that are on."""
    return tuple(one.value for one in wanted if one.value and given.get(one.name))


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
