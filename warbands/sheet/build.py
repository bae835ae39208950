"""Reads a roster through the engine into the structure of its sheet."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter

from engine.equipment import armour_save, carried_weapons
from engine.findings.case import Finding
from engine.growth.campaign import find_kind
from engine.growth.rules import CampaignRules
from engine.growth.warriors import Joiner
from engine.morale import rout_threshold
from engine.records import Fields, TextPairs, Texts, copy_fields, grouped, named_values
from engine.roster import Roster
from engine.selection import Selection
from engine.stat_lines import carried_items, stat_lines
from engine.types.lists import COMMAND, Army, Figure, Profile, StatLine
from engine.types.mechanics import Movement
from engine.types.systems import Scenario, System
from rulesdata.agreements import ruling_sentences
from rulesdata.campaign_documents import find_default_rules, packed_rules
from rulesdata.queries.lookup import stat_pairs
from warbands.checks import CheckedRoster, check_roster
from warbands.sheet.reference import build_reference
from warbands.sheet.structure import (
    ExperienceTrack,
    RosterSheet,
    SecondTotal,
    SheetLine,
    SheetWarrior,
    UnitRanks,
)

UNKNOWN_PROFILE = Profile("", "", "", "", "", 0, ())
"""Stands for the profile of an entry that its army list does not have."""


def build_sheet(
    roster: Roster, system: System, army: Army, scenario: Scenario | None = None
) -> RosterSheet:
    """The sheet of a roster that was not checked yet."""
    return sheet_of_check(check_roster(roster, system, army, scenario))


def sheet_of_check(checked: CheckedRoster) -> RosterSheet:
    """The sheet of a checked roster, from its selections and findings; nobody's as yet."""
    roster, system, army = checked.roster, checked.system, checked.army
    findings = _findings_by_entry(checked)
    warriors: list[SheetWarrior] = []
    rules = _find_preset_rules(system, army)
    number = 1  # of the first miniature of an entry
    for selection in checked.selections:
        warriors.append(
            _warrior(selection, number, checked, findings.get(selection.index, ()), rules)
        )
        # A unit is one body.
        number += 1 if _is_unit(selection, checked) else selection.entry.count
    leaders = (
        selection.label for selection in checked.selections if selection.entry.is_leader
    )
    reference = build_reference(warriors, checked.selections, system, army)
    return RosterSheet(
        name=roster.name or "Unnamed warband",
        system_key=system.key,
        system_name=system.full_name,
        army_key=army.key,
        army_name=army.name,
        **named_values(system, "stats", "marks", "leader_name", "words"),
        **named_values(checked, "points", "models", "findings", "counts_points"),
        **named_values(roster, "points_limit", "note", "growth"),
        states=tuple(filter(attrgetter("is_ticked"), reference.states)),
        owner="",
        club="",
        leader=next(leaders, ""),
        rout=rout_threshold(checked.selections, system.rout) if system.rout else None,
        scenario=checked.scenario.name if checked.scenario else "",
        tags=tuple(tag.name for tag in system.tags if tag.key in roster.tags),
        house_rules=system.house_rules_in(roster.house_rules),
        rulings=ruling_sentences(system, roster.rulings),
        warriors=tuple(warriors),
        reference=reference,
        shows_saves=bool(system.saves),
        shows_wounds=bool(system.wounds_stat),
        is_of_units=system.regiments is not None,
        currency=army.currency,
        second=_second(checked),
        purse=tuple(currency.name for currency in rules.currencies) if rules else (),
    )


def _findings_by_entry(checked: CheckedRoster) -> dict[int, list[Finding]]:
    # Once for all: a roster may have thousands of findings.
    pairs = ((set(finding.warriors), finding) for finding in checked.findings)
    return grouped((index, finding) for indexes, finding in pairs for index in indexes)


def _second(checked: CheckedRoster) -> SecondTotal | None:
    """The second price of the roster, where its list has one and no campaign rates it."""
    price, total = checked.army.second_price, checked.second_price
    if price is None or total is None or checked.roster.growth:
        return None
    return SecondTotal(price.name, total)


def _is_unit(selection: Selection, checked: CheckedRoster) -> bool:
    """Whether the entry is a regiment: the system knows them, and it is no character, who stands
    alone.
    """
    profile = selection.profile
    if checked.system.regiments is None or profile is None:
        return False
    return profile.category not in checked.army.characters


