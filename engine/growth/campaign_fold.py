"""The state of a campaign out of its log, worked out from the first row."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import chain

from engine.growth import warriors
from engine.growth.acts import ActOutcome, GrowthAct, do_act
from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.dues import (
    ADVANCE,
    RANSOM,
    SUCCESSION,
    SUPERSEDED,
    UPKEEP,
    WAITS,
    AnswerBook,
    Due,
    DueAnswer,
    DueKey,
    StoredAnswer,
)
from engine.growth.effects import OTHERS, EffectContext, promote_one, resolve
from engine.growth.happenings import LEADS, RANSOMED, REFUSED
from engine.growth.log import (
    COUNTED,
    CampaignLog,
    FixtureResult,
    Founding,
    LogRow,
    RulesChange,
    TakeBack,
)
from engine.growth.money import (
    can_pay,
    find_lists_rule,
    list_kind_lists,
    ransom_price,
)
from engine.growth.slots import fold_slot
from engine.growth.state import CampaignState, warband_state
from engine.growth.tables import sum_faces
from engine.growth.warriors import GrownWarrior
from engine.records import TextPairs

# The state of a campaign out of its log, worked out from the first row every time.

_ADVANCE = re.compile(rf"{ADVANCE}/([^/]+)/(\d{{1,3}})")


@dataclass(slots=True)
class ReadLog:
    """A log read once: what holds wherever it was written."""

    answers: dict[DueKey, StoredAnswer] = field(default_factory=dict)
    results: dict[str, FixtureResult] = field(default_factory=dict)
    taken_back: set[int] = field(default_factory=set)
    slots: dict[int, str] = field(default_factory=dict)


def _read(log: CampaignLog) -> ReadLog:
    """Return what all rows together say about answers, results and acts."""
    read = ReadLog()
    for row in log.rows:
        entry = row.entry
        if isinstance(entry, FixtureResult):
            if entry.fixture not in read.results:
                read.slots[row.position] = entry.fixture
            read.results[entry.fixture] = entry
        elif isinstance(entry, DueAnswer):
            key = entry.warband, entry.due
            previous = read.answers.get(key, StoredAnswer())
            read.answers[key] = previous.with_answer(entry, row.position)
        elif isinstance(entry, TakeBack) and entry.act is not None:
            read.taken_back.add(entry.act)
        elif isinstance(entry, TakeBack):
            # An answer does not count any more; nothing is forgotten.
            key = entry.warband, entry.due
            if key in read.answers:
                read.answers[key] = read.answers[key].taken_back()
    return read


def fold(log: CampaignLog) -> CampaignState:
    """Return what the log comes to.

    A result counts at the place where it was first told, with what was said about it last; an
    answer wherever it is asked for; a ransom alone where it was answered.
    """
    read = _read(log)
    # Answers and results are known from the whole log before its first row happens.
    play = CampaignInPlay(log.rules, AnswerBook(read.answers, log.since))
    outcomes: dict[int, ActOutcome] = {}
    checkpoints = due_checkpoints(log)
    # Only who was touched can owe something new: everybody else was settled before.
    touched: set[str] = set()
    for place, row in enumerate(log.rows):
        play.position = row.position
        touched |= _fold_row(play, row, read, outcomes)
        # Ransoms alone look at the position, so it is that of the last row of an answer's call.
        if place in checkpoints:
            in_order = [key for key in play.warbands if key in touched]
            touched = {key for key in in_order if settle(play, play.warbands[key])}
    return _build_state(play, read, outcomes)


def read_answers(log: CampaignLog) -> dict[DueKey, StoredAnswer]:
    """Return all that was answered, under its keys, also what nothing asks for now."""
    return _read(log).answers


def due_checkpoints(log: CampaignLog) -> set[int]:
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
    entry = row.entry
    if row.position in read.slots:
        result = read.results[read.slots[row.position]]
        # Void and disputed ones touch nobody.
        if result.status == COUNTED:
            fold_slot(play, result)
            return set(result.sides)
    if isinstance(entry, GrowthAct):
        if entry.number not in read.taken_back:
            outcomes[entry.number] = do_act(play, entry)
        # What a captor does is of the captive's warband too.
        return {
            entry.warband,
            getattr(entry, "owner", entry.warband),
        } & play.warbands.keys()
    if isinstance(entry, Founding):
        # The roster may cost more than the purse: who founds is told so before it is written.
        warband = play.found(entry.warband, entry.army, entry.late_rounds, entry.purse)
        for joiner in entry.joiners:
            play.pay_points(warband, play.enlist(warband, joiner).worth)
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


def _build_state(
    play: CampaignInPlay, read: ReadLog, outcomes: dict[int, ActOutcome]
) -> CampaignState:
    """Return what the campaign has come to, with what became of each answer and act."""
    book = play.book
    answers = {
        key: book.answer_state(key, may_come=_may_come(play, key)) for key in read.answers
    }
    superseded = [key for key, state in answers.items() if state in (SUPERSEDED, WAITS)]
    return CampaignState(
        position=play.position,
        warbands={
            key: warband_state(play, warband) for key, warband in play.warbands.items()
        },
        open=book.open_dues(),
        offers=tuple(chain(*(dues.values() for dues in book.offers.values()))),
        answers=answers,
        superseded=tuple(sorted(superseded)),
        acts=outcomes,
        notes=tuple(play.notes),
        moves=tuple(play.moves),
        rolled=dict(book.rolled),
        battles=tuple(play.battles),
        happenings=tuple(play.story),
    )


def _may_come(play: CampaignInPlay, key: DueKey) -> bool:
    """Return whether a due may still be asked for: a step that a living warrior has not reached."""
    match = _ADVANCE.fullmatch(key[1])
    if not match or key[0] not in play.warbands:
        return False
    warrior = play.warbands[key[0]].warriors.get(match[1])
    if warrior is None or warrior.gone:
        return False
    kind = play.get_kind(warrior)
    return kind.steps_at(warrior.experience) < int(match[2]) <= len(kind.steps)


# What a warband owes at any moment: advances, ransoms, a successor. Settled after every
# change.

PAY, REFUSE = "pay", "refuse"
LIST = "skill-list"
"""Stands in the key of a list of skills that is chosen."""
LEADER = "leader"
"""What stands behind the key of a group's member who succeeds."""


