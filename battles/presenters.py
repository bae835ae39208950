"""What the page, the report and the exports of a battle lay out.

Only arranges; the fold has worked everything out.
"""

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import accumulate, groupby
from math import sqrt

from django.utils.html import escape
from django.utils.text import capfirst

from battles import results
from battles.after_battle import DEVICE, FORCED
from battles.models import BattleStatus
from battles.queries.index import BattleRecord, BattleSideRecord, ResultStepRecord
from engine.battles.battle_summary import Casualty, DiceCount, TestTaken, TimelineEntry
from engine.battles.state import lowered
from engine.battles.types import UNDONE
from engine.records import Texts, copy_fields, frozen_dataclass

UNTOLD = ("turn", "phase", "undo")
"""Kinds of events that the timeline tells by where it puts the others."""
DICE_TOLD_FROM = 12
"""Dice thrown from which the mean says anything about luck."""
_USUAL = 2.0
"""Standard errors around the mean within which 19 of 20 such rows of dice fall."""


@frozen_dataclass
class CombatantLine:
    """A combatant after the battle.

    ``out_in`` is the turn it went out in, 0 where that is not known.

    ``kept`` is what is left of one that lost some: "Wounds left 1 of 2". ``undecided`` is the test
    it never took ("injury"). ``is_unharmed``: nothing is told of it.
    """

    id: str
    name: str
    title: str
    is_leader: bool
    state: str
    state_key: str
    pose: str
    is_out: bool
    kept: str
    kills: int
    out_in: int
    by: str
    is_unharmed: bool
    undecided: str


@frozen_dataclass
class SideTable:
    """A side with what became of everybody in it.

    ``is_winner`` where nobody has objected; ``tests`` are of Rout.
    """

    side: BattleSideRecord
    is_winner: bool
    kills: int
    lines: tuple[CombatantLine, ...]
    tests: Texts

    @property
    def told(self) -> tuple[CombatantLine, ...]:
        """Those who are out first, then the others of whom there is something to tell."""
        return tuple(
            sorted(
                (line for line in self.lines if not line.is_unharmed),
                key=lambda line: not line.is_out,
            )
        )

    @property
    def undecided(self) -> tuple[CombatantLine, ...]:
        """Those whose last Wound is gone, and of whom nobody said what became of them."""
        return tuple(line for line in self.lines if line.undecided)

    @property
    def unharmed(self) -> tuple[CombatantLine, ...]:
        return tuple(line for line in self.lines if line.is_unharmed)


@frozen_dataclass
class TimelineLine:
    """A line of the timeline.

    ``note`` is why a step was forced or what was said; ``verdict`` why it does not count.
    """

    entry: TimelineEntry
    note: str
    is_forced: bool


LINES_SHOWN = 1000  # of what happened
LINES_BYTES = (
    500_000  # of the same: a note may hold 500 characters, and one of them six bytes
)
LINES_ASIDE = 200


@frozen_dataclass
class TurnBlock:
    """What happened in one turn of one side, or what was told of the battle afterwards."""

    title: str
    side: str
    entries: tuple[TimelineLine, ...]


@frozen_dataclass
class Bar:
    """A face of a die: how often it fell, and its bar in the units of the drawing (0, 0 is the
    upper left corner).
    """

    face: int
    count: int
    x: float
    y: float
    height: float


@frozen_dataclass
class DiceRow:
    """One kind of die of one side: how often each face fell, what the mean says.

    ``line``: a fair die's height.
    """

    side: str
    die: str
    source: str
    thrown: int
    bars: tuple[Bar, ...]
    width: int
    line: float
    mean: float
    expected: float
    luck: str


@frozen_dataclass
class ResultStepLine:
    """One step of the result in words."""

    title: str
    who: str
    outcome: str
    reason: str
    at: datetime


# The sides


def side_tables(record: BattleRecord) -> tuple[SideTable, ...]:
    """Each side with its combatants, in the order of the roster."""
    fallen = {one.combatant: one for one in record.summary.casualties}
    known = _known_turns(record, fallen.values())
    return tuple(_side_table(record, side, fallen, known) for side in record.sides)


