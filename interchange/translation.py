"""Files of a game, read as one army list: what they hold, what is missing, the units, and a report.

Pure: no database, no clock. `interchange.reader` does it in a process of its own.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from engine.errors import Refusal
from engine.records import TextPairs, Texts, frozen_dataclass
from interchange.catalogues import (
    CatalogueFile,
    Closure,
    choose_also,
    choose_catalogue,
    close,
    read_catalogue_file,
)
from interchange.entries import Unfolding
from interchange.evaluation import StepCount, Trace
from interchange.files import NamedBytes, open_archives
from interchange.gear import GearTable, MagicItems, OptionItem
from interchange.names import KeySet, clean_name
from interchange.options import OptionTable, Shelves
from interchange.prices import (
    campaign_types,
    choose_prices,
    price_names,
    price_of,
    unit_terms,
    usual_limit,
)
from interchange.reports import (
    TranslatedUnit,
    Translation,
    TranslationDoubt,
    TranslationReport,
)
from interchange.stat_lines import StatLines, own_columns
from interchange.units import (
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


def translate(closure: Closure, frame: Frame, price_type: str = "") -> Translation:
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


# Files that were sent together

NAMES_TOLD = 60


@frozen_dataclass
class ReadingWishes:
    """Which catalogue becomes the list, which join it, and by its id or name which price counts.

    ``known`` are the id and the name of the catalogue that the list was made of before.
    """

    catalogue: str = ""
    also: Texts = ()
    price_type: str = ""
    known: tuple[str, str] = ("", "")


@frozen_dataclass
class ReadFiles:
    """What files come to: ``found``, or the sentence and the field of a ``refusal``.

    ``catalogues`` and ``price_types`` are the names there are to choose from; ``missing`` those of
    files that others refer to.
    """

    found: Translation | None = None
    catalogues: Texts = ()
    price_types: TextPairs = ()
    missing: Texts = ()
    refusal: tuple[str, str] | None = None


def read_files(
    sent: Sequence[NamedBytes], wishes: ReadingWishes, frame: Frame
) -> ReadFiles:
    """Return what the files come to; nothing is raised for files that nobody can read."""
    told = ReadFiles()
    try:
        files = [read_catalogue_file(file) for file in open_archives(sent)]
        catalogues = tuple(one.name for one in files if not one.is_system)[:NAMES_TOLD]
        told = replace(told, catalogues=catalogues)
        also = choose_also(files, wishes.also)
        closure = close(choose_catalogue(files, _wanted(files, wishes), also), files, also)
        types = price_names(closure)
        told = replace(told, price_types=tuple(types.items())[:NAMES_TOLD])
        if closure.missing:
            told = replace(told, missing=closure.missing)
            raise Refusal(missing_sentence(closure.missing), field="files")
        # The id of a type of price that is called so; what is none's name stays as it is.
        named = [key for key, name in types.items() if name == wishes.price_type]
        price_type = (
            named[0] if named and wishes.price_type not in types else wishes.price_type
        )
        found = translate(closure, frame, price_type)
    except Refusal as refusal:
        return replace(told, refusal=(refusal.message, refusal.field))
    return replace(told, found=found)


def _wanted(files: Sequence[CatalogueFile], wishes: ReadingWishes) -> str:
    """Return the catalogue asked for, by its id where it has another name by now."""
    key, name = wishes.known
    is_renamed = all(one.name != name for one in files)
    is_there = any(one.id == key for one in files)
    is_meant = wishes.catalogue in ("", name)
    return key if is_meant and is_renamed and is_there else wishes.catalogue
