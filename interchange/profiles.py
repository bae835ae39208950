"""Profiles of a catalogue: stat lines, in the columns of a collection or in those that its game has
of its own; weapons and magic items; the command of a unit.

Weapons and magic items that the collection lacks are collected, so that the list can bring them
along.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import re2

from engine.records import Fields, TextByKey, TextPairs, frozen_dataclass
from engine.text import capital
from engine.types.lists import (
    CHAMPION,
    MUSICIAN,
    OWN_COLUMNS_MAX,
    OWN_ITEMS_MAX,
    OWN_MAGIC_MAX,
    STANDARD_BEARER,
)
from interchange.catalogues import Closure, KeySet, clean_name, plain_name, slug
from interchange.entries import MODEL_TYPES, UNIT_TYPES, Element, Elements, Place
from interchange.nodes import Node

_HIGHEST = 20
_PRINTED_LENGTH = 12
_PRINTED = re2.compile(r"[-0-9D+() *]+")
_WHOLE = re2.compile(r"[0-9]{1,2}")
# Groups of profiles refer to groups; what goes deeper than this goes in circles.
_LEVELS = 4
_ALSO = {
    "mv": "m",
    "mov": "m",
    "move": "m",
    "movement": "m",
    "wo": "w",
    "att": "a",
    "in": "i",
}
_WEAPON_COLUMNS = {
    "range": "range",
    "str": "strength",
    "s": "strength",
    "strength": "strength",
}
Figures = Callable[[str, str, Element], str]
"""A figure with the changes of its profile: text, id of its column, the profile."""


class StatLines:
    """Finds the profiles of places, and says which of them are stat lines.

    A type of profile is one of stat lines where at least half of its columns are the collection's.
    """

    def __init__(
        self,
        closure: Closure,
        index: Mapping[str, Node],
        columns: Sequence[str],
        names: TextPairs = (),
    ) -> None:
        """``names`` are other names of columns, in small letters."""
        self.index = index
        self.columns = tuple(columns)
        self.columns_by_name = {column.lower(): column for column in columns} | dict(names)
        self.elements = Elements()
        self._profiles: dict[int, tuple[Node, ...]] = {}
        self.stat_types = set[str]()
        self.weapon_types = set[str]()
        self.unshown = Counter[str]()
        for profile_type in closure.listed("profileTypes", "profileType"):
            heads = _column_names(profile_type)
            # Half of its columns, and half of the collection's, are in both.
            both = 2 * len({column for head in heads if (column := self.column(head))})
            if both >= max(2, len(self.columns)) and both >= len(heads):
                self.stat_types.add(profile_type.get("id"))
            # A weapon has fewer than seven columns.
            is_weapon = any(head.lower() in _WEAPON_COLUMNS for head in heads)
            if is_weapon and len({head.lower() for head in heads}) < 7:
                self.weapon_types.add(profile_type.get("id"))
        self.weapon_types -= self.stat_types

    def column(self, name: str) -> str:
        """Return the collection's column of this name, or an empty text."""
        key, columns = name.strip().lower(), self.columns_by_name
        return columns.get(key) or columns.get(_ALSO.get(key, "")) or ""

    def profiles(self, place: Place) -> Iterator[Node]:
        """Yield the profiles of a place, shared ones too."""
        for element in place.elements:
            profiles = self._profiles.get(id(element.node))
            if profiles is None:
                profiles = tuple(self._profiles_in(element.node, set(), 0))
                self._profiles[id(element.node)] = profiles
            yield from profiles

    def _profiles_in(self, node: Node, seen: set[int], level: int) -> Iterator[Node]:
        """Yield the profiles of a node, linked and grouped ones too; ``seen`` are groups done."""
        if id(node) in seen or level > _LEVELS:
            return
        seen.add(id(node))
        yield from node.listed("profiles", "profile")
        for group in node.listed("infoGroups", "infoGroup"):
            yield from self._profiles_in(group, seen, level + 1)
        for link in node.listed("infoLinks", "infoLink"):
            target = self.index.get(link.get("targetId"))
            if target is not None and target.name == "profile":
                yield target
            elif target is not None and target.name == "infoGroup":
                yield from self._profiles_in(target, seen, level + 1)

    def find_line(self, place: Place) -> Node | None:
        """Return the first stat line of a place, None where it has none."""
        return self._first_profile(place, self.stat_types)

    def _first_profile(self, place: Place, types: set[str]) -> Node | None:
        profiles = self.profiles(place)
        return next(
            (profile for profile in profiles if profile.get("typeId") in types), None
        )

    def weapon_figures(self, place: Place) -> TextByKey | None:
        """Return the texts of a weapon's ``range`` and ``strength``, None for what is no weapon."""
        profile = self._first_profile(place, self.weapon_types)
        if profile is None:
            return None
        figures = dict.fromkeys(("range", "strength"), "")
        for cell in profile.listed("characteristics", "characteristic"):
            if column := _WEAPON_COLUMNS.get(cell.get("name").lower()):
                figures[column] = cell.text.strip()
        return figures

    def rules(self, place: Place) -> Iterator[Node]:
        """Yield the rules of a place, of which only the names are kept."""
        for element in place.elements:
            yield from element.node.listed("rules", "rule")
            links = element.node.listed("infoLinks", "infoLink")
            yield from (link for link in links if link.get("type") == "rule")

    def stats(self, profile: Node, change: Figures) -> tuple[Fields, list[str]]:
        """Return the figures of a line by column, and those that no column can hold; what stands
        in other columns is counted as unshown.
        """
        stats: Fields = dict.fromkeys(self.columns)
        strange = []
        element = self.elements.read(profile)
        for cell in profile.listed("characteristics", "characteristic"):
            column = self.column(cell.get("name"))
            text = change(cell.text.strip(), cell.get("typeId"), element)
            if column:
                stats[column], is_read = read_figure(text)
                if not is_read:
                    strange.append(f"{column} {text[:_PRINTED_LENGTH]}")
            # A dash is read as None, and says nothing.
            elif read_figure(text) != (None, True):
                self.unshown[clean_name(cell.get("name"))] += 1
        return stats, strange


