"""Reads a roster through the engine into the structure of its sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.equipment import armour_save, carried_items, carried_weapons
from engine.findings import NO_POLICY, Finding, Policy, check_selections
from engine.morale import rout_threshold
from engine.roster import Roster
from engine.selection import Selection, counts_points, select_all, stat_lines, total_points
from engine.types import COMMAND, Army, Figure, Scenario, StatLine, System
from warbands.sheet.reference import build_reference
from warbands.sheet.structure import RosterSheet, SheetDetails, SheetLine, SheetWarrior, UnitRanks


@dataclass(frozen=True, slots=True)
class _Context:
    system: System
    army: Army
    findings: tuple[Finding, ...] = ()
    models_before: Mapping[int, int] = field(default_factory=dict)


def build_sheet(
    roster: Roster,
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    details: SheetDetails | None = None,
    findings: tuple[Finding, ...] | None = None,
    policy: Policy = NO_POLICY,
) -> RosterSheet:
    """The sheet of a roster under a system and an army list, with policy and waivers applied to its
    findings.

    ``findings`` are those of this very roster where they were asked for already.
    """
    details = details or SheetDetails()
    selections = select_all(army, roster.warriors)
    if findings is None:
        findings = check_selections(roster, selections, system, army, scenario, policy)
    numbers, number = {}, 1
    for selection in selections:
        numbers[selection.index] = number
        number += 1 if _is_unit(selection, system, army) else selection.entry.count
    context = _Context(system, army, findings, numbers)
    warriors = tuple(_warrior(selection, context) for selection in selections)
    leader = next((s.label for s in selections if s.entry.is_leader), "")
    reference = build_reference(warriors, selections, system)
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
        points=total_points(selections, roster.points_limit, system),
        points_limit=roster.points_limit,
        models=sum(s.miniatures for s in selections),
        leader=leader,
        rout=rout_threshold(selections, system.rout) if system.rout else None,
        scenario=scenario.name if scenario else "",
        tags=tuple(tag.name for tag in system.tags if tag.key in roster.tags),
        house_rules=tuple(
            r.name for r in system.house_rules if roster.house_rules.get(r.key, r.default)
        ),
        warriors=warriors,
        findings=findings,
        reference=reference,
        note=roster.note,
        version=details.version,
        printed_on=details.printed_on,
        url=details.url,
        is_opponents_copy=details.is_opponents_copy,
        counts_points=counts_points(roster.points_limit, system),
        shows_saves=bool(system.saves),
        shows_wounds=bool(system.wounds_stat),
        leader_name=system.leader_name,
        is_of_units=system.regiments is not None,
        words=system.words,
    )


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


def _warrior(selection: Selection, context: _Context) -> SheetWarrior:
    system, army, entry = context.system, context.army, selection.entry
    profile = selection.profile
    lines = stat_lines(selection)
    own = lines[0] if lines else None
    keys = carried_items(selection)
    moves = _moves(selection, lines, system, army)
    return SheetWarrior(
        index=selection.index,
        id=entry.id,
        number=context.models_before[selection.index],
        profile_key=entry.profile,
        title=selection.title,
        name=entry.name,
        names=entry.names,
        subtitle=_subtitle(selection),
        count=entry.count,
        miniatures=selection.miniatures,
        is_leader=entry.is_leader,
        is_known=profile is not None,
        category=profile.category if profile else "",
        lines=tuple(_sheet_line(line, system, selection) for line in lines),
        wounds=_whole(own.stats.get(system.wounds_stat)) if own else None,
        save=armour_save(selection, army, system.saves),
        arms=carried_weapons(selection, army),
        gear=_gear(selection, keys, army),
        rules=_rules(selection),
        options=entry.options,
        lore=entry.lore,
        lores=profile.lores if profile and selection.is_wizard else (),
        wizard_level=selection.wizard_level,
        leadership=selection.leadership,
        points=selection.points,
        points_each=selection.points_each,
        receipt=selection.receipt,
        note=entry.note,
        findings=tuple(f for f in context.findings if selection.index in f.warriors),
        doubts=profile.doubts if profile else (),
        run_name=system.movement.run_name if system.movement else "",
        ranks=_ranks(selection, system, army),
        **moves,
    )


def _whole(figure: Figure) -> int | None:
    return figure if isinstance(figure, int) else None


def _sheet_line(line: StatLine, system: System, selection: Selection) -> SheetLine:
    model = (
        selection.profile.lines[0].stats if selection.profile and selection.profile.lines else {}
    )
    changed: frozenset[str] = frozenset()
    if (
        line.role != "mount"
        and selection.profile
        and line.name not in {own.name for own in selection.profile.lines}
    ):
        changed = frozenset(
            s.key for s in system.stats if line.stats.get(s.key) != model.get(s.key)
        )
    cells = tuple(
        (s.key, "–" if line.stats.get(s.key) is None else str(line.stats[s.key]))
        for s in system.stats
    )
    wounds = _whole(line.stats.get(system.wounds_stat))
    return SheetLine(line.name, line.role, cells, changed, line.count, wounds)


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


def _gear(selection: Selection, keys: Sequence[str], army: Army) -> tuple[str, ...]:
    """Everything carried and bought in words, weapons first, the plain hand weapon only when it is
    all there is.
    """
    profile = selection.profile
    if profile is None:
        return ()
    weapons = [army.weapons[k].name for k in keys if k in army.weapons and k != "hand-weapon"]
    armour = [army.armour[k].name for k in keys if k in army.armour]
    others = [
        o.name
        for o in (*selection.options, *selection.champions_options)
        if not o.items and o.kind != "magic-level"
    ]
    items = [item.name for item in selection.magic_items]
    found = [*weapons, *armour, *others, *items, *profile.default_upgrades]
    if not weapons and "hand-weapon" in keys:
        found.insert(0, army.weapons["hand-weapon"].name)
    return tuple(dict.fromkeys(found))


def _rules(selection: Selection) -> tuple[str, ...]:
    profile = selection.profile
    if profile is None:
        return ()
    taken = {rule for o in selection.options for rule in o.takes_away}
    granted = [rule for o in selection.options for rule in o.grants]
    flags = [
        flag.replace("_", " ").capitalize()
        for flag in sorted(profile.flags)
        if flag != "special_character"
    ]
    rules = [*profile.special_rules, *profile.mount_rules, *granted]
    known = {rule.lower() for rule in rules}
    rules += [flag for flag in flags if flag.lower() not in known]
    return tuple(dict.fromkeys(rule for rule in rules if rule not in taken and rule not in COMMAND))


def _moves(
    selection: Selection, lines: Sequence[StatLine], system: System, army: Army
) -> dict[str, Any]:
    """Move, run, charge and spotting in inches and the flight dice; the mount's move where there is
    a mount.

    Armour that slows slows who walks in it; what barding takes off is the mount's own figure.
    """
    nothing: dict[str, Any] = {
        "move": None,
        "run": None,
        "charge": None,
        "spotting": None,
        "flight": "",
    }
    rules = system.movement
    if rules is None or not lines:
        return nothing
    mounts = [line for line in lines if line.role == "mount"]
    carrier = mounts[0] if mounts else lines[0]
    move = _whole(carrier.stats.get(rules.move_stat))
    profile = selection.profile
    barded = profile is not None and (
        profile.is_barded or (selection.mount is not None and selection.mount.is_barded)
    )
    if mounts and barded and carrier.barded_move is not None:
        move = carrier.barded_move
    if move is None:
        return {**nothing, "spotting": _whole(lines[0].stats.get(rules.spotting_stat))}
    if not mounts:
        worn = [
            army.armour[key].traits.get("move", 0)
            for key in carried_items(selection)
            if key in army.armour
        ]
        move = max(0, move + sum(worn))
    flight = next(
        (dice for highest, dice in rules.flight if highest is None or move <= highest), ""
    )
    if selection.is_mounted and rules.mounted_flight:
        flight = rules.mounted_flight
    return {
        "move": move,
        "run": move * rules.run,
        "charge": move * rules.charge,
        "spotting": _whole(lines[0].stats.get(rules.spotting_stat)),
        "flight": flight,
    }


def with_findings(sheet: RosterSheet, findings: tuple[Finding, ...]) -> RosterSheet:
    """The same sheet with other findings at its head and at its warriors; all else stays as it was
    worked out.
    """
    warriors = tuple(
        replace(warrior, findings=tuple(f for f in findings if warrior.index in f.warriors))
        for warrior in sheet.warriors
    )
    return replace(sheet, findings=findings, warriors=warriors)
