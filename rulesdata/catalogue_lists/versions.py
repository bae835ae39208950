"""A list of a catalogue over an army of the packs, over its own older version, and over what its club
wrote: whatever takes the place of something else does so only where the club says so.

Units and options are the same where another app's id says so, whatever they are called now.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any

from engine.records import Fields, TextByKey, Texts, frozen_dataclass, grouped
from interchange.catalogues import KeySet, plain_name
from rulesdata.catalogue_lists.documents import NAMING, folded, hints_of_lists, unfolded
from rulesdata.own_lists import document_digest
from rulesdata.schema.lists import AliasesFile, UnitRecord

# What a club writes into a unit itself, and no catalogue brings.
WRITTEN_HERE = ("description", "rule_texts", "equipment")
_OF_CATALOGUE = (
    "categories", "catalogues", "currency", "second_price", "default_limit", "frame",
)  # fmt: skip


# The new reading, with what the club wrote and the keys that rosters know


def merged(before: Fields, new: Fields) -> Fields:
    """Return the list with what a newer catalogue says: old keys stay, and what the club wrote.

    Units that no catalogue brought are kept; those that the catalogue lacks now are gone. Weapons
    and magic items of the list stay beside those of the catalogue.
    """
    # Units are compared with what they buy of equipment lists, and share it again at the end.
    hints, before, new = hints_of_lists(new), unfolded(before), unfolded(new)
    old_units = list(before.get("units", ()))
    units, renamed = _rekeyed_units(old_units, new["units"])
    club_units = [unit for unit in old_units if not unit.get("origins")]
    keys = {unit["id"] for unit in units}
    limits = [_renamed_limit(limit, renamed) for limit in new.get("limits", ())]
    replaced: Fields = {key: new[key] for key in _OF_CATALOGUE if key in new}
    # The weapons and magic items of both; of one key, the new one.
    for key in ("weapons", "magic_items"):
        records = (*before.get(key, ()), *new.get(key, ()))
        if gear := {record["id"]: record for record in records}:
            replaced[key] = list(gear.values())
    units += [unit for unit in club_units if unit["id"] not in keys]
    return folded({**before, **replaced, "limits": limits, "units": units}, hints)


@frozen_dataclass
class _Renames:
    """Which key of a newer catalogue is which one of the list.

    ``options`` are those of each unit, by the unit's new key.
    """

    units: Mapping[str, str]
    options: Mapping[str, Mapping[str, str]]


def _rekeyed_units(
    old: Iterable[Fields], new: Iterable[Fields]
) -> tuple[list[Fields], _Renames]:
    """Return new units under the keys of the old, and which key became which."""
    new = list(new)
    renamed = _same_keys(old, new)
    by_key = {unit["id"]: unit for unit in old}
    units, options = [], {}
    for unit in new:
        previous = by_key.get(renamed[unit["id"]], {})
        written = {key: previous[key] for key in WRITTEN_HERE if key in previous}
        options[unit["id"]] = _same_keys(_all_options(previous), _all_options(unit))
        rekeyed = _with_options(unit, options[unit["id"]])
        units.append({**rekeyed, "id": renamed[unit["id"]], **written})
    return units, _Renames(renamed, options)


def _all_options(unit: Fields) -> list[Fields]:
    """Return the options of a unit and of its champion, which have their keys in common."""
    return [*unit.get("options", ()), *unit.get("champion", {}).get("options", ())]


def _with_options(unit: Fields, renamed: Mapping[str, str]) -> Fields:
    """Return a unit, or its champion, whose options have the keys that rosters know."""
    options = []
    for option in unit.get("options", ()):
        keys = [name for name in ("id", *NAMING) if name in option]
        fields = {name: _renamed(option[name], renamed) for name in keys}
        if "points_if" in option:
            fields["points_if"] = [
                {**price, "with": _renamed(price["with"], renamed)}
                for price in option["points_if"]
            ]
        options.append({**option, **fields})
    changed = {**unit, "options": options}
    if champion := unit.get("champion"):
        changed["champion"] = _with_options(champion, renamed)
    return changed


def _same_keys(old: Iterable[Fields], new: Iterable[Fields]) -> TextByKey:
    """Return the key that each new record gets: the old one's of the same origin, else its own.

    All ids are compared first, links too; then the entry's own, since a newer file may link to it
    from elsewhere. Of those that share it, the one of the same name is meant.
    """
    old, new = list(old), list(new)
    new_keys: TextByKey = {}
    for tell in (_origins, lambda record: (*_entry(record), record["name"]), _entry):
        # What stands twice below different things has one origin: then their order counts.
        taken = set(new_keys.values())
        left = (record for record in old if record["id"] not in taken)
        waiting = grouped((tell(record), record["id"]) for record in left)
        for record in new:
            keys = waiting.get(tell(record), [])
            if keys and _origins(record) and record["id"] not in new_keys:
                new_keys[record["id"]] = keys.pop(0)
    free = KeySet(record["id"] for record in old)
    for record in new:
        if record["id"] not in new_keys:
            new_keys[record["id"]] = free.take(record["id"], "record")
    return new_keys


def _origins(record: Fields) -> Texts:
    """Return the ids that tell a record from others: those of links, then the entry's."""
    return tuple(record.get("origins", ()))


