"""Where a fault is written down, and keys that stand twice or lead nowhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from rulesdata.pack_files.folders import Reader

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in one file of a pack; faults found there go to its reader."""

    reader: Reader
    name: str
    place: Place = ()

    def at(self, *steps: str | int) -> Spot:
        """A place below this one."""
        return replace(self, place=(*self.place, *steps))

    def fault(self, message: str) -> None:
        self.reader.fault(self.name, self.place, message)

    def report_repeated(self, keys: Iterable[str]) -> None:
        """A fault for every key that stood before."""
        seen: set[str] = set()
        for number, key in enumerate(keys):
            if key in seen:
                self.at(number).fault(f"'{key}' stands twice")
            seen.add(key)

    def report_unknown(self, keys: Iterable[str | None], known: Collection[str], what: str) -> None:
        """A fault for every key that is not among those known; ``what`` it should have been.

        None and the empty key name nothing.
        """
        for key in keys:
            if key and key not in known:
                self.fault(f"'{key}' is no {what}")
