"""Reads one YAML file of a pack safely: every limit is checked while the events arrive, before
anything is built.

Packs use a small, plain part of YAML: mappings, lists, texts, whole numbers, decimals, true, false
and null. Anchors, aliases, tags, several documents and repeated keys are refused, and keys are
always texts. Django is not needed here.
"""

from collections.abc import Iterator
from dataclasses import field
from itertools import chain
from pathlib import Path
from typing import Any

import re2
import yaml

from engine.records import Fields, frozen_dataclass

# The parser in C is many times faster; some installations of PyYAML lack it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER = re2.compile(r"[-+]?[0-9]+$")
_DECIMAL = re2.compile(r"[-+]?[0-9]+\.[0-9]+")
LINE_WIDTH = 100  # of texts that are written; longer ones go on in the next line
# Only YAML 1.2's words: "yes" and "on" are texts, whatever other readers make of them.
_CONSTANTS = {"null": None, "~": None, "": None, "true": True, "false": False}
# Control characters, and signs that turn the direction of writing and so hide text.
_UNWANTED = frozenset(
    "\x0b\x0c\x7f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
).union(map(chr, (*range(9), *range(0x0E, 0x20), *range(0xD800, 0xE000))))

Place = tuple[str | int, ...]


@frozen_dataclass
class Limits:
    """What one file may hold: bytes, nesting, nodes (values and keys), characters of one text,
    digits of one number.
    """

    size: int = 1_048_576
    depth: int = 16
    nodes: int = 100_000
    text: int = 4_000
    digits: int = 12


@frozen_dataclass
class Fault:
    """One line of the work list: the file, the key in it, the line where known, and what was
    expected.
    """

    file: str
    key: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        """Return the fault in one line: file, line, key and message."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return (
            f"{place}: {self.key}: {self.message}"
            if self.key
            else f"{place}: {self.message}"
        )


class ReadingError(Exception):
    """A file that cannot be read; ``fault`` says where and why."""

    def __init__(
        self, file: str, message: str, line: int | None = None, key: str = ""
    ) -> None:
        self.fault = Fault(file, key, message, line)
        super().__init__(str(self.fault))


@frozen_dataclass
class Document:
    """The data of one file, and the line each key and list element starts on."""

    data: Any
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, place: Place) -> int | None:
        """The line of a place, or of the nearest one that holds it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)


USUAL = Limits()


def read_file(path: Path, name: str = "", limits: Limits = USUAL) -> Document:
    """The document in a file.

    Raises ReadingError where it is missing, too big, not UTF-8 or outside the limits.
    """
    name = name or path.name
    try:
        with path.open("rb") as stream:
            # One byte more than allowed is enough to know that a file is too large.
            raw = stream.read(limits.size + 1)
    except OSError as error:
        message = f"the file cannot be read ({error.strerror or error})"
        raise ReadingError(name, message) from None
    return read_text(raw, name, limits)


def read_text(raw: bytes | str, name: str, limits: Limits = USUAL) -> Document:
    """The document in a text. Raises ReadingError naming the limit or the fault, with its line."""
    if len(raw) > limits.size:
        raise ReadingError(name, f"the file is larger than {limits.size:,} bytes")
    if isinstance(raw, bytes):
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"the file is not UTF-8 (byte {error.start})"
            raise ReadingError(name, message) from None
    if unwanted := _UNWANTED.intersection(raw):
        place = min(map(raw.index, unwanted))
        line = raw.count("\n", 0, place) + 1
        message = f"the character U+{ord(raw[place]):04X} is not allowed; use printable characters"
        raise ReadingError(name, message, line)
    return _Builder(name, limits).build(raw)