def settle(play: CampaignInPlay, warband: WarbandInPlay) -> bool:
    """Ask anew for what a warband owes, and let what is answered happen.

    Return whether something happened: one change may make room for another the next time.
    """
    play.book.ask_anew(warband.id)
    if warband.is_closed:
        return False
    # Warriors never change in place, so the old mapping is the state of before.
    before = dict(warband.warriors)
    for warrior in warband.alive():
        _advance(play, warband, warrior)
    # Those who were promoted just now are asked too.
    for warrior in warband.alive():
        _throw_further(play, warband, warrior)
    for warrior in warband.alive():
        if warrior.captor:
            _ransom(play, warband, warrior)
        if warrior.unpaid and warrior.is_free:
            _pay_upkeep(play, warband, warrior)
    if play.rules.successors and not any(who.is_leader for who in warband.alive()):
        _succeed(play, warband)
    return warband.warriors != before


def _advance(play: CampaignInPlay, warband: WarbandInPlay, warrior: GrownWarrior) -> None:
    """Ask for each step that a warrior has reached and has not taken.

    They are asked in their order, and answered in any.
    """
    kind, key = play.get_kind(warrior), warrior.key
    if not _choose_lists(play, warband, warrior):
        return
    for number in range(warrior.passed + 1, kind.steps_at(warrior.experience) + 1):
        # A promotion ends the track; its steps are those of another kind from here.
        if warband.warriors[key].kind != kind.id:
            return
        if number in warband.warriors[key].took:
            continue
        due = Due(f"{ADVANCE}/{key}/{number}", warband.id, ADVANCE, warrior=key)
        choice = resolve(EffectContext(play, warband, due, key), kind.advances)
        current = warband.warriors[key]
        if choice is not None and current.kind == kind.id:
            # Without a choice there was nothing left to gain.
            warband.change(current, took={**current.took, number: choice})


def _choose_lists(
    play: CampaignInPlay, warband: WarbandInPlay, warrior: GrownWarrior
) -> bool:
    """Ask for the lists of skills that the rules let somebody choose; return whether all are.

    Until then no advance is asked for: a skill would be of no list.
    """
    rule = find_lists_rule(play.rules, warrior)
    if rule is None:
        return True
    lists = rule.lists or list_kind_lists(play.rules, warband, warrior.kind)
    for number in range(1, min(rule.choose, len(lists)) + 1):
        current = warband.warriors[warrior.key]
        if number <= len(current.lists):
            continue
        choices = tuple((each, each) for each in lists if each not in current.lists)
        key = f"{ADVANCE}/{warrior.key}/{LIST}/{number}"
        due = Due(key, warband.id, ADVANCE, warrior=warrior.key, choices=choices)
        choice = play.book.choose(due)
        if choice not in dict(choices):
            if choice:
                play.book.leave_choice(due)
            return False
        warband.change(current, lists=(*current.lists, choice))
    return True


