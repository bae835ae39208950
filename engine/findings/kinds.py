"""Kinds of guidelines: what each one finds, what its sentence may say, which parameters it takes.

A kind is a function with ``@kind(...)`` above it. The checks of guidelines.yaml and the table in
docs/adding-a-system.md are made of what is declared there.
"""

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType

from engine.findings.case import Case, Occurrences
from engine.findings.parameters import Parameter
from engine.records import Texts, frozen_dataclass
from engine.types.mechanics import Guideline

Finder = Callable[[Case, Guideline], Occurrences]


@frozen_dataclass
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
        found |= {
            name: one
            for name, one in vars(module).items()
            if isinstance(one, GuidelineKind)
        }
    return found
