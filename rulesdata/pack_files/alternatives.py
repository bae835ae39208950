"""Lays what was agreed over the files of a system: other phrases, other figures, other records.

An alternative is written in the shape of the files themselves, so what checks and reads them checks
and reads what is agreed as well.

Pure: no files.
"""

from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
)
from dataclasses import replace
from functools import reduce
from typing import Any

from engine.records import Fields
from rulesdata.pack_files.yaml_files import (
    DROP,
    Document,
    is_records,
    record_name,
)
from rulesdata.schema.system import AlternativeRecord

AFTER = "after"
Phrases = Mapping[str, str]


def with_alternatives(
    document: Document, name: str, chosen: Iterable[AlternativeRecord]
) -> Document:
    """The document of that name under the alternatives chosen; lines stay those of the file."""
    return replace(document, data=reduce(_Laid(name), chosen, document.data))


class _Laid:
    """Lays one alternative after another over the data of one file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, data: Any, one: AlternativeRecord) -> Any:
        # The phrases are those of the file, so they are looked for before anything is laid over it.
        for target, phrases in one.words.items():
            data = _reworded(data, target, phrases, is_in=False)
        return _merged(data, one.sets[self.name]) if self.name in one.sets else data


def phrases_found(data: Any, target: str, phrase: str) -> bool:
    """Whether the file has the phrase in that record or list."""
    return any(phrase in text for text in _texts(data, target, is_in=False))


def _texts(data: Any, target: str, *, is_in: bool) -> Iterator[str]:
    """Yield the texts that stand in what the target names."""
    if isinstance(data, str):
        if is_in:
            yield data
        return
    for key, value in _parts(data):
        yield from _texts(value, target, is_in=is_in or _is_meant(data, key, target))


def _reworded(data: Any, target: str, phrases: Phrases, *, is_in: bool) -> Any:
    """The data with the phrases of one record or list exchanged."""
    if isinstance(data, str):
        return _exchanged(data, phrases) if is_in else data
    found = {
        key: _reworded(value, target, phrases, is_in=is_in or _is_meant(data, key, target))
        for key, value in _parts(data)
    }
    if isinstance(data, dict):
        return found
    return list(found.values()) if isinstance(data, list) else data


def _parts(data: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(data, dict):
        return data.items()
    return enumerate(data) if isinstance(data, list) else ()


def _is_meant(data: Any, key: Any, target: str) -> bool:
    """Whether what stands at this key belongs to the record, or is the list, of that name."""
    return key == target or (isinstance(data, dict) and record_name(data) == target)


def _exchanged(text: str, phrases: Phrases) -> str:
    for old, new in phrases.items():
        text = text.replace(old, new)
    return text


def _merged(old: Any, new: Any) -> Any:
    """What ``new`` changes of ``old``: mappings by key, records by id, everything else whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        kept = {key: value for key, value in {**old, **new}.items() if value is not None}
        return {
            key: _merged(old[key], new[key]) if key in old and key in new else value
            for key, value in kept.items()
        } | _nothing_said(old, new)
    if is_records(old) and is_records(new):
        return _merged_records(old, new)
    return new


def _nothing_said(old: Fields, new: Fields) -> Fields:
    """What is null in the file itself, and of which the alternative says nothing."""
    return {key: None for key, value in old.items() if value is None and key not in new}


def _merged_records(old: list[Fields], new: list[Fields]) -> list[Fields]:
    """Return the records with changes laid over, new ones put in, dropped ones gone."""
    changes = {record_name(record): record for record in new}
    known = {record_name(record) for record in old}
    records = [_merged(record, changes.get(record_name(record), {})) for record in old]
    for name, record in changes.items():
        if name not in known:
            records.insert(
                _place_of(record, records),
                {key: value for key, value in record.items() if key != AFTER},
            )
    return [record for record in records if not record.get(DROP)]


def _place_of(record: Fields, records: list[Fields]) -> int:
    """Behind the record that it names, or behind all."""
    # A phase has its place in the turn; most records have none to keep.
    names = [record_name(one) for one in records]
    before = record.get(AFTER)
    return names.index(before) + 1 if before in names else len(names)