class _Builder:
    """Builds plain values from the parser's events and stops at the first event beyond a limit."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.name, self.limits = name, limits
        self.lines: dict[Place, int] = {}
        self.nodes = self.documents = 0

    def build(self, text: str) -> Document:
        """Return the one document of a text; raise ReadingError for none or several."""
        events = self._events(text)
        data = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                self.documents += 1
                if self.documents > 1:
                    self._stop(
                        "only one document may stand in a file; remove the second '---'",
                        event,
                    )
                data = self._node(next(events), events, (), 0)
        if not self.documents:
            raise ReadingError(self.name, "the file is empty")
        return Document(data, self.lines)

    def _events(self, text: str) -> Iterator[Any]:
        """Yield the parser's events; raise ReadingError for what is not YAML."""
        try:
            yield from yaml.parse(text, Loader=_LOADER)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else None
            message = f"not valid YAML: {error.problem or error}"
            raise ReadingError(self.name, message, line) from None
        except (yaml.YAMLError, ValueError) as error:
            message = f"not valid YAML: {str(error)[:200]}"
            raise ReadingError(self.name, message) from None

    def _stop(self, message: str, event: Any, place: Place = ()) -> None:
        line = event.start_mark.line + 1
        raise ReadingError(self.name, message, line, "/".join(map(str, place)))

    def _node(self, event: Any, events: Iterator[Any], place: Place, depth: int) -> Any:
        """Return the value that begins here; ReadingError for what packs may not hold."""
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            self._stop(f"the file holds more than {self.limits.nodes:,} values", event)
        if depth > self.limits.depth:
            self._stop(f"the file is nested deeper than {self.limits.depth} levels", event)
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            self._stop(
                "anchors and aliases (& and *) are not used in packs; write the value out",
                event,
                place,
            )
        if event.tag and event.tag != "!":
            self._stop("tags (!) are not used in packs; write a plain value", event, place)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, place, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            result: list[Any] = []
            for event in events:
                if isinstance(event, yaml.SequenceEndEvent):
                    break
                item_place = (*place, len(result))
                self.lines[item_place] = event.start_mark.line + 1
                result.append(self._node(event, events, item_place, depth + 1))
            return result
        return self._scalar(event, place)

    def _mapping(self, events: Iterator[Any], place: Place, depth: int) -> Fields:
        """Return a mapping, with the line of each key noted; a key twice is an error."""
        result: Fields = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            if not isinstance(event, yaml.ScalarEvent):
                self._stop("a key must be a plain text", event, place)
            # A key is looked at like a value: it counts, and may have neither anchor nor tag.
            self._node(event, events, place, depth)
            key = event.value
            if key in result:
                self._stop(f"the key '{key[:60]}' is written twice", event, place)
            key_place = (*place, key)
            self.lines[key_place] = event.start_mark.line + 1
            result[key] = self._node(next(events), events, key_place, depth + 1)
        return result

    def _scalar(self, event: Any, place: Place) -> Any:
        """Return a text, number or constant; only what has no quotes is read as one."""
        text: str = event.value
        if len(text) > self.limits.text:
            self._stop(
                f"a text is longer than {self.limits.text:,} characters", event, place
            )
        # A quoted text stays a text, also one that looks like a number.
        if event.style:
            return text
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text[0] in "+-0123456789" and (
            _NUMBER.fullmatch(text) or _DECIMAL.fullmatch(text)
        ):
            if len(text) > self.limits.digits:
                self._stop(
                    f"a number has more than {self.limits.digits} digits", event, place
                )
            return int(text) if "." not in text else float(text)
        return text


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes every value out, for packs use no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def serialize(self, node: yaml.MappingNode) -> None:
        node.flow_style = False
        super().serialize(node)


# A text such as "08" needs its quotes here, for YAML 1.2 reads a number.
_Dumper.add_implicit_resolver("tag:yaml.org,2002:int", _NUMBER, list("+-0123456789"))


def yaml_text(data: Fields) -> str:
    """The text of a mapping; lists and mappings of leaves within it stand in braces."""
    options: Fields = {"allow_unicode": True, "sort_keys": False, "width": LINE_WIDTH}
    return str(yaml.dump(data, Dumper=_Dumper, default_flow_style=None, **options))


# Variants

VARIANTS = "variants"
DROP = "drop"
# What tells one record of a list from another.
_NAMES = ("id", "code", "ref")


class OverlayError(ValueError):
    """The two files do not fit together; the text says why."""


def overlay_document(common: Document, variant: Document) -> Document:
    """Lay the variant's file over the common one.

    Records of a list replace those of the same id, code or ref in their place, others are added
    behind; every other value replaces the common one whole. ``drop`` names records that the variant
    does without. Lines are the variant's. Raises OverlayError where a file is no mapping or
    ``drop`` names nothing.
    """
    if not isinstance(common.data, dict) or not isinstance(variant.data, dict):
        raise OverlayError("expected a mapping, to change the common file")
    data = _without_dropped(common.data, variant.data.get(DROP, []))
    moved: dict[str, dict[Any, int]] = {}
    for key, value in variant.data.items():
        if is_records(value) and is_records(data.get(key)):
            data[key], moved[key] = _merge_records(data[key], value)
        elif key != DROP:
            data[key] = value
    lines = {}
    for place, line in variant.lines.items():
        places = moved.get(str(place[0]), {})
        if places and len(place) > 1:
            place = (place[0], places[place[1]], *place[2:])
        # The lines of ``drop`` are left in: no record stands at their place.
        lines[place] = line
    return Document(data, lines)


def _without_dropped(common: Fields, dropped: object) -> Fields:
    """The common file without the records that ``drop`` names. Raises OverlayError."""
    if not isinstance(dropped, list) or not all(isinstance(name, str) for name in dropped):
        raise OverlayError("drop: expected a list of ids")
    lists = {key: value for key, value in common.items() if is_records(value)}
    names = {record_name(record) for record in chain.from_iterable(lists.values())}
    if left := sorted(set(dropped) - names):
        raise OverlayError(f"drop: the common file has no {', '.join(left)}")
    return common | {
        key: [record for record in records if record_name(record) not in dropped]
        for key, records in lists.items()
    }


def _merge_records(
    common: list[Any], variant: list[Any]
) -> tuple[list[Any], dict[Any, int]]:
    """The records together, and where each of the variant's has come to stand."""
    records, places = list(common), {}
    at = {record_name(record): place for place, record in enumerate(common)}
    for number, record in enumerate(variant):
        name = record_name(record)
        if name in at:
            records[at[name]] = record
        else:
            at[name] = len(records)
            records.append(record)
        places[number] = at[name]
    return records, places


def is_records(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(record, dict) and record_name(record) is not None for record in value
    )


def record_name(record: Any) -> Any:
    return next((record[key] for key in _NAMES if key in record), None)
