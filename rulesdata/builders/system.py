"""Makes a rule system out of the files of its pack, and what battles are fought by: the tables of
battle.yaml, and the figures dice are read with.

Pure: no files.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TypeVar

import re2

from engine.battles.rules import (
    ENDINGS,
    PLAYED,
    BattleRules,
    Ending,
    OutcomeRow,
    PhaseRule,
    RoutTable,
    StateChange,
    StateRule,
)
from engine.combat.fighters import GONE, HELPLESS
from engine.records import Fields, NamedValues, Texts
from engine.roster import PRINTED, Agreement
from engine.rules import CombatRules
from engine.types.lists import Armour, Army, Option, Profile, Weapon
from engine.types.mechanics import RuleNote, Ruling, Transition
from engine.types.systems import System
from rulesdata.pack_files.folders import SystemPack
from rulesdata.schema import system as s
from rulesdata.schema.base import build_by_key, engine_value
from rulesdata.schema.battle import BattleFile
from rulesdata.schema.equipment import EquipmentFile

AGREED = "Agreed"
# How the source of a note names a ruling.
_RULING = re2.compile(r"\bRuling ([CG]\d+(?:-\d+)?)\b")
SQUARE_CHARTS = {"to-hit-melee": "to_hit_melee", "to-wound": "to_wound"}
LISTS = {"to-hit-shooting": "to_hit_shooting"}
# The traits that a text leaves to the army list.
KEEPS = "keeps"
INJURY_TABLE, STANDARD = "injury", "standard"


def build_system(pack: SystemPack, agreed: Agreement = PRINTED) -> System:
    """Make the rule system of a pack that was read under this agreement.

    Raises PackError where one of its files has a fault.
    """
    head, charts = pack.need(s.SystemFile), pack.need(s.ChartsFile)
    states, equipment = pack.need(s.StatesFile), pack.need(EquipmentFile)
    rulings: tuple[Ruling, ...] = engine_value(pack.need(s.RulingsFile).rulings)
    chosen = dict(agreed.rulings)
    variant = next((v for v in head.variants if v.id == pack.reader.variant), None)
    return head.build(
        variant=variant.id if variant else None,
        variant_name=variant.name if variant else "",
        charts=build_by_key(charts.charts),
        tables=build_by_key(charts.tables),
        guidelines=engine_value(pack.need(s.GuidelinesFile).guidelines),
        house_rules=engine_value(pack.need(s.HouseRulesFile).house_rules),
        rulings=tuple(
            ruling.agreed(chosen[ruling.ref]) if ruling.ref in chosen else ruling
            for ruling in rulings
        ),
        states=engine_value(states.states),
        transitions=engine_value(states.transitions),
        notes=(*_notes(pack), *_agreed_notes(pack, agreed)),
        agreed=agreed,
        scenarios={
            record.id: record.build(system=head.id, has_rules=bool(record.sets))
            for record in pack.need(s.ScenariosFile).scenarios
        },
        combat=combat_figures(head, charts, pack.need(s.CombatFile)),
        weapons={
            record.id: record.build(source=f"{head.source}, {record.source}")
            for record in equipment.weapons
        },
        armour={
            record.id: record.build(source=f"{head.source}, {record.source}")
            for record in equipment.armour
        },
        options=engine_value(equipment.options),
        options_for=tuple(equipment.options_for),
        options_in=tuple(equipment.options_in),
    )


def _notes(pack: SystemPack) -> Iterator[RuleNote]:
    """Yield the rules in short; one that stands on a ruling names it by its title."""
    titles = {record.ref: record.title for record in pack.need(s.RulingsFile).rulings}
    for record in pack.need(s.NotesFile).notes:
        note: RuleNote = record.build()
        source = _RULING.sub(lambda match: f"Ruling “{titles[match[1]]}”", note.source)
        yield replace(note, source=source)


def _agreed_notes(pack: SystemPack, agreed: Agreement) -> Iterator[RuleNote]:
    """Yield a sentence for each thing agreed that no rule in short tells already."""
    # Where the words of a rule were changed it says what is played by itself.
    reworded = {choice.id for choice in pack.reader.chosen if choice.words}
    rulings = {ruling.ref: ruling for ruling in pack.need(s.RulingsFile).rulings}
    for ref, place in agreed.rulings:
        if f"{ref}.{place}" not in reworded:
            ruling = rulings[ref]
            text = ruling.alternatives[place - 1]
            yield RuleNote(f"agreed-{ref.lower()}", ruling.title, text, AGREED)
    for rule in pack.need(s.HouseRulesFile).house_rules:
        if rule.id in agreed.house_rules and rule.id not in reworded:
            key = rule.id.replace("_", "-")
            yield RuleNote(f"agreed-{key}", rule.name, rule.summary, AGREED)


Piece = TypeVar("Piece", Weapon, Armour)


def with_system_equipment(army: Army, system: System) -> Army:
    """Return the list with the system's figures in the place of those of the same item, and its
    options beside the list's.

    A list keeps its own option where the system's has the same key. The list itself where the
    system changes nothing.
    """
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
        weapons=_with_printed(army.weapons, system.weapons, army.own_gear),
        armour=_with_printed(army.armour, system.armour, army.own_gear),
        profiles={
            key: _under_system(profile, army, system)
            for key, profile in army.profiles.items()
        },
    )


def _with_printed(
    pieces: Mapping[str, Piece], printed: Mapping[str, Piece], of_club: Container[str]
) -> Mapping[str, Piece]:
    """Return a list's pieces as the text prints them, and those that the text alone has.

    A piece is the text's of the key that it says it is. Without one it is the text's of its own
    key; what a club wrote (``of_club``) only where it has no figure that the text has otherwise.
    """
    fielded = {**printed, **pieces}
    for key, piece in pieces.items():
        of_text = printed.get(piece.same_as or key)
        if of_text is None:
            continue
        if piece.same_as or (key in of_club and _says_no_more(piece, of_text)):
            fielded[key] = replace(
                of_text,
                key=key,
                name=piece.name,
                traits=_joined_traits(piece, of_text, ("note", "rule")),
                same_as=piece.same_as,
            )
        elif key not in of_club:
            traits = _joined_traits(piece, of_text)
            fielded[key] = (
                replace(of_text, traits=traits) if KEEPS in of_text.traits else of_text
            )
    return fielded


def _joined_traits(piece: Piece, of_text: Piece, also: Texts = ()) -> NamedValues:
    """Return the text's traits beside those of the list's piece that the text leaves to it."""
    left = (*of_text.traits.get(KEEPS, ()), *also)
    traits = {name: piece.traits[name] for name in left if name in piece.traits}
    return traits | {
        name: figure for name, figure in of_text.traits.items() if name != KEEPS
    }


def _says_no_more(piece: Piece, of_text: Piece) -> bool:
    """Return whether a piece has no figure that the text's has not."""
    words = ("key", "name", "traits", "source", "same_as")
    figures = [each.name for each in fields(piece) if each.name not in words]
    return all(
        getattr(piece, name) in (None, 0, "user", getattr(of_text, name))
        for name in figures
    ) and all(
        of_text.traits.get(name) == figure
        for name, figure in piece.traits.items()
        if name not in ("note", KEEPS)
    )


