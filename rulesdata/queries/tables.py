"""The tables of a system: its weapons and armour, and its charts with a row and a column
lit.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from engine import equipment
from engine.equipment import REACHES, armour_gives
from engine.records import Texts, frozen_dataclass, grouped
from engine.types.lists import Armour, Weapon
from engine.types.lists import Figure as chart_Figure
from engine.types.mechanics import Chart, Ruling
from engine.types.systems import System
from rulesdata import text
from rulesdata.queries.holdings import usual_selection
from rulesdata.queries.lookup import Unit, armies_of, find_system

# The weapons and armour of a system as tables: a column for each figure they have, the
# rest in words. No query.

Figure = Callable[[Weapon], object]


@frozen_dataclass
class ItemLine:
    """A weapon or a piece of armour with its figures in words."""

    item: Weapon | Armour
    figures: Texts
    notes: str
    remark: str


@frozen_dataclass
class ItemTable:
    """Items of one kind; ``heads`` name the figures."""

    name: str
    heads: Texts
    lines: tuple[ItemLine, ...]


SAVES, BETTERS = "A save of its own", "Makes a save better"
OTHERWISE = "Helps otherwise"
ARMOUR_HEADS: Mapping[str, Texts] = {
    SAVES: ("Save",),
    BETTERS: ("Save",),
    OTHERWISE: (),
}
TYPES = {"melee": "Close combat", "missile": "Missiles"}
# Notes that make a column where every weapon of the table has one.
TRAITS = {"shots": "Shots", "melee_attack": "Attack"}


def load_weapons(system_key: str) -> tuple[System, tuple[ItemTable, ...]]:
    """The weapons of a system's collections by type, each once. Raises NotInTheBook."""
    system = find_system(system_key)
    armies = armies_of(system)
    found = dict(chain.from_iterable(army.weapons.items() for army in armies))
    knows_strength = any(army.strength_stat for army in armies)
    ordered = sorted(found.values(), key=lambda weapon: weapon.name)
    types = grouped((weapon.type, weapon) for weapon in ordered)
    return system, tuple(
        _weapons(
            TYPES.get(key, text.key_words(key)), weapons, knows_strength=knows_strength
        )
        for key, weapons in types.items()
    )


def _weapons(name: str, weapons: list[Weapon], *, knows_strength: bool) -> ItemTable:
    """Return the table of weapons, with only those columns that hold something."""
    traits = [key for key in TRAITS if _all_have(key, weapons)]
    columns: dict[str, Figure] = {
        "Range": _range,
        "Strength": _strength,
        "Hands": lambda weapon: weapon.hands,
        **{TRAITS[key]: _trait(key) for key in traits},
    }
    # A column that would hold nothing but dashes is left out.
    if all(weapon.type == "melee" for weapon in weapons):
        del columns["Range"]
    if not knows_strength:
        del columns["Strength"]
    if not any(weapon.hands for weapon in weapons):
        del columns["Hands"]
    line_of = partial(_weapon_line, columns=columns.values(), traits=traits)
    return ItemTable(name, tuple(columns), tuple(map(line_of, weapons)))


def _all_have(trait: str, weapons: Iterable[Weapon]) -> bool:
    return all(trait in weapon.traits for weapon in weapons)


def _range(weapon: Weapon) -> object:
    """Return the range of a weapon in inches, or the word it has for it."""
    if isinstance(weapon.range, int):
        return f'{weapon.range}"'
    return (
        REACHES[weapon.range].removesuffix(" range")
        if weapon.range in REACHES
        else weapon.range
    )


def _strength(weapon: Weapon) -> object:
    return "user" if weapon.strength is None and weapon.type == "melee" else weapon.strength


def _trait(key: str) -> Figure:
    sign = "+" if key == "melee_attack" else ""
    return lambda weapon: f"{sign}{weapon.traits[key]}"


def _weapon_line(
    weapon: Weapon, columns: Iterable[Figure], traits: Collection[str]
) -> ItemLine:
    """Return a weapon's line: the columns' figures, its other rules in words."""
    others = {key: value for key, value in weapon.traits.items() if key not in traits}
    notes = text.weapon_notes(replace(weapon, traits=others))
    words = ", ".join(note for note in notes if note != "two hands")
    printed = (figure_of(weapon) for figure_of in columns)
    figures = tuple(
        "–" if figure is None else text.minus(str(figure)) for figure in printed
    )
    return ItemLine(weapon, figures, words, str(weapon.traits.get("note", "")))