def _entry(record: Fields) -> Texts:
    return _origins(record)[-1:]


def _renamed(keys: Any, renamed: Mapping[str, str]) -> Any:
    """Return a key, or a list of keys, as rosters know them."""
    if isinstance(keys, str):
        return renamed.get(keys, keys)
    return [renamed.get(key, key) for key in keys]


def _renamed_limit(limit: Fields, renamed: _Renames) -> Fields:
    """Return a limit that counts units and options by the keys rosters know."""
    of = dict(limit["of"])
    # Several units have their options under the same keys for the most part; the first one counts.
    options: TextByKey = {}
    for unit in reversed(of.get("units", ())):
        options |= renamed.options.get(unit, {})
    for part, keys in (("units", renamed.units), ("options", options)):
        if part in of:
            of[part] = _renamed(of[part], keys)
    # A unit's own limit has the unit's key.
    changed = {**limit, "id": _renamed(limit["id"], renamed.units), "of": of}
    every, mark, others = limit.get("per", "").partition("-of:")
    if mark:
        others = ",".join(_renamed(others.split(","), renamed.units))
        changed["per"] = f"{every}{mark}{others}"
    return changed


# A catalogue laid over an army of the packs


def laid_over(
    document: Fields, units: Sequence[UnitRecord], aliases: AliasesFile
) -> Fields:
    """Return a list whose units have the keys of the army's units that they are.

    ``units`` are the army's, ``aliases`` what catalogues and players call them. They are found by
    origin, then by name, each of them once. All others get keys that the army has not, so that
    they stand beside its units.
    """
    places = _find_places(document["units"], units, aliases)
    free = KeySet(unit.id for unit in units)
    keys = {
        unit["id"]: places.get(unit["id"]) or free.take(unit["id"], "unit")
        for unit in document["units"]
    }
    renamed = _Renames(keys, {})
    limits = [_renamed_limit(limit, renamed) for limit in document.get("limits", ())]
    rekeyed = [{**unit, "id": keys[unit["id"]]} for unit in document["units"]]
    return {**document, "units": rekeyed, "limits": limits}


def _find_places(
    units: Sequence[Fields], printed: Sequence[UnitRecord], aliases: AliasesFile
) -> TextByKey:
    """Return the army's unit that a unit of the list is, by the list's key."""
    army_keys = {unit.id for unit in printed}
    names = _army_names(printed, aliases)
    by_origin, by_name = [], []
    for unit in units:
        # The last part of an origin is the entry itself.
        ids = (key for key in reversed(unit.get("origins", ())) if key in aliases.origins)
        by_origin.append((unit["id"], aliases.origins.get(next(ids, ""), "")))
        by_name.append((unit["id"], names.get(plain_name(unit["name"]), "")))
    places: TextByKey = {}
    for key, place in (*by_origin, *by_name):
        if place in army_keys and key not in places and place not in places.values():
            places[key] = place
    return places


