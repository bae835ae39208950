"""What comes out of a catalogue: units, options and limits, what is doubtful, what was dropped."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from engine.records import Fields, Texts, frozen_dataclass
from engine.types.lists import STANDARD_BEARER

NOTE_LENGTH = 300
DOUBTS_KEPT = 500


# What somebody should look at


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


# What was translated


@frozen_dataclass
class TranslatedOption:
    """Something a unit may buy. ``origins`` are the ids of links and entry, the entry last.

    ``settings`` are further keys of an option in a list: its kind, its group, what it needs.
    ``shared`` are id and name of the shared groups it stands in, the outermost first.
    """

    key: str
    name: str
    points: int
    origins: Texts = ()
    per: str = "model"
    maximum: int | None = None
    settings: Fields = field(default_factory=dict)
    points_if: tuple[tuple[Texts, int], ...] = ()
    second: int = 0
    shared: tuple[tuple[str, str], ...] = ()


@frozen_dataclass
class TranslatedChampion:
    """The champion of a unit: what it adds to the price, its line and what it may buy.

    ``stats`` is empty where the file has no line for it.
    """

    name: str
    points: int
    stats: Fields = field(default_factory=dict)
    options: tuple[TranslatedOption, ...] = ()


@frozen_dataclass
class TranslatedItem:
    """A magic item of the list: ``type`` is the group it stands in, one a list where unique."""

    key: str
    name: str
    type: str
    points: int
    is_unique: bool = False


@frozen_dataclass
class TranslatedLimit:
    """How many of some of its options a unit must and may buy. ``depends`` on the rest of the list.

    ``name`` is that of the group.
    """

    name: str
    options: Texts
    least: int | None = None
    most: int | None = None
    depends: bool = False


@frozen_dataclass
class Purchases:
    """All that a unit may buy: options, its command with prices, points for magic items, limits."""

    options: tuple[TranslatedOption, ...] = ()
    champion: TranslatedChampion | None = None
    musician: int | None = None
    standard_bearer: int | None = None
    magic_allowance: int | None = None
    limits: tuple[TranslatedLimit, ...] = ()


@frozen_dataclass
class TranslatedUnit:
    """One kind of miniature with its price, its line, its options and how many a list may have.

    ``heading`` is the id of its category; ``headings_when`` are others, with the names of the
    entries that bring them. ``campaign`` are keys of a unit in a list that count in campaigns.
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
    is_hidden: bool = False
    size: tuple[int | None, int | None] = (None, None)
    campaign: Fields = field(default_factory=dict)
    headings_when: tuple[tuple[str, Texts], ...] = ()

    @property
    def all_headings(self) -> Texts:
        """The ids of all categories that it may stand under."""
        return (self.heading, *(category for category, _ in self.headings_when))

    @property
    def options(self) -> tuple[TranslatedOption, ...]:
        """What it may buy, without its champion's."""
        return self.bought.options


# Options that name others


def without_unknown(
    options: Iterable[TranslatedOption], command: Iterable[str]
) -> Iterator[TranslatedOption]:
    """Yield options that name only options which are there; what needs another one goes too."""
    known = {STANDARD_BEARER} & set(command)
    left = list(options)
    while True:
        keys = {option.key for option in left} | known
        kept = [option for option in left if _is_possible(option, keys)]
        if len(kept) == len(left):
            break
        left = kept
    for option in left:
        prices = (price for price in option.points_if if keys.issuperset(price[0]))
        settings = _known_settings(option.settings, keys)
        yield replace(option, settings=settings, points_if=tuple(prices))


def _is_possible(option: TranslatedOption, keys: set[str]) -> bool:
    """Whether everything is there that an option needs."""
    some = option.settings.get("requires_any", ())
    return keys.issuperset(option.settings.get("requires", ())) and (
        not some or not keys.isdisjoint(some)
    )


def _known_settings(settings: Fields, keys: set[str]) -> Fields:
    """Return settings without the options that are not there."""
    found = dict(settings)
    for name in ("requires_any", "excludes"):
        if name in found:
            found[name] = [key for key in found[name] if key in keys]
    return {name: value for name, value in found.items() if value != []}


# What was left out


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
        return [one.sentence for one in self.doubts if one.unit == unit]


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
    categories: tuple[tuple[str, str], ...]
    price_type: str
    second_type: str
    price_types: tuple[tuple[str, str], ...]
    limit: int | None
    files: tuple[tuple[str, str, str], ...]
    weapons: tuple[Fields, ...]
    magic_items: tuple[TranslatedItem, ...]
    columns: tuple[tuple[str, str], ...]
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
