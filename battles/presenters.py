"""What the page, the report and the exports of a battle lay out.

Only arranges; the fold has worked everything out.
"""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, groupby
from math import sqrt

from django.utils.html import escape
from django.utils.text import capfirst

from battles import results
from battles.after_battle import DEVICE, FORCED
from battles.combatants import LockedCombatant
from battles.models import BattleStatus
from battles.queries.index import BattleRecord, BattleSideRecord
from engine.battles.battle_summary import Casualty, TestTaken, TimelineEntry
from engine.battles.rules import BattleRules
from engine.battles.state import lowered
from engine.battles.types import UNDONE, CombatantState
from engine.records import Fields, Texts, copy_fields, frozen_dataclass
from warbands.queries.lists import currency_of

UNTOLD = ("turn", "phase", "undo")
"""Kinds of events that the timeline tells by where it puts the others."""
DICE_TOLD_FROM = 12
"""Dice thrown from which the mean says anything about luck."""
_USUAL = 2.0
"""Standard errors around the mean within which 19 of 20 such rows of dice fall."""
LINES_SHOWN = 1000  # of what happened
LINES_BYTES = (
    500_000  # of the same: a note may hold 500 characters, and one of them six bytes
)
LINES_ASIDE = 200


@frozen_dataclass
class CombatantLine:
    """A combatant after the battle.

    ``out_in`` is the turn it went out in, 0 where that is not known.

    ``remaining`` is what is left of one that lost some: "Wounds left 1 of 2". ``undecided`` is the
    test it never took ("injury"). ``is_unharmed``: nothing is told of it.
    """

    id: str
    name: str
    title: str
    is_leader: bool
    state: str
    state_key: str
    is_out: bool
    remaining: str
    kills: int
    out_in: int
    by: str
    is_unharmed: bool
    undecided: str


@frozen_dataclass
class SideTable:
    """A side with what became of everybody in it.

    ``is_winner`` where nobody has objected; ``tests`` are of Rout. ``unit`` is what its points are
    counted in.
    """

    side: BattleSideRecord
    is_winner: bool
    lines: tuple[CombatantLine, ...]
    tests: Texts
    unit: str

    @property
    def kills(self) -> int:
        return sum(line.kills for line in self.lines)

    @property
    def harmed(self) -> list[CombatantLine]:
        """Those who are out first, then the others of whom there is something to tell."""
        lines = [line for line in self.lines if not line.is_unharmed]
        return sorted(lines, key=lambda line: not line.is_out)

    @property
    def undecided(self) -> list[CombatantLine]:
        """Those whose last Wound is gone, and of whom nobody said what became of them."""
        return [line for line in self.lines if line.undecided]

    @property
    def unharmed(self) -> list[CombatantLine]:
        return [line for line in self.lines if line.is_unharmed]


@frozen_dataclass
class TurnBlock:
    """What happened in one turn of one side, or what was told of the battle afterwards."""

    title: str
    side: str
    entries: Sequence[TimelineEntry]


# The sides


def side_tables(record: BattleRecord) -> tuple[SideTable, ...]:
    """Each side with its combatants, in the order of the roster."""
    casualties = {casualty.combatant: casualty for casualty in record.summary.casualties}
    turns = _known_turns(record, casualties)
    result, rout = record.result, record.rules.rout
    is_winner_known = result.status in (BattleStatus.CONFIRMED, BattleStatus.PROPOSED)
    rout_tests = [
        test
        for test in record.summary.tests
        if rout and test.test == rout.test and not test.combatant
    ]
    return tuple(
        SideTable(
            side=side,
            is_winner=is_winner_known and result.winner == side.key,
            lines=tuple(
                _line(record, fighter, casualties.get(fighter.id), turns)
                for fighter in side.fighters
            ),
            tests=tuple(
                _describe_test(record, test) for test in rout_tests if test.side == side.key
            ),
            unit=currency_of(record.system, side.army).short,
        )
        for side in record.sides
    )


