"""Columns of a game whose stat lines have other figures than those of any collection."""

from collections import Counter
from collections.abc import Iterator, Mapping

import re2

from engine.records import TextPairs
from engine.types.lists import OWN_COLUMNS_MAX
from engine.words import capital
from rulesdata.foreign.catalogues import Closure
from rulesdata.foreign.keys import clean_name
from rulesdata.foreign.nodes import Node
from rulesdata.foreign.places import UNIT_TYPES
from rulesdata.foreign.stat_lines import read_figure

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
        if not _is_weapon(one)
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


def _is_weapon(profile_type: Node) -> bool:
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