def read_figure(text: str) -> tuple[int | str | None, bool]:
    """Return a figure as a list has it, and whether it could be read; a dash is None."""
    plain = text.strip().rstrip('"”″').strip()
    if plain in ("", "-", "–", "—", "N/A", "n/a"):
        return None, True
    if _WHOLE.fullmatch(plain) and int(plain) <= _HIGHEST:
        return int(plain), True
    if len(plain) <= _PRINTED_LENGTH and _PRINTED.fullmatch(plain):
        return plain, True
    return None, False


def _column_names(profile_type: Node) -> list[str]:
    columns = profile_type.listed("characteristicTypes", "characteristicType")
    return [column.get("name") for column in columns]


# Columns of a game whose stat lines have other figures than those of any collection

KEY_LENGTH = 4
_LETTERS = re2.compile(r"[A-Za-z]+")


def own_columns(closure: Closure, index: Mapping[str, Node]) -> TextPairs:
    """Return key and name of the columns that a game's own stat lines have, empty for none.

    Its stat lines are the type of profile that most units and models have of those with figures:
    over half of their columns hold a short one. A type with a range that more options have is one
    of weapons.
    """
    units, options = _count_types(closure, index)
    columns = {
        profile_type.get("id"): _column_names(profile_type)
        for profile_type in closure.listed("profileTypes", "profileType")
        if "weapon" not in profile_type.get("name").lower()
    }
    ranged = {key for key, names in columns.items() if "range" in map(str.lower, names)}
    keys = [key for key in units if key in columns]
    keys = [key for key in keys if key not in ranged or units[key] >= options[key]]
    # A unit has its weapons' lines too, at times.
    keys.sort(key=lambda key: (-units[key], key in ranged))
    named = _columns_by_key(columns[keys[0]]) if keys else {}
    return tuple(named.items())[:OWN_COLUMNS_MAX]


def _count_types(
    closure: Closure, index: Mapping[str, Node]
) -> tuple[Counter[str], Counter[str]]:
    """Count the units and the options that have a profile with figures, by its type."""
    units = Counter[str]()
    options = Counter[str]()
    for file in closure.all_files:
        for node in file.root.walk():
            if node.name == "selectionEntry":
                types = {profile.get("typeId") for profile in _stat_profiles(node, index)}
                counted = units if node.get("type") in UNIT_TYPES else options
                counted.update(types)
    return units, options


