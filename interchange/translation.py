"""Files of a game, read as one army list: what they hold, what is missing, the units, and a report.

Pure: no database, no clock. `interchange.files` does it in a process of its own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.errors import Refusal
from engine.records import Fields, TextPairs, Texts, frozen_dataclass
from interchange.catalogues import (
    CatalogueFile,
    Closure,
    KeySet,
    choose_also,
    choose_catalogue,
    clean_name,
    close,
    read_catalogue_file,
)
from interchange.entries import Unfolding
from interchange.evaluation import Dependencies, StepCount
from interchange.files import NamedBytes, open_archives
from interchange.options import OptionTable, Purchases, TranslatedOption
from interchange.prices import (
    CAMPAIGN_TYPES,
    choose_prices,
    price_names,
    unit_price,
    unit_terms,
    used_types,
    usual_limit,
)
from interchange.profiles import ArmyItems, OptionItem, StatLines, own_columns
from interchange.units import (
    Kind,
    check_unit_count,
    list_kinds,
    list_limit,
    list_ratio,
    unit_heading,
    unit_rules,
    unit_size,
    unit_stats,
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
NOTE_LENGTH = 300
DOUBTS_KEPT = 500
_TEXTS = ("description", "comment", "readme", "publication")


@frozen_dataclass
class Frame:
    """What the list is made for: columns of its stat lines, and things known by their name.

    A game with other columns keeps its own, unless those of the frame are ``is_fixed``.
    """

    columns: Texts
    items: Mapping[str, OptionItem]
    is_fixed: bool = False


@frozen_dataclass
class TranslationDoubt:
    """A figure that may be wrong: of which unit, what, why, and as the file has it."""

    unit: str
    what: str
    why: str
    figure: str = ""

    @property
    def sentence(self) -> str:
        """As a unit of a list keeps it."""
        figure = f" The catalogue says {self.figure}." if self.figure else ""
        return f"{self.what}: {self.why}.{figure}"[:NOTE_LENGTH]


@frozen_dataclass
class TranslatedUnit:
    """One kind of miniature with its price, its line, its options and how many a list may have.

    ``heading`` is the id of its category; ``headings_when`` are others, with the names of the
    entries that bring them. ``most`` counts for ``every`` so many of another entry, by its id.
    ``campaign`` are keys of a unit in a list that count in campaigns.
    """

    key: str
    name: str
    model_name: str
    origins: Texts
    heading: str
    points: int
    second: int
    stats: Fields
    bought: Purchases = Purchases()
    rules: Texts = ()
    least: int | None = None
    most: int | None = None
    is_limit_open: bool = False
    every: tuple[int, str] | None = None
    is_hidden: bool = False
    size: tuple[int | None, int | None] = (None, None)
    campaign: Fields = field(default_factory=dict)
    headings_when: tuple[tuple[str, Texts], ...] = ()

    @property
    def options(self) -> tuple[TranslatedOption, ...]:
        """What it may buy, without its champion's."""
        return self.bought.options


@dataclass
class TranslationReport:
    """What was doubtful and what was dropped, while a catalogue is read."""

    doubts: list[TranslationDoubt] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    is_cut: bool = False

    def doubt(self, doubt: TranslationDoubt) -> None:
        """Keep a doubt once, up to a number that a person can work through."""
        if doubt in self.doubts:
            return
        if len(self.doubts) >= DOUBTS_KEPT:
            self.is_cut = True
            return
        self.doubts.append(doubt)

    def doubts_of(self, unit: str) -> list[str]:
        """Return the sentences about a unit, in order."""
        return [doubt.sentence for doubt in self.doubts if doubt.unit == unit]


