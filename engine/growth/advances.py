"""What a warband owes at any moment: advances, ransoms, a successor. Settled after every change."""

from __future__ import annotations

from dataclasses import replace

from engine.growth import warriors
from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.dues import ADVANCE, RANSOM, SUCCESSION, Due
from engine.growth.effects import EffectContext, promote_one, resolve
from engine.growth.happenings import LEADS, RANSOMED, REFUSED
from engine.growth.money import ransom_price
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
    for warrior in warband.alive():
        _advance(play, warband, warrior)
    for warrior in warband.alive():
        if warrior.captor:
            _ransom(play, warband, warrior)
    if play.rules.successors and not any(who.is_leader for who in warband.alive()):
        _succeed(play, warband)
    return warband.warriors != before


def _advance(play: CampaignInPlay, warband: WarbandInPlay, warrior: GrownWarrior) -> None:
    """Ask for each step that a warrior has reached and has not taken.

    They are asked in their order, and answered in any.
    """
    kind, key = play.kind_of(warrior), warrior.key
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
            warband.put(warriors.note_advance(current, number, choice))


def _ransom(play: CampaignInPlay, warband: WarbandInPlay, captive: GrownWarrior) -> None:
    """Ask for a captive's ransom; it is paid, or refused, where it was answered.

    Whoever is refused is gone, and the captor gets what the rules give for that.
    """
    if not play.rules.captives:
        return
    price = ransom_price(play.rules, captive)
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
    warband.put(replace(leader, is_leader=True))
    play.tell(warband.id, LEADS, leader.key)
