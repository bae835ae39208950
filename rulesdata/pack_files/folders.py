"""Finds the folders of packs and reads their files into checked records, or only the names
of an army's file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import yaml
from pydantic import BaseModel, ValidationError

from engine.records import TextByKey, frozen_dataclass
from engine.roster import SCENARIO
from rulesdata.pack_files.alternatives import with_alternatives
from rulesdata.pack_files.yaml_files import (
    VARIANTS,
    Document,
    Fault,
    OverlayError,
    ReadingError,
    overlay_document,
    read_file,
)
from rulesdata.schema.battle import BattleFile
from rulesdata.schema.equipment import CLASSIC_TROOP_TYPES, MOUNT, CommonFile, EquipmentFile
from rulesdata.schema.lists import AliasesFile, ArmyFile, CollectionFile, MagicItemsFile
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

# The names in an army's file, read without building the whole list.
#
# To find the army of somebody's list, the names of every army are compared; reading all
# lists for that takes a quarter of a second.

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNIT = ("units", "")
_OPENING = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_CLOSING = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


@frozen_dataclass
class ArmyHead:
    """An army's name, and by key the names of its units and of their models, without mounts."""

    name: str
    units: Mapping[str, tuple[str, str]]


def read_head(path: Path) -> ArmyHead:
    """Return the names in an army's file; raises ReadingError where it is missing or no YAML."""
    name, unit = "", dict[str, str]()
    found: list[TextByKey] = []
    for place, value in _checked_texts(path):
        if place == ("name",):
            name = value
        elif place == (*_UNIT, "id"):
            unit = {"id": value}
            found.append(unit)
        elif place[:-1] == _UNIT:
            unit[place[-1]] = value
    return ArmyHead(
        name, dict(_named(one) for one in found if one.get("category") != MOUNT)
    )


def _named(unit: TextByKey) -> tuple[str, tuple[str, str]]:
    """Return a unit's key and its names."""
    return unit["id"], (unit["name"], unit.get("model_name", ""))


def _checked_texts(path: Path) -> list[tuple[tuple[str, ...], str]]:
    """Return all plain values of a file; raises ReadingError."""
    try:
        return list(_texts(path.read_bytes()))
    except (OSError, yaml.YAMLError) as error:
        raise ReadingError(path.name, f"cannot be read: {error}") from None


