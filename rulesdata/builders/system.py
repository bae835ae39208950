"""An army list as a rule system fields it: with the system's own weapons, armour and options.

Pure.
"""

from collections.abc import Iterator
from dataclasses import replace

import re2

from engine.records import Fields
from engine.roster import PRINTED, Agreement
from engine.types.lists import (
    Army,
    Profile,
    Stat,
)
from engine.types.mechanics import (
    Chart,
    Guideline,
    HouseRule,
    Movement,
    Phase,
    Regiments,
    RollTable,
    Rout,
    RuleNote,
    Ruling,
    State,
    TableRow,
    Transition,
    Yardstick,
)
from engine.types.systems import (
    PLAIN_WORDS,
    Scenario,
    System,
    SystemWords,
    Tag,
    Variant,
)
from rulesdata.builders import army
from rulesdata.builders.battle import combat
from rulesdata.pack_files.folders import SystemPack
from rulesdata.schema import system as s
from rulesdata.schema.base import to_engine_tuple
from rulesdata.schema.equipment import EquipmentFile


def with_system_equipment(army: Army, system: System) -> Army:
    """The list with the system's figures in the place of those of the same item, and its options
    beside the list's.

    A list keeps its own option where the system's has the same key. The list itself where the
    system changes nothing.
    """
    # The same army serves several systems, so nothing of it is changed in place.
    paid_once = system.unit_options_paid == "once"
    attacks = (system.two_weapon_attacks, system.two_handed_attacks)
    has_gear = system.weapons or system.armour or system.options
    is_changed = has_gear or paid_once or any(attacks)
    if not is_changed and army.house_rules.isdisjoint(system.agreed.house_rules):
        return army
    return replace(
        army,
        unit_options_once=paid_once,
        two_weapon_attacks=system.two_weapon_attacks,
        two_handed_attacks=system.two_handed_attacks,
        weapons={**army.weapons, **system.weapons},
        armour={**army.armour, **system.armour},
        profiles={
            key: _with_house_rules(_with_system_options(profile, system), system)
            for key, profile in army.profiles.items()
        },
    )


def _with_system_options(profile: Profile, system: System) -> Profile:
    """Return a profile with the options its system sells to this troop type."""
    if profile.troop_type not in system.options_for:
        return profile
    known = {option.key for option in profile.all_options}
    more = tuple(option for option in system.options if option.key not in known)
    return replace(profile, options=(*profile.options, *more)) if more else profile


def _with_house_rules(profile: Profile, system: System) -> Profile:
    """The profile with the groups shut that a house rule of the system's agreement shuts."""
    played = system.agreed.house_rules
    if not any(option.house_rule in played for option in profile.options):
        return profile
    # The same profile serves every agreement, so nothing of it is changed in place.
    options = (
        replace(option, house_rule="") if option.house_rule in played else option
        for option in profile.options
    )
    return replace(profile, options=tuple(options))


AGREED = "Agreed"
# How the source of a note names a ruling.
_RULING = re2.compile(r"\bRuling ([CG]\d+(?:-\d+)?)\b")


def system(pack: SystemPack, agreed: Agreement = PRINTED) -> System:
    """The rule system of a pack that was read under this agreement.

    Raises PackError where one of its files has a fault.
    """
    head, charts = pack.need(s.SystemFile), pack.need(s.ChartsFile)
    states = pack.need(s.StatesFile)
    scenarios = pack.need(s.ScenariosFile).scenarios
    variant = next((v for v in head.variants if v.id == pack.reader.variant), None)
    return head.to_engine(
        System,
        variant=variant.id if variant else None,
        variant_name=variant.name if variant else "",
        charts={record.id: chart(record) for record in charts.charts},
        tables={record.id: table(record) for record in charts.tables},
        guidelines=tuple(guideline(r) for r in pack.need(s.GuidelinesFile).guidelines),
        house_rules=to_engine_tuple(pack.need(s.HouseRulesFile).house_rules, HouseRule),
        rulings=_rulings(pack, agreed),
        states=to_engine_tuple(states.states, State),
        transitions=tuple(transition(record) for record in states.transitions),
        notes=(
            *_notes(pack),
            *_agreed_notes(pack, agreed),
        ),
        agreed=agreed,
        scenarios={record.id: scenario(record, head.id) for record in scenarios},
        combat=combat(head, charts, pack.need(s.CombatFile)),
        **_frame(head),
        **_optional_parts(head),
        **_equipment(pack.need(EquipmentFile), head.source),
    )


