"""The tables of a system: its weapons and armour with a column for each figure they have, and its
charts with a row and a column lit. No query.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter

from engine.equipment import REACHES, armour_gives
from engine.records import Fields, Texts, frozen_dataclass, grouped
from engine.types.lists import Armour, Figure, Weapon
from engine.types.mechanics import Chart, Ruling
from engine.types.systems import System
from rulesdata import text
from rulesdata.queries.lookup import find_system, list_armies

# Weapons and armour


@frozen_dataclass
class ItemLine:
    """A weapon or a piece of armour with its figures in words."""

    item: Weapon | Armour
    figures: Texts
    notes: str


@frozen_dataclass
class ItemTable:
    """Items of one kind; ``heads`` name the figures."""

    name: str
    heads: Texts
    lines: list[ItemLine]


TYPES = {"melee": "Close combat", "missile": "Missiles"}
# Notes that make a column where every weapon of the table has one.
TRAITS = {"shots": "Shots", "melee_attack": "Attack"}
Column = Callable[[Weapon], object]


def load_weapons(address: str) -> Fields:
    """The weapons of a system's collections by type, each once. Raises NotInRuleBook."""
    system = find_system(address)
    armies = list_armies(system)
    weapons = dict(chain.from_iterable(army.weapons.items() for army in armies))
    ordered = sorted(weapons.values(), key=attrgetter("name"))
    has_strength = any(army.strength_stat for army in armies)
    tables = [
        _weapon_table(key, group, has_strength=has_strength)
        for key, group in grouped((weapon.type, weapon) for weapon in ordered).items()
    ]
    return {"system": system, "tables": tables}


def _weapon_table(key: str, weapons: list[Weapon], *, has_strength: bool) -> ItemTable:
    columns: dict[str, Column] = {}
    # A column that would hold nothing but dashes is left out.
    if any(weapon.type != "melee" or weapon.range for weapon in weapons):
        columns["Range"] = _range
    if has_strength:
        columns["Strength"] = _strength
    if any(weapon.hands for weapon in weapons):
        columns["Hands"] = attrgetter("hands")
    traits = [key for key in TRAITS if all(key in weapon.traits for weapon in weapons)]
    columns |= {TRAITS[key]: partial(_trait, key) for key in traits}
    lines = [weapon_line(weapon, columns.values(), traits) for weapon in weapons]
    return ItemTable(TYPES.get(key, text.key_words(key)), tuple(columns), lines)


def _range(weapon: Weapon) -> object:
    """The range of a weapon in inches, or the word it has for it."""
    if isinstance(weapon.range, int):
        return f'{weapon.range}"'
    reach = REACHES.get(weapon.range) if weapon.range else None
    return reach.removesuffix(" range") if reach else weapon.range


def _strength(weapon: Weapon) -> object:
    return "user" if weapon.strength is None and weapon.type == "melee" else weapon.strength


def _trait(key: str, weapon: Weapon) -> str:
    sign = "+" if key == "melee_attack" else ""
    return f"{sign}{weapon.traits[key]}"


def weapon_line(
    weapon: Weapon,
    columns: Iterable[Column] = (_range, _strength),
    traits: Collection[str] = (),
) -> ItemLine:
    """A weapon with the figures of its columns; what is in no column stands in words."""
    others = {key: value for key, value in weapon.traits.items() if key not in traits}
    notes = text.weapon_notes(replace(weapon, traits=others))
    printed = (column(weapon) for column in columns)
    return ItemLine(
        weapon,
        tuple("–" if figure is None else text.minus(str(figure)) for figure in printed),
        ", ".join(note for note in notes if note != "two hands"),
    )


def _armour_use(piece: Armour) -> str:
    """What a piece does for a save, empty where it helps otherwise."""
    if piece.save:
        return "A save of its own"
    return "Makes a save better" if piece.improves else ""


def load_armour(address: str) -> Fields:
    """The armour of a system's collections: what saves, what betters a save, the rest.

    Raises NotInRuleBook.
    """
    system = find_system(address)
    pieces = dict(chain.from_iterable(army.armour.items() for army in list_armies(system)))
    # A save of its own comes first, the best before the others; 7 is none.
    ordered = sorted(pieces.values(), key=lambda piece: (piece.save or 7, piece.name))
    by_use = grouped((_armour_use(piece), piece) for piece in ordered)
    others = by_use.pop("", [])
    tables = [
        ItemTable(use, ("Save",), [armour_line(piece) for piece in group])
        for use, group in by_use.items()
    ]
    if others:
        name = "Helps otherwise" if tables else "What is worn"
        lines = [armour_line(piece, has_save=False) for piece in others]
        tables.append(ItemTable(name, (), lines))
    return {"system": system, "tables": tables}


