"""The mechanics of a rule system: charts and tables, guidelines, rulings, phases, states.

A chart or table is whole where every roll is answered once and every row has all its figures.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from itertools import pairwise
from typing import Literal

from engine.records import NamedValues, NumberByKey, Texts, frozen_dataclass
from engine.types.lists import Figure

Level = Literal["error", "warning", "note"]
LEVELS = ("error", "warning", "note")


@frozen_dataclass
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
    columns: Texts
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


@frozen_dataclass
class Guideline:
    """One thing a roster is checked for.

    ``kind`` names its function, ``parameters`` its figures.
    """

    code: str
    kind: str
    level: Level
    message: str
    title: str = ""
    parameters: NamedValues = field(default_factory=dict)
    source: str = ""
    refs: Texts = ()
    strength: str = ""
    is_waivable: bool = True


@frozen_dataclass
class HouseRule:
    """A switch the players agree on before the game."""

    key: str
    name: str
    summary: str
    source: str = ""
    default: bool = False


@frozen_dataclass
class Ruling:
    """How a contradiction or gap of the text is settled here, and what else it could be.

    ``values`` are what the engine takes under ``key``, the default's first; None for an alternative
    that no die knows. Where another one was agreed, ``chosen`` is its place among the alternatives
    of the text, from 1; it then stands as the default, and the text's own among the alternatives.
    """

    ref: str
    title: str
    default: str
    kind: str = ""
    key: str = ""
    alternatives: Texts = ()
    is_outside_texts: bool = False
    values: tuple[str | int | None, ...] = ()
    chosen: int = 0

    @property
    def ways(self) -> Texts:
        """Every way to play it in the order of the text, the text's own first."""
        before, after = self.alternatives[: self.chosen], self.alternatives[self.chosen :]
        return (*before, self.default, *after)

    def agreed(self, place: int) -> "Ruling":
        """The ruling as it is played where that alternative was agreed on."""
        rest = (*self.alternatives[: place - 1], *self.alternatives[place:])
        values = self.values
        if values and values[place] is None:
            values = ()  # no die knows what is played, so there is nothing to play otherwise
        elif values:
            values = (values[place], *values[:place], *values[place + 1 :])
        return replace(
            self,
            default=self.alternatives[place - 1],
            alternatives=(self.default, *rest),
            values=values,
            chosen=place,
        )


@frozen_dataclass
class Phase:
    key: str
    name: str
    summary: str
    source: str = ""


@frozen_dataclass
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


@frozen_dataclass
class Transition:
    source_states: Texts
    to: str
    by: str
    source: str = ""


@frozen_dataclass
class TableRow:
    first: int
    last: int
    result: str
    name: str
    note: str = ""


@frozen_dataclass
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


@frozen_dataclass
class RuleNote:
    """A titled sentence for the rule book and the quick reference.

    ``needs``: which rosters need it (empty: all). ``rules``: the special rules of army lists that
    it tells.
    """

    key: str
    title: str
    text: str
    section: str
    source: str = ""
    needs: str = ""
    is_quick: bool = True
    rules: Texts = ()


@frozen_dataclass
class Rout:
    """When a side tests to stay: at ``numerator``/``denominator`` of its models out, on ``dice``
    against ``stat``.
    """

    numerator: int
    denominator: int
    dice: str
    stat: str
    source: str = ""


@frozen_dataclass
class Movement:
    """Multiples of the move stat, the spotting stat (may be empty), flight dice as (highest move,
    dice) in order.

    ``mounted_flight`` are the dice of riders where the text asks for the saddle, not for the move.
    """

    move_stat: str
    run: int
    charge: int
    flight: tuple[tuple[int | None, str], ...]
    spotting_stat: str = ""
    mounted_flight: str = ""
    run_name: str = "Run"


@frozen_dataclass
class Regiments:
    """Entries are units in ranks of ``frontage`` models; ``most_rank_bonus`` is the most for those
    behind the first.

    With fewer than ``smallest`` models a unit breaks by itself and cannot rally.
    """

    frontage: int
    most_rank_bonus: int
    smallest: int
    source: str = ""


@frozen_dataclass
class Yardstick:
    """The plain opponent that purchases are measured against: its name, its stats, its armour save
    (6 for 6+).
    """

    name: str
    stats: NumberByKey
    save: int | None = None


_DICE = re.compile(r"([1-9]?)D(3|4|6|10)([+-][1-9])?")


def dice_range(dice: str) -> tuple[int, int]:
    """Return the lowest and highest total of dice such as ``D6``, ``2D6`` or ``D3+1``.

    Raises ValueError for anything else.
    """
    match = _DICE.fullmatch(dice)
    if match is None:
        raise ValueError(f"'{dice}' is not dice; write D6, 2D6, D3 or D6+1")
    count, sides, plus = int(match[1] or 1), int(match[2]), int(match[3] or 0)
    return count + plus, count * sides + plus


def chart_faults(chart: Chart) -> Texts:
    """Return what is wrong with a chart, as sentences; nothing where it is whole."""
    faults = [
        f"the column {name} stands twice"
        for place, name in enumerate(chart.columns)
        if name in chart.columns[:place]
    ]
    if not chart.rows:
        faults.append("the chart has no rows")
    for name, row in chart.rows.items():
        if len(row) != len(chart.columns):
            faults.append(
                f"row {name} has {len(row)} figures for {len(chart.columns)} columns"
            )
    faults += _number_gaps("row", chart.rows) + _number_gaps("column", chart.columns)
    return tuple(faults)


def table_faults(table: RollTable) -> Texts:
    """Return what is wrong with a table rolled on, as sentences.

    There is nothing wrong where each total of its die has exactly one row.
    """
    try:
        low, high = dice_range(table.die)
    except ValueError as error:
        return (str(error),)
    faults = [
        f"{row.first} to {row.last} ends before it begins"
        for row in table.rows
        if row.last < row.first
    ]
    for total in range(low, high + 1):
        names = [row.name for row in table.rows if row.first <= total <= row.last]
        if not names:
            faults.append(f"no row for a roll of {total}")
        elif len(names) > 1:
            faults.append(f"two rows for a roll of {total}: {' and '.join(names)}")
    faults += [
        f"{row.first} to {row.last} lies outside {table.die} ({low} to {high})"
        for row in table.rows
        if row.first < low or row.last > high
    ]
    return tuple(faults)


def _number_gaps(what: str, names: Iterable[str]) -> list[str]:
    """Return where rows or columns that are numbers leave one out."""
    names = tuple(names)
    # Headings in words have no order to break.
    if not all(name.isascii() and name.isdigit() for name in names):
        return []
    numbers = [int(name) for name in names]
    return [f"{what} {a} is followed by {b}" for a, b in pairwise(numbers) if b != a + 1]
