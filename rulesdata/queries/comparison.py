"""Two units side by side, the better figure marked."""

from collections.abc import Iterator, Mapping
from itertools import chain

from engine import equipment, option_rules
from engine.records import NamedValues, Texts, frozen_dataclass
from engine.roster import RosterEntry
from engine.selection import select
from engine.types.lists import Figure, Profile, StatLine
from rulesdata import text as wording
from rulesdata.queries.lookup import Unit, find_path, list_armies_once, stat_pairs
from rulesdata.queries.search_index import folded, terms

# Units to choose from; more are found by a word.
PICKED_MAX = 80
WANTED_MAX = 100
# Figures that stand behind the stat line.
_EXTRA = ("Save", "Pts")


@frozen_dataclass
class ComparedUnit:
    """One of the two: what is set beside the other's."""

    unit: Unit
    price: str
    save: equipment.Save
    carries: Texts
    takes: Texts
    rules: Texts
    flags: Texts
    kind: str
    other_path: str = ""


@frozen_dataclass
class Comparison:
    """Rows for the large stat lines: the two main lines with the better figures marked, then what
    they ride or crew.
    """

    first: ComparedUnit
    second: ComparedUnit
    rows: tuple[NamedValues, ...]
    more_rows: tuple[NamedValues, ...]


def compare(first: Unit, second: Unit) -> Comparison:
    """The two beside each other.

    A higher figure is better, a lower save and price; equal ones are not marked.
    """
    sides = side(first, second), side(second, first)
    figures = [_figures(one) for one in sides]
    rows = (_row(sides[0], *figures), _row(sides[1], *reversed(figures)))
    more = chain.from_iterable(map(_more_rows, (first, second)))
    return Comparison(*sides, rows=rows, more_rows=tuple(more))


def _more_rows(unit: Unit) -> Iterator[NamedValues]:
    """The lines of what a unit rides or crews."""
    profile = unit.profile
    for line in profile.lines:
        if line is not main_line(profile):
            stats = stat_pairs(unit.system, line.stats)
            yield {"name": line.name, "note": profile.name, "stats": stats, "changed": []}


def side(unit: Unit, other: Unit) -> ComparedUnit:
    """A unit with its usual equipment, in words; ``other`` is what it is set beside."""
    profile, army = unit.profile, unit.army
    selection = select(
        army, RosterEntry(profile.key, options=option_rules.listed_on_purchase(profile))
    )
    save = equipment.Save(None)
    if selection.profile:
        save = equipment.armour_save(selection, army, unit.system.saves)
    names = [wording.item_name(army, key) for key in profile.default_items]
    troops = wording.troop_name(profile.troop_type).lower()
    return ComparedUnit(
        unit=unit,
        price=wording.price_words(profile, army) if army.has_points else "",
        save=save,
        carries=(*names, *profile.default_upgrades),
        takes=tuple(
            f"{o.name} {o.points:+}" if o.points else o.name for o in profile.options
        ),
        rules=profile.special_rules,
        flags=tuple(wording.key_words(flag).lower() for flag in sorted(profile.flags)),
        kind=f"{wording.category_of(profile, army)}, {troops}",
        other_path=other.path,
    )


def main_line(profile: Profile) -> StatLine | None:
    """The line a warrior is known by: rider, crew or model before any mount."""
    fighters = [line for line in profile.lines if line.role != "mount"]
    return next(iter(fighters or profile.lines), None)


def _figures(side: ComparedUnit) -> dict[str, Figure]:
    """The figures that are set against the other's: the main line, the save and the price."""
    unit, line = side.unit, main_line(side.unit.profile)
    found = dict(stat_pairs(unit.system, line.stats if line else {}))
    if not side.save.is_unknown:
        found["Save"] = side.save.text
    if unit.army.has_points:
        found["Pts"] = unit.profile.points
    return found


