"""The weapons and armour of a system as tables: a column for each figure they have, the rest in
words. No query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from engine.equipment import REACHES, armour_gives
from engine.types.lists import Armour, Weapon
from engine.types.systems import System
from rulesdata import text
from rulesdata.queries.lookup import armies_of, find_system

Figure = Callable[[Weapon], object]


@dataclass(frozen=True, slots=True)
class ItemLine:
    """A weapon or a piece of armour with its figures in words."""

    item: Weapon | Armour
    figures: tuple[str, ...]
    notes: str
    remark: str


@dataclass(frozen=True, slots=True)
class ItemTable:
    """Items of one kind; ``heads`` name the figures."""

    name: str
    heads: tuple[str, ...]
    lines: tuple[ItemLine, ...]


NO_SAVE = "–"
TYPES = {"melee": "Close combat", "missile": "Missiles"}
# Notes that make a column where every weapon of the table has one.
TRAITS = {"shots": "Shots", "melee_attack": "Attack"}


def load_weapons(system_key: str) -> tuple[System, tuple[ItemTable, ...]]:
    """The weapons of a system's collections by type, each once. Raises NotInTheBook."""
    system = find_system(system_key)
    found: Mapping[str, Weapon] = {
        key: w for army in armies_of(system) for key, w in army.weapons.items()
    }
    knows_strength = any(army.strength_stat for army in armies_of(system))
    types: dict[str, list[Weapon]] = {}
    for weapon in sorted(found.values(), key=lambda w: w.name):
        types.setdefault(weapon.type, []).append(weapon)
    return system, tuple(
        _weapons(TYPES.get(key, text.key_words(key)), weapons, knows_strength)
        for key, weapons in types.items()
    )


def _weapons(name: str, weapons: list[Weapon], knows_strength: bool) -> ItemTable:
    traits = [key for key in TRAITS if all(key in weapon.traits for weapon in weapons)]
    columns: dict[str, Figure] = {}
    if any(weapon.type != "melee" for weapon in weapons):
        columns["Range"] = _range
    if knows_strength:
        columns["Strength"] = _strength
    if any(weapon.hands for weapon in weapons):
        columns["Hands"] = lambda w: w.hands
    columns |= {TRAITS[key]: _trait(key) for key in traits}
    lines = (_weapon_line(weapon, columns.values(), traits) for weapon in weapons)
    return ItemTable(name, tuple(columns), tuple(lines))


def _range(weapon: Weapon) -> object:
    if isinstance(weapon.range, int):
        return f'{weapon.range}"'
    return REACHES[weapon.range].removesuffix(" range") if weapon.range in REACHES else weapon.range


def _strength(weapon: Weapon) -> object:
    return "user" if weapon.strength is None and weapon.type == "melee" else weapon.strength


def _trait(key: str) -> Figure:
    sign = "+" if key == "melee_attack" else ""
    return lambda weapon: f"{sign}{weapon.traits[key]}"


def _weapon_line(weapon: Weapon, columns: Iterable[Figure], traits: Iterable[str]) -> ItemLine:
    told = replace(
        weapon, traits={key: value for key, value in weapon.traits.items() if key not in traits}
    )
    notes = ", ".join(note for note in text.weapon_notes(told) if note != "two hands")
    figures = tuple(
        "–" if figure is None else text.minus(str(figure))
        for figure in (of(weapon) for of in columns)
    )
    return ItemLine(weapon, figures, notes, str(weapon.traits.get("note", "")))


def load_armour(system_key: str) -> tuple[System, tuple[ItemTable, ...]]:
    """The armour of a system's collections: what saves, what betters a save, the rest.

    Raises NotInTheBook.
    """
    system = find_system(system_key)
    pieces: Mapping[str, Armour] = {
        key: a for army in armies_of(system) for key, a in army.armour.items()
    }
    ordered = sorted(pieces.values(), key=lambda piece: (piece.save or 7, piece.name))
    saves = [_armour_line(piece, _save_words(piece)) for piece in ordered if piece.save]
    better = [piece for piece in ordered if piece.improves and not piece.save]
    rest = [piece for piece in ordered if _save_words(piece) == NO_SAVE]
    rest_name = "Helps otherwise" if len(rest) < len(ordered) else "What is worn"
    tables = (
        ItemTable("A save of its own", ("Save",), tuple(saves)),
        ItemTable("Makes a save better", ("Save",), tuple(map(armour_line, better))),
        ItemTable(rest_name, (), tuple(map(_armour_line, rest))),
    )
    return system, tuple(table for table in tables if table.lines)


def armour_line(piece: Armour) -> ItemLine:
    """One piece of armour in words, its save first."""
    return _armour_line(piece, _save_words(piece))


def _save_words(piece: Armour) -> str:
    """The save a piece gives, or what it betters one by."""
    if piece.save:
        return f"{piece.save}+"
    return f"{piece.improves} better" if piece.improves else NO_SAVE


def weapon_line(weapon: Weapon) -> ItemLine:
    """One weapon in words: its range, its Strength, the rest."""
    return _weapon_line(weapon, (_range, _strength), ())


def _armour_line(piece: Armour, *figures: str) -> ItemLine:
    head = (f"save {piece.save}+", f"save {piece.improves} better")
    words = [note for note in text.armour_words(piece).split(", ") if note and note not in head]
    notes = ", ".join(dict.fromkeys((*filter(None, armour_gives(piece).split(", ")), *words)))
    return ItemLine(piece, figures, notes, str(piece.traits.get("note", "")))
