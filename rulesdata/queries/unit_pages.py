"""The pages of one unit, with what it wounds on, and of two side by side. No query."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from engine import equipment
from engine.records import Fields, Texts
from engine.types.lists import Army, Figure, Profile
from engine.types.mechanics import Chart
from engine.types.systems import System
from rulesdata import text as wording
from rulesdata.queries.lookup import NotInRuleBook, find_army, list_armies_once, stat_pairs
from rulesdata.queries.tables import UNLIT, Cell, HighlightedChart, highlight_chart
from rulesdata.queries.units import UnitView
from rulesdata.text import folded, folded_words

# The column of the wounding chart that is lit where none is asked for.
USUAL_COLUMN = "3"
# Units to choose from; more are found by a word.
PICKED_MAX = 80
WANTED_MAX = 100


# The units that addresses name


def find_unit(system_key: str, army_key: str, profile_key: str) -> UnitView:
    """A profile of a list, its mounts included. Raises NotInRuleBook."""
    system, army = find_army(system_key, army_key)
    profile = army.ridden(profile_key)
    if profile is None:
        raise NotInRuleBook(f"{army.name} has no unit '{profile_key[:60]}'.")
    return UnitView(system, army, profile)


def find_path(path: str) -> UnitView:
    """The unit that ``system/army/unit`` names. Raises NotInRuleBook."""
    # A path comes from an address that anybody may type.
    parts = path.split("/")
    if len(parts) != 3:
        raise NotInRuleBook("A unit is named by system/army/unit.")
    return find_unit(*parts)


def load_unit(unit: UnitView, cell: Cell = UNLIT, beside: str | None = None) -> Fields:
    """The page of one unit, with its chart and a unit to stand beside, where there are such.

    ``cell`` lights its chart, ``beside`` names another unit. Raises NotInRuleBook for that one, or
    NotOnTheChart for a row or column the chart lacks.
    """
    other = find_path(beside) if beside else find_neighbour(unit)
    return {
        "unit": unit,
        "wounding": find_wounding(unit, cell),
        "beside": compare(unit, other) if other else None,
    }


# The chart on a unit's page

Blow = tuple[str, str, int, str]
"""One way to strike: the weapon, when, its Strength, the score it wounds on at the lit column."""


def _wounding_chart(system: System) -> tuple[Chart | None, str]:
    """The chart whose rows and columns are two stats of a warrior, with the stat of its rows."""
    keys = {stat.name.casefold(): stat.key for stat in system.stats}

    def find_stat(label: str) -> str:
        return next((keys[name] for name in keys if name in label.casefold()), "")

    for chart in system.charts.values():
        stat, column_stat = find_stat(chart.row_label), find_stat(chart.column_label)
        if stat and column_stat and stat != column_stat:
            return chart, stat
    return None, ""


def find_wounding(unit: UnitView, cell: Cell) -> Fields | None:
    """What the unit wounds on, with a row and a column lit (its own Strength unless named), what
    each weapon makes of it, and what each stepper sends besides.

    None where the system has no chart that sets one figure of a warrior against another figure of
    the other. Raises NotOnTheChart.
    """
    chart, stat = _wounding_chart(unit.system)
    if chart is None:
        return None
    # The first line that has the stat strikes.
    who, strength = next(
        (
            (line.name, str(line.stats[stat]))
            for line in unit.profile.lines
            if line.stats.get(stat) is not None
        ),
        (unit.profile.name, ""),
    )
    usual_row = strength if strength in chart.rows else next(iter(chart.rows))
    usual_column = USUAL_COLUMN if USUAL_COLUMN in chart.columns else chart.columns[0]
    row, column = cell[0] or usual_row, cell[1] or usual_column
    lit = highlight_chart(unit.system, chart, (row, column))
    return {
        "lit": lit,
        "who": who,
        "strength": strength,
        "blows": list(dict.fromkeys(_list_blows(unit, lit))),
        "row_fields": {"column": column},
        "column_fields": {"row": row},
    }


def _list_blows(unit: UnitView, lit: HighlightedChart) -> Iterator[Blow]:
    """What each weapon's Strength, charging or not, makes of the lit column."""
    if unit.selection is None or lit.column is None:
        return
    for arm in equipment.carried_weapons(unit.selection, unit.army):
        strengths: list[tuple[Figure, str]] = [(arm.strength, "")]
        # Other Strengths stand among the notes, as in "S4 charging".
        for note in arm.notes:
            head, _, when = note.partition(" ")
            if head[:1] == "S" and head[1:].isdigit():
                strengths.append((int(head[1:]), when))
        for strength, when in strengths:
            if isinstance(strength, int) and str(strength) in lit.chart.rows:
                score = wording.score_words(lit.chart.at(strength, lit.column))
                yield arm.name, when, strength, score or "cannot"


# Two units side by side, the better figure marked


