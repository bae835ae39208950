"""The weapons and armour of a system as tables: a column for each figure they have, the rest in
words. No query.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from engine.equipment import REACHES, armour_gives
from engine.records import Texts, frozen_dataclass, grouped
from engine.types.lists import Armour, Weapon
from engine.types.systems import System
from rulesdata import text
from rulesdata.queries.lookup import armies_of, find_system

Figure = Callable[[Weapon], object]


@frozen_dataclass
class ItemLine:
    """A weapon or a piece of armour with its figures in words."""

    item: Weapon | Armour
    figures: Texts
    notes: str
    remark: str


@frozen_dataclass
class ItemTable:
    """Items of one kind; ``heads`` name the figures."""

    name: str
    heads: Texts
    lines: tuple[ItemLine, ...]


SAVES, BETTERS = "A save of its own", "Makes a save better"
OTHERWISE = "Helps otherwise"
ARMOUR_HEADS: Mapping[str, Texts] = {
    SAVES: ("Save",),
    BETTERS: ("Save",),
    OTHERWISE: (),
}
TYPES = {"melee": "Close combat", "missile": "Missiles"}
# Notes that make a column where every weapon of the table has one.
TRAITS = {"shots": "Shots", "melee_attack": "Attack"}


def load_weapons(system_key: str) -> tuple[System, tuple[ItemTable, ...]]:
    """The weapons of a system's collections by type, each once. Raises NotInTheBook."""
    system = find_system(system_key)
    armies = armies_of(system)
    found = dict(chain.from_iterable(army.weapons.items() for army in armies))
    knows_strength = any(army.strength_stat for army in armies)
    ordered = sorted(found.values(), key=lambda weapon: weapon.name)
    types = grouped((weapon.type, weapon) for weapon in ordered)
    return system, tuple(
        _weapons(
            TYPES.get(key, text.key_words(key)), weapons, knows_strength=knows_strength
        )
        for key, weapons in types.items()
    )


def _weapons(name: str, weapons: list[Weapon], *, knows_strength: bool) -> ItemTable:
    """Return the table of weapons, with only those columns that hold something."""
    traits = [key for key in TRAITS if _all_have(key, weapons)]
    columns: dict[str, Figure] = {
        "Range": _range,
        "Strength": _strength,
        "Hands": lambda weapon: weapon.hands,
        **{TRAITS[key]: _trait(key) for key in traits},
    }
    # A column that would hold nothing but dashes is left out.
    if all(weapon.type == "melee" for weapon in weapons):
        del columns["Range"]
    if not knows_strength:
        del columns["Strength"]
    if not any(weapon.hands for weapon in weapons):
        del columns["Hands"]
    line_of = partial(_weapon_line, columns=columns.values(), traits=traits)
    return ItemTable(name, tuple(columns), tuple(map(line_of, weapons)))


def _all_have(trait: str, weapons: Iterable[Weapon]) -> bool:
    return all(trait in weapon.traits for weapon in weapons)


def _range(weapon: Weapon) -> object:
    """Return the range of a weapon in inches, or the word it has for it."""
    if isinstance(weapon.range, int):
        return f'{weapon.range}"'
    return (
        REACHES[weapon.range].removesuffix(" range")
        if weapon.range in REACHES
        else weapon.range
    )


def _strength(weapon: Weapon) -> object:
    return "user" if weapon.strength is None and weapon.type == "melee" else weapon.strength


def _trait(key: str) -> Figure:
    sign = "+" if key == "melee_attack" else ""
    return lambda weapon: f"{sign}{weapon.traits[key]}"


def _weapon_line(
    weapon: Weapon, columns: Iterable[Figure], traits: Collection[str]
) -> ItemLine:
    """Return a weapon's line: the columns' figures, its other rules in words."""
    others = {key: value for key, value in weapon.traits.items() if key not in traits}
    notes = text.weapon_notes(replace(weapon, traits=others))
    words = ", ".join(note for note in notes if note != "two hands")
    printed = (figure_of(weapon) for figure_of in columns)
    figures = tuple(
        "–" if figure is None else text.minus(str(figure)) for figure in printed
    )
    return ItemLine(weapon, figures, words, str(weapon.traits.get("note", "")))


def load_armour(system_key: str) -> tuple[System, tuple[ItemTable, ...]]:
    """The armour of a system's collections: what saves, what betters a save, the rest.

    Raises NotInTheBook.
    """
    system = find_system(system_key)
    pieces = dict(chain.from_iterable(army.armour.items() for army in armies_of(system)))
    # A save of its own comes first, the best before the others; 7 is none.
    ordered = sorted(pieces.values(), key=lambda piece: (piece.save or 7, piece.name))
    kinds = grouped((_kind_of_armour(piece), piece) for piece in ordered)
    rest = kinds.get(OTHERWISE, [])
    names = {OTHERWISE: OTHERWISE if len(rest) < len(ordered) else "What is worn"}
    return system, tuple(
        ItemTable(
            names.get(kind, kind),
            heads,
            tuple(_armour_line(piece, heads) for piece in kinds[kind]),
        )
        for kind, heads in ARMOUR_HEADS.items()
        if kind in kinds
    )


def _kind_of_armour(piece: Armour) -> str:
    if piece.save:
        return SAVES
    return BETTERS if piece.improves else OTHERWISE


def armour_line(piece: Armour) -> ItemLine:
    """One piece of armour in words, its save first."""
    return _armour_line(piece, ("Save",))


def _save_words(piece: Armour) -> str:
    """The save a piece gives, or what it betters one by."""
    if piece.save:
        return f"{piece.save}+"
    return f"{piece.improves} better" if piece.improves else "–"


def weapon_line(weapon: Weapon) -> ItemLine:
    """One weapon in words: its range, its Strength, the rest."""
    return _weapon_line(weapon, (_range, _strength), ())


def _armour_line(piece: Armour, heads: Iterable[str]) -> ItemLine:
    """A piece in words: its save under the head that there is for it, the rest as notes."""
    head = (f"save {piece.save}+", f"save {piece.improves} better")
    words = [
        note for note in text.armour_words(piece).split(", ") if note and note not in head
    ]
    notes = ", ".join(
        dict.fromkeys((*filter(None, armour_gives(piece).split(", ")), *words))
    )
    figures = tuple(_save_words(piece) for _ in heads)
    return ItemLine(piece, figures, notes, str(piece.traits.get("note", "")))
