"""The roster document ``muster-roll/1``: one shape for all systems, strictly read.

Reading takes already decoded JSON. Anything that is not exactly the format is a fault that names
its place; an unknown profile or option is not (the roster's findings tell about those).
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from accounts.errors import Fault, FaultyDocument
from engine.errors import Refusal
from engine.records import Fields, Texts, is_int_within, named_values
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
from rulesdata.schema.base import StrictModel
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
CHOICES_MAX = 100  # more than any system has of house rules or of tags
GROWTH_DEPTH = 4
GROWTH_FIGURE_MOST = 1_000_000
ALWAYS_WRITTEN = ("system", "variant", "army", "name", "points_limit", "scenario")

Knows = Callable[[str, str], bool]


def pack_scenario(system_key: str, key: str) -> bool:
    """Whether the system's own files hold this scenario."""
    return registry.load_base(system_key).scenario(key) is not None


def pack_army(system_key: str, key: str) -> bool:
    """Whether the packs hold this army for the system."""
    return key in registry.list_army_keys(system_key)


def parse(
    data: object,
    *,
    knows_scenario: Knows = pack_scenario,
    knows_army: Knows = pack_army,
) -> Roster:
    """The roster a document describes; raises FaultyDocument with at most 50 faults.

    ``knows_scenario`` and ``knows_army`` are asked with system and key, so that what people and
    clubs have written counts too where it is at hand.
    """
    context = {"scenario": knows_scenario, "army": knows_army}
    try:
        document = _Document.model_validate(data, context=context)
    except ValidationError as error:
        raise FaultyDocument(_list_faults(error)) from None
    values = named_values(document, *document.model_fields_set - {"format"})
    values |= {"system": document.system.key, "warriors": tuple(document.warriors)}
    return Roster(**values | {"tags": tuple(document.tags)})


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


# The shape of a document. What depends on its system is checked behind the system, each field for
# itself, so that a person sees all faults at once.


def _text(most: int, *, many_lines: bool = False) -> PlainValidator:
    def check(value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"must be a text, not {_kind(value)}")
        if fault := text_fault(value, most, many_lines=many_lines):
            raise ValueError(fault)
        return value

    return PlainValidator(check)


Key = Annotated[str, _text(KEY_MAX)]


def _whole(low: int, high: int) -> PlainValidator:
    def check(value: object) -> int:
        if not is_int_within(value, low, high):
            what = f"a whole number from {low} to {high:,}"
            raise ValueError(f"must be {what}, not {_kind(value)}")
        return value

    return PlainValidator(check)


def _growth(of: type[G]) -> PlainValidator:
    """What a campaign made of somebody, as an export writes it down."""
    names = {field.name for field in fields(of)}

    def check(value: object) -> G | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise ValueError(f"must be an object, not {_kind(value)}")
        for key in value:
            if key not in names:
                raise _fault_at(key, "is not a key of the format")
        if len(json.dumps(value)) > GROWTH_MAX:
            raise ValueError(f"must have at most {GROWTH_MAX:,} characters")
        for fault in filter(None, map(_fact_fault, _facts(value, GROWTH_DEPTH))):
            raise ValueError(fault)
        try:
            return read_growth(value, of)
        except SnapshotMismatch:
            end = "is not growth as an export of a campaign warband writes it"
            raise ValueError(end) from None

    return PlainValidator(check)


def _fault_at(place: str | int, end: str) -> PydanticCustomError:
    """Return a fault of something within the value that is checked."""
    return PydanticCustomError("fault", "{error}", {"error": end, "at": place})


def _type_of_key(field: EntryField) -> Any:
    text = _text(field.limit, many_lines=field.form == "lines")
    types = {
        "flag": bool,
        "count": Annotated[int, _whole(1, field.limit)],
        "keys": Annotated[list[Key], Field(max_length=field.limit)],
        "growth": Annotated[EntryGrowth | None, _growth(EntryGrowth)],
        "key": Annotated[str, text, AfterValidator(_check_key)],
    }
    return types.get(field.form, Annotated[str, text])


def _check_key(value: str, info: ValidationInfo) -> str:
    if not value:
        raise ValueError(f"must be the key of a {info.field_name}, not empty")
    return value


class _DocumentPart(StrictModel):
    @model_validator(mode="before")
    @classmethod
    def leave_out_most_unknown_keys(cls, data: Any) -> Any:
        """Keep the keys of the format, and of others as many as are listed as faults.

        To describe every one of 90,000 takes half a second.
        """
        if not isinstance(data, dict):
            return data
        unknown = [key for key in data if key not in cls.model_fields]
        left_out = set(unknown[MAX_FAULTS:])
        return {key: value for key, value in data.items() if key not in left_out}


_TYPES: dict[str, Any] = {
    key: (_type_of_key(field), ... if key == "profile" else None)
    for key, field in DOCUMENT_FIELDS.items()
}
_Warrior: Any = create_model("_Warrior", __base__=_DocumentPart, **_TYPES)


def _build_entry(warrior: Any) -> RosterEntry:
    values = {
        DOCUMENT_FIELDS[key].field: getattr(warrior, key)
        for key in warrior.model_fields_set
    }
    entry = RosterEntry(**{**values, "options": tuple(warrior.options or ())})
    if entry.is_leader and entry.count != 1:
        end = f"must be 1, because the entry is marked as leader, not {entry.count}"
        raise _fault_at("count", end)
    return entry


_ENTRY = Annotated[_Warrior, AfterValidator(_build_entry)]


