"""A list of a catalogue over an army of the packs, over its own older version, and over what its club
wrote: whatever takes the place of something else does so only where the club says so.

Units and options are the same where another app's id says so, whatever they are called now.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, starmap
from typing import TypeVar

from engine.records import Fields, Texts, frozen_dataclass, grouped
from interchange.names import KeySet, plain_name
from rulesdata.catalogue_lists.equipment_lists import folded, hints_of_lists, unfolded

T = TypeVar("T")
# What a club writes into a unit itself, and no catalogue brings.
WRITTEN_HERE = ("description", "rule_texts", "equipment")
_OF_CATALOGUE = (
    "categories", "catalogues", "currency", "second_price", "default_limit", "frame",
)  # fmt: skip
_NAMED = ("requires", "requires_any", "excludes")


# What is told


@frozen_dataclass
class PriceChange:
    """A price that differs: of a unit, or of an option of it."""

    unit: str
    option: str
    was: int
    now: int

    @property
    def words(self) -> str:
        """As people say it: "Ungor 40 → 25"."""
        name = f"{self.option} of {self.unit}" if self.option else self.unit
        return f"{name}: {self.was} → {self.now}"


@frozen_dataclass
class Difference:
    """What a newer version changes, in words and names."""

    added: Texts
    gone: Texts
    renamed: tuple[tuple[str, str], ...]
    prices: tuple[PriceChange, ...]
    options: Texts
    limits: Texts

    @property
    def is_empty(self) -> bool:
        """Whether the newer version changes nothing that is compared."""
        found = (
            self.added,
            self.gone,
            self.renamed,
            self.prices,
            self.options,
            self.limits,
        )
        return not any(found)


# The new reading, with what the club wrote and the keys that rosters know


def merged(before: Fields, new: Fields) -> Fields:
    """Return the list with what a newer catalogue says: old keys stay, and what the club wrote.

    Units that no catalogue brought are kept; those that the catalogue lacks now are gone. Weapons
    and magic items of the list stay beside those of the catalogue.
    """
    # Units are compared with what they buy of equipment lists, and share it again at the end.
    found = _merged_units(unfolded(before), unfolded(new))
    return folded(found, hints_of_lists(new))


def _merged_units(before: Fields, new: Fields) -> Fields:
    """Return the merged list, all options in its units."""
    old_units = list(before.get("units", ()))
    units, renamed = _rekeyed_units(old_units, new["units"])
    own = [unit for unit in old_units if not unit.get("origins")]
    known = {unit["id"] for unit in units}
    limits = [_renamed_limit(limit, renamed) for limit in new.get("limits", ())]
    taken: Fields = {key: new[key] for key in _OF_CATALOGUE if key in new}
    # The weapons and magic items of both; of one key, the new one.
    found: Fields = {}
    for key in ("weapons", "magic_items"):
        things = {one["id"]: one for one in (*before.get(key, ()), *new.get(key, ()))}
        if things:
            found[key] = list(things.values())
    taken |= found
    kept = [unit for unit in own if unit["id"] not in known]
    return {**before, **taken, "limits": limits, "units": [*units, *kept]}


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
        was = by_key.get(renamed[unit["id"]], {})
        written = {key: was[key] for key in WRITTEN_HERE if key in was}
        options[unit["id"]] = _same_keys(_all_options(was), _all_options(unit))
        own = _with_options(unit, options[unit["id"]])
        units.append({**own, "id": renamed[unit["id"]], **written})
    return units, _Renames(renamed, options)


def _all_options(unit: Fields) -> list[Fields]:
    """Return the options of a unit and of its champion, which have their keys in common."""
    return [*unit.get("options", ()), *unit.get("champion", {}).get("options", ())]


def _with_options(unit: Fields, renamed: Mapping[str, str]) -> Fields:
    """Return a unit whose options, and those of its champion, have the keys that rosters know."""
    found = {**unit, "options": [_renamed_option(one, renamed) for one in unit["options"]]}
    if champion := unit.get("champion"):
        options = [_renamed_option(one, renamed) for one in champion.get("options", ())]
        found["champion"] = {**champion, "options": options}
    return found


def _same_keys(old: Iterable[Fields], new: Iterable[Fields]) -> dict[str, str]:
    """Return the key that each new record gets: the old one's of the same origin, else its own."""
    # What stands twice below different things has one origin: then their order counts.
    waiting = grouped((_origin(one), one["id"]) for one in old if one.get("origins"))
    taken = KeySet(one["id"] for one in old)
    found: dict[str, str] = {}
    for one in new:
        keys = waiting.get(_origin(one), [])
        found[one["id"]] = keys.pop(0) if keys else taken.take(one["id"], "record")
    return found


