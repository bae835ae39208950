"""What differs between two documents of campaign rules, in words that people can follow."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.records import NamedValues, Texts, frozen_dataclass
from engine.words import capital

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

    ``place`` are the ids and keys that lead to it in any version, ``path`` what people call them.
    """

    place: Texts = ()
    path: Texts = ()
    words: str = ""


def differences_of(before: NamedValues, after: NamedValues) -> tuple[RulesDifference, ...]:
    """Return every place at which two documents differ, those of the first first."""
    old = {leaf.place: leaf for leaf in _leaves(before, Leaf())}
    new = {leaf.place: leaf for leaf in _leaves(after, Leaf())}
    nothing = Leaf()
    differences = []
    for place in {**old, **new}:
        previous, current = old.get(place, nothing), new.get(place, nothing)
        if previous.words != current.words:
            path = capital(", ".join(current.path or previous.path))
            differences.append(RulesDifference(path, previous.words, current.words))
    return tuple(differences[:LINES_MOST])


def _leaves(value: Any, leaf: Leaf) -> Iterator[Leaf]:
    """Yield every value that holds no further ones."""
    for inner, entry in _entries(value, leaf):
        if len(inner.place) == 1 and inner.place[0] in FORMAL:
            continue
        if _is_nested(entry):
            yield from _leaves(entry, inner)
        else:
            if isinstance(entry, list | tuple):
                words = ", ".join(map(str, entry)) or "none"
            elif isinstance(entry, bool):
                words = "yes" if entry else "no"
            else:
                words = "none" if entry is None or entry == {} else str(entry)
            yield replace(inner, words=words)


def _entries(value: Any, leaf: Leaf) -> Iterator[tuple[Leaf, Any]]:
    """Yield the entries of a mapping or a list, each with where it stands."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            path = (*leaf.path, str(key).replace("_", " "))
            yield Leaf((*leaf.place, str(key)), path), entry
        return
    for number, entry in enumerate(value, 1):
        name = title = _row_name(entry, number)
        if isinstance(entry, Mapping) and "least" in entry:
            title = f"row {name}"
        elif isinstance(entry, Mapping) and isinstance(entry.get("name"), str):
            title = f"“{entry['name']}”"
        yield Leaf((*leaf.place, name), (*leaf.path, title)), entry


def _row_name(entry: Any, number: int) -> str:
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
        return not all(isinstance(entry, LEAVES) for entry in value)
    return isinstance(value, Mapping) and bool(value)
