"""Lays the files of a variant over those its system shares. Pure: plain data in, plain data out."""

from __future__ import annotations

from itertools import chain
from typing import Any

from rulesdata.pack_files.yaml_files import Document

VARIANTS = "variants"
DROP = "drop"
_NAMES = ("id", "code", "ref")


class OverlayError(ValueError):
    """The two files do not fit together; the text says why."""


def overlay_document(common: Document, own: Document) -> Document:
    """Lay the variant's file over the common one.

    Records of a list replace those of the same id, code or ref in their place, others are added
    behind; every other value replaces the common one whole. ``drop`` names records that the variant
    does without. Lines are the variant's. Raises OverlayError where a file is no mapping or
    ``drop`` names nothing.
    """
    if not isinstance(common.data, dict) or not isinstance(own.data, dict):
        raise OverlayError("expected a mapping, so that it can be laid over the common file")
    data = _without_dropped(common.data, own.data.get(DROP, []))
    lines: dict[Any, int] = {}
    for key in [key for key in own.data if key != DROP]:
        places = [place for place in own.lines if place[0] == key]
        moved: dict[Any, int] = {}
        if _is_records(own.data[key]) and _is_records(data.get(key)):
            data[key], moved = _merge_records(data[key], own.data[key])
        else:
            data[key] = own.data[key]
        lines.update({_moved(place, moved): own.lines[place] for place in places})
    return Document(data, lines)


def _without_dropped(common: dict[str, Any], dropped: object) -> dict[str, Any]:
    """The common file without the records that ``drop`` names. Raises OverlayError."""
    if not isinstance(dropped, list) or not all(isinstance(name, str) for name in dropped):
        raise OverlayError("drop: expected a list of ids")
    lists = {key: value for key, value in common.items() if _is_records(value)}
    names = {_name(record) for record in chain.from_iterable(lists.values())}
    if left := sorted(set(dropped) - names):
        raise OverlayError(f"drop: the common file has no {', '.join(left)}")
    return {**common, **{key: _kept(value, dropped) for key, value in lists.items()}}


def _kept(records: list[Any], dropped: list[str]) -> list[Any]:
    return [record for record in records if _name(record) not in dropped]


def _moved(place: tuple[Any, ...], moved: dict[Any, int]) -> tuple[Any, ...]:
    """A place of the variant's file in the merged one: its records stand elsewhere."""
    if not moved or len(place) < 2:
        return place
    return (place[0], moved[place[1]], *place[2:])


def _merge_records(common: list[Any], own: list[Any]) -> tuple[list[Any], dict[Any, int]]:
    """The records together, and where each of the variant's has come to stand."""
    found, places = list(common), {}
    at = {_name(record): place for place, record in enumerate(common)}
    for number, record in enumerate(own):
        name = _name(record)
        if name in at:
            found[at[name]] = record
        else:
            at[name] = len(found)
            found.append(record)
        places[number] = at[name]
    return found, places


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and _name(one) is not None for one in value
    )


def _name(record: Any) -> Any:
    return next((record[key] for key in _NAMES if key in record), None)