def _origin(record: Fields) -> Texts:
    """Return the ids that tell a record from others: all of them, links too."""
    return tuple(record.get("origins", ()))


def _renamed_option(option: Fields, renamed: Mapping[str, str]) -> Fields:
    """Return an option that names others by the keys rosters know."""
    found = {**option, "id": renamed[option["id"]]}
    for name in _NAMED:
        if name in found:
            found[name] = [renamed.get(key, key) for key in found[name]]
    if "points_if" in found:
        found["points_if"] = [
            {**price, "with": _renamed_keys(price["with"], renamed)}
            for price in found["points_if"]
        ]
    return found


def _renamed_keys(keys: str | list[str], renamed: Mapping[str, str]) -> str | list[str]:
    if isinstance(keys, str):
        return renamed.get(keys, keys)
    return [renamed.get(key, key) for key in keys]


def _renamed_limit(limit: Fields, renamed: _Renames) -> Fields:
    """Return a limit that counts units and options by the keys rosters know."""
    of = dict(limit["of"])
    units = of.get("units", ())
    # A limit of several units is of options that all of them buy alike.
    options = renamed.options.get(units[0], {}) if units else {}
    if units:
        of["units"] = [renamed.units.get(key, key) for key in units]
    if "options" in of:
        of["options"] = [options.get(key, key) for key in of["options"]]
    return {**limit, "id": renamed.units.get(limit["id"], limit["id"]), "of": of}


# Telling two versions apart


def difference(before: Fields, after: Fields) -> Difference:
    """Return what differs between two states of a list, by the keys of units and options."""
    before, after = unfolded(before), unfolded(after)
    old, new = _named(before), _named(after)
    both = [(old[key], new[key]) for key in new if key in old]
    renames = ((was["name"], now["name"]) for was, now in both)
    return Difference(
        added=_names_beyond(new, old),
        gone=_names_beyond(old, new),
        renamed=tuple(names for names in renames if names[0] != names[1]),
        prices=_chained(starmap(_price_changes, both)),
        options=_chained(starmap(_option_changes, both)),
        limits=tuple(_limit_changes(before, after)),
    )


def _named(document: Fields) -> dict[str, Fields]:
    return {unit["id"]: unit for unit in document.get("units", ())}


def _names_beyond(units: Mapping[str, Fields], others: Container[str]) -> Texts:
    """Return the names of units that the others lack."""
    return tuple(unit["name"] for key, unit in units.items() if key not in others)


def _chained(found: Iterable[Iterable[T]]) -> tuple[T, ...]:
    return tuple(chain.from_iterable(found))


def _price_changes(was: Fields, now: Fields) -> Iterator[PriceChange]:
    """Yield what a unit and its options cost otherwise than before."""
    if was["points"] != now["points"]:
        yield PriceChange(
            now["name"],
            "",
            was["points"],
            now["points"],
        )
    before = {option["id"]: option["points"] for option in was["options"]}
    for option in now["options"]:
        paid = before.get(option["id"], option["points"])
        if paid != option["points"]:
            yield PriceChange(
                now["name"],
                option["name"],
                paid,
                option["points"],
            )


def _option_changes(was: Fields, now: Fields) -> Iterator[str]:
    """Yield which options a unit gained and lost."""
    old = {option["id"]: option["name"] for option in was["options"]}
    new = {option["id"]: option["name"] for option in now["options"]}
    added = ", ".join(name for key, name in new.items() if key not in old)
    gone = ", ".join(name for key, name in old.items() if key not in new)
    if added:
        yield f"{now['name']} may buy: {added}"
    if gone:
        yield f"{now['name']} may no longer buy: {gone}"


def _limit_changes(before: Fields, after: Fields) -> Iterator[str]:
    """Yield the limits of the list that changed."""
    old = {limit["id"]: limit for limit in before.get("limits", ())}
    new = {limit["id"]: limit for limit in after.get("limits", ())}
    for key in dict.fromkeys((*old, *new)):
        was, now = _bounds(old.get(key)), _bounds(new.get(key))
        if was != now:
            name = (new.get(key) or old[key])["name"]
            yield f"{name}: {was} → {now}"


def _bounds(limit: Fields | None) -> str:
    """Return a limit's numbers in words."""
    if limit is None:
        return "no limit"
    words = [f"at least {limit['min']}"] if limit.get("min") else []
    if limit.get("max") is not None:
        words.append(f"at most {limit['max']}")
    return " and ".join(words) or "no limit"


# A catalogue laid over an army of the packs


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
