"""Reads a document section by section, collecting every fault with its path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from engine.errors import Refusal
from engine.records import NamedValues, Numbers, Texts, frozen_dataclass, is_int_within

TEXT_MAX = 120
WORDS_MAX = 400
LIST_MAX = 60
# Treasuries stay far below what a column of a database holds.
AMOUNT = 100_000
# A document of nothing but faults is told as far as somebody would read.
FAULTS_TOLD = 200
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_LINE = re.compile(r"[^\x00-\x1f\x7f\u2028\u2029]+")


@frozen_dataclass
class RulesFault:
    """One thing wrong with a document, and the path of the place."""

    path: str
    message: str


class FaultyRules(Refusal):
    """A document that cannot be used; ``faults`` is the whole work list."""

    def __init__(self, faults: Sequence[RulesFault]) -> None:
        """Keep all faults; the message tells the first and how many more there are."""
        self.faults = tuple(faults)
        first = self.faults[0]
        more = len(self.faults) - 1
        ending = f" ({more} more)" if more else ""
        super().__init__(f"{first.path}: {first.message}{ending}", field="document")


@dataclass(slots=True)
class FaultList:
    """The faults of a document as they are found."""

    faults: list[RulesFault] = field(default_factory=list)

    def add(self, path: str, message: str) -> None:
        """Write a fault down; nobody reads thousands."""
        if len(self.faults) < FAULTS_TOLD:
            self.faults.append(RulesFault(path, message))

    def raise_any(self) -> None:
        """Raise FaultyRules if there are any."""
        if self.faults:
            raise FaultyRules(self.faults)


@dataclass(slots=True)
class DocumentSection:
    """A mapping of a document at its path.

    Each method reads a key: what is wrong is written down, and something harmless is returned
    instead, so that reading goes on. A key without a default must be there.
    """

    data: NamedValues
    path: str
    list: FaultList
    read: set[str] = field(default_factory=set)

    def fault(self, key: str, message: str) -> None:
        """Write down what is wrong with a key."""
        self.list.add(self.at(key), message)

    def at(self, key: str) -> str:
        """Return the path of a key."""
        return f"{self.path}.{key}" if self.path else key

    def has(self, key: str) -> bool:
        """Return whether a key is there at all."""
        return key in self.data

    def check_known(self) -> None:
        """Write down every key that nothing has read."""
        for key in self.data:
            if key not in self.read and self.data[key] is None:
                # In YAML's short form a comma ends a text, and the rest becomes a key.
                self.fault(str(key)[:40], "has no value; words with a comma need quotes.")
            elif key not in self.read:
                known = ", ".join(sorted(self.read))
                self.fault(str(key)[:40], f"is not a key here; the keys are {known}.")

    def text(self, key: str, default: str | None = None, most: int = TEXT_MAX) -> str:
        """Read a line of text."""
        value = self._value(key, default)
        if isinstance(value, str) and (value == default or self._is_line(value, most)):
            return value
        if key in self.data:
            self.fault(key, f"must be a line of 1 to {most} characters.")
        return default or "?"

    def id(self, key: str = "id", default: str | None = None) -> str:
        """Read a word of letters, digits, - and _."""
        value = self._value(key, default)
        if isinstance(value, str) and (value == default or _ID.fullmatch(value)):
            return value
        if key in self.data:
            self.fault(key, "must be a word of 1 to 40 letters, digits, - and _.")
        return default or "?"

    def one_of(self, key: str, words: Collection[str], default: str | None = None) -> str:
        """Read one of a few words."""
        value = self._value(key, default)
        if isinstance(value, str) and value in words:
            return value
        if key in self.data:
            self.fault(key, f"must be one of {', '.join(words)}.")
        return default or next(iter(words))

    def number(
        self, key: str, least: int, most: int = AMOUNT, default: int | None = None
    ) -> int:
        """Read a whole number within a range."""
        value = self._value(key, default)
        if is_int_within(value, least, most):
            return value
        if key in self.data:
            self.fault(key, f"must be a whole number from {least} to {most}.")
        return least if default is None else default

    def maybe_number(self, key: str, least: int, most: int = AMOUNT) -> int | None:
        """Read a number that may be left out."""
        self.read.add(key)
        return self.number(key, least, most) if key in self.data else None

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Read true or false."""
        value = self._value(key, default)
        if isinstance(value, bool):
            return value
        self.fault(key, "must be true or false.")
        return default

    def part(self, key: str, default: tuple[int, int] | None = None) -> tuple[int, int]:
        """Read a share, such as [1, 2] for a half."""
        value = self._value(key, default)
        is_pair = isinstance(value, list | tuple) and len(value) == 2
        if is_pair and all(is_int_within(one, 0, 1000) for one in value) and value[1] > 0:
            return value[0], value[1]
        if key in self.data:
            self.fault(key, "must be a share such as [1, 2], of whole numbers up to 1000.")
        return default or (1, 1)

    def words(self, key: str, default: Texts | None = (), most: int = LIST_MAX) -> Texts:
        """Read a list of different lines."""
        value = self._value(key, default)
        is_list = isinstance(value, list | tuple) and len(value) <= most
        if is_list and all(isinstance(one, str) and self._is_line(one) for one in value):
            if len(set(value)) == len(value):
                return tuple(value)
            self.fault(key, "names something twice.")
        elif key in self.data:
            self.fault(key, f"must be a list of up to {most} lines.")
        return ()

    def rising(self, key: str, most: int = LIST_MAX) -> Numbers:
        """Read whole numbers that rise."""
        value = self._value(key, ())
        is_list = isinstance(value, list | tuple) and len(value) <= most
        if is_list and all(is_int_within(one, 1, AMOUNT) for one in value):
            if all(one < other for one, other in pairwise(value)):
                return tuple(value)
            self.fault(key, "must rise from each step to the next.")
        else:
            self.fault(key, f"must be a list of up to {most} whole numbers from 1.")
        return ()

    def figures(self, key: str, least: int, most: int) -> dict[str, int]:
        """Read whole numbers by characteristic."""
        found = self.section(key, may_lack=True)
        return {name: found.number(name, least, most) for name in list(found.data)}

    def section(self, key: str, *, may_lack: bool = False) -> DocumentSection:
        """Read a mapping; one that is not there is empty."""
        value = self._value(key, {} if may_lack else None)
        if value is None:
            return DocumentSection({}, self.at(key), self.list)
        return self.as_section(value, self.at(key))

    def as_section(self, value: object, path: str) -> DocumentSection:
        """Return a value as a mapping."""
        if isinstance(value, Mapping):
            # YAML knows keys that are no texts; they are told as unknown.
            return DocumentSection(
                {str(k): one for k, one in value.items()}, path, self.list
            )
        self.list.add(path, "must be a mapping of keys and values.")
        return DocumentSection({}, path, self.list)

    def sections(
        self, key: str, most: int, *, may_lack: bool = True
    ) -> Iterator[DocumentSection]:
        """Read a list of mappings; what they do not know is told when they have been read."""
        value = self._value(key, () if may_lack else None)
        if value is None:
            return
        if not isinstance(value, list | tuple):
            self.fault(key, "must be a list.")
            return
        if len(value) > most:
            # The first are read, or everything that names one of them would be a fault too.
            self.fault(key, f"holds {len(value)}, and {most} is the most.")
        for place, one in enumerate(value[:most]):
            found = self.as_section(one, f"{self.at(key)}[{place}]")
            yield found
            found.check_known()

    def by_name(
        self, key: str, most: int, *, may_lack: bool = True
    ) -> Iterator[tuple[str, object]]:
        """Read a mapping of ids, each with a value of its own shape and its path."""
        found = self.section(key, may_lack=may_lack)
        if len(found.data) > most:
            self.fault(key, f"holds {len(found.data)}, and {most} is the most.")
        for name, value in list(found.data.items())[:most]:
            if not _ID.fullmatch(name):
                found.fault(
                    name[:40], "must be a word of 1 to 40 letters, digits, - and _."
                )
            yield name, value

    def _value(self, key: str, default: object) -> Any:
        """Return what stands at a key, or its default; without one it must be there."""
        self.read.add(key)
        if key in self.data:
            return self.data[key]
        if default is None:
            self.fault(key, "is missing.")
        return default

    def _is_line(self, value: str, most: int = TEXT_MAX) -> bool:
        """Return whether a text is one line, not too long."""
        return 1 <= len(value) <= most and _LINE.fullmatch(value) is not None