def _under_system(profile: Profile, army: Army, system: System) -> Profile:
    """Return a profile with what its system sells to this troop type where its list is armed by
    it, and with the groups shut that a house rule of the system's agreement shuts.
    """
    options = profile.options
    is_armed = army.collection in system.options_in
    if is_armed and profile.troop_type in system.options_for:
        options += tuple(_options_beside(profile, army, system))
    played = system.agreed.house_rules
    if any(option.house_rule in played for option in options):
        options = tuple(
            replace(option, house_rule="") if option.house_rule in played else option
            for option in options
        )
    # The same profile serves several systems and agreements, so nothing is changed in place.
    return profile if options is profile.options else replace(profile, options=options)


def _options_beside(profile: Profile, army: Army, system: System) -> Iterator[Option]:
    """Yield what its system sells beside a profile's list; nothing is offered twice."""
    keys = {option.key for option in profile.all_options}
    sold = {item for option in profile.options for item in option.items}
    gear: Mapping[str, Weapon | Armour] = {**army.weapons, **army.armour}
    sold |= {gear[item].same_as for item in sold if item in gear}
    for option in system.options:
        if option.key not in keys:
            is_sold = bool(option.items) and sold.issuperset(option.items)
            yield replace(option, is_put_away=is_sold)


# What a battle is recorded by


def _outcome_rows(
    system: System, table: str | None, states: set[str]
) -> tuple[OutcomeRow, ...]:
    """Return the rows of a test's table; a result that is no state is a mere effect."""
    rows = system.tables[table].rows if table else ()
    return tuple(
        OutcomeRow(
            row.first, row.last, row.name, row.result if row.result in states else ""
        )
        for row in rows
    )


def battle_rules(system: System, file: BattleFile, combat: CombatRules) -> BattleRules:
    """Make the tables of a system, or of one variant of it.

    The files were checked: every key leads somewhere.
    """
    turn, states = file.turn, {state.key for state in system.states}
    round_phase = turn.round_phase or system.phases[0].key
    further: list[Transition] = [step.build() for step in file.steps]
    return file.build(
        **_system_fields(system),
        turn_name=turn.name,
        alternates=turn.alternates,
        round_phase=round_phase,
        turn_phase=turn.turn_phase or round_phase,
        end_phase=turn.end_phase or "",
        states={
            state.key: StateRule(
                state.key,
                state.name,
                state.summary,
                str(file.poses[state.key]),
                is_out=state.key in file.out,
                is_away=state.key in file.away,
            )
            for state in system.states
        },
        steps=tuple(
            StateChange(before, move.to, move.by, move.source)
            for move in (*system.transitions, *further)
            for before in move.source_states
        ),
        marks=build_by_key(file.marks),
        counters=build_by_key(file.counters),
        tests={
            test.id: test.build(rows=_outcome_rows(system, test.table, states))
            for test in file.tests
        },
        parts=build_by_key(file.parts),
        endings={key: Ending(key, *ENDINGS[key]) for key in (PLAYED, *file.endings)},
        rout=_rout_table(system, file, combat),
    )


