"""The figures of campaign rules that clubs often change, where a text of rules has them.

Everything else is changed in the text itself. A figure is written into its place there, so a text
keeps its order and its comments.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from engine.growth.tables import DICE
from engine.records import frozen_dataclass
from engine.words import capital
from rulesdata.campaign_words import INCOME_NAMES
from rulesdata.pack_files.yaml_files import Path_
from rulesdata.schema.campaigns import AMOUNT, LINES_MOST

NUMBER, STEPS, SHARE, THROW = "number", "steps", "share", "dice"
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
SHAPES: Mapping[str, str] = {"steps": STEPS, "part": SHARE, "dice": THROW}


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= AMOUNT


FITS: Mapping[str, Callable[[Any], bool]] = {
    NUMBER: _is_number,
    STEPS: lambda value: isinstance(value, list) and all(map(_is_number, value)),
    SHARE: lambda value: (
        isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))
    ),
    THROW: lambda value: value in DICE,
}


@frozen_dataclass
class Figure:
    """A figure as a text has it; ``path`` are the keys and places that lead to it."""

    section: str
    path: Path_
    label: str
    shape: str
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
                shape = SHAPES.get(key, NUMBER)
                if FITS[shape](row.get(key)):
                    label = f"{title}: {label}" if title else label
                    figure = Figure(section, (*path, key), capital(label), shape, row[key])
                    figures.append(figure)
    return figures


def _rows(document: Any, place: str) -> Iterator[tuple[Path_, Mapping[str, Any], str]]:
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
    names = [_row_name(entry) for entry in entries]
    repeated = Counter(names)
    for number, (entry, name) in enumerate(zip(entries, names, strict=True)):
        if isinstance(entry, Mapping):
            title = f"{name} ({entry.get('id', number + 1)})"
            yield (*keys, number), entry, title if repeated[name] > 1 else name


def _row_name(entry: Any) -> str:
    """Return what an entry of a list is called: its name, or what it pays."""
    if not isinstance(entry, Mapping):
        return ""
    when = str(entry.get("when"))
    pays = f"{entry.get('currency')}, {INCOME_NAMES.get(when, when).lower()}"
    return str(entry.get("name") or pays)[:NAME_SHOWN]


class NoPlace(ValueError):
    """A figure that cannot be written into a text, for its place there spans several lines."""


def put_figures(text: str, values: Mapping[Path_, Any]) -> str:
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
        changes.append(
            (
                node.start_mark.index,
                node.end_mark.index,
                json.dumps(value, ensure_ascii=False),
            )
        )
    # The last first, because what stands behind a change moves.
    for start, end, written in sorted(changes, reverse=True):
        text = text[:start] + written + text[end:]
    return text
