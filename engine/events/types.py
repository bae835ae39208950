"""Who is paired, what a pairing says, and the matching that is handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

BYE = ""
Edge = tuple[str, str, int]
Match = Callable[[Sequence[Edge]], Sequence[tuple[str, str]]]
"""Takes (one, other, weight) of every pair; gives a matching of most pairs and, among those, the greatest weight."""


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody to be paired. Who has dropped out is left out; who comes late begins with nothing.

    ``score`` is in points. ``met`` counts earlier games by opponent, ``met_last`` is the number of the last of each
    (any numbers that grow: rounds, evenings). ``floats`` is how often they met somebody on another score, ``scenarios``
    how often they played each.
    """

    id: str
    score: int = 0
    met: Mapping[str, int] = field(default_factory=dict)
    met_last: Mapping[str, int] = field(default_factory=dict)
    byes: int = 0
    attacked: int = 0
    defended: int = 0
    floats: int = 0
    scenarios: Mapping[str, int] = field(default_factory=dict)

    @property
    def lean(self) -> int:
        """How much oftener they attacked than defended."""
        return self.attacked - self.defended


@dataclass(frozen=True, slots=True)
class Pairing:
    """One table of a round.

    ``other`` is None for a bye, which has no ``table``; ``third`` joins a table of three. ``attacker`` is the id of one
    of them. ``reason`` is told to the players. ``is_rematch``: two at this table have met before.
    """

    one: str
    other: str | None
    attacker: str | None = None
    scenario: str | None = None
    reason: str = ""
    third: str | None = None
    is_rematch: bool = False
    is_kept: bool = False
    table: int | None = None

    @property
    def is_bye(self) -> bool:
        return self.other is None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(one for one in (self.one, self.other, self.third) if one is not None)


def games_between(one: Player, other: Player) -> int:
    """How often the two have met, whichever of them knows."""
    return max(one.met.get(other.id, 0), other.met.get(one.id, 0))


def last_between(one: Player, other: Player) -> int:
    """The number of their last game; 0 for an unknown one."""
    return max(one.met_last.get(other.id, 0), other.met_last.get(one.id, 0))
