"""What players agree on where a text leaves them a choice: other rulings than the text's, and house
rules.

A choice of rulings is the place of an alternative by the ruling's ref: 1 for the first, 0 for what
the text has. Choices may come from several layers; the last one that names a ruling wins.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.records import (
    NamedValues,
    NumberByKey,
    Texts,
    frozen_dataclass,
)

LAYERS: Texts = ("club", "event", "battle")
"""On whose word a ruling is played, the weakest first; under all of them is the text."""
TEXT = "text"
EDITION = 2
"""The edition of what battles are folded by.

Raised with a correction that would make something else of events that were recorded before it: a
battle is folded by the edition it was set up under. ``alternatives.yaml`` says under
``edition_1`` what the first did not have yet.
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
    held: dict[str, int] = {}
    for choices in _layers(rulings).values():
        held |= choices
    return held


def source_of(rulings: NamedValues, ref: str) -> str:
    """The layer whose word counts for a ruling; ``text`` where none names it."""
    naming = [name for name, choices in _layers(rulings).items() if ref in choices]
    return naming[-1] if naming else TEXT


def sources(rulings: NamedValues) -> dict[str, str]:
    """Of every ruling that somebody chose, the layer whose word counts."""
    return {ref: source_of(rulings, ref) for ref in in_force(rulings)}


def of_layer(rulings: NamedValues, name: str) -> NumberByKey:
    """The choices of one layer; all of them where they are of one layer alone."""
    layers = _layers(rulings)
    return layers.get(name, layers.get("", {}))


def layered(**layers: NumberByKey) -> dict[str, dict[str, int]]:
    """The choices of these layers as a row keeps them, weakest first, the empty ones left out."""
    return {name: dict(layers[name]) for name in LAYERS if layers.get(name)}


def _layers(rulings: NamedValues) -> Layers:
    """One layer alone has no name of its own."""
    # Places are numbers, so a mapping among the values can only be a layer.
    if any(isinstance(value, Mapping) for value in rulings.values()):
        return {name: rulings[name] for name in LAYERS if name in rulings}
    return {"": rulings}


def agreement(
    rulings: NamedValues, house_rules: Mapping[str, bool], known: Iterable[Any] = ()
) -> Agreement:
    """The agreement of these choices.

    ``known`` are rulings of the system: of them alone, and of alternatives they have, a choice
    counts, for a row may be older than the packs.
    """
    # One that is played as the text has it needs no place here: equal agreements are equal values.
    most = {ruling.ref: len(ruling.alternatives) for ruling in known}
    chosen = sorted(
        (ref, place)
        for ref, place in in_force(rulings).items()
        if 0 < place <= most.get(ref, 0)
    )
    return Agreement(tuple(chosen), tuple(sorted(k for k, on in house_rules.items() if on)))