def _army_names(printed: Sequence[UnitRecord], aliases: AliasesFile) -> TextByKey:
    """Return the army's units by plain name; a name that two of them have is nobody's."""
    names = {plain_name(name): key for name, key in aliases.names.items()}
    plain = [plain_name(unit.name) for unit in printed]
    unique = (
        (name, unit.id)
        for name, unit in zip(plain, printed, strict=True)
        if plain.count(name) == 1
    )
    return names | dict(unique)


# What the club decides


def compare_prices(
    document: Fields, before: Fields, units: Sequence[UnitRecord]
) -> list[Fields]:
    """Return the units of a list that would take the place of one of the army, with both prices.

    ``is_taken`` where the list has taken it before.
    """
    printed = {unit.id: unit.points for unit in units}
    before_keys = unit_keys(before)
    return [
        {
            "key": unit["id"],
            "name": unit["name"],
            "points": unit["points"],
            "printed_points": printed[unit["id"]],
            "is_taken": unit["id"] in before_keys,
        }
        for unit in document["units"]
        if unit["id"] in printed and unit.get("origins")
    ]


def unit_keys(document: Fields) -> Texts:
    """Return the keys of a list's units, in order."""
    return tuple(unit["id"] for unit in document.get("units", ()))


def unit_digests(document: Fields) -> TextByKey:
    """Return what tells the state of each unit that a catalogue brought.

    What only a club writes does not count: no reading changes it.
    """
    return {
        unit["id"]: document_digest(
            {key: value for key, value in unit.items() if key not in WRITTEN_HERE}
        )
        for unit in unfolded({"units": [], **document})["units"]
        if unit.get("origins")
    }


def with_staying(before: Fields, after: Fields, staying: Collection[str]) -> Fields:
    """Return a new state of a list in which the units of ``staying`` stay as they were.

    One that was not there is left out, one that would be gone stays, each with its limit.
    """
    if not staying:
        return after
    hints = hints_of_lists(after)
    # Of one name, an equipment list may hold other things now: units carry theirs along.
    before, after = unfolded({"units": [], **before}), unfolded(after)
    units = _choose_units(before, after, staying)
    categories = list(after.get("categories", ()))
    used = {unit.get("category") for unit in units}
    used -= {category["id"] for category in categories}
    categories += [
        category for category in before.get("categories", ()) if category["id"] in used
    ]
    limits = _choose_limits(before, after, staying, {unit["id"] for unit in units})
    document = {**after, "units": units, "limits": limits, "categories": categories}
    return folded(document, hints)


def _choose_units(before: Fields, after: Fields, staying: Container[str]) -> list[Fields]:
    """Return the new units, but those of ``staying`` as they were."""
    old = {unit["id"]: unit for unit in before["units"]}
    new = unit_keys(after)
    units = [
        old.get(unit["id"]) if unit["id"] in staying else unit for unit in after["units"]
    ]
    units += [old[key] for key in old if key in staying and key not in new]
    return [unit for unit in units if unit is not None]


def _choose_limits(
    before: Fields, after: Fields, staying: Container[str], there: Container[str]
) -> list[Fields]:
    """Return the new limits, and the old ones of staying units alone, each of units that are there."""
    limits: dict[str, Fields] = {}
    for document, is_old in ((before, True), (after, False)):
        for limit in document.get("limits", ()):
            units = limit["of"].get("units")
            is_staying = bool(units) and all(key in staying for key in units)
            if is_staying != is_old:
                continue
            if units:
                units = [key for key in units if key in there]
                limit = {**limit, "of": {**limit["of"], "units": units}}
            limits[limit["id"]] = limit
    return [limit for limit in limits.values() if limit["of"].get("units") != []]
