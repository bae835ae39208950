"""A unit's page: stat lines, what it carries and may take, its magic, its doubts, and what the guidelines say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine import choices, equipment
from engine.findings import Finding, check
from engine.roster import Entry, Roster
from engine.selection import command_prices, select
from engine.types import CHAMPION, Figure, Line, Option, Profile, System
from rulesdata import wording
from rulesdata.queries.charts import LitChart, lit, wounding_chart
from rulesdata.queries.comparing import Comparison, compare, neighbour
from rulesdata.queries.shelf import Unit, find_path, find_unit

Row = Mapping[str, Any]
_NOT_THE_UNITS = ("points.", "leader.", "option.")
_USUAL_COLUMN = "3"


@dataclass(frozen=True, slots=True)
class Item:
    """A line with a dotted leader: ``value`` is its price or *included*; ``doubts`` are numbers of the margin notes."""

    name: str
    value: str
    note: str = ""
    doubts: tuple[int, ...] = ()
    advice: str = ""


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """Options under one heading; ``rule`` says how many of them may be taken."""

    name: str
    rule: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Blow:
    """One way to strike: its Strength, when, and the score it wounds on at the lit column."""

    name: str
    when: str
    strength: int
    score: str


@dataclass(frozen=True, slots=True)
class Wounding:
    """The chart on a unit's page: lit at its own Strength, with what each weapon makes of it."""

    lit: LitChart
    who: str
    own: str
    blows: tuple[Blow, ...]

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


@dataclass(frozen=True, slots=True)
class UnitPage:
    """Everything the page of a unit shows."""

    unit: Unit
    price: str
    facts: tuple[str, ...]
    rows: tuple[Row, ...]
    mounts: tuple[Row, ...]
    carries: tuple[Item, ...]
    carries_doubts: tuple[int, ...]
    save: equipment.Save
    takes: tuple[ItemGroup, ...]
    command: tuple[Item, ...]
    champion_takes: tuple[ItemGroup, ...]
    magic: tuple[Item, ...]
    lores: tuple[str, ...]
    doubts: tuple[str, ...]
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
        flags = tuple(wording.key_words(f).lower() for f in sorted(profile.flags) if f != "special_character")
        return (*flags, *wording.figures(profile))

    @property
    def differs(self) -> bool:
        return any(row["changed"] for row in self.rows)


def load_unit(
    system_key: str,
    army_key: str,
    profile_key: str,
    row: str | None = None,
    column: str | None = None,
    beside: str | None = None,
) -> UnitPage:
    """The page of one unit; no query. ``row`` and ``column`` light the chart, ``beside`` names another unit.

    Raises NotInTheBook, or NotOnTheChart for a row or column the chart lacks.
    """
    unit = find_unit(system_key, army_key, profile_key)
    system, army, profile = unit.system, unit.army, unit.profile
    doubts = (*profile.incomplete, *profile.doubts)
    advice = _advice(unit)
    other = find_path(beside) if beside else neighbour(unit)
    selection = select(army, Entry(profile.key, options=usual_options(profile)))
    is_listed = profile.key in army.profiles
    return UnitPage(
        unit=unit,
        price=wording.price_words(profile),
        facts=_facts(profile),
        rows=_rows(unit),
        mounts=_mounts(unit),
        carries=_carries(unit, doubts),
        carries_doubts=_about(("equipment", "equipped"), doubts),
        save=equipment.armour_save(selection, army, system.saves) if is_listed else equipment.Save(None),
        takes=_takes(profile.options, unit, doubts, advice),
        command=_command(unit, doubts, advice),
        champion_takes=_takes(profile.champion.options, unit, doubts, advice) if profile.champion else (),
        magic=_magic(unit, doubts),
        lores=profile.lores,
        doubts=doubts,
        sources=_sources(unit),
        conditions=_conditions(profile),
        findings=advice.get("", ()),
        wounding=_wounding(unit, row, column),
        beside=compare(unit, other) if other else None,
    )


def usual_options(profile: Profile) -> tuple[str, ...]:
    """What the unit is looked at with: priced defaults, and the first choice of each group that needs one."""
    keys = list(choices.listed_on_purchase(profile))
    for options in choices.required_groups(profile).values():
        free = any(o.is_default and not o.points for o in options)
        if not free and not any(o.key in keys for o in options):
            keys.append(choices.cheapest(options).key)
    return tuple(keys)


