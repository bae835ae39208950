"""Lays the files of a variant over those its system shares. Pure: plain data in, plain data out."""

from __future__ import annotations

from typing import Any

from rulesdata.pack_files.yaml_files import Document

VARIANTS = "variants"
DROP = "drop"
_NAMES = ("id", "code", "ref")


class OverlayError(ValueError):
    """The two files do not fit together; the text says why."""


def overlay_document(common: Document, own: Document) -> Document:
    """The common file with the variant's over it.

    Records of a list replace those of the same id, code or ref in their place, others are added
    behind; every other value replaces the common one whole. ``drop`` names records that the variant
    does without. Lines are the variant's. Raises Overlaid where a file is no mapping or ``drop``
    names nothing.
    """
    if not isinstance(common.data, dict) or not isinstance(own.data, dict):
        raise OverlayError("expected a mapping, so that it can be laid over the common file")
    data, lines = dict(common.data), {}
    dropped = own.data.get(DROP, [])
    if not isinstance(dropped, list) or not all(isinstance(name, str) for name in dropped):
        raise OverlayError("drop: expected a list of ids")
    left = set(dropped)
    for key, value in data.items():
        if _is_records(value):
            left -= {_name(record) for record in value}
            data[key] = [record for record in value if _name(record) not in dropped]
    if left:
        raise OverlayError(f"drop: the common file has no {', '.join(sorted(left))}")
    for key, value in own.data.items():
        if key == DROP:
            continue
        if not (_is_records(value) and _is_records(data.get(key))):
            data[key] = value
            lines.update({place: line for place, line in own.lines.items() if place[0] == key})
            continue
        data[key], places = _merge_records(data[key], value)
        for place, line in own.lines.items():
            if place[0] == key:
                lines[(key, places[place[1]], *place[2:]) if len(place) > 1 else place] = line
    return Document(data, lines)


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