def _throw_further(
    play: CampaignInPlay, warband: WarbandInPlay, warrior: GrownWarrior
) -> None:
    """Ask for the throws that a promotion left to who was promoted, and to the others."""
    if not _choose_lists(play, warband, warrior):
        return
    for key in warrior.throws:
        due = Due(key, warband.id, ADVANCE, warrior=warrior.key)
        is_others = key.endswith(f"/{OTHERS}")
        context = EffectContext(play, warband, due, warrior.key, is_others=is_others)
        if resolve(context, play.get_kind(warrior).advances) is not None:
            current = warband.warriors[warrior.key]
            throws = tuple(left for left in current.throws if left != key)
            warband.change(current, throws=throws)


def _ransom(play: CampaignInPlay, warband: WarbandInPlay, captive: GrownWarrior) -> None:
    """Ask for a captive's ransom; it is paid, or refused, where it was answered.

    Whoever is refused is gone, and the captor gets what the rules give for that.
    """
    rule = play.rules.captives
    if not rule:
        return
    price = captive.demand or ransom_price(play.rules, captive)
    key = f"{RANSOM}/{captive.captured_in}/{captive.key}"
    choices: TextPairs = ((PAY, str(price)), (REFUSE, str(rule.refused)))
    due = Due(key, warband.id, RANSOM, warrior=captive.key, choices=choices)
    choice = play.book.choose(due)
    # Until it was answered the captive was really away.
    if not choice or play.book.answered_at(due) > play.position:
        return
    # Both are paid in the currency of prices, whatever else is collected.
    currency = play.rules.prices.currency
    captor = play.warbands[captive.captor]
    if choice == PAY:
        play.move(warband, currency, -price, "ransom")
        play.move(captor, currency, price, "ransom")
        play.tell(warband.id, RANSOMED, captive.key, other=captor.id)
    else:
        amount = rule.refused
        if rule.sold:
            throw = play.book.throw(
                replace(due, key=f"{key}/sold", dice=rule.sold, choices=())
            )
            if throw is None:
                return
            amount = sum_faces(rule.sold, throw.faces) * rule.times
        play.move(captor, currency, amount, "refused")
        if rule.is_gear_taken:
            captor.stash += captive.loose
        play.lose(warband, captive, 1, warriors.REFUSED)
        play.tell(warband.id, REFUSED, captive.key, other=captor.id)
    warband.change(warband.warriors[captive.key], captor="")


def _pay_upkeep(play: CampaignInPlay, warband: WarbandInPlay, unit: GrownWarrior) -> None:
    """Ask for an upkeep that the treasury could not pay; without it the unit leaves."""
    key = f"{UPKEEP}/{unit.unpaid}/{unit.key}"
    price, currency = unit.joined.upkeep, play.rules.upkeep_currency
    choices: TextPairs = ((PAY, str(price)), (REFUSE, "0"))
    due = Due(key, warband.id, UPKEEP, warrior=unit.key, choices=choices)
    choice = play.book.choose(due)
    if not choice or play.book.answered_at(due) > play.position:
        return
    if choice != PAY:
        play.dismiss(warband, unit, unit.count)
    elif can_pay(warband.money[currency], price):
        play.move(warband, currency, -price, "upkeep")
        warband.change(unit, unpaid="")
    else:
        # It waits until there is something to sell.
        play.book.leave_choice(due)


def _succeed(play: CampaignInPlay, warband: WarbandInPlay) -> None:
    """Ask who leads now, and let them; somebody of another kind is promoted for it."""
    kinds = play.rules.successors
    able = {who.key: who for who in warband.present() if who.kind in kinds}
    # The last of the roster who led and is gone.
    fallen = "none"
    for warrior in warband.warriors.values():
        if warrior.is_leader and warrior.gone:
            fallen = warrior.key
    due = Due(
        f"{SUCCESSION}/{fallen}",
        warband.id,
        SUCCESSION,
        warrior=fallen,
        choices=tuple((key, who.joined.name) for key, who in able.items()),
    )
    choice = play.book.choose(due)
    if not choice:
        return
    leader = able.get(choice)
    if leader is None:
        play.book.leave_choice(due)
        return
    # The first kind of the successors is what the others are promoted to.
    if leader.kind != kinds[0]:
        leader = promote_one(play, warband, leader, kinds[0], LEADER)
    warband.change(leader, is_leader=True)
    play.tell(warband.id, LEADS, leader.key)
