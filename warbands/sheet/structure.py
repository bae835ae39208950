"""What a sheet holds. Plain values: whoever draws them only lays them out.

What a campaign made of a warband is there in the words and boxes that every drawing shows.
"""

from dataclasses import replace
from datetime import date

from engine.equipment import CarriedWeapon, Save
from engine.findings.case import Finding
from engine.morale import RoutThreshold
from engine.records import Numbers, TextPairs, Texts, frozen_dataclass, quantity
from engine.roster import EntryGrowth, Roster, RosterGrowth
from engine.selection import ReceiptLine
from engine.text import capital, in_number
from engine.types.lists import POINTS, Currency, Figure, Stat
from engine.types.mechanics import Chart, RollTable, RuleNote, State
from engine.types.systems import PLAIN_WORDS, SystemWords
from warbands.models import NOTE_MAX, WARRIOR_NOTE_MAX

FINDINGS_SHOWN = (
    100  # of a roster, as the templates that slice them; the gravest come first
)

_OF_PRICES = ("points.", "price.", "list.second")  # how the codes of findings begin


@frozen_dataclass
class SheetLine:
    """One stat line as printed: ``cells`` in the system's order; ``changed`` stats differ from the
    model's. ``bases`` are the printed figures of those that a campaign has changed.
    """

    name: str
    role: str
    cells: TextPairs
    changed: frozenset[str] = frozenset()
    count: int | None = None
    wounds: int | None = None
    bases: TextPairs = ()


BOXES_MOST = 30
BOXES_AHEAD = 3
"""Blank boxes behind the experience of now: what the next battles may fill."""
TRACK_MOST = 90


@frozen_dataclass
class ExperienceBox:
    """A point of experience; a step is where an advance is due."""

    number: int
    is_filled: bool
    is_step: bool


@frozen_dataclass
class ExperienceTrack:
    """The boxes of an entry up to its kind's last step: once for a group, else for each model."""

    experience: int
    steps: Numbers
    is_group: bool = False

    @property
    def boxes(self) -> tuple[ExperienceBox, ...]:
        """At most 90, the last of them still blank."""
        last = max(self.experience + BOXES_AHEAD, min(self.steps[-1], TRACK_MOST))
        return _boxes_to(last, TRACK_MOST, self.experience, self.steps)


def experience_boxes(growth: EntryGrowth) -> tuple[ExperienceBox, ...]:
    """The boxes up to the next step, at least three of them blank; none for who cannot grow.

    At most 30: those before stand in the words alone.
    """
    if not growth.steps:
        return ()
    # Who has taken every step still writes experience down: the rating counts it.
    last = max(growth.experience + BOXES_AHEAD, growth.next_step or 0)
    return _boxes_to(last, BOXES_MOST, growth.experience, growth.steps)


def _boxes_to(
    last: int, most: int, experience: int, steps: Numbers
) -> tuple[ExperienceBox, ...]:
    return tuple(
        ExperienceBox(number, number <= experience, number in steps)
        for number in range(max(1, last - most + 1), last + 1)
    )


@frozen_dataclass
class UnitRanks:
    """A unit at full strength: ``ranks`` of ``frontage`` models, the last perhaps not full, and the
    bonus for them.
    """

    models: int
    ranks: int
    frontage: int
    bonus: int

    @property
    def words(self) -> str:
        """In a phrase: "20 models in 4 ranks of 5, rank bonus +3"."""
        models = quantity(self.models, "model")
        ranks = f"{quantity(self.ranks, 'rank')} of {self.frontage}"
        return f"{models} in {ranks}" + (
            f", rank bonus +{self.bonus}" if self.bonus else ""
        )


