"""Lays what was agreed over the files of a system: other phrases, other figures, other records.

An alternative is written in the shape of the files themselves, so what checks and reads them checks
and reads what is agreed as well.

Pure: no files.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.records import Fields
from rulesdata.pack_files.yaml_files import DROP, Document, is_records, record_name
from rulesdata.schema.system import AlternativeRecord

AFTER = "after"
Phrases = Mapping[str, str]


def with_alternatives(
    document: Document, name: str, chosen: Iterable[AlternativeRecord]
) -> Document:
    """The document of that name under the alternatives chosen; lines stay those of the file."""
    data = document.data
    for choice in chosen:
        # The phrases are those of the file, so they are looked for before anything is laid over it.
        for target, phrases in choice.words.items():
            data = _reworded(data, target, phrases, is_in=False)
        if name in choice.sets:
            data = _merged(data, choice.sets[name])
    return replace(document, data=data)


def phrases_found(data: Any, target: str, phrase: str) -> bool:
    """Whether the file has the phrase in that record or list."""
    return bool(_reworded(data, target, {phrase: ""}, is_in=False) != data)


def _reworded(data: Any, target: str, phrases: Phrases, *, is_in: bool) -> Any:
    """The data with the phrases of one record or list exchanged."""
    if isinstance(data, str):
        for old, new in phrases.items() if is_in else ():
            data = data.replace(old, new)
        return data
    if isinstance(data, list):
        return [_reworded(value, target, phrases, is_in=is_in) for value in data]
    if isinstance(data, dict):
        is_in = is_in or record_name(data) == target
        return {
            key: _reworded(value, target, phrases, is_in=is_in or key == target)
            for key, value in data.items()
        }
    return data


def _merged(old: Any, new: Any) -> Any:
    """What ``new`` changes of ``old``: mappings by key, records by id, everything else whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        result = {}
        for key, value in (old | new).items():
            if key in old and key in new:
                value = _merged(old[key], value)
            # Null takes away what the file has; what is null in the file itself stays.
            if value is not None or key not in new:
                result[key] = value
        return result
    if is_records(old) and is_records(new):
        return _merged_records(old, new)
    return new


def _merged_records(old: list[Fields], new: list[Fields]) -> list[Fields]:
    """Return the records with changes laid over, new ones put in, dropped ones gone."""
    changes = {record_name(record): record for record in new}
    records = [_merged(record, changes.pop(record_name(record), {})) for record in old]
    for record in changes.values():
        # A phase has its place in the turn; most records have none to keep, and stand last.
        names = [record_name(other) for other in records]
        before = record.get(AFTER)
        place = names.index(before) + 1 if before in names else len(names)
        records.insert(place, {key: record[key] for key in record if key != AFTER})
    return [record for record in records if not record.get(DROP)]
