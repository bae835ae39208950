"""What the dice of a recorded test come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.battles.ground import FoldContext
from engine.battles.rules import BattleTest, OutcomeRow
from engine.battles.types import Side


def score_of(rule: BattleTest, dice: Sequence[int]) -> int:
    """The sum or the highest of the dice; of a throw that was repeated, only the last one."""
    if rule.rerolls and len(dice) > len(rule.dice):
        dice = dice[-len(rule.dice) :]
    return max(dice) if rule.takes == "highest" else sum(dice)


def result_of(rule: BattleTest, dice: Sequence[int], need: int, modifier: int) -> bool:
    """Whether the dice pass: at most the score needed as modified, or at least it with the modifier
    on the dice.
    """
    score = score_of(rule, dice)
    return score <= need + modifier if rule.passes == "at_most" else score + modifier >= need


def row_of(rule: BattleTest, dice: Sequence[int], modifier: int) -> OutcomeRow | None:
    """The row of the test's table that the dice come to; beyond its ends the first or the last one
    counts.
    """
    if not rule.rows:
        return None
    total = score_of(rule, dice) + modifier
    return next((row for row in rule.rows if total <= row.last), rule.rows[-1])


def has_figure(side: Side) -> bool:
    """Whether anybody's Leadership is known on a side."""
    return side.leadership is not None or any(one.leadership is not None for one in side.combatants)


def leadership_of(ground: FoldContext, rule: BattleTest, said: Mapping[str, Any]) -> int | None:
    """The Leadership of the combatant who takes a test on it; None for every other test."""
    if rule.against != "leadership" or rule.of != "combatant":
        return None
    return ground.combatants[said["combatant"]].leadership