def _system_fields(system: System) -> Fields:
    """Return what the system itself says: which one it is, and its phases."""
    phases = (PhaseRule(phase.key, phase.name, phase.summary) for phase in system.phases)
    return {
        "system": system.key,
        "variant": system.variant,
        "name": system.full_name,
        "phases": tuple(phases),
    }


def result_rules(system: System) -> BattleRules:
    """Return tables for a system without battle.yaml: a battle is won, drawn or lost, no more.

    Everybody stays in one state of ours, and nothing can be recorded.
    """
    state = StateRule("in_play", "In play", "", "stand", is_out=False)
    first = system.phases[0].key
    endings = (
        Ending("won", "Won", has_winner=True),
        Ending("drawn", "Drawn", has_winner=False),
    )
    return BattleRules(
        turn_name="Turn",
        alternates=False,
        begins=state.id,
        taps=(),
        states={state.id: state},
        steps=(),
        round_phase=first,
        turn_phase=first,
        endings={end.id: end for end in endings},
        **_system_fields(system),
    )


def _rout_table(system: System, file: BattleFile, combat: CombatRules) -> RoutTable | None:
    """Make Rout as the system's frame has it, with whose Leadership the rulings bar."""
    rout, morale = system.rout, combat.morale
    if rout is None:
        return None
    states = {state.key for state in system.states}
    lends_down = morale is None or morale.leader_down_lends
    voluntary = None
    if morale is not None and morale.rout is not None and morale.voluntary_rout_test:
        voluntary = morale.rout.voluntary_from
    return RoutTable(
        numerator=rout.numerator,
        denominator=rout.denominator,
        test=next(test.id for test in file.tests if test.loses),
        leader_barred=(*_present(GONE if lends_down else HELPLESS, states), *file.away),
        others_barred=(*_present(GONE, states), *file.away),
        voluntary_from=voluntary,
        by_points=file.rout_by_points,
        anew=file.rout_anew,
        source=rout.source,
    )


def _present(keys: Iterable[str], states: Container[str]) -> Texts:
    """Return those of the keys that are states of the system."""
    return tuple(key for key in keys if key in states)


# The figures dice are read with


def combat_figures(head: s.SystemFile, charts: s.ChartsFile, file: s.CombatFile) -> Fields:
    """Return what the engine's CombatRules are made of, empty for a pack without such a file.

    A chart stands once, in charts.yaml, so that the page people read and the odds can never differ;
    what combat.yaml itself says wins over it.
    """
    figures = dict(file.root)
    if not figures:
        return {}
    injuries = figures.get("injuries")
    table = next((table for table in charts.tables if table.id == INJURY_TABLE), None)
    if table and isinstance(injuries, dict):
        rows = [row.model_dump(include={"first", "last", "result"}) for row in table.rows]
        tables = {STANDARD: rows, **injuries.get("tables", {})}
        figures["injuries"] = {**injuries, "tables": tables}
    if printed := _printed_charts(head, charts):
        figures["charts"] = {**printed, **figures.get("charts", {})}
    return figures


def _printed_charts(head: s.SystemFile, charts: s.ChartsFile) -> Fields:
    """Return the charts that combat needs, by their names in combat.yaml."""
    printed: Fields = {}
    for chart in charts.charts:
        if chart.id in SQUARE_CHARTS:
            printed[SQUARE_CHARTS[chart.id]] = dict(chart.rows)
        elif chart.id in LISTS:
            printed[LISTS[chart.id]] = {row: cells[0] for row, cells in chart.rows.items()}
    # What Strength takes off a save, and the best that armour gives before that.
    if head.saves:
        printed["save_modifier"] = dict(head.saves.modifier_by_strength)
        printed["best_save"] = head.saves.best
    return printed


def agreed_combat(rules: CombatRules, system: System) -> CombatRules:
    """Return these figures under the rulings and house rules that the system was agreed with."""
    default = rules.rulings()
    changes: Fields = {
        ruling.key: ruling.values[0]
        for ruling in system.rulings
        if ruling.chosen and ruling.values
    }
    changes |= dict.fromkeys(system.agreed.house_rules, True)
    return rules.with_rulings({k: v for k, v in changes.items() if k in default})