def load_armour(system_key: str) -> tuple[System, tuple[ItemTable, ...]]:
    """The armour of a system's collections: what saves, what betters a save, the rest.

    Raises NotInTheBook.
    """
    system = find_system(system_key)
    pieces = dict(chain.from_iterable(army.armour.items() for army in armies_of(system)))
    # A save of its own comes first, the best before the others; 7 is none.
    ordered = sorted(pieces.values(), key=lambda piece: (piece.save or 7, piece.name))
    kinds = grouped((_kind_of_armour(piece), piece) for piece in ordered)
    rest = kinds.get(OTHERWISE, [])
    names = {OTHERWISE: OTHERWISE if len(rest) < len(ordered) else "What is worn"}
    return system, tuple(
        ItemTable(
            names.get(kind, kind),
            heads,
            tuple(_armour_line(piece, heads) for piece in kinds[kind]),
        )
        for kind, heads in ARMOUR_HEADS.items()
        if kind in kinds
    )


def _kind_of_armour(piece: Armour) -> str:
    if piece.save:
        return SAVES
    return BETTERS if piece.improves else OTHERWISE


def armour_line(piece: Armour) -> ItemLine:
    """One piece of armour in words, its save first."""
    return _armour_line(piece, ("Save",))


def _save_words(piece: Armour) -> str:
    """The save a piece gives, or what it betters one by."""
    if piece.save:
        return f"{piece.save}+"
    return f"{piece.improves} better" if piece.improves else "–"


def weapon_line(weapon: Weapon) -> ItemLine:
    """One weapon in words: its range, its Strength, the rest."""
    return _weapon_line(weapon, (_range, _strength), ())


def _armour_line(piece: Armour, heads: Iterable[str]) -> ItemLine:
    """A piece in words: its save under the head that there is for it, the rest as notes."""
    head = (f"save {piece.save}+", f"save {piece.improves} better")
    words = [
        note for note in text.armour_words(piece).split(", ") if note and note not in head
    ]
    notes = ", ".join(
        dict.fromkeys((*filter(None, armour_gives(piece).split(", ")), *words))
    )
    figures = tuple(_save_words(piece) for _ in heads)
    return ItemLine(piece, figures, notes, str(piece.traits.get("note", "")))


# Charts with a row and a column lit, and the answer in words.

Cell = tuple[str | None, str | None]
"""A row and a column of a chart that shall be lit, None for none."""
UNLIT: Cell = (None, None)


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
    row: str | None = None
    column: str | None = None
    answer: str = ""
    odds: str = ""
    ruling: Ruling | None = None

    @property
    def corner(self) -> str:
        """What stands at the head of the rows: both labels in short, or the rows' own where there
        is one column.
        """
        return corner(self.chart)

    @property
    def caption(self) -> str:
        return f"{self.chart.name}: {self.chart.row_label} by {self.chart.column_label}"

    @property
    def is_lit(self) -> bool:
        return self.row is not None and self.column is not None

    @property
    def row_choices(self) -> Texts:
        return tuple(self.chart.rows)

    @property
    def has_columns(self) -> bool:
        return len(self.chart.columns) > 1

    @property
    def is_modifier(self) -> bool:
        return is_modifier(self.chart)


def corner(chart: Chart) -> str:
    """What stands at the head of a chart's rows: both labels in short, or the rows' own where there
    is one column.
    """
    if len(chart.columns) == 1:
        return chart.row_label
    rows = short(chart.row_label, chart.row_stat)
    return f"{rows}\u00a0↓ {short(chart.column_label, chart.column_stat)}\u00a0→"


def short(label: str, stat: str) -> str:
    """A label as the stat line prints it: Attacker's WS gives WS, Strength gives S; other words
    stay whole.
    """
    last = label.split()[-1]
    return stat or (last if last.isupper() else label)


def highlight_chart(system: System, chart: Chart, cell: Cell = UNLIT) -> HighlightedChart:
    """The chart with that row and column lit. Raises NotOnTheChart for one it lacks."""
    row, column = (
        _known("row", cell[0], chart.rows),
        _known("column", cell[1], chart.columns),
    )
    # A list of circumstances has one column: its row alone says which figure is meant.
    if row is not None and len(chart.columns) == 1:
        column = chart.columns[0]
    words = _words(chart)
    rows = ((head, tuple(map(words, cells))) for head, cells in chart.rows.items())
    rulings = {ruling.ref: ruling for ruling in system.rulings}
    lit = HighlightedChart(
        chart, tuple(rows), row, column, ruling=rulings.get(chart.ruling)
    )
    if row is None or column is None:
        return lit
    figure = chart.at(row, column)
    odds = "" if lit.is_modifier else text.chance_words(figure)
    return replace(lit, answer=words(figure) or "–", odds=odds)


def _known(field: str, name: str | None, names: Collection[str]) -> str | None:
    """The name of a row or column, None for none. Raises NotOnTheChart."""
    if name and name not in names:
        raise NotOnTheChart(f"{field}: choose one of {', '.join(names)}.")
    return name or None


def _words(chart: Chart) -> Callable[[chart_Figure], str | None]:
    if chart.figures == "number":
        return lambda figure: None if figure is None else text.minus(figure)
    return text.modifier_words if is_modifier(chart) else text.score_words


