"""Unfolds the equipment lists of an army list: each unit gets their options as its own.

Pure: no files, no database.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from engine.records import Texts, frozen_dataclass
from engine.types.lists import ListLimit, Option
from rulesdata.schema.equipment import OptionRecord
from rulesdata.schema.list_terms import EquipmentListRecord, UnitEquipment
from rulesdata.schema.lists import UnitRecord

MakeOption = Callable[[OptionRecord], Option]


@frozen_dataclass
class EquipmentList:
    """The options of an equipment list, made once for all units that name it."""

    key: str
    name: str
    options: tuple[Option, ...]


EquipmentLists = Mapping[str, EquipmentList]


def equipment_lists(
    records: Iterable[EquipmentListRecord], make: MakeOption
) -> EquipmentLists:
    """Return the equipment lists by their key."""
    return {
        one.id: EquipmentList(one.id, one.name, tuple(map(make, one.options)))
        for one in records
    }


def unfold(
    own: tuple[Option, ...], named: Iterable[UnitEquipment], lists: EquipmentLists
) -> tuple[Option, ...]:
    """Return a unit's options and those of the lists it names.

    Its own option takes the place of one of the same key. A list that is not there, as a unit
    that was put away may name it, brings nothing.
    """
    found = list(own)
    for one in named:
        if one.shared in lists:
            known = {option.key for option in found}
            sold = _sold(lists[one.shared], one)
            found += [option for option in sold if option.key not in known]
    return tuple(found)


def _sold(shared: EquipmentList, named: UnitEquipment) -> Iterable[Option]:
    """Return what a unit buys of a list, at its prices."""
    if not (named.without or named.prices):
        # Most units buy all of it, so that they share the options themselves.
        return shared.options
    gone = frozenset(named.without)
    kept = (option for option in shared.options if option.key not in gone)
    return [_for_unit(option, named.prices, gone) for option in kept]


def _for_unit(option: Option, prices: Mapping[str, int], gone: Collection[str]) -> Option:
    """Return an option at the unit's price, without a word of what the unit cannot buy."""
    if option.key in prices:
        terms = replace(option.terms, cases=())
        option = replace(option, points=prices[option.key], terms=terms)
    return replace(
        option,
        excludes=_left(option.excludes, gone),
        requires_any=_left(option.requires_any, gone),
    )


def _left(keys: Texts, gone: Collection[str]) -> Texts:
    return tuple(key for key in keys if key not in gone)


def equipment_limits(
    records: Iterable[EquipmentListRecord],
    units: Iterable[UnitRecord],
    make: Callable[..., ListLimit],
) -> tuple[ListLimit, ...]:
    """Return the limits of the equipment lists, each over the units that name its list."""
    buyers: dict[str, list[str]] = {}
    for unit in units:
        for named in unit.equipment:
            buyers.setdefault(named.shared, []).append(unit.id)
    limits: list[ListLimit] = []
    for shared in filter(lambda one: one.id in buyers, records):
        keys = tuple(buyers[shared.id])
        limits += [_limit_of(shared, make(limit), keys) for limit in shared.limits]
    return tuple(limits)


def _limit_of(shared: EquipmentListRecord, limit: ListLimit, buyers: Texts) -> ListLimit:
    """Return a limit that says whom and what it counts."""
    return replace(
        limit,
        key=f"{shared.id}-{limit.key}",
        units=limit.units or buyers,
        options=limit.options or tuple(option.id for option in shared.options),
    )
