"""What players wrote down before any rule looks: a roster, and what was agreed where the
text leaves a choice.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from engine.records import (
    NamedValues,
    NumberByKey,
    Numbers,
    TextByKey,
    TextPairs,
    Texts,
    frozen_dataclass,
)

# What players agree on where a text leaves them a choice: other rulings than the text's,
# and house rules.
#
# A choice of rulings is the place of an alternative by the ruling's ref: 1 for the first,
# 0 for what the text has. Choices may come from several layers; the last one that names a
# ruling wins.

LAYERS = ("club", "event", "battle")
"""On whose word a ruling is played, the weakest first; under all of them is the text."""
TEXT = "text"
EDITION = 5
"""The edition of what battles are folded by.

Raised with a correction that would make something else of events that were recorded before it: a
battle is folded by the edition it was set up under. ``alternatives.yaml`` says under
``edition_1`` what the first did not have yet, and so on.
"""
SCENARIO = "scenario/"
"""What stands before a scenario's key among the changes."""
Layers = Mapping[str, NumberByKey]


@frozen_dataclass
class Agreement:
    """What is played otherwise than the text has it, in an order that makes equal ones equal.

    ``edition`` and ``scenario`` are a battle's: what it is folded by, what its scenario changes.
    """

    rulings: tuple[tuple[str, int], ...] = ()
    house_rules: Texts = ()
    edition: int = EDITION
    scenario: str = ""

    @property
    def changes(self) -> Texts:
        """What this changes in a system's files, as they name it: ``C03.1``, a house rule, an
        edition before this one, a scenario with rules of its own.
        """
        return (
            *(f"edition_{number}" for number in range(self.edition, EDITION)),
            *(f"{ref}.{place}" for ref, place in self.rulings),
            *self.house_rules,
            *((f"{SCENARIO}{self.scenario}",) if self.scenario else ()),
        )


PRINTED = Agreement()
"""Nothing agreed: the text as it stands."""


def in_force(rulings: NamedValues) -> dict[str, int]:
    """The choices that hold, of one layer or of several by their names."""
    choices_in_force: dict[str, int] = {}
    for choices in _layers(rulings).values():
        choices_in_force |= choices
    return choices_in_force


def ruling_source(rulings: NamedValues, ref: str) -> str:
    """The layer whose word counts for a ruling; ``text`` where none names it."""
    naming = [name for name, choices in _layers(rulings).items() if ref in choices]
    return naming[-1] if naming else TEXT


def sources(rulings: NamedValues) -> TextByKey:
    """Of every ruling that somebody chose, the layer whose word counts."""
    return {ref: ruling_source(rulings, ref) for ref in in_force(rulings)}


def of_layer(rulings: NamedValues, name: str) -> NumberByKey:
    """The choices of one layer; all of them where they are of one layer alone."""
    layers = _layers(rulings)
    return layers.get(name, layers.get("", {}))


def layered(**layers: NumberByKey) -> dict[str, dict[str, int]]:
    """The choices of these layers as a row keeps them, weakest first, the empty ones left out."""
    return {name: dict(layers[name]) for name in LAYERS if layers.get(name)}


def _layers(rulings: NamedValues) -> Layers:
    """Return the choices of each layer; those of a single one stand under ""."""
    # Places are numbers, so a mapping among the values can only be a layer.
    if any(isinstance(value, Mapping) for value in rulings.values()):
        return {name: rulings[name] for name in LAYERS if name in rulings}
    return {"": rulings}


def agreement(
    rulings: NamedValues, house_rules: Mapping[str, bool], declared: Iterable[Any] = ()
) -> Agreement:
    """The agreement of these choices.

    ``declared`` are the rulings of the system. Choices of others, or of alternatives that they
    lack, are left out, for a row may be older than the packs.
    """
    # Without the choices of the text itself, so that equal agreements are equal values.
    most = {ruling.ref: len(ruling.alternatives) for ruling in declared}
    chosen = sorted(
        (ref, place)
        for ref, place in in_force(rulings).items()
        if 0 < place <= most.get(ref, 0)
    )
    return Agreement(tuple(chosen), tuple(sorted(k for k, on in house_rules.items() if on)))


# A roster as it is written down: what was chosen, before any rule looks at it.

MAX_ENTRIES = 200
MAX_COUNT = 200
MAX_LIMIT = 100_000
NAME_MAX = 200
NOTE_MAX = 4000


@frozen_dataclass
class ChangedFigure:
    """A characteristic that a campaign has changed: the figure printed, and the one of now."""

    stat: str
    base: int
    now: int


