"""Finds the folders of packs and reads their files into checked records with every fault."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import filterfalse
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from engine.records import Fields, frozen_dataclass
from engine.roster import SCENARIO
from rulesdata.pack_files.yaml_files import (
    DROP,
    VARIANTS,
    Document,
    Fault,
    OverlayError,
    Place,
    ReadingError,
    is_records,
    overlay_document,
    read_file,
    record_name,
)
from rulesdata.schema.base import UNKNOWN_KEY
from rulesdata.schema.battle import BattleFile
from rulesdata.schema.equipment import EquipmentFile
from rulesdata.schema.system import (
    AlternativeRecord,
    AlternativesFile,
    ChartsFile,
    CombatFile,
    GuidelinesFile,
    HouseRulesFile,
    NotesFile,
    RulingsFile,
    ScenariosFile,
    StatesFile,
    SystemFile,
)

PACKS = Path(__file__).resolve().parent.parent / "packs"
# A file of the wrong shape has a fault in nearly every record; nobody reads thousands.
MAX_FAULTS_OF_A_FILE = 200
# What an element of a list is called by, the first that it has.
NAMES = ("id", "code", "ref", "name")

File = TypeVar("File", bound=BaseModel)
Value = TypeVar("Value")


class PackError(Exception):
    """A pack that cannot be used; ``faults`` is the whole work list."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


@dataclass(slots=True)
class Reader:
    """Reads the files of one pack, a ``variant``'s own over them, what was ``chosen`` over both.

    ``faults`` grows; a file of the wrong shape is None. ``known`` are the keys that the files read
    so far and the one that is read may name, by the name of the list that they stand in.
    """

    folder: Path
    faults: list[Fault] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    variant: str = ""
    chosen: tuple[AlternativeRecord, ...] = ()
    known: dict[str, set[str]] = field(default_factory=dict)

    def read(self, name: str, shape: type[File]) -> File | None:
        """Return the file ``name`` below the folder, or None after writing down what is wrong."""
        try:
            document = self._document(name)
        # One bad file must not hide the faults of the others.
        except ReadingError as error:
            self.faults.append(error.fault)
            return None
        data = document.data
        for choice in self.chosen:
            # The phrases are those of the file, so they are looked for before anything is laid over it.
            for target, phrases in choice.words.items():
                data = _reworded(data, target, phrases, is_in=False)
            if name in choice.sets:
                data = _merged(data, choice.sets[name])
        return self.take(name, shape, replace(document, data=data))

    def need(self, name: str, shape: type[File]) -> File:
        """Return the same file. Raises PackError with every fault where it has one."""
        file = self.read(name, shape)
        if file is None:
            raise PackError(self.faults)
        return file

    def take(self, name: str, shape: type[File], document: Document) -> File | None:
        """Return what ``read`` does, of a document that is at hand already."""
        self.documents[name] = document
        data = document.data
        self.collect_keys(shape, data if isinstance(data, dict) else {})
        try:
            return shape.model_validate(data, context=self.known)
        except ValidationError as error:
            self.faults.extend(_faults(error, document, self.display_name(name)))
            if any(detail["type"] != UNKNOWN_KEY for detail in error.errors()):
                return None
        # Its shape is right, so that it can be checked further.
        return shape.model_validate(data)

    def collect_keys(self, shape: type[BaseModel], data: Fields) -> None:
        """Let what a file has in lists of records be named from now on."""
        for name in shape.model_fields:
            records = data.get(name, [])
            if is_records(records):
                self.known.setdefault(name, set()).update(map(record_name, records))

    def has(self, name: str) -> bool:
        """Whether the pack has this file, in common or for this variant."""
        return (self.folder / name).exists() or self._own(name) is not None

    def display_name(self, name: str) -> str:
        """The file as the work list names it: the variant's where it has one of its own."""
        variant_path = self._own(name)
        path = variant_path.relative_to(self.folder).as_posix() if variant_path else name
        return f"{self.folder.name}/{path}" if self.folder.name else path

    def _own(self, name: str) -> Path | None:
        """The file of the variant, None where it has none of its own."""
        path = self.folder / VARIANTS / self.variant / name
        return path if self.variant and path.exists() else None

    def _document(self, name: str) -> Document:
        """Return a file of the pack, with a variant's own laid over the common one."""
        common, variant_path = self.folder / name, self._own(name)
        common_name = f"{self.folder.name}/{name}"
        if variant_path is None:
            return read_file(common, common_name)
        changes = read_file(variant_path, self.display_name(name))
        base = read_file(common, common_name) if common.exists() else Document({})
        try:
            return overlay_document(base, changes)
        except OverlayError as error:
            raise ReadingError(self.display_name(name), str(error)) from None

    def fault(self, name: str, place: Place, message: str) -> None:
        """Write down a fault of a file that was read: where in it, and what was expected."""
        document = self.documents.get(name)
        key = place_name(document.data, place) if document else "/".join(map(str, place))
        line = document.line(place) if document else None
        self.faults.append(Fault(self.display_name(name), key, message, line))