@frozen_dataclass
class Translation:
    """All that a catalogue comes to, without the texts of its rules.

    ``price_types`` are ids and names of the types of price, the one that counts first. ``limit`` is
    what a list may spend of that unless its player says otherwise. ``columns`` are key and name of
    those that the game has of its own, empty where a collection's fit.
    """

    id: str
    name: str
    revision: str
    game_system: str
    units: tuple[TranslatedUnit, ...]
    categories: TextPairs
    price_type: str
    second_type: str
    price_types: TextPairs
    limit: int | None
    files: tuple[tuple[str, str, str], ...]
    weapons: tuple[Fields, ...]
    magic_items: tuple[Fields, ...]
    columns: TextPairs
    report: TranslationReport = field(compare=False)

    @property
    def counts(self) -> dict[str, int]:
        """How much was translated, is doubtful and was dropped."""
        return {
            "units": len(self.units),
            "options": sum(len(unit.options) for unit in self.units),
            "limits": sum(
                (unit.least is not None) + (unit.most is not None) for unit in self.units
            ),
            "doubts": len(self.report.doubts),
            "dropped": sum(self.report.dropped.values()),
        }


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
        prices = choose_prices(self.price_names, price_type)
        # The types under which rarity and upkeep stand, where there are any.
        ids = {name.lower(): key for key, name in used_types(closure).items()}
        terms = {name: ids.get(name, "") for name in CAMPAIGN_TYPES}
        self.prices = replace(prices, **terms)
        nodes = closure.listed("categoryEntries", "categoryEntry")
        self.categories = {node.get("id"): clean_name(node.get("name")) for node in nodes}
        self.columns: TextPairs = ()
        self.keys = KeySet()
        self.steps = StepCount()
        self.units: list[TranslatedUnit] = []
        self.items = ArmyItems(frame.items)

    def translation(self) -> Translation:
        """Return the units with categories, gear and report; Refusal without units."""
        roots = set[int]()
        for closure in (self.closure, *self.closure.also):
            self._add_closure(closure, roots)
        if not self.units:
            raise Refusal(
                "Files: no units were found in this catalogue. Choose another catalogue of the "
                "same files.",
                field="catalogue",
            )
        for file in self.closure.all_files:
            texts = (node.name for node in file.root.walk() if node.name in _TEXTS)
            self.report.dropped.update(f"Texts: {name}" for name in texts)
        self.report.dropped += Counter()
        main = self.closure.main
        used = {
            heading
            for unit in self.units
            for heading in (unit.heading, *dict(unit.headings_when))
        }
        first = self.prices.first
        types = sorted(self.price_names.items(), key=lambda pair: pair[0] != first)
        return Translation(
            id=main.id,
            name=main.name,
            revision=main.revision,
            game_system=main.root.get("gameSystemId"),
            units=tuple(self.units),
            categories=tuple(pair for pair in self.categories.items() if pair[0] in used),
            price_type=self.price_names.get(first, ""),
            second_type=self.price_names.get(self.prices.second, ""),
            price_types=tuple(types),
            limit=usual_limit(self.closure, self.prices.first),
            files=tuple(
                (file.id, file.name, file.digest) for file in self.closure.all_files
            ),
            weapons=tuple(self.items.weapons.values()),
            magic_items=tuple(self.items.magic.values()),
            columns=self.columns,
            report=self.report,
        )

    def _add_closure(self, closure: Closure, done: set[int]) -> None:
        """Add the units of one catalogue. ``done`` are the roots that others brought already."""
        # Ids are looked up in its own files: siblings repeat them for other things.
        self.unfolding = Unfolding(closure, CAMPAIGN_WORDS)
        self.lines = self._stat_lines(closure)
        self.source = closure.main.name
        # Lists here have one force, and the first kind of force is the usual one.
        forces = [force.get("id") for force in closure.listed("forceEntries", "forceEntry")]
        game = closure.main.root.get("gameSystemId")
        ids = (self.closure.main.id, closure.main.id, game, *forces[:1])
        around = frozenset(filter(None, ids))
        for node in self.unfolding.roots():
            if id(node) in done:
                continue
            done.add(id(node))
            root = self.unfolding.unfold(node)
            if root is not None:
                kinds = list_kinds(root, around, self.lines, self.steps)
                if not kinds:
                    self.report.dropped["Settings of the list"] += 1
                for kind in kinds:
                    check_unit_count(len(self.units) + 1)
                    self.units.append(self._unit(kind))
        for name, number in self.lines.unshown.items():
            self.report.dropped[f"Columns of stat lines: {name}"] += number
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
        names = tuple((name.lower(), key) for key, name in self.columns)
        return StatLines(closure, index, [key for key, _ in self.columns], names)

    def _unit(self, kind: Kind) -> TranslatedUnit:
        """Return a unit with its price, stat line, options and what to check."""
        dependencies = Dependencies()
        at = kind.evaluation.at(kind.root, kind.counts(1), dependencies)
        is_hidden = at.is_hidden()
        if dependencies.is_list:
            kind.note("Offer", "the catalogue offers it only in some lists")
        points, second = unit_price(kind, self.prices)
        table = OptionTable(kind, self.prices, self.lines, self.items)
        heading, headings_when = unit_heading(kind, self.unfolding.index)
        least, is_least_open = list_limit(kind, "min")
        most, is_most_open = list_limit(kind, "max")
        every = None
        if ratio := list_ratio(kind):
            most, is_most_open, every = ratio[0], False, ratio[1:]
        headings = (self.categories.get(heading, ""), self.source)
        unit = TranslatedUnit(
            key=self.keys.take(kind.name, "unit"),
            name=kind.name or "Unit",
            model_name=kind.model.name,
            origins=tuple(dict.fromkeys((*kind.root.ids, *kind.model.ids)))[:20],
            heading=heading,
            headings_when=headings_when,
            points=points,
            second=second,
            stats=unit_stats(kind, self.lines),
            bought=table.purchases(),
            rules=unit_rules(kind, self.lines),
            least=least,
            most=most,
            is_limit_open=is_least_open or is_most_open,
            every=every,
            is_hidden=is_hidden and not dependencies.is_list,
            size=unit_size(kind),
            campaign=unit_terms(kind, self.prices, headings),
        )
        self.report.dropped["Hidden choices"] += table.hidden
        for what, why, figure in kind.notes:
            self.report.doubt(TranslationDoubt(unit.name, what, why, figure))
        return unit


