"""Reads a roster through the engine into the structure of its sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from engine.equipment import armour_save, carried_items, carried_weapons
from engine.findings.case import Finding
from engine.morale import rout_threshold
from engine.roster import Roster
from engine.selection import Selection, stat_lines
from engine.types.lists import (
    COMMAND,
    Armour,
    Army,
    Figure,
    MagicItem,
    Option,
    Profile,
    StatLine,
    Weapon,
)
from engine.types.mechanics import Movement
from engine.types.systems import Scenario, System
from warbands.checks import CheckedRoster, check_roster
from warbands.sheet.reference import build_reference
from warbands.sheet.structure import RosterSheet, SheetDetails, SheetLine, SheetWarrior, UnitRanks

UNKNOWN_PROFILE = Profile("", "", "", "", "", 0, ())
"""Stands for the profile of an entry that its army list does not have."""


def build_sheet(
    roster: Roster,
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    details: SheetDetails | None = None,
) -> RosterSheet:
    """The sheet of a roster that was not checked yet."""
    return sheet_of_check(check_roster(roster, system, army, scenario), details)


def sheet_of_check(checked: CheckedRoster, details: SheetDetails | None = None) -> RosterSheet:
    """The sheet of a checked roster, from its selections and findings."""
    roster, system, army = checked.roster, checked.system, checked.army
    details = details or SheetDetails()
    numbers = _first_numbers(checked)
    warriors = tuple(
        _warrior(selection, numbers[selection.index], checked) for selection in checked.selections
    )
    leaders = (one.label for one in checked.selections if one.entry.is_leader)
    reference = build_reference(warriors, checked.selections, system)
    return RosterSheet(
        name=roster.name or "Warband without a name",
        system_key=system.key,
        system_name=system.full_name,
        army_key=army.key,
        army_name=army.name,
        stats=system.stats,
        states=reference.states,
        marks=system.marks,
        owner=details.owner,
        club=details.club,
        points=checked.points,
        points_limit=roster.points_limit,
        models=checked.models,
        leader=next(leaders, ""),
        rout=rout_threshold(checked.selections, system.rout) if system.rout else None,
        scenario=checked.scenario.name if checked.scenario else "",
        tags=tuple(tag.name for tag in system.tags if tag.key in roster.tags),
        house_rules=_house_rules(roster, system),
        warriors=warriors,
        findings=checked.findings,
        reference=reference,
        note=roster.note,
        version=details.version,
        printed_on=details.printed_on,
        url=details.url,
        is_opponents_copy=details.is_opponents_copy,
        counts_points=checked.counts_points,
        shows_saves=bool(system.saves),
        shows_wounds=bool(system.wounds_stat),
        leader_name=system.leader_name,
        is_of_units=system.regiments is not None,
        words=system.words,
    )


def _first_numbers(checked: CheckedRoster) -> dict[int, int]:
    """The number of the first miniature of each entry, by the entry's index; a unit is one body."""
    numbers, number = {}, 1
    for selection in checked.selections:
        numbers[selection.index] = number
        is_one = _is_unit(selection, checked.system, checked.army)
        number += 1 if is_one else selection.entry.count
    return numbers


def _house_rules(roster: Roster, system: System) -> tuple[str, ...]:
    """The names of the house rules that are on."""
    agreed = roster.house_rules
    return tuple(one.name for one in system.house_rules if agreed.get(one.key, one.default))


def _is_unit(selection: Selection, system: System, army: Army) -> bool:
    """Whether the entry is a regiment: the system knows them, and it is no character, who stands
    alone.
    """
    profile = selection.profile
    return (
        system.regiments is not None
        and profile is not None
        and profile.category not in army.characters
    )