@frozen_dataclass
class SheetWarrior:
    """One entry of the roster: ``count`` warriors alike, numbered from ``number``."""

    index: int
    id: int | None
    number: int
    profile_key: str
    title: str
    name: str
    names: Texts
    subtitle: str
    count: int
    miniatures: int
    is_leader: bool
    is_known: bool
    category: str
    lines: tuple[SheetLine, ...]
    wounds: int | None
    save: Save
    arms: tuple[CarriedWeapon, ...]
    gear: Texts
    rules: Texts
    options: Texts
    lore: str
    lores: Texts
    wizard_level: int | None
    leadership: int | None
    move: int | None
    run: int | None
    charge: int | None
    spotting: int | None
    flight: str
    points: int
    points_each: int
    receipt: tuple[ReceiptLine, ...]
    note: str
    findings: tuple[Finding, ...] = ()
    doubts: Texts = ()
    run_name: str = "Run"
    ranks: UnitRanks | None = None
    growth: EntryGrowth | None = None
    track: ExperienceTrack | None = None

    @property
    def is_unit(self) -> bool:
        """Whether its miniatures act as one body, and are told of as one."""
        return self.ranks is not None

    def shoots(self) -> bool:
        return any(arm.is_missile for arm in self.arms)

    @property
    def rings(self) -> int | None:
        """Rings to draw for its wounds: none for a unit, whose models are crossed out beside it."""
        return None if self.is_unit else self.wounds

    @property
    def combatant_points(self) -> int:
        """Points of what goes out at once: of a whole unit, or of one miniature."""
        return self.points if self.is_unit else self.points_each

    @property
    def heading(self) -> str:
        """How a list names it: "4x Halberdier", "Captain"."""
        return f"{self.count}x {self.title}" if self.count > 1 else self.title

    @property
    def main_line(self) -> SheetLine | None:
        return self.lines[0] if self.lines else None

    @property
    def remarks(self) -> Texts:
        """What every drawing shows below its gear: what a campaign made of it, line by line."""
        if self.growth is None:
            return ()
        gear = {name.lower() for name in self.gear}
        goods = (
            good for good in self.growth.goods if good[1] or good[0].lower() not in gear
        )
        return growth_lines(replace(self.growth, goods=tuple(goods)), self.count)


@frozen_dataclass
class ChartRows:
    """The rows of a chart this roster needs: (row key, cells, who needs it)."""

    chart: Chart
    rows: tuple[tuple[str, tuple[Figure, ...], Texts], ...]


@frozen_dataclass
class Reference:
    """The quick reference: only what this roster needs.

    ``saves`` are rows of (save, needs by Strength column, who), ``gear_sources`` names of weapons
    and armour with the source of their figures.
    """

    charts: tuple[ChartRows, ...]
    save_strengths: Texts
    saves: tuple[tuple[str, tuple[Figure, ...], Texts], ...]
    arms: tuple[CarriedWeapon, ...]
    tables: tuple[RollTable, ...]
    states: tuple[State, ...]
    sections: tuple[tuple[str, tuple[RuleNote, ...]], ...]
    borrowed: Texts
    gear_sources: TextPairs = ()


@frozen_dataclass
class SecondTotal:
    """What all of a roster come to in the second price of their list, and what it is called."""

    name: str
    total: int


@frozen_dataclass
class RosterSheet:
    """Everything a referee wants to be handed about one warband.

    What the system does not know is not shown: ``shows_saves``, ``shows_wounds``, ``leader_name``
    (empty). Points are shown unless nobody counts them or an opponent reads. ``is_of_units``:
    entries are regiments.

    Whose it is and what is printed on it besides (``owner``, ``club``, ``version``, ``printed_on``,
    ``url``, ``is_opponents_copy``; of a game its ``opponent`` and ``table``) come from outside the
    roster: whoever draws it puts them in. ``currency`` is what its list counts prices in. ``purse``
    are the currencies of the campaign rules of its system, where its list plays by them.
    """

    name: str
    system_key: str
    system_name: str
    army_key: str
    army_name: str
    stats: tuple[Stat, ...]
    states: tuple[State, ...]
    marks: Texts
    owner: str
    club: str
    points: int
    points_limit: int | None
    models: int
    leader: str
    rout: RoutThreshold | None
    scenario: str
    house_rules: Texts
    warriors: tuple[SheetWarrior, ...]
    findings: tuple[Finding, ...]
    reference: Reference
    tags: Texts = ()
    note: str = ""
    version: int = 0
    printed_on: date | None = None
    url: str = ""
    is_opponents_copy: bool = False
    counts_points: bool = True
    shows_saves: bool = True
    shows_wounds: bool = True
    leader_name: str = "Leader"
    is_of_units: bool = False
    words: SystemWords = PLAIN_WORDS
    rulings: Texts = ()
    opponent: str = ""
    table: str = ""
    growth: RosterGrowth | None = None
    currency: Currency = POINTS
    second: SecondTotal | None = None
    purse: Texts = ()

    @property
    def unit(self) -> str:
        """What its prices are counted in, in short; "" where nobody counts points."""
        return self.currency.short if self.counts_points else ""

    @property
    def price_name(self) -> str:
        """What its prices are counted in, as a heading: "Points", "Gold crowns"."""
        return capital(self.currency.name)

    @property
    def second_words(self) -> str:
        """What the list adds up beside the points: "Warband rating 118"; "" where nothing is."""
        if self.second is None or not self.shows_points:
            return ""
        return f"{self.second.name} {self.second.total}"

    @property
    def shows_points(self) -> bool:
        return self.counts_points and not self.is_opponents_copy

    @property
    def has_records(self) -> bool:
        """Whether its warriors write down experience, skills and injuries; opponents do not."""
        return bool(self.purse) and not self.is_opponents_copy

    @property
    def purse_labels(self) -> Texts:
        """What has room on it to write down; a campaign prints its own treasury."""
        is_blank = self.has_records and self.growth is None
        return (*map(capital, self.purse), "Stash") if is_blank else ()

    @property
    def shown_currency(self) -> Currency | None:
        """What the prices that it shows are counted in; None where it shows none."""
        return self.currency if self.shows_points else None

    @property
    def shown_findings(self) -> tuple[Finding, ...]:
        """The findings that its reader is told: an opponent none about points, which they tell."""
        if not self.is_opponents_copy:
            return self.findings
        return tuple(f for f in self.findings if not f.code.startswith(_OF_PRICES))

    @property
    def errors(self) -> int:
        return self._count("error")

    @property
    def warnings(self) -> int:
        return self._count("warning")

    @property
    def notes(self) -> int:
        return self._count("note")

    def _count(self, level: str) -> int:
        return sum(finding.level == level for finding in self.findings)

    @property
    def waived(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.waived_by)


