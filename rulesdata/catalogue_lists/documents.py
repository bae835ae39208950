"""A translated catalogue as the file of a club's own list, in the shape of the packs."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from engine.records import Fields, TextPairs, frozen_dataclass, grouped
from interchange.catalogues import KeySet, plain_name, slug
from interchange.options import Purchases, TranslatedOption
from interchange.profiles import OptionItem
from interchange.translation import Frame, TranslatedUnit, Translation, TranslationReport
from rulesdata.catalogue_lists.equipment_lists import Hints, folded, hints_of_units
from rulesdata.schema.equipment import CommonFile
from rulesdata.schema.lists import OWN_LIMITS_MAX, CollectionFile

POINTS_WORDS = frozenset(("pts", "pt", "points", "cost"))
GOLD_WORDS = frozenset(("gc", "gold", "gold crowns", "crowns"))
NAME_LENGTH, SHORT_LENGTH = 40, 8

CATEGORY_LENGTH = 20
# Those under such a heading lead: the words that games use for it.
LEADING_WORDS = ("hero", "character", "leader", "boss", "captain", "commander", "lord")
# A group of those under such a heading buys the same for each of its models.
ALIKE_WORDS = ("henchm",)
MODELS_HELD = 200
# How many units and options a limit names.
NAMED_MAX = 100
_LEADERSHIP = frozenset(("ld", "leadership"))
_STRENGTH = frozenset(("s", "str", "strength"))


@frozen_dataclass
class ListHead:
    """What the person says of a list that is made of a catalogue."""

    name: str
    collection: CollectionFile
    base: str = ""
    read_on: date = date.min


def frame_of(
    collection: CollectionFile, common: CommonFile, *, is_fixed: bool = False
) -> Frame:
    """Return what a catalogue is translated into: columns and things of a collection.

    ``is_fixed``: the list lies over an army, so it has no columns of its own.
    """
    items = {plain_name(one.name): OptionItem(one.id, "weapon") for one in common.weapons}
    for one in common.armour:
        kind = "shield" if one.id == "shield" else "armour"
        items[plain_name(one.name)] = OptionItem(one.id, kind)
    columns = tuple(one.id for one in collection.stats)
    return Frame(columns, items, is_fixed)


# The list


def list_document(found: Translation, head: ListHead) -> Fields:
    """Return the file of the list: names and figures, without the words of rules."""
    headings = _Headings(found, head.collection)
    document: Fields = {
        "army": slug(head.name, "list"),
        "name": head.name,
        "collection": head.collection.id,
        "edition": head.collection.edition,
        "categories": headings.own,
        "limits": [*_unit_limits(found.units), *_option_limits(found.units)][
            :OWN_LIMITS_MAX
        ],
        "catalogues": _sources(found, head),
        "units": [_unit(unit, headings, found.report) for unit in found.units],
    }
    if head.base:
        document["base"] = head.base
    if found.columns:
        document["frame"] = _frame_record(found.columns)
    # Only catalogues with such things have these keys.
    things = {"weapons": list(found.weapons), "magic_items": list(found.magic_items)}
    document |= {key: records for key, records in things.items() if records}
    return folded(document | price_terms(found), _hints(found.units))


def _frame_record(columns: TextPairs) -> Fields:
    """Return the columns as the frame of a list's file."""
    record: Fields = {"stats": [{"id": key, "name": name} for key, name in columns]}
    for field, words in (("leadership_stat", _LEADERSHIP), ("strength_stat", _STRENGTH)):
        named = [key for key, name in columns if name.lower() in words]
        if named:
            record[field] = named[0]
    return record


def _hints(units: Iterable[TranslatedUnit]) -> Hints:
    """Return which options stand in groups that several units share."""
    return hints_of_units(
        (unit.key, option.origins, option.shared)
        for unit in units
        for option in unit.options
    )


def _sources(found: Translation, head: ListHead) -> list[Fields]:
    """Return what is kept of the files: their ids and digests."""
    return [
        {
            "id": key,
            "name": name or "Unnamed",
            "revision": found.revision if key == found.id else "",
            "game_system": found.game_system,
            "sha256": digest,
            "read_on": head.read_on.isoformat(),
        }
        for key, name, digest in found.files
    ]


