"""Kinds of guidelines: what each one finds, what its sentence may say, which parameters it takes.

A kind is a function with ``@kind(...)`` above it. The shape of guidelines.yaml, its checks and the
table in docs/adding-a-system.md are made of what is declared there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import ModuleType

from engine.findings.cases import Case, Hit
from engine.types import Guideline

Finder = Callable[[Case, Guideline], Iterator[Hit]]


class ParameterType(Enum):
    """What a parameter of a guideline may be; ``rulesdata.schema`` gives the limits."""

    NUMBER = "a whole number from 0"
    PART = "a part of the whole, 10 for a tenth"
    SWITCH = "true or false"
    KEYS = "keys of the lists or of the system"
    STATS = "columns of the stat line"
    FLAGS = "flags of a profile"
    COMMAND = "champion, musician or standard-bearer"
    NAMES = "words as they are printed"


@dataclass(frozen=True, slots=True)
class GuidelineKind:
    """One kind of guideline.

    ``find`` yields what is found in a case. ``fields`` are those of the sentence, int where it may
    bring a noun along (``{count:model|models}``). ``needs`` are the parameters that a guideline must
    give, ``may`` those it may leave out.
    """

    find: Finder
    fields: Mapping[str, type]
    needs: Mapping[str, ParameterType]
    may: Mapping[str, ParameterType]

    @property
    def summary(self) -> str:
        """Return the first line of the function's docstring."""
        return (self.find.__doc__ or "").partition("\n")[0]


def kind(
    *,
    fields: Mapping[str, type] | None = None,
    needs: Mapping[str, ParameterType] | None = None,
    may: Mapping[str, ParameterType] | None = None,
) -> Callable[[Finder], GuidelineKind]:
    """Make a kind of a function; guidelines name it as the function is named."""
    return lambda find: GuidelineKind(find, fields or {}, needs or {}, may or {})


def kinds_of(modules: Iterable[ModuleType]) -> dict[str, GuidelineKind]:
    """Return the kinds of modules by name, in the order in which they are written."""
    found: dict[str, GuidelineKind] = {}
    for module in modules:
        found |= {name: one for name, one in vars(module).items() if isinstance(one, GuidelineKind)}
    return found


def parameters_of(kinds: Iterable[GuidelineKind]) -> dict[str, ParameterType]:
    """Return every parameter that a guideline may have, by name.

    Raises ValueError for a name that two kinds use differently.
    """
    found: dict[str, ParameterType] = {}
    for one in kinds:
        for name, shape in (*one.needs.items(), *one.may.items()):
            if found.setdefault(name, shape) is not shape:
                raise ValueError(f"{name} is {shape.value} here and {found[name].value} elsewhere")
    return found
