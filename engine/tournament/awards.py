"""What is given out at the end beside the first place: most kills, the sturdiest leader, the
luckiest dice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from engine.records import Numbers, Texts, frozen_dataclass, grouped
from engine.tournament.standings import standings
from engine.tournament.types import (
    Entrant,
    Result,
    Scoring,
    Standing,
    tally,
    times_text,
)

T = TypeVar("T")


@frozen_dataclass
class WarriorRecord:
    """One warrior's event: battles it stood in, models it put out of action, how often it was put
    out itself.
    """

    id: str
    name: str
    entry: str
    battles: int
    kills: int = 0
    out: int = 0
    is_leader: bool = False


@frozen_dataclass
class DiceRecord:
    """How often each face of one kind of die fell for an entry.

    ``is_low_good``: they were thrown to come low.
    """

    entry: str
    sides: int
    faces: Mapping[int, int]
    is_low_good: bool = False


@frozen_dataclass
class Award:
    """``winners`` are ids, of warriors or (for dice) of entries, several where nothing parts them;
    ``why`` for all.
    """

    key: str
    name: str
    winners: Texts
    why: str


def awards(
    warriors: Sequence[WarriorRecord], dice: Sequence[DiceRecord]
) -> tuple[Award, ...]:
    """The awards there are grounds for, in a fixed order.

    Raises ValueError for a face that its die does not have.
    """
    told = (most_kills(warriors), sturdiest_leader(warriors), luckiest_dice(dice))
    return tuple(award for award in told if award)


def most_kills(warriors: Sequence[WarriorRecord]) -> Award | None:
    """Whoever put most models out of action; None where nobody did."""
    best = _best(
        [one for one in warriors if one.kills > 0], lambda one: (Fraction(one.kills),)
    )
    if not best:
        return None
    return Award(
        "most_kills",
        "Most kills",
        _ids(best),
        f"{_count(best[0].kills, 'model')} taken out of action",
    )


def sturdiest_leader(warriors: Sequence[WarriorRecord]) -> Award | None:
    """The leader who was put out least often for the battles it stood in, and of those the one with
    most battles.

    Who stood in less than half as many battles as another leader is left aside. None where no
    leader fought.
    """
    leaders = [one for one in warriors if one.is_leader and one.battles > 0]
    if not leaders:
        return None
    most = max(one.battles for one in leaders)
    tried = [one for one in leaders if 2 * one.battles >= most]
    best = _best(
        tried, lambda one: (-Fraction(one.out, one.battles), Fraction(one.battles))
    )
    out = (
        "never taken out of action"
        if not best[0].out
        else f"taken out of action {times_text(best[0].out)}"
    )
    return Award(
        "sturdiest_leader",
        "Sturdiest leader",
        _ids(best),
        f"{out} in {_count(best[0].battles, 'battle')}",
    )


def luckiest_dice(dice: Sequence[DiceRecord]) -> Award | None:
    """Whose dice fell furthest on the good side of the average, for as many as they threw.

    Furthest in standard deviations of the sum, so that a hundred dice a little high beat two sixes.
    None where nobody's dice fell better than average.
    """
    luck: dict[str, _DiceAverage] = {}
    for record in dice:
        luck[record.entry] = luck.get(record.entry, _DiceAverage(record.entry)).with_more(
            record
        )
    best = _best(
        [one for one in luck.values() if one.above > 0],
        lambda one: (one.above**2 / one.variance,),
    )
    if not best:
        return None
    # Several may be as lucky with other numbers of dice: the figures are of who threw most.
    first = max(best, key=lambda one: one.thrown)
    above = f"{float(first.above / first.thrown):.2f}"
    why = f"{_count(first.thrown, 'die', 'dice')}, each better than average by {above} of a pip"
    return Award(
        "luckiest_dice", "Luckiest dice", tuple(sorted(one.entry for one in best)), why
    )


@frozen_dataclass
class _DiceAverage:
    """Dice thrown, how far their sum lies on the good side of the average, and the variance of that
    sum.
    """

    entry: str
    thrown: int = 0
    above: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)

    def with_more(self, record: DiceRecord) -> _DiceAverage:
        """Return the average with one record's dice added; ValueError for a wrong face."""
        if any(not 1 <= face <= record.sides for face in record.faces):
            raise ValueError(
                f"A die of {record.sides} sides shows a face from 1 to {record.sides}."
            )
        thrown = sum(record.faces.values())
        pips = sum(face * times for face, times in record.faces.items())
        above = pips - Fraction(thrown * (record.sides + 1), 2)
        return _DiceAverage(
            self.entry,
            self.thrown + thrown,
            self.above + (-above if record.is_low_good else above),
            # The variance of a fair die of n sides is (n² - 1) / 12.
            self.variance + Fraction(thrown * (record.sides**2 - 1), 12),
        )


