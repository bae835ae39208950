"""Regiments: attacks and volleys that take off models, the score of a combat, breaking and pursuit.

No criticals and no injuries: each unsaved wound is a casualty, or a Wound counted off models that
have several (G48). Source: Warhammer English Civil War.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.combat.fighters import (
    Attacker,
    Target,
    effective_save,
    need_to_hit_melee,
    need_to_hit_shooting,
    need_to_wound,
    save_modifier,
)
from engine.combat.hits import Aim
from engine.combat.psychology import LeadershipTest, leadership_rule
from engine.dice import Dice
from engine.rules import CombatRules, Units

FLAGS = ("standard", "high_ground", "flank", "rear", "outnumber")


@dataclass(frozen=True)
class UnitHit:
    """What follows a hit: the roll to wound and the save. True takes off a model."""

    need: int | None
    save: int | None

    def play(self, dice: Dice, state: None) -> bool:
        if self.need is None:
            return False
        if (
            dice.roll(6, "to wound", (self.need,), ("no wound", "wound"), f"{self.need}+")
            < self.need
        ):
            return False
        if self.save is None:
            return True
        return (
            dice.roll(6, "save", (self.save,), ("casualty", "saved"), f"{self.save}+") < self.save
        )


@dataclass(frozen=True)
class UnitAttack:
    """One attack or shot of a unit: to hit, to wound, to save. True takes off a model."""

    aim: Aim
    hit: UnitHit

    def play(self, dice: Dice, state: None) -> bool:
        return dice.run(self.aim, None) and dice.run(self.hit, None)


@dataclass(frozen=True)
class CountedCasualties:
    """The same attack counted: the state is the casualties so far, counted up to ``enough`` and no
    further.
    """

    attack: UnitAttack
    enough: int

    def play(self, dice: Dice, state: int) -> int:
        return min(state + dice.run(self.attack, None), self.enough)


@dataclass(frozen=True, slots=True)
class CombatSide:
    """One side of a combat: the wounds it caused, its ranks behind the first, and what else scores
    for it.
    """

    wounds_caused: int
    rank: int = 0
    standard: bool = False
    high_ground: bool = False
    flank: bool = False
    rear: bool = False
    outnumber: bool = False


@dataclass(frozen=True, slots=True)
class CombatScore:
    """Scores of both sides, the winner (a, b or draw) and by how much."""

    score_a: int
    score_b: int

    @property
    def winner(self) -> str:
        return (
            "draw" if self.score_a == self.score_b else "a" if self.score_a > self.score_b else "b"
        )

    @property
    def difference(self) -> int:
        return abs(self.score_a - self.score_b)


def units_of(rules: CombatRules) -> Units:
    """The regiments of a system that has them."""
    assert rules.units is not None
    return rules.units


def unit_save(rules: CombatRules, armour: str, is_mounted: bool, has_target: bool) -> int | None:
    """The printed save of a regiment: its armour on foot or in the saddle, and a target (a small
    shield) in melee only.

    Source: SAVING THROW CHART; a target turns no save into 6+ (ruling G46).
    """
    units = units_of(rules)
    row = units.armour[armour]
    save = row.mounted if is_mounted else row.foot
    return save if not has_target else (7 if save is None else save) - units.target_bonus


def unit_attack(
    rules: CombatRules, attacker: Attacker, target: Target, *, at_obstacle: bool = False
) -> UnitAttack:
    """Return one attack of a regiment; a defended obstacle asks for a fixed score to hit.

    Source: HAND-TO-HAND COMBAT.
    """
    need = units_of(rules).obstacle_need
    if not at_obstacle:
        need = need_to_hit_melee(rules, attacker.ws, target.ws)
    return UnitAttack(Aim(need), _unit_hit(rules, attacker.strength, target, None))


def _unit_hit(
    rules: CombatRules, strength: int, target: Target, weapon_total: int | None
) -> UnitHit:
    need = need_to_wound(rules, strength, target.toughness)
    return UnitHit(need, effective_save(rules, target.save, strength, weapon_total))


def weapon_modifier(rules: CombatRules, strength: int, note: int | None) -> int | None:
    """What a weapon's save note takes off in all; None where it prints none and its Strength
    counts.

    Source: SHOOTING CHART; ruling G46: the note is the whole, or comes on top of what the Strength
    takes off.
    """
    if note is None or not units_of(rules).weapon_save_adds:
        return note
    return note + save_modifier(rules, strength)


def unit_shot(
    rules: CombatRules,
    ballistic_skill: int,
    modifiers: tuple[int, ...],
    attacker: Attacker,
    target: Target,
) -> UnitAttack:
    """Return one shot of a regiment.

    ``attacker.save_modifier`` is the save note that the weapon prints, None without one. Source:
    SHOOTING CHART.
    """
    worn_off = weapon_modifier(rules, attacker.strength, attacker.save_modifier)
    hit = _unit_hit(rules, attacker.strength, target, worn_off)
    return UnitAttack(Aim(need_to_hit_shooting(rules, ballistic_skill, modifiers)), hit)


def panic_casualties(rules: CombatRules, unit_size: int) -> int:
    """The casualties of one Shooting phase that call a Panic test: a quarter of the unit, rounded
    up.

    Source: PANIC, 6.
    """
    return -(-unit_size // units_of(rules).panic_part)


def combat_result(rules: CombatRules, a: CombatSide, b: CombatSide) -> CombatScore:
    """The scores of both sides. Ranks behind the first count up to a limit.

    Source: COMBAT RESULTS.
    """
    return CombatScore(_score(units_of(rules), a), _score(units_of(rules), b))


def _score(units: Units, side: CombatSide) -> int:
    worth: Mapping[str, int] = units.score
    ranks = min(side.rank, units.most_ranks) * worth["rank"]
    return side.wounds_caused + ranks + sum(worth[flag] for flag in FLAGS if getattr(side, flag))


def break_test(
    rules: CombatRules, leadership: int, lost_by: int, reroll: bool = False
) -> LeadershipTest:
    """The loser's Break test: Leadership less the difference of the scores.

    Source: COMBAT RESULTS.
    """
    return leadership_rule(rules, leadership - lost_by, reroll, "Break test")


@dataclass(frozen=True)
class Pursuit:
    """Fleers first, then pursuers; strictly further runs them down (ruling G47).

    Source: PURSUIT.
    """

    pursuer_dice: int
    fleer_dice: int
    equal_catches: bool

    def play(self, dice: Dice, state: None) -> str:
        fled = dice.total((6,) * self.fleer_dice, "flight")
        least = fled if self.equal_catches else fled + 1
        ran = dice.total(
            (6,) * self.pursuer_dice,
            "pursuit",
            (least,),
            ("escapes", "run down"),
            f"{least} or more",
        )
        return "run_down" if ran >= least else "escapes"


def pursuit_of(rules: CombatRules, pursuer_dice: int, fleer_dice: int) -> Pursuit:
    """A pursuit with so many D6 each: two on foot, three mounted."""
    return Pursuit(pursuer_dice, fleer_dice, units_of(rules).equal_pursuit_catches)