def _side_table(
    record: BattleRecord,
    side: BattleSideRecord,
    fallen: Mapping[str, Casualty],
    known: frozenset[str],
) -> SideTable:
    """Return a side's table with a line for each fighter, its kills and Rout tests.

    A winner is shown only for a result proposed or confirmed.
    """
    lines = tuple(_line(record, one.id, fallen.get(one.id), known) for one in side.fighters)
    is_told = record.result.status in (BattleStatus.CONFIRMED, BattleStatus.PROPOSED)
    return SideTable(
        side=side,
        is_winner=is_told and record.result.winner == side.key,
        kills=sum(line.kills for line in lines),
        lines=lines,
        tests=tuple(_test_words(record, test) for test in _rout_tests(record, side)),
    )


def _rout_tests(record: BattleRecord, side: BattleSideRecord) -> list[TestTaken]:
    """Return the Rout tests that a side took, none where the rules have no Rout."""
    rout = record.rules.rout
    own = (
        test
        for test in record.summary.tests
        if test.side == side.key and not test.combatant
    )
    return [test for test in own if rout and test.test == rout.test]


def _line(
    record: BattleRecord, key: str, fallen: Casualty | None, known: frozenset[str]
) -> CombatantLine:
    """Return a combatant's line: how it ended, its kills, and who put it out.

    ``out_in`` is 0 where the turn is unknown or it was not put out.
    """
    fighter, now, rules = record.fighters[key], record.combatant_state(key), record.rules
    rule, kept = rules.states[now.state], _remaining_words(record, key)
    passing = {rules.begins, *(become.state for become in rules.becomes)}
    return copy_fields(
        CombatantLine,
        fighter,
        state=rule.name,
        state_key=now.state,
        pose=rule.pose,
        is_out=now.is_out,
        kept=kept,
        kills=now.kills,
        out_in=fallen.turn if fallen and key in known else 0,
        by=record.combatant_name(fallen.by) if fallen else "",
        is_unharmed=not kept and not now.kills and now.state in passing,
        undecided=lowered(rules.tests[now.asks].name) if now.asks else "",
    )


def _remaining_words(record: BattleRecord, key: str) -> str:
    """What is left of a combatant that lost some of it and is still there."""
    fighter, now, rules = record.fighters[key], record.combatant_state(key), record.rules
    counters = ((rules.counters[name], value) for name, value in now.counters.items())
    counted = [
        (rule.name, value, fighter.models)
        for rule, value in counters
        if rule.begins == "models"
    ]
    wounds = [("Wounds left", now.wounds, fighter.wounds)] if now.wounds is not None else []
    lost = [
        f"{name} {left} of {most}"
        for name, left, most in [*wounds, *counted]
        if left != most
    ]
    return "" if now.is_out else ", ".join(lost)


def _known_turns(record: BattleRecord, fallen: Iterable[Casualty]) -> frozenset[str]:
    """The casualties whose turn was recorded: the form after the battle does not ask when."""
    latest = {
        entry.who: entry.event
        for entry in record.summary.timeline
        if entry.who and not entry.verdict
    }
    told = _reported_after_battle(record)
    return frozenset(
        one.combatant for one in fallen if latest.get(one.combatant) not in told
    )


def _reported_after_battle(record: BattleRecord) -> frozenset[str]:
    """The events that came from the form after the battle."""
    return frozenset(event.id for event in record.events if event.device == DEVICE)


def _test_words(record: BattleRecord, test: TestTaken) -> str:
    """A test in a phrase: "Rout test in turn 4: 11, needed 7 or less, failed"."""
    when = (
        ""
        if test.event in _reported_after_battle(record)
        else f" in {record.rules.turn_name.lower()} {test.turn}"
    )
    words = (
        "passed"
        if test.passed
        else "failed"
        if test.passed is False
        else test.outcome or "taken"
    )
    if test.score is None:
        return f"{test.name}{when}: {words}"
    more = "less" if record.rules.tests[test.test].passes == "at_most" else "more"
    needed = "" if test.needed is None else f", needed {test.needed} or {more}"
    return f"{test.name}{when}: {test.score}{needed}, {words}"


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


def turn_blocks(record: BattleRecord) -> tuple[TurnBlock, ...]:
    """What counted, a block for each turn of each side; those in which nothing happened are left
    out.
    """
    told = _reported_after_battle(record)
    entries = _shown_entries(record)
    blocks = groupby(
        entries,
        key=lambda entry: (None, None) if entry.event in told else (entry.turn, entry.side),
    )
    return tuple(
        TurnBlock(
            title="Entered after the battle"
            if turn is None
            else f"{record.rules.turn_name} {turn}",
            side=record.side_name(side),
            entries=_entries(inner),
        )
        for (turn, side), inner in blocks
    )