def _best(ones: Sequence[T], key: Callable[[T], tuple[Fraction, ...]]) -> list[T]:
    """All of those that none is better than."""
    most = max(map(key, ones), default=None)
    return [one for one in ones if key(one) == most]


def _ids(warriors: Sequence[WarriorRecord]) -> Texts:
    return tuple(sorted(one.id for one in warriors))


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


@frozen_dataclass
class PlaceHistory:
    """An entry's place after each round; None before the round it joined in."""

    id: str
    name: str
    places: tuple[int | None, ...]


@frozen_dataclass
class PlaceHistories:
    """The numbers of the rounds, and each entry's course, the best of the table first."""

    rounds: Numbers
    courses: tuple[PlaceHistory, ...]


def rounds_met(results: Sequence[Result]) -> Numbers:
    """The numbers of the rounds in which two met, or should have: byes alone make no round."""
    return tuple(sorted({result.round for result in results if result.other is not None}))


def position_by_round(
    table: Sequence[Standing],
    results: Sequence[Result],
    scoring: Scoring,
    tie_breaks: Sequence[str] = (),
) -> PlaceHistories:
    """Everybody's place after each round that has more than byes to count; the last is that of the
    ``table``, which ``standings`` made of the same results.

    A play-off counts in the last round only.
    """
    rounds = rounds_met(results)
    entries = [line.entry for line in table]
    earlier = [
        places_after(number, entries, results, scoring, tie_breaks)
        for number in rounds[:-1]
    ]
    courses = []
    for line in table:
        places = [stood.get(line.id) for stood in earlier]
        if rounds:
            places.append(line.place)
        courses.append(PlaceHistory(line.id, line.name, tuple(places)))
    return PlaceHistories(rounds, tuple(courses))


def places_after(
    number: int,
    entries: Sequence[Entrant],
    results: Sequence[Result],
    scoring: Scoring,
    tie_breaks: Sequence[str] = (),
) -> dict[str, int]:
    """The place of everybody who was there after an earlier round, by their ids.

    A play-off counts in the last round only, so it parts nobody here.
    """
    since = {entry.id: entry.joined for entry in entries}
    for result in results:
        for one in result.ids:
            since[one] = min(since[one], result.round)
    here = [replace(entry, play_off=None) for entry in entries if since[entry.id] <= number]
    so_far = [result for result in results if result.round <= number]
    return {line.id: line.place for line in standings(here, so_far, scoring, tie_breaks)}


@frozen_dataclass
class OpponentRecord:
    """What one entry made of another, over all their games; ``rounds`` they met in, in order."""

    won: int
    drawn: int
    lost: int
    rounds: Numbers


@frozen_dataclass
class Matrix:
    """Everybody against everybody: ``rows`` in the order of ``ids``, None where two never met and
    on the diagonal.
    """

    ids: Texts
    names: Texts
    rows: tuple[tuple[OpponentRecord | None, ...], ...]


def head_to_head_matrix(table: Sequence[Standing]) -> Matrix:
    """Each entry's games against each other one, in the order of the table's lines.

    Byes and what was never played are no games.
    """
    ids = tuple(line.id for line in table)
    rows = []
    for line in table:
        played = [result for result in line.results if result.is_game]
        games = grouped((str(result.against(line.id)), result) for result in played)
        met = {other: _meeting(line.id, results) for other, results in games.items()}
        rows.append(tuple(met.get(other) for other in ids))
    return Matrix(ids, tuple(line.name for line in table), tuple(rows))


def _meeting(one: str, games: Sequence[Result]) -> OpponentRecord:
    rounds = tuple(sorted(result.round for result in games))
    return OpponentRecord(*tally(one, games), rounds)