def _texts(raw: bytes) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each plain value with its place: keys of mappings, "" for each list on the way."""
    # The key that is open in each mapping; "" in a list, None where a key comes next.
    place: list[str | None] = []
    for event in yaml.parse(raw, Loader=_LOADER):
        if isinstance(event, _OPENING):
            place.append(None if isinstance(event, yaml.MappingStartEvent) else "")
        elif isinstance(event, _CLOSING):
            place.pop()
            _end_value(place)
        elif isinstance(event, yaml.ScalarEvent) and place[-1] is None:
            place[-1] = event.value
        elif isinstance(event, yaml.ScalarEvent):
            yield tuple(str(step) for step in place), event.value
            _end_value(place)


def _end_value(place: list[str | None]) -> None:
    """Say that the value of the open key is over, so that the next text is a key again."""
    if place and place[-1] != "":
        place[-1] = None


# Finds the folders of packs and reads their files into checked records with every fault.
#
# Django is not needed.

Place = tuple[str | int, ...]
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

    ``faults`` grows; a file with a fault is None.
    """

    folder: Path
    faults: list[Fault] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    variant: str = ""
    chosen: tuple[AlternativeRecord, ...] = ()

    def read(
        self, name: str, shape: type[File], words: Mapping[str, Sequence[str]] | None = None
    ) -> File | None:
        """The file ``name`` below the folder in the given shape, or None after writing down what is
        wrong with it.

        ``words`` are those a collection allows as categories and troop types.
        """
        try:
            document = self._document(name)
        # One bad file must not hide the faults of the others.
        except ReadingError as error:
            self.faults.append(error.fault)
            return None
        return self.take(name, shape, with_alternatives(document, name, self.chosen), words)

    def take(
        self,
        name: str,
        shape: type[File],
        document: Document,
        words: Mapping[str, Sequence[str]] | None,
    ) -> File | None:
        """The same for a document that is at hand already."""
        self.documents[name] = document
        try:
            return shape.model_validate(document.data, context=words)
        except ValidationError as error:
            self.faults.extend(_faults(error, document, self.shown(name)))
            return None

    def has(self, name: str) -> bool:
        """Whether the pack has this file, in common or for this variant."""
        return (self.folder / name).exists() or self._own(name) is not None

    def shown(self, name: str) -> str:
        """The file as the work list names it: the variant's where it has one of its own."""
        own = self._own(name)
        path = own.relative_to(self.folder).as_posix() if own else name
        return f"{self.folder.name}/{path}" if self.folder.name else path

    def _own(self, name: str) -> Path | None:
        """The file of the variant, None where it has none of its own."""
        path = self.folder / VARIANTS / self.variant / name
        return path if self.variant and path.exists() else None

    def _document(self, name: str) -> Document:
        """Return a file of the pack, with a variant's own laid over the common one."""
        common, own = self.folder / name, self._own(name)
        common_name = f"{self.folder.name}/{name}"
        if own is None:
            return read_file(common, common_name)
        changes = read_file(own, self.shown(name))
        base = read_file(common, common_name) if common.exists() else Document({})
        try:
            return overlay_document(base, changes)
        except OverlayError as error:
            raise ReadingError(self.shown(name), str(error)) from None

    def fault(self, name: str, place: tuple[str | int, ...], message: str) -> None:
        """Write down a fault of a file that was read: where in it, and what was expected."""
        document = self.documents.get(name)
        key = place_name(document.data, place) if document else "/".join(map(str, place))
        line = document.line(place) if document else None
        self.faults.append(Fault(self.shown(name), key, message, line))


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
        seen: set[str] = set()
        for spot, key in self.each(keys):
            if key in seen:
                spot.fault(f"'{key}' stands twice")
            seen.add(key)

    def report_same_ids(self, records: Iterable[Any]) -> None:
        """The same for records, by their id, code or ref."""
        self.report_repeated(_element_name(vars(record), 0) for record in records)

    def report_unknown(
        self, keys: Iterable[str | None], known: Collection[str], what: str
    ) -> None:
        """A fault for every key that is not among those known; ``what`` it should have been.

        None and the empty key name nothing.
        """
        for key in keys:
            if key and key not in known:
                self.fault(f"'{key}' is no {what}")

    def report_unknown_in(
        self, record: object, field: str, known: Collection[str], what: str
    ) -> None:
        """The same for the key or the keys that stand in a field of this place's record."""
        value = getattr(record, field)
        keys = [value] if value is None or isinstance(value, str) else value
        self.at(field).report_unknown(keys, known, what)


@dataclass(slots=True)
class ListPack:
    """The files of a collection of army lists, by army key."""

    reader: Reader
    collection: CollectionFile | None
    common: CommonFile | None
    armies: dict[str, ArmyFile]
    magic_items: dict[str, MagicItemsFile]
    aliases: dict[str, AliasesFile] = field(default_factory=dict)


ALTERNATIVES = "alternatives.yaml"
ALIASES = "aliases"
SYSTEM_FILES: Mapping[str, type[BaseModel]] = {
    "system.yaml": SystemFile,
    "charts.yaml": ChartsFile,
    "guidelines.yaml": GuidelinesFile,
    "house_rules.yaml": HouseRulesFile,
    "rulings.yaml": RulingsFile,
    ALTERNATIVES: AlternativesFile,
    "states.yaml": StatesFile,
    "reference.yaml": NotesFile,
    "scenarios.yaml": ScenariosFile,
    "equipment.yaml": EquipmentFile,
    "combat.yaml": CombatFile,
    "battle.yaml": BattleFile,
}
"""The files of a rule system, in the order in which they are read and their faults are listed."""
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
        found: File | None = self.files[shape]
        return found

    def need(self, shape: type[File]) -> File:
        """The file of this shape. Raises PackError with the faults of all where it has one."""
        found = self.find(shape)
        if found is None:
            raise PackError(self.reader.faults)
        return found


def collection_folders(packs: Path = PACKS) -> list[Path]:
    """Folders that hold a collection.yaml, by name."""
    return sorted(path.parent for path in (packs / "lists").glob("*/collection.yaml"))


def system_folders(packs: Path = PACKS) -> list[Path]:
    """Folders that hold a system.yaml, by name."""
    return sorted(path.parent for path in (packs / "systems").glob("*/system.yaml"))


