"""Rout while a battle runs: when it is due, and on whose Leadership.

Source: Warhammer Skirmish, THE ROUT TEST; Mordheim rulings, The phases; rulings C23, G18, G19, G20,
G21.
"""

from __future__ import annotations

from engine.battles.sentences import message
from engine.battles.state import BattleInPlay, CombatantInPlay, SideInPlay
from engine.battles.throws import has_figure
from engine.battles.types import RoutState
from engine.morale import rout_from
from engine.types import Rout

NO_ROUT = RoutState(False, False, None, None, "", None, False, False, None)


def rout_state(game: BattleInPlay, flank: SideInPlay) -> RoutState:
    """Whether a side must test now, on what, and why."""
    table = game.rules.rout
    if table is None:
        return NO_ROUT
    out, size = game.out_of(flank), flank.side.size
    is_reached = size > 0 and table.denominator * out >= table.numerator * size
    is_open = game.end is None and not flank.has_routed and not flank.rout_taken
    asks_from = table.voluntary_from
    leadership, taken_on, why = borrowed_leadership(game, flank)
    return RoutState(
        due=is_open and is_reached,
        now=is_open and is_reached and (not game.active or flank.side.id in game.active),
        leadership=leadership,
        taken_on=taken_on,
        why=why,
        out_from=rout_from(size, Rout(table.numerator, table.denominator, "", "")),
        may_ask=is_open and not is_reached and asks_from is not None and out >= asks_from,
        taken=flank.rout_taken,
        passed=flank.rout_passed,
    )


def borrowed_leadership(
    game: BattleInPlay, flank: SideInPlay
) -> tuple[int | None, str | None, str]:
    """The Leadership a side tests on, whose it is, and why his.

    The leader's unless he is barred, then the highest among the others who are not (the first of
    equals); a quick side has only the one it was set up with.
    """
    table = game.rules.rout
    assert table is not None
    if flank.side.leadership is not None:
        return flank.side.leadership, None, message("rout_quick")
    leader = next((man for man in flank.men if man.combatant.is_leader), None)
    if (
        leader
        and leader.combatant.leadership is not None
        and leader.state not in table.leader_barred
    ):
        why = message("rout_leader", name=leader.combatant.name, state=game.state_name(leader))
        return leader.combatant.leadership, leader.combatant.id, why
    able = [
        m
        for m in flank.men
        if m is not leader and m.state not in table.others_barred and _figure(m) is not None
    ]
    if not able:
        return None, None, message("rout_nobody" if has_figure(flank.side) else "rout_unknown")
    best = max(able, key=lambda man: _figure(man) or 0)
    if leader is None:
        why = message("rout_highest", name=best.combatant.name)
    else:
        state = game.state_name(leader)
        why = message(
            "rout_best", leader=leader.combatant.name, state=state, name=best.combatant.name
        )
    return _figure(best), best.combatant.id, why


def _figure(man: CombatantInPlay) -> int | None:
    return man.combatant.leadership
