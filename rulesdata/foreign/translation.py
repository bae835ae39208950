"""A catalogue as the units of an army list, with a report. Raises Refusal for what is too large."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from engine.errors import Refusal
from engine.records import TextPairs, Texts, frozen_dataclass
from rulesdata.foreign.campaigns import unit_terms
from rulesdata.foreign.catalogues import Closure
from rulesdata.foreign.columns import own_columns
from rulesdata.foreign.evaluation import StepCount, Trace
from rulesdata.foreign.gear import GearTable, OptionItem
from rulesdata.foreign.keys import KeySet, clean_name
from rulesdata.foreign.magic import MagicItems
from rulesdata.foreign.options import OptionTable, Shelves
from rulesdata.foreign.places import Unfolding
from rulesdata.foreign.prices import (
    campaign_types,
    choose_prices,
    price_names,
    price_of,
    usual_limit,
)
from rulesdata.foreign.reports import (
    TranslatedUnit,
    Translation,
    TranslationDoubt,
    TranslationReport,
)
from rulesdata.foreign.stat_lines import StatLines
from rulesdata.foreign.units import (
    Kind,
    check_unit_count,
    heading_of,
    kinds_of,
    list_limit,
    rules_of,
    size_of,
    stats_of,
)

# What a campaign does to a warrior is kept by the campaign here, not by its list.
CAMPAIGN_WORDS = (
    "experience",
    "injur",
    "skill",
    "advance",
    "characteristic increase",
    "promoted",
    "stash",
)
_TEXTS = ("description", "comment", "readme", "publication")


@frozen_dataclass
class Frame:
    """What the list is made for: columns of its stat lines, and things known by their name.

    A game with other columns keeps its own, unless those of the frame are ``is_fixed``.
    """

    columns: Texts
    items: Mapping[str, OptionItem]
    is_fixed: bool = False


def is_of_campaign(name: str) -> bool:
    """Whether a choice of this name is a campaign's and not a list's."""
    return any(word in name.lower() for word in CAMPAIGN_WORDS)


# A catalogue as a list


def translate(
    closure: Closure,
    frame: Frame,
    price_type: str = "",
) -> Translation:
    """Return the units of a catalogue, and of those also offered; ``price_type`` is an id.

    Raises Refusal where it has none, or too many, or no such type of price.
    """
    return _Translator(closure, frame, price_type).translation()


class _Translator:
    """Translates one closure: its own catalogue first, then those that are also offered."""

    def __init__(self, closure: Closure, frame: Frame, price_type: str) -> None:
        """Choose the prices, and begin with an empty report and no units."""
        self.closure = closure
        self.frame = frame
        self.report = TranslationReport()
        self.price_names = price_names(closure)
        rarity, upkeep = campaign_types(closure)
        prices = choose_prices(self.price_names, price_type)
        self.prices = replace(prices, rarity=rarity, upkeep=upkeep)
        nodes = closure.listed("categoryEntries", "categoryEntry")
        self.categories = {node.get("id"): clean_name(node.get("name")) for node in nodes}
        self.columns: TextPairs = ()
        self.keys = KeySet()
        self.steps = StepCount()
        self.units: list[TranslatedUnit] = []
        self.shelves = Shelves(GearTable(frame.items), MagicItems())

    def translation(self) -> Translation:
        """Return the units with categories, gear and report; Refusal without units."""
        roots: set[int] = set()
        for closure in (self.closure, *self.closure.also):
            self._add_closure(closure, roots)
        if not self.units:
            raise Refusal(
                "Files: no units were found in this catalogue. Choose another catalogue of the "
                "same files.",
                field="catalogue",
            )
        texts: Counter[str] = Counter()
        for file in self.closure.all_files:
            texts.update(node.name for node in file.root.walk() if node.name in _TEXTS)
        for name, number in texts.items():
            self.report.dropped[f"Texts: {name}"] += number
        self.report.dropped += Counter()
        main = self.closure.main
        used = set(chain.from_iterable(unit.all_headings for unit in self.units))
        first = self.prices.first
        types = sorted(self.price_names.items(), key=lambda one: one[0] != first)
        return Translation(
            id=main.id,
            name=main.name,
            revision=main.revision,
            game_system=main.root.get("gameSystemId"),
            units=tuple(self.units),
            categories=tuple(one for one in self.categories.items() if one[0] in used),
            price_type=self.price_names.get(first, ""),
            second_type=self.price_names.get(self.prices.second, ""),
            price_types=tuple(types),
            limit=usual_limit(self.closure, self.prices.first),
            files=tuple((one.id, one.name, one.digest) for one in self.closure.all_files),
            weapons=tuple(self.shelves.gear.weapons.values()),
            magic_items=self.shelves.magic.items,
            columns=self.columns,
            report=self.report,
        )

    def _add_closure(self, closure: Closure, done: set[int]) -> None:
        """Add the units of one catalogue. ``done`` are the roots that others brought already."""
        # Ids are looked up in its own files: siblings repeat them for other things.
        self.unfolding = Unfolding(closure, is_of_campaign)
        self.lines = self._stat_lines(closure)
        self.source = closure.main.name
        self.around = surroundings(closure) | {self.closure.main.id}
        for node in self.unfolding.roots():
            if id(node) in done:
                continue
            done.add(id(node))
            root = self.unfolding.unfold(node)
            if root is not None:
                kinds = kinds_of(root, self.around, self.lines, self.steps)
                if not kinds:
                    self.report.dropped["Settings of the list"] += 1
                for kind in kinds:
                    check_unit_count(len(self.units) + 1)
                    self.units.append(self._unit(kind))
        for name, number in self.unfolding.dropped.items():
            self.report.dropped[f"Choices of a campaign: {name}"] += number
        for name in dict.fromkeys(self.unfolding.to_nowhere):
            why = "it leads to nothing in these files, so it was left out"
            self.report.doubt(TranslationDoubt("", name or "A link", why))

    def _stat_lines(self, closure: Closure) -> StatLines:
        """Return the stat lines in the frame's columns, or in the game's own where none fit."""
        index = self.unfolding.index
        lines = StatLines(closure, index, self.frame.columns)
        if not self.units and not lines.stat_types and not self.frame.is_fixed:
            self.columns = own_columns(closure, index)
        if not self.columns:
            return lines
        names = {name.lower(): key for key, name in self.columns}
        return StatLines(closure, index, [key for key, _ in self.columns], names)

    def _unit(self, kind: Kind) -> TranslatedUnit:
        """Return a unit with its price, stat line, options and what to check."""
        trace = Trace()
        is_hidden = kind.evaluation.is_hidden(kind.root, kind.counts(1), trace)
        if trace.is_list:
            kind.note("Offer", "the catalogue offers it only in some lists")
        price = price_of(kind, self.prices)
        table = OptionTable(kind, self.prices, self.lines, self.shelves)
        heading = heading_of(kind, self.unfolding.index)
        least, is_least_open = list_limit(kind, "min")
        most, is_most_open = list_limit(kind, "max")
        unit = TranslatedUnit(
            key=self.keys.take(kind.name, "unit"),
            name=kind.name or "Unit",
            model_name=kind.model.name,
            origins=_origins(kind),
            heading=heading.category,
            headings_when=heading.others,
            points=price.points,
            second=price.second,
            stats=stats_of(kind, self.lines),
            bought=table.purchases(),
            rules=rules_of(kind, self.lines),
            least=least,
            most=most,
            is_limit_open=is_least_open or is_most_open,
            is_hidden=is_hidden and not trace.is_list,
            size=size_of(kind),
            campaign=unit_terms(
                kind, self.prices, (self.categories.get(heading.category, ""), self.source)
            ),
        )
        self.report.dropped["Hidden choices"] += table.hidden
        for what, why, figure in kind.notes:
            self.report.doubt(TranslationDoubt(unit.name, what, why, figure))
        return unit


# Names


def _origins(kind: Kind) -> Texts:
    ids = (*kind.root.ids, *(() if kind.is_single else kind.model.ids))
    return tuple(dict.fromkeys(ids))[:20]


def surroundings(closure: Closure) -> frozenset[str]:
    """Return what every unit is within: its catalogue, the game, and the first kind of force."""
    ids = {closure.main.id, closure.main.root.get("gameSystemId")}
    # Lists here have one force, and the first is the usual one.
    forces = [one.get("id") for one in closure.listed("forceEntries", "forceEntry")]
    return frozenset((*ids, *forces[:1])) - {""}


def missing_sentence(names: Sequence[str] | Iterable[str]) -> str:
    """Return what is asked for where files are missing."""
    listed = ", ".join(f"“{name}”" for name in names)
    return f"Files: these are missing: {listed}. Add them and send all files again."
