"""The roster document ``muster-roll/1``: one shape for all systems, strictly read.

Reading takes already decoded JSON. Anything that is not exactly the format is a fault that names
its place; an unknown profile or option is not (the roster's findings tell about those).
"""

import json
from collections.abc import (
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import fields
from typing import Any

from accounts.errors import Fault, FaultyDocument
from engine.errors import Refusal
from engine.records import (
    Fields,
    NamedValues,
    Texts,
    named_values,
)
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
from warbands.models import (
    KEY_MAX,
    NAME_MAX,
    NOTE_MAX,
)
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
# These are read, and their faults told, before the other keys of a warrior.
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
        warriors = self.warriors(data["warriors"]) if "warriors" in data else ()
        return Roster(
            system=system.key if system else "",
            army=self.army(data, system),
            name=self.text("name", data.get("name", ""), NAME_MAX),
            points_limit=self.limit(data.get("points_limit")),
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
        self,
        path: str,
        data: Mapping[Any, Any],
        known: Texts,
        required: Texts,
    ) -> None:
        dot = f"{path}." if path else ""
        for key in data:
            if key not in known:
                self.fault(
                    f"{dot}{_name(key)}",
                    f"is not a key of the format; the keys are {', '.join(known)}",
                )
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
        if system is None or len(self.faults) > before:
            return key
        if not self.knows_army(system.key, key):
            armies = registry.armies_of(system.key)
            self.fault(
                "army",
                f"{shown(key)} is not fielded by {system.key}; the armies are {', '.join(armies)}",
            )
        return key

    def variant(self, value: object, system: System | None) -> str | None:
        keys = system.variant_keys if system else ()
        if value is None:
            if system and keys:
                self.fault(
                    "variant",
                    f"must be one of {', '.join(keys)} for {system.key}, not null",
                )
            return None
        key = self.text("variant", value, KEY_MAX)
        if system and isinstance(value, str) and key not in keys:
            known = (
                f"the variants are {', '.join(keys)}" if keys else "it has none, write null"
            )
            self.fault("variant", f"{shown(key)} is not a variant of {system.key}; {known}")
        return key

    def tags(self, value: object, system: System | None) -> Texts:
        """Keys of the system's tags, each once."""
        if not isinstance(value, list):
            self.fault("tags", f"must be a list of texts, not {_kind(value)}")
            return ()
        if system is None:
            return ()
        known = [tag.key for tag in system.tags]
        found: list[str] = []
        for index, item in enumerate(value[: len(known) + 1]):
            path = f"tags[{index}]"
            key = self.text(path, item, KEY_MAX)
            if isinstance(item, str) and key not in known:
                words = f"the tags are {', '.join(known)}" if known else "it has none"
                self.fault(path, f"is not a tag of {system.key}; {words}")
            elif key in found:
                self.fault(path, f"names {key} once more")
            found.append(key)
        return tuple(found)

    def scenario(self, value: object, system: System | None) -> str | None:
        if value is None:
            return None
        before = len(self.faults)
        key = self.text("scenario", value, KEY_MAX)
        if (
            system
            and len(self.faults) == before
            and not self.knows_scenario(system.key, key)
        ):
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
        for key, flag in value.items():
            if fault := _house_rule_fault(key, flag, system):
                self.fault(f"house_rules.{_name(key)}", fault)
        return {str(key): flag for key, flag in value.items() if isinstance(flag, bool)}

    def rulings(self, data: NamedValues, system: System | None) -> dict[str, int]:
        value = data.get("rulings", {})
        if not isinstance(value, dict):
            self.fault("rulings", f"must be an object of whole numbers, not {_kind(value)}")
            return {}
        # Each text of a system has rulings of its own; a variant there is not is told elsewhere.
        variant = data.get("variant")
        if system is None or variant not in (system.variant_keys or (None,)):
            return {}
        if told := ruling_fault(registry.load_system(system.key, variant), value):
            self.fault("rulings", f"is refused: {told.removesuffix('.')}")
            return {}
        return dict(value)

    def limit(self, value: object) -> int | None:
        if value is None:
            return None
        return self.whole("points_limit", value, 0, MAX_LIMIT, "null or a whole number")

    def warriors(self, value: object) -> tuple[RosterEntry, ...]:
        entries = self.items("warriors", value, "a list", "entries", MAX_ENTRIES)
        return tuple(self.warrior(path, item) for path, item in entries)

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
        given = self.values(path, data, READ_FIRST)
        count = given.get("count", 1)
        if given.get("is_leader") and count != 1:
            self.fault(
                f"{path}.count",
                f"must be 1, because the entry is marked as leader, not {count}",
            )
        rest = [key for key in WARRIOR_KEYS if key not in READ_FIRST]
        return RosterEntry(**{"profile": "", **given, **self.values(path, data, rest)})

    def values(self, path: str, data: NamedValues, keys: Sequence[str]) -> Fields:
        """The values of those keys that are there, by the field of an entry."""
        found = [
            (f"{path}.{key}", data[key], DOCUMENT_FIELDS[key])
            for key in keys
            if key in data
        ]
        return {one.field: self.value(path, value, one) for path, value, one in found}

    def value(self, path: str, value: object, one: EntryField) -> Any:
        match one.form:
            case "flag":
                return self.flag(path, value)
            case "count":
                return self.whole(path, value, 1, one.limit, "a whole number")
            case "keys":
                options = self.items(path, value, "a list of texts", "options", one.limit)
                return tuple(self.text(place, item, KEY_MAX) for place, item in options)
            case "growth":
                return self.growth(path, value, EntryGrowth)
        text = self.text(path, value, one.limit, many_lines=one.form == "lines")
        if one.form == "key" and value == "":
            self.fault(path, f"must be the key of a {one.field}, not empty")
        return text

    def growth(self, path: str, value: object, of: type[G]) -> G | None:
        """What a campaign made of somebody, as an export writes it down."""
        if value is None:
            return None
        if not isinstance(value, dict):
            self.fault(path, f"must be an object, not {_kind(value)}")
            return None
        self.keys(path, value, tuple(one.name for one in fields(of)), ())
        if fault := _growth_fault(value):
            self.fault(path, fault)
            return None
        try:
            return read_growth(value, of)
        except SnapshotMismatch:
            self.fault(path, "is not growth as an export of a campaign warband writes it")
            return None

    def flag(self, path: str, value: object) -> bool:
        if isinstance(value, bool):
            return value
        self.fault(path, f"must be true or false, not {_kind(value)}")
        return False

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


def _house_rule_fault(key: object, flag: object, system: System | None) -> str:
    """What is wrong with a house rule; without a system only its value is looked at."""
    known = sorted(rule.key for rule in system.house_rules) if system else []
    if system and key not in known:
        names = f"the house rules are {', '.join(known)}" if known else "it has none"
        return f"is not a house rule of {system.key}; {names}"
    return "" if isinstance(flag, bool) else f"must be true or false, not {_kind(flag)}"


def _growth_fault(value: NamedValues) -> str:
    """What is wrong with growth besides its shape: too long, texts and numbers out of bounds."""
    if len(json.dumps(value)) > GROWTH_MAX:
        return f"must have at most {GROWTH_MAX:,} characters"
    return next(filter(None, map(_fact_fault, _facts(value, GROWTH_DEPTH))), "")


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
