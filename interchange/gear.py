"""What an option of a catalogue is: a thing of the collection, an own weapon, a magic item, a command
model.

Weapons and magic items that the collection lacks are collected, so that the list can bring them
along.
"""

from collections.abc import Iterable, Iterator, Mapping

import re2

from engine.records import Fields, TextByKey, frozen_dataclass
from engine.types.lists import (
    CHAMPION,
    MUSICIAN,
    OWN_ITEMS_MAX,
    OWN_MAGIC_MAX,
    STANDARD_BEARER,
)
from interchange.entries import MODEL_TYPES, Place
from interchange.names import KeySet, plain_name, slug
from interchange.reports import TranslatedItem
from interchange.stat_lines import StatLines
from interchange.units import is_one_per_list, points_limit

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


# Magic items: what stands in a group that may cost only so many points together

ITEM_POINTS_MAX = 1_000
_ANY = "item"


class MagicItems:
    """The magic items of a list. What several units may carry at one price is one item."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int], TranslatedItem] = {}
        self._keys = KeySet()

    @property
    def items(self) -> tuple[TranslatedItem, ...]:
        """The items so far, in the order of the file."""
        return tuple(self._found.values())

    def add(self, place: Place, points: int) -> bool:
        """Add an item, and return whether the list can hold it.

        A list holds so many of them, each at 1 to 1,000 points; others stay options.
        """
        type_ = item_type(place)
        same = (plain_name(place.name), type_, points)
        if same in self._found:
            return True
        if not 1 <= points <= ITEM_POINTS_MAX or len(self._found) >= OWN_MAGIC_MAX:
            return False
        key = self._keys.take(place.name, _ANY)
        is_unique = is_one_per_list(place)
        self._found[same] = TranslatedItem(key, place.name, type_, points, is_unique)
        return True


def magic_group(place: Place, price: str) -> Place | None:
    """Return the outermost group around an entry whose content may cost only so much together.

    ``price`` is the id of the price that counts. Without such a group it is no magic item.
    """
    found = None
    for group in _groups_around(place):
        if points_limit(group, price) is not None:
            found = group
    return found


def item_type(place: Place) -> str:
    """Return what sort of item it is by the group it stands in: weapon, talisman, arcane-item."""
    nearest = next(_groups_around(place), None)
    words = plain_name(nearest.name).split() if nearest is not None else []
    return slug(" ".join(word for word in words if word != "magic"), _ANY)


def _groups_around(place: Place) -> Iterator[Place]:
    """Yield the groups around an entry, the nearest first, up to the entry that it stands in."""
    above = place.parent
    while above is not None and above.is_group:
        yield above
        above = above.parent
