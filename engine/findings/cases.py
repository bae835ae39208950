"""What findings are made of, and the few helpers that all kinds share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.roster import Roster
from engine.selection import Selection
from engine.types import Army, Guideline, Level, System


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy one tap away.

    ``action`` is lead, add_option, remove_option, swap_option, remove_warrior, set_count, set_limit or take_price.
    """

    label: str
    action: str
    warrior: int | None = None
    option: str = ""
    instead: str = ""
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: ``warriors`` are indexes into the roster, ``source`` names the text and section of the rule."""

    code: str
    level: Level
    message: str
    warriors: tuple[int, ...] = ()
    source: str = ""
    fixes: tuple[Fix, ...] = ()
    title: str = ""
    is_waivable: bool = True
    waived_by: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A roster with everything read: what the kinds look at."""

    roster: Roster
    selections: tuple[Selection, ...]
    system: System
    army: Army

    @property
    def total(self) -> int:
        return sum(s.points for s in self.selections)

    @property
    def leaders(self) -> tuple[Selection, ...]:
        return tuple(s for s in self.selections if s.entry.is_leader)

    @property
    def leader_faction(self) -> str:
        leader = self.leaders[0] if self.leaders else None
        return leader.profile.faction if leader and leader.profile else ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence: the fields of the guideline's sentence, the warriors and the remedies."""

    fields: Mapping[str, Any]
    warriors: tuple[int, ...] = ()
    fixes: tuple[Fix, ...] = ()


Kind = Callable[[Case, Guideline], Iterator[Occurrence]]


class Number(int):
    """A count that knows its noun: ``{count:model|models}`` prints "1 model" or "3 models"."""

    def __format__(self, nouns: str) -> str:
        if "|" not in nouns:
            return int(self).__format__(nouns)
        one, many = nouns.split("|")
        return f"{int(self)} {one if self == 1 else many}"


def sentence(template: str, fields: Mapping[str, Any]) -> str:
    """The guideline's sentence with its fields filled in."""
    numbered = {
        k: Number(v) if isinstance(v, int) and not isinstance(v, bool) else v
        for k, v in fields.items()
    }
    return template.format(**numbered)


def names(selections: Sequence[Selection]) -> str:
    counted: Counter[str] = Counter()
    for s in selections:
        counted[s.label] += s.entry.count
    return ", ".join(f"{count}x {name}" if count > 1 else name for name, count in counted.items())


def indexes(selections: Sequence[Selection]) -> tuple[int, ...]:
    return tuple(s.index for s in selections)


def count(selections: Sequence[Selection]) -> int:
    return sum(s.entry.count for s in selections)


def removals(selections: Sequence[Selection]) -> tuple[Fix, ...]:
    return tuple(
        Fix(f"Remove {s.label}" + (f", −{s.points}" if s.points else ""), "remove_warrior", s.index)
        for s in selections[:3]
    )
