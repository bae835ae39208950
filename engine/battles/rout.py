"""Rout while a battle runs: when a side tests for it, and on whose Leadership.

Source: Warhammer Skirmish, THE ROUT TEST; Mordheim rulings, The phases; rulings C23, G18, G19, G20,
G21.
"""

from engine.battles.rules import RoutTable
from engine.battles.sentences import message
from engine.battles.state import BattleInPlay, CombatantInPlay, SideInPlay
from engine.battles.types import RoutState
from engine.morale import rout_from
from engine.types.mechanics import Rout

NO_ROUT = RoutState(
    due=False, now=False, leadership=None, taken_on=None, why="", out_from=None,
    may_ask=False, taken=False, passed=None,
)  # fmt: skip


def rout_state(game: BattleInPlay, flank: SideInPlay) -> RoutState:
    """Return whether a side must test now, on what, and why."""
    table = game.rules.rout
    if table is None:
        return NO_ROUT
    _, size = rout_losses(game, flank)
    is_reached = rout_is_reached(game, flank)
    excuse = rout_excuse(game, flank)
    is_open = not (game.end or flank.has_routed or flank.rout_taken or excuse)
    is_due = is_open and is_reached
    leadership, taken_on, why = borrowed_leadership(game, flank)
    # A side may ask for a test that is not due (ruling C23).
    return RoutState(
        due=is_due,
        now=is_due and _is_its_moment(game, flank),
        leadership=leadership,
        taken_on=taken_on,
        why=excuse or why,
        # Of points nobody sees how many models they are.
        out_from=rout_threshold(table, size) if size == flank.side.size else None,
        may_ask=is_open
        and not is_reached
        and table.voluntary_from is not None
        and game.count_out(flank) >= table.voluntary_from,
        taken=flank.rout_taken,
        passed=flank.rout_passed,
    )


def rout_is_reached(game: BattleInPlay, flank: SideInPlay) -> bool:
    """Return whether so many of a side are out that it has to test."""
    table = game.rules.rout
    if table is None or flank.side.size == 0 or rout_excuse(game, flank):
        return False
    lost, size = rout_losses(game, flank)
    is_new = not table.anew or lost > flank.rout_losses
    return is_new and table.denominator * lost >= table.numerator * size


def rout_losses(game: BattleInPlay, flank: SideInPlay) -> tuple[int, int]:
    """What a side has lost, and of how much: models, or points where those count for Rout."""
    table = game.rules.rout
    points = sum(man.combatant.points for man in flank.men)
    if table and table.by_points and points:
        return sum(man.combatant.points for man in flank.men if game.is_out(man)), points
    return game.count_out(flank), flank.side.size


def rout_threshold(table: RoutTable, size: int) -> int | None:
    """How much of a side must be lost before it tests; None of a side of nobody."""
    return rout_from(size, Rout(table.numerator, table.denominator, "", ""))


def rout_excuse(game: BattleInPlay, flank: SideInPlay) -> str:
    """Why the scenario spares a side its Rout tests as it stands, or ""."""
    part, name = game.rules.parts.get(flank.side.part), flank.name
    if part is None:
        return ""
    if not part.takes_rout:
        return message("rout_spared", side=name)
    if not part.waits_for or all(man.state != part.waits_for for man in flank.men):
        return ""
    return message("rout_waits", side=name, state=game.tables.names[part.waits_for])


def _is_its_moment(game: BattleInPlay, flank: SideInPlay) -> bool:
    """Whether a test is taken now: as the side's turn starts, or later where it was due then."""
    # Before the first turn event nobody counts turns, so every side may test.
    if not game.active:
        return True
    if flank.side.id not in game.active:
        return False
    return flank.rout_owed or game.phase == game.rules.turn_phase


def borrowed_leadership(
    game: BattleInPlay, flank: SideInPlay
) -> tuple[int | None, str | None, str]:
    """Return the Leadership a side tests on, the id of whose it is, and why his.

    The leader's unless he is barred, then the highest among the others who are not (the first of
    equals); a quick side has only the one it was set up with.
    """
    if flank.side.leadership is not None:
        return flank.side.leadership, None, message("rout_quick")
    leader = next((man for man in flank.men if man.combatant.is_leader), None)
    if leader and _may_lend(game, leader):
        why = message("rout_leader", name=leader.name, state=game.state_name(leader))
        return leader.combatant.leadership, leader.combatant.id, why
    lenders = [
        man.combatant for man in flank.men if man is not leader and _may_lend(game, man)
    ]
    lender = max(lenders, key=lambda fighter: fighter.leadership or 0, default=None)
    if lender is None:
        key = "rout_nobody" if flank.side.has_figure else "rout_unknown"
        return None, None, message(key)
    return lender.leadership, lender.id, _why_lent(game, leader, lender.name)


def _why_lent(game: BattleInPlay, leader: CombatantInPlay | None, name: str) -> str:
    if leader is None:
        return message("rout_highest", name=name)
    state = game.state_name(leader)
    return message("rout_best", leader=leader.name, name=name, state=state)


def _may_lend(game: BattleInPlay, man: CombatantInPlay) -> bool:
    """Whether somebody has Leadership and is in no state that bars using it."""
    table = game.rules.rout
    assert table
    barred = table.leader_barred if man.combatant.is_leader else table.others_barred
    return man.combatant.leadership is not None and man.state not in barred