def set_aside_lines(record: BattleRecord) -> tuple[TimelineLine, ...]:
    """What was taken back, and what the rules did not let count."""
    aside = [entry for entry in record.summary.timeline if entry.verdict]
    return _entries(aside[:LINES_ASIDE])


def _entries(entries: Iterable[TimelineEntry]) -> tuple[TimelineLine, ...]:
    """Return the lines of a timeline; an undo only where it was itself undone."""
    return tuple(
        TimelineLine(
            entry,
            "" if entry.note == FORCED else entry.note,
            entry.is_forced and entry.note != FORCED,
        )
        for entry in entries
        if entry.verdict == UNDONE or entry.kind != "undo"
    )


# The dice

_STEP, _BAR, _HEIGHT = 10, 8, 30


def dice_rows(record: BattleRecord) -> tuple[DiceRow, ...]:
    """How the dice fell, by side and by who threw them."""
    return tuple(_dice_row(record, one) for one in record.summary.dice)


def _dice_row(record: BattleRecord, one: DiceCount) -> DiceRow:
    """Return the chart of one kind of die: bars by face, the mean, the luck.

    The most frequent face fills ``_HEIGHT``; ``line`` is where equal bars would end.
    """
    most = max(*one.faces.values(), 1)
    heights = {
        face: round(_HEIGHT * count / most, 2) for face, count in sorted(one.faces.items())
    }
    mean = sum(face * count for face, count in one.faces.items()) / one.thrown
    return DiceRow(
        side=record.side_name(one.side),
        die=f"D{one.sides}",
        source="rolled here" if one.source == "app" else "typed in",
        thrown=one.thrown,
        bars=tuple(
            Bar(
                face,
                one.faces[face],
                (face - 1) * _STEP + (_STEP - _BAR) / 2,
                _HEIGHT - height,
                height,
            )
            for face, height in heights.items()
        ),
        width=one.sides * _STEP,
        line=round(_HEIGHT - _HEIGHT * one.thrown / one.sides / most, 2),
        mean=round(mean, 2),
        expected=(one.sides + 1) / 2,
        luck=luck_words(one.sides, one.thrown, mean),
    )


def luck_words(sides: int, thrown: int, mean: float) -> str:
    """What the mean of so many dice says: within what 19 of 20 such rows come to, or beyond it."""
    if thrown < DICE_TOLD_FROM:
        return "too few dice to judge"
    off = (mean - (sides + 1) / 2) / sqrt((sides**2 - 1) / 12 / thrown)
    if abs(off) <= _USUAL:
        return "within the usual range"
    return f"{'higher' if off > 0 else 'lower'} than in 19 of 20 series of fair dice"


# The result


def result_step_lines(record: BattleRecord) -> tuple[ResultStepLine, ...]:
    """The result's history, the first step first."""
    return tuple(_step(record, step) for step in record.result.steps)


def _step(record: BattleRecord, step: ResultStepRecord) -> ResultStepLine:
    """Return a step of the result in words: what was done, by whom, and why."""
    side = record.side_name(step.side)
    who = ", for ".join(part for part in (step.author, side) if part)
    outcome = outcome_words(record, step.winner, step.how)
    return ResultStepLine(step.title, who, outcome, step.reason, step.at)


def outcome_words(record: BattleRecord, winner: str | None, how: str) -> str:
    """Who won and how, to begin a sentence with; "" where nothing was said."""
    if not how:
        return ""
    name = record.side_name(winner) if winner else ""
    words = results.outcome_words(record.rules.endings.get(how), name)
    return words if name else capfirst(words)


def standing_words(record: BattleRecord) -> str:
    """Where the battle stands in a phrase, for those who read nothing else of it."""
    result, turn = record.result, f"{record.rules.turn_name} {record.state.turn}"
    if result.status == BattleStatus.OPEN:
        return f"{turn}, being played" if record.position else "Not started"
    words = outcome_words(record, result.winner, result.how)
    return words if result.stands else f"{words} ({result.status_label.lower()})"


def losses_sentence(tables: Sequence[SideTable]) -> str:
    """What each side lost: "4 of 12 out against 8 of 15"."""
    first, *others = tables
    rest = ", ".join(f"{table.side.out} of {table.side.size}" for table in others)
    return f"{first.side.out} of {first.side.size} out against {rest}"