def is_modifier(chart: Chart) -> bool:
    """Whether the figures are no scores to reach: the chart says so, or none of them is above one."""
    if chart.figures:
        return chart.figures != "score"
    cells = chain.from_iterable(chart.rows.values())
    return all(isinstance(cell, int) and cell <= 1 for cell in cells)


def load_charts(
    system: System, key: str | None = None, cell: Cell = UNLIT
) -> tuple[HighlightedChart, ...]:
    """Every chart of a system; the one named by ``key`` is lit.

    Raises NotOnTheChart for what it lacks.
    """
    charts = system.charts
    if key and key not in charts:
        raise NotOnTheChart(f"chart: choose one of {', '.join(charts)}.")
    cells = {key: cell}
    return tuple(
        highlight_chart(system, charts[one], cells.get(one, UNLIT)) for one in charts
    )


def wounding_chart(system: System) -> Chart | None:
    """The chart that sets one warrior's figure against another figure of the other: Strength
    against Toughness.
    """
    names = {stat.name.casefold() for stat in system.stats}

    def stat_of(label: str) -> str:
        return next((name for name in names if name in label.casefold()), "")

    for chart in system.charts.values():
        row, column = stat_of(chart.row_label), stat_of(chart.column_label)
        if row and column and row != column:
            return chart
    return None


# The chart on a unit's page

_USUAL_COLUMN = "3"


@frozen_dataclass
class StrikeOption:
    """One way to strike: its Strength, when, and the score it wounds on at the lit column."""

    name: str
    when: str
    strength: int
    score: str


@frozen_dataclass
class Wounding:
    """The chart on a unit's page: lit at its own Strength, with what each weapon makes of it."""

    lit: HighlightedChart
    who: str
    own: str
    blows: tuple[StrikeOption, ...]

    @property
    def row(self) -> int:
        return int(self.lit.row or 0)

    @property
    def column(self) -> int:
        return int(self.lit.column or 0)

    @property
    def rows(self) -> int:
        return len(self.lit.chart.rows)

    @property
    def columns(self) -> int:
        return len(self.lit.chart.columns)

    @property
    def row_fields(self) -> Mapping[str, str]:
        """What the stepper of the row sends besides."""
        return {"column": self.lit.column or ""}

    @property
    def column_fields(self) -> Mapping[str, str]:
        """What the stepper of the column sends besides."""
        return {"row": self.lit.row or ""}


def wounding_of(unit: Unit, cell: Cell) -> Wounding | None:
    """What the unit wounds on, with a row and a column lit: its own Strength unless named.

    None where the system has no such chart. Raises NotOnTheChart.
    """
    chart = wounding_chart(unit.system)
    if chart is None:
        return None
    # The stat that a chart's rows are named after; empty for none.
    system = unit.system
    label = chart.row_label.casefold()
    stat_of_rows = next(
        (stat.key for stat in system.stats if stat.name.casefold() in label), ""
    )
    who, own = _striker(unit, stat_of_rows)
    usual_row = str(own) if str(own) in chart.rows else next(iter(chart.rows))
    usual_column = _USUAL_COLUMN if _USUAL_COLUMN in chart.columns else chart.columns[0]
    found = highlight_chart(
        unit.system, chart, (cell[0] or usual_row, cell[1] or usual_column)
    )
    return Wounding(found, who, str(own) if own is not None else "", _blows(unit, found))


def _striker(unit: Unit, stat: str) -> tuple[str, chart_Figure]:
    """The first line of a unit that has the stat, by name, and its figure there."""
    for line in unit.profile.lines:
        if (figure := line.stats.get(stat)) is not None:
            return line.name, figure
    return unit.profile.name, None


def _blows(unit: Unit, found: HighlightedChart) -> tuple[StrikeOption, ...]:
    """What each weapon's Strength makes of the lit column, also where it is another when charging."""
    if unit.profile.key not in unit.army.profiles or found.column is None:
        return ()
    selection = usual_selection(unit)
    blows = []
    for arm in equipment.carried_weapons(selection, unit.army):
        for strength, when in ((arm.strength, ""), *_other_strengths(arm)):
            if isinstance(strength, int) and str(strength) in found.chart.rows:
                score = text.score_words(found.chart.at(strength, found.column))
                blows.append(StrikeOption(arm.name, when, strength, score or "cannot"))
    return tuple(dict.fromkeys(blows))


def _other_strengths(arm: equipment.CarriedWeapon) -> list[tuple[int, str]]:
    """The Strengths among a weapon's notes: ``S4 charging`` gives (4, charging)."""
    found = []
    for note in arm.notes:
        head, _, when = note.partition(" ")
        if head[:1] == "S" and head[1:].isdigit():
            found.append((int(head[1:]), when))
    return found