class BadComparison(ValueError):
    """The comparison cannot be made; the text is a sentence for the person."""


def compare(first: UnitView, second: UnitView) -> Fields:
    """The two beside each other, with rows for the large stat lines: the two main lines with the
    better figures marked, then what they ride or crew.

    A higher figure is better, a lower save and price; equal ones are not marked.
    """
    figures, others = _figures(first), _figures(second)
    rows = [
        _comparison_row(first, figures, others),
        _comparison_row(second, others, figures),
    ]
    more_rows = [
        {
            "name": line.name,
            "note": unit.profile.name,
            "stats": stat_pairs(unit.system, line.stats),
            "changed": [],
        }
        for unit in (first, second)
        for line in unit.profile.lines
        if line is not unit.main_line
    ]
    return {"sides": (first, second), "rows": rows, "more_rows": more_rows}


def _figures(unit: UnitView) -> dict[str, Figure]:
    """The figures that are set against the other's: the main line, the save and the price."""
    line = unit.main_line
    figures = dict(stat_pairs(unit.system, line.stats if line else {}))
    if not unit.save.is_unknown:
        figures["Save"] = unit.save.text
    if unit.army.has_points:
        figures[unit.army.currency.head] = unit.profile.points
    return figures


def _comparison_row(
    unit: UnitView, figures: Mapping[str, Figure], others: Mapping[str, Figure]
) -> Fields:
    """A unit's line in the comparison, with the figures that are better."""
    pairs, price = figures.items(), unit.army.currency.head
    # Figures that stand behind the stat line.
    extra = ("Save", price)
    return {
        "name": unit.profile.name,
        "note": unit.army.name,
        "stats": [(key, value) for key, value in pairs if key not in extra],
        "changed": [
            key
            for key, value in pairs
            if _is_better(key, value, others.get(key), is_price=key == price)
        ],
        "extra": [(key, value) for key, value in pairs if key in extra],
    }


def _is_better(key: str, mine: Figure, other: Figure, *, is_price: bool) -> bool:
    """Whether a figure beats the other: lower saves and prices, else higher figures.

    Prices in two currencies are not compared.
    """
    # A lower save is better, and none is worse than any.
    if key == "Save":
        return _save_number(mine) < _save_number(other)
    if not isinstance(mine, int):
        return False
    if not isinstance(other, int):
        return other is None and not is_price
    return mine < other if is_price else mine > other


def _save_number(figure: Figure) -> int:
    """A save as a number; 7 is none."""
    digits = str(figure).rstrip("+")
    return int(digits) if digits.isdigit() else 7


def find_neighbour(unit: UnitView) -> UnitView | None:
    """A unit to set beside this one: of the same list and category, the nearest in price, else any
    of the list.
    """
    mine, listed = unit.profile, unit.army.profiles.values()
    others = [p for p in listed if p.key != mine.key and p.is_offered and p.lines]
    if not others:
        return None

    def distance(profile: Profile) -> tuple[bool, bool, int, str]:
        return (
            profile.category != mine.category,
            profile.troop_type != mine.troop_type,
            abs(profile.points - mine.points),
            profile.name,
        )

    return UnitView(unit.system, unit.army, min(others, key=distance))


def load_comparison(first: str, second: str, wanted: str = "") -> Fields:
    """The page of two units named ``system/army/unit``, or the choice of the missing one.

    Raises NotInRuleBook for a unit that is not there, BadComparison for a search that is too long.
    """
    if len(wanted) > WANTED_MAX:
        raise BadComparison(f"Search: at most {WANTED_MAX} characters.")
    a, b = (find_path(path) if path else None for path in (first, second))
    if a and b:
        return {"comparison": compare(a, b)}
    chosen = a or b
    candidates = list_candidates(chosen, folded_words(wanted))
    heading, label = "Found", "The first unit"
    if chosen:
        label = f"Compare with {chosen.profile.name}"
        heading = "Found" if wanted.strip() else f"From {chosen.army.name}"
    return {
        "chosen": chosen,
        "candidates": candidates[:PICKED_MAX],
        "has_more": len(candidates) > PICKED_MAX,
        "wanted": wanted.strip(),
        "heading": heading,
        "label": label,
    }


def list_candidates(chosen: UnitView | None, words: Texts) -> list[UnitView]:
    """Units that hold the words, of every list; without words those of the list the chosen one is
    from.
    """
    shelves: Iterable[tuple[System, Army]] = list_armies_once() if words else ()
    if chosen and not words:
        shelves = [(chosen.system, chosen.army)]
    units = chain.from_iterable(
        (UnitView(system, army, profile) for profile in army.profiles.values())
        for system, army in shelves
    )
    others = []
    for unit in units:
        names = folded(f"{unit.profile.name} {unit.army.name} {unit.profile.model_name}")
        is_other = not chosen or unit.profile is not chosen.profile
        if is_other and all(word in names for word in words):
            others.append(unit)
    return others
