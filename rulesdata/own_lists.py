"""A club's own list: what it is made of, what is wrong with it, and the army it comes to.

Pure: no database.
"""

import hashlib
import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, TypeVar

from engine.records import Fields, TextByKey, frozen_dataclass
from engine.types.lists import Army
from rulesdata.builders import army as assembly
from rulesdata.checks.lists import check_units
from rulesdata.pack_files.collections import ListPack, known_keys
from rulesdata.pack_files.folders import Reader, Spot
from rulesdata.pack_files.yaml_files import Document, Fault
from rulesdata.schema.base import build_by_key, engine_value
from rulesdata.schema.equipment import ArmourRecord, CommonFile, WeaponRecord
from rulesdata.schema.lists import (
    ArmyFile,
    CollectionFile,
    FrameRecord,
    MagicItemRecord,
    MagicItemsFile,
    OwnListFile,
    UnitRecord,
)

# No army of the packs has such a key, so that a key alone tells whose list it is.
PREFIX = "own-"
FILE = "list.yaml"
_WITH_IDS = (
    "weapons", "armour", "magic_items", "units", "categories", "limits", "equipment",
)  # fmt: skip
PUT_AWAY = "Its club has archived it."
# The keys of a unit that hold a price.
PRICES = ("points", "musician", "standard_bearer")

Record = TypeVar("Record", UnitRecord, WeaponRecord, ArmourRecord, MagicItemRecord)


@frozen_dataclass
class PrintedLists:
    """The pack files a list stands on: its collection, and the army it lies over, if any."""

    collection: CollectionFile
    common: CommonFile
    army: ArmyFile | None = None
    items: MagicItemsFile | None = None


@frozen_dataclass
class OwnList:
    """A club's list as it was at one ``stamp``.

    ``archived``: what it offers no more and rosters may still hold.

    Two of the same token, stamp and club's name are the same, so that what is worked out from one
    can be kept by it.
    """

    token: str
    stamp: str
    collection: str = field(compare=False)
    club_id: int = field(compare=False)
    club_name: str
    file: OwnListFile = field(compare=False, repr=False)
    archived: OwnListFile = field(compare=False, repr=False)
    is_retired: bool = field(default=False, compare=False)

    @property
    def base(self) -> str:
        return self.file.base or ""


def is_own(army_key: str) -> bool:
    """Whether this key of an army is the token of a club's list."""
    return army_key.startswith(PREFIX)


def dump(record: Any) -> Fields:
    """A record as the plain data of a file: what was left out stays out."""
    return record.model_dump(exclude_unset=True, by_alias=True)


