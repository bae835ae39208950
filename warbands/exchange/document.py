"""The roster document ``muster-roll/1``: one shape for all systems, strictly read.

Reading takes already decoded JSON. Anything that is not exactly the format is a fault that names
its place; an unknown profile or option is not (the roster's findings tell about those).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from accounts.errors import Fault, FaultyDocument
from engine.errors import Refusal
from engine.records import Fields, NamedValues, Texts, named_values
from engine.roster import (
    MAX_ENTRIES,
    MAX_LIMIT,
    EntryGrowth,
    Roster,
    RosterEntry,
    RosterGrowth,
)
from engine.text import text_fault
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import ruling_fault
from warbands.models import KEY_MAX, NAME_MAX, NOTE_MAX
from warbands.roster_fields import (
    DOCUMENT_FIELDS,
    GROWTH_MAX,
    EntryField,
    G,
    entry_document,
    growth_json,
    read_growth,
)
from warbands.sheet.frozen import SnapshotMismatch


def clean_text(field: str, value: str, maximum: int, *, many_lines: bool = False) -> str:
    """The text without blanks around it.

    Raises Refusal naming ``field`` for what cannot be stored or shown.
    """
    text = value.replace("\r\n", "\n").strip("\n\t ") if many_lines else value.strip(" ")
    if fault := text_fault(text, maximum, many_lines=many_lines):
        raise Refusal(f"The {field.replace('_', ' ')} {fault}.", field=field)
    return text.strip()


def shown(value: object) -> str:
    """A person's text as part of a message: short, printable, in quotes; of anything else only what
    it is.
    """
    text = value if isinstance(value, str) else f"a {type(value).__name__}"
    safe = "".join(c if c.isprintable() else "?" for c in text[:60])
    return f'"{safe}{"…" if len(text) > 60 else ""}"'


FORMAT = "muster-roll/1"
MAX_FAULTS = 50
GROWTH_DEPTH = 4
GROWTH_FIGURE_MOST = 1_000_000
KEYS = (
    "format", "system", "variant", "army", "name", "points_limit", "scenario", "house_rules",
    "rulings", "tags", "warriors", "note", "growth",
)  # fmt: skip
ALWAYS_WRITTEN = ("system", "variant", "army", "name", "points_limit", "scenario")
WARRIOR_KEYS = tuple(DOCUMENT_FIELDS)
REQUIRED = ("format", "system", "army", "warriors")
# These are read, and their faults listed, before the other keys of a warrior.
READ_FIRST = ("profile", "leader", "count")

KnowsScenario = Callable[[str, str], bool]
KnowsArmy = Callable[[str, str], bool]


def pack_scenario(system_key: str, key: str) -> bool:
    """Whether the system's own files hold this scenario."""
    return registry.load_base(system_key).scenario(key) is not None


def pack_army(system_key: str, key: str) -> bool:
    """Whether the packs hold this army for the system."""
    return key in registry.armies_of(system_key)


def parse(
    data: object,
    *,
    knows_scenario: KnowsScenario = pack_scenario,
    knows_army: KnowsArmy = pack_army,
) -> Roster:
    """The roster a document describes; raises FaultyDocument with at most 50 faults.

    ``knows_scenario`` and ``knows_army`` are asked with system and key, so that what people and
    clubs have written counts too where it is at hand.
    """
    reader = _Reader(knows_scenario, knows_army)
    roster = reader.roster(data)
    if reader.faults or roster is None:
        raise FaultyDocument(reader.faults)
    return roster


def parse_stored(data: object) -> Roster:
    """The roster of a document that was kept: who reads it reads what it was mustered from.

    Raises FaultyDocument.
    """
    return parse(
        data, knows_scenario=lambda system, key: True, knows_army=lambda system, key: True
    )


