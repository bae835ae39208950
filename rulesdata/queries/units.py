"""A unit's page: stat lines, what it carries and may take, its magic, its doubts, and what the
guidelines say of it.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from engine import equipment
from engine.findings.case import Finding
from engine.records import frozen_dataclass
from engine.types.lists import Army, Option, Profile, StatLine
from engine.types.systems import System
from engine.words import capital, join_words
from rulesdata import text as wording
from rulesdata.queries.comparison import Comparison, compare, neighbour
from rulesdata.queries.holdings import (
    Item,
    ItemGroup,
    load_holdings,
    signed_price,
    usual_selection,
)
from rulesdata.queries.lookup import Unit, find_path, stat_pairs
from rulesdata.queries.tables import UNLIT, Cell, Wounding, wounding_of

Row = Mapping[str, Any]


@frozen_dataclass
class Doubt:
    """A note of the margin, counted from 1."""

    number: str
    text: str


@frozen_dataclass
class UnitPage:
    """Everything the page of a unit shows."""

    unit: Unit
    price: str
    facts: tuple[str, ...]
    rows: tuple[Row, ...]
    mounts: tuple[Row, ...]
    carries: tuple[Item, ...]
    save: equipment.Save
    takes: tuple[ItemGroup, ...]
    command: tuple[Item, ...]
    champion_takes: tuple[ItemGroup, ...]
    magic: tuple[Item, ...]
    lores: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    sources: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...]
    findings: tuple[Finding, ...]
    wounding: Wounding | None
    beside: Comparison | None

    @property
    def ward(self) -> str:
        return f"{self.save.ward}+" if self.save.ward else ""

    @property
    def traits(self) -> tuple[str, ...]:
        """Flags and other figures in words."""
        profile = self.unit.profile
        return (*wording.flag_words(profile), *wording.figures(profile))

    @property
    def differs(self) -> bool:
        return any(row["changed"] for row in self.rows)


def load_unit(unit: Unit, cell: Cell = UNLIT, beside: str | None = None) -> UnitPage:
    """The page of one unit; no query.

    ``cell`` lights its chart, ``beside`` names another unit. Raises NotInTheBook for that one, or
    NotOnTheChart for a row or column the chart lacks.
    """
    return page_of(unit, cell, find_path(beside) if beside else neighbour(unit))


def page_of(unit: Unit, cell: Cell = UNLIT, other: Unit | None = None) -> UnitPage:
    """The page of a unit that is at hand, beside another one if there is one.

    Raises NotOnTheChart.
    """
    system, army, profile = unit.system, unit.army, unit.profile
    holdings = load_holdings(unit)
    save, champion = equipment.Save(None), profile.champion
    if profile.key in army.profiles:
        save = equipment.armour_save(usual_selection(unit), army, system.saves)
    options = [option for option in unit.profile.options if option.mount]
    mounts = tuple(chain.from_iterable(_mount_rows(unit, option) for option in options))
    return UnitPage(
        unit=unit,
        price=wording.price_words(profile, army) if army.has_points else "",
        facts=_facts(profile, army),
        rows=_rows(unit),
        mounts=mounts,
        carries=holdings.carries(),
        save=save,
        takes=holdings.takes(profile.options),
        command=holdings.command(),
        champion_takes=holdings.takes(champion.options if champion else ()),
        magic=holdings.magic(),
        lores=profile.lores,
        doubts=tuple(Doubt(str(n), text) for n, text in enumerate(holdings.doubts, 1)),
        sources=_sources(unit),
        conditions=_conditions(unit),
        findings=holdings.advice.get("", ()),
        wounding=wounding_of(unit, cell),
        beside=compare(unit, other) if other else None,
    )


def _facts(profile: Profile, army: Army) -> tuple[str, ...]:
    """Return what a unit is, in words: category, type, models and special cases."""
    facts = [wording.category_of(profile, army), wording.troop_name(profile.troop_type)]
    if profile.miniatures > 1:
        facts.append(f"{profile.miniatures} models")
    if profile.is_special_character:
        facts.append("Special character")
    if profile.is_regiment_of_renown:
        facts.append("Regiment of renown")
    if profile.faction:
        facts.append(f"{profile.faction.capitalize()} faction")
    return tuple(facts)


def _role(line: StatLine, *, several: bool) -> str:
    """Return a stat line's role, number of models and Move with barding, in inches."""
    words = [line.role] if several and line.role != "model" else []
    if line.count and line.count > 1:
        words.append(f"{line.count} of them")
    if line.barded_move is not None:
        words.append(f"Move {line.barded_move} with barding")
    return ", ".join(words)


def _rows(unit: Unit) -> tuple[Row, ...]:
    """The stat lines, the champion's after the model's with what differs; prices stand at the first
    line of each.
    """
    profile, has_points = unit.profile, unit.army.has_points
    several = len(profile.lines) > 1
    points = [profile.points, *("" for _ in profile.lines[1:])]
    rows = [
        _row(unit.system, line, _role(line, several=several), price if has_points else None)
        for line, price in zip(profile.lines, points, strict=False)
    ]
    if rows and profile.champion and profile.champion.stats is not None:
        system = unit.system
        champion = profile.champion
        model = profile.lines[0]
        pairs = stat_pairs(system, champion.stats or {})
        champion_row = {
            "name": champion.name,
            "note": "always present" if champion.is_always_present else "champion",
            "stats": pairs,
            "changed": [key for key, value in pairs if value != model.stats.get(key)],
            "extra": [("Pts", signed_price(champion.points))],
        }
        rows.insert(1, champion_row)
    return tuple(rows)


