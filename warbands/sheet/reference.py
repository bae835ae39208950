"""The quick reference: only the charts, rows, states and rules that these warriors need."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from engine.equipment import CarriedWeapon
from engine.records import ChoiceList, NumberByKey, TextByKey, TextPairs, Texts, grouped
from engine.selection import Selection
from engine.stat_lines import carried_items
from engine.types.lists import Armour, Army, Figure, Weapon
from engine.types.mechanics import Chart, RuleNote
from engine.types.systems import System
from warbands.sheet.structure import ChartRows, Reference, SheetWarrior

SAVE_ADDS = "weapon_save_adds"
OWN_WORDS = "The list in its club's words"
FEARLESS = ("undead", "unbreakable", "immune_to_panic", "immune_to_psychology")
"""Flags of those who are spared tests of courage."""
FURTHER_NEEDS = {"flies": "flyer", **dict.fromkeys(FEARLESS, "fearless")}
OTHER_RULES = RuleNote("other-rules", "In the army list", "", "Special rules")


def build_reference(
    warriors: Sequence[SheetWarrior],
    selections: Sequence[Selection],
    system: System,
    army: Army,
) -> Reference:
    """Only the charts, rows, states and rules that these warriors need."""
    # What weapons and armour can do is a reason too.
    traits = (piece.traits.items() for piece in _pieces(selections, army))
    abilities = (key for key, value in chain.from_iterable(traits) if value)
    needs = _needs(warriors, selections).union(abilities)
    charts = list(_charts(warriors, system))
    strengths, saves = _save_rows(warriors, system)
    borrowed = dict.fromkeys(rows.chart.borrowed_from for rows in charts)
    sections = _sections(system, needs)
    if list_notes := _own_words(warriors, selections):
        sections[OWN_WORDS] = list_notes
    if others := _list_other_rules(warriors, selections, system):
        sections[OTHER_RULES.section] = [replace(OTHER_RULES, text=f"{', '.join(others)}.")]
    return Reference(
        charts=tuple(charts),
        save_strengths=strengths,
        saves=saves,
        arms=_arms(warriors),
        tables=tuple(table for table in system.tables.values() if table.needs in needs),
        # The first is that of the unhurt, who act as every other rule says.
        states=tuple(state for state in system.states[1:] if state.needs in needs),
        sections=tuple((name, tuple(notes)) for name, notes in sections.items()),
        borrowed=tuple(filter(None, borrowed)),
        gear_sources=_gear_sources(selections, army),
    )


def _gear_sources(selections: Sequence[Selection], army: Army) -> TextPairs:
    """Whose figures each weapon and piece of armour has: names and their source."""
    pieces = _pieces(selections, army)
    names = grouped((piece.source, piece.name) for piece in pieces)
    return tuple((", ".join(dict.fromkeys(of)), source) for source, of in names.items())


def _pieces(selections: Sequence[Selection], army: Army) -> list[Weapon | Armour]:
    keys = dict.fromkeys(key for each in selections for key in carried_items(each))
    pieces = (army.weapons.get(key) or army.armour.get(key) for key in keys)
    return list(filter(None, pieces))


def _sections(system: System, needs: frozenset[str]) -> dict[str, list[RuleNote]]:
    """The rules in short that are needed, under their headings."""
    quick = (note for note in system.notes if note.is_quick and note.needs in needs)
    return grouped((note.section, note) for note in quick)


def _arms(warriors: Sequence[SheetWarrior]) -> tuple[CarriedWeapon, ...]:
    """Each weapon once for each Strength."""
    arms: dict[tuple[str, Figure], CarriedWeapon] = {}
    for warrior in warriors:
        for arm in warrior.arms:
            arms.setdefault((arm.key, arm.strength), arm)
    return tuple(arms.values())


def _charts(warriors: Sequence[SheetWarrior], system: System) -> Iterator[ChartRows]:
    """The charts with the rows looked up with this roster's own figures, and who needs each."""
    for chart in system.charts.values():
        users = grouped(pair for warrior in warriors for pair in _lookups(chart, warrior))
        rows = [
            (key, cells, tuple(dict.fromkeys(users[key])))
            for key, cells in chart.rows.items()
            if key in users
        ]
        if rows:
            yield ChartRows(chart, tuple(rows))


def _own_words(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection]
) -> list[RuleNote]:
    """What a club's list says of these warriors, their special rules and what they have bought;
    each once.
    """
    texts: TextByKey = {}
    for warrior, selection in zip(warriors, selections, strict=True):
        profile = selection.profile
        if profile is None:
            continue
        texts[profile.name] = profile.description
        texts |= {rule: profile.rule_texts.get(rule, "") for rule in warrior.rules}
        bought = (*selection.options, *selection.champions_options)
        texts |= {option.name: option.words for option in bought}
    return [RuleNote(name, name, text, OWN_WORDS) for name, text in texts.items() if text]