def _line(
    record: BattleRecord,
    fighter: LockedCombatant,
    casualty: Casualty | None,
    turns: Mapping[str, int],
) -> CombatantLine:
    """Return a combatant's line: how it ended, its kills, and who put it out."""
    now, rules = record.state.combatants[fighter.id], record.rules
    remaining = "" if now.is_out else ", ".join(_losses(rules, fighter, now))
    passing = {rules.begins, *(become.state for become in rules.becomes)}
    return copy_fields(
        CombatantLine,
        fighter,
        state=rules.states[now.state].name,
        state_key=now.state,
        is_out=now.is_out,
        remaining=remaining,
        kills=now.kills,
        out_in=turns.get(fighter.id, 0),
        by=record.combatant_name(casualty.by) if casualty else "",
        is_unharmed=not remaining and not now.kills and now.state in passing,
        undecided=lowered(rules.tests[now.asks].name) if now.asks else "",
    )


def _losses(
    rules: BattleRules, fighter: LockedCombatant, now: CombatantState
) -> Iterator[str]:
    """What a combatant has left of its Wounds and models, where it lost any."""
    if now.wounds is not None and now.wounds != fighter.wounds and fighter.wounds:
        yield f"Wounds left {now.wounds} of {fighter.wounds}"
    for name, left in now.counters.items():
        counter = rules.counters[name]
        if counter.begins == "models" and left != fighter.models:
            yield f"{counter.name} {left} of {fighter.models}"


def _known_turns(
    record: BattleRecord, casualties: Mapping[str, Casualty]
) -> Mapping[str, int]:
    """The turns of casualties, where recorded: the form after the battle does not ask when."""
    latest = {
        entry.who: entry.event
        for entry in record.summary.timeline
        if entry.who and not entry.verdict
    }
    reported = _reported_after_battle(record)
    return {
        key: casualty.turn
        for key, casualty in casualties.items()
        if latest.get(key) not in reported
    }


def _reported_after_battle(record: BattleRecord) -> frozenset[str]:
    """The events that came from the form after the battle."""
    return frozenset(event.id for event in record.events if event.device == DEVICE)


def _describe_test(record: BattleRecord, test: TestTaken) -> str:
    """A test in a phrase: "Rout test in turn 4: 11, needed 7 or less, failed"."""
    name = test.name
    if test.event not in _reported_after_battle(record):
        name = f"{name} in {record.rules.turn_name.lower()} {test.turn}"
    outcome = test.outcome or "taken"
    if test.passed is not None:
        outcome = "passed" if test.passed else "failed"
    if test.score is None:
        return f"{name}: {outcome}"
    more = "less" if record.rules.tests[test.test].passes == "at_most" else "more"
    needed = "" if test.needed is None else f", needed {test.needed} or {more}"
    return f"{name}: {test.score}{needed}, {outcome}"


# The timeline


def _counted_entries(record: BattleRecord) -> list[TimelineEntry]:
    """Return the entries that counted, without turns, phases and undo."""
    return [
        entry
        for entry in record.summary.timeline
        if not entry.verdict and entry.kind not in UNTOLD
    ]


def _shown_entries(record: BattleRecord) -> list[TimelineEntry]:
    """As many of the counted entries as a page holds, from the first on."""
    entries = _counted_entries(record)[:LINES_SHOWN]
    sizes = [len(escape(entry.text + entry.note).encode()) for entry in entries]
    return entries[: bisect(list(accumulate(sizes)), LINES_BYTES)]


def lines_left(record: BattleRecord) -> int:
    """How many lines of the turns are not drawn: a page has an end, and the files have them all."""
    return len(_counted_entries(record)) - len(_shown_entries(record))


