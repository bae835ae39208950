"""Lists that are secret until an organiser shows them: what a reader is told of such a side.

Whose list is secret from whom is asked of the follower (`BattleFollower.hides_list`). What follows
from it stands here alone: rows, lineups and states are read through these functions, and pages,
files and answers draw what is left. A hidden side is told like a quick one, as so many numbered
models.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from accounts.owner import Owner
from battles import access
from battles.combatants import (
    QUICK_NAME,
    LockedCombatant,
    SideLineup,
    field_of,
    from_locked,
)
from battles.hooks import battle_follower
from battles.models import Battle, BattleSide
from engine.battles.event_fold import BattleLog
from engine.battles.types import BattleState, SideState

FIGURES = ("number", "wounds", "leadership", "is_leader", "models", "kinds")
"""What the fold counts by, besides whose combatant it is."""


def told_sides(actor: Owner, rows: QuerySet[BattleSide]) -> QuerySet[BattleSide]:
    """Return the sides, each with ``hides_list``: whether the actor is told no more than counts.

    A list is its own player's at all times. No query of its own.
    """
    flag = ExpressionWrapper(_hidden_from(actor), output_field=BooleanField())
    return rows.annotate(hides_list=flag)


def hidden_sides(actor: Owner) -> QuerySet[BattleSide]:
    """Return every side whose list the actor is not told, for queries to leave out."""
    return BattleSide.objects.filter(_hidden_from(actor))


def _hidden_from(actor: Owner) -> Q:
    hidden = battle_follower().hides_list(actor)
    return Q(is_quick=False) & hidden & ~access.owned_by(actor)


def may_hide(battle: Battle) -> bool:
    """Return whether a list of the battle can be secret: only clubs have events."""
    return battle.club_id is not None


def is_hidden(side: BattleSide) -> bool:
    """Return whether a side of `told_sides` is a secret to its reader."""
    return bool(getattr(side, "hides_list", False))


def hide_lists(sides: Sequence[BattleSide]) -> frozenset[str]:
    """Take the list out of every hidden row of `told_sides`; return the keys of those.

    The rows are for reading from then on.
    """
    hidden = [side for side in sides if is_hidden(side)]
    for side in hidden:
        side.army = side.army_name = ""
        side.points = side.leadership = None
        side.warband = side.snapshot = None
    return frozenset(side.key for side in hidden)


def told_lineups(battle: Battle, hidden: frozenset[str]) -> tuple[SideLineup, ...]:
    """Return who stands on the table; of hidden sides numbered models with the fold's figures."""
    return tuple(
        _numbered(lineup) if lineup.key in hidden else lineup
        for lineup in from_locked(battle.locked)
    )


def told_log(actor: Owner, battle: Battle, log: BattleLog) -> BattleLog:
    """Return the log as the actor is told it: the same one where nothing is hidden.

    One query, none for a battle without a club.
    """
    if not may_hide(battle):
        return log
    rows = told_sides(actor, BattleSide.objects.filter(battle=battle))
    hidden = hide_lists(list(rows.order_by("position")))
    if not hidden:
        return log
    return replace(log, field=field_of(told_lineups(battle, hidden)))


def _numbered(lineup: SideLineup) -> SideLineup:
    fighters = [
        LockedCombatant(
            one.id,
            one.side,
            f"{QUICK_NAME} {place}",
            **{name: getattr(one, name) for name in FIGURES},
        )
        for place, one in enumerate(lineup.fighters, start=1)
    ]
    return replace(lineup, fighters=tuple(fighters), army="", army_name="", points=None)


def without_figures(lineup: SideLineup) -> SideLineup:
    """Return a hidden lineup without what only the fold needs: so many models and no more."""
    bare = [LockedCombatant(one.id, one.side, one.name) for one in lineup.fighters]
    return replace(lineup, fighters=tuple(bare), leadership=None)


def told_state(state: BattleState, lineups: Sequence[SideLineup]) -> BattleState:
    """Return a state without Wounds and Leadership of these lineups, with all that was recorded."""
    combatants, sides = dict(state.combatants), dict(state.sides)
    for lineup in lineups:
        sides[lineup.key] = _without_leadership(sides[lineup.key])
        for one in lineup.fighters:
            combatants[one.id] = replace(combatants[one.id], wounds=None)
    return replace(state, combatants=combatants, sides=sides)


def _without_leadership(side: SideState) -> SideState:
    rout = replace(side.rout, leadership=None, taken_on=None, why="")
    return replace(side, rout=rout)