def _rulings(pack: SystemPack, agreed: Agreement) -> tuple[Ruling, ...]:
    """The rulings, with what was agreed in the place of the text's own."""
    chosen = dict(agreed.rulings)
    rulings = to_engine_tuple(pack.need(s.RulingsFile).rulings, Ruling)
    return tuple(
        one.agreed(chosen[one.ref]) if one.ref in chosen else one for one in rulings
    )


def _notes(pack: SystemPack) -> Iterator[RuleNote]:
    """The rules in short; one that stands on a ruling names it by its title, not by its ref."""
    titles = {record.ref: record.title for record in pack.need(s.RulingsFile).rulings}
    for note in to_engine_tuple(pack.need(s.NotesFile).notes, RuleNote):
        source = _RULING.sub(lambda found: f"Ruling “{titles[found[1]]}”", note.source)
        yield replace(note, source=source)


def _agreed_notes(pack: SystemPack, agreed: Agreement) -> Iterator[RuleNote]:
    """A sentence for each thing agreed that no rule in short tells already."""
    # Where the words of a rule were changed it says what is played by itself.
    told = {one.id for one in pack.reader.chosen if one.words}
    for ref, place in agreed.rulings:
        if f"{ref}.{place}" not in told:
            ruling = next(r for r in pack.need(s.RulingsFile).rulings if r.ref == ref)
            text = ruling.alternatives[place - 1]
            yield RuleNote(f"agreed-{ref.lower()}", ruling.title, text, AGREED)
    for rule in pack.need(s.HouseRulesFile).house_rules:
        if rule.id in agreed.house_rules and rule.id not in told:
            key = rule.id.replace("_", "-")
            yield RuleNote(f"agreed-{key}", rule.name, rule.summary, AGREED)


def _frame(head: s.SystemFile) -> Fields:
    """What system.yaml says under another name, or in records."""
    return {
        "stats": to_engine_tuple(head.stats, Stat),
        "wounds_stat": head.wounds_stat or "",
        "leadership_stat": head.leadership_stat or "",
        # null is a limit too: none. So it may not give way to a default.
        "default_limit": head.default_limit,
        "phases": to_engine_tuple(head.phases, Phase),
        "variants": to_engine_tuple(head.variants, Variant),
        "tags": to_engine_tuple(head.tags, Tag),
        "leader_name": head.leader or "",
        "are_points_optional": head.points_optional,
    }


def _optional_parts(head: s.SystemFile) -> Fields:
    """What a system may do without: null in its file or left out."""
    return {
        "rout": head.rout.to_engine(Rout) if head.rout else None,
        "movement": movement(head.movement) if head.movement else None,
        "saves": head.saves.model_dump(exclude_none=True) if head.saves else {},
        "regiments": head.regiments.to_engine(Regiments) if head.regiments else None,
        "yardstick": head.yardstick.to_engine(Yardstick) if head.yardstick else None,
        "words": head.words.to_engine(SystemWords) if head.words else PLAIN_WORDS,
    }


def _equipment(file: EquipmentFile, text: str) -> Fields:
    """Weapons, armour and options of the system's own; ``text`` is the name of its text."""
    weapons = (army.weapon(record, f"{text}, {record.source}") for record in file.weapons)
    pieces = (army.armour(record, f"{text}, {record.source}") for record in file.armour)
    return {
        "weapons": {weapon.key: weapon for weapon in weapons},
        "armour": {piece.key: piece for piece in pieces},
        "options": tuple(army.option(record) for record in file.options),
        "options_for": tuple(file.options_for),
    }


def movement(record: s.MovementRecord) -> Movement:
    flight = tuple((step.up_to, step.dice) for step in record.flight)
    return record.to_engine(
        Movement, flight=flight, spotting_stat=record.spotting_stat or ""
    )


def chart(record: s.ChartRecord) -> Chart:
    rows = {name: tuple(row) for name, row in record.rows.items()}
    return record.to_engine(Chart, rows=rows)


def table(record: s.TableRecord) -> RollTable:
    return record.to_engine(RollTable, rows=to_engine_tuple(record.rows, TableRow))


def guideline(record: s.GuidelineRecord) -> Guideline:
    return record.to_engine(Guideline, parameters=record.parameters.given())


def transition(record: s.TransitionRecord) -> Transition:
    return record.to_engine(Transition, source_states=tuple(record.before), to=record.after)


def scenario(record: s.ScenarioRecord, system_key: str) -> Scenario:
    sides = tuple(side.model_dump(exclude_defaults=True) for side in record.sides)
    has_rules = bool(record.sets)
    return record.to_engine(Scenario, system=system_key, sides=sides, has_rules=has_rules)
