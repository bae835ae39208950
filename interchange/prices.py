"""Prices of a catalogue, and what it says of campaigns: what is rare or traded, who is hired.

Catalogues have no fields for campaigns, so those are read from the names that authors use.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import combinations

from engine.errors import Refusal
from engine.records import Fields, TextByKey, Texts, frozen_dataclass
from engine.types.lists import (
    RARITY_LEAST,
    RARITY_MOST,
    STARTING_EXPERIENCE_MOST,
    UPKEEP_MOST,
)
from interchange.catalogues import Closure, clean_name
from interchange.entries import Place, as_number
from interchange.evaluation import Counts, Dependencies, number_text
from interchange.units import Kind

PRICE_WORDS = frozenset(("pts", "pt", "points", "gc", "gold", "gold crowns", "cost"))
LIMIT_HELD = 100_000
CAMPAIGN_TYPES = ("rarity", "upkeep")
PRICE_KEYS_MAX = 4
_HIGHEST_PRICE = 5_000
_LOWEST_CHANGE = -1_000


# Which price counts


@frozen_dataclass
class Prices:
    """The ids of the price that counts and of the one that is shown beside it, empty for none.

    ``rarity`` and ``upkeep`` are those of figures that count in campaigns.
    """

    first: str
    second: str = ""
    rarity: str = ""
    upkeep: str = ""


def price_names(closure: Closure) -> TextByKey:
    """Return the types of prices by their id, the most used first, without those of campaigns.

    One in which nothing costs anything is left out, whether a file defines it or not.
    """
    names = used_types(closure)
    return {key: name for key, name in names.items() if name.lower() not in CAMPAIGN_TYPES}


def used_types(closure: Closure) -> TextByKey:
    """Return all types in which something costs something, the most used first."""
    types = closure.listed("costTypes", "costType")
    names = {cost_type.get("id"): clean_name(cost_type.get("name")) for cost_type in types}
    uses = Counter[str]()
    for file in closure.all_files:
        for node in file.root.walk():
            if node.name == "cost" and as_number(node.get("value")):
                uses[node.get("typeId")] += 1
                names.setdefault(node.get("typeId"), clean_name(node.get("name")))
    return {key: names[key] for key, _ in uses.most_common() if key}


def usual_limit(closure: Closure, price_type: str) -> int | None:
    """Return what a list may spend of a price unless its player says otherwise."""
    for cost_type in closure.listed("costTypes", "costType"):
        limit = as_number(cost_type.get("defaultCostLimit"))
        if cost_type.get("id") == price_type and limit >= 1:
            return min(LIMIT_HELD, int(limit))
    return None


def choose_prices(names: Mapping[str, str], wanted: str = "") -> Prices:
    """Return the price that counts and the one beside it; ``names`` has the most used first.

    ``wanted`` is the id of a type. Without it the one counts that is called points or gold.
    Raises Refusal that names the types, where there is no ``wanted`` one.
    """
    if wanted and wanted not in names:
        listed = ", ".join(names.values())
        raise Refusal(f"Price: choose one of: {listed}.", field="price_type")
    usual = (key for key, name in names.items() if name.lower() in PRICE_WORDS)
    first = wanted or next(usual, "") or next(iter(names), "")
    return Prices(first, next((key for key in names if key != first), ""))


# Prices of units


def unit_price(kind: Kind, prices: Prices) -> tuple[int, int]:
    """Return what one miniature costs, in both prices; what makes it doubtful is noted."""
    dependencies = Dependencies()
    minimum = kind.minimum
    counts = kind.counts(minimum)
    total = kind.total(counts, prices.first, dependencies)
    price = total / minimum
    if minimum > 1:
        # Here a unit has a price, and its miniatures may have none of their own.
        if price != price.to_integral_value():
            why = f"it does not divide by the {minimum} models of the smallest unit"
            kind.note("Price", why, number_text(total))
            price = price.to_integral_value()
        next_one = kind.total(kind.counts(minimum + 1), prices.first) - total
        if next_one != price and kind.most(kind.model, counts) != minimum:
            kind.note("Price", "a further model costs another price", number_text(next_one))
    elif not kind.is_single:
        # Two tell a price of each miniature from one of the whole unit.
        two = kind.total(kind.counts(2), prices.first, dependencies)
        if two != 2 * price:
            kind.note(
                "Price",
                "the second model costs another price than the first",
                f"{number_text(price)}, then {number_text(two - price)}",
            )
    note_dependencies(kind, "Price", dependencies)
    rider_price = kind.evaluation.at(kind.model, counts).price(prices.first)
    for place in counts:
        # A steed dearer than half its rider may be meant as a choice.
        if place.type in ("mount", "crew") and place is not kind.model:
            figure = kind.evaluation.at(place, counts).price(prices.first)
            if figure * 2 > rider_price:
                why = f"{place.name} must be taken and is part of the price"
                kind.note("Price", why, number_text(figure))
    second = kind.total(counts, prices.second) / minimum if prices.second else Decimal(0)
    return whole(kind, "Price", price, 0), max(0, min(_HIGHEST_PRICE, int(second)))


def whole(kind: Kind, what: str, value: Decimal, least: int) -> int:
    """Return a price as a list can hold it: a whole number within its limits."""
    rounded = int(value.to_integral_value())
    points = max(least, min(_HIGHEST_PRICE, rounded))
    if points != value:
        kind.note(what, "a list holds whole prices only, within limits", number_text(value))
    return points


def note_dependencies(kind: Kind, what: str, dependencies: Dependencies) -> None:
    """Note what a figure depends on, or what of it was not evaluated."""
    if dependencies.is_list:
        kind.note(what, "it depends on the rest of the list")
    for reason in sorted(dependencies.unread):
        kind.note(what, f"{reason} is not evaluated")


# Prices of options


@frozen_dataclass
class OptionPrice:
    """What an option costs each ``model`` or the ``unit``, and what that depended on."""

    points: int
    per: str
    dependencies: Dependencies


class OptionPrices:
    """Prices of what one kind of miniature may buy."""

    def __init__(self, kind: Kind, prices: Prices) -> None:
        self.kind = kind
        self.prices = prices
        self.base = {models: kind.counts(models) for models in (1, 2)}
        self._units: dict[tuple[int, tuple[Place, ...]], tuple[Counts, Decimal]] = {}

    def counts_with(self, models: int, places: Iterable[Place]) -> Counts:
        """Return what a unit of so many has with these chosen."""
        counts = dict(self.base[models])
        for place in places:
            self.kind.add_chosen(counts, place)
        return counts

    def price(self, place: Place, name: str) -> OptionPrice:
        """Return what a place adds to a unit; what makes that doubtful is noted under ``name``."""
        dependencies = Dependencies()
        first = self._difference(1, place, (), dependencies)
        second = first * 2 if self.kind.is_single else self._difference(2, place)
        per = "unit" if first and second == first else "model"
        if second not in (first, first * 2):
            self.kind.note(
                name,
                "for two models it costs another price each",
                f"{number_text(first)}, then {number_text(second)} for both",
            )
        note_dependencies(self.kind, name, dependencies)
        points = whole(self.kind, name, first, _LOWEST_CHANGE)
        return OptionPrice(points, per, dependencies)

    def second(self, place: Place) -> int:
        """Return what an option costs in the second price, within what a list may hold."""
        if not self.prices.second:
            return 0
        counts = self.counts_with(1, (place,))
        value = self.kind.evaluation.at(place, counts).price(self.prices.second)
        return max(_LOWEST_CHANGE, min(_HIGHEST_PRICE, int(value)))

    def points_if(
        self, place: Place, name: str, price: OptionPrice, keys: Mapping[Place, str]
    ) -> tuple[tuple[Texts, int], ...]:
        """Return other prices of an option where others are bought too, the most special first.

        ``keys`` names the options that may be asked for. What has no key there, and more than four
        of them, are noted.
        """
        options = price.dependencies.options
        for other in sorted(options - keys.keys(), key=lambda other: other.name):
            why = f"its price depends on {other.name}, which is no option of this unit"
            self.kind.note(name, why, str(price.points))
        others = sorted(options & keys.keys(), key=lambda other: keys[other])
        if len(others) > PRICE_KEYS_MAX:
            why = f"its price depends on {len(others)} other options"
            self.kind.note(name, why, str(price.points))
            return ()
        values: dict[tuple[Place, ...], int] = {(): price.points}
        prices = []
        for size in range(1, len(others) + 1):
            for beside in combinations(others, size):
                value = int(self._difference(1, place, beside))
                smaller = {values[part] for part in combinations(beside, size - 1)}
                values[beside] = value
                # What follows from fewer of them needs no price of its own.
                if smaller != {value}:
                    prices.append((tuple(keys[other] for other in beside), value))
        return tuple(reversed(prices))

    def _difference(
        self,
        models: int,
        place: Place,
        beside: tuple[Place, ...] = (),
        dependencies: Dependencies | None = None,
    ) -> Decimal:
        """Return what a place adds to the price of a unit that has others beside it."""
        # The entry that it stands in has to be there first.
        above = (place.entry,) if place.entry is not None else ()
        kind, price = self.kind, self.prices.first
        unit = (models, (*above, *beside))
        # Most options ask for the same unit.
        if unit not in self._units:
            counts = self.counts_with(*unit)
            self._units[unit] = (counts, kind.total(counts, price))
        without, total = self._units[unit]
        with_it = dict(without)
        kind.add_chosen(with_it, place)
        if dependencies is not None:
            for new in with_it.keys() - without.keys():
                kind.evaluation.at(new, with_it, dependencies).price(price)
        return kind.total(with_it, price) - total


# What a catalogue says of campaigns

# What stands in a group of such a name is bought between battles.
TRADE_WORDS = ("trading", "trader", "market", "bazaar")
HIRED_WORDS = ("hired", "mercenar")


def option_terms(place: Place, prices: Prices) -> Fields:
    """Return what a list says of an option in campaigns: its rarity, and that only they sell it."""
    around = (above.name for above in place.path if above not in (place, place.root))
    trade = any(_has_word(name, TRADE_WORDS) for name in around)
    terms: Fields = {"trade_only": True} if trade else {}
    return terms | rarity_terms(_figure(place, prices.rarity))


def unit_terms(kind: Kind, prices: Prices, headings: Iterable[str]) -> Fields:
    """Return what a list says of a unit in campaigns.

    ``headings`` are the names of its category and of its catalogue. An upkeep that the catalogue
    does not have is noted.
    """
    terms: Fields = {}
    experience = max(kind.root.experience, kind.model.experience)
    if experience:
        terms["starting_experience"] = min(experience, STARTING_EXPERIENCE_MOST)
    terms |= rarity_terms(_figure(kind.root, prices.rarity))
    if any(_has_word(name, HIRED_WORDS) for name in headings):
        upkeep = max(_figure(kind.root, prices.upkeep), _figure(kind.model, prices.upkeep))
        if not upkeep:
            kind.note("Hired sword", "the catalogue has no upkeep for it")
        terms["hired"] = {"upkeep": max(0, min(upkeep, UPKEEP_MOST))}
    return terms


def rarity_terms(figure: int) -> Fields:
    """Return a rarity that a list can hold, nothing for another figure."""
    return {"rarity": figure} if RARITY_LEAST <= figure <= RARITY_MOST else {}


def _figure(place: Place, price_type: str) -> int:
    """Return what stands under a type of price, 0 for nothing."""
    return int(place.price(price_type) or Decimal(0)) if price_type else 0


def _has_word(name: str, parts: Iterable[str]) -> bool:
    return any(word in name.lower() for word in parts)
