"""The state of a campaign out of its log, worked out from the first row, and what a change
would move in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.growth.acts import ActOutcome, do_act
from engine.growth.advances import settle
from engine.growth.campaign import CampaignInPlay
from engine.growth.dues import (
    ADVANCE,
    ASIDE,
    COUNTS,
    WAITS,
    AnswerBook,
    Due,
    DueAnswer,
    DueKey,
    KeptAnswer,
)
from engine.growth.log import (
    COUNTED,
    CampaignLog,
    FixtureResult,
    Founding,
    GrowthAct,
    LogEntry,
    LogRow,
    RulesChange,
    TakeBack,
)
from engine.growth.slots import fold_slot
from engine.growth.state import CampaignState, WarbandGrowth, warband_state, warrior_json
from engine.records import JsonObject, frozen_dataclass

# The state of a campaign out of its log, worked out from the first row every time.

_ADVANCE = re.compile(rf"{ADVANCE}/([^/]+)/(\d{{1,3}})")


@dataclass(slots=True)
class ReadLog:
    """A log read once: what holds wherever it was written."""

    answers: dict[DueKey, KeptAnswer] = field(default_factory=dict)
    results: dict[str, FixtureResult] = field(default_factory=dict)
    taken_back: set[int] = field(default_factory=set)
    slots: dict[int, str] = field(default_factory=dict)

    def read(self, row: LogRow) -> None:
        """Take in what a row says about answers, results and acts."""
        entry = row.entry
        if isinstance(entry, FixtureResult):
            if entry.fixture not in self.results:
                self.slots[row.position] = entry.fixture
            self.results[entry.fixture] = entry
        elif isinstance(entry, DueAnswer):
            key = entry.warband, entry.due
            before = self.answers.get(key, KeptAnswer())
            self.answers[key] = before.with_answer(entry, row.position)
        elif isinstance(entry, TakeBack):
            # Let an answer or an act not count; nothing is forgotten.
            if entry.act is not None:
                self.taken_back.add(entry.act)
            elif (key := (entry.warband, entry.due)) in self.answers:
                self.answers[key] = self.answers[key].taken_back()


def fold(log: CampaignLog) -> CampaignState:
    """Return what the log comes to.

    A result counts at the place where it was first told, with what was said about it last; an
    answer wherever it is asked for; a ransom alone where it was answered.
    """
    read = ReadLog()
    for row in log.rows:
        read.read(row)
    # Answers and results are known from the whole log before its first row happens.
    play = CampaignInPlay(log.rules, AnswerBook(read.answers))
    outcomes: dict[int, ActOutcome] = {}
    ends = settling_rows(log)
    # Only who was touched can owe something new: everybody else was settled before.
    touched: set[str] = set()
    for place, row in enumerate(log.rows):
        play.position = row.position
        touched |= _fold_row(play, row, read, outcomes)
        # Ransoms alone look at the position, so it is that of the last row of an answer's call.
        if place in ends:
            in_order = [key for key in play.warbands if key in touched]
            touched = {key for key in in_order if settle(play, play.warbands[key])}
    return _state_of(play, read, outcomes)


def kept_answers(log: CampaignLog) -> dict[DueKey, KeptAnswer]:
    """Return all that was answered, under its keys, also what nothing asks for now."""
    read = ReadLog()
    for row in log.rows:
        read.read(row)
    return read.answers


def settling_rows(log: CampaignLog) -> set[int]:
    """Return the places of the rows after which warbands are asked what they owe.

    That is after the first row of each fixture, each act and each change of rules, after the last
    of several answers sent together. Those who found before anything else has happened wait for
    the first thing that does.
    """
    ends: set[int] = set()
    fixtures: set[str] = set()
    together: set[str] = set()
    has_begun = False
    for place, row in enumerate(log.rows):
        entry = row.entry
        if isinstance(entry, DueAnswer):
            if _is_continued(log, place, together | {entry.warband}):
                together.add(entry.warband)
                continue
            together = set()
        elif isinstance(entry, FixtureResult):
            if entry.fixture in fixtures:
                continue
            fixtures.add(entry.fixture)
        elif isinstance(entry, TakeBack):
            continue
        has_begun = has_begun or not isinstance(entry, Founding)
        if has_begun or place == len(log.rows) - 1:
            ends.add(place)
    return ends


def _is_continued(log: CampaignLog, place: int, together: set[str]) -> bool:
    """Return whether the next row is an answer that was sent together with this one.

    Each warband answers once in a while: one that comes again begins anew.
    """
    following = log.rows[place + 1].entry if place + 1 < len(log.rows) else None
    if not isinstance(following, DueAnswer):
        return False
    entry = log.rows[place].entry
    assert isinstance(entry, DueAnswer)
    return following.warband == entry.warband or following.warband not in together


def _fold_row(
    play: CampaignInPlay, row: LogRow, read: ReadLog, outcomes: dict[int, ActOutcome]
) -> set[str]:
    """Let a row happen; return whom it touched."""
    entry: LogEntry = row.entry
    if row.position in read.slots:
        return _fold_result(play, read.results[read.slots[row.position]])
    if isinstance(entry, GrowthAct):
        if entry.number not in read.taken_back:
            outcomes[entry.number] = do_act(play, entry)
        return {entry.warband}
    if isinstance(entry, Founding):
        _found(play, entry)
        return {entry.warband}
    if isinstance(entry, RulesChange):
        # Let other rules hold from here; a currency that is new starts in every treasury.
        play.rules = entry.rules
        for warband in play.warbands.values():
            play.add_purses(warband)
        return set(play.warbands)
    if isinstance(entry, DueAnswer):
        return {entry.warband} & play.warbands.keys()
    return set()


def _fold_result(play: CampaignInPlay, result: FixtureResult) -> set[str]:
    """Fold the slot of a fixture, unless its result is void or disputed."""
    if result.status != COUNTED:
        return set()
    fold_slot(play, result)
    return set(result.sides)


def _found(play: CampaignInPlay, founding: Founding) -> None:
    """Begin a warband, and take the price of its roster from the purse."""
    # The roster may cost more than the purse: who founds is told so before it is written.
    warband = play.found(founding.warband, founding.army, founding.late_rounds)
    for joiner in founding.joiners:
        play.pay_points(warband, play.enlist(warband, joiner).worth)


def _state_of(
    play: CampaignInPlay, read: ReadLog, outcomes: dict[int, ActOutcome]
) -> CampaignState:
    """Return what the campaign has come to, with what became of each answer and act."""
    book = play.book
    answers = {
        key: book.state_of(key, may_come=_may_come(play, key)) for key in read.answers
    }
    return CampaignState(
        position=play.position,
        warbands={key: warband_state(play, one) for key, one in play.warbands.items()},
        open=book.open_dues(),
        answers=answers,
        aside=tuple(
            sorted(key for key, state in answers.items() if state in (ASIDE, WAITS))
        ),
        acts=outcomes,
        notes=tuple(play.notes),
        moves=tuple(play.moves),
        rolled=dict(book.rolled),
        battles=tuple(play.battles),
        happenings=tuple(play.told),
    )


def _may_come(play: CampaignInPlay, key: DueKey) -> bool:
    """Return whether a due may still be asked for: a step that a living warrior has not reached."""
    warband, due = key
    found = _ADVANCE.fullmatch(due)
    if not found or warband not in play.warbands:
        return False
    one = play.warbands[warband].warriors.get(found[1])
    if one is None or one.gone:
        return False
    kind = play.kind_of(one)
    return kind.steps_at(one.experience) < int(found[2]) <= len(kind.steps)


# What a change would move: the difference of two states of one campaign.

NUMBERS = ("treasury", "rating", "stash", "territories", "closed")
"""What is compared of a warband besides its warriors, by its keys in JSON."""
BeforeAfter = tuple[object, object]
"""A value before and after; None where there was or is none."""


@frozen_dataclass
class WarriorChange:
    """A warrior that changes: each key of its JSON that differs, before and after."""

    key: str
    name: str
    before: Mapping[str, object] | None
    after: Mapping[str, object] | None

    @property
    def changed(self) -> dict[str, BeforeAfter]:
        """Return what differs. Whoever comes or goes differs in everything."""
        before, after = self.before or {}, self.after or {}
        keys = [*before, *(key for key in after if key not in before)]
        return {
            key: (before.get(key), after.get(key))
            for key in keys
            if before.get(key) != after.get(key)
        }


@frozen_dataclass
class WarbandChange:
    """A warband that changes: ``figures`` by key, before and after, and its warriors."""

    warband: str
    figures: Mapping[str, BeforeAfter]
    warriors: tuple[WarriorChange, ...]


@frozen_dataclass
class GrowthDifference:
    """What a change moves, opens, sets aside, and lets count again."""

    warbands: tuple[WarbandChange, ...] = ()
    opened: tuple[Due, ...] = ()
    closed: tuple[Due, ...] = ()
    set_aside: tuple[DueKey, ...] = ()
    counts_again: tuple[DueKey, ...] = ()
    acts_aside: tuple[int, ...] = ()
    acts_again: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything moves at all."""
        return self != GrowthDifference()


