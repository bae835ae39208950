"""Finds the folders of packs and reads their files into checked records with every fault.

Django is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from rulesdata.pack_files.overlays import VARIANTS, OverlayError, overlay_document
from rulesdata.pack_files.yaml_files import Document, Fault, ReadingError, read_file
from rulesdata.schema import FILES
from rulesdata.schema.battle import BattleFile
from rulesdata.schema.equipment import CLASSIC_TROOP_TYPES, MOUNT, CommonFile
from rulesdata.schema.lists import ArmyFile, CollectionFile, MagicItemsFile
from rulesdata.schema.system import (
    ChartsFile,
    CombatFile,
    EquipmentFile,
    GuidelinesFile,
    HouseRulesFile,
    NotesFile,
    RulingsFile,
    ScenariosFile,
    StatesFile,
    SystemFile,
)

PACKS = Path(__file__).resolve().parent.parent / "packs"
MAX_FAULTS_OF_A_FILE = 200

File = TypeVar("File", bound=BaseModel)


class PackError(Exception):
    """A pack that cannot be used; ``faults`` is the whole work list."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


@dataclass(slots=True)
class Reader:
    """Reads the files of one pack, a ``variant``'s own over them.

    ``faults`` grows; a file with a fault is None.
    """

    folder: Path
    faults: list[Fault] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    variant: str = ""

    def read(
        self,
        name: str,
        kind: str,
        shape: type[File],
        words: Mapping[str, Sequence[str]] | None = None,
    ) -> File | None:
        """The file ``name`` below the folder in the given shape, or None after writing down what is
        wrong with it.

        ``words`` are those a collection allows as categories and troop types.
        """
        try:
            document = self._document(name)
        except ReadingError as error:
            self.faults.append(error.fault)
            return None
        return self.take(name, kind, shape, document, words)

    def read_optional(self, name: str, kind: str, empty: File) -> File | None:
        """The same for a file that a pack may leave out: ``empty`` where it does."""
        return self.read(name, kind, type(empty)) if self.has(name) else empty

    def take(
        self,
        name: str,
        kind: str,
        shape: type[File],
        document: Document,
        words: Mapping[str, Sequence[str]] | None,
    ) -> File | None:
        """The same for a document that is at hand already."""
        assert FILES[kind] is shape
        self.documents[name] = document
        try:
            return shape.model_validate(document.data, context=words)
        except ValidationError as error:
            self.faults.extend(_faults(error, document, self.shown(name)))
            return None

    def has(self, name: str) -> bool:
        """Whether the pack has this file, in common or for this variant."""
        return (self.folder / name).exists() or bool(self.variant and self._own(name).exists())

    def shown(self, name: str) -> str:
        """The file as the work list names it: the variant's where it has one of its own."""
        is_own = self.variant and self._own(name).exists()
        if is_own:
            return f"{self.folder.name}/{VARIANTS}/{self.variant}/{name}"
        return f"{self.folder.name}/{name}" if self.folder.name else name

    def _own(self, name: str) -> Path:
        return self.folder / VARIANTS / self.variant / name

    def _document(self, name: str) -> Document:
        common, shown = self.folder / name, f"{self.folder.name}/{name}"
        if not self.variant or not self._own(name).exists():
            return read_file(common, shown)
        own = read_file(self._own(name), self.shown(name))
        base = read_file(common, shown) if common.exists() else Document({})
        try:
            return overlay_document(base, own)
        except OverlayError as error:
            raise ReadingError(Fault(self.shown(name), "", str(error))) from None

    def fault(self, name: str, place: tuple[str | int, ...], message: str) -> None:
        """Write down a fault of a file that was read: where in it, and what was expected."""
        document = self.documents.get(name)
        key = place_name(document.data, place) if document else "/".join(map(str, place))
        line = document.line(place) if document else None
        self.faults.append(Fault(self.shown(name), key, message, line))


@dataclass(slots=True)
class ListPack:
    """The files of a collection of army lists, by army key."""

    reader: Reader
    collection: CollectionFile | None
    common: CommonFile | None
    armies: dict[str, ArmyFile]
    magic_items: dict[str, MagicItemsFile]


