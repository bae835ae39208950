"""Keys that stand twice or lead nowhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rulesdata.pack_files.folders import Reader

Place = tuple[str | int, ...]


def report_repeated(reader: Reader, name: str, place: Place, keys: list[str]) -> None:
    """A fault for every key that stood before."""
    seen: set[str] = set()
    for number, key in enumerate(keys):
        if key in seen:
            reader.fault(name, (*place, number), f"'{key}' stands twice")
        seen.add(key)


def report_unknown(
    reader: Reader, name: str, place: Place, keys: Iterable[str], known: Collection[str], what: str
) -> None:
    """A fault for every key that is not among those known; ``what`` it should have been."""
    for key in keys:
        if key not in known:
            reader.fault(name, place, f"'{key}' is no {what}")