@frozen_dataclass
class EntryGrowth:
    """What a campaign has made of an entry, as far as a sheet shows it.

    ``steps`` is the experience at which each advance is due. ``skills`` and ``goods`` are names
    with their words. ``misses``: the battles that each of its models still misses. ``captor``
    names who holds it. ``old_wound`` is the roll that keeps it from its next battle, "" for none.
    """

    kind: str = ""
    experience: int = 0
    steps: Numbers = ()
    changed: tuple[ChangedFigure, ...] = ()
    skills: TextPairs = ()
    injuries: Texts = ()
    goods: TextPairs = ()
    misses: Numbers = ()
    captor: str = ""
    old_wound: str = ""

    def describe_absence(self, count: int) -> str:
        """Return why it, or some of its ``count`` models, will not fight; "" for who will."""
        return absence_words(self.captor, self.misses, count)

    @property
    def next_step(self) -> int | None:
        """Return the experience at which the next advance is due, None for no more."""
        return next((step for step in self.steps if step > self.experience), None)

    def stat_change(self, stat: str) -> int:
        """Return by how much a characteristic differs from the printed one."""
        return next(
            (figure.now - figure.base for figure in self.changed if figure.stat == stat), 0
        )


def absence_words(captor: str, misses: Numbers, count: int) -> str:
    """Return why an entry, or some of its models, will not fight; "" for those who will.

    ``captor`` names who holds it. ``misses`` has the battles of each model that misses any, so a
    group of ``count`` goes with the others.
    """
    if captor:
        return f"Held by {captor}"
    if not misses:
        return ""
    longest = max(misses)
    battles = "the next battle" if longest == 1 else f"the next {longest} battles"
    if len(misses) == 1:
        return f"1 model misses {battles}" if count > 1 else f"Misses {battles}"
    most = "up to " if min(misses) < longest else ""
    return f"{len(misses)} models miss {most}{battles}"


@frozen_dataclass
class HiredUnit:
    """A hired sword of campaign rules, in the shape of a unit of an army list.

    ``stats`` are its characteristics in order, ``gear`` keys of weapons and armour.
    """

    key: str
    name: str
    points: int
    stats: tuple[tuple[str, int], ...] = ()
    gear: Texts = ()


@frozen_dataclass
class RosterGrowth:
    """What a campaign has made of a warband: its head on a sheet, and what its issues need.

    ``treasury`` holds the amount of each currency by its name. ``recruits`` are the models that
    joined since its last battle. Limits of None: there is none. ``models_of`` are the names of the
    kinds that count against the most models, none: all. ``hired`` are the hired swords
    among its warriors, whom no army list knows. ``kinds_most`` holds the most entries of a kind, by
    its name, where there is a limit. ``dues`` are open, ``aside`` the answers and acts that do not
    count now.
    """

    campaign: str = ""
    rules: str = ""
    rating: int = 0
    treasury: tuple[tuple[str, int], ...] = ()
    stash: Texts = ()
    territories: Texts = ()
    models_most: int | None = None
    models_of: Texts = ()
    recruits: int = 0
    recruits_most: int | None = None
    has_leader: bool = True
    hired: tuple[HiredUnit, ...] = ()
    kinds_most: tuple[tuple[str, int], ...] = ()
    dues: int = 0
    aside: int = 0


@frozen_dataclass
class RosterEntry:
    """One line of a roster: ``count`` miniatures alike.

    ``options`` are keys as bought, once a piece.

    ``kept`` is what one miniature paid before its list asked another price, and still counts; None:
    today's price. ``growth`` is written by its campaign alone.
    """

    profile: str
    name: str = ""
    count: int = 1
    is_leader: bool = False
    options: Texts = ()
    lore: str = ""
    note: str = ""
    id: int | None = None
    kept: int | None = None
    growth: EntryGrowth | None = None

    @property
    def names(self) -> Texts:
        """The names of the single miniatures: the entry's name, split at commas where it holds more
        than one.
        """
        if self.count == 1:
            return (self.name,) if self.name else ()
        return tuple(part.strip() for part in self.name.split(",") if part.strip())[
            : self.count
        ]


@frozen_dataclass
class Roster:
    """A warband as data. ``points_limit`` None means none was agreed.

    ``rulings`` are those played otherwise than the text has them: the place of the alternative by
    ref, 0 for the text's own. Indexes of ``warriors`` start at 0. ``growth`` is written by its
    campaign alone.
    """

    system: str
    army: str
    name: str = ""
    points_limit: int | None = None
    variant: str | None = None
    scenario: str | None = None
    house_rules: Mapping[str, bool] = field(default_factory=dict)
    warriors: tuple[RosterEntry, ...] = ()
    note: str = ""
    tags: Texts = ()
    rulings: NumberByKey = field(default_factory=dict)
    growth: RosterGrowth | None = None
