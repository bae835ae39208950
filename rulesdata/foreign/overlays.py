"""A translated catalogue laid over an army of the packs, and over what a club wrote itself.

Whatever takes the place of something else does so only where the club says so.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence

from engine.records import Fields, Texts, frozen_dataclass
from rulesdata.foreign.differences import WRITTEN_HERE
from rulesdata.foreign.equipment_lists import folded, hints_of_lists, unfolded
from rulesdata.foreign.keys import KeySet, plain_name


@frozen_dataclass
class PrintedUnit:
    """A unit of the army that a list lies over."""

    key: str
    name: str
    points: int


@frozen_dataclass
class PrintedArmy:
    """An army that a list lies over: its units, and what catalogues and players call them.

    ``origins`` and ``names`` lead to keys of units.
    """

    units: tuple[PrintedUnit, ...] = ()
    origins: Mapping[str, str] | None = None
    names: Mapping[str, str] | None = None


def laid_over(document: Fields, army: PrintedArmy) -> Fields:
    """Return a list whose units have the keys of the army's units that they are.

    They are found by origin, then by name, each of them once. All others get keys that the army
    has not, so that they stand beside its units.
    """
    places = _places(document["units"], army)
    taken = KeySet(one.key for one in army.units)
    keys = {
        one["id"]: places.get(one["id"]) or taken.take(one["id"], "unit")
        for one in document["units"]
    }
    units = [{**one, "id": keys[one["id"]]} for one in document["units"]]
    limits = [_renamed(one, keys) for one in document.get("limits", ())]
    return {**document, "units": units, "limits": limits}


def _renamed(limit: Fields, keys: Mapping[str, str]) -> Fields:
    """Return a limit that names units by their new keys; a unit's own has the unit's key."""
    of = dict(limit["of"])
    if "units" in of:
        of["units"] = [keys.get(key, key) for key in of["units"]]
    return {**limit, "id": keys.get(limit["id"], limit["id"]), "of": of}


def _places(units: Sequence[Fields], army: PrintedArmy) -> dict[str, str]:
    """Return the army's unit that a unit of the list is, by the list's key."""
    known = {one.key for one in army.units}
    origins, names = army.origins or {}, _names(army)
    found: dict[str, str] = {}
    by_origin = [(one["id"], _first(origins, one.get("origins", ()))) for one in units]
    by_name = [(one["id"], names.get(plain_name(one["name"]), "")) for one in units]
    for key, place in (*by_origin, *by_name):
        if place in known and key not in found and place not in found.values():
            found[key] = place
    return found


def _names(army: PrintedArmy) -> dict[str, str]:
    """Return the army's units by plain name; a name that two of them have is nobody's."""
    aliases = {plain_name(name): key for name, key in (army.names or {}).items()}
    plain = [plain_name(one.name) for one in army.units]
    own = {
        name: one.key
        for name, one in zip(plain, army.units, strict=True)
        if plain.count(name) == 1
    }
    return {**aliases, **own}


def _first(known: Mapping[str, str], keys: Iterable[str]) -> str:
    """Return what the first known of these ids stands for, the last part of them first."""
    return next((known[key] for key in reversed(list(keys)) if key in known), "")


# What the club decides


@frozen_dataclass
class UnitComparison:
    """A unit of a catalogue beside the army's unit whose place it may take.

    ``is_taken`` where the list has taken it before.
    """

    key: str
    name: str
    points: int
    printed_points: int
    is_taken: bool


def comparison(
    document: Fields, before: Fields, army: PrintedArmy
) -> tuple[UnitComparison, ...]:
    """Return the units of a list that would take the place of one of the army."""
    printed = {one.key: one for one in army.units}
    had = unit_keys(before)
    return tuple(
        UnitComparison(
            unit["id"],
            unit["name"],
            unit["points"],
            printed[unit["id"]].points,
            unit["id"] in had,
        )
        for unit in document["units"]
        if unit["id"] in printed and unit.get("origins")
    )


def own_edits(
    before: Fields, made: Mapping[str, str], digest_of: Mapping[str, str]
) -> Texts:
    """Return the keys of units that the club changed since a reading made them.

    ``made`` are the digests of that reading, ``digest_of`` those of today.
    """
    return tuple(
        key
        for key in unit_keys(before)
        if key in made and made[key] != digest_of.get(key, "")
    )


def unit_keys(document: Fields) -> Texts:
    """Return the keys of a list's units, in order."""
    return tuple(unit["id"] for unit in document.get("units", ()))


def without_words(unit: Fields) -> Fields:
    """Return a unit without what only a club writes, which no reading changes."""
    return {key: value for key, value in unit.items() if key not in WRITTEN_HERE}


def with_kept(before: Fields, after: Fields, kept: Collection[str]) -> Fields:
    """Return a new state of a list in which the units of ``kept`` stay as they were.

    One that was not there is left out, one that would be gone stays, each with its limit.
    """
    if not kept:
        return after
    # Of one name, an equipment list may hold other things now: units carry theirs along.
    found = _with_kept(unfolded({"units": [], **before}), unfolded(after), kept)
    return folded(found, hints_of_lists(after))


def _with_kept(before: Fields, after: Fields, kept: Container[str]) -> Fields:
    """Return the same of lists whose units hold all their options."""
    old = {unit["id"]: unit for unit in before.get("units", ())}
    new = unit_keys(after)
    units = [old.get(one["id"]) if one["id"] in kept else one for one in after["units"]]
    stay = [old[key] for key in old if key in kept and key not in new]
    found = [unit for unit in (*units, *stay) if unit is not None]
    limits = _kept_limits(before, after, kept, {unit["id"] for unit in found})
    categories = {unit.get("category") for unit in found}
    return {
        **after,
        "units": found,
        "limits": limits,
        "categories": _still_used(before, after, "categories", categories),
    }


def _still_used(
    before: Fields, after: Fields, part: str, used: Container[str | None]
) -> list[Fields]:
    """Return the new records of a part, and the old ones that a unit still names."""
    new = list(after.get(part, ()))
    known = {one["id"] for one in new}
    old = before.get(part, ())
    return [*new, *(one for one in old if one["id"] in used and one["id"] not in known)]


def _kept_limits(
    before: Fields, after: Fields, kept: Container[str], there: Container[str]
) -> list[Fields]:
    """Return the new limits, and the old ones of kept units, each of units that are there."""
    new = [one for one in after.get("limits", ()) if not _is_kept(one, kept)]
    old = [one for one in before.get("limits", ()) if _is_kept(one, kept)]
    found = {one["id"]: _trimmed(one, there) for one in (*old, *new)}
    return [one for one in found.values() if one["of"].get("units") != []]


def _is_kept(limit: Fields, kept: Container[str]) -> bool:
    """Whether a limit is of kept units alone."""
    units = limit["of"].get("units")
    return bool(units) and all(key in kept for key in units)


def _trimmed(limit: Fields, there: Container[str]) -> Fields:
    of = limit["of"]
    if not of.get("units"):
        return limit
    return {**limit, "of": {**of, "units": [key for key in of["units"] if key in there]}}
