"""A shot: the roll to hit with its modifiers, then the hit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.combat.figures import BEYOND_SIX, Attacker, CasualtyCount, Target, need_to_hit_shooting
from engine.combat.hits import Strike, hit_with, strike_with
from engine.dice import Dice
from engine.rules import CombatRules


@dataclass(frozen=True)
class Aim:
    """The roll to hit of one shot: above 6 a 6 and then a second roll, where the group plays it (ruling G10)."""

    need: int | None

    def play(self, dice: Dice, state: None) -> bool:
        if self.need is None:
            return False
        first = min(self.need, 6)
        if dice.roll(6, "to hit", (first,), ("miss", "hit"), f"{first}+") < first:
            return False
        if self.need <= 6:
            return True
        second = BEYOND_SIX[self.need]
        return (
            dice.roll(6, "to hit, second roll", (second,), ("miss", "hit"), f"{second}+") >= second
        )


@dataclass(frozen=True)
class Shot:
    """One shot at a model that stands. Criticals as in close combat; several shots have no limit (ruling G28)."""

    aim: Aim
    strike: Strike

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        if not dice.run(self.aim, None):
            return tally
        return dice.run(self.strike, tally)._replace(critical_used=False)


def shot_of(
    rules: CombatRules,
    ballistic_skill: int,
    modifiers: Iterable[int],
    attacker: Attacker,
    target: Target,
) -> Shot:
    """A shot with the Strength and weapon of ``attacker``. ``modifiers`` are signed, cover at -1.

    Source: English Civil War, TO HIT CHART (SHOOTING CHART); Mordheim rulings, Shooting.
    """
    hit = hit_with(
        rules, attacker.strength, target.toughness, target.save, weapon_total=attacker.save_modifier,
        killing_blow=attacker.killing_blow,
    )  # fmt: skip
    aim = Aim(need_to_hit_shooting(rules, ballistic_skill, modifiers))
    return Shot(aim, strike_with(rules, hit, attacker.injury_table))
