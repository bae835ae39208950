"""A translated catalogue as the file of a club's own list, in the shape of the packs; what several
units buy stands there once, as an equipment list.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from engine.records import Fields, TextPairs, Texts, frozen_dataclass, grouped
from interchange.catalogues import KeySet, plain_name, slug
from interchange.entries import SharedGroup
from interchange.options import Purchases, TranslatedLimit, TranslatedOption
from interchange.profiles import OptionItem
from interchange.translation import Frame, TranslatedUnit, Translation, TranslationReport
from rulesdata.schema.equipment import CommonFile
from rulesdata.schema.list_terms import LIMITS_MAX, PER_MOST
from rulesdata.schema.lists import CollectionFile

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
_NOTHING: tuple[Any, ...] = (None, "", [], {})
_LEADERSHIP = frozenset(("ld", "leadership"))
_STRENGTH = frozenset(("s", "str", "strength"))


@frozen_dataclass
class ListHead:
    """What the person says of a list that is made of a catalogue."""

    name: str
    collection: CollectionFile
    base: str = ""
    read_on: date = date.min


def build_frame(
    collection: CollectionFile, common: CommonFile, *, is_fixed: bool = False
) -> Frame:
    """Return what a catalogue is translated into: columns and things of a collection.

    ``is_fixed``: the list lies over an army, so it has no columns of its own.
    """
    gear = {plain_name(item.name): OptionItem(item.id, "weapon") for item in common.weapons}
    for item in common.armour:
        kind = "shield" if item.id == "shield" else "armour"
        gear[plain_name(item.name)] = OptionItem(item.id, kind)
    return Frame(tuple(stat.id for stat in collection.stats), gear, is_fixed)


# The list


def list_document(translation: Translation, head: ListHead) -> Fields:
    """Return the file of the list: names and figures, without the words of rules."""
    units, headings = translation.units, _Headings(translation, head.collection)
    limits = [*_unit_limits(units), *_option_limits(units)]
    # Of the files, their ids and digests are kept.
    sources = [
        {
            "id": key,
            "name": name or "Unnamed",
            "revision": translation.revision if key == translation.id else "",
            "game_system": translation.game_system,
            "sha256": digest,
            "read_on": head.read_on.isoformat(),
        }
        for key, name, digest in translation.files
    ]
    document = {
        "army": slug(head.name, "list"),
        "name": head.name,
        "collection": head.collection.id,
        "edition": head.collection.edition,
        "categories": headings.own,
        "limits": limits[:LIMITS_MAX],
        "catalogues": sources,
        "units": [_unit(unit, headings, translation.report) for unit in units],
        **_filled(
            base=head.base,
            frame=_frame_record(translation.columns),
            weapons=list(translation.weapons),
            magic_items=list(translation.magic_items),
        ),
        **price_terms(translation),
    }
    # Which options stand in groups that several units share.
    options = ((unit.key, o.origins, o.shared) for unit in units for o in unit.options)
    return folded(document, hints_of_units(options))


def _filled(**fields: Any) -> Fields:
    """Return these keys without those that a list of this kind does not have."""
    return {key: value for key, value in fields.items() if value not in _NOTHING}


def _frame_record(columns: TextPairs) -> Fields:
    """Return the columns as the frame of a list's file."""

    def find(names: Collection[str]) -> str | None:
        return next((key for key, name in columns if name.lower() in names), None)

    stats = [{"id": key, "name": name} for key, name in columns]
    return _filled(
        stats=stats, leadership_stat=find(_LEADERSHIP), strength_stat=find(_STRENGTH)
    )


