"""Records of warbands and warriors, and what a step of a result would change of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from operator import add, sub

from engine.records import JsonObject, Texts, frozen_dataclass


@frozen_dataclass
class CareerTotals:
    """What a warband's, or a warrior's, battles come to. Only results that stand are counted."""

    battles: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    kills: int = 0
    out: int = 0

    def __add__(self, other: CareerTotals) -> CareerTotals:
        return self._with(other, add)

    def __sub__(self, other: CareerTotals) -> CareerTotals:
        return self._with(other, sub)

    def _with(self, other: CareerTotals, act: Callable[[int, int], int]) -> CareerTotals:
        """Return totals whose every figure is ``act`` of the two."""
        # Field by field: a page adds hundreds of them, and `astuple` copies each figure.
        return CareerTotals(
            battles=act(self.battles, other.battles),
            won=act(self.won, other.won),
            drawn=act(self.drawn, other.drawn),
            lost=act(self.lost, other.lost),
            kills=act(self.kills, other.kills),
            out=act(self.out, other.out),
        )

    @property
    def words(self) -> str:
        """How people say it: "3 wins, 1 draw", "no battles"."""
        counts = ((self.won, "win"), (self.drawn, "draw"), (self.lost, "loss"))
        told = [_counted(count, one) for count, one in counts if count]
        return ", ".join(told) or "no battles"


def _counted(count: int, one: str) -> str:
    """ "1 loss", "2 losses"."""
    many = f"{one}es" if one.endswith("s") else f"{one}s"
    return f"{count} {one if count == 1 else many}"


NO_TOTALS = CareerTotals()


@frozen_dataclass
class GrownCareer:
    """What a campaign made of a warrior, as far as the reader may know it.

    ``advances``, ``injuries`` and what a group ``lost`` name their rounds. ``came_from`` is the
    group that it was promoted out of, ``ended`` how it ended; both are "" for most.
    """

    kind: str
    experience: int
    advances: Texts = ()
    injuries: Texts = ()
    lost: Texts = ()
    came_from: str = ""
    ended: str = ""


@frozen_dataclass
class WarriorCareer:
    """One miniature across its battles, newest name first.

    ``is_there``: the warband still has the entry. ``recorded`` are the battles whose casualties
    somebody recorded.

    ``growth`` is what a campaign made of it, once for each entry of its warband.
    """

    warrior_id: int | None
    number: int
    name: str
    title: str
    tally: CareerTotals
    is_there: bool
    recorded: int = 0
    growth: GrownCareer | None = None


@frozen_dataclass
class CareerBattle:
    """A battle of a warband.

    ``result`` is won, drawn or lost; ``changes``: what was different from its last one.
    ``is_recorded``: somebody recorded its casualties.
    """

    token: str
    fought_date: date
    scenario_name: str
    opponents: Texts
    result: str
    how: str
    how_name: str
    out: int
    size: int
    kills: int
    changes: Texts
    is_recorded: bool


@frozen_dataclass
class HeadToHead:
    """A warband against one opponent.

    ``warband`` is the opponent's token, or "" where the reader may not open it.
    """

    warband: str
    name: str
    army_name: str
    owner_name: str
    tally: CareerTotals
    last_date: date


@frozen_dataclass
class Career:
    """A warband across its battles and against each opponent.

    ``hidden`` counted ones are not listed for the reader, ``recorded`` ones have casualties.
    """

    warband: str
    name: str
    system: str
    tally: CareerTotals
    warriors: tuple[WarriorCareer, ...]
    battles: tuple[CareerBattle, ...]
    hidden: int
    recorded: int
    opponents: tuple[HeadToHead, ...]


@frozen_dataclass
class TallyChange:
    """What a step would make of one record: a side's warband, or one of its warriors.

    ``name`` is whose.
    """

    side: str
    name: str
    before: CareerTotals
    after: CareerTotals
    warrior_id: int | None = None


@frozen_dataclass
class LaterBattle:
    """A later battle of one of the warbands, whose snapshot stays as it was locked."""

    side: str
    token: str
    title: str
    fought_date: date


def ordinal(place: int) -> str:
    """ "1st", "2nd", "11th"; "–" for no place yet."""
    if not place:
        return "–"
    ending = (
        "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    )
    return f"{place}{ending}"


@frozen_dataclass
class PlaceChange:
    """One entry's place and points before and after."""

    name: str
    place_before: int
    place_after: int
    points_before: int
    points_after: int

    @property
    def words(self) -> str:
        """ "Hanna: 1st → 3rd, 10 → 7 points." """
        told = []
        if self.place_before != self.place_after:
            told.append(f"{ordinal(self.place_before)} → {ordinal(self.place_after)}")
        if self.points_before != self.points_after:
            told.append(f"{self.points_before} → {self.points_after} points")
        return f"{self.name}: {', '.join(told)}."


@frozen_dataclass
class TableChange:
    """What would move in the table of an event; empty where nothing does."""

    event: str
    name: str
    changes: tuple[PlaceChange, ...]


@frozen_dataclass
class GrowthChange:
    """What would move in a campaign whose warbands grow: in words, and as programs read it."""

    lines: Texts
    answer: JsonObject


@frozen_dataclass
class Consequences:
    """Everything a step would change, before it is taken.

    ``before`` and ``after`` are (status, winner's key or None, how). ``standings`` is what moves in
    the table of the event it counts in, None where it counts in none that the reader may see;
    ``growth`` what moves in a campaign whose warbands grow, None elsewhere.
    """

    verb: str
    before: tuple[str, str | None, str]
    after: tuple[str, str | None, str]
    sentences: Texts
    warbands: tuple[TallyChange, ...]
    warriors: tuple[TallyChange, ...]
    later: tuple[LaterBattle, ...]
    confirm_by: datetime | None = None
    standings: TableChange | None = None
    growth: GrowthChange | None = None
