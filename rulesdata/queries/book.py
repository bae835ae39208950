"""The rule book's own pages: systems, a system, army lists, an army and magic items.

Each is the context of its template. No query.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from engine.records import Fields, TextByKey, grouped
from engine.types.lists import Army, Profile
from engine.types.systems import System
from rulesdata import registry
from rulesdata import text as wording
from rulesdata.pack_files.collections import NOTHING_SHARED
from rulesdata.queries.lookup import (
    NotInRuleBook,
    find_army,
    find_book,
    find_family,
    find_system,
    list_armies,
    load_groups,
    load_texts,
    load_versions,
)
from rulesdata.queries.tables import UNLIT, Cell, load_charts
from rulesdata.queries.units import UnitView
from rulesdata.schema.shared_lists import TradeItemRecord
from rulesdata.text import folded_words

RULINGS = {
    "contradiction": "The rules contradict themselves",
    "gap": "The rules do not say",
    "agreement": "The versions agree",
}
MAGIC_ORDER = ("weapon", "armour", "talisman", "enchanted", "arcane", "standard")
Section = tuple[str, list[Any]]
"""Rule notes, rulings, units or magic items under one heading."""


def _sections(
    pairs: Iterable[tuple[Hashable, Any]], heading: Callable[[Any], str]
) -> list[Section]:
    return [(heading(key), items) for key, items in grouped(pairs).items()]


def load_systems() -> list[Fields]:
    """Every rule system, or family of systems, with how many armies and units it fields.

    ``book`` is what one plays by who does not choose a version.
    """
    cards = []
    for name, family, (system, *_) in load_groups():
        armies = list_armies(system)
        cards.append(
            {
                "name": name,
                "summary": (family or system).summary,
                "family": family,
                "book": registry.load_system(system.key, system.default_variant),
                "armies": len(armies),
                "units": sum(len(army.listed) for army in armies),
                "scenarios": len(system.scenarios),
            }
        )
    return cards


def load_family(key: str) -> Fields:
    """Systems that people know by one name, with every version. Raises NotInRuleBook."""
    for _, family, systems in load_groups():
        if family and family.id == key:
            return {
                "family": family,
                "system": systems[0],
                "versions": load_versions(systems),
                "book": registry.load_system(systems[0].key, systems[0].default_variant),
                "sharing": list_sharing(systems[0]),
            }
    raise NotInRuleBook("There are no rule systems of this name.")


def load_system_page(key: str) -> Fields:
    """The page of a system. Raises NotInRuleBook."""
    system = find_book(key)
    names = {state.key: state.name for state in system.states}
    guidelines = [
        {
            "guideline": guideline,
            "asks": wording.guideline_words(guideline),
            "strength": wording.strength_words(guideline),
            "anchor": guideline.code.replace(".", "-"),
        }
        for guideline in system.guidelines
    ]
    # How a combatant comes into a state, or out of it, with the names of the states.
    passages = [
        {
            "transition": move,
            "before": [names.get(k, wording.key_words(k)) for k in move.source_states],
            "after": names.get(move.to, move.to),
        }
        for move in system.transitions
    ]
    rulings = ((ruling.kind, ruling) for ruling in system.rulings)
    notes = ((note.section, note) for note in system.notes)
    return {
        "system": system,
        "books": load_texts(system),
        "family": find_family(system.key),
        "sharing": list_sharing(system),
        "armies": len(list_armies(system)),
        "guidelines": guidelines,
        "rulings": _sections(rulings, lambda kind: RULINGS.get(kind, kind.capitalize())),
        "passages": passages,
        "notes": _sections(notes, wording.key_words),
        "rout": _describe_rout(system),
    }


def _describe_rout(system: System) -> str:
    """When a force tests for Rout, or "" where it does not."""
    rout = system.rout
    if rout is None:
        return ""
    stat = next((s.name for s in system.stats if s.key == rout.stat), rout.stat)
    part = f"{rout.numerator} in {rout.denominator}"
    if part == "1 in 4":
        part = "a quarter"
    test = f"{rout.dice} against {stat} at the start of each own turn, or the game is lost"
    fallback = f"With the leader out or stunned: the best {stat} of those who are neither"
    return f"From {part} of the models out of action: {test}. {fallback}."


def load_chart_page(address: str, chart: str | None = None, cell: Cell = UNLIT) -> Fields:
    """A system with its charts; ``chart`` is lit.

    Raises NotInRuleBook, or NotOnTheChart for what a chart lacks.
    """
    system = find_system(address)
    return {"system": system, "charts": load_charts(system, chart, cell)}


def load_armies(address: str) -> Fields:
    """The army lists a system fields. Raises NotInRuleBook."""
    system = find_system(address)
    shelves = grouped(
        (army.collection, (army, sum(unit.is_offered for unit in army.profiles.values())))
        for army in list_armies(system)
    )
    sharing = list_sharing(system)
    return {
        "system": system,
        "shelves": [
            (registry.collection_file(key), shelves[key], key in sharing)
            for key in system.collections
            if key in shelves
        ],
    }


def list_sharing(system: System) -> TextByKey:
    """Key and name of the collections whose armies share more than weapons and armour."""
    return {
        key: registry.collection_file(key).name
        for key in system.collections
        if registry.shared_files(key) != NOTHING_SHARED
    }


def load_collection(address: str, key: str) -> Fields:
    """What the armies of a collection share, with who may have it. Raises NotInRuleBook."""
    system = find_system(address)
    armies = [army for army in list_armies(system) if army.collection == key]
    if not armies:
        raise NotInRuleBook(f"{system.full_name} fields no such collection of armies.")
    shared, names = registry.shared_files(key), {army.key: army.name for army in armies}
    stats = [stat.key for stat in system.stats]
    return {
        "system": system,
        "collection": registry.collection_file(key),
        "armies": armies,
        "currency": armies[0].currency,
        "second": armies[0].second_price,
        "hired": [
            (unit, (unit.hired_by or [*names])[0], _for_whom(unit.hired_by, (), names))
            for unit in shared.hired.units
        ],
        "trade": [
            (item, _trade_price(item), _for_whom(item.only_for, item.not_for, names))
            for item in shared.trade.items
        ],
        "skills": shared.skills,
        "stats": stats,
        "races": [
            (race, [race.maxima.get(stat) for stat in stats])
            for race in shared.maxima.races
        ],
    }


def _for_whom(only: Sequence[str], never: Sequence[str], names: TextByKey) -> str:
    """The armies that may have something, or the few that may not; "" where all may."""
    if len(only) * 2 > len(names):
        only, never = (), [key for key in names if key not in only]
    listed = ", ".join(names.get(key, key) for key in only or never)
    if not listed:
        return ""
    return f"{'Only' if only else 'All but'} {listed}"


def _trade_price(item: TradeItemRecord) -> str:
    """The price of a thing, the dice that are thrown for it behind it; "" where none is known."""
    if item.times:
        return f"{item.times} × its weapon"
    if item.price is None:
        return ""
    good = item.build()
    parts = filter(None, (str(good.price), good.price_dice))
    # In one line, also where the column is narrow.
    return " + ".join(parts).replace(" ", "\u00a0")


def load_army_page(address: str, army_key: str, wanted: str = "") -> Fields:
    """An army list by category, those units whose names or rules hold every word of ``wanted``.

    ``hidden`` are units that are listed but not offered to warbands. Raises NotInRuleBook.
    """
    system, army = find_army(address, army_key)
    words = folded_words(wanted)

    def find_units(profiles: Iterable[Profile]) -> list[UnitView]:
        units = [UnitView(system, army, profile) for profile in profiles]
        return [u for u in units if all(word in u.searched_text for word in words)]

    units = find_units(army.listed)
    return {
        "system": system,
        "army": army,
        "groups": _by_category(army, (u for u in units if u.profile.is_offered)),
        "hidden": _by_category(army, (u for u in units if not u.profile.is_offered)),
        "mounts": find_units(army.mounts.values()),
        "shown": len(units),
        "wanted": wanted.strip(),
    }


def _by_category(army: Army, units: Iterable[UnitView]) -> list[Section]:
    """The units by category, in the order of the collection."""
    groups = grouped((unit.profile.category, unit) for unit in units)
    # A category that its collection does not name stands last.
    order = {category.key: place for place, category in enumerate(army.categories)}
    names = {category.key: category.plural for category in army.categories}
    return [
        (names.get(key, wording.category_plural(key)), groups[key])
        for key in sorted(groups, key=lambda key: order.get(key, len(order)))
    ]


def load_magic_items(address: str, army_key: str) -> Fields:
    """An army's magic items by type, the dearest first. Raises NotInRuleBook."""
    system, army = find_army(address, army_key)

    def rank(kind: str) -> tuple[int, str]:
        """Arms before talismans, what has no place last."""
        places = (place for place, word in enumerate(MAGIC_ORDER) if word in kind)
        return next(places, len(MAGIC_ORDER)), kind

    items = sorted(
        army.magic_items.values(),
        key=lambda item: (*rank(item.type), -item.points, item.name),
    )
    groups = _sections(((item.type, item) for item in items), wording.magic_plural)
    return {"system": system, "army": army, "groups": groups}
