"""Checks of what units say of the equipment lists of their army list."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulesdata.pack_files.folders import Spot
    from rulesdata.schema.equipment import OptionRecord
    from rulesdata.schema.list_terms import EquipmentListRecord, UnitEquipment
    from rulesdata.schema.lists import UnitRecord

    Equipment = Mapping[str, EquipmentListRecord]

EQUIPMENT_PLACES_MAX = 60_000
"""Options of equipment lists, once for each unit that names the list: what a game of 320 units and
741 different options needs is 41,000.
"""


def sold_keys(unit: UnitRecord, equipment: Equipment) -> set[str]:
    """Return the keys of what a unit buys from the lists it names."""
    found: set[str] = set()
    for _, shared, named in _named(unit, equipment):
        found.update(_sold(shared, named))
    return found


def check_named_equipment(spot: Spot, unit: UnitRecord, equipment: Equipment) -> None:
    """Write down every fault of the equipment lists that a unit names."""
    names = [named.shared for named in unit.equipment]
    spot.report_repeated(names)
    spot.report_unknown(names, equipment, "equipment list of this list")
    # An option of the unit itself takes the place of a list's, so only lists can clash.
    seen = {option.id for option in unit.options}
    before: dict[str, str] = {}
    for index, shared, named in _named(unit, equipment):
        _check_named(spot.at(index), shared, named)
        for key in sorted(_sold(shared, named) - seen):
            if before.get(key, shared.id) != shared.id:
                spot.at(index).fault(
                    f"'{key}' is in '{before[key]}' too: leave it out of one of them by without"
                )
            before.setdefault(key, shared.id)


def _check_named(spot: Spot, shared: EquipmentListRecord, named: UnitEquipment) -> None:
    """Write down what a unit leaves out or prices and the list does not have, or still needs."""
    keys = {option.id for option in shared.options}
    spot.at("without").report_unknown(named.without, keys, "option of this equipment list")
    spot.at("prices").report_unknown(named.prices, keys, "option of this equipment list")
    gone = set(named.without)
    for option in shared.options if gone else ():
        missed = () if option.id in gone else _missed(option, gone)
        for key in missed:
            spot.at("without").fault(f"'{option.id}' of this list needs '{key}'")


def _missed(option: OptionRecord, gone: Collection[str]) -> Iterator[str]:
    """Yield what an option needs of what was left out."""
    yield from (key for key in option.requires if key in gone)
    if option.requires_any and all(key in gone for key in option.requires_any):
        yield option.requires_any[0]


def check_places(file: Spot, units: Iterable[UnitRecord], equipment: Equipment) -> None:
    """Write down a fault where the units of a list buy more than it can unfold."""
    number = sum(
        len(shared.options) for unit in units for _, shared, _ in _named(unit, equipment)
    )
    if number > EQUIPMENT_PLACES_MAX:
        file.at("equipment").fault(
            f"expected at most {EQUIPMENT_PLACES_MAX:,} options over all units that name equipment "
            f"lists, found {number:,}"
        )


def _named(
    unit: UnitRecord, equipment: Equipment
) -> Iterator[tuple[int, EquipmentListRecord, UnitEquipment]]:
    """Yield each list that a unit names and that is there, with its place in the unit."""
    for index, named in enumerate(unit.equipment):
        if named.shared in equipment:
            yield index, equipment[named.shared], named


def _sold(shared: EquipmentListRecord, named: UnitEquipment) -> set[str]:
    return {option.id for option in shared.options} - set(named.without)