def _row(
    side: ComparedUnit, figures: Mapping[str, Figure], others: Mapping[str, Figure]
) -> NamedValues:
    """Return a unit's line in the comparison, with the figures that are better."""
    pairs = figures.items()
    return {
        "name": side.unit.profile.name,
        "note": side.unit.army.name,
        "stats": [(key, value) for key, value in pairs if key not in _EXTRA],
        "changed": [key for key, value in pairs if _is_better(key, value, others.get(key))],
        "extra": [(key, value) for key, value in pairs if key in _EXTRA],
    }


def _is_better(key: str, mine: Figure, other: Figure) -> bool:
    """Whether a figure beats the other: lower saves and prices, else higher figures."""
    # A lower save is better, and none is worse than any.
    if key == "Save":
        return _save_number(mine) < _save_number(other)
    if not isinstance(mine, int):
        return False
    if not isinstance(other, int):
        return other is None
    return mine < other if key == "Pts" else mine > other


def _save_number(figure: Figure) -> int:
    """A save as a number; 7 is none."""
    digits = str(figure).rstrip("+")
    return int(digits) if digits.isdigit() else 7


def neighbour(unit: Unit) -> Unit | None:
    """A unit to set beside this one: of the same list and category, the nearest in price, else any
    of the list.
    """
    mine, listed = unit.profile, unit.army.profiles.values()
    others = [one for one in listed if one.key != mine.key and one.is_offered and one.lines]
    if not others:
        return None

    def distance(profile: Profile) -> tuple[bool, bool, int, str]:
        """Return how far a unit is from this one: category, type, points, then name."""
        return (
            profile.category != mine.category,
            profile.troop_type != mine.troop_type,
            abs(profile.points - mine.points),
            profile.name,
        )

    return Unit(unit.system, unit.army, min(others, key=distance))


class BadComparison(ValueError):
    """The comparison cannot be made; the text is a sentence for the person."""


@frozen_dataclass
class UnitChoice:
    """A unit to choose for the comparison."""

    unit: Unit
    note: str
    points: int


@frozen_dataclass
class ComparisonPage:
    """The comparison where both units are known, and what may be chosen for the one that is not."""

    first: Unit | None
    second: Unit | None
    comparison: Comparison | None
    candidates: tuple[UnitChoice, ...]
    wanted: str
    has_more: bool = False

    @property
    def known(self) -> Unit | None:
        return self.first or self.second

    @property
    def sides(self) -> tuple[ComparedUnit, ...]:
        return (self.comparison.first, self.comparison.second) if self.comparison else ()

    @property
    def asks(self) -> str:
        return f"Compare with {self.known.profile.name}" if self.known else "The first unit"

    @property
    def heading(self) -> str:
        return "Found" if self.wanted or not self.known else f"From {self.known.army.name}"


def load_comparison(first: str, second: str, wanted: str = "") -> ComparisonPage:
    """The page of two units named ``system/army/unit``, or the choice of the missing one. No query.

    Raises NotInTheBook for a unit that is not there, BadComparison for a search that is too long.
    """
    if len(wanted) > WANTED_MAX:
        raise BadComparison(f"Search: at most {WANTED_MAX} characters.")
    a, b = (find_path(path) if path else None for path in (first, second))
    if a and b:
        return ComparisonPage(a, b, compare(a, b), (), wanted)
    found = _candidates(a or b, terms(wanted))
    return ComparisonPage(
        a, b, None, tuple(found[:PICKED_MAX]), wanted.strip(), len(found) > PICKED_MAX
    )


def _candidates(beside: Unit | None, words: Texts) -> list[UnitChoice]:
    """Units that hold the words, of every list; without words those of the list the other one is
    from.
    """
    shelf = [(beside.system, beside.army)] if beside else []
    shelves = list_armies_once() if words else shelf
    own = beside.profile if beside else None
    found = []
    for system, army in shelves:
        profiles = [profile for profile in army.profiles.values() if profile is not own]
        for profile in profiles:
            text = folded(f"{profile.name} {army.name} {profile.model_name}")
            if all(word in text for word in words):
                note = f"{army.name}, {wording.category_of(profile, army)}"
                found.append(UnitChoice(Unit(system, army, profile), note, profile.points))
    return found
