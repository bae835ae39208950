"""Two units side by side, the better figure marked."""

from collections.abc import Mapping
from typing import Any

from engine import choices, equipment
from engine.records import frozen_dataclass
from engine.roster import RosterEntry
from engine.selection import select
from engine.types.lists import Figure, Profile, StatLine
from rulesdata import text as wording
from rulesdata.queries.lookup import Unit, find_path, list_armies_once
from rulesdata.queries.search_index import folded, terms

# Units to choose from; more are found by a word.
PICKED_MAX = 80
WANTED_MAX = 100


@frozen_dataclass
class ComparedUnit:
    """One of the two: what is set beside the other's."""

    unit: Unit
    price: str
    save: equipment.Save
    carries: tuple[str, ...]
    takes: tuple[str, ...]
    rules: tuple[str, ...]
    flags: tuple[str, ...]
    kind: str
    other_path: str = ""


@frozen_dataclass
class Comparison:
    """Rows for the large stat lines: the two main lines with the better figures marked, then what
    they ride or crew.
    """

    first: ComparedUnit
    second: ComparedUnit
    rows: tuple[Mapping[str, Any], ...]
    more_rows: tuple[Mapping[str, Any], ...]


def compare(first: Unit, second: Unit) -> Comparison:
    """The two beside each other.

    A higher figure is better, a lower save and price; equal ones are not marked.
    """
    sides = (side(first, second), side(second, first))
    figures = [_figures(s) for s in sides]
    rows = tuple(
        _row(
            s,
            figures[place],
            [
                k
                for k in figures[place]
                if _is_better(k, figures[place][k], figures[1 - place].get(k))
            ],
        )
        for place, s in enumerate(sides)
    )
    more = tuple(
        {
            "name": line.name,
            "note": s.unit.profile.name,
            "stats": _stats(s.unit, line),
            "changed": [],
        }
        for s in sides
        for line in s.unit.profile.lines
        if line is not main_line(s.unit.profile)
    )
    return Comparison(*sides, rows=rows, more_rows=more)


def side(unit: Unit, other: Unit) -> ComparedUnit:
    """A unit with its usual equipment, in words; ``other`` is what it is set beside."""
    profile, army = unit.profile, unit.army
    selection = select(army, RosterEntry(profile.key, options=choices.listed_on_purchase(profile)))
    save = (
        equipment.armour_save(selection, army, unit.system.saves)
        if selection.profile
        else equipment.Save(None)
    )
    return ComparedUnit(
        unit=unit,
        price=wording.price_words(profile) if army.has_points else "",
        save=save,
        carries=tuple(wording.item_name(army, key) for key in profile.default_items)
        + profile.default_upgrades,
        takes=tuple(f"{o.name} {o.points:+}" if o.points else o.name for o in profile.options),
        rules=profile.special_rules,
        flags=tuple(wording.key_words(flag).lower() for flag in sorted(profile.flags)),
        kind=(
            f"{wording.category_of(profile, army)}, "
            f"{wording.troop_name(profile.troop_type).lower()}"
        ),
        other_path=other.path,
    )


def main_line(profile: Profile) -> StatLine | None:
    """The line a warrior is known by: rider, crew or model before any mount."""
    fighters = [line for line in profile.lines if line.role != "mount"]
    return next(iter(fighters or profile.lines), None)


def _stats(unit: Unit, line: StatLine | None) -> list[tuple[str, Figure]]:
    return [(stat.key, line.stats.get(stat.key) if line else None) for stat in unit.system.stats]


def _figures(side: ComparedUnit) -> dict[str, Figure]:
    return {
        **dict(_stats(side.unit, main_line(side.unit.profile))),
        **({} if side.save.is_unknown else {"Save": side.save.text}),
        **({"Pts": side.unit.profile.points} if side.unit.army.has_points else {}),
    }


def _row(side: ComparedUnit, figures: Mapping[str, Figure], better: list[str]) -> Mapping[str, Any]:
    extra = [(key, figures[key]) for key in ("Save", "Pts") if key in figures]
    stats = [(key, value) for key, value in figures.items() if key not in ("Save", "Pts")]
    return {
        "name": side.unit.profile.name,
        "note": side.unit.army.name,
        "stats": stats,
        "changed": better,
        "extra": extra,
    }


def _is_better(key: str, mine: Figure, other: Figure) -> bool:
    # A lower save is better, and none is worse than any.
    if key == "Save":
        numbers = [
            int(str(f).rstrip("+")) if str(f).rstrip("+").isdigit() else 7 for f in (mine, other)
        ]
        return numbers[0] < numbers[1]
    if not isinstance(mine, int):
        return False
    if not isinstance(other, int):
        return other is None
    return mine < other if key == "Pts" else mine > other


def neighbour(unit: Unit) -> Unit | None:
    """A unit to set beside this one: of the same list and category, the nearest in price, else any
    of the list.
    """
    others = [
        p
        for p in unit.army.profiles.values()
        if p.key != unit.profile.key and p.is_offered and p.lines
    ]
    if not others:
        return None

    def distance(profile: Profile) -> tuple[bool, bool, int, str]:
        mine = unit.profile
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
        return f"What to set beside {self.known.profile.name}" if self.known else "The first unit"

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


def _candidates(beside: Unit | None, words: tuple[str, ...]) -> list[UnitChoice]:
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
