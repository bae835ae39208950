"""What a warband owes at any moment: advances, ransoms, a successor. Settled after every change."""

from __future__ import annotations

from dataclasses import replace

from engine.growth import warriors
from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.dues import ADVANCE, RANSOM, SUCCESSION, Due
from engine.growth.effects import EffectContext, promote_one, resolve
from engine.growth.happenings import LEADS, RANSOMED, REFUSED
from engine.growth.money import ransom_of
from engine.growth.warriors import GrownWarrior
from engine.records import TextPairs

PAY, REFUSE = "pay", "refuse"
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
    for one in warband.alive():
        _advance(play, warband, one)
    for one in warband.alive():
        if one.captor:
            _ransom(play, warband, one)
    if play.rules.successors and not any(one.is_leader for one in warband.alive()):
        _succeed(play, warband)
    return warband.warriors != before


def _advance(play: CampaignInPlay, warband: WarbandInPlay, one: GrownWarrior) -> None:
    """Ask for each step that a warrior has reached and has not taken.

    They are asked in their order, and answered in any.
    """
    kind = play.kind_of(one)
    for number in range(one.passed + 1, kind.steps_at(one.experience) + 1):
        now = warband.warriors[one.key]
        # A promotion ends the track; its steps are those of another kind from here.
        if now.kind != kind.id:
            return
        if number in now.took:
            continue
        key = f"{ADVANCE}/{one.key}/{number}"
        due = Due(key, warband.id, ADVANCE, warrior=one.key)
        choice = resolve(EffectContext(play, warband, due, one.key), kind.advances)
        now = warband.warriors[one.key]
        if choice is not None and now.kind == kind.id:
            warband.put(warriors.note_advance(now, number, choice))


def _ransom(play: CampaignInPlay, warband: WarbandInPlay, captive: GrownWarrior) -> None:
    """Ask for a captive's ransom; it is paid, or refused, where it was answered.

    Whoever is refused is gone, and the captor gets what the rules give for that.
    """
    if not play.rules.captives:
        return
    price = ransom_of(play.rules, captive)
    key = f"{RANSOM}/{captive.captured_in}/{captive.key}"
    choices: TextPairs = ((PAY, str(price)), (REFUSE, str(play.rules.captives.refused)))
    due = Due(key, warband.id, RANSOM, warrior=captive.key, choices=choices)
    choice = play.book.choose(due)
    # Until it was answered the captive was really away.
    if not choice or play.book.position_of(due) > play.position:
        return
    # Both are paid in the currency of prices, whatever else is collected.
    currency = play.rules.prices.currency
    captor = play.warbands[captive.captor]
    if choice == PAY:
        play.move(warband, currency, -price, "ransom")
        play.move(captor, currency, price, "ransom")
        play.tell(warband.id, RANSOMED, captive.key, other=captor.id)
    else:
        play.move(captor, currency, play.rules.captives.refused, "refused")
        play.lose(warband, captive, 1, warriors.REFUSED)
        play.tell(warband.id, REFUSED, captive.key, other=captor.id)
    warband.put(warriors.set_free(warband.warriors[captive.key]))


def _fallen_leader(warband: WarbandInPlay) -> str:
    """Return the last of the roster who led and is gone, or none."""
    fallen = [one.key for one in warband.warriors.values() if one.is_leader and one.gone]
    return fallen[-1] if fallen else "none"


def _succeed(play: CampaignInPlay, warband: WarbandInPlay) -> None:
    """Ask who leads now, and let them; somebody of another kind is promoted for it."""
    able = [one for one in warband.present() if one.kind in play.rules.successors]
    choices = tuple((one.key, one.joined.name) for one in able)
    who = _fallen_leader(warband)
    due = Due(f"{SUCCESSION}/{who}", warband.id, SUCCESSION, warrior=who, choices=choices)
    choice = play.book.choose(due)
    if not choice:
        return
    chosen = next((one for one in able if one.key == choice), None)
    if chosen is None:
        play.book.leave_choice(due)
        return
    # The first kind of the successors is what the others are promoted to.
    kind = play.rules.successors[0]
    if chosen.kind != kind:
        chosen = promote_one(play, warband, chosen, kind, LEADER)
    warband.put(replace(chosen, is_leader=True))
    play.tell(warband.id, LEADS, chosen.key)
