"""The quick reference: only the charts, rows, states and rules that these warriors need."""

from collections.abc import Sequence

from engine.equipment import CarriedWeapon
from engine.records import (
    ChoiceList,
    NumberByKey,
    TextPairs,
    Texts,
    grouped,
)
from engine.selection import Selection
from engine.types.lists import Figure, Weapon
from engine.types.mechanics import Chart, RuleNote
from engine.types.systems import System
from warbands.sheet.structure import (
    ChartRows,
    Reference,
    SheetWarrior,
)

SAVE_ADDS = "weapon_save_adds"
OWN_WORDS = "The list in its club's words"


def build_reference(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection], system: System
) -> Reference:
    """Only the charts, rows, states and rules that these warriors need."""
    needs = _needs(warriors, selections)
    found = (_chart_rows(chart, warriors) for chart in system.charts.values())
    charts = tuple(one for one in found if one.rows)
    strengths, saves = _save_rows(warriors, system)
    borrowed = dict.fromkeys(one.chart.borrowed_from for one in charts)
    seen: dict[tuple[str, Figure], CarriedWeapon] = {}
    for warrior in warriors:
        for arm in warrior.arms:
            seen.setdefault((arm.key, arm.strength), arm)
    return Reference(
        charts=charts,
        save_strengths=strengths,
        saves=saves,
        arms=tuple(seen.values()),
        tables=tuple(table for table in system.tables.values() if table.needs in needs),
        states=tuple(
            state for state in system.states if state.is_ticked and state.needs in needs
        ),
        sections=(*_sections(system, needs), *_own_words(warriors, selections)),
        borrowed=tuple(filter(None, borrowed)),
    )


def _sections(
    system: System, needs: frozenset[str]
) -> tuple[tuple[str, tuple[RuleNote, ...]], ...]:
    """The rules in short that are needed, under their headings."""
    quick = [note for note in system.notes if note.is_quick and note.needs in needs]
    sections = grouped((note.section, note) for note in quick)
    return tuple((name, tuple(notes)) for name, notes in sections.items())


def _own_words(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection]
) -> tuple[tuple[str, tuple[RuleNote, ...]], ...]:
    """What a club's list says of these warriors, their special rules and what they have bought;
    each once.
    """
    found: dict[str, str] = {}
    for warrior, selection in zip(warriors, selections, strict=True):
        profile = selection.profile
        if profile is None:
            continue
        found[profile.name] = profile.description
        found |= {one: profile.rule_texts.get(one, "") for one in warrior.rules}
        bought = (*selection.options, *selection.champions_options)
        found |= {one.name: one.words for one in bought}
    notes = tuple(
        RuleNote(name, name, text, OWN_WORDS) for name, text in found.items() if text
    )
    return ((OWN_WORDS, notes),) if notes else ()


def _needs(
    warriors: Sequence[SheetWarrior], selections: Sequence[Selection]
) -> frozenset[str]:
    """What the packs call the reasons for which a rule is printed; "" always holds."""
    needs = {""}.union(*map(_needs_of, selections))
    if any(_shoots(warrior) for warrior in warriors):
        needs.add("shooter")
    if any((warrior.wounds or 1) > 1 for warrior in warriors):
        needs.add("multi-wound")
    return frozenset(needs)


def _needs_of(selection: Selection) -> set[str]:
    if selection.profile is None:
        return set()
    # A rider needs the rules of the mount as well.
    flags = selection.profile.flags
    if selection.mount:
        flags |= selection.mount.flags
    given = {
        "wizard": selection.is_wizard,
        "mounted": selection.is_mounted,
        "flyer": "flies" in flags,
    }
    return {flag.replace("_", "-") for flag in flags} | {
        key for key, holds in given.items() if holds
    }


def _shoots(warrior: SheetWarrior) -> bool:
    return any(arm.is_missile for arm in warrior.arms)


def _chart_rows(chart: Chart, warriors: Sequence[SheetWarrior]) -> ChartRows:
    """The rows looked up with this roster's own figures."""
    users: dict[str, dict[str, None]] = {}
    for warrior in warriors:
        for row, who in _lookups(chart, warrior):
            users.setdefault(row, {})[who] = None
    rows = [
        (key, cells, tuple(users[key])) for key, cells in chart.rows.items() if key in users
    ]
    return ChartRows(chart, tuple(rows))


def _lookups(chart: Chart, warrior: SheetWarrior) -> ChoiceList:
    line = warrior.main_line
    if line is None:
        return []
    if chart.user == "blow":
        cells = dict(line.cells)
        found: ChoiceList = []
        for arm in warrior.arms:
            found.append((str(arm.strength), arm.name))
            found += [(str(figure), f"{arm.name}, {when}") for figure, when in arm.further]
        # Who carries nothing to strike with strikes as it is.
        if all(arm.is_missile for arm in warrior.arms) and cells.get(chart.row_stat):
            found.append((cells[chart.row_stat], warrior.title))
        return found
    if chart.user == "shooter" and not _shoots(warrior):
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
    columns, firearms = _strength_columns(modifiers), _firearms(system, modifiers)
    taken = [int(modifiers[key]) for key, _ in columns]
    taken += [modifier for _, modifier in firearms]
    rows = []
    for number, users in sorted(_wearers(warriors).items()):
        # A score that no die shows is no save at all.
        needs = [max(best, number - modifier) for modifier in taken]
        figures = tuple(need if need < none else None for need in needs)
        rows.append((f"{number}+", figures, users))
    heads = (*(label for _, label in columns), *(name for name, _ in firearms))
    return heads, tuple(rows)


def _wearers(warriors: Sequence[SheetWarrior]) -> dict[int, Texts]:
    """Each save of these warriors, and who has it."""
    users: dict[int, dict[str, None]] = {}
    for warrior in warriors:
        if warrior.save.number:
            users.setdefault(warrior.save.number, {})[warrior.title] = None
    return {number: tuple(names) for number, names in users.items()}


def _firearms(system: System, modifiers: NumberByKey) -> list[tuple[str, int]]:
    """The system's own weapons that take a figure of their own off a save, each with what it takes.

    It is the whole, unless it was agreed that it comes on top of what the Strength takes.
    """
    adds = any(one.key == SAVE_ADDS and one.chosen for one in system.rulings)
    found = []
    for weapon in system.weapons.values():
        own = weapon.traits.get("save_modifier")
        if isinstance(own, int):
            found.append((weapon.name, own + (_taken(weapon, modifiers) if adds else 0)))
    return found


def _taken(weapon: Weapon, modifiers: NumberByKey) -> int:
    """What the Strength of a weapon takes off a save."""
    for key, modifier in modifiers.items():
        first, _, last = key.partition("–")
        if isinstance(weapon.strength, int) and (
            int(first) <= weapon.strength <= int(last or first)
        ):
            return int(modifier)
    return 0


def _strength_columns(modifiers: NumberByKey) -> TextPairs:
    """(a Strength, its heading), neighbours with the same modifier as one column: ``1-3``."""
    columns: ChoiceList = []
    for key, modifier in modifiers.items():
        if columns and int(modifiers[columns[-1][0]]) == int(modifier):
            first = columns[-1][0]
            columns[-1] = (first, f"{first}–{key}")
        else:
            columns.append((key, key))
    return tuple(columns)