def _facts(profile: Profile) -> tuple[str, ...]:
    facts = [wording.category_name(profile.category), wording.troop_name(profile.troop_type)]
    if profile.miniatures > 1:
        facts.append(f"{profile.miniatures} miniatures")
    if profile.is_special_character:
        facts.append("Special character")
    if profile.is_regiment_of_renown:
        facts.append("Regiment of renown")
    if profile.faction:
        facts.append(f"{profile.faction.capitalize()} faction")
    return tuple(facts)


def stat_pairs(system: System, stats: Mapping[str, Figure]) -> list[tuple[str, Figure]]:
    """A stat line in the printed order."""
    return [(stat.key, stats.get(stat.key)) for stat in system.stats]


def _role(line: Line, several: bool) -> str:
    words = [line.role] if several and line.role != "model" else []
    if line.count and line.count > 1:
        words.append(f"{line.count} of them")
    if line.barded_move is not None:
        words.append(f"Move {line.barded_move} with barding")
    return ", ".join(words)


def _rows(unit: Unit) -> tuple[Row, ...]:
    """The stat lines, the champion's after the model's with what differs; prices stand at the first line of each."""
    system, profile = unit.system, unit.profile
    several = len(profile.lines) > 1
    rows: list[Row] = []
    for place, line in enumerate(profile.lines):
        rows.append(_row(system, line, _role(line, several), profile.points if not place else ""))
        if not place and profile.champion and profile.champion.stats is not None:
            champion = profile.champion
            changed = [k for k, v in stat_pairs(system, champion.stats or {}) if v != line.stats.get(k)]
            rows.append({
                "name": champion.name,
                "note": "always present" if champion.is_always_present else "champion",
                "stats": stat_pairs(system, champion.stats or {}),
                "changed": changed,
                "extra": [("Pts", signed_price(champion.points))],
            })  # fmt: skip
    return tuple(rows)


def _row(system: System, line: Line, note: str, points: object) -> Row:
    return {
        "name": line.name, "note": note, "stats": stat_pairs(system, line.stats), "changed": [],
        "extra": [("Pts", " " if points == "" else points)],
    }  # fmt: skip


def signed_price(points: int) -> str:
    """A price that is added: +13, −2, +0."""
    return f"−{-points}" if points < 0 else f"+{points}"


def _mounts(unit: Unit) -> tuple[Row, ...]:
    rows: list[Row] = []
    for option in unit.profile.options:
        ridden = unit.army.ridden(option.mount) if option.mount else None
        if ridden is None:
            continue
        for place, line in enumerate(ridden.lines):
            name = line.name if len(ridden.lines) == 1 else f"{ridden.name}: {line.name}"
            notes = [_role(line, False), *(wording.key_words(flag).lower() for flag in sorted(ridden.flags) if not place)]
            points = signed_price(option.points) if not place else ""
            rows.append({**_row(unit.system, line, ", ".join(filter(None, notes)), points), "name": name})
    return tuple(rows)


def _about(names: Iterable[str], doubts: tuple[str, ...]) -> tuple[int, ...]:
    """Numbers of the doubts that speak of one of these names, from 1."""
    wanted = [name.casefold() for name in names if name]
    return tuple(n for n, doubt in enumerate(doubts, 1) if any(name in doubt.casefold() for name in wanted))


def _strength(unit: Unit) -> Figure:
    return next((line.stats.get("S") for line in unit.profile.lines if line.role != "mount"), None)


def _is_mounted(unit: Unit) -> bool | None:
    """True for riders, False for men on foot who may buy no mount, None where it depends."""
    if any(line.role == "rider" for line in unit.profile.lines):
        return True
    return None if any(option.mount for option in unit.profile.options) else False


def _carries(unit: Unit, doubts: tuple[str, ...]) -> tuple[Item, ...]:
    strength = _strength(unit)
    items = [
        Item(
            wording.item_name(unit.army, key), "included", wording.item_words(unit.army, key, strength, _is_mounted(unit)),
            _about([wording.item_name(unit.army, key)], doubts),
        )
        for key in unit.profile.default_items
    ]  # fmt: skip
    items += [Item(name, "included", "", _about([name], doubts)) for name in unit.profile.default_upgrades]
    if unit.profile.is_barded:
        items.append(Item("Barding", "included", "counted in the save"))
    return tuple(items)


