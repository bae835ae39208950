"""What the steps of a result come to, in their order, and what they change in the records
of warbands and warriors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime
from operator import add, attrgetter, sub

from battles.models import Battle, BattleStatus, ResultVerb
from engine.battles.rules import Ending
from engine.records import (
    Fields,
    JsonObject,
    Texts,
    copy_fields,
    frozen_dataclass,
    named_values,
    quantity,
)

# What the steps of a result come to, in their order.
#
# Pure: no database, no clock of its own. Which step may follow is in
# `battles.result_rules`.


@frozen_dataclass
class ResultStep:
    """One step of a result, as `battles.models.ResultEntry` keeps it.

    ``winner`` is "" for nobody.
    """

    verb: str
    side: str
    winner: str
    how: str
    reason: str
    confirm_by: datetime | None
    at: datetime
    author_id: int | None = None
    author_key: str = ""
    is_silent: bool = False
    awaits_organiser: bool = False

    @property
    def title(self) -> str:
        """What was done, in words."""
        if self.is_silent:
            return "Confirmed automatically: no reply in time"
        return str(ResultVerb(self.verb).label)


@frozen_dataclass
class ResultState:
    """What a result is now.

    ``side`` proposed it (``owner_id``, ``owner_key``: who), ``confirm_by`` ends the waiting.
    ``previous`` is what it was before the step that made it so.
    """

    status: str = BattleStatus.OPEN
    winner: str = ""
    how: str = ""
    side: str = ""
    owner_id: int | None = None
    owner_key: str = ""
    confirm_by: datetime | None = None
    previous: ResultState | None = field(default=None, compare=False, repr=False)

    def after_silence(self, now: datetime) -> ResultState:
        """The same with silence heard: a proposed result whose time is over is confirmed."""
        if not is_silent(self, now):
            return self
        return replace(self, status=BattleStatus.CONFIRMED, confirm_by=None)

    @property
    def columns(self) -> Fields:
        """What the battle's row says of it."""
        shared = named_values(self, "status", "winner", "how", "confirm_by")
        return {**shared, "proposed_by": self.side}

    @property
    def stands(self) -> bool:
        """Whether it counts for records and careers."""
        return self.status == BattleStatus.CONFIRMED


def outcome_words(ending: Ending | None, winner: str) -> str:
    """Who won and how in a phrase: "Ada won, rout"; "draw" without the name of a winner.

    ``ending`` is None where the rules know no such ending.
    """
    if ending is None:
        return f"{winner} won" if winner else "draw"
    if not winner:
        return ending.words_without_winner.lower()
    return f"{winner} won, {ending.name.lower()}"


def is_silent(result: ResultState | Battle, now: datetime) -> bool:
    """Whether it was proposed and nobody has answered in time."""
    is_waiting = result.status == BattleStatus.PROPOSED
    return is_overdue(result.confirm_by, now, is_waiting=is_waiting)


def is_overdue(until: datetime | None, now: datetime, *, is_waiting: bool) -> bool:
    """Whether the time to answer what waits is over; without ``until`` it never is."""
    return is_waiting and until is not None and until <= now


def fold_result(entries: Sequence[ResultStep]) -> ResultState:
    """The fold of the entries, in their order.

    What silence did counts once it is written, or through ``after_silence``.
    """
    standing = ResultState()
    for entry in entries:
        standing = after(standing, entry)
    return standing


def after(standing: ResultState, entry: ResultStep) -> ResultState:
    """What one more entry makes of a result."""
    back = replace(standing.previous or ResultState(), confirm_by=entry.confirm_by)
    match entry.verb:
        case ResultVerb.UNDO:
            return back
        case ResultVerb.PROPOSE | ResultVerb.CORRECT:
            # Until those who are asked answer, it does not stand.
            is_asking = entry.awaits_organiser or entry.confirm_by is not None
            new = copy_fields(
                ResultState,
                entry,
                status=BattleStatus.PROPOSED if is_asking else BattleStatus.CONFIRMED,
                owner_id=entry.author_id,
                owner_key=entry.author_key,
            )
        case ResultVerb.CONFIRM:
            new = replace(standing, status=BattleStatus.CONFIRMED, confirm_by=None)
        case ResultVerb.DISPUTE:
            new = replace(standing, status=BattleStatus.DISPUTED, confirm_by=None)
        case ResultVerb.VOID:
            new = ResultState(status=BattleStatus.VOID)
        case _:
            new = back
    return replace(new, previous=standing)


def silence(standing: ResultState, now: datetime) -> ResultStep:
    """The entry of nobody having objected."""
    by = standing.confirm_by or now
    return ResultStep(
        ResultVerb.CONFIRM, "", "", "", "No dispute in time.", None, by, is_silent=True
    )


# Records of warbands and warriors, and what a step of a result would change of them.


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
        return CareerTotals(*map(add, _FIGURES(self), _FIGURES(other)))

    def __sub__(self, other: CareerTotals) -> CareerTotals:
        return CareerTotals(*map(sub, _FIGURES(self), _FIGURES(other)))

    @property
    def result(self) -> str:
        """Of one battle: won, drawn or lost."""
        return "won" if self.won else "drawn" if self.drawn else "lost"

    @property
    def summary(self) -> str:
        """How people say it: "3 wins, 1 draw", "no battles"."""
        counts = (
            (self.won, "win", "wins"),
            (self.drawn, "draw", "draws"),
            (self.lost, "loss", "losses"),
        )
        phrases = [quantity(count, noun, nouns) for count, noun, nouns in counts if count]
        return ", ".join(phrases) or "no battles"


NO_TOTALS = CareerTotals()
# A page adds hundreds of them, and `astuple` copies each figure.
_FIGURES = attrgetter("battles", "won", "drawn", "lost", "kills", "out")


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
class TallyChange:
    """What a step would make of one record: a side's warband, or one of its warriors.

    ``name`` is whose.
    """

    side: str
    name: str
    before: CareerTotals
    after: CareerTotals
    warrior_id: int | None = None


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
    def sentence(self) -> str:
        """ "Hanna: 1st → 3rd, 10 → 7 points." """
        changes = []
        if self.place_before != self.place_after:
            changes.append(f"{ordinal(self.place_before)} → {ordinal(self.place_after)}")
        if self.points_before != self.points_after:
            changes.append(f"{self.points_before} → {self.points_after} points")
        return f"{self.name}: {', '.join(changes)}."


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