def difference(before: CampaignState, after: CampaignState) -> GrowthDifference:
    """Return what lies between two states, by warbands in their order."""
    # A warband may be founded, or its founding taken away, between the two.
    keys = dict.fromkeys([*before.warbands, *after.warbands])
    changes = (
        _warband_change(key, before.warbands.get(key), after.warbands.get(key))
        for key in keys
    )
    return GrowthDifference(
        warbands=tuple(change for change in changes if change.figures or change.warriors),
        opened=_only_in(after, before),
        closed=_only_in(before, after),
        set_aside=tuple(sorted(set(after.aside) - set(before.aside))),
        counts_again=tuple(key for key in before.aside if after.answers.get(key) == COUNTS),
        acts_aside=_acts_only_in(after, before),
        acts_again=_acts_only_in(before, after),
    )


def _only_in(one: CampaignState, other: CampaignState) -> tuple[Due, ...]:
    """Return the dues that are open in the one state and not in the other."""
    known = {(due.warband, due.key) for due in other.open}
    return tuple(due for due in one.open if (due.warband, due.key) not in known)


def _acts_only_in(one: CampaignState, other: CampaignState) -> tuple[int, ...]:
    """Return the acts that are set aside in the one state and not in the other."""
    known = {act.number for act in other.acts_aside}
    return tuple(sorted({act.number for act in one.acts_aside} - known))


