"""What differs between two documents of campaign rules, in words that people can follow."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.records import NamedValues, Texts, frozen_dataclass

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


def differences_of(before: NamedValues, after: NamedValues) -> tuple[RulesDifference, ...]:
    """Return every place at which two documents differ, those of the first first."""
    old, new = dict(_leaves(before, ())), dict(_leaves(after, ()))
    places = [place for place in {**old, **new} if old.get(place) != new.get(place)]
    return tuple(
        RulesDifference(" › ".join(place), old.get(place, ""), new.get(place, ""))
        for place in places[:LINES_MOST]
    )


def _leaves(value: Any, place: Texts) -> Iterator[tuple[Texts, str]]:
    """Yield every value that holds no further ones, with the names that lead to it."""
    for name, one in _entries(value):
        here = (*place, name)
        if not place and name in FORMAL:
            continue
        if _is_nested(one):
            yield from _leaves(one, here)
        else:
            yield here, _words(one)


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a mapping or a list by what people call them."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield str(key).replace("_", " "), one
        return
    for number, one in enumerate(value, 1):
        yield _name_of(one, number), one


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


def _words(value: Any) -> str:
    """Return a value that holds no further ones as text."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == {} else str(value)
