"""The rule book's own pages: systems, a system, army lists, an army and magic items. No query."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.records import TextPairs, Texts, frozen_dataclass, grouped
from engine.types.lists import Army, Profile
from engine.types.mechanics import Guideline, Transition
from engine.types.systems import System
from rulesdata import text as wording
from rulesdata.queries.lookup import (
    all_systems,
    armies_of,
    find_army,
    find_book,
    find_system,
    stat_pairs,
    texts_of,
)
from rulesdata.queries.search_index import folded, terms
from rulesdata.queries.tables import UNLIT, Cell, HighlightedChart, load_charts

_RULINGS = {
    "contradiction": "The rules contradict themselves",
    "gap": "The rules do not say",
    "agreement": "The versions agree",
}
_MAGIC_ORDER = ("weapon", "armour", "talisman", "enchanted", "arcane", "standard")


@frozen_dataclass
class SystemCard:
    """A system on the first page of the rule book, with how much it holds."""

    system: System
    armies: int
    units: int
    scenarios: int
    books: tuple[System, ...] = ()


@frozen_dataclass
class GuidelineLine:
    """A guideline with what it asks in words."""

    guideline: Guideline
    asks: str
    strength: str

    @property
    def anchor(self) -> str:
        return self.guideline.code.replace(".", "-")


@frozen_dataclass
class BookSection:
    """Rule notes, rulings or magic items under one heading."""

    name: str
    items: tuple[Any, ...]


@frozen_dataclass
class Passage:
    """How a combatant comes into a state, or out of it, with the names of the states."""

    transition: Transition
    before: Texts
    after: str


@frozen_dataclass
class SystemPage:
    """Everything the page of a system shows."""

    system: System
    books: tuple[System, ...]
    armies: int
    guidelines: tuple[GuidelineLine, ...]
    rulings: tuple[BookSection, ...]
    passages: tuple[Passage, ...]
    notes: tuple[BookSection, ...]
    rout: str


@frozen_dataclass
class ChartPage:
    """A system with its charts as they are drawn."""

    system: System
    charts: tuple[HighlightedChart, ...]


@frozen_dataclass
class UnitLine:
    """A unit in an army's list: its lines in the printed order, and what to know before opening it."""

    profile: Profile
    lines: tuple[tuple[str, tuple[object, ...]], ...]
    flags: Texts
    marks: TextPairs
    text: str


@frozen_dataclass
class UnitGroup:
    """Units of one category."""

    key: str
    name: str
    units: tuple[UnitLine, ...]


@frozen_dataclass
class ArmyCard:
    """An army list on the page of all lists."""

    army: Army
    offered: int
    units: int
    magic_items: int


@frozen_dataclass
class ArmyPage:
    """An army list by category; ``kept`` are units that are listed but not offered to warbands."""

    system: System
    army: Army
    groups: tuple[UnitGroup, ...]
    kept: tuple[UnitGroup, ...]
    mounts: tuple[UnitLine, ...]
    magic_items: int
    total: int
    shown: int
    wanted: str


def load_systems() -> tuple[SystemCard, ...]:
    """Every rule system with counts."""
    cards = []
    for system in all_systems():
        armies = armies_of(system)
        units = sum(len(army.profiles) for army in armies)
        books = texts_of(system) or (system,)
        cards.append(SystemCard(system, len(armies), units, len(system.scenarios), books))
    return tuple(cards)


def load_system_page(key: str) -> SystemPage:
    """The page of a system. Raises NotInTheBook."""
    system = find_book(key)
    names = {state.key: state.name for state in system.states}
    notes = grouped((note.section, note) for note in system.notes)
    rulings = grouped((ruling.kind, ruling) for ruling in system.rulings)
    return SystemPage(
        system=system,
        books=texts_of(system),
        armies=len(armies_of(system)),
        guidelines=tuple(
            GuidelineLine(g, wording.guideline_words(g), wording.strength_words(g))
            for g in system.guidelines
        ),
        rulings=_sections(rulings, lambda kind: _RULINGS.get(kind, kind.capitalize())),
        passages=tuple(_passage(transition, names) for transition in system.transitions),
        notes=_sections(notes, wording.key_words),
        rout=_rout_words(system),
    )


def _sections(
    groups: Mapping[str, Sequence[Any]], name_of: Callable[[str], str]
) -> tuple[BookSection, ...]:
    return tuple(BookSection(name_of(key), tuple(items)) for key, items in groups.items())


def _passage(move: Transition, names: Mapping[str, str]) -> Passage:
    before = (names.get(key, wording.key_words(key)) for key in move.source_states)
    return Passage(move, tuple(before), names.get(move.to, move.to))


