"""What comes out of a catalogue: units, options and limits, what is doubtful, what was dropped."""

from collections import Counter
from dataclasses import dataclass, field

from engine.records import Fields, Texts, frozen_dataclass

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


@frozen_dataclass
class TranslatedUnit:
    """One kind of miniature with its price, its line, its options and how many a list may have.

    ``heading`` is the id of its category.
    """

    key: str
    name: str
    model_name: str
    origins: Texts
    heading: str
    points: int
    second: int
    stats: Fields
    options: tuple[TranslatedOption, ...] = ()
    rules: Texts = ()
    least: int | None = None
    most: int | None = None
    is_limit_open: bool = False
    is_hidden: bool = False
    size: tuple[int | None, int | None] = (None, None)
    experience: int | None = None


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
    """All that a catalogue comes to, without the texts of its rules."""

    id: str
    name: str
    revision: str
    game_system: str
    units: tuple[TranslatedUnit, ...]
    categories: tuple[tuple[str, str], ...]
    price_type: str
    second_type: str
    files: tuple[tuple[str, str, str], ...]
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