@frozen_dataclass
class Spot:
    """A place in one file of a pack; faults found there go to its reader."""

    reader: Reader
    name: str
    place: Place = ()

    def at(self, *steps: str | int) -> Spot:
        """A place below this one."""
        return replace(self, place=(*self.place, *steps))

    def each(self, records: Iterable[Value]) -> Iterator[tuple[Spot, Value]]:
        """Every record of the list at this place, with its own place before it."""
        return ((self.at(number), record) for number, record in enumerate(records))

    def fault(self, message: str) -> None:
        self.reader.fault(self.name, self.place, message)

    def report_repeated(self, keys: Iterable[str]) -> None:
        """A fault for every key that stood before."""
        seen = set[str]()
        for spot, key in self.each(keys):
            if key in seen:
                spot.fault(f"'{key}' stands twice")
            seen.add(key)

    def report_same_ids(self, records: Iterable[Any]) -> None:
        """The same for records, by their id, code or ref."""
        self.report_repeated(_element_name(vars(record), 0) for record in records)

    def report_unknown(
        self, keys: Iterable[str | None], allowed: Collection[str], what: str
    ) -> None:
        """A fault for every key but None and "" that is not allowed; ``what`` it should be."""
        for key in keys:
            if key and key not in allowed:
                self.fault(f"'{key}' is no {what}")

    def report_unknown_in(
        self, record: object, field: str, allowed: Collection[str], what: str
    ) -> None:
        """The same for the key or the keys in a field of this place's record."""
        value = getattr(record, field)
        keys = [value] if value is None or isinstance(value, str) else value
        self.at(field).report_unknown(keys, allowed, what)


ALTERNATIVES = "alternatives.yaml"
FAMILIES = "families"
AFTER = "after"
"""The key of a new record that names the one before it."""
Phrases = Mapping[str, str]
SYSTEM_FILES: Mapping[str, type[BaseModel]] = {
    "system.yaml": SystemFile,
    "rulings.yaml": RulingsFile,
    "charts.yaml": ChartsFile,
    "guidelines.yaml": GuidelinesFile,
    "house_rules.yaml": HouseRulesFile,
    ALTERNATIVES: AlternativesFile,
    "states.yaml": StatesFile,
    "reference.yaml": NotesFile,
    "scenarios.yaml": ScenariosFile,
    "equipment.yaml": EquipmentFile,
    "combat.yaml": CombatFile,
    "battle.yaml": BattleFile,
}
"""The files of a rule system as they are read: each names keys of those before it."""
# battle.yaml has no empty form: a system without it records no battles at all.
LEFT_OUT: Mapping[type[BaseModel], BaseModel | None] = {
    HouseRulesFile: HouseRulesFile(house_rules=[]),
    RulingsFile: RulingsFile(rulings=[]),
    AlternativesFile: AlternativesFile(alternatives=[]),
    NotesFile: NotesFile(notes=[]),
    ScenariosFile: ScenariosFile(scenarios=[]),
    EquipmentFile: EquipmentFile(),
    CombatFile: CombatFile({}),
    BattleFile: None,
}
"""What stands for an optional file that a system does without."""


@dataclass(slots=True)
class SystemPack:
    """The files of a rule system by their shape, None for one with a fault."""

    reader: Reader
    files: dict[type[BaseModel], Any]

    def find(self, shape: type[File]) -> File | None:
        """The file of this shape, None where it has a fault or a system does without battles."""
        return self.files[shape]

    def need(self, shape: type[File]) -> File:
        """The file of this shape. Raises PackError with the faults of all where it has one."""
        file = self.find(shape)
        if file is None:
            raise PackError(self.reader.faults)
        return file


def system_folders(packs: Path = PACKS) -> list[Path]:
    """Folders that hold a system.yaml, by name."""
    return sorted(path.parent for path in (packs / "systems").glob("*/system.yaml"))