def _rout_words(system: System) -> str:
    """Return in words when a force tests for Rout, or "" where it does not."""
    rout = system.rout
    if rout is None:
        return ""
    stat = next((s.name for s in system.stats if s.key == rout.stat), rout.stat)
    part = f"{rout.numerator} in {rout.denominator}"
    if part == "1 in 4":
        part = "a quarter"
    test = f"{rout.dice} against {stat} at the start of each own turn, or the game is lost"
    return f"From {part} of the models out of action: {test}."


def load_chart_page(
    system_key: str, chart: str | None = None, cell: Cell = UNLIT
) -> ChartPage:
    """Every chart and table; ``chart`` is lit.

    Raises NotInTheBook, or NotOnTheChart for what a chart lacks.
    """
    system = find_system(system_key)
    return ChartPage(system, load_charts(system, chart, cell))


def load_armies(system_key: str) -> tuple[System, tuple[ArmyCard, ...]]:
    """The army lists a system fields. Raises NotInTheBook."""
    system = find_system(system_key)
    return system, tuple(map(_army_card, armies_of(system)))


def _army_card(army: Army) -> ArmyCard:
    offered = sum(profile.is_offered for profile in army.profiles.values())
    return ArmyCard(army, offered, len(army.profiles), len(army.magic_items))


def load_army_page(system_key: str, army_key: str, wanted: str = "") -> ArmyPage:
    """An army list by category, those units whose names or rules hold every word of ``wanted``.

    Raises NotInTheBook.
    """
    system, army = find_army(system_key, army_key)
    words = terms(wanted)

    def wanted_lines(profiles: Iterable[Profile]) -> list[UnitLine]:
        found = (unit_line(system, profile) for profile in profiles)
        return [line for line in found if all(word in line.text for word in words)]

    lines = wanted_lines(army.profiles.values())
    offered = [line for line in lines if line.profile.is_offered]
    kept = [line for line in lines if not line.profile.is_offered]
    return ArmyPage(
        system=system,
        army=army,
        groups=_by_category(offered, army),
        kept=_by_category(kept, army),
        mounts=tuple(wanted_lines(army.mounts.values())),
        magic_items=len(army.magic_items),
        total=len(army.profiles),
        shown=len(lines),
        wanted=wanted.strip(),
    )


def _by_category(lines: Iterable[UnitLine], army: Army) -> tuple[UnitGroup, ...]:
    """Return the lines in groups by category, in the order of the collection."""
    groups = grouped((line.profile.category, line) for line in lines)
    # A category that its collection does not name stands last.
    order = {category.key: place for place, category in enumerate(army.categories)}
    names = {category.key: category.plural for category in army.categories}
    ordered = sorted(groups, key=lambda key: order.get(key, len(order)))
    return tuple(
        UnitGroup(key, names.get(key, wording.category_plural(key)), tuple(groups[key]))
        for key in ordered
    )


def unit_line(system: System, profile: Profile) -> UnitLine:
    """A unit as a line of a list."""
    kind = (profile.name, profile.model_name, profile.category, profile.troop_type)
    flags = wording.flag_words(profile)
    line_names = (line.name for line in profile.lines)
    text = folded(" ".join((*kind, *profile.special_rules, *flags, *line_names)))
    return UnitLine(profile, _stat_lines(system, profile), flags, _marks(profile), text)


def _stat_lines(
    system: System, profile: Profile
) -> tuple[tuple[str, tuple[object, ...]], ...]:
    """Its stat lines; a single one of the unit's own name goes without a name."""
    if not profile.lines:
        return (("", tuple(None for _ in system.stats)),)
    is_named = len(profile.lines) > 1 or profile.lines[0].name != profile.name
    return tuple(
        (
            line.name if is_named else "",
            tuple(value for _, value in stat_pairs(system, line.stats)),
        )
        for line in profile.lines
    )


def _marks(profile: Profile) -> TextPairs:
    """What its figures lack or had wrong, each with its level."""
    marks = [("warning", "incomplete")] if profile.incomplete else []
    if count := len(profile.doubts):
        marks.append(("warning", f"{count} doubt{'s' if count > 1 else ''}"))
    if profile.corrected:
        marks.append(("note", "corrected"))
    return tuple(marks)


def load_magic_items(
    system_key: str, army_key: str
) -> tuple[System, Army, tuple[BookSection, ...]]:
    """An army's magic items by type, the dearest first. Raises NotInTheBook."""
    system, army = find_army(system_key, army_key)
    items = sorted(army.magic_items.values(), key=lambda item: (-item.points, item.name))
    groups = grouped((item.type, item) for item in items)
    ranked = {kind: groups[kind] for kind in sorted(groups, key=_magic_rank)}
    return system, army, _sections(ranked, wording.magic_plural)


def _magic_rank(kind: str) -> tuple[int, str]:
    """The place of a type of magic items: arms before talismans, what has no place last."""
    place = next(
        (n for n, word in enumerate(_MAGIC_ORDER) if word in kind), len(_MAGIC_ORDER)
    )
    return place, kind