def _ranks(selection: Selection, checked: CheckedRoster) -> UnitRanks | None:
    """The ranks of a regiment at full strength; those who ride get no bonus for them."""
    rules, models = checked.system.regiments, selection.miniatures
    if rules is None or not _is_unit(selection, checked):
        return None
    ranks = -(-models // rules.frontage)  # rounded up: the last rank may not be full
    bonus = 0 if selection.is_mounted else min(rules.most_rank_bonus, ranks - 1)
    return UnitRanks(models, ranks, min(rules.frontage, models), bonus)


def _warrior(
    selection: Selection,
    number: int,
    checked: CheckedRoster,
    findings: Sequence[Finding],
    rules: CampaignRules | None,
) -> SheetWarrior:
    system, army, entry = checked.system, checked.army, selection.entry
    profile = selection.profile or UNKNOWN_PROFILE
    lines = stat_lines(selection, army)
    model_stats = lines[0].stats if lines else {}
    printed = [
        copy_fields(
            SheetLine,
            line,
            cells=stat_cells(line, system),
            changed=_changed(line, system, selection),
            wounds=_whole(line.stats.get(system.wounds_stat)),
        )
        for line in lines
    ]
    growth = entry.growth
    if printed and growth:
        # A campaign changes the first line alone, which has the printed figures too.
        printed[0] = replace(
            printed[0],
            changed=printed[0].changed.union(change.stat for change in growth.changed),
            bases=tuple((change.stat, str(change.base)) for change in growth.changed),
        )
    return copy_fields(
        SheetWarrior,
        entry,
        **named_values(selection, "index", "title", "miniatures", "wizard_level"),
        **named_values(selection, "leadership", "points", "points_each", "receipt"),
        number=number,
        profile_key=entry.profile,
        subtitle=_subtitle(selection, army),
        is_known=selection.profile is not None,
        category=profile.category,
        lines=tuple(printed),
        wounds=_whole(model_stats.get(system.wounds_stat)),
        save=armour_save(selection, army, system.saves),
        arms=carried_weapons(selection, army),
        gear=_gear(selection, army),
        rules=_rules(selection),
        lores=profile.lores if selection.is_wizard else (),
        **_moves(selection, lines, checked),
        findings=tuple(findings),
        doubts=profile.doubts,
        ranks=_ranks(selection, checked),
        track=_track_experience(selection, army, rules) if rules else None,
    )


def _find_preset_rules(system: System, army: Army) -> CampaignRules | None:
    """The campaign rules of the system's own, where the list says who begins with experience."""
    packed = packed_rules().get(find_default_rules(system))
    is_ready = any(profile.joining.experience for profile in army.profiles.values())
    return packed.rules if packed and is_ready else None


def _track_experience(
    selection: Selection, army: Army, rules: CampaignRules
) -> ExperienceTrack | None:
    """The boxes of an entry: of its campaign, else what it begins with; None: it never learns."""
    entry, profile = selection.entry, selection.profile
    if profile is None or not profile.joining.gains_experience:
        return None
    category = army.category(profile.category)
    joiner = Joiner(
        key="",
        profile=profile.key,
        price=0,
        stats={},
        category=profile.category,
        troop_type=profile.troop_type,
        is_leader=entry.is_leader,
        is_hired=profile.is_hired,
        headings=(category.name, category.plural) if category else (),
    )
    kind = find_kind(rules, joiner)
    steps = entry.growth.steps if entry.growth else kind.steps
    if not steps:
        return None
    now = entry.growth.experience if entry.growth else profile.joining.experience
    return ExperienceTrack(now, steps, kind.is_group)


def _whole(figure: Figure) -> int | None:
    return figure if isinstance(figure, int) else None


def stat_cells(line: StatLine, system: System) -> TextPairs:
    """A stat line as (stat, figure) in printed order, dashes where it has no figure."""
    pairs = stat_pairs(system, line.stats)
    return tuple((key, "–" if figure is None else str(figure)) for key, figure in pairs)


def _changed(line: StatLine, system: System, selection: Selection) -> frozenset[str]:
    """The stats in which a bought line differs from the model's: a champion's, an option's."""
    profile = selection.profile
    if profile is None or line.role == "mount":
        return frozenset()
    if line.name in {line_of_model.name for line_of_model in profile.lines}:
        return frozenset()
    model = profile.lines[0].stats if profile.lines else {}
    keys = (stat.key for stat in system.stats)
    return frozenset(key for key in keys if line.stats.get(key) != model.get(key))


def _subtitle(selection: Selection, army: Army) -> str:
    profile = selection.profile
    if profile is None:
        return "not in this army list"
    parts = []
    if selection.has_champion:
        parts.append(f"champion of the {profile.name}")
    if selection.has("musician"):
        parts.append("musician")
    if selection.has("standard-bearer"):
        parts.append("standard bearer")
    if selection.is_wizard or selection.wizard_level:
        level = selection.wizard_level or "not stated"
        parts.append(f"wizard, level {level}")
    if profile.joining.upkeep is not None:
        parts.append(f"hired sword, upkeep {profile.joining.upkeep} {army.currency.short}")
    return ", ".join(parts)


def _gear(selection: Selection, army: Army) -> Texts:
    """Everything carried and bought in words, weapons first.

    The plain hand weapon is named only where it is all there is.
    """
    profile = selection.profile
    if profile is None:
        return ()
    keys = carried_items(selection)
    weapons = {key: army.weapons[key].name for key in keys if key in army.weapons}
    if len(weapons) > 1:
        weapons.pop("hand-weapon", None)
    names = [
        *weapons.values(),
        *(army.armour[key].name for key in keys if key in army.armour),
    ]
    names += _purchases(selection, profile, names)
    names += [item.name for item in selection.magic_items]
    return tuple(dict.fromkeys((*names, *profile.default_upgrades)))


def _purchases(selection: Selection, profile: Profile, carried: Iterable[str]) -> list[str]:
    """Return the options that are bought and no item, or a second piece of one that comes free."""
    listed = {name.casefold() for name in carried}
    names = []
    for option in (*selection.options, *selection.champions_options):
        if not option.items:
            # A wizard's level stands elsewhere.
            is_named = option.kind != "magic-level"
        else:
            is_second = not option.is_default and {*option.items} <= {
                *profile.default_items
            }
            is_named = is_second and option.name.casefold() not in listed
        if is_named:
            names.append(option.name)
    return names


def _rules(selection: Selection) -> Texts:
    profile = selection.profile
    if profile is None:
        return ()
    # Champions, musicians and standards stand beside the name.
    left_out = set(COMMAND).union(*(option.takes_away for option in selection.options))
    granted = chain.from_iterable(option.grants for option in selection.options)
    rules = [*profile.special_rules, *profile.mount_rules, *granted]
    names = {rule.lower() for rule in rules}
    names |= {f"causes {name}" for name in names}
    flags = sorted(profile.flags - {"special_character"})
    flag_names = (flag.replace("_", " ").capitalize() for flag in flags)
    rules += [rule for rule in flag_names if rule.lower() not in names]
    return tuple(dict.fromkeys(rule for rule in rules if rule not in left_out))


def _moves(
    selection: Selection, lines: Sequence[StatLine], checked: CheckedRoster
) -> Fields:
    """How far a warrior gets in inches, by the field of its line: on its mount where it has one,
    else on foot; None and "" where there is no such figure.
    """
    rules = checked.system.movement
    moves: Fields = dict.fromkeys(("move", "run", "charge", "spotting"))
    moves |= {"flight": "", "run_name": rules.run_name if rules else ""}
    if rules is None or not lines:
        return moves
    moves["spotting"] = _whole(lines[0].stats.get(rules.spotting_stat))
    mount = next((line for line in lines if line.role == "mount"), None)
    if mount is None:
        move = _move_on_foot(selection, lines[0], rules, checked.army)
    else:
        # What barding takes off is printed as a figure of the mount's own.
        profiles = filter(None, (selection.profile, selection.mount))
        move = mount.barded_move if any(profile.is_barded for profile in profiles) else None
        move = _whole(mount.stats.get(rules.move_stat)) if move is None else move
    if move is not None:
        moves |= {"move": move, "run": move * rules.run, "charge": move * rules.charge}
        moves["flight"] = _flight(selection, move, rules)
    return moves


def _move_on_foot(
    selection: Selection, line: StatLine, rules: Movement, army: Army
) -> int | None:
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
    dice = (dice for highest, dice in rules.flight if highest is None or move <= highest)
    return next(dice, "")


def with_findings(sheet: RosterSheet, findings: tuple[Finding, ...]) -> RosterSheet:
    """The same sheet with other findings at its head and at its warriors; all else stays as it was
    worked out.
    """
    warriors = tuple(
        replace(warrior, findings=tuple(f for f in findings if warrior.index in f.warriors))
        for warrior in sheet.warriors
    )
    return replace(sheet, findings=findings, warriors=warriors)