def _takes(
    options: tuple[Option, ...], unit: Unit, doubts: tuple[str, ...], advice: Mapping[str, tuple[Finding, ...]]
) -> tuple[ItemGroup, ...]:
    """Options as the list groups them: what stands alone first, then each group of which only one is taken."""
    groups: dict[str, list[Option]] = {}
    for option in options:
        groups.setdefault(option.group if option.group and option.is_exclusive else "", []).append(option)
    loose = [("", groups.pop("", []))]
    found = [(name, members) for name, members in (*loose, *groups.items()) if members]
    return tuple(
        ItemGroup(
            wording.key_words(name) if len(members) > 1 else "",
            _group_rule(name, members),
            tuple(_option_item(o, unit, doubts, advice) for o in members),
        )
        for name, members in found
    )


def _group_rule(name: str, members: list[Option]) -> str:
    required = any(o.is_required for o in members)
    if not name or len(members) == 1:
        return "must be taken" if name and required else ""
    count = wording.number_word(len(members))
    return f"one of these {count} must be taken" if required else f"at most one of these {count}"


def _option_item(
    option: Option, unit: Unit, doubts: tuple[str, ...], advice: Mapping[str, tuple[Finding, ...]]
) -> Item:
    value = "included" if option.is_default and not option.points else signed_price(option.points)
    if not option.points and not option.is_default:
        value = "free"
    return Item(
        option.name,
        value,
        wording.option_words(option, unit.profile, unit.army, _strength(unit), _is_mounted(unit)),
        _about([option.name], doubts),
        _advice_words(advice.get(option.key, ())),
    )


def _command(unit: Unit, doubts: tuple[str, ...], advice: Mapping[str, tuple[Finding, ...]]) -> tuple[Item, ...]:
    items = []
    champion = unit.profile.champion
    for key, (name, points) in command_prices(unit.profile).items():
        note, about = "", _about([key.replace("-", " ")], doubts)
        if key == CHAMPION and champion and champion.stats is None:
            note = "no source prints its stat line"
        elif key == CHAMPION and champion and champion.is_always_present:
            note = "the list always has one"
        value = signed_price(points) if points else "free"
        items.append(Item(name, value, note, about, _advice_words(advice.get(key, ()))))
    return tuple(items)


def _magic(unit: Unit, doubts: tuple[str, ...]) -> tuple[Item, ...]:
    profile = unit.profile
    items = []
    if profile.is_wizard or profile.wizard_level:
        level = "not stated" if profile.wizard_level is None else str(profile.wizard_level)
        note = "none unless bought" if profile.wizard_level == 0 else ""
        items.append(Item("Wizard level", level, note, _about(["wizard"], doubts)))
    if profile.magic_allowance:
        items.append(Item("Magic items", f"up to {profile.magic_allowance} pts"))
    return tuple(items)


def _conditions(profile: Profile) -> tuple[str, ...]:
    """What the list says of how many, when and beside whom; regiments' figures that a skirmish does not use."""
    found = []
    if profile.requires_army:
        found.append(f"Only in these armies: {', '.join(profile.requires_army)}.")
    if profile.upgrade_of:
        names = ", ".join(wording.key_words(key) for key in profile.upgrade_of)
        found.append(f"Bought with: {names}.")
    for category, generals in profile.category_when:
        found.append(f"{wording.category_name(category)} with: {', '.join(generals)}.")
    if profile.army_max is not None:
        found.append(f"The list allows {profile.army_max} of these regiments in an army.")
    if profile.unit_size:
        low, high = profile.unit_size
        size = f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"
        found.append(f"Regiments of the full game hold {size} models; here every warrior is bought alone.")
    if profile.must_ride:
        found.append("It must ride one of its mounts.")
    source = profile.source
    if included := source.get("points_include"):
        found.append(f"Its price includes {_plain(included)}.")
    if depends := source.get("army_max_depends"):
        found.append(f"How many the list allows depends on {_plain(depends)}.")
    if hired := source.get("hired_as"):
        found.append(f"Hired by another army it counts as {wording.category_name(str(hired))}.")
    found += [f"{words}." for words in source.get("profile_when", ())]
    return tuple(found)


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{wording.key_words(str(k)).lower()} {v}" for k, v in value.items())
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else "other choices" if value is True else str(value)


