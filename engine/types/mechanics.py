"""The mechanics of a rule system: charts and tables, guidelines, rulings, phases, states, movement
and nerve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.types.lists import Figure

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Chart:
    """A table to look up.

    ``rows[row][column]`` is the lowest score that succeeds, or None where nothing does.

    ``row_stat`` and ``column_stat`` are the stats that look it up (none for a list of
    circumstances); ``user`` says whose: a warrior's own, a shooter's own, or the blow's Strength.
    ``figures`` says what the cells are where that is not plain: scores to reach, modifiers of a
    roll, or plain numbers.
    """

    key: str
    name: str
    row_label: str
    column_label: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Figure, ...]]
    note: str = ""
    source: str = ""
    borrowed_from: str = ""
    ruling: str = ""
    row_stat: str = ""
    column_stat: str = ""
    user: Literal["warrior", "shooter", "blow", ""] = ""
    figures: Literal["score", "modifier", "number", ""] = ""

    def at(self, row: int | str, column: int | str) -> Figure:
        """The figure where row and column meet; raises KeyError for a row or column the chart
        lacks.
        """
        try:
            return self.rows[str(row)][self.columns.index(str(column))]
        except ValueError:
            raise KeyError(f"{self.key}: no column {column}") from None


@dataclass(frozen=True, slots=True)
class Guideline:
    """One thing a roster is checked for.

    ``kind`` names its function, ``parameters`` its figures.
    """

    code: str
    kind: str
    level: Level
    message: str
    title: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    refs: tuple[str, ...] = ()
    strength: str = ""
    is_waivable: bool = True


@dataclass(frozen=True, slots=True)
class HouseRule:
    """A switch the players agree on before the game."""

    key: str
    name: str
    summary: str
    source: str = ""
    default: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """How a contradiction or gap of the text is settled here, and what else it could be.

    ``values`` are what the engine takes under ``key``, the default's first; None for an alternative
    that no die knows.
    """

    ref: str
    title: str
    default: str
    kind: str = ""
    key: str = ""
    alternatives: tuple[str, ...] = ()
    is_outside_texts: bool = False
    values: tuple[str | int | None, ...] = ()

    @property
    def shown_values(self) -> tuple[str, ...]:
        """The values as a program sends them, without alternatives that no die knows."""
        words = {True: "true", False: "false"}
        known = [value for value in self.values if value is not None]
        return tuple(words[value] if isinstance(value, bool) else str(value) for value in known)


@dataclass(frozen=True, slots=True)
class Phase:
    key: str
    name: str
    summary: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """A state of a combatant.

    ``pose`` is how the miniature lies, ``summary`` what it may do, in our words.

    ``needs``: whose rosters print a box for it (empty: all).
    """

    key: str
    name: str
    summary: str
    pose: str = ""
    source: str = ""
    is_ticked: bool = False
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Transition:
    source_states: tuple[str, ...]
    to: str
    by: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    first: int
    last: int
    result: str
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RollTable:
    """A table rolled on, such as injuries: ``die`` and rows without gap or overlap.

    ``needs`` as for a state.
    """

    key: str
    name: str
    die: str
    rows: tuple[TableRow, ...]
    note: str = ""
    source: str = ""
    needs: str = ""


@dataclass(frozen=True, slots=True)
class RuleNote:
    """A titled sentence for the rule book and the quick reference.

    ``needs``: which rosters need it (empty: all).
    """

    key: str
    title: str
    text: str
    section: str
    source: str = ""
    needs: str = ""
    is_quick: bool = True


@dataclass(frozen=True, slots=True)
class Rout:
    """When a side tests to stay: at ``numerator``/``denominator`` of its models out, on ``dice``
    against ``stat``.
    """

    numerator: int
    denominator: int
    dice: str
    stat: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Movement:
    """Multiples of the move stat, the spotting stat (may be empty), flight dice as (highest move,
    dice) in order.

    ``mounted_flight`` are the dice of riders where the text asks for the saddle, not for the move.
    """

    move_stat: str
    run: int
    charge: int
    spotting_stat: str
    flight: tuple[tuple[int | None, str], ...]
    mounted_flight: str = ""
    run_name: str = "Run"


@dataclass(frozen=True, slots=True)
class Regiments:
    """Entries are units in ranks of ``frontage`` models; ``most_rank_bonus`` is the most for those
    behind the first.

    With fewer than ``smallest`` models a unit breaks by itself and cannot rally.
    """

    frontage: int
    most_rank_bonus: int
    smallest: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """The plain opponent that purchases are measured against: its name, its stats, its armour save
    (6 for 6+).
    """

    name: str
    stats: Mapping[str, int]
    save: int | None = None