class _Headings:
    """The categories of the list: the collection's where they are called so, else its own."""

    def __init__(self, translation: Translation, collection: CollectionFile) -> None:
        """Take the categories of the translation, each under a key of the list."""
        self.by_name = {
            plain_name(name): category.id
            for category in collection.categories
            for name in (category.name, category.plural or category.name)
        }
        self.keys = KeySet(category.id for category in collection.categories)
        self.own: list[Fields] = []
        self.by_id = {key: self._take(name) for key, name in translation.categories}
        self.other = ""

    def _take(self, name: str) -> str:
        """Return the key of a heading, which is added where the list lacks it."""
        if existing := self.by_name.get(plain_name(name)):
            return existing
        key = self.keys.take(name[:CATEGORY_LENGTH], "category")
        key = key[:CATEGORY_LENGTH].strip("-")
        record = _filled(
            id=key,
            name=name or "Other",
            character=any(word in name.lower() for word in LEADING_WORDS) or None,
            alike=any(word in name.lower() for word in ALIKE_WORDS) or None,
        )
        self.own.append(record)
        self.by_name[plain_name(name)] = key
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
    model_name = unit.model_name or unit.name
    least, most = unit.size
    why = "The catalogue hides it."
    hidden = {"offered": False, "not_offered_because": why, "hidden_in_source": True}
    return {
        "id": unit.key,
        "name": unit.name,
        "category": headings.key(unit.heading),
        "troop_type": "infantry",
        "points": unit.points,
        "points_basis": "model",
        "miniatures": 1,
        "profiles": [{"name": model_name, "role": "model", **unit.stats}]
        if unit.stats
        else [],
        "default_equipment": [],
        "equipment_source": "none",
        "options": [_option(option) for option in unit.options],
        "flags": [],
        "special_rules": list(unit.rules),
        "origins": list(unit.origins),
        **(hidden if unit.is_hidden else {}),
        **_filled(
            model_name=None if model_name == unit.name else model_name,
            second=unit.second or None,
            category_when=[
                {"category": headings.key(category), "when": list(names)}
                for category, names in unit.headings_when
            ],
            unit_size=_filled(min=least, max=most),
            incomplete=[] if unit.stats else ["The catalogue has no stat line for it."],
            doubts=report.doubts_of(unit.name),
        ),
        **_command(unit.bought),
        **unit.campaign,
    }


def _command(bought: Purchases) -> Fields:
    """Return the command models of a unit, and how many points of magic items it may carry."""
    champion = bought.champion
    return _filled(
        champion=champion
        and {
            "name": champion.name,
            "points": champion.points,
            "options": [_option(option) for option in champion.options],
            **_filled(profile=dict(champion.stats)),
        },
        command=_filled(musician=bought.musician, standard_bearer=bought.standard_bearer),
        magic_allowance=bought.magic_allowance,
    )


# Options and limits


def _option(option: TranslatedOption) -> Fields:
    """Return the record of an option in the list's file."""
    return {
        "id": option.key,
        "name": option.name,
        "points": option.points,
        "per": option.per,
        **option.settings,
        "origins": list(option.origins),
        **_filled(
            second=option.second or None,
            max=option.maximum or None,
            points_if=[
                {"with": list(keys) if len(keys) > 1 else keys[0], "points": points}
                for keys, points in option.points_if
            ],
        ),
    }


def _unit_limits(units: Sequence[TranslatedUnit]) -> Iterator[Fields]:
    """Yield how many of each unit the list must and may have."""
    named = [
        (origin, unit.key) for unit in units for origin in (*unit.origins, unit.heading)
    ]
    keys_by_id = grouped(named)
    for unit in units:
        is_open = unit.most is None or unit.most > MODELS_HELD
        limit = _filled(min=_held(unit.least), max=None if is_open else unit.most)
        if not limit:
            continue
        if unit.every:
            others = ",".join(keys_by_id.get(unit.every[1], ()))
            per = f"each:{unit.every[0]}-of:{others}"
            # Of what is not in the list there is none; more than a limit can name depends on it.
            is_named = bool(others) and len(per) <= PER_MOST
            limit |= {"per": per} if is_named else {"max": 0, "depends": True}
        if unit.is_limit_open:
            limit["depends"] = True
        yield {"id": unit.key, "name": unit.name, "of": {"units": [unit.key]}, **limit}


def _option_limits(units: Sequence[TranslatedUnit]) -> Iterator[Fields]:
    """Yield how many of a group each unit may buy, or of an option the list; the same limit of
    several units is one.
    """
    keys = KeySet(unit.key for unit in units)
    pairs = [(limit, unit.key) for unit in units for limit in unit.bought.limits]
    for same in grouped((pair[0].entry or pair[0], pair) for pair in pairs).values():
        limit = same[0][0]
        buyers = dict.fromkeys(unit for _, unit in same)
        options = dict.fromkeys(key for other, _ in same for key in other.options)
        of = {"units": list(buyers)[:NAMED_MAX], "options": list(options)[:NAMED_MAX]}
        per = "list" if limit.entry else "each-unit"
        key = keys.take(limit.name, "group")
        yield {"id": key, **_bounds(limit), "of": of, "per": per}