def _sources(unit: Unit) -> tuple[tuple[str, str], ...]:
    """Where each kind of figure is from: pairs of what and the source's name, those from one source together."""
    names = {"profiles": "Stat lines", "points": "prices", "equipment": "equipment"}
    by_source: dict[str, list[str]] = {}
    for key, what in names.items():
        if value := unit.profile.source.get(key):
            by_source.setdefault(str(value), []).append(what)
    found = []
    for source, whats in by_source.items():
        words = wording.joined_and(whats)
        found.append((words[:1].upper() + words[1:], source))
    if stated := unit.profile.source.get("armour_save_stated"):
        found.append(("Armour save printed by the second source", f"{stated}+"))
    if unit.profile.champion and unit.profile.champion.source:
        found.append(("Champion", unit.profile.champion.source))
    return tuple(found)


def _findings(unit: Unit, options: tuple[str, ...]) -> tuple[Finding, ...]:
    entry = Entry(unit.profile.key, options=options)
    roster = Roster(unit.system.key, unit.army.key, warriors=(entry,))
    return tuple(f for f in check(roster, unit.system, unit.army) if not f.code.startswith(_NOT_THE_UNITS))


def _advice(unit: Unit) -> dict[str, tuple[Finding, ...]]:
    """What the guidelines find on the unit alone (under the empty key), and what each purchase would add to that."""
    if unit.profile.key not in unit.army.profiles:
        return {}
    usual = usual_options(unit.profile)
    alone = _findings(unit, usual)
    known = {f.code for f in alone}
    found = {"": alone}
    keys = [*command_prices(unit.profile), *(o.key for o in unit.profile.all_options)]
    for key in keys:
        found[key] = tuple(f for f in _findings(unit, (*usual, key)) if f.code not in known)
    return found


def _advice_words(findings: tuple[Finding, ...]) -> str:
    return ", ".join((f.title or f.code).rstrip(".") for f in findings)


def _wounding(unit: Unit, row: str | None, column: str | None) -> Wounding | None:
    chart = wounding_chart(unit.system)
    if chart is None:
        return None
    key = next((s.key for s in unit.system.stats if s.name.casefold() in chart.row_label.casefold()), "")
    own = next((line.stats.get(key) for line in unit.profile.lines if line.stats.get(key) is not None), None)
    own_row = str(own) if str(own) in chart.rows else None
    row = row or own_row or next(iter(chart.rows))
    column = column or (_USUAL_COLUMN if _USUAL_COLUMN in chart.columns else chart.columns[0])
    found = lit(unit.system, chart, row, column)
    who = next((line.name for line in unit.profile.lines if line.stats.get(key) is not None), unit.profile.name)
    return Wounding(found, who, str(own) if own is not None else "", _blows(unit, found))


def _blows(unit: Unit, found: LitChart) -> tuple[Blow, ...]:
    """What each weapon's Strength makes of the lit column, also where it is another when charging."""
    if unit.profile.key not in unit.army.profiles or found.column is None:
        return ()
    selection = select(unit.army, Entry(unit.profile.key, options=usual_options(unit.profile)))
    blows = []
    for arm in equipment.arms(selection, unit.army):
        for strength, when in ((arm.strength, ""), *_other_strengths(arm)):
            if isinstance(strength, int) and str(strength) in found.chart.rows:
                score = wording.score_words(found.chart.at(strength, found.column))
                blows.append(Blow(arm.name, when, strength, score or "cannot"))
    return tuple(dict.fromkeys(blows))


def _other_strengths(arm: equipment.Arm) -> list[tuple[int, str]]:
    """The Strengths among a weapon's notes: ``S4 charging`` gives (4, charging)."""
    found = []
    for note in arm.notes:
        head, _, when = note.partition(" ")
        if head[:1] == "S" and head[1:].isdigit():
            found.append((int(head[1:]), when))
    return found
