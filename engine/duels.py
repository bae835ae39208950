"""Opposed rolls, casualty tests, command rolls and bonus dice. Source: d10 Skirmish."""

from __future__ import annotations

from dataclasses import dataclass

from engine.dice import Dice
from engine.rules import CombatRules, Duels


@dataclass(frozen=True)
class OpposedRoll:
    """One opposed roll: each side a die, its bonus dice and its modifier.

    ``win``, ``tie`` and ``loss`` are what the attacker's higher, equal and lower total mean. Bonus
    dice are committed before the roll (ruling G39). Rolled again on a win already had, it leaves it
    as it is. Source: Ranged; Melee.
    """

    die: int
    bonus_die: int
    attack_modifier: int
    defence_modifier: int
    attack_bonus: int
    defence_bonus: int
    win: str
    tie: str
    loss: str

    def play(self, dice: Dice, state: str) -> str:
        if state == self.win:
            return state
        attack = (
            dice.total((self.die, *(self.bonus_die,) * self.attack_bonus), "attack")
            + self.attack_modifier
        )
        even = attack - self.defence_modifier
        names = (self.win, self.tie, self.loss)
        defence = dice.total(
            (self.die, *(self.bonus_die,) * self.defence_bonus),
            "defence",
            (even, even + 1),
            tuple(name.replace("_", " ") for name in names),
            f"{even} or more",
        )
        return names[(defence >= even) + (defence > even)]


@dataclass(frozen=True)
class Duel:
    """So many opposed rolls, each shot one of its own (ruling G37); after a win no more are rolled.

    ``tie_again``: an even roll is made once more (ruling G33).
    """

    opposed: OpposedRoll
    shots: int
    tie_again: bool = False

    def play(self, dice: Dice, state: None) -> str:
        result = dice.repeat(self.opposed, self.shots, self.opposed.loss)
        if self.tie_again and result == self.opposed.tie:
            return dice.run(self.opposed, self.opposed.loss)
        return result


@dataclass(frozen=True)
class CasualtyTest:
    """A model that is down at the end of the round: high enough and it recovers, else it is
    removed.

    A big model that fails rolls a further die (``instead``) that no bonus die is added to (ruling
    G41). Source: Recovery Phase.
    """

    die: int
    bonus_die: int
    bonus_dice: int
    recovers_from: int
    instead: tuple[str, ...] = ()

    def play(self, dice: Dice, state: None) -> str:
        thrown = (self.die, *(self.bonus_die,) * self.bonus_dice)
        cuts, names = (self.recovers_from,), ("fails", "recovers")
        if (
            dice.total(thrown, "casualty test", cuts, names, f"{self.recovers_from}+")
            >= self.recovers_from
        ):
            return "recovers"
        if not self.instead:
            return "removed"
        rows = self.instead
        turns = tuple(face for face in range(2, len(rows) + 1) if rows[face - 1] != rows[face - 2])
        return rows[
            dice.roll(
                len(rows), "big casualty", turns or (1,), tuple(rows[f - 1] for f in (1, *turns))
            )
            - 1
        ]


@dataclass(frozen=True)
class ShotThenCasualty:
    """A ranged duel, and the casualty test of the model it put down."""

    duel: Duel
    test: CasualtyTest

    def play(self, dice: Dice, state: None) -> str:
        if dice.run(self.duel, None) != self.duel.opposed.win:
            return "never_down"
        return "down_then_recovers" if dice.run(self.test, None) == "recovers" else "removed"


@dataclass(frozen=True)
class BonusDiceBought:
    """The most bonus dice one command roll can buy.

    ``prices`` are for all dice of the turn together; a 1 buys nothing (G36).
    """

    die: int
    prices: tuple[int, ...]
    most: int

    def play(self, dice: Dice, state: None) -> str:
        prices = self.prices[: self.most]
        cuts = tuple(sorted({2, *prices}))
        points = dice.roll(self.die, "command roll", cuts)
        return "round_ends" if points == 1 else f"dice_{sum(price <= points for price in prices)}"