def _ranks(selection: Selection, system: System, army: Army) -> UnitRanks | None:
    """The ranks of a regiment at full strength; those who ride get no bonus for them."""
    rules = system.regiments
    if rules is None or not _is_unit(selection, system, army):
        return None
    ranks = -(-selection.miniatures // rules.frontage)
    bonus = 0 if selection.is_mounted else min(rules.most_rank_bonus, ranks - 1)
    return UnitRanks(selection.miniatures, ranks, min(rules.frontage, selection.miniatures), bonus)


def _warrior(selection: Selection, number: int, checked: CheckedRoster) -> SheetWarrior:
    system, army, entry = checked.system, checked.army, selection.entry
    profile = selection.profile or UNKNOWN_PROFILE
    lines = stat_lines(selection)
    own = lines[0].stats if lines else {}
    moves = _moves(selection, lines, system, army)
    return SheetWarrior(
        index=selection.index,
        id=entry.id,
        number=number,
        profile_key=entry.profile,
        title=selection.title,
        name=entry.name,
        names=entry.names,
        subtitle=_subtitle(selection),
        count=entry.count,
        miniatures=selection.miniatures,
        is_leader=entry.is_leader,
        is_known=selection.profile is not None,
        category=profile.category,
        lines=tuple(_sheet_line(line, system, selection) for line in lines),
        wounds=_whole(own.get(system.wounds_stat)),
        save=armour_save(selection, army, system.saves),
        arms=carried_weapons(selection, army),
        gear=_gear(selection, army),
        rules=_rules(selection),
        options=entry.options,
        lore=entry.lore,
        lores=profile.lores if selection.is_wizard else (),
        wizard_level=selection.wizard_level,
        leadership=selection.leadership,
        move=moves.move,
        run=moves.run,
        charge=moves.charge,
        spotting=moves.spotting,
        flight=moves.flight,
        points=selection.points,
        points_each=selection.points_each,
        receipt=selection.receipt,
        note=entry.note,
        findings=tuple(one for one in checked.findings if selection.index in one.warriors),
        doubts=profile.doubts,
        run_name=system.movement.run_name if system.movement else "",
        ranks=_ranks(selection, system, army),
    )


def _whole(figure: Figure) -> int | None:
    return figure if isinstance(figure, int) else None


def _sheet_line(line: StatLine, system: System, selection: Selection) -> SheetLine:
    figures = [(stat.key, line.stats.get(stat.key)) for stat in system.stats]
    cells = tuple((key, "–" if figure is None else str(figure)) for key, figure in figures)
    wounds = _whole(line.stats.get(system.wounds_stat))
    return SheetLine(
        line.name, line.role, cells, _changed(line, system, selection), line.count, wounds
    )


def _changed(line: StatLine, system: System, selection: Selection) -> frozenset[str]:
    """The stats in which a bought line differs from the model's: a champion's, an option's."""
    profile = selection.profile
    if profile is None or line.role == "mount":
        return frozenset()
    if line.name in {own.name for own in profile.lines}:
        return frozenset()
    model = profile.lines[0].stats if profile.lines else {}
    keys = (stat.key for stat in system.stats)
    return frozenset(key for key in keys if line.stats.get(key) != model.get(key))


def _subtitle(selection: Selection) -> str:
    profile = selection.profile
    if profile is None:
        return "not in this army list"
    words = []
    if selection.has_champion:
        words.append(f"champion of the {profile.name}")
    words += [
        name
        for key, name in (("musician", "musician"), ("standard-bearer", "standard bearer"))
        if selection.has(key)
    ]
    if selection.wizard_level:
        words.append(f"wizard, level {selection.wizard_level}")
    elif selection.is_wizard:
        words.append("wizard, level not stated")
    return ", ".join(words)


def _gear(selection: Selection, army: Army) -> tuple[str, ...]:
    """Everything carried and bought in words, weapons first.

    The plain hand weapon is named only where it is all there is.
    """
    profile = selection.profile
    if profile is None:
        return ()
    keys = carried_items(selection)
    armed = [key for key in keys if key in army.weapons]
    weapons = [key for key in armed if key != "hand-weapon"] or armed
    bought = filter(_is_told_by_name, (*selection.options, *selection.champions_options))
    armour = (army.armour[key] for key in keys if key in army.armour)
    things: tuple[Weapon | Armour | Option | MagicItem, ...] = (
        *(army.weapons[key] for key in weapons),
        *armour,
        *bought,
        *selection.magic_items,
    )
    names = (*(one.name for one in things), *profile.default_upgrades)
    return tuple(dict.fromkeys(names))


def _is_told_by_name(option: Option) -> bool:
    """Whether an option is told of as gear: its items and a wizard's level stand elsewhere."""
    return not option.items and option.kind != "magic-level"


def _rules(selection: Selection) -> tuple[str, ...]:
    profile = selection.profile
    if profile is None:
        return ()
    left_out = set(COMMAND).union(*(option.takes_away for option in selection.options))
    granted = chain.from_iterable(option.grants for option in selection.options)
    rules = [*profile.special_rules, *profile.mount_rules, *granted]
    known = {rule.lower() for rule in rules}
    rules += [words for words in _flag_words(profile) if words.lower() not in known]
    return tuple(dict.fromkeys(rule for rule in rules if rule not in left_out))


def _flag_words(profile: Profile) -> list[str]:
    shown = sorted(profile.flags - {"special_character"})
    return [flag.replace("_", " ").capitalize() for flag in shown]


@dataclass(frozen=True, slots=True)
class _Moves:
    """Distances in inches and the dice of a flight; None and "" where there are none."""

    move: int | None = None
    run: int | None = None
    charge: int | None = None
    spotting: int | None = None
    flight: str = ""


def _moves(selection: Selection, lines: Sequence[StatLine], system: System, army: Army) -> _Moves:
    """How far a warrior gets: on its mount where it has one, else on foot."""
    rules = system.movement
    if rules is None or not lines:
        return _Moves()
    spotting = _whole(lines[0].stats.get(rules.spotting_stat))
    mount = next((line for line in lines if line.role == "mount"), None)
    move = _move_on_foot(selection, lines[0], rules, army)
    if mount is not None:
        move = _mounts_move(selection, mount, rules)
    if move is None:
        return _Moves(spotting=spotting)
    flight = _flight(selection, move, rules)
    return _Moves(move, move * rules.run, move * rules.charge, spotting, flight)


def _mounts_move(selection: Selection, mount: StatLine, rules: Movement) -> int | None:
    """The mount's move; what barding takes off is printed as a figure of the mount's own."""
    profiles = (one for one in (selection.profile, selection.mount) if one)
    if mount.barded_move is not None and any(one.is_barded for one in profiles):
        return mount.barded_move
    return _whole(mount.stats.get(rules.move_stat))


def _move_on_foot(selection: Selection, line: StatLine, rules: Movement, army: Army) -> int | None:
    """The move of who walks, slowed by armour that slows, never below 0."""
    move = _whole(line.stats.get(rules.move_stat))
    if move is None:
        return None
    worn = (army.armour[key] for key in carried_items(selection) if key in army.armour)
    slowed: int = sum(piece.traits.get("move", 0) for piece in worn)
    return max(0, move + slowed)


def _flight(selection: Selection, move: int, rules: Movement) -> str:
    """The dice of a flight: those of the saddle where the text asks for it, else by the move."""
    if selection.is_mounted and rules.mounted_flight:
        return rules.mounted_flight
    found = (dice for highest, dice in rules.flight if highest is None or move <= highest)
    return next(found, "")


def with_findings(sheet: RosterSheet, findings: tuple[Finding, ...]) -> RosterSheet:
    """The same sheet with other findings at its head and at its warriors; all else stays as it was
    worked out.
    """
    warriors = tuple(
        replace(warrior, findings=tuple(f for f in findings if warrior.index in f.warriors))
        for warrior in sheet.warriors
    )
    return replace(sheet, findings=findings, warriors=warriors)
