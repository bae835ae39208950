"""Equipment lists of a translated catalogue: what several units buy is written once.

A catalogue is translated unit by unit, with all links followed. Folding finds the options that
came out of one shared group, the same for several units; unfolding gives each unit its own again,
so that two versions of a list can be compared. Both work on the plain data of a list's file.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from engine.records import Fields, Texts, frozen_dataclass, grouped
from interchange.catalogues import KeySet
from interchange.entries import SharedGroup

# What several units have to buy for a list to be worth it.
_BUYERS_NEEDED = 2
# A key that a unit leaves out takes far less room than an option of its own.
_TIMES_LEFT_OUT = 3
_NAMED = ("requires", "requires_any", "excludes")

Hints = Mapping[Texts, SharedGroup]
"""The shared group of an option, by the option's origins."""


# Which options belong together


def hints_of_units(options: Iterable[tuple[str, Texts, tuple[SharedGroup, ...]]]) -> Hints:
    """Return the group that each option is shared in: the outermost of which several units buy.

    ``options`` are pairs of unit and option: the unit's key, the option's origins and its groups.
    """
    known = list(options)
    units = grouped((group[0], unit) for unit, _, groups in known for group in groups)
    return {
        origins: shared
        for _, origins, groups in known
        if (shared := _first_shared(groups, units)) is not None
    }


def _first_shared(
    groups: Iterable[SharedGroup], units: Mapping[str, list[str]]
) -> SharedGroup | None:
    shared = (group for group in groups if len(set(units[group[0]])) > 1)
    return next(shared, None)


def hints_of_lists(document: Fields) -> Hints:
    """Return the same of a list that was folded already."""
    return {
        tuple(option["origins"]): (shared["id"], shared["name"])
        for shared in document.get("equipment", ())
        for option in shared["options"]
        if option.get("origins")
    }


# Folding


def folded(document: Fields, hints: Hints) -> Fields:
    """Return the list with equipment lists in place of what its units share."""
    units = [dict(unit) for unit in document["units"]]
    own = list(document.get("equipment", ()))
    keys = KeySet(shared["id"] for shared in own)
    for group in dict.fromkeys(hints.values()):
        origins = frozenset(one for one, shared in hints.items() if shared == group)
        records = _canonical(units, origins)
        shared = {"id": keys.take(group[1], "equipment"), "name": group[1] or "Equipment"}
        buyers = _buyers(units, records)
        if len(buyers) >= _BUYERS_NEEDED:
            own.append({**shared, "options": list(records.values())})
            _hand_over(buyers, records, shared["id"])
    return {**document, "units": units, **({"equipment": own} if own else {})}


def _canonical(units: Iterable[Fields], origins: frozenset[Texts]) -> dict[str, Fields]:
    """Return the options of a group by their key, each as most units have it."""
    found = [
        option
        for unit in units
        for option in unit["options"]
        if tuple(option.get("origins", ())) in origins
    ]
    by_key = grouped((option["id"], option) for option in found)
    records = {key: _most_common(same) for key, same in by_key.items() if len(same) > 1}
    return _closed(records)


def _most_common(options: list[Fields]) -> Fields:
    """Return the record that most have, at the price that most of them pay."""
    records = Counter(_comparable(option) for option in options)
    shape = records.most_common(1)[0][0]
    same = [option for option in options if _comparable(option) == shape]
    points = Counter(option["points"] for option in same).most_common(1)[0][0]
    return next(option for option in same if option["points"] == points)


def _comparable(option: Fields) -> str:
    """Return what has to be the same for an option to be the list's."""
    priced = {} if option.get("points_if") else {"points": None}
    return repr(sorted({**option, **priced}.items()))


def _closed(records: dict[str, Fields]) -> dict[str, Fields]:
    """Return the options that name only each other."""
    while True:
        kept = {
            key: option
            for key, option in records.items()
            if all(name in records for name in _named(option))
        }
        if len(kept) == len(records):
            return kept
        records = kept