def _row(system: System, line: StatLine, note: str, points: object) -> Row:
    return {
        "name": line.name, "note": note, "stats": stat_pairs(system, line.stats), "changed": [],
        "extra": [] if points is None else [("Pts", " " if points == "" else points)],
    }  # fmt: skip


def _mount_rows(unit: Unit, option: Option) -> Iterator[Row]:
    """The lines of what an option lets it ride; its price and flags stand at the first."""
    ridden = unit.army.ridden(option.mount)
    if ridden is None:
        return
    flags = [wording.key_words(flag).lower() for flag in sorted(ridden.flags)]
    points = signed_price(option.points)
    for line in ridden.lines:
        note = ", ".join(filter(None, (_role(line, several=False), *flags)))
        is_only = len(ridden.lines) == 1 or line.name == ridden.name
        name = ridden.name if is_only else f"{ridden.name}: {line.name}"
        yield {**_row(unit.system, line, note, points), "name": name}
        flags, points = [], ""


def _conditions(unit: Unit) -> tuple[str, ...]:
    """What the list says of how many, when and beside whom; regiments' figures that a skirmish does
    not use.
    """
    profile = unit.profile
    return (
        *_restrictions(profile),
        *_sizes(unit),
        *_printed_conditions(profile),
        *_campaign_terms(unit),
    )


def _campaign_terms(unit: Unit) -> Iterator[str]:
    """What the list says of campaigns."""
    joining, category = unit.profile.joining, unit.army.category(unit.profile.category)
    if joining.rarity:
        yield f"Rare in campaigns: found on {joining.rarity} or more."
    if joining.upkeep is not None:
        yield f"Hired sword: costs {joining.upkeep} after each battle of a campaign."
    if joining.experience:
        yield f"Begins a campaign with {joining.experience} experience."
    if category and category.is_alike:
        yield "A group of these buys the same for each of its models."


def _restrictions(profile: Profile) -> Iterator[str]:
    """In which armies and beside whom it may stand."""
    if profile.requires_army:
        yield f"Only in these armies: {', '.join(profile.requires_army)}."
    if profile.upgrade_of:
        names = ", ".join(wording.key_words(key) for key in profile.upgrade_of)
        yield f"Bought with: {names}."
    for category, generals in profile.category_when:
        yield f"{wording.category_name(category)} with: {', '.join(generals)}."
    if profile.army_max is not None:
        number = wording.number_word(profile.army_max)
        yield f"The list allows {number} of these in an army."


def _sizes(unit: Unit) -> Iterator[str]:
    """Yield a sentence about how many models a regiment has, where the list says it."""
    if unit.profile.unit_size is None:
        return
    size = _size_words(*unit.profile.unit_size)
    if unit.system.regiments:
        yield f"A regiment has {size} models."
    else:
        yield f"Regiments of the full game have {size} models; here every model is bought alone."


def _size_words(low: int | None, high: int | None) -> str:
    if low and high:
        return f"{low} to {high}"
    return f"at least {low}" if low else f"at most {high}"


def _printed_conditions(profile: Profile) -> Iterator[str]:
    """What the list prints without it having an effect here."""
    if profile.must_ride:
        yield "It must ride one of its mounts."
    source = profile.source
    if included := source.get("points_include"):
        yield f"{_plain(included)} points of its price are for what must come along."
    if source.get("army_max_depends"):
        yield "How many the list allows depends on other choices."
    if hired := source.get("hired_as"):
        yield f"Hired by another army it counts as {wording.category_name(str(hired))}."
    for words in source.get("profile_when", ()):
        yield f"{words}."


def _plain(value: object) -> str:
    """Return a value as text: mappings and lists with commas."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(
            f"{wording.key_words(str(k)).lower()} {v}" for k, v in value.items()
        )
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "other choices" if value is True else str(value)


def _sources(unit: Unit) -> tuple[tuple[str, str], ...]:
    """Where each kind of figure is from: pairs of what and the source's name, those from one source
    together.
    """
    names = {"profiles": "Stat lines", "points": "prices", "equipment": "equipment"}
    if not unit.army.has_points:
        del names["points"]
    by_source: dict[str, list[str]] = {}
    for key, what in names.items():
        if value := unit.profile.source.get(key):
            by_source.setdefault(str(value), []).append(what)
    found = []
    for source, whats in by_source.items():
        words = capital(join_words(whats))
        found.append((words, source))
    if stated := unit.profile.source.get("armour_save_stated"):
        found.append(("Armour save printed by the second source", f"{stated}+"))
    if unit.profile.champion and unit.profile.champion.source:
        found.append(("Champion", unit.profile.champion.source))
    return tuple(found)