def _list_other_rules(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection], system: System
) -> list[str]:
    """The special rules of these warriors that neither a rule in short nor their list explains."""
    explained = {rule for note in system.notes for rule in note.rules}
    for selection in selections:
        if selection.profile:
            texts = selection.profile.rule_texts
            explained.update(rule for rule, text in texts.items() if text)
    names = dict.fromkeys(chain.from_iterable(warrior.rules for warrior in warriors))
    # The figure of a rule is part of its name: "Tough (1)".
    return [name for name in names if explained.isdisjoint({name, name.partition(" (")[0]})]


def _needs(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection]
) -> frozenset[str]:
    """What the packs call the reasons for which a rule is printed; "" always holds."""
    needs = {""}
    for selection in selections:
        if selection.profile is None:
            continue
        # A rider needs the rules of the mount as well.
        flags = selection.profile.flags
        if selection.mount:
            flags |= selection.mount.flags
        needs |= {flag.replace("_", "-") for flag in flags}
        if selection.is_wizard:
            needs.add("wizard")
        if selection.is_mounted:
            needs.add("mounted")
        needs |= {FURTHER_NEEDS[flag] for flag in flags & FURTHER_NEEDS.keys()}
    if any(map(SheetWarrior.shoots, warriors)):
        needs.add("shooter")
    if any((warrior.wounds or 1) > 1 for warrior in warriors):
        needs.add("multi-wound")
    return frozenset(needs)


def _lookups(chart: Chart, warrior: SheetWarrior) -> ChoiceList:
    line = warrior.main_line
    if line is None:
        return []
    if chart.user == "blow":
        cells = dict(line.cells)
        blows: ChoiceList = []
        for arm in warrior.arms:
            blows.append((str(arm.strength), arm.name))
            blows += [(str(figure), f"{arm.name}, {when}") for figure, when in arm.further]
        # Who carries nothing to strike with strikes as it is.
        if all(arm.is_missile for arm in warrior.arms) and cells.get(chart.row_stat):
            blows.append((cells[chart.row_stat], warrior.title))
        return blows
    if chart.user == "shooter" and not warrior.shoots():
        return []
    figure = dict(line.cells).get(chart.row_stat)
    return [(figure, warrior.title)] if figure else []


def _save_rows(
    warriors: Sequence[SheetWarrior], system: System
) -> tuple[Texts, tuple[tuple[str, tuple[Figure, ...], Texts], ...]]:
    """Each save of this roster by the Strength of the blow: what is still needed, None where no
    save is left.
    """
    modifiers: NumberByKey = system.saves.get("modifier_by_strength", {})
    # No D6 shows a 7; a system with another die gives its own figure.
    none = int(system.saves.get("no_save", 7))
    best = 2 if system.saves.get("natural_one_fails") else 1
    columns = _save_columns(system, modifiers)
    users = grouped((warrior.save.number, warrior.title) for warrior in warriors)
    rows = []
    for number in sorted(filter(None, users)):
        # A score that no die shows is no save at all.
        needs = [max(best, number - modifier) for _, modifier in columns]
        figures = tuple(need if need < none else None for need in needs)
        rows.append((f"{number}+", figures, tuple(dict.fromkeys(users[number]))))
    return tuple(name for name, _ in columns), tuple(rows)


def _save_columns(system: System, modifiers: NumberByKey) -> list[tuple[str, int]]:
    """The Strengths and weapons that change a save, each with what it takes off."""
    # Neighbours with the same modifier are one column: "1–3".
    columns: list[tuple[str, int]] = []
    for key, text in modifiers.items():
        if columns and columns[-1][1] == int(text):
            first = columns[-1][0].partition("–")[0]
            columns[-1] = (f"{first}–{key}", int(text))
        else:
            columns.append((key, int(text)))
    # The system's own weapons take a figure of their own off a save. It is the whole, unless it
    # was agreed that it comes on top of what the Strength takes.
    adds = any(ruling.key == SAVE_ADDS and ruling.chosen for ruling in system.rulings)
    for weapon in system.weapons.values():
        modifier = weapon.traits.get("save_modifier")
        if isinstance(modifier, int):
            more = _strength_modifier(weapon, modifiers) if adds else 0
            columns.append((weapon.name, modifier + more))
    return columns


def _strength_modifier(weapon: Weapon, modifiers: NumberByKey) -> int:
    """What the Strength of a weapon takes off a save."""
    for key, modifier in modifiers.items():
        first, _, last = key.partition("–")
        if isinstance(weapon.strength, int) and (
            int(first) <= weapon.strength <= int(last or first)
        ):
            return int(modifier)
    return 0
