"""A catalogue as the units of an army list, with a report. Raises Refusal for what is too large."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from engine.errors import Refusal
from engine.records import Texts, frozen_dataclass
from rulesdata.foreign.catalogues import Closure
from rulesdata.foreign.entries import clean_name
from rulesdata.foreign.evaluation import StepCount, Trace
from rulesdata.foreign.keys import KeySet
from rulesdata.foreign.options import OptionItem, OptionTable
from rulesdata.foreign.places import Place, Unfolding
from rulesdata.foreign.reports import (
    TranslatedUnit,
    Translation,
    TranslationDoubt,
    TranslationReport,
)
from rulesdata.foreign.stat_lines import StatLines
from rulesdata.foreign.units import (
    Kind,
    Prices,
    check_unit_count,
    kinds_of,
    list_limit,
    price_of,
    rules_of,
    size_of,
    stats_of,
)

PRICE_WORDS = frozenset(("pts", "pt", "points", "gc", "gold", "gold crowns", "cost"))
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
    """What the list is made for: columns of its stat lines, and things known by their name."""

    columns: Texts
    items: Mapping[str, OptionItem]


def is_of_campaign(name: str) -> bool:
    """Whether a choice of this name is a campaign's and not a list's."""
    return any(word in name.lower() for word in CAMPAIGN_WORDS)


# A catalogue as a list


def translate(
    closure: Closure,
    frame: Frame,
    price_type: str = "",
) -> Translation:
    """Return the units of a catalogue. Raises Refusal where it has none, or too many."""
    return _Translator(
        closure,
        frame,
        price_type,
    ).translation()


class _Translator:
    def __init__(
        self,
        closure: Closure,
        frame: Frame,
        price_type: str,
    ) -> None:
        self.closure = closure
        self.frame = frame
        self.report = TranslationReport()
        self.unfolding = Unfolding(closure, is_of_campaign)
        self.lines = StatLines(
            closure,
            self.unfolding.index,
            frame.columns,
        )
        self.price_names = _price_names(closure)
        self.prices = choose_prices(self.price_names, price_type)
        self.categories = _category_names(closure)
        self.around = _around(closure)
        self.keys = KeySet()
        self.steps = StepCount()
        self.units: list[TranslatedUnit] = []

    def translation(self) -> Translation:
        for node in self.unfolding.roots():
            name = clean_name(node.get("name"))
            root = self.unfolding.unfold(node)
            if root is not None:
                self._add_root(root, name)
        if not self.units:
            raise Refusal(
                "Files: no units were found in this catalogue. Choose another catalogue of the "
                "same files.",
                field="catalogue",
            )
        self._finish_report()
        main = self.closure.main
        used = {unit.heading for unit in self.units}
        return Translation(
            id=main.id,
            name=main.name,
            revision=main.revision,
            game_system=main.root.get("gameSystemId"),
            units=tuple(self.units),
            categories=tuple(one for one in self.categories.items() if one[0] in used),
            price_type=self.price_names.get(self.prices.first, ""),
            second_type=self.price_names.get(self.prices.second, ""),
            files=tuple((one.id, one.name, one.digest) for one in self.closure.files),
            report=self.report,
        )

    def _add_root(self, root: Place, name: str) -> None:
        """Add the units that an entry of the catalogue comes to."""
        kinds = kinds_of(
            root,
            self.around,
            self.lines,
            self.steps,
        )
        if not kinds:
            self.report.dropped["Settings of the list"] += 1
        for kind in kinds:
            check_unit_count(len(self.units) + 1)
            self.units.append(self._unit(kind))

    def _unit(self, kind: Kind) -> TranslatedUnit:
        """Return a unit with its price, stat line, options and what to check."""
        counts = kind.counts(1)
        trace = Trace()
        is_shown = not kind.evaluation.is_hidden(
            kind.root,
            counts,
            trace,
        )
        if trace.is_list:
            kind.note("Offer", "the catalogue offers it only in some lists")
        price = price_of(kind, self.prices)
        table = OptionTable(
            kind,
            self.prices,
            self.lines,
            self.frame.items,
        )
        least, is_least_open = list_limit(kind, "min")
        most, is_most_open = list_limit(kind, "max")
        unit = TranslatedUnit(
            key=self.keys.take(kind.name, "unit"),
            name=kind.name or "Unit",
            model_name=kind.model.name,
            origins=_origins(kind),
            heading=kind.root.primary or kind.model.primary,
            points=price.points,
            second=price.second,
            stats=stats_of(kind, self.lines),
            options=table.translate(),
            rules=rules_of(kind, self.lines),
            least=least,
            most=most,
            is_limit_open=is_least_open or is_most_open,
            is_hidden=not is_shown and not trace.is_list,
            size=size_of(kind),
        )
        self.report.dropped["Hidden choices"] += table.hidden
        for what, why, figure in kind.notes:
            self.report.doubt(
                TranslationDoubt(
                    unit.name,
                    what,
                    why,
                    figure,
                )
            )
        return unit

    def _finish_report(self) -> None:
        """Count what was dropped, and doubt the links that lead nowhere."""
        texts: Counter[str] = Counter()
        for file in self.closure.files:
            texts.update(node.name for node in file.root.walk() if node.name in _TEXTS)
        for name, number in texts.items():
            self.report.dropped[f"Texts: {name}"] += number
        for name, number in self.unfolding.dropped.items():
            self.report.dropped[f"Choices of a campaign: {name}"] += number
        for name in dict.fromkeys(self.unfolding.to_nowhere):
            self.report.doubt(
                TranslationDoubt(
                    "",
                    name or "A link",
                    "it leads to nothing in these files, so it was left out",
                )
            )
        self.report.dropped += Counter()


# Prices and names


def _origins(kind: Kind) -> Texts:
    ids = (*kind.root.ids, *(() if kind.is_single else kind.model.ids))
    return tuple(dict.fromkeys(ids))[:20]


def _price_names(closure: Closure) -> dict[str, str]:
    """Return the types of prices by their id, without those that the files hide."""
    types = closure.listed("costTypes", "costType")
    return {one.get("id"): clean_name(one.get("name")) for one in types}


def choose_prices(names: Mapping[str, str], wanted: str = "") -> Prices:
    """Return the price that counts and the one beside it.

    Raises Refusal that names the types, where there is no ``wanted`` one.
    """
    if wanted and wanted not in names:
        known = ", ".join(names.values())
        raise Refusal(f"Price: choose one of: {known}.", field="price_type")
    known_words = (key for key, name in names.items() if name.lower() in PRICE_WORDS)
    first = wanted or next(known_words, "") or next(iter(names), "")
    second = next((key for key in names if key != first), "")
    return Prices(first, second)


def _category_names(closure: Closure) -> dict[str, str]:
    nodes = closure.listed("categoryEntries", "categoryEntry")
    return {node.get("id"): clean_name(node.get("name")) for node in nodes}


def _around(closure: Closure) -> frozenset[str]:
    """Return what every unit is within: its catalogue, the game, and the first kind of force."""
    ids = {closure.main.id, closure.main.root.get("gameSystemId")}
    # Lists here have one force, and the first is the usual one.
    forces = [one.get("id") for one in closure.listed("forceEntries", "forceEntry")]
    return frozenset((*ids, *forces[:1])) - {""}


def missing_sentence(names: Sequence[str] | Iterable[str]) -> str:
    """Return what is asked for where files are missing."""
    listed = ", ".join(f"“{name}”" for name in names)
    return f"Files: these are missing: {listed}. Add them and send all files again."