# What a campaign made of a warband: lines of a unit, and of the head


def growth_lines(growth: EntryGrowth | None, count: int) -> Texts:
    """What a campaign made of an entry of so many models, a line for each sort of thing.

    Nothing outside campaigns.
    """
    if growth is None:
        return ()
    line = f"{growth.kind}, experience {growth.experience}"
    if growth.next_step is not None:
        line += f", next advance at {growth.next_step}"
    changes = (f"{c.stat} {c.now} (printed {c.base})" for c in growth.changed)
    lines = [line, ", ".join(changes)]
    if growth.skills:
        lines.append(f"Skills: {_told(growth.skills)}")
    if growth.goods:
        lines.append(f"Goods: {_told(growth.goods)}")
    if growth.injuries:
        lines.append(f"Injuries: {', '.join(growth.injuries)}")
    return tuple(filter(None, (*lines, growth.describe_absence(count))))


def _told(pairs: TextPairs) -> str:
    """Names with their words in brackets: who plays by them has no other place to look."""
    return ", ".join(
        f"{name} ({text.removesuffix('.')})" if text else name for name, text in pairs
    )


def head_lines(growth: RosterGrowth | None) -> Texts:
    """What stands at the head of a sheet: campaign, rating, what the warband owns."""
    if growth is None:
        return ()
    lines = [f"{growth.campaign}: warband rating {growth.rating}"]
    if growth.treasury:
        amounts = (
            f"{amount} {in_number(name, amount)}" for name, amount in growth.treasury
        )
        lines.append(f"Treasury: {', '.join(amounts)}")
    if growth.stash:
        lines.append(f"Stash: {', '.join(growth.stash)}")
    if growth.territories:
        lines.append(f"Territories: {', '.join(growth.territories)}")
    return tuple(lines)


def for_others(growth: RosterGrowth) -> RosterGrowth:
    """The head as opponents are handed it: without treasury and stash."""
    return replace(growth, treasury=(), stash=())


# A roster without what a campaign made of it, or with that in its notes.


def without_growth(roster: Roster) -> Roster:
    """The roster as its campaign was told it, without what happened there."""
    entries = tuple(replace(entry, growth=None) for entry in roster.warriors)
    return replace(roster, warriors=entries, growth=None)


def with_growth_as_notes(roster: Roster) -> Roster:
    """A plain roster; what a campaign made of it stands in its notes, as far as they hold it."""
    entries = []
    for entry in roster.warriors:
        lines = growth_lines(entry.growth, entry.count)
        note = _appended(entry.note, lines, WARRIOR_NOTE_MAX)
        entries.append(replace(entry, note=note, growth=None))
    head = head_lines(roster.growth)
    note = _appended(roster.note, head, NOTE_MAX)
    return replace(roster, warriors=tuple(entries), note=note, growth=None)


def _appended(note: str, lines: Texts, most: int) -> str:
    return "\n".join((note, *lines)).strip()[:most].strip() if lines else note