def read_system(
    folder: Path, variant: str = "", chosen: Collection[str] = ()
) -> SystemPack:
    """Read every file of a system, or of one of its variants if named, under what was chosen.

    ``chosen`` are ids of alternatives.yaml. An optional file that is missing counts as empty.
    """
    reader = Reader(folder, variant=variant)
    if chosen:
        alternatives = _read_or_left_out(reader, ALTERNATIVES, AlternativesFile)
        scenarios = _read_or_left_out(reader, "scenarios.yaml", ScenariosFile)
        records = list(alternatives.alternatives if alternatives else ())
        # What scenarios change in the other files has the shape of alternatives; the id is no
        # choice that a person could write into alternatives.yaml.
        records += [
            AlternativeRecord.model_construct(
                id=f"{SCENARIO}{scenario.id}", sets=scenario.sets
            )
            for scenario in (scenarios.scenarios if scenarios else ())
        ]
        played = tuple(record for record in records if record.id in chosen)
        reader = Reader(folder, variant=variant, chosen=played)
    files = {
        shape: _read_or_left_out(reader, name, shape)
        for name, shape in SYSTEM_FILES.items()
    }
    return SystemPack(reader, files)


def _read_or_left_out(reader: Reader, name: str, shape: type[File]) -> File | None:
    if shape in LEFT_OUT and not reader.has(name):
        reader.collect_keys(shape, {})
        left_out: Any = LEFT_OUT[shape]
        return cast(File | None, left_out)
    file = reader.read(name, shape)
    if isinstance(file, ScenariosFile) and file.borrowed_from:
        lender = Reader(reader.folder.parent / file.borrowed_from, reader.faults)
        borrowed = lender.read(name, ScenariosFile)
        scenarios = file.scenarios + (borrowed.scenarios if borrowed else [])
        return file.model_copy(update={"scenarios": scenarios})
    return file


def place_name(data: Any, place: Place) -> str:
    """A place in words a person finds again: list elements by their id, name or code where they
    have one.
    """
    parts: list[str] = []
    for step in place:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            if isinstance(step, str):
                parts.append(step)
            break
        parts.append(step if isinstance(step, str) else _element_name(data, step))
    return "/".join(parts)


def _element_name(element: Any, place: int) -> str:
    names = [element.get(key) for key in NAMES] if isinstance(element, dict) else []
    return next((name for name in names if isinstance(name, str)), f"number {place + 1}")


def _faults(error: ValidationError, document: Document, file_name: str) -> list[Fault]:
    """Return pydantic's list of faults in our words, each once, with file, line and key."""
    faults: dict[tuple[str, str], Fault] = {}
    for detail in error.errors(include_url=False):
        place = known_place(document.data, detail["loc"])
        line, label = document.line(place), ""
        message = str(detail["msg"]).replace("Input should be", "expected")
        message = message.replace("Input should", "it should")
        message += f", found {_shown(detail['input'])}"
        if detail["type"] == UNKNOWN_KEY:
            # A key of a list says itself which one it is.
            if isinstance(place[-1], int):
                place = place[:-1]
            message = label = detail["msg"]
        key = place_name(document.data, place)
        if detail["type"] == "missing":
            key = f"{key}/{detail['loc'][-1]}".lstrip("/")
            message = label = "a value is needed here"
        elif detail["type"] == "extra_forbidden":
            message = "this key is not known here"
        elif (key, "") in faults:
            continue
        faults.setdefault((key, label), Fault(file_name, key, message, line))
    return list(faults.values())[:MAX_FAULTS_OF_A_FILE]


def known_place(data: Any, loc: Place) -> Place:
    """The part of pydantic's location that exists in the data: it adds names of alternatives, and
    numbers where one element stands for a list.
    """
    place: Place = ()
    for step in loc:
        if isinstance(data, str):
            break
        if isinstance(step, int) and isinstance(data, dict):
            continue
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            break
        place = (*place, step)
    return place


def _shown(value: Any) -> str:
    """Return a value of a file in words or as it is written, at most 60 characters."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return repr(value)[:60]


# What was agreed, laid over the files: other phrases, other figures, other records. An alternative
# is written in the shape of the files, so what checks and reads them checks and reads it as well.


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
    """What ``new`` changes of ``old``: mappings by key, records by id, everything else whole.

    A list whose records have no ids grows at its ends: by those ``first`` and ``last``.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        both = {key: _merged(old[key], new[key]) for key in old.keys() & new.keys()}
        result = (old | new | both).items()
        # Null takes away what the file has; what is null in the file itself stays.
        return {key: value for key, value in result if value is not None or key not in new}
    if is_records(old) and is_records(new):
        return _merged_records(old, new)
    if isinstance(old, list) and isinstance(new, dict):
        added = filterfalse(old.__contains__, new.get("last", ()))
        return [*new.get("first", ()), *old, *added]
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
