"""Equipment lists of a translated catalogue: what several units buy is written once.

A catalogue is translated unit by unit, with all links followed. Folding finds the options that
came out of one shared group, the same for several units; unfolding gives each unit its own again,
so that two versions of a list can be compared. Both work on the plain data of a list's file.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

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
    options = list(options)
    buyers = grouped((group[0], unit) for unit, _, groups in options for group in groups)
    hints = {}
    for _, origins, groups in options:
        shared = [group for group in groups if len(set(buyers[group[0]])) > 1]
        if shared:
            hints[origins] = shared[0]
    return hints


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
    lists = list(document.get("equipment", ()))
    keys = KeySet(shared["id"] for shared in lists)
    for group in dict.fromkeys(hints.values()):
        origins = {origin for origin, shared in hints.items() if shared == group}
        records = _shared_options(units, origins)
        key, name = keys.take(group[1], "equipment"), group[1] or "Equipment"
        buyers = _find_buyers(units, records)
        if len(buyers) >= _BUYERS_NEEDED:
            options = list(records.values())
            lists.append({"id": key, "name": name, "options": options})
            for buyer in buyers:
                _hand_over(buyer, records, key)
    return {**document, "units": units, **({"equipment": lists} if lists else {})}


def _shared_options(
    units: Iterable[Fields], origins: Collection[Texts]
) -> dict[str, Fields]:
    """Return the options of a group by their key, each as most units have it.

    Those that name others are left out, unless these are of the group too.
    """
    by_key = grouped(
        (option["id"], option)
        for unit in units
        for option in unit["options"]
        if tuple(option.get("origins", ())) in origins
    )
    records = {key: _most_common(same) for key, same in by_key.items() if len(same) > 1}
    keys = _without_needy(list(records), records)
    return {key: records[key] for key in keys}


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


def _names_in(option: Fields) -> Iterator[str]:
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
    bought: Texts
    without: Texts


def _find_buyers(units: Iterable[Fields], records: Mapping[str, Fields]) -> list[_Buyer]:
    """Return the units that have enough of a list for what they would leave out."""
    buyers = []
    for unit in units:
        options = {option["id"]: _comparable(option) for option in unit["options"]}
        same = [
            key
            for key, record in records.items()
            if options.get(key) == _comparable(record)
        ]
        bought = _without_needy(same, records)
        without = [key for key in records if key not in bought]
        if len(bought) >= max(_BUYERS_NEEDED, len(without) / _TIMES_LEFT_OUT):
            buyers.append(_Buyer(unit, tuple(bought), tuple(without)))
    return buyers


def _without_needy(keys: list[str], records: Mapping[str, Fields]) -> list[str]:
    """Return the options that name only each other."""
    while True:
        closed = [key for key in keys if all(n in keys for n in _names_in(records[key]))]
        if len(closed) == len(keys):
            return closed
        keys = closed


def _hand_over(buyer: _Buyer, records: Mapping[str, Fields], shared: str) -> None:
    """Let a unit name a list in place of the options it has of it."""
    unit, bought = buyer.unit, frozenset(buyer.bought)
    prices = {
        option["id"]: option["points"]
        for option in unit["options"]
        if option["id"] in bought and option["points"] != records[option["id"]]["points"]
    }
    entry: Fields = {"list": shared}
    if buyer.without:
        entry["without"] = list(buyer.without)
    if prices:
        entry["prices"] = prices
    unit["options"] = [option for option in unit["options"] if option["id"] not in bought]
    unit["equipment"] = [*unit.get("equipment", ()), entry]


# Unfolding


def unfolded(document: Fields) -> Fields:
    """Return the list with the options of a catalogue's equipment lists in its units.

    The equipment lists that a club wrote itself stay.
    """
    lists = document.get("equipment", ())
    read = {
        shared["id"]: shared
        for shared in lists
        if any(option.get("origins") for option in shared["options"])
    }
    units = [_unfolded_unit(unit, read) for unit in document["units"]]
    others = [shared for shared in lists if shared["id"] not in read]
    return _with_equipment({**document, "units": units}, others)


def _with_equipment(record: Fields, equipment: list[Fields]) -> Fields:
    """Return a list or a unit with these as its equipment, which none does not say."""
    record = {**record, "equipment": equipment}
    if not equipment:
        del record["equipment"]
    return record


def _unfolded_unit(unit: Fields, read: Mapping[str, Fields]) -> Fields:
    """Return a unit with the options of the shared lists that were read, at its own prices."""
    options, entries = list(unit["options"]), unit.get("equipment", ())
    for entry in entries:
        shared, prices = read.get(entry["list"], {}), entry.get("prices", {})
        skipped = {*entry.get("without", ()), *(option["id"] for option in options)}
        for option in shared.get("options", ()):
            if option["id"] in skipped:
                continue
            options.append(dict(option))
            if option["id"] in prices:
                options[-1]["points"] = prices[option["id"]]
                options[-1].pop("points_if", None)
    others = [entry for entry in entries if entry["list"] not in read]
    return _with_equipment({**unit, "options": options}, others)