def turn_blocks(record: BattleRecord) -> list[TurnBlock]:
    """What counted, a block for each turn of each side; those in which nothing happened are left
    out.
    """
    reported = _reported_after_battle(record)
    blocks = groupby(
        _shown_entries(record),
        key=lambda entry: (
            ("Entered after the battle", None)
            if entry.event in reported
            else (f"{record.rules.turn_name} {entry.turn}", entry.side)
        ),
    )
    return [
        TurnBlock(
            title, record.side_name(side), [_without_form(entry) for entry in entries]
        )
        for (title, side), entries in blocks
    ]


def set_aside_lines(record: BattleRecord) -> list[TimelineEntry]:
    """What was taken back, and what the rules did not let count.

    An undo stands there only where it was itself undone.
    """
    superseded = [entry for entry in record.summary.timeline if entry.verdict]
    return [
        _without_form(entry)
        for entry in superseded[:LINES_ASIDE]
        if entry.verdict == UNDONE or entry.kind != "undo"
    ]


def _without_form(entry: TimelineEntry) -> TimelineEntry:
    """The entry; one that the form after the battle forced as if nobody had."""
    is_of_form = entry.note == FORCED
    return replace(entry, note="", is_forced=False) if is_of_form else entry


# The dice

_STEP, _BAR, _HEIGHT = 10, 8, 30


def dice_rows(record: BattleRecord) -> list[Fields]:
    """How the dice fell, by side and by who threw them: what the chart of each kind draws.

    A bar is its face, count, x, y and height in the units of the drawing (0, 0 is the upper left
    corner). The most frequent face fills ``_HEIGHT``; ``line`` is where equal bars would end.
    """
    rows = []
    for dice in record.summary.dice:
        most = max(*dice.faces.values(), 1)
        bars = []
        for face, count in sorted(dice.faces.items()):
            x, height = (face - 1) * _STEP + (_STEP - _BAR) / 2, _HEIGHT * count / most
            bars.append((face, count, x, _HEIGHT - round(height, 2), round(height, 2)))
        mean = sum(face * count for face, count in dice.faces.items()) / dice.thrown
        rows.append(
            {
                "side": record.side_name(dice.side),
                "die": f"D{dice.sides}",
                "source": "rolled here" if dice.source == "app" else "typed in",
                "thrown": dice.thrown,
                "bars": bars,
                "width": dice.sides * _STEP,
                "line": round(_HEIGHT - _HEIGHT * dice.thrown / dice.sides / most, 2),
                "mean": round(mean, 2),
                "expected": (dice.sides + 1) / 2,
                "luck": luck_words(dice.sides, dice.thrown, mean),
            }
        )
    return rows


def luck_words(sides: int, thrown: int, mean: float) -> str:
    """What the mean of so many dice says: within what 19 of 20 such rows come to, or beyond it."""
    if thrown < DICE_TOLD_FROM:
        return "too few dice to judge"
    off = (mean - (sides + 1) / 2) / sqrt((sides**2 - 1) / 12 / thrown)
    if abs(off) <= _USUAL:
        return "within the usual range"
    return f"{'higher' if off > 0 else 'lower'} than in 19 of 20 series of fair dice"


# The result


def outcome_words(record: BattleRecord, winner: str | None, how: str) -> str:
    """Who won and how, to begin a sentence with; "" where nothing was said."""
    if not how:
        return ""
    name = record.side_name(winner) if winner else ""
    outcome = results.outcome_words(record.rules.endings.get(how), name)
    return outcome if name else capfirst(outcome)


def describe_standing(record: BattleRecord) -> str:
    """Where the battle stands in a phrase, for those who read nothing else of it."""
    result, turn = record.result, f"{record.rules.turn_name} {record.state.turn}"
    if result.status == BattleStatus.OPEN:
        return f"{turn}, being played" if record.position else "Not started"
    outcome = outcome_words(record, result.winner, result.how)
    return outcome if result.stands else f"{outcome} ({result.status_label.lower()})"


def losses_sentence(tables: Sequence[SideTable]) -> str:
    """What each side lost: "4 of 12 out against 8 of 15"."""
    first, *others = [f"{table.side.out} of {table.side.size}" for table in tables]
    return f"{first} out against {', '.join(others)}"
