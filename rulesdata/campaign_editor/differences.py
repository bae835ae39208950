"""What differs between two documents of campaign rules, in words that people can follow."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.records import NamedValues, Texts, frozen_dataclass
from rulesdata.campaign_editor.phrases import leaf_words

LINES_MOST = 200
"""How many differences are told; beyond that both documents are another set."""
FORMAL = frozenset({"format", "id", "version"})
LEAVES = (str, int, float, bool, type(None))


@frozen_dataclass
class RulesDifference:
    """One place of the rules, before and after; an empty text stands for nothing."""

    place: str
    before: str
    after: str


@frozen_dataclass
class Leaf:
    """A value that holds no further ones.

    ``place`` are the ids and keys that lead to it in any version, ``path`` is where it stands in
    this one. ``row`` is what people call the first row on the way, "" for none.
    """

    place: Texts = ()
    path: str = ""
    row: str = ""
    words: str = ""


def differences_of(before: NamedValues, after: NamedValues) -> tuple[RulesDifference, ...]:
    """Return every place at which two documents differ, those of the first first."""
    old = {leaf.place: leaf for leaf in _leaves(before, Leaf())}
    new = {leaf.place: leaf for leaf in _leaves(after, Leaf())}
    nothing = Leaf()
    found = []
    for place in {**old, **new}:
        was, becomes = old.get(place, nothing), new.get(place, nothing)
        if was.words != becomes.words:
            where = (becomes, after) if place in new else (was, before)
            found.append(RulesDifference(_place_of(*where), was.words, becomes.words))
    return tuple(found[:LINES_MOST])


def _place_of(leaf: Leaf, document: NamedValues) -> str:
    """Return where a value stands, in the words of the forms that write it."""
    return leaf_words(leaf.path, document, leaf.row)


def _leaves(value: Any, at: Leaf) -> Iterator[Leaf]:
    """Yield every value that holds no further ones."""
    for here, one in _entries(value, at):
        if here.path in FORMAL:
            continue
        if _is_nested(one):
            yield from _leaves(one, here)
        else:
            if isinstance(one, list | tuple):
                words = ", ".join(map(str, one)) or "none"
            elif isinstance(one, bool):
                words = "yes" if one else "no"
            else:
                words = "none" if one is None or one == {} else str(one)
            yield replace(here, words=words)


def _entries(value: Any, at: Leaf) -> Iterator[tuple[Leaf, Any]]:
    """Yield the entries of a mapping or a list, each with where it stands."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            path = f"{at.path}.{key}" if at.path else str(key)
            yield replace(at, place=(*at.place, str(key)), path=path), one
        return
    for number, one in enumerate(value, 1):
        name = _name_of(one, number)
        row = at.row or _shown_name(one, name)
        place, path = (*at.place, name), f"{at.path}[{number - 1}]"
        yield replace(at, place=place, path=path, row=row), one


def _shown_name(entry: Any, name: str) -> str:
    """Return what a row is called: by its rolls, else by its own name, where it has one."""
    own = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(own, str) or not own or "least" in entry:
        return name
    return f"“{own}”"


def _name_of(entry: Any, number: int) -> str:
    """Return what tells an entry of a list from the others: its id, its rolls, its number."""
    if not isinstance(entry, Mapping):
        return str(number)
    if isinstance(entry.get("id"), str):
        return str(entry["id"])
    if "least" in entry:
        most = entry.get("most")
        return f"{entry['least']}" + ("" if most == entry["least"] else f"–{most}")
    return f"from {entry['from']}" if "from" in entry else str(number)


def _is_nested(value: Any) -> bool:
    """Return whether a value holds more than a list of texts and numbers."""
    if isinstance(value, list | tuple):
        return not all(isinstance(one, LEAVES) for one in value)
    return isinstance(value, Mapping) and bool(value)
