"""An army list as a rule system fields it: with the system's own weapons, armour and options.

Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from engine.types.lists import Armour, Army, Profile, Stat, Weapon
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
from engine.types.systems import PLAIN_WORDS, Scenario, System, SystemWords, Tag, Variant
from rulesdata.builders import army
from rulesdata.builders import combat as fighting
from rulesdata.pack_files.folders import PackError, SystemPack
from rulesdata.schema import system as s

File = TypeVar("File")


def with_system_equipment(army: Army, system: System) -> Army:
    """The list with the system's figures in the place of those of the same item, and its options
    beside the list's.

    A list keeps its own option where the system's has the same key. The list itself where the
    system changes nothing.
    """
    paid_once = system.unit_options_paid == "once"
    if not (system.weapons or system.armour or system.options or paid_once):
        return army
    return replace(
        army,
        unit_options_once=paid_once,
        weapons={**army.weapons, **system.weapons},
        armour={**army.armour, **system.armour},
        profiles={
            key: _with_system_options(profile, system) for key, profile in army.profiles.items()
        },
    )


def _with_system_options(profile: Profile, system: System) -> Profile:
    if profile.troop_type not in system.options_for:
        return profile
    known = {option.key for option in profile.all_options}
    more = tuple(option for option in system.options if option.key not in known)
    return replace(profile, options=(*profile.options, *more)) if more else profile


def system(pack: SystemPack) -> System:
    """The rule system of a pack. Raises PackError where one of its files has a fault."""
    head, charts = _sound(pack, pack.system), _sound(pack, pack.charts)
    parts = {
        **_frame(head),
        **_optional_parts(head),
        **_rolls_and_states(charts, _sound(pack, pack.states)),
        **_agreements(pack),
        **_texts(pack, head.id),
        **_equipment(_sound(pack, pack.equipment), head.source),
    }
    variant = next((v for v in head.variants if v.id == pack.reader.variant), None)
    return head.to_engine(
        System,
        key=head.id,
        variant=variant.id if variant else None,
        variant_name=variant.name if variant else "",
        combat=fighting.combat(head, charts, _sound(pack, pack.combat)),
        **parts,
    )


def _sound(pack: SystemPack, file: File | None) -> File:
    """The file of a pack. Raises PackError with the faults of all where it has one."""
    if file is None:
        raise PackError(pack.reader.faults)
    return file


def _frame(head: s.SystemFile) -> dict[str, Any]:
    """What system.yaml says under another name, or in records."""
    return {
        "stats": tuple(Stat(stat.id, stat.name) for stat in head.stats),
        "wounds_stat": head.wounds_stat or "",
        "leadership_stat": head.leadership_stat or "",
        "default_limit": head.default_limit,
        "phases": tuple(phase.to_engine(Phase, key=phase.id) for phase in head.phases),
        "variants": tuple(one.to_engine(Variant, key=one.id) for one in head.variants),
        "tags": tuple(tag.to_engine(Tag, key=tag.id) for tag in head.tags),
        "leader_name": head.leader or "",
        "are_points_optional": head.points_optional,
    }


def _optional_parts(head: s.SystemFile) -> dict[str, Any]:
    """What a system may do without: null in its file or left out."""
    return {
        "rout": head.rout.to_engine(Rout) if head.rout else None,
        "movement": movement(head.movement) if head.movement else None,
        "saves": head.saves.model_dump(exclude_none=True) if head.saves else {},
        "regiments": head.regiments.to_engine(Regiments) if head.regiments else None,
        "yardstick": head.yardstick.to_engine(Yardstick) if head.yardstick else None,
        "words": head.words.to_engine(SystemWords) if head.words else PLAIN_WORDS,
    }


def _rolls_and_states(charts: s.ChartsFile, states: s.StatesFile) -> dict[str, Any]:
    return {
        "charts": {record.id: chart(record) for record in charts.charts},
        "tables": {record.id: table(record) for record in charts.tables},
        "states": tuple(
            one.to_engine(State, key=one.id, is_ticked=bool(one.ticked)) for one in states.states
        ),
        "transitions": tuple(
            one.to_engine(Transition, source_states=tuple(one.before), to=one.after)
            for one in states.transitions
        ),
    }


def _agreements(pack: SystemPack) -> dict[str, Any]:
    """What players may agree on: guidelines, house rules and rulings."""
    switches = _sound(pack, pack.house_rules).house_rules
    return {
        "guidelines": tuple(guideline(r) for r in _sound(pack, pack.guidelines).guidelines),
        "house_rules": tuple(one.to_engine(HouseRule, key=one.id) for one in switches),
        "rulings": tuple(ruling(record) for record in _sound(pack, pack.rulings).rulings),
    }


def _texts(pack: SystemPack, key: str) -> dict[str, Any]:
    """Rule notes, and the scenarios of the system of that key."""
    notes = _sound(pack, pack.notes).notes
    scenarios = _sound(pack, pack.scenarios).scenarios
    return {
        "notes": tuple(one.to_engine(RuleNote, key=one.id, is_quick=one.quick) for one in notes),
        "scenarios": {record.id: scenario(record, key) for record in scenarios},
    }


def _equipment(file: s.EquipmentFile, source: str) -> dict[str, Any]:
    """Weapons, armour and options of the system's own; ``source`` is the name of its text."""
    return {
        "weapons": {record.id: weapon(record, source) for record in file.weapons},
        "armour": {record.id: armour(record, source) for record in file.armour},
        "options": tuple(army.option(record) for record in file.options),
        "options_for": tuple(file.options_for),
    }


def weapon(record: s.SystemWeapon, text: str) -> Weapon:
    return replace(
        army.weapon(record, {}),
        source=f"{text}, {record.source}",
        traits=_traits(record, "weapon"),
    )


def armour(record: s.SystemArmour, text: str) -> Armour:
    return replace(
        army.armour(record, {}),
        source=f"{text}, {record.source}",
        traits=_traits(record, "armour"),
    )


def _traits(record: s.SystemWeapon | s.SystemArmour, kind: str) -> dict[str, Any]:
    """What the record prints beside the columns that every item has."""
    columns = {"weapon": {"type", "range", "strength", "hands"}, "armour": {"save", "improves"}}[
        kind
    ]
    return record.model_dump(
        exclude={"id", "name", "sources", "source", *columns},
        exclude_none=True,
        exclude_defaults=True,
    )


def movement(record: s.MovementRecord) -> Movement:
    flight = tuple((step.up_to, step.dice) for step in record.flight)
    return record.to_engine(Movement, flight=flight, spotting_stat=record.spotting_stat or "")


def chart(record: s.ChartRecord) -> Chart:
    rows = {name: tuple(row) for name, row in record.rows.items()}
    return record.to_engine(Chart, key=record.id, rows=rows)


def table(record: s.TableRecord) -> RollTable:
    rows = tuple(row.to_engine(TableRow) for row in record.rows)
    return record.to_engine(RollTable, key=record.id, rows=rows)


def guideline(record: s.GuidelineRecord) -> Guideline:
    return record.to_engine(Guideline, parameters=record.parameters.given())


def ruling(record: s.RulingRecord) -> Ruling:
    return record.to_engine(Ruling, is_outside_texts=bool(record.outside_texts))


def scenario(record: s.ScenarioRecord, system_key: str) -> Scenario:
    sides = tuple(side.model_dump() for side in record.sides)
    return record.to_engine(Scenario, key=record.id, system=system_key, sides=sides)
