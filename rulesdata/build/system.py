"""An army list as a rule system fields it: with the system's own weapons, armour and options.

Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine import types as t
from engine.types import Army, Profile, System
from rulesdata.build import army
from rulesdata.build import combat as fighting
from rulesdata.pack_files.folders import PackError, SystemPack
from rulesdata.schema import system as s


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


def system(pack: SystemPack) -> t.System:
    """The rule system of a pack. Raises PackError where one of its files has a fault."""
    head, charts, states = pack.system, pack.charts, pack.states
    guidelines, house_rules, rulings = pack.guidelines, pack.house_rules, pack.rulings
    notes, scenarios, equipment, combat = pack.notes, pack.scenarios, pack.equipment, pack.combat
    if not (
        head
        and charts
        and states
        and guidelines
        and house_rules
        and rulings
        and notes
        and scenarios
    ):
        raise PackError(pack.reader.faults)
    if equipment is None or combat is None:
        raise PackError(pack.reader.faults)
    variant = next((v for v in head.variants if v.id == pack.reader.variant), None)
    return t.System(
        key=head.id,
        name=head.name,
        summary=head.summary,
        stats=tuple(t.Stat(stat.id, stat.name) for stat in head.stats),
        wounds_stat=head.wounds_stat or "",
        leadership_stat=head.leadership_stat or "",
        default_limit=head.default_limit,
        collections=tuple(head.collections),
        phases=tuple(t.Phase(p.id, p.name, p.summary, p.source or "") for p in head.phases),
        states=tuple(
            t.State(
                x.id, x.name, x.summary, x.pose or "", x.source or "", bool(x.ticked), x.needs or ""
            )
            for x in states.states
        ),
        transitions=tuple(
            t.Transition(tuple(x.before), x.after, x.by, x.source or "") for x in states.transitions
        ),
        charts={record.id: chart(record) for record in charts.charts},
        tables={record.id: table(record) for record in charts.tables},
        guidelines=tuple(guideline(record) for record in guidelines.guidelines),
        house_rules=tuple(
            t.HouseRule(h.id, h.name, h.summary, h.source, h.default)
            for h in house_rules.house_rules
        ),
        rulings=tuple(ruling(record) for record in rulings.rulings),
        notes=tuple(
            t.RuleNote(n.id, n.title, n.text, n.section, n.source or "", n.needs or "", n.quick)
            for n in notes.notes
        ),
        scenarios={record.id: scenario(record, head.id) for record in scenarios.scenarios},
        rout=t.Rout(**head.rout.model_dump()) if head.rout else None,
        movement=movement(head.movement) if head.movement else None,
        saves=head.saves.model_dump(exclude_none=True) if head.saves else {},
        variants=tuple(t.Variant(v.id, v.name, v.summary) for v in head.variants),
        marks=tuple(head.marks),
        source=head.source,
        base_game=head.base_game or "",
        variant=variant.id if variant else None,
        variant_name=variant.name if variant else "",
        tags=tuple(
            t.Tag(tag.id, tag.name, tag.summary or "", tag.source or "") for tag in head.tags
        ),
        weapons={record.id: weapon(record, head.source) for record in equipment.weapons},
        armour={record.id: armour(record, head.source) for record in equipment.armour},
        options=tuple(army.option(record) for record in equipment.options),
        options_for=tuple(equipment.options_for),
        combat=fighting.combat(head, charts, combat),
        leader_name=head.leader or "",
        are_points_optional=head.points_optional,
        unit_options_paid=head.unit_options_paid,
        regiments=t.Regiments(**head.regiments.model_dump()) if head.regiments else None,
        yardstick=t.Yardstick(**head.yardstick.model_dump()) if head.yardstick else None,
        words=t.SystemWords(**head.words.model_dump()) if head.words else t.PLAIN_WORDS,
    )


def weapon(record: s.SystemWeapon, text: str) -> t.Weapon:
    return replace(
        army.weapon(record, {}),
        source=f"{text}, {record.source}",
        traits=_traits(record, "weapon"),
    )


def armour(record: s.SystemArmour, text: str) -> t.Armour:
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


def movement(record: s.MovementRecord) -> t.Movement:
    flight = tuple((step.up_to, step.dice) for step in record.flight)
    spotting, mounted = record.spotting_stat or "", record.mounted_flight or ""
    return t.Movement(
        record.move_stat, record.run, record.charge, spotting, flight, mounted, record.run_name
    )


def chart(record: s.ChartRecord) -> t.Chart:
    return t.Chart(
        key=record.id,
        name=record.name,
        row_label=record.row_label,
        row_stat=record.row_stat or "",
        column_stat=record.column_stat or "",
        user=record.user or "",
        figures=record.figures or "",
        column_label=record.column_label,
        columns=tuple(record.columns),
        rows={name: tuple(row) for name, row in record.rows.items()},
        note=record.note or "",
        source=record.source or "",
        borrowed_from=record.borrowed_from or "",
        ruling=record.ruling or "",
    )


def table(record: s.TableRecord) -> t.RollTable:
    rows = tuple(t.TableRow(r.first, r.last, r.result, r.name, r.note or "") for r in record.rows)
    return t.RollTable(
        record.id,
        record.name,
        record.die,
        rows,
        record.note or "",
        record.source or "",
        record.needs or "",
    )


def guideline(record: s.GuidelineRecord) -> t.Guideline:
    return t.Guideline(
        code=record.code,
        kind=record.kind,
        level=record.level,
        message=record.message,
        title=record.title,
        parameters=record.parameters.given(),
        source=record.source or "",
        refs=tuple(record.refs),
        strength=record.strength,
        is_waivable=record.is_waivable,
    )


def ruling(record: s.RulingRecord) -> t.Ruling:
    return t.Ruling(
        ref=record.ref,
        title=record.title,
        default=record.default,
        kind=record.kind,
        key=record.key or "",
        alternatives=tuple(record.alternatives),
        is_outside_texts=bool(record.outside_texts),
        values=tuple(record.values),
    )


def scenario(record: s.ScenarioRecord, system_key: str) -> t.Scenario:
    return t.Scenario(
        key=record.id,
        name=record.name,
        system=system_key,
        summary=record.summary,
        sides=tuple(side.model_dump() for side in record.sides),
        setup=record.setup,
        objectives=record.objectives,
        special_rules=tuple(record.special_rules),
        length=record.length,
        waives=tuple(record.waives),
        source=record.source,
    )
