"""Lists that are secret until an organiser shows them: what a reader is told of such a side.

Whose list is secret from whom is asked of the follower (`BattleFollower.secret_from`). What follows
from it stands here alone: rows, lineups and states are read through these functions, and pages,
files and answers draw what is left. A hidden side is told like a quick one, as so many numbered
models.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from accounts.access import owns
from accounts.owner import Owner
from battles.combatants import (
    QUICK_NAME,
    LockedCombatant,
    SideLineup,
    build_field,
    from_locked,
)
from battles.hooks import battle_follower
from battles.intake import rules_of
from battles.models import Battle, BattleSide
from engine.battles.event_fold import BattleLog
from engine.battles.types import BattleState
from engine.records import named_values

FIGURES = ("number", "wounds", "leadership", "is_leader", "models", "kinds")
"""What the fold counts by, besides whose combatant it is."""


def hidden_sides(actor: Owner, sides: Iterable[BattleSide]) -> frozenset[int]:
    """Return the ids of those sides whose list the actor is told no more of than counts.

    A list is its own player's at all times. One query, none where all sides are quick or the
    actor's.
    """
    others = [side for side in sides if not side.is_quick and not owns(actor, side)]
    return battle_follower().secret_from(actor, others) if others else frozenset()


def may_hide(battle: Battle) -> bool:
    """Return whether a list of the battle can be secret: only clubs have events."""
    return battle.club_id is not None


def hide_lists(actor: Owner, sides: Sequence[BattleSide]) -> frozenset[str]:
    """Take the list out of every row whose list is secret from the actor; return their keys.

    The rows are for reading from then on. Queries as `hidden_sides`, none without sides.
    """
    ids = hidden_sides(actor, sides)
    hidden = [side for side in sides if side.pk in ids]
    for side in hidden:
        side.hides_list = True
        side.army = side.army_name = ""
        side.points = side.leadership = None
        side.warband = side.snapshot = None
    return frozenset(side.key for side in hidden)


def visible_lineups(battle: Battle, hidden: frozenset[str]) -> tuple[SideLineup, ...]:
    """Return who stands on the table; of hidden sides numbered models with the fold's figures.

    Points are one of these where Rout goes by them.
    """
    rout = rules_of(battle).rout if hidden else None
    figures = (*FIGURES, "points") if rout and rout.by_points else FIGURES
    lineups = []
    for lineup in from_locked(battle.locked):
        if lineup.key in hidden:
            # Without these figures the fold cannot judge the recorded events.
            fighters = tuple(
                LockedCombatant(
                    fighter.id,
                    fighter.side,
                    f"{QUICK_NAME} {place}",
                    is_hidden=True,
                    **named_values(fighter, *figures),
                )
                for place, fighter in enumerate(lineup.fighters, start=1)
            )
            lineup = replace(lineup, fighters=fighters, army="", army_name="", points=None)
        lineups.append(lineup)
    return tuple(lineups)


def visible_log(actor: Owner, battle: Battle, log: BattleLog) -> BattleLog:
    """Return the log as the actor is told it: the same one where nothing is hidden.

    One query, none for a battle without a club.
    """
    if not may_hide(battle):
        return log
    sides = BattleSide.objects.filter(battle=battle).order_by("position")
    hidden = hide_lists(actor, list(sides))
    if not hidden:
        return log
    return replace(log, field=build_field(visible_lineups(battle, hidden)))


def without_figures(lineup: SideLineup) -> SideLineup:
    """Return a hidden lineup without what only the fold needs: so many models and no more."""
    bare = [
        LockedCombatant(fighter.id, fighter.side, fighter.name)
        for fighter in lineup.fighters
    ]
    return replace(lineup, fighters=tuple(bare), leadership=None)


def visible_state(state: BattleState, lineups: Sequence[SideLineup]) -> BattleState:
    """Return a state without Wounds and Leadership of these lineups, with all that was recorded."""
    combatants, sides = dict(state.combatants), dict(state.sides)
    for lineup in lineups:
        side = sides[lineup.key]
        rout = replace(side.rout, leadership=None, taken_on=None, why="")
        sides[lineup.key] = replace(side, rout=rout)
        for fighter in lineup.fighters:
            combatants[fighter.id] = replace(combatants[fighter.id], wounds=None)
    return replace(state, combatants=combatants, sides=sides)