# Files that were sent together

NAMES_TOLD = 60


@frozen_dataclass
class ReadingWishes:
    """Which catalogue becomes the list, which join it, and by its id or name which price counts.

    ``previous`` are the id and the name of the catalogue that the list was made of before.
    """

    catalogue: str = ""
    also: Texts = ()
    price_type: str = ""
    previous: tuple[str, str] = ("", "")


@frozen_dataclass
class ReadFiles:
    """What files come to: a ``translation``, or the sentence and the field of a ``refusal``.

    ``catalogues`` and ``price_types`` are the names there are to choose from; ``missing`` those of
    files that others refer to.
    """

    translation: Translation | None = None
    catalogues: Texts = ()
    price_types: TextPairs = ()
    missing: Texts = ()
    refusal: tuple[str, str] | None = None


def read_files(
    sent: Sequence[NamedBytes], wishes: ReadingWishes, frame: Frame
) -> ReadFiles:
    """Return what the files come to; nothing is raised for files that nobody can read."""
    result = ReadFiles()
    try:
        files = [read_catalogue_file(file) for file in open_archives(sent)]
        catalogues = tuple(file.name for file in files if not file.is_system)[:NAMES_TOLD]
        result = replace(result, catalogues=catalogues)
        also = choose_also(files, wishes.also)
        main = choose_catalogue(files, _catalogue_id(files, wishes), also)
        closure = close(main, files, also)
        types = price_names(closure)
        result = replace(result, price_types=tuple(types.items())[:NAMES_TOLD])
        if closure.missing:
            result = replace(result, missing=closure.missing)
            listed = ", ".join(f"“{name}”" for name in closure.missing)
            raise Refusal(
                f"Files: these are missing: {listed}. Add them and send all files again.",
                field="files",
            )
        price_type = wishes.price_type
        if price_type not in types:
            # The id of a type of price that is called so; what is none's name stays as it is.
            matching = (key for key, name in types.items() if name == price_type)
            price_type = next(matching, price_type)
        return replace(result, translation=translate(closure, frame, price_type))
    except Refusal as refusal:
        return replace(result, refusal=(refusal.message, refusal.field))


def _catalogue_id(files: Sequence[CatalogueFile], wishes: ReadingWishes) -> str:
    """Return the catalogue asked for, by its id where it has another name by now."""
    key, name = wishes.previous
    is_renamed = all(file.name != name for file in files)
    is_there = any(file.id == key for file in files)
    is_meant = wishes.catalogue in ("", name)
    return key if is_meant and is_renamed and is_there else wishes.catalogue