def _bounds(limit: TranslatedLimit) -> Fields:
    """Return the name and the figures of a limit in the list's file."""
    return _filled(
        name=limit.name or "Group",
        min=_held(limit.least),
        max=limit.most,
        depends=limit.depends or None,
    )


def _held(least: int | None) -> int | None:
    """Return the least of a limit, as far as a list can have so many."""
    return None if least is None else min(MODELS_HELD, least)


def price_terms(translation: Translation) -> Fields:
    """Return what the list calls its prices, and what it may spend."""

    def currency(name: str) -> Fields:
        return {"name": name[:NAME_LENGTH].strip(), "short": name[:SHORT_LENGTH].strip()}

    name, second = translation.price_type.strip(), translation.second_type.strip()
    main = None if name.lower() in ("", *POINTS_WORDS) else currency(name)
    if name.lower() in GOLD_WORDS:
        main = {"name": "gold crowns", "short": "gc"}
    has_second = any(
        unit.second or any(option.second for option in unit.options)
        for unit in translation.units
    )
    return _filled(
        currency=main,
        second_price=currency(second) if second and has_second else None,
        default_limit=translation.limit or None,
    )


# Equipment lists


# What several units have to buy for a list to be worth it.
_BUYERS_NEEDED = 2
# A key that a unit leaves out takes far less room than an option of its own.
_TIMES_LEFT_OUT = 3
NAMING = ("requires", "requires_any", "excludes")

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
            lists.append({"id": key, "name": name, "options": list(records.values())})
            for unit, bought in buyers:
                _hand_over(unit, frozenset(bought), records, key)
    return {**document, "units": units, **_filled(equipment=lists)}


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
    return {key: records[key] for key in _without_needy(list(records), records)}


def _most_common(options: list[Fields]) -> Fields:
    """Return the record that most have, at the price that most of them pay."""
    shape = Counter(_comparable(option) for option in options).most_common(1)[0][0]
    same = [option for option in options if _comparable(option) == shape]
    points = Counter(option["points"] for option in same).most_common(1)[0][0]
    return next(option for option in same if option["points"] == points)


def _comparable(option: Fields) -> str:
    """Return what has to be the same for an option to be the list's."""
    priced = {} if option.get("points_if") else {"points": None}
    return repr(sorted({**option, **priced}.items()))


def _names_in(option: Fields) -> Iterator[str]:
    """Yield the keys of the options that an option names: by rules and by prices."""
    for name in NAMING:
        yield from option.get(name, ())
    for price in option.get("points_if", ()):
        beside = price.get("with", ())
        yield from (beside,) if isinstance(beside, str) else beside
        yield from price.get("without", ())


def _find_buyers(
    units: Iterable[Fields], records: Mapping[str, Fields]
) -> list[tuple[Fields, list[str]]]:
    """Return the units that have enough of a list for what they would leave out, each with the keys
    of what it has as the list has it.
    """
    buyers = []
    for unit in units:
        options = {option["id"]: _comparable(option) for option in unit["options"]}
        same = [
            key
            for key, record in records.items()
            if options.get(key) == _comparable(record)
        ]
        bought = _without_needy(same, records)
        left_out = len(records) - len(bought)
        if len(bought) >= max(_BUYERS_NEEDED, left_out / _TIMES_LEFT_OUT):
            buyers.append((unit, bought))
    return buyers


def _without_needy(keys: list[str], records: Mapping[str, Fields]) -> list[str]:
    """Return the options that name only each other."""
    while True:
        closed = [key for key in keys if all(n in keys for n in _names_in(records[key]))]
        if len(closed) == len(keys):
            return closed
        keys = closed


def _hand_over(
    unit: Fields, bought: frozenset[str], records: Mapping[str, Fields], shared: str
) -> None:
    """Let a unit name a list in place of the options it has of it."""
    prices = {
        option["id"]: option["points"]
        for option in unit["options"]
        if option["id"] in bought and option["points"] != records[option["id"]]["points"]
    }
    without = [key for key in records if key not in bought]
    entry = _filled(list=shared, without=without, prices=prices)
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
    others = {key: value for key, value in record.items() if key != "equipment"}
    return others | _filled(equipment=equipment)


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
