"""What is given out at the end beside the first place: most kills, the sturdiest leader, the
luckiest dice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain

from engine.records import Numbers, Texts, frozen_dataclass, grouped, quantity
from engine.tournament.standings import standings
from engine.tournament.types import Entrant, Result, Scoring, Standing, tally, times_text


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
    candidates = (most_kills(warriors), sturdiest_leader(warriors), luckiest_dice(dice))
    return tuple(filter(None, candidates))


def most_kills(warriors: Sequence[WarriorRecord]) -> Award | None:
    """Whoever put most models out of action; None where nobody did."""
    most = max((warrior.kills for warrior in warriors), default=0)
    if most <= 0:
        return None
    ids = tuple(sorted(warrior.id for warrior in warriors if warrior.kills == most))
    why = f"{quantity(most, 'model')} taken out of action"
    return Award("most_kills", "Most kills", ids, why)


def sturdiest_leader(warriors: Sequence[WarriorRecord]) -> Award | None:
    """The leader who was put out least often for the battles it stood in, and of those the one with
    most battles.

    Who stood in less than half as many battles as another leader is left aside. None where no
    leader fought.
    """
    leaders = [w for w in warriors if w.is_leader and w.battles > 0]
    if not leaders:
        return None
    most = max(leader.battles for leader in leaders)

    def rank(leader: WarriorRecord) -> tuple[Fraction, int]:
        return -Fraction(leader.out, leader.battles), leader.battles

    steady = [leader for leader in leaders if 2 * leader.battles >= most]
    best = max(steady, key=rank)
    ids = tuple(sorted(leader.id for leader in steady if rank(leader) == rank(best)))
    times = times_text(best.out)
    out = f"taken out of action {times}" if best.out else "never taken out of action"
    why = f"{out} in {quantity(best.battles, 'battle')}"
    return Award("sturdiest_leader", "Sturdiest leader", ids, why)


def luckiest_dice(dice: Sequence[DiceRecord]) -> Award | None:
    """Whose dice fell furthest on the good side of the average, for as many as they threw.

    Furthest in standard deviations of the sum, so that a hundred dice a little high beat two sixes.
    None where nobody's dice fell better than average.
    """
    thrown = Counter[str]()
    # How far the sum of dice lies on the good side of the average, and its variance.
    above: defaultdict[str, Fraction] = defaultdict(Fraction)
    variance: defaultdict[str, Fraction] = defaultdict(Fraction)
    for record in dice:
        entry, sides = record.entry, record.sides
        if any(not 1 <= face <= sides for face in record.faces):
            raise ValueError(f"A die of {sides} sides shows a face from 1 to {sides}.")
        count = sum(record.faces.values())
        pips = sum(face * times for face, times in record.faces.items())
        surplus = pips - Fraction(count * (sides + 1), 2)
        thrown[entry] += count
        above[entry] += -surplus if record.is_low_good else surplus
        # The variance of a fair die of n sides is (n² - 1) / 12.
        variance[entry] += Fraction(count * (sides**2 - 1), 12)
    luck = {
        entry: above[entry] ** 2 / variance[entry] for entry in thrown if above[entry] > 0
    }
    if not luck:
        return None
    best = [entry for entry in luck if luck[entry] == max(luck.values())]
    # Several may be as lucky with other numbers of dice: the figures are of who threw most.
    first = max(best, key=lambda entry: thrown[entry])
    mean = f"{float(above[first] / thrown[first]):.2f}"
    why = f"{quantity(thrown[first], 'die', 'dice')}, each better than average by {mean} of a pip"
    return Award("luckiest_dice", "Luckiest dice", tuple(sorted(best)), why)


def rounds_met(results: Sequence[Result]) -> Numbers:
    """The numbers of the rounds in which two met, or should have: byes alone make no round."""
    return tuple(sorted({result.round for result in results if result.other is not None}))


def position_by_round(
    table: Sequence[Standing],
    results: Sequence[Result],
    scoring: Scoring,
    tie_breaks: Sequence[str],
) -> dict[str, tuple[int | None, ...]]:
    """Everybody's place after each round that has more than byes to count, the best of the table
    first; None before the round they joined in.

    The last is that of the ``table``, which ``standings`` made of the same results. A play-off
    counts in the last round only.
    """
    rounds = rounds_met(results)
    entries = [line.entry for line in table]
    places = [
        places_after(number, entries, results, scoring, tie_breaks)
        for number in rounds[:-1]
    ]
    if rounds:
        places.append({line.id: line.place for line in table})
    return {line.id: tuple(after.get(line.id) for after in places) for line in table}


def places_after(
    number: int,
    entries: Sequence[Entrant],
    results: Sequence[Result],
    scoring: Scoring,
    tie_breaks: Sequence[str],
) -> dict[str, int]:
    """The place of everybody who was there after an earlier round, by their ids.

    A play-off counts in the last round only, so it parts nobody here.
    """
    joined = {entry.id: entry.joined for entry in entries}
    for result in results:
        for entry_id in result.ids:
            joined[entry_id] = min(joined[entry_id], result.round)
    present = [
        replace(entry, play_off=None) for entry in entries if joined[entry.id] <= number
    ]
    so_far = [result for result in results if result.round <= number]
    table = standings(present, so_far, scoring, tie_breaks)
    return {line.id: line.place for line in table}


@frozen_dataclass
class OpponentRecord:
    """What one entry made of another, over all their games; ``rounds`` they met in, in order."""

    won: int
    drawn: int
    lost: int
    rounds: Numbers


def head_to_head_matrix(
    table: Sequence[Standing],
) -> dict[str, tuple[OpponentRecord | None, ...]]:
    """Each entry's games against each other one, in the order of the table's lines; None where two
    never met and on the diagonal.

    Byes and what was never played are no games, a three-player game is one of each two in it.
    """
    matrix = {}
    for line in table:
        played = [result for result in line.results if result.is_game]
        games = grouped(chain.from_iterable(result.meetings(line.id) for result in played))
        met = {}
        for other, results in games.items():
            rounds = tuple(sorted(result.round for result in results))
            met[other] = OpponentRecord(*tally(line.id, results), rounds)
        matrix[line.id] = tuple(met.get(other.id) for other in table)
    return matrix