def _check_variant(system: System, key: str | None, info: ValidationInfo) -> None:
    keys = ", ".join(system.variant_keys)
    if key is None and keys:
        raise ValueError(f"must be one of {keys} for {system.key}, not null")
    if key is not None and key not in system.variant_keys:
        there = f"the variants are {keys}" if keys else "it has none, write null"
        raise ValueError(f"{shown(key)} is not a variant of {system.key}; {there}")


def _check_army(system: System, key: str, info: ValidationInfo) -> None:
    if not (info.context or {})["army"](system.key, key):
        armies = ", ".join(registry.list_army_keys(system.key))
        end = f"is not fielded by {system.key}; the armies are {armies}"
        raise ValueError(f"{shown(key)} {end}")


def _check_scenario(system: System, key: str | None, info: ValidationInfo) -> None:
    if key is not None and not (info.context or {})["scenario"](system.key, key):
        end = f"is not a scenario of {system.key}; write its key, or null for none"
        raise ValueError(f"{shown(key)} {end}")


def _check_house_rules(system: System, rules: Texts, info: ValidationInfo) -> None:
    keys = sorted(rule.key for rule in system.house_rules)
    for key in rules:
        if key not in keys:
            there = f"the house rules are {', '.join(keys)}" if keys else "it has none"
            raise _fault_at(key, f"is not a house rule of {system.key}; {there}")


def _check_rulings(system: System, rulings: Fields, info: ValidationInfo) -> None:
    # Each text of a system has rulings of its own; a variant there is not is a fault of its own.
    if "variant" in info.data:
        system = registry.load_system(system.key, info.data["variant"])
        if fault := ruling_fault(system, rulings):
            raise ValueError(f"is refused: {fault.removesuffix('.')}")


def _check_tags(system: System, tags: Texts, info: ValidationInfo) -> None:
    keys = [tag.key for tag in system.tags]
    for place, key in enumerate(tags):
        if key not in keys:
            there = f"the tags are {', '.join(keys)}" if keys else "it has none"
            raise _fault_at(place, f"is not a tag of {system.key}; {there}")
        if key in tags[:place]:
            raise _fault_at(place, f"names {key} once more")


_CHECKS: dict[str, Callable[[System, Any, ValidationInfo], None]] = {
    "variant": _check_variant,
    "army": _check_army,
    "scenario": _check_scenario,
    "house_rules": _check_house_rules,
    "rulings": _check_rulings,
    "tags": _check_tags,
}


def _check_number(rules: object) -> object:
    # Where a limit of the field says it, each has been read already.
    if isinstance(rules, dict) and len(rules) > CHOICES_MAX:
        raise ValueError(f"must hold at most {CHOICES_MAX}, not {len(rules):,}")
    return rules


class _Document(_DocumentPart):
    format: Literal["muster-roll/1"]
    system: Annotated[Any, _text(KEY_MAX)]
    variant: Key | None = Field(None, validate_default=True)
    army: Key
    name: Annotated[str, _text(NAME_MAX)] = ""
    points_limit: Annotated[int, _whole(0, MAX_LIMIT)] | None = None
    scenario: Key | None = None
    house_rules: Annotated[dict[str, bool], BeforeValidator(_check_number)] = {}
    rulings: dict[str, Any] = {}
    tags: list[Key] = Field([], max_length=CHOICES_MAX)
    warriors: list[_ENTRY] = Field(max_length=MAX_ENTRIES)
    note: Annotated[str, _text(NOTE_MAX, many_lines=True)] = ""
    growth: Annotated[RosterGrowth | None, _growth(RosterGrowth)] = None

    @field_validator("system")
    @classmethod
    def load_system(cls, key: str) -> System:
        if not key:
            raise ValueError("must be the key of a rule system, not empty")
        try:
            return registry.load_base(key)
        except registry.UnknownSystem:
            keys = ", ".join(registry.systems())
            raise ValueError(f"{shown(key)} is not known; the systems are {keys}") from None

    @field_validator(*_CHECKS)
    @classmethod
    def check_under_system(cls, value: Any, info: ValidationInfo) -> Any:
        if system := info.data.get("system"):
            _CHECKS[info.field_name or ""](system, value, info)
        return value


_OBJECT = "must be an object, not {kind}"
# By the type of a fault that the shape itself finds.
_ENDS = {
    "missing": "is missing",
    "extra_forbidden": "is not a key of the format; the keys are {keys}",
    "literal_error": f"must be {FORMAT}, not {{value}}",
    "bool_type": "must be true or false, not {kind}",
    "list_type": "must be a list, not {kind}",
    "too_long": "must hold at most {max_length}, not {actual_length:,}",
    "model_type": _OBJECT,
    "dict_type": _OBJECT,
}


def _list_faults(error: ValidationError) -> list[Fault]:
    """Return what is wrong, keys that the format does not have first."""
    details = error.errors(include_url=False)
    details.sort(key=lambda detail: detail["type"] != "extra_forbidden")
    faults = []
    for detail in details[:MAX_FAULTS]:
        context = {"error": "is not as the format has it", **detail.get("ctx", {})}
        value, steps = detail["input"], detail["loc"]
        steps += (context["at"],) if "at" in context else ()
        names = (f"[{n}]" if isinstance(n, int) else f".{_name(n)}" for n in steps)
        path = "".join(names).removeprefix(".")
        keys = ", ".join(_TYPES if len(steps) > 1 else _Document.model_fields)
        end = _ENDS.get(detail["type"], "{error}").format(
            **context, keys=keys, kind=_kind(value), value=shown(value)
        )
        faults.append(Fault(path, f"{path or 'The document'} {end}."))
    return faults


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