def to_document(roster: Roster) -> Fields:
    """The document of a roster.

    ``rulings``, ``lore``, ``tags``, ``growth`` and the notes appear only where something is
    written.
    """
    document: Fields = {
        "format": FORMAT,
        **named_values(roster, *ALWAYS_WRITTEN),
        "house_rules": dict(roster.house_rules),
        "warriors": [entry_document(entry) for entry in roster.warriors],
    }
    if roster.rulings:
        document["rulings"] = dict(roster.rulings)
    if roster.tags:
        document["tags"] = list(roster.tags)
    if roster.note:
        document["note"] = roster.note
    if roster.growth:
        document["growth"] = growth_json(roster.growth)
    return document


class _Reader:
    """Collects faults while it reads, so that a person sees all of them at once."""

    def __init__(self, knows_scenario: KnowsScenario, knows_army: KnowsArmy) -> None:
        self.faults: list[Fault] = []
        self.knows_scenario = knows_scenario
        self.knows_army = knows_army

    def fault(self, path: str, end: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(path, f"{path or 'The document'} {end}."))

    def roster(self, data: object) -> Roster | None:
        if not isinstance(data, dict):
            self.fault("", "must be an object with the keys " + ", ".join(KEYS))
            return None
        self.keys("", data, KEYS, REQUIRED)
        if "format" in data and data["format"] != FORMAT:
            self.fault("format", f"must be {FORMAT}, not {shown(data['format'])}")
        system = self.system(data)
        entries: list[tuple[str, object]] = []
        if "warriors" in data:
            warriors = data["warriors"]
            entries = self.items("warriors", warriors, "a list", "entries", MAX_ENTRIES)
        warriors = tuple(self.warrior(path, item) for path, item in entries)
        limit = data.get("points_limit")
        return Roster(
            system=system.key if system else "",
            army=self.army(data, system),
            name=self.text("name", data.get("name", ""), NAME_MAX),
            points_limit=None
            if limit is None
            else self.whole("points_limit", limit, 0, MAX_LIMIT, "null or a whole number"),
            variant=self.variant(data.get("variant"), system),
            scenario=self.scenario(data.get("scenario"), system),
            house_rules=self.house_rules(data.get("house_rules", {}), system),
            rulings=self.rulings(data, system),
            tags=self.tags(data.get("tags", []), system),
            warriors=warriors,
            note=self.text("note", data.get("note", ""), NOTE_MAX, many_lines=True),
            growth=self.growth("growth", data.get("growth"), RosterGrowth),
        )

    def keys(
        self, path: str, data: Mapping[Any, Any], keys: Texts, required: Texts
    ) -> None:
        dot = f"{path}." if path else ""
        listed = ", ".join(keys)
        for key in data:
            if key not in keys:
                end = f"is not a key of the format; the keys are {listed}"
                self.fault(f"{dot}{_name(key)}", end)
        for key in required:
            if key not in data:
                self.fault(f"{dot}{key}", "is missing")

    def system(self, data: NamedValues) -> System | None:
        key = self.text("system", data["system"], KEY_MAX) if "system" in data else ""
        if not key:
            if data.get("system") == "":
                self.fault("system", "must be the key of a rule system, not empty")
            return None
        try:
            return registry.load_base(key)
        except registry.UnknownSystem:
            self.fault(
                "system",
                f"{shown(key)} is not known; the systems are {', '.join(registry.systems())}",
            )
            return None

    def army(self, data: NamedValues, system: System | None) -> str:
        if "army" not in data:
            return ""
        before = len(self.faults)
        key = self.text("army", data["army"], KEY_MAX)
        if system and len(self.faults) == before and not self.knows_army(system.key, key):
            armies = ", ".join(registry.armies_of(system.key))
            self.fault(
                "army",
                f"{shown(key)} is not fielded by {system.key}; the armies are {armies}",
            )
        return key

    def variant(self, value: object, system: System | None) -> str | None:
        keys = system.variant_keys if system else ()
        if value is None:
            if system and keys:
                sentence = f"must be one of {', '.join(keys)} for {system.key}, not null"
                self.fault("variant", sentence)
            return None
        key = self.text("variant", value, KEY_MAX)
        if system and isinstance(value, str) and key not in keys:
            there = f"the variants are {', '.join(keys)}"
            there = there if keys else "it has none, write null"
            sentence = f"{shown(key)} is not a variant of {system.key}; {there}"
            self.fault("variant", sentence)
        return key

    def tags(self, value: object, system: System | None) -> Texts:
        """Keys of the system's tags, each once."""
        if not isinstance(value, list):
            self.fault("tags", f"must be a list of texts, not {_kind(value)}")
            return ()
        if system is None:
            return ()
        keys = [tag.key for tag in system.tags]
        tags: list[str] = []
        for index, item in enumerate(value[: len(keys) + 1]):
            path = f"tags[{index}]"
            key = self.text(path, item, KEY_MAX)
            if isinstance(item, str) and key not in keys:
                choices = f"the tags are {', '.join(keys)}" if keys else "it has none"
                self.fault(path, f"is not a tag of {system.key}; {choices}")
            elif key in tags:
                self.fault(path, f"names {key} once more")
            tags.append(key)
        return tuple(tags)

    def scenario(self, value: object, system: System | None) -> str | None:
        if value is None:
            return None
        before = len(self.faults)
        key = self.text("scenario", value, KEY_MAX)
        is_read = system is not None and len(self.faults) == before
        if system and is_read and not self.knows_scenario(system.key, key):
            self.fault(
                "scenario",
                f"{shown(key)} is not a scenario of {system.key}; write its key, or null for none",
            )
        return key

    def house_rules(self, value: object, system: System | None) -> dict[str, bool]:
        if not isinstance(value, dict):
            self.fault(
                "house_rules", f"must be an object of true and false, not {_kind(value)}"
            )
            return {}
        keys = sorted(rule.key for rule in system.house_rules) if system else []
        for key, flag in value.items():
            path = f"house_rules.{_name(key)}"
            # Without a system only the values are looked at.
            if system and key not in keys:
                names = f"the house rules are {', '.join(keys)}" if keys else "it has none"
                self.fault(path, f"is not a house rule of {system.key}; {names}")
            elif not isinstance(flag, bool):
                self.fault(path, f"must be true or false, not {_kind(flag)}")
        return {str(key): flag for key, flag in value.items() if isinstance(flag, bool)}

    def rulings(self, data: NamedValues, system: System | None) -> dict[str, int]:
        value = data.get("rulings", {})
        if not isinstance(value, dict):
            self.fault("rulings", f"must be an object of whole numbers, not {_kind(value)}")
            return {}
        # Each text of a system has rulings of its own; a variant there is not is a fault of its own.
        variant = data.get("variant")
        if system is None or variant not in (system.variant_keys or (None,)):
            return {}
        if fault := ruling_fault(registry.load_system(system.key, variant), value):
            self.fault("rulings", f"is refused: {fault.removesuffix('.')}")
            return {}
        return dict(value)

    def items(
        self, path: str, value: object, kind: str, what: str, most: int
    ) -> list[tuple[str, object]]:
        """The items of a list, each behind its place; none where it is no list or too long."""
        if not isinstance(value, list):
            self.fault(path, f"must be {kind}, not {_kind(value)}")
            return []
        if len(value) > most:
            self.fault(path, f"must hold at most {most} {what}, not {len(value):,}")
            return []
        return [(f"{path}[{index}]", item) for index, item in enumerate(value)]

    def warrior(self, path: str, data: object) -> RosterEntry:
        if not isinstance(data, dict):
            self.fault(
                path,
                f"must be an object with the keys {', '.join(WARRIOR_KEYS)}, not {_kind(data)}",
            )
            return RosterEntry("")
        self.keys(path, data, WARRIOR_KEYS, ("profile",))
        values = self.values(path, data, READ_FIRST)
        count = values.get("count", 1)
        if values.get("is_leader") and count != 1:
            self.fault(
                f"{path}.count",
                f"must be 1, because the entry is marked as leader, not {count}",
            )
        rest = [key for key in WARRIOR_KEYS if key not in READ_FIRST]
        return RosterEntry(**{"profile": "", **values, **self.values(path, data, rest)})

    def values(self, path: str, data: NamedValues, keys: Sequence[str]) -> Fields:
        """The values of those keys that are there, by the field of an entry."""
        return {
            DOCUMENT_FIELDS[key].field: self.value(
                f"{path}.{key}", data[key], DOCUMENT_FIELDS[key]
            )
            for key in keys
            if key in data
        }

    def value(self, path: str, value: object, field: EntryField) -> Any:
        match field.form:
            case "flag":
                if not isinstance(value, bool):
                    self.fault(path, f"must be true or false, not {_kind(value)}")
                return value is True
            case "count":
                return self.whole(path, value, 1, field.limit, "a whole number")
            case "keys":
                items = self.items(path, value, "a list of texts", "options", field.limit)
                return tuple(self.text(place, item, KEY_MAX) for place, item in items)
            case "growth":
                return self.growth(path, value, EntryGrowth)
        text = self.text(path, value, field.limit, many_lines=field.form == "lines")
        if field.form == "key" and value == "":
            self.fault(path, f"must be the key of a {field.field}, not empty")
        return text

    def growth(self, path: str, value: object, of: type[G]) -> G | None:
        """What a campaign made of somebody, as an export writes it down."""
        if value is None:
            return None
        if not isinstance(value, dict):
            self.fault(path, f"must be an object, not {_kind(value)}")
            return None
        self.keys(path, value, tuple(field.name for field in fields(of)), ())
        if len(json.dumps(value)) > GROWTH_MAX:
            fault = f"must have at most {GROWTH_MAX:,} characters"
        else:
            faults = map(_fact_fault, _facts(value, GROWTH_DEPTH))
            fault = next(filter(None, faults), "")
        try:
            if not fault:
                return read_growth(value, of)
        except SnapshotMismatch:
            fault = "is not growth as an export of a campaign warband writes it"
        self.fault(path, fault)
        return None

    def text(
        self, path: str, value: object, maximum: int, *, many_lines: bool = False
    ) -> str:
        if not isinstance(value, str):
            self.fault(path, f"must be a text, not {_kind(value)}")
            return ""
        if fault := text_fault(value, maximum, many_lines=many_lines):
            self.fault(path, fault)
            return ""
        return value

    def whole(self, path: str, value: object, low: int, high: int, what: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            self.fault(path, f"must be {what} from {low} to {high:,}, not {_kind(value)}")
            return low
        if not low <= value <= high:
            figure = str(value) if abs(value) < 10**12 else "a number far outside"
            self.fault(path, f"must be {what} from {low} to {high:,}, not {figure}")
            return low
        return value


def _facts(value: object, depth: int) -> Iterator[object]:
    """Every text and number within a value; None for what is nested too deeply."""
    if not isinstance(value, dict | list):
        yield value
    elif not depth:
        yield None
    else:
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        for part in parts:
            yield from _facts(part, depth - 1)


def _fact_fault(value: object) -> str:
    """What is wrong with a text or number of growth."""
    if isinstance(value, str):
        return text_fault(value, GROWTH_MAX)
    if isinstance(value, int) and abs(value) > GROWTH_FIGURE_MOST:
        return f"holds a number beyond {GROWTH_FIGURE_MOST:,}"
    return ""


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return f"the text {shown(value)}"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, int) and abs(value) >= 10**12:
        return "a huge number"
    return f"the number {str(value)[:20]}"


def _name(key: object) -> str:
    return shown(key).strip('"')
