"""What all kinds of guidelines share: the case, the finding, what a kind declares, and its
parameters.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import chain
from types import ModuleType

from engine.records import NamedValues, Numbers, Texts, frozen_dataclass
from engine.roster import Roster
from engine.selection import Selection, change_without, limited_points
from engine.text import signed
from engine.types.lists import Army
from engine.types.mechanics import Guideline, Level
from engine.types.systems import System

# Parameters of guidelines: their keys in guidelines.yaml and what each may be.
#
# A key means the same for every kind. This file imports nothing of the engine, because
# the shape of guidelines.yaml is made of it.


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
    """One parameter: its key in a guideline and its type."""

    MINIMUM = ("minimum", ParameterType.NUMBER)
    MAXIMUM = ("maximum", ParameterType.NUMBER)
    UP_TO = ("up_to", ParameterType.NUMBER)
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


# Cases and findings, and the few helpers that all kinds of guidelines share.

FIXES_SHOWN = 3  # remedies of one sort that a finding offers at most


@frozen_dataclass
class Fix:
    """A remedy one tap away: what to do to which warrior, by index into the roster.

    ``action`` is lead, add_option, remove_option, swap_option, remove_warrior, set_count, set_limit
    or take_price.
    """

    label: str
    action: str
    warrior: int | None = None
    option: str = ""
    instead: str = ""
    value: int | None = None


@frozen_dataclass
class Finding:
    """What was found against a guideline or a list's own rule.

    ``warriors`` are indexes into the roster; ``source`` names the text and section of the rule;
    ``waived_by`` names who lets it pass, empty where nobody does; ``acknowledged_by`` who has seen
    an uncertain figure, and when.
    """

    code: str
    level: Level
    message: str
    warriors: Numbers = ()
    source: str = ""
    fixes: tuple[Fix, ...] = ()
    title: str = ""
    is_waivable: bool = True
    waived_by: str = ""
    acknowledged_by: str = ""


@frozen_dataclass
class Case:
    """A roster with its selections, its system and its army list: what is checked."""

    roster: Roster
    selections: tuple[Selection, ...]
    system: System
    army: Army

    @property
    def total(self) -> int:
        """Return the points of all entries that count against the limit."""
        return limited_points(self.selections, self.roster.points_limit)

    @property
    def leaders(self) -> tuple[Selection, ...]:
        """Return the entries marked as leader; a correct roster has one."""
        return tuple(s for s in self.selections if s.entry.is_leader)

    @property
    def leader_faction(self) -> str:
        """Return the faction of the first leader, or an empty text."""
        leader = self.leaders[0] if self.leaders else None
        return leader.profile.faction if leader and leader.profile else ""


@frozen_dataclass
class Occurrence:
    """One occurrence: the fields of the guideline's sentence, warriors and remedies."""

    fields: NamedValues
    warriors: Numbers = ()
    fixes: tuple[Fix, ...] = ()


Occurrences = Iterator[Occurrence]


class Number(int):
    """A count with its noun: ``{count:model|models}`` prints "1 model" or "3 models"."""

    def __format__(self, nouns: str) -> str:
        if "|" not in nouns:
            return int(self).__format__(nouns)
        singular, plural = nouns.split("|")
        return f"{int(self)} {singular if self == 1 else plural}"


def sentence(template: str, fields: NamedValues) -> str:
    """Return the guideline's sentence with its fields filled in.

    Raises KeyError for a field that is not given, ValueError for braces that do not fit.
    """
    # A bool is an int too, and is printed as it is.
    counts = {key: Number(value) for key, value in fields.items() if type(value) is int}
    return template.format(**{**fields, **counts})


def names(selections: Sequence[Selection]) -> str:
    """Return the names of warriors, those of one name counted together ("2x Archer")."""
    counted = Counter[str]()
    for s in selections:
        counted[s.label] += s.entry.count
    return ", ".join(
        f"{count}x {name}" if count > 1 else name for name, count in counted.items()
    )


def indexes(selections: Sequence[Selection]) -> Numbers:
    """Return the places of warriors in their roster."""
    return tuple(s.index for s in selections)


def count(selections: Sequence[Selection]) -> int:
    """Return the number of warriors, every one of an entry counted."""
    return sum(s.entry.count for s in selections)


def removals(selections: Sequence[Selection]) -> tuple[Fix, ...]:
    """Return the remedies of removing one of the first warriors, with what each costs."""
    return tuple(
        Fix(f"Remove {s.label}{change_words(-s.points)}", "remove_warrior", s.index)
        for s in selections[:FIXES_SHOWN]
    )


def without(army: Army, selection: Selection, names: tuple[str, str], key: str) -> Fix:
    """Return the remedy of leaving a purchase; ``names`` are those of bearer and purchase."""
    price = change_words(change_without(army, selection, (key,)))
    return Fix(f"{' without '.join(names)}{price}", "remove_option", selection.index, key)


def change_words(points: int) -> str:
    """Return what a remedy changes the points of the roster by, as the end of its label."""
    return f", {signed(points)}" if points else ""


# Kinds of guidelines: what each one finds, what its sentence may say, which parameters it
# takes.
#
# A kind is a function with ``@kind(...)`` above it. The checks of guidelines.yaml and the
# table of `check_rules --kinds` are made of what is declared there.

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
    needed = tuple(parameter.key for parameter in needs)
    optional = tuple(parameter.key for parameter in may)
    return lambda find: GuidelineKind(find, fields, needed, optional)


def collect_kinds(modules: Iterable[ModuleType]) -> dict[str, GuidelineKind]:
    """Return the kinds of modules by name, in the order in which they are written."""
    items = chain.from_iterable(vars(module).items() for module in modules)
    return {name: of for name, of in items if isinstance(of, GuidelineKind)}