class _Headings:
    """The categories of the list: the collection's where they are called so, else its own."""

    def __init__(self, found: Translation, collection: CollectionFile) -> None:
        """Take the categories of the translation, each under a key of the list."""
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
        if any(word in name.lower() for word in ALIKE_WORDS):
            record["alike"] = True
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


def _unit(unit: TranslatedUnit, headings: _Headings, report: TranslationReport) -> Fields:
    """Return the record of a unit in the list's file."""
    record: Fields = {
        "id": unit.key,
        "name": unit.name,
        "category": headings.key(unit.heading),
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
    if unit.second:
        record["second"] = unit.second
    if unit.headings_when:
        record["category_when"] = [
            {"category": headings.key(category), "when": list(names)}
            for category, names in unit.headings_when
        ]
    record |= _command(unit.bought) | _exceptions(unit) | unit.campaign
    if doubts := report.doubts_of(unit.name):
        record["doubts"] = doubts
    return record


def _lines(unit: TranslatedUnit) -> list[Fields]:
    if not unit.stats:
        return []
    return [{"name": unit.model_name or unit.name, "role": "model", **unit.stats}]


def _command(bought: Purchases) -> Fields:
    """Return the command models of a unit, and how many points of magic items it may carry."""
    found: Fields = {}
    if champion := bought.champion:
        found["champion"] = {
            "name": champion.name,
            "points": champion.points,
            "options": [_option(one) for one in champion.options],
        }
        if champion.stats:
            found["champion"]["profile"] = dict(champion.stats)
    prices = {"musician": bought.musician, "standard_bearer": bought.standard_bearer}
    if command := {key: price for key, price in prices.items() if price is not None}:
        found["command"] = command
    if bought.magic_allowance is not None:
        found["magic_allowance"] = bought.magic_allowance
    return found


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
    if option.second:
        record["second"] = option.second
    if option.maximum:
        record["max"] = option.maximum
    if option.points_if:
        record["points_if"] = [
            {"with": list(keys) if len(keys) > 1 else keys[0], "points": points}
            for keys, points in option.points_if
        ]
    return record


def _unit_limits(units: Sequence[TranslatedUnit]) -> Iterator[Fields]:
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
        yield {"id": unit.key, "name": unit.name, "of": {"units": [unit.key]}, **limit}


def _option_limits(units: Sequence[TranslatedUnit]) -> Iterator[Fields]:
    """Yield how many of a group each unit may buy; the same limit of several units is one."""
    keys = KeySet(unit.key for unit in units)
    alike = grouped((limit, unit.key) for unit in units for limit in unit.bought.limits)
    for limit, buyers in alike.items():
        record: Fields = {
            "id": keys.take(limit.name, "group"),
            "name": limit.name or "Group",
        }
        if limit.least is not None:
            record["min"] = min(MODELS_HELD, limit.least)
        if limit.most is not None:
            record["max"] = limit.most
        if limit.depends:
            record["depends"] = True
        of = {"units": buyers[:NAMED_MAX], "options": list(limit.options[:NAMED_MAX])}
        yield {**record, "of": of, "per": "each-unit"}


def price_terms(found: Translation) -> Fields:
    """Return what the list calls its prices, and what it may spend."""
    document: Fields = {}
    name = found.price_type.strip()
    if name and name.lower() not in POINTS_WORDS:
        is_gold = name.lower() in GOLD_WORDS
        gold = {"name": "gold crowns", "short": "gc"}
        document["currency"] = gold if is_gold else _named(name)
    if found.second_type.strip() and any(map(_has_second, found.units)):
        document["second_price"] = _named(found.second_type.strip())
    if found.limit:
        document["default_limit"] = found.limit
    return document


def _named(name: str) -> Fields:
    return {"name": name[:NAME_LENGTH].strip(), "short": name[:SHORT_LENGTH].strip()}


def _has_second(unit: TranslatedUnit) -> bool:
    return bool(unit.second or any(option.second for option in unit.options))
