"""Kinds of guidelines: what each one finds, what its sentence may say, which parameters it takes.

A kind is a function with ``@kind(...)`` above it. The checks of guidelines.yaml and the table in
docs/adding-a-system.md are made of what is declared there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import ModuleType

from engine.findings.case import Case, Occurrences
from engine.records import Texts
from engine.types.mechanics import Guideline


class ParameterType(Enum):
    """What a parameter may be; ``rulesdata.schema`` gives each type its limits."""

    NUMBER = auto()
    PART = auto()  # one part of so many: 10 is a tenth
    SWITCH = auto()
    KEYS = auto()
    STATS = auto()
    FLAGS = auto()
    COMMAND = auto()  # champion, musician or standard-bearer
    NAMES = auto()  # words as they are printed


class Parameter(Enum):
    """One parameter: its key in a guideline, where it means the same for every kind, and its type."""

    MINIMUM = ("minimum", ParameterType.NUMBER)
    MAXIMUM = ("maximum", ParameterType.NUMBER)
    PART = ("part", ParameterType.PART)
    CATEGORIES = ("categories", ParameterType.KEYS)
    STATS = ("stats", ParameterType.STATS)
    TYPES = ("types", ParameterType.KEYS)
    FLAGS = ("flags", ParameterType.FLAGS)
    MOUNTED = ("mounted", ParameterType.SWITCH)
    MOUNTS = ("mounts", ParameterType.SWITCH)
    COMMANDS = ("commands", ParameterType.COMMAND)
    OPTIONS = ("options", ParameterType.KEYS)
    ITEMS = ("items", ParameterType.KEYS)
    ARMIES = ("armies", ParameterType.KEYS)
    WORDS = ("words", ParameterType.NAMES)
    RULES = ("rules", ParameterType.NAMES)

    def __init__(self, key: str, of_type: ParameterType) -> None:
        self.key, self.of_type = key, of_type


Finder = Callable[[Case, Guideline], Occurrences]


@dataclass(frozen=True, slots=True)
class GuidelineKind:
    """One kind of guideline.

    ``find`` yields what is found in a case. ``fields`` are those of the sentence, int where it may
    bring a noun along (``{count:model|models}``). ``needs`` are the keys of the parameters that a
    guideline must give, ``may`` those of the ones it may leave out.
    """

    find: Finder
    fields: Mapping[str, type]
    needs: Texts
    may: Texts

    @property
    def summary(self) -> str:
        """Return the first line of the function's docstring."""
        return (self.find.__doc__ or "").partition("\n")[0]


def kind(
    *,
    fields: Mapping[str, type],
    needs: Iterable[Parameter] = (),
    may: Iterable[Parameter] = (),
) -> Callable[[Finder], GuidelineKind]:
    """Make a kind of a function; guidelines name it as the function is named."""
    needed, optional = tuple(one.key for one in needs), tuple(one.key for one in may)
    return lambda find: GuidelineKind(find, fields, needed, optional)


def kinds_of(modules: Iterable[ModuleType]) -> dict[str, GuidelineKind]:
    """Return the kinds of modules by name, in the order in which they are written."""
    found: dict[str, GuidelineKind] = {}
    for module in modules:
        found |= {name: one for name, one in vars(module).items() if isinstance(one, GuidelineKind)}
    return found