def read_collection(folder: Path) -> ListPack:
    """Every file of a collection; ``reader.faults`` holds what is wrong with their shape."""
    reader = Reader(folder)
    collection = reader.read("collection.yaml", CollectionFile)
    common = reader.read("common.yaml", CommonFile)
    armies: dict[str, ArmyFile] = {}
    items: dict[str, MagicItemsFile] = {}
    named = list(collection.armies) if collection else []
    words = collection_words(collection, common)
    found = sorted(path.stem for path in (folder / "armies").glob("*.yaml"))
    for key in dict.fromkeys([*named, *found]):
        if collection and key not in named:
            message = f"armies/{key}.yaml is not listed: add '{key}'"
            reader.fault("collection.yaml", ("armies",), message)
        army = reader.read(f"armies/{key}.yaml", ArmyFile, words)
        magic = reader.read(f"magic-items/{key}.yaml", MagicItemsFile)
        if army:
            armies[key] = army
        if magic:
            items[key] = magic
    return ListPack(reader, collection, common, armies, items, _read_aliases(reader))


def _read_aliases(reader: Reader) -> dict[str, AliasesFile]:
    """What other tools call the armies, by the name of the file; an army may do without."""
    found = sorted(path.stem for path in (reader.folder / ALIASES).glob("*.yaml"))
    files = {key: reader.read(f"{ALIASES}/{key}.yaml", AliasesFile) for key in found}
    return {key: file for key, file in files.items() if file}


def collection_words(
    collection: CollectionFile | None, common: CommonFile | None
) -> dict[str, list[str]]:
    """The categories and troop types that army lists of a collection may name."""
    own_types = common.troop_types if common else []
    # The classic types count everywhere, beside those that the collection names itself.
    words = {"troop_types": list(dict.fromkeys([*CLASSIC_TROOP_TYPES, *own_types]))}
    if collection:
        categories = [category.id for category in collection.categories]
        words["categories"] = list(dict.fromkeys([*categories, MOUNT]))
    return words


def read_system(
    folder: Path, variant: str = "", chosen: Collection[str] = ()
) -> SystemPack:
    """Read every file of a system, or of one of its variants if named, under what was chosen.

    ``chosen`` are ids of alternatives.yaml. ``reader.faults`` holds what is wrong with their
    shape. An optional file that is missing counts as an empty one.
    """
    reader = Reader(folder, variant=variant)
    if chosen:
        known = _read_or_left_out(reader, ALTERNATIVES, AlternativesFile)
        records = [*(known.alternatives if known else ()), *_scenario_rules(reader)]
        reader = Reader(
            folder,
            variant=variant,
            chosen=tuple(one for one in records if one.id in chosen),
        )
    files = {
        shape: _read_or_left_out(reader, name, shape)
        for name, shape in SYSTEM_FILES.items()
    }
    return SystemPack(reader, files)


def _scenario_rules(reader: Reader) -> Iterator[AlternativeRecord]:
    """What scenarios change in the other files, in the shape of alternatives."""
    file = _read_or_left_out(reader, "scenarios.yaml", ScenariosFile)
    for one in file.scenarios if file else ():
        # The id is no choice that a person could write into alternatives.yaml.
        yield AlternativeRecord.model_construct(id=f"{SCENARIO}{one.id}", sets=one.sets)


def _read_or_left_out(reader: Reader, name: str, shape: type[File]) -> File | None:
    if shape in LEFT_OUT and not reader.has(name):
        left_out: Any = LEFT_OUT[shape]
        return cast(File | None, left_out)
    return reader.read(name, shape)


def place_name(data: Any, place: tuple[str | int, ...]) -> str:
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


def _faults(error: ValidationError, document: Document, shown: str) -> list[Fault]:
    """Pydantic's list of faults in our words, each once, with file, line and key."""
    found: dict[tuple[str, str], Fault] = {}
    for detail in error.errors(include_url=False):
        place = _known_place(document.data, detail["loc"])
        key = place_name(document.data, place)
        message = f"{_expected(detail)}, found {_shown(detail['input'])}"
        if detail["type"] == "missing":
            key = f"{key}/{detail['loc'][-1]}".lstrip("/")
            message = "a value is needed here"
        elif detail["type"] == "extra_forbidden":
            message = "this key is not known here"
        elif (key, "") in found:
            continue
        label = message if detail["type"] == "missing" else ""
        found.setdefault((key, label), Fault(shown, key, message, document.line(place)))
    return list(found.values())[:MAX_FAULTS_OF_A_FILE]


def _known_place(data: Any, loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The part of pydantic's location that exists in the data (it adds names of alternatives)."""
    place: list[str | int] = []
    for step in loc:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            break
        place.append(step)
    return tuple(place)


def _expected(detail: Any) -> str:
    message = str(detail["msg"]).replace("Input should be", "expected")
    return message.replace("Input should", "it should")


def _shown(value: Any) -> str:
    """Return a value of a file in words or as it is written, at most 60 characters."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return repr(value)[:60]