@dataclass(slots=True)
class SystemPack:
    """The files of a rule system: None for one with a fault, empty for an optional one left out.

    ``battle`` is None also where the pack has no such file: battles are not recorded.
    """

    reader: Reader
    system: SystemFile | None
    charts: ChartsFile | None
    guidelines: GuidelinesFile | None
    house_rules: HouseRulesFile | None
    rulings: RulingsFile | None
    states: StatesFile | None
    notes: NotesFile | None
    scenarios: ScenariosFile | None
    equipment: EquipmentFile | None
    combat: CombatFile | None
    battle: BattleFile | None = None


def collection_folders(packs: Path = PACKS) -> list[Path]:
    """Folders that hold a collection.yaml, by name."""
    return sorted(path.parent for path in (packs / "lists").glob("*/collection.yaml"))


def system_folders(packs: Path = PACKS) -> list[Path]:
    """Folders that hold a system.yaml, by name."""
    return sorted(path.parent for path in (packs / "systems").glob("*/system.yaml"))


def read_collection(folder: Path) -> ListPack:
    """Every file of a collection; ``reader.faults`` holds what is wrong with their shape."""
    reader = Reader(folder)
    collection = reader.read("collection.yaml", "collection", CollectionFile)
    common = reader.read("common.yaml", "common", CommonFile)
    armies: dict[str, ArmyFile] = {}
    items: dict[str, MagicItemsFile] = {}
    named = list(collection.armies) if collection else []
    words = collection_words(collection, common)
    for key in dict.fromkeys(
        [*named, *sorted(path.stem for path in (folder / "armies").glob("*.yaml"))]
    ):
        if collection and key not in named:
            reader.fault(
                "collection.yaml", ("armies",), f"armies/{key}.yaml is not listed: add '{key}'"
            )
        army = reader.read(f"armies/{key}.yaml", "army", ArmyFile, words)
        magic = reader.read(f"magic-items/{key}.yaml", "magic-items", MagicItemsFile)
        if army:
            armies[key] = army
        if magic:
            items[key] = magic
    return ListPack(reader, collection, common, armies, items)


def collection_words(
    collection: CollectionFile | None, common: CommonFile | None
) -> dict[str, list[str]]:
    """The categories and troop types that army lists of a collection may name."""
    categories = [category.id for category in collection.categories] if collection else []
    types = list(dict.fromkeys([*CLASSIC_TROOP_TYPES, *(common.troop_types if common else ())]))
    return {"troop_types": types} | (
        {"categories": list(dict.fromkeys([*categories, MOUNT]))} if collection else {}
    )


def read_system(folder: Path, variant: str = "") -> SystemPack:
    """Read every file of a system, or of one of its variants if named.

    ``reader.faults`` holds what is wrong with their shape. An optional file that is missing counts
    as an empty one.
    """
    reader = Reader(folder, variant=variant)
    return SystemPack(
        reader,
        system=reader.read("system.yaml", "system", SystemFile),
        charts=reader.read("charts.yaml", "charts", ChartsFile),
        guidelines=reader.read("guidelines.yaml", "guidelines", GuidelinesFile),
        house_rules=reader.read_optional(
            "house_rules.yaml", "house-rules", HouseRulesFile(house_rules=[])
        ),
        rulings=reader.read_optional("rulings.yaml", "rulings", RulingsFile(rulings=[])),
        states=reader.read("states.yaml", "states", StatesFile),
        notes=reader.read_optional("reference.yaml", "notes", NotesFile(notes=[])),
        scenarios=reader.read_optional("scenarios.yaml", "scenarios", ScenariosFile(scenarios=[])),
        equipment=reader.read_optional("equipment.yaml", "equipment", EquipmentFile()),
        combat=reader.read_optional("combat.yaml", "combat", CombatFile({})),
        battle=reader.read("battle.yaml", "battle", BattleFile)
        if reader.has("battle.yaml")
        else None,
    )


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
        if isinstance(step, int) and isinstance(data, dict):
            known = next(
                (data[k] for k in ("id", "code", "ref", "name") if isinstance(data.get(k), str)),
                None,
            )
            parts.append(known or f"number {step + 1}")
        else:
            parts.append(str(step) if isinstance(step, str) else f"number {step + 1}")
    return "/".join(parts)


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
    return (
        str(detail["msg"])
        .replace("Input should be", "expected")
        .replace("Input should", "it should")
    )


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = (
        {None: "null", True: "true", False: "false"}.get(value)
        if value is None or isinstance(value, bool)
        else None
    )
    return text or repr(value)[:60]