def _named(option: Fields) -> Iterator[str]:
    """Yield the keys of the options that an option names: by rules and by prices."""
    for name in _NAMED:
        yield from option.get(name, ())
    for price in option.get("points_if", ()):
        beside = price.get("with", ())
        yield from (beside,) if isinstance(beside, str) else beside
        yield from price.get("without", ())


@frozen_dataclass
class _Buyer:
    """A unit that buys from a list: what it has of it as the list has it, and what it lacks."""

    unit: Fields
    taken: Texts
    without: Texts


def _buyers(units: Iterable[Fields], records: Mapping[str, Fields]) -> list[_Buyer]:
    """Return the units that have enough of a list for what they would leave out."""
    found = []
    for unit in units:
        options = {option["id"]: option for option in unit["options"]}
        taken = [key for key, one in records.items() if _is_same(one, options.get(key))]
        taken = _without_needy(taken, records)
        without = [key for key in records if key not in taken]
        if len(taken) >= max(_BUYERS_NEEDED, len(without) / _TIMES_LEFT_OUT):
            found.append(_Buyer(unit, tuple(taken), tuple(without)))
    return found


def _is_same(shared: Fields, own: Fields | None) -> bool:
    return own is not None and _comparable(shared) == _comparable(own)


def _without_needy(taken: list[str], records: Mapping[str, Fields]) -> list[str]:
    """Return what of it needs nothing beside, or something that is bought of the list too."""
    while True:
        kept = [key for key in taken if all(one in taken for one in _named(records[key]))]
        if len(kept) == len(taken):
            return kept
        taken = kept


def _hand_over(
    buyers: Iterable[_Buyer], records: Mapping[str, Fields], shared: str
) -> None:
    """Let units name a list in place of the options they have of it."""
    for buyer in buyers:
        unit, taken = buyer.unit, frozenset(buyer.taken)
        prices = {
            option["id"]: option["points"]
            for option in unit["options"]
            if option["id"] in taken and option["points"] != records[option["id"]]["points"]
        }
        named: Fields = {"list": shared}
        if buyer.without:
            named["without"] = list(buyer.without)
        if prices:
            named["prices"] = prices
        unit["options"] = [one for one in unit["options"] if one["id"] not in taken]
        unit["equipment"] = [*unit.get("equipment", ()), named]


# Unfolding


def unfolded(document: Fields) -> Fields:
    """Return the list with the options of a catalogue's equipment lists in its units.

    The equipment lists that a club wrote itself stay.
    """
    lists = document.get("equipment", ())
    read = {one["id"]: one for one in lists if _is_of_catalogue(one)}
    own = [shared for shared in lists if shared["id"] not in read]
    found = {
        **document,
        "units": [_unfolded_unit(unit, read) for unit in document["units"]],
        "equipment": own,
    }
    if not own:
        del found["equipment"]
    return found


def _is_of_catalogue(shared: Fields) -> bool:
    return any(option.get("origins") for option in shared["options"])


def _unfolded_unit(unit: Fields, read: Mapping[str, Fields]) -> Fields:
    """Return a unit with the options of the shared lists that were read."""
    options = list(unit["options"])
    for named in unit.get("equipment", ()):
        shared = read.get(named["list"], {})
        gone = {*named.get("without", ()), *(option["id"] for option in options)}
        sold = (one for one in shared.get("options", ()) if one["id"] not in gone)
        options += [_at_price(one, named.get("prices", {})) for one in sold]
    kept = [named for named in unit.get("equipment", ()) if named["list"] not in read]
    found = {**unit, "options": options, "equipment": kept}
    if not kept:
        del found["equipment"]
    return found


def _at_price(option: Fields, prices: Mapping[str, int]) -> Fields:
    """Return an option at the unit's own price in points, where it has one."""
    if option["id"] not in prices:
        return dict(option)
    found = {**option, "points": prices[option["id"]]}
    found.pop("points_if", None)
    return found