@dataclass(frozen=True)
class PointsAtLeast:
    """Whether a command roll gives so many action points.

    A 1 ends the round and gives none (ruling G36).
    """

    die: int
    points: int

    def play(self, dice: Dice, state: None) -> str:
        least = max(self.points, 2)
        face = dice.roll(self.die, "command roll", (least,), ("not enough", "enough"), f"{least}+")
        return "enough" if face >= least else "not_enough_or_round_ends"


@dataclass(frozen=True)
class RoundLength:
    """Command rolls, turn after turn, until one is a 1 or so many turns were played.

    Source: Playing the Game.
    """

    die: int
    turns: int

    def play(self, dice: Dice, state: None) -> str:
        for turn in range(1, self.turns + 1):
            if (
                dice.roll(
                    self.die,
                    f"command roll of turn {turn}",
                    (2,),
                    ("the round ends", "the turn is played"),
                )
                == 1
            ):
                return f"ends_on_turn_{turn}"
        return f"first_{self.turns}_turns_all_played"


def duels_of(rules: CombatRules) -> Duels:
    """The duels of a system that has them."""
    assert rules.duels is not None
    return rules.duels


@dataclass(frozen=True, slots=True)
class DuelTerms:
    """What both sides bring to a duel, and how many shots there are.

    Weapons add only to the attack, Tough to both (ruling G44); cover and armour are part of the
    defence modifier.
    """

    attack_modifier: int = 0
    defence_modifier: int = 0
    attack_bonus_dice: int = 0
    defence_bonus_dice: int = 0
    shots: int = 1


def duel_rule(rules: CombatRules, terms: DuelTerms, *, is_melee: bool = False) -> Duel:
    """Return an opposed roll, ranged or melee.

    In a ranged one only a higher attack does something, in melee the lower side goes down.
    """
    duels = duels_of(rules)
    even = "tie_both_lose" if duels.melee_ties == "both_down" else "tie_no_effect"
    opposed = OpposedRoll(
        die=duels.die,
        bonus_die=duels.bonus_die,
        attack_modifier=terms.attack_modifier,
        defence_modifier=terms.defence_modifier,
        attack_bonus=terms.attack_bonus_dice,
        defence_bonus=terms.defence_bonus_dice,
        win="defender_loses" if is_melee else "defender_down",
        tie=even if is_melee else "no_effect",
        loss="attacker_loses" if is_melee else "no_effect",
    )
    return Duel(opposed, terms.shots, is_melee and duels.melee_ties == "roll_once_more")


def casualty_rule(rules: CombatRules, bonus_dice: int = 0, *, is_big: bool = False) -> CasualtyTest:
    """The casualty test of a small or a big model."""
    duels = duels_of(rules)
    instead = duels.big_table if is_big else ()
    return CasualtyTest(duels.die, duels.bonus_die, bonus_dice, duels.recovers_from, instead)


def bonus_dice_rule(rules: CombatRules, mode: str | None) -> BonusDiceBought:
    """What a command roll can buy, by the table of prices or at one point each (C01)."""
    duels = duels_of(rules)
    return BonusDiceBought(
        duels.command_die, duels.prices[mode or duels.bonus_dice_cost], duels.most_bonus_dice
    )


def may_be_hurt(
    rules: CombatRules, armour_value: int | None, penetration: int | None, is_melee: bool
) -> bool:
    """Whether an attack may damage a model at all, before any die.

    Armour 0 or 1: only in melee range; 2 and more: only with armour penetration, any figure or at
    least the armour's own where a group plays that. None is a model without armour values, or a
    weapon without penetration. Source: Big Models; rulings C49, C58, G35.
    """
    duels = duels_of(rules)
    if armour_value is None:
        return True
    if armour_value < 2:
        return is_melee or not duels.low_av_melee_only
    return penetration is not None and penetration >= (
        armour_value if duels.penetration_must_reach else 1
    )
