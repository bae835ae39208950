"""Campaign rules as a text with a form of figures, and what differs between two versions.

The figures are those that clubs often change; everything else is changed in the text itself. A
figure is written into its place there, so a text keeps its order and its comments.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from engine.growth.tables import DICE
from engine.records import NamedValues, Texts, frozen_dataclass
from engine.text import capital
from rulesdata.pack_files.yaml_files import Place
from rulesdata.schema.campaign_tables import AMOUNT, LINES_MOST

STEPS, SHARE, THROW = "steps", "part", "dice"
"""Keys of figures that are no whole number."""
NAME_SHOWN = 60
SECTIONS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("Purse", "currencies.*", {"start": "at founding"}),
    (
        "Limits",
        "limits",
        {
            "models": "models in a warband",
            "recruits_after_battle": "recruits after a battle",
        },
    ),
    ("Experience steps", "kinds.*", {"steps": "advances at"}),
    (
        "Experience awards",
        "experience.*",
        {"amount": "experience", "most": "most in a battle"},
    ),
    (
        "Income",
        "income.*",
        {
            "won": "won",
            "drawn": "drawn",
            "lost": "lost",
            "dice": "dice",
            "times": "times",
            "each": "for each",
            "most": "most of them",
            "bye": "bye",
            "walkover": "walkover",
        },
    ),
    (
        "Upkeep",
        "upkeep",
        {"free_models": "models that cost nothing", "each": "each model above"},
    ),
    ("Ransom", "captives.ransom", {"part": "share of the price", "least": "at least"}),
    ("Ransom", "captives", {"refused": "paid to the captor if refused"}),
    ("Search", "trade.search", {"dice": "dice of a search"}),
)
"""The figures by heading and place; ``*`` stands for each entry of a list."""
INCOME_NAMES: Mapping[str, str] = {
    "result": "By the result",
    "dice": "By a roll",
    "objective": "For each objective",
    "unfought": "For a game that is not fought",
}


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= AMOUNT


def _has_shape(key: str, value: Any) -> bool:
    """Return whether a figure can have this value."""
    if key == THROW:
        return value in DICE
    if key not in (STEPS, SHARE):
        return _is_number(value)
    is_list = isinstance(value, list) and all(map(_is_number, value))
    return is_list and (key == STEPS or len(value) == 2)


@frozen_dataclass
class Figure:
    """A figure as a text has it; ``path`` are the keys and places that lead to it."""

    section: str
    path: Place
    label: str
    value: Any

    @property
    def name(self) -> str:
        """The name of its input."""
        return "-".join(map(str, self.path))


def find_figures(document: Any) -> list[Figure]:
    """Return the figures of a document that have the shape of one; a faulty one is left out."""
    figures = []
    for section, place, labels in SECTIONS:
        for path, row, title in _rows(document, place):
            for key, label in labels.items():
                if _has_shape(key, row.get(key)):
                    label = f"{title}: {label}" if title else label
                    figure = Figure(section, (*path, key), capital(label), row[key])
                    figures.append(figure)
    return figures


def _rows(document: Any, place: str) -> Iterator[tuple[Place, Mapping[str, Any], str]]:
    """Yield the mappings that stand at a place, with their paths and what they are called."""
    keys = place.removesuffix(".*").split(".")
    value = document
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    if not place.endswith("*"):
        if isinstance(value, Mapping):
            yield tuple(keys), value, ""
        return
    entries = value[:LINES_MOST] if isinstance(value, list) else []
    names = [_entry_name(entry) for entry in entries]
    repeated = Counter(names)
    for number, (entry, name) in enumerate(zip(entries, names, strict=True)):
        if isinstance(entry, Mapping):
            title = f"{name} ({entry.get('id', number + 1)})"
            yield (*keys, number), entry, title if repeated[name] > 1 else name


def _entry_name(entry: Any) -> str:
    """Return what an entry of a list is called: its name, or what it pays."""
    if not isinstance(entry, Mapping):
        return ""
    when = str(entry.get("when"))
    pays = f"{entry.get('currency')}, {INCOME_NAMES.get(when, when).lower()}"
    return str(entry.get("name") or pays)[:NAME_SHOWN]


class NoPlace(ValueError):
    """A figure that cannot be written into a text, for its place there spans several lines."""


def put_figures(text: str, values: Mapping[Place, Any]) -> str:
    """Return a text with other values in the places of those that it has there.

    Raises NoPlace.
    """
    root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    changes = []
    for path, value in values.items():
        node: Any = root
        for step in path:
            if isinstance(step, int):
                node = node.value[step]
            else:
                node = next(inner for key, inner in node.value if key.value == step)
        if node.style in ("|", ">") if node.id == "scalar" else not node.flow_style:
            raise NoPlace(path)
        written = json.dumps(value, ensure_ascii=False)
        changes.append((node.start_mark.index, node.end_mark.index, written))
    # The last first, because what stands behind a change moves.
    for start, end, written in sorted(changes, reverse=True):
        text = text[:start] + written + text[end:]
    return text


# What differs between two documents, in words that people can follow

DIFFERENCES_MOST = 200
"""How many differences are told; beyond that both documents are another set."""
FORMAL = frozenset({"format", "id", "version"})
LEAVES = (str, int, float, bool, type(None))
Leaf = tuple[Texts, Texts, str]
"""A value without further ones: ids and keys that lead to it in any version, what people call
them, and the value in words.
"""


@frozen_dataclass
class RulesDifference:
    """One place of the rules, before and after; an empty text stands for nothing."""

    place: str
    before: str
    after: str


def find_differences(
    before: NamedValues, after: NamedValues
) -> tuple[RulesDifference, ...]:
    """Return every place at which two documents differ, those of the first first."""
    old = {place: (title, text) for place, title, text in _leaves(before)}
    new = {place: (title, text) for place, title, text in _leaves(after)}
    nothing = ((), "")
    differences = []
    for place in {**old, **new}:
        previous, current = old.get(place, nothing), new.get(place, nothing)
        if previous[1] != current[1]:
            title = capital(", ".join(current[0] or previous[0]))
            differences.append(RulesDifference(title, previous[1], current[1]))
    return tuple(differences[:DIFFERENCES_MOST])


def _leaves(value: Any, place: Texts = (), titles: Texts = ()) -> Iterator[Leaf]:
    """Yield every value that holds no further ones."""
    for key, title, entry in _entries(value):
        if not place and key in FORMAL:
            continue
        inner, path = (*place, key), (*titles, title)
        is_list = isinstance(entry, list | tuple)
        is_plain = is_list and all(isinstance(item, LEAVES) for item in entry)
        if (is_list and not is_plain) or (entry and isinstance(entry, Mapping)):
            yield from _leaves(entry, inner, path)
        else:
            yield inner, path, _value_text(entry)


def _value_text(value: Any) -> str:
    """Return a value without further ones in words."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == {} else str(value)


def _entries(value: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the entries of a mapping or a list, each with its key and what people call it."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield str(key), str(key).replace("_", " "), entry
        return
    for number, entry in enumerate(value, 1):
        name = title = _row_name(entry, number)
        if isinstance(entry, Mapping) and "least" in entry:
            title = f"row {name}"
        elif isinstance(entry, Mapping) and isinstance(entry.get("name"), str):
            title = f"“{entry['name']}”"
        yield name, title, entry


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
