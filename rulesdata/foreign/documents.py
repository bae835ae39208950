"""A translated catalogue as the file of a club's own list, in the shape of the packs."""

from collections.abc import Iterable, Sequence
from datetime import date

from engine.records import Fields, frozen_dataclass
from rulesdata.foreign.keys import KeySet, plain_name, slug
from rulesdata.foreign.options import OptionItem, items_by_name
from rulesdata.foreign.reports import (
    TranslatedOption,
    TranslatedUnit,
    Translation,
    TranslationReport,
)
from rulesdata.foreign.translation import Frame
from rulesdata.schema.equipment import CommonFile
from rulesdata.schema.lists import CollectionFile

CATEGORY_LENGTH = 20
# Those under such a heading lead: the words that games use for it.
LEADING_WORDS = ("hero", "character", "leader", "boss", "captain", "commander", "lord")
MODELS_HELD = 200


@frozen_dataclass
class ListHead:
    """What the person says of a list that is made of a catalogue."""

    name: str
    collection: CollectionFile
    base: str = ""
    read_on: date = date.min


def frame_of(collection: CollectionFile, common: CommonFile) -> Frame:
    """Return what a catalogue is translated into: columns and things of a collection."""
    weapons = [(one.name, OptionItem(one.id, "weapon")) for one in common.weapons]
    armour = [
        (one.name, OptionItem(one.id, "shield" if one.id == "shield" else "armour"))
        for one in common.armour
    ]
    columns = tuple(one.id for one in collection.stats)
    return Frame(columns, items_by_name([*weapons, *armour]))


# The list


def list_document(found: Translation, head: ListHead) -> Fields:
    """Return the file of the list: names and figures, without the words of rules."""
    headings = _Headings(found, head.collection)
    units = [
        _unit(
            unit,
            headings.key(unit.heading),
            found.report,
        )
        for unit in found.units
    ]
    document: Fields = {
        "army": slug(head.name, "list"),
        "name": head.name,
        "collection": head.collection.id,
        "edition": head.collection.edition,
        "categories": headings.own,
        "limits": list(_limits(found.units)),
        "catalogues": [
            {
                "id": key,
                "name": name or "Unnamed",
                "revision": found.revision if key == found.id else "",
                "game_system": found.game_system,
                "sha256": digest,
                "read_on": head.read_on.isoformat(),
            }
            for key, name, digest in found.files
        ],
        "units": units,
    }
    if head.base:
        document["base"] = head.base
    return document


class _Headings:
    """The categories of the list: the collection's where they are called so, else its own."""

    def __init__(self, found: Translation, collection: CollectionFile) -> None:
        self.known = {
            plain_name(name): one.id
            for one in collection.categories
            for name in (one.name, one.plural or one.name)
        }
        self.keys = KeySet(one.id for one in collection.categories)
        self.own: list[Fields] = []
        self.by_id = {key: self._take(name) for key, name in found.categories}
        self.collection = collection
        self.other = ""

    def _take(self, name: str) -> str:
        """Return the key of a heading, which is added where the list lacks it."""
        known = self.known.get(plain_name(name))
        if known:
            return known
        key = self.keys.take(name[:CATEGORY_LENGTH], "category")[:CATEGORY_LENGTH].strip(
            "-"
        )
        record: Fields = {"id": key, "name": name or "Other"}
        if any(word in name.lower() for word in LEADING_WORDS):
            record["character"] = True
        self.own.append(record)
        self.known[plain_name(name)] = key
        return key

    def key(self, heading: str) -> str:
        """Return the category of a unit; one of its own for units that have none."""
        if heading in self.by_id:
            return self.by_id[heading]
        self.other = self.other or self._take("Other units")
        return self.other


# Units


def _unit(
    unit: TranslatedUnit,
    category: str,
    report: TranslationReport,
) -> Fields:
    """Return the record of a unit in the list's file."""
    record: Fields = {
        "id": unit.key,
        "name": unit.name,
        "category": category,
        "troop_type": "infantry",
        "points": unit.points,
        "points_basis": "model",
        "miniatures": 1,
        "profiles": _lines(unit),
        "default_equipment": [],
        "equipment_source": "none",
        "options": [_option(one) for one in unit.options],
        "flags": [],
        "special_rules": list(unit.rules),
        "origins": list(unit.origins),
    }
    if unit.model_name and unit.model_name != unit.name:
        record["model_name"] = unit.model_name
    record |= _exceptions(unit)
    if doubts := report.doubts_of(unit.name):
        record["doubts"] = doubts
    return record


def _lines(unit: TranslatedUnit) -> list[Fields]:
    if not unit.stats:
        return []
    return [{"name": unit.model_name or unit.name, "role": "model", **unit.stats}]


def _exceptions(unit: TranslatedUnit) -> Fields:
    """Return what only some units say: their size, their most, that they are hidden."""
    found: Fields = {}
    sizes = zip(("min", "max"), unit.size, strict=True)
    if size := {key: number for key, number in sizes if number is not None}:
        found["unit_size"] = size
    if unit.is_hidden:
        found["offered"] = False
        found["not_offered_because"] = "The catalogue hides it."
        found["hidden_in_source"] = True
    if not unit.stats:
        found["incomplete"] = ["The catalogue has no stat line for it."]
    return found


# Options and limits


def _option(option: TranslatedOption) -> Fields:
    """Return the record of an option in the list's file."""
    record: Fields = {
        "id": option.key,
        "name": option.name,
        "points": option.points,
        "per": option.per,
        **option.settings,
        "origins": list(option.origins),
    }
    if option.maximum:
        record["max"] = option.maximum
    if option.points_if:
        record["points_if"] = [
            {"with": list(keys) if len(keys) > 1 else keys[0], "points": max(0, points)}
            for keys, points in option.points_if
        ]
    return record


def _limits(units: Sequence[TranslatedUnit]) -> Iterable[Fields]:
    """Yield how many of each unit the list must and may have."""
    for unit in units:
        limit: Fields = {}
        if unit.least is not None:
            limit["min"] = min(MODELS_HELD, unit.least)
        if unit.most is not None and unit.most <= MODELS_HELD:
            limit["max"] = unit.most
        if not limit:
            continue
        if unit.is_limit_open:
            limit["depends"] = True
        yield {
            "id": unit.key,
            "name": unit.name,
            "of": {"units": [unit.key]},
            **limit,
        }