def armour_line(piece: Armour, *, has_save: bool = True) -> ItemLine:
    """A piece of armour: its save where there is a column for it, the rest in words."""
    figure = f"{piece.improves} better" if piece.improves else "–"
    if piece.save:
        figure = f"{piece.save}+"
    in_column = (f"save {piece.save}+", f"save {piece.improves} better")
    notes = chain(armour_gives(piece).split(", "), text.armour_words(piece).split(", "))
    unique = dict.fromkeys(note for note in notes if note and note not in in_column)
    return ItemLine(piece, (figure,) if has_save else (), ", ".join(unique))


# Charts with a row and a column lit, and the answer in words

Cell = tuple[str | None, str | None]
"""A row and a column of a chart that shall be lit, None for none."""
UNLIT = (None, None)


class NotOnTheChart(ValueError):
    """The row or column asked for is not one of the chart; the text names the field and what it may
    be.
    """


@frozen_dataclass
class HighlightedChart:
    """A chart as it is drawn.

    ``rows`` are heads with cells as people write them; ``row`` and ``column`` are lit.
    """

    chart: Chart
    rows: tuple[tuple[str, tuple[str | None, ...]], ...]
    row: str | None
    column: str | None
    ruling: Ruling | None
    answer: str = ""
    odds: str = ""

    @property
    def corner(self) -> str:
        return corner(self.chart)

    @property
    def caption(self) -> str:
        return f"{self.chart.name}: {self.chart.row_label} by {self.chart.column_label}"

    @property
    def is_modifier(self) -> bool:
        return is_modifier(self.chart)


def corner(chart: Chart) -> str:
    """What stands at the head of a chart's rows: both labels in short, or the rows' own where there
    is one column.
    """
    if len(chart.columns) == 1:
        return chart.row_label

    def shorten(label: str, stat: str) -> str:
        """As the stat line prints it: Attacker's WS gives WS; other words stay whole."""
        last = label.split()[-1]
        return stat or (last if last.isupper() else label)

    rows = shorten(chart.row_label, chart.row_stat)
    return f"{rows}\u00a0↓ {shorten(chart.column_label, chart.column_stat)}\u00a0→"


def is_modifier(chart: Chart) -> bool:
    """Whether the figures are no scores to reach: the chart says so, or none is above one."""
    if chart.figures:
        return chart.figures != "score"
    cells = chain.from_iterable(chart.rows.values())
    return all(isinstance(cell, int) and cell <= 1 for cell in cells)


def _require_cell(chart: Chart, cell: Cell) -> None:
    for field, name, names in zip(
        ("row", "column"), cell, (chart.rows, chart.columns), strict=True
    ):
        if name and name not in names:
            raise NotOnTheChart(f"{field}: choose one of {', '.join(names)}.")


def highlight_chart(system: System, chart: Chart, cell: Cell = UNLIT) -> HighlightedChart:
    """The chart with that row and column lit. Raises NotOnTheChart for one it lacks."""
    _require_cell(chart, cell)
    row, column = cell[0] or None, cell[1] or None
    # A list of circumstances has one column: its row alone says which figure is meant.
    if row is not None and len(chart.columns) == 1:
        column = chart.columns[0]
    rulings = {ruling.ref: ruling for ruling in system.rulings}
    lit = HighlightedChart(
        chart,
        tuple(
            (head, tuple(_figure_words(chart, figure) for figure in cells))
            for head, cells in chart.rows.items()
        ),
        row,
        column,
        rulings.get(chart.ruling),
    )
    if row is None or column is None:
        return lit
    figure = chart.at(row, column)
    odds = "" if lit.is_modifier else text.chance_words(figure)
    return replace(lit, answer=_figure_words(chart, figure) or "–", odds=odds)


def _figure_words(chart: Chart, figure: Figure) -> str | None:
    if chart.figures == "number":
        return None if figure is None else text.minus(figure)
    return text.modifier_words(figure) if is_modifier(chart) else text.score_words(figure)


def load_charts(
    system: System, key: str | None = None, cell: Cell = UNLIT
) -> list[HighlightedChart]:
    """Every chart of a system; the one named by ``key`` is lit.

    Raises NotOnTheChart for what it lacks.
    """
    charts = system.charts
    if key and key not in charts:
        raise NotOnTheChart(f"chart: choose one of {', '.join(charts)}.")
    return [
        highlight_chart(system, chart, cell if name == key else UNLIT)
        for name, chart in charts.items()
    ]
