"""What an option of a catalogue is: a thing of the collection, an own weapon, a command model.

Weapons that the collection lacks are collected, so that the list can bring them along.
"""

from collections.abc import Iterable, Mapping

import re2

from engine.records import Fields, TextByKey, frozen_dataclass
from engine.types.lists import CHAMPION, MUSICIAN, OWN_ITEMS_MAX, STANDARD_BEARER
from rulesdata.foreign.keys import KeySet, plain_name
from rulesdata.foreign.places import MODEL_TYPES, Place
from rulesdata.foreign.stat_lines import StatLines

# How games call the models of a command; a champion also needs a stat line of its own.
_COMMAND_NAMES = {
    "musician": MUSICIAN,
    "standard bearer": STANDARD_BEARER,
    "standard": STANDARD_BEARER,
}
_CHAMPION_WORDS = frozenset(("champion", "bos", "boss"))
_INCHES = re2.compile(r"(\d{1,3})\s*(?:[\"”″]|in\b|inch|$)")
_BONUS = re2.compile(r"(?:as )?(?:user|s)?\s*([+-][1-9])")
_NUMBER = re2.compile(r"\d{1,2}")
_USER = frozenset(("user", "as user", "s", "-", "–", "—"))
RANGE_MAX = 120


@frozen_dataclass
class OptionItem:
    """A weapon or piece of armour that a collection knows by a name."""

    key: str
    kind: str


def items_by_name(names: Iterable[tuple[str, OptionItem]]) -> dict[str, OptionItem]:
    """Return things of a collection by their plain names."""
    return {plain_name(name): item for name, item in names}


class GearTable:
    """Tells what options are. ``items`` are the things of a collection by their plain names."""

    def __init__(self, items: Mapping[str, OptionItem]) -> None:
        self.items = items
        self.weapons: dict[tuple[object, ...], Fields] = {}
        self._keys = KeySet(item.key for item in items.values())

    def fields(self, place: Place, lines: StatLines) -> Fields:
        """Return the kind of an option, and which things it stands for, as fields of an option.

        A thing of the collection comes first. What has a weapon's figures is a weapon of the list's
        own. Else the names of the groups around it say what it is.
        """
        if item := self.items.get(plain_name(place.name)):
            return {"kind": item.kind, "items": [item.key]}
        figures = lines.weapon_figures(place)
        if figures is not None:
            key = self._weapon_key(place.name, figures)
            return {"kind": "weapon", "items": [key]} if key else {"kind": "weapon"}
        around = " ".join(one.name.lower() for one in place.path if one is not place)
        if "weapon" in around:
            return {"kind": "weapon"}
        if "armour" in around or "armor" in around:
            return {"kind": "armour"}
        return {"kind": "other"}

    def _weapon_key(self, name: str, figures: TextByKey) -> str:
        """Return the key of a weapon with these figures, empty where the list is full of them."""
        record = weapon_record(name, figures)
        known = self.weapons.get(tuple(record.items()))
        if known is not None:
            return str(known["id"])
        if len(self.weapons) >= OWN_ITEMS_MAX:
            return ""
        key = self._keys.take(name, "weapon")
        self.weapons[tuple(record.items())] = {"id": key, "sources": ["first"], **record}
        return key


def weapon_record(name: str, figures: TextByKey) -> Fields:
    """Return a weapon's name, type, range in inches and strength, as far as they can be read.

    ``figures`` are the texts of its profile: range and strength, each empty where it has none.
    """
    inches = _INCHES.search(figures["range"].lower())
    record: Fields = {"name": name or "Weapon", "type": "missile" if inches else "melee"}
    if inches and 1 <= int(inches[1]) <= RANGE_MAX:
        record["range"] = int(inches[1])
    strength = read_strength(figures["strength"])
    if strength is not None:
        record["strength"] = strength
    return record


def read_strength(text: str) -> int | str | None:
    """Return a weapon's strength: a number, "user", a bonus as "+1"; None where it is neither."""
    plain = text.strip().lower()
    if plain in _USER:
        return "user"
    if bonus := _BONUS.fullmatch(plain):
        return bonus[1]
    return int(plain) if _NUMBER.fullmatch(plain) and 1 <= int(plain) <= 10 else None


# The command of a unit


def command_role(place: Place, lines: StatLines) -> str:
    """Return which model of a unit's command an option is: a key of ours, empty for none.

    Only units of several have a command. Its champion has a stat line, and either is called so or
    stands in the group of the command.
    """
    if place.root.type in MODEL_TYPES:
        return ""
    name = plain_name(place.name)
    if name in _COMMAND_NAMES:
        return _COMMAND_NAMES[name]
    above = place.parent
    is_named = not _CHAMPION_WORDS.isdisjoint(name.split())
    is_grouped = above is not None and "command" in plain_name(above.name).split()
    has_line = lines.line_of(place) is not None
    return CHAMPION if has_line and (is_named or is_grouped) else ""