def _warband_change(
    key: str, before: WarbandGrowth | None, after: WarbandGrowth | None
) -> WarbandChange:
    """Return what changes in a warband; None is one that is not there yet, or no more."""
    old, new = _figures(before), _figures(after)
    figures = {
        name: (old.get(name), new.get(name))
        for name in NUMBERS
        if old.get(name) != new.get(name)
    }
    return WarbandChange(key, figures, tuple(_warrior_changes(before, after)))


def _figures(warband: WarbandGrowth | None) -> JsonObject:
    """Return the figures of a warband as JSON tells them, none for none."""
    return warband.to_json() if warband else {}


def _warrior_changes(
    before: WarbandGrowth | None, after: WarbandGrowth | None
) -> list[WarriorChange]:
    """Return the warriors that differ, those who are new last."""
    old, new = _warriors(before), _warriors(after)
    changes = []
    for key in [*old, *(key for key in new if key not in old)]:
        if old.get(key) != new.get(key):
            holder = after if after and key in after.warriors else before
            name = holder.warriors[key].joined.name if holder else ""
            changes.append(WarriorChange(key, name, old.get(key), new.get(key)))
    return changes


def _warriors(warband: WarbandGrowth | None) -> dict[str, JsonObject]:
    """Return the warriors of a warband as JSON tells them, none for none."""
    if warband is None:
        return {}
    return {
        key: warrior_json(one, warband.stats[key]) for key, one in warband.warriors.items()
    }
