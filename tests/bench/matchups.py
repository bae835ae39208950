"""Everybody against everybody, exactly, for tests and measurements.

A chart turns many pairs of warriors into the same few scores, so the odds are worked out once for
each set of scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from engine.combat.attacks import AttacksOnStanding, attacks_on_standing
from engine.combat.fighters import Attacker, CasualtyCount, Target, name_outcome
from engine.combat.hits import Helmet, system_helmet
from engine.dice import Dice
from engine.odds import KEPT, Distribution, exact_distribution
from engine.rules import CombatRules


@dataclass(frozen=True, slots=True)
class MatchupFigures:
    """What one warrior's attacks of a phase make of another; ``law`` goes by the names of
    ``name_outcome``.
    """

    law: Distribution[str]

    @property
    def chances(self) -> dict[str, Fraction]:
        return self.law.chances()

    def decimal(self, *outcomes: str) -> float:
        """The chance of any of these outcomes, as a number for people."""
        hits = sum(
            w
            for name, w in zip(self.law.values, self.law.weights, strict=True)
            if name in outcomes
        )
        return hits / self.law.total


Grid = tuple[tuple[MatchupFigures | None, ...], ...]


def match_up(
    attackers: Sequence[Attacker | None],
    targets: Sequence[Target | None],
    rules: CombatRules,
) -> Grid:
    """One row for each attacker, one cell for each target, all of whom stand when the phase begins.

    None stands for a profile without the figures, as attacker or as target, and leaves its cells
    empty. Its work grows with attacks times different pairs. Raises Refusal for a parry in a system
    without one.
    """
    return tuple(
        tuple(_cell(rules, attacker, target) for target in targets)
        for attacker in attackers
    )


def _cell(
    rules: CombatRules, attacker: Attacker | None, target: Target | None
) -> MatchupFigures | None:
    if attacker is None or target is None:
        return None
    helmet = system_helmet(rules) if target.helmet else None
    return _matchup_figures(
        attacks_on_standing(rules, attacker, target), target.wounds, helmet
    )


@dataclass(frozen=True)
class _PhaseOutcome:
    turn: AttacksOnStanding
    helmet: Helmet | None

    def play(self, dice: Dice, tally: CasualtyCount) -> str:
        after = dice.run(self.turn, tally)
        if self.helmet is not None:
            after = dice.run(self.helmet, after)
        return name_outcome(after, tally.wounds)


@lru_cache(KEPT)
def _matchup_figures(
    turn: AttacksOnStanding, wounds: int, helmet: Helmet | None
) -> MatchupFigures:
    return MatchupFigures(
        exact_distribution(_PhaseOutcome(turn, helmet), CasualtyCount(wounds))
    )


def clear_cache() -> None:
    """Drop every cell worked out so far, to measure from cold."""
    _matchup_figures.cache_clear()
