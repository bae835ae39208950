"""Stat lines of a catalogue, in the columns of a collection or in those that its game has of its own."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import re2

from engine.records import TextByKey, TextPairs
from engine.types.lists import OWN_COLUMNS_MAX
from engine.words import capital
from interchange.catalogues import Closure
from interchange.entries import UNIT_TYPES, Element, Elements, Place
from interchange.names import clean_name
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
NO_NAMES: Mapping[str, str] = MappingProxyType({})
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
        names: Mapping[str, str] = NO_NAMES,
    ) -> None:
        """``names`` are other names of columns, in small letters."""
        self.index = index
        self.columns = tuple(columns)
        self.known = {column.lower(): column for column in columns} | dict(names)
        self.elements = Elements()
        self._profiles: dict[int, tuple[Node, ...]] = {}
        types = list(closure.listed("profileTypes", "profileType"))
        self.stat_types = {one.get("id") for one in types if self._has_stats(one)}
        weapon_types = {one.get("id") for one in types if _is_weapon(one)}
        self.weapon_types = weapon_types - self.stat_types

    def column(self, name: str) -> str:
        """Return the collection's column of this name, or an empty text."""
        key = name.strip().lower()
        return self.known.get(key) or self.known.get(_ALSO.get(key, "")) or ""

    def _has_stats(self, profile_type: Node) -> bool:
        """Whether half of a type's columns, and half of the collection's, are in both."""
        names = [
            one.get("name")
            for one in profile_type.listed("characteristicTypes", "characteristicType")
        ]
        found = {column for name in names if (column := self.column(name))}
        return len(found) * 2 >= max(2, len(self.columns)) and len(found) * 2 >= len(names)

    def profiles(self, place: Place) -> Iterator[Node]:
        """Yield the profiles of a place, shared ones too."""
        for element in place.elements:
            found = self._profiles.get(id(element.node))
            if found is None:
                found = tuple(self._profiles_in(element.node, set(), 0))
                self._profiles[id(element.node)] = found
            yield from found

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

    def line_of(self, place: Place) -> Node | None:
        """Return the first stat line of a place, None where it has none."""
        found = (
            one for one in self.profiles(place) if one.get("typeId") in self.stat_types
        )
        return next(found, None)

    def weapon_of(self, place: Place) -> Node | None:
        """Return the first profile of a place that is a weapon's, None where it has none."""
        found = (
            one for one in self.profiles(place) if one.get("typeId") in self.weapon_types
        )
        return next(found, None)

    def weapon_figures(self, place: Place) -> TextByKey | None:
        """Return the texts of a weapon's ``range`` and ``strength``, None for what is no weapon."""
        profile = self.weapon_of(place)
        if profile is None:
            return None
        found = dict.fromkeys(("range", "strength"), "")
        for one in profile.listed("characteristics", "characteristic"):
            if column := _WEAPON_COLUMNS.get(one.get("name").lower()):
                found[column] = one.text.strip()
        return found

    def rules(self, place: Place) -> Iterator[Node]:
        """Yield the rules of a place, of which only the names are kept."""
        for element in place.elements:
            yield from element.node.listed("rules", "rule")
            links = element.node.listed("infoLinks", "infoLink")
            yield from (one for one in links if one.get("type") == "rule")

    def stats(self, profile: Node, changed: Figures) -> tuple[dict[str, Any], list[str]]:
        """Return the figures of a line by column, and those that no column can hold."""
        found: dict[str, Any] = dict.fromkeys(self.columns)
        strange = []
        element = self.elements.of(profile)
        for one in profile.listed("characteristics", "characteristic"):
            column = self.column(one.get("name"))
            text = changed(one.text.strip(), one.get("typeId"), element)
            if not column:
                continue
            figure, is_read = read_figure(text)
            found[column] = figure
            if not is_read:
                strange.append(f"{column} {text[:_PRINTED_LENGTH]}")
        return found, strange


# Figures as the files write them


def _is_weapon(profile_type: Node) -> bool:
    """Whether a type of profile has fewer than seven columns, one of a weapon's."""
    names = {
        one.get("name").lower()
        for one in profile_type.listed("characteristicTypes", "characteristicType")
    }
    return bool(names & _WEAPON_COLUMNS.keys()) and len(names) < 7


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


# Columns of a game whose stat lines have other figures than those of any collection

KEY_LENGTH = 4
_LETTERS = re2.compile(r"[A-Za-z]+")
_RANGE = "range"


def own_columns(closure: Closure, index: Mapping[str, Node]) -> TextPairs:
    """Return key and name of the columns that a game's own stat lines have, empty for none.

    Its stat lines are the type of profile that most units and models have of those with figures.
    """
    found = Counter(
        profile.get("typeId")
        for profile in _profiles_of_units(closure, index)
        if _has_figures(profile)
    )
    types = {
        one.get("id"): one
        for one in closure.listed("profileTypes", "profileType")
        if not _column_is_weapon(one)
    }
    known = (types[key] for key, _ in found.most_common() if key in types)
    chosen = next(known, None)
    return _columns(chosen) if chosen is not None else ()


def _profiles_of_units(closure: Closure, index: Mapping[str, Node]) -> Iterator[Node]:
    """Yield the profiles that stand at units and models, linked ones too."""
    for file in closure.all_files:
        for node in file.root.walk():
            if node.name == "selectionEntry" and node.get("type") in UNIT_TYPES:
                yield from node.listed("profiles", "profile")
                for link in node.listed("infoLinks", "infoLink"):
                    target = index.get(link.get("targetId"))
                    if target is not None and target.name == "profile":
                        yield target


def _column_is_weapon(profile_type: Node) -> bool:
    columns = profile_type.listed("characteristicTypes", "characteristicType")
    return any(one.get("name").lower() == _RANGE for one in columns)


def _has_figures(profile: Node) -> bool:
    """Whether over half of a profile's columns hold a short figure."""
    texts = [one.text for one in profile.listed("characteristics", "characteristic")]
    figures = [text for text in texts if text.strip() and read_figure(text)[1]]
    return len(figures) * 2 > len(texts)


def _columns(profile_type: Node) -> TextPairs:
    """Return key and name of each column of a type of profile, as many as a list may have."""
    found: dict[str, str] = {}
    for one in profile_type.listed("characteristicTypes", "characteristicType"):
        name = clean_name(one.get("name"))
        key = next((key for key in _keys(name) if key not in found), None)
        if key:
            found[key] = name
    return tuple(found.items())[:OWN_COLUMNS_MAX]


def _keys(name: str) -> Iterator[str]:
    """Yield the keys that a column of this name may have: its name, its first letters, a letter."""
    letters = "".join(_LETTERS.findall(name))
    if len(letters) <= KEY_LENGTH:
        yield capital(letters) if letters else "C"
    for length in (3, 4, 2):
        if letters:
            yield letters[:length].capitalize()
    yield from "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