def _stat_profiles(node: Node, index: Mapping[str, Node]) -> Iterator[Node]:
    """Yield the profiles of an entry, linked ones too, that hold figures for the most part."""
    links = (
        index.get(link.get("targetId")) for link in node.listed("infoLinks", "infoLink")
    )
    linked = (target for target in links if target is not None and target.name == "profile")
    for profile in (*node.listed("profiles", "profile"), *linked):
        cells = profile.listed("characteristics", "characteristic")
        texts = [cell.text for cell in cells]
        figures = [text for text in texts if text.strip() and read_figure(text)[1]]
        if len(figures) * 2 > len(texts):
            yield profile


def _columns_by_key(names: Iterable[str]) -> TextByKey:
    """Return names by their keys: the name itself, its first letters, or a letter."""
    columns: TextByKey = {}
    for name in map(clean_name, names):
        letters = "".join(_LETTERS.findall(name))
        keys = [letters[:length].capitalize() for length in (3, 4, 2) if letters]
        if len(letters) <= KEY_LENGTH:
            keys.insert(0, capital(letters) if letters else "C")
        keys += "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        key = next((key for key in keys if key not in columns), None)
        if key:
            columns[key] = name
    return columns


# Weapons, and things of the collection

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


class ArmyItems:
    """What the units of a list share: the things of the collection by their plain names, weapons
    of the list's own, and its magic items.
    """

    def __init__(self, items: Mapping[str, OptionItem]) -> None:
        self.items = items
        self.weapons: dict[tuple[object, ...], Fields] = {}
        self.magic: dict[tuple[str, str, int], Fields] = {}
        self._keys = KeySet(item.key for item in items.values())
        self._magic_keys = KeySet()

    def option_fields(self, place: Place, lines: StatLines) -> Fields:
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
        around = " ".join(above.name.lower() for above in place.path if above is not place)
        if "weapon" in around:
            return {"kind": "weapon"}
        if "armour" in around or "armor" in around:
            return {"kind": "armour"}
        return {"kind": "other"}

    def _weapon_key(self, name: str, figures: TextByKey) -> str:
        """Return the key of a weapon with these figures, empty where the list is full of them."""
        record = weapon_record(name, figures)
        same = tuple(record.items())
        if same not in self.weapons:
            if len(self.weapons) >= OWN_ITEMS_MAX:
                return ""
            key = self._keys.take(name, "weapon")
            self.weapons[same] = {"id": key, "sources": ["first"], **record}
        return str(self.weapons[same]["id"])

    def add_magic(self, place: Place, points: int) -> bool:
        """Add a magic item, and return whether the list can hold it.

        What several units may carry at one price is one item. A list holds so many of them, each at
        1 to 1,000 points; others stay options.
        """
        # The group it stands in says what sort of item it is: weapon, talisman, arcane-item.
        nearest = next(_groups_around(place), None)
        name_words = plain_name(nearest.name).split() if nearest is not None else []
        type_ = slug(" ".join(word for word in name_words if word != "magic"), _ANY)
        same = (plain_name(place.name), type_, points)
        if same in self.magic:
            return True
        if not 1 <= points <= ITEM_POINTS_MAX or len(self.magic) >= OWN_MAGIC_MAX:
            return False
        key = self._magic_keys.take(place.name, _ANY)
        item = {"id": key, "name": place.name or "Item", "type": type_, "points": points}
        if any(limit.value == 1 for limit in place.list_limits("max")):
            item["one_per_army"] = True
        self.magic[same] = item
        return True


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
    has_line = lines.find_line(place) is not None
    return CHAMPION if has_line and (is_named or is_grouped) else ""


# Magic items: what stands in a group that may cost only so many points together

ITEM_POINTS_MAX = 1_000
_ANY = "item"


def magic_group(place: Place, price: str) -> Place | None:
    """Return the outermost group around an entry whose content may cost only so much together.

    ``price`` is the id of the price that counts. Without such a group it is no magic item.
    """
    limited = [group for group in _groups_around(place) if group.points_limit(price)]
    return limited[-1] if limited else None


def _groups_around(place: Place) -> Iterator[Place]:
    """Yield the groups around an entry, the nearest first, up to the entry that it stands in."""
    above = place.parent
    while above is not None and above.is_group:
        yield above
        above = above.parent