def document_digest(record: Any) -> str:
    """What tells one state of a record or of a document from another."""
    text = json.dumps(record, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def list_prices(record: Any) -> list[Any]:
    """Every price in a record, in order: what tells a change of prices from one of words."""
    if isinstance(record, list):
        return [list_prices(item) for item in record]
    if not isinstance(record, Mapping):
        return []
    prices = [(key, record[key]) for key in PRICES if isinstance(record.get(key), int)]
    return [prices, *filter(None, map(list_prices, record.values()))]


def read_own_list(
    document: Document, shelf: PrintedLists
) -> tuple[OwnListFile | None, list[Fault]]:
    """The list a document describes, None where it has no shape, and every fault of it and of what
    it refers to.
    """
    reader = Reader(Path(), known=known_keys(shelf.collection, shelf.common))
    file = reader.take(FILE, OwnListFile, document)
    if file is None:
        return None, reader.faults
    spot = Spot(reader, FILE)
    if file.frame:
        frame = spot.at("frame")
        if shelf.army:
            frame.fault("a list over an army has the columns of that army")
        stats = [stat.id for stat in file.frame.stats]
        frame.at("stats").report_repeated(stats)
        for field_name in ("leadership_stat", "strength_stat"):
            frame.report_unknown_in(file.frame, field_name, stats, "stat of this list")
    for key in _WITH_IDS:
        spot.at(key).report_same_ids(getattr(file, key))
    collection = framed(shelf.collection, file)
    if file.edition != collection.edition:
        spot.at("edition").fault(f"expected {collection.edition}, the collection's edition")
    check_units(ListPack(reader, collection, shelf.common), spot, file, shelf.army)
    return file, reader.faults


def framed(collection: CollectionFile, file: OwnListFile) -> CollectionFile:
    """Return a collection as the list below it has it, with the columns of its own."""
    if file.frame is None:
        return collection
    columns = {key: getattr(file.frame, key) for key in FrameRecord.model_fields}
    nothing: Fields = {"defence_stat": None, "value_stats": []}
    return collection.model_copy(update=columns | nothing)


def build_army(own: OwnList, shelf: PrintedLists) -> Army:
    """The army a club's list comes to: the one it lies over with its records over it, or its own
    alone.
    """
    file = own.file
    collection = framed(shelf.collection, file)
    # An army of its own lies over nothing. It is not validated: it has no unit, and files need one.
    blank = ArmyFile.model_construct(
        army=own.token, name=file.name, edition=file.edition, army_rules=[], units=[]
    )
    no_items = MagicItemsFile.model_construct(army=own.token, items=[])
    base = assembly.build_army(
        collection, shelf.common, shelf.army or blank, shelf.items or no_items
    )
    printed = {**base.profiles, **base.mounts}
    # Every profile says which army it is of, and that is this list now.
    records = {key: replace(profile, army=own.token) for key, profile in printed.items()}
    names = _sources(own, shelf)
    own_flags = {category.id: category.flags for category in file.categories}
    flags = {**assembly.category_flags(collection), **own_flags}
    # A correction of a printed unit may still name the printed army's equipment lists.
    gear = {
        **assembly.equipment_lists(shelf.army or blank),
        **assembly.equipment_lists(file),
    }
    frame = assembly.ListFrame(own.token, names, flags, gear)
    units = _units(own, printed)
    records |= {unit.id: assembly.build_profile(unit, frame) for unit in units}
    # What is live comes last, so that it wins over what was put away under the same key.
    magic = [*_left(own.archived.magic_items, base.magic_items), *file.magic_items]
    limits = (*base.limits, *assembly.build_limits(file, units))
    army = replace(
        base,
        key=own.token,
        name=file.name,
        **assembly.sort_profiles(
            records.values(), (*collection.categories, *file.categories)
        ),
        magic_items={**base.magic_items, **build_by_key(magic)},
        rules=(*base.rules, *file.army_rules),
        note=f"{file.note or ''} This list belongs to {own.club_name}.".strip(),
        categories=(*base.categories, *engine_value(file.categories)),
        limits=tuple({limit.key: limit for limit in limits}.values()),
        has_own_columns=file.frame is not None,
        **file.terms(),
    )
    return _with_gear_of_club(army, own, shelf)


def _with_gear_of_club(army: Army, own: OwnList, shelf: PrintedLists) -> Army:
    """The list with the club's own weapons and armour."""
    names, common = _sources(own, shelf), shelf.common
    weapons = [
        *_left(own.archived.weapons, {w.id for w in common.weapons}),
        *own.file.weapons,
    ]
    armour = [*_left(own.archived.armour, {a.id for a in common.armour}), *own.file.armour]
    return replace(
        army,
        weapons={**army.weapons, **assembly.build_gear(weapons, names)},
        armour={**army.armour, **assembly.build_gear(armour, names)},
        own_gear=frozenset([w.id for w in weapons] + [a.id for a in armour]),
    )


def _sources(own: OwnList, shelf: PrintedLists) -> TextByKey:
    """What its sources are called: the first is the club, the others are the collection's."""
    return {source.id: source.name for source in shelf.collection.sources} | {
        "first": own.club_name
    }


def _units(own: OwnList, printed: Container[str]) -> list[UnitRecord]:
    """Its units; those put away are no longer offered, and still there for who has them."""
    live = {unit.id for unit in own.file.units}
    gone = [unit for unit in _left(own.archived.units, printed) if unit.id not in live]
    away = {"offered": False, "not_offered_because": PUT_AWAY}
    return [*own.file.units, *(unit.model_copy(update=away) for unit in gone)]


def _left(archived: Iterable[Record], printed: Container[str]) -> list[Record]:
    """What was put away, without corrections: in their place what is printed is back."""
    return [record for record in archived if record.id not in printed]
